/* Code objects: targets, versions, kernels, variables, functions, relocations, source lines. */
#include "support.h"

#include <elf.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static const struct {
    const char *file, *target;
    unsigned version, wave_size;
} objects[] = {
    {"gfx906-xnack-off.co", "gfx906:xnack-", 4, 64},
    {"gfx90a-v4.co", "gfx90a:sramecc+:xnack-", 4, 64},
    {"gfx90a-v5.co", "gfx90a", 5, 64},
    {"gfx90a-lines.co", "gfx90a", 5, 64},
    {"gfx942-preload.co", "gfx942", 5, 64},
    {"gfx1030.co", "gfx1030", 5, 32},
    {"gfx1030-wave64.co", "gfx1030", 5, 64},
    {"gfx1100-v6.co", "gfx1100", 6, 32},
    {"gfx1200.co", "gfx1200", 5, 32},
    {"gfx9-generic.co", "gfx9-generic", 6, 64},
    {"gfx11-generic.co", "gfx11-generic", 6, 32},
    {"gfx900-v3.co", "gfx900:xnack-", 3, 64},
    {"gfx90a-clang15.co", "gfx90a", 4, 64},
};

static void expect_argument(const struct wl_argument *argument, enum wl_argument_kind kind, uint32_t offset, uint32_t size) {
    assert_int_equal(argument->kind, kind);
    assert_int_equal(argument->offset, offset);
    assert_int_equal(argument->size, size);
}

static void expect_kernels(const struct wl_codeobject *object, unsigned wave_size) {
    assert_int_equal(wl_codeobject_kernel_count(object), 2);
    assert_null(wl_codeobject_find_kernel(object, "factorial"));
    assert_null(wl_codeobject_find_kernel(object, "store.kd"));
    const struct wl_kernel *store = wl_codeobject_find_kernel(object, "store"), *calls = wl_codeobject_find_kernel(object, "calls");
    assert_non_null(store);
    assert_non_null(calls);
    assert_int_equal(store->wave_size, wave_size);
    assert_int_equal(store->max_workgroup_size, 1024);
    assert_int_equal(store->workitem_id_dimensions, 1);
    assert_int_equal(store->lds_size, 0);
    assert_true(store->user_kernarg_ptr);
    assert_true(store->vgprs > 0 && store->sgprs > 0);
    assert_int_equal(store->float_mode, 0xf0);
    assert_true(store->argument_count >= 2);
    expect_argument(&store->arguments[0], WL_ARG_GLOBAL_BUFFER, 0, 8);
    expect_argument(&store->arguments[1], WL_ARG_BY_VALUE, 8, 4);

    assert_int_equal(calls->lds_size, 256);
    assert_int_equal(calls->max_workgroup_size, 64);
    assert_true(calls->workitem_id_dimensions >= 2);
    expect_argument(&calls->arguments[1], WL_ARG_BY_VALUE, 8, 1);
    expect_argument(&calls->arguments[2], WL_ARG_BY_VALUE, 16, 8);
    expect_argument(&calls->arguments[3], WL_ARG_BY_VALUE, 24, 4);
    if (wl_codeobject_version(object) >= 5) {
        expect_argument(&calls->arguments[4], WL_ARG_HIDDEN_BLOCK_COUNT_X, 32, 4);
        expect_argument(&calls->arguments[7], WL_ARG_HIDDEN_GROUP_SIZE_X, 44, 2);
        assert_true(calls->dynamic_stack); /* it recurses */
    } else {
        expect_argument(&calls->arguments[4], WL_ARG_HIDDEN_GLOBAL_OFFSET_X, 32, 8);
        assert_true(calls->scratch_size > 0);
    }
}

