/* nvptx/: makes PTX of a kernel, for the threads of NVIDIA GPUs, by the lifter in its one-lane form.
 *
 *   in    the units of a kernel and of all device functions that it can reach; struct wl_ptx_request
 *   out   one PTX module with one entry, and struct wl_ptx_info, which says how to launch it (interface/translate.h)
 *
 * A wave is a warp. Thread t of it has lane t; in a wave of 64 it has lane t + 32 as well, so that a vector register is one
 * or two values ("strips") a thread. Where lanes part in loops and nothing else is between them, a wave of 64 is two warps, with a
 * thread for each lane (`lane_per_thread`). Everything is in one function: the kernel and all device functions that it can reach.
 * Calls are jumps, return addresses are data as on the hardware, and jumps to addresses go through one switch over the places
 * that they can mean. All branches are the same for a whole warp; only memory accesses look at EXEC lane by lane, as
 * predicates of single instructions.
 *
 *   registers  allocas, which passes turn into values. A vector register is <1 x i32> a strip, so that the code for strips of
 *              lift/inst/valu.c serves here
 *   masks      each SGPR has two forms: its 32 bits, the same in all threads, and a predicate: this thread's bit of them.
 *              Comparisons make the predicate; the bits are a ballot of it, which disappears where nobody reads them.
 *              With a thread for each lane of a wave of 64 the bits would be a vote of two warps, which PTX does not have: if
 *              somebody reads them, such code is dropped for the form with two lanes a thread
 *   EXEC       selects in writes of registers whose old values are live in lanes that are off, predicates of accesses
 *
 * Ballots, votes and the kernarg segment's address are calls of functions without bodies ("wl.ballot", ...), pure and
 * convergent, until the passes have run; nvptx/emit.c then gives them bodies.
 *
 *   ptx.h       registers and masks: struct wl_ptx      inst.h     instructions, one kind a file
 *   memory.h    one lane's accesses                     matrix.h   matrix instructions
 *   analysis.h  what is known before lifting            passes.h   passes, and PTX itself
 *   math.h      arithmetic around calls of semantics    device/    C functions that PTX calls */
#ifndef WL_TRANSLATE_NVPTX_PTX_H
#define WL_TRANSLATE_NVPTX_PTX_H

#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <llvm-c/TargetMachine.h>

#define WL_PTX_ROUNDING_UNKNOWN  0x10
#define WL_PTX_FUNCTIONS         8192      /* device functions that a kernel may reach */
#define WL_PTX_SCRATCH           "scratch" /* what the allocas of private memory are called */
#define WL_PTX_SCRATCH_ALIGNMENT 16

/* The global memory that an access may reach, and how. */
enum wl_ptx_space { WL_PTX_GLOBAL, WL_PTX_SHARED, WL_PTX_LOCAL, WL_PTX_GENERIC };

/* The low half of a 64-bit sum or difference, remembered until the instruction for the high half comes: both are computed as one then. */
struct wl_ptx_carry {
    bool valid, fresh; /* there is one; it was made by the instruction at hand */
    bool difference;
    unsigned row, mask; /* the register with the low half (a VGPR or an SGPR), and the register with the carry */
    struct wl_operand operands[2];
    LLVMValueRef a[2], b[2]; /* by strip: their values, i32 */
};

/* What threads that parted may have changed before they meet. */
struct wl_ptx_changed {
    uint64_t masks[2], rows[WL_ROW_WORDS];
};

struct wl_ptx {
    const struct wl_ptx_request *request;
    struct wl_ptx_info *info;

    /* The units, of which [0] is the kernel's, and the IR blocks of their basic blocks. */
    struct wl_unit *units;
    unsigned unit_count;
    LLVMBasicBlockRef **ir_blocks;
    LLVMBasicBlockRef dispatch; /* the switch over addresses; NULL if no unit jumps to one */
    LLVMValueRef target;        /* alloca i64: where the dispatch goes, as a virtual address */

