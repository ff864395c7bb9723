/* The `wavelift` command: what is here (info) and what is missing (doctor), running a program on it (run), the same with tools that find
 * faults (sanitize) or tell where its time goes (profile), compiling (hipcc, config), what is in a code object (disasm), the native-code cache (cache), what can be trusted of a
 * file (check), what instructions there are (isa), kernels as PTX (ptx). Under the names of AMD's tools it is those tools. Manual page:
 * docs/wavelift.1. */
#include "commands.h"

#include "base/folder.h"
#include "base/options.h"
#include "codeobject/codeobject.h"
#include "device/cpu/code/cache.h"
#include "translate/interface/disassembler.h"

#include <hip/hip_runtime_api.h>

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int wl_tool_fail(const char *what) {
    fprintf(stderr, "wavelift: %s\n", what);
    return 1;
}

int wl_tool_usage(const char *what) {
    fprintf(stderr, "wavelift: %s\nTry 'wavelift --help'.\n", what);
    return 2;
}

bool wl_tool_library_folder(char *folder, size_t size) {
    static const char *const places[] = {WL_LIBRARY_PLACE, "../lib", "../lib64"};
    char program[PATH_MAX], candidate[PATH_MAX + 64], resolved[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    if (length < 0)
        return false;
    program[length] = 0;
    *strrchr(program, '/') = 0;
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(candidate, sizeof candidate, "%s/%s/libamdhip64.so.7", program, places[i]);
        if (access(candidate, R_OK) != 0)
            continue;
        *strrchr(candidate, '/') = 0;
        return realpath(candidate, resolved) && snprintf(folder, size, "%s", resolved) < (int)size;
    }
    return false;
}

/* ---- info ----------------------------------------------------------------------------------- */

