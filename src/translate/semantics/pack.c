/* Build tool: turns the compiled semantics into small bitcode modules and the table that finds them.
 *
 *     pack OUTPUT-PREFIX FILE.ll...
 *
 * writes PREFIX.c (the table, sorted by name, host-specific variants first), PREFIX.bin (the modules, one after the other),
 * and PREFIX-native.bc: each packed function once more behind pointers, for threaded code (steps.h) and for tests.
 *
 * For each `const char wl_signature_NAME[]` in the input, the function NAME takes pointers to values. Its packed form takes
 * and returns the values themselves. Everything else in the input (helpers) is inlined and disappears. */
#include "translate/isa/sem.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The strip form for the host's vectors; with WL_LANES 1 the form of one lane, for NVIDIA's threads, in a table of its own. */
#ifndef WL_LANES
#define WL_LANES 16
#endif
#if WL_LANES == 1
#define TABLE "wl_sem_lane"
#else
#define TABLE "wl_sem"
#endif

#define SIGNATURE_PREFIX "wl_signature_"
#define PACKED_PREFIX    "packed."
#define NATIVE_PREFIX    "wl_native_"
#define WAVE_PREFIX      "wl_wave_"

struct row {
    struct wl_sem sem;
    char symbol[64]; /* of the C function: the mnemonic, for variants with "__tag" behind it */
    char name[64];
    char features[64];
    LLVMValueRef packed;
    size_t offset, size;
};

static struct row rows[2048];
static size_t row_count;
static LLVMContextRef context;
static LLVMBuilderRef builder;

static const char *const type_names[WL_TYPE_COUNT] = {
    [WL_U32] = "u32",     [WL_I32] = "i32",     [WL_F32] = "f32",     [WL_U64] = "u64",       [WL_I64] = "i64",
    [WL_F64] = "f64",     [WL_U16] = "u16",     [WL_I16] = "i16",     [WL_F16] = "f16",       [WL_BF16] = "bf16",
    [WL_PKU16] = "pku16", [WL_PKI16] = "pki16", [WL_PKF16] = "pkf16", [WL_PKBF16] = "pkbf16", [WL_PKF32] = "pkf32",
    [WL_B8X4] = "b8x4",   [WL_U96] = "u96",     [WL_U128] = "u128",   [WL_MASK] = "mask",     [WL_SCC] = "scc",
};
static const char *const role_names[] = {
    [WL_ROLE_PRINTED] = "printed",
    [WL_ROLE_OLD] = "old",
    [WL_ROLE_VCC] = "vcc",
    [WL_ROLE_SCC] = "scc",
    [WL_ROLE_EXEC] = "exec",
    [WL_ROLE_M0] = "m0",
    [WL_ROLE_VCC_SCALAR] = "vcc_scalar",
    [WL_ROLE_MODE] = "mode",
};

