/* gfx1250's tensor data mover: tiles of tensors between memory and LDS, by descriptors in four groups of scalar registers. Their fields are those
 * of MLIR's amdgpu dialect and of Triton; what an instruction does with them is as AMD's emulator rocjitsu has it. */
#include "device/cpu/helpers/barriers.h"
#include "device/cpu/helpers/lanes.h"

#include "base/options.h"

#include <string.h>

enum { RANK = 5, MOST_INDICES = 16 };

struct tensor {
    struct wl_wave *wave;
    bool store, gather, iterate;
    uint64_t memory;
    uint32_t lds, size;                  /* size: bytes of an element */
    uint64_t extent[RANK], stride[RANK]; /* in elements. stride[0] is 1 */
    uint32_t tile[RANK], rank;
    uint32_t pad_interval, pad; /* bytes: behind so many there is a gap of so many; interval 0: there is none */
    uint32_t iterations, lds_step;
    uint64_t memory_step;
    uint32_t indices, index[MOST_INDICES];
};

static uint64_t field(const uint32_t *group, unsigned bit, unsigned bits) {
    uint64_t value = 0;
    for (unsigned i = 0; group && i < bits; i++)
        value |= (uint64_t)(group[(bit + i) / 32] >> (bit + i) % 32 & 1) << i;
    return value;
}

/* ---- reading a descriptor ---- */

static void read_sizes(struct tensor *t, const uint32_t *const group[4]) {
    const struct {
        uint8_t group, extent, tile_group, tile, stride_group, stride;
    } places[RANK] = {{1, 48, 1, 112, 0, 0}, {1, 80, 1, 128, 1, 160}, {2, 0, 1, 144, 1, 208}, {2, 32, 2, 112, 2, 64}, {3, 48, 3, 80, 3, 0}};
    const unsigned dimensions = t->gather ? 2 : t->iterate ? 3 : RANK;

    t->stride[0] = 1;
    for (unsigned i = 0; i < dimensions; i++) {
        t->extent[i] = field(group[places[i].group], places[i].extent, 32);
        t->tile[i] = (uint32_t)field(group[places[i].tile_group], places[i].tile, 16);
        if (i)
            t->stride[i] = field(group[places[i].stride_group], places[i].stride, 48);
        if (t->tile[i])
            t->rank = i + 1;
    }
}

/* With gather, the second size of the tile is how many rows the other two groups name. */
static void read_indices(struct tensor *t, const uint32_t *const group[4], bool wide) {
    const unsigned bits = wide ? 32 : 16, each = 128 / bits;
    t->indices = t->tile[1];
    for (unsigned i = 0; i < 2 * each; i++)
        t->index[i] = (uint32_t)field(group[2 + i / each], i % each * bits, bits);
}

static void read_descriptor(struct tensor *t, const uint32_t *const group[4]) {
    t->gather = field(group[0], 31, 1);
    t->iterate = !t->gather && field(group[1], 19, 1);
    t->lds = group[0][1];
    t->memory = field(group[0], 64, 57);
    t->size = 1u << field(group[1], 16, 2);
    if (field(group[1], 20, 1) && !t->store) { /* what is stored has no gaps */
        t->pad_interval = 8u << field(group[1], 22, 3);
        t->pad = 4 * (uint32_t)(field(group[1], 25, 7) + 1);
    }
    read_sizes(t, group);
    if (t->gather)
        read_indices(t, group, field(group[0], 30, 1));
    t->iterations = 1;
    if (t->iterate) {
        t->lds_step = (uint32_t)field(group[2], 32, 32);
        t->memory_step = field(group[2], 64, 48);
        t->iterations = (uint32_t)field(group[2], 112, 16) + 1;
    }
}

/* Why a descriptor cannot be done; NULL: it can. */
static const char *unknown(const struct tensor *t, const uint32_t *const group[4]) {
    enum { MOST_BYTES = 1 << 20 }; /* more than any LDS has */
    const bool wide = field(group[0], 30, 1);
    uint64_t bytes = t->size;
    if (field(group[0], 0, 2) > 1 || field(group[0], 2, 1))
        return "a count above 1, or restores a state";
    if (wide && !t->gather)
        return "a size of indices without gather";
    if (t->gather && (!t->tile[0] || !t->indices || t->indices > (wide ? 8 : MOST_INDICES)))
        return "no indices, or too many";
    for (unsigned i = 0; i < t->rank; i++) {
        bytes *= t->tile[i];
        if (!t->tile[i])
            return "a tile of which an inner size is 0";
        if (bytes > MOST_BYTES)
            return "a tile that is larger than LDS";
    }
    if (t->iterate && (t->rank < 2 || t->rank > 3))
        return "iteration over a tile of one dimension";
    return NULL;
}

/* ---- where a step of an iteration begins ---- */

/* The coordinates of an element, from its distance to the tensor's first one: largest strides first. Dimensions of one element take no part. What
 * is left goes to the first coordinate. */