static void print_bytes(uint64_t bytes) {
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    double value = (double)bytes;
    unsigned unit = 0;
    for (; value >= 1024 && unit < 4; unit++)
        value /= 1024;
    printf(unit ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

int wl_command_info(char **operands, const char *const *values) {
    (void)operands;
    (void)values;
    char folder[PATH_MAX];
    int count = 0, version = 0;
    printf("Wavelift %s\n", WL_VERSION);
    printf("libraries    %s\n", wl_tool_library_folder(folder, sizeof folder) ? folder : "not found beside this program");
    if (hipRuntimeGetVersion(&version) == hipSuccess)
        printf("HIP runtime  %d\n", version);
    hipError_t error = hipGetDeviceCount(&count);
    if (error != hipSuccess)
        return wl_tool_fail(hipGetErrorString(error));
    for (int i = 0; i < count; i++) {
        hipDeviceProp_t properties;
        error = hipGetDeviceProperties(&properties, i);
        if (error != hipSuccess)
            return wl_tool_fail(hipGetErrorString(error));
        printf("device %-5d %s\n             presents itself as %s, warp size %d, %d compute units, ", i, properties.name,
               properties.gcnArchName, properties.warpSize, properties.multiProcessorCount);
        print_bytes(properties.totalGlobalMem);
        putchar('\n');
    }
    const char *cache = wl_cache_folder();
    struct wl_cache_entry *entries = NULL;
    size_t entry_count = 0;
    uint64_t bytes = 0;
    if (cache && wl_cache_list(&entries, &entry_count) == WL_OK)
        for (size_t i = 0; i < entry_count; i++)
            bytes += entries[i].size;
    free(entries);
    printf("cache        ");
    if (cache) {
        printf("%s: %zu entries, ", cache, entry_count);
        print_bytes(bytes);
        printf(" of at most ");
        print_bytes(wl_options()->cache_size);
        putchar('\n');
    } else {
        puts("off");
    }
    return 0;
}

/* ---- run ------------------------------------------------------------------------------------ */

int wl_command_exec(char **operands, const char *const *values) {
    if (!operands[0])
        return wl_tool_usage("run: no program is given");
    if (values[WL_RUN_ARCH])
        setenv("WAVELIFT_ARCH", values[WL_RUN_ARCH], 1);
    char folder[PATH_MAX];
    if (!wl_tool_library_folder(folder, sizeof folder))
        return wl_tool_fail("the runtime's libraries are not beside this program");
    const char *path = getenv("LD_LIBRARY_PATH");
    char *all = NULL;
    if (asprintf(&all, "%s:%s/compat%s%s", folder, folder, path && *path ? ":" : "", path && *path ? path : "") < 0)
        return wl_tool_fail("out of memory");
    setenv("LD_LIBRARY_PATH", all, 1); /* with AMD's names of the system's libraries (src/compat) */
    free(all);
    if (wl_tool_wants_topology(operands[0]) && !wl_tool_preload(folder, "libwavelift-topology.so"))
        return wl_tool_fail("out of memory");
    if (asprintf(&all, "%s/librocm_smi64.so.7", folder) < 0)
        return wl_tool_fail("out of memory");
    if (access(all, R_OK) == 0)
        setenv("ROCM_SMI_LIB_PATH", all, 0); /* rocm-smi looks for its library in its own package alone */
    free(all);
    setenv("HSA_NO_SCRATCH_RECLAIM", "1", 0); /* scratch memory is never taken back; newer RCCL insists on being told */
    execvp(operands[0], operands);
    fprintf(stderr, "wavelift: cannot run %s: %s\n", operands[0], strerror(errno));
    return errno == ENOENT ? 127 : 126;
}

/* ---- disasm --------------------------------------------------------------------------------- */

void *wl_tool_open_library(const char *name) {
    char folder[PATH_MAX], path[PATH_MAX + 64];
    if (!wl_tool_library_folder(folder, sizeof folder))
        return NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fprintf(stderr, "wavelift: %s\n", dlerror());
    return library;
}

/* The disassembler, from the library without LLVM. */
struct disassembler {
    __typeof__(wl_decoder_create) *create;
    __typeof__(wl_decoder_destroy) *destroy;
    __typeof__(wl_disassemble) *disassemble;
};

static bool open_disassembler(struct disassembler *d) {
    void *library = wl_tool_open_library(WL_TOOL_THREADED);
    if (!library)
        return false;
    d->create = (__typeof__(wl_decoder_create) *)(uintptr_t)dlsym(library, "wl_decoder_create");
    d->destroy = (__typeof__(wl_decoder_destroy) *)(uintptr_t)dlsym(library, "wl_decoder_destroy");
    d->disassemble = (__typeof__(wl_disassemble) *)(uintptr_t)dlsym(library, "wl_disassemble");
    return d->create && d->destroy && d->disassemble;
}

/* The smallest address of a kernel or function above `address`, else the image's end. */
static uint64_t next_symbol(const struct wl_codeobject *object, uint64_t address) {
    uint64_t next = wl_codeobject_image_size(object);
    for (size_t i = 0; i < wl_codeobject_kernel_count(object); i++) {
        uint64_t entry = wl_codeobject_kernel(object, i)->start;
        if (entry > address && entry < next)
            next = entry;
    }
    for (size_t i = 0; i < wl_codeobject_function_count(object); i++) {
        uint64_t entry = wl_codeobject_function(object, i)->address;
        if (entry > address && entry < next)
            next = entry;
    }
    return next;
}

static uint32_t dword(const uint8_t *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* The end of the code that starts at `address`: up to the next symbol, without the padding (zeros, s_nop, s_code_end). */
static uint64_t code_end(const struct wl_codeobject *object, uint64_t address) {
    const uint8_t *image = wl_codeobject_image(object);
    uint64_t end = next_symbol(object, address);
    while (end > address && !wl_codeobject_is_code(object, end - 4, 4))
        end -= end % 4 ? end % 4 : 4;
    for (; end >= address + 4; end -= 4) {
        uint32_t word = dword(image + end - 4);
        if (word != 0 && (word & 0xffff0000) != 0xbf800000 && word != 0xbf9f0000)
            break;
    }
    return end;
}

static void print_code(const struct disassembler *d, struct wl_decoder *decoder, const struct wl_codeobject *object, uint64_t start) {
    const uint8_t *image = wl_codeobject_image(object);
    uint64_t end = code_end(object, start);
    char last_line[512] = "", line[512], text[512];
    for (uint64_t address = start; address < end;) {
        if (wl_codeobject_source_line(object, address, line, sizeof line) && strcmp(line, last_line) != 0) {
            printf("  ; %s\n", line);
            snprintf(last_line, sizeof last_line, "%s", line);
        }
        unsigned size = d->disassemble(decoder, image + address, end - address, address, text, sizeof text);
        if (size == 0) {
            snprintf(text, sizeof text, ".long 0x%08" PRIx32, dword(image + address));
            size = 4;
        }
        printf("  %8" PRIx64 ":  ", address);
        for (unsigned i = 0; i < 12; i += 4)
            printf(i < size ? "%08" PRIx32 " " : "         ", i < size ? dword(image + address + i) : 0);
        printf(" %s", text);
        if (strncmp(text, "s_branch", 8) == 0 || strncmp(text, "s_cbranch", 9) == 0)
            printf("  ; to %" PRIx64, address + 4 + (uint64_t)((int64_t)(int16_t)dword(image + address) * 4));
        putchar('\n');
        address += size;
    }
}

static void print_arguments(const struct wl_kernel *kernel) {
    static const char *const kinds[] = {"value", "buffer", "dynamic LDS", "sampler", "image", "pipe", "queue"};
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        const struct wl_argument *argument = &kernel->arguments[i];
        if (argument->kind >= sizeof kinds / sizeof *kinds)
            continue; /* hidden */
        printf("  argument %2u  offset %3u, size %3u, %s%s%s\n", i, argument->offset, argument->size, kinds[argument->kind],
               *argument->name ? ", " : "", argument->name);
    }
}

static void print_kernel(const struct wl_kernel *kernel) {
    printf("\nkernel %s\n", kernel->name);
    printf("  entry 0x%" PRIx64 ", wave%u, %u VGPRs, %u AGPRs, %u SGPRs, LDS %u bytes, scratch %u bytes a lane%s\n", kernel->entry,
           kernel->wave_size, kernel->vgprs, kernel->agprs, kernel->sgprs, kernel->lds_size, kernel->scratch_size,
           kernel->dynamic_stack ? " and more" : "");
    printf("  kernarg %u bytes, spills: %u SGPRs, %u VGPRs; workgroups of at most %u\n", kernel->kernarg_size, kernel->sgpr_spills,
           kernel->vgpr_spills, kernel->max_workgroup_size);
    print_arguments(kernel);
}

struct selection {
    const char *arch, *kernel;
    bool code;
};

static int print_object(const struct disassembler *d, const struct wl_codeobject *object, const struct selection *wanted, unsigned *shown) {
    char target[64];
    struct wl_decoder *decoder = NULL;
    uint32_t wave_size = 0;
    int result = 0;
    wl_target_format(wl_codeobject_target(object), target, sizeof target);
    printf("code object %s, version %u: %zu kernels, %zu functions, %zu variables\n", target, wl_codeobject_version(object),
           wl_codeobject_kernel_count(object), wl_codeobject_function_count(object), wl_codeobject_variable_count(object));
    for (size_t i = 0; i < wl_codeobject_kernel_count(object) && result == 0; i++) {
        const struct wl_kernel *kernel = wl_codeobject_kernel(object, i);
        if (wanted->kernel && strcmp(kernel->name, wanted->kernel) != 0)
            continue;
        ++*shown;
        print_kernel(kernel);
        if (!wanted->code)
            continue;
        if (wave_size != kernel->wave_size) {
            if (decoder)
                d->destroy(decoder);
            wave_size = kernel->wave_size;
            decoder = NULL;
            if (d->create(&decoder, wl_codeobject_target(object)->processor, wave_size) != WL_OK) {
                result = wl_tool_fail("the disassembler does not know this processor");
                break;
            }
        }
        print_code(d, decoder, object, kernel->entry);
    }
    for (size_t i = 0; i < wl_codeobject_function_count(object) && decoder && !wanted->kernel; i++) {
        const struct wl_function *function = wl_codeobject_function(object, i);
        printf("\nfunction %s\n", *function->name ? function->name : "(no name)");
        print_code(d, decoder, object, function->address);
    }
    if (decoder)
        d->destroy(decoder);
    for (size_t i = 0; i < wl_codeobject_variable_count(object) && !wanted->kernel; i++) {
        const struct wl_variable *variable = wl_codeobject_variable(object, i);
        printf("%svariable %s: 0x%" PRIx64 ", %" PRIu64 " bytes%s%s\n", i == 0 ? "\n" : "", variable->name, variable->address,
               variable->size, variable->constant ? ", constant" : "", variable->managed ? ", managed" : "");
    }
    putchar('\n');
    return result;
}

static int disassemble_file(const char *file, const struct selection *wanted) {
    struct disassembler disassembler = {0};
    struct wl_container *container = NULL;
    unsigned shown = 0;
    int result = 0;
    if (wanted->code && !open_disassembler(&disassembler))
        return wl_tool_fail("the disassembler (" WL_TOOL_THREADED ") cannot be opened; --no-code goes without it");
    if (wl_container_open_file(&container, file) != WL_OK)
        return wl_tool_fail(wl_failure());
    size_t count = wl_container_count(container);
    struct wl_target target;
    if (wanted->arch && wl_target_parse(&target, wanted->arch) != WL_OK)
        result = wl_tool_fail(wl_failure());
    for (size_t i = 0; i < count && result == 0; i++) {
        struct wl_entry entry;
        struct wl_codeobject *object = NULL;
        bool known = wl_container_entry(container, i, &entry) == WL_OK;
        if (known && wanted->arch && !wl_target_compatible(&entry.target, &target))
            continue;
        if (known && wl_codeobject_open(&object, entry.data, entry.size) == WL_OK)
            result = print_object(&disassembler, object, wanted, &shown);
        else
            result = wl_tool_fail(wl_failure());
        wl_codeobject_close(object);
    }
    wl_container_close(container);
    if (result == 0 && count == 0)
        result = wl_tool_fail("the file holds no code object that Wavelift can run");
    else if (result == 0 && shown == 0 && wanted->kernel)
        result = wl_tool_fail("no such kernel");
    return result;
}

int wl_command_disasm(char **operands, const char *const *values) {
    const struct selection wanted = {
        .arch = values[WL_DISASM_ARCH], .kernel = values[WL_DISASM_KERNEL], .code = !values[WL_DISASM_NO_CODE]};
    if (!operands[0] || operands[1])
        return wl_tool_usage(operands[0] ? "disasm: more than one file" : "disasm: no file is given");
    return disassemble_file(operands[0], &wanted);
}

/* ---- cache ---------------------------------------------------------------------------------- */

int wl_command_cache(char **operands, const char *const *values) {
    (void)values;
    const char *action = operands[0] ? operands[0] : "list";
    if ((operands[0] && operands[1]) || (strcmp(action, "list") != 0 && strcmp(action, "clear") != 0))
        return wl_tool_usage("cache: list or clear");
    if (!wl_cache_folder()) {
        puts("The cache is off.");
        return 0;
    }
    if (strcmp(action, "clear") == 0) {
        uint64_t freed = 0;
        enum wl_status status = wl_cache_clear(&freed);
        if (status != WL_OK && status != WL_NOT_FOUND)
            return wl_tool_fail(wl_failure());
        printf("freed ");
        print_bytes(freed);
        putchar('\n');
        return 0;
    }
    struct wl_cache_entry *entries = NULL;
    size_t count = 0;
    uint64_t bytes = 0;
    enum wl_status status = wl_cache_list(&entries, &count);
    if (status != WL_OK && status != WL_NOT_FOUND)
        return wl_tool_fail(wl_failure());
    for (size_t i = 0; i < count; i++) {
        char date[32] = "";
        struct tm day;
        if (localtime_r(&entries[i].used.tv_sec, &day))
            strftime(date, sizeof date, "%Y-%m-%d", &day);
        printf("%-40s %10" PRIu64 "  %s\n", entries[i].name, entries[i].size, date);
        bytes += entries[i].size;
    }
    free(entries);
    printf("%s: %zu entries, ", wl_cache_folder(), count);
    print_bytes(bytes);
    putchar('\n');
    return 0;
}

/* AMD's tools that this program stands for where a link has their name. */
static const struct {
    const char *name;
    int (*run)(int argc, char **argv);
} tools[] = {{"clang", wl_tool_clang},
             {"clang++", wl_tool_clang},
             {"hipconfig", wl_tool_hipconfig},
             {"rocm_agent_enumerator", wl_tool_rocm_agent_enumerator},
             {"amdgpu-arch", wl_tool_amdgpu_arch},
             {"offload-arch", wl_tool_offload_arch},
             {"rocminfo", wl_tool_rocminfo}};

int main(int argc, char **argv) {
    const char *slash = argc > 0 ? strrchr(argv[0], '/') : NULL, *name = slash ? slash + 1 : argc > 0 ? argv[0] : "";
    for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
        if (strcmp(name, tools[i].name) == 0)
            return tools[i].run(argc, argv);
    if (strcmp(name, "hipcc") == 0)
        return wl_command_run(wl_command_find("hipcc"), argc, argv);
    if (argc < 2)
        return wl_tool_usage("no command is given");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
        wl_command_print_help();
        return 0;
    }
    if (strcmp(argv[1], "--manual") == 0) { /* for docs/wavelift.1: tests/repository/manual.sh */
        wl_command_print_manual();
        return 0;
    }
    if (strcmp(argv[1], "--version") == 0) {
        puts("wavelift " WL_VERSION);
        return 0;
    }
    const struct wl_command *command = wl_command_find(argv[1]);
    return command ? wl_command_run(command, argc - 1, argv + 1) : wl_tool_usage("unknown command");
}
