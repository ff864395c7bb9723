/* The operands and modifiers of LLVM's canonical AMDGPU text.
 *
 * A line is `mnemonic operand, operand, ... modifier modifier`. What a token is follows from its own shape (a register, a
 * number, a known modifier's name), not from its place, because some instructions have modifiers and no operands. */
#include "translate/decode/text/operands.h"

#include <stddef.h>
#include <string.h>

struct cursor {
    const char *at, *end;
};

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static char peek(const struct cursor *c) {
    if (c->at >= c->end)
        return '\0';
    return *c->at;
}

/* The character after the next one. */
static char peek_second(const struct cursor *c) {
    if (c->end - c->at < 2)
        return '\0';
    return c->at[1];
}

static bool accept(struct cursor *c, char wanted) {
    if (peek(c) != wanted)
        return false;
    c->at++;
    return true;
}

static bool word_is(const char *word, size_t length, const char *name) { return strlen(name) == length && memcmp(word, name, length) == 0; }

/* A decimal or hexadecimal number without a sign; false if there is none. */
static bool read_unsigned(struct cursor *c, uint64_t *value) {
    if (!is_digit(peek(c)))
        return false;
    *value = 0;
    if (c->end - c->at > 2 && c->at[0] == '0' && c->at[1] == 'x') {
        for (c->at += 2; c->at < c->end; c->at++) {
            const char digit = *c->at;

            if (is_digit(digit))
                *value = *value << 4 | (uint64_t)(digit - '0');
            else if (digit >= 'a' && digit <= 'f')
                *value = *value << 4 | (uint64_t)(digit - 'a' + 10);
            else
                break;
        }
    } else {
        for (; is_digit(peek(c)); c->at++)
            *value = *value * 10 + (uint64_t)(*c->at - '0');
    }
    return true;
}

static bool read_signed(struct cursor *c, int64_t *value) {
    const bool negative = accept(c, '-');
    uint64_t magnitude;

    if (!read_unsigned(c, &magnitude))
        return false;
    *value = negative ? -(int64_t)magnitude : (int64_t)magnitude;
    return true;
}

/* Skips a value that nobody needs: a word, [...], (...) or word(...). */
static void skip_value(struct cursor *c) {
    unsigned depth = 0;

    for (; c->at < c->end; c->at++) {
        if (*c->at == '(' || *c->at == '[')
            depth++;
        else if (*c->at == ')' || *c->at == ']')
            depth -= depth > 0;
        else if (depth == 0 && (*c->at == ' ' || *c->at == ','))
            return;
    }
}

/* ---- operands ---- */

static void set_immediate(struct wl_operand *operand, uint64_t bits, bool literal) {
    operand->kind = WL_OPERAND_IMM;
    operand->count = 1;
    operand->bits = bits;
    operand->literal = literal;
}

/* Inline floating-point constants are the only ones that are printed with a point. */
static bool read_fraction(struct cursor *c, uint64_t whole, bool negative, struct wl_operand *operand) {
    double number;

    if (!accept(c, '.'))
        return false;
    if (whole == 0)
        number = peek(c) == '5' ? 0.5 : peek(c) == '1' ? 0.15915494309189532 : 0.0;
    else
        number = (double)whole;
    while (is_digit(peek(c)))
        c->at++;
    operand->kind = WL_OPERAND_IMM;
    operand->count = 1;
    operand->is_float = true;
    operand->number = negative ? -number : number;
    return true;
}

static bool read_number(struct cursor *c, bool negative, struct wl_operand *operand) {
    const bool hexadecimal = peek_second(c) == 'x';
    uint64_t value;

    if (!read_unsigned(c, &value))
        return false;
    if (!hexadecimal && read_fraction(c, value, negative, operand))
        return true;
    set_immediate(operand, negative ? 0 - value : value, hexadecimal && !negative && value <= UINT32_MAX);
    return true;
}

