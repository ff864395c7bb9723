/* A unit as steps: its basic blocks one after the other, what is at their ends, entry and exits. */
#include "translate/steps/steps.h"
#include "base/assert.h"

#include "machine/helpers.h"
#include "machine/processor.h"
#include "machine/sanitize.h"
#include "translate/interface/marks.h"
#include "translate/steps/init.h"
#include "translate/unit/turns.h"

#include <stdatomic.h>
#include <stdlib.h>

/* ---- memory ---- */

struct wl_steps_chunk {
    struct wl_steps_chunk *next;
    size_t used, size;
    _Alignas(64) uint8_t bytes[];
};

const struct wl_sem *wl_steps_choose(struct wl_steps_builder *b, const struct wl_sem *sem) {
    const size_t at = (uintptr_t)sem / sizeof *sem % (sizeof b->choices / sizeof *b->choices);

    if (b->choices[at].sem != sem) {
        b->choices[at].sem = sem;
        const struct wl_sem_math math = {b->request->exact_math, b->request->matrix_sums == WL_SUMS_HARDWARE, b->request->processor,
                                         wl_processor_generation(b->request->processor), b->request->flushes_f32};
        b->choices[at].chosen = wl_sem_choose(sem, &math, b->request->features);
    }
    return b->choices[at].chosen;
}

void *wl_steps_allocate(struct wl_steps_builder *b, size_t size) {
    enum { CHUNK = 1 << 14 };
    struct wl_steps_chunk *chunk = b->steps->memory;
    size = (size + 63) / 64 * 64;
    if (!chunk || chunk->size - chunk->used < size) {
        size_t bytes = size > CHUNK ? size : CHUNK;
        chunk = aligned_alloc(64, sizeof *chunk + bytes);
        if (!chunk) {
            b->status = wl_fail(WL_OUT_OF_MEMORY, "no memory for the steps of %s", b->request->name);
            return NULL;
        }
        memset(chunk, 0, sizeof *chunk + bytes);
        chunk->size = bytes;
        chunk->next = b->steps->memory;
        b->steps->memory = chunk;
    }
    void *memory = chunk->bytes + chunk->used;
    chunk->used += size;
    return memory;
}

void wl_steps_add(struct wl_steps_builder *b, wl_step_fn *run, const void *data) {
    wl_assert(run && b->step_count < b->most);
    b->steps->code[b->step_count++] = (struct wl_step){run, data};
}

void wl_steps_refuse(struct wl_steps_builder *b, const struct wl_inst *inst) {
    if (!b->status)
        b->status = wl_fail(WL_UNSUPPORTED, "%s: instruction %s at offset 0x%llx has no step", b->request->name, inst->mnemonic,
                            (unsigned long long)(inst->address - b->request->entry));
}

uint32_t wl_steps_place(const struct wl_steps_builder *b, const struct wl_inst *inst) {
    return inst->address >= b->request->entry ? (uint32_t)((inst->address - b->request->entry) / 4 + 1) : 1;
}

/* ---- native semantics ---- */

extern wl_native_fn *const wl_sem_native[]; /* generated: in the order of wl_sem_table */

wl_native_fn *wl_steps_native(const struct wl_sem *sem) {
    size_t count;
    return wl_sem_native[sem - wl_sem_table(&count)];
}

extern wl_wave_fn *const wl_sem_wave[]; /* the same */

wl_wave_fn *wl_steps_wave(const struct wl_sem *sem) {
    size_t count;
    return wl_sem_wave[sem - wl_sem_table(&count)];
}

typedef void *p;

