/* The one-lane form: AMD code as PTX, for the threads of NVIDIA GPUs.
 *
 * A wave is a warp. Thread t of it has lane t; in a wave of 64 it has lane t + 32 as well, so that a vector register is one
 * or two values ("strips") a thread. Where lanes part in loops and nothing else is between them, a wave of 64 is two warps, a
 * thread for each lane (`apart`). Everything is in one function: the kernel and all device functions that it can reach.
 * Calls are jumps, return addresses are data as on the hardware, and jumps to addresses go through one switch over the places
 * that they can mean. All branches are the same for a whole warp; only memory accesses look at EXEC lane by lane, as
 * predicates of single instructions.
 *
 *   registers  allocas, which passes turn into values. A vector register is <1 x i32> a strip, so that the code for strips of
 *              lift/inst/valu.c serves here
 *   masks      each SGPR has two forms: its 32 bits, the same in all threads, and a predicate: this thread's bit of them.
 *              Comparisons make the predicate; the bits are a ballot of it, which disappears where nobody reads them
 *              The bits of waves of 64 whose lanes have a thread each would be a vote of two warps, which there is not: such
 *              code is dropped for the form with two lanes a thread unless nobody reads them
 *   EXEC       selects in writes of registers whose old values are live in lanes that are off, predicates of accesses
 *
 * Ballots, votes and the kernarg segment's address are calls of functions without bodies ("wl.ballot", ...), pure and
 * convergent, until the passes have run; nvptx/emit.c then gives them bodies. */
#ifndef WL_TRANSLATE_NVPTX_PTX_H
#define WL_TRANSLATE_NVPTX_PTX_H

#include "translate/lift/state.h"
#include "translate/lift/values.h"

#include <llvm-c/TargetMachine.h>

#define WL_PTX_ROUNDING_UNKNOWN 0x10
#define WL_PTX_FUNCTIONS        8192 /* device functions that a kernel may reach */

/* The global memory that an access may reach, and how. */
enum wl_ptx_space { WL_PTX_GLOBAL, WL_PTX_SHARED, WL_PTX_LOCAL, WL_PTX_GENERIC };

/* An address that an add with carry made in halves, to be computed as one sum instead. */
struct wl_ptx_carry {
    bool valid, fresh; /* fresh: by the instruction at hand */
    bool difference;
    unsigned row, mask; /* the low half's VGPR or SGPR, and where the carry is */
    struct wl_operand operands[2];
    LLVMValueRef a[2], b[2]; /* by strip: their values, i32 */
};

struct wl_ptx {
    const struct wl_ptx_request *request;
    struct wl_ptx_info *info;

    /* The units, [0] is the kernel, and the blocks of their pieces. */
    struct wl_unit *units;
    unsigned unit_count;
    LLVMBasicBlockRef **blocks;
    LLVMBasicBlockRef dispatch; /* the switch over addresses; NULL if no unit jumps to one */
    LLVMValueRef target;        /* alloca i64: where the dispatch goes, as a virtual address */

    bool apart; /* waves of 64 have a thread for each lane; a pair's predicate is that of its first register */

    LLVMValueRef launch, kernarg;          /* parameters: pointers to the launch record and the kernarg segment */
    LLVMValueRef lane;                     /* i32: 0 to 31, apart: to 63 */
    LLVMValueRef row[2][WL_VGPR_COUNT];    /* allocas */
    LLVMValueRef predicate[WL_SGPR_COUNT]; /* allocas of i1 */
    LLVMValueRef compared[WL_SGPR_COUNT];  /* i1: the comparison that made the predicate, before EXEC was ANDed to it; NULL: EXEC
                                            * changed since, or there was none in the piece at hand */
    LLVMValueRef scratch[2];               /* local memory of the strips' lanes, or NULL */
    LLVMValueRef lds;                      /* the shared memory */
    LLVMValueRef entry_exec[2];            /* i1: the predicates that EXEC had at the kernel's entry, by strip */
    bool exec_is_full;                     /* in the piece at hand EXEC is that */
    struct wl_ptx_flow *flow;              /* of the unit at hand */
    uint64_t (*met)[2];                    /* by piece of the unit: masks that threads changed apart before they meet there */
    bool *parts;                           /* by piece: threads may part at its end */
    uint64_t mask_born[2];                 /* SGPRs that hold masks at some place of the unit */

