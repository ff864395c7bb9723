#include "device/cpu/fault/fault.h"
#include "base/options.h"
#include "device/cpu/fault/lds_bounds.h"
#include "device/cpu/memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#define SIGNAL_STACK 65536

void (*wl_device_describe_address)(uint64_t address, char *text, size_t size);

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP};
enum { SIGNAL_COUNT = sizeof signals / sizeof *signals };
static struct sigaction previous_actions[SIGNAL_COUNT];

/* Initial-exec: a handler must not allocate, which the general model may do on first use in a thread. */
static _Thread_local __attribute__((tls_model("initial-exec"))) struct wl_thread *current;
static _Thread_local __attribute__((tls_model("initial-exec")))
const char *chaining; /* frame in which this thread called the program's handler */

/* Where this thread goes on if the runtime itself touches memory of the program that is not there; NULL: it is not touching any. */
static _Thread_local __attribute__((tls_model("initial-exec"))) sigjmp_buf *guard;

/* The signal that cancels a thread is a queued SIGBUS with a value that nobody else uses: a signal of its own could be one that the program
 * uses. Our handler is installed while a job runs, and threads hardly ever block SIGBUS. */
#define CANCEL_SIGNAL SIGBUS
static char cancel_key;
static atomic_uint cancels_sent, cancels_received;

/* ---- in the handler ------------------------------------------------------------------------- */

static uint64_t context_pc(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uint64_t)context->uc_mcontext.gregs[REG_RIP];
#else
    return context->uc_mcontext.pc;
#endif
}

static uint64_t context_sp(const ucontext_t *context) {
#if defined(__x86_64__)
    return (uint64_t)context->uc_mcontext.gregs[REG_RSP];
#else
    return context->uc_mcontext.sp;
#endif
}

/* Whether all waves of a workgroup run as one. */
static bool in_workgroup_mode(const struct wl_runner *runner) { return runner->mode == WL_MODE_WORKGROUP; }

/* The instruction that a wave in threaded code is at, as the code has noted it; 0: the wave is not in threaded code. */
static uint32_t step_place(const struct wl_thread *thread, const struct wl_runner *runner) {
    const struct wl_job *job = thread->job;
    const struct wl_group *group = runner->group;
    if ((!runner->unit->steps && !runner->unit->marked) || !job)
        return 0;
    bool own = job->may_wait || job->keeps_wave;
    if (in_workgroup_mode(runner))
        return 0;
    return wl_group_wave((struct wl_group *)(uintptr_t)group, own ? (uint32_t)(runner - group->runners) : 0)->fault_pc;
}

static bool is_in(const struct wl_native *native, uint64_t pc) { return native && pc - (uint64_t)(uintptr_t)native->memory < native->size; }

/* Whether a PC lies in a unit's own code, of which the line table knows. */
static bool find_line(const struct wl_cpu_unit *unit, uint64_t pc, uint64_t *offset, unsigned *column, bool *exact) {
    for (int mode = 0; mode < WL_COPY_COUNT; mode++) {
        const struct wl_native *copies[] = {unit->native[mode], unit->loop_native[mode]};
        for (unsigned i = 0; i < sizeof copies / sizeof *copies; i++)
            if (is_in(copies[i], pc) && wl_native_line(copies[i], pc, offset, column, exact))
                return true;
    }
    return false;
}

/* The place in the unit's code. That is the PC; or, for a fault in what the unit has called (a helper, a slow function), the return
 * address: the first word on the stack that points into the unit. */
__attribute__((no_sanitize("address", "thread"))) static uint64_t translated_pc(const struct wl_cpu_unit *unit, const ucontext_t *context) {
    uint64_t pc = context_pc(context), offset;
    unsigned column;
    bool exact;
    if (find_line(unit, pc, &offset, &column, &exact))
        return pc;
#if defined(__aarch64__)
    if (find_line(unit, context->uc_mcontext.regs[30] - 1, &offset, &column, &exact))
        return context->uc_mcontext.regs[30] - 1;
#endif
    const uint64_t *stack = (const uint64_t *)(uintptr_t)(context_sp(context) & ~UINT64_C(7));
    for (unsigned i = 0; i < 256; i++) /* the runner's frames lie above, so this stays on the stack */
        if (find_line(unit, stack[i] - 1, &offset, &column, &exact))
            return stack[i] - 1;
    return 0;
}

