/* debug/: lets a debugger of the host stop waves in their own code.
 *
 *   in    breakpoints, which the debugger writes into memory; waves of launches whose module has some
 *   out   files for gdb's JIT interface (debug/debug.h); waves that go from shadow to shadow (debug/frame.h)
 *
 *   modules.c  the shadows of a module's instructions, and the list of such files
 *   waves.c    runs a wave through its shadows, as threaded code that stops in front of each instruction
 *   enter.c    the way to the shadows and back: a few instructions of the host
 *   condition.h  conditions of breakpoints, which are asked here as far as possible
 *   windows.c  LDS and private memory at the addresses that pointers to them have
 *   natives.c  what the debugger can ask about native code, which runs where there are no breakpoints
 *   jit.h      the list of files for the debugger
 *
 * The shadow of an instruction has four bytes: a call of the function that runs the instruction, and a jump to where that function says. So
 * a wave in its shadows is, for the debugger, a function of the host that calls another one in each line. A wave does not come to each
 * shadow: it comes to those that have a breakpoint, and goes on to the next shadow while the debugger steps, which shows as a breakpoint
 * behind the call. Between them it runs threaded code.
 *
 * Launches of modules without breakpoints are run as if there were no debugger. Those with some run on one thread, and all waves of a
 * workgroup have states of their own. There are shadows on x86-64 alone. Sanitizers and counters have no debugger beside them. */
#ifndef WL_DEVICE_CPU_DEBUG_H
#define WL_DEVICE_CPU_DEBUG_H

#include "device/cpu/cpu.h"

#define WL_DEBUG_DEPTH 64 /* functions of AMD code that call each other and have frames; what is called beyond has none of its own */

/* What the debugger's extension reads and writes: where the wave is that has stopped, or may. The names of the members are known to
 * tools/wavelift-gdb.py. */
struct wl_debug_here {
    uint32_t block[3], thread[3]; /* blockIdx, threadIdx */
    uint32_t block_dim[3], grid_dim[3];
    uint32_t lane, wave, wave_size, rows;
    uint64_t exec;
    const struct wl_wave *state; /* NULL: no wave may stop at present */
    uint64_t pc;                 /* the instruction's shadow */
    uint64_t mark;               /* its address in the code object */
    uint64_t scratch;            /* where the lane's private memory is copied to */
    const char *kernel;
    uint32_t stopped; /* the debugger writes 1 when it has stopped here: the other lanes are not asked any more */
    uint32_t waves;   /* of the workgroup */
    const char *processor;
    uint64_t frame;               /* what the frame register is behind the shadow's call (debug/frame.h) */
    uint64_t launch;              /* the launch's number, from 1 on, since the debugger came */
    uint64_t step;                /* how many instructions the launch's waves have run */
    uint64_t descriptor, kernarg; /* addresses of the kernel's descriptor and of its arguments */
    uint32_t lds, private;        /* bytes of a workgroup and of a lane */
};
extern volatile struct wl_debug_here wl_debug_here;

/* The waves of its workgroup. */
struct wl_debug_wave_row {
    uint64_t pc, exec; /* the shadow of the instruction at which it last left its code; 0: it has not begun */
    uint32_t state;    /* enum wl_wave_state */
    uint32_t stopped;  /* 1: it is the one that has stopped */
};
extern volatile struct wl_debug_wave_row wl_debug_waves[WL_MAX_WAVES];

/* A breakpoint with a condition: each active lane for which the condition may be true comes to the shadow, one after the other. The debugger
 * writes these; there may be several for a shadow. */
struct wl_debug_visit {
    uint64_t pc;           /* a shadow */
    uint32_t first, count; /* the condition's operations (condition.h); none: the debugger has to ask each lane */
};
enum { WL_DEBUG_VISITS = 64 };
extern volatile struct wl_debug_visit wl_debug_visits[WL_DEBUG_VISITS];
extern volatile uint32_t wl_debug_visit_count;

/* What waves did before: instruction number n is in row n % WL_DEBUG_HISTORY. */
struct wl_debug_past {
    uint64_t pc;   /* the instruction's shadow */
    uint64_t wave; /* the workgroup's number * WL_MAX_WAVES + the wave's */
    uint64_t step, depth /* functions that the wave was in */;
};
enum { WL_DEBUG_HISTORY = 1 << 15 };
extern struct wl_debug_past wl_debug_history[WL_DEBUG_HISTORY];

/* Where the debugger wants to be, in a run that does again what an earlier one did: launch and step are those that wl_debug_here had. The
 * debugger writes it. A launch of 0: nowhere. */
struct wl_debug_goal {
    uint64_t launch, step;
};
extern volatile struct wl_debug_goal wl_debug_goal;
/* Called when a wave is there: the debugger has a breakpoint here, and sets the next one at the shadow that wl_debug_here tells of. */
void wl_debug_reached(void);

/* A lane whose private memory, or registers, the debugger watches: its copy of the private memory changes with the memory. The debugger writes
 * these. */
struct wl_debug_watch {
    const struct wl_wave *state;
    uint32_t block[3];
    uint32_t lane;
};
enum { WL_DEBUG_WATCHES = 8 };
extern volatile struct wl_debug_watch wl_debug_watches[WL_DEBUG_WATCHES];
extern volatile uint32_t wl_debug_watch_count;

/* Memory that watchpoints in kernels watch, and its bytes as the debugger has last told of them. The debugger's extension writes this table. gdb
 * misses a change that comes while another thread loads a library: then the bytes differ from `seen`, and wl_debug_changed is called, where the
 * extension has a breakpoint. */
