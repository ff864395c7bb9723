#include "assembler.h"

#include <dlfcn.h>
#include <llvm-c/Core.h>
#include <llvm-c/Object.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIPLE  "amdgcn-amd-amdhsa"
#define SECTION ".wl_code" /* a module's own text section would be padded */

static void note_error(LLVMDiagnosticInfoRef diagnostic, void *failed) {
    if (LLVMGetDiagInfoSeverity(diagnostic) != LLVMDSError)
        return;
    char *message = LLVMGetDiagInfoDescription(diagnostic);
    fprintf(stderr, "%s\n", message);
    LLVMDisposeMessage(message);
    *(bool *)failed = true;
}

static LLVMTargetMachineRef make_machine(const char *processor, unsigned wave_size) {
    LLVMTargetRef target;
    char *message = NULL;
    const char *features = strncmp(processor, "gfx9", 4) == 0 ? ""
                           : wave_size == 64                  ? "+wavefrontsize64,-wavefrontsize32"
                                                              : "+wavefrontsize32";
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTarget();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUAsmPrinter();
    LLVMInitializeAMDGPUAsmParser();
    if (LLVMGetTargetFromTriple(TRIPLE, &target, &message))
        return NULL;
    return LLVMCreateTargetMachine(target, TRIPLE, processor, features, LLVMCodeGenLevelNone, LLVMRelocPIC, LLVMCodeModelDefault);
}

static uint8_t *section_bytes(LLVMBinaryRef binary, size_t *size) {
    uint8_t *bytes = NULL;
    LLVMSectionIteratorRef section = LLVMObjectFileCopySectionIterator(binary);
    for (; !LLVMObjectFileIsSectionIteratorAtEnd(binary, section); LLVMMoveToNextSection(section)) {
        const char *name = LLVMGetSectionName(section);
        if (!name || strcmp(name, SECTION) != 0)
            continue;
        *size = LLVMGetSectionSize(section);
        bytes = malloc(*size + 1);
        if (bytes)
            memcpy(bytes, LLVMGetSectionContents(section), *size);
    }
    LLVMDisposeSectionIterator(section);
    return bytes;
}

uint8_t *test_assemble(const char *processor, unsigned wave_size, const char *text, size_t *size) {
    const char *known =
        strcmp(processor, "gfx950") ? processor : "gfx942"; /* gfx950 has those instructions, and LLVM before 20 not its own */
    LLVMTargetMachineRef machine = make_machine(known, wave_size);
    LLVMContextRef context = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("test", context);
    LLVMMemoryBufferRef object = NULL;
    uint8_t *bytes = NULL;
    char *message = NULL, *source = NULL;
    bool failed = false;
    LLVMContextSetDiagnosticHandler(context, note_error, &failed);
    LLVMSetTarget(module, TRIPLE);
    int length = asprintf(&source, ".section %s,\"ax\"\n%s\n", SECTION, text);
    if (length >= 0)
        LLVMSetModuleInlineAsm2(module, source, (size_t)length);
    if (length >= 0 && machine && !LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object)) {
        LLVMBinaryRef binary = LLVMCreateBinary(object, NULL, &message);
        bytes = section_bytes(binary, size);
        LLVMDisposeBinary(binary);
        LLVMDisposeMemoryBuffer(object);
    }
    if (length >= 0)
        free(source);
    LLVMDisposeMessage(message);
    LLVMDisposeModule(module);
    LLVMContextDispose(context);
    LLVMDisposeTargetMachine(machine);
    if (failed) {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

struct listener {
    void (*note)(const char *message, void *context);
    void *context;
};

static void pass_on(LLVMDiagnosticInfoRef diagnostic, void *of) {
    const struct listener *listener = of;
    char *message = LLVMGetDiagInfoDescription(diagnostic);
    listener->note(message, listener->context);
    LLVMDisposeMessage(message);
}

void test_assemble_lines(const char *processor, unsigned wave_size, const char *text, void (*note)(const char *message, void *context),
                         void *context) {
    struct listener listener = {note, context};
    LLVMTargetMachineRef machine = make_machine(processor, wave_size);
    LLVMContextRef llvm = LLVMContextCreate();
    LLVMModuleRef module = LLVMModuleCreateWithNameInContext("lines", llvm);
    LLVMMemoryBufferRef object = NULL;
    char *message = NULL;
    LLVMContextSetDiagnosticHandler(llvm, pass_on, &listener);
    LLVMSetTarget(module, TRIPLE);
    LLVMSetModuleInlineAsm2(module, text, strlen(text));
    if (machine && !LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &object))
        LLVMDisposeMemoryBuffer(object);
    LLVMDisposeMessage(message);
    LLVMDisposeTargetMachine(machine);
    LLVMDisposeModule(module);
    LLVMContextDispose(llvm);
}

const char *test_assembler_library(void) {
    Dl_info info;
    return dladdr((void *)(uintptr_t)LLVMContextCreate, &info) ? info.dli_fname : NULL;
}
