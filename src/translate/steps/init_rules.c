#include "translate/steps/init_rules.h"

enum { CORNER_INPUTS = 4 };

/* ---- the table ------------------------------------------------------------------------------- */

struct row {
    const char *name;
    uint8_t first, second, control; /* classes of the first and the second result */
};

#define CORNERS(NAME)         {NAME, WL_INIT_CORNERS, WL_INIT_NONZERO, 0}
#define CHOSEN(NAME, CONTROL) {NAME, WL_INIT_CORNERS, WL_INIT_NONZERO, CONTROL}
#define SUM(NAME)             {NAME, WL_INIT_ADD, WL_INIT_CORNERS, 0}
#define SUM_OVERFLOWS(NAME)   {NAME, WL_INIT_ADD, WL_INIT_ANY, 0}
#define LOW(NAME)             {NAME, WL_INIT_LOW, WL_INIT_ANY, 0}
#define INTERVAL(NAME)        {NAME, WL_INIT_INTERVAL, WL_INIT_CORNERS, 0}
#define SPREAD(NAME)          {NAME, WL_INIT_SPREAD, WL_INIT_ANY, 0}

/* A name with an underscore at its end stands for all that begin so, another one for itself and with a number behind it. */
static const struct row rows[] = {
    /* moves, and functions of single bits */
    CORNERS("v_mov_b"),
    CORNERS("v_pk_mov_b32"),
    CORNERS("v_not_b"),
    CORNERS("v_and_b"),
    CORNERS("v_or_b"),
    CORNERS("v_xor_b"),
    CORNERS("v_xnor_b32"),
    CORNERS("v_or3_b32"),
    CORNERS("v_xor3_b32"),
    CORNERS("v_and_or_b32"),
    CORNERS("v_bfi_b32"),
    CORNERS("v_cndmask_b"),
    CORNERS("v_bfrev_b32"),
    CORNERS("v_pack_b32_f16"),
    CORNERS("v_cvt_u32_u16"),
    CORNERS("v_cvt_i32_i16"),
    CHOSEN("v_bitop3_b", 8),
    CHOSEN("v_bitop2_b32", 4),
    CORNERS("s_mov_b"),
    CORNERS("s_and_"),
    CORNERS("s_or_"),
    CORNERS("s_xor_b"),
    CORNERS("s_nand_b"),
    CORNERS("s_nor_b"),
    CORNERS("s_xnor_b"),
    CORNERS("s_not_b"),
    CORNERS("s_brev_b"),
    CORNERS("s_cmov_b"),
    CORNERS("s_cselect_b"),
    CORNERS("s_pack_"),
    CORNERS("s_sext_i32_"),
    CORNERS("s_quadmask_b"),
    CORNERS("s_wqm_b"),
    CORNERS("s_bitreplicate_b64_b32"),
    CHOSEN("s_bitset0_b", 1),
    CHOSEN("s_bitset1_b", 1),
    /* shifts and fields, by numbers that are known */
    CHOSEN("v_lshl_b", 2),
    CHOSEN("v_lshr_b", 2),
    CHOSEN("v_ashr_i", 2),
    CHOSEN("v_lshlrev_b", 1),
    CHOSEN("v_lshrrev_b", 1),
    CHOSEN("v_ashrrev_i", 1),
    CHOSEN("v_pk_lshlrev_b16", 1),
    CHOSEN("v_pk_lshrrev_b16", 1),
    CHOSEN("v_pk_ashrrev_i16", 1),
    CHOSEN("s_lshl_b", 2),
    CHOSEN("s_lshr_b", 2),
    CHOSEN("s_ashr_i", 2),
    CHOSEN("v_bfe_u32", 6),
    CHOSEN("v_bfe_i32", 6),
    CHOSEN("s_bfe_", 2),
    CHOSEN("v_perm_b32", 4),
    CHOSEN("v_alignbit_b32", 4),
    CHOSEN("v_alignbyte_b32", 4),
    CHOSEN("v_alignbit_b32_", 4),
    CHOSEN("v_alignbyte_b32_", 4),
    CHOSEN("v_lshl_or_b32", 2),
    {"s_bitcmp0_b", WL_INIT_CORNERS, WL_INIT_ANY, 2},
    {"s_bitcmp1_b", WL_INIT_CORNERS, WL_INIT_ANY, 2},
    /* sums */
    SUM("v_add_nc_"),
    SUM("v_sub_nc_"),
    SUM("v_subrev_nc_u32"),
    SUM("v_subrev_u16"),
    SUM("v_add_co_u32"),
    SUM("v_sub_co_u32"),
    SUM("v_subrev_co_u32"),
    SUM("v_add_co_ci_u32"),
    SUM("v_sub_co_ci_u32"),
    SUM("v_subrev_co_ci_u32"),
    SUM("v_pk_add_i16"),
    SUM("v_pk_add_u16"),
    SUM("v_pk_sub_i16"),
    SUM("v_pk_sub_u16"),
    SUM("s_add_u32"),
    SUM("s_addc_u32"),
    SUM("s_sub_u32"),
    SUM("s_subb_u32"),
    SUM_OVERFLOWS("s_add_i32"),
    SUM_OVERFLOWS("s_sub_i32"),
    SUM("s_add_nc_u64"),
    SUM("s_sub_nc_u64"),
    SUM("s_add_u64"),
    SUM("s_sub_u64"),
    {"v_lshl_add_u", WL_INIT_ADD_SHIFT, WL_INIT_ANY, 2},
    {"v_add_lshl_u32", WL_INIT_ADD_SHIFT, WL_INIT_ANY, 4},
    /* products, and sums of three */
    LOW("v_add3_u32"),
    LOW("v_xad_u32"),
    LOW("v_mul_lo_u"),
    LOW("v_mul_u32_u24"),
    LOW("v_mul_i32_i24"),
    LOW("v_mul_u64"),
    LOW("v_mad_u16"),
    LOW("v_mad_i16"),
    LOW("v_mad_u32"),
    LOW("v_mad_u32_u"),
    LOW("v_mad_i32_i"),
    LOW("v_mad_u64_u32"),
    LOW("v_mad_i64_i32"),
    LOW("v_mad_nc_"),
    LOW("v_pk_mad_"),
    LOW("v_pk_mul_lo_u16"),
    LOW("s_mul_i32"),
    LOW("s_mul_u64"),
    LOW("s_lshl1_add_u32"),
    LOW("s_lshl2_add_u32"),
    LOW("s_lshl3_add_u32"),
    LOW("s_lshl4_add_u32"),
    /* order */
    INTERVAL("v_min_i"),
    INTERVAL("v_min_u"),
    INTERVAL("v_max_i"),
    INTERVAL("v_max_u"),
    INTERVAL("v_min3_i"),
    INTERVAL("v_min3_u"),
    INTERVAL("v_max3_i"),
    INTERVAL("v_max3_u"),
    INTERVAL("v_med3_i"),
    INTERVAL("v_med3_u"),
    INTERVAL("v_minmax_i"),
    INTERVAL("v_minmax_u"),
    INTERVAL("v_maxmin_i"),
    INTERVAL("v_maxmin_u"),
    INTERVAL("v_pk_min_i16"),
    INTERVAL("v_pk_min_u16"),
    INTERVAL("v_pk_max_i16"),
    INTERVAL("v_pk_max_u16"),
    INTERVAL("s_min_i32"),
    INTERVAL("s_min_u32"),
    INTERVAL("s_max_i32"),
    INTERVAL("s_max_u32"),
    INTERVAL("v_clz_i32_u32"),
    INTERVAL("s_clz_i32_u"),
    /* integers to floats */
    SPREAD("v_cvt_f32_u32"),
    SPREAD("v_cvt_f32_i32"),
    SPREAD("v_cvt_f64_u32"),
    SPREAD("v_cvt_f64_i32"),
    SPREAD("v_cvt_f32_ubyte"),
    SPREAD("v_cvt_f16_u16"),
    SPREAD("v_cvt_f16_i16"),
    SPREAD("s_cvt_f32_u32"),
    SPREAD("s_cvt_f32_i32"),
};

