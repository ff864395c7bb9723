/* Opening a code object: the image, and the lists of kernels, variables and functions from its symbols. */
#include "codeobject/internal.h"

#include <stdio.h>
#include <stdlib.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { OSABI_AMDGPU_HSA = 64, SEGMENTS_MAX = 64 };
#define IMAGE_MAX (UINT64_C(1) << 36)

/* ---- image ---------------------------------------------------------------------------------------- */

static enum wl_status check_header(struct wl_codeobject *object) {
    const Elf64_Ehdr *header = &object->elf.header;
    if (header->e_machine != EM_AMDGPU)
        return wl_fail(WL_INVALID_IMAGE, "the ELF is for machine %u, not for AMD GPUs", header->e_machine);
    if (header->e_ident[EI_OSABI] != OSABI_AMDGPU_HSA)
        return wl_fail(WL_UNSUPPORTED, "the code object is for OS ABI %u, not for AMD's HSA", header->e_ident[EI_OSABI]);
    unsigned version = header->e_ident[EI_ABIVERSION] + 2u;
    if (version < 3 || version > 6)
        return wl_fail(WL_UNSUPPORTED, "code object version %u is not supported", version);
    if (header->e_type != ET_DYN)
        return wl_fail(WL_INVALID_IMAGE, "the code object has not been linked (ELF type %u)", header->e_type);
    object->version = version;
    return wl_target_from_flags(&object->target, header->e_flags, version);
}

static enum wl_status check_segments(struct wl_codeobject *object) {
    const struct wl_elf *elf = &object->elf;
    if (elf->header.e_phnum > SEGMENTS_MAX)
        return wl_fail(WL_INVALID_IMAGE, "the code object has %u segments", elf->header.e_phnum);
    object->segments = wl_arena_allocate(&object->arena, (elf->header.e_phnum + 1u) * sizeof *object->segments);
    if (!object->segments)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a code object");
    for (unsigned i = 0; i < elf->header.e_phnum; i++) {
        Elf64_Phdr segment = wl_elf_segment(elf, i);
        if (segment.p_type != PT_LOAD || segment.p_memsz == 0)
            continue;
        if (!wl_within(segment.p_offset, segment.p_filesz, elf->size) || segment.p_filesz > segment.p_memsz ||
            !wl_within(segment.p_vaddr, segment.p_memsz, IMAGE_MAX) || segment.p_vaddr < object->image_size)
            return wl_fail(WL_INVALID_IMAGE, "segment %u lies outside the file or over another", i);
        object->image_size = segment.p_vaddr + segment.p_memsz;
        object->segments[object->segment_count++] = (struct wl_segment){
            .address = segment.p_vaddr,
            .memory_size = segment.p_memsz,
            .writable = segment.p_flags & PF_W,
            .executable = segment.p_flags & PF_X,
        };
    }
    return object->segment_count ? WL_OK : wl_fail(WL_INVALID_IMAGE, "the code object has nothing to load");
}

static enum wl_status build_image(struct wl_codeobject *object) {
    enum wl_status status = check_segments(object);
    if (status)
        return status;
    object->image = wl_pages_reserve(object->image_size);
    if (!object->image)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for an image of %llu bytes", (unsigned long long)object->image_size);
    wl_image_put(object, object->image);
    return WL_OK;
}

static const struct wl_segment *segment_of(const struct wl_codeobject *object, uint64_t address, uint64_t size) {
    for (size_t i = 0; i < object->segment_count; i++) {
        const struct wl_segment *segment = &object->segments[i];
        if (address >= segment->address && wl_within(address - segment->address, size, segment->memory_size))
            return segment;
    }
    return NULL;
}

bool wl_codeobject_is_loaded(const struct wl_codeobject *object, uint64_t address, uint64_t size) {
    return segment_of(object, address, size) != NULL;
}

bool wl_codeobject_is_code(const struct wl_codeobject *object, uint64_t address, uint64_t size) {
    /* An empty range is where its address is: not at the end of the segment before. */
    const struct wl_segment *segment = segment_of(object, address, size ? size : 1);
    return segment && segment->executable;
}

