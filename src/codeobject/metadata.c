/* The metadata note: a MessagePack map of kernels, their resources and arguments.
 *
 * A cursor over its tokens (msgpack.h); values that nobody asks for are skipped without recursion. */
#include "codeobject/internal.h"
#include "codeobject/msgpack.h"

#include <ctype.h>
#include <stdlib.h>

enum { NOTE_METADATA = 32 };

struct text {
    const char *data;
    size_t length;
};

/* Skips what `token` begins. */
static bool skip_rest(struct wl_msgpack *cursor, struct wl_msgpack_token token) {
    for (uint64_t open = 1;;) {
        open--;
        if (token.type == WL_MSGPACK_ARRAY)
            open += token.length;
        else if (token.type == WL_MSGPACK_MAP)
            open += 2 * (uint64_t)token.length;
        if (open == 0)
            return true;
        if (open > cursor->left || !wl_msgpack_next(cursor, &token))
            return false;
    }
}

static bool skip(struct wl_msgpack *cursor) {
    struct wl_msgpack_token token;
    return wl_msgpack_next(cursor, &token) && skip_rest(cursor, token);
}

/* A container of the given type; `count` is checked against the bytes that are left. */
static bool take_container(struct wl_msgpack *cursor, enum wl_msgpack_type type, uint32_t *count) {
    struct wl_msgpack_token token;
    if (!wl_msgpack_next(cursor, &token) || token.type != type || token.length > cursor->left)
        return false;
    *count = token.length;
    return true;
}

static bool take_text(struct wl_msgpack *cursor, struct text *text) {
    struct wl_msgpack_token token;
    if (!wl_msgpack_next(cursor, &token) || token.type != WL_MSGPACK_TEXT)
        return false;
    *text = (struct text){token.length ? (const char *)token.bytes : "", token.length};
    return true;
}

static bool take_u32(struct wl_msgpack *cursor, uint32_t *value) {
    struct wl_msgpack_token token;
    if (!wl_msgpack_next(cursor, &token) || (token.type != WL_MSGPACK_UNSIGNED && token.type != WL_MSGPACK_BOOLEAN))
        return false;
    *value = (uint32_t)token.value;
    return token.value <= UINT32_MAX;
}

static bool same(struct text text, const char *name) { return strlen(name) == text.length && memcmp(text.data, name, text.length) == 0; }

