#include "translate/unit/pieces.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <stdio.h>
#include <string.h>

/* What an instruction becomes. */
struct pieces {
    const struct wl_inst *inst; /* its sources stay as they are while the result is written */
    struct wl_inst *piece;
    unsigned count;
};

static bool overlap(const struct wl_operand *a, const struct wl_operand *b) {
    return a->kind == WL_OPERAND_VGPR && b->kind == WL_OPERAND_VGPR && a->reg < b->reg + b->count && b->reg < a->reg + a->count;
}

static struct wl_operand part_of(const struct wl_operand *operand, unsigned dword) {
    struct wl_operand part = *operand;
    part.reg = (uint16_t)(part.reg + dword);
    part.count = 1;
    part.neg = part.abs = false;
    return part;
}

static struct wl_operand number(int value) {
    return (struct wl_operand){.kind = WL_OPERAND_IMM, .count = 1, .bits = (uint64_t)(int64_t)value};
}

static void add(struct wl_inst *piece, struct wl_operand operand) { piece->operands[piece->operand_count++] = operand; }

/* The next piece, with its destination. */
static struct wl_inst *begin(struct pieces *p, const char *name, struct wl_operand destination) {
    const bool first = p->count == 0;
    struct wl_inst *piece = &p->piece[p->count];
    *piece = (struct wl_inst){.address = p->inst->address + (first ? 0 : 4),
                              .offset = p->inst->offset + (first ? 0 : 4),
                              .size = 4,
                              .sem = wl_sem_find(name, NULL),
                              .piece = (uint8_t)p->count++};
    if (!piece->sem)
        piece->isa = wl_isa_find(name);
    snprintf(piece->mnemonic, sizeof piece->mnemonic, "%s", name);
    add(piece, destination);
    return piece;
}

/* Copies sources that the result overlaps to rows from `temporary` on, but for those in `left`, one bit each. */
static void save_sources(struct pieces *p, struct wl_inst *inst, unsigned left, unsigned temporary) {
    for (unsigned i = 1; i < inst->operand_count; i++) {
        struct wl_operand *source = &inst->operands[i];
        if (left >> i & 1 || !overlap(&inst->operands[0], source))
            continue;
        for (unsigned dword = 0; dword < source->count; dword++) {
            struct wl_operand to = part_of(source, 0);
            to.reg = (uint16_t)(temporary + dword);
            add(begin(p, "v_mov_b32", to), part_of(source, dword));
        }
        source->reg = (uint16_t)temporary;
        temporary += source->count;
    }
}

/* ---- conversions ---- */

/* Numbers of 16 or 32 bits that become codes of fewer bits, or come from such. */
struct conversion {
    struct pieces *pieces;
    const struct wl_inst *inst;
    char name[64]; /* the pieces' */
    unsigned numbers, bits;
};

/* Each f32, or pair of halves, of the result. */
static void widen(const struct conversion *c) {
    const struct wl_operand *source = &c->inst->operands[1];
    const unsigned step = c->inst->isa->bits == 32 ? c->bits : 2 * c->bits;
    for (unsigned at = 0, dword = 0; at < c->numbers * c->bits; at += step, dword++) {
        struct wl_inst *piece = begin(c->pieces, c->name, part_of(&c->inst->operands[0], dword));
        add(piece, part_of(source, at / 32));
        add(piece, part_of(source, (at + step - 1) / 32));
        add(piece, c->inst->operands[2]);
        add(piece, number((int)(at % 32)));
    }
}

/* The source's number `n`, and which half of its register it is: two sources take turns. */
static struct wl_operand source_of(const struct wl_inst *inst, unsigned n, unsigned *half) {
    const bool two = inst->isa->detail == 2, wide = inst->isa->bits == 32;
    const unsigned index = two ? n / 2 : n;
    *half = wide ? 0 : index % 2;
    return part_of(&inst->operands[two ? 1 + n % 2 : 1], wide ? index : index / 2);
}