__attribute__((noreturn, format(printf, 1, 2))) static void die(const char *format, ...) {
    va_list arguments;

    va_start(arguments, format);
    fputs("pack: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(1); // NOLINT(concurrency-mt-unsafe): the tool has one thread
}

static unsigned name_index(const char *const *names, size_t count, const char *text, size_t size) {
    for (size_t i = 0; i < count; i++)
        if (names[i] && strlen(names[i]) == size && memcmp(names[i], text, size) == 0)
            return (unsigned)i;
    die("unknown type or role '%.*s'", (int)size, text);
}

/* Reads "u32,old:f32" up to a ';' or the end. */
static const char *parse_slots(const char *text, struct wl_slot *slots, uint8_t *count) {
    *count = 0;
    while (*text && *text != ';') {
        const size_t size = strcspn(text, ",;");
        const char *colon = memchr(text, ':', size);
        const size_t role = colon ? (size_t)(colon + 1 - text) : 0;

        if (*count == WL_SEM_SLOTS)
            die("more than %d slots", WL_SEM_SLOTS);
        slots[*count].role = WL_ROLE_PRINTED;
        if (colon)
            slots[*count].role = (uint8_t)name_index(role_names, sizeof(role_names) / sizeof(role_names[0]), text, role - 1);
        slots[*count].type = (uint8_t)name_index(type_names, WL_TYPE_COUNT, text + role, size - role);
        ++*count;
        text += size + (text[size] == ',');
    }
    return *text ? text + 1 : text;
}

static void parse_signature(struct row *row, const char *text) {
    size_t size;

    row->sem.scalar = text[0] == 's';
    text += 2;
    size = strcspn(text, ";");
    snprintf(row->features, sizeof(row->features), "%.*s", (int)size, text);
    text = parse_slots(text + size + 1, row->sem.results, &row->sem.result_count);
    parse_slots(text, row->sem.inputs, &row->sem.input_count);
}

static LLVMTypeRef element_type(const char *name) {
    const unsigned type = name_index(type_names, WL_TYPE_COUNT, name, strlen(name));

    switch (type) {
    case WL_F16:
        return LLVMHalfTypeInContext(context);
    case WL_F32:
        return LLVMFloatTypeInContext(context);
    case WL_F64:
        return LLVMDoubleTypeInContext(context);
    case WL_U16:
    case WL_I16:
    case WL_BF16:
        return LLVMInt16TypeInContext(context);
    case WL_U64:
    case WL_I64:
    case WL_PKF32:
        return LLVMInt64TypeInContext(context);
    case WL_U96:
        return LLVMIntTypeInContext(context, 96);
    case WL_U128:
        return LLVMIntTypeInContext(context, 128);
    default:
        return LLVMInt32TypeInContext(context);
    }
}

static LLVMTypeRef slot_type(const struct row *row, struct wl_slot slot) {
    const LLVMTypeRef element = element_type(type_names[slot.type]);

    return row->sem.scalar ? element : LLVMVectorType(element, WL_LANES);
}

static LLVMAttributeRef attribute(const char *name) {
    return LLVMCreateEnumAttribute(context, LLVMGetEnumAttributeKindForName(name, strlen(name)), 0);
}

/* Compiler flags that name the build machine's CPU or its conventions have no place in a function that is inlined elsewhere. */
static void strip_attributes(LLVMValueRef function) {
    static const char *const texts[] = {
        "target-cpu",       "target-features", "tune-cpu",   "min-legal-vector-width", "stack-protector-buffer-size",
        "no-trapping-math", "frame-pointer",   "no-builtins"};
    static const char *const enums[] = {"noinline", "optnone", "uwtable", "mustprogress", "sspstrong"};

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
        LLVMRemoveStringAttributeAtIndex(function, LLVMAttributeFunctionIndex, texts[i], (unsigned)strlen(texts[i]));
    for (size_t i = 0; i < sizeof(enums) / sizeof(enums[0]); i++)
        LLVMRemoveEnumAttributeAtIndex(function, LLVMAttributeFunctionIndex, LLVMGetEnumAttributeKindForName(enums[i], strlen(enums[i])));
}

static void make_inline(LLVMValueRef function) {
    LLVMSetLinkage(function, LLVMInternalLinkage);
    LLVMSetVisibility(function, LLVMDefaultVisibility);
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex, attribute("alwaysinline"));
}

/* A strip as operations see it: pairs of f32 are floats. */
static LLVMTypeRef operation_type(const char *name) {
    if (strcmp(name, "pkf32") == 0)
        return LLVMVectorType(LLVMFloatTypeInContext(context), 2 * WL_LANES);
    return LLVMVectorType(element_type(name), WL_LANES);
}

