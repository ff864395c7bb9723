/* The tools that tell which devices there are, under AMD's names and with AMD's options: rocm_agent_enumerator, amdgpu-arch, offload-arch,
 * rocminfo. They are this program, called by these names. */
#include "commands.h"
#include "toolchain.h"

#include "base/cpu.h"

#include <hip/hip_runtime_api.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool is_help(const char *word) { return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0; }

static int wrong(const char *tool, const char *usage, const char *word) {
    fprintf(stderr, "%s: unknown argument %s\nusage: %s\n", tool, word, usage);
    return 2;
}

/* The architectures of the devices, one a line; how many they are. */
static int print_archs(void) {
    char arch[256];
    int device = 0;
    for (; wl_toolchain_device_arch(device, arch, sizeof arch); device++)
        puts(arch);
    return device;
}

/* ---- rocm_agent_enumerator ------------------------------------------------------------------------ */

/* AMD's variable: a file with the architectures that are to be told. False: there is none. */
static bool print_listed(void) {
    const char *name = secure_getenv("ROCM_TARGET_LST");
    FILE *file = name ? fopen(name, "re") : NULL;
    char line[256];
    bool some = false;
    while (file && fgets(line, sizeof line, file)) {
        int length = (int)strspn(line, "gfx0123456789abcdef");
        if (strncmp(line, "gfx", 3) == 0 && length > 3) {
            printf("%.*s\n", length, line);
            some = true;
        }
    }
    if (file)
        (void)fclose(file);
    return some;
}

int wl_tool_rocm_agent_enumerator(int argc, char **argv) {
    static const char usage[] = "rocm_agent_enumerator [-h] [-name] [-t CPU|GPU]";
    bool names = false, cpus = true, gpus = true;
    for (int i = 1; i < argc; i++) {
        if (is_help(argv[i])) {
            printf("usage: %s\n", usage);
            return 0;
        }
        if (strcmp(argv[i], "-name") == 0 || strcmp(argv[i], "--name") == 0)
            names = true;
        else if (strcmp(argv[i], "-t") == 0 && i + 1 < argc && (strcmp(argv[i + 1], "CPU") == 0 || strcmp(argv[i + 1], "GPU") == 0))
            gpus = !(cpus = strcmp(argv[++i], "CPU") == 0);
        else
            return wrong("rocm_agent_enumerator", usage, argv[i]);
    }
    if (names) {
        hipDeviceProp_t properties;
        for (int device = 0; hipGetDeviceProperties(&properties, device) == hipSuccess; device++)
            printf("amdgcn-amd-amdhsa--%s\n", properties.gcnArchName);
        return 0;
    }
    if (cpus)
        puts("gfx000"); /* the processor itself, as AMD's tool calls it */
    if (gpus && !print_listed())
        (void)print_archs();
    return 0;
}

/* ---- amdgpu-arch, offload-arch ------------------------------------------------------------------------ */

/* LLVM's tools have few options, and AMD's former offload-arch some more, which ask for details that do not matter here. */
static int tell_archs(const char *tool, int argc, char **argv) {
    static const char usage[] = "[-h] [-v] [--only=all|amdgpu|nvptx] [-a]";
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i] + (strncmp(argv[i], "--", 2) == 0);
        if (is_help(argv[i])) {
            printf("usage: %s %s\nPrints the architectures of the devices, one a line. The exit status is 1 if there is none.\n", tool,
                   usage);
            return 0;
        }
        if (strcmp(word, "-only=nvptx") == 0)
            return 1; /* as where no such device is: programs see none */
        if (strcmp(word, "-version") == 0) {
            printf("%s of Wavelift %s\n", tool, WL_VERSION);
            return 0;
        }
        if (strcmp(word, "-only=amdgpu") != 0 && strcmp(word, "-only=all") != 0 && strcmp(word, "-a") != 0 && strcmp(word, "-v") != 0 &&
            strcmp(word, "-verbose") != 0)
            return wrong(tool, usage, argv[i]);
    }
    if (print_archs() > 0)
        return 0;
    fprintf(stderr, "%s: there is no device\n", tool);
    return 1;
}

