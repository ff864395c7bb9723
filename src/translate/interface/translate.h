/* translate/: AMD machine code becomes native code, threaded code or PTX. The only layer that uses LLVM.
 *
 *   in    struct wl_translate_request: the image of a code object, the address of a kernel or function, and what the launch says of it
 *   out   struct wl_translate_result: a relocatable native object of the host. Or struct wl_steps_result: threaded code. Or PTX
 *
 * The layer makes two shared objects, which a device opens with dlopen when its cache has no entry: libwavelift-threaded.so makes threaded
 * code and has no LLVM; libwavelift-translate.so, the translator, makes native code and PTX. They know no HIP and no files. src/translate/CMakeLists.txt lists its folders, from the lowest to the
 * highest; each has a header whose first comment says what comes in and what goes out:
 *
 *   interface/translate.h   what a device asks for and gets (this header)     analysis/affine.h    unit -> facts
 *   isa/isa.h               the instructions, by name                         lift/lift.h          unit and facts -> LLVM IR
 *   decode/decoder.h        words -> instructions                             native/emit.h        LLVM IR -> native object
 *   semantics/semantics.h   what an instruction computes, in C                steps/steps.h        unit -> threaded code
 *   unit/unit.h             instructions -> a unit, its control flow          nvptx/ptx.h          units -> PTX
 *   rewrite/rewrite.h       unit -> better unit                               nvptx/device/        C functions that PTX calls */
#ifndef WL_TRANSLATE_INTERFACE_TRANSLATE_H
#define WL_TRANSLATE_INTERFACE_TRANSLATE_H

#include "base/status.h"
#include "machine/wave.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shapes of workgroups that get code of their own. Known to the affine analysis, part of the cache key. */
enum wl_shape {
    WL_SHAPE_ANY,     /* nothing is known */
    WL_SHAPE_ROWS,    /* blockDim.x is a multiple of 16: in each strip x is consecutive and y, z are the same */
    WL_SHAPE_HALVES,  /* waves of 64: the same for each half of the wave; blockDim.x is a multiple of 32 */
    WL_SHAPE_SQUARES, /* as ROWS, and blockDim.x is 16: x is the same in all strips */
    WL_SHAPE_LINES,   /* the same for each wave: blockDim.x is a multiple of the wave's size */
    WL_SHAPE_COUNT,
};

/* Where a kernel finds its workgroup's size: x in the low half of a dword, y in the high one. */
struct wl_block_size {
    bool in_kernarg, in_packet;                /* the kernarg segment, the dispatch packet has it */
    uint8_t kernarg_register, packet_register; /* first of the two SGPRs with its address when the kernel starts */
    uint32_t kernarg_offset, packet_offset;    /* there, in bytes */
};

/* How dense products of f16, bf16, xf32 and 8 bits are summed (machine/matrix.h). */
enum wl_matrix_sums {
    WL_SUMS_IN_ORDER, /* by fused multiply-adds; GPUs: in any order */
    WL_SUMS_CHEAP,    /* as the processor does it where that takes at most 1.2 times as long on every CPU, else in order */
    WL_SUMS_HARDWARE, /* as the processor does it */
};

struct wl_translate_request {
    const char *processor; /* "gfx90a" */
    uint32_t wave_size;    /* 32 or 64 */
    const uint8_t *image;  /* the code object's unrelocated image; virtual address v is image[v] */
    uint64_t image_size;
    uint64_t entry;                  /* virtual address of the unit */
    const char *name;                /* of the kernel or function, for messages and symbols */
    bool is_kernel;                  /* entry state is that of a kernel (below), else of a device function */
    uint32_t workitem_id_dimensions; /* kernels: 1 to 3 */
    bool packed_workitem_ids;        /* kernels: v0 = x | y << 10 | z << 20 */
    enum wl_shape shape;
    struct wl_block_size block_size; /* kernels of a shape that is known */
    bool has_private_register;       /* kernels: four SGPRs have the descriptor of private memory when the kernel starts: */
    uint8_t private_register;        /* the first of them */
    bool flushes_f32;                /* some kernel of the code object starts with f32 denormals flushed */
    bool sram_ecc;                   /* loads into half a register clear the other half: wl_target_has_sram_ecc */
    enum wl_mode mode;
    uint32_t
        workgroup_lanes; /* WL_MODE_WORKGROUP: work items of a workgroup: a multiple of the wave's size, WL_MAX_WORKGROUP_ITEMS at most */
    uint32_t workgroup_size[3]; /* the same: its size in x, y and z */
    bool loop_entries;          /* native code: loop entries are resume points, see struct wl_steps_control */
    bool exact_math;            /* approximate instructions are rounded correctly */
    enum wl_matrix_sums matrix_sums;
    bool all_lines;       /* the line table is to tell of instructions that cannot fault, too: for profilers */
    unsigned sanitize;    /* tools that the code tells of its accesses (machine/sanitize.h); 0: none */
    const char *cpu;      /* LLVM's name of the host CPU and its features; both from wl_translate_host */
    const char *features; /* for threaded code: NULL: this machine's */
    /* Whether [address, address + size) is executable. */
    bool (*is_code)(void *context, uint64_t address, uint64_t size);
    void *context;
    const uint64_t *functions; /* entry points that calls through pointers may reach, sorted; for PTX, and for wl_check_kernel */
    size_t function_count;
    const char *dump; /* folder for IR and objects, or NULL */
};