void wl_steps_call(wl_native_fn *native, void *const *a, unsigned count) {
    switch (count) {
    case 2:
        ((void (*)(p, p))native)(a[0], a[1]);
        break;
    case 3:
        ((void (*)(p, p, p))native)(a[0], a[1], a[2]);
        break;
    case 4:
        ((void (*)(p, p, p, p))native)(a[0], a[1], a[2], a[3]);
        break;
    case 1:
        ((void (*)(p))native)(a[0]);
        break;
    case 5:
        ((void (*)(p, p, p, p, p))native)(a[0], a[1], a[2], a[3], a[4]);
        break;
    case 6:
        ((void (*)(p, p, p, p, p, p))native)(a[0], a[1], a[2], a[3], a[4], a[5]);
        break;
    case 7:
        ((void (*)(p, p, p, p, p, p, p))native)(a[0], a[1], a[2], a[3], a[4], a[5], a[6]);
        break;
    default:
        ((void (*)(p, p, p, p, p, p, p, p))native)(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7]);
        break;
    }
}

/* Moves of two dwords are of such types as well, and classes are told of the numbers as they are. */
bool wl_steps_flushes(const struct wl_steps_builder *b, const struct wl_inst *inst, enum wl_type type) {
    return b->steps->splits_denormals && (type == WL_F32 || type == WL_PKF32) && !strstr(inst->mnemonic, "_class_") &&
           (strstr(inst->mnemonic, "f32") || strstr(inst->mnemonic, "_mix"));
}

/* ---- ends of basic blocks ---- */

/* Where a basic block goes on, and how it may leave instead. */
struct end {
    const struct wl_step *taken, *next;
    struct wl_scalar target;
    uint64_t address; /* of the instruction, or behind a call */
    uint32_t resume, why, detail;
    uint16_t reg, condition;
    int32_t gws; /* row of the operand; -1: none */
    bool relative, continues;
};

static const struct wl_step *leave(struct wl_machine *m, uint32_t why) {
    m->exit = why;
    return NULL;
}

static const struct wl_step *run_end(struct wl_machine *m, const struct wl_step *step) {
    const struct end *e = step->data;
    return leave(m, e->why);
}

static const struct wl_step *run_branch(struct wl_machine *m, const struct wl_step *step) {
    (void)m;
    return ((const struct end *)step->data)->taken;
}

static const struct wl_step *run_conditional(struct wl_machine *m, const struct wl_step *step) {
    const struct end *e = step->data;
    bool taken;
    switch ((enum wl_condition)e->condition) {
    case WL_IF_SCC0:
        taken = m->sgpr[WL_SGPR_SCC] == 0;
        break;
    case WL_IF_SCC1:
        taken = m->sgpr[WL_SGPR_SCC] != 0;
        break;
    case WL_IF_VCCZ:
        taken = wl_machine_mask(m, WL_SGPR_VCC) == 0;
        break;
    case WL_IF_VCCNZ:
        taken = wl_machine_mask(m, WL_SGPR_VCC) != 0;
        break;
    case WL_IF_EXECZ:
        taken = wl_machine_exec(m) == 0;
        break;
    default:
        taken = wl_machine_exec(m) != 0;
        break;
    }
    return taken ? e->taken : e->next;
}

static const struct wl_step *run_wait(struct wl_machine *m, const struct wl_step *step) {
    const struct end *e = step->data;
    if (e->why == WL_EXIT_MESSAGE || e->why == WL_EXIT_TRAP) {
        uint32_t detail = e->detail;
        if (detail & WL_MESSAGE_GWS) {
            uint64_t exec = wl_machine_exec(m);
            if (e->gws >= 0)
                m->wave->gws_value = wl_machine_row(m, (unsigned)e->gws)[exec ? __builtin_ctzll(exec) : 0];
            detail |= ((m->sgpr[WL_SGPR_M0] >> 16) + e->resume) & (WL_GWS_RESOURCES - 1);
        }
        m->wave->exit_detail = detail;
        m->wave->pc = e->address;
    }
    if (e->continues)
        m->wave->resume = (uint32_t)e->reg;
    return leave(m, e->why);
}