static const struct named_operand {
    const char *name;
    uint8_t kind, count;
    uint16_t reg;
} named_operands[] = {
    {"vcc", WL_OPERAND_SGPR, 2, WL_SGPR_VCC},
    {"vcc_lo", WL_OPERAND_SGPR, 1, WL_SGPR_VCC},
    {"vcc_hi", WL_OPERAND_SGPR, 1, WL_SGPR_VCC + 1},
    {"exec", WL_OPERAND_SGPR, 2, WL_SGPR_EXEC},
    {"exec_lo", WL_OPERAND_SGPR, 1, WL_SGPR_EXEC},
    {"exec_hi", WL_OPERAND_SGPR, 1, WL_SGPR_EXEC + 1},
    {"off", WL_OPERAND_OFF, 0, 0},
    {"null", WL_OPERAND_OFF, 0, 0},
    {"m0", WL_OPERAND_SGPR, 1, WL_SGPR_M0},
    {"flat_scratch", WL_OPERAND_SGPR, 2, WL_SGPR_FLAT_SCRATCH},
    {"flat_scratch_lo", WL_OPERAND_SGPR, 1, WL_SGPR_FLAT_SCRATCH},
    {"flat_scratch_hi", WL_OPERAND_SGPR, 1, WL_SGPR_FLAT_SCRATCH + 1},
    {"xnack_mask", WL_OPERAND_SGPR, 2, WL_SGPR_XNACK_MASK},
    {"xnack_mask_lo", WL_OPERAND_SGPR, 1, WL_SGPR_XNACK_MASK},
    {"xnack_mask_hi", WL_OPERAND_SGPR, 1, WL_SGPR_XNACK_MASK + 1},
    {"src_shared_base", WL_OPERAND_SPECIAL, 2, WL_SPECIAL_SHARED_BASE},
    {"src_shared_limit", WL_OPERAND_SPECIAL, 2, WL_SPECIAL_SHARED_LIMIT},
    {"src_private_base", WL_OPERAND_SPECIAL, 2, WL_SPECIAL_PRIVATE_BASE},
    {"src_private_limit", WL_OPERAND_SPECIAL, 2, WL_SPECIAL_PRIVATE_LIMIT},
    {"src_pops_exiting_wave_id", WL_OPERAND_SPECIAL, 1, WL_SPECIAL_POPS_EXITING_WAVE_ID},
    {"src_scc", WL_OPERAND_SPECIAL, 1, WL_SPECIAL_SCC},
    {"src_vccz", WL_OPERAND_SPECIAL, 1, WL_SPECIAL_VCCZ},
    {"src_execz", WL_OPERAND_SPECIAL, 1, WL_SPECIAL_EXECZ},
    {"lds_direct", WL_OPERAND_SPECIAL, 1, WL_SPECIAL_LDS_DIRECT},
    {"src_lds_direct", WL_OPERAND_SPECIAL, 1, WL_SPECIAL_LDS_DIRECT},
};

/* The number or range behind a register's letter: "5", "[4:7]" or "[5]". */
static bool read_register(struct cursor *c, unsigned kind, unsigned base, unsigned limit, struct wl_operand *operand) {
    uint64_t first, last;

    if (accept(c, '[')) {
        if (!read_unsigned(c, &first))
            return false;
        last = first;
        if (accept(c, ':') && !read_unsigned(c, &last))
            return false;
        if (!accept(c, ']'))
            return false;
    } else {
        if (!read_unsigned(c, &first))
            return false;
        last = first;
    }
    if (first > last || last >= limit)
        return false;
    if (peek(c) == '.' && (peek_second(c) == 'l' || peek_second(c) == 'h')) { /* a half of a register */
        operand->upper = peek_second(c) == 'h';
        c->at += 2;
    }
    operand->kind = (uint8_t)kind;
    operand->reg = (uint16_t)(base + first);
    operand->count = (uint8_t)(last - first + 1);
    return true;
}

static bool read_text(struct cursor *c, struct wl_operand *operand) {
    skip_value(c);
    operand->kind = WL_OPERAND_TEXT;
    return true;
}

static bool read_named(struct cursor *c, const char *word, size_t length, struct wl_operand *operand) {
    for (size_t i = 0; i < sizeof(named_operands) / sizeof(named_operands[0]); i++) {
        const struct named_operand *named = &named_operands[i];

        if (word_is(word, length, named->name)) {
            operand->kind = named->kind;
            operand->count = named->count;
            operand->reg = named->reg;
            return true;
        }
    }
    c->at = word;
    return read_text(c, operand);
}

