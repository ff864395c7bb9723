#include "device/cpu/debug/debug.h"

#include "base/assert.h"
#include "debug/frame.h"
#include "device/cpu/fault/fault.h"
#include "device/cpu/memory.h"
#include "device/cpu/run/exits.h"
#include "device/translator.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("protected"))) /* the command `wavelift` has the same names, which must not take their place */

EXPORT volatile struct wl_debug_here wl_debug_here;
EXPORT volatile struct wl_debug_visit wl_debug_visits[WL_DEBUG_VISITS];
EXPORT volatile uint32_t wl_debug_visit_count;
EXPORT volatile struct wl_debug_wave_row wl_debug_waves[WL_MAX_WAVES];

enum {
    BREAKPOINT = 0xcc,
    BEHIND_CALL = 2,                   /* bytes from a shadow to its jump */
    MARGIN = 8192,                     /* of the stack, between the host's frames and ours */
    WAVE_STACK = WL_DEBUG_DEPTH * 128, /* the frames of a wave */
    FRAME_POINTER = 33,
    STACK_POINTER = 32,
};
_Static_assert(sizeof(struct wl_debug_frame) * WL_DEBUG_DEPTH == WAVE_STACK, "a frame for each function");

/* A call that a wave is in, and the registers when it was made. */
struct call {
    uint64_t return_address; /* in the code object */
    uint32_t *registers;     /* scalar ones, then rows */
};

/* What is known of a wave beside its state. */
struct wl_debug_wave {
    struct call calls[WL_DEBUG_DEPTH - 1];
    uint64_t group;             /* the workgroup's number: what is known may be of an earlier one */
    uint32_t lane;              /* that was shown last */
    uint32_t depth, last_depth; /* now, and before the last call or return */
    uint32_t rows;              /* that `registers` of the calls have room for */
    uint32_t *scratch;          /* for the lane's private memory */
    uint32_t scratch_size;
    uint64_t last; /* the shadow of the instruction that left the code; 0: the wave has not begun */
};

/* A wave while it runs. */
struct running {
    struct wl_debug_context context; /* first: rbx points to it */
    struct wl_wave *wave;
    const struct wl_steps *steps;
    struct wl_debug_wave *known;
    const struct wl_job *job;
    const struct wl_runner *runner;
    const struct wl_threaded *threaded;
    struct wl_mark_point point;
    struct wl_debug_frame *frames[WL_DEBUG_DEPTH]; /* [0] is the kernel's */
    struct wl_debug_frame within;                  /* a copy of the innermost one */
    uint32_t *scratch;                             /* the lane's private memory in one piece */
    uint64_t lanes;                                /* that have yet to come to the shadow at hand */
    uint32_t lane, turns;
    bool shown; /* the wave may have been stopped: the lane's private memory may have been changed */
};

/* The wave that may have stopped, for wl_debug_lane. */
static struct running *at_hand;

static uint64_t shadow_of(const struct running *r, uint64_t address) { return wl_debug_shadow(r->job->function->module, address); }

static bool has_breakpoint(uint64_t shadow) { return *(const volatile uint8_t *)(uintptr_t)shadow == BREAKPOINT; }

/* ---- the lane at hand ---------------------------------------------------------------------------------------------------------------- */

static uint32_t *scratch_place(const struct running *r, uint32_t word) {
    return (uint32_t *)(void *)(r->wave->scratch + wl_scratch_address(word * 4, r->lane, r->wave->wave_size));
}

static void copy_scratch(const struct running *r) {
    for (uint32_t i = 0; i < r->job->scratch_size / 4; i++)
        r->scratch[i] = *scratch_place(r, i);
}

/* The debugger may have written to the copy. */
static void write_scratch_back(const struct running *r) {
    for (uint32_t i = 0; i < r->job->scratch_size / 4; i++)
        if (*scratch_place(r, i) != r->scratch[i])
            *scratch_place(r, i) = r->scratch[i];
}

/* Where an address that a stack register has is in the copy. Where private memory is reached through buffers, registers count the bytes of
 * the whole wave. */
static uint64_t stack_place(const struct running *r, uint32_t value) {
    const bool of_wave = r->job->function->abi.private_buffer >= 0;
    return (uint64_t)(uintptr_t)r->scratch + (of_wave ? value / r->wave->wave_size : value);
}

