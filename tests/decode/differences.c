#include "differences.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    char target[24], mnemonic[40], what[40], example[400];
    uint64_t count;
};

static struct kind *kinds;
static size_t kind_count;
static uint64_t differences;

static struct kind *find(const struct kind *wanted) {
    for (size_t i = 0; i < kind_count; i++)
        if (strcmp(kinds[i].mnemonic, wanted->mnemonic) == 0 && strcmp(kinds[i].what, wanted->what) == 0 &&
            strcmp(kinds[i].target, wanted->target) == 0)
            return &kinds[i];
    return NULL;
}

void differences_add(const struct difference *difference) {
    struct kind kind = {.count = 1};
    const uint8_t *bytes = difference->bytes;
    int used = 0;

    differences++;
    snprintf(kind.target, sizeof kind.target, "%s", difference->target);
    snprintf(kind.mnemonic, sizeof kind.mnemonic, "%.*s", (int)strcspn(difference->mnemonic, " "), difference->mnemonic);
    snprintf(kind.what, sizeof kind.what, "%s", difference->what);
    struct kind *known = find(&kind);
    if (known) {
        known->count++;
        return;
    }
    for (unsigned i = 0; i < 16 && i + 4 <= difference->available; i += 4)
        used += snprintf(kind.example + used, sizeof kind.example - (size_t)used, "%02x%02x%02x%02x ", bytes[i + 3], bytes[i + 2],
                         bytes[i + 1], bytes[i]);
    snprintf(kind.example + used, sizeof kind.example - (size_t)used, "%.150s | %.150s", difference->theirs, difference->ours);
    kinds = realloc(kinds, (kind_count + 1) * sizeof *kinds);
    if (!kinds)
        abort();
    kinds[kind_count++] = kind;
}

static int by_count(const void *a, const void *b) {
    const struct kind *x = a, *y = b;
    return x->count < y->count ? 1 : x->count > y->count ? -1 : 0;
}

uint64_t differences_print(void) {
    if (kind_count)
        qsort(kinds, kind_count, sizeof *kinds, by_count);
    for (size_t i = 0; i < kind_count; i++)
        printf("%8" PRIu64 "  %-12s %-30s %-16s %s\n", kinds[i].count, kinds[i].target, kinds[i].mnemonic, kinds[i].what, kinds[i].example);
    printf("%" PRIu64 " differences of %zu kinds\n", differences, kind_count);
    return differences;
}