/* ---- arguments ----------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    enum wl_argument_kind kind;
} kinds[] = {
    {"by_value", WL_ARG_BY_VALUE},
    {"global_buffer", WL_ARG_GLOBAL_BUFFER},
    {"dynamic_shared_pointer", WL_ARG_DYNAMIC_LDS},
    {"sampler", WL_ARG_SAMPLER},
    {"image", WL_ARG_IMAGE},
    {"pipe", WL_ARG_PIPE},
    {"queue", WL_ARG_QUEUE},
    {"hidden_global_offset_x", WL_ARG_HIDDEN_GLOBAL_OFFSET_X},
    {"hidden_global_offset_y", WL_ARG_HIDDEN_GLOBAL_OFFSET_Y},
    {"hidden_global_offset_z", WL_ARG_HIDDEN_GLOBAL_OFFSET_Z},
    {"hidden_none", WL_ARG_HIDDEN_NONE},
    {"hidden_printf_buffer", WL_ARG_HIDDEN_PRINTF_BUFFER},
    {"hidden_hostcall_buffer", WL_ARG_HIDDEN_HOSTCALL_BUFFER},
    {"hidden_default_queue", WL_ARG_HIDDEN_DEFAULT_QUEUE},
    {"hidden_completion_action", WL_ARG_HIDDEN_COMPLETION_ACTION},
    {"hidden_multigrid_sync_arg", WL_ARG_HIDDEN_MULTIGRID_SYNC_ARG},
    {"hidden_block_count_x", WL_ARG_HIDDEN_BLOCK_COUNT_X},
    {"hidden_block_count_y", WL_ARG_HIDDEN_BLOCK_COUNT_Y},
    {"hidden_block_count_z", WL_ARG_HIDDEN_BLOCK_COUNT_Z},
    {"hidden_group_size_x", WL_ARG_HIDDEN_GROUP_SIZE_X},
    {"hidden_group_size_y", WL_ARG_HIDDEN_GROUP_SIZE_Y},
    {"hidden_group_size_z", WL_ARG_HIDDEN_GROUP_SIZE_Z},
    {"hidden_remainder_x", WL_ARG_HIDDEN_REMAINDER_X},
    {"hidden_remainder_y", WL_ARG_HIDDEN_REMAINDER_Y},
    {"hidden_remainder_z", WL_ARG_HIDDEN_REMAINDER_Z},
    {"hidden_grid_dims", WL_ARG_HIDDEN_GRID_DIMS},
    {"hidden_heap_v1", WL_ARG_HIDDEN_HEAP_V1},
    {"hidden_dynamic_lds_size", WL_ARG_HIDDEN_DYNAMIC_LDS_SIZE},
    {"hidden_private_base", WL_ARG_HIDDEN_PRIVATE_BASE},
    {"hidden_shared_base", WL_ARG_HIDDEN_SHARED_BASE},
    {"hidden_queue_ptr", WL_ARG_HIDDEN_QUEUE_PTR},
};

static bool take_kind(struct wl_msgpack *cursor, enum wl_argument_kind *kind) {
    struct text name;
    if (!take_text(cursor, &name))
        return false;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (same(name, kinds[i].name)) {
            *kind = kinds[i].kind;
            return true;
        }
    }
    *kind = WL_ARG_HIDDEN_UNKNOWN;
    return name.length > 7 && memcmp(name.data, "hidden_", 7) == 0;
}

static bool take_argument_text(struct wl_arena *arena, struct wl_msgpack *cursor, const char **text) {
    struct text value;
    return take_text(cursor, &value) && (value.length == 0 || (*text = wl_arena_text(arena, value.data, value.length)));
}

static bool take_argument(struct wl_arena *arena, struct wl_msgpack *cursor, struct wl_argument *argument) {
    uint32_t count;
    bool good = take_container(cursor, WL_MSGPACK_MAP, &count), has_kind = false;
    argument->name = argument->type_name = "";
    for (uint32_t i = 0; good && i < count; i++) {
        struct text key;
        good = take_text(cursor, &key);
        if (!good)
            break;
        if (same(key, ".offset"))
            good = take_u32(cursor, &argument->offset);
        else if (same(key, ".size"))
            good = take_u32(cursor, &argument->size);
        else if (same(key, ".value_kind"))
            good = has_kind = take_kind(cursor, &argument->kind);
        else if (same(key, ".name"))
            good = take_argument_text(arena, cursor, &argument->name);
        else if (same(key, ".type_name"))
            good = take_argument_text(arena, cursor, &argument->type_name);
        else
            good = skip(cursor);
    }
    return good && has_kind;
}

/* ---- kernels ------------------------------------------------------------------------------------- */

/* What the map of one kernel says, before the kernel it belongs to is known: the keys come in any order. */
struct record {
    struct text name, symbol;
    uint32_t kernarg_size, kernarg_align, lds_size, scratch_size, wave_size, sgprs, vgprs, agprs, sgpr_spills, vgpr_spills;
    uint32_t max_workgroup_size, uniform, dynamic_stack;
    uint32_t required[3], cluster[3];
    struct wl_argument *arguments;
    uint32_t argument_count;
};

