/* A libdw that crashes as soon as it is asked for the process's libraries, as the real one does with some damaged files. */
#include <stddef.h>

#define HAS(name)                                                                                                                          \
    void *name(void);                                                                                                                      \
    void *name(void) { return NULL; }
HAS(elf_memory)
HAS(elf_end)
HAS(dwarf_begin_elf)
HAS(dwarf_end)
HAS(dwarf_nextcu)
HAS(dwarf_offdie)
HAS(dwarf_haspc)
HAS(dwarf_getsrclines)
HAS(dwarf_onesrcline)
HAS(dwarf_getsrc_die)
HAS(dwarf_lineaddr)
HAS(dwarf_lineno)
HAS(dwarf_lineendsequence)
HAS(dwarf_linesrc)
HAS(dwarf_getscopes)
HAS(dwarf_getscopes_die)
HAS(dwarf_tag)
HAS(dwarf_diename)
HAS(dwarf_attr)
HAS(dwarf_formudata)
HAS(dwarf_getsrcfiles)
HAS(dwarf_filesrc)
HAS(dwfl_end)
HAS(dwfl_linux_proc_report)
HAS(dwfl_report_end)
HAS(dwfl_addrmodule)
HAS(dwfl_module_addrname)
HAS(dwfl_module_nextcu)
HAS(dwfl_linux_proc_find_elf)
HAS(dwfl_standard_find_debuginfo)

unsigned elf_version(unsigned version);
unsigned elf_version(unsigned version) { return version; }

void *dwfl_begin(const void *callbacks);
void *dwfl_begin(const void *callbacks) { return *(void *const volatile *)((size_t)callbacks & 8); }
