/* lift_run.h on an NVIDIA GPU: the code runs as part of a kernel that loads all registers from memory and stores them again. It
 * shares nothing with device/cuda but the translator: the driver's few functions are looked up here. */
#include "../translate/lift_run.h"

#include "../translate/assembler.h"
#include "translate/translate.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS = 120, /* that the kernel loads; v250 to v252 are its own, and s30 to s39 */
    OWN_FIRST = 30,
    OWN_LAST = 39,
    GENERAL = 102, /* SGPRs */
    VCC = 106,
    M0 = 124,
    SCC = 125,
    EXEC = 126,
    SKIPPED = 77,
    MAX_ROWS = 512
};
#define IMAGE UINT64_C(0x200000000000)

unsigned lift_wave_size, lift_checks, lift_failures, lift_ignore_row;
uint32_t lift_mode_register = 0xf0;
bool lift_ignore_scalars, lift_any_shape;

/* What the kernel sees. */
static struct state {
    uint32_t v[ROWS][64];
    uint32_t s[LIFT_SGPRS];
} state;
static uint32_t rows[MAX_ROWS * 64], scalars[LIFT_SGPRS];

/* ---- the driver ---- */

#define DRIVER(F)                                                                                                                          \
    F(cuInit, cuInit, (unsigned))                                                                                                          \
    F(cuDeviceGet, cuDeviceGet, (int *, int))                                                                                              \
    F(cuDeviceGetAttribute, cuDeviceGetAttribute, (int *, int, int))                                                                       \
    F(cuDevicePrimaryCtxRetain, cuDevicePrimaryCtxRetain, (void **, int))                                                                  \
    F(cuCtxSetCurrent, cuCtxSetCurrent, (void *))                                                                                          \
    F(cuMemAlloc, cuMemAlloc_v2, (uint64_t *, size_t))                                                                                     \
    F(cuMemcpyHtoD, cuMemcpyHtoD_v2, (uint64_t, const void *, size_t))                                                                     \
    F(cuMemcpyDtoH, cuMemcpyDtoH_v2, (void *, uint64_t, size_t))                                                                           \
    F(cuModuleLoadData, cuModuleLoadData, (void **, const void *))                                                                         \
    F(cuModuleGetFunction, cuModuleGetFunction, (void **, void *, const char *))                                                           \
    F(cuModuleUnload, cuModuleUnload, (void *))                                                                                            \
    F(cuLaunchKernel, cuLaunchKernel,                                                                                                      \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **, void **))
#define FIELD(name, symbol, arguments) int(*name) arguments;
static struct {
    DRIVER(FIELD)
} cuda;

static uint64_t memory; /* of the device: the state */
static unsigned sm;
static struct {
    void *module, *function;
    uint8_t *bytes;
    uint64_t size;
    char *ptx;
} program;

__attribute__((format(printf, 1, 2))) static void die(const char *format, ...) {
    va_list list;
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    exit(1);
}

static void must(int result, const char *what) {
    const char *folder = getenv("WL_TEST_DUMP");
    if (result && folder && program.ptx) {
        char path[512];
        snprintf(path, sizeof path, "%s/failed.ptx", folder);
        FILE *file = fopen(path, "w");
        if (file) {
            fputs(program.ptx, file);
            fclose(file);
        }
    }
    if (result)
        die("%s: CUDA error %d", what, result);
}
#define MUST(call) must(call, #call)

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

void lift_start(void) {
    enum { MAJOR = 75, MINOR = 76 };
    int device = 0, major = 0, minor = 0;
    void *context = NULL;
    if (!open_driver() || cuda.cuDeviceGet(&device, 0)) {
        printf("skipped: no NVIDIA GPU\n");
        exit(SKIPPED);
    }
    MUST(cuda.cuDevicePrimaryCtxRetain(&context, device));
    MUST(cuda.cuCtxSetCurrent(context));
    MUST(cuda.cuDeviceGetAttribute(&major, MAJOR, device));
    MUST(cuda.cuDeviceGetAttribute(&minor, MINOR, device));
    MUST(cuda.cuMemAlloc(&memory, sizeof state));
    sm = (unsigned)(10 * major + minor);
}

/* ---- the kernel ---- */

struct names { /* of a generation */
    const char *load, *store, *scalar_load, *scalar_load64, *scalar_wait, *wait;
};