static void expect_symbols(const struct wl_codeobject *object) {
    const struct wl_variable *table = wl_codeobject_find_variable(object, "table"),
                             *counter = wl_codeobject_find_variable(object, "counter"),
                             *initial = wl_codeobject_find_variable(object, "counter.managed");
    assert_non_null(table);
    assert_int_equal(table->size, 16);
    assert_non_null(counter);
    assert_int_equal(counter->size, 8);
    assert_false(counter->managed);
    assert_non_null(initial);
    assert_int_equal(initial->size, 4);
    assert_true(initial->managed);
    assert_null(wl_codeobject_find_variable(object, "store.kd"));
    int32_t value;
    memcpy(&value, wl_codeobject_image(object) + initial->address, 4);
    assert_int_equal(value, 7);
    memcpy(&value, wl_codeobject_image(object) + table->address + 8, 4);
    assert_int_equal(value, 3);

    assert_int_equal(wl_codeobject_function_count(object), 1); /* kernels are not among them */
    const struct wl_function *factorial = wl_codeobject_function(object, 0);
    assert_string_equal(factorial->name, "factorial");
    assert_true(factorial->address_taken);
    assert_true(wl_codeobject_is_code(object, factorial->address, factorial->size));
    assert_false(wl_codeobject_is_code(object, table->address, 4));
    for (uint64_t address = 0; address < wl_codeobject_image_size(object); address += 4) /* an empty range is where its address is */
        assert_int_equal(wl_codeobject_is_code(object, address, 0), wl_codeobject_is_code(object, address, 1));
}

static void expect_loaded(const struct wl_codeobject *object) {
    const uint64_t base = 0x7f1234560000, size = wl_codeobject_image_size(object);
    uint8_t *image = malloc(size);
    assert_non_null(image);
    memset(image, 0xa5, size);
    assert_ok(wl_codeobject_load(object, image, base));
    const struct wl_variable *pointers = wl_codeobject_find_variable(object, "pointers");
    assert_non_null(pointers);
    uint64_t values[2];
    memcpy(values, image + pointers->address, sizeof values);
    assert_int_equal(values[0], base + wl_codeobject_function(object, 0)->address);
    assert_int_equal(values[1], values[0]);
    assert_memory_equal(image, wl_codeobject_image(object), pointers->address);
    free(image);
}

static void reads_every_version(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        if (!has_input(objects[i].file)) {
            print_message("%s was not built: no clang-15\n", objects[i].file);
            continue;
        }
        struct wl_codeobject *object = open_input(objects[i].file);
        char text[64];
        wl_target_format(wl_codeobject_target(object), text, sizeof text);
        assert_string_equal(text, objects[i].target);
        assert_int_equal(wl_codeobject_version(object), objects[i].version);
        expect_kernels(object, objects[i].wave_size);
        expect_symbols(object);
        expect_loaded(object);
        wl_codeobject_close(object);
    }
}

static void decodes_what_generations_differ_in(void **state) {
    (void)state;
    struct wl_codeobject *object = open_input("gfx906-xnack-off.co");
    const struct wl_kernel *calls = wl_codeobject_find_kernel(object, "calls");
    assert_true(calls->user_private_segment_buffer && calls->user_flat_scratch_init && calls->system_private_segment_wave_offset);
    assert_true(calls->ieee_mode && calls->dx10_clamp);
    assert_int_equal(calls->accum_offset, 0);
    assert_false(calls->wgp_mode);
    wl_codeobject_close(object);

    object = open_input("gfx942-preload.co");
    calls = wl_codeobject_find_kernel(object, "calls");
    const struct wl_kernel *store = wl_codeobject_find_kernel(object, "store");
    assert_false(calls->system_private_segment_wave_offset || calls->user_private_segment_buffer); /* architected flat scratch */
    assert_int_equal(store->kernarg_preload_length, 3);
    assert_int_equal(store->kernarg_preload_offset, 0);
    assert_int_equal(store->entry, store->start + 256); /* behind the trap for firmware that does not preload */
    for (size_t i = 0; i < wl_codeobject_function_count(object); i++)
        assert_int_not_equal(wl_codeobject_function(object, i)->address, store->start);
    assert_int_equal(store->user_sgprs, 5);
    assert_true(store->accum_offset >= 4);
    wl_codeobject_close(object);

    object = open_input("gfx1200.co");
    store = wl_codeobject_find_kernel(object, "store");
    assert_true(store->dx10_clamp && !store->ieee_mode && store->mem_ordered);
    wl_codeobject_close(object);
}

