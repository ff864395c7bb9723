/* What a debugger is told of a code object: a file that an ELF reader takes, from damaged DWARF as well. */
#include "codeobject/codeobject.h"
#include "debug/debug.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *path;
static uint8_t *original;
static size_t size;

static int read_file(void **state) {
    struct wl_container *container = NULL;
    struct wl_entry entry;
    (void)state;
    if (wl_container_open_file(&container, path) != WL_OK || wl_container_entry(container, 0, &entry) != WL_OK)
        return -1;
    size = entry.size;
    original = malloc(size);
    if (original)
        memcpy(original, entry.data, size);
    wl_container_close(container);
    return original ? 0 : -1;
}

/* The place of a section in the file. */
static size_t find(const char *name, size_t *length) {
    const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)original;
    const Elf64_Shdr *sections = (const Elf64_Shdr *)(const void *)(original + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++)
        if (strcmp((const char *)original + sections[header->e_shstrndx].sh_offset + sections[i].sh_name, name) == 0) {
            *length = sections[i].sh_size;
            return sections[i].sh_offset;
        }
    fail_msg("%s has no section %s", path, name);
    return 0;
}

static enum wl_status make(const uint8_t *bytes, size_t count, size_t *made) {
    struct wl_codeobject *object = NULL;
    uint8_t *file = NULL;
    assert_int_equal(wl_codeobject_open(&object, bytes, count), WL_OK);
    const struct wl_debug_request request = {.object = object, .code = UINT64_C(0x700000000000), .data = UINT64_C(0x600000000000)};
    enum wl_status status = wl_debug_object(&request, false, &file, made);
    if (status == WL_OK) {
        const Elf64_Ehdr *header = (const Elf64_Ehdr *)(const void *)file;
        assert_memory_equal(file, ELFMAG, SELFMAG);
        assert_true(header->e_shoff + header->e_shnum * sizeof(Elf64_Shdr) <= *made);
    } else {
        assert_int_equal(status, WL_INVALID_IMAGE);
        assert_int_equal(wl_debug_object(&request, true, &file, made), WL_OK);
    }
    free(file);
    wl_codeobject_close(object);
    return status;
}

static void whole(void **state) {
    size_t made = 0;
    (void)state;
    assert_int_equal(make(original, size, &made), WL_OK);
    assert_true(made > 1000);
}

static void damaged(void **state) {
    static const char *const sections[] = {".debug_info",     ".debug_abbrev", ".debug_line",
                                           ".debug_loclists", ".debug_addr",   ".debug_str_offsets"};
    unsigned failed = 0, random = 1;
    uint8_t *copy = malloc(size);
    (void)state;
    assert_non_null(copy);
    for (unsigned i = 0; i < 3000; i++) {
        size_t length = 1, made, at = find(sections[i % (sizeof sections / sizeof *sections)], &length);
        memcpy(copy, original, size);
        for (unsigned change = 0; change <= i % 4; change++) {
            random = random * 1103515245 + 12345;
            copy[at + (random >> 8) % length] = (uint8_t)(random >> 24);
        }
        failed += make(copy, size, &made) != WL_OK;
    }
    free(copy);
    assert_true(failed > 100); /* the damage is seen */
}

/* Native code with lines of two files, and a gap. gdb's sessions show that such files are right. */
static void native(void **state) {
    static const struct wl_debug_native_row rows[] = {
        {0x1000, 0x1010, "/a/b.hip:12"}, {0x1010, 0x1020, "/a/c.h:7"}, {0x1040, 0x1050, "/a/b.hip:9"}};
    static const uint8_t frames[16];
    const struct wl_debug_native request = {"[native] f()", 0x1000, 0x100, frames, sizeof frames, rows, sizeof rows / sizeof *rows};
    uint8_t *file = NULL;
    size_t made = 0;
    (void)state;
    assert_int_equal(wl_debug_native_object(&request, &file, &made), WL_OK);
    assert_memory_equal(file, ELFMAG, SELFMAG);
    assert_non_null(memmem(file, made, "/a/b.hip", 9));
    const uint8_t *other = memmem(file, made, "/a/c.h", 7);
    assert_non_null(other);
    assert_null(memmem(other + 1, made - (size_t)(other + 1 - file), "/a/c.h", 7)); /* once */
    free(file);
    struct wl_debug_native bare = request;
    bare.row_count = 0;
    assert_int_equal(wl_debug_native_object(&bare, &file, &made), WL_OK);
    assert_null(memmem(file, made, "debug_line", 10));
    free(file);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(whole), cmocka_unit_test(damaged), cmocka_unit_test(native)};
    path = argc > 1 ? argv[1] : "";
    int status = cmocka_run_group_tests(tests, read_file, NULL);
    free(original);
    return status;
}