    struct wl_ptx_carry vector_carry, scalar_carry;
    LLVMValueRef dpp_source[2][2]; /* of the instruction at hand: by strip and dword, from dpp_row on */
    unsigned dpp_row;
    LLVMValueRef image;  /* i64, loaded at the entry */
    LLVMValueRef mode;   /* alloca i32: MODE */
    uint8_t rounding;    /* MODE's bits 3:0 at the instruction at hand, or WL_PTX_ROUNDING_UNKNOWN */
    uint8_t *roundings;  /* the same at the starts of the unit's pieces */
    bool orders_lds;     /* the unit's accesses of LDS stay in their order (nvptx/order.c) */
    bool keeps_nan;      /* the instruction at hand tells signalling from quiet NaN: PTX's neg and abs do not keep them */
    bool unoptimized;    /* the unit at hand keeps its variables in memory, as types have them */
    bool touches_bytes;  /* some code accesses bytes: dwords may then lie at any address */
    bool accessed;       /* the piece at hand has accessed memory */
    bool store_may_wait; /* a store or atomic was issued and nothing waited for it */
    bool release;        /* something waited for stores; the next one publishes them */
    LLVMValueRef record; /* alloca: what calls of device code fill and read; NULL: none was made */
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
LLVMValueRef wl_ptx_ballot(struct wl_lift *l, LLVMValueRef predicate); /* i32, of the strip; apart: of lanes 0 to 31 */
/* Writes the bits of a mask, or of the strip's half of it, whose predicate is this. */
void wl_ptx_set_ballot(struct wl_lift *l, unsigned reg, LLVMValueRef predicate);
LLVMValueRef wl_ptx_bit_of(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high); /* i1: the lane's bit, apart, of two dwords */
LLVMValueRef wl_ptx_vote_any(struct wl_lift *l, LLVMValueRef predicate);            /* i1 */
LLVMValueRef wl_ptx_any(struct wl_lift *l, unsigned reg);                           /* i1: a wave-wide mask is not zero */
LLVMValueRef wl_ptx_any_own(struct wl_lift *l, unsigned reg); /* the same, or the threads' own bits: see nvptx/part.c */
LLVMValueRef wl_ptx_image(struct wl_lift *l);                 /* i64 */
LLVMValueRef wl_ptx_mode(struct wl_lift *l);                  /* i32: MODE */
LLVMValueRef wl_ptx_launch_field(struct wl_lift *l, size_t offset, LLVMTypeRef type);
/* A call of a function of the module that has no body yet: pure, and convergent if it looks at other threads. */
LLVMValueRef wl_ptx_marker(struct wl_lift *l, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count, bool pure);
/* Inline PTX. */
LLVMValueRef wl_ptx_asm(struct wl_lift *l, const char *text, const char *constraints, LLVMTypeRef result, LLVMValueRef *arguments,
                        unsigned count, bool effects);
/* Selects a strip for what follows. */
void wl_ptx_enter_strip(struct wl_lift *l, unsigned strip);
void wl_ptx_unsupported(struct wl_lift *l, const struct wl_inst *inst);

/* ---- form.c ---- */
extern const struct wl_form wl_ptx_form;

/* ---- nvptx/valu.c ---- */
/* |v|, -v, -|v| of an f32 (<1 x float>), as bits. */
LLVMValueRef wl_ptx_change_sign(struct wl_lift *l, LLVMValueRef value, bool absolute, bool negate);
/* Lifts an instruction with semantics, or a v_cmpx. */
void wl_ptx_lift_semantics(struct wl_lift *l, const struct wl_inst *inst);
/* Lifts s_*_saveexec_* and s_*_wrexec_*. */
void wl_ptx_save_exec(struct wl_lift *l, const struct wl_inst *inst);
/* Behind an instruction: forgets sums whose halves or carries it changed. */
void wl_ptx_step_carries(struct wl_lift *l, const struct wl_effects *effects);
/* Marks the SGPRs of a unit that hold masks. */
void wl_ptx_find_masks(struct wl_lift *l, const struct wl_unit *unit);

/* ---- nvptx/exec.c ---- */
/* What is known of EXEC and of masks throughout a unit. NULL: no memory. The unit must outlive it. */
struct wl_ptx_flow *wl_ptx_flow_create(const struct wl_unit *unit, unsigned wave_size);
void wl_ptx_flow_destroy(struct wl_ptx_flow *flow); /* NULL does nothing */
/* Whether waves of 64 may have a thread for each lane, as far as AMD's code tells: lanes part in loops, and nothing in it, but for masks,
 * crosses lanes or needs them in step. */
bool wl_ptx_may_run_apart(const struct wl_unit *unit);
/* Whether EXEC is at a piece's start what it was at the unit's entry. */
bool wl_ptx_flow_full(const struct wl_ptx_flow *flow, uint32_t piece);
/* Whether threads whose lane is off may take the branch on EXEC that ends a piece without the others, as far as AMD's code
 * tells; changed: the masks that the code between writes, whose bits have to be made again from the threads' predicates where
 * threads meet. */
bool wl_ptx_may_part(const struct wl_ptx_flow *flow, uint32_t piece, uint64_t changed[2]);

/* ---- nvptx/lane.c ---- */
/* The value that DPP reads of a row; *valid: <1 x i1>, NULL: all lanes have a source. */
LLVMValueRef wl_ptx_dpp(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *valid);
/* Narrows `enabled` (<1 x i1> or NULL) by row_mask and bank_mask. */
LLVMValueRef wl_ptx_dpp_enabled(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef enabled);
void wl_ptx_lift_lane(struct wl_lift *l, const struct wl_inst *inst);
/* i32: value of lane `lane` (i32, 0 to wave size - 1, the same or not in all threads) of the strips' values. */
LLVMValueRef wl_ptx_read_lane(struct wl_lift *l, LLVMValueRef values[2], LLVMValueRef lane);
LLVMValueRef wl_ptx_first_lane(struct wl_lift *l); /* i32: the first active lane, 0 if none is */

/* ---- nvptx/memory.c, nvptx/buffer.c, nvptx/atomic.c, nvptx/smem.c ---- */

/* One lane's access, ready to be made. */
struct wl_ptx_access {
    const struct wl_inst *inst;
    enum wl_ptx_space space;
    LLVMValueRef address;   /* i64; SHARED and LOCAL: i32 */
    int64_t offset;         /* bytes to add, constant */
    LLVMValueRef predicate; /* i1 */
    LLVMValueRef lds;       /* i32: SHARED: the address within LDS, whose end is checked; NULL: it is known to be within */
    LLVMValueRef in_lds;    /* i1: `lds` counts only if this holds; NULL: it does */
    LLVMValueRef room;      /* i64, signed: bytes from the address on that may be accessed; NULL: all. The predicate implies that the
                             * first element has room */
    bool is_volatile;
    bool wide_scope; /* atomics: .sys */
    int32_t stride;  /* bytes from lane to lane, where known; else 0 */
};
void wl_ptx_lift_memory(struct wl_lift *l, const struct wl_inst *inst);
/* Loads `count` dwords (or one element of `bits` 8 or 16, extended) to values[], where the predicate holds; others get `old`. */
void wl_ptx_load(struct wl_lift *l, const struct wl_ptx_access *access, unsigned bits, bool sign, unsigned count, LLVMValueRef *old,
                 LLVMValueRef *values);
void wl_ptx_store(struct wl_lift *l, const struct wl_ptx_access *access, unsigned bits, unsigned count, LLVMValueRef *values);
/* Finds the generic address of a flat one (i64), and whether it is in LDS. */
void wl_ptx_flat_address(struct wl_lift *l, LLVMValueRef address, struct wl_ptx_access *access);
/* Finds the address of a buffer access, and what is in range of it: linear buffers and scratch, without an index. */
void wl_ptx_buffer_address(struct wl_lift *l, const struct wl_inst *inst, struct wl_ptx_access *access);
/* The same for a descriptor of any kind, with or without an index: `count` accesses of `bytes` bytes each, behind one another. */
void wl_ptx_buffer_places(struct wl_lift *l, const struct wl_inst *inst, unsigned count, unsigned bytes, struct wl_ptx_access *accesses);
/* i1: the descriptor is neither linear nor scratch's. */
LLVMValueRef wl_ptx_buffer_is_odd(struct wl_lift *l, const struct wl_inst *inst);
/* i1: `bytes` bytes of an access lie within LDS, or it goes elsewhere. A marker until wl_ptx_settle_lds; constant if `lds` is NULL. */
LLVMValueRef wl_ptx_within_lds(struct wl_lift *l, const struct wl_ptx_access *access, unsigned bytes);
/* i32: where LDS lies, plus an offset. */
LLVMValueRef wl_ptx_lds_address(struct wl_lift *l, LLVMValueRef offset);
/* i32: a lane's number within the wave, for the strip at hand. */
LLVMValueRef wl_ptx_wave_lane(struct wl_lift *l);
/* i32: `value` of thread `lane`. */
LLVMValueRef wl_ptx_shuffle(struct wl_lift *l, LLVMValueRef value, LLVMValueRef lane);
/* i64: a global, flat or scratch-less address without the instruction's offset, of its operands for address and base. */
LLVMValueRef wl_ptx_wide_address(struct wl_lift *l, const struct wl_inst *inst, const struct wl_operand *address,
                                 const struct wl_operand *scalar);
/* i32: a scratch address, likewise. */
LLVMValueRef wl_ptx_scratch_address(struct wl_lift *l, const struct wl_operand *address, const struct wl_operand *scalar);
/* Does an atomic on one lane; data, compare: i32 or i64. Returns the old value. */
LLVMValueRef wl_ptx_atomic(struct wl_lift *l, const struct wl_ptx_access *access, unsigned operation, unsigned bits, LLVMValueRef data,
                           LLVMValueRef compare, bool returns);
/* A lane's dword of LDS that an instruction between memory and LDS names: from M0 and the instruction's offset on, one for each lane. */
struct wl_ptx_access wl_ptx_lds_slot(struct wl_lift *l, const struct wl_inst *inst);
/* The threads of a warp wait for each other, and what they have done to memory is seen by all of them. Not where lanes may part. */
void wl_ptx_meet(struct wl_lift *l);
void wl_ptx_lift_smem(struct wl_lift *l, const struct wl_inst *inst);
/* Fences: what waits, invalidations and write-backs amount to. */
void wl_ptx_lift_nop(struct wl_lift *l, const struct wl_inst *inst);
/* Before a store or an atomic: publishes what came before, if something waited for it. */
void wl_ptx_publish(struct wl_lift *l);

/* ---- nvptx/lds.c ---- */
/* Lifts LDS instructions that are no plain load, store or atomic: two exchanges, two operands in LDS, conditional exchanges. */
void wl_ptx_lift_two_swaps(struct wl_lift *l, const struct wl_inst *inst);
void wl_ptx_lift_src2(struct wl_lift *l, const struct wl_inst *inst);
void wl_ptx_lift_conditional_exchange(struct wl_lift *l, const struct wl_inst *inst);
/* i32: the LDS element that M0 names (address in bits 15:0, type in 18:16). */
LLVMValueRef wl_ptx_lds_direct(struct wl_lift *l);

/* Replaces these markers by comparisons with the launch's size of LDS where the compiler has not found them to be true. True: it changed
 * something, and the module is to be cleaned. */
bool wl_ptx_settle_lds(LLVMModuleRef module);
/* Tells LLVM's unrolling which loops of the kernel to unroll, and how far; true: some. */
bool wl_ptx_ask_for_unrolling(LLVMModuleRef module);
/* Keeps ptxas from unrolling the kernel's loops that end where a counter wraps: it counts their turns wrongly. */
void wl_ptx_forbid_unrolling(LLVMModuleRef module);

/* ---- nvptx/order.c ---- */
/* Whether a unit's lanes may rely on the order of its LDS instructions: there are stores and loads without a barrier between them. */
bool wl_ptx_needs_order(const struct wl_unit *unit, bool is_kernel);

/* ---- nvptx/block.c ---- */
/* Lift gfx12's loads that transpose, and blocks of up to 32 registers. */
void wl_ptx_lift_transposed(struct wl_lift *l, const struct wl_inst *inst);
void wl_ptx_lift_block(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/gws.c ---- */
/* Lifts a ds_gws_*. */
void wl_ptx_lift_gws(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/indexed.c ---- */
/* Lifts a MOVREL instruction. */
void wl_ptx_lift_indexed(struct wl_lift *l, const struct wl_inst *inst);
/* Lifts an instruction in gfx9's indexing mode (index_mode). False: no registers are left for it. */
bool wl_ptx_lift_relative(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/matrix.c ---- */
/* Lifts a MATRIX instruction. */
void wl_ptx_lift_matrix(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/device.c: calls of device/device.h's functions ---- */
#define WL_PTX_QUAD "wl_device_quad" /* functions of these names are called by all threads of a warp together */
/* A record of a thread's, of at least `size` bytes; its contents last until the next one is asked for. */
LLVMValueRef wl_ptx_device_record(struct wl_lift *l, size_t size);
void wl_ptx_device_put(struct wl_lift *l, LLVMValueRef record, size_t offset, LLVMValueRef value);
LLVMValueRef wl_ptx_device_get(struct wl_lift *l, LLVMValueRef record, size_t offset); /* i32 */
/* A call, of all threads of the warp but for wl_device_buffer_find, which becomes part of the kernel. */
LLVMValueRef wl_ptx_device_call(struct wl_lift *l, const char *name, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count);
/* Adds the functions to a module that calls some; what is not called is for globaldce. */
enum wl_status wl_ptx_link_device(LLVMModuleRef module);

/* ---- nvptx/image.c ---- */
/* Lifts an IMAGE instruction. */
void wl_ptx_lift_image(struct wl_lift *l, const struct wl_inst *inst);
/* Lifts buffer_*_format_* and tbuffer_*. */
void wl_ptx_lift_typed(struct wl_lift *l, const struct wl_inst *inst);

/* ---- nvptx/frame.c ---- */
/* Lifts an instruction that is not the piece's end. */
void wl_ptx_lift_inst(struct wl_lift *l, const struct wl_inst *inst);
/* Builds the kernel in an empty module, whose target and data layout are set. Waves of 64 have a thread for each lane if
 * info->wave_threads is 64. */
enum wl_status wl_ptx_lift_kernel(const struct wl_ptx_request *request, struct wl_unit *units, unsigned count, LLVMModuleRef module,
                                  struct wl_ptx_info *info);

/* ---- nvptx/math.c ---- */
/* The function to call for semantics: of those that this file knows one that stays a call of scalars for now. */
LLVMValueRef wl_ptx_keep_call(struct wl_lift *l, const char *name, LLVMValueRef function);
/* Takes away what is superfluous around these calls: the steps to a root's neighbours, then scales. True: something changed, and
 * the module is to be cleaned. */
bool wl_ptx_simplify_roots(LLVMModuleRef module);
bool wl_ptx_simplify_scales(LLVMModuleRef module);
/* nvptx/fuse.c: makes one function of sequences that compute e^x or ln(x), and takes away what ranges make superfluous. True: as above. */
bool wl_ptx_fuse_math(LLVMModuleRef module);
/* Lets the calls be inlined by the next always-inline pass. */
void wl_ptx_inline_math(LLVMModuleRef module);

/* ---- nvptx/rounding.c ---- */
/* MODE's rounding behind an instruction. */
uint8_t wl_ptx_rounding_step(uint8_t rounding, const struct wl_inst *inst);
/* Fills in what it is at each piece's start (`starts`: piece_count bytes). False: to nearest everywhere. */
bool wl_ptx_rounding_find(const struct wl_unit *unit, uint8_t entry, uint8_t *starts);
/* By which rounding an instruction's semantics go now: 0 is to nearest; WL_PTX_ROUNDING_UNKNOWN. */
unsigned wl_ptx_rounding_of(const struct wl_lift *l, const struct wl_sem *sem);
/* The function of semantics with that rounding (1 to 3). NULL (and l->status set) if that fails. */
LLVMValueRef wl_ptx_rounded_semantics(struct wl_lift *l, const struct wl_sem *sem, unsigned rounding);

/* ---- nvptx/part.c ---- */
/* Lets threads take the marked branches alone, where nothing on the way to the place at which they meet crosses threads. */
bool wl_ptx_part_threads(LLVMModuleRef module);

/* ---- nvptx/emit.c ---- */
LLVMTargetMachineRef wl_ptx_machine(const struct wl_ptx_request *request);
/* Runs the passes and gives the markers their bodies. */
enum wl_status wl_ptx_optimize(const struct wl_ptx_request *request, LLVMModuleRef module, LLVMTargetMachineRef machine,
                               struct wl_ptx_info *info);
/* Calls of an intrinsic without type parameters, and of a shuffle: i32 `value` of lane `lane`. */
LLVMValueRef wl_ptx_build_intrinsic(LLVMModuleRef module, LLVMBuilderRef b, const char *name, LLVMValueRef *arguments, unsigned count);
LLVMValueRef wl_ptx_build_shuffle(LLVMModuleRef module, LLVMBuilderRef b, LLVMValueRef value, LLVMValueRef lane);
/* The module's PTX. The buffer belongs to the caller. */
enum wl_status wl_ptx_text(LLVMModuleRef module, LLVMTargetMachineRef machine, LLVMMemoryBufferRef *text);

#endif
