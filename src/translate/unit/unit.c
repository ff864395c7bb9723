#include "translate/unit/unit.h"
#include "translate/unit/pieces.h"

#include "base/array.h"
#include "base/assert.h"
#include "machine/processor.h"
#include "translate/decode/decoder.h"
#include "translate/isa/isa.h"
#include "translate/isa/lane.h"
#include "translate/isa/sem.h"
#include "translate/unit/banks.h"
#include "translate/unit/turns.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* ---- discovery: which addresses are instructions, and where basic blocks start ---- */

enum { SEEN = 1, LEADER = 2, BAD = 4, CUT = 8 };

struct discovery {
    struct wl_unit *unit;
    struct wl_decoder *decoder;
    uint8_t *marks; /* one byte a dword of the image */
    uint64_t *work; /* leaders still to be followed */
    size_t work_count, work_capacity;
    uint64_t *bad; /* addresses where code would run into bytes that are no instruction */
    uint32_t bad_count, bad_capacity;
    uint32_t capacity; /* of unit->insts */
    wl_banks *banks;   /* for each dword that is SEEN or a LEADER, which VGPRs are named there (banks.h); NULL: the processor has 256 */
    bool banks_clobbered;
};

/* What control does behind one instruction. */
static enum wl_block_end end_of(const struct wl_inst *inst, const struct wl_effects *effects) {
    if (inst->ends_turn)
        return WL_BLOCK_WAIT;
    if (inst->isa) {
        switch (inst->isa->class) {
        case WL_ISA_END:
            return WL_BLOCK_FINISH;
        case WL_ISA_BRANCH:
            return WL_BLOCK_BRANCH;
        case WL_ISA_CBRANCH:
            return WL_BLOCK_CBRANCH;
        case WL_ISA_SETPC:
            return WL_BLOCK_JUMP;
        case WL_ISA_SWAPPC:
        case WL_ISA_CALL:
            return WL_BLOCK_CALL;
        case WL_ISA_BARRIER:
        case WL_ISA_BARRIER_WAIT:
        case WL_ISA_SLEEP:
        case WL_ISA_MESSAGE:
        case WL_ISA_TRAP:
            return WL_BLOCK_WAIT;
        case WL_ISA_HALT: /* s_sethalt 0 lets a wave go on that is not halted */
            return inst->operand_count && inst->operands[0].bits & 1 ? WL_BLOCK_WAIT : WL_BLOCK_NEXT;
        default:
            break;
        }
    }
    if (wl_bit(effects->touch.scalar, WL_SGPR_EXEC) || wl_bit(effects->touch.scalar, WL_SGPR_EXEC + 1))
        return WL_BLOCK_EXEC;
    return WL_BLOCK_NEXT;
}

static const struct wl_operand *label_of(const struct wl_inst *inst) {
    for (unsigned i = 0; i < inst->operand_count; i++)
        if (inst->operands[i].kind == WL_OPERAND_LABEL)
            return &inst->operands[i];
    return NULL;
}

static bool is_code(const struct discovery *d, uint64_t address) {
    const struct wl_translate_request *request = d->unit->request;
    return address % 4 == 0 && address + 4 <= request->image_size && request->is_code(request->context, address, 4);
}

/* Says which VGPRs are named at an address. */
static enum wl_status enter_banks(struct discovery *d, uint64_t address, wl_banks banks) {
    if (d->banks && d->marks[address / 4] & (SEEN | LEADER) && d->banks[address / 4] != banks)
        return wl_fail(WL_UNSUPPORTED, "%s: ways with different bits of s_set_vgpr_msb lead to offset 0x%llx", d->unit->request->name,
                       (unsigned long long)(address - d->unit->request->entry));
    if (d->banks)
        d->banks[address / 4] = banks;
    return WL_OK;
}