/* Each code; those that lie in two dwords are made for both. */
static void narrow(const struct conversion *c) {
    const struct wl_inst *inst = c->inst;
    unsigned half;
    for (unsigned n = 0; n < c->numbers; n++) {
        const unsigned first = n * c->bits / 32, last = (n * c->bits + c->bits - 1) / 32;
        const struct wl_operand source = source_of(inst, n, &half);
        for (unsigned dword = first; dword <= last; dword++) {
            struct wl_inst *piece = begin(c->pieces, c->name, part_of(&inst->operands[0], dword));
            add(piece, source);
            for (unsigned i = 1 + inst->isa->detail; i < inst->operand_count; i++) /* what is random, and the scale */
                add(piece, inst->operands[i]);
            add(piece, number((int)(n * c->bits) - (int)(dword * 32)));
            piece->op_sel = (uint8_t)half;
        }
    }
}

/* Which byte of its scales a row of 16 lanes takes, and whose: all take those of lanes 0 to 15 or, with `upper`, of 16 to 31. */
struct choice {
    unsigned byte[2];
    bool upper;
};

/* What scale_sel says, as MLIR's amdgpu dialect has it. Bit 0: blocks of 16 numbers. False: reserved. */
static bool choose(const struct conversion *c, struct choice *choice) {
    const unsigned select = c->inst->scale_sel, block_16 = select & 1;
    if (c->bits == 8) {
        choice->byte[0] = select >> 1 & 3;
        choice->byte[1] = choice->byte[0] + block_16;
        choice->upper = select >> 3 & 1;
        return !block_16 || select == 1 || select == 13;
    }
    choice->byte[0] = (select >> 1 & 1) * (block_16 ? 1 : 2);
    choice->byte[1] = choice->byte[0] + (block_16 ? 2 : 1);
    choice->upper = select >> 2 & 1;
    return select < 8;
}

/* Puts each lane's scale, as an f32, where the last dword of the result will be. */
static bool fetch_scale(const struct conversion *c, struct wl_inst *inst) {
    enum { SAME_LANE = 0xe4 };
    struct wl_operand *scale = &inst->operands[2];
    const struct wl_operand last = part_of(&inst->operands[0], inst->operands[0].count - 1u);
    struct choice choice;
    if (!choose(c, &choice))
        return false;
    const char *name = scale->kind != WL_OPERAND_VGPR ? "v_mov_b32" : choice.upper ? "v_scales_of_upper_b32" : "v_scales_of_lower_b32";
    add(begin(c->pieces, name, last), *scale);
    for (unsigned row = 0; row < (choice.byte[0] == choice.byte[1] ? 1 : 2); row++) {
        struct wl_inst *piece = begin(c->pieces, "v_cvt_scale_piece", last);
        add(piece, last);
        add(piece, number((int)choice.byte[row]));
        if (choice.byte[0] == choice.byte[1])
            break;
        piece->is_dpp = true;
        piece->dpp = WL_DPP_QUAD_PERM;
        piece->dpp_control = SAME_LANE;
        piece->row_mask = (uint8_t)(1u << row);
        piece->bank_mask = 15;
    }
    *scale = last;
    return true;
}

/* "v_cvt_scalef32_sr_pk32_fp6_f16" -> "v_cvt_scalef32_piece_sr_fp6_f16" */
static bool name_pieces(struct conversion *c) {
    const char *packed = strstr(c->inst->mnemonic, "pk"), *types = packed ? strchr(packed, '_') : NULL;
    if (!types)
        return false;
    snprintf(c->name, sizeof c->name, "v_cvt_scalef32_piece_%s%s", c->inst->isa->hi ? "sr_" : "", types + 1);
    return wl_sem_find(c->name, NULL) != NULL;
}