static const struct wl_step *leave_to(struct wl_machine *m, uint64_t address) {
    m->wave->pc = address - m->wave->image;
    return leave(m, WL_EXIT_JUMP);
}

static const struct wl_step *run_jump(struct wl_machine *m, const struct wl_step *step) {
    const struct end *e = step->data;
    return leave_to(m, wl_scalar_read(m, &e->target) + (e->relative ? m->wave->image + e->address : 0));
}

static const struct wl_step *run_call(struct wl_machine *m, const struct wl_step *step) {
    const struct end *e = step->data;
    uint64_t target = wl_scalar_read(m, &e->target) + (e->relative ? m->wave->image : 0);
    wl_machine_set_sgpr64(m, e->reg, m->wave->image + e->address);
    return leave_to(m, target);
}

/* A spinning loop runs on for a while, then lets other waves run. */
static const struct wl_step *run_spend_fuel(struct wl_machine *m, const struct wl_step *step) {
    const struct end *e = step->data;
    if (m->wave->fuel == 0) {
        m->wave->resume = e->resume;
        return leave(m, WL_EXIT_YIELD);
    }
    m->wave->fuel -= m->wave->fuel < e->detail ? m->wave->fuel : e->detail;
    return step + 1;
}

/* The wave does more than look again. */
static const struct wl_step *run_end_looks(struct wl_machine *m, const struct wl_step *step) {
    m->wave->moved = 1;
    return step + 1;
}

static enum wl_mode mode_of(const struct wl_machine *m) {
    uint64_t all = m->wave_size == 64 ? UINT64_MAX : UINT32_MAX;
    return wl_machine_exec(m) == all ? WL_MODE_FULL : WL_MODE_MASKED;
}

/* A resume point: native code goes on from here if there is any. */
static const struct wl_step *run_resume_point(struct wl_machine *m, const struct wl_step *step) {
    const struct end *e = step->data;
    if (!atomic_load_explicit(&m->steps->control->native[mode_of(m)], memory_order_acquire))
        return step + 1;
    m->wave->resume = e->resume;
    return leave(m, WL_EXIT_MODE);
}

static void ask_for_loops(struct wl_machine *m, enum wl_mode mode) {
    struct wl_steps_control *control = m->steps->control;
    uint32_t place = m->wave->fault_pc;
    if (!control->ask || atomic_exchange(&control->asked[mode], 1))
        return;
    m->wave->fault_pc = 0; /* this is no code of the kernel */
    control->ask(control->context, mode);
    m->wave->fault_pc = place;
}

/* The header of a loop that has none. */
static const struct wl_step *run_loop_entry(struct wl_machine *m, const struct wl_step *step) {
    enum { MANY_ROUNDS = 2000 };
    const struct end *e = step->data;
    if (++m->rounds < MANY_ROUNDS)
        return step + 1;
    enum wl_mode mode = mode_of(m);
    if (!atomic_load_explicit(&m->steps->control->loops[mode], memory_order_acquire)) {
        ask_for_loops(m, mode);
        return step + 1;
    }
    m->wave->resume = e->resume;
    return leave(m, WL_EXIT_MODE);
}

/* ---- building ---- */

static const struct wl_step *step_of(const struct wl_steps_builder *b, uint32_t block) {
    return b->steps->code + (block == WL_NO_BLOCK ? b->off : b->first[block]);
}

