/* Containers: recognition, compressed bundles, selection, laziness. */
#include "support.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>

static void expect_bundle(struct wl_container *container) {
    assert_int_equal(wl_container_count(container), 3); /* the host entry is left out */
    struct wl_entry entry;
    for (size_t i = 0; i < 3; i++) {
        assert_ok(wl_container_entry(container, i, &entry));
        assert_ok(walk_object(entry.data, entry.size));
    }
    assert_int_equal(wl_container_entry(container, 3, &entry), WL_INVALID_VALUE);
    assert_ok(wl_container_select(container, NULL, &entry));
    assert_string_equal(entry.target.processor, "gfx90a");
}

static void opens_bundles(void **state) {
    (void)state;
    static const char *const names[] = {"plain.bundle", "compressed.bundle"};
    for (size_t i = 0; i < 2; i++) {
        struct bytes bytes = read_input(names[i]);
        struct wl_container *container;
        assert_ok(wl_container_open(&container, bytes.data, bytes.size));
        expect_bundle(container);
        wl_container_close(container);
        assert_ok(wl_container_open(&container, bytes.data, WL_SIZE_UNKNOWN));
        expect_bundle(container);
        wl_container_close(container);
        free(bytes.data);
    }
}

static void opens_files(void **state) {
    (void)state;
    struct wl_container *container;
    assert_ok(wl_container_open_file(&container, INPUTS "/plain.bundle"));
    expect_bundle(container);
    wl_container_close(container);
    assert_ok(wl_container_open_file(&container, INPUTS "/gfx942-preload.co"));
    assert_int_equal(wl_container_count(container), 1);
    wl_container_close(container);
    assert_int_equal(wl_container_open_file(&container, INPUTS "/none"), WL_FILE_NOT_FOUND);
    assert_null(container);
    assert_int_equal(wl_container_open_file(&container, INPUTS), WL_FILE_NOT_FOUND);
    assert_int_equal(wl_container_open_file(&container, "/proc/self/exe"), WL_INVALID_IMAGE); /* a host file without a fat binary */
}

static void opens_host_files(void **state) {
    (void)state;
    struct wl_container *container;
    struct wl_entry entry;
    assert_ok(wl_container_open_file(&container, INPUTS "/host.o"));
    assert_int_equal(wl_container_count(container), 2);
    assert_ok(wl_container_select(container, NULL, &entry));
    assert_string_equal(entry.target.processor, "gfx90a");
    assert_ok(walk_object(entry.data, entry.size));
    wl_container_close(container);
}

static void opens_wrappers(void **state) {
    (void)state;
    struct bytes bytes = read_input("compressed.bundle");
    struct {
        uint32_t magic, version;
        void *data, *unused;
    } wrapper = {0x48495046, 1, bytes.data, NULL};
    struct wl_container *container;
    assert_ok(wl_container_open(&container, &wrapper, WL_SIZE_UNKNOWN));
    expect_bundle(container);
    wl_container_close(container);
    assert_ok(wl_container_open(&container, &wrapper, sizeof wrapper));
    wl_container_close(container);
    wrapper.data = NULL;
    assert_int_equal(wl_container_open(&container, &wrapper, sizeof wrapper), WL_INVALID_IMAGE);
    wrapper.data = (void *)(uintptr_t)0x123456789000;
    assert_int_equal(wl_container_open(&container, &wrapper, WL_SIZE_UNKNOWN), WL_INVALID_IMAGE);
    wrapper.data = bytes.data, wrapper.version = 9;
    assert_int_equal(wl_container_open(&container, &wrapper, WL_SIZE_UNKNOWN), WL_INVALID_IMAGE);
    free(bytes.data);
}

