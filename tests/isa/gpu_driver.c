#include "gpu_driver.h"

#include "../translate/assembler.h"
#include "translate/interface/translate.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SKIPPED = 77 };

#define DRIVER(F)                                                                                                                          \
    F(cuInit, cuInit, (unsigned))                                                                                                          \
    F(cuDeviceGet, cuDeviceGet, (int *, int))                                                                                              \
    F(cuDeviceGetAttribute, cuDeviceGetAttribute, (int *, int, int))                                                                       \
    F(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (void **, int))                                                                  \
    F(cuCtxSetCurrent, cuCtxSetCurrent, (void *))                                                                                          \
    F(cuMemAlloc, cuMemAlloc_v2, (uint64_t *, size_t))                                                                                     \
    F(cuMemHostAlloc, cuMemHostAlloc, (void **, size_t, unsigned))                                                                         \
    F(cuMemcpyHtoD, cuMemcpyHtoD_v2, (uint64_t, const void *, size_t))                                                                     \
    F(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *, uint64_t, size_t))                                                                           \
    F(cuModuleLoadData, cuModuleLoadData, (void **, const void *))                                                                         \
    F(cuModuleGetFunction, cuModuleGetFunction, (void **, void *, const char *))                                                           \
    F(cuModuleUnload, cuModuleUnload, (void *))                                                                                            \
    F(cuCtxSynchronize, cuCtxSynchronize, (void))                                                                                          \
    F(cuFuncSetAttribute, cuFuncSetAttribute, (void *, int, int))                                                                          \
    F(cuMemAddressReserve, cuMemAddressReserve, (uint64_t *, size_t, size_t, uint64_t, unsigned long long))                                \
    F(cuMemCreate, cuMemCreate, (uint64_t *, size_t, const void *, unsigned long long))                                                    \
    F(cuMemMap, cuMemMap, (uint64_t, size_t, size_t, uint64_t, unsigned long long))                                                        \
    F(cuMemSetAccess, cuMemSetAccess, (uint64_t, size_t, const void *, size_t))                                                            \
    F(cuLaunchKernel, cuLaunchKernel,                                                                                                      \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))
#define FIELD(name, symbol, arguments) int(*name) arguments;
static struct {
    DRIVER(FIELD)
} cuda;

static unsigned sm;
static void *borders; /* the table of border colours, which has none */

__attribute__((format(printf, 1, 2))) static void die(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

static void must(int result, const char *what) {
    if (result)
        die("%s: CUDA error %d", what, result);
}
#define MUST(call) must(call, #call)

/* ---- without a GPU ---- */

static struct {
    bool chosen;
    unsigned made, refused;
    int output; /* the test's own */
} text_alone;

static void report_text(void) {
    dprintf(text_alone.output, "%u kernels became PTX, %u were refused\n", text_alone.made, text_alone.refused);
    _exit(text_alone.refused || !text_alone.made);
}

/* What the test says of results is thrown away: no kernel runs. */
static void start_text_alone(void) {
    enum { HOPPER = 90 };
    text_alone.chosen = true;
    sm = HOPPER;
    text_alone.output = dup(STDOUT_FILENO);
    if (text_alone.output < 0 || !freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr) || atexit(report_text))
        die("cannot begin");
}

/* ---- the driver ---- */