static struct names names_of(const char *processor) {
    if (!strncmp(processor, "gfx12", 5))
        return (struct names){"global_load_b32", "global_store_b32", "s_load_b32", "s_load_b64", "s_wait_kmcnt 0x0", "s_wait_loadcnt 0x0"};
    if (!strncmp(processor, "gfx11", 5))
        return (struct names){"global_load_b32", "global_store_b32",     "s_load_b32",
                              "s_load_b64",      "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"};
    return (struct names){"global_load_dword", "global_store_dword",   "s_load_dword",
                          "s_load_dwordx2",    "s_waitcnt lgkmcnt(0)", "s_waitcnt vmcnt(0)"};
}

static bool is_own(unsigned sgpr) { return sgpr >= OWN_FIRST && sgpr <= OWN_LAST; }

static char text[65536];
static size_t length;

__attribute__((format(printf, 1, 2))) static void line(const char *format, ...) {
    va_list list;
    va_start(list, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, list);
    va_end(list);
    text[length++] = '\n';
    text[length] = 0;
}

static uint8_t *assembled(const char *processor, size_t *size) {
    uint8_t *bytes = test_assemble(processor, lift_wave_size, text, size);
    if (!bytes)
        die("%s: does not assemble", processor);
    length = 0;
    return bytes;
}

static void load_scalar(const struct names *n, const char *to, unsigned index) {
    line("%s %s, s[34:35], 0x%x", n->scalar_load, to, (unsigned)(sizeof state.v + 4 * index));
}

/* s[0:1]: the kernarg segment, which holds the state's address. */
static void write_loads(const struct names *n) {
    char name[16];
    line("%s s[34:35], s[0:1], 0x0", n->scalar_load64);
    line("%s", n->scalar_wait);
    line("v_lshlrev_b32 v250, 2, v0");
    line("s_mov_b64 s[36:37], s[34:35]");
    for (unsigned r = 0; r < ROWS; r++) {
        line("%s v%u, v250, s[36:37] offset:%u", n->load, r, r % 8 * 256);
        if (r % 8 == 7)
            line("s_add_u32 s36, s36, 0x800\ns_addc_u32 s37, s37, 0");
    }
    for (unsigned i = 0; i < GENERAL; i++)
        if (!is_own(i)) {
            snprintf(name, sizeof name, "s%u", i);
            load_scalar(n, name, i);
        }
    load_scalar(n, "vcc_lo", VCC);
    load_scalar(n, "vcc_hi", VCC + 1);
    load_scalar(n, "s36", M0);
    line("%s\n%s", n->scalar_wait, n->wait);
    line("s_mov_b32 m0, s36");
    load_scalar(n, "s36", EXEC);
    load_scalar(n, "s37", EXEC + 1);
    load_scalar(n, "s38", SCC);
    line("%s", n->scalar_wait);
    line("s_cmp_lg_u32 s38, 0");
    line(lift_wave_size == 64 ? "s_mov_b64 exec, s[36:37]" : "s_mov_b32 exec_lo, s36");
}

static void store_scalar(const struct names *n, const char *from, unsigned index) {
    line("v_mov_b32 v251, %s", from);
    line("%s v252, v251, s[32:33] offset:%u", n->store, 4 * index);
}

static void write_stores(const struct names *n) {
    char name[16];
    line("s_cselect_b32 s36, 1, 0");
    line("s_mov_b64 s[38:39], exec");
    line(lift_wave_size == 64 ? "s_mov_b64 exec, -1" : "s_mov_b32 exec_lo, -1");
    line("s_mov_b64 s[32:33], s[34:35]");
    for (unsigned r = 0; r < ROWS; r++) {
        line("%s v250, v%u, s[32:33] offset:%u", n->store, r, r % 8 * 256);
        if (r % 8 == 7)
            line("s_add_u32 s32, s32, 0x800\ns_addc_u32 s33, s33, 0");
    }
    line("v_mov_b32 v252, 0");
    for (unsigned i = 0; i < GENERAL; i++)
        if (!is_own(i)) {
            snprintf(name, sizeof name, "s%u", i);
            store_scalar(n, name, i);
        }
    store_scalar(n, "vcc_lo", VCC);
    store_scalar(n, "vcc_hi", VCC + 1);
    store_scalar(n, "m0", M0);
    store_scalar(n, "s36", SCC);
    store_scalar(n, "s38", EXEC);
    store_scalar(n, "s39", EXEC + 1);
    line("s_endpgm");
}