/* Whether a PC lies in a unit's code: there the thread holds no lock and nothing is half done. */
static bool in_unit(const struct wl_cpu_unit *unit, uint64_t pc) {
    for (int mode = 0; mode < WL_COPY_COUNT; mode++)
        if (is_in(unit->native[mode], pc) || is_in(unit->loop_native[mode], pc))
            return true;
    return false;
}

/* The first trace of a kind on the stack: the innermost one. */
__attribute__((no_sanitize("address", "thread"))) static const void *find_trace(const struct wl_thread *thread, const ucontext_t *context,
                                                                                uint64_t magic, size_t alignment) {
    uintptr_t at = (context_sp(context) + alignment - 1) & ~(uintptr_t)(alignment - 1), top = (uintptr_t)thread->stack_top;
    for (; at < top; at += alignment)
        if (*(const uint64_t *)at == magic)
            return (const void *)at;
    return NULL;
}

#if defined(__x86_64__)
/* The lanes that a gather has not loaded yet, or a scatter not stored yet; the lowest of them faulted. The host's instruction takes lanes
 * out of its mask register as it goes. 0: not known. */
static uint32_t gather_lanes(const ucontext_t *context) {
    enum { EVEX = 0x62, MASKS = 5, SOFTWARE = 464, FEATURES = 512 }; /* XSAVE's component; offsets in the signal frame's state */
    const uint8_t *code = (const uint8_t *)(uintptr_t)context_pc(context), *state = (const uint8_t *)context->uc_mcontext.fpregs;
    uint32_t magic, size, offset, rest[2];
    uint64_t present, mask;
    const bool known = code[4] == 0x90 || code[4] == 0x91 || code[4] == 0xa0 || code[4] == 0xa1; /* of gathers; of scatters */
    if (code[0] != EVEX || !known || !state)
        return 0;
    memcpy(&magic, state + SOFTWARE, sizeof magic);
    if (magic != FP_XSTATE_MAGIC1)
        return 0;
    memcpy(&present, state + FEATURES, sizeof present);
    __cpuid_count(0xd, MASKS, size, offset, rest[0], rest[1]);
    if (!(present >> MASKS & 1) || size < 8 * sizeof mask)
        return 0;
    memcpy(&mask, state + offset + (code[3] & 7) * sizeof mask, sizeof mask);
    return (uint32_t)mask & 0xffff;
}
#else
static uint32_t gather_lanes(const ucontext_t *context) {
    (void)context;
    return 0;
}
#endif

/* The wave's lane for a lane of a gather in the strip with this trace. `packed`: lane n of the gather is the strip's n-th active lane. */
static void keep_gather(struct wl_thread *thread, const ucontext_t *context, struct wl_strip_trace strip, bool packed) {
    uint32_t left = gather_lanes(context);
    if (left && packed) {
        unsigned skip = (unsigned)__builtin_ctz(left);
        for (left = strip.lanes; skip && left; skip--)
            left &= left - 1;
    }
    left &= strip.lanes;
    if (left)
        strip.lanes = left & -left;
    thread->fault.strip = strip;
}

__attribute__((no_sanitize("address", "thread"))) static void copy_traces(struct wl_thread *thread, const struct wl_cpu_unit *unit,
                                                                          const ucontext_t *context) {
    uint64_t pc = context_pc(context), offset;
    unsigned column = 0;
    bool exact, own = find_line(unit, pc, &offset, &column, &exact);
    bool packed = own && column == WL_COLUMN_PACKED;
    bool gathers = packed || (own && column >= WL_COLUMN_GATHER && column <= WL_COLUMN_GATHER_TRACE);
    bool traced = packed || (own && (column == WL_COLUMN_TRACE || column == WL_COLUMN_GATHER_TRACE));
    bool workgroup = is_in(unit->native[WL_MODE_WORKGROUP], pc), one = own && column && column != WL_COLUMN_ACCESS && !traced;
    struct wl_strip_trace strip = {WL_STRIP_TRACE, 0, 0xffff};
    if (traced || (one && workgroup)) {
        const struct wl_strip_trace *found = find_trace(thread, context, WL_STRIP_TRACE, _Alignof(struct wl_strip_trace));
        if (found)
            strip = *found;
        else
            strip.magic = 0;
    }
    if (one)
        strip.first_lane += (column - (gathers ? WL_COLUMN_GATHER : 1)) * WL_STRIP;
    if (gathers && strip.magic) {
        keep_gather(thread, context, strip, packed);
    } else if (one || traced) {
        thread->fault.strip = strip;
    } else if (own ? column == WL_COLUMN_ACCESS : in_unit(unit, pc)) {
        const struct wl_access_trace *access = find_trace(thread, context, WL_ACCESS_TRACE, _Alignof(struct wl_access_trace));
        if (access)
            thread->fault.access = *access;
    }
}