static enum wl_status follow_later(struct discovery *d, uint64_t address, wl_banks banks) {
    if (!is_code(d, address))
        return wl_fail(WL_INVALID_IMAGE, "%s: code at 0x%llx branches outside the code object, to 0x%llx", d->unit->request->name,
                       (unsigned long long)(d->unit->inst_count ? d->unit->insts[d->unit->inst_count - 1].address : 0),
                       (unsigned long long)address);
    uint8_t *mark = &d->marks[address / 4];
    bool known = *mark & (SEEN | LEADER);
    enum wl_status status = enter_banks(d, address, banks);
    if (status)
        return status;
    *mark |= LEADER;
    if (known)
        return WL_OK;
    if (!WL_ARRAY_RESERVE(d->work, d->work_count, d->work_capacity, 64))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu branch targets", d->work_count + 1);
    d->work[d->work_count++] = address;
    return WL_OK;
}

static enum wl_status add_bad(struct discovery *d, uint64_t address) {
    if (!WL_ARRAY_RESERVE(d->bad, d->bad_count, d->bad_capacity, 4))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for the ends of code");
    d->bad[d->bad_count++] = address;
    return WL_OK;
}

static enum wl_status add_callee(struct wl_unit *unit, uint64_t address) {
    for (uint32_t i = 0; i < unit->callee_count; i++)
        if (unit->callees[i] == address)
            return WL_OK;
    if (!WL_ARRAY_RESERVE(unit->callees, unit->callee_count, unit->callee_capacity, 4))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for callees");
    unit->callees[unit->callee_count++] = address;
    return WL_OK;
}

static enum wl_status unsupported(const struct discovery *d, const struct wl_inst *inst) {
    const struct wl_translate_request *request = d->unit->request;
    char encoding[64] = "", text[160];
    for (unsigned i = 0; i + 4 <= inst->size && i < 16; i += 4) {
        uint32_t dword;
        memcpy(&dword, request->image + inst->address + i, 4);
        snprintf(encoding + strlen(encoding), sizeof encoding - strlen(encoding), "%s%08X", i ? " " : "", dword);
    }
    wl_disassemble(d->decoder, request->image + inst->address, request->image_size - inst->address, inst->address, text, sizeof text);
    bool behind = inst->address >= request->entry;
    return wl_fail(WL_UNSUPPORTED, "%s: instruction %s at %s 0x%llx is not implemented (encoding %s: %s)", request->name, inst->mnemonic,
                   behind ? "offset" : "address", (unsigned long long)(inst->address - (behind ? request->entry : 0)), encoding, text);
}

/* Puts the pieces of the last instruction in its place. */
static enum wl_status take_apart(struct discovery *d, struct wl_inst **last) {
    struct wl_unit *unit = d->unit;
    const struct wl_inst whole = **last;
    struct wl_inst pieces[WL_MOST_PIECES];
    const unsigned count = wl_inst_pieces(&whole, pieces, d->banks ? WL_TEMPORARY : WL_AGPR_END);
    if (!count)
        return unsupported(d, &whole);
    while (d->capacity < unit->inst_count + count)
        if (!WL_ARRAY_RESERVE(unit->insts, d->capacity, d->capacity, 256))
            return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u instructions", unit->inst_count + count);
    memcpy(&unit->insts[unit->inst_count - 1], pieces, count * sizeof *pieces);
    unit->inst_count += count - 1;
    *last = &unit->insts[unit->inst_count - 1];
    return WL_OK;
}

/* s_add_pc_i64 with a constant is a branch. With what is no register it is not done. */
static void make_branch(struct wl_inst *inst) {
    uint64_t target;
    if (!inst->isa || inst->isa->class != WL_ISA_SETPC || inst->operands[0].kind == WL_OPERAND_SGPR)
        return;
    inst->isa = wl_inst_branch_target(inst, &target) ? wl_isa_find("s_branch") : NULL;
    if (inst->isa)
        inst->operands[0] = (struct wl_operand){.kind = WL_OPERAND_LABEL, .bits = target};
}

/* A write of bits of MODE that mean nothing here: gfx1250's compilers begin every kernel with one. */
static void drop_modes(struct wl_inst *inst) {
    enum { HWREG_MODE = 1, FIRST = 24 };
    if (inst->isa && inst->isa->class == WL_ISA_SETREG && inst->isa->detail == WL_REG_SET && (inst->operands[0].bits & 63) == HWREG_MODE &&
        (inst->operands[0].bits >> 6 & 31) >= FIRST)
        inst->isa = wl_isa_find("s_nop");
}