static void plan_wait(struct wl_steps_builder *b, struct end *e, const struct wl_block *block, const struct wl_inst *last) {
    e->why = last->isa->class == WL_ISA_BARRIER                                   ? WL_EXIT_BARRIER
             : last->isa->class == WL_ISA_MESSAGE                                 ? WL_EXIT_MESSAGE
             : last->isa->class == WL_ISA_BARRIER_WAIT                            ? WL_EXIT_MESSAGE
             : last->isa->class == WL_ISA_TRAP || last->isa->class == WL_ISA_HALT ? WL_EXIT_TRAP
                                                                                  : WL_EXIT_YIELD;
    e->address = last->address;
    e->detail = last->operand_count ? last->operands[0].bits & 0xffff : 0;
    if (last->isa->class == WL_ISA_BARRIER_WAIT)
        e->detail |= WL_MESSAGE_BARRIER;
    e->gws = -1;
    if (last->isa->class == WL_ISA_MESSAGE && last->isa->detail) {
        e->detail = WL_MESSAGE_GWS | (uint32_t)(last->isa->detail - 1) << 8;
        e->resume = (uint32_t)last->offset0;
        if (last->operand_count && last->operands[0].kind == WL_OPERAND_VGPR)
            e->gws = last->operands[0].reg;
    }
    e->continues = block->next != WL_NO_BLOCK;
    if (e->continues)
        e->reg = (uint16_t)b->unit->blocks[block->next].resume;
}

/* Steps are laid out in the order of basic blocks, so that a basic block that goes on with the next one needs no step for it. */
static void add_end(struct wl_steps_builder *b, uint32_t p) {
    const struct wl_block *block = &b->unit->blocks[p];
    const struct wl_inst *last = block->count ? &b->unit->insts[block->first + block->count - 1] : NULL;
    struct end *e = wl_steps_allocate(b, sizeof *e);
    if (!e)
        return;
    b->ends[p] = e;
    switch (block->end) {
    case WL_BLOCK_NEXT:
    case WL_BLOCK_EXEC:
        if (block->next != p + 1)
            wl_steps_add(b, run_branch, e);
        break;
    case WL_BLOCK_BRANCH:
        wl_steps_add(b, run_branch, e);
        break;
    case WL_BLOCK_CBRANCH:
        e->condition = last->isa->detail;
        wl_steps_add(b, run_conditional, e);
        break;
    case WL_BLOCK_WAIT:
        plan_wait(b, e, block, last);
        wl_steps_add(b, run_wait, e);
        break;
    case WL_BLOCK_FINISH:
        e->why = WL_EXIT_END;
        wl_steps_add(b, run_end, e);
        break;
    case WL_BLOCK_FALL_OFF:
        e->why = WL_EXIT_ILLEGAL;
        wl_steps_add(b, run_end, e);
        break;
    case WL_BLOCK_JUMP:
        e->target = (struct wl_scalar){.kind = WL_SCALAR_SGPR64, .bits = 64, .reg = last->operands[0].reg};
        e->relative = last->isa->detail;
        e->address = last->address + last->size;
        wl_steps_add(b, run_jump, e);
        break;
    case WL_BLOCK_CALL:
        e->relative = last->isa->class != WL_ISA_SWAPPC;
        e->target = (struct wl_scalar){.kind = e->relative ? WL_SCALAR_CONSTANT : WL_SCALAR_SGPR64,
                                       .bits = 64,
                                       .reg = last->operands[1].reg,
                                       .constant = last->operands[1].bits};
        e->reg = last->operands[0].reg;
        e->address = last->address + last->size;
        wl_steps_add(b, run_call, e);
        break;
    }
}

/* Instructions that only end a basic block, or do nothing. */
static bool is_silent(const struct wl_inst *inst) {
    return inst->isa && (inst->isa->class == WL_ISA_NOP || wl_isa_steers(inst->isa->class));
}

static const struct wl_step *run_fence(struct wl_machine *m, const struct wl_step *step) {
    (void)m;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return step + 1;
}

static void add_start(struct wl_steps_builder *b, const struct wl_block *block) {
    struct end *e = wl_steps_allocate(b, sizeof *e);
    if (!e)
        return;
    e->resume = block->resume != UINT32_MAX ? block->resume : block->loop_entry;
    if (block->resume != UINT32_MAX)
        wl_steps_add(b, run_resume_point, e);
    else if (block->loop_entry != UINT32_MAX)
        wl_steps_add(b, run_loop_entry, e);
    e->detail = wl_block_fuel(block);
    if (block->is_spin_header)
        wl_steps_add(b, run_spend_fuel, e);
    if (block->ends_looks)
        wl_steps_add(b, run_end_looks, e);
}