/* Hands a signal to the program. If the program's handler was set after ours, it calls ours in turn: the second time only the system's
 * default is left. */
static void chain(int index, int number, siginfo_t *info, void *context) {
    const struct sigaction *previous = &previous_actions[index];
    const char *frame = __builtin_frame_address(0), *outer = chaining;
    /* A handler may have left by a jump, and `chaining` is out of date then: only a call from deeper in the same stack is a second one. */
    bool again = outer && frame < outer && outer - frame < SIGNAL_STACK;
    chaining = frame;
    if (!again && previous->sa_flags & SA_SIGINFO) {
        previous->sa_sigaction(number, info, context);
    } else if (!again && previous->sa_handler != SIG_DFL && previous->sa_handler != SIG_IGN) {
        previous->sa_handler(number);
    } else {
        /* The default action: the faulting instruction runs again and ends the process. */
        struct sigaction action = {.sa_handler = SIG_DFL};
        sigaction(number, &action, NULL);
        if (info->si_code <= 0 || number == SIGTRAP) /* sent by somebody, or an instruction that does not run again */
            raise(number);
    }
    chaining = outer;
}

/* Does what wl_fault_cancel asks for. If the thread is between two waves, or in a helper, the next signal will do it. */
static void leave_failed_job(struct wl_thread *thread, const ucontext_t *context) {
    const struct wl_runner *runner = thread ? thread->running : NULL;
    if (!runner || !thread->job || atomic_load_explicit(&thread->job->status, memory_order_relaxed) == WL_OK ||
        !(step_place(thread, runner) || in_unit(runner->unit, context_pc(context))))
        return;
    thread->fault.signal = 0;
    chaining = NULL;
    wl_lds_bounds_leave(thread);
    siglongjmp(thread->jump, 1);
}

/* A program with a handler of its own may know the address: it may make memory at the first access. */
static bool has_no_handler(int number) {
    for (int i = 0; i < SIGNAL_COUNT; i++)
        if (signals[i] == number)
            return !(previous_actions[i].sa_flags & SA_SIGINFO) &&
                   (previous_actions[i].sa_handler == SIG_DFL || previous_actions[i].sa_handler == SIG_IGN);
    return false;
}

static void handle(int number, siginfo_t *info, void *context) {
    struct wl_thread *thread = current;
    if (guard && info->si_code > 0 && (number == SIGSEGV || number == SIGBUS) && has_no_handler(number)) {
        sigjmp_buf *there = guard;
        guard = NULL;
        siglongjmp(*there, 1);
    }
    struct wl_runner *runner = thread ? thread->running : NULL;
    if (number == CANCEL_SIGNAL && info->si_code == SI_QUEUE && info->si_value.sival_ptr == &cancel_key) {
        atomic_fetch_add(&cancels_received, 1);
        leave_failed_job(thread, context);
        return;
    }
    if (number == SIGTRAP && thread && wl_lds_bounds_trap(thread, context))
        return;
    if (!runner || info->si_code <= 0 || number == SIGTRAP) {
        for (int i = 0; i < SIGNAL_COUNT; i++)
            if (signals[i] == number)
                chain(i, number, info, context);
        return;
    }
    if (number == SIGSEGV && wl_lds_bounds_fault(thread, runner->group, (uint64_t)(uintptr_t)info->si_addr, context))
        return;
    wl_lds_bounds_leave(thread);
    thread->fault = (struct wl_fault){
        .signal = number,
        .code = info->si_code,
        .address = (uint64_t)(uintptr_t)info->si_addr,
        .native_pc = translated_pc(runner->unit, context),
    };
    thread->fault.step = step_place(thread, runner);
    if (thread->fault.step) {
        const struct wl_access_trace *access = find_trace(thread, context, WL_ACCESS_TRACE, _Alignof(struct wl_access_trace));
        if (access)
            thread->fault.access = *access;
    } else {
        copy_traces(thread, runner->unit, context);
    }
    chaining = NULL;
    siglongjmp(thread->jump, 1);
}

