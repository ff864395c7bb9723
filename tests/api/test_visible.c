/* What AMD's variables leave visible of four CPU devices, and every function without any device. Each check runs in a child, whose
 * runtime starts with the environment that the check is about. */
#include "api_test.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { DEVICES = 4 };

static char *report; /* a page that children write to */

static void in_child(void (*body)(const void *), const void *argument) {
    report[0] = 0;
    pid_t child = fork();
    if (child == 0) {
        static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}; /* those that cmocka would go on behind */
        for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
            (void)signal(signals[i], SIG_DFL);
        body(argument);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status))
        snprintf(report + strlen(report), 64, " ended by signal %d", WTERMSIG(status));
}

/* ---- choosing -------------------------------------------------------------------------------------- */

struct choice {
    const char *rocr, *hip, *cuda; /* NULL: not set */
    const char *expected;          /* the devices in their order, by their numbers in the machine */
};

static void set(const char *name, const char *value) {
    if (value)
        setenv(name, value, 1);
    else
        unsetenv(name);
}

static void tell_devices(const void *argument) {
    const struct choice *choice = argument;
    int count = -1;
    set("ROCR_VISIBLE_DEVICES", choice->rocr);
    set("HIP_VISIBLE_DEVICES", choice->hip);
    set("CUDA_VISIBLE_DEVICES", choice->cuda);
    setenv("GPU_DEVICE_ORDINAL", "3", 1); /* OpenCL's */
    hipError_t error = hipGetDeviceCount(&count);
    if (error != (count ? hipSuccess : hipErrorNoDevice))
        snprintf(report, 64, "%d devices and %s", count, hipGetErrorName(error));
    for (int i = 0; i < count; i++) {
        char bus[16] = "", text[32];
        hipUUID uuid;
        int found = -1;
        (void)hipDeviceGetPCIBusId(bus, sizeof bus, i);
        (void)hipDeviceGetByPCIBusId(&found, bus);
        (void)hipDeviceGetUuid(&uuid, i);
        int number = (int)strtol(bus + 5, NULL, 16) - 1;
        snprintf(text, sizeof text, "%016llx", 0x7761766500000000ull | (unsigned)number); /* a device keeps its UUID */
        sprintf(report + strlen(report), "%s%d", i ? "," : "", number);
        if (found != i || memcmp(text, uuid.bytes, sizeof uuid.bytes) != 0)
            strcat(report, "?");
    }
}

static void test_choices(void **state) {
    (void)state;
#define UUID "GPU-776176650000000"
    static const struct choice choices[] = {
        {NULL, NULL, NULL, "0,1,2,3"},
        {NULL, "0", NULL, "0"},
        {NULL, "2,0", NULL, "2,0"},
        {NULL, "3,2,1,0", NULL, "3,2,1,0"},
        {NULL, "", NULL, ""},   /* set to nothing: nothing */
        {NULL, "-1", NULL, ""}, /* the list ends before what is wrong */
        {NULL, "1,-1,2", NULL, "1"},
        {NULL, "1,4,2", NULL, "1"},
        {NULL, "1,x", NULL, "1"},
        {NULL, " 1", NULL, ""}, /* numbers as they are printed */
        {NULL, "01", NULL, ""},
        {NULL, "1,,2", NULL, "1"},
        {NULL, "1,2,", NULL, "1,2"},
        {NULL, "1,1,2", NULL, "1,2"}, /* twice counts once */
        {NULL, "\"1,3\"", NULL, "1,3"},
        {NULL, UUID "2", NULL, "2"},
        {NULL, UUID "2,0," UUID "1", NULL, "2,0,1"},
        {NULL, UUID "9", NULL, ""},
        {NULL, "gpu-7761766500000002", NULL, ""},
        {NULL, NULL, "2", "2"},
        {NULL, "1", "2", "1"},
        {NULL, "", "2", ""},
        {NULL, NULL, "", ""},
        {"0", NULL, NULL, "0"},
        {"3,1", NULL, NULL, "3,1"},
        {"", NULL, NULL, ""},
        {"-1", NULL, NULL, ""},
        {" 2 ,0x1", NULL, NULL, "2,1"},
        {"1,1,2", NULL, NULL, "1"}, /* twice ends the list */
        {"1,2x,3", NULL, NULL, "1"},
        {"1,4", NULL, NULL, "1"},
        {UUID "3,0", NULL, NULL, "3,0"},
        {"gpu-7761766500000002", NULL, NULL, "2"},
        {"GPU-7761", NULL, NULL, ""}, /* of several */
        {"3,1", "1", NULL, "1"},      /* numbers of what is left */
        {"3,1", "1,0", NULL, "1,3"},
        {"3,1", "2", NULL, ""},
        {"3,1", UUID "1", NULL, "1"},
        {"3,1", UUID "2", NULL, ""},
        {"2,3", NULL, "1", "3"},
    };
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        const struct choice *c = &choices[i];
        in_child(tell_devices, c);
        if (strcmp(report, c->expected) != 0)
            fail_msg("ROCR %s, HIP %s, CUDA %s: %s instead of %s", c->rocr ? c->rocr : "-", c->hip ? c->hip : "-", c->cuda ? c->cuda : "-",
                     report, c->expected);
    }
}

