#include "device/cpu/debug/debug.h"

#include "base/assert.h"
#include "base/peek.h"
#include "debug/debug.h"
#include "debug/frame.h"
#include "device/cpu/debug/condition.h"
#include "device/cpu/fault/fault.h"
#include "device/cpu/memory.h"
#include "device/cpu/run/exits.h"
#include "device/debugger.h"
#include "device/translator.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define EXPORT __attribute__((visibility("protected"))) /* the command `wavelift` has the same names, which must not take their place */

EXPORT volatile struct wl_debug_here wl_debug_here;
EXPORT volatile struct wl_debug_visit wl_debug_visits[WL_DEBUG_VISITS];
EXPORT volatile uint32_t wl_debug_visit_count;
EXPORT volatile struct wl_debug_wave_row wl_debug_waves[WL_MAX_WAVES];
EXPORT struct wl_debug_past wl_debug_history[WL_DEBUG_HISTORY];
EXPORT volatile struct wl_debug_goal wl_debug_goal;
EXPORT volatile struct wl_debug_watch wl_debug_watches[WL_DEBUG_WATCHES];
EXPORT volatile uint32_t wl_debug_watch_count;
EXPORT volatile struct wl_debug_watched wl_debug_watched[WL_DEBUG_WATCHES];
EXPORT volatile uint32_t wl_debug_watched_count;
EXPORT uint32_t wl_debug_registers[WL_SGPR_COUNT + WL_DEBUG_ROWS];

enum {
    BREAKPOINT = WL_BREAKPOINT,
    BEHIND_CALL = WL_BEHIND_CALL,
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
    uint32_t lane, chosen;      /* that was shown last, and that the debugger wants while it is active */
    uint32_t depth, last_depth; /* now, and before the last call or return */
    uint32_t rows;              /* that `registers` of the calls have room for */
    uint32_t *scratch;          /* for each lane's private memory */
    uint64_t scratch_size;      /* of all lanes */
    uint64_t last;              /* the shadow of the instruction that left the code; 0: the wave has not begun */
    /* The wave stands in front of an instruction, `last`, because another one has its turn: */
    bool stands;
    struct wl_mark_point point;
    uint64_t lanes, launch;
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
    uintptr_t top;                                 /* below which the waves' frames lie */
    uint64_t pc;                                   /* the shadow that it is shown at */
    uint64_t lanes;                                /* that have yet to come to the shadow at hand */
    uint32_t lane, turns;
    bool wanted; /* the debugger wants the wave to come up */
    bool shown;  /* the wave may have been stopped: the lane's private memory may have been changed */
    bool inside; /* an instruction is under way: that in front of context.slot */
};

/* The wave that may have stopped, and the one that the debugger looks at: it, or another one of its workgroup. */
static struct running *at_hand, *looked_at;
static struct running other;

/* The wave that the debugger wants to step next; NULL: the one that has stopped. */
static const struct wl_runner *turn;

static uint64_t shadow_of(const struct running *r, uint64_t address) { return wl_debug_shadow(r->job->function->module, address); }

static bool has_breakpoint(uint64_t shadow) { return *(const volatile uint8_t *)(uintptr_t)shadow == BREAKPOINT; }

/* ---- the lane at hand ---------------------------------------------------------------------------------------------------------------- */

static uint32_t *scratch_place(const struct running *r, uint32_t word) {
    return (uint32_t *)(void *)(r->wave->scratch + wl_scratch_address(word * 4, r->lane, r->wave->wave_size));
}

/* The lane's copy: each lane has its own, so that a place that the debugger watches is always the same lane's. */
static uint32_t *scratch_copy(const struct running *r) {
    return r->known->scratch + r->lane * (wl_debug_lane_stride(r->job->scratch_size) / sizeof *r->known->scratch);
}