/* What follows from where an instruction stands. *banks: before it, then behind it. */
static enum wl_status place(const struct discovery *d, struct wl_inst *inst, unsigned count, wl_banks *banks) {
    for (unsigned i = 0; i < count; i++)
        if (!wl_banks_apply(&inst[i], *banks))
            return wl_fail(WL_INVALID_IMAGE, "%s: instruction %s at offset 0x%llx names a VGPR behind the last one", d->unit->request->name,
                           inst[i].mnemonic, (unsigned long long)(inst[i].address - d->unit->request->entry));
    *banks = wl_banks_after(inst, *banks, d->banks_clobbered);
    inst->signed_offset = inst->isa && (inst->isa->space == WL_SPACE_GLOBAL || inst->isa->space == WL_SPACE_FLAT);
    drop_modes(inst);
    return WL_OK;
}

enum { FIRST_INSTS = 2048 };

/* Appends the instruction(s) at `address` and returns their size, 0 if there is none. */
static enum wl_status append(struct discovery *d, uint64_t address, unsigned *size, struct wl_inst **last, wl_banks *banks) {
    struct wl_unit *unit = d->unit;
    /* At first for all that the code object can have: memory that is not touched costs nothing, and to move it does. */
    const uint64_t words = unit->request->image_size / 4;
    if (!WL_ARRAY_RESERVE(unit->insts, unit->inst_count + 1, d->capacity,
                          words < FIRST_INSTS ? (uint32_t)words + 2 : FIRST_INSTS)) /* a pair is two */
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u instructions", unit->inst_count + 2);
    struct wl_inst *inst = &unit->insts[unit->inst_count];
    const struct wl_translate_request *request = unit->request;
    unsigned count = wl_decode(d->decoder, request->image + address, request->image_size - address, address, inst);
    if (count && strcmp(inst->mnemonic, "v_illegal") == 0)
        count = 0; /* the padding behind a trap is no instruction: the hardware refuses it only when a wave comes to it */
    *size = count ? inst[0].size : 0;
    if (count)
        make_branch(inst);
    for (unsigned i = 0; i < count; i++)
        if (!inst[i].sem && !inst[i].isa)
            return unsupported(d, &inst[i]);
    if (d->banks && count) {
        const enum wl_status status = place(d, inst, count, banks);
        if (status)
            return status;
    }
    for (unsigned i = 0; i < count; i++)
        inst[i].zeroes_half = request->sram_ecc && inst[i].isa && inst[i].isa->class == WL_ISA_LOAD && inst[i].isa->d16;
    unit->inst_count += count;
    *last = count ? &inst[count - 1] : NULL;
    return count && inst[0].isa && inst[0].isa->class == WL_ISA_PIECES ? take_apart(d, last) : WL_OK;
}

/* Decodes from a leader to the next end of straight code. */
static enum wl_status follow(struct discovery *d, uint64_t address) {
    wl_banks banks = d->banks ? d->banks[address / 4] : 0;
    for (;;) {
        enum wl_status entered = enter_banks(d, address, banks);
        if (entered || d->marks[address / 4] & (SEEN | BAD))
            return entered;
        unsigned size = 0;
        struct wl_inst *inst = NULL;
        if (is_code(d, address)) {
            enum wl_status status = append(d, address, &size, &inst, &banks);
            if (status)
                return status;
        }
        if (!size) {
            d->marks[address / 4] |= BAD | LEADER;
            return add_bad(d, address);
        }
        d->marks[address / 4] |= SEEN;
        struct wl_effects effects;
        wl_inst_effects(inst, d->unit->request->wave_size, &effects);
        enum wl_block_end end = end_of(inst, &effects);
        const struct wl_operand *label = label_of(inst);
        if (label && end == WL_BLOCK_CALL) {
            enum wl_status status = add_callee(d->unit, label->bits);
            if (status)
                return status;
        } else if (label) {
            enum wl_status status = follow_later(d, label->bits, banks);
            if (status)
                return status;
        }
        if (banks && (end == WL_BLOCK_CALL || end == WL_BLOCK_JUMP))
            return wl_fail(WL_UNSUPPORTED, "%s: a call at offset 0x%llx with bits of s_set_vgpr_msb set", d->unit->request->name,
                           (unsigned long long)(address - d->unit->request->entry));
        if (end == WL_BLOCK_FINISH || end == WL_BLOCK_BRANCH || end == WL_BLOCK_JUMP)
            return WL_OK;
        address += size;
        if (address + 4 > d->unit->request->image_size)
            return wl_fail(WL_INVALID_IMAGE, "%s: code runs over the end of the code object", d->unit->request->name);
        if (end != WL_BLOCK_NEXT)
            d->marks[address / 4] |= LEADER;
    }
}

