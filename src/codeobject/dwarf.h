/* libdw, which reads DWARF: opened when it is first wanted, and done without where it is missing. For lines of code objects (lines.c) and of
 * the host's stacks (sanitize/stacks.c). */
#ifndef WL_CODEOBJECT_DWARF_H
#define WL_CODEOBJECT_DWARF_H

#include <elfutils/libdw.h>

/* Its functions, each called as its name in libdw without "dwarf_" (libelf's: with "elf_" for "elf_"). */
struct wl_dwarf {
    void *library; /* for others of its functions */
    unsigned (*elf_version)(unsigned);
    Elf *(*elf_memory)(char *, size_t);
    int (*elf_end)(Elf *);
    Dwarf *(*begin_elf)(Elf *, Dwarf_Cmd, Elf_Scn *);
    int (*end)(Dwarf *);
    int (*nextcu)(Dwarf *, Dwarf_Off, Dwarf_Off *, size_t *, Dwarf_Off *, uint8_t *, uint8_t *);
    Dwarf_Die *(*offdie)(Dwarf *, Dwarf_Off, Dwarf_Die *);
    int (*haspc)(Dwarf_Die *, Dwarf_Addr);
    int (*getsrclines)(Dwarf_Die *, Dwarf_Lines **, size_t *);
    Dwarf_Line *(*onesrcline)(Dwarf_Lines *, size_t);
    Dwarf_Line *(*getsrc_die)(Dwarf_Die *, Dwarf_Addr);
    int (*lineaddr)(Dwarf_Line *, Dwarf_Addr *);
    int (*lineno)(Dwarf_Line *, int *);
    int (*lineendsequence)(Dwarf_Line *, bool *);
    const char *(*linesrc)(Dwarf_Line *, Dwarf_Word *, Dwarf_Word *);
    int (*getscopes)(Dwarf_Die *, Dwarf_Addr, Dwarf_Die **);
    int (*getscopes_die)(Dwarf_Die *, Dwarf_Die **);
    int (*tag)(Dwarf_Die *);
    const char *(*diename)(Dwarf_Die *);
    Dwarf_Attribute *(*attr)(Dwarf_Die *, unsigned, Dwarf_Attribute *);
    int (*formudata)(Dwarf_Attribute *, Dwarf_Word *);
    int (*getsrcfiles)(Dwarf_Die *, Dwarf_Files **, size_t *);
    const char *(*filesrc)(Dwarf_Files *, size_t, Dwarf_Word *, Dwarf_Word *);
};

/* NULL: it is not there. Thread-safe; what it reads is not. */
const struct wl_dwarf *wl_dwarf(void);

/* A function that is inlined at an address, and the place of the call that it stands for. The texts are libdw's. */
struct wl_inlined {
    const char *function; /* NULL: not known */
    const char *file;     /* NULL: not known */
    int line;
};

/* The functions of a unit that are inlined at an address, the innermost first. Returns how many, at most `most`. */
unsigned wl_dwarf_inlined(Dwarf_Die *unit, Dwarf_Addr address, struct wl_inlined *calls, unsigned most);

#endif