int wl_tool_amdgpu_arch(int argc, char **argv) { return tell_archs("amdgpu-arch", argc, argv); }
int wl_tool_offload_arch(int argc, char **argv) { return tell_archs("offload-arch", argc, argv); }

/* ---- rocminfo ------------------------------------------------------------------------------------- */

static void print_row(const char *name, const char *value) { printf("  %-25s%s\n", name, value); }
static void print_number(const char *name, uint64_t value) { printf("  %-25s%" PRIu64 "(0x%" PRIx64 ")\n", name, value, value); }

static void print_agent(int number) { printf("*******\nAgent %d\n*******\n", number); }

static void print_processor(void) {
    char name[256];
    wl_cpu_name(name, sizeof name);
    print_agent(1);
    print_row("Name:", name);
    print_row("Uuid:", "CPU-XX");
    print_row("Marketing Name:", name);
    print_row("Vendor Name:", "CPU");
    print_row("Feature:", "None specified");
    print_row("Device Type:", "CPU");
    print_number("Compute Unit:", (uint64_t)sysconf(_SC_NPROCESSORS_ONLN));
}

static void print_device(int device, const hipDeviceProp_t *p) {
    char row[512];
    print_agent(device + 2);
    snprintf(row, sizeof row, "%.*s", (int)strcspn(p->gcnArchName, ":"), p->gcnArchName);
    print_row("Name:", row);
    hipUUID uuid;
    if (hipDeviceGetUuid(&uuid, device) == hipSuccess) {
        snprintf(row, sizeof row, "GPU-%.16s", uuid.bytes);
        print_row("Uuid:", row);
    }
    print_row("Marketing Name:", p->name);
    print_row("Vendor Name:", "AMD");
    print_row("Feature:", "KERNEL_DISPATCH");
    print_row("Profile:", "BASE_PROFILE");
    print_row("Device Type:", "GPU");
    print_number("Max Clock Freq. (MHz):", (uint64_t)p->clockRate / 1000);
    print_number("Compute Unit:", (uint64_t)p->multiProcessorCount);
    print_number("Wavefront Size:", (uint64_t)p->warpSize);
    print_number("Workgroup Max Size:", (uint64_t)p->maxThreadsPerBlock);
    print_row("Pool Info:", "");
    print_row("  Pool 1", "");
    print_row("    Segment:", "GLOBAL; FLAGS: COARSE GRAINED");
    printf("  %-25s%" PRIu64 "(0x%" PRIx64 ") KB\n", "    Size:", (uint64_t)p->totalGlobalMem / 1024, (uint64_t)p->totalGlobalMem / 1024);
    print_row("  Pool 2", "");
    print_row("    Segment:", "GROUP");
    printf("  %-25s%" PRIu64 "(0x%" PRIx64 ") KB\n", "    Size:", (uint64_t)p->sharedMemPerBlock / 1024,
           (uint64_t)p->sharedMemPerBlock / 1024);
    print_row("ISA Info:", "");
    print_row("  ISA 1", "");
    printf("  %-25samdgcn-amd-amdhsa--%s\n", "    Name:", p->gcnArchName);
}

int wl_tool_rocminfo(int argc, char **argv) {
    if (argc > 1) {
        if (!is_help(argv[1]))
            return wrong("rocminfo", "rocminfo [-h]", argv[1]);
        puts("usage: rocminfo [-h]\nPrints what is known of the devices.");
        return 0;
    }
    printf("Wavelift %s: devices without AMD's driver\n=====================\nHSA System Attributes\n=====================\n", WL_VERSION);
    print_row("Machine Model:", "LARGE");
    print_row("System Endianness:", "LITTLE");
    puts("\n==========\nHSA Agents\n==========");
    print_processor();
    hipDeviceProp_t properties;
    for (int device = 0; hipGetDeviceProperties(&properties, device) == hipSuccess; device++)
        print_device(device, &properties);
    puts("*** Done ***");
    return 0;
}
