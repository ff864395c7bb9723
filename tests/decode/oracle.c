#include "oracle.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Of LLVM's C interface, as llvm-c/Disassembler.h and llvm-c/Target.h of all these versions declare it. */
static struct {
    void (*get_version)(unsigned *major, unsigned *minor, unsigned *patch);
    void (*initialize_info)(void);
    void (*initialize_target)(void);
    void (*initialize_disassembler)(void);
    void *(*create)(const char *triple, const char *processor, const char *features, void *context, int tag, void *get_info, void *look_up);
    size_t (*disassemble)(void *context, uint8_t *bytes, uint64_t size, uint64_t address, char *text, size_t text_size);
    void (*dispose)(void *context);
} llvm;
static unsigned version;

struct oracle {
    void *context;
    bool has_sdwa;
};

static bool find(void *library, void *pointer, const char *name) {
    void *found = dlsym(library, name);

    if (!found)
        fprintf(stderr, "%s\n", dlerror());
    memcpy(pointer, &found, sizeof found);
    return found;
}

/* LLVM 22 crashes where it means to say in a comment what is wrong with an operand: it reads a text that is gone. */
static sigjmp_buf escape;
static volatile sig_atomic_t asking;

static void leave(int number) {
    if (asking)
        siglongjmp(escape, 1);
    signal(number, SIG_DFL);
    raise(number);
}

bool oracle_open(const char *name) {
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    unsigned minor, patch;

    if (!library) {
        fprintf(stderr, "%s\n", dlerror());
        return false;
    }
    if (!find(library, &llvm.get_version, "LLVMGetVersion") || !find(library, &llvm.initialize_info, "LLVMInitializeAMDGPUTargetInfo") ||
        !find(library, &llvm.initialize_target, "LLVMInitializeAMDGPUTargetMC") ||
        !find(library, &llvm.initialize_disassembler, "LLVMInitializeAMDGPUDisassembler") ||
        !find(library, &llvm.create, "LLVMCreateDisasmCPUFeatures") || !find(library, &llvm.disassemble, "LLVMDisasmInstruction") ||
        !find(library, &llvm.dispose, "LLVMDisasmDispose"))
        return false;
    llvm.get_version(&version, &minor, &patch);
    llvm.initialize_info();
    llvm.initialize_target();
    llvm.initialize_disassembler();
    signal(SIGSEGV, leave);
    signal(SIGBUS, leave);
    signal(SIGTRAP, leave);
    signal(SIGILL, leave);
    signal(SIGABRT, leave);
    return true;
}

unsigned oracle_version(void) { return version; }

struct oracle *oracle_create(const char *processor, unsigned wave_size) {
    struct oracle *made = calloc(1, sizeof *made);
    const bool one_size = strncmp(processor, "gfx9", 4) == 0;
    const bool halves = version >= 20 && !one_size && strncmp(processor, "gfx10", 5) != 0; /* registers of 16 bits are named by half */
    char features[80] = "";

    if (!one_size)
        snprintf(features, sizeof features, "%s%s",
                 wave_size == 64 ? "+wavefrontsize64,-wavefrontsize32" : "+wavefrontsize32,-wavefrontsize64",
                 halves ? ",+real-true16" : "");
    if (made)
        made->has_sdwa = one_size || strncmp(processor, "gfx10", 5) == 0;
    if (made)
        made->context = llvm.create("amdgcn-amd-amdhsa", processor, features, NULL, 0, NULL, NULL);
    if (made && made->context)
        return made;
    free(made);
    return NULL;
}

void oracle_destroy(struct oracle *oracle) {
    if (oracle)
        llvm.dispose(oracle->context);
    free(oracle);
}

static void squeeze(char *text) {
    char *to = text;

    for (const char *from = text; *from; from++) {
        const char c = *from == '\t' ? ' ' : *from;
        if (c != ' ' || (to > text && to[-1] != ' '))
            *to++ = c;
    }
    while (to > text && to[-1] == ' ')
        to--;
    *to = '\0';
}

/* LLVM runs into undefined behaviour when it prints an SDWA dword with a reserved selector, so these are refused before. */
static bool is_reserved_sdwa(const uint8_t *bytes, uint64_t available) {
    uint32_t words[2] = {0};
    memcpy(words, bytes, available < sizeof words ? available : sizeof words);
    const bool is_vop1 = words[0] >> 25 == 0x3f, is_vopc = words[0] >> 25 == 0x3e;

    if (words[0] >> 31 || (words[0] & 0x1ff) != 0xf9)
        return false;
    if ((words[1] >> 16 & 7) == 7 || (!is_vop1 && (words[1] >> 24 & 7) == 7))
        return true;
    return !is_vopc && ((words[1] >> 8 & 7) == 7 || (words[1] >> 11 & 3) == 3);
}

/* What a crash has left of a comment comes with the next instruction. */
static void flush_comment(struct oracle *oracle) {
    uint8_t nop[] = {0, 0, 0x80, 0xbf};
    char text[256];
    llvm.disassemble(oracle->context, nop, sizeof nop, 0, text, sizeof text);
}

unsigned oracle_print(struct oracle *oracle, const uint8_t *bytes, uint64_t available, uint64_t address, char *text, size_t size) {
    uint8_t copy[32]; /* LLVM asks for bytes that it may write */
    const uint64_t count = available < sizeof copy ? available : sizeof copy;
    volatile unsigned taken = 0;

    memcpy(copy, bytes, count);
    text[0] = '\0';
    if (oracle->has_sdwa && is_reserved_sdwa(bytes, available))
        return 0;
    if (!sigsetjmp(escape, 1)) {
        asking = 1;
        taken = (unsigned)llvm.disassemble(oracle->context, copy, count, address, text, size);
        asking = 0;
    } else {
        asking = 0;
        flush_comment(oracle);
        snprintf(text, size, "// LLVM crashes");
        return 0;
    }
    if (!taken)
        text[0] = '\0';
    squeeze(text);
    return taken;
}