/* The body of llvm_OPERATION_RESULT_ARGUMENT: the intrinsic of that name. */
static void define_llvm_function(LLVMModuleRef module, LLVMValueRef function) {
    static const struct {
        const char *operation, *name;
    } dotted[] = {{"fptosisat", "fptosi.sat"}, {"fptouisat", "fptoui.sat"}, {"fence", "arithmetic.fence"}};
    char name[64], operation[40], result_name[16], argument_name[16], intrinsic[80];
    LLVMTypeRef overloads[2];
    LLVMValueRef arguments[2], callee, value;
    unsigned id, count = 1, overload_count = 1;
    bool changes_type;

    snprintf(name, sizeof(name), "%s", LLVMGetValueName(function));
    for (char *c = name; *c; c++)
        if (*c == '_')
            *c = ' ';
    if (sscanf(name, "llvm %39s %15s %15s", operation, result_name, argument_name) != 3)
        die("%s is no LLVM operation", LLVMGetValueName(function));
    for (size_t i = 0; i < sizeof(dotted) / sizeof(dotted[0]); i++)
        if (strcmp(operation, dotted[i].operation) == 0)
            snprintf(operation, sizeof(operation), "%s", dotted[i].name);
    changes_type = strcmp(result_name, argument_name) != 0;
    snprintf(intrinsic, sizeof(intrinsic), "llvm.%s", operation);
    id = LLVMLookupIntrinsicID(intrinsic, strlen(intrinsic));
    if (!id)
        die("LLVM has no %s", intrinsic);
    overloads[0] = operation_type(result_name);
    overloads[1] = operation_type(argument_name);
    if (changes_type)
        overload_count = 2;
    callee = LLVMGetIntrinsicDeclaration(module, id, overloads, overload_count);
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
    arguments[0] = LLVMBuildLoad2(builder, overloads[1], LLVMGetParam(function, 1), "");
    if (WL_LANES == 1 && strcmp(operation, "arithmetic.fence") == 0) { /* needed for vectors alone, and NVPTX has none */
        LLVMBuildStore(builder, arguments[0], LLVMGetParam(function, 0));
        LLVMBuildRetVoid(builder);
        make_inline(function);
        return;
    }
    if (strcmp(operation, "ctlz") == 0 || strcmp(operation, "cttz") == 0)
        arguments[count++] = LLVMConstInt(LLVMInt1TypeInContext(context), 0, 0); /* defined for 0 */
    value = LLVMBuildCall2(builder, LLVMGlobalGetValueType(callee), callee, arguments, count, "");
    LLVMBuildStore(builder, value, LLVMGetParam(function, 0));
    LLVMBuildRetVoid(builder);
    make_inline(function);
}

/* packed.SYMBOL: values in, values out, around the C function. */
static LLVMValueRef define_packed(LLVMModuleRef module, struct row *row) {
    const LLVMValueRef function = LLVMGetNamedFunction(module, row->symbol);
    LLVMTypeRef results[WL_SEM_SLOTS], inputs[WL_SEM_SLOTS], result;
    LLVMValueRef arguments[2 * WL_SEM_SLOTS], packed, value;
    const unsigned result_count = row->sem.result_count, input_count = row->sem.input_count;
    char name[80];

    if (!function || LLVMCountParams(function) != result_count + input_count)
        die("signature of %s does not fit its function", row->symbol);
    for (unsigned i = 0; i < result_count; i++)
        results[i] = slot_type(row, row->sem.results[i]);
    for (unsigned i = 0; i < input_count; i++)
        inputs[i] = slot_type(row, row->sem.inputs[i]);
    result = result_count == 1 ? results[0] : LLVMStructTypeInContext(context, results, result_count, 0);
    snprintf(name, sizeof(name), PACKED_PREFIX "%s", row->symbol);
    packed = LLVMAddFunction(module, name, LLVMFunctionType(result, inputs, input_count, 0));
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, packed, ""));
    for (unsigned i = 0; i < result_count; i++)
        arguments[i] = LLVMBuildAlloca(builder, results[i], "");
    for (unsigned i = 0; i < input_count; i++) {
        arguments[result_count + i] = LLVMBuildAlloca(builder, inputs[i], "");
        LLVMBuildStore(builder, LLVMGetParam(packed, i), arguments[result_count + i]);
    }
    LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, arguments, result_count + input_count, "");
    value = result_count == 1 ? NULL : LLVMGetPoison(result);
    for (unsigned i = 0; i < result_count; i++) {
        const LLVMValueRef loaded = LLVMBuildLoad2(builder, results[i], arguments[i], "");

        value = result_count == 1 ? loaded : LLVMBuildInsertValue(builder, value, loaded, i, "");
    }
    LLVMBuildRet(builder, value);
    LLVMAddAttributeAtIndex(packed, LLVMAttributeFunctionIndex, attribute("nounwind"));
    make_inline(function);
    return packed;
}

static void run_passes(LLVMModuleRef module, const char *passes) {
    const LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
    const LLVMErrorRef error = LLVMRunPasses(module, passes, NULL, options);

    if (error)
        die("%s", LLVMGetErrorMessage(error));
    LLVMDisposePassBuilderOptions(options);
}

