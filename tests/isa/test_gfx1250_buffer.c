/* gfx1250's descriptors of buffers: 57 bits of address, 45 of size, a stride and its scale, swizzling, checks of bytes or of records too, types. */
#include "isa/gfx1250.h"

enum {
    ADDRESS = 8,     /* v8, or v[8:9]: an index, an offset, or both */
    DATA = 20,       /* v20 to v23, s20 and s21 */
    DESCRIPTOR = 12, /* s[12:15] */
    SOFFSET = 4,     /* s4 */
    SIZE = 1 << 16,
    START = 256,
};

enum kind { LOAD, STORE, ADD, SCALAR };

static const struct access {
    const char *text;
    uint32_t words[3];
    enum kind kind;
    unsigned bytes, count, offset; /* of one part; parts */
    bool idxen, offen, soffset;
} accesses[] = {
    {"buffer_load_b32 v20, v8, s[12:15], s4 offen offset:16", {0xc4050004, 0x40801814, 0x1008}, LOAD, 4, 1, 16, false, true, true},
    {"buffer_load_b32 v20, v8, s[12:15], s4 idxen offset:4", {0xc4050004, 0x80801814, 0x408}, LOAD, 4, 1, 4, true, false, true},
    {"buffer_load_b128 v[20:23], v[8:9], s[12:15], s4 idxen offen", {0xc405c004, 0xc0801814, 0x8}, LOAD, 4, 4, 0, true, true, true},
    {"buffer_load_b64 v[20:21], off, s[12:15], s4 offset:8", {0xc4054004, 0x00801814, 0x800}, LOAD, 4, 2, 8, false, false, true},
    {"buffer_load_b32 v20, v8, s[12:15], null offen", {0xc405007c, 0x40801814, 0x8}, LOAD, 4, 1, 0, false, true, false},
    {"buffer_store_b64 v[20:21], v8, s[12:15], s4 offen offset:8", {0xc406c004, 0x40801814, 0x808}, STORE, 4, 2, 8, false, true, true},
    {"buffer_load_u8 v20, v8, s[12:15], null offen offset:3", {0xc404007c, 0x40801814, 0x308}, LOAD, 1, 1, 3, false, true, false},
    {"buffer_store_b32 v20, v8, s[12:15], s4 offen offset:16", {0xc4068004, 0x40801814, 0x1008}, STORE, 4, 1, 16, false, true, true},
    {"buffer_store_b128 v[20:23], v8, s[12:15], s4 idxen", {0xc4074004, 0x80801814, 0x8}, STORE, 4, 4, 0, true, false, true},
    {"buffer_atomic_add_u32 v20, v8, s[12:15], s4 offen offset:16 th:TH_ATOMIC_RETURN",
     {0xc40d4004, 0x40901814, 0x1008},
     ADD,
     4,
     1,
     16,
     false,
     true,
     true},
    {"s_buffer_load_b64 s[20:21], s[12:15], 0x10", {0xf4022506, 0xf8000010}, SCALAR, 4, 2, 16, false, false, false},
    {"s_buffer_load_b32 s20, s[12:15], s4 offset:0x8", {0xf4020506, 0x08000008}, SCALAR, 4, 1, 8, false, false, true},
};

struct buffer {
    uint8_t *base;
    uint64_t bytes;
    uint32_t stride, scale, type;
    bool swizzles, checks_records;
};

static uint32_t whole_stride(const struct buffer *b) {
    static const uint32_t by[] = {1, 4, 8, 32};
    return b->stride * by[b->scale];
}

static void make_descriptor(const struct buffer *b, uint32_t d[4]) {
    const uint64_t base = (uint64_t)(uintptr_t)b->base;
    d[0] = (uint32_t)base;
    d[1] = (uint32_t)(base >> 32 & 0x1ffffff) | (uint32_t)(b->bytes & 127) << 25;
    d[2] = (uint32_t)(b->bytes >> 7);
    d[3] = (uint32_t)(b->bytes >> 39) | b->stride << 12 | b->scale << 26 | (uint32_t)b->swizzles << 28 | (uint32_t)b->checks_records << 29 |
           b->type << 30;
}