    bool lane_per_thread; /* waves of 64 have a thread for each lane; a pair's predicate is that of its first register */

    LLVMValueRef launch, kernarg;          /* parameters: pointers to the launch record and the kernarg segment */
    LLVMValueRef lane;                     /* i32: 0 to 31; with lane_per_thread to 63 */
    LLVMValueRef row[2][WL_VGPR_COUNT];    /* allocas */
    LLVMValueRef predicate[WL_SGPR_COUNT]; /* allocas of i1 */
    LLVMValueRef compared[WL_SGPR_COUNT];  /* i1: the comparison that made the predicate, before EXEC was ANDed to it; NULL: EXEC
                                            * changed since, or there was none in the basic block at hand */
    LLVMValueRef scratch[2];               /* local memory of the strips' lanes, or NULL */
    LLVMValueRef lds;                      /* the shared memory */
    LLVMValueRef entry_exec[2];            /* i1: the predicates that EXEC had at the kernel's entry, by strip */
    bool exec_is_full;                     /* in the basic block at hand EXEC still has that value */
    struct wl_ptx_flow *flow;              /* of the unit at hand */
    struct wl_ptx_changed *met;            /* by basic block of the unit: what diverged threads changed before they meet there */
    bool *parts;                           /* by basic block: threads may part at its end */
    bool *own;                             /* by basic block: the branch at its end is each thread's own, if threads part as they may */
    uint64_t mask_born[2];                 /* SGPRs that hold masks at some place of the unit */

    struct wl_ptx_carry vector_carry, scalar_carry;
    LLVMValueRef dpp_source[2][2]; /* what the instruction at hand reads by DPP, from row dpp_row on; by strip and dword */
    unsigned dpp_row;
    LLVMValueRef image; /* i64: the address of the code object, loaded at the kernel's entry */
    LLVMValueRef mode;  /* alloca i32: MODE */
    uint8_t rounding;   /* MODE's bits 3:0 at the instruction at hand, or WL_PTX_ROUNDING_UNKNOWN */
    uint8_t *roundings; /* the same at the starts of the unit's basic blocks */
    bool orders_lds;    /* the unit's accesses of LDS stay in their order (nvptx/order.c) */
    bool keeps_nan;     /* the instruction at hand tells signalling from quiet NaN: PTX's neg and abs do not keep them */
    bool unoptimized;   /* the unit at hand was compiled without optimization: its variables are in memory, with their types' alignment */
    bool touches_bytes; /* some code accesses single bytes or halves; then dwords may lie at any address (nvptx/memory.c) */
    bool touches_own_bytes; /* the same of private memory */
    bool accessed;          /* the basic block at hand has accessed memory */
    bool store_may_wait;    /* a store or atomic was issued and nothing waited for it */
    bool release;           /* something waited for stores: the next store or atomic must publish what was stored before it */
    LLVMValueRef record;    /* alloca: what calls of device code fill and read; NULL: none was made */
    size_t record_size;
};