static void reads_hand_written_code(void **state) {
    (void)state;
    struct wl_codeobject *object = open_input("edges.co");
    const struct wl_kernel *bare = wl_codeobject_find_kernel(object, "bare");
    assert_non_null(bare); /* there is no metadata */
    assert_int_equal(bare->argument_count, 0);
    assert_int_equal(bare->lds_size, 128);
    assert_int_equal(bare->scratch_size, 32);
    assert_int_equal(bare->kernarg_size, 40);
    assert_int_equal(bare->vgprs, 24);
    assert_int_equal(bare->accum_offset, 12);
    assert_int_equal(bare->agprs, 12);
    assert_int_equal(bare->user_sgprs, 4);
    assert_true(bare->user_dispatch_ptr && bare->user_kernarg_ptr && !bare->user_queue_ptr);
    assert_true(bare->system_workgroup_id_x && bare->system_workgroup_id_y && !bare->system_workgroup_id_z);
    assert_int_equal(bare->workitem_id_dimensions, 2);
    assert_int_equal(bare->float_mode & 0x3, 3);
    assert_int_equal(bare->float_mode >> 4 & 0x3, 0);
    assert_false(bare->ieee_mode);

    const uint64_t base = 0x10000000;
    uint8_t *image = malloc(wl_codeobject_image_size(object));
    assert_non_null(image);
    assert_ok(wl_codeobject_load(object, image, base));
    const struct wl_variable *references = wl_codeobject_find_variable(object, "references");
    uint64_t values[3];
    memcpy(values, image + references->address, sizeof values);
    assert_int_equal(values[0], 0);
    assert_int_equal(wl_codeobject_function_count(object), 1);
    assert_int_equal(values[1], base + wl_codeobject_function(object, 0)->address);
    assert_int_equal(values[2], base + references->address + 16);
    free(image);
    wl_codeobject_close(object);
}

static void reads_every_note(void **state) {
    (void)state;
    struct wl_codeobject *object = open_input("merged.co");
    static const char *const names[] = {"first", "second"};
    assert_int_equal(wl_codeobject_kernel_count(object), 2);
    for (unsigned i = 0; i < 2; i++) {
        const struct wl_kernel *kernel = wl_codeobject_find_kernel(object, names[i]);
        assert_non_null(kernel);
        assert_int_equal(kernel->kernarg_size, 24);
        assert_int_equal(kernel->argument_count, 2);
        assert_int_equal(kernel->arguments[1].offset, 8);
        assert_int_equal(kernel->arguments[1].size, 12);
        assert_int_equal(kernel->max_workgroup_size, 256);
    }
    wl_codeobject_close(object);
}

/* The first dynamic relocation's type, in the file. */
static uint8_t *first_relocation_type(struct bytes bytes) {
    Elf64_Ehdr header;
    memcpy(&header, bytes.data, sizeof header);
    for (unsigned i = 0; i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes.data + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type == SHT_RELA)
            return bytes.data + section.sh_offset + offsetof(Elf64_Rela, r_info);
    }
    return NULL;
}

static void resolves_undefined_symbols(void **state) {
    (void)state;
    static const struct {
        uint8_t type;
        enum wl_status status;
    } rows[] = {
        {3 /* ABS64 */, WL_NOT_FOUND},
        {1 /* ABS32_LO: in LDS, at 0 */, WL_OK},
        {0 /* NONE: the symbol is only listed */, WL_OK},
        {12 /* unassigned */, WL_INVALID_IMAGE},
        {200, WL_INVALID_IMAGE},
    };
    struct bytes bytes = read_input("undefined.co");
    uint8_t *type = first_relocation_type(bytes);
    assert_non_null(type);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *type = rows[i].type;
        assert_int_equal(walk_object(bytes.data, bytes.size), rows[i].status);
    }
    *type = 3;
    assert_int_equal(walk_object(bytes.data, bytes.size), WL_NOT_FOUND);
    assert_non_null(strstr(wl_failure(), "nowhere"));
    free(bytes.data);
}