static const struct {
    const char *key;
    size_t offset;
} numbers[] = {
    {".kernarg_segment_size", offsetof(struct record, kernarg_size)},
    {".kernarg_segment_align", offsetof(struct record, kernarg_align)},
    {".group_segment_fixed_size", offsetof(struct record, lds_size)},
    {".private_segment_fixed_size", offsetof(struct record, scratch_size)},
    {".wavefront_size", offsetof(struct record, wave_size)},
    {".sgpr_count", offsetof(struct record, sgprs)},
    {".vgpr_count", offsetof(struct record, vgprs)},
    {".agpr_count", offsetof(struct record, agprs)},
    {".sgpr_spill_count", offsetof(struct record, sgpr_spills)},
    {".vgpr_spill_count", offsetof(struct record, vgpr_spills)},
    {".max_flat_workgroup_size", offsetof(struct record, max_workgroup_size)},
    {".uniform_work_group_size", offsetof(struct record, uniform)},
    {".uses_dynamic_stack", offsetof(struct record, dynamic_stack)},
};

static bool take_arguments(struct wl_arena *arena, struct wl_msgpack *cursor, struct record *record) {
    uint32_t count;
    if (record->arguments || !take_container(cursor, WL_MSGPACK_ARRAY, &count))
        return false;
    record->arguments = wl_arena_allocate(arena, (size_t)count * sizeof *record->arguments);
    record->argument_count = count;
    bool good = record->arguments != NULL;
    for (uint32_t i = 0; good && i < count; i++)
        good = take_argument(arena, cursor, &record->arguments[i]);
    return good;
}

static bool take_sizes(struct wl_msgpack *cursor, uint32_t sizes[3]) {
    uint32_t count;
    return take_container(cursor, WL_MSGPACK_ARRAY, &count) && count == 3 && take_u32(cursor, &sizes[0]) && take_u32(cursor, &sizes[1]) &&
           take_u32(cursor, &sizes[2]);
}

static bool take_field(struct wl_arena *arena, struct wl_msgpack *cursor, struct text key, struct record *record) {
    if (same(key, ".name"))
        return take_text(cursor, &record->name);
    if (same(key, ".symbol"))
        return take_text(cursor, &record->symbol);
    if (same(key, ".args"))
        return take_arguments(arena, cursor, record);
    if (same(key, ".reqd_workgroup_size"))
        return take_sizes(cursor, record->required);
    if (same(key, ".cluster_dims"))
        return take_sizes(cursor, record->cluster);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (same(key, numbers[i].key))
            return take_u32(cursor, (uint32_t *)((char *)record + numbers[i].offset));
    return skip(cursor);
}

static bool take_record(struct wl_arena *arena, struct wl_msgpack *cursor, struct record *record) {
    uint32_t count;
    bool good = take_container(cursor, WL_MSGPACK_MAP, &count);
    *record = (struct record){.max_workgroup_size = 1024, .kernarg_align = 16};
    for (uint32_t i = 0; good && i < count; i++) {
        struct text key;
        good = take_text(cursor, &key) && take_field(arena, cursor, key, record);
    }
    return good;
}