enum { WL_DEBUG_SEEN = 64 };
struct wl_debug_watched {
    uint64_t address;
    uint32_t size, reserved; /* size: bytes */
    uint8_t seen[WL_DEBUG_SEEN];
};
extern volatile struct wl_debug_watched wl_debug_watched[WL_DEBUG_WATCHES];
extern volatile uint32_t wl_debug_watched_count;
/* Called behind an instruction when bytes of wl_debug_watched have changed. */
void wl_debug_changed(void);

/* The registers of the lane at hand, as they are when it comes up: scalar ones, then its VGPRs and AGPRs. */
enum { WL_DEBUG_ROWS = 512 };
extern uint32_t wl_debug_registers[];

/* Makes another lane the one whose variables the debugger sees. For the debugger to call while a wave has stopped. False: there is no such
 * lane, or no wave. */
int wl_debug_lane(unsigned lane);
/* Makes another wave of the workgroup the one that wl_debug_here is about, with its frames beside those of the wave that has stopped, until
 * that goes on. To be called in the same way. False: there is no such wave, or it has not begun, or has ended. */
int wl_debug_wave(unsigned number);
/* Has another wave of the workgroup come up in front of its next instruction, where the debugger's breakpoint in wl_debug_reached tells of it; the
 * others stand until then, if it does not wait for them. To be called in the same way. False: there is no such wave, or it has ended. */
int wl_debug_turn(unsigned number);
/* Writes the instruction of a shadow as text to wl_debug_instruction; returns its length in bytes, 0 if there is none. To be called in the
 * same way. */
int wl_debug_disassemble(uint64_t shadow);
extern char wl_debug_instruction[256];

/* Tells the debugger of all native code that it does not know of. For it to call while all threads stand. False: another thread is at the
 * list. */
int wl_debug_tell(void);
/* Where a thread is that runs a kernel as native or threaded code. */
struct wl_debug_place {
    const char *kernel;
    uint64_t pc; /* a shadow; 0: the stack tells, or nothing does */
    uint32_t block[3], wave;
    uint32_t known;        /* 0: only the kernel is */
    uint32_t of_workgroup; /* all waves of the workgroup run as one */
};
extern struct wl_debug_place wl_debug_place;
/* Fills wl_debug_place for the calling thread. False: it runs no kernel. Takes no lock. To be called in the same way. */
int wl_debug_find_place(void);

/* ---- natives.c ---- */
struct wl_native; /* code/loader.h */
/* To be called when native code has been made and before it goes. Makes nothing without a debugger. */
void wl_debug_native_made(const struct wl_device_module *module, const struct wl_cpu_unit *unit, struct wl_native *native);
void wl_debug_native_gone(struct wl_native *native);

/* ---- modules.c ---- */
/* To be called when a module has been loaded and before it goes. Does nothing without a debugger. */
void wl_debug_module_loaded(struct wl_device_module *module);
void wl_debug_module_gone(struct wl_device_module *module);
/* Whether the debugger has a breakpoint in the module; it is told of the module if it has come later. Thread-safe. */
bool wl_debug_module_stops(struct wl_device_module *module);
/* The same, for a launch that begins, which is counted. */
bool wl_debug_launch_stops(struct wl_device_module *module);
/* The shadow of an address of the code object. */
uint64_t wl_debug_shadow(const struct wl_device_module *module, uint64_t address);
/* A shadow of no instruction, by which waves enter that do not come to one at once. */
uint64_t wl_debug_entry(const struct wl_device_module *module);

/* ---- waves.c ---- */
/* A wl_translate_steps_run_fn for threaded code with marks, of the wave that a thread's runner has. */
uint32_t wl_debug_run(struct wl_wave *wave, const struct wl_steps *steps);
/* A launch has ended, well or not: no wave of it can be asked about. */
void wl_debug_forget(void);
/* Frees what is known of a wave. NULL is allowed. */
void wl_debug_wave_free(struct wl_debug_wave *wave);

/* ---- windows.c ---- */
/* Memory of zeros that a window can show; NULL: there is none. It goes by munmap(). */
void *wl_debug_share(size_t size);
/* How far the copies of lanes' private memory are apart: each one can be shown. */
size_t wl_debug_lane_stride(uint32_t scratch_size);
/* Shows the LDS of a workgroup and a lane's private memory, of wl_debug_share, where flat addresses of marked code say that they are. */
void wl_debug_show_windows(const struct wl_group *group, void *scratch, uint32_t scratch_size);

/* ---- enter.c ---- */
struct wl_debug_frame; /* debug/frame.h */
/* What shadows work with, in rbx. The assembly of enter.c knows its members by their places. */
struct wl_debug_context {
    void (*trampoline)(void);      /* 0: what a shadow calls */
    struct wl_debug_frame *kernel; /* 8: where the host's registers are */
    uint64_t *slot;                /* 16: where the address behind the shadow's call is */
    uint64_t result;               /* 24: v0 and v1 of the lane: what a function has returned, for `finish` */
    uint32_t exit;                 /* 32: why the wave left */
    struct wl_debug_frame *within; /* 40: the frame register of the function, for who looks from within the shadow's call */
};
/* Goes to a shadow; returns when the wave leaves its code: context->exit. */
uint32_t wl_debug_enter(struct wl_debug_context *context, struct wl_debug_frame *kernel, struct wl_debug_frame *inner, uint64_t shadow,
                        uint64_t stack, uint64_t next);
void wl_debug_trampoline(void);
/* What the trampoline calls (waves.c): runs on to the next shadow at which the wave may stop, and returns it; 0: the wave leaves. */
uint64_t wl_debug_step(struct wl_debug_context *context);

#endif