/* The object's symbols: "wl_unit" is the wl_unit_code, "wl_unit_info" a struct wl_unit_info in read-only data. */
struct wl_resume_point {
    uint64_t address;     /* virtual address of the instruction at which execution goes on */
    uint32_t is_return;   /* 1: behind a call: a JUMP to `address` enters here */
    uint16_t first_leads; /* 1: a workgroup's first wave goes on first here, else last (turns.h) */
    uint16_t only_looks;  /* 1: in a loop that does nothing but wait for what others write. Who leaves it sets wl_wave.moved */
};
enum { WL_WAITS = 1, WL_POLLS = 2, WL_SPINS = 4 };
struct wl_unit_info {
    uint32_t abi;          /* WL_WAVE_ABI */
    uint32_t rows;         /* VGPR rows that the unit uses: highest row + 1; of a kernel's FULL copy: with all that it jumps to */
    uint32_t instructions; /* AMD instructions translated */
    uint32_t resume_count;
    uint32_t may_wait;   /* WL_WAITS: has a barrier, a sleep, a message, a call or a spinning loop: waves need state of their own;
                          * WL_POLLS: may wait for other workgroups, which must then be run in order;
                          * WL_SPINS: waits in loops alone, for waves of its workgroup */
    uint32_t keeps_wave; /* 1: a wave that the copy ran to its end (WL_EXIT_END) can run it again as it is: other exits alone write to it.
                          * In workgroup mode: it leaves the work items' ids where they are */
    uint32_t may_workgroup_mode; /* FULL: 1: there can be a WL_MODE_WORKGROUP copy */
    uint32_t reserved;
    struct wl_resume_point resume[]; /* [0] is the entry */
};

struct wl_translate_result {
    void *object; /* a relocatable ELF object of the host; free with wl_translate_free */
    size_t size;
    uint32_t instructions;
    uint64_t decode_ns, lift_ns, optimize_ns, codegen_ns;
};

/* Translates one unit. For a kernel in FULL mode it first verifies every instruction that the kernel can reach, callees by address
 * included, so that nothing of them fails later; what is called through a pointer is translated, or fails, when it is called.
 * WL_UNSUPPORTED: the sentence names mnemonic, encoding, kernel and offset. Thread-safe. */
typedef enum wl_status wl_translate_fn(const struct wl_translate_request *request, struct wl_translate_result *result);
typedef void wl_translate_free_fn(struct wl_translate_result *result);
/* Before each allocation that a translation makes, in any thread, `function` is called from now on; NULL: nothing is. It may keep a thread
 * for ever, when the process ends: nothing that other threads need is held there, aside from the caller's own locks. */
typedef void wl_translate_pause_fn(void);
typedef void wl_translate_pause_with_fn(wl_translate_pause_fn *function);
/* LLVM's name and features of this machine's CPU, or of the one that WAVELIFT_CPU names. The strings live as long as the library.
 * Thread-safe. */
typedef void wl_translate_host_fn(const char **cpu, const char **features);
/* The same unit as threaded code (translate/steps/steps.h): made at once, slower to run, with the same results; any EXEC, so that it
 * serves both modes. Its resume points are those of native code. */
