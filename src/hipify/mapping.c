/* See mapping.h. An open-addressing hash over the rows, built at the first use; a filter of first letters keeps most of a
 * program's identifiers away from it. */
#include "hipify/mapping.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* NOLINTBEGIN(bugprone-macro-parentheses): initializers */
#define ROW(name, hip_name, kind_name, group_name, version)                                                                                \
    {.cuda = name,                                                                                                                         \
     .hip = hip_name,                                                                                                                      \
     .group = group_name,                                                                                                                  \
     .since = version,                                                                                                                     \
     .reason = "",                                                                                                                         \
     .kind = WL_HIPIFY_##kind_name,                                                                                                        \
     .cuda_size = sizeof name - 1},
#define NONE(name, kind_name, group_name, why)                                                                                             \
    {.cuda = name, .group = group_name, .since = "", .reason = why, .kind = WL_HIPIFY_##kind_name, .cuda_size = sizeof name - 1},
const struct wl_hipify_row wl_hipify_rows[] = {
#include "hipify/table.inc"
};
#undef ROW
#undef NONE
enum { ROWS = sizeof wl_hipify_rows / sizeof *wl_hipify_rows };
const size_t wl_hipify_row_count = ROWS;

#define ANY                                      (-1)
#define CAST(argument, target)                   .cast = argument, .type = target,
#define ADD(argument, more)                      .after = argument, .text = more,
#define DROP(argument)                           .drop = argument,
#define FORM(name, arguments, hip_name, changes) {.cuda = name, .count = arguments, .hip = hip_name, changes},
#define REFUSE(name, arguments, why)             {.cuda = name, .count = arguments, .text = why},
#define TAG(name, hip_tag)
#define NOT_COMPARABLE(name, why)
static const struct wl_hipify_form forms[] = {
#include "hipify/forms.inc"
};
#undef FORM
#undef REFUSE
#undef TAG
#undef NOT_COMPARABLE
enum { FORMS = sizeof forms / sizeof *forms };

#define FORM(name, arguments, hip_name, changes)
#define REFUSE(name, arguments, why)
#define TAG(name, hip_tag)
#define NOT_COMPARABLE(name, why) {name, why},
static const struct pair {
    const char *name, *text;
} not_comparable[] = {
#include "hipify/forms.inc"
};
#undef TAG
#undef NOT_COMPARABLE

#define TAG(name, hip_tag) {name, hip_tag},
#define NOT_COMPARABLE(name, why)
static const struct pair tags[] = {
#include "hipify/forms.inc"
};
/* NOLINTEND(bugprone-macro-parentheses) */

enum { SLOTS = 16384 };
_Static_assert(ROWS < SLOTS / 2 && ROWS < UINT16_MAX && FORMS < UINT8_MAX, "the hash is too small");

static uint16_t slots[SLOTS];     /* a row's index + 1 */
static uint8_t first_form[ROWS];  /* a form's index + 1 */
static bool first_letters[65536]; /* of some name */
static unsigned char longest;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static uint32_t hash_of(const char *name, size_t size) {
    uint64_t hash = size;
    for (; size >= 8; name += 8, size -= 8) {
        uint64_t part;
        memcpy(&part, name, 8);
        hash = (hash ^ part) * UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    uint64_t part = 0;
    for (size_t i = 0; i < size; i++)
        part |= (uint64_t)(unsigned char)name[i] << (8 * i);
    hash = (hash ^ part) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> 40);
}

static uint16_t letters_of(const char *name) { return (uint16_t)((unsigned char)name[0] << 8 | (unsigned char)name[1]); }

static const struct wl_hipify_row *find(const char *name, size_t size) {
    if (size < 2 || size > longest || !first_letters[letters_of(name)])
        return NULL;
    for (uint32_t slot = hash_of(name, size) % SLOTS; slots[slot]; slot = (slot + 1) % SLOTS) {
        const struct wl_hipify_row *row = &wl_hipify_rows[slots[slot] - 1];
        if (row->cuda_size == size && memcmp(row->cuda, name, size) == 0)
            return row;
    }
    return NULL;
}

static void build(void) {
    for (size_t i = 0; i < ROWS; i++) {
        const struct wl_hipify_row *row = &wl_hipify_rows[i];
        uint32_t slot = hash_of(row->cuda, row->cuda_size) % SLOTS;
        while (slots[slot])
            slot = (slot + 1) % SLOTS;
        slots[slot] = (uint16_t)(i + 1);
        first_letters[letters_of(row->cuda)] = true;
        if (row->cuda_size > longest)
            longest = row->cuda_size;
    }
    for (size_t i = FORMS; i-- > 0;) {
        const struct wl_hipify_row *row = find(forms[i].cuda, strlen(forms[i].cuda));
        if (row)
            first_form[row - wl_hipify_rows] = (uint8_t)(i + 1);
    }
}

const struct wl_hipify_row *wl_mapping_find(const char *name, size_t size) {
    pthread_once(&once, build);
    return find(name, size);
}

const struct wl_hipify_row *wl_mapping_find_header(const char *path, size_t size) {
    const struct wl_hipify_row *row = wl_mapping_find(path, size);
    const char *slash = memchr(path, '/', size);
    if (!row && slash)
        row = wl_mapping_find(path, (size_t)(slash - path) + 1);
    return row && row->kind == WL_HIPIFY_HEADER ? row : NULL;
}

const struct wl_hipify_form *wl_mapping_forms(const struct wl_hipify_row *row, size_t *count) {
    *count = 0;
    pthread_once(&once, build);
    size_t first = first_form[row - wl_hipify_rows];
    if (!first)
        return NULL;
    const struct wl_hipify_form *form = &forms[first - 1];
    while (form + *count < forms + FORMS && strcmp(form[*count].cuda, row->cuda) == 0)
        ++*count;
    return form;
}

static const char *find_pair(const struct pair *pairs, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(pairs[i].name, name) == 0)
            return pairs[i].text;
    return NULL;
}

const char *wl_mapping_not_comparable(const struct wl_hipify_row *row) {
    if (row->kind != WL_HIPIFY_MACRO)
        return NULL;
    return find_pair(not_comparable, sizeof not_comparable / sizeof *not_comparable, row->cuda);
}

const char *wl_mapping_tag(const struct wl_hipify_row *row) { return find_pair(tags, sizeof tags / sizeof *tags, row->cuda); }

const char *wl_mapping_kind_name(enum wl_hipify_kind kind) {
    static const char *const names[WL_HIPIFY_KINDS] = {"driver API", "runtime API", "device functions", "constants", "types",
                                                       "macros",     "headers",     "complex numbers",  "NVRTC",     "cuBLAS",
                                                       "cuFFT",      "cuRAND",      "cuSPARSE",         "namespaces"};
    return names[kind];
}