/* Only writes what has changed, because the debugger may watch it. */
static void copy_scratch(const struct running *r) {
    for (uint32_t i = 0; i < r->job->scratch_size / 4; i++)
        if (r->scratch[i] != *scratch_place(r, i))
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

static void tell_item(const struct running *r, uint32_t lane) {
    volatile struct wl_debug_here *here = &wl_debug_here;
    uint32_t id[3];
    find_item(r, lane, id);
    for (int d = 0; d < 3; d++)
        here->thread[d] = id[d];
    here->lane = lane;
}

static void tell_workgroup(const struct running *r) {
    volatile struct wl_debug_here *here = &wl_debug_here;
    for (int d = 0; d < 3; d++) {
        here->block[d] = r->runner->group->id[d];
        here->block_dim[d] = r->job->launch->block[d];
        here->grid_dim[d] = r->job->launch->grid[d];
    }
    here->wave = r->wave->wave_index;
    here->wave_size = r->wave->wave_size;
}

static void take_lane(struct running *r, uint32_t lane) {
    r->lane = r->known->lane = lane;
    r->scratch = scratch_copy(r);
    fill_frames(r);
    tell_item(r, lane);
}

static void show_lane(struct running *r, uint32_t lane) {
    take_lane(r, lane);
    memcpy(wl_debug_registers, r->wave->sgpr, sizeof r->wave->sgpr);
    for (uint32_t row = 0; row < r->wave->vgprs && row < WL_DEBUG_ROWS; row++)
        wl_debug_registers[WL_SGPR_COUNT + row] = r->wave->vgpr[row * r->wave->wave_size + lane];
    copy_scratch(r);
    wl_debug_show_windows(r->runner->group, r->scratch, r->job->scratch_size);
    r->shown = true;
}

static bool has_begun(const struct running *r, const struct wl_runner *other) {
    return other->debug && other->debug->group == r->known->group && other->debug->last;
}

/* Makes a wave the one that the debugger looks at. */
static void show(struct running *r, uint32_t lane) {
    volatile struct wl_debug_here *here = &wl_debug_here;
    tell_workgroup(r);
    here->rows = r->wave->vgprs;
    here->exec = wl_wave_exec(r->wave);
    here->state = r->wave;
    here->pc = r->pc;
    here->mark = r->pc - shadow_of(r, 0);
    here->frame = (uint64_t)(uintptr_t)r->frames[r->known->last_depth];
    here->scratch = (uint64_t)(uintptr_t)r->scratch;
    here->kernel = r->job->function->kernel->name;
    here->waves = r->runner->group->wave_count;
    here->processor = r->job->function->module->target->processor;
    here->descriptor = (uint64_t)(uintptr_t)r->job->function->module->image + r->job->function->kernel->descriptor;
    here->kernarg = (uint64_t)(uintptr_t)r->job->launch->kernarg;
    here->lds = r->job->lds_size;
    here->private = r->job->scratch_size;
    for (uint32_t i = 0; i < here->waves; i++) {
        const struct wl_runner *other = &r->runner->group->runners[i];
        wl_debug_waves[i].pc = other->debug == at_hand->known ? at_hand->pc : has_begun(r, other) ? other->debug->last : 0;
        wl_debug_waves[i].exec = wl_wave_exec(wl_group_wave(r->runner->group, i));
        wl_debug_waves[i].state = other->state;
        wl_debug_waves[i].stopped = other->debug == at_hand->known;
    }
    looked_at = r;
    show_lane(r, lane);
}

EXPORT int wl_debug_lane(unsigned lane) {
    struct running *r = looked_at;
    if (!r || lane >= r->wave->wave_size)
        return 0;
    if (r->inside)
        r->pc = *r->context.slot - BEHIND_CALL;
    if (r->shown)
        write_scratch_back(r);
    r->known->chosen = lane;
    show(r, lane);
    return 1;
}

/* ---- breakpoints ----------------------------------------------------------------------------------------------------------------------- */

static uint32_t first_of(uint64_t lanes) { return lanes ? (uint32_t)__builtin_ctzll(lanes) : 0; }

/* The one that the debugger has chosen, while it is active. */
static uint32_t lane_to_show(const struct running *r, uint64_t exec) {
    return !exec || exec >> r->known->chosen & 1 ? r->known->chosen : first_of(exec);
}

/* Whether a visit's condition may be true for a lane. */
static bool may_hold(struct running *r, const volatile struct wl_debug_visit *visit, uint32_t lane) {
    struct wl_debug_frame *frame = r->frames[r->known->depth];
    const struct wl_debug_asked asked = {.wave = r->wave,
                                         .frame = (uint64_t)(uintptr_t)frame,
                                         .lane = lane,
                                         .scratch_size = r->job->scratch_size,
                                         .scratch = frame->scratch};
    if (visit->count == 0)
        return true;
    frame->vgprs = (uint64_t)(uintptr_t)(r->wave->vgpr + lane);
    tell_item(r, lane);
    return wl_debug_condition_holds(&asked, visit->first, visit->count);
}

/* The lanes that have to come to a shadow because of breakpoints with conditions. False: there are no such breakpoints. */
static bool find_lanes(struct running *r, uint64_t shadow, uint64_t exec, uint64_t *lanes) {
    bool found = false;
    *lanes = 0;
    for (uint32_t i = 0; i < wl_debug_visit_count && i < WL_DEBUG_VISITS; i++) {
        if (wl_debug_visits[i].pc != shadow)
            continue;
        if (!found) {
            fill_frames(r);
            tell_workgroup(r);
        }
        found = true;
        for (uint64_t rest = exec & ~*lanes; rest; rest &= rest - 1)
            if (may_hold(r, &wl_debug_visits[i], first_of(rest)))
                *lanes |= UINT64_C(1) << first_of(rest);
    }
    return found;
}

EXPORT __attribute__((noinline)) void wl_debug_reached(void) { __asm__ volatile("" ::: "memory"); }

/* Whether the wave comes to the shadow of the instruction that it is in front of. */
static bool comes_up(struct running *r, uint64_t shadow, bool stepping) {
    const uint64_t exec = wl_wave_exec(r->wave);
    bool breaks = has_breakpoint(shadow);
    uint32_t lane = lane_to_show(r, exec);
    r->lanes = 0;
    if (breaks) {
        uint64_t lanes;
        breaks = !find_lanes(r, shadow, exec, &lanes) || lanes;
        if (lanes) {
            lane = r->known->chosen = first_of(lanes);
            r->lanes = lanes & (lanes - 1);
        }
    }
    const bool at_goal = wl_debug_goal.launch == wl_debug_here.launch && wl_debug_goal.step == wl_debug_here.step;
    if (!breaks && !stepping && !at_goal && !r->wanted)
        return false;
    wl_debug_here.stopped = 0;
    r->pc = shadow;
    at_hand = r;
    turn = NULL;
    show(r, lane);
    if (at_goal || r->wanted)
        wl_debug_reached();
    r->wanted = false;
    return true;
}

/* The wave goes on, and no breakpoint has it come up. What faults or is interrupted is shown then. */
static void begin_unseen(struct running *r, uint64_t shadow) {
    at_hand = looked_at = r;
    r->pc = shadow;
    tell_workgroup(r);
    wl_debug_here.lane = r->lane;
    wl_debug_here.state = r->wave;
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

/* ---- frames on the stack ---------------------------------------------------------------------------------------------------------------- */

/* The stack below which a thread's frames for waves lie. It stays from entry to entry, so that a wave's frames have the same addresses each
 * time: gdb knows them by these. */
static uintptr_t stack_top(void) {
    static _Thread_local uintptr_t top;
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (!top || here < top + MARGIN / 2 || here > top + 64 * (size_t)MARGIN)
        top = (here - MARGIN) & ~(uintptr_t)63;
    return top;
}

static void lay_out_frames(struct running *r) {
    const struct wl_debug_wave *known = r->known;
    const size_t place =
        r == &other ? 0 : r->wave->wave_index + 1; /* callers are above callees: what is looked at seems to call what stopped */
    const uintptr_t own = r->top - place * WAVE_STACK;
    for (uint32_t i = 0; i <= known->depth || i <= known->last_depth; i++) {
        struct wl_debug_frame *frame = r->frames[i] = (struct wl_debug_frame *)(own - (i + 1) * sizeof *frame);
        frame->in_front = frame->behind = (uint64_t)(uintptr_t)frame;
        if (i == 0)
            continue;
        frame->caller = (uint64_t)(uintptr_t)r->frames[i - 1];
        frame->return_address = shadow_of(r, known->calls[i - 1].return_address);
    }
    r->frames[known->depth]->behind = (uint64_t)(uintptr_t)r->frames[known->last_depth];
}

/* ---- other waves of the workgroup ------------------------------------------------------------------------------------------------------- */

/* The debugger may have written to the private memory of the wave that it has looked at. */
static void leave_other(void) {
    if (looked_at != &other)
        return;
    write_scratch_back(&other);
    show(at_hand, at_hand->lane);
}

EXPORT int wl_debug_wave(unsigned number) {
    if (!at_hand || number >= at_hand->runner->group->wave_count)
        return 0;
    leave_other();
    if (number == at_hand->wave->wave_index)
        return 1;
    const struct wl_runner *runner = &at_hand->runner->group->runners[number];
    if (!has_begun(at_hand, runner) || runner->state == WL_WAVE_ENDED)
        return 0;
    other = (struct running){.wave = wl_group_wave(runner->group, number),
                             .known = runner->debug,
                             .job = at_hand->job,
                             .runner = runner,
                             .lane = runner->debug->lane,
                             .top = at_hand->top,
                             .pc = runner->debug->last};
    other.scratch = scratch_copy(&other);
    lay_out_frames(&other);
    /* What its kernel returns to, and the host's registers there. */
    struct wl_debug_frame *kernel = other.frames[0];
    const struct wl_debug_frame *from = at_hand->frames[0];
    kernel->caller = from->caller;
    kernel->return_address = from->return_address;
    memcpy(&kernel->rsp, &from->rsp, offsetof(struct wl_debug_frame, in_front) - offsetof(struct wl_debug_frame, rsp));
    show(&other, other.lane);
    return 1;
}

EXPORT int wl_debug_turn(unsigned number) {
    if (!at_hand || number >= at_hand->runner->group->wave_count)
        return 0;
    const struct wl_runner *runner = &at_hand->runner->group->runners[number];
    if (runner == at_hand->runner || runner->state == WL_WAVE_ENDED || runner->state == WL_WAVE_FAILED)
        return 0;
    turn = runner;
    return 1;
}

/* Whether a wave has to stand still because another one of its workgroup has its turn, and does not wait for others. */
static bool has_to_stand(const struct wl_runner *runner) {
    return turn && turn != runner && turn->group == runner->group && (turn->state == WL_WAVE_READY || turn->state == WL_WAVE_YIELDED);
}

static void stand(struct running *r, uint64_t shadow) {
    struct wl_debug_wave *known = r->known;
    known->stands = true;
    known->point = r->point;
    known->launch = wl_debug_here.launch;
    known->lanes = wl_debug_here.stopped ? 0 : r->lanes;
    known->last = shadow;
    known->last_depth = known->depth;
}

/* ---- what was, and what is watched ----------------------------------------------------------------------------------------------------- */

static void note_past(const struct running *r, uint64_t pc) {
    const uint64_t step = wl_debug_here.step;
    wl_debug_history[step % WL_DEBUG_HISTORY] = (struct wl_debug_past){
        .pc = pc, .wave = r->known->group * WL_MAX_WAVES + r->wave->wave_index, .step = step, .depth = r->known->depth};
    wl_debug_here.step = step + 1;
}

static bool is_watched(const struct running *r, const volatile struct wl_debug_watch *watch) {
    const uint32_t *block = r->runner->group->id;
    return watch->state == r->wave && watch->block[0] == block[0] && watch->block[1] == block[1] && watch->block[2] == block[2];
}

/* Lets the debugger see what an instruction has done to what it watches: it has the host watch the copy. A watched lane is the one at hand, so
 * that its variables are compared. */
static void follow_watches(struct running *r) {
    for (uint32_t i = 0; i < wl_debug_watch_count && i < WL_DEBUG_WATCHES; i++) {
        if (!is_watched(r, &wl_debug_watches[i]))
            continue;
        if (r->lane != wl_debug_watches[i].lane)
            take_lane(r, wl_debug_watches[i].lane);
        copy_scratch(r);
    }
}

EXPORT __attribute__((noinline)) void wl_debug_changed(void) { __asm__ volatile("" ::: "memory"); }

/* Tells the debugger of what is watched and has changed, once, if it has not told of that itself. */
static void tell_changes(void) {
    bool changed = false;
    for (uint32_t i = 0; i < wl_debug_watched_count && i < WL_DEBUG_WATCHES; i++) {
        struct wl_debug_watched watched;
        uint8_t now[WL_DEBUG_SEEN];
        memcpy(&watched, (const void *)&wl_debug_watched[i], sizeof watched);
        if (watched.size > sizeof now || !wl_peek((const void *)(uintptr_t)watched.address, now, watched.size) ||
            memcmp(now, watched.seen, watched.size) == 0)
            continue;
        memcpy((void *)&wl_debug_watched[i].seen, now, watched.size);
        changed = true;
    }
    if (changed)
        wl_debug_changed();
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

static void forget_wave(void) {
    at_hand = looked_at = NULL;
    wl_debug_here.state = NULL;
}

void wl_debug_forget(void) {
    forget_wave();
    turn = NULL;
}

/* The wave leaves its code, and goes back to the runtime. */
static uint64_t leave(struct wl_debug_context *context, uint32_t exit) {
    forget_wave();
    context->exit = exit;
    return 0;
}

/* Whether the wave jumps to where the code object has no code. */
static bool jumps_nowhere(const struct running *r) {
    uint64_t begin, end;
    wl_debug_code(r->job->function->module->object, &begin, &end);
    return r->wave->pc < begin || r->wave->pc >= end;
}

/* A trap of the program, or code that cannot be executed, stops as a fault does, before the runtime makes an error of it. The debugger keeps the signal to itself. */
static void stop_at_trap(struct running *r, uint64_t shadow) {
    r->pc = shadow;
    at_hand = r;
    show(r, lane_to_show(r, wl_wave_exec(r->wave)));
#ifdef __x86_64__
    __asm__ volatile("int3");
#endif
}

uint64_t wl_debug_step(struct wl_debug_context *context) {
    struct running *r = (struct running *)(void *)context;
    const bool stepping = has_breakpoint(*context->slot);
    leave_other();
    if (r->shown)
        write_scratch_back(r);
    r->frames[r->known->depth]->behind = r->frames[r->known->depth]->in_front;
    if (has_to_stand(r->runner)) {
        stand(r, shadow_of(r, r->point.mark->address));
        return leave(context, WL_EXIT_YIELD);
    }
    if (r->lanes && !wl_debug_here.stopped) {
        r->known->chosen = first_of(r->lanes);
        show_lane(r, r->known->chosen);
        r->lanes &= r->lanes - 1;
        return shadow_of(r, r->point.mark->address);
    }
    r->shown = false;
    for (;;) {
        const bool looks_back = wl_debugger & WL_DEBUGGER_LOOKS_BACK;
        const uint64_t here = shadow_of(r, r->point.mark->address);
        *context->slot = here + BEHIND_CALL; /* for backtraces from within the instruction */
        if (looks_back)
            note_past(r, here);
        r->point.shadows = stepping || looks_back || wl_debug_watch_count ? NULL : (const uint8_t *)(uintptr_t)shadow_of(r, 0);
        r->point.slot = context->slot;
        r->inside = true;
        const uint32_t exit = run_to_mark(r);
        if (wl_debug_watch_count)
            follow_watches(r);
        if (wl_debug_watched_count)
            tell_changes();
        const uint64_t next = shadow_of(r, r->point.mark->address);
        r->inside = false;
        if (exit != WL_EXIT_MARK) {
            r->known->last = next;
            r->known->last_depth = r->known->depth;
            if (exit == WL_EXIT_TRAP || exit == WL_EXIT_ILLEGAL || (exit == WL_EXIT_JUMP && jumps_nowhere(r)))
                stop_at_trap(r, next);
            else if (exit == WL_EXIT_JUMP)
                note_jump(r, r->point.mark);
            return leave(context, exit);
        }
        if (comes_up(r, next, stepping))
            return next;
    }
}

static void free_scratch(struct wl_debug_wave *known) {
    if (known->scratch)
        munmap(known->scratch, known->scratch_size);
    known->scratch = NULL;
}

/* Empties what is known of a wave, for another one. */
static bool begin_wave(struct wl_debug_wave *known, const struct wl_wave *wave, const struct wl_runner *runner, const struct wl_job *job) {
    const uint32_t *id = runner->group->id, *grid = job->launch->grid;
    const uint64_t group = ((uint64_t)id[2] * grid[1] + id[1]) * grid[0] + id[0];
    if (known->stands && known->group == group && known->launch == wl_debug_here.launch)
        return true; /* in front of an instruction at which nobody can enter */
    known->stands = false;
    known->group = group;
    known->depth = known->last_depth = known->lane = known->chosen = 0;
    known->last = 0;
    for (unsigned i = 0; known->rows != wave->vgprs && i < WL_DEBUG_DEPTH - 1; i++) {
        free(known->calls[i].registers);
        known->calls[i].registers = NULL;
    }
    known->rows = wave->vgprs;
    const size_t size = wl_debug_lane_stride(job->scratch_size ? job->scratch_size : 1) * wave->wave_size;
    if (!known->scratch || known->scratch_size < size) {
        free_scratch(known);
        known->scratch = wl_debug_share(size);
        known->scratch_size = known->scratch ? size : 0;
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

/* Enters the shadows. `stood`: the wave has stood in front of the instruction, and has been there already but for some lanes. */
static uint32_t enter(struct running *r, bool stood) {
    r->top = stack_top();
    lay_out_frames(r);
    const uint64_t shadow = shadow_of(r, r->point.mark->address), last = r->known->last;
    r->context.kernel = r->frames[0];
    r->context.within = &r->within;
    fill_frames(r);
    bool comes = (!stood || r->wanted) && comes_up(r, shadow, last && has_breakpoint(last + BEHIND_CALL));
    if (!comes)
        begin_unseen(r, shadow);
    if (stood && !comes) {
        r->lanes = r->known->lanes;
        wl_debug_here.stopped = 0;
    }
    r->context.result = r->wave->vgpr[r->lane] | (uint64_t)r->wave->vgpr[r->wave->wave_size + r->lane] << 32;
    const uint64_t entry = !comes ? wl_debug_entry(r->job->function->module) : last && !stood ? last + BEHIND_CALL : shadow;
    return wl_debug_enter(&r->context, r->frames[0], r->frames[r->known->depth], entry, r->top - (size_t)(WL_MAX_WAVES + 1) * WAVE_STACK,
                          shadow);
}

uint32_t wl_debug_run(struct wl_wave *wave, const struct wl_steps *steps) {
    struct wl_runner *runner = wave->owner;
    const struct wl_job *job = wl_fault_thread()->job;
    struct running r = {.context = {.trampoline = wl_debug_trampoline}, .wave = wave, .steps = steps, .job = job, .runner = runner};
    r.known = known_of(runner, wave, job);
    if (!r.known || wl_threaded_use(&r.threaded) != WL_OK)
        return WL_EXIT_ILLEGAL;
    if (has_to_stand(runner))
        return WL_EXIT_YIELD;
    r.lane = r.known->lane;
    r.scratch = scratch_copy(&r);
    r.wanted = turn == runner;
    const bool stood = r.known->stands;
    if (stood)
        r.point = r.known->point;
    r.known->stands = false;
    const uint32_t exit = stood ? WL_EXIT_MARK : r.threaded->run_to_mark(wave, steps, &r.point);
    return exit == WL_EXIT_MARK ? enter(&r, stood) : exit;
}

void wl_debug_wave_free(struct wl_debug_wave *wave) {
    for (unsigned i = 0; wave && i < WL_DEBUG_DEPTH - 1; i++)
        free(wave->calls[i].registers);
    if (wave)
        free_scratch(wave);
    free(wave);
}