/* ---- nvptx/values.c: registers and masks. `strip` functions work on l->strip ---- */
unsigned wl_ptx_strip(const struct wl_lift *l);            /* 0 or 1 */
LLVMValueRef wl_ptx_row(struct wl_lift *l, unsigned row);  /* <1 x i32> */
LLVMValueRef wl_ptx_pair(struct wl_lift *l, unsigned row); /* <1 x i64> */
/* Writes where EXEC is on; the other lanes keep their value if it is still needed. */
void wl_ptx_set_row(struct wl_lift *l, unsigned row, LLVMValueRef value);
/* Whether lanes that are off still need what the row holds, behind the instruction at hand. */
bool wl_ptx_keeps_inactive(const struct wl_lift *l, unsigned row);
void wl_ptx_set_pair(struct wl_lift *l, unsigned row, LLVMValueRef value);
LLVMValueRef wl_ptx_dword(struct wl_lift *l, unsigned row); /* i32 of a strip's row */
void wl_ptx_set_dword(struct wl_lift *l, unsigned row, LLVMValueRef value);
LLVMValueRef wl_ptx_scalar(struct wl_lift *l, LLVMValueRef value);         /* T of a <1 x T> */
LLVMValueRef wl_ptx_vector(struct wl_lift *l, LLVMValueRef value);         /* <1 x T> of a T */
LLVMValueRef wl_ptx_predicate(struct wl_lift *l, unsigned reg);            /* i1: this lane's bit of one SGPR */
LLVMValueRef wl_ptx_exec(struct wl_lift *l);                               /* i1, of the strip */
LLVMValueRef wl_ptx_mask(struct wl_lift *l, unsigned reg);                 /* <1 x i1>: the strip's bit of a mask; any, if EXEC is off */
LLVMValueRef wl_ptx_of_mask(struct wl_lift *l, LLVMValueRef mask);         /* <1 x i1> of a wave-wide mask's bits */
void wl_ptx_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef lanes); /* a comparison's result, ANDed with EXEC */
void wl_ptx_set_predicate(struct wl_lift *l, unsigned reg, LLVMValueRef predicate); /* the predicate form of one SGPR alone */
/* Called when an SGPR's bits were written: derives the predicate. */
void wl_ptx_scalar_written(struct wl_lift *l, unsigned reg, LLVMValueRef bits);
LLVMValueRef wl_ptx_ballot(struct wl_lift *l, LLVMValueRef predicate); /* i32, of the strip; with lane_per_thread: of lanes 0 to 31 */
/* Writes the bits of a mask, or of the strip's half of it, whose predicate is this. */
void wl_ptx_set_ballot(struct wl_lift *l, unsigned reg, LLVMValueRef predicate);
LLVMValueRef wl_ptx_bit_of(struct wl_lift *l, LLVMValueRef low,
                           LLVMValueRef high);                           /* i1: with lane_per_thread, the lane's bit of two dwords */
LLVMValueRef wl_ptx_vote_any(struct wl_lift *l, LLVMValueRef predicate); /* i1 */
LLVMValueRef wl_ptx_any(struct wl_lift *l, unsigned reg);                /* i1: a wave-wide mask is not zero */
LLVMValueRef wl_ptx_any_own(struct wl_lift *l, unsigned reg);            /* the same, or the threads' own bits: see nvptx/part.c */
LLVMValueRef wl_ptx_image(struct wl_lift *l);                            /* i64 */
LLVMValueRef wl_ptx_mode(struct wl_lift *l);                             /* i32: MODE */
LLVMValueRef wl_ptx_launch_field(struct wl_lift *l, size_t offset, LLVMTypeRef type);
/* A call of a function of the module that has no body yet: pure, and convergent if it looks at other threads. */
LLVMValueRef wl_ptx_marker(struct wl_lift *l, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count, bool pure);
/* Inline PTX. */
LLVMValueRef wl_ptx_asm(struct wl_lift *l, const char *text, const char *constraints, LLVMTypeRef result, LLVMValueRef *arguments,
                        unsigned count, bool effects);
/* Selects a strip for what follows. */
void wl_ptx_enter_strip(struct wl_lift *l, unsigned strip);
void wl_ptx_unsupported(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/frame.c ---- */
/* Lifts an instruction that is not the basic block's end. */
void wl_ptx_lift_inst(struct wl_lift *l, const struct wl_inst *inst);
/* Builds the kernel in an empty module, whose target and data layout are set. Waves of 64 have a thread for each lane if
 * info->wave_threads is 64. */
enum wl_status wl_ptx_lift_kernel(const struct wl_ptx_request *request, struct wl_unit *units, unsigned count, LLVMModuleRef module,
                                  struct wl_ptx_info *info);

#endif
