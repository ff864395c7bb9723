/* Run-time compilation of HIP C++ (HIP documentation: "HIP RTC"). The functions are exported by libhiprtc.so and, as in HIP 5,
 * by libamdhip64.so too.
 *
 * A program is compiled by the clang that WAVELIFT_CLANG names, else by the first of clang++-19, clang++ and amdclang++ that is
 * found; it needs HIP's headers and AMD's device libraries, as any compilation of HIP code does. The source sees HIP's device
 * declarations without including anything.
 *
 * All functions may be called from any thread; calls for one program or one link state must not overlap. Strings and buffers
 * that a function returns belong to the program or link state and live until it is destroyed. */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count: its hip_runtime_api.h has other types of the linker before HIP 6.4. */
#include_next <hip/hiprtc.h>
#else
#ifndef HIP_INCLUDE_HIP_HIPRTC_H
#define HIP_INCLUDE_HIP_HIPRTC_H

#include <hip/linker_types.h>

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum hiprtcResult {
    HIPRTC_SUCCESS = 0,
    HIPRTC_ERROR_OUT_OF_MEMORY = 1,
    HIPRTC_ERROR_PROGRAM_CREATION_FAILURE = 2,
    HIPRTC_ERROR_INVALID_INPUT = 3,
    HIPRTC_ERROR_INVALID_PROGRAM = 4,
    HIPRTC_ERROR_INVALID_OPTION = 5,
    HIPRTC_ERROR_COMPILATION = 6,
    HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE = 7,
    HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION = 8,
    HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION = 9,
    HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID = 10,
    HIPRTC_ERROR_INTERNAL_ERROR = 11,
    HIPRTC_ERROR_LINKING = 100
} hiprtcResult;

typedef struct _hiprtcProgram *hiprtcProgram;
typedef struct ihiprtcLinkState *hiprtcLinkState;
typedef hipJitOption hiprtcJIT_option;
typedef hipJitInputType hiprtcJITInputType;

/* The name of a result ("HIPRTC_ERROR_COMPILATION"); never NULL. */
const char *hiprtcGetErrorString(hiprtcResult result);

/* The version of HIP that run-time compilation belongs to. HIPRTC_ERROR_INVALID_INPUT: a pointer is NULL. */
hiprtcResult hiprtcVersion(int *major, int *minor);

/* Makes a program from `source`, a C string, which is copied. `name` stands in diagnostics; NULL or "": a default name.
 * `headers` are `numHeaders` texts that the source may include under `includeNames` (relative paths without "..").
 * HIPRTC_ERROR_INVALID_INPUT: `program` or `source` is NULL, numHeaders is negative, or an array or a name is missing or bad. */
hiprtcResult hiprtcCreateProgram(hiprtcProgram *program, const char *source, const char *name, int numHeaders, const char **headers,
                                 const char **includeNames);

/* Frees the program and sets *program to NULL. HIPRTC_ERROR_INVALID_INPUT: NULL; HIPRTC_ERROR_INVALID_PROGRAM: no program. */
hiprtcResult hiprtcDestroyProgram(hiprtcProgram *program);

/* Asks for the symbol of a kernel, a __device__ or a __constant__ variable: "&axpy<float>", "space::table". Instantiates
 * templates. Before compilation only: HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION. */
hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char *nameExpression);

/* The symbol for a name expression, as hipModuleGetFunction and hipModuleGetGlobal want it.
 * HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION; HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID: it was never added. */
hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char *nameExpression, const char **loweredName);

/* Compiles, behind the declarations of HIP's headers, complex numbers and constants included. `options` are clang's; "--gpu-architecture=gfxNNN" or "--offload-arch=gfxNNN" names the target (default: what the
 * current device presents itself as); "-fgpu-rdc" makes bitcode for a linker instead of a code object.
 * HIPRTC_ERROR_COMPILATION: the program's log says why; HIPRTC_ERROR_INVALID_OPTION: an option is NULL;
 * HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE: there is no compiler, or no room for its files (the log says which). */
hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int numOptions, const char **options);

/* The compiler's messages as a C string; the size counts its end, and is 0 if there are none. `log` has to have that size. */
hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t *size);
hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char *log);

/* The code object, for hipModuleLoadData. HIPRTC_ERROR_INVALID_PROGRAM: there is none. */
hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t *size);
hiprtcResult hiprtcGetCode(hiprtcProgram program, char *code);

/* The LLVM bitcode of a program compiled with -fgpu-rdc. HIPRTC_ERROR_INVALID_PROGRAM: there is none. */
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t *size);
hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char *bitcode);

/* ---- linking: LLVM bitcode, plain or bundled, becomes one code object for the current device's architecture ---- */

/* Starts. Options are accepted; HIPRTC_JIT_IR_TO_ISA_OPT_EXT and its count are passed to the compiler. */
hiprtcResult hiprtcLinkCreate(unsigned int numOptions, hiprtcJIT_option *options, void **optionValues, hiprtcLinkState *state);

/* Adds a file, or data (copied; `name` is for messages). HIPRTC_ERROR_INVALID_INPUT: a type or content that is no bitcode;
 * HIPRTC_ERROR_PROGRAM_CREATION_FAILURE: the file cannot be read. */
hiprtcResult hiprtcLinkAddFile(hiprtcLinkState state, hiprtcJITInputType type, const char *path, unsigned int numOptions,
                               hiprtcJIT_option *options, void **optionValues);
hiprtcResult hiprtcLinkAddData(hiprtcLinkState state, hiprtcJITInputType type, void *image, size_t size, const char *name,
                               unsigned int numOptions, hiprtcJIT_option *options, void **optionValues);

/* Links. *binary belongs to the state. HIPRTC_ERROR_LINKING: the log of WAVELIFT_LOG=1 says why. */
hiprtcResult hiprtcLinkComplete(hiprtcLinkState state, void **binary, size_t *size);
hiprtcResult hiprtcLinkDestroy(hiprtcLinkState state);

#ifdef __cplusplus
}
#endif
#endif
#endif
