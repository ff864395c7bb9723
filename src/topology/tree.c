#include "topology/tree.h"

#include "base/folder.h"
#include "runtime/core.h"
#include "topology/facts.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

/* The tree as one text, before it is files: lines "F PATH" with the content behind, up to a line of a dot, "L PATH TARGET", or "D PATH". */
struct text {
    FILE *file;
    char *data;
    size_t size;
};

__attribute__((format(printf, 3, 4))) static void add(struct text *text, const char *path, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(text->file, "F %s\n", path);
    vfprintf(text->file, format, arguments);
    fputs("\n.\n", text->file);
    va_end(arguments);
}

static void add_link(struct text *text, const char *path, const char *target) { fprintf(text->file, "L %s %s\n", path, target); }

static void add_folder(struct text *text, const char *path) { fprintf(text->file, "D %s\n", path); }

/* ---- what the files say --------------------------------------------------------------------------------- */

#define TOPOLOGY "sys/class/kfd/kfd/topology"

static void describe_link(struct text *text, unsigned from, unsigned index, unsigned to) {
    char path[128];
    snprintf(path, sizeof path, TOPOLOGY "/nodes/%u/io_links/%u/properties", from, index);
    add(text, path,
        "type 2\nversion_major 0\nversion_minor 0\nnode_from %u\nnode_to %u\nweight %d\nmin_latency 0\nmax_latency 0\nmin_bandwidth 0\n"
        "max_bandwidth 0\nrecommended_transfer_size 0\nrecommended_sdma_engine_id_mask 0\nflags 1",
        from, to, WL_FACT_WEIGHT);
}

/* The host is node 0, device i node i + 1. Every node is linked to every other one, as over one PCI root. */
static void describe_links(struct text *text, unsigned node, unsigned nodes) {
    for (unsigned to = 0, index = 0; to < nodes; to++)
        if (to != node)
            describe_link(text, node, index++, to);
}

static void describe_host(struct text *text, unsigned nodes) {
    struct sysinfo info;
    const uint64_t memory = sysinfo(&info) == 0 ? (uint64_t)info.totalram * info.mem_unit : 0;
    add(text, TOPOLOGY "/nodes/0/gpu_id", "0");
    add(text, TOPOLOGY "/nodes/0/name", "%s", "");
    add(text, TOPOLOGY "/nodes/0/properties",
        "cpu_cores_count %ld\nsimd_count 0\nmem_banks_count 1\ncaches_count 0\nio_links_count %u\np2p_links_count 0\ncpu_core_id_base 0\n"
        "simd_id_base 0\nmax_waves_per_simd 0\nlds_size_in_kb 0\ngds_size_in_kb 0\nnum_gws 0\nwave_front_size 0\narray_count 0\n"
        "simd_arrays_per_engine 0\ncu_per_simd_array 0\nsimd_per_cu 0\nmax_slots_scratch_cu 0\ngfx_target_version 0\nvendor_id 0\n"
        "device_id 0\nlocation_id 0\ndomain 0\ndrm_render_minor 0\nhive_id 0\nnum_sdma_engines 0\nnum_sdma_xgmi_engines 0\n"
        "num_sdma_queues_per_engine 0\nnum_cp_queues 0\nmax_engine_clk_ccompute 0",
        sysconf(_SC_NPROCESSORS_ONLN), nodes - 1);
    add(text, TOPOLOGY "/nodes/0/mem_banks/0/properties", "heap_type 0\nsize_in_bytes %llu\nflags 0\nwidth 64\nmem_clk_max 0",
        (unsigned long long)memory);
    describe_links(text, 0, nodes);
}

/* "0000:01:00.0" */
static void pci_name(const struct wl_device_info *info, char name[32]) {
    snprintf(name, 32, "%04x:%02x:%02x.0", (unsigned)info->pci_domain, (unsigned)info->pci_bus, (unsigned)info->pci_device);
}

