/* Finds the semantics of a mnemonic in the table that semantics/pack.c generates, and what is known about value types. */
#include "translate/isa/sem.h"

#include <stdio.h>
#include <string.h>

extern const struct wl_sem wl_sem_rows[]; /* sorted by name; variants before the row that any host can run */
extern const size_t wl_sem_row_count;

static const struct {
    uint8_t registers, bits;
    bool is_float;
} types[WL_TYPE_COUNT] = {
    [WL_U32] = {1, 32, false},   [WL_I32] = {1, 32, false},    [WL_F32] = {1, 32, true},    [WL_U64] = {2, 64, false},
    [WL_I64] = {2, 64, false},   [WL_F64] = {2, 64, true},     [WL_U16] = {1, 16, false},   [WL_I16] = {1, 16, false},
    [WL_F16] = {1, 16, true},    [WL_BF16] = {1, 16, false},   [WL_PKU16] = {1, 32, false}, [WL_PKI16] = {1, 32, false},
    [WL_PKF16] = {1, 32, false}, [WL_PKBF16] = {1, 32, false}, [WL_PKF32] = {2, 64, false}, [WL_B8X4] = {1, 32, false},
    [WL_U96] = {3, 96, false},   [WL_U128] = {4, 128, false},  [WL_MASK] = {0, 32, false},  [WL_SCC] = {0, 32, false},
};

/* Whether the list `have` ("+avx512f,-sse4a,...") switches on the `size` letters at `name`. */
static bool has_feature(const char *have, const char *name, size_t size) {
    while (have && *have) {
        const size_t length = strcspn(have, ",");

        if (length == size + 1 && have[0] == '+' && memcmp(have + 1, name, size) == 0)
            return true;
        have += length + (have[length] == ',');
    }
    return false;
}

static bool satisfied(const char *required, const char *have) {
    while (required && *required) {
        const size_t size = strcspn(required, ",");

        if (!has_feature(have, required, size))
            return false;
        required += size + (required[size] == ',');
    }
    return true;
}

const struct wl_sem *wl_sem_search(const struct wl_sem *rows, size_t count, const char *mnemonic, const char *features) {
    size_t low = 0, high = count;

    while (low < high) {
        const size_t middle = low + (high - low) / 2;

        if (strcmp(rows[middle].name, mnemonic) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < count && strcmp(rows[low].name, mnemonic) == 0; low++)
        if (satisfied(rows[low].requires, features))
            return &rows[low];
    return NULL;
}

const struct wl_sem *wl_sem_find(const char *mnemonic, const char *features) {
    return wl_sem_search(wl_sem_rows, wl_sem_row_count, mnemonic, features);
}

bool wl_sem_form_name(const struct wl_sem *sem, const struct wl_sem_math *math, unsigned number, char *name, size_t size) {
    const unsigned forms = math->exact ? 1 : math->hardware ? 3 : 0; /* of the arithmetic that is wanted; behind them NAME_flushed */

    if (number >= forms + math->flushes)
        return false;
    if (number == forms)
        snprintf(name, size, "%s_flushed", sem->name);
    else if (math->exact)
        snprintf(name, size, "%s_exact", sem->name);
    else if (number == 0)
        snprintf(name, size, "%s_hardware_%s", sem->name, math->processor);
    else if (number == 1)
        snprintf(name, size, "%s_hardware_gfx%u", sem->name, math->generation);
    else
        snprintf(name, size, "%s_hardware", sem->name);
    return true;
}

const struct wl_sem *wl_sem_choose(const struct wl_sem *sem, const struct wl_sem_math *math, const char *features) {
    const struct wl_sem *form = NULL;
    char name[96];

    for (unsigned i = 0; !form && wl_sem_form_name(sem, math, i, name, sizeof name); i++)
        form = wl_sem_find(name, features);
    if (!form)
        form = wl_sem_find(sem->name, features);
    return form ? form : sem;
}

const struct wl_sem *wl_sem_table(size_t *count) {
    *count = wl_sem_row_count;
    return wl_sem_rows;
}

unsigned wl_type_registers(enum wl_type type) { return types[type].registers; }

unsigned wl_type_bits(enum wl_type type) { return types[type].bits; }

bool wl_type_is_float(enum wl_type type) { return types[type].is_float; }
