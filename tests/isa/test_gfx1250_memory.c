/* gfx1250's ways to memory: indices that count elements, loads that transpose matrices, copies between memory and LDS, and registers above 255. */
#include "isa/gfx1250.h"

enum {
    FROM = 8,    /* v[8:9]: the address, or v8: an index */
    LOCAL = 10,  /* v10: the address in LDS */
    TO = 14,     /* v[14:15]: where to copy from LDS */
    RESULT = 20, /* v20 to v23 */
    BASE = 12,   /* s[12:13] */
    ROW_BYTES = 16,
    WAIT = 0xbfca0000, /* s_wait_asynccnt 0x0 */
};

static void set_address(unsigned row, unsigned lane, const void *at) {
    lift_row(row)[lane] = (uint32_t)(uintptr_t)at;
    lift_row(row + 1)[lane] = (uint32_t)((uint64_t)(uintptr_t)at >> 32);
}

static void expect(const char *what, unsigned round, unsigned lane, unsigned i, uint32_t got, uint32_t want) {
    char text[160];
    if (got == want)
        return;
    snprintf(text, sizeof text, "%s, round %u: lane %u, dword %u is %08x, expected %08x", what, round, lane, i, got, want);
    fail(text);
}

static void fill(uint8_t *memory, unsigned size) {
    for (unsigned i = 0; i < size; i++)
        memory[i] = (uint8_t)random_number();
}

/* ---- indices ---- */

/* A lane's register has a sign, and counts dwords or pairs of them. */
static void check_index(uint8_t *memory, unsigned size, unsigned dwords, unsigned round) {
    static const uint32_t loads[2][3] = {{0xee05000c, 0x00010014, 0x00000008}, {0xee05400c, 0x00010014, 0x00001008}};
    const uint32_t exec = some_exec(round);
    const unsigned offset = dwords == 2 ? 16 : 0;
    uint8_t *middle = memory + size / 2;

    open_words(loads[dwords - 1], 3, round % 2);
    lift_scalars()[BASE] = (uint32_t)(uintptr_t)middle;
    lift_scalars()[BASE + 1] = (uint32_t)((uint64_t)(uintptr_t)middle >> 32);
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        lift_row(FROM)[lane] = lane * 3 - 40;
        lift_row(RESULT)[lane] = lift_row(RESULT + 1)[lane] = 7;
    }
    lift_execute(exec);
    checks++;
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        for (unsigned i = 0; i < dwords; i++) {
            uint32_t want = 7;
            if (exec >> lane & 1)
                memcpy(&want, middle + ((int)lane * 3 - 40) * (int)dwords * 4 + (int)(offset + i * 4), 4);
            expect("scaled index", round, lane, i, lift_row(RESULT + i)[lane], want);
        }
    lift_close();
}

/* ---- matrices ---- */

struct cell {
    unsigned lane, element;
};

/* Where element n of what a lane loads goes. */
static struct cell goes_to(unsigned bits, unsigned lane, unsigned n) {
    const unsigned four = lane % 8 / 4;

    if (bits == 16)
        return (struct cell){lane - lane % 8 + n, lane % 8};
    if (bits == 8)
        return (struct cell){lane - lane % 16 + four * 8 + n, lane % 16 / 8 * 4 + lane % 4};
    if (bits == 6)
        return (struct cell){four * 16 + n, lane / 8 * 4 + lane % 4};
    return (struct cell){lane % 16 / 8 * 16 + n, lane / 16 * 8 + lane % 8};
}

static const struct matrix {
    unsigned bits, dwords;
    uint32_t global[3], local[2];
} matrices[] = {
    {16, 4, {0xee15c07c, 0x00000014, 0x00000008}, {0xdbf00000, 0x14000008}},
    {8, 2, {0xee16007c, 0x00000014, 0x00000008}, {0xdbf40000, 0x14000008}},
    {6, 3, {0xee1d007c, 0x00000014, 0x00000008}, {0xdbec0000, 0x14000008}},
    {4, 2, {0xee1cc07c, 0x00000014, 0x00000008}, {0xdbe80000, 0x14000008}},
};

