/* Memory and LDS instructions that are no plain load, store or atomic: each against a reference of its own. */
#include "memory_model.h"
#include "translate/interface/coverage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static struct mem_state start, want;
static struct model model = {.state = &want};

static uint64_t exec_mask(void) { return want.s[MEM_EXEC] | (uint64_t)want.s[MEM_EXEC + 1] << 32; }

static bool on(unsigned lane) { return model_lane_on(&model, lane); }

static uint32_t dword(const uint8_t *at) {
    uint32_t value;
    memcpy(&value, at, 4);
    return value;
}

/* ---- moves between lanes: v40 = f(v1, v20) ---- */

static void permute(int argument) {
    uint32_t to[64] = {0};
    for (unsigned l = 0; l < model.wave_size; l++)
        if (on(l))
            to[(want.v[1][l] + (uint32_t)argument) / 4 % model.wave_size] = want.v[20][l];
    for (unsigned l = 0; l < model.wave_size; l++)
        if (on(l))
            want.v[40][l] = to[l];
}

static void bpermute(int argument) {
    for (unsigned l = 0; l < model.wave_size; l++) {
        unsigned from = (want.v[1][l] + (uint32_t)argument) / 4 % model.wave_size;
        if (on(l))
            want.v[40][l] = on(from) ? want.v[20][from] : 0;
    }
}

/* ds_bpermute_fi_b32 */
static void bpermute_all(int argument) {
    for (unsigned l = 0; l < model.wave_size; l++)
        if (on(l))
            want.v[40][l] = start.v[20][(want.v[1][l] + (uint32_t)argument) / 4 % model.wave_size];
}

static void swizzle(int argument) {
    unsigned pattern = (unsigned)argument;
    for (unsigned l = 0; l < model.wave_size; l++) {
        unsigned i = l % 32, from, mask = pattern & 31, middle = pattern >> 5 & 31, upper = pattern >> 10 & 31;
        if (pattern >= 0xe000) { /* FFT: the reversed number, less the mask's bits, which stay in place */
            unsigned reversed = 0, ones = 0;
            for (unsigned b = 0; b < 5; b++) {
                reversed = reversed * 2 + (i >> b) % 2;
                ones += mask >> b & 1;
            }
            from = (reversed >> ones) + (i & mask);
        } else if (pattern >= 0xc000) { /* rotation of the bits outside the mask */
            unsigned moved = upper & 1 ? i + 32 - middle : i + middle;
            from = (i & mask) | (moved % 32 & ~mask);
        } else if (pattern & 0x8000) {
            from = i - i % 4 + (pattern >> 2 * (i % 4)) % 4;
        } else {
            from = ((i & mask) | middle) ^ upper;
        }
        from = from % 32 + l / 32 * 32;
        if (on(l))
            want.v[40][l] = on(from) ? want.v[20][from] : 0;
    }
}

/* ---- LDS by M0 ---- */

static void count_lanes(int argument, int direction) {
    uint8_t *at = want.lds + (want.s[MEM_M0] & 0xffff) + argument;
    uint32_t old = dword(at), next = old + (uint32_t)(direction * __builtin_popcountll(exec_mask()));
    memcpy(at, &next, 4);
    for (unsigned l = 0; l < model.wave_size; l++)
        if (on(l))
            want.v[40][l] = old;
}

static void append(int argument) { count_lanes(argument, 1); }
static void consume(int argument) { count_lanes(argument, -1); }

static void lds_by_lane(int argument, bool store) {
    for (unsigned l = 0; l < model.wave_size; l++) {
        uint8_t *at = want.lds + (want.s[MEM_M0] & 0xffff) + argument + 4 * (int)l;
        if (on(l) && store)
            memcpy(at, &want.v[20][l], 4);
        else if (on(l))
            want.v[40][l] = dword(at);
    }
}

static void load_lds_by_lane(int argument) { lds_by_lane(argument, false); }
static void store_lds_by_lane(int argument) { lds_by_lane(argument, true); }

