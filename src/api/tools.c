/* What compilers, debuggers and profilers ask the library for, beside HIP's own functions. */
#include "api/tracer.h"

#include "base/options.h"
#include "trace/trace.h"

#include <string.h>

#define PUBLIC __attribute__((visibility("default"))) /* no public header declares these */

/* ---- names of functions and commands ----------------------------------------------------------- */

PUBLIC const char *hipApiName(uint32_t id);
PUBLIC const char *hipGetCmdName(unsigned op);

const char *hipApiName(uint32_t id) {
    static const char *const names[] = {
#define API(number, name) [number] = #name,
#include "api/api_names.inc"
#undef API
    };
    return id < sizeof names / sizeof *names && names[id] ? names[id] : "unknown";
}

/* OpenCL's numbers of commands, by which HIP's tracers know them. */
static const struct {
    unsigned op;
    const char *name;
} commands[] = {
    {0x0000, "InternalMarker"},
    {0x11F0, "KernelExecution"},
    {0x11F1, "TaskExecution"},
    {0x11F2, "NativeKernel"},
    {0x11F3, "CopyDeviceToHost"},
    {0x11F4, "CopyHostToDevice"},
    {0x11F5, "CopyDeviceToDevice"},
    {0x11F6, "ReadImage"},
    {0x11F7, "WriteImage"},
    {0x11F8, "CopyImage"},
    {0x11F9, "CopyImageToBuffer"},
    {0x11FA, "CopyBufferToImage"},
    {0x11FB, "MapBuffer"},
    {0x11FC, "MapImage"},
    {0x11FD, "UnmapMemObject"},
    {0x11FE, "Marker"},
    {0x11FF, "AcquireGLObjects"},
    {0x1200, "ReleaseGLObjects"},
    {0x1201, "CopyDeviceToHost2D"},
    {0x1202, "CopyHostToDevice2D"},
    {0x1203, "CopyDeviceToDevice2D"},
    {0x1204, "User"},
    {0x1205, "Barrier"},
    {0x1206, "MigrateMemObjects"},
    {0x1207, "FillBuffer"},
    {0x1208, "FillImage"},
    {0x1209, "SvmFree"},
    {0x120A, "SvmMemcpy"},
    {0x120B, "SvmMemFill"},
    {0x120C, "SvmMap"},
    {0x120D, "SvmUnmap"},
};

const char *hipGetCmdName(unsigned op) {
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
        if (commands[i].op == op)
            return commands[i].name;
    return "Unknown command type";
}

/* ---- registration of tracers --------------------------------------------------------------------- */

PUBLIC void hipRegisterTracerCallback(wl_api_tracer callback);
PUBLIC void hipInitActivityCallback(void *id, void *operation, void *argument);
PUBLIC bool hipEnableActivityCallback(unsigned operation, bool enable);

void hipRegisterTracerCallback(wl_api_tracer callback) { wl_trace_set_tracer(WL_TRACE_REGISTERED, callback); }

PUBLIC hipError_t hipRegisterApiCallback(uint32_t id, wl_api_callback callback, void *argument);
PUBLIC hipError_t hipRemoveApiCallback(uint32_t id);

hipError_t hipRegisterApiCallback(uint32_t id, wl_api_callback callback, void *argument) {
    API_REQUIRE(callback != NULL, hipErrorInvalidValue);
    API_REQUIRE(wl_api_callback_set(id, callback, argument), hipErrorInvalidValue);
    API_SUCCESS();
}

hipError_t hipRemoveApiCallback(uint32_t id) {
    API_REQUIRE(wl_api_callback_set(id, NULL, NULL), hipErrorInvalidValue);
    API_SUCCESS();
}

/* Those of HIP 5.1 and before, which have no result that could tell. */
void hipInitActivityCallback(void *id, void *operation, void *argument) {
    (void)id, (void)argument;
    if (operation)
        wl_log(1, "hipInitActivityCallback: such tracers are not called; hipRegisterTracerCallback's are");
}

