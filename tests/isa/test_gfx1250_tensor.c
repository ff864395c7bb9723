/* gfx1250's tensor data mover: descriptors of all kinds, against loops over elements. What the instruction left in LDS comes back by copies. And a jump
 * by a register. */
#include "isa/gfx1250.h"

#include <stdlib.h>

enum {
    WINDOW = 2048, /* bytes of LDS that take part */
    MEMORY = 1 << 16,
    RANK = 5,
    BARRIER = WINDOW - 8,
    LOCAL = 8, /* v8: the lane's 16 bytes in LDS */
    IMAGE = 10,
    DUMP = 12, /* v[10:11], v[12:13]: the same in memory */
};

struct descriptor {
    unsigned size_log, rank, indices, wide; /* indices: gather; wide: they have 32 bits */
    uint32_t extent[RANK], tile[RANK], index[16];
    uint64_t stride[RANK];                  /* in elements; the first one is 1 */
    unsigned iterations, step[3], lds_step; /* step: in each dimension */
    bool pads, arrives;
    unsigned interval, gap; /* dwords */
    uint8_t *memory;
    uint32_t lds;
};

static void put(uint32_t *group, unsigned bit, unsigned bits, uint64_t value) {
    for (unsigned i = 0; i < bits; i++)
        group[(bit + i) / 32] |= (uint32_t)(value >> i & 1) << (bit + i) % 32;
}

static uint64_t step_of(const struct descriptor *d) { return d->step[0] + d->step[1] * d->stride[1] + d->step[2] * d->stride[2]; }

/* Groups 0 to 3 in s[0:3], s[4:11], s[12:15] and s[16:19]. */
static void encode(const struct descriptor *d, uint32_t group[20]) {
    uint32_t *one = group + 4, *two = group + 12, *three = group + 16;
    memset(group, 0, 20 * sizeof *group);
    put(group, 0, 2, 1);
    put(group, 30, 1, d->wide);
    put(group, 31, 1, d->indices != 0);
    put(group, 32, 32, d->lds);
    put(group, 64, 57, (uintptr_t)d->memory);
    put(group, 126, 2, 2);
    put(one, 16, 2, d->size_log);
    put(one, 18, 1, d->arrives);
    put(one, 19, 1, d->iterations > 1);
    put(one, 20, 1, d->pads);
    if (d->pads) {
        put(one, 22, 3, (uint64_t)__builtin_ctz(d->interval) - 1);
        put(one, 25, 7, d->gap - 1);
    }
    put(one, 32, 16, BARRIER >> 3);
    put(one, 48, 32, d->extent[0]);
    put(one, 80, 32, d->extent[1]);
    put(one, 112, 16, d->tile[0]);
    put(one, 128, 16, d->indices ? d->indices : d->tile[1]);
    put(one, 144, 16, d->tile[2]);
    put(one, 160, 48, d->stride[1]);
    put(one, 208, 48, d->stride[2]);
    for (unsigned i = 0; i < d->indices; i++)
        put(two, i * (d->wide ? 32 : 16), d->wide ? 32 : 16, d->index[i]);
    if (d->indices)
        return;
    put(two, 0, 32, d->extent[2]);
    put(two, 32, 32, d->iterations > 1 ? d->lds_step : d->extent[3]);
    put(two, 64, 48, d->iterations > 1 ? step_of(d) : d->stride[3]);
    put(two, 112, 16, d->iterations > 1 ? d->iterations - 1 : d->tile[3]);
    put(three, 0, 48, d->stride[4]);
    put(three, 48, 32, d->extent[4]);
    put(three, 80, 16, d->tile[4]);
}

/* ---- what should come of it ---- */

static uint8_t *local_byte(const struct descriptor *d, uint8_t *lds, uint64_t element, unsigned byte, bool store) {
    uint64_t at = (element << d->size_log) + byte;
    if (d->pads && !store)
        at += at / 4 / d->interval * d->gap * 4;
    return lds + d->lds + at;
}

static void move_element(const struct descriptor *d, uint8_t *lds, uint64_t element, uint64_t in_memory, bool inside, bool store) {
    for (unsigned byte = 0; byte < 1u << d->size_log; byte++) {
        uint8_t *local = local_byte(d, lds, element, byte, store), *far = d->memory + (in_memory << d->size_log) + byte;
        if (!store)
            *local = inside ? *far : 0;
        else if (inside)
            *far = *local;
    }
}

