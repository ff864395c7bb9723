#include "translate/unit/pieces.h"

#include "translate/isa/isa.h"
#include "translate/isa/sem.h"

#include <stdio.h>
#include <string.h>

enum { NUMBERS = 32, BITS = 6 };

static bool overlap(const struct wl_operand *a, const struct wl_operand *b) {
    return b->kind == WL_OPERAND_VGPR && a->reg < b->reg + b->count && b->reg < a->reg + a->count;
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

/* The next piece, with its destination. */
static struct wl_inst *begin(const struct wl_inst *inst, struct wl_inst *pieces, unsigned *count, const struct wl_sem *sem,
                             unsigned dword) {
    struct wl_inst *piece = &pieces[*count];
    *piece = (struct wl_inst){.address = inst->address + (*count ? 4 : 0),
                              .offset = inst->offset + (*count ? 4 : 0),
                              .size = 4,
                              .sem = sem,
                              .piece = (uint8_t)*count};
    snprintf(piece->mnemonic, sizeof piece->mnemonic, "%s", sem->name);
    piece->operands[piece->operand_count++] = part_of(&inst->operands[0], dword);
    ++*count;
    return piece;
}

static void add(struct wl_inst *piece, struct wl_operand operand) { piece->operands[piece->operand_count++] = operand; }

/* Each f32, or pair of halves, of the result. */
static unsigned widen(const struct wl_inst *inst, const struct wl_sem *sem, struct wl_inst *pieces) {
    const struct wl_operand *source = &inst->operands[1];
    const unsigned step = inst->isa->bits == 32 ? BITS : 2 * BITS;
    unsigned count = 0;
    for (unsigned at = 0, dword = 0; at < NUMBERS * BITS; at += step, dword++) {
        struct wl_inst *piece = begin(inst, pieces, &count, sem, dword);
        const unsigned low = at / 32, last = (at + step - 1) / 32;
        add(piece, part_of(source, low));
        add(piece, part_of(source, last));
        add(piece, inst->operands[2]);
        add(piece, number((int)(at % 32)));
    }
    return count;
}

/* The source's number `n`, and which half of its register it is: two sources take turns. */
static struct wl_operand source_of(const struct wl_inst *inst, unsigned n, unsigned *half) {
    const bool two = inst->isa->detail == 2, wide = inst->isa->bits == 32;
    const unsigned index = two ? n / 2 : n;
    *half = wide ? 0 : index % 2;
    return part_of(&inst->operands[two ? 1 + n % 2 : 1], wide ? index : index / 2);
}

/* Each code; those that lie in two dwords are made for both. */
static unsigned narrow(const struct wl_inst *inst, const struct wl_sem *sem, struct wl_inst *pieces) {
    unsigned count = 0, half;
    for (unsigned n = 0; n < NUMBERS; n++) {
        const unsigned first = n * BITS / 32, last = (n * BITS + BITS - 1) / 32;
        const struct wl_operand source = source_of(inst, n, &half);
        for (unsigned dword = first; dword <= last; dword++) {
            struct wl_inst *piece = begin(inst, pieces, &count, sem, dword);
            add(piece, source);
            for (unsigned i = 1 + inst->isa->detail; i < inst->operand_count; i++) /* what is random, and the scale */
                add(piece, inst->operands[i]);
            add(piece, number((int)(n * BITS) - (int)(dword * 32)));
            piece->op_sel = (uint8_t)half;
        }
    }
    return count;
}

/* "v_cvt_scalef32_sr_pk32_fp6_f16" -> "v_cvt_scalef32_piece_sr_fp6_f16" */
static const struct wl_sem *semantics_of(const struct wl_inst *inst) {
    char name[64];
    const char *types = strstr(inst->mnemonic, "pk32_");
    if (!types)
        types = strstr(inst->mnemonic, "pk16_");
    snprintf(name, sizeof name, "v_cvt_scalef32_piece_%s%s", inst->isa->hi ? "sr_" : "", types ? types + 5 : "");
    return wl_sem_find(name, NULL);
}

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

unsigned wl_inst_pieces(const struct wl_inst *inst, struct wl_inst pieces[WL_MOST_PIECES]) {
    if (strncmp(inst->mnemonic, "v_wmma_", 7) == 0)
        return multiply(inst, pieces);
    const struct wl_sem *sem = semantics_of(inst);
    for (unsigned i = 1; i < inst->operand_count; i++)
        if (overlap(&inst->operands[0], &inst->operands[i]))
            return 0;
    if (!sem)
        return 0;
    return inst->isa->sign ? narrow(inst, sem, pieces) : widen(inst, sem, pieces);
}
