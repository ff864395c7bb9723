/* The contract between translated code and whoever runs it: one wave's state.
 *
 * A *unit* is the translation of one kernel or device function: the code that is reachable from one
 * address without following calls. Each unit has up to two native copies, called *modes*: FULL
 * (every lane of the wave is active: no masks at all) and MASKED (any EXEC). A copy is one C
 * function, wl_unit_code.
 *
 * All state of a wave that outlives a call of wl_unit_code is in struct wl_wave. A copy *exits* by
 * returning: at the end of the kernel, at a barrier, before waiting, for the other mode, or to
 * another unit. The runner does what the exit asks and calls wl_unit_code again with `resume` set
 * (usually left as the exit wrote it). So waves wait without stacks of their own: switching from one
 * wave to the next is a return and a call.
 *
 * Translated code reaches the fields below by offset, so their order is an ABI of the native-code
 * cache: change WL_WAVE_ABI when it changes. */
#ifndef WL_MACHINE_WAVE_H
#define WL_MACHINE_WAVE_H

#include <stdint.h>

#define WL_WAVE_ABI 6
#define WL_STRIP    16 /* lanes that translated code handles at once */

/* Scalar register numbers, the same for all generations. */
enum {
    WL_SGPR_FLAT_SCRATCH = 102, /* gfx9: 102, 103 */
    WL_SGPR_XNACK_MASK = 104,
    WL_SGPR_VCC = 106,
    WL_SGPR_TTMP = 108, /* ttmp0 to ttmp15 */
    WL_SGPR_M0 = 124,
    WL_SGPR_SCC = 125,  /* 0 or 1 */
    WL_SGPR_EXEC = 126, /* 126, 127; wave32 uses 126 alone */
    WL_SGPR_COUNT = 128,
    WL_M0_LDS = 0x3ffff, /* the bits of M0 that say where in LDS a load from memory goes: 160 KiB, of which most processors have less */
    WL_AGPR = 256,       /* rows: VGPRs of all but gfx1250, and from here on ... */
    WL_AGPR_END = 512,   /* ... AGPRs */
    WL_TEMPORARY = 1024, /* gfx1250's VGPRs. Rows behind them, of others behind AGPRs, are an instruction's own (unit/pieces.h) */
    WL_TEMPORARIES = 64,
    WL_VGPR_COUNT = WL_TEMPORARY + WL_TEMPORARIES, /* rows */
    WL_ROW_WORDS = WL_VGPR_COUNT / 64,
};

/* Flat apertures: bits 63:32 of a flat address into LDS or scratch; bits 47:32 are zero as on GFX9 hardware, so that
 * both src_shared_base and the 16-bit fields of HW_REG_SH_MEM_BASES describe them. Memory addresses never have bit 48 or above. */
#define WL_SHARED_APERTURE_HI  UINT32_C(0x00010000)
#define WL_PRIVATE_APERTURE_HI UINT32_C(0x00020000)
/* The same for code that a debugger may stop: addresses that a process can have, so that the debugger can read there what they stand for
 * (device/cpu/debug/windows.c). */
#define WL_SHARED_WINDOW_HI  UINT32_C(0x00002000)
#define WL_PRIVATE_WINDOW_HI UINT32_C(0x00003000)
/* gfx1250 has the number of the lane in bits 56:52 of a flat address into scratch, and compilers take those whose high half differs from
 * src_flat_scratch_base's below bit 26 alone for such: so that base has a bit that no other address has. */
#define WL_FLAT_SCRATCH_HI UINT32_C(0x04020000)
/* Such an address of a lane's own scratch becomes one in the private aperture, another lane's one of nothing. */
static inline uint64_t wl_flat_address(uint64_t address, uint32_t lane) {
    return address >> 58 & 1 ? address ^ ((uint64_t)(WL_FLAT_SCRATCH_HI ^ WL_PRIVATE_APERTURE_HI) << 32 | (uint64_t)lane << 52) : address;
}

/* An address in a window becomes the same one in an aperture. */
static inline uint64_t wl_window_address(uint64_t address) {
    const uint32_t high = (uint32_t)(address >> 32);
    return high == WL_SHARED_WINDOW_HI    ? (uint64_t)WL_SHARED_APERTURE_HI << 32 | (uint32_t)address
           : high == WL_PRIVATE_WINDOW_HI ? (uint64_t)WL_PRIVATE_APERTURE_HI << 32 | (uint32_t)address
                                          : address;
}

/* What a wave is in, and one more copy of a kernel: WORKGROUP, which runs all waves of a workgroup (translate/analysis/workgroup.h) and is
 * given the first one. It has both forms in it, and is entered at 0. */