static bool read_plain(struct cursor *c, struct wl_operand *operand) {
    const char first = peek(c);
    const char second = peek_second(c);
    const char *word = c->at;
    size_t length;

    if (is_digit(first))
        return read_number(c, false, operand);
    if ((is_digit(second) || second == '[') && (first == 'v' || first == 's' || first == 'a')) {
        c->at++;
        if (first == 's')
            return read_register(c, WL_OPERAND_SGPR, 0, WL_SGPR_VCC, operand);
        return read_register(c, WL_OPERAND_VGPR, first == 'v' ? 0 : WL_AGPR, WL_AGPR, operand);
    }
    while (is_word(peek(c)))
        c->at++;
    length = (size_t)(c->at - word);
    if (length >= 4 && memcmp(word, "ttmp", 4) == 0) {
        c->at = word + 4;
        return read_register(c, WL_OPERAND_SGPR, WL_SGPR_TTMP, 16, operand);
    }
    if (word_is(word, length, "lit") && accept(c, '(')) {
        uint64_t value;

        if (!read_unsigned(c, &value) || !accept(c, ')'))
            return false;
        set_immediate(operand, value, true);
        return true;
    }
    return length > 0 && read_named(c, word, length, operand);
}

static bool starts_with(const struct cursor *c, const char *prefix) {
    const size_t length = strlen(prefix);

    return (size_t)(c->end - c->at) >= length && memcmp(c->at, prefix, length) == 0;
}

/* An operand with its source modifiers: -v1, |v1|, -|v1|, neg(v1), abs(v1), sext(v1), -1, -4.0. */
static bool read_operand(struct cursor *c, struct wl_operand *operand) {
    if (accept(c, '-')) {
        if (is_digit(peek(c)))
            return read_number(c, true, operand);
        operand->neg = true;
        return read_operand(c, operand);
    }
    if (accept(c, '|')) {
        operand->abs = true;
        return read_operand(c, operand) && (accept(c, '|') || starts_with(c, ", vcc"));
    }
    if (starts_with(c, "neg(") || starts_with(c, "abs(")) {
        *(*c->at == 'n' ? &operand->neg : &operand->abs) = true;
        c->at += 4;
        return read_operand(c, operand) && accept(c, ')');
    }
    if (starts_with(c, "sext(")) {
        operand->sext = true;
        c->at += 5;
        return read_operand(c, operand) && accept(c, ')');
    }
    return read_plain(c, operand);
}

/* ---- modifiers ---- */

enum modifier_kind {
    FLAG,       /* "glc" */
    FLAG_VALUE, /* "bound_ctrl:1": its presence counts */
    BYTE,       /* "row_mask:0xf" */
    OFFSET,     /* "offset:-16" */
    BITS,       /* "op_sel:[0,1]": one bit an element */
    SELECT,     /* "dst_sel:BYTE_1" */
    SOURCE_SELECT,
    UNUSED,      /* "dst_unused:UNUSED_PAD" */
    OMOD,        /* "mul:2", "div:2" */
    DPP,         /* "row_shl:1", "row_mirror" */
    HINT,        /* "th:TH_ATOMIC_RETURN" */
    BYTE_SELECT, /* "byte_sel:2" */
    SCOPE,       /* "scope:SCOPE_SYS": wider than a compute unit, so that a load must see memory */
    DIMENSION,   /* "dim:SQ_RSRC_IMG_2D" */
    IGNORED,     /* no meaning here */
};

#define FIELD(f) offsetof(struct wl_inst, f)