static int by_address(const void *a, const void *b) {
    const struct wl_inst *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (x->size != y->size)
        return (int)y->size - (int)x->size; /* the second of a VOPD pair has size 0 */
    return (int)x->piece - (int)y->piece;
}

static int by_number(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* ---- basic blocks ---- */

static bool has_sgpr(const struct wl_operand *operand, unsigned reg, unsigned count) {
    return operand->kind == WL_OPERAND_SGPR && operand->reg == reg && operand->count >= count;
}

/* Whether an instruction that changes EXEC can only take lanes away. */
static bool only_narrows(const struct wl_inst *inst, unsigned mask_registers) {
    if (inst->isa && inst->isa->class == WL_ISA_CMPX)
        return true;
    if (inst->isa && inst->isa->class == WL_ISA_SAVEEXEC)
        return inst->isa->detail == WL_SAVE_AND || inst->isa->detail == WL_SAVE_ANDN1 || inst->isa->detail == WL_WREXEC_ANDN1;
    if (inst->operand_count != 3 || !has_sgpr(&inst->operands[0], WL_SGPR_EXEC, mask_registers))
        return false;
    bool first = has_sgpr(&inst->operands[1], WL_SGPR_EXEC, mask_registers),
         second = has_sgpr(&inst->operands[2], WL_SGPR_EXEC, mask_registers);
    if (!strncmp(inst->mnemonic, "s_and_b", 7))
        return first || second;
    return first && !strncmp(inst->mnemonic, "s_and_not1_b", 12);
}

static uint32_t block_at(const struct wl_unit *unit, uint64_t address, const uint64_t *starts) {
    uint32_t low = 0, high = unit->block_count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (starts[middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low < unit->block_count && starts[low] == address ? low : WL_NO_BLOCK;
}

static bool reads_clock(const struct wl_inst *inst) {
    enum { SHADER_CYCLES = 29, SHADER_CYCLES_HI = 30, GET_REALTIME = 0x83 };
    if (!inst->isa)
        return false;
    switch (inst->isa->class) {
    case WL_ISA_TIME:
        return strcmp(inst->mnemonic, "s_get_waveid_in_workgroup") != 0;
    case WL_ISA_GETREG:
        return (inst->operands[1].bits & 63) == SHADER_CYCLES || (inst->operands[1].bits & 63) == SHADER_CYCLES_HI;
    case WL_ISA_MESSAGE_RETURN:
        return (inst->operands[1].bits & 0xff) == GET_REALTIME;
    default:
        return false;
    }
}

/* A loop that other waves may have to end, or that waits for a time, yields at its header. Waits and calls within the loop do not
 * suffice: they may lie on another path. Loops are taken as address ranges of backward branches, which is what compilers make. */
static void mark_spinning_loop(struct wl_unit *unit, uint32_t header, uint32_t latch) {
    bool clock = false, for_others;
    const bool waits = wl_loop_waits(unit, header, latch, NULL, &for_others);
    for (uint32_t p = header; p <= latch; p++)
        for (uint32_t i = 0; i < unit->blocks[p].count; i++)
            clock |= reads_clock(&unit->insts[unit->blocks[p].first + i]);
    unit->blocks[header].is_spin_header = waits || clock;
    unit->blocks[header].reads_clock = clock;
    unit->blocks[header].waits_for_others = waits && for_others;
    unit->polls |= waits && for_others;
    if (waits)
        wl_loop_mark_polls(unit, header, latch, NULL, NULL);
    if (waits && !clock)
        wl_loop_mark_looks(unit, header, latch);
}

static void link_blocks(struct wl_unit *unit, const uint64_t *starts, uint64_t entry) {
    unsigned mask_registers = unit->request->wave_size / 32;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        struct wl_block *block = &unit->blocks[p];
        block->next = block->target = WL_NO_BLOCK;
        if (!block->count) {
            block->end = WL_BLOCK_FALL_OFF;
            continue;
        }
        const struct wl_inst *last = &unit->insts[block->first + block->count - 1];
        const struct wl_inst *sized = last;
        while (!sized->size)
            sized--;
        struct wl_effects effects;
        wl_inst_effects(last, unit->request->wave_size, &effects);
        block->end = end_of(last, &effects);
        const struct wl_operand *label = label_of(last);
        if (label && block->end != WL_BLOCK_CALL)
            block->target = block_at(unit, label->bits, starts);
        if (block->end != WL_BLOCK_FINISH && block->end != WL_BLOCK_BRANCH && block->end != WL_BLOCK_JUMP)
            block->next = block_at(unit, sized->address + sized->size, starts);
        if (block->end == WL_BLOCK_EXEC)
            block->narrows = only_narrows(last, mask_registers);
        for (uint32_t i = 0; i < block->count; i++)
            unit->empties_scalar_cache |= (wl_isa_caches(&unit->insts[block->first + i]) & WL_CACHE_SCALAR) != 0;
        unit->stops |= block->end == WL_BLOCK_WAIT || block->end == WL_BLOCK_CALL || block->end == WL_BLOCK_JUMP;
        unit->waits |= unit->stops;
        unit->polls |= (block->end == WL_BLOCK_WAIT && strncmp(last->mnemonic, "s_barrier", 9) != 0 && !last->ends_turn) ||
                       block->end == WL_BLOCK_CALL || block->end == WL_BLOCK_JUMP;
    }
    wl_unit_find_private(unit, block_at(unit, entry, starts));
    for (uint32_t p = unit->block_count; p-- > 0;) { /* of several branches to one header the last one comes first: it ends the loop */
        const struct wl_block *block = &unit->blocks[p];
        if (block->target != WL_NO_BLOCK && block->target <= p && !unit->blocks[block->target].is_header) {
            unit->blocks[block->target].is_header = true;
            mark_spinning_loop(unit, block->target, p);
        }
    }
    wl_unit_find_ends_of_looks(unit);
}

/* Numbers the resume points: the entry is 0, the others follow in address order. */
static void number_resume_points(struct wl_unit *unit, uint32_t entry) {
    for (uint32_t p = 0; p < unit->block_count; p++)
        unit->blocks[p].resume = UINT32_MAX;
    unit->blocks[entry].resume = 0;
    unit->resume_count = 1;
    bool *wanted = calloc(unit->block_count, sizeof *wanted);
    for (uint32_t p = 0; wanted && p < unit->block_count; p++) {
        struct wl_block *block = &unit->blocks[p];
        bool comes_back = block->end == WL_BLOCK_EXEC || block->end == WL_BLOCK_WAIT || block->end == WL_BLOCK_CALL;
        if (comes_back && block->next != WL_NO_BLOCK) {
            wanted[block->next] = true;
            unit->blocks[block->next].is_return |= block->end == WL_BLOCK_CALL;
        }
        wanted[p] |= block->is_spin_header || block->is_cut;
        unit->waits |= block->is_spin_header;
    }
    for (uint32_t p = 0; wanted && p < unit->block_count; p++)
        if (wanted[p] && unit->blocks[p].resume == UINT32_MAX)
            unit->blocks[p].resume = unit->resume_count++;
    free(wanted);
    uint32_t next = unit->resume_count;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        struct wl_block *block = &unit->blocks[p];
        block->loop_entry = block->is_header && block->resume == UINT32_MAX ? next++ : UINT32_MAX;
        if (unit->request->loop_entries && block->loop_entry != UINT32_MAX)
            block->resume = block->loop_entry;
    }
    unit->entry_count = next;
    if (unit->request->loop_entries)
        unit->resume_count = next;
}

/* Cuts very long basic blocks: LLVM's time for a block grows with the square of its length. Each cut gets a resume point, which keeps
 * LLVM from joining the parts again. */
static void cut_long_runs(struct discovery *d) {
    enum { LONG_RUN = 256 };
    const struct wl_unit *unit = d->unit;
    unsigned run = 0;
    for (uint32_t i = 0; i < unit->inst_count; i++, run++) {
        uint8_t *mark = &d->marks[unit->insts[i].address / 4];
        if (!unit->insts[i].size || unit->insts[i].piece) /* an instruction's pieces stay together */
            continue;
        if (!(*mark & LEADER) && run >= LONG_RUN)
            *mark |= LEADER | CUT;
        if (*mark & LEADER)
            run = 0;
    }
}

/* Whether basic blocks follow each other without a gap, and lead to basic blocks that there are. */
static bool is_whole(const struct wl_unit *unit) {
    uint32_t at = 0;
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        if (block->first != at || (block->next != WL_NO_BLOCK && block->next >= unit->block_count) ||
            (block->target != WL_NO_BLOCK && block->target >= unit->block_count))
            return false;
        at += block->count;
    }
    return at == unit->inst_count;
}

