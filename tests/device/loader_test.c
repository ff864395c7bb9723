/* The loader on objects of the C compiler, whole and damaged. */
#include "device/cpu/code/loader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static size_t object_size;

static void *read_object(const char *path) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    void *object = malloc(1 << 20);
    object_size = fread(object, 1, 1 << 20, file);
    fclose(file);
    return object;
}

static void run_unit(const struct wl_native *native) {
    struct wl_wave *wave = calloc(1, sizeof *wave + 8 * 256);
    uint32_t out[64], *pointer = out;
    uint64_t argument = (uint64_t)(uintptr_t)&pointer;
    wave->wave_size = 64;
    wave->sgpr[0] = (uint32_t)argument;
    wave->sgpr[1] = (uint32_t)(argument >> 32);
    assert_int_equal(native->code(wave), WL_EXIT_END);
    static const uint32_t expected[8] = {5 + 11, 9 + 7, 5 + 23, 9 + 5, 5 + 91, 9 + 17, 5 + 3, 9 + 0};
    for (int l = 0; l < 64; l++)
        assert_int_equal(out[l], expected[l % 8]);
    free(wave);
}

static const char *const objects[] = {OBJECTS};

static void objects_load_and_run(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        void *object = read_object(objects[i]);
        struct wl_native *native;
        if (wl_native_load(&native, object, object_size) != WL_OK)
            fail_msg("%s: %s", objects[i], wl_failure());
        free(object);
        assert_int_equal(native->info->instructions, 5);
        run_unit(native);
        wl_native_unload(native);
    }
}

static void lines_are_found(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++) {
        void *object = read_object(objects[i]);
        struct wl_native *native;
        uint64_t offset, pc;
        unsigned column;
        bool exact;
        assert_int_equal(wl_native_load(&native, object, object_size), WL_OK);
        free(object);
        pc = (uint64_t)(uintptr_t)native->code;
        unsigned seen = 0;
        for (uint64_t n = 0; n < 64; n++)
            if (wl_native_line(native, pc + n, &offset, &column, &exact) && offset / 4 < 6)
                seen |= 1u << offset / 4;
        assert_true(seen & 1);
        assert_false(wl_native_line(native, 16, &offset, &column, &exact));
        wl_native_unload(native);
    }
}

static void damage_is_an_error_or_harmless(void **state) {
    (void)state;
    uint8_t *object = read_object(objects[0]);
    size_t size = object_size;
    for (size_t cut = 0; cut < size; cut += cut < 512 ? 1 : 61) {
        struct wl_native *native = NULL;
        uint8_t *copy = malloc(cut + 1);
        memcpy(copy, object, cut);
        if (wl_native_load(&native, copy, cut) == WL_OK)
            wl_native_unload(native);
        free(copy);
    }
    uint8_t *copy = malloc(size);
    for (size_t at = 0; at < size; at++) {
        static const uint8_t flips[] = {0xff, 0x01, 0x80};
        for (size_t f = 0; f < sizeof flips; f++) {
            struct wl_native *native = NULL;
            uint64_t offset;
            unsigned column;
            bool exact;
            memcpy(copy, object, size);
            copy[at] ^= flips[f];
            if (wl_native_load(&native, copy, size) != WL_OK)
                continue;
            wl_native_line(native, (uint64_t)(uintptr_t)native->code + 8, &offset, &column, &exact);
            wl_native_unload(native);
        }
    }
    free(copy);
    free(object);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_load_and_run),
        cmocka_unit_test(lines_are_found),
        cmocka_unit_test(damage_is_an_error_or_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