static void fill_frames(struct running *r) {
    const struct wl_debug_wave *known = r->known;
    for (uint32_t i = 0; i <= known->depth; i++) {
        struct wl_debug_frame *frame = r->frames[i];
        const uint32_t *sgpr = i < known->depth ? known->calls[i].registers : r->wave->sgpr;
        const uint32_t *vgpr = i < known->depth ? known->calls[i].registers + WL_SGPR_COUNT : r->wave->vgpr;
        frame->sgprs = (uint64_t)(uintptr_t)sgpr;
        frame->vgprs = (uint64_t)(uintptr_t)(vgpr + r->lane);
        frame->lds = (uint64_t)(uintptr_t)r->wave->lds;
        frame->scratch = (uint64_t)(uintptr_t)r->scratch;
        frame->frame_pointer = stack_place(r, sgpr[FRAME_POINTER]);
        frame->stack_pointer = stack_place(r, sgpr[STACK_POINTER]);
    }
    r->within = *r->frames[known->depth];
    r->within.behind = r->within.in_front;
}

/* The size of the workgroup: one at the end of a grid may be smaller. */
static void workgroup_size(const struct running *r, uint32_t size[3]) {
    const struct wl_launch *l = r->job->launch;
    for (int d = 0; d < 3; d++)
        size[d] = l->remainder[d] && r->runner->group->id[d] + 1 == l->grid[d] ? l->remainder[d] : r->job->whole.size[d];
}

/* The lane's threadIdx. */
static void find_item(const struct running *r, uint32_t lane, uint32_t id[3]) {
    uint32_t size[3];
    workgroup_size(r, size);
    const uint32_t item = r->wave->wave_index * r->wave->wave_size + lane;
    id[0] = item % size[0];
    id[1] = item / size[0] % size[1];
    id[2] = item / size[0] / size[1];
}

static void show_lane(struct running *r, uint32_t lane) {
    volatile struct wl_debug_here *here = &wl_debug_here;
    uint32_t id[3];
    r->lane = r->known->lane = lane;
    copy_scratch(r);
    fill_frames(r);
    find_item(r, lane, id);
    for (int d = 0; d < 3; d++)
        here->thread[d] = id[d];
    here->lane = lane;
    r->shown = true;
}

/* The wave is in front of an instruction. */
static void show(struct running *r, uint32_t lane) {
    volatile struct wl_debug_here *here = &wl_debug_here;
    for (int d = 0; d < 3; d++) {
        here->block[d] = r->runner->group->id[d];
        here->block_dim[d] = r->job->launch->block[d];
        here->grid_dim[d] = r->job->launch->grid[d];
    }
    here->wave = r->wave->wave_index;
    here->wave_size = r->wave->wave_size;
    here->rows = r->wave->vgprs;
    here->exec = wl_wave_exec(r->wave);
    here->state = r->wave;
    here->mark = r->point.mark->address;
    here->pc = shadow_of(r, r->point.mark->address);
    here->scratch = (uint64_t)(uintptr_t)r->scratch;
    here->kernel = r->job->function->kernel->name;
    here->waves = r->runner->group->wave_count;
    here->processor = r->job->function->module->target->processor;
    for (uint32_t i = 0; i < here->waves; i++) {
        const struct wl_runner *other = &r->runner->group->runners[i];
        wl_debug_waves[i].pc = other->debug && other->debug->group == r->known->group ? other->debug->last : 0;
        wl_debug_waves[i].exec = wl_wave_exec(wl_group_wave(r->runner->group, i));
        wl_debug_waves[i].state = other->state;
    }
    at_hand = r;
    show_lane(r, lane);
}

EXPORT int wl_debug_lane(unsigned lane) {
    struct running *r = at_hand;
    if (!r || lane >= r->wave->wave_size)
        return 0;
    if (r->shown)
        write_scratch_back(r);
    show(r, lane);
    return 1;
}

/* ---- breakpoints ----------------------------------------------------------------------------------------------------------------------- */

static uint32_t first_of(uint64_t lanes) { return lanes ? (uint32_t)__builtin_ctzll(lanes) : 0; }

/* The lanes of the wave for which a breakpoint's condition can be true. */
static uint64_t lanes_of_visit(const struct running *r, const volatile struct wl_debug_visit *visit, uint64_t exec) {
    uint32_t id[3];
    uint64_t lanes = 0;
    for (int d = 0; d < 3; d++)
        if (visit->block[d] >= 0 && visit->block[d] != (int64_t)r->runner->group->id[d])
            return 0;
    for (; exec; exec &= exec - 1) {
        const uint32_t lane = first_of(exec);
        bool fits = true;
        find_item(r, lane, id);
        for (int d = 0; d < 3; d++)
            fits &= visit->thread[d] < 0 || visit->thread[d] == (int64_t)id[d];
        if (fits)
            lanes |= UINT64_C(1) << lane;
    }
    return lanes;
}

