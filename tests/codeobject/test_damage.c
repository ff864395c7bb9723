/* Damaged input: every truncation and every flipped bit ends in success or in a sentence, never in a crash. */
#include "support.h"

/* Each prefix of the file, in a heap block of exactly its size so that a sanitizer sees every read behind it. */
static void truncate_everywhere(const char *name, size_t step, bool fails_always) {
    struct bytes bytes = read_input(name);
    for (size_t size = 0; size < bytes.size; size += step) {
        uint8_t *data = malloc(size ? size : 1);
        assert_non_null(data);
        memcpy(data, bytes.data, size);
        enum wl_status status = walk_container(data, size);
        if (fails_always && status == WL_OK)
            fail_msg("%s cut off at %zu bytes was accepted", name, size);
        free(data);
    }
    free(bytes.data);
}

static void survives_truncation(void **state) {
    (void)state;
    truncate_everywhere("gfx906-xnack-off.co", 1, true); /* the section headers are the last bytes */
    truncate_everywhere("gfx1030.co", 1, true);
    truncate_everywhere("compressed.bundle", 1, true);
    truncate_everywhere("plain.bundle", 7, true);
    truncate_everywhere("edges.co", 1, true);
}

/* The same with an unknown size, before unmapped memory. */
static void survives_truncation_of_unknown_size(void **state) {
    (void)state;
    static const char *const names[] = {"gfx1030.co", "compressed.bundle", "plain.bundle"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct bytes bytes = read_input(names[i]);
        for (size_t size = 1; size < bytes.size; size += 13) {
            uint8_t *edge = before_hole(bytes.data, size);
            assert_int_not_equal(walk_container(edge, WL_SIZE_UNKNOWN), WL_OK);
            free_before_hole(edge, size);
        }
        free(bytes.data);
    }
}

static void survives_truncated_version_1(void **state) {
    (void)state;
    struct bytes plain = read_input("plain.bundle");
    for (int zstd = 0; zstd < 2; zstd++) {
        struct bytes packed = compress_bundle(plain, 1, zstd);
        for (size_t size = 8; size < packed.size; size += 61) {
            uint8_t *edge = before_hole(packed.data, size);
            assert_int_not_equal(walk_container(edge, WL_SIZE_UNKNOWN), WL_OK);
            assert_int_not_equal(walk_container(edge, size), WL_OK);
            free_before_hole(edge, size);
        }
        free(packed.data);
    }
    free(plain.data);
}

static void flip_bits(const char *name, size_t from, size_t to, size_t step) {
    struct bytes bytes = read_input(name);
    uint8_t *data = malloc(bytes.size);
    assert_non_null(data);
    memcpy(data, bytes.data, bytes.size);
    for (size_t bit = from * 8; bit < (to < bytes.size ? to : bytes.size) * 8; bit += step) {
        data[bit / 8] ^= (uint8_t)(1u << bit % 8);
        walk_container(data, bytes.size);
        data[bit / 8] = bytes.data[bit / 8];
    }
    free(data);
    free(bytes.data);
}

static void survives_flipped_bits(void **state) {
    (void)state;
    flip_bits("gfx906-xnack-off.co", 0, SIZE_MAX, 1);
    flip_bits("edges.co", 0, SIZE_MAX, 1);
    flip_bits("plain.bundle", 0, 400, 1);
    flip_bits("compressed.bundle", 0, 64, 1);
    flip_bits("compressed.bundle", 64, SIZE_MAX, 37);
}

/* Words at every place, of the values that overflow sums and products. */
static void survives_extreme_words(void **state) {
    (void)state;
    static const uint64_t values[] = {0,          UINT64_MAX, UINT64_MAX - 63, INT64_MAX, 1ull << 63,
                                      1ull << 32, 0xffffffff, 0x7fffffff,      1ull << 40};
    static const char *const names[] = {"gfx1030.co", "plain.bundle"};
    for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
        struct bytes bytes = read_input(names[n]);
        size_t end = bytes.size < 8000 ? bytes.size : 512;
        uint8_t *data = malloc(bytes.size);
        assert_non_null(data);
        memcpy(data, bytes.data, bytes.size);
        for (size_t at = 0; at + 8 <= end; at += 4) {
            for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
                memcpy(data + at, &values[i], 8);
                walk_container(data, bytes.size);
            }
            memcpy(data + at, bytes.data + at, 8);
        }
        free(data);
        free(bytes.data);
    }
}

static void refuses_other_files(void **state) {
    (void)state;
    struct wl_container *container;
    static const char text[] = "#include <hip/hip_runtime.h>\nint main() { return 0; }\n";
    assert_int_equal(wl_container_open(&container, text, sizeof text), WL_INVALID_IMAGE);
    assert_int_equal(wl_container_open(&container, text, 0), WL_INVALID_IMAGE);
    assert_int_equal(wl_container_open(&container, NULL, 10), WL_INVALID_VALUE);
    struct wl_codeobject *object;
    assert_int_equal(wl_codeobject_open(&object, NULL, 10), WL_INVALID_VALUE);
    assert_int_equal(wl_codeobject_open(&object, text, sizeof text), WL_INVALID_IMAGE);
}

/* A descriptor that lies about its entry. */
static void refuses_damaged_descriptors(void **state) {
    (void)state;
    struct bytes bytes = read_input("gfx906-xnack-off.co");
    struct wl_codeobject *object;
    assert_ok(wl_codeobject_open(&object, bytes.data, bytes.size));
    uint8_t descriptor[64];
    memcpy(descriptor, wl_codeobject_image(object) + wl_codeobject_find_kernel(object, "store")->descriptor, 64);
    wl_codeobject_close(object);
    uint8_t *at = memmem(bytes.data, bytes.size, descriptor, 64);
    assert_non_null(at);
    static const struct {
        unsigned offset;
        uint8_t value;
    } rows[] = {{16, 1}, {23, 0x70}, {57, 0x04 /* wave32 */}, {52, 0 /* no user SGPRs */}, {53, 0x18 /* undefined work item ids */}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        at[rows[i].offset] = rows[i].value;
        assert_int_equal(wl_codeobject_open(&object, bytes.data, bytes.size), WL_INVALID_IMAGE);
        assert_non_null(strstr(wl_failure(), "store"));
        memcpy(at, descriptor, 64);
    }
    free(bytes.data);
}

int test_damage(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(survives_truncation),          cmocka_unit_test(survives_truncation_of_unknown_size),
        cmocka_unit_test(survives_truncated_version_1), cmocka_unit_test(survives_flipped_bits),
        cmocka_unit_test(survives_extreme_words),       cmocka_unit_test(refuses_other_files),
        cmocka_unit_test(refuses_damaged_descriptors),
    };
    return cmocka_run_group_tests_name("damage", tests, NULL, NULL);
}
