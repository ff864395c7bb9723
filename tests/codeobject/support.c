#include "support.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

void assert_ok_(enum wl_status status, const char *expression, const char *file, int line) {
    if (status)
        print_error("%s: %s: %s\n", expression, wl_status_name(status), wl_failure());
    _assert_true(status == WL_OK, expression, file, line);
}

static void input_path(char path[1024], const char *name) { snprintf(path, 1024, "%s/%s", INPUTS, name); }

bool has_input(const char *name) {
    char path[1024];
    input_path(path, name);
    return access(path, R_OK) == 0;
}

struct bytes read_input(const char *name) {
    char path[1024];
    input_path(path, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct bytes bytes = {0};
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    bytes.size = (size_t)ftell(file);
    rewind(file);
    bytes.data = malloc(bytes.size + 1);
    assert_non_null(bytes.data);
    assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    return bytes;
}

struct wl_codeobject *open_input(const char *name) {
    struct bytes bytes = read_input(name);
    struct wl_codeobject *object = NULL;
    assert_ok(wl_codeobject_open(&object, bytes.data, bytes.size));
    memset(bytes.data, 0xdb, bytes.size); /* the object must not need it any more */
    free(bytes.data);
    return object;
}

struct bytes compress_bundle(struct bytes bytes, unsigned version, bool zstd) {
    size_t bound = (zstd ? ZSTD_compressBound(bytes.size) : compressBound(bytes.size)) + 32, packed;
    size_t header = version == 1 ? 20 : version == 2 ? 24 : 32;
    struct bytes result = {calloc(1, bound), 0};
    assert_non_null(result.data);
    if (zstd) {
        packed = ZSTD_compress(result.data + header, bound - header, bytes.data, bytes.size, 3);
        assert_false(ZSTD_isError(packed));
    } else {
        uLongf length = bound - header;
        assert_int_equal(compress2(result.data + header, &length, bytes.data, bytes.size, 6), Z_OK);
        packed = length;
    }
    result.size = header + packed;
    uint16_t words[] = {(uint16_t)version, zstd};
    uint32_t size32 = (uint32_t)result.size, original32 = (uint32_t)bytes.size;
    uint64_t size64 = result.size, original64 = bytes.size;
    memcpy(result.data, "CCOB", 4);
    memcpy(result.data + 4, words, 4);
    if (version == 1) {
        memcpy(result.data + 8, &original32, 4);
    } else if (version == 2) {
        memcpy(result.data + 8, &size32, 4);
        memcpy(result.data + 12, &original32, 4);
    } else {
        memcpy(result.data + 8, &size64, 8);
        memcpy(result.data + 16, &original64, 8);
    }
    return result;
}

static size_t hole_span(size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return (size + page - 1) / page * page;
}

uint8_t *before_hole(const uint8_t *data, size_t size) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), span = hole_span(size);
    uint8_t *memory = mmap(NULL, span + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(memory != MAP_FAILED);
    assert_int_equal(munmap(memory + span, page), 0);
    memcpy(memory + span - size, data, size);
    return memory + span - size;
}

void free_before_hole(uint8_t *data, size_t size) { munmap(data + size - hole_span(size), hole_span(size)); }

static size_t touch(const char *text) { return text ? strlen(text) : 0; }

enum wl_status walk_object(const void *data, size_t size) {
    struct wl_codeobject *object;
    enum wl_status status = wl_codeobject_open(&object, data, size);
    if (status) {
        assert_null(object);
        return status;
    }
    volatile size_t sum = 0;
    for (size_t i = 0; i < wl_codeobject_kernel_count(object); i++) {
        const struct wl_kernel *kernel = wl_codeobject_kernel(object, i);
        assert_true(wl_codeobject_is_code(object, kernel->entry, 4));
        assert_ptr_equal(wl_codeobject_find_kernel(object, kernel->name), kernel);
        for (size_t j = 0; j < kernel->argument_count; j++) {
            const struct wl_argument *argument = &kernel->arguments[j];
            assert_true(argument->offset <= kernel->kernarg_size && argument->size <= kernel->kernarg_size - argument->offset);
            sum += touch(argument->name) + touch(argument->type_name);
        }
    }
    uint64_t image_size = wl_codeobject_image_size(object);
    for (size_t i = 0; i < wl_codeobject_variable_count(object); i++) {
        const struct wl_variable *variable = wl_codeobject_variable(object, i);
        assert_true(variable->address <= image_size && variable->size <= image_size - variable->address);
        sum += touch(variable->name);
    }
    for (size_t i = 0; i < wl_codeobject_function_count(object); i++) {
        const struct wl_function *function = wl_codeobject_function(object, i);
        assert_true(wl_codeobject_is_code(object, function->address, function->size));
        sum += touch(function->name);
    }
    if (image_size < 1 << 20) {
        void *image = malloc(image_size);
        assert_non_null(image);
        status = wl_codeobject_load(object, image, 0x7f0000000000);
        free(image);
    }
    (void)sum;
    wl_codeobject_close(object);
    return status;
}

enum wl_status walk_container(const void *data, size_t size) {
    struct wl_container *container;
    enum wl_status status = wl_container_open(&container, data, size);
    if (status) {
        assert_null(container);
        return status;
    }
    struct wl_entry entry;
    status = wl_container_select(container, NULL, &entry);
    size_t count = wl_container_count(container);
    for (size_t i = 0; i < count && !status; i++) {
        status = wl_container_entry(container, i, &entry);
        if (!status)
            status = walk_object(entry.data, entry.size);
    }
    wl_container_close(container);
    return status;
}