/* Cuts the sorted instructions at the leaders. */
static enum wl_status cut(struct discovery *d, uint64_t entry) {
    struct wl_unit *unit = d->unit;
    uint32_t count = 0;
    cut_long_runs(d);
    for (uint32_t i = 0; i < unit->inst_count; i++)
        count += unit->insts[i].size && d->marks[unit->insts[i].address / 4] & LEADER;
    count += d->bad_count;
    if (d->bad)
        qsort(d->bad, d->bad_count, sizeof *d->bad, by_number);
    unit->blocks = calloc(count ? count : 1, sizeof *unit->blocks);
    uint64_t *starts = calloc(count ? count : 1, sizeof *starts);
    if (!unit->blocks || !starts) {
        free(starts);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %u basic blocks", count);
    }
    uint32_t bad = 0;
    for (uint32_t i = 0; i <= unit->inst_count; i++) {
        uint64_t here = i < unit->inst_count ? unit->insts[i].address : UINT64_MAX;
        for (; bad < d->bad_count && d->bad[bad] < here; bad++) {
            unit->blocks[unit->block_count].first = i;
            starts[unit->block_count++] = d->bad[bad];
        }
        if (i == unit->inst_count)
            break;
        const struct wl_inst *inst = &unit->insts[i];
        if (inst->size && d->marks[inst->address / 4] & LEADER) {
            unit->blocks[unit->block_count].first = i;
            unit->blocks[unit->block_count].is_cut = d->marks[inst->address / 4] & CUT;
            starts[unit->block_count++] = inst->address;
        }
        wl_assert(unit->block_count > 0 && unit->block_count <= count);
        unit->blocks[unit->block_count - 1].count++;
    }
    link_blocks(unit, starts, entry);
    uint32_t first = block_at(unit, entry, starts);
    free(starts);
    if (first == WL_NO_BLOCK)
        return wl_fail(WL_INTERNAL, "the entry of %s starts no basic block", unit->request->name);
    unit->entry = first;
    wl_assert(is_whole(unit));
    number_resume_points(unit, first);
    return WL_OK;
}