enum wl_mode { WL_MODE_FULL = 0, WL_MODE_MASKED = 1, WL_MODE_COUNT = 2, WL_MODE_WORKGROUP = 2, WL_COPY_COUNT = 3 };

/* Why wl_unit_code returned. In all cases but END, `wave->resume` or `wave->pc` says where to go on. */
enum wl_exit {
    WL_EXIT_END,     /* s_endpgm */
    WL_EXIT_BARRIER, /* wait for all waves of the workgroup, then call again */
    WL_EXIT_YIELD,   /* s_sleep or a spinning loop: let others run, then call again */
    WL_EXIT_MODE,    /* call the other copy: EXEC became partial (FULL) or full (MASKED) */
    WL_EXIT_JUMP,    /* `pc` is outside this unit: a call, a return or a tail call */
    WL_EXIT_MESSAGE, /* s_sendmsg; `exit_detail` is the 16-bit message; then call again */
    WL_EXIT_TRAP,    /* s_trap; `exit_detail` is the trap number; then call again if the trap is survivable */
    WL_EXIT_ILLEGAL, /* code that translation could not handle; `pc` is its address */
    WL_EXIT_SPLIT, /* in workgroup mode: the waves go on by themselves at the first one's `resume`, with its scalar registers but for masks
                    */
    WL_EXIT_UNDEFINED, /* native code for initcheck: `resume` is the number of a basic block, behind those of loop entries, at which threaded
                        * code goes on, which follows bits that nobody wrote */
};

/* Details of WL_EXIT_MESSAGE that no s_sendmsg has. */
enum {
    WL_MESSAGE_GWS = 0x10000,     /* ds_gws_*: enum wl_gws_op << 8 | resource; `gws_value` is the operand. Call again once it is done */
    WL_MESSAGE_BARRIER = 0x20000, /* s_barrier_wait but for the workgroup's own: its 16 bits. Call again once the barrier has opened */
};

/* What gfx12's instructions for barriers do that do not wait (wl_helpers.barrier). Barriers: -1 is the workgroup's own, -3 its cluster's, 1 to
 * 16 are named ones. A named barrier opens when as many signals as it has members have come. A wave waits for the one that it joined last.
 * INIT: M0 has the number of members; no signal has come. JOIN: the wave joins. SIGNAL: by M0, M0 may have a new number of members. FIRST: a
 * signal; 1 if it is the first since the barrier opened. LEAVE: one member fewer; 1 if none is left. STATE: bit 0: there is such a barrier,
 * 10:4 members, 22:16 signals. */
enum wl_barrier_op { WL_BARRIER_INIT, WL_BARRIER_JOIN, WL_BARRIER_SIGNAL, WL_BARRIER_FIRST, WL_BARRIER_LEAVE, WL_BARRIER_STATE };
enum { WL_BARRIER_BY_M0 = 0x100 }; /* beside an operation: the barrier's number is in M0 */

/* The global wave sync unit's operations on one of its resources, a counter with a queue of waves; all waves of a grid share
 * them. BARRIER: as many waves as the counter says wait, the next one lets them go on and leaves its operand as the counter.
 * SEMA_P waits for a counter above 0 and takes 1 from it; V adds 1, BR the operand, RELEASE_ALL makes it the number of waves
 * that wait. */
enum wl_gws_op { WL_GWS_INIT, WL_GWS_BARRIER, WL_GWS_SEMA_V, WL_GWS_SEMA_BR, WL_GWS_SEMA_P, WL_GWS_SEMA_RELEASE_ALL };
enum { WL_GWS_RESOURCES = 64 };

struct wl_wave;

/* Slow or rare operations that translated code calls through wave->helpers, by index. Rows are VGPRs as laid out in
 * wl_wave.vgpr. Declared and documented in machine/helpers.h. */
struct wl_helpers;
struct wl_undefined;