static const volatile struct wl_debug_visit *find_visit(uint64_t shadow) {
    for (uint32_t i = 0; i < wl_debug_visit_count && i < WL_DEBUG_VISITS; i++)
        if (wl_debug_visits[i].pc == shadow)
            return &wl_debug_visits[i];
    return NULL;
}

/* Whether the wave comes to the shadow of the instruction that it is in front of. */
static bool comes_up(struct running *r, uint64_t shadow, bool stepping) {
    const uint64_t exec = wl_wave_exec(r->wave);
    const bool breaks = has_breakpoint(shadow);
    uint32_t lane = exec >> r->lane & 1 ? r->lane : first_of(exec);
    r->lanes = 0;
    if (breaks) {
        const volatile struct wl_debug_visit *visit = find_visit(shadow);
        const uint64_t lanes = visit ? lanes_of_visit(r, visit, exec) : 0;
        if (visit && !lanes && !stepping)
            return false;
        if (lanes) {
            lane = first_of(lanes);
            r->lanes = lanes & (lanes - 1);
        }
    }
    if (!breaks && !stepping)
        return false;
    wl_debug_here.stopped = 0;
    show(r, lane);
    return true;
}

/* ---- calls ------------------------------------------------------------------------------------------------------------------------------- */

static void note_call(struct running *r, const struct wl_mark *mark) {
    struct wl_debug_wave *known = r->known;
    const size_t rows = (size_t)r->wave->vgprs * r->wave->wave_size;
    if (known->depth == WL_DEBUG_DEPTH - 1)
        return;
    struct call *call = &known->calls[known->depth];
    if (!call->registers)
        call->registers = malloc((WL_SGPR_COUNT + rows) * sizeof *call->registers);
    if (!call->registers)
        return;
    memcpy(call->registers, r->wave->sgpr, sizeof r->wave->sgpr);
    memcpy(call->registers + WL_SGPR_COUNT, r->wave->vgpr, rows * sizeof *call->registers);
    call->return_address = mark->address + mark->size;
    known->depth++;
}

/* The wave jumps out of the unit: a call, a return to one of its callers, or another jump. */
static void note_jump(struct running *r, const struct wl_mark *mark) {
    struct wl_debug_wave *known = r->known;
    if (mark->calls) {
        note_call(r, mark);
        return;
    }
    for (uint32_t depth = known->depth; depth-- > 0;)
        if (known->calls[depth].return_address == r->wave->pc) {
            known->depth = depth;
            return;
        }
}

/* ---- running ------------------------------------------------------------------------------------------------------------------------------ */

/* Runs the instruction that the wave is in front of. A wave that polls memory stays in its code for many turns before others have theirs: so
 * Ctrl-C nearly always comes while it is there. */
static uint32_t run_to_mark(struct running *r) {
    enum { TURNS = 64 };
    for (;;) {
        const uint32_t exit = r->threaded->run_to_mark(r->wave, r->steps, &r->point);
        if (exit != WL_EXIT_YIELD || ++r->turns % TURNS == 0)
            return exit;
        r->wave->fuel = WL_FUEL;
    }
}

void wl_debug_forget(void) {
    at_hand = NULL;
    wl_debug_here.state = NULL;
}

uint64_t wl_debug_step(struct wl_debug_context *context) {
    struct running *r = (struct running *)(void *)context;
    const bool stepping = has_breakpoint(*context->slot);
    if (r->shown)
        write_scratch_back(r);
    r->frames[r->known->depth]->behind = r->frames[r->known->depth]->in_front;
    if (r->lanes && !wl_debug_here.stopped) {
        show_lane(r, first_of(r->lanes));
        r->lanes &= r->lanes - 1;
        return shadow_of(r, r->point.mark->address);
    }
    r->shown = false;
    for (;;) {
        const struct wl_mark *mark = r->point.mark;
        const uint64_t here = shadow_of(r, mark->address);
        *context->slot = here + BEHIND_CALL; /* for backtraces from within the instruction */
        const uint32_t exit = run_to_mark(r);
        if (exit != WL_EXIT_MARK) {
            r->known->last = here;
            r->known->last_depth = r->known->depth;
            if (exit == WL_EXIT_JUMP)
                note_jump(r, mark);
            wl_debug_forget();
            context->exit = exit;
            return 0;
        }
        const uint64_t next = shadow_of(r, r->point.mark->address);
        if (comes_up(r, next, stepping))
            return next;
    }
}