struct wl_steps;
/* How a wave gets from threaded code to native code; by mode. A wave that comes to a resume point leaves with WL_EXIT_MODE if
 * there is a native copy for its EXEC. Loops without one in them have *loop entries* at their headers, which are numbered behind
 * the resume points: a wave that stays long in loops asks for a copy with loop entries, and leaves with such a number in
 * wave->resume when it is there. */
struct wl_steps_control {
    _Atomic uint32_t native[WL_MODE_COUNT]; /* 1: there is a native copy; set by the owner */
    _Atomic uint32_t loops[WL_MODE_COUNT];  /* 1: there is one with loop entries; set by the owner */
    _Atomic uint32_t asked[WL_MODE_COUNT];
    void (*ask)(void *context, enum wl_mode mode); /* may be NULL; called at most once for each mode, by a thread that runs a wave */
    void *context;
    /* For initcheck: the registers that the unit may read, from its entry on, before it writes them. */
    uint64_t read_scalars[2], read_rows[WL_ROW_WORDS];
};
struct wl_steps_result {
    struct wl_steps *steps;           /* free with wl_translate_steps_free, when no wave runs it */
    const struct wl_unit_info *info;  /* part of it */
    struct wl_steps_control *control; /* the same */
    uint64_t decode_ns, build_ns;
};
/* Verifies as wl_translate does. WL_UNSUPPORTED also where native code alone is possible. Thread-safe. */
typedef enum wl_status wl_translate_steps_fn(const struct wl_translate_request *request, struct wl_steps_result *result);
/* Runs a wave from wave->resume until it exits: a wl_unit_code with one more argument. */
typedef uint32_t wl_translate_steps_run_fn(struct wl_wave *wave, const struct wl_steps *steps);
typedef void wl_translate_steps_free_fn(struct wl_steps *steps);
/* The calling thread's last failure within the shared object. */
typedef const char *wl_translate_failure_fn(void);

wl_translate_fn wl_translate;
wl_translate_free_fn wl_translate_free;
wl_translate_host_fn wl_translate_host;
wl_translate_failure_fn wl_translate_failure, wl_threaded_failure;
wl_translate_steps_fn wl_translate_steps;
wl_translate_steps_run_fn wl_translate_steps_run;
wl_translate_steps_free_fn wl_translate_steps_free;

/* ---- for NVIDIA GPUs: a kernel as PTX ------------------------------------------------------------
 *
 * A whole kernel, with all device functions that it can reach, becomes one PTX module with one entry, WL_PTX_ENTRY. Waves are
 * warps: thread t of a block holds lane t % 32 of wave t / 32, and in a wave of 64 lane t % 32 + 32 as well. Launch it with
 *
 *   grid     the AMD grid's workgroups in x, y, z, the last partial ones included
 *   block    (wl_ptx_threads(work items a workgroup, wave size, wl_ptx_info.wave_threads), 1, 1)
 *   dynamic shared memory  static LDS (wl_ptx_info.static_lds) + the launch's dynamic LDS: LDS address 0 is its start
 *   parameters  two, both by value: a struct wl_ptx_launch, and the kernarg segment (wl_ptx_info.kernarg_size bytes, hidden
 *            arguments filled in). wl_ptx_info.kernarg_size 0: the second parameter does not exist */

#define WL_PTX_ENTRY "wl_kernel"

/* The first parameter. Addresses are the device's. */
struct wl_ptx_launch {
    uint64_t image;           /* where the code object's image lies: real address = image + virtual address */
    uint64_t kernarg;         /* a copy of the kernarg segment; read only if wl_ptx_info.needs_kernarg_memory */
    uint64_t dispatch_packet; /* HSA's dispatch packet in memory; only if wl_ptx_info.needs_packet_memory */
    uint64_t queue;           /* AMD's queue structure; only if wl_ptx_info.needs_queue */
    uint64_t gws;             /* WL_GWS_RESOURCES records of the global wave sync unit; only if wl_ptx_info.needs_gws */
    uint64_t borders;      /* WL_PTX_BORDERS_SIZE bytes: colours (wl_image_borders), then their number; only if wl_ptx_info.needs_borders */
    uint8_t packet[64];    /* the dispatch packet itself */
    uint32_t block[3];     /* work items a full workgroup */
    uint32_t remainder[3]; /* work items of the last workgroup in each dimension, 0: it is full */
    uint32_t lds_size;     /* bytes, static and dynamic */
    uint32_t reserved;
};