static void check_matrix(uint8_t *memory, const struct matrix *m, bool local, unsigned round) {
    static const uint32_t copy[] = {0xee18807c, 0x0000000a, 0x0000000e, WAIT}; /* global_load_async_to_lds_b128 v10, v[14:15], off */
    uint32_t words[8], want[GFX1250_LANES][4] = {{0}};
    unsigned order[GFX1250_LANES];

    memcpy(words, copy, sizeof copy);
    memcpy(words + 4, local ? m->local : m->global, (local ? 2 : 3) * sizeof *words);
    open_words(words, local ? 6 : 7, round % 2);
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        order[lane] = (lane * 11 + round) % GFX1250_LANES; /* which row it loads */
        lift_row(LOCAL)[lane] = lane * ROW_BYTES;
        set_address(TO, lane, memory + lane * ROW_BYTES);
        set_address(FROM, lane, memory + order[lane] * ROW_BYTES);
        if (local)
            lift_row(FROM)[lane] = order[lane] * ROW_BYTES;
    }
    lift_execute(UINT32_MAX);
    checks++;
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        for (unsigned at = 0; at < m->dwords * 32; at++) {
            const struct cell to = goes_to(m->bits, lane, at / m->bits);
            const unsigned bit = to.element * m->bits + at % m->bits;
            want[to.lane][bit / 32] |= (uint32_t)(memory[order[lane] * ROW_BYTES + at / 8] >> at % 8 & 1) << bit % 32;
        }
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        for (unsigned i = 0; i < m->dwords; i++)
            expect(local ? "matrix in LDS" : "matrix", round + m->bits * 100, lane, i, lift_row(RESULT + i)[lane], want[lane][i]);
    lift_close();
}

/* ---- copies ---- */

static const struct copy {
    unsigned bytes;
    uint32_t load, store;
} copies[] = {{1, 0xee17c07c, 0xee18c07c},
              {4, 0xee18007c, 0xee19007c},
              {8, 0xee18407c, 0xee19407c},
              {16, 0xee18807c, 0xee19807c},
              {4, 0xee1ac07c, 0xee19007c} /* for the workgroups of a cluster, of which there is one */};

/* The offset counts in memory and in LDS. */
static void check_copy(uint8_t *memory, unsigned size, const struct copy *c, unsigned round) {
    const unsigned offset = round % 2 * 16;
    const uint32_t exec = some_exec(round);
    const uint32_t words[] = {c->load, LOCAL, offset << 8 | FROM, WAIT, c->store, LOCAL << 23, offset << 8 | TO, WAIT};
    uint8_t *from = memory, *to = memory + size / 2, was[GFX1250_LANES * ROW_BYTES * 2];

    fill(to, sizeof was);
    memcpy(was, to, sizeof was);
    open_words(words, sizeof words / sizeof *words, round % 3 == 1);
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        lift_row(LOCAL)[lane] = (lane * 7 % GFX1250_LANES) * ROW_BYTES;
        set_address(FROM, lane, from + (lane * 5 % GFX1250_LANES) * ROW_BYTES);
        set_address(TO, lane, to + lane * ROW_BYTES);
        if (exec >> lane & 1)
            memcpy(was + lane * ROW_BYTES + offset, from + (lane * 5 % GFX1250_LANES) * ROW_BYTES + offset, c->bytes);
    }
    lift_execute(exec);
    checks++;
    for (unsigned at = 0; at < sizeof was; at++)
        expect("copy through LDS", round + c->bytes * 100, at / ROW_BYTES, at % ROW_BYTES, to[at], was[at]);
    lift_close();
}

/* ---- registers above 255 ---- */

static void check_banks(unsigned round) {
    /* s_set_vgpr_msb: the second source from 256 on, the result from 768 on; v_add_nc_u32 v20, v8, v10; then the first source from 768 on:
     * v_mov_b32 v20, v20. */
    static const uint32_t words[] = {0xbf8600e4, 0x4a281508, 0xbf860003, 0x7e280314, 0xbf860000};
    const uint32_t exec = some_exec(round);

    open_words(words, sizeof words / sizeof *words, round % 2);
    uint32_t first[GFX1250_LANES], second[GFX1250_LANES];
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        first[lane] = lift_row(8)[lane] = random_number();
        second[lane] = lift_row(256 + 10)[lane] = random_number();
        lift_row(10)[lane] = lift_row(768 + 20)[lane] = lift_row(RESULT)[lane] = 5;
    }
    lift_execute(exec);
    checks++;
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        const uint32_t want = exec >> lane & 1 ? first[lane] + second[lane] : 5;
        expect("v788", round, lane, 0, lift_row(768 + 20)[lane], want);
        expect("v20", round, lane, 0, lift_row(RESULT)[lane], want);
    }
    lift_close();
}