/* ---- without a device --------------------------------------------------------------------------- */

/* What answers without a device, or has no error to return. waveliftSanitize: what the annotations of memory call. */
static bool is_exempt(const char *name) {
    static const char *const names[] = {
        "_Z",
        "__gnu_",
        "__hipGetPCH",
        "__hipRegister",
        "__hipUnregister",
        "__jit_debug", /* for debuggers */
        "amd_dbgapi",
        "hipApiName",
        "hipGetCmdName",
        "hipCreateChannelDesc",
        "hipDriverGetVersion",
        "hipDrvGetError",
        "hipEnableActivityCallback",
        "hipGetErrorName",
        "hipGetErrorString",
        "hipGetDeviceCount",
        "hipGetStreamDeviceId",
        "hipInitActivityCallback",
        "hipKernelNameRef",
        "hipRegisterTracerCallback",
        "hipRuntimeGetVersion",
        "hiprtc",
        "waveliftSanitize",
        "wl_", /* for this project's other libraries and tools */
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

struct call {
    const char *name;
    void *argument; /* every one of them */
};

typedef int any_function(void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *, void *,
                         void *, void *);

static void call(const void *argument) {
    const struct call *call = argument;
    any_function *function = NULL;
    void *a = call->argument;
    *(void **)&function = dlsym(RTLD_DEFAULT, call->name);
    int error = function ? function(a, a, a, a, a, a, a, a, a, a, a, a, a, a, a, a) : -1;
    if (error != hipErrorNoDevice)
        snprintf(report, 256, "%s: %s", call->name, hipGetErrorName((hipError_t)error));
}

static void call_all(const void *argument) {
    static char memory[1 << 16], names[1 << 16]; /* read before there are children, which share the file's place */
    char name[160], version[16], all[1 << 12] = "";
    int used = 0;
    (void)argument;
    setenv("HIP_VISIBLE_DEVICES", "-1", 1);
    int count = -1;
    if (hipGetDeviceCount(&count) != hipErrorNoDevice || count != 0 || hipGetDeviceCount(NULL) != hipErrorInvalidValue)
        strcat(all, "hipGetDeviceCount ");
    if (hipRuntimeGetVersion(&count) != hipSuccess || hipDriverGetVersion(&count) != hipSuccess || count != HIP_VERSION)
        strcat(all, "versions ");
    FILE *file = fopen(API_TEST_NAMES, "r");
    unsigned calls = 0;
    if (file) {
        names[fread(names, 1, sizeof names - 1, file)] = 0;
        fclose(file);
    }
    for (const char *at = names; sscanf(at, "%159s %15s%n", name, version, &used) == 2; at += used) {
        if (is_exempt(name))
            continue;
        for (int pass = 0; pass < 2; pass++) { /* nothing where something must be, and something everywhere */
            memset(memory, 0, sizeof memory);
            in_child(call, &(struct call){name, pass ? memory : NULL});
            calls++;
            if (*report && strlen(all) < sizeof all - 400)
                sprintf(all + strlen(all), "%s (%s, %s) ", report, name, pass ? "pointers" : "zeros");
        }
    }
    if (calls < 900)
        strcat(all, "names are missing");
    strcpy(report, all);
}

static void test_no_device(void **state) {
    (void)state;
    in_child(call_all, NULL);
    if (*report)
        fail_msg("%s", report);
}

int main(void) {
    char count[8];
    snprintf(count, sizeof count, "%d", DEVICES);
    setenv("WAVELIFT_DEVICES", count, 1);
    setenv("WAVELIFT_LOG", "0", 1);
    report = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (report == MAP_FAILED)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_choices),
        cmocka_unit_test(test_no_device),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