/* Some whose high or low bits alone are set: each part of the field counts. */
static uint64_t some_size(unsigned round) {
    static const uint64_t odd[] = {0, UINT64_C(1) << 32, UINT64_C(1) << 39, (UINT64_C(1) << 45) - 1, UINT64_C(1) << 44};
    const unsigned choice = round * 7 % 11;
    return choice < sizeof odd / sizeof *odd ? odd[choice] : random_number() % 1400;
}

static bool is_in_range(const struct buffer *b, uint64_t index, uint64_t offset, unsigned bytes) {
    if (b->type || b->swizzles)
        return !b->type;
    return index * whole_stride(b) + offset + bytes <= b->bytes && (!b->checks_records || offset + bytes <= whole_stride(b));
}

/* Bytes from the base. `offset`: all that is no index. */
static uint64_t distance(const struct buffer *b, uint64_t index, uint64_t offset) {
    if (!b->swizzles)
        return index * whole_stride(b) + offset;
    return (index / 32 * whole_stride(b) + offset / 16 * 16) * 32 + index % 32 * 16 + offset % 16;
}

static uint32_t *word_at(uint8_t *memory, unsigned bytes) {
    static uint32_t value;
    value = 0;
    memcpy(&value, memory, bytes);
    return &value;
}

static void expect(const struct access *a, unsigned round, unsigned lane, unsigned i, uint32_t got, uint32_t want) {
    char text[240];
    if (got == want)
        return;
    snprintf(text, sizeof text, "%s, round %u: lane %u, part %u is %08x, expected %08x", a->text, round, lane, i, got, want);
    fail(text);
}

static void check_scalar(const struct access *a, const struct buffer *b, unsigned round, uint32_t soffset) {
    const uint64_t at = a->offset + (a->soffset ? soffset : 0);
    for (unsigned i = 0; i < a->count; i++) {
        const bool good = at + 4 * i + 4 <= b->bytes;
        expect(a, round, 0, i, lift_scalars()[DATA + i], good ? *word_at(b->base + at + 4 * i, 4) : 0);
    }
}

struct lane {
    uint64_t index, offset;
    uint32_t data[4], old;
};

static void set_lane(const struct access *a, unsigned lane, struct lane *l, unsigned scale) {
    l->index = a->idxen ? random_number() % 16 : 0;
    l->offset = (a->offen ? random_number() % (a->idxen ? 48 : 1200) / scale * scale : 0) + a->offset;
    if (a->idxen)
        lift_row(ADDRESS)[lane] = (uint32_t)l->index;
    if (a->offen)
        lift_row(ADDRESS + a->idxen)[lane] = (uint32_t)l->offset - a->offset;
    for (unsigned i = 0; i < 4; i++)
        lift_row(DATA + i)[lane] = l->data[i] = random_number();
}

/* What the lane does to `memory`, a copy from the buffer's start on, and what its registers become. */
static void refer(const struct access *a, const struct buffer *b, struct lane *l, uint32_t soffset, uint8_t *memory) {
    for (unsigned i = 0; i < a->count; i++) {
        const uint64_t offset = l->offset + soffset + i * a->bytes;
        const bool good = is_in_range(b, l->index, offset, a->bytes);
        uint32_t old = 0, value = l->data[i];
        for (unsigned byte = 0; byte < a->bytes && good; byte++)
            old |= (uint32_t)memory[distance(b, l->index, offset + byte)] << 8 * byte;
        value += a->kind == ADD ? old : 0;
        for (unsigned byte = 0; byte < a->bytes && good && a->kind != LOAD; byte++)
            memory[distance(b, l->index, offset + byte)] = (uint8_t)(value >> 8 * byte);
        if (a->kind != STORE)
            l->data[i] = old;
    }
}