/* ---- barriers in LDS ---- */

/* What a lane's arrival makes of a barrier: the missing ones are bits 28:0, the phase counts down above them, bits 47:32 are the missing ones
 * of the next phase. */
static uint64_t arrived(uint64_t barrier, uint32_t count) {
    const uint32_t next = (uint32_t)(barrier >> 32) & 0xffff, missing = (uint32_t)barrier & 0x1fffffff, phase = (uint32_t)barrier >> 29;
    const uint32_t low = missing >= count ? phase << 29 | (missing - count) : ((phase - 1) & 7) << 29 | next;

    return (barrier & 0xffffffff00000000) | low;
}

/* Lanes of two barriers, in turn: ds_store_b64, then the arrival, then ds_load_b64. */
static void check_arrival(bool returns, unsigned round) {
    const unsigned offset = round % 2 * 24;
    const uint32_t exec = some_exec(round), initial = round % 5;
    const uint32_t words[] = {0xd9340000 | offset,
                              (RESULT + 4) << 8 | FROM, /* ds_store_b64 v8, v[24:25] */
                              returns ? 0xd9d40000 | offset : 0xd9580000 | offset,
                              returns ? (uint32_t)RESULT << 24 | TO << 8 | FROM : FROM,
                              0xd9d80000 | offset,
                              (uint32_t)(RESULT + 2) << 24 | FROM}; /* ds_load_b64 v[22:23], v8 */
    uint64_t barriers[2];

    open_words(words, sizeof words / sizeof *words, round % 3 == 1);
    for (unsigned i = 0; i < 2; i++)
        barriers[i] = (uint64_t)(initial + i) << 32 | (uint64_t)(round % 8) << 29 | (initial + i);
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
        lift_row(FROM)[lane] = lane % 2 * 64;
        lift_row(TO)[lane] = lane / 2 % 3 == 1 && returns ? 2 : 1;
        lift_row(TO + 1)[lane] = 0;
        for (unsigned i = 0; i < 2; i++)
            lift_row(RESULT + 4 + i)[lane] = (uint32_t)(barriers[lane % 2] >> 32 * i);
    }
    lift_execute(exec);
    checks++;
    uint64_t was[GFX1250_LANES] = {0};
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        if (exec >> lane & 1) {
            was[lane] = barriers[lane % 2];
            barriers[lane % 2] = arrived(was[lane], lane / 2 % 3 == 1 && returns ? 2 : 1);
        }
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        for (unsigned i = 0; i < 2 && exec >> lane & 1; i++) {
            expect("barrier in LDS", round, lane, i, lift_row(RESULT + 2 + i)[lane], (uint32_t)(barriers[lane % 2] >> 32 * i));
            if (returns)
                expect("barrier in LDS, before", round, lane, i, lift_row(RESULT + i)[lane], (uint32_t)(was[lane] >> 32 * i));
        }
    lift_close();
}

int main(void) {
    enum { SIZE = 8192, ROUNDS = 8 };
    lift_start();
    uint8_t *memory = lift_memory(SIZE);
    fill(memory, SIZE);
    for (unsigned round = 0; round < ROUNDS; round++) {
        check_index(memory, SIZE, 1, round);
        check_index(memory, SIZE, 2, round);
        for (unsigned i = 0; i < sizeof matrices / sizeof *matrices; i++) {
            check_matrix(memory, &matrices[i], false, round);
            check_matrix(memory, &matrices[i], true, round);
        }
        for (unsigned i = 0; i < sizeof copies / sizeof *copies; i++)
            check_copy(memory, SIZE, &copies[i], round);
        check_banks(round);
        check_arrival(false, round);
        check_arrival(true, round);
    }
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