/* Rounding of version 3's feature bits: one bit each, "any" does not exist. */
static void reads_version_3_flags(void **state) {
    (void)state;
    struct bytes bytes = read_input("gfx906-xnack-off.co");
    struct wl_codeobject *object;
    uint32_t flags = 0x2f | 0x100;
    bytes.data[EI_ABIVERSION] = 1;
    memcpy(bytes.data + offsetof(Elf64_Ehdr, e_flags), &flags, 4);
    assert_ok(wl_codeobject_open(&object, bytes.data, bytes.size));
    assert_int_equal(wl_codeobject_version(object), 3);
    assert_int_equal(wl_codeobject_target(object)->xnack, WL_FEATURE_ON);
    assert_int_equal(wl_codeobject_target(object)->sramecc, WL_FEATURE_OFF);
    wl_codeobject_close(object);
    bytes.data[EI_ABIVERSION] = 0;
    assert_int_equal(wl_codeobject_open(&object, bytes.data, bytes.size), WL_UNSUPPORTED);
    bytes.data[EI_ABIVERSION] = 5;
    assert_int_equal(wl_codeobject_open(&object, bytes.data, bytes.size), WL_UNSUPPORTED);
    free(bytes.data);
}

/* A stripped object still has its kernels, and the functions that data points at. */
static void reads_stripped_objects(void **state) {
    (void)state;
    struct bytes bytes = read_input("gfx90a-v5.co");
    memset(bytes.data + offsetof(Elf64_Ehdr, e_shoff), 0, 8);
    memset(bytes.data + offsetof(Elf64_Ehdr, e_shnum), 0, 2);
    struct wl_codeobject *object;
    assert_ok(wl_codeobject_open(&object, bytes.data, bytes.size));
    expect_kernels(object, 64);
    assert_non_null(wl_codeobject_find_variable(object, "table"));
    assert_int_equal(wl_codeobject_function_count(object), 1);
    expect_loaded(object);
    wl_codeobject_close(object);
    free(bytes.data);
}

static void hashes_the_content(void **state) {
    (void)state;
    uint64_t first[2], again[2], other[2];
    struct wl_codeobject *object = open_input("gfx90a-v5.co");
    wl_codeobject_hash(object, first);
    size_t size;
    assert_memory_equal(wl_codeobject_elf(object, &size), "\177ELF", 4);
    wl_codeobject_close(object);
    object = open_input("gfx90a-v5.co");
    wl_codeobject_hash(object, again);
    wl_codeobject_close(object);
    object = open_input("gfx1030.co");
    wl_codeobject_hash(object, other);
    wl_codeobject_close(object);
    assert_memory_equal(first, again, sizeof first);
    assert_memory_not_equal(first, other, sizeof first);
}

static bool is_mapped(const char *library) {
    char line[1024];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, library) != NULL;
    fclose(maps);
    return found;
}

static void finds_source_lines(void **state) {
    (void)state;
    char text[1024];
    assert_false(is_mapped("libdw")); /* all that went before needed no line */
    struct wl_codeobject *object = open_input("gfx90a-lines.co");
    const struct wl_kernel *store = wl_codeobject_find_kernel(object, "store");
    assert_true(wl_codeobject_source_line(object, store->entry, text, sizeof text));
    assert_non_null(strstr(text, "inputs.hip:"));
    assert_true(is_mapped("libdw"));
    assert_false(wl_codeobject_source_line(object, 0, text, sizeof text)); /* not code */
    assert_false(wl_codeobject_source_line(object, UINT64_MAX - 1, text, sizeof text));
    wl_codeobject_close(object);
    object = open_input("gfx90a-v5.co"); /* without line tables */
    assert_false(wl_codeobject_source_line(object, wl_codeobject_find_kernel(object, "store")->entry, text, sizeof text));
    wl_codeobject_close(object);
}