static void check_access(const struct access *a, uint8_t *memory, unsigned round) {
    static uint8_t copy[SIZE];
    static struct lane lanes[GFX1250_LANES];
    const uint32_t exec = some_exec(round), soffset = random_number() % 16 * 4;
    struct buffer b = {.base = memory + START + round % 64 * 4,
                       .bytes = some_size(round),
                       .stride = round % 3 ? random_number() % 16 * 4 : 0,
                       .scale = random_number() % 4,
                       .type = round % 13 == 12 ? 1 + round % 3 : 0,
                       .swizzles = random_number() % 4 == 0,
                       .checks_records = random_number() % 2};

    memcpy(copy, memory, SIZE);
    open_words(a->words, a->kind == SCALAR ? 2 : 3, round % 2);
    make_descriptor(&b, lift_scalars() + DESCRIPTOR);
    lift_scalars()[SOFFSET] = soffset;
    for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
        set_lane(a, lane, &lanes[lane], a->bytes);
    lift_execute(exec);
    checks++;
    if (a->kind == SCALAR)
        check_scalar(a, &b, round, soffset);
    for (unsigned lane = 0; lane < GFX1250_LANES && a->kind != SCALAR; lane++) {
        if (exec >> lane & 1)
            refer(a, &b, &lanes[lane], a->soffset ? soffset : 0, copy + (b.base - memory));
        for (unsigned i = 0; i < a->count; i++)
            expect(a, round, lane, i, lift_row(DATA + i)[lane], lanes[lane].data[i]);
    }
    for (unsigned i = 0; i < SIZE; i++)
        if (memory[i] != copy[i]) {
            expect(a, round, i, 99, memory[i], copy[i]);
            break;
        }
    lift_close();
}

/* Sums of offsets do not wrap: an offset of -16 with an instruction's of 16 is far behind the end. */
static void check_wrap(uint8_t *memory) {
    const struct access *const a = &accesses[0];
    for (unsigned round = 0; round < 4; round++) {
        const struct buffer b = {.base = memory, .bytes = SIZE, .checks_records = round / 2, .stride = 1024, .scale = 1};
        open_words(a->words, 3, round % 2);
        make_descriptor(&b, lift_scalars() + DESCRIPTOR);
        lift_scalars()[SOFFSET] = 0;
        for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
            lift_row(ADDRESS)[lane] = lane % 2 ? 4 * lane : 4 * lane - 16;
        lift_execute(UINT32_MAX);
        checks++;
        for (unsigned lane = 0; lane < GFX1250_LANES; lane++) {
            const bool good = lane % 2 || lane >= 4;
            const unsigned at = 4 * lane + (lane % 2 ? 16 : 0);
            expect(a, round, lane, 0, lift_row(DATA)[lane], good ? *word_at(memory + at, 4) : 0);
        }
        lift_close();
    }
}

/* The scalar offset and the instruction's are more than 32 bits together: the base is so far before the memory. */
static void check_carry(uint8_t *memory) {
    const struct access *const a = &accesses[0];
    for (unsigned round = 0; round < 4; round++) {
        struct buffer b = {.bytes = UINT64_C(1) << 33, .swizzles = round / 2};
        const uint64_t before = UINT64_C(1) << 32;
        b.base = memory - distance(&b, 0, before);
        open_words(a->words, 3, round % 2);
        make_descriptor(&b, lift_scalars() + DESCRIPTOR);
        lift_scalars()[SOFFSET] = (uint32_t)(before - a->offset);
        for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
            lift_row(ADDRESS)[lane] = 8 * lane;
        lift_execute(UINT32_MAX);
        checks++;
        for (unsigned lane = 0; lane < GFX1250_LANES; lane++)
            expect(a, round, lane, 1, lift_row(DATA)[lane], *word_at(b.base + distance(&b, 0, before + 8 * lane), 4));
        lift_close();
    }
}

int main(void) {
    enum { ROUNDS = 36 };
    lift_start();
    uint8_t *memory = lift_memory(SIZE);
    for (unsigned i = 0; i < SIZE; i++)
        memory[i] = (uint8_t)random_number();
    check_wrap(memory);
    check_carry(memory);
    for (unsigned round = 0; round < ROUNDS; round++)
        for (unsigned i = 0; i < sizeof accesses / sizeof *accesses; i++)
            check_access(&accesses[i], memory, round);
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