static const struct modifier {
    const char *name;
    uint8_t kind, argument;
    uint16_t field;
} modifiers[] = {
    {"offset", OFFSET, 0, 0},
    {"offset0", OFFSET, 0, 0},
    {"offset1", OFFSET, 1, 0},
    {"glc", FLAG, 0, FIELD(glc)},
    {"slc", FLAG, 0, FIELD(slc)},
    {"dlc", FLAG, 0, FIELD(dlc)},
    {"sc0", FLAG, 0, FIELD(sc0)},
    {"sc1", FLAG, 0, FIELD(sc1)},
    {"nt", FLAG, 0, FIELD(nt)},
    {"scc", FLAG, 0, FIELD(scc_bit)},
    {"lds", FLAG, 0, FIELD(lds)},
    {"tfe", FLAG, 0, FIELD(tfe)},
    {"offen", FLAG, 0, FIELD(offen)},
    {"idxen", FLAG, 0, FIELD(idxen)},
    {"addr64", FLAG, 0, FIELD(addr64)},
    {"gds", FLAG, 0, FIELD(gds)},
    {"clamp", FLAG, 0, FIELD(clamp)},
    {"th", HINT, 0, 0},
    {"scope", SCOPE, 0, FIELD(dlc)},
    {"mul", OMOD, 0, 0},
    {"div", OMOD, 1, 0},
    {"op_sel", BITS, 0, FIELD(op_sel)},
    {"op_sel_hi", BITS, 1, FIELD(op_sel_hi)},
    {"neg_lo", BITS, 0, FIELD(neg_lo)},
    {"neg_hi", BITS, 0, FIELD(neg_hi)},
    {"neg", BITS, 0, FIELD(blgp)},
    {"quad_perm", DPP, WL_DPP_QUAD_PERM, 2},
    {"dpp8", DPP, WL_DPP_DPP8, 3},
    {"row_shl", DPP, WL_DPP_ROW_SHL, 0},
    {"row_shr", DPP, WL_DPP_ROW_SHR, 0},
    {"row_ror", DPP, WL_DPP_ROW_ROR, 0},
    {"row_mirror", DPP, WL_DPP_ROW_MIRROR, 0},
    {"row_half_mirror", DPP, WL_DPP_ROW_HALF_MIRROR, 0},
    {"row_bcast", DPP, WL_DPP_ROW_BCAST15, 0},
    {"row_share", DPP, WL_DPP_ROW_SHARE, 0},
    {"row_xmask", DPP, WL_DPP_ROW_XMASK, 0},
    {"row_newbcast", DPP, WL_DPP_ROW_NEWBCAST, 0},
    {"wave_shl", DPP, WL_DPP_WAVE_SHL, 0},
    {"wave_rol", DPP, WL_DPP_WAVE_ROL, 0},
    {"wave_shr", DPP, WL_DPP_WAVE_SHR, 0},
    {"wave_ror", DPP, WL_DPP_WAVE_ROR, 0},
    {"row_mask", BYTE, 0, FIELD(row_mask)},
    {"bank_mask", BYTE, 0, FIELD(bank_mask)},
    {"bound_ctrl", FLAG_VALUE, 0, FIELD(bound_ctrl)},
    {"fi", FLAG_VALUE, 0, FIELD(fetch_inactive)},
    {"dst_sel", SELECT, 0, FIELD(dst_sel)},
    {"dst_unused", UNUSED, 0, FIELD(dst_unused)},
    {"src0_sel", SOURCE_SELECT, 0, 0},
    {"src1_sel", SOURCE_SELECT, 1, 0},
    {"byte_sel", BYTE_SELECT, 0, 0},
    {"cbsz", BYTE, 0, FIELD(cbsz)},
    {"abid", BYTE, 0, FIELD(abid)},
    {"blgp", BYTE, 0, FIELD(blgp)},
    {"index_key", BYTE, 0, FIELD(abid)},
    {"wait_vdst", IGNORED, 0, 0},
    {"wait_va_vdst", IGNORED, 0, 0},
    {"wait_vm_vsrc", IGNORED, 0, 0},
    {"dmask", BYTE, 0, FIELD(dmask)},
    {"dim", DIMENSION, 0, 0},
    {"unorm", FLAG, 0, FIELD(unorm)},
    {"da", FLAG, 0, FIELD(da)},
    {"a16", FLAG, 0, FIELD(a16)},
    {"d16", FLAG, 0, FIELD(d16)},
    {"r128", FLAG, 0, FIELD(r128)},
    {"lwe", FLAG, 0, FIELD(lwe)},
    {"dfmt", IGNORED, 0, 0},
    {"nfmt", IGNORED, 0, 0},
    {"format", IGNORED, 0, 0},
};

/* Whether the modifier stands without a value; the others do not exist without one ("neg:[1,0]", but "neg(1.0)"). */
static bool is_bare(const struct modifier *modifier) {
    return modifier->kind == FLAG ||
           (modifier->kind == DPP && (modifier->argument == WL_DPP_ROW_MIRROR || modifier->argument == WL_DPP_ROW_HALF_MIRROR));
}