bool wl_steps_instruction(struct wl_steps_builder *b, const struct wl_inst *inst) {
    return is_silent(inst) || wl_steps_wide(b, inst) || wl_steps_valu(b, inst) || wl_steps_scalar(b, inst) || wl_steps_memory(b, inst) ||
           wl_steps_lane(b, inst) || wl_steps_helper(b, inst) || wl_steps_indexed(b, inst);
}

/* Never called: wl_steps_run_to_mark stops in front of it, or goes on behind it. Without a debugger there are no such steps. */
static const struct wl_step *run_mark(struct wl_machine *m, const struct wl_step *step) {
    (void)m;
    return step + 1;
}

/* An instruction may stand in the unit in several pieces. */
static void add_mark(struct wl_steps_builder *b, const struct wl_block *block, const struct wl_inst *inst) {
    struct wl_mark *mark;
    if (b->at && inst[-1].address == inst->address)
        return;
    mark = wl_steps_allocate(b, sizeof *mark);
    if (!mark)
        return;
    mark->address = inst->address;
    mark->size = inst->size;
    mark->calls = block->end == WL_BLOCK_CALL && b->at + 1 == block->count;
    wl_steps_add(b, run_mark, mark);
}

/* The high half of the addresses in the window that stands for what an operand reads, the base of flat addresses of LDS or private memory; 0: the
 * operand reads neither. */
static uint32_t window_of(const struct wl_operand *op) {
    if (op->kind != WL_OPERAND_SPECIAL)
        return 0;
    return op->reg == WL_SPECIAL_SHARED_BASE ? WL_SHARED_WINDOW_HI : op->reg == WL_SPECIAL_PRIVATE_BASE ? WL_PRIVATE_WINDOW_HI : 0;
}

/* Makes of an instruction that reads such a base one that reads the window's. False: it reads none. */
static bool use_windows(const struct wl_inst *inst, struct wl_inst *changed) {
    bool any = false;
    for (unsigned i = 0; i < inst->operand_count; i++) {
        const uint32_t high = window_of(&inst->operands[i]);
        if (!high)
            continue;
        if (!any)
            *changed = *inst;
        any = true;
        changed->operands[i].kind = WL_OPERAND_IMM;
        changed->operands[i].bits = (uint64_t)high << 32;
    }
    return any;
}

static bool add_instruction(struct wl_steps_builder *b, const struct wl_inst *inst) {
    struct wl_inst changed;
    if (b->request->sanitize & WL_STEPS_MARKED && use_windows(inst, &changed)) /* a debugger may stop here */
        inst = &changed;
    return inst->index_mode ? wl_steps_relative(b, inst) : wl_steps_instruction(b, inst);
}

static void add_block(struct wl_steps_builder *b, uint32_t p) {
    const struct wl_block *block = &b->unit->blocks[p];
    b->first[p] = b->step_count;
    add_start(b, block);
    if (b->steps->block)
        b->steps->block[p] = b->step_count;
    if (b->unit->counted)
        wl_steps_add_count(b, b->unit->counted[p]);
    for (b->at = 0; b->at < block->count && !b->status; b->at++) {
        const struct wl_inst *inst = &b->unit->insts[block->first + b->at];
        if (b->request->sanitize & WL_STEPS_MARKED)
            add_mark(b, block, inst);
        if (inst->early)
            wl_steps_add_early_use(b, inst);
        const uint32_t before = b->step_count;
        if (!add_instruction(b, inst))
            wl_steps_refuse(b, inst);
        else if (inst->fence)
            wl_steps_add(b, run_fence, NULL);
        if (b->steps->follows_values && !b->status)
            wl_steps_add_init(b, inst, before);
        if (b->request->sanitize & WL_SANITIZE_ALL)
            wl_steps_add_sanitize_fence(b, inst);
    }
    add_end(b, p);
}