static void describe_node(struct text *text, const struct wl_context *context, unsigned nodes, const struct wl_target *target,
                          unsigned lds) {
    const struct wl_device_info *info = &context->info;
    const unsigned node = context->index + 1, wave = target->major >= 10 ? 32 : 64, simds = target->major >= 10 ? 2 : 4;
    char path[128];
    snprintf(path, sizeof path, TOPOLOGY "/nodes/%u/gpu_id", node);
    add(text, path, "%u", WL_FACT_GPU_ID + context->index);
    snprintf(path, sizeof path, TOPOLOGY "/nodes/%u/name", node);
    add(text, path, "%s", target->processor);
    snprintf(path, sizeof path, TOPOLOGY "/nodes/%u/properties", node);
    add(text, path,
        "cpu_cores_count 0\nsimd_count %u\nmem_banks_count 1\ncaches_count 0\nio_links_count %u\np2p_links_count 0\ncpu_core_id_base 0\n"
        "simd_id_base %u\nmax_waves_per_simd %u\nlds_size_in_kb %u\ngds_size_in_kb 0\nnum_gws 64\nwave_front_size %u\narray_count 1\n"
        "simd_arrays_per_engine 1\ncu_per_simd_array %u\nsimd_per_cu %u\nmax_slots_scratch_cu 32\ngfx_target_version %u\nvendor_id 4098\n"
        "device_id %u\nlocation_id %u\ndomain %u\ndrm_render_minor %u\nhive_id 0\nnum_sdma_engines 1\nnum_sdma_xgmi_engines 0\n"
        "num_sdma_queues_per_engine 8\nnum_cp_queues 24\nmax_engine_clk_fcompute %u\nlocal_mem_size %llu\nfw_version 0\ncapability 0\n"
        "debug_prop 0\nsdma_fw_version 0\nunique_id %llu\nnum_xcc 1\nmax_engine_clk_ccompute %u",
        info->compute_units * simds, nodes - 1, 0x80000000u + node * 0x1000, 2048 / wave / simds, lds / 1024, wave, info->compute_units,
        simds, wl_fact_target_version(target), WL_FACT_CHIP, (unsigned)info->pci_bus << 8 | (unsigned)info->pci_device << 3,
        (unsigned)info->pci_domain, WL_FACT_RENDER + context->index, info->clock_khz / 1000, (unsigned long long)info->memory_size,
        (unsigned long long)wl_fact_unique_id(context), info->clock_khz / 1000);
    snprintf(path, sizeof path, TOPOLOGY "/nodes/%u/mem_banks/0/properties", node);
    add(text, path, "heap_type 1\nsize_in_bytes %llu\nflags 0\nwidth %u\nmem_clk_max %u", (unsigned long long)info->memory_size,
        info->memory_bus_bits, info->memory_clock_khz / 1000);
    describe_links(text, node, nodes);
}

/* A device on a bus of its own, under a root of its own; its entries in /sys/class/drm, which point there. */
static void describe_pci(struct text *text, const struct wl_context *context) {
    const struct wl_device_info *info = &context->info;
    static const struct {
        const char *name, *text;
    } files[] = {{"vendor", "0x1002"},
                 {"device", "0x740f"},
                 {"subsystem_vendor", "0x1002"},
                 {"subsystem_device", "0x0c34"},
                 {"class", "0x038000"},
                 {"revision", "0x02"},
                 {"numa_node", "0"},
                 {"max_link_speed", "16.0 GT/s PCIe"},
                 {"max_link_width", "16"},
                 {"current_link_speed", "16.0 GT/s PCIe"},
                 {"current_link_width", "16"},
                 {"vbios_version", "Wavelift"}};
    char name[32], path[160], target[160];
    pci_name(info, name);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "sys/devices/wavelift/%s/%s", name, files[i].name);
        add(text, path, "%s", files[i].text);
    }
    snprintf(path, sizeof path, "sys/devices/wavelift/%s/unique_id", name);
    add(text, path, "%016llx", (unsigned long long)wl_fact_unique_id(context));
    snprintf(path, sizeof path, "sys/devices/wavelift/%s/mem_info_vram_total", name);
    add(text, path, "%llu", (unsigned long long)info->memory_size);
    snprintf(path, sizeof path, "sys/devices/wavelift/%s/uevent", name);
    add(text, path, "DRIVER=amdgpu\nPCI_CLASS=38000\nPCI_ID=1002:740F\nPCI_SLOT_NAME=%s", name);
    snprintf(path, sizeof path, "sys/devices/wavelift/pci_bus/%04x:%02x/cpuaffinity", (unsigned)info->pci_domain, (unsigned)info->pci_bus);
    add(text, path, "ffffffff");
    snprintf(path, sizeof path, "sys/class/pci_bus/%04x:%02x", (unsigned)info->pci_domain, (unsigned)info->pci_bus);
    snprintf(target, sizeof target, "../../devices/wavelift/pci_bus/%04x:%02x", (unsigned)info->pci_domain, (unsigned)info->pci_bus);
    add_link(text, path, target);
    snprintf(path, sizeof path, "sys/bus/pci/devices/%s", name);
    snprintf(target, sizeof target, "../../../devices/wavelift/%s", name);
    add_link(text, path, target);
    const unsigned minors[] = {context->index, WL_FACT_RENDER + context->index};
    for (unsigned i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "sys/class/drm/%s%u/dev", i ? "renderD" : "card", minors[i]);
        add(text, path, "226:%u", minors[i]);
        snprintf(path, sizeof path, "sys/class/drm/%s%u/device", i ? "renderD" : "card", minors[i]);
        snprintf(target, sizeof target, "../../../devices/wavelift/%s", name);
        add_link(text, path, target);
    }
}