static void expands_every_version(void **state) {
    (void)state;
    struct bytes plain = read_input("plain.bundle");
    for (unsigned version = 1; version <= 3; version++) {
        for (int zstd = 0; zstd < 2; zstd++) {
            struct bytes packed = compress_bundle(plain, version, zstd);
            struct wl_container *container;
            assert_ok(wl_container_open(&container, packed.data, packed.size));
            expect_bundle(container);
            wl_container_close(container);
            uint8_t *edge = before_hole(packed.data, packed.size); /* not a byte too many is read */
            assert_ok(wl_container_open(&container, edge, WL_SIZE_UNKNOWN));
            expect_bundle(container);
            wl_container_close(container);
            free_before_hole(edge, packed.size);
            free(packed.data);
        }
    }
    free(plain.data);
}

static void refuses_bad_compression(void **state) {
    (void)state;
    struct bytes plain = read_input("plain.bundle");
    for (unsigned version = 1; version <= 3; version++) {
        for (int zstd = 0; zstd < 2; zstd++) {
            struct bytes packed = compress_bundle(plain, version, zstd);
            uint8_t *field = packed.data + (version == 1 ? 8 : version == 2 ? 12 : 16);
            struct wl_container *container;
            static const int32_t changes[] = {-1, 1, -4096, 4096};
            for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) { /* a wrong uncompressed size */
                uint32_t size = (uint32_t)plain.size + (uint32_t)changes[i];
                memcpy(field, &size, 4);
                assert_int_equal(walk_container(packed.data, packed.size), WL_INVALID_IMAGE);
            }
            memset(field, 0, 4);
            assert_int_equal(wl_container_open(&container, packed.data, packed.size), WL_INVALID_IMAGE);
            packed.data[6] = 7; /* an unknown method */
            assert_int_equal(wl_container_open(&container, packed.data, packed.size), WL_INVALID_IMAGE);
            packed.data[6] = (uint8_t)zstd;
            packed.data[4] = 4; /* an unknown version */
            assert_int_equal(wl_container_open(&container, packed.data, packed.size), WL_INVALID_IMAGE);
            free(packed.data);
        }
    }
    free(plain.data);
}

static void selects(void **state) {
    static const struct {
        const char *wanted, *expected;
    } rows[] = {
        {"gfx90a", "gfx90a"},    {"gfx90a:xnack-", "gfx90a"}, {"gfx906", "gfx906:xnack-"}, {"gfx906:xnack-", "gfx906:xnack-"},
        {"gfx906:xnack+", NULL}, {"gfx1030", "gfx1030"},      {"gfx1031", NULL},           {"gfx942", NULL},
    };
    (void)state;
    struct wl_container *container;
    struct wl_entry entry;
    assert_ok(wl_container_open_file(&container, INPUTS "/plain.bundle"));
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_target wanted;
        char text[64];
        assert_ok(wl_target_parse(&wanted, rows[i].wanted));
        enum wl_status status = wl_container_select(container, &wanted, &entry);
        if (!rows[i].expected) {
            assert_int_equal(status, WL_NO_BINARY);
            assert_non_null(strstr(wl_failure(), rows[i].wanted));
            assert_non_null(strstr(wl_failure(), "gfx906:xnack-, gfx1030, gfx90a"));
            continue;
        }
        assert_ok(status);
        wl_target_format(&entry.target, text, sizeof text);
        assert_string_equal(text, rows[i].expected);
    }
    wl_container_close(container);

    struct wl_target wanted; /* a generic entry serves its family */
    assert_ok(wl_target_parse(&wanted, "gfx1101"));
    assert_ok(wl_container_open_file(&container, INPUTS "/gfx11-generic.co"));
    assert_ok(wl_container_select(container, &wanted, &entry));
    assert_true(entry.target.generic);
    wl_container_close(container);
}

static void leaves_old_processors_out(void **state) {
    (void)state;
    struct wl_container *container;
    struct wl_entry entry;
    assert_ok(wl_container_open_file(&container, INPUTS "/gfx803.co"));
    assert_int_equal(wl_container_count(container), 0);
    assert_int_equal(wl_container_select(container, NULL, &entry), WL_NO_BINARY);
    wl_container_close(container);
    struct bytes bytes = read_input("gfx803.co");
    struct wl_codeobject *object;
    assert_int_equal(wl_codeobject_open(&object, bytes.data, bytes.size), WL_UNSUPPORTED);
    free(bytes.data);
}