/* Cuts once more where waits that end a wave's turn turn out to be in basic blocks. */
static enum wl_status cut_turns(struct discovery *d, uint64_t entry) {
    struct wl_unit *unit = d->unit;
    bool found;
    enum wl_status status = wl_find_turn_ends(unit, &found);
    if (status || !found)
        return status;
    for (uint32_t i = 0; i < unit->inst_count; i++)
        if (unit->insts[i].ends_turn)
            d->marks[(unit->insts[i].address + unit->insts[i].size) / 4] |= LEADER;
    free(unit->blocks);
    unit->blocks = NULL;
    unit->block_count = 0;
    return cut(d, entry);
}

/* ---- constant call targets: s_getpc_b64 s; s_add_u32 s, s, literal; s_addc_u32 s', s', literal; s_swappc_b64 .., s ---- */

static bool constant_target(const struct wl_unit *unit, uint32_t call, unsigned reg, uint64_t *target) {
    uint64_t low = 0, high = 0;
    bool have_low = false, have_high = false;
    for (uint32_t i = call; i > 0 && call - i < 63;) {
        const struct wl_inst *inst = &unit->insts[--i];
        const struct wl_operand *op = inst->operands;
        if (inst->isa && inst->isa->class == WL_ISA_GETPC && op[0].reg == reg) {
            *target = inst->address + inst->size + low + (have_high ? high << 32 : 0);
            return have_low;
        }
        if (!have_low && !strcmp(inst->mnemonic, "s_add_u32") && has_sgpr(&op[0], reg, 1) && has_sgpr(&op[1], reg, 1) &&
            op[2].kind == WL_OPERAND_IMM) {
            low = op[2].bits & UINT32_MAX;
            have_low = true;
        } else if (!have_high && !strcmp(inst->mnemonic, "s_addc_u32") && has_sgpr(&op[0], reg + 1, 1) && op[2].kind == WL_OPERAND_IMM) {
            high = op[2].bits & UINT32_MAX;
            have_high = true;
        } else if (!strcmp(inst->mnemonic, "s_add_nc_u64") && has_sgpr(&op[0], reg, 2) && op[2].kind == WL_OPERAND_IMM) {
            low = (uint64_t)(int64_t)(int32_t)op[2].bits;
            have_low = true;
        } else {
            struct wl_effects effects;
            wl_inst_effects(inst, unit->request->wave_size, &effects);
            if (wl_bit(effects.touch.scalar, reg))
                return false;
        }
    }
    return false;
}