static bool fits(const char *name, const char *prefix) {
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || strstr(name, "_clamp"))
        return false;
    const char last = prefix[length - 1], *rest = name + length;
    if (last == '_' || !*rest)
        return true;
    return !(last >= '0' && last <= '9') && strspn(rest, "0123456789") == strlen(rest);
}

/* v_cmp_lt_i32: the class of its result. */
static int comparison_of(const char *name) {
    const char *type = strrchr(name, '_');
    if (strncmp(name, "v_cmp_", 6) != 0 && strncmp(name, "s_cmp_", 6) != 0)
        return -1;
    if (!type || (type[1] != 'i' && type[1] != 'u'))
        return WL_INIT_ANY;
    const char *operation = name + 6;
    const bool equal = !strncmp(operation, "eq_", 3) || !strncmp(operation, "ne_", 3) || !strncmp(operation, "lg_", 3);
    return equal ? WL_INIT_EQUAL : WL_INIT_CORNERS;
}

static bool is_packed(unsigned type) { return type == WL_PKU16 || type == WL_PKI16 || type == WL_PKF16 || type == WL_PKBF16; }

/* v_cvt_pk_u16_u32 and its like. */
static bool joins_halves(const struct wl_sem *sem) {
    const bool names = !strncmp(sem->name, "v_cvt_pk_", 9) && sem->input_count == 2 && sem->result_count == 1;
    return names && is_packed(sem->results[0].type) && wl_type_bits(sem->inputs[0].type) == 32 && !is_packed(sem->inputs[0].type) &&
           wl_type_bits(sem->inputs[1].type) == 32 && !is_packed(sem->inputs[1].type);
}