static struct wl_kernel *find_kernel(struct wl_codeobject *object, struct text name) {
    size_t low = 0, high = object->kernel_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *other = object->kernels[middle].name;
        int order = strncmp(name.data, other, name.length);
        if (order == 0)
            order = other[name.length] ? -1 : 0;
        if (order == 0)
            return &object->kernels[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static enum wl_status apply(struct wl_codeobject *object, const struct record *record) {
    struct text name = record->symbol.length ? record->symbol : record->name;
    if (name.length > 3 && memcmp(name.data + name.length - 3, ".kd", 3) == 0)
        name.length -= 3;
    struct wl_kernel *kernel = name.length && !memchr(name.data, 0, name.length) ? find_kernel(object, name) : NULL;
    if (!kernel)
        return wl_fail(WL_INVALID_IMAGE, "the metadata names a kernel %.*s that has no descriptor",
                       (int)(name.length > 200 ? 200 : name.length), name.data);
    if (kernel->arguments)
        return wl_fail(WL_INVALID_IMAGE, "the metadata describes kernel %s twice", kernel->name);
    if (record->wave_size && record->wave_size != kernel->wave_size)
        return wl_fail(WL_INVALID_IMAGE, "the metadata of kernel %s says waves of %u lanes, its descriptor %u", kernel->name,
                       record->wave_size, kernel->wave_size);
    if (record->kernarg_size > WL_KERNARG_MAX || record->max_workgroup_size == 0 || (record->kernarg_align & (record->kernarg_align - 1)) ||
        record->kernarg_align > 4096)
        return wl_fail(WL_INVALID_IMAGE, "the metadata of kernel %s is damaged", kernel->name);

    /* Descriptors before clang 12 have no kernarg size. */
    if (record->kernarg_size > kernel->kernarg_size)
        kernel->kernarg_size = record->kernarg_size;
    for (uint32_t i = 0; i < record->argument_count; i++)
        if (!wl_within(record->arguments[i].offset, record->arguments[i].size, kernel->kernarg_size))
            return wl_fail(WL_INVALID_IMAGE, "argument %u of kernel %s lies outside its %u bytes", i, kernel->name, kernel->kernarg_size);
    if (record->kernarg_align)
        kernel->kernarg_align = record->kernarg_align;
    if (record->vgprs)
        kernel->vgprs = record->vgprs;
    if (record->sgprs)
        kernel->sgprs = record->sgprs;
    kernel->agprs = record->agprs;
    kernel->sgpr_spills = record->sgpr_spills;
    kernel->vgpr_spills = record->vgpr_spills;
    kernel->max_workgroup_size = record->max_workgroup_size;
    memcpy(kernel->required_workgroup_size, record->required, sizeof record->required);
    memcpy(kernel->cluster_size, record->cluster, sizeof kernel->cluster_size);
    kernel->uniform_workgroup_size = record->uniform != 0;
    kernel->dynamic_stack |= record->dynamic_stack != 0;
    kernel->arguments = record->arguments;
    kernel->argument_count = record->argument_count;
    return WL_OK;
}

static enum wl_status read_kernels(struct wl_codeobject *object, struct wl_msgpack *cursor) {
    uint32_t count;
    if (!take_container(cursor, WL_MSGPACK_ARRAY, &count))
        return wl_fail(WL_INVALID_IMAGE, "the metadata's list of kernels is damaged");
    for (uint32_t i = 0; i < count; i++) {
        struct record record;
        if (!take_record(&object->arena, cursor, &record))
            return wl_fail(WL_INVALID_IMAGE, "the metadata of kernel %u is damaged", i);
        enum wl_status status = apply(object, &record);
        if (status)
            return status;
    }
    return WL_OK;
}

/* ---- format strings ------------------------------------------------------------------------------ */

/* "0:0:HASH,TEXT", with the hash in hexadecimal. OpenCL's entries, whose numbers and sizes are not 0, are left out. */
static bool take_format(struct wl_arena *arena, struct wl_msgpack *cursor, struct wl_print_format *format) {
    struct text entry;
    if (!take_text(cursor, &entry))
        return false;
    size_t digits = 0;
    uint64_t hash = 0;
    if (entry.length < 4 || memcmp(entry.data, "0:0:", 4) != 0)
        return true;
    for (const char *at = entry.data + 4; 4 + digits < entry.length && digits < 16 && isxdigit((unsigned char)*at); at++, digits++)
        hash = hash << 4 | (unsigned)(*at <= '9' ? *at - '0' : (*at | 32) - 'a' + 10);
    if (digits == 0 || 4 + digits >= entry.length || entry.data[4 + digits] != ',')
        return true;
    format->hash = hash;
    format->text = wl_arena_text(arena, entry.data + 5 + digits, entry.length - 5 - digits);
    return format->text != NULL;
}

static enum wl_status read_formats(struct wl_codeobject *object, struct wl_msgpack *cursor) {
    uint32_t count;
    if (!take_container(cursor, WL_MSGPACK_ARRAY, &count))
        return wl_fail(WL_INVALID_IMAGE, "the metadata's list of format strings is damaged");
    struct wl_print_format *all = wl_arena_allocate(&object->arena, (object->format_count + count) * sizeof *all);
    if (!all)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u format strings", count);
    if (object->format_count)
        memcpy(all, object->formats, object->format_count * sizeof *all);
    for (uint32_t i = 0; i < count; i++)
        if (!take_format(&object->arena, cursor, &all[object->format_count + i]))
            return wl_fail(WL_INVALID_IMAGE, "format string %u of the metadata is damaged", i);
    object->formats = all;
    object->format_count += count;
    return WL_OK;
}

const char *wl_codeobject_print_format(const struct wl_codeobject *object, uint64_t hash) {
    for (size_t i = 0; i < object->format_count; i++)
        if (object->formats[i].text && object->formats[i].hash == hash)
            return object->formats[i].text;
    return NULL;
}

/* ---- the map ------------------------------------------------------------------------------------- */

static enum wl_status read_map(struct wl_codeobject *object, const uint8_t *data, size_t size) {
    struct wl_msgpack cursor = {data, size};
    uint32_t count;
    if (!take_container(&cursor, WL_MSGPACK_MAP, &count))
        return wl_fail(WL_INVALID_IMAGE, "the metadata is no MessagePack map");
    for (uint32_t i = 0; i < count; i++) {
        struct text key;
        enum wl_status status = WL_OK;
        bool good = take_text(&cursor, &key);
        if (good && same(key, "amdhsa.kernels"))
            status = read_kernels(object, &cursor);
        else if (good && same(key, "amdhsa.printf"))
            status = read_formats(object, &cursor);
        else if (good)
            good = skip(&cursor);
        if (status || !good)
            return status ? status : wl_fail(WL_INVALID_IMAGE, "the metadata is cut off or damaged");
    }
    return WL_OK;
}

/* ---- notes --------------------------------------------------------------------------------------- */

/* Reads every metadata note of one segment: a code object that was linked from several with metadata of their own (rocBLAS has such)
 * keeps the note of each. */
static enum wl_status read_notes(struct wl_codeobject *object, const uint8_t *data, uint64_t size) {
    for (uint64_t at = 0; wl_within(at, 12, size);) {
        uint64_t name_size = wl_read32(data + at), text_size = wl_read32(data + at + 4);
        uint32_t type = wl_read32(data + at + 8);
        uint64_t name = at + 12, text = name + ((name_size + 3) & ~UINT64_C(3));
        if (!wl_within(name, name_size, size) || !wl_within(text, text_size, size))
            return wl_fail(WL_INVALID_IMAGE, "a note is cut off");
        if (type == NOTE_METADATA && name_size >= 6 && name_size <= 7 && memcmp(data + name, "AMDGPU", 6) == 0) {
            enum wl_status status = read_map(object, data + text, text_size);
            if (status)
                return status;
        }
        at = text + ((text_size + 3) & ~UINT64_C(3));
    }
    return WL_OK;
}

enum wl_status wl_metadata_read(struct wl_codeobject *object) {
    const struct wl_elf *elf = &object->elf;
    for (unsigned i = 0; i < elf->header.e_phnum; i++) {
        Elf64_Phdr segment = wl_elf_segment(elf, i);
        if (segment.p_type != PT_NOTE)
            continue;
        if (!wl_within(segment.p_offset, segment.p_filesz, elf->size))
            return wl_fail(WL_INVALID_IMAGE, "a note segment lies outside the file");
        enum wl_status status = read_notes(object, elf->data + segment.p_offset, segment.p_filesz);
        if (status)
            return status;
    }
    return WL_OK; /* hand-written code may have descriptors only */
}
