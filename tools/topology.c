/* Whether `wavelift run` preloads the library that shows the devices where AMD's driver would (src/topology). A plain HIP program does without:
 * one that is linked with the HIP library and the C and C++ libraries alone, opens no others, starts no other programs, and names none of the
 * driver's files. */
#include "commands.h"

#include "base/installed.h"
#include "codeobject/codeobject.h"

#include <elf.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct file {
    const uint8_t *data;
    size_t size;
};

/* Bytes [offset, offset + size) of a file; NULL: it does not have them. */
static const void *part(const struct file *file, uint64_t offset, uint64_t size) {
    return offset <= file->size && size <= file->size - offset ? file->data + offset : NULL;
}

/* A section of an ELF file by its type; NULL: none, or it is not an ELF file of 64 bits. */
static const Elf64_Shdr *section(const struct file *file, uint32_t type, const Elf64_Shdr **all) {
    const Elf64_Ehdr *elf = part(file, 0, sizeof *elf);
    if (!elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_ident[EI_CLASS] != ELFCLASS64 || elf->e_shentsize != sizeof **all)
        return NULL;
    *all = part(file, elf->e_shoff, (uint64_t)elf->e_shnum * sizeof **all);
    for (unsigned i = 0; *all && i < elf->e_shnum; i++)
        if ((*all)[i].sh_type == type && (*all)[i].sh_link < elf->e_shnum && part(file, (*all)[i].sh_offset, (*all)[i].sh_size))
            return &(*all)[i];
    return NULL;
}

/* A string of the section that another one is linked to; "" where there is none. */
static const char *string(const struct file *file, const Elf64_Shdr *strings, uint64_t at) {
    const char *text = at < strings->sh_size ? part(file, strings->sh_offset + at, strings->sh_size - at) : NULL;
    return text && memchr(text, 0, strings->sh_size - at) ? text : "";
}

static bool is_listed(const char *name, const char *const *list, bool prefix) {
    for (; *list; list++)
        if (prefix ? strncmp(name, *list, strlen(*list)) == 0 : strcmp(name, *list) == 0)
            return true;
    return false;
}

enum verdict { NO, YES, HARMFUL };

static enum verdict by_libraries(const struct file *file) {
    static const char *const plain[] = {"libamdhip64.so", "libhiprtc.so", "libc.so",     "libm.so",  "libdl.so", "libpthread.so",
                                        "librt.so",       "libstdc++.so", "libgcc_s.so", "ld-linux", NULL};
    static const char *const first[] = {"libasan.so", "libtsan.so", "libclang_rt.", NULL}; /* these must come before any other library */
    const Elf64_Shdr *all, *dynamic = section(file, SHT_DYNAMIC, &all);
    if (!dynamic)
        return YES;
    enum verdict verdict = NO;
    const Elf64_Dyn *entries = part(file, dynamic->sh_offset, dynamic->sh_size);
    for (size_t i = 0; i < dynamic->sh_size / sizeof *entries; i++) {
        if (entries[i].d_tag != DT_NEEDED)
            continue;
        const char *name = string(file, &all[dynamic->sh_link], entries[i].d_un.d_val);
        if (is_listed(name, first, true))
            return HARMFUL;
        if (!is_listed(name, plain, true))
            verdict = YES;
    }
    return verdict;
}

/* Whether it can open libraries or start programs. */
static bool goes_on(const struct file *file) {
    static const char *const functions[] = {"dlopen", "dlmopen", "system", "popen",   "execl",       "execlp",       "execle", "execv",
                                            "execvp", "execvpe", "execve", "fexecve", "posix_spawn", "posix_spawnp", NULL};
    const Elf64_Shdr *all, *symbols = section(file, SHT_DYNSYM, &all);
    if (!symbols)
        return true;
    const Elf64_Sym *symbol = part(file, symbols->sh_offset, symbols->sh_size);
    for (size_t i = 0; i < symbols->sh_size / sizeof *symbol; i++)
        if (symbol[i].st_shndx == SHN_UNDEF && is_listed(string(file, &all[symbols->sh_link], symbol[i].st_name), functions, false))
            return true;
    return false;
}

static bool names_driver(const struct file *file) {
    static const char *const places[] = {"/sys/class/", "/sys/module/amdgpu", "/dev/kfd", "/sys/bus/pci", NULL};
    for (const char *const *place = places; *place; place++)
        if (memmem(file->data, file->size, *place, strlen(*place)))
            return true;
    return false;
}

bool wl_tool_wants_topology(const char *program) {
    char path[PATH_MAX];
    struct wl_file mapped;
    if (!wl_find_program(program, path, sizeof path) || wl_file_map(&mapped, path) != WL_OK)
        return true;
    const struct file file = {mapped.data, mapped.size};
    const enum verdict verdict = by_libraries(&file);
    const bool wants = verdict == YES || (verdict == NO && (goes_on(&file) || names_driver(&file)));
    wl_file_unmap(&mapped);
    return wants;
}

bool wl_tool_preload(const char *folder, const char *library) {
    const char *before = getenv("LD_PRELOAD");
    char path[PATH_MAX];
    char *all = NULL;
    if (snprintf(path, sizeof path, "%s/%s", folder, library) >= PATH_MAX || access(path, R_OK) != 0)
        return true;
    const bool others = before && *before; /* they stay in front: the runtime of a compiler's sanitizer has to be the first */
    if (asprintf(&all, "%s%s%s", others ? before : "", others ? ":" : "", path) < 0)
        return false;
    setenv("LD_PRELOAD", all, 1);
    free(all);
    return true;
}