struct wl_init_rule wl_init_rule_of(const struct wl_sem *sem) {
    struct wl_init_rule rule = {0};
    const int comparison = comparison_of(sem->name);
    if (comparison >= 0 || joins_halves(sem)) {
        rule.result[0] = comparison >= 0 ? (uint8_t)comparison : WL_INIT_HALVES;
        return rule;
    }
    for (unsigned i = 0; i < sizeof rows / sizeof *rows; i++)
        if (fits(sem->name, rows[i].name)) {
            rule.control = rows[i].control;
            rule.result[0] = rows[i].first;
            rule.result[1] = rows[i].second;
            break;
        }
    return rule;
}

/* ---- values ---------------------------------------------------------------------------------- */

static unsigned bytes_of(const struct wl_init_work *w, const struct wl_slot *slot) { return w->lanes * wl_type_bits(slot->type) / 8; }

/* Bytes of what a bit can decide: a lane, or its half. */
static unsigned element_of(const struct wl_slot *slot) {
    if (is_packed(slot->type))
        return 2;
    return slot->type == WL_PKF32 ? 4 : wl_type_bits(slot->type) / 8;
}

static bool is_signed(unsigned type) { return type == WL_I16 || type == WL_I32 || type == WL_I64 || type == WL_PKI16; }

static bool is_any(const union wl_values *x, unsigned bytes) {
    uint8_t any = 0;
    for (unsigned i = 0; i < bytes; i++)
        any |= x->bytes[i];
    return any;
}

static uint64_t read_element(const union wl_values *x, unsigned size, unsigned i) {
    uint64_t value = 0;
    memcpy(&value, x->bytes + (size_t)i * size, size);
    return value;
}

static void write_element(union wl_values *x, unsigned size, unsigned i, uint64_t value) {
    memcpy(x->bytes + (size_t)i * size, &value, size);
}

static void put_or(union wl_values *x, const union wl_values *more, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        x->bytes[i] |= more->bytes[i];
}

static void put_xor(union wl_values *x, const union wl_values *a, const union wl_values *b, unsigned bytes) {
    for (unsigned i = 0; i < bytes; i++)
        x->bytes[i] |= a->bytes[i] ^ b->bytes[i];
}

/* The largest or the smallest number that an operand may be. */
static void fill_in(const struct wl_init_work *w, unsigned input, bool largest, union wl_values *to) {
    const struct wl_slot *slot = &w->sem->inputs[input];
    const unsigned bytes = bytes_of(w, slot), element = element_of(slot);
    const bool sign = is_signed(slot->type);
    for (unsigned i = 0; i < bytes; i++) {
        const uint8_t u = w->undefined[input].bytes[i], flip = sign && i % element == element - 1 ? u & 0x80 : 0;
        to->bytes[i] = (uint8_t)((largest ? w->value[input].bytes[i] | u : w->value[input].bytes[i] & ~u) ^ flip);
    }
}

static void call(const struct wl_init_work *w, const union wl_values *const *inputs, union wl_values *results) {
    void *pointers[2 * WL_SEM_SLOTS];
    for (unsigned i = 0; i < w->sem->result_count; i++)
        pointers[i] = &results[i];
    for (unsigned i = 0; i < w->sem->input_count; i++)
        pointers[w->sem->result_count + i] = (void *)(uintptr_t)inputs[i];
    wl_steps_call(w->native, pointers, (unsigned)w->sem->result_count + w->sem->input_count);
}

/* ---- classes --------------------------------------------------------------------------------- */

static unsigned parts_of(const struct wl_slot *slot) { return wl_type_bits(slot->type) / 8 / element_of(slot); }

/* What of input `i` part `part` of a lane of the result depends on: that part, if both have as many, else the whole lane. */
static uint64_t read_part(const struct wl_init_work *w, unsigned i, unsigned parts, unsigned lane, unsigned part) {
    const struct wl_slot *slot = &w->sem->inputs[i];
    if (parts_of(slot) == parts)
        return read_element(&w->undefined[i], element_of(slot), lane * parts + part);
    return read_element(&w->undefined[i], wl_type_bits(slot->type) / 8, lane);
}