static bool convert(struct pieces *p, unsigned temporary) {
    enum { SCALE = 1 << 2 };
    struct wl_inst inst = *p->inst;
    const struct wl_isa *isa = inst.isa;
    const struct wl_operand *wide = &inst.operands[isa->sign ? 1 : 0], *codes = &inst.operands[isa->sign ? 0 : 1];
    const bool chooses = strncmp(inst.mnemonic, "v_cvt_scale_", 12) == 0;
    struct conversion c = {.pieces = p, .inst = &inst, .numbers = wide->count * 32u / isa->bits * isa->detail};
    c.bits = codes->count * 32u / c.numbers;
    if (!name_pieces(&c))
        return false;
    save_sources(p, &inst, chooses ? SCALE : 0, temporary);
    if (chooses && !fetch_scale(&c, &inst))
        return false;
    if (isa->sign)
        narrow(&c);
    else
        widen(&c);
    return true;
}

/* ---- tables of 16 numbers, v_perm_pk16_* ---- */

static void look_up(struct pieces *p, unsigned temporary) {
    struct wl_inst inst = *p->inst;
    char name[sizeof inst.mnemonic];
    snprintf(name, sizeof name, "v_perm_piece_%.2s", inst.mnemonic + strlen("v_perm_pk16_"));
    save_sources(p, &inst, 0, temporary);
    for (unsigned dword = 0; dword < inst.operands[0].count; dword++) {
        struct wl_inst *piece = begin(p, name, part_of(&inst.operands[0], dword));
        for (unsigned i = 1; i < inst.operand_count; i++)
            add(piece, inst.operands[i]);
        add(piece, number((int)(32 * dword)));
    }
}

/* ---- products ---- */

/* One or two products of 16 rows. Those of 32 rows have the lower ones, and their scales, behind the upper ones: in registers 8 further up,
 * and in lanes 16 to 31. Without scales they are 1. */
static unsigned multiply(const struct wl_inst *inst, struct wl_inst *pieces) {
    enum { FP4 = 4, REGISTERS = 8 };
    const bool tall = strstr(inst->mnemonic, "_32x16x128_f4") != NULL;
    const struct wl_operand one = {.kind = WL_OPERAND_IMM, .count = 1, .bits = UINT64_C(0x7f7f7f7f7f7f7f7f)};
    const char *name = inst->isa->bits == 16 ? "v_wmma_scale16_f32_16x16x128_f8f6f4" : "v_wmma_scale_f32_16x16x128_f8f6f4";
    for (unsigned i = 0; i < (tall ? 2 : 1); i++) {
        struct wl_inst *piece = &pieces[i];
        *piece = *inst;
        piece->address = inst->address + 4 * i;
        piece->offset = inst->offset + 4 * i;
        piece->size = (uint8_t)(!tall ? inst->size : i ? inst->size - 4 : 4);
        piece->piece = (uint8_t)i;
        piece->isa = wl_isa_find(name);
        snprintf(piece->mnemonic, sizeof piece->mnemonic, "%s", name);
        if (inst->operand_count == 4) {
            piece->operands[4] = piece->operands[5] = one;
            piece->operand_count = 6;
        }
        if (!tall)
            continue;
        piece->cbsz = piece->blgp = FP4;
        piece->scale_rows = (uint8_t)((inst->scale_rows & 2) | i);
        for (unsigned o = 0; o < 4; o++) {
            if (o == 2 || piece->operands[o].kind != WL_OPERAND_VGPR)
                continue;
            piece->operands[o].reg = (uint16_t)(piece->operands[o].reg + REGISTERS * i);
            piece->operands[o].count = REGISTERS;
        }
    }
    return tall ? 2 : 1;
}

unsigned wl_inst_pieces(const struct wl_inst *inst, struct wl_inst pieces[WL_MOST_PIECES], unsigned temporary) {
    struct pieces p = {.inst = inst, .piece = pieces};
    if (strncmp(inst->mnemonic, "v_wmma_", 7) == 0)
        return multiply(inst, pieces);
    if (strncmp(inst->mnemonic, "v_perm_", 7) == 0)
        look_up(&p, temporary);
    else if (!convert(&p, temporary))
        return 0;
    return p.count;
}