static bool describe(struct text *text, const struct wl_core *core) {
    const unsigned devices = core->context_count();
    text->file = devices ? open_memstream(&text->data, &text->size) : NULL;
    if (!text->file)
        return false;
    add(text, TOPOLOGY "/generation_id", "1");
    add(text, TOPOLOGY "/system_properties", "platform_oem 0\nplatform_id 0\nplatform_rev 0");
    add(text, "sys/class/kfd/kfd/dev", "234:0");
    add(text, "sys/module/amdgpu/initstate", "live");
    add(text, "sys/module/amdgpu/refcnt", "0");
    add(text, "sys/module/amdgpu/coresize", "0");
    add(text, "sys/module/amdgpu/taint", "%s", "");
    add_folder(text, "sys/module/amdgpu/holders");
    add_folder(text, "sys/class/kfd/kfd/proc");
    add(text, "sys/module/amdgpu/version", "Wavelift " WL_VERSION);
    add(text, "sys/class/drm/version", "drm 1.1.0 20060810");
    add(text, "dev/kfd", "%s", "");
    describe_host(text, devices + 1);
    for (unsigned i = 0; i < devices; i++) {
        struct wl_context *context = core->context_at(i);
        describe_node(text, context, devices + 1, core->target(), core->context_lds(context));
        describe_pci(text, context);
    }
    return fclose(text->file) == 0;
}

/* ---- files --------------------------------------------------------------------------------------------- */

/* Makes the folders above a path. */
static void make_parents(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        (void)mkdir(path, 0755);
        *slash = '/';
    }
}

static bool write_file(char *path, const char *content, size_t size) {
    make_parents(path);
    FILE *file = fopen(path, "we");
    const bool written = file && fwrite(content, 1, size, file) == size;
    return file && fclose(file) == 0 && written;
}

/* The path of an entry in the folder; false: it is too long. */
static bool entry_path(char path[PATH_MAX], const char *folder, const char *name, const char *end) {
    const size_t length = strlen(folder), more = (size_t)(end - name);
    if (length + 1 + more >= PATH_MAX)
        return false;
    memcpy(path, folder, length);
    path[length] = '/';
    memcpy(path + length + 1, name, more);
    path[length + 1 + more] = 0;
    return true;
}

/* Makes the link of a line's rest, "PATH TARGET". */
static bool write_link(const char *folder, const char *at, const char *end) {
    char path[PATH_MAX];
    const char *blank = memchr(at, ' ', (size_t)(end - at));
    char *target = blank ? strndup(blank + 1, (size_t)(end - blank - 1)) : NULL;
    bool made = target && entry_path(path, folder, at, blank);
    if (made) {
        make_parents(path);
        made = symlink(target, path) == 0 || errno == EEXIST;
    }
    free(target);
    return made;
}