static void write_part(struct wl_init_work *w, unsigned r, unsigned lane, unsigned part, uint64_t bits) {
    const struct wl_slot *slot = &w->sem->results[r];
    write_element(&w->result[r], element_of(slot), lane * parts_of(slot) + part, slot->type == WL_SCC ? bits & 1 : bits);
}

/* Of masks and SCC as operands, one bit counts. */
static bool is_condition(const struct wl_slot *slot) { return slot->type == WL_MASK || slot->type == WL_SCC; }

static void any(struct wl_init_work *w, unsigned r) {
    const unsigned parts = parts_of(&w->sem->results[r]);
    for (unsigned l = 0; l < w->lanes; l++)
        for (unsigned part = 0; part < parts; part++) {
            uint64_t bits = 0;
            for (unsigned i = 0; i < w->sem->input_count; i++)
                bits |= read_part(w, i, parts, l, part);
            write_part(w, r, l, part, bits ? UINT64_MAX : 0);
        }
}

static void low(struct wl_init_work *w, unsigned r) {
    const unsigned parts = parts_of(&w->sem->results[r]);
    for (unsigned l = 0; l < w->lanes; l++)
        for (unsigned part = 0; part < parts; part++) {
            uint64_t bits = 0;
            for (unsigned i = 0; i < w->sem->input_count; i++)
                bits |= read_part(w, i, parts, l, part) & (is_condition(&w->sem->inputs[i]) ? 1 : UINT64_MAX);
            write_part(w, r, l, part, bits ? ~((bits & -bits) - 1) : 0);
        }
}

static void halves(struct wl_init_work *w, unsigned r) {
    for (unsigned l = 0; l < w->lanes; l++)
        for (unsigned part = 0; part < 2; part++)
            write_part(w, r, l, part, read_element(&w->undefined[part], 4, l) ? UINT64_MAX : 0);
}

static void equal(struct wl_init_work *w, unsigned r) {
    const unsigned size = wl_type_bits(w->sem->inputs[0].type) / 8;
    for (unsigned l = 0; l < w->lanes; l++) {
        const uint64_t open = read_element(&w->undefined[0], size, l) | read_element(&w->undefined[1], size, l);
        const uint64_t differ = read_element(&w->value[0], size, l) ^ read_element(&w->value[1], size, l);
        write_part(w, r, l, 0, open && !(differ & ~open) ? UINT64_MAX : 0);
    }
}

/* Behind the first result's rule. */
static void nonzero(struct wl_init_work *w, unsigned r) {
    const union wl_values *inputs[WL_SEM_SLOTS];
    union wl_values results[WL_SEM_SLOTS];
    const unsigned size = wl_type_bits(w->sem->results[0].type) / 8;
    for (unsigned i = 0; i < w->sem->input_count; i++)
        inputs[i] = &w->value[i];
    memset(results, 0, sizeof results);
    call(w, inputs, results);
    for (unsigned l = 0; l < w->lanes; l++) {
        const uint64_t open = read_element(&w->result[0], size, l);
        write_part(w, r, l, 0, open && !(read_element(&results[0], size, l) & ~open) ? UINT64_MAX : 0);
    }
}

/* What the smallest and largest ways to fill in disagree on; *differ: of each result. False: there are too many ways. */
static bool corners(const struct wl_init_work *w, unsigned control, union wl_values *differ) {
    union wl_values filled[CORNER_INPUTS][2], first[WL_SEM_SLOTS], other[WL_SEM_SLOTS];
    const union wl_values *inputs[WL_SEM_SLOTS] = {NULL}; /* gcc cannot tell that there are inputs */
    unsigned open[CORNER_INPUTS], count = 0;
    for (unsigned i = 0; i < w->sem->input_count; i++) {
        inputs[i] = &w->value[i];
        if (control >> i & 1 || !is_any(&w->undefined[i], bytes_of(w, &w->sem->inputs[i])))
            continue;
        if (count == CORNER_INPUTS)
            return false;
        fill_in(w, i, false, &filled[count][0]);
        fill_in(w, i, true, &filled[count][1]);
        inputs[i] = &filled[count][0];
        open[count++] = i;
    }
    memset(first, 0, sizeof first);
    memset(other, 0, sizeof other);
    call(w, inputs, first);
    for (unsigned way = 1; way < 1u << count; way++) {
        for (unsigned i = 0; i < count; i++)
            inputs[open[i]] = &filled[i][way >> i & 1];
        call(w, inputs, other);
        for (unsigned r = 0; r < w->sem->result_count; r++)
            put_xor(&differ[r], &first[r], &other[r], bytes_of(w, &w->sem->results[r]));
    }
    return true;
}

