/* Containers: where each entry is, and which one a device takes.
 *
 * A container is a list of parts, each a bare ELF, a bundle or a compressed bundle. All but host
 * executables have one part. Entry tables are read when the container is opened, except those of
 * compressed bundles, which are expanded when the first entry is asked for. */
#include "base/array.h"
#include "codeobject/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define HIPF_MAGIC         UINT32_C(0x48495046)
#define HIPF_SIZE          24
#define BUNDLE_MAGIC       "__CLANG_OFFLOAD_BUNDLE__"
#define BUNDLE_MAGIC_SIZE  24
#define BUNDLE_ENTRIES_MAX 4096 /* clang knows some 60 processors; more entries than this are damage */
#define ID_MAX             4096
#define FATBIN_ALIGN       UINT64_C(4096) /* clang's alignment of each bundle in a host file's .hip_fatbin section */

struct item {
    struct wl_target target;
    const uint8_t *data;
    uint64_t size;
    bool checked; /* known to be mapped: lies within bytes of a known size */
};

struct part {
    struct wl_compressed compressed;
    void *pages; /* the expanded bundle */
};

struct wl_container {
    struct item *items;
    size_t count, capacity;
    struct part *parts; /* compressed ones only */
    size_t part_count, part_capacity;
    void *mapping; /* of the file, or NULL */
    size_t mapping_size;
    pthread_mutex_t lock; /* guards expansion: `expanded` and all that it fills. Taken alone */
    bool expanded;
    enum wl_status status; /* of the expansion */
    char failure[256];
};

static bool bytes_at(const uint8_t *data, uint64_t size, uint64_t offset, uint64_t length) {
    if (size != WL_SIZE_UNKNOWN)
        return wl_within(offset, length, size);
    return offset < UINT64_C(1) << 40 && wl_pages_mapped(data + offset, length);
}

static enum wl_status add_item(struct wl_container *container, const struct item *item) {
    if (!WL_ARRAY_RESERVE(container->items, container->count, container->capacity, 8))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a bundle's entries");
    container->items[container->count++] = *item;
    return WL_OK;
}

/* The target in a bundle's entry id, such as "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-". False: not an entry for us. */
static bool parse_id(const uint8_t *id, uint64_t length, struct wl_target *target) {
    char text[256];
    if (length >= sizeof text)
        return false;
    memcpy(text, id, length);
    text[length] = 0;
    const char *triple = strstr(text, "amdgcn-amd-amdhsa");
    return triple && strlen(text) == length && wl_target_parse(target, triple) == WL_OK;
}

/* Reads a bundle's entry table. `extent` receives how far its entries reach. */
static enum wl_status add_bundle(struct wl_container *container, const uint8_t *data, uint64_t size, uint64_t *extent) {
    if (!bytes_at(data, size, 0, BUNDLE_MAGIC_SIZE + 8))
        return wl_fail(WL_INVALID_IMAGE, "the bundle's header is cut off");
    uint64_t count = wl_read64(data + BUNDLE_MAGIC_SIZE), at = BUNDLE_MAGIC_SIZE + 8;
    if (count > BUNDLE_ENTRIES_MAX)
        return wl_fail(WL_INVALID_IMAGE, "the bundle says it has %llu entries", (unsigned long long)count);
    for (uint64_t i = 0; i < count; i++) {
        if (!bytes_at(data, size, at, 24))
            return wl_fail(WL_INVALID_IMAGE, "the bundle's entry table is cut off");
        uint64_t offset = wl_read64(data + at), length = wl_read64(data + at + 8), id_length = wl_read64(data + at + 16);
        at += 24;
        if (id_length > ID_MAX || !bytes_at(data, size, at, id_length))
            return wl_fail(WL_INVALID_IMAGE, "the name of the bundle's entry %llu is damaged", (unsigned long long)i);
        struct item item = {.checked = size != WL_SIZE_UNKNOWN};
        bool ours = parse_id(data + at, id_length, &item.target);
        at += id_length;
        if (!wl_within(offset, length, item.checked ? size : UINT64_C(1) << 40))
            return wl_fail(WL_INVALID_IMAGE, "entry %llu lies outside the bundle", (unsigned long long)i);
        if (offset + length > *extent)
            *extent = offset + length;
        item.data = data + offset;
        item.size = length;
        enum wl_status status = ours && length ? add_item(container, &item) : WL_OK;
        if (status)
            return status;
    }
    if (at > *extent)
        *extent = at;
    return WL_OK;
}

static enum wl_status add_compressed(struct wl_container *container, const uint8_t *data, uint64_t size, uint64_t *extent) {
    struct part part = {0};
    enum wl_status status = wl_compressed_open(&part.compressed, data, size);
    if (status)
        return status;
    if (!WL_ARRAY_RESERVE(container->parts, container->part_count, container->part_capacity, 1))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a compressed bundle");
    container->parts[container->part_count++] = part;
    /* Version 1 does not say where it ends. */
    *extent = wl_read16(data + 4) == 1 ? part.compressed.header_size : part.compressed.size;
    return WL_OK;
}