/* Calls, and jumps that are not returns. */
static bool goes_elsewhere(const struct wl_inst *inst) {
    return inst->isa && (inst->isa->class == WL_ISA_SWAPPC || (inst->isa->class == WL_ISA_SETPC && !inst->isa->detail));
}

bool wl_unit_call_target(const struct wl_unit *unit, uint32_t n, uint64_t *target) {
    const struct wl_inst *inst = &unit->insts[n];
    return goes_elsewhere(inst) && constant_target(unit, n, inst->operands[inst->isa->class == WL_ISA_SWAPPC ? 1 : 0].reg, target);
}

static enum wl_status find_callees(struct wl_unit *unit) {
    for (uint32_t i = 0; i < unit->inst_count; i++) {
        uint64_t target;
        if (wl_unit_call_target(unit, i, &target)) {
            enum wl_status status = add_callee(unit, target);
            if (status)
                return status;
        } else if (goes_elsewhere(&unit->insts[i])) {
            unit->indirect |= unit->insts[i].isa->class == WL_ISA_SWAPPC;
        }
    }
    return WL_OK;
}

void wl_unit_count_rows(struct wl_unit *unit) {
    struct wl_effects effects;
    const unsigned words = wl_processor_has(unit->request->processor, WL_HAS_1024_VGPRS) ? WL_ROW_WORDS : 2 * WL_AGPR / 64;
    for (uint32_t i = 0; i < unit->inst_count; i++) {
        const struct wl_inst *inst = &unit->insts[i];
        wl_inst_effects(inst, unit->request->wave_size, &effects);
        if (inst->isa && inst->isa->class == WL_ISA_MOVREL) { /* its effects cover all rows, but it stays within those of others */
            memset(&effects, 0, sizeof effects);
            for (unsigned o = 0; o < inst->operand_count && o < 2; o++)
                if (inst->operands[o].kind == WL_OPERAND_VGPR)
                    wl_set(effects.use.vector, inst->operands[o].reg);
        }
        for (unsigned word = unit->rows / 64; word < words; word++) {
            uint64_t used = effects.use.vector[word] | effects.use_lanes[word] | effects.touch.vector[word] | effects.def_lanes[word];
            uint32_t top = used ? word * 64 + 64 - (uint32_t)__builtin_clzll(used) : 0;
            if (top > unit->rows)
                unit->rows = top;
        }
    }
}

/* Beside other barriers the workgroup's own is signaled where its signals stand. */
static void split_barriers(struct wl_unit *unit) {
    bool others = false;
    for (uint32_t i = 0; i < unit->inst_count; i++)
        others |=
            unit->insts[i].isa && (unit->insts[i].isa->class == WL_ISA_SPLIT_BARRIER || unit->insts[i].isa->class == WL_ISA_BARRIER_WAIT);
    for (uint32_t i = 0; i < unit->inst_count && others; i++)
        if (strncmp(unit->insts[i].mnemonic, "s_barrier_signal", 16) == 0)
            unit->insts[i].isa = wl_isa_other_barrier(unit->insts[i].mnemonic);
}

