/* Source lines from the ELF's DWARF, through libdw.
 *
 * Lines are wanted in fault reports and listings only, so libdw is opened when the first one is asked for. Without it, or
 * with damaged tables, there simply are no lines. */
#include "base/array.h"
#include "codeobject/internal.h"

#include <dlfcn.h>
#include <elfutils/libdw.h>
#include <stdio.h>
#include <stdlib.h>

static struct {
    pthread_once_t once;
    bool usable;
    unsigned (*elf_version)(unsigned);
    Elf *(*elf_memory)(char *, size_t);
    int (*elf_end)(Elf *);
    Dwarf *(*begin_elf)(Elf *, Dwarf_Cmd, Elf_Scn *);
    int (*end)(Dwarf *);
    int (*nextcu)(Dwarf *, Dwarf_Off, Dwarf_Off *, size_t *, Dwarf_Off *, uint8_t *, uint8_t *);
    Dwarf_Die *(*offdie)(Dwarf *, Dwarf_Off, Dwarf_Die *);
    int (*getsrclines)(Dwarf_Die *, Dwarf_Lines **, size_t *);
    Dwarf_Line *(*onesrcline)(Dwarf_Lines *, size_t);
    int (*lineaddr)(Dwarf_Line *, Dwarf_Addr *);
    int (*lineno)(Dwarf_Line *, int *);
    int (*lineendsequence)(Dwarf_Line *, bool *);
    const char *(*linesrc)(Dwarf_Line *, Dwarf_Word *, Dwarf_Word *);
} dw = {.once = PTHREAD_ONCE_INIT};

struct row {
    uint64_t address;
    const char *file; /* libdw's, NULL at the end of a sequence */
    int line;
};

struct wl_lines {
    Elf *elf;
    Dwarf *dwarf;
    struct row *rows; /* sorted by address */
    size_t count, capacity;
};

/* libelf's functions are found as those of libdw's dependency. */
#define FIND(field, name) found &= (*(void **)&dw.field = dlsym(library, name)) != NULL

static void open_libdw(void) {
    void *library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return;
    bool found = true;
    FIND(elf_version, "elf_version");
    FIND(elf_memory, "elf_memory");
    FIND(elf_end, "elf_end");
    FIND(begin_elf, "dwarf_begin_elf");
    FIND(end, "dwarf_end");
    FIND(nextcu, "dwarf_nextcu");
    FIND(offdie, "dwarf_offdie");
    FIND(getsrclines, "dwarf_getsrclines");
    FIND(onesrcline, "dwarf_onesrcline");
    FIND(lineaddr, "dwarf_lineaddr");
    FIND(lineno, "dwarf_lineno");
    FIND(lineendsequence, "dwarf_lineendsequence");
    FIND(linesrc, "dwarf_linesrc");
    dw.usable = found && dw.elf_version(EV_CURRENT) != EV_NONE;
}

static bool add_row(struct wl_lines *lines, struct row row) {
    if (!WL_ARRAY_RESERVE(lines->rows, lines->count, lines->capacity, 1024))
        return false;
    lines->rows[lines->count++] = row;
    return true;
}

static int compare_rows(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (!x->file != !y->file) /* the end of one sequence before the start of the next */
        return x->file ? 1 : -1;
    return 0;
}

static void read_unit(struct wl_lines *lines, Dwarf_Die *die) {
    Dwarf_Lines *table;
    size_t count;
    if (dw.getsrclines(die, &table, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dw.onesrcline(table, i);
        Dwarf_Addr address;
        struct row row = {0};
        bool end = false;
        if (!line || dw.lineaddr(line, &address) != 0)
            continue;
        row.address = address;
        dw.lineendsequence(line, &end);
        if (!end && dw.lineno(line, &row.line) == 0 && row.line > 0)
            row.file = dw.linesrc(line, NULL, NULL);
        if (!end && !row.file)
            continue; /* line 0: the compiler's own code; it belongs to the line before */
        if (!add_row(lines, row))
            return;
    }
}

static void read_lines(const struct wl_codeobject *object, struct wl_lines *lines) {
    pthread_once(&dw.once, open_libdw);
    if (!dw.usable)
        return;
    lines->elf = dw.elf_memory((char *)object->bytes, object->elf.size);
    lines->dwarf = lines->elf ? dw.begin_elf(lines->elf, DWARF_C_READ, NULL) : NULL;
    if (!lines->dwarf)
        return;
    Dwarf_Off offset = 0, next;
    size_t header;
    while (dw.nextcu(lines->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
        Dwarf_Die die;
        if (dw.offdie(lines->dwarf, offset + header, &die))
            read_unit(lines, &die);
        offset = next;
    }
    if (lines->count)
        qsort(lines->rows, lines->count, sizeof *lines->rows, compare_rows);
}

void wl_lines_close(struct wl_lines *lines) {
    if (!lines)
        return;
    if (lines->dwarf)
        dw.end(lines->dwarf);
    if (lines->elf)
        dw.elf_end(lines->elf);
    free(lines->rows);
    free(lines);
}

static const struct row *find_row(const struct wl_lines *lines, uint64_t address) {
    size_t low = 0, high = lines->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && lines->rows[low - 1].file ? &lines->rows[low - 1] : NULL;
}

bool wl_codeobject_source_line(const struct wl_codeobject *object, uint64_t address, char *text, size_t size) {
    /* The lock and what it guards are the only parts of a code object that change after opening. */
    struct wl_codeobject *changing = (struct wl_codeobject *)object;
    if (!wl_codeobject_is_code(object, address, 1))
        return false;
    pthread_mutex_lock(&changing->lines_lock);
    if (!changing->lines && (changing->lines = calloc(1, sizeof *changing->lines)))
        read_lines(object, changing->lines);
    const struct row *row = changing->lines ? find_row(changing->lines, address) : NULL;
    if (row)
        snprintf(text, size, "%s:%d", row->file, row->line);
    pthread_mutex_unlock(&changing->lines_lock);
    return row != NULL;
}