#define WL_PTX_BORDERS_COUNT 65536 /* where the number of colours is */
#define WL_PTX_BORDERS_SIZE  (WL_PTX_BORDERS_COUNT + 16)

/* A record of the global wave sync unit in device memory. */
struct wl_ptx_gws {
    uint32_t counter, phase, waiting, reserved;
};

/* Numbers of the SGPRs that hold the initial state, or -1 (struct wl_abi of device/cpu says the same). */
struct wl_ptx_registers {
    int private_buffer, dispatch_ptr, queue_ptr, kernarg_ptr, dispatch_id, flat_scratch, private_size, preload;
    int group_x, group_y, group_z, group_info, wave_offset;
    uint32_t preload_length, preload_offset; /* dwords of the kernarg segment */
    bool ttmp_groups;                        /* workgroup ids in ttmp7 and ttmp9 */
    bool packed_ids;                         /* v0 = x | y << 10 | z << 20 */
    uint32_t id_rows;                        /* VGPRs with work item ids: 1 to 3 */
};

struct wl_ptx_request {
    struct wl_translate_request code; /* of it: processor, wave_size, image, entry, name, is_code, functions, flushes_f32,
                                       * exact_math, matrix_sums, dump; the rest does not count */
    struct wl_ptx_registers registers;
    uint32_t sm;           /* compute capability: 90 */
    uint32_t block[3];     /* the workgroups' shape, which the code may then rely on; {0, 0, 0}: any of up to 1024 work items */
    bool partial_groups;   /* the grid may have partial workgroups at its ends (wl_ptx_launch.remainder) */
    uint32_t static_lds;   /* bytes */
    uint32_t scratch_size; /* bytes of private memory a lane */
    uint32_t kernarg_size; /* bytes of the kernarg segment, hidden arguments included */
    uint32_t block_offset; /* of the hidden arguments that are the workgroups' shape, three u16, in the kernarg segment; 0: it has none */
    uint32_t float_mode;   /* of MODE, as in struct wl_kernel */
    /* Whether data points at a function, with code.context; NULL: it may point at all. Kernels that call through pointers reach those
     * functions and what code makes addresses of. */
    bool (*in_data)(void *context, uint64_t address);
};

struct wl_ptx_info {
    uint32_t static_lds;       /* as requested */
    uint32_t scratch_size;     /* bytes a lane; it is the thread's local memory: nothing to do for the launch */
    uint32_t kernarg_size;     /* size of the second parameter, a multiple of 16, at most 4000; 0: it does not exist */
    uint32_t max_threads;      /* of a block, as declared in the PTX */
    uint32_t wave_threads;     /* of a wave: 32, or 64 where each lane of a wave of 64 has a thread */
    bool needs_kernarg_memory; /* wl_ptx_launch.kernarg has to be valid */
    bool needs_packet_memory;  /* wl_ptx_launch.dispatch_packet has to be valid */
    bool needs_queue;          /* wl_ptx_launch.queue has to be valid */
    bool needs_gws;            /* wl_ptx_launch.gws has to be valid: each record's first word the grid's workgroups - 1, the rest 0 */
    bool needs_borders;        /* wl_ptx_launch.borders has to be valid: images are sampled */
    bool uses_lds;             /* false: no shared memory has to be given whatever static_lds says */
    bool waits_for_grid;       /* reads memory that other workgroups write while it spins: launch cooperatively if so asked */
    uint32_t instructions;     /* AMD instructions translated */
};

struct wl_ptx_result {
    char *text; /* PTX, a C string; free with wl_translate_ptx_free */
    size_t size;
    struct wl_ptx_info info;
};

/* Threads of a block for so many work items; wave_threads: of struct wl_ptx_info. */
static inline uint32_t wl_ptx_threads(uint32_t work_items, uint32_t wave_size, uint32_t wave_threads) {
    return (work_items + wave_size - 1) / wave_size * wave_threads;
}

/* Translates a kernel. WL_UNSUPPORTED: the sentence names mnemonic, encoding, kernel and offset. Thread-safe. */
typedef enum wl_status wl_translate_ptx_fn(const struct wl_ptx_request *request, struct wl_ptx_result *result);
typedef void wl_translate_ptx_free_fn(struct wl_ptx_result *result);

wl_translate_ptx_fn wl_translate_ptx;
wl_translate_ptx_free_fn wl_translate_ptx_free;

#endif