/* Code without branches is in order as it was read. */
static void sort_by_address(struct wl_unit *unit) {
    for (uint32_t i = 1; i < unit->inst_count; i++)
        if (by_address(&unit->insts[i - 1], &unit->insts[i]) > 0) {
            qsort(unit->insts, unit->inst_count, sizeof *unit->insts, by_address);
            return;
        }
}

/* An array of zeros, of which few are looked at: a unit is a small part of a code object. Its pages are made when they are touched. calloc makes
 * them so only until a large block has been freed, and fills them from then on. NULL: no memory. */
static void *sparse_zeros(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

static void forget_sparse(void *memory, size_t size) {
    if (memory)
        munmap(memory, size);
}

/* Reads the instructions that are reachable from `entry`, in the order of their addresses; with `blocks` cuts them into basic blocks. */
static enum wl_status read_unit(struct wl_unit *unit, struct wl_decoder *decoder, const struct wl_translate_request *request,
                                uint64_t entry, bool blocks) {
    *unit = (struct wl_unit){.request = request};
    struct discovery d = {.unit = unit, .decoder = decoder};
    const size_t words = request->image_size / 4 + 1;
    d.marks = sparse_zeros(words);
    enum wl_status status = d.marks ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory to follow %s", request->name);
    if (!status && wl_processor_has(request->processor, WL_HAS_1024_VGPRS)) {
        d.banks_clobbered = wl_processor_has(request->processor, WL_MODE_SETS_BANKS);
        d.banks = sparse_zeros(words * sizeof *d.banks);
        status = d.banks ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory to follow %s", request->name);
    }
    if (!status && (!is_code(&d, entry)))
        status = wl_fail(WL_INVALID_IMAGE, "%s: the entry 0x%llx is not code", request->name, (unsigned long long)entry);
    if (!status)
        status = follow_later(&d, entry, 0);
    while (!status && d.work_count)
        status = follow(&d, d.work[--d.work_count]);
    if (!status) {
        sort_by_address(unit);
        split_barriers(unit);
    }
    if (!status && blocks)
        status = cut(&d, entry);
    if (!status && blocks)
        status = cut_turns(&d, entry);
    if (!status)
        status = find_callees(unit);
    forget_sparse(d.marks, words);
    forget_sparse(d.banks, words * sizeof *d.banks);
    free(d.work);
    free(d.bad);
    if (status)
        wl_unit_destroy(unit);
    return status;
}

enum wl_status wl_unit_read(struct wl_unit *unit, struct wl_decoder *decoder, const struct wl_translate_request *request, uint64_t entry) {
    return read_unit(unit, decoder, request, entry, true);
}

enum wl_status wl_unit_survey(struct wl_unit *unit, struct wl_decoder *decoder, const struct wl_translate_request *request,
                              uint64_t entry) {
    enum wl_status status = read_unit(unit, decoder, request, entry, false);
    if (!status)
        wl_unit_count_rows(unit);
    return status;
}

void wl_unit_destroy(struct wl_unit *unit) {
    if (unit->forget_loops)
        unit->forget_loops(unit);
    free(unit->insts);
    free(unit->blocks);
    free(unit->callees);
    free(unit->early);
    free((void *)unit->counted);
    *unit = (struct wl_unit){0};
}

bool wl_unit_is_in_loop(const struct wl_unit *unit, uint32_t block) {
    for (uint32_t p = block; p < unit->block_count; p++)
        if (unit->blocks[p].target <= block)
            return true;
    return false;
}

bool wl_unit_is_unoptimized(const struct wl_unit *unit) {
    enum { SMALL = 150, USUAL_SHARE = 10 };
    uint32_t spills = 0;
    for (uint32_t i = 0; i < unit->inst_count; i++) {
        const struct wl_isa *isa = unit->insts[i].isa;
        bool access = isa && (isa->class == WL_ISA_LOAD || isa->class == WL_ISA_STORE);
        spills += access && (isa->space == WL_SPACE_SCRATCH || isa->space == WL_SPACE_BUFFER);
        spills += isa && isa->class == WL_ISA_LANE && (isa->detail == WL_LANE_READLANE || isa->detail == WL_LANE_WRITELANE);
    }
    return unit->inst_count > SMALL && spills > unit->inst_count / USUAL_SHARE;
}