static enum wl_status add_elf(struct wl_container *container, const uint8_t *data, uint64_t size) {
    struct item item = {.data = data, .size = size, .checked = true};
    if (size == WL_SIZE_UNKNOWN && (item.size = wl_elf_extent(data)) == 0)
        return wl_fail(WL_INVALID_IMAGE, "the ELF's headers are damaged, or it reaches past the memory it is in");
    struct wl_elf elf;
    enum wl_status status = wl_elf_open(&elf, data, item.size);
    if (status)
        return status;
    if (elf.header.e_machine != EM_AMDGPU)
        return wl_fail(WL_INVALID_IMAGE, "the ELF is for machine %u, not for AMD GPUs", elf.header.e_machine);
    /* A processor that is not supported leaves a good container without entries. */
    if (wl_target_from_flags(&item.target, elf.header.e_flags, elf.header.e_ident[EI_ABIVERSION] + 2u) == WL_OK)
        return add_item(container, &item);
    return WL_OK;
}

/* The bundles of a host executable or library, one behind another in its .hip_fatbin section. */
static enum wl_status add_host_file(struct wl_container *container, const uint8_t *data, uint64_t size) {
    struct wl_elf elf;
    const uint8_t *section;
    uint64_t section_size;
    enum wl_status status = wl_elf_open(&elf, data, size);
    if (status)
        return status;
    if (!wl_elf_find_section(&elf, ".hip_fatbin", &section, &section_size))
        return wl_fail(WL_INVALID_IMAGE, "the ELF is neither for AMD GPUs nor a host file with a .hip_fatbin section");
    for (uint64_t at = 0; section_size - at >= BUNDLE_MAGIC_SIZE && !status;) {
        uint64_t extent = 0;
        if (memcmp(section + at, BUNDLE_MAGIC, BUNDLE_MAGIC_SIZE) == 0)
            status = add_bundle(container, section + at, section_size - at, &extent);
        else if (wl_compressed_is(section + at, section_size - at))
            status = add_compressed(container, section + at, section_size - at, &extent);
        extent = (extent + FATBIN_ALIGN - 1) & ~(FATBIN_ALIGN - 1);
        extent = extent ? extent : FATBIN_ALIGN;
        if (extent > section_size - at)
            break;
        at += extent;
    }
    return status;
}

static bool is_host_elf(const uint8_t *data, uint64_t size) {
    return size >= sizeof(Elf64_Ehdr) && memcmp(data, ELFMAG, SELFMAG) == 0 &&
           wl_read16(data + offsetof(Elf64_Ehdr, e_machine)) != EM_AMDGPU;
}

static enum wl_status recognize(struct wl_container *container, const uint8_t *data, uint64_t size) {
    uint64_t extent = 0;
    if (bytes_at(data, size, 0, SELFMAG) && memcmp(data, ELFMAG, SELFMAG) == 0)
        return add_elf(container, data, size);
    if (bytes_at(data, size, 0, BUNDLE_MAGIC_SIZE) && memcmp(data, BUNDLE_MAGIC, BUNDLE_MAGIC_SIZE) == 0)
        return add_bundle(container, data, size, &extent);
    if (bytes_at(data, size, 0, 8) && wl_compressed_is(data, size))
        return add_compressed(container, data, size, &extent);
    return wl_fail(WL_INVALID_IMAGE, "neither a HIP fat binary, nor an offload bundle, nor an AMDGPU ELF");
}

static struct wl_container *create(void) {
    struct wl_container *container = calloc(1, sizeof *container);
    if (container && pthread_mutex_init(&container->lock, NULL) != 0) {
        free(container);
        container = NULL;
    }
    if (!container)
        wl_fail(WL_OUT_OF_MEMORY, "no memory for a container");
    return container;
}

enum wl_status wl_container_open(struct wl_container **container, const void *data, size_t size) {
    *container = NULL;
    const uint8_t *bytes = data;
    if (!bytes)
        return wl_fail(WL_INVALID_VALUE, "no code object given");
    if (bytes_at(bytes, size, 0, HIPF_SIZE) && wl_read32(bytes) == HIPF_MAGIC) {
        uint32_t version = wl_read32(bytes + 4);
        bytes = (const uint8_t *)(uintptr_t)wl_read64(bytes + 8);
        if (version != 1 || !bytes || !wl_pages_mapped(bytes, BUNDLE_MAGIC_SIZE))
            return wl_fail(WL_INVALID_IMAGE, "the fat binary's wrapper (version %u) is damaged", version);
        size = WL_SIZE_UNKNOWN;
    }
    struct wl_container *created = create();
    if (!created)
        return WL_OUT_OF_MEMORY;
    enum wl_status status = recognize(created, bytes, size);
    if (status)
        wl_container_close(created);
    else
        *container = created;
    return status;
}