static void locate(const struct tensor *t, uint64_t offset, uint64_t origin[RANK]) {
    bool done[RANK] = {false};
    memset(origin, 0, RANK * sizeof *origin);
    for (;;) {
        unsigned next = RANK;
        for (unsigned i = 0; i < t->rank; i++)
            if (!done[i] && t->extent[i] > 1 && (next == RANK || t->stride[i] >= t->stride[next]))
                next = i;
        if (next == RANK)
            break;
        done[next] = true;
        origin[next] = t->stride[next] ? offset / t->stride[next] : 0;
        offset = t->stride[next] ? offset % t->stride[next] : offset;
    }
    origin[0] += offset;
}

/* Whether an element's coordinates follow from its distance: each dimension's stride is as long as all dimensions with smaller strides are. */
static bool is_unique(const struct tensor *t) {
    for (unsigned i = 0; i < t->rank; i++) {
        uint64_t span = 1, more;
        for (unsigned j = 0; j < t->rank; j++)
            if (j != i && t->extent[j] > 1 && (t->stride[j] < t->stride[i] || (t->stride[j] == t->stride[i] && j < i)) &&
                (__builtin_mul_overflow(t->stride[j], t->extent[j] - 1, &more) || __builtin_add_overflow(span, more, &span)))
                return false;
        if (t->extent[i] > 1 && t->stride[i] < span)
            return false;
    }
    return true;
}

/* ---- moving ---- */

/* `bytes` between LDS and memory; the first `valid` of them are in the tensor. LDS beside the others gets zeros. */
static void move(const struct tensor *t, uint64_t lds, uint64_t memory, uint64_t bytes, uint64_t valid) {
    for (uint64_t at = 0; at < (t->store ? valid : bytes);) {
        const uint64_t dense = lds + at, gaps = t->pad_interval ? dense / t->pad_interval * t->pad : 0;
        uint64_t run = (at < valid ? valid : bytes) - at;
        if (t->pad_interval && run > t->pad_interval - dense % t->pad_interval)
            run = t->pad_interval - dense % t->pad_interval;
        uint8_t *const local = t->wave->lds + (uint32_t)(t->lds + dense + gaps);
        void *const far = (void *)(uintptr_t)(memory + at);
        if (t->store)
            memcpy(far, local, run);
        else if (at < valid)
            memcpy(local, far, run);
        else
            memset(local, 0, run);
        at += run;
    }
}

static void move_row(const struct tensor *t, uint64_t lds, uint64_t memory, uint64_t first, bool inside) {
    const uint64_t left = inside && first < t->extent[0] ? t->extent[0] - first : 0, valid = left < t->tile[0] ? left : t->tile[0];
    move(t, lds * t->size, t->memory + memory * t->size, (uint64_t)t->tile[0] * t->size, valid * t->size);
}

static void move_gathered(const struct tensor *t) {
    for (uint32_t i = 0; i < t->indices; i++)
        move_row(t, (uint64_t)i * t->tile[0], t->index[i] * t->stride[1], 0, t->index[i] < t->extent[1]);
}

static void move_tile(const struct tensor *t, uint32_t iteration) {
    const uint64_t offset = iteration * t->memory_step;
    uint64_t origin[RANK] = {0}, rows = 1;
    if (offset)
        locate(t, offset, origin);
    for (unsigned i = 1; i < t->rank; i++)
        rows *= t->tile[i];
    for (uint64_t row = 0; row < rows; row++) {
        uint64_t rest = row, memory = offset;
        bool inside = true;
        for (unsigned i = 1; i < t->rank; i++) {
            const uint64_t n = rest % t->tile[i];
            rest /= t->tile[i];
            memory += n * t->stride[i];
            inside &= origin[i] + n < t->extent[i];
        }
        move_row(t, (uint64_t)iteration * t->lds_step + row * t->tile[0], memory, origin[0], inside);
    }
}

/* The kernel fails as with an address that is none. */
static void refuse(const char *why) {
    static volatile char *volatile const nowhere;
    wl_log(1, "a tensor's descriptor is refused: it has %s", why);
    *nowhere = 0;
}

void wl_help_tensor(struct wl_wave *wave, const uint32_t *group0, const uint32_t *group1, const uint32_t *group2, const uint32_t *group3,
                    uint32_t store) {
    enum { COUNT = 3 };
    const uint32_t *const group[4] = {group0, group1, group2, group3};
    struct tensor t = {.wave = wave, .store = store};
    if (!(group0[0] & COUNT))
        return;
    read_descriptor(&t, group);
    const bool takes = store || wl_cluster_takes(wave, (uint32_t)field(group1, 0, 16));
    const char *why = unknown(&t, group);
    if (!why && t.iterations > 1 && t.memory_step && !is_unique(&t))
        why = "iteration over a tensor whose rows overlap";
    if (why)
        refuse(why);
    else if (takes && t.gather)
        move_gathered(&t);
    else
        for (uint32_t i = 0; takes && i < t.iterations && t.rank; i++)
            move_tile(&t, i);
    if (field(group1, 18, 1))
        wl_lds_arrive(wave, (uint32_t)field(group1, 32, 16) << 3, 1);
}