static void direct(int argument) {
    (void)argument;
    const uint8_t *at = want.lds + (want.s[MEM_M0] & 0xffff);
    uint32_t value = dword(at);
    switch (want.s[MEM_M0] >> 16 & 7) {
    case 0:
        value = *at;
        break;
    case 1:
        value = (uint16_t)(at[0] | at[1] << 8);
        break;
    case 4:
        value = (uint32_t)(int8_t)*at;
        break;
    case 5:
        value = (uint32_t)(int16_t)(at[0] | at[1] << 8);
        break;
    default:
        break;
    }
    for (unsigned l = 0; l < model.wave_size; l++)
        if (on(l))
            want.v[40][l] = value;
}

/* ---- LDS ---- */

static void conditional_exchange(int argument) {
    for (unsigned l = 0; l < model.wave_size; l++)
        for (unsigned i = 0; on(l) && i < 2; i++) {
            uint8_t *at = want.lds + ((want.v[1][l] + (uint32_t)argument) & 0xfff8) + 4 * i;
            uint32_t old = dword(at), value = want.v[20 + i][l] & 0x7fffffff;
            if (want.v[20 + i][l] >> 31)
                memcpy(at, &value, 4);
            want.v[40 + i][l] = old;
        }
}

static const struct row *src2_row;

/* Both operands in LDS; the second lies so many dwords behind the first, or (BY_ADDRESS) as many as bits 31:17 of the address say. */
enum { BY_ADDRESS = 1 << 20 };

static void src2(int argument) {
    struct step step = {.row = src2_row, .family = LDS};
    for (unsigned l = 0; l < model.wave_size; l++) {
        uint64_t first = 0, second = 0;
        int32_t address = (int32_t)want.v[1][l], dwords = argument == BY_ADDRESS ? address >> 17 : argument;
        uint8_t *at = want.lds + (address & 0x1ffff);
        if (!on(l))
            continue;
        memcpy(&first, at, src2_row->bytes);
        memcpy(&second, at + 4 * dwords, src2_row->bytes);
        first = model_operation(&model, &step, first, second, 0);
        memcpy(at, &first, src2_row->bytes);
    }
}

/* ---- memory ---- */

static uint8_t *memory(uint64_t address) { return want.memory + (address - MEM_BASE); }

static uint64_t scalar_base(void) { return want.s[0] | (uint64_t)want.s[1] << 32; }

static void memory_by_lane(int argument, bool store) {
    for (unsigned l = 0; l < model.wave_size; l++) {
        uint8_t *at = memory(scalar_base() + (uint64_t)(int64_t)argument + 4 * l);
        if (on(l) && store)
            memcpy(at, &want.v[20][l], 4);
        else if (on(l))
            want.v[40][l] = dword(at);
    }
}

static void load_by_lane(int argument) { memory_by_lane(argument, false); }
static void store_by_lane(int argument) { memory_by_lane(argument, true); }

/* As measured on gfx1201: 8 by 8 halves are transposed within each 8 lanes. */
static void transposed(int argument) {
    uint16_t halves[64][8];
    for (unsigned l = 0; l < model.wave_size; l++)
        memcpy(halves[l], memory(scalar_base() + want.v[1][l] + (uint64_t)(int64_t)argument), 16);
    for (unsigned l = 0; l < model.wave_size; l++)
        for (unsigned j = 0; j < 8; j++) {
            uint32_t *cell = &want.v[40 + j / 2][l], half = halves[l / 8 * 8 + j][l % 8];
            *cell = j % 2 ? (*cell & 0xffff) | half << 16 : half;
        }
}

/* As measured there too: two 8 by 8 bytes are transposed within each 16 lanes. Of a tile of 16 rows of 16 bytes, of which lane l
 * loads bytes 8 * (l / 4 % 2) and on of row l / 8 * 4 + l % 4, lane l gets column l % 16, rows l / 16 * 8 to l / 16 * 8 + 7. */
static void transposed_bytes(int argument) {
    uint8_t tile[16][16];
    for (unsigned l = 0; l < 32; l++)
        memcpy(&tile[l / 8 * 4 + l % 4][l / 4 % 2 * 8], memory(scalar_base() + want.v[1][l] + (uint64_t)(int64_t)argument), 8);
    for (unsigned l = 0; l < 32; l++)
        for (unsigned dword = 0; dword < 2; dword++) {
            uint8_t column[4];
            for (unsigned i = 0; i < 4; i++)
                column[i] = tile[l / 16 * 8 + dword * 4 + i][l % 16];
            memcpy(&want.v[40 + dword][l], column, 4);
        }
}

