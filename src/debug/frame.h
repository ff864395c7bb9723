/* How a kernel stands on the host's stack while a debugger looks at it.
 *
 * Each AMD instruction has an address of the host, its *shadow*: the code object's address plus a base. A wave that may be stopped goes from
 * shadow to shadow, so that a debugger of the host sets its own breakpoints there and steps from line to line by itself. Each function of the AMD
 * code that the wave is in has a struct wl_debug_frame on the stack, to which WL_DEBUG_FRAME_REGISTER points while the function runs. It is
 * where the debugger finds the caller (DWARF's call frame information), and all registers and memory of the lane at hand (the locations of
 * variables). */
#ifndef WL_DEBUG_FRAME_H
#define WL_DEBUG_FRAME_H

#include <stddef.h>
#include <stdint.h>

/* DWARF's numbers of registers of x86-64. */
enum {
    WL_DEBUG_RBX = 3,
    WL_DEBUG_RBP = 6,
    WL_DEBUG_RSP = 7,
    WL_DEBUG_R12 = 12,
    WL_DEBUG_R13 = 13,
    WL_DEBUG_R14 = 14,
    WL_DEBUG_R15 = 15,
    WL_DEBUG_RETURN = 16,
    WL_DEBUG_FRAME_REGISTER = WL_DEBUG_R12,
};

/* The address of a frame is its CFA: that of a callee is below that of its caller. A shadow has an even number of pairs of bytes in front of
 * it, the place behind its call an odd one. */
struct wl_debug_frame {
    uint64_t caller;         /* 0: the frame register of the caller */
    uint64_t return_address; /* 8: a shadow; of a kernel, the host's */
    uint64_t frame_pointer;  /* 16: where the address in s33 is in `scratch` */
    uint64_t stack_pointer;  /* 24: the same of s32 */
    uint64_t vgprs;          /* 32: of the lane: VGPR r is at r * 4 * wave size */
    uint64_t sgprs;          /* 40: as in struct wl_wave */
    uint64_t lds;            /* 48 */
    uint64_t scratch;        /* 56: the lane's private memory in one piece, a copy */
    /* Of a kernel: the host's registers. */
    uint64_t rsp, rbx, rbp, r13, r14, r15; /* 64 ... */
    /* 112: the CFA in front of an instruction, and 120: behind its call. They differ where a call or a return has led the wave to another
     * function: the place behind the call is still the old one's. */
    uint64_t in_front, behind;
};
_Static_assert(sizeof(struct wl_debug_frame) == 128, "the stack holds them one behind the other");

#endif