enum wl_status wl_container_open_file(struct wl_container **container, const char *path) {
    *container = NULL;
    if (!path)
        return wl_fail(WL_INVALID_VALUE, "no file name given");
    struct wl_container *created = create();
    if (!created)
        return WL_OUT_OF_MEMORY;
    struct wl_file file = {0};
    enum wl_status status = wl_file_map(&file, path);
    created->mapping = file.data;
    created->mapping_size = file.size;
    if (!status) { /* no wrapper: a pointer means nothing in a file */
        const uint8_t *data = created->mapping;
        status = is_host_elf(data, created->mapping_size) ? add_host_file(created, data, created->mapping_size)
                                                          : recognize(created, data, created->mapping_size);
        if (status) {
            char why[512];
            snprintf(why, sizeof why, "%s", wl_failure());
            wl_fail(status, "%s: %s", path, why);
        }
    }
    if (status)
        wl_container_close(created);
    else
        *container = created;
    return status;
}

void wl_container_close(struct wl_container *container) {
    if (!container)
        return;
    for (size_t i = 0; i < container->part_count; i++)
        wl_pages_free(container->parts[i].pages, container->parts[i].compressed.uncompressed_size);
    if (container->mapping)
        munmap(container->mapping, container->mapping_size);
    pthread_mutex_destroy(&container->lock);
    free(container->parts);
    free(container->items);
    free(container);
}

static enum wl_status expand_part(struct wl_container *container, struct part *part) {
    enum wl_status status = wl_compressed_expand(&part->compressed, &part->pages);
    if (status)
        return status;
    uint64_t size = part->compressed.uncompressed_size, extent = 0;
    if (size < BUNDLE_MAGIC_SIZE || memcmp(part->pages, BUNDLE_MAGIC, BUNDLE_MAGIC_SIZE) != 0)
        return wl_fail(WL_INVALID_IMAGE, "the compressed bundle holds no bundle");
    return add_bundle(container, part->pages, size, &extent);
}

/* Expands the compressed parts, once. Afterwards the items never change. */
static enum wl_status expand(struct wl_container *container) {
    if (container->part_count == 0)
        return WL_OK;
    pthread_mutex_lock(&container->lock);
    for (size_t i = 0; !container->expanded && !container->status && i < container->part_count; i++)
        container->status = expand_part(container, &container->parts[i]);
    if (!container->expanded && container->status)
        snprintf(container->failure, sizeof container->failure, "%s", wl_failure());
    container->expanded = true;
    enum wl_status status = container->status;
    pthread_mutex_unlock(&container->lock);
    return status ? wl_fail(status, "%s", container->failure) : WL_OK;
}

size_t wl_container_count(struct wl_container *container) { return expand(container) ? 0 : container->count; }

static enum wl_status give(const struct item *item, struct wl_entry *entry) {
    if (!item->checked && !wl_pages_mapped(item->data, item->size))
        return wl_fail(WL_INVALID_IMAGE, "the bundle's entry for %s reaches past the memory it is in", item->target.processor);
    *entry = (struct wl_entry){.target = item->target, .data = item->data, .size = item->size};
    return WL_OK;
}

enum wl_status wl_container_entry(struct wl_container *container, size_t index, struct wl_entry *entry) {
    enum wl_status status = expand(container);
    if (status)
        return status;
    if (index >= container->count)
        return wl_fail(WL_INVALID_VALUE, "entry %zu of %zu", index, container->count);
    return give(&container->items[index], entry);
}

/* Smaller is better; UINT_MAX: cannot serve. */
static unsigned badness(const struct wl_target *code, const struct wl_target *wanted) {
    enum { COMPATIBLE = 1 << 16, GENERIC = 2 << 16 };
    unsigned rank = wl_target_rank(code);
    if (!wanted)
        return rank;
    if (!wl_target_compatible(code, wanted))
        return UINT32_MAX;
    if (strcmp(code->processor, wanted->processor) != 0)
        return GENERIC + rank;
    return code->xnack == wanted->xnack && code->sramecc == wanted->sramecc ? rank : COMPATIBLE + rank;
}

static enum wl_status no_binary(const struct wl_container *container, const struct wl_target *wanted) {
    char text[400] = "", name[64];
    size_t used = 0;
    for (size_t i = 0; i < container->count && used < sizeof text - 80; i++) {
        wl_target_format(&container->items[i].target, name, sizeof name);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? ", " : "", name);
    }
    if (wanted)
        wl_target_format(wanted, name, sizeof name);
    else
        snprintf(name, sizeof name, "any supported processor");
    return wl_fail(WL_NO_BINARY, "there is no code for %s, only for %s", name,
                   container->count ? text : "the host or unsupported processors");
}

enum wl_status wl_container_select(struct wl_container *container, const struct wl_target *wanted, struct wl_entry *entry) {
    enum wl_status status = expand(container);
    if (status)
        return status;
    const struct item *best = NULL;
    unsigned least = UINT32_MAX;
    for (size_t i = 0; i < container->count; i++) {
        unsigned value = badness(&container->items[i].target, wanted);
        if (value < least) {
            least = value;
            best = &container->items[i];
        }
    }
    return best ? give(best, entry) : no_binary(container, wanted);
}