/* The file's text without the lines that say for what it was compiled. The C API can take the flags away in no other way. */
static LLVMMemoryBufferRef read_text(const char *path) {
    LLVMMemoryBufferRef buffer, result;
    const char *text;
    char *message, *kept;
    size_t size = 0;

    if (LLVMCreateMemoryBufferWithContentsOfFile(path, &buffer, &message))
        die("%s: %s", path, message);
    text = LLVMGetBufferStart(buffer);
    kept = malloc(LLVMGetBufferSize(buffer) + 1);
    if (!kept)
        die("out of memory");
    while (*text) {
        const size_t line = strcspn(text, "\n") + 1;

        if (strncmp(text, "!llvm.module.flags", 18) != 0 && strncmp(text, "target triple", 13) != 0 &&
            strncmp(text, "source_filename", 15) != 0) {
            memcpy(kept + size, text, line);
            size += line;
        }
        text += line;
    }
    result = LLVMCreateMemoryBufferWithMemoryRangeCopy(kept, size, path);
    free(kept);
    LLVMDisposeMemoryBuffer(buffer);
    return result;
}

static LLVMModuleRef load(const char *path) {
    LLVMModuleRef module;
    char *message;

    if (LLVMParseIRInContext(context, read_text(path), &module, &message))
        die("%s: %s", path, message);
    return module;
}

/* Adds the rows of one input file, and leaves the module with nothing but packed functions. */
static void pack_module(LLVMModuleRef module) {
    const size_t first = row_count, prefix = strlen(SIGNATURE_PREFIX);

    for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
        strip_attributes(f);
        if (strncmp(LLVMGetValueName(f), "llvm_", 5) == 0)
            define_llvm_function(module, f);
    }
    for (LLVMValueRef global = LLVMGetFirstGlobal(module), next; global; global = next) {
        const char *name = LLVMGetValueName(global);
        const char *tag;
        struct row *row = &rows[row_count];
        size_t size;

        next = LLVMGetNextGlobal(global);
        if (strncmp(name, SIGNATURE_PREFIX, prefix) != 0)
            die("%s: semantics may not have static data", name);
        if (++row_count == sizeof(rows) / sizeof(rows[0]))
            die("too many rows");
        snprintf(row->symbol, sizeof(row->symbol), "%s", name + prefix);
        tag = strstr(name + prefix, "__");
        size = tag ? (size_t)(tag - name) - prefix : strlen(name + prefix);
        snprintf(row->name, sizeof(row->name), "%.*s", (int)size, name + prefix);
        parse_signature(row, LLVMGetAsString(LLVMGetInitializer(global), &size));
        row->packed = define_packed(module, row);
        LLVMDeleteGlobal(global);
    }
    run_passes(module, "always-inline,globaldce,function(sroa,early-cse,loop-simplify,loop(loop-rotate),loop-unroll-full,sroa,"
                       "instcombine<no-verify-fixpoint>,early-cse,simplifycfg,aggressive-instcombine,"
                       "instcombine<no-verify-fixpoint>,early-cse),cgscc(function-attrs)");
    for (size_t i = first; i < row_count; i++)
        LLVMAddAttributeAtIndex(rows[i].packed, LLVMAttributeFunctionIndex, attribute("alwaysinline"));
}

/* A module of one packed function alone, under its mnemonic. */
static void write_module(LLVMModuleRef module, struct row *row, FILE *file, size_t *position) {
    const LLVMModuleRef copy = LLVMCloneModule(module);
    LLVMMemoryBufferRef buffer;
    char name[80];

    snprintf(name, sizeof(name), PACKED_PREFIX "%s", row->symbol);
    for (LLVMValueRef f = LLVMGetFirstFunction(copy), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMCountBasicBlocks(f) > 0 && strcmp(LLVMGetValueName(f), name) != 0)
            LLVMDeleteFunction(f);
    }
    for (LLVMValueRef f = LLVMGetFirstFunction(copy), next; f; f = next) {
        next = LLVMGetNextFunction(f);
        if (LLVMCountBasicBlocks(f) == 0 && !LLVMGetFirstUse(f))
            LLVMDeleteFunction(f);
        else if (LLVMCountBasicBlocks(f) == 0 && strncmp(LLVMGetValueName(f), "llvm.", 5) != 0)
            die("%s calls %s", row->symbol, LLVMGetValueName(f));
    }
    LLVMSetValueName2(LLVMGetNamedFunction(copy, name), row->name, strlen(row->name));
    LLVMSetModuleIdentifier(copy, "", 0);
    LLVMSetSourceFileName(copy, "", 0); /* else the name of a file of the build is in each module */
    LLVMSetDataLayout(copy, "");        /* the user's module has its own */
    buffer = LLVMWriteBitcodeToMemoryBuffer(copy);
    row->offset = *position;
    row->size = LLVMGetBufferSize(buffer);
    if (fwrite(LLVMGetBufferStart(buffer), 1, row->size, file) != row->size)
        die("cannot write");
    *position += row->size;
    for (; *position % 4; ++*position)
        fputc(0, file);
    LLVMDisposeMemoryBuffer(buffer);
    LLVMDisposeModule(copy);
}

