/* HIP documentation: HIP RTC, programs. */
#include "base/array.h"
#include "hiprtc/rtc.h"

#include "base/options.h"

#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

struct header {
    char *name, *text;
};

struct _hiprtcProgram {
    struct wl_rtc_live live; /* first */
    char *name, *source;
    struct header *headers;
    int header_count;
    struct wl_rtc_name *names;
    size_t name_count, name_capacity;
    bool compiled; /* whether it succeeded or not */
    struct wl_rtc_bytes log, code, bitcode;
};

static struct wl_rtc_live_list programs = WL_RTC_LIVE_LIST;

static void program_free(struct _hiprtcProgram *program) {
    for (int i = 0; i < program->header_count; i++) {
        free(program->headers[i].name);
        free(program->headers[i].text);
    }
    for (size_t i = 0; i < program->name_count; i++) {
        free(program->names[i].expression);
        free(program->names[i].symbol);
    }
    free(program->headers);
    free(program->names);
    free(program->name);
    free(program->source);
    free(program->log.data);
    free(program->code.data);
    free(program->bitcode.data);
    free(program);
}

/* ---- errors and versions ----------------------------------------------------------------------- */

static const struct {
    hiprtcResult result;
    const char *name;
} result_names[] = {
#define NAME(result) {result, #result}
    NAME(HIPRTC_SUCCESS),
    NAME(HIPRTC_ERROR_OUT_OF_MEMORY),
    NAME(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE),
    NAME(HIPRTC_ERROR_INVALID_INPUT),
    NAME(HIPRTC_ERROR_INVALID_PROGRAM),
    NAME(HIPRTC_ERROR_INVALID_OPTION),
    NAME(HIPRTC_ERROR_COMPILATION),
    NAME(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE),
    NAME(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION),
    NAME(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION),
    NAME(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID),
    NAME(HIPRTC_ERROR_INTERNAL_ERROR),
    NAME(HIPRTC_ERROR_LINKING),
#undef NAME
};

PUBLIC const char *hiprtcGetErrorString(hiprtcResult result) {
    for (size_t i = 0; i < sizeof result_names / sizeof *result_names; i++)
        if (result_names[i].result == result)
            return result_names[i].name;
    return "Invalid HIPRTC error code";
}

PUBLIC hiprtcResult hiprtcVersion(int *major, int *minor) {
    if (!major || !minor)
        return HIPRTC_ERROR_INVALID_INPUT;
    *major = HIP_VERSION_MAJOR;
    *minor = HIP_VERSION_MINOR;
    return HIPRTC_SUCCESS;
}

/* ---- life -------------------------------------------------------------------------------------- */

static bool copy_headers(struct _hiprtcProgram *program, int count, const char **texts, const char **names) {
    program->headers = calloc((size_t)count + 1, sizeof *program->headers);
    for (int i = 0; program->headers && i < count; i++) {
        program->headers[i] = (struct header){strdup(names[i]), strdup(texts[i])};
        program->header_count = i + 1;
        if (!program->headers[i].name || !program->headers[i].text)
            return false;
    }
    return program->headers != NULL;
}

PUBLIC hiprtcResult hiprtcCreateProgram(hiprtcProgram *program, const char *source, const char *name, int numHeaders, const char **headers,
                                        const char **includeNames) {
    if (!program || !source || numHeaders < 0 || (numHeaders > 0 && (!headers || !includeNames)))
        return HIPRTC_ERROR_INVALID_INPUT;
    for (int i = 0; i < numHeaders; i++)
        if (!headers[i] || !includeNames[i] || !*includeNames[i])
            return HIPRTC_ERROR_INVALID_INPUT;
    struct _hiprtcProgram *made = calloc(1, sizeof *made);
    const char *base = name ? strrchr(name, '/') : NULL;
    base = base ? base + 1 : name;
    if (made) {
        made->name = strdup(base && *base ? base : "program.hip");
        made->source = strdup(source);
    }
    if (!made || !made->name || !made->source || !copy_headers(made, numHeaders, headers, includeNames)) {
        if (made)
            program_free(made);
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    }
    wl_rtc_live_add(&programs, &made->live);
    *program = made;
    return HIPRTC_SUCCESS;
}