static bool make_info(struct wl_steps_builder *b) {
    const struct wl_unit *unit = b->unit;
    struct wl_unit_info *info = wl_steps_allocate(b, sizeof *info + unit->resume_count * sizeof *info->resume);
    if (!info)
        return false;
    *info = (struct wl_unit_info){.abi = WL_WAVE_ABI,
                                  .rows = unit->rows,
                                  .instructions = unit->inst_count,
                                  .resume_count = unit->resume_count,
                                  .may_wait = wl_unit_waiting(unit)};
    for (uint32_t p = 0; p < unit->block_count; p++) {
        const struct wl_block *block = &unit->blocks[p];
        if (block->resume == UINT32_MAX)
            continue;
        info->resume[block->resume] = (struct wl_resume_point){.address = block->count ? unit->insts[block->first].address : 0,
                                                               .is_return = block->is_return,
                                                               .first_leads = wl_first_wave_leads(unit, p),
                                                               .only_looks = block->only_looks};
        wl_assert(block->resume < unit->resume_count && b->first[p] < b->step_count);
        b->steps->resume[block->resume] = b->first[p];
    }
    b->steps->info = info;
    return true;
}

static void add_blocks(struct wl_steps_builder *b) {
    static const struct end off = {.why = WL_EXIT_ILLEGAL};
    for (uint32_t p = 0; p < b->unit->block_count && !b->status; p++)
        add_block(b, p);
    b->off = b->step_count;
    wl_steps_add(b, run_end, &off);
}

/* Where the ends of basic blocks lead: all steps are there now. */
static void connect(struct wl_steps_builder *b) {
    for (uint32_t p = 0; p < b->unit->block_count; p++) {
        const struct wl_block *block = &b->unit->blocks[p];
        bool goes_on = block->end == WL_BLOCK_NEXT || block->end == WL_BLOCK_EXEC;
        b->ends[p]->next = step_of(b, block->next);
        b->ends[p]->taken = goes_on ? b->ends[p]->next : step_of(b, block->target);
    }
}

/* For initcheck: where native code may leave for threaded code, and with which registers that nobody wrote. */
static void follow_values(struct wl_steps_builder *b) {
    const struct wl_unit *unit = b->unit;
    const struct wl_live *live = &unit->blocks[unit->entry].live_in;
    struct wl_steps_control *control = b->steps->control;
    b->steps->block = wl_steps_allocate(b, unit->block_count * sizeof *b->steps->block);
    b->steps->block_count = b->steps->block ? unit->block_count : 0;
    b->steps->entry_count = unit->entry_count;
    memcpy(control->read_scalars, live->scalar, sizeof control->read_scalars);
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        control->read_rows[w] = live->full[w] | live->active[w] | live->inactive[w];
}

enum wl_status wl_steps_build(const struct wl_unit *unit, struct wl_steps **result) {
    struct wl_steps *steps = calloc(1, sizeof *steps);
    struct wl_steps_builder b = {.unit = unit, .request = unit->request, .steps = steps, .wave_size = unit->request->wave_size};
    b.most = (unit->request->sanitize ? 4 : 1) * (size_t)unit->inst_count + 4 * (size_t)unit->block_count + 1;
    b.generation = wl_processor_generation(unit->request->processor);
    b.first = calloc(unit->block_count + 1, sizeof *b.first);
    b.ends = calloc(unit->block_count + 1, sizeof(struct end *));
    if (steps)
        steps->code = wl_steps_allocate(&b, b.most * sizeof *steps->code);
    if (steps && steps->code)
        steps->resume = wl_steps_allocate(&b, (unit->resume_count + 1) * sizeof *steps->resume);
    if (steps && steps->resume)
        steps->control = wl_steps_allocate(&b, sizeof *steps->control);
    if (!steps || !steps->control || !b.first || !b.ends) {
        b.status = wl_fail(WL_OUT_OF_MEMORY, "no memory for the steps of %s", unit->request->name);
    } else if (wl_rounding_split(unit)) {
        b.status = wl_fail(WL_UNSUPPORTED, "%s rounds f64 and f32 differently", unit->request->name);
    } else {
        steps->splits_denormals = wl_denormal_split(unit);
        steps->follows_values = unit->request->sanitize & WL_SANITIZE_INITCHECK;
        if (steps->follows_values)
            follow_values(&b);
        steps->resume_count = unit->resume_count;
        add_blocks(&b);
        if (!b.status)
            connect(&b);
        if (!b.status)
            make_info(&b);
    }
    free(b.first);
    free(b.ends);
    if (b.status) {
        wl_steps_destroy(steps);
        return b.status;
    }
    *result = steps;
    return WL_OK;
}

