/* exit.c, where LLVM is a shared object: finds the addresses through which LLVM calls these functions, in the tables that the dynamic linker
 * filled, and puts ours there.
 *
 * This object is linked with -z initfirst: its constructor runs when all of LLVM's addresses are there, and before LLVM's constructors
 * register anything. An LLVM that was in the process before has registered the destructors of its static objects already; those that
 * it makes while it translates are kept all the same. */
#ifndef WL_STATIC_LLVM
#include "base/options.h"
#include "translate/exit.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <link.h>
#include <llvm-c/Core.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__x86_64__)
#define CALLED  R_X86_64_JUMP_SLOT
#define POINTED R_X86_64_GLOB_DAT
#elif defined(__aarch64__)
#define CALLED  R_AARCH64_JUMP_SLOT
#define POINTED R_AARCH64_GLOB_DAT
#endif

typedef void *new_fn(size_t size);
static new_fn *real_new, *real_new_array;

static void *own_malloc(size_t size) {
    wl_exit_pause();
    return malloc(size);
}

static void *own_calloc(size_t count, size_t size) {
    wl_exit_pause();
    return calloc(count, size);
}

static void *own_realloc(void *memory, size_t size) {
    wl_exit_pause();
    return realloc(memory, size);
}

static void *own_new(size_t size) {
    wl_exit_pause();
    return real_new(size);
}

static void *own_new_array(size_t size) {
    wl_exit_pause();
    return real_new_array(size);
}

static int own_atexit(void (*destroy)(void *), void *object, void *library) {
    (void)destroy;
    (void)object;
    (void)library;
    return 0;
}

static const struct {
    const char *name;
    uintptr_t own;
} functions[] = {
    {"malloc", (uintptr_t)own_malloc}, {"calloc", (uintptr_t)own_calloc},   {"realloc", (uintptr_t)own_realloc},
    {"_Znwm", (uintptr_t)own_new},     {"_Znam", (uintptr_t)own_new_array}, {"__cxa_atexit", (uintptr_t)own_atexit},
};

/* The parts of LLVM's object that matter here. */
struct object {
    uintptr_t base;
    uintptr_t relro, relro_end; /* pages that cannot be written to any more */
    const ElfW(Sym) * symbols;
    const char *names;
};

static void replace(const struct object *o, uintptr_t *slot, uintptr_t own) {
    const uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE), page = (uintptr_t)slot & ~(size - 1);
    const bool is_fixed = page >= o->relro && page < o->relro_end;
    if (is_fixed && mprotect((void *)page, size, PROT_READ | PROT_WRITE) != 0) { /* NOLINT(performance-no-int-to-ptr) */
        wl_log(1, "a program that ends while native code is made may crash: LLVM's destructors are run (%s)",
               strerror(errno)); /* NOLINT(concurrency-mt-unsafe): glibc's is thread-safe */
        return;
    }
    __atomic_store_n(slot, own, __ATOMIC_RELAXED);
    if (is_fixed)
        mprotect((void *)page, size, PROT_READ); /* NOLINT(performance-no-int-to-ptr) */
}

static void replace_all(const struct object *o, const ElfW(Rela) * at, const ElfW(Rela) * end) {
    for (; at < end; at++) {
        if (ELF64_R_TYPE(at->r_info) != CALLED && ELF64_R_TYPE(at->r_info) != POINTED)
            continue;
        const char *name = o->names + o->symbols[ELF64_R_SYM(at->r_info)].st_name;
        for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
            if (strcmp(name, functions[i].name) == 0)
                replace(o, (uintptr_t *)(o->base + at->r_offset), functions[i].own); /* NOLINT(performance-no-int-to-ptr) */
    }
}

static bool holds(const struct dl_phdr_info *info, uintptr_t address) {
    for (unsigned i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_LOAD && address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr < info->dlpi_phdr[i].p_memsz)
            return true;
    return false;
}

static void replace_by(struct object *o, const ElfW(Dyn) * dynamic) {
    ElfW(Addr) tags[DT_JMPREL + 1] = {0};
    size_t relative = 0; /* the first so many have no name */
    for (; dynamic->d_tag != DT_NULL; dynamic++)
        if (dynamic->d_tag >= 0 && dynamic->d_tag <= DT_JMPREL)
            tags[dynamic->d_tag] = dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_RELACOUNT)
            relative = dynamic->d_un.d_val;
    /* NOLINTBEGIN(performance-no-int-to-ptr): the dynamic linker has made them addresses */
    o->symbols = (const ElfW(Sym) *)tags[DT_SYMTAB];
    o->names = (const char *)tags[DT_STRTAB];
    const ElfW(Rela) *data = (const ElfW(Rela) *)tags[DT_RELA], *calls = (const ElfW(Rela) *)tags[DT_JMPREL];
    /* NOLINTEND(performance-no-int-to-ptr) */
    replace_all(o, data + relative, data + tags[DT_RELASZ] / sizeof *data);
    replace_all(o, calls, calls + tags[DT_PLTRELSZ] / sizeof *calls);
}

static int visit(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    struct object o = {.base = info->dlpi_addr};
    const ElfW(Dyn) *dynamic = NULL;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (!holds(info, (uintptr_t)LLVMContextCreate))
        return 0;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t start = o.base + segment->p_vaddr;
        if (segment->p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)start; /* NOLINT(performance-no-int-to-ptr) */
        if (segment->p_type == PT_GNU_RELRO) {
            o.relro = start & ~(page - 1);
            o.relro_end = (start + segment->p_memsz) & ~(page - 1);
        }
    }
    if (dynamic)
        replace_by(&o, dynamic);
    return 1;
}

__attribute__((constructor)) static void keep_static_objects(void) {
    real_new = (new_fn *)(uintptr_t)dlsym(RTLD_DEFAULT, "_Znwm");
    real_new_array = (new_fn *)(uintptr_t)dlsym(RTLD_DEFAULT, "_Znam");
    if (real_new && real_new_array) /* LLVM has them from there */
        dl_iterate_phdr(visit, NULL);
}
#endif
