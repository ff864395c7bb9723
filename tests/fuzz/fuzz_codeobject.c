/* libFuzzer target for the code object reader: any bytes, as a container and as a code object.
 *
 * Left out: wrappers (they hold a pointer, which no reader can check for meaning), bundles that expand to more than 16 MiB, and
 * source lines (libdw's business, asked for in fault reports only). */
#include "codeobject/codeobject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { EXPANDED_MAX = 16 << 20, IMAGE_MAX = 16 << 20, ENTRIES_MAX = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition)
        abort();
}

static volatile size_t sink;

static void read_text(const char *text) { sink += strlen(text); }

static void walk_kernels(const struct wl_codeobject *object) {
    for (size_t i = 0; i < wl_codeobject_kernel_count(object); i++) {
        const struct wl_kernel *kernel = wl_codeobject_kernel(object, i);
        read_text(kernel->name);
        check(wl_codeobject_is_code(object, kernel->entry, 4));
        check(kernel->wave_size == 32 || kernel->wave_size == 64);
        check(wl_codeobject_find_kernel(object, kernel->name) == kernel);
        for (uint32_t j = 0; j < kernel->argument_count; j++) {
            const struct wl_argument *argument = &kernel->arguments[j];
            read_text(argument->name);
            read_text(argument->type_name);
            check((uint64_t)argument->offset + argument->size <= kernel->kernarg_size);
        }
    }
}

static void walk_symbols(const struct wl_codeobject *object) {
    uint64_t size = wl_codeobject_image_size(object);
    for (size_t i = 0; i < wl_codeobject_variable_count(object); i++) {
        const struct wl_variable *variable = wl_codeobject_variable(object, i);
        read_text(variable->name);
        check(variable->address <= size && variable->size <= size - variable->address);
        check(wl_codeobject_find_variable(object, variable->name) != NULL);
    }
    for (size_t i = 0; i < wl_codeobject_function_count(object); i++) {
        const struct wl_function *function = wl_codeobject_function(object, i);
        read_text(function->name);
        check(wl_codeobject_is_code(object, function->address, function->size));
    }
}

static void walk_object(const void *data, size_t size) {
    struct wl_codeobject *object;
    if (wl_codeobject_open(&object, data, size) != WL_OK) {
        check(object == NULL && wl_failure()[0]);
        return;
    }
    walk_kernels(object);
    walk_symbols(object);
    uint64_t image_size = wl_codeobject_image_size(object);
    void *image = image_size <= IMAGE_MAX ? malloc(image_size) : NULL;
    if (image)
        wl_codeobject_load(object, image, UINT64_C(0x7f0000000000));
    free(image);
    wl_codeobject_close(object);
}

/* Whether the header of a compressed bundle asks for more than this target wants to spend. */
static bool is_bomb(const uint8_t *data, size_t size) {
    if (size < 32 || memcmp(data, "CCOB", 4) != 0)
        return false;
    uint64_t expanded = 0;
    memcpy(&expanded, data + (data[4] == 1 ? 8 : data[4] == 2 ? 12 : 16), data[4] == 3 ? 8 : 4);
    return expanded > EXPANDED_MAX;
}

static void walk_container(struct wl_container *container) {
    struct wl_entry entry;
    size_t count = wl_container_count(container);
    if (count)
        check(wl_container_select(container, NULL, &entry) == WL_OK);
    for (size_t i = 0; i < count && i < ENTRIES_MAX; i++) {
        char text[64];
        check(wl_container_entry(container, i, &entry) == WL_OK);
        wl_target_format(&entry.target, text, sizeof text);
        struct wl_target target;
        check(wl_target_parse(&target, text) == WL_OK && wl_target_compatible(&target, &entry.target));
        walk_object(entry.data, entry.size);
    }
    wl_container_close(container);
}

/* Only files may be host files: an ELF of another machine, with bundles in a section. Compressed ones are left out. */
static void walk_host_file(const uint8_t *data, size_t size) {
    char path[32];
    int file = memfd_create("fuzz", MFD_CLOEXEC);
    check(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct wl_container *container;
    if (wl_container_open_file(&container, path) == WL_OK)
        walk_container(container);
    close(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    uint32_t magic = 0;
    memcpy(&magic, data, size < 4 ? size : 4);
    if (magic == 0x48495046 || is_bomb(data, size))
        return 0;
    walk_object(data, size);
    if (size > 64 && memcmp(data, "\177ELF", 4) == 0 && data[18] != 224 && !memmem(data, size, "CCOB", 4))
        walk_host_file(data, size);

    struct wl_container *container;
    if (wl_container_open(&container, data, size) == WL_OK)
        walk_container(container);
    else
        check(container == NULL && wl_failure()[0]);
    return 0;
}
