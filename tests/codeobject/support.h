/* What the tests of the code object reader share. */
#ifndef TESTS_CODEOBJECT_SUPPORT_H
#define TESTS_CODEOBJECT_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "codeobject/codeobject.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
    uint8_t *data;
    size_t size;
};

/* The bytes of a file of inputs/; the test fails without it. Free with free(data). */
struct bytes read_input(const char *name);
/* Whether inputs/ has the file: those of clang-15 are optional. */
bool has_input(const char *name);
/* Opens a code object of inputs/; the test fails if that fails. */
struct wl_codeobject *open_input(const char *name);
/* Compresses `bytes` into a CCOB of a version (1 to 3) with zlib or zstd. Free with free(data). */
struct bytes compress_bundle(struct bytes bytes, unsigned version, bool zstd);
/* Copies `bytes` so that they end where unmapped memory begins, and frees such a copy. */
uint8_t *before_hole(const uint8_t *data, size_t size);
void free_before_hole(uint8_t *data, size_t size);
/* Opens everything in a container and touches all that can be read of it. Returns the first status that is not WL_OK. */
enum wl_status walk_container(const void *data, size_t size);
enum wl_status walk_object(const void *data, size_t size);

#define assert_ok(expression) assert_ok_((expression), #expression, __FILE__, __LINE__)
void assert_ok_(enum wl_status status, const char *expression, const char *file, int line);

int test_targets(void);
int test_containers(void);
int test_objects(void);
int test_damage(void);

#endif