/* Lets code generation use the features "avx512f,avx512dq". */
static void set_features(LLVMValueRef function, const char *features) {
    char text[128] = "+f16c,+fma,+bmi2,+evex512";

    for (const char *f = features; *f; f += *f == ',') {
        const size_t size = strcspn(f, ","), used = strlen(text);

        snprintf(text + used, sizeof(text) - used, ",+%.*s", (int)size, f);
        f += size;
    }
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, "target-features", 15, text, (unsigned)strlen(text)));
    LLVMAddAttributeAtIndex(function, LLVMAttributeFunctionIndex,
                            LLVMCreateStringAttribute(context, "min-legal-vector-width", 22, "512", 3));
}

/* wl_native_SYMBOL(results..., inputs...): pointers again. */
static void define_native(LLVMModuleRef module, const struct row *row) {
    const LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
    LLVMTypeRef parameters[2 * WL_SEM_SLOTS];
    LLVMValueRef arguments[WL_SEM_SLOTS], function, value;
    const unsigned result_count = row->sem.result_count, input_count = row->sem.input_count;
    char name[96];

    for (unsigned i = 0; i < result_count + input_count; i++)
        parameters[i] = pointer;
    snprintf(name, sizeof(name), NATIVE_PREFIX "%s", row->symbol);
    function = LLVMAddFunction(module, name, LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, result_count + input_count, 0));
    if (row->features[0]) {
        set_features(function, row->features);
        set_features(row->packed, row->features);
    }
    LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, ""));
    for (unsigned i = 0; i < input_count; i++)
        arguments[i] = LLVMBuildLoad2(builder, slot_type(row, row->sem.inputs[i]), LLVMGetParam(function, result_count + i), "");
    value = LLVMBuildCall2(builder, LLVMGlobalGetValueType(row->packed), row->packed, arguments, input_count, "");
    for (unsigned i = 0; i < result_count; i++)
        LLVMBuildStore(builder, result_count == 1 ? value : LLVMBuildExtractValue(builder, value, i, ""), LLVMGetParam(function, i));
    LLVMBuildRetVoid(builder);
    LLVMSetLinkage(row->packed, LLVMInternalLinkage);
}

static bool is_word(struct wl_slot slot) {
    return LLVMGetTypeKind(element_type(type_names[slot.type])) == LLVMFloatTypeKind ||
           element_type(type_names[slot.type]) == LLVMInt32TypeInContext(context);
}

/* Functions of up to three dwords a lane that give one. */
static bool has_wave_form(const struct row *row) {
    bool fits = WL_LANES == 16 && !row->sem.scalar && row->sem.result_count == 1 && row->sem.input_count >= 1 &&
                row->sem.input_count <= 3 && is_word(row->sem.results[0]);
    for (unsigned i = 0; fits && i < row->sem.input_count; i++)
        fits = is_word(row->sem.inputs[i]);
    return fits;
}

static LLVMValueRef offset_pointer(LLVMValueRef pointer, LLVMValueRef bytes) {
    return LLVMBuildGEP2(builder, LLVMInt8TypeInContext(context), pointer, &bytes, 1, "");
}

/* wl_wave_SYMBOL(result, inputs[], advances[], strips): the strips of a wave, one after the other; input i of the next strip is
 * advances[i] bytes further. For threaded code (steps/valu.c). */
