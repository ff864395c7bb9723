#include "codeobject/dwarf.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>

static struct wl_dwarf dw;
static bool usable;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* libelf's functions are found as those of libdw's dependency. */
#define FIND(field, name) found &= (*(void **)&dw.field = dlsym(dw.library, name)) != NULL

static void open_libdw(void) {
    dw.library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!dw.library)
        return;
    bool found = true;
    FIND(elf_version, "elf_version");
    FIND(elf_memory, "elf_memory");
    FIND(elf_end, "elf_end");
    FIND(begin_elf, "dwarf_begin_elf");
    FIND(end, "dwarf_end");
    FIND(nextcu, "dwarf_nextcu");
    FIND(offdie, "dwarf_offdie");
    FIND(haspc, "dwarf_haspc");
    FIND(getsrclines, "dwarf_getsrclines");
    FIND(onesrcline, "dwarf_onesrcline");
    FIND(getsrc_die, "dwarf_getsrc_die");
    FIND(lineaddr, "dwarf_lineaddr");
    FIND(lineno, "dwarf_lineno");
    FIND(lineendsequence, "dwarf_lineendsequence");
    FIND(linesrc, "dwarf_linesrc");
    FIND(getscopes, "dwarf_getscopes");
    FIND(getscopes_die, "dwarf_getscopes_die");
    FIND(tag, "dwarf_tag");
    FIND(diename, "dwarf_diename");
    FIND(attr, "dwarf_attr");
    FIND(formudata, "dwarf_formudata");
    FIND(getsrcfiles, "dwarf_getsrcfiles");
    FIND(filesrc, "dwarf_filesrc");
    usable = found && dw.elf_version(EV_CURRENT) != EV_NONE;
}

const struct wl_dwarf *wl_dwarf(void) {
    pthread_once(&once, open_libdw);
    return usable ? &dw : NULL;
}

static bool number_of(Dwarf_Die *die, unsigned name, Dwarf_Word *value) {
    Dwarf_Attribute attribute;
    return dw.attr(die, name, &attribute) && dw.formudata(&attribute, value) == 0;
}

static struct wl_inlined call_of(Dwarf_Die *unit, Dwarf_Die *inlined) {
    struct wl_inlined call = {.function = dw.diename(inlined)};
    Dwarf_Word file = 0, line = 0;
    Dwarf_Files *files = NULL;
    size_t count = 0;
    if (number_of(inlined, DW_AT_call_file, &file) && number_of(inlined, DW_AT_call_line, &line) &&
        dw.getsrcfiles(unit, &files, &count) == 0 && file < count) {
        call.file = dw.filesrc(files, file, NULL, NULL);
        call.line = (int)line;
    }
    return call;
}

/* The innermost scope of the address, and those that its entry stands in: what libdw gives behind the innermost one are scopes of the place
 * where its function was declared. */
unsigned wl_dwarf_inlined(Dwarf_Die *unit, Dwarf_Addr address, struct wl_inlined *calls, unsigned most) {
    Dwarf_Die *scopes = NULL, *around = NULL;
    int count = dw.getscopes(unit, address, &scopes) > 0 ? dw.getscopes_die(&scopes[0], &around) : 0;
    unsigned found = 0;
    for (int i = 0; i < count && found < most && dw.tag(&around[i]) != DW_TAG_subprogram; i++)
        if (dw.tag(&around[i]) == DW_TAG_inlined_subroutine)
            calls[found++] = call_of(unit, &around[i]);
    free(scopes);
    free(around);
    return found;
}