/* The operands' own bits, in a sum. */
static void add_operands(struct wl_init_work *w, unsigned r) {
    const unsigned parts = parts_of(&w->sem->results[r]);
    for (unsigned i = 0; i < w->sem->input_count; i++)
        for (unsigned l = 0; l < w->lanes; l++)
            for (unsigned part = 0; part < parts; part++) {
                const uint64_t bits = read_part(w, i, parts, l, part) & (is_condition(&w->sem->inputs[i]) ? 1 : UINT64_MAX);
                const unsigned size = element_of(&w->sem->results[r]), at = l * parts + part;
                write_element(&w->result[r], size, at, read_element(&w->result[r], size, at) | bits);
            }
}

/* The same, as the shift moves them: each beside zeros. */
static void add_shifted(struct wl_init_work *w, unsigned r, unsigned control) {
    static const union wl_values zero;
    for (unsigned i = 0; i < w->sem->input_count; i++) {
        const union wl_values *inputs[WL_SEM_SLOTS];
        union wl_values results[WL_SEM_SLOTS];
        if (control >> i & 1)
            continue;
        for (unsigned k = 0; k < w->sem->input_count; k++)
            inputs[k] = control >> k & 1 ? &w->value[k] : k == i ? &w->undefined[k] : &zero;
        call(w, inputs, results);
        put_or(&w->result[r], &results[r], bytes_of(w, &w->sem->results[r]));
    }
}

/* `whole`: all of an element; else the bits from the highest one down. */
static void widen(struct wl_init_work *w, unsigned r, bool whole) {
    const struct wl_slot *slot = &w->sem->results[r];
    const unsigned parts = parts_of(slot);
    for (unsigned l = 0; l < w->lanes; l++)
        for (unsigned part = 0; part < parts; part++) {
            const uint64_t bits = read_element(&w->result[r], element_of(slot), l * parts + part);
            write_part(w, r, l, part, !bits ? 0 : whole ? UINT64_MAX : UINT64_MAX >> __builtin_clzll(bits));
        }
}

/* Lanes whose controlling operands are not known. */
static void give_up(struct wl_init_work *w, unsigned control) {
    for (unsigned i = 0; i < w->sem->input_count; i++)
        for (unsigned l = 0; control >> i & 1 && l < w->lanes; l++)
            if (read_element(&w->undefined[i], wl_type_bits(w->sem->inputs[i].type) / 8, l))
                for (unsigned r = 0; r < w->sem->result_count; r++)
                    for (unsigned part = 0; part < parts_of(&w->sem->results[r]); part++)
                        write_part(w, r, l, part, UINT64_MAX);
}

static void apply(const struct wl_init_rule *rule, struct wl_init_work *w, unsigned r) {
    switch ((enum wl_init_class)rule->result[r]) {
    case WL_INIT_ANY:
        any(w, r);
        break;
    case WL_INIT_LOW:
        low(w, r);
        break;
    case WL_INIT_EQUAL:
        equal(w, r);
        break;
    case WL_INIT_NONZERO:
        nonzero(w, r);
        break;
    case WL_INIT_HALVES:
        halves(w, r);
        break;
    case WL_INIT_ADD:
        add_operands(w, r);
        break;
    case WL_INIT_ADD_SHIFT:
        add_shifted(w, r, rule->control);
        break;
    case WL_INIT_INTERVAL:
        widen(w, r, false);
        break;
    case WL_INIT_SPREAD:
        widen(w, r, true);
        break;
    case WL_INIT_CORNERS:
        break;
    }
}

static bool needs_corners(unsigned class) {
    return class == WL_INIT_CORNERS || class == WL_INIT_ADD || class == WL_INIT_ADD_SHIFT || class == WL_INIT_INTERVAL ||
           class == WL_INIT_SPREAD;
}

void wl_init_rule_apply(const struct wl_init_rule *rule, struct wl_init_work *w) {
    static const struct wl_init_rule nothing_known;
    memset(w->result, 0, w->sem->result_count * sizeof *w->result);
    for (unsigned r = 0; r < w->sem->result_count; r++)
        if (needs_corners(rule->result[r])) {
            if (!corners(w, rule->control, w->result))
                rule = &nothing_known;
            break;
        }
    for (unsigned r = 0; r < w->sem->result_count; r++)
        apply(rule, w, r);
    give_up(w, rule->control);
}