static void define_wave(LLVMModuleRef module, const struct row *row) {
    const LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0), word = LLVMInt64TypeInContext(context);
    const LLVMTypeRef type = slot_type(row, row->sem.results[0]);
    LLVMTypeRef parameters[] = {pointer, pointer, pointer, word};
    LLVMValueRef function, at[WL_SEM_SLOTS], advance[WL_SEM_SLOTS], values[WL_SEM_SLOTS], to, left, next;
    LLVMBasicBlockRef entry, loop, done;
    char name[96];

    snprintf(name, sizeof(name), WAVE_PREFIX "%s", row->symbol);
    function = LLVMAddFunction(module, name, LLVMFunctionType(LLVMVoidTypeInContext(context), parameters, 4, 0));
    if (row->features[0])
        set_features(function, row->features);
    entry = LLVMAppendBasicBlockInContext(context, function, "");
    loop = LLVMAppendBasicBlockInContext(context, function, "");
    done = LLVMAppendBasicBlockInContext(context, function, "");
    LLVMPositionBuilderAtEnd(builder, entry);
    for (unsigned i = 0; i < row->sem.input_count; i++) {
        const LLVMValueRef skip = LLVMConstInt(word, 8 * (uint64_t)i, 0);

        values[i] = LLVMBuildLoad2(builder, pointer, offset_pointer(LLVMGetParam(function, 1), skip), "");
        advance[i] = LLVMBuildLoad2(builder, word, offset_pointer(LLVMGetParam(function, 2), skip), "");
    }
    LLVMBuildBr(builder, loop);
    LLVMPositionBuilderAtEnd(builder, loop);
    to = LLVMBuildPhi(builder, pointer, "");
    left = LLVMBuildPhi(builder, word, "");
    for (unsigned i = 0; i < row->sem.input_count; i++) {
        at[i] = LLVMBuildPhi(builder, pointer, "");
        LLVMAddIncoming(at[i], &values[i], &entry, 1);
    }
    for (unsigned i = 0; i < row->sem.input_count; i++)
        values[i] = LLVMBuildLoad2(builder, slot_type(row, row->sem.inputs[i]), at[i], "");
    next = LLVMBuildCall2(builder, LLVMGlobalGetValueType(row->packed), row->packed, values, row->sem.input_count, "");
    LLVMBuildStore(builder, next, to);
    for (unsigned i = 0; i < row->sem.input_count; i++) {
        next = offset_pointer(at[i], advance[i]);
        LLVMAddIncoming(at[i], &next, &loop, 1);
    }
    values[0] = LLVMGetParam(function, 0);
    LLVMAddIncoming(to, values, &entry, 1);
    next = offset_pointer(to, LLVMSizeOf(type));
    LLVMAddIncoming(to, &next, &loop, 1);
    values[0] = LLVMGetParam(function, 3);
    LLVMAddIncoming(left, values, &entry, 1);
    next = LLVMBuildSub(builder, left, LLVMConstInt(word, 1, 0), "");
    LLVMAddIncoming(left, &next, &loop, 1);
    LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntNE, next, LLVMConstNull(word), ""), loop, done);
    LLVMPositionBuilderAtEnd(builder, done);
    LLVMBuildRetVoid(builder);
}

static int compare_rows(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    const int order = strcmp(x->name, y->name);

    return order ? order : strcmp(y->features, x->features); /* AVX-512 before AVX2 before what any host runs */
}

static void write_slots(FILE *file, const struct wl_slot *slots, unsigned count) {
    fputc('{', file);
    for (unsigned i = 0; i < count; i++)
        fprintf(file, "{%u, %u}, ", slots[i].type, slots[i].role);
    fputs("{0, 0}}", file);
}

static FILE *create(const char *prefix, const char *suffix) {
    char path[4096];
    FILE *file;

    snprintf(path, sizeof(path), "%s%s", prefix, suffix);
    file = fopen(path, "wb");
    if (!file)
        die("cannot create %s", path);
    return file;
}

static void finish(FILE *file) {
    if (fclose(file))
        die("cannot write");
}