/* The stack below which a thread's frames for waves lie. It stays from entry to entry, so that a wave's frames have the same addresses each
 * time: gdb knows them by these. */
static uintptr_t stack_top(void) {
    static _Thread_local uintptr_t top;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (!top || here < top + MARGIN / 2 || here > top + 64 * (size_t)MARGIN)
        top = (here - MARGIN) & ~(uintptr_t)63;
    return top;
}

static uintptr_t lay_out_frames(struct running *r) {
    const struct wl_debug_wave *known = r->known;
    const uintptr_t top = stack_top(), own = top - (size_t)r->wave->wave_index * WAVE_STACK;
    for (uint32_t i = 0; i <= known->depth || i <= known->last_depth; i++) {
        struct wl_debug_frame *frame = r->frames[i] = (struct wl_debug_frame *)(own - (i + 1) * sizeof *frame);
        frame->in_front = frame->behind = (uint64_t)(uintptr_t)frame;
        if (i == 0)
            continue;
        frame->caller = (uint64_t)(uintptr_t)r->frames[i - 1];
        frame->return_address = shadow_of(r, known->calls[i - 1].return_address);
    }
    r->frames[known->depth]->behind = (uint64_t)(uintptr_t)r->frames[known->last_depth];
    return top - (size_t)WL_MAX_WAVES * WAVE_STACK;
}

/* Empties what is known of a wave, for another one. */
static bool begin_wave(struct wl_debug_wave *known, const struct wl_wave *wave, const struct wl_runner *runner, const struct wl_job *job) {
    const uint32_t *id = runner->group->id, *grid = job->launch->grid;
    known->group = ((uint64_t)id[2] * grid[1] + id[1]) * grid[0] + id[0];
    known->depth = known->last_depth = known->lane = 0;
    known->last = 0;
    for (unsigned i = 0; known->rows != wave->vgprs && i < WL_DEBUG_DEPTH - 1; i++) {
        free(known->calls[i].registers);
        known->calls[i].registers = NULL;
    }
    known->rows = wave->vgprs;
    if (!known->scratch || known->scratch_size < job->scratch_size) {
        free(known->scratch);
        known->scratch = malloc(job->scratch_size + 16);
        known->scratch_size = known->scratch ? job->scratch_size : 0;
    }
    return known->scratch;
}

/* NULL: no memory. */
static struct wl_debug_wave *known_of(struct wl_runner *runner, const struct wl_wave *wave, const struct wl_job *job) {
    if (!runner->debug && !(runner->debug = calloc(1, sizeof *runner->debug)))
        return NULL;
    if (wave->resume == 0 && runner->unit == job->unit && !begin_wave(runner->debug, wave, runner, job))
        return NULL;
    return runner->debug;
}

uint32_t wl_debug_run(struct wl_wave *wave, const struct wl_steps *steps) {
    struct wl_runner *runner = wave->owner;
    const struct wl_job *job = wl_fault_thread()->job;
    struct running r = {.context = {.trampoline = wl_debug_trampoline}, .wave = wave, .steps = steps, .job = job, .runner = runner};
    r.known = known_of(runner, wave, job);
    if (!r.known || wl_threaded_use(&r.threaded) != WL_OK)
        return WL_EXIT_ILLEGAL;
    r.scratch = r.known->scratch;
    r.lane = r.known->lane;
    uint32_t exit = r.threaded->run_to_mark(wave, steps, &r.point);
    if (exit == WL_EXIT_MARK) {
        const uintptr_t stack = lay_out_frames(&r);
        const uint64_t shadow = shadow_of(&r, r.point.mark->address);
        r.context.kernel = r.frames[0];
        r.context.within = &r.within;
        fill_frames(&r);
        comes_up(&r, shadow, true);
        r.context.result = wave->vgpr[r.lane] | (uint64_t)wave->vgpr[wave->wave_size + r.lane] << 32;
        exit = wl_debug_enter(&r.context, r.frames[0], r.frames[r.known->depth], r.known->last ? r.known->last + BEHIND_CALL : shadow,
                              stack, shadow);
    }
    return exit;
}

void wl_debug_wave_free(struct wl_debug_wave *wave) {
    for (unsigned i = 0; wave && i < WL_DEBUG_DEPTH - 1; i++)
        free(wave->calls[i].registers);
    if (wave)
        free(wave->scratch);
    free(wave);
}