struct wl_wave {
    /* 0 */ uint32_t resume; /* resume point of the current unit: 0 is its entry */
    /* 4 */ uint32_t exit_detail;
    /* 8 */ uint64_t pc;       /* address within the code object (not relocated), for JUMP and ILLEGAL */
    /* 16 */ uint64_t image;   /* host address of the code object's image: real address = image + virtual address */
    /* 24 */ uint8_t *lds;     /* this workgroup's LDS; DS address 0. Beyond lds_size up to 4 GiB + 64 KiB: lds_bounds.h */
    /* 32 */ uint8_t *scratch; /* this wave's private memory, lanes interleaved by dword (see scratch_address below) */
    /* 40 */ const struct wl_helpers *helpers;
    /* 48 */ void *owner;               /* the runner's own */
    /* 56 */ uint32_t lds_size;         /* bytes, static and dynamic */
    /* 60 */ uint32_t scratch_size;     /* bytes per lane */
    /* 64 */ uint32_t wave_size;        /* 32 or 64 */
    /* 68 */ uint32_t vgprs;            /* rows that exist in vgpr[] */
    /* 72 */ uint32_t wave_index;       /* within the workgroup */
    /* 76 */ uint32_t mode_register;    /* HW_REG_MODE: float_mode in bits 7:0 */
    /* 80 */ uint32_t fuel;             /* rounds of a spinning loop before it yields; some count more. The runner refills it */
    /* 84 */ uint32_t fault_pc;         /* in threaded code: the instruction, bytes from the unit's entry / 4 + 1; else 0 */
    /* 88 */ uint32_t moved;            /* 1: it has left a loop that only looks (wl_resume_point). The runner sets 0 */
    /* 92 */ uint32_t padding;          /* always 0 */
    /* 96 */ uint64_t workgroup_stride; /* in workgroup mode, of the first wave: bytes from each wave's state to the next one's */
    /* 104 */ union {
        uint64_t workgroup_masks[2];    /* WL_EXIT_SPLIT: scalar registers in which each wave has a mask of its own */
        struct wl_undefined *undefined; /* in launches that initcheck watches, of which none is in workgroup mode: machine/sanitize.h */
    };
    /* 120 */ uint32_t gws_value;           /* operand of a WL_MESSAGE_GWS */
    /* 124 */ uint32_t row_items;           /* of a workgroup of more than one row: blockDim.x; else 0 */
    /* 128 */ uint32_t sgpr[WL_SGPR_COUNT]; /* EXEC and VCC included */
    /* 640 */ _Alignas(64) uint32_t vgpr[]; /* row r, lane l: vgpr[r * wave_size + l]; AGPR a is row WL_AGPR + a */
};

#define WL_MAX_WORKGROUP_ITEMS 512 /* work items of a workgroup that is run in workgroup mode */

/* Where byte `offset` of lane `lane`'s scratch lives, in bytes from wave->scratch: lanes are interleaved by dword, so that
 * 16 lanes that touch the same offset touch one vector. This is the hardware's swizzle with 4-byte elements. */
static inline uint64_t wl_scratch_address(uint32_t offset, uint32_t lane, uint32_t wave_size) {
    return (uint64_t)(offset >> 2) * wave_size * 4 + (uint64_t)lane * 4 + (offset & 3);
}

typedef uint32_t wl_unit_code(struct wl_wave *wave);

/* What translated code leaves for reports of faults. Memory instructions' native code carries a "column" in the line table:
 * 1 + the strip's number, or WL_COLUMN_TRACE: a struct wl_strip_trace on the stack says it (in workgroup mode it says the wave's first
 * one otherwise), or WL_COLUMN_ACCESS: a struct wl_access_trace does. Code that a unit shares between accesses has no lines; it has a
 * struct wl_access_trace as well. In workgroup mode the strip's number is that in the wave, which a struct wl_strip_trace says. Traces are
 * found, from the stack pointer upwards, by their first words. An instruction of the host that gathers all lanes of a strip has the column
 * WL_COLUMN_GATHER + the strip's number, or WL_COLUMN_GATHER_TRACE where others have WL_COLUMN_TRACE: its mask has the lanes that are
 * left; or WL_COLUMN_PACKED, if it gathers the active lanes of the struct wl_strip_trace side by side. */
enum { WL_COLUMN_GATHER = 5, WL_COLUMN_GATHER_TRACE = 13, WL_COLUMN_ACCESS = 14, WL_COLUMN_TRACE = 15, WL_COLUMN_PACKED = 16 };
#define WL_STRIP_TRACE  UINT64_C(0x7a31c5e2d9b40f86)
#define WL_ACCESS_TRACE UINT64_C(0x4be80d1f6c92a735)
struct wl_strip_trace {
    uint64_t magic;
    uint32_t first_lane;
    uint32_t lanes; /* bit l: lane first_lane + l is active */
};
struct wl_access_trace {
    _Alignas(64) uint64_t magic;
    uint64_t base; /* of narrow addresses */
    uint32_t first_lane, lanes;
    uint32_t size;   /* bytes a lane */
    uint32_t narrow; /* 1: 16 offsets of 32 bits, else 16 addresses of 64 bits */
    _Alignas(64) uint64_t address[WL_STRIP];
};

#endif