static bool is_code(void *context, uint64_t address, uint64_t size) { return address + size <= *(uint64_t *)context; }

static void translate(const char *processor) {
    struct wl_ptx_request request = {
        .code = {.processor = processor,
                 .wave_size = lift_wave_size,
                 .image = program.bytes,
                 .image_size = program.size,
                 .name = "case",
                 .is_kernel = true,
                 .workitem_id_dimensions = 1,
                 .flushes_f32 = (lift_mode_register & 0x30) != 0x30,
                 .is_code = is_code,
                 .context = &program.size},
        .registers = {-1, -1, -1, 0, -1, -1, -1, -1, -1, -1, -1, -1, -1, .id_rows = 1},
        .sm = sm,
        .block = {lift_wave_size, 1, 1},
        .kernarg_size = 16,
        .float_mode = lift_mode_register,
    };
    struct wl_ptx_result result;
    if (wl_translate_ptx(&request, &result) != WL_OK)
        die("%s wave%u: %s", processor, lift_wave_size, wl_translate_failure());
    program.ptx = strdup(result.text);
    wl_translate_ptx_free(&result);
    MUST(cuda.cuModuleLoadData(&program.module, program.ptx));
    MUST(cuda.cuModuleGetFunction(&program.function, program.module, WL_PTX_ENTRY));
}

void lift_open_code(const char *processor, unsigned wave_size, const uint8_t *code, size_t size, bool plain_host) {
    (void)plain_host;
    lift_wave_size = wave_size;
    const struct names names = names_of(processor);
    size_t loads_size, stores_size;
    write_loads(&names);
    uint8_t *loads = assembled(processor, &loads_size);
    write_stores(&names);
    uint8_t *stores = assembled(processor, &stores_size);
    size -= 4; /* the jump at the end: the stores follow */
    program.size = loads_size + size + stores_size;
    program.bytes = malloc(program.size);
    if (!program.bytes)
        die("no memory");
    uint8_t *at = mempcpy(program.bytes, loads, loads_size);
    at = mempcpy(at, code, size);
    memcpy(at, stores, stores_size);
    free(loads);
    free(stores);
    translate(processor);
}

void lift_open(const char *processor, unsigned wave_size, const char *from) {
    size_t size = 0;
    lift_wave_size = wave_size;
    line("%s\ns_setpc_b64 s[30:31]", from);
    uint8_t *code = assembled(processor, &size);
    lift_open_code(processor, wave_size, code, size, false);
    free(code);
}

void lift_close(void) {
    MUST(cuda.cuModuleUnload(program.module));
    free(program.bytes);
    free(program.ptx);
    program.ptx = NULL;
}

/* ---- runs ---- */

uint32_t *lift_row(unsigned row) { return rows + (size_t)row * lift_wave_size; }
uint32_t *lift_scalars(void) { return scalars; }

void lift_execute(uint64_t exec) {
    uint64_t kernarg[2] = {memory, 0};
    struct wl_ptx_launch launch = {.image = IMAGE, .block = {lift_wave_size, 1, 1}};
    void *parameters[] = {&launch, kernarg};
    for (unsigned r = 0; r < ROWS; r++)
        memcpy(state.v[r], lift_row(r), lift_wave_size * 4);
    memcpy(state.s, scalars, sizeof scalars);
    state.s[EXEC] = (uint32_t)exec;
    state.s[EXEC + 1] = lift_wave_size == 64 ? (uint32_t)(exec >> 32) : 0;
    MUST(cuda.cuMemcpyHtoD(memory, &state, sizeof state));
    MUST(cuda.cuLaunchKernel(program.function, 1, 1, 1, 32, 1, 1, 0, NULL, parameters, NULL));
    MUST(cuda.cuMemcpyDtoH(&state, memory, sizeof state));
    for (unsigned r = 0; r < ROWS; r++)
        memcpy(lift_row(r), state.v[r], lift_wave_size * 4);
    for (unsigned i = 0; i < LIFT_SGPRS; i++)
        if ((i < GENERAL && !is_own(i)) || i == VCC || i == VCC + 1 || (i >= M0 && i <= EXEC) || (i == EXEC + 1 && lift_wave_size == 64))
            scalars[i] = state.s[i];
}