/* ---- symbols -------------------------------------------------------------------------------------- */

struct symbols {
    struct wl_elf_symbol *all;
    size_t count, dynamic;
};

static bool is_defined(const struct wl_elf_symbol *symbol) {
    return symbol->section != SHN_UNDEF && symbol->section < SHN_LORESERVE && symbol->name[0];
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), end_length = strlen(end);
    return length > end_length && strcmp(text + length - end_length, end) == 0;
}

static bool is_descriptor(const struct wl_elf_symbol *symbol) {
    return is_defined(symbol) && (symbol->type == STT_OBJECT || symbol->type == STT_NOTYPE) && ends_with(symbol->name, ".kd");
}

static bool is_variable(const struct wl_elf_symbol *symbol) {
    return is_defined(symbol) && symbol->type == STT_OBJECT && symbol->binding != STB_LOCAL && !ends_with(symbol->name, ".kd");
}

static bool is_function(const struct wl_elf_symbol *symbol) { return is_defined(symbol) && symbol->type == STT_FUNC; }

static int compare_kernels(const void *a, const void *b) {
    const struct wl_kernel *x = a, *y = b;
    return strcmp(x->name, y->name);
}

static int compare_variables(const void *a, const void *b) {
    const struct wl_variable *x = a, *y = b;
    return strcmp(x->name, y->name);
}

/* By address; of several names for one address the one that others may call comes first (see add_function). */
static int compare_functions(const void *a, const void *b) {
    const struct wl_function *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return strcmp(x->name, y->name);
}

/* An array for all symbols that `wanted` takes. */
static void *make_list(struct wl_codeobject *object, const struct symbols *symbols, bool (*wanted)(const struct wl_elf_symbol *),
                       size_t extra, size_t size) {
    size_t count = extra;
    for (size_t i = 0; i < symbols->count; i++)
        count += wanted(&symbols->all[i]);
    void *list = wl_arena_allocate(&object->arena, (count + 1) * size);
    if (!list)
        wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu symbols", count);
    return list;
}

static enum wl_status list_kernels(struct wl_codeobject *object, const struct symbols *symbols) {
    object->kernels = make_list(object, symbols, is_descriptor, 0, sizeof *object->kernels);
    if (!object->kernels)
        return WL_OUT_OF_MEMORY;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < symbols->count; i++) {
        const struct wl_elf_symbol *symbol = &symbols->all[i];
        if (!is_descriptor(symbol))
            continue;
        char *name = wl_arena_text(&object->arena, symbol->name, strlen(symbol->name) - 3);
        if (!name)
            return wl_fail(WL_OUT_OF_MEMORY, "no memory for a code object's names");
        object->kernels[count++] = (struct wl_kernel){.name = name, .descriptor = symbol->value};
    }
    qsort(object->kernels, count, sizeof *object->kernels, compare_kernels);
    for (size_t i = 0; i < count; i++) { /* .dynsym and .symtab name each kernel once */
        if (kept && strcmp(object->kernels[kept - 1].name, object->kernels[i].name) == 0) {
            if (object->kernels[kept - 1].descriptor != object->kernels[i].descriptor)
                return wl_fail(WL_INVALID_IMAGE, "kernel %s has two descriptors", object->kernels[i].name);
            continue;
        }
        object->kernels[kept] = object->kernels[i];
        enum wl_status status = wl_descriptor_decode(object, &object->kernels[kept]);
        if (status)
            return status;
        object->kernel_count = ++kept;
    }
    return WL_OK;
}