static const struct modifier *find_modifier(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof(modifiers) / sizeof(modifiers[0]); i++)
        if (modifiers[i].name[0] == word[0] && word_is(word, length, modifiers[i].name))
            return &modifiers[i];
    return NULL;
}

/* [a,b,c,...], `bits` each, the first in the low bits. */
static bool read_list(struct cursor *c, unsigned bits, uint32_t *packed) {
    unsigned shift = 0;

    *packed = 0;
    if (!accept(c, '['))
        return false;
    do {
        uint64_t element;

        while (accept(c, ' ')) {
        }
        if (shift >= 32 || !read_unsigned(c, &element))
            return false;
        *packed |= (uint32_t)element << shift;
        shift += bits;
    } while (accept(c, ','));
    return accept(c, ']');
}

static bool read_select(struct cursor *c, uint8_t *sel) {
    static const char *const names[] = {"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
    const char *word = c->at;

    while (is_word(peek(c)))
        c->at++;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (word_is(word, (size_t)(c->at - word), names[i])) {
            *sel = (uint8_t)i;
            return true;
        }
    return false;
}

static bool read_unused(struct cursor *c, uint8_t *unused) {
    static const char *const names[] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"};
    const char *word = c->at;

    while (is_word(peek(c)))
        c->at++;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (word_is(word, (size_t)(c->at - word), names[i])) {
            *unused = (uint8_t)i;
            return true;
        }
    return false;
}

static bool read_dpp(struct cursor *c, const struct modifier *modifier, struct wl_inst *inst) {
    uint64_t number = 0;

    inst->dpp = modifier->argument;
    if (modifier->field)
        return read_list(c, modifier->field, &inst->dpp_control);
    if (is_bare(modifier))
        return true;
    if (!read_unsigned(c, &number))
        return false;
    if (modifier->argument == WL_DPP_ROW_BCAST15 && number == 31)
        inst->dpp = WL_DPP_ROW_BCAST31;
    inst->dpp_control = (uint32_t)number;
    return true;
}

/* "th:TH_ATOMIC_RETURN", "th:TH_ATOMIC_NT_RETURN", ...; the other hints are about caches. */
static bool read_hint(struct cursor *c, struct wl_inst *inst) {
    static const char suffix[] = "RETURN";
    const char *word = c->at;

    skip_value(c);
    if (c->at - word >= (ptrdiff_t)sizeof(suffix) && memcmp(c->at - (sizeof(suffix) - 1), suffix, sizeof(suffix) - 1) == 0)
        inst->returns = true;
    return true;
}

static bool read_offset(struct cursor *c, int32_t *offset, struct wl_parsed *parsed) {
    int64_t value;

    if (read_signed(c, &value)) {
        *offset = (int32_t)value;
        return true;
    }
    skip_value(c);
    parsed->raw_offset = true;
    return true;
}

static bool read_bits(struct cursor *c, const struct modifier *modifier, struct wl_inst *inst) {
    uint32_t packed;

    if (!read_list(c, 1, &packed))
        return false;
    *((uint8_t *)inst + modifier->field) = (uint8_t)packed;
    inst->has_op_sel_hi |= modifier->argument;
    return true;
}

static bool read_omod(struct cursor *c, bool divide, struct wl_inst *inst) {
    uint64_t factor;

    if (!read_unsigned(c, &factor) || (factor != 2 && factor != 4))
        return false;
    inst->omod = divide ? 3 : factor == 2 ? 1 : 2;
    return true;
}

static bool read_dimension(struct cursor *c, struct wl_inst *inst) {
    static const char prefix[] = "SQ_RSRC_IMG_";
    static const char *const names[] = {"1D", "2D", "3D", "CUBE", "1D_ARRAY", "2D_ARRAY", "2D_MSAA", "2D_MSAA_ARRAY"};
    const char *word;

    if (!starts_with(c, prefix))
        return false;
    word = c->at += sizeof(prefix) - 1;
    while (is_word(peek(c)))
        c->at++;
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (word_is(word, (size_t)(c->at - word), names[i])) {
            inst->dim = (uint8_t)i;
            inst->has_dim = true;
            return true;
        }
    return false;
}

static bool read_modifier(struct cursor *c, const struct modifier *modifier, struct wl_inst *inst, struct wl_parsed *parsed) {
    uint8_t *byte = (uint8_t *)inst + modifier->field;
    uint64_t number;

    switch ((enum modifier_kind)modifier->kind) {
    case FLAG:
        *byte = 1;
        return true;
    case FLAG_VALUE:
        *byte = 1;
        return read_unsigned(c, &number);
    case BYTE:
        if (!read_unsigned(c, &number))
            return false;
        *byte = (uint8_t)number;
        return true;
    case BYTE_SELECT:
        if (!read_unsigned(c, &number))
            return false;
        parsed->byte_sel = (uint8_t)(number & 3);
        return true;
    case OFFSET:
        return read_offset(c, modifier->argument ? &inst->offset1 : &inst->offset0, parsed);
    case BITS:
        return read_bits(c, modifier, inst);
    case SELECT:
        return read_select(c, byte);
    case SOURCE_SELECT:
        return read_select(c, &parsed->source_sel[modifier->argument]);
    case UNUSED:
        return read_unused(c, byte);
    case OMOD:
        return read_omod(c, modifier->argument, inst);
    case DPP:
        return read_dpp(c, modifier, inst);
    case HINT:
        return read_hint(c, inst);
    case SCOPE:
        *byte = 1; /* the default, one compute unit, is not printed */
        inst->sc1 = starts_with(c, "SCOPE_DEV") || starts_with(c, "SCOPE_SYS");
        skip_value(c);
        return true;
    case DIMENSION:
        return read_dimension(c, inst);
    case IGNORED:
        skip_value(c);
        return true;
    }
    return false;
}

/* A modifier, if the token is one; *known says whether it was understood. */
static bool try_modifier(struct cursor *c, struct wl_inst *inst, struct wl_parsed *parsed, bool *known) {
    const char *word = c->at;
    const struct modifier *modifier;
    struct cursor ahead = *c;
    bool valued;

    while (is_word(peek(&ahead)))
        ahead.at++;
    if (ahead.at == word)
        return false;
    valued = peek(&ahead) == ':';
    modifier = find_modifier(word, (size_t)(ahead.at - word));
    if (modifier && modifier->field == FIELD(a16) && (inst->operand_count < 3 || strncmp(inst->mnemonic, "image_", 6) != 0))
        return false; /* an AGPR */
    if (!valued && (!modifier || !is_bare(modifier)))
        return false;
    if (valued)
        ahead.at++;
    *known = modifier && read_modifier(&ahead, modifier, inst, parsed);
    if (!*known)
        skip_value(&ahead);
    *c = ahead;
    return true;
}

/* "[v0, v5, v[8:9]]": the address registers of an image instruction. */
static bool read_addresses(struct cursor *c, struct wl_inst *inst, struct wl_operand *first) {
    if (!accept(c, '['))
        return false;
    inst->address_count = 0;
    do {
        struct wl_operand operand = {0};

        while (accept(c, ' ')) {
        }
        if (!read_operand(c, &operand) || operand.kind != WL_OPERAND_VGPR || operand.reg + operand.count > WL_AGPR ||
            inst->address_count + operand.count > WL_MAX_ADDRESSES)
            return false;
        if (inst->address_count == 0)
            *first = operand;
        for (unsigned i = 0; i < operand.count; i++)
            inst->addresses[inst->address_count++] = (uint8_t)(operand.reg + i);
    } while (accept(c, ','));
    return accept(c, ']');
}

void wl_parse_operands(const char *text, const char *end, struct wl_inst *inst, struct wl_parsed *parsed) {
    struct cursor c = {text, end};

    while (!parsed->unknown) {
        bool known = true;

        while (peek(&c) == ' ' || peek(&c) == '\t' || peek(&c) == ',')
            c.at++;
        if (c.at >= c.end)
            return;
        if (!(peek(&c) >= 'a' && peek(&c) <= 'z') || !try_modifier(&c, inst, parsed, &known)) {
            struct wl_operand *operand = &inst->operands[inst->operand_count];

            known =
                inst->operand_count < WL_MAX_OPERANDS && (peek(&c) == '[' ? read_addresses(&c, inst, operand) : read_operand(&c, operand));
            inst->operand_count += known;
            accept(&c, '|'); /* LLVM prints v_cndmask_b32_dpp v0, v1, |v2, vcc| */
        }
        parsed->unknown = !known;
    }
}