static void block(int argument, bool store, bool scratch) {
    for (unsigned i = 0; i < 32; i++)
        for (unsigned l = 0; l < model.wave_size; l++) {
            if (!(want.s[MEM_M0] >> i & 1) || !on(l))
                continue;
            uint32_t offset = (uint32_t)argument + 4 * i;
            uint8_t *at =
                scratch ? mem_scratch(&want, want.s[8] + offset, l, model.wave_size) : memory(scalar_base() + want.v[1][l] + offset);
            memcpy(store ? at : (uint8_t *)&want.v[40 + i][l], store ? (uint8_t *)&want.v[40 + i][l] : at, 4);
        }
}

static void load_block(int argument) { block(argument, false, false); }
static void store_block(int argument) { block(argument, true, false); }
static void load_scratch_block(int argument) { block(argument, false, true); }
static void store_scratch_block(int argument) { block(argument, true, true); }

/* The register behind the data says that all pages were there. */
static void load_with_status(int argument) {
    for (unsigned l = 0; l < model.wave_size; l++)
        if (on(l)) {
            want.v[40][l] = dword(memory(scalar_base() + want.v[1][l] + (uint64_t)(int64_t)argument));
            want.v[41][l] = 0;
        }
}

/* The scalar load sees what lanes have stored before. */
static void store_then_scalar(int argument) {
    for (unsigned l = 0; l < model.wave_size; l++)
        if (on(l))
            memcpy(memory(scalar_base() + want.v[1][l]), &want.v[20][l], 4);
    want.s[40] = dword(memory(scalar_base() + (uint64_t)(int64_t)argument));
}

/* Scratch at a register, a scalar and a constant. */
static void load_scratch_sum(int argument) {
    for (unsigned l = 0; l < model.wave_size; l++)
        if (on(l))
            want.v[40][l] = dword(mem_scratch(&want, want.v[1][l] + want.s[8] + (uint32_t)argument, l, model.wave_size));
}

static void wave_number(int argument) {
    (void)argument;
    want.s[40] = mem_wave_number;
}

/* ---- cases ---- */