PUBLIC hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program) {
    if (!program)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!wl_rtc_live_remove(&programs, *program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    program_free(*program);
    *program = NULL;
    return HIPRTC_SUCCESS;
}

/* ---- names ------------------------------------------------------------------------------------- */

PUBLIC hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char *nameExpression) {
    if (!nameExpression || !*nameExpression)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!wl_rtc_live_has(&programs, program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    if (program->compiled)
        return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    char *expression = strdup(nameExpression);
    if (!expression || !WL_ARRAY_RESERVE(program->names, program->name_count, program->name_capacity, 4)) {
        free(expression);
        return HIPRTC_ERROR_OUT_OF_MEMORY;
    }
    program->names[program->name_count++] = (struct wl_rtc_name){expression, NULL};
    return HIPRTC_SUCCESS;
}

PUBLIC hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char *nameExpression, const char **loweredName) {
    if (!nameExpression || !loweredName)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!wl_rtc_live_has(&programs, program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    if (!program->compiled)
        return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    for (size_t i = 0; i < program->name_count; i++)
        if (strcmp(program->names[i].expression, nameExpression) == 0 && program->names[i].symbol) {
            *loweredName = program->names[i].symbol;
            return HIPRTC_SUCCESS;
        }
    return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

/* ---- compiling --------------------------------------------------------------------------------- */

/* Constants are declared to every program, as AMD's hiprtc does, and complex numbers. */
static const char constants[] = "#if __has_include(<hip/hip_math_constants.h>)\n"
                                "#include <hip/hip_math_constants.h>\n"
                                "#else\n"
#define CONSTANT(name, value) "#define " #name " " value "\n"
#include "hiprtc/constants.inc"
#undef CONSTANT
                                "#endif\n";

/* What HIP 5's headers take from the compiler and clang has no longer since version 22. */
static const char former[] =
    "#if __has_include(<hip/hip_version.h>)\n"
    "#include <hip/hip_version.h>\n"
    "#endif\n"
    "#if __clang_major__ >= 22 && HIP_VERSION_MAJOR == 5\n"
    "#ifndef __AMDGCN_WAVEFRONT_SIZE\n"
    "#if defined(__GFX10__) || defined(__GFX11__) || defined(__GFX12__)\n"
    "#define __AMDGCN_WAVEFRONT_SIZE 32\n"
    "#else\n"
    "#define __AMDGCN_WAVEFRONT_SIZE 64\n"
    "#endif\n"
    "#endif\n"
    "extern \"C\" {\n"
    "typedef _Float16 __wl_half2 __attribute__((ext_vector_type(2)));\n"
    "__attribute__((device)) inline _Float16 __llvm_amdgcn_rcp_f16(_Float16 x) { return __builtin_amdgcn_rcph(x); }\n"
    "__attribute__((device)) inline __wl_half2 __llvm_amdgcn_rcp_2f16(__wl_half2 x) {\n"
    "    return __wl_half2{__llvm_amdgcn_rcp_f16(x.x), __llvm_amdgcn_rcp_f16(x.y)};\n"
    "}\n"
    "}\n"
    "#endif\n";

/* Device declarations come first, those of 16-bit numbers too: programs (CuPy's) include these headers only where there is no hiprtc. Then
 * the source may ask what it is compiled by. The host's headers are there: many programs name what those declare, or include some. */
static const char hosted[] = "#include <hip/hip_runtime.h>\n"
                             "#include <hip/hip_fp16.h>\n"
                             "#if __has_include(<hip/hip_bfloat16.h>)\n"
                             "#include <hip/hip_bfloat16.h>\n"
                             "#endif\n"
                             "#include <hip/hip_complex.h>\n"
                             "#define __HIPCC_RTC__ 1\n";

/* The device's declarations alone, as AMD's hiprtc has them built in: programs (MIOpen's) define themselves what they miss of the host's
 * headers, std::integral_constant for instance, and do not compile behind those. HIP's headers leave the host's out where __HIPCC_RTC__
 * is defined before them, and hip_runtime.h then leaves out some of HIP's, which depends on the version. */
#define IF_THERE(header) "#if __has_include(<hip/" header ">)\n#include <hip/" header ">\n#endif\n"
/* clang-format off */
static const char bare[] =
    "#pragma push_macro(\"CHAR_BIT\")\n"
    "#pragma push_macro(\"INT_MAX\")\n"
    "#define CHAR_BIT __CHAR_BIT__\n"
    "#define INT_MAX __INT_MAX__\n"
    "#include <hip/hip_runtime.h>\n"
    IF_THERE("amd_detail/device_library_decls.h")
    IF_THERE("amd_detail/math_fwd.h")
    IF_THERE("amd_detail/amd_warp_functions.h")
    IF_THERE("amd_detail/amd_device_functions.h")
    IF_THERE("amd_detail/amd_hip_unsafe_atomics.h")
    IF_THERE("amd_detail/amd_hip_atomic.h")
    IF_THERE("amd_detail/amd_math_functions.h")
    "#include <hip/hip_fp16.h>\n"
    "#if HIP_VERSION_MAJOR >= 6\n" /* before, it included the host's */
    "#include <hip/hip_bfloat16.h>\n"
    "#endif\n"
    IF_THERE("hip_complex.h")
    "#pragma pop_macro(\"INT_MAX\")\n"
    "#pragma pop_macro(\"CHAR_BIT\")\n"
    "#if !__HIP_NO_STD_DEFS__\n" /* AMD's names for what a program wants of the host's headers */
    "#if defined(__HIPRTC_PTRDIFF_T_IS_LONG_LONG__) && __HIPRTC_PTRDIFF_T_IS_LONG_LONG__ == 1\n"
    "typedef long long ptrdiff_t;\n"
    "#else\n"
    "typedef __PTRDIFF_TYPE__ ptrdiff_t;\n"
    "#endif\n"
    "typedef long clock_t;\n"
    "namespace std { using ::ptrdiff_t; using ::clock_t; }\n"
    "#endif\n"
    "#if HIP_VERSION_MAJOR < 5 || (HIP_VERSION_MAJOR == 5 && HIP_VERSION_MINOR < 7)\n" /* later headers have it here */
    "namespace __hip_internal {\n"
    "template <typename A, typename B> struct is_same { static constexpr bool value = false; };\n"
    "template <typename A> struct is_same<A, A> { static constexpr bool value = true; };\n"
    "}\n"
    "#endif\n";
/* clang-format on */
#undef IF_THERE

static bool write_files(const struct _hiprtcProgram *program, const char *folder) {
    char *names = wl_rtc_names_source(program->names, program->name_count), *text = NULL;
    int length = names ? asprintf(&text, "%s%s", program->source, program->name_count ? names : "") : -1;
    bool written = length >= 0 && wl_rtc_write(folder, program->name, text, (size_t)length);
    for (int i = 0; i < program->header_count && written; i++)
        written = wl_rtc_write(folder, program->headers[i].name, program->headers[i].text, strlen(program->headers[i].text));
    free(names);
    if (length >= 0)
        free(text);
    return written;
}

/* Behind the "=" of an option that names the target, or NULL. */
static const char *target_option(const char *option) {
    static const char *const names[] = {"--gpu-architecture=", "--offload-arch=", "-arch="};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(option, names[i], strlen(names[i])) == 0)
            return option + strlen(names[i]);
    return NULL;
}

struct job {
    const char *target, **options;
    int option_count;
    bool relocatable; /* -fgpu-rdc */
};

/* Options that programs give and that mean nothing here. Compilers with one pass manager refuse the choice between two, and the device's
 * declarations and libraries are part of every program, whatever the compiler adds by itself. */
static bool idle_option(const char *option) {
    static const char *const names[] = {"-flegacy-pass-manager",
                                        "-fno-legacy-pass-manager",
                                        "-fexperimental-new-pass-manager",
                                        "-fno-experimental-new-pass-manager",
                                        "-nocudainc",
                                        "-nogpuinc",
                                        "-nocudalib",
                                        "-nogpulib"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* The compiler, and what every program is compiled with. */
static hiprtcResult make_prefix(struct wl_rtc_command *prefix, const struct job *job, struct wl_rtc_bytes *log) {
    hiprtcResult result = wl_rtc_compiler(prefix, 0, log);
    if (result != HIPRTC_SUCCESS)
        return result;
    wl_rtc_argument(prefix, "-xhip");
    wl_rtc_argument(prefix, "--cuda-device-only");
    wl_rtc_argument(prefix, "--offload-arch=%s", job->target);
    wl_rtc_argument(prefix, "-O3");
    wl_rtc_argument(prefix, "-D__HIP_PLATFORM_AMD__");
    wl_rtc_device_libraries(prefix);
    wl_rtc_headers(prefix);
    return prefix->failed ? HIPRTC_ERROR_OUT_OF_MEMORY : HIPRTC_SUCCESS;
}

static void make_options(struct wl_rtc_command *options, const struct job *job, bool bitcode) {
    for (int i = 0; i < job->option_count; i++)
        if (*job->options[i] && !target_option(job->options[i]) && !idle_option(job->options[i]) &&
            (bitcode || strcmp(job->options[i], "-fgpu-rdc") != 0))
            wl_rtc_argument(options, "%s", job->options[i]);
}

static void add_all(struct wl_rtc_command *command, const struct wl_rtc_command *more) {
    for (size_t i = 0; i < more->count; i++)
        wl_rtc_argument(command, "%s", more->arguments[i]);
    command->failed |= more->failed;
}

static const char *header_name(const void *headers, int index) { return ((const struct header *)headers)[index].name; }

/* One compilation, with the prelude as a precompiled header or as text (NULL). */
static hiprtcResult compile_with(struct _hiprtcProgram *program, const struct wl_rtc_command *prefix, const struct wl_rtc_command *options,
                                 const char *folder, const char *precompiled, bool bitcode) {
    struct wl_rtc_command command = {0};
    add_all(&command, prefix);
    wl_rtc_argument(&command, "--no-gpu-bundle-output");
    if (precompiled) {
        wl_rtc_argument(&command, "-Xclang");
        wl_rtc_argument(&command, "-include-pch");
        wl_rtc_argument(&command, "-Xclang");
        wl_rtc_argument(&command, "%s", precompiled);
    } else {
        wl_rtc_argument(&command, "-include%s/prelude/wavelift.h", folder);
    }
    wl_rtc_argument(&command, "-I%s", folder);
    add_all(&command, options);
    if (bitcode)
        wl_rtc_argument(&command, "-emit-llvm");
    if (bitcode)
        wl_rtc_argument(&command, "-c");
    wl_rtc_argument(&command, "%s/%s", folder, program->name);
    wl_rtc_argument(&command, "-o%s/result", folder);
    hiprtcResult result = wl_rtc_run(&command, folder, NULL, &program->log);
    wl_rtc_command_free(&command);
    return result;
}

/* What does not compile with the precompiled header is compiled again without it: the messages are then those of the text, and a
 * header that was the reason is no reason to fail. */
static hiprtcResult compile_behind(struct _hiprtcProgram *program, const struct wl_rtc_command *prefix,
                                   const struct wl_rtc_command *options, const char *declarations, const char *folder, bool bitcode) {
    char prelude[sizeof former + sizeof constants + (sizeof hosted > sizeof bare ? sizeof hosted : sizeof bare)];
    snprintf(prelude, sizeof prelude, "%s%s%s", former, declarations, constants);
    if (!wl_rtc_write(folder, "prelude/wavelift.h", prelude, strlen(prelude)))
        return HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    char *precompiled =
        wl_rtc_precompiled(&(struct wl_rtc_parse){prefix, options, prelude, folder, program->headers, header_name, program->header_count});
    hiprtcResult result = compile_with(program, prefix, options, folder, precompiled, bitcode);
    if (result == HIPRTC_ERROR_COMPILATION && precompiled) {
        result = compile_with(program, prefix, options, folder, NULL, bitcode);
        if (result == HIPRTC_SUCCESS)
            wl_rtc_precompiled_drop(precompiled);
    }
    free(precompiled);
    return result;
}

/* Whether the program wants another type for ptrdiff_t than the host's headers give. */
static bool is_for_bare(const struct wl_rtc_command *options) {
    static const char wish[] = "__HIPRTC_PTRDIFF_T_IS_LONG_LONG__=1";
    for (size_t i = 0; i < options->count; i++) {
        const char *option = options->arguments[i];
        if (strcmp(option, wish) == 0 || (strncmp(option, "-D", 2) == 0 && strcmp(option + 2, wish) == 0))
            return true;
    }
    return false;
}

/* Options that make LLVM print what it does (-mllvm -print-after=...) are for whoever reads the program's standard error: AMD's compiler is
 * a part of the program and writes there. The log has it as well. */
static void show_prints(const struct wl_rtc_command *options, const struct wl_rtc_bytes *log) {
    for (size_t i = 0; i < options->count; i++) {
        const char *option = options->arguments[i];
        bool llvm = i > 0 && strcmp(options->arguments[i - 1], "-mllvm") == 0;
        option = strncmp(option, "-mllvm=", 7) == 0 ? option + 7 : llvm ? option : "";
        if (strncmp(option + strspn(option, "-"), "print-", 6) == 0 && log->data) {
            fwrite(log->data, 1, log->size, stderr);
            return;
        }
    }
}

/* With the host's headers, else without; if neither does, the messages are those of the first. */
static hiprtcResult compile(struct _hiprtcProgram *program, const struct job *job, const char *folder, bool bitcode,
                            struct wl_rtc_bytes *output) {
    struct wl_rtc_command prefix = {0}, options = {0};
    char *path = wl_rtc_path(folder, "result");
    hiprtcResult result = make_prefix(&prefix, job, &program->log);
    if (result == HIPRTC_SUCCESS) {
        make_options(&options, job, bitcode);
        result = is_for_bare(&options) ? HIPRTC_ERROR_COMPILATION : compile_behind(program, &prefix, &options, hosted, folder, bitcode);
    }
    if (result == HIPRTC_ERROR_COMPILATION) {
        struct wl_rtc_bytes log = program->log;
        program->log = (struct wl_rtc_bytes){0};
        wl_rtc_argument(&prefix, "-D__HIPCC_RTC__=1");
        result = compile_behind(program, &prefix, &options, bare, folder, bitcode);
        struct wl_rtc_bytes *idle = result == HIPRTC_SUCCESS || !log.data ? &log : &program->log;
        free(idle->data);
        if (result != HIPRTC_SUCCESS && log.data)
            program->log = log;
    }
    if (result == HIPRTC_SUCCESS && !(path && wl_rtc_read(path, output))) {
        result = HIPRTC_ERROR_COMPILATION;
        wl_rtc_say(&program->log, "hiprtc: %s wrote no code", prefix.arguments[0]);
    }
    show_prints(&options, &program->log);
    free(path);
    wl_rtc_command_free(&prefix);
    wl_rtc_command_free(&options);
    return result;
}

/* A program may be compiled again, with other options. */
static void forget_results(struct _hiprtcProgram *program) {
    struct wl_rtc_bytes *const results[] = {&program->log, &program->code, &program->bitcode};
    for (size_t i = 0; i < sizeof results / sizeof *results; i++) {
        free(results[i]->data);
        *results[i] = (struct wl_rtc_bytes){0};
    }
    for (size_t i = 0; i < program->name_count; i++) {
        free(program->names[i].symbol);
        program->names[i].symbol = NULL;
    }
}

/* A code object tells what the names became, so one is made for them even if only bitcode is asked for. */
static hiprtcResult compile_in(struct _hiprtcProgram *program, const struct job *job, const char *folder) {
    struct wl_rtc_bytes code = {0};
    hiprtcResult result = HIPRTC_SUCCESS;
    if (!write_files(program, folder)) {
        wl_rtc_say(&program->log, "hiprtc: the program's files cannot be written to %s; are all header names relative?", folder);
        return HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    }
    if (!job->relocatable || program->name_count)
        result = compile(program, job, folder, false, &code);
    if (result == HIPRTC_SUCCESS && program->name_count && !wl_rtc_names_find(program->names, program->name_count, &code)) {
        result = HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
        wl_rtc_say(&program->log, "hiprtc: a name expression is nothing that the code has: a kernel or a variable of the device");
    }
    if (result == HIPRTC_SUCCESS && job->relocatable)
        result = compile(program, job, folder, true, &program->bitcode);
    if (result == HIPRTC_SUCCESS && !job->relocatable)
        program->code = code;
    else
        free(code.data);
    return result;
}

PUBLIC hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int numOptions, const char **options) {
    char target[256];
    if (!wl_rtc_live_has(&programs, program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    if (numOptions < 0 || (numOptions > 0 && !options))
        return HIPRTC_ERROR_INVALID_INPUT;
    struct job job = {NULL, options, numOptions, false};
    for (int i = 0; i < numOptions; i++) {
        if (!options[i])
            return HIPRTC_ERROR_INVALID_OPTION;
        const char *named = target_option(options[i]);
        job.target = named ? named : job.target;
        job.relocatable |= strcmp(options[i], "-fgpu-rdc") == 0;
    }
    if (!job.target) {
        wl_rtc_default_target(target, sizeof target);
        job.target = target;
    }
    program->compiled = true;
    forget_results(program);
    char *folder = wl_rtc_folder_make();
    hiprtcResult result = HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    if (folder)
        result = compile_in(program, &job, folder);
    else
        wl_rtc_say(&program->log, "hiprtc: no folder for temporary files can be made: %m");
    wl_rtc_folder_remove(folder);
    if (result != HIPRTC_SUCCESS)
        wl_log(1, "hiprtcCompileProgram: %s for %s%s%s", hiprtcGetErrorString(result), job.target, program->log.size ? ": " : "",
               program->log.size ? program->log.data : "");
    return result;
}

/* ---- results ----------------------------------------------------------------------------------- */

/* The code or the bitcode; NULL: no program, or it has none. */
static const struct wl_rtc_bytes *part(hiprtcProgram program, bool bitcode) {
    if (!wl_rtc_live_has(&programs, program))
        return NULL;
    const struct wl_rtc_bytes *bytes = bitcode ? &program->bitcode : &program->code;
    return bytes->data ? bytes : NULL;
}

static hiprtcResult give_size(hiprtcProgram program, bool bitcode, size_t *size) {
    const struct wl_rtc_bytes *bytes = part(program, bitcode);
    if (!size || !bytes)
        return size ? HIPRTC_ERROR_INVALID_PROGRAM : HIPRTC_ERROR_INVALID_INPUT;
    *size = bytes->size;
    return HIPRTC_SUCCESS;
}

static hiprtcResult give(hiprtcProgram program, bool bitcode, char *target) {
    const struct wl_rtc_bytes *bytes = part(program, bitcode);
    if (!target || !bytes)
        return target ? HIPRTC_ERROR_INVALID_PROGRAM : HIPRTC_ERROR_INVALID_INPUT;
    memcpy(target, bytes->data, bytes->size);
    return HIPRTC_SUCCESS;
}

PUBLIC hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t *size) {
    if (!size)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!wl_rtc_live_has(&programs, program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    *size = program->log.size ? program->log.size + 1 : 0;
    return HIPRTC_SUCCESS;
}

PUBLIC hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char *log) {
    if (!log)
        return HIPRTC_ERROR_INVALID_INPUT;
    if (!wl_rtc_live_has(&programs, program))
        return HIPRTC_ERROR_INVALID_PROGRAM;
    if (program->log.size)
        memcpy(log, program->log.data, program->log.size + 1);
    return HIPRTC_SUCCESS;
}

PUBLIC hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t *size) { return give_size(program, false, size); }
PUBLIC hiprtcResult hiprtcGetCode(hiprtcProgram program, char *code) { return give(program, false, code); }
PUBLIC hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t *size) { return give_size(program, true, size); }
PUBLIC hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char *bitcode) { return give(program, true, bitcode); }
