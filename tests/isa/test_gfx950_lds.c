/* gfx950's new ways between LDS and registers or memory: ds_read_b64_tr_b16, _b8, _b4 and ds_read_b96_tr_b6, which turn matrices, and loads of
 * three and four dwords to LDS. LDS is written by the same code before and, for the latter, read after. */
#include "isa/gfx950.h"

enum {
    ROW_BYTES = 16, /* of LDS, a lane */
    LDS_BYTES = GFX950_LANES * ROW_BYTES,
    AT = 2,      /* v2: lane * ROW_BYTES */
    FROM = 3,    /* v3: where a lane reads, or the low half of its address */
    FILL = 8,    /* v8 to v11 */
    RESULT = 12, /* v12 to v15 */
    WAIT = 0xbf8c0000,
    M0 = 124,
    STEP = 20, /* bytes of memory from lane to lane */
    RESOURCE = 4,
};

static unsigned put_ds(uint32_t *words, unsigned opcode, unsigned offset, unsigned address, unsigned data, unsigned result) {
    words[0] = 0xd8000000 | opcode << 17 | offset;
    words[1] = address | data << 8 | result << 24;
    words[2] = WAIT;
    return 3;
}
static unsigned put_fill(uint32_t *words) { return put_ds(words, 0xdf /* ds_write_b128 */, 0, AT, FILL, 0); }

static void fill_registers(uint8_t lds[LDS_BYTES]) {
    for (unsigned lane = 0; lane < GFX950_LANES; lane++) {
        lift_row(AT)[lane] = lane * ROW_BYTES;
        for (unsigned i = 0; i < 4; i++) {
            const uint32_t dword = random_number();
            lift_row(FILL + i)[lane] = dword;
            lift_row(RESULT + i)[lane] = random_number();
            memcpy(lds + lane * ROW_BYTES + i * 4, &dword, sizeof dword);
        }
    }
}

/* ---- turned matrices ---- */

static bool bit_of(const uint8_t *bytes, unsigned at) { return bytes[at / 8] >> at % 8 & 1; }

/* What 16 lanes read, side by side, is rows of 16 elements; the lane gets its column, element by element. */
static void turned(const uint8_t *rows, unsigned bytes, unsigned bits, unsigned lane, uint32_t *result) {
    memset(result, 0, bytes);
    for (unsigned at = 0; at < bytes * 8; at++) {
        const unsigned row = at / bits, source = (row * 16 + lane % 16) * bits + at % bits;
        result[at / 32] |= (uint32_t)bit_of(rows, source) << at % 32;
    }
}

static void check_turned(unsigned opcode, unsigned bits, unsigned bytes, unsigned round) {
    uint32_t words[8], before[4][GFX950_LANES], want[4];
    uint8_t lds[LDS_BYTES], rows[GFX950_LANES][12];
    char what[120];
    const unsigned offset = round % 2 ? 8 : 0;
    const unsigned count = put_fill(words);
    open_words(words, count + put_ds(words + count, opcode, offset, FROM, 0, RESULT), round % 3 == 1);
    fill_registers(lds);
    for (unsigned lane = 0; lane < GFX950_LANES; lane++) {
        const uint32_t at = random_number() % ((LDS_BYTES - bytes - offset) / 8) * 8;
        lift_row(FROM)[lane] = at;
        memcpy(rows[lane], lds + at + offset, bytes);
    }
    for (unsigned r = 0; r < 4; r++)
        memcpy(before[r], lift_row(RESULT + r), sizeof before[r]);
    lift_execute(UINT64_MAX);
    checks++;
    for (unsigned lane = 0; lane < GFX950_LANES; lane++) {
        uint8_t side_by_side[16 * 12];
        for (unsigned i = 0; i < 16; i++)
            memcpy(side_by_side + i * bytes, rows[lane / 16 * 16 + i], bytes);
        turned(side_by_side, bytes, bits, lane, want);
        for (unsigned r = bytes / 4; r < 4; r++)
            want[r] = before[r][lane];
        for (unsigned r = 0; r < 4; r++)
            if (lift_row(RESULT + r)[lane] != want[r]) {
                snprintf(what, sizeof what, "%u bits turned, round %u: lane %u register %u is %08x, expected %08x", bits, round, lane, r,
                         lift_row(RESULT + r)[lane], want[r]);
                fail(what);
            }
    }
    lift_close();
}

/* ---- memory to LDS ---- */