void wl_steps_destroy(struct wl_steps *steps) {
    struct wl_steps_chunk *chunk = steps ? steps->memory : NULL;
    while (chunk) {
        struct wl_steps_chunk *next = chunk->next;
        free(chunk);
        chunk = next;
    }
    free(steps);
}

/* ---- running ---- */

uint32_t wl_steps_run(struct wl_wave *wave, const struct wl_steps *steps) {
    struct wl_machine m = {.wave = wave, .steps = steps, .sgpr = wave->sgpr, .vgpr = wave->vgpr, .wave_size = wave->wave_size};
    const bool at_block = steps->block_count && wave->resume >= steps->entry_count;
    if (at_block ? wave->resume - steps->entry_count >= steps->block_count : wave->resume >= steps->resume_count)
        return WL_EXIT_ILLEGAL;
    const uint32_t start = at_block ? steps->block[wave->resume - steps->entry_count] : steps->resume[wave->resume];
    wave->fault_pc = 1; /* until a step says better */
    if (steps->follows_values)
        m.undefined = wave->helpers->sanitize_undefined(wave);
    if (steps->splits_denormals)
        wave->helpers->denormals(wave, 1);
    for (const struct wl_step *step = steps->code + start; step;)
        step = step->run(&m, step);
    if (m.undefined)
        wl_undefined_sum_up(m.undefined, wave->vgprs);
    if (steps->splits_denormals)
        wave->helpers->denormals(wave, 0);
    wave->fault_pc = 0;
    return m.exit;
}

uint32_t wl_steps_run_to_mark(struct wl_wave *wave, const struct wl_steps *steps, struct wl_mark_point *point) {
    struct wl_machine m = {.wave = wave, .steps = steps, .sgpr = wave->sgpr, .vgpr = wave->vgpr, .wave_size = wave->wave_size};
    const struct wl_step *step = point->step;
    if (!step && wave->resume >= steps->resume_count)
        return WL_EXIT_ILLEGAL;
    if (!step)
        step = steps->code + steps->resume[wave->resume];
    wave->fault_pc = 1;
    if (steps->splits_denormals)
        wave->helpers->denormals(wave, 1);
    while (step) {
        if (step->run != run_mark) {
            step = step->run(&m, step);
            continue;
        }
        const uint8_t *shadow = point->shadows ? point->shadows + ((const struct wl_mark *)step->data)->address : NULL;
        if (!shadow || *(const volatile uint8_t *)shadow == WL_BREAKPOINT)
            break;
        *(volatile uint64_t *)point->slot = (uint64_t)(uintptr_t)shadow + WL_BEHIND_CALL;
        point->mark = step->data;
        step++;
    }
    if (steps->splits_denormals)
        wave->helpers->denormals(wave, 0);
    wave->fault_pc = 0;
    point->step = step ? step + 1 : NULL;
    if (step)
        point->mark = step->data;
    return step ? WL_EXIT_MARK : m.exit;
}