static const struct test {
    const char *targets, *text; /* what LLVM 19's assembler lacks is words, behind a comment */
    void (*reference)(int argument);
    int argument;
} tests[] = {
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_permute_b32 v40, v1, v20 offset:12", permute, 12},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_bpermute_b32 v40, v1, v20", bpermute, 0},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_bpermute_b32 v40, v1, v20 offset:8", bpermute, 8},
    {"gfx1200", "/* ds_bpermute_fi_b32 v40, v1, v20 */ .long 0xdb340000, 0x28001401", bpermute_all, 0},
    {"gfx1200", "/* ds_bpermute_fi_b32 v40, v1, v20 offset:8 */ .long 0xdb340008, 0x28001401", bpermute_all, 8},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_swizzle_b32 v40, v20 offset:0x80e4", swizzle, 0x80e4},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_swizzle_b32 v40, v20 offset:0x801b", swizzle, 0x801b},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_swizzle_b32 v40, v20 offset:0x7c1f", swizzle, 0x7c1f},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_swizzle_b32 v40, v20 offset:0x04d3", swizzle, 0x04d3},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_swizzle_b32 v40, v20 offset:0xc0a3", swizzle, 0xc0a3},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_swizzle_b32 v40, v20 offset:0xc4e0", swizzle, 0xc4e0},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_swizzle_b32 v40, v20 offset:0xe000", swizzle, 0xe000},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_swizzle_b32 v40, v20 offset:0xe003", swizzle, 0xe003},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_append v40 offset:16", append, 16},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_consume v40 offset:8", consume, 8},
    {"gfx900 gfx1030", "ds_read_addtid_b32 v40 offset:4", load_lds_by_lane, 4},
    {"gfx900 gfx1030", "ds_write_addtid_b32 v20 offset:64", store_lds_by_lane, 64},
    {"gfx1100 gfx1200", "ds_load_addtid_b32 v40 offset:4", load_lds_by_lane, 4},
    {"gfx1100 gfx1200", "ds_store_addtid_b32 v20 offset:64", store_lds_by_lane, 64},
    {"gfx1100 gfx1150", "lds_direct_load v40", direct, 0},
    {"gfx1200", "ds_direct_load v40", direct, 0},
    {"gfx900 gfx1030", "v_mov_b32 v40, src_lds_direct", direct, 0},
    {"gfx900 gfx1030 gfx1100 gfx1200", "ds_condxchg32_rtn_b64 v[40:41], v1, v[20:21] offset:24", conditional_exchange, 24},
    {"gfx1030", "global_load_dword_addtid v40, s[0:1] offset:16", load_by_lane, 16},
    {"gfx1030", "global_store_dword_addtid v20, s[0:1] offset:-8", store_by_lane, -8},
    {"gfx1100 gfx1200", "global_load_addtid_b32 v40, s[0:1] offset:16", load_by_lane, 16},
    {"gfx1100 gfx1200", "global_store_addtid_b32 v20, s[0:1] offset:8", store_by_lane, 8},
    {"gfx1200", "global_load_tr_b64 v[40:41], v1, s[0:1] offset:24", transposed_bytes, 24},
    {"gfx1200", "global_load_tr_b128 v[40:43], v1, s[0:1] offset:32", transposed, 32},
    {"gfx1200", "global_load_block v[40:71], v1, s[0:1] offset:8", load_block, 8},
    {"gfx1200", "global_store_block v1, v[40:71], s[0:1] offset:8", store_block, 8},
    {"gfx1200", "scratch_load_block v[40:71], off, s8 offset:4", load_scratch_block, 4},
    {"gfx1200", "scratch_store_block off, v[40:71], s8 offset:4", store_scratch_block, 4},
    {"gfx900 gfx1030", "buffer_load_dword v[40:41], v1, s[4:7], 0 offen offset:12 tfe", load_with_status, 12},
    {"gfx1100", "buffer_load_b32 v[40:41], v1, s[4:7], 0 offen offset:12 tfe", load_with_status, 12},
    {"gfx900 gfx1030", "global_store_dword v1, v20, s[0:1]\ns_waitcnt vmcnt(0)\ns_dcache_inv\ns_load_dword s40, s[0:1], 0x200",
     store_then_scalar, 0x200},
    {"gfx942", "scratch_load_dword v40, v1, s8 offset:4", load_scratch_sum, 4},
    {"gfx1100 gfx1200", "scratch_load_b32 v40, v1, s8 offset:4", load_scratch_sum, 4},
    {"gfx1010", "s_get_waveid_in_workgroup s40", wave_number, 0},
};

static const struct row src2_rows[] = {
    {"add_src2_u32", SPECIAL, 4, 1, 0, ADD},    {"add_src2_u64", SPECIAL, 8, 2, 0, ADD},    {"sub_src2_u32", SPECIAL, 4, 1, 0, SUB},
    {"sub_src2_u64", SPECIAL, 8, 2, 0, SUB},    {"rsub_src2_u32", SPECIAL, 4, 1, 0, RSUB},  {"rsub_src2_u64", SPECIAL, 8, 2, 0, RSUB},
    {"inc_src2_u32", SPECIAL, 4, 1, 0, INC},    {"inc_src2_u64", SPECIAL, 8, 2, 0, INC},    {"dec_src2_u32", SPECIAL, 4, 1, 0, DEC},
    {"dec_src2_u64", SPECIAL, 8, 2, 0, DEC},    {"min_src2_i32", SPECIAL, 4, 1, 0, SMIN},   {"min_src2_i64", SPECIAL, 8, 2, 0, SMIN},
    {"max_src2_i32", SPECIAL, 4, 1, 0, SMAX},   {"max_src2_i64", SPECIAL, 8, 2, 0, SMAX},   {"min_src2_u32", SPECIAL, 4, 1, 0, UMIN},
    {"min_src2_u64", SPECIAL, 8, 2, 0, UMIN},   {"max_src2_u32", SPECIAL, 4, 1, 0, UMAX},   {"max_src2_u64", SPECIAL, 8, 2, 0, UMAX},
    {"and_src2_b32", SPECIAL, 4, 1, 0, AND},    {"and_src2_b64", SPECIAL, 8, 2, 0, AND},    {"or_src2_b32", SPECIAL, 4, 1, 0, OR},
    {"or_src2_b64", SPECIAL, 8, 2, 0, OR},      {"xor_src2_b32", SPECIAL, 4, 1, 0, XOR},    {"xor_src2_b64", SPECIAL, 8, 2, 0, XOR},
    {"write_src2_b32", SPECIAL, 4, 1, 0, SWAP}, {"write_src2_b64", SPECIAL, 8, 2, 0, SWAP}, {"min_src2_f32", SPECIAL, 4, 1, 0, FMIN},
    {"min_src2_f64", SPECIAL, 8, 2, 0, FMIN},   {"max_src2_f32", SPECIAL, 4, 1, 0, FMAX},   {"max_src2_f64", SPECIAL, 8, 2, 0, FMAX},
    {"add_src2_f32", SPECIAL, 4, 1, 0, FADD},
};