enum way { BY_ADDRESS, BY_BUFFER, WAYS };

static unsigned put_load(uint32_t *words, enum way way, unsigned dwords, unsigned base, unsigned offset) {
    words[0] = 0xb0000000 | M0 << 16 | base; /* s_movk_i32 */
    if (way == BY_ADDRESS) {
        words[1] = 0xdc008000 | (dwords == 3 ? 0x7e : 0x7d) << 18 | offset;
        words[2] = FROM | 0x7f << 16;
    } else {
        words[1] = 0xe0011000 | (dwords == 3 ? 0x16 : 0x17) << 18 | offset; /* offen, lds */
        words[2] = FROM | (RESOURCE / 4) << 16 | 128u << 24;
    }
    words[3] = WAIT;
    return 4;
}

static void check_load(const uint8_t *memory, unsigned size, enum way way, unsigned dwords, unsigned round) {
    uint32_t words[16];
    uint8_t lds[LDS_BYTES];
    char what[120];
    const unsigned base = round % 4 * 4, offset = round % 3 * 4;
    const uint64_t exec = round % 2 ? UINT64_C(0x8000a5a5f0ff0310) : UINT64_MAX >> 4; /* the last lanes stay inside */
    unsigned count = put_fill(words);
    count += put_load(words + count, way, dwords, base, offset);
    count += put_ds(words + count, 0xff /* ds_read_b128 */, 0, AT, 0, RESULT);
    open_words(words, count, round % 5 == 1);
    fill_registers(lds);
    const uint64_t address = (uint64_t)(uintptr_t)memory;
    const uint32_t resource[] = {(uint32_t)address, (uint32_t)(address >> 32) & 0xffff, size, 0x00020000};
    memcpy(lift_scalars() + RESOURCE, resource, sizeof resource);
    for (unsigned lane = 0; lane < GFX950_LANES; lane++) {
        const uint64_t from = lane * STEP + (way == BY_ADDRESS ? address : 0);
        lift_row(FROM)[lane] = (uint32_t)from;
        lift_row(FROM + 1)[lane] = (uint32_t)(from >> 32);
    }
    for (unsigned lane = 0; lane < GFX950_LANES; lane++)
        if (!(exec >> lane & 1))
            memset(lds + lane * ROW_BYTES, 0, ROW_BYTES); /* not written: what is there is not known */
    lift_execute(exec);
    bool loaded[LDS_BYTES] = {false};
    for (unsigned lane = 0; lane < GFX950_LANES; lane++) {
        const unsigned to = base + offset + lane * dwords * 4;
        for (unsigned i = 0; exec >> lane & 1 && i < dwords * 4 && to + i < LDS_BYTES; i++) {
            lds[to + i] = memory[lane * STEP + offset + i];
            loaded[to + i] = true;
        }
    }
    checks++;
    for (unsigned at = 0; at < LDS_BYTES; at += 4) {
        const unsigned lane = at / ROW_BYTES;
        uint32_t want;
        memcpy(&want, lds + at, sizeof want);
        const uint32_t got = lift_row(RESULT + at % ROW_BYTES / 4)[lane];
        if (exec >> lane & 1 && got != want) {
            snprintf(what, sizeof what, "%u dwords to LDS, way %d, round %u: %u has %08x, expected %08x (%sloaded)", dwords, way, round, at,
                     got, want, loaded[at] ? "" : "not ");
            fail(what);
        }
    }
    lift_close();
}

int main(void) {
    static const struct turned_form {
        unsigned opcode, bits, bytes;
    } forms[] = {{0xe3, 16, 8}, {0xe2, 8, 8}, {0xe0, 4, 8}, {0xe1, 6, 12}};
    enum { SIZE = GFX950_LANES * STEP + 64 };
    lift_start();
    for (unsigned i = 0; i < sizeof forms / sizeof *forms; i++)
        for (unsigned round = 0; round < 6; round++)
            check_turned(forms[i].opcode, forms[i].bits, forms[i].bytes, round);
    uint8_t *memory = lift_memory(SIZE);
    for (unsigned i = 0; i < SIZE; i++)
        memory[i] = (uint8_t)random_number();
    for (int way = 0; way < WAYS; way++)
        for (unsigned dwords = 3; dwords <= 4; dwords++)
            for (unsigned round = 0; round < 12; round++)
                check_load(memory, SIZE, (enum way)way, dwords, round);
    printf("%u checks, %u failures\n", checks, failures);
    return failures != 0;
}