static void write_table(const char *prefix) {
    FILE *file = create(prefix, ".c");

    fprintf(file,
            "/* Generated by pack.c. */\n#include \"translate/isa/sem.h\"\n"
            "#ifdef WL_NAMES_ALONE /* for code that never inlines them */\n#define BITCODE(at) NULL\n#else\n#define BITCODE(at) " TABLE
            "_blob + (at)\n"
            "__asm__(\".pushsection .rodata\\n.balign 16\\n" TABLE "_blob:\\n.incbin \\\"%s.bin\\\"\\n.popsection\\n\");\n"
            "extern const char " TABLE "_blob[];\n#endif\n"
            "extern const struct wl_sem " TABLE "_rows[];\nextern const size_t " TABLE "_row_count;\nconst struct wl_sem " TABLE
            "_rows[] = {\n",
            prefix);
    for (size_t i = 0; i < row_count; i++) {
        const struct row *row = &rows[i];

        fprintf(file, "    {\"%s\", ", row->name);
        fprintf(file, row->features[0] ? "\"%s\"" : "%sNULL", row->features);
        fprintf(file, ", BITCODE(%zu), %zu, %s, %u, %u, ", row->offset, row->size, row->sem.scalar ? "true" : "false",
                row->sem.result_count, row->sem.input_count);
        write_slots(file, row->sem.results, row->sem.result_count);
        fputs(", ", file);
        write_slots(file, row->sem.inputs, row->sem.input_count);
        fputs("},\n", file);
    }
    fprintf(file, "};\nconst size_t " TABLE "_row_count = %zu;\n", row_count);
    finish(file);
    file = create(prefix, "-native.c");
    fprintf(file, "/* Generated by pack.c: the packed functions behind pointers, in the order of wl_sem_rows. */\n"
                  "#include <stddef.h>\ntypedef void native(void);\n");
    for (size_t i = 0; i < row_count; i++)
        fprintf(file, "extern native " NATIVE_PREFIX "%s;\n", rows[i].symbol);
    fprintf(file, "extern native *const wl_sem_native[];\nnative *const wl_sem_native[] = {\n");
    for (size_t i = 0; i < row_count; i++)
        fprintf(file, "    " NATIVE_PREFIX "%s,\n", rows[i].symbol);
    fprintf(file, "};\n");
    for (size_t i = 0; i < row_count; i++)
        if (has_wave_form(&rows[i]))
            fprintf(file, "extern native " WAVE_PREFIX "%s;\n", rows[i].symbol);
    fprintf(file, "extern native *const wl_sem_wave[];\nnative *const wl_sem_wave[] = {\n"); /* NULL: there is none */
    for (size_t i = 0; i < row_count; i++)
        fprintf(file, has_wave_form(&rows[i]) ? "    " WAVE_PREFIX "%s,\n" : "    NULL, /* %s */\n", rows[i].symbol);
    fprintf(file, "};\n");
    finish(file);
}

int main(int argc, char **argv) {
    LLVMModuleRef native;
    FILE *blob;
    size_t position = 0;
    char path[4096];

    if (argc < 3)
        die("usage: pack OUTPUT-PREFIX FILE.ll...");
    context = LLVMContextCreate();
    builder = LLVMCreateBuilderInContext(context);
    native = LLVMModuleCreateWithNameInContext("native", context);
    blob = create(argv[1], ".bin");
    for (int i = 2; i < argc; i++) {
        const LLVMModuleRef module = load(argv[i]);
        const size_t first = row_count;

        pack_module(module);
        for (size_t r = first; r < row_count; r++)
            write_module(module, &rows[r], blob, &position);
        for (size_t r = first; r < row_count; r++)
            define_native(module, &rows[r]);
        for (size_t r = first; r < row_count; r++)
            if (has_wave_form(&rows[r]))
                define_wave(module, &rows[r]);
        if (LLVMLinkModules2(native, module))
            die("cannot link %s", argv[i]);
    }
    finish(blob);
    snprintf(path, sizeof(path), "%s-native.bc", argv[1]);
    if (LLVMWriteBitcodeToFile(native, path))
        die("cannot write %s", path);
    qsort(rows, row_count, sizeof(rows[0]), compare_rows);
    for (size_t i = 1; i < row_count; i++)
        if (strcmp(rows[i].symbol, rows[i - 1].symbol) == 0)
            die("%s is defined twice", rows[i].symbol);
    write_table(argv[1]);
    LLVMDisposeModule(native);
    LLVMDisposeBuilder(builder);
    LLVMContextDispose(context);
    return 0;
}