static void move_all(const struct descriptor *d, uint8_t *lds, bool store) {
    for (unsigned n = 0; n < d->indices; n++)
        for (unsigned x = 0; x < d->tile[0]; x++)
            move_element(d, lds, n * d->tile[0] + x, d->index[n] * d->stride[1] + x, x < d->extent[0] && d->index[n] < d->extent[1], store);
    for (unsigned i = 0; i < d->iterations && !d->indices; i++) {
        uint64_t element = (uint64_t)i * d->lds_step;
        uint32_t at[RANK] = {0}, size[RANK];
        for (unsigned r = 0; r < RANK; r++)
            size[r] = r < d->rank ? d->tile[r] : 1;
        for (at[4] = 0; at[4] < size[4]; at[4]++)
            for (at[3] = 0; at[3] < size[3]; at[3]++)
                for (at[2] = 0; at[2] < size[2]; at[2]++)
                    for (at[1] = 0; at[1] < size[1]; at[1]++)
                        for (at[0] = 0; at[0] < size[0]; at[0]++, element++) {
                            uint64_t in_memory = i * step_of(d);
                            bool inside = true;
                            for (unsigned r = 0; r < d->rank; r++) {
                                in_memory += at[r] * d->stride[r];
                                inside &= at[r] + (r < 3 ? i * d->step[r] : 0) < d->extent[r];
                            }
                            move_element(d, lds, element, in_memory, inside, store);
                        }
    }
}

/* ---- descriptors ---- */

static uint32_t below(uint32_t n) { return random_number() % n; }

static struct descriptor random_descriptor(unsigned round, uint8_t *memory) {
    static const unsigned tiles[RANK + 1] = {0, 40, 7, 4, 3, 3};
    struct descriptor d = {.size_log = below(4), .rank = 1 + below(RANK), .iterations = 1, .memory = memory + MEMORY / 4, .stride = {1}};
    const unsigned kind = round % 4; /* 1: iterates, 2: gathers */
    if (kind == 1)
        d.rank = 2 + below(2);
    if (kind == 2)
        d.rank = 2;
    for (unsigned r = 0; r < d.rank; r++) {
        d.tile[r] = 1 + below(kind == 1 ? 3 : tiles[d.rank]);
        d.extent[r] = below(8) ? d.tile[r] - 1 + below(4) : 0;
        if (r)
            d.stride[r] = d.stride[r - 1] * (d.extent[r - 1] ? d.extent[r - 1] : 1) + below(3);
    }
    if (kind == 1) {
        d.iterations = 2 + below(3);
        for (unsigned r = 0; r < d.rank; r++) { /* so that each step's begin is in the tensor */
            d.step[r] = below(2);
            d.extent[r] = 2 + d.step[r] * d.iterations + below(3);
            d.stride[r] = r ? d.stride[r - 1] * d.extent[r - 1] + below(2) * 3 : 1;
        }
        d.lds_step = 30 + below(8);
    }
    if (kind == 2) {
        d.wide = below(2);
        d.indices = 1 + below(d.wide ? 8 : 16);
        d.extent[1] = 5 + below(40);
        d.stride[1] = 1 + below(40);
        for (unsigned i = 0; i < d.indices; i++)
            d.index[i] = below(d.extent[1] + 3);
        d.tile[0] = 1 + below(8);
    }
    d.pads = below(2);
    d.interval = 2u << below(4);
    d.gap = 1 + below(3);
    d.lds = below(8) * 8;
    d.arrives = below(2);
    return d;
}

/* ---- one instruction ---- */

static void put_address(unsigned row, unsigned lane, const uint8_t *at) {
    lift_row(row)[lane] = (uint32_t)(uintptr_t)at;
    lift_row(row + 1)[lane] = (uint32_t)((uint64_t)(uintptr_t)at >> 32);
}