/* ---- runs ---- */

static bool starts(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

/* v1: multiples of 8 in random order, v20 and up random; s[0:1] an address, s8 = 64, M0 an LDS address, a type and a mask. */
static void fill(unsigned wave_size, unsigned round, bool is_lane_move) {
    static const uint64_t masks[] = {UINT64_MAX, UINT64_C(0x8000a5a5f0ff0310), UINT64_C(0x100000400)};
    uint64_t exec = masks[round % 3];
    mem_fill(&start);
    for (unsigned l = 0; l < 64; l++) {
        start.v[0][l] = l;
        start.v[1][l] = is_lane_move ? mem_random() % 256 : mem_random() % 64 * 16 + 256;
        if (is_lane_move && round % 2)
            start.v[1][l] += 0x7ffff800; /* beyond the wave: the lane's number wraps */
    }
    uint64_t base = MEM_MIDDLE - 200;
    start.s[0] = (uint32_t)base;
    start.s[1] = (uint32_t)(base >> 32);
    start.s[8] = 64;
    start.s[4] = start.s[0]; /* a buffer of bytes */
    start.s[5] = start.s[1];
    start.s[6] = 1 << 14;
    start.s[7] = 3u << 28;
    start.s[MEM_M0] = (mem_random() & 0xfff80000) | round % 6 << 16 | 0x400;
    start.s[MEM_EXEC] = (uint32_t)exec;
    start.s[MEM_EXEC + 1] = wave_size == 64 ? (uint32_t)(exec >> 32) : 0;
}

/* Whether lanes may store to one address. */
static bool lanes_meet(const char *text) {
    static const char *const parts[] = {"src2", "condxchg", "store_block", "global_store_dword v1"};
    for (size_t i = 0; i < COUNT(parts); i++)
        if (strstr(text, parts[i]))
            return true;
    return false;
}

static void run(const char *target, unsigned wave_size, const char *text, void (*reference)(int), int argument, unsigned float_bits) {
    struct mem_program program;
    char what[128];
    if (!mem_build(&program, target, wave_size, text)) {
        mem_failures++;
        return;
    }
    bool whole = strstr(text, "load_tr") != NULL, move = strstr(text, "permute") != NULL;
    for (unsigned round = 0; round < 18; round++) {
        if (whole && round % 3)
            continue; /* EXEC has to be full */
        fill(wave_size, round, move);
        if (!mem_is_strict && lanes_meet(text)) {
            start.s[MEM_EXEC] = 1u << round;
            start.s[MEM_EXEC + 1] = 0;
        }
        for (unsigned l = 0; argument == BY_ADDRESS && l < 64; l++)
            start.v[1][l] |= (mem_random() % 128 - 60) << 17;
        if (strstr(text, "direct")) /* halves and dwords at their own multiples */
            start.s[MEM_M0] += (start.s[MEM_M0] >> 16 & 3) == 0 ? 3 : (start.s[MEM_M0] >> 16 & 3) == 1 ? 2 : 0;
        want = start;
        model.wave_size = wave_size;
        reference(argument);
        mem_run(&program, &start);
        want.s[30] = start.s[30];
        want.s[31] = start.s[31];
        snprintf(what, sizeof what, "%s wave%u: %s, round %u", target, wave_size, text, round);
        mem_compare(&start, &want, wave_size, float_bits, what);
    }
    mem_destroy(&program);
}

static void run_test(const struct test *test) {
    char target[16];
    for (const char *at = test->targets; *at; at += strspn(at, " ")) {
        size_t length = strcspn(at, " ");
        snprintf(target, sizeof target, "%.*s", (int)length, at);
        at += length;
        bool halves = strstr(test->text, "permute") != NULL; /* wave64 after gfx9 has two of 32: another instruction */
        if (!starts(target, "gfx9"))
            run(target, 32, test->text, test->reference, test->argument, 0);
        if (starts(target, "gfx9") || (!halves && !strstr(test->text, "load_tr")))
            run(target, 64, test->text, test->reference, test->argument, 0);
    }
}

static void run_src2(const struct row *row) {
    static const struct {
        const char *offset;
        int dwords;
    } offsets[] = {{"", 0}, {" offset:6", 6}, {" offset:0x7ffe", -2}, {" offset:0x0140", 0x140}, {" offset:0x8000", BY_ADDRESS}};
    bool is_float = row->op == FADD || row->op == FMIN || row->op == FMAX;
    char text[64];
    src2_row = row;
    for (size_t i = 0; i < COUNT(offsets); i++) {
        snprintf(text, sizeof text, "ds_%s v1%s", row->names, offsets[i].offset);
        run("gfx900", 64, text, src2, offsets[i].dwords, is_float ? row->bytes * 8u : 0);
    }
}

/* ---- whether all are here ---- */

static bool is_special(const char *mnemonic) {
    static const char *const parts[] = {"_addtid",   "_block",     "load_tr_", "ds_permute", "ds_bpermute", "swizzle",
                                        "ds_append", "ds_consume", "_src2_",   "condxchg",   "direct_load", "s_get_waveid"};
    for (size_t i = 0; i < COUNT(parts); i++)
        if (strstr(mnemonic, parts[i]))
            return true;
    return false;
}

static bool is_tested(const char *mnemonic) {
    size_t length = strlen(mnemonic);
    for (size_t i = 0; i < COUNT(tests); i++) {
        const char *text = tests[i].text + (starts(tests[i].text, "/* ") ? 3 : 0);
        if (starts(text, mnemonic) && text[length] == ' ')
            return true;
    }
    for (size_t i = 0; i < COUNT(src2_rows); i++)
        if (starts(mnemonic, "ds_") && strcmp(mnemonic + 3, src2_rows[i].names) == 0)
            return true;
    return false;
}

static void check_completeness(void) {
    static const char *const processors[] = {"gfx900", "gfx90a", "gfx942", "gfx1010", "gfx1030", "gfx1100", "gfx1150", "gfx1200"};
    struct wl_coverage *coverage = wl_coverage_create();
    for (size_t p = 0; coverage && p < COUNT(processors); p++) {
        const struct wl_coverage_row *rows;
        size_t count;
        if (wl_coverage_list(coverage, processors[p], processors[p][3] == '9' ? 64 : 32, &rows, &count) != WL_OK && ++mem_failures)
            fprintf(stderr, "%s: %s\n", processors[p], wl_failure());
        for (size_t i = 0; i < count; i++)
            if (rows[i].status != WL_COVERAGE_UNSUPPORTED && is_special(rows[i].mnemonic) && !is_tested(rows[i].mnemonic) && ++mem_failures)
                fprintf(stderr, "%s: %s is implemented, but has no test\n", processors[p], rows[i].mnemonic);
    }
    wl_coverage_destroy(coverage);
}

int main(int argc, char **argv) {
    const char *only = argc > 1 ? argv[1] : NULL;
    mem_start();
    for (size_t i = 0; i < COUNT(tests); i++)
        if (!only || strstr(tests[i].text, only))
            run_test(&tests[i]);
    for (size_t i = 0; i < COUNT(src2_rows); i++)
        if (!only || strstr(src2_rows[i].names, only))
            run_src2(&src2_rows[i]);
    if (!only)
        check_completeness();
    printf("%u runs, %u failures\n", mem_checks, mem_failures);
    return mem_failures != 0 || mem_checks == 0;
}