/* Whether memory is mapped from a file whose name contains `name`. */
static bool is_mapped_from(const void *memory, const char *name) {
    char line[512];
    bool found = false;
    FILE *maps = fopen("/proc/self/maps", "r");
    assert_non_null(maps);
    while (fgets(line, sizeof line, maps)) {
        char *rest;
        const uint64_t begin = strtoull(line, &rest, 16), end = strtoull(rest + 1, NULL, 16), at = (uint64_t)(uintptr_t)memory;
        found |= at >= begin && at < end && strstr(line, name);
    }
    assert_int_equal(fclose(maps), 0);
    return found;
}

/* An object within a file that the program has mapped: our images are mappings of the file, too, and stay when the program unmaps it. Writing to
 * one changes nothing else. The same bytes in memory are copied. */
static void maps_the_file_of_large_objects(void **state) {
    enum { PAGE = 4096, AT = 3 * PAGE };
    char path[] = "/tmp/large-object-XXXXXX";
    struct bytes bytes = read_input("large.co");
    const int file = mkstemp(path);
    (void)state;
    assert_true(file >= 0 && pwrite(file, bytes.data, bytes.size, AT) == (ssize_t)bytes.size);
    void *mapping = mmap(NULL, AT + bytes.size, PROT_READ, MAP_PRIVATE, file, 0);
    assert_true(mapping != MAP_FAILED);
    struct wl_codeobject *object, *copied;
    assert_ok(wl_codeobject_open(&object, (uint8_t *)mapping + AT, bytes.size));
    assert_ok(wl_codeobject_open(&copied, bytes.data, bytes.size));
    assert_int_equal(munmap(mapping, AT + bytes.size), 0);
    const uint64_t size = wl_codeobject_image_size(object);
    const struct wl_variable *constant = wl_codeobject_find_variable(object, "constant"),
                             *variable = wl_codeobject_find_variable(object, "variable"),
                             *pointer = wl_codeobject_find_variable(object, "pointer");
    uint8_t *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(constant && variable && pointer && pages != MAP_FAILED);
    assert_ok(wl_codeobject_load_pages(object, pages));
    assert_true(is_mapped_from(pages + constant->address + PAGE, path + 5));
    assert_true(is_mapped_from(pages + variable->address + PAGE, path + 5));
    assert_memory_equal(wl_codeobject_image(object), wl_codeobject_image(copied), size);
    assert_memory_equal(pages + constant->address, wl_codeobject_image(copied) + constant->address, constant->size);
    assert_memory_equal(pages + variable->address, wl_codeobject_image(copied) + variable->address, variable->size);
    uint64_t value;
    memcpy(&value, pages + pointer->address, sizeof value);
    assert_int_equal(value, (uintptr_t)pages + constant->address);
    memset(pages + variable->address, 0x5a, variable->size);
    assert_memory_equal(wl_codeobject_image(object), wl_codeobject_image(copied), size);
    uint8_t *file_bytes = malloc(bytes.size);
    assert_true(file_bytes && pread(file, file_bytes, bytes.size, AT) == (ssize_t)bytes.size);
    assert_memory_equal(file_bytes, bytes.data, bytes.size);
    free(file_bytes);
    assert_false(is_mapped_from(wl_codeobject_image(copied) + constant->address + PAGE, path + 5));
    wl_codeobject_close(object);
    wl_codeobject_close(copied);
    assert_int_equal(munmap(pages, size), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(close(file), 0);
    free(bytes.data);
}

int test_objects(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_every_version),        cmocka_unit_test(decodes_what_generations_differ_in),
        cmocka_unit_test(reads_hand_written_code),    cmocka_unit_test(reads_every_note),
        cmocka_unit_test(resolves_undefined_symbols), cmocka_unit_test(reads_version_3_flags),
        cmocka_unit_test(reads_stripped_objects),     cmocka_unit_test(hashes_the_content),
        cmocka_unit_test(finds_source_lines),         cmocka_unit_test(maps_the_file_of_large_objects),
    };
    return cmocka_run_group_tests_name("objects", tests, NULL, NULL);
}