/* ---- installation --------------------------------------------------------------------------- */

void wl_fault_install(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct sigaction first;
    if (sigaction(SIGSEGV, NULL, &first) == 0 && first.sa_sigaction == handle)
        return;
    pthread_mutex_lock(&lock);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction action = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART}, present;
        sigemptyset(&action.sa_mask);
        if (sigaction(signals[i], NULL, &present) == 0 && present.sa_sigaction != handle) {
            previous_actions[i] = present;
            sigaction(signals[i], &action, NULL);
        }
    }
    pthread_mutex_unlock(&lock);
}

bool wl_fault_guard(void (*body)(void *argument), void *argument) {
    static atomic_bool installed;
    sigjmp_buf here;
    if (!atomic_load_explicit(&installed, memory_order_acquire)) {
        wl_fault_install();
        atomic_store_explicit(&installed, true, memory_order_release);
    }
    if (sigsetjmp(here, 0)) {
        wl_fault_recover();
        return false;
    }
    guard = &here;
    body(argument);
    guard = NULL;
    return true;
}

bool wl_fault_thread_enter(struct wl_thread *thread) {
    stack_t present;
    current = thread;
    thread->running = NULL;
    if (sigaltstack(NULL, &present) == 0 && !(present.ss_flags & SS_DISABLE))
        return true; /* the program's own */
    void *memory = mmap(NULL, SIGNAL_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return false;
    stack_t stack = {.ss_sp = memory, .ss_size = SIGNAL_STACK};
    sigaltstack(&stack, &thread->previous_stack);
    thread->signal_stack = memory;
    return true;
}

struct wl_thread *wl_fault_thread(void) { return current; }

void wl_fault_thread_leave(struct wl_thread *thread) {
    if (thread->signal_stack) {
        stack_t present;
        if (sigaltstack(NULL, &present) == 0 && present.ss_sp == thread->signal_stack) {
            stack_t off = {.ss_flags = SS_DISABLE};
            sigaltstack(&off, NULL);
        }
        munmap(thread->signal_stack, SIGNAL_STACK);
        thread->signal_stack = NULL;
    }
    if (current == thread)
        current = NULL;
}

void wl_fault_thread_use(struct wl_thread *thread) { current = thread; }

void wl_fault_recover(void) {
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(&set, signals[i]);
    pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}

void wl_fault_cancel(pthread_t thread) {
    union sigval value = {.sival_ptr = &cancel_key};
    atomic_fetch_add(&cancels_sent, 1);
    if (pthread_sigqueue(thread, CANCEL_SIGNAL, value) != 0)
        atomic_fetch_add(&cancels_received, 1);
}

bool wl_fault_cancels_arrived(void) { return (int)(atomic_load(&cancels_sent) - atomic_load(&cancels_received)) <= 0; }

void wl_fault_cancels_forget(void) { atomic_store(&cancels_received, atomic_load(&cancels_sent)); }

/* ---- reports -------------------------------------------------------------------------------- */

struct paragraph {
    char text[2048];
    size_t length;
};

__attribute__((format(printf, 2, 3))) static void add(struct paragraph *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int written = vsnprintf(p->text + p->length, sizeof p->text - p->length, format, arguments);
    va_end(arguments);
    if (written > 0)
        p->length += (size_t)written < sizeof p->text - p->length ? (size_t)written : sizeof p->text - p->length - 1;
}

/* The lanes that may have raised the fault: the first and the last of them, as numbers in the wave, or in workgroup mode in the workgroup,
 * which has `size` lanes. False: not known. */
static bool faulting_lanes(const struct wl_fault *fault, const struct wl_wave *wave, uint32_t size, uint32_t *first, uint32_t *last) {
    const struct wl_access_trace *access = &fault->access;
    uint32_t lanes = access->magic ? access->lanes : fault->strip.magic ? fault->strip.lanes : 0;
    uint32_t base = access->magic ? access->first_lane : fault->strip.first_lane, hit = 0;
    for (uint32_t i = 0; access->magic && i < WL_STRIP; i++) {
        uint32_t offset;
        memcpy(&offset, (const char *)access->address + (size_t)i * 4, sizeof offset);
        uint64_t address = access->narrow ? access->base + offset : access->address[i];
        if (!access->narrow && address >> 32 == WL_SHARED_APERTURE_HI)
            address = (uint64_t)(uintptr_t)wave->lds + (uint32_t)address;
        if (fault->code == SI_KERNEL ? address >> 47 != 0 : fault->address - address < access->size) /* SI_KERNEL: no address that can be */
            hit |= UINT32_C(1) << i;
    }
    if (hit & lanes)
        lanes = hit & lanes & -(hit & lanes); /* the lowest: accesses are in the order of lanes */
    if (!lanes || base + 31 - (uint32_t)__builtin_clz(lanes) >= size)
        return false;
    *first = base + (uint32_t)__builtin_ctz(lanes);
    *last = base + 31 - (uint32_t)__builtin_clz(lanes);
    return true;
}

/* "(5, 1, 0)": the work item's number within its workgroup */
static void add_item(struct paragraph *p, const struct wl_job *job, const struct wl_group *group, uint32_t item) {
    const struct wl_launch *l = job->launch;
    uint32_t size[3];
    for (int d = 0; d < 3; d++)
        size[d] = l->remainder[d] && group->id[d] + 1 == l->grid[d] ? l->remainder[d] : job->whole.size[d];
    add(p, "(%u, %u, %u)", item % size[0], item / size[0] % size[1], item / size[0] / size[1]);
}

/* "kernel K, workgroup (1, 0, 0), work item (5, 1, 0) (wave 0, lane 21), at f+0x40 (file.hip:12)"; `known`: "at", "near", or
 * NULL; `fault`: says which lanes, or NULL */
static void add_place(struct paragraph *p, const struct wl_job *job, const struct wl_runner *runner, const struct wl_fault *fault,
                      const char *known, uint64_t pc) {
    const struct wl_group *group = runner->group;
    const struct wl_wave *wave = (const struct wl_wave *)(const void *)group->waves;
    char line[512];
    /* In a kernel that cannot wait all waves use one state, one after the other: then the index comes from the state, not its place. */
    if (job->may_wait || job->keeps_wave)
        wave = wl_group_wave(group, (uint32_t)(runner - group->runners));
    uint32_t first, last, start = wave->wave_index * job->wave_size;
    add(p, " in kernel %s, workgroup (%u, %u, %u), ", job->function->kernel->name, group->id[0], group->id[1], group->id[2]);
    if (fault && faulting_lanes(fault, wave, in_workgroup_mode(runner) ? job->whole.items : wave->wave_size, &first, &last)) {
        add(p, first == last ? "work item " : "one of the work items ");
        add_item(p, job, group, start + first);
        if (first != last) {
            add(p, " to ");
            add_item(p, job, group, start + last);
            add(p, " (wave %u, lanes %u to %u)", (start + first) / job->wave_size, first % job->wave_size, last % job->wave_size);
        } else {
            add(p, " (wave %u, lane %u)", (start + first) / job->wave_size, first % job->wave_size);
        }
    } else if (in_workgroup_mode(runner)) {
        add(p, "one of the work items %u to %u", 0u, job->whole.items - 1);
    } else {
        add(p, "wave %u (work items %u to %u)", wave->wave_index, start, start + job->wave_size - 1);
    }
    if (!known)
        return;
    add(p, ", %s %s+0x%llx", known, runner->unit->name, (unsigned long long)(pc - runner->unit->address));
    if (wl_codeobject_source_line(job->function->module->object, pc, line, sizeof line))
        add(p, " (%s)", line);
}

static void print(struct paragraph *p) {
    if (wl_options()->random_schedule)
        add(p, "; WAVELIFT_SCHEDULE=random:%llu", (unsigned long long)wl_options()->schedule);
    add(p, ".\n");
    fflush(stdout);
    fputs(p->text, stderr);
}

static void add_address(struct paragraph *p, const struct wl_thread *thread, const struct wl_runner *runner) {
    const struct wl_fault *fault = &thread->fault;
    char text[512] = "";
#if defined(__x86_64__)
    if (fault->signal == SIGSEGV && fault->code == SI_KERNEL) {
        add(p, "; the address is not one that memory can have");
        return;
    }
#endif
    add(p, "; address 0x%llx", (unsigned long long)fault->address);
    if (wl_group_describe(runner->group, fault->address, text, sizeof text))
        add(p, ": %s", text);
    else if (wl_device_describe_address) {
        wl_device_describe_address(fault->address, text, sizeof text);
        if (text[0])
            add(p, ": %s", text);
    }
}

enum wl_status wl_fault_report(const struct wl_thread *thread, const struct wl_job *job, const struct wl_runner *runner) {
    const struct wl_fault *fault = &thread->fault;
    bool memory = fault->signal == SIGSEGV || fault->signal == SIGBUS;
    struct paragraph p = {.length = 0};
    uint64_t offset = 0;
    unsigned column;
    bool exact = fault->step != 0, known = exact;
    if (fault->step)
        offset = (fault->step - 1) * UINT64_C(4);
    else
        known = fault->native_pc && find_line(runner->unit, fault->native_pc, &offset, &column, &exact);
    add(&p, "wavelift: %s", memory ? "illegal memory access" : fault->signal == SIGFPE ? "arithmetic fault" : "illegal instruction");
    add_place(&p, job, runner, fault, !known ? NULL : exact ? "at" : "near", runner->unit->address + offset);
    if (memory)
        add_address(&p, thread, runner);
    print(&p);
    return memory ? wl_fail(WL_ILLEGAL_ADDRESS, "kernel %s accessed illegal address 0x%llx", job->function->kernel->name,
                            (unsigned long long)fault->address)
                  : wl_fail(WL_ILLEGAL_INSTRUCTION, "kernel %s ran into an illegal instruction", job->function->kernel->name);
}

void wl_fault_report_stop(const struct wl_job *job, const struct wl_runner *runner, uint64_t pc, const char *what) {
    struct paragraph p = {.length = 0};
    add(&p, "wavelift: %s", what);
    add_place(&p, job, runner, NULL, pc != 0 ? "at" : NULL, pc);
    print(&p);
}

/* A wave of the workgroup that has not ended; NULL: all have, or none has begun. */
static const struct wl_runner *waiting_in(const struct wl_group *group) {
    for (uint32_t w = 0; group->ended < group->wave_count && w < group->wave_count; w++)
        if (group->runners[w].code && group->runners[w].state != WL_WAVE_ENDED)
            return &group->runners[w];
    return NULL;
}

/* A wave of the job that waits for its next turn. */
static const struct wl_runner *waiting_runner(const struct wl_thread *thread) {
    const struct wl_job *job = thread->job;
    const struct wl_runner *found = NULL;
    if (!job->may_wait)
        return NULL;
    for (uint64_t n = 0; job->groups && n < job->total && !found; n++)
        found = waiting_in(&job->groups[n]);
    for (const struct wl_group *group = job->parked.newest; group && !found; group = group->older)
        found = waiting_in(group);
    return found;
}

bool wl_fault_find_wave(struct wl_fault_wave *found) {
    const struct wl_thread *thread = current;
    const struct wl_job *job = thread ? thread->job : NULL;
    const struct wl_runner *runner = thread ? thread->running : NULL;
    if (!job)
        return false;
    *found = (struct wl_fault_wave){.function = job->function};
    if (runner) {
        const uint32_t step = step_place(thread, runner);
        found->pc = step ? runner->unit->address + (step - 1) * UINT64_C(4) : 0;
    } else {
        runner = waiting_runner(thread);
    }
    if (!runner)
        return true;
    const bool own = (job->may_wait || job->keeps_wave) && !in_workgroup_mode(runner);
    found->runner = runner;
    found->wave = wl_group_wave(runner->group, own ? (uint32_t)(runner - runner->group->runners) : 0);
    const struct wl_unit_info *info = atomic_load(&runner->unit->info[runner->mode]);
    if (!thread->running && info && found->wave->resume < info->resume_count)
        found->pc = info->resume[found->wave->resume].address;
    return true;
}