static bool write_tree(const char *folder, const struct text *text) {
    char path[PATH_MAX];
    for (const char *at = text->data; *at;) {
        const char *end = strchr(at, '\n');
        if (!end)
            return false;
        if (*at == 'L') {
            if (!write_link(folder, at + 2, end))
                return false;
            at = end + 1;
            continue;
        }
        if (*at == 'D') {
            if (!entry_path(path, folder, at + 2, end))
                return false;
            make_parents(path);
            if (mkdir(path, 0755) != 0 && errno != EEXIST)
                return false;
            at = end + 1;
            continue;
        }
        const char *stop = strstr(end, "\n.\n");
        if (!stop || !entry_path(path, folder, at + 2, end) || !write_file(path, end + 1, (size_t)(stop - end)))
            return false;
        at = stop + 3;
    }
    return true;
}

static uint64_t hash_of(const struct text *text) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text->size; i++)
        hash = (hash ^ (uint8_t)text->data[i]) * UINT64_C(0x100000001b3);
    return hash;
}

/* A folder that nobody else writes to: the cache's, or one of the user's in /tmp. */
static bool place(char *folder, size_t size) {
    struct stat info;
    const char *cache = wl_cache_folder();
    if (cache && wl_cache_folder_make()) {
        snprintf(folder, size, "%s/topology", cache);
        if (mkdir(folder, 0755) == 0 || errno == EEXIST)
            return true;
    }
    snprintf(folder, size, "/tmp/wavelift-topology-%u", (unsigned)getuid());
    (void)mkdir(folder, 0700);
    /* Not lstat, which glibc has only since 2.33: the one of this library would look for it there. */
    return syscall(SYS_newfstatat, AT_FDCWD, folder, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(info.st_mode) && info.st_uid == getuid() &&
           (info.st_mode & 022) == 0;
}

static void remove_tree(const char *folder) {
    DIR *directory = opendir(folder);
    char path[PATH_MAX];
    for (struct dirent *entry; directory && (entry = readdir(directory));) { /* NOLINT(concurrency-mt-unsafe): a stream of its own */
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (unlink(path) != 0)
            remove_tree(path);
    }
    if (directory)
        closedir(directory);
    (void)rmdir(folder);
}

static char tree[PATH_MAX];

/* The tree appears under its name when it is whole. */
static void make_tree(const struct text *text) {
    char folder[PATH_MAX - 64], fresh[PATH_MAX];
    if (!place(folder, sizeof folder))
        return;
    snprintf(tree, sizeof tree, "%s/%016llx", folder, (unsigned long long)hash_of(text));
    if (access(tree, R_OK) == 0)
        return;
    snprintf(fresh, sizeof fresh, "%s/new-XXXXXX", folder);
    const bool written = mkdtemp(fresh) && chmod(fresh, 0755) == 0 && write_tree(fresh, text);
    if (!written || rename(fresh, tree) != 0)
        remove_tree(fresh);
    if (access(tree, R_OK) != 0)
        tree[0] = 0;
}

/* The HIP library beside this one has the devices. */
static const struct wl_core *core_of(void) {
    Dl_info info;
    char path[PATH_MAX];
    const char *slash = dladdr((void *)(uintptr_t)&make_tree, &info) && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    snprintf(path, sizeof path, "%.*slibamdhip64.so.7", slash ? (int)(slash - info.dli_fname + 1) : 0, slash ? info.dli_fname : "");
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    return library ? dlsym(library, "wl_core") : NULL;
}

static void make(void) {
    struct text text = {NULL, NULL, 0};
    const struct wl_core *core = core_of();
    if (core && describe(&text, core))
        make_tree(&text);
    free(text.data);
}

const char *wl_tree(void) {
    static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP; /* making it may ask for such a file itself */
    static bool made;
    pthread_mutex_lock(&lock);
    if (!made) {
        made = true;
        make();
    }
    const char *folder = tree[0] ? tree : NULL;
    pthread_mutex_unlock(&lock);
    return folder;
}