/* Many threads ask a compressed container for its entry: it is expanded once, and all get the same bytes. */
static void *ask(void *container) {
    struct wl_entry entry;
    return wl_container_select(container, NULL, &entry) ? NULL : (void *)(uintptr_t)entry.data;
}

static void expands_once(void **state) {
    (void)state;
    enum { THREADS = 8 };
    struct wl_container *container;
    assert_ok(wl_container_open_file(&container, INPUTS "/compressed.bundle"));
    pthread_t threads[THREADS];
    void *first = NULL, *result;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, ask, container), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
        first = first ? first : result;
        assert_ptr_equal(first, result);
    }
    wl_container_close(container);
}

/* A container that failed to expand says so each time, in every thread. */
static void remembers_failure(void **state) {
    (void)state;
    struct bytes bytes = read_input("compressed.bundle");
    memset(bytes.data + 40, 0x55, 64);
    struct wl_container *container;
    struct wl_entry entry;
    assert_ok(wl_container_open(&container, bytes.data, bytes.size));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(wl_container_count(container), 0);
        assert_int_equal(wl_container_select(container, NULL, &entry), WL_INVALID_IMAGE);
        assert_int_equal(wl_container_entry(container, 0, &entry), WL_INVALID_IMAGE);
    }
    wl_container_close(container);
    free(bytes.data);
}

/* Opening 180 MB reads the header only: no page of the payload is touched. */
static void opens_large_bundles_at_once(void **state) {
    (void)state;
    enum { ENTRY = 60 << 20, ENTRIES = 3, PAGE = 4096 };
    static const char *const ids[ENTRIES] = {"hipv4-amdgcn-amd-amdhsa--gfx900", "hipv4-amdgcn-amd-amdhsa--gfx908",
                                             "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"};
    size_t size = PAGE + (size_t)ENTRY * ENTRIES, at = 32;
    uint8_t *data = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(data != MAP_FAILED);
    uint64_t count = ENTRIES;
    memcpy(data, "__CLANG_OFFLOAD_BUNDLE__", 24);
    memcpy(data + 24, &count, 8);
    for (size_t i = 0; i < ENTRIES; i++) {
        uint64_t fields[3] = {PAGE + i * ENTRY, ENTRY, strlen(ids[i])};
        memcpy(data + at, fields, 24);
        memcpy(data + at + 24, ids[i], fields[2]);
        at += 24 + fields[2];
    }
    struct wl_container *container;
    struct wl_entry entry;
    assert_ok(wl_container_open(&container, data, WL_SIZE_UNKNOWN));
    assert_ok(wl_container_select(container, NULL, &entry));
    assert_string_equal(entry.target.processor, "gfx90a");
    assert_int_equal(entry.size, ENTRY);
    unsigned char *resident = malloc(size / PAGE);
    assert_non_null(resident);
    assert_int_equal(mincore(data, size, resident), 0);
    for (size_t i = 1; i < size / PAGE; i++)
        assert_false(resident[i] & 1);
    free(resident);
    wl_container_close(container);
    munmap(data, size);
}

int test_containers(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_bundles),
        cmocka_unit_test(opens_files),
        cmocka_unit_test(opens_host_files),
        cmocka_unit_test(opens_wrappers),
        cmocka_unit_test(expands_every_version),
        cmocka_unit_test(refuses_bad_compression),
        cmocka_unit_test(selects),
        cmocka_unit_test(leaves_old_processors_out),
        cmocka_unit_test(expands_once),
        cmocka_unit_test(remembers_failure),
        cmocka_unit_test(opens_large_bundles_at_once),
    };
    return cmocka_run_group_tests_name("containers", tests, NULL, NULL);
}