bool hipEnableActivityCallback(unsigned operation, bool enable) {
    (void)operation;
    return !enable; /* nothing is enabled */
}

/* ---- a part of the run ------------------------------------------------------------------------- */

hipError_t hipProfilerStart(void) {
    wl_trace_pause(false);
    API_SUCCESS();
}

hipError_t hipProfilerStop(void) {
    wl_trace_pause(true);
    API_SUCCESS();
}

/* ---- the log --------------------------------------------------------------------------------------- */

static _Atomic size_t log_level = 1; /* as WAVELIFT_LOG */

/* The level is WAVELIFT_LOG's; size and mask belong to AMD's log and have no counterpart. */
hipError_t hipExtSetLoggingParams(size_t level, size_t size, size_t mask) {
    API_DEVICES();
    (void)size, (void)mask;
    log_level = level > 3 ? 3 : level;
    API_SUCCESS();
}

hipError_t hipExtEnableLogging(void) {
    API_DEVICES();
    wl_log_limit((int)log_level);
    API_SUCCESS();
}

hipError_t hipExtDisableLogging(void) {
    API_DEVICES();
    wl_log_limit(0);
    API_SUCCESS();
}

/* ---- what debuggers look for ------------------------------------------ */

PUBLIC const char *amd_dbgapi_get_build_name(void);
PUBLIC const char *amd_dbgapi_get_git_hash(void);
PUBLIC size_t amd_dbgapi_get_build_id(void);
PUBLIC void __hipGetPCH(const char **header, unsigned *size);

const char *amd_dbgapi_get_build_name(void) { return HIP_VERSION_BUILD_NAME; }
const char *amd_dbgapi_get_git_hash(void) { return HIP_VERSION_GITHASH; }
size_t amd_dbgapi_get_build_id(void) { return HIP_VERSION_BUILD_ID; }

/* The library holds no precompiled header. */
void __hipGetPCH(const char **header, unsigned *size) {
    *header = NULL;
    *size = 0;
}

/* ---- conversions that compilers call where the host has no instruction -------------------------- */

PUBLIC float __gnu_h2f_ieee(unsigned short half);
PUBLIC unsigned short __gnu_f2h_ieee(float value);

float __gnu_h2f_ieee(unsigned short half) {
    uint32_t sign = (uint32_t)(half & 0x8000u) << 16, magnitude = half & 0x7fffu;
    float result = 0;
    if (magnitude >= 0x7c00u) { /* infinity, NaN */
        uint32_t bits = sign | 0x7f800000u | (magnitude & 0x3ffu) << 13;
        memcpy(&result, &bits, sizeof result);
        return result;
    }
    uint32_t bits = magnitude << 13; /* as a float 2^112 times too small; exact, subnormals included */
    memcpy(&result, &bits, sizeof result);
    result *= 0x1p112f;
    return sign ? -result : result;
}

unsigned short __gnu_f2h_ieee(float value) {
    uint32_t bits = 0;
    memcpy(&bits, &value, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000u, magnitude = bits & 0x7fffffffu;
    if (magnitude > 0x7f800000u) /* NaN stays one, and quiet */
        return (unsigned short)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
    if (magnitude >= 0x47800000u) /* 65536 and more */
        return (unsigned short)(sign | 0x7c00u);
    uint32_t shift = 13, kept = 0; /* bits dropped; the exponent and mantissa that stay */
    if (magnitude < 0x38800000u) { /* subnormal: shift the mantissa, hidden bit included */
        shift = 126 - (magnitude >> 23);
        if (shift > 24)
            return (unsigned short)sign;
        magnitude = (magnitude & 0x7fffffu) | 0x800000u;
        kept = magnitude >> shift;
    } else {
        kept = (magnitude - 0x38000000u) >> 13;
    }
    uint32_t dropped = magnitude & ((1u << shift) - 1), half = 1u << (shift - 1);
    kept += dropped > half || (dropped == half && (kept & 1u)); /* to nearest even; a carry moves into the exponent */
    return (unsigned short)(sign | kept);
}