static enum wl_status list_variables(struct wl_codeobject *object, const struct symbols *symbols) {
    object->variables = make_list(object, symbols, is_variable, 0, sizeof *object->variables);
    if (!object->variables)
        return WL_OUT_OF_MEMORY;
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < symbols->count; i++) {
        const struct wl_elf_symbol *symbol = &symbols->all[i];
        if (!is_variable(symbol))
            continue;
        const struct wl_segment *segment = segment_of(object, symbol->value, symbol->size);
        if (!segment)
            return wl_fail(WL_INVALID_IMAGE, "variable %.200s lies outside the segments", symbol->name);
        object->variables[count++] = (struct wl_variable){
            .name = symbol->name,
            .address = symbol->value,
            .size = symbol->size,
            .managed = ends_with(symbol->name, ".managed"),
            .constant = !segment->writable,
        };
    }
    qsort(object->variables, count, sizeof *object->variables, compare_variables);
    for (size_t i = 0; i < count; i++)
        if (!kept || strcmp(object->variables[kept - 1].name, object->variables[i].name) != 0)
            object->variables[kept++] = object->variables[i];
    object->variable_count = kept;
    return WL_OK;
}

static int compare_addresses(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Functions that data points at but no symbol names, as in a stripped object's virtual tables. */
static size_t add_pointed_at(struct wl_codeobject *object, struct wl_function *functions) {
    size_t count = 0;
    for (size_t i = 0; i < object->relocation_count; i++) {
        const struct wl_relocation *relocation = &object->relocations[i];
        bool pointer = relocation->type == R_AMDGPU_RELATIVE64 || relocation->type == R_AMDGPU_ABS64;
        if (pointer && relocation->relative && relocation->value % 4 == 0 && wl_codeobject_is_code(object, relocation->value, 4))
            functions[count++] = (struct wl_function){.name = "", .address = relocation->value, .in_data = true, .address_taken = true};
    }
    return count;
}

static enum wl_status list_functions(struct wl_codeobject *object, const struct symbols *symbols) {
    uint64_t *entries = malloc((object->kernel_count + 1) * sizeof *entries);
    object->functions = make_list(object, symbols, is_function, object->relocation_count, sizeof *object->functions);
    enum wl_status status = entries && object->functions ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for a code object's functions");
    size_t count = 0, kept = 0;
    for (size_t i = 0; !status && i < object->kernel_count; i++)
        entries[i] = object->kernels[i].start;
    if (!status)
        qsort(entries, object->kernel_count, sizeof *entries, compare_addresses);
    for (size_t i = 0; !status && i < symbols->count; i++) {
        const struct wl_elf_symbol *symbol = &symbols->all[i];
        if (!is_function(symbol))
            continue;
        if (symbol->value % 4 || !wl_codeobject_is_code(object, symbol->value, symbol->size))
            status = wl_fail(WL_INVALID_IMAGE, "function %.200s is not in code", symbol->name);
        else
            object->functions[count++] =
                (struct wl_function){.name = symbol->name, .address = symbol->value, .size = symbol->size, .address_taken = true};
    }
    if (!status)
        count += add_pointed_at(object, object->functions + count);
    if (!status)
        qsort(object->functions, count, sizeof *object->functions, compare_functions);
    for (size_t i = 0; !status && i < count; i++) {
        const struct wl_function *function = &object->functions[i];
        if (kept && object->functions[kept - 1].address == function->address) {
            object->functions[kept - 1].in_data |= function->in_data;
            continue;
        }
        if (bsearch(&function->address, entries, object->kernel_count, sizeof *entries, compare_addresses))
            continue;
        object->functions[kept++] = *function;
    }
    object->function_count = kept;
    free(entries);
    return status;
}

/* ---- opening ---------------------------------------------------------------------------------------- */

static enum wl_status read_contents(struct wl_codeobject *object) {
    struct symbols symbols = {0};
    enum wl_status status = wl_elf_symbols(&object->elf, &symbols.all, &symbols.count, &symbols.dynamic);
    if (!status)
        status = build_image(object);
    if (!status)
        status = list_kernels(object, &symbols);
    if (!status)
        status = wl_metadata_read(object);
    if (!status)
        status = list_variables(object, &symbols);
    if (!status)
        status = wl_relocations_read(object, symbols.all, symbols.dynamic);
    if (!status)
        status = list_functions(object, &symbols);
    free(symbols.all);
    return status;
}

enum wl_status wl_codeobject_open(struct wl_codeobject **object, const void *data, size_t size) {
    *object = NULL;
    if (!data)
        return wl_fail(WL_INVALID_VALUE, "no code object given");
    struct wl_elf elf;
    enum wl_status status = wl_elf_open(&elf, data, size);
    if (status)
        return status;
    struct wl_codeobject *opened = calloc(1, sizeof *opened);
    if (!opened || pthread_mutex_init(&opened->lines_lock, NULL) != 0) {
        free(opened);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a code object of %zu bytes", size);
    }
    atomic_init(&opened->users, 1);
    wl_backing_open(&opened->backing, data, size);
    opened->bytes = opened->backing.bytes ? opened->backing.bytes : malloc(size);
    if (!opened->bytes) {
        wl_codeobject_close(opened);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a code object of %zu bytes", size);
    }
    if (!opened->backing.bytes)
        memcpy(opened->bytes, data, size);
    status = wl_elf_open(&opened->elf, opened->bytes, size);
    if (!status)
        status = check_header(opened);
    if (!status)
        status = read_contents(opened);
    if (status) {
        wl_codeobject_close(opened);
        return status;
    }
    XXH128_hash_t hash = XXH3_128bits(opened->bytes, size);
    opened->hash[0] = hash.low64;
    opened->hash[1] = hash.high64;
    *object = opened;
    return WL_OK;
}

void wl_codeobject_share(struct wl_codeobject *object) { atomic_fetch_add(&object->users, 1); }

void wl_codeobject_close(struct wl_codeobject *object) {
    if (!object || atomic_fetch_sub(&object->users, 1) != 1)
        return;
    wl_lines_close(object->lines);
    wl_pages_free(object->image, object->image_size);
    wl_arena_free(&object->arena);
    pthread_mutex_destroy(&object->lines_lock);
    if (!object->backing.bytes)
        free(object->bytes);
    wl_backing_close(&object->backing);
    free(object);
}

/* ---- access ------------------------------------------------------------------------------------------ */

const struct wl_target *wl_codeobject_target(const struct wl_codeobject *object) { return &object->target; }
unsigned wl_codeobject_version(const struct wl_codeobject *object) { return object->version; }
uint64_t wl_codeobject_image_size(const struct wl_codeobject *object) { return object->image_size; }
const uint8_t *wl_codeobject_image(const struct wl_codeobject *object) { return object->image; }
size_t wl_codeobject_kernel_count(const struct wl_codeobject *object) { return object->kernel_count; }
size_t wl_codeobject_variable_count(const struct wl_codeobject *object) { return object->variable_count; }
size_t wl_codeobject_function_count(const struct wl_codeobject *object) { return object->function_count; }

void wl_codeobject_hash(const struct wl_codeobject *object, uint64_t hash[2]) {
    hash[0] = object->hash[0];
    hash[1] = object->hash[1];
}

const void *wl_codeobject_elf(const struct wl_codeobject *object, size_t *size) {
    *size = object->elf.size;
    return object->bytes;
}

const struct wl_kernel *wl_codeobject_kernel(const struct wl_codeobject *object, size_t index) {
    return index < object->kernel_count ? &object->kernels[index] : NULL;
}

const struct wl_variable *wl_codeobject_variable(const struct wl_codeobject *object, size_t index) {
    return index < object->variable_count ? &object->variables[index] : NULL;
}

const struct wl_function *wl_codeobject_function(const struct wl_codeobject *object, size_t index) {
    return index < object->function_count ? &object->functions[index] : NULL;
}

bool wl_codeobject_function_in_data(const struct wl_codeobject *object, uint64_t address) {
    size_t low = 0, high = object->function_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (object->functions[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < object->function_count && object->functions[low].address == address && object->functions[low].in_data;
}

const struct wl_kernel *wl_codeobject_find_kernel(const struct wl_codeobject *object, const char *name) {
    struct wl_kernel key = {.name = name};
    return name ? bsearch(&key, object->kernels, object->kernel_count, sizeof key, compare_kernels) : NULL;
}

const struct wl_variable *wl_codeobject_find_variable(const struct wl_codeobject *object, const char *name) {
    struct wl_variable key = {.name = name};
    return name ? bsearch(&key, object->variables, object->variable_count, sizeof key, compare_variables) : NULL;
}