static bool open_driver(void) {
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (!library)
        return false;
#define LOOK_UP(name, symbol, arguments)                                                                                                   \
    if (!(*(void **)&cuda.name = dlsym(library, #symbol)))                                                                                 \
        return false;
    DRIVER(LOOK_UP)
    return cuda.cuInit(0) == 0;
}

void gpu_start(void) {
    enum { MAJOR = 75, MINOR = 76 };
    int device = 0, major = 0, minor = 0;
    void *context = NULL;
    if (getenv("WL_TEST_PTX")) {
        start_text_alone();
        return;
    }
    if (!open_driver() || cuda.cuDeviceGet(&device, 0)) {
        printf("skipped: no NVIDIA GPU\n");
        exit(SKIPPED);
    }
    MUST(cuda.cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuda.cuCtxSetCurrent(context));
    MUST(cuda.cuDeviceGetAttribute(&major, MAJOR, device));
    MUST(cuda.cuDeviceGetAttribute(&minor, MINOR, device));
    sm = (unsigned)(10 * major + minor);
    borders = gpu_pinned(WL_PTX_BORDERS_SIZE);
}

void *gpu_pinned(size_t size) {
    enum { MAPPED = 2 };
    void *made = NULL;
    if (text_alone.chosen && !(made = malloc(size)))
        die("out of memory");
    if (!text_alone.chosen)
        MUST(cuda.cuMemHostAlloc(&made, size, MAPPED));
    return memset(made, 0, size);
}

/* CUmemLocation, CUmemAllocationProp and CUmemAccessDesc of cuda.h. */
struct location {
    int type, id;
};
struct allocation {
    int type, handles;
    struct location location;
    void *metadata;
    unsigned char flags[8];
};
struct access {
    struct location location;
    int flags;
};

uint64_t gpu_allocate(size_t size) {
    uint64_t address;
    if (text_alone.chosen)
        return GPU_IMAGE;
    MUST(cuda.cuMemAlloc(&address, size));
    return address;
}

uint64_t gpu_allocate_crossing(void) {
    enum { PINNED = 1, DEVICE = 1, READ_AND_WRITE = 3, PAGE = 2 << 20 };
    const uint64_t unit = UINT64_C(1) << 32;
    uint64_t reserved = 0, handle = 0;
    struct allocation what = {.type = PINNED, .location = {DEVICE, 0}};
    struct access access = {{DEVICE, 0}, READ_AND_WRITE};
    if (text_alone.chosen)
        return GPU_IMAGE;
    MUST(cuda.cuMemAddressReserve(&reserved, 3 * unit, 0, 0, 0));
    uint64_t middle = (reserved + unit + PAGE) / unit * unit;
    MUST(cuda.cuMemCreate(&handle, 2 * PAGE, &what, 0));
    MUST(cuda.cuMemMap(middle - PAGE, 2 * PAGE, 0, handle, 0));
    MUST(cuda.cuMemSetAccess(middle - PAGE, 2 * PAGE, &access, 1));
    return middle;
}

void gpu_write(uint64_t address, const void *from, size_t size) {
    if (!text_alone.chosen)
        MUST(cuda.cuMemcpyHtoD(address, from, size));
}

void gpu_read(uint64_t address, void *to, size_t size) {
    if (text_alone.chosen)
        memset(to, 0, size);
    else
        MUST(cuda.cuMemcpyDtoH(to, address, size));
}

/* ---- kernels ---- */

static bool is_code(void *context, uint64_t address, uint64_t size) { return address + size <= *(uint64_t *)context; }

static void keep_text(const char *text) {
    const char *folder = getenv("WL_TEST_DUMP");
    char path[512];
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/failed.ptx", folder);
    FILE *file = fopen(path, "w");
    if (file) {
        fputs(text, file);
        fclose(file);
    }
}

bool gpu_is_exact(void) {
    const char *math = getenv("WAVELIFT_MATH");
    return math && !strcmp(math, "exact");
}

bool gpu_load(const struct gpu_code *code, struct gpu_kernel *kernel) {
    enum { MOST_SHARED = 8, WITHOUT_ASKING = 48 << 10 };
    uint64_t size = code->size;
    struct wl_ptx_request request = {
        .code = {.processor = code->processor,
                 .wave_size = code->wave_size,
                 .image = code->bytes,
                 .image_size = code->size,
                 .name = "case",
                 .is_kernel = true,
                 .workitem_id_dimensions = 1,
                 .flushes_f32 = (code->mode & 0x30) != 0x30,
                 .sram_ecc = code->sram_ecc,
                 .exact_math = code->exact_math || gpu_is_exact(),
                 .matrix_sums = code->matrix_sums,
                 .is_code = is_code,
                 .context = &size},
        .registers = {-1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, .id_rows = 1},
        .sm = sm,
        .block = {code->wave_size, 1, 1},
        .static_lds = code->lds,
        .scratch_size = code->scratch,
        .kernarg_size = 16,
        .float_mode = code->mode,
    };
    struct wl_ptx_result result;
    *kernel = (struct gpu_kernel){.wave_size = code->wave_size, .lds = code->lds};
    if (wl_translate_ptx(&request, &result) != WL_OK) {
        text_alone.refused++;
        return false;
    }
    text_alone.made++;
    if (text_alone.chosen) {
        wl_translate_ptx_free(&result);
        return true;
    }
    int loaded = cuda.cuModuleLoadData(&kernel->module, result.text);
    if (loaded)
        keep_text(result.text);
    must(loaded, "the driver takes the PTX");
    wl_translate_ptx_free(&result);
    MUST(cuda.cuModuleGetFunction(&kernel->function, kernel->module, WL_PTX_ENTRY));
    if (code->lds > WITHOUT_ASKING)
        MUST(cuda.cuFuncSetAttribute(kernel->function, MOST_SHARED, (int)code->lds));
    return true;
}

void gpu_unload(struct gpu_kernel *kernel) {
    if (!text_alone.chosen)
        MUST(cuda.cuModuleUnload(kernel->module));
    *kernel = (struct gpu_kernel){0};
}

bool gpu_launch(const struct gpu_kernel *kernel, const uint64_t kernarg[2]) {
    if (text_alone.chosen)
        return true;
    struct wl_ptx_launch launch = {
        .borders = (uint64_t)(uintptr_t)borders, .image = GPU_IMAGE, .block = {kernel->wave_size, 1, 1}, .lds_size = kernel->lds};
    uint64_t copy[2] = {kernarg[0], kernarg[1]};
    void *parameters[] = {&launch, copy};
    MUST(cuda.cuLaunchKernel(kernel->function, 1, 1, 1, 32, 1, 1, kernel->lds, NULL, parameters, NULL));
    int failed = cuda.cuCtxSynchronize();
    if (failed)
        fprintf(stderr, "a kernel failed with CUDA error %d\n", failed);
    return !failed;
}

/* ---- text ---- */

struct gpu_names gpu_names_of(const char *processor) {
    bool gfx12 = !strncmp(processor, "gfx12", 5);
    if (gfx12 || !strncmp(processor, "gfx11", 5))
        return (struct gpu_names){"global_load_b32",
                                  "global_store_b32",
                                  "s_load_b32",
                                  "s_load_b64",
                                  gfx12 ? "s_wait_kmcnt 0x0" : "s_waitcnt lgkmcnt(0)",
                                  gfx12 ? "s_wait_loadcnt 0x0" : "s_waitcnt vmcnt(0)",
                                  "ds_load_b32",
                                  "ds_store_b32",
                                  "scratch_load_b32",
                                  "scratch_store_b32",
                                  gfx12 ? "s_wait_dscnt 0x0" : "s_waitcnt lgkmcnt(0)"};
    return (struct gpu_names){"global_load_dword",    "global_store_dword",  "s_load_dword",        "s_load_dwordx2",
                              "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)",  "ds_read_b32",         "ds_write_b32",
                              "scratch_load_dword",   "scratch_store_dword", "s_waitcnt lgkmcnt(0)"};
}

static char text[131072];
static size_t length;

void gpu_line(const char *format, ...) {
    va_list list;
    va_start(list, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, list);
    va_end(list);
    if (length + 2 > sizeof text)
        die("the text is too long");
    text[length++] = '\n';
    text[length] = 0;
}

uint8_t *gpu_assemble(const char *processor, unsigned wave_size, size_t *size) {
    uint8_t *bytes = test_assemble(processor, wave_size, text, size);
    if (!bytes)
        die("%s: does not assemble", processor);
    length = 0;
    return bytes;
}