/* Copies to LDS, the instruction, copies from LDS. */
static void open_tensor(bool store, bool both, bool plain) {
    enum { COPIES = WINDOW / 512, SIGNED = 0xffffff };
    uint32_t words[40];
    unsigned count = 0;
    for (unsigned i = 0; i < COPIES; i++) { /* global_load_async_to_lds_b128 v8, v[10:11], off offset:... */
        words[count++] = 0xee18807c;
        words[count++] = LOCAL;
        words[count++] = (i * 512 & SIGNED) << 8 | IMAGE;
    }
    words[count++] = 0xbfca0000; /* s_wait_asynccnt 0x0 */
    words[count++] = store ? 0xd0714001 : 0xd0710001;
    words[count++] = 0x7c000000;
    words[count++] = both ? 0x100c0400 : 0x7c7c0400;
    words[count++] = 0xbfcb0000; /* s_wait_tensorcnt 0x0 */
    for (unsigned i = 0; i < COPIES; i++) {
        words[count++] = 0xee19807c;
        words[count++] = LOCAL << 23;
        words[count++] = (i * 512 & SIGNED) << 8 | DUMP;
    }
    words[count++] = 0xbfca0000;
    open_words(words, count, plain);
}

/* As a barrier in LDS counts: from 3 down, or on to a new phase. */
static void set_barrier(uint8_t *lds, bool last, bool after) {
    const uint64_t value = !last ? UINT64_C(0x700000003) - after : after ? UINT64_C(0x780000007) : UINT64_C(0x7a0000000);
    memcpy(lds + BARRIER, &value, sizeof value);
}

static bool same(const char *what, unsigned round, const uint8_t *got, const uint8_t *want, unsigned size) {
    char text[160];
    for (unsigned i = 0; i < size; i++)
        if (got[i] != want[i]) {
            snprintf(text, sizeof text, "tensor, round %u: %s: byte %u is %02x, expected %02x", round, what, i, got[i], want[i]);
            fail(text);
            return false;
        }
    return true;
}

static void check_tensor(uint8_t *memory, uint8_t *image, uint8_t *dump, unsigned round) {
    static uint8_t given[MEMORY], want[MEMORY], lds[WINDOW];
    const struct descriptor d = random_descriptor(round, memory);
    const bool store = round / 4 % 2, last = round % 3 == 0, both = d.rank > 2 || d.indices || d.iterations > 1;
    uint32_t group[20];
    for (unsigned i = 0; i < MEMORY; i++)
        memory[i] = (uint8_t)random_number();
    for (unsigned i = 0; i < WINDOW; i++)
        image[i] = (uint8_t)random_number();
    set_barrier(image, last, false);
    memcpy(given, memory, MEMORY);
    memcpy(lds, image, WINDOW);
    move_all(&d, lds, store); /* in memory itself, which is put back */
    memcpy(want, memory, MEMORY);
    memcpy(memory, given, MEMORY);
    if (d.arrives)
        set_barrier(lds, last, true);

    open_tensor(store, both, round % 2);
    encode(&d, group);
    for (unsigned i = 0; i < (both ? 20 : 12); i++)
        lift_scalars()[i] = group[i];
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        lift_row(LOCAL)[lane] = lane * 16;
        put_address(IMAGE, lane, image + lane * 16);
        put_address(DUMP, lane, dump + lane * 16);
    }
    lift_execute(UINT32_MAX);
    checks++;
    if (!same("memory", round, memory, want, MEMORY) || !same("LDS", round, dump, lds, WINDOW))
        fprintf(stderr, "  %s of %u dimensions, %u iterations, %u indices, elements of %u bytes, %s\n", store ? "store" : "load", d.rank,
                d.iterations, d.indices, 1u << d.size_log, d.pads ? "gaps" : "no gaps");
    lift_close();
}

/* ---- a jump by a register ---- */

/* Over two of three additions. */
static void check_jump(bool plain) {
    static const uint32_t words[] = {0xbe804b04 /* s_add_pc_i64 s[4:5] */, 0x80068106 /* s_add_co_u32 s6, s6, 1 */, 0x80068206, 0x80068406};
    char what[80];
    open_words(words, 4, plain);
    lift_scalars()[4] = 8;
    lift_scalars()[5] = lift_scalars()[6] = 0;
    lift_execute(UINT32_MAX);
    checks++;
    if (lift_scalars()[6] != 4) {
        snprintf(what, sizeof what, "s_add_pc_i64: %u was added behind it, expected 4", lift_scalars()[6]);
        fail(what);
    }
    lift_close();
}

int main(int argc, char **argv) {
    const unsigned rounds = argc > 1 ? (unsigned)atoi(argv[1]) : 160;
    lift_start();
    uint8_t *memory = lift_memory(MEMORY), *image = lift_memory(WINDOW), *dump = lift_memory(WINDOW);
    check_jump(false);
    check_jump(true);
    for (unsigned round = 0; round < rounds; round++)
        check_tensor(memory, image, dump, round);
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
