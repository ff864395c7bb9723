/* From pieces to LLVM IR.
 *
 * Scalar registers are allocas, loaded from the wave where the unit is entered and stored where it
 * exits; passes turn them into values. Vector registers live in wave->vgpr. Vector instructions
 * collect in a *stretch*; a stretch becomes one loop over the wave's strips of 16 lanes:
 *
 *   record   when the instruction is met, in program order: its scalar inputs are read (builder `b`
 *            stands outside any loop) and kept in the item, since later instructions may overwrite them
 *   emit     when the stretch is flushed: code for one strip is built, item by item. Registers are
 *            <16 x i32> values; what is live behind the stretch is stored at its end
 *
 * A stretch is flushed before anything that needs a finished wave: a scalar use of a mask that it
 * makes, a cross-lane operation, an exit, a branch, a change of EXEC, a load behind a store or a
 * store behind a load or a store in the same address space.
 *
 * In MASKED code values are computed for all 16 lanes; EXEC matters where they leave the strip:
 * stores of registers and memory, loads, comparison masks. Strips without active lanes are skipped. */
#ifndef WL_TRANSLATE_LIFT_H
#define WL_TRANSLATE_LIFT_H

#include "translate/affine.h"
#include "translate/isa.h"
#include "translate/sem.h"
#include "translate/unit.h"

#include <llvm-c/Core.h>

#define WL_ITEM_SCALARS 8

struct wl_lift;
struct wl_lift_loop; /* lift_loop.c */
struct wl_lift_gang; /* lift_gang.c */
struct wl_ptx;       /* nvptx/ptx.h */

struct wl_item {
    const struct wl_inst *inst;
    const struct wl_sem *sem;             /* lift_valu.c: what it computes */
    bool starts_segment;                  /* must see all strips of the items before (lift_stretch.c) */
    uint8_t wide;                         /* not 0: a segment of its own, emitted for all strips at once by wl_memory_emit_wide; so
                                           * many strips' elements follow each other */
    bool paired;                          /* first of a VOPD pair: writes after the next item has read */
    uint8_t index_step;                   /* enum wl_index_step (lift_index.c) */
    const struct wl_inst *maker;          /* WL_INDEX_HIGH: the instruction that made the low half */
    LLVMValueRef scalar[WL_ITEM_SCALARS]; /* inputs read at record time; meaning is the emitter's */
    struct wl_fact fact[3];               /* memory: what is known about its address operands, and an atomic's data (lift_memory.c) */
    void (*emit)(struct wl_lift *l, struct wl_item *item);
};

/* What an instruction is in address arithmetic. */
enum wl_index_step { WL_INDEX_NONE, WL_INDEX_SIGN, WL_INDEX_SHIFT, WL_INDEX_LOW, WL_INDEX_HIGH };

/* A register pair that is base + (index << shift) in the active lanes. */
struct wl_index {
    unsigned row; /* of the low half */
    unsigned shift;
    bool is_signed;      /* the index is extended by its sign, else by zeros */
    LLVMValueRef base;   /* i64; NULL: 0 */
    LLVMValueRef index;  /* <16 x i32> */
    LLVMValueRef head;   /* i32: the first lane's, where it is known as a scalar; NULL: it is not */
    unsigned source;     /* the row that it was read from; it may have been written since */
    struct wl_fact fact; /* of the index */
};

/* The low half of a sum of such a pair and a base, until the high one comes. */
struct wl_index_sum {
    const struct wl_inst *maker; /* NULL: there is none */
    unsigned low_row, high_row;  /* of the sum's low half; of the pair's high half */
    struct wl_index index;       /* the pair */
    LLVMValueRef low;            /* i32: of the base */
    const struct wl_operand *of; /* what `low` is */
};

/* The low half of a sum of 64 bits that one lane makes, until the high one comes (lift_pairs.c). */
struct wl_pair_sum {
    const struct wl_inst *maker; /* NULL: there is none */
    LLVMValueRef low[2];         /* i32: what was added */
    LLVMValueRef high[2];        /* <16 x i32>: the row behind that of an operand then; NULL: it is none */
    LLVMValueRef whole[2];       /* i64: both */
};

#define WL_INDEX_FORMS    12
#define WL_STRIPS_ABREAST 8 /* the most that are emitted side by side */

/* What is known of one strip while its code is built. */
struct wl_strip {
    LLVMBasicBlockRef start;                /* register loads go here, so that they dominate all of the strip's code */
    LLVMValueRef in_wave;                   /* i64 */
    unsigned wave;                          /* of those of a gang that go side by side */
    LLVMValueRef number;                    /* the same, or of a gang's strips */
    LLVMValueRef first_lane;                /* i64: number * 16 */
    LLVMValueRef row_value[WL_VGPR_COUNT];  /* <16 x i32> known so far, or NULL */
    LLVMValueRef pair_value[WL_VGPR_COUNT]; /* <16 x i64> of rows n, n + 1 known so far, or NULL */
    LLVMValueRef mask_value[WL_SGPR_COUNT]; /* <16 x i1> made by this stretch, by first register */
    uint64_t row_dirty[8];                  /* written in this stretch */
    struct wl_index index[WL_INDEX_FORMS];  /* pairs that are addresses of that form */
    unsigned index_count;
    struct wl_index_sum sum;
    struct wl_pair_sum pair_sum;
};

struct wl_lift {
    const struct wl_translate_request *request;
    const struct wl_unit *unit;
    const struct wl_affine *affine; /* NULL: nothing is known of registers */
    enum wl_mode mode;
    unsigned wave_size, strips; /* 32 or 64; 2 or 4 */
    unsigned gang_lanes;        /* with `gang`: of all waves */
    bool lays_out;              /* a gang's waves may be laid out */
    unsigned lanes;             /* of a strip: WL_STRIP */
    struct wl_ptx *ptx;         /* not NULL: the one-lane form, for a thread of an NVIDIA GPU. `lanes` is 1, a strip is a warp, values
                                 * of strips are vectors of one element, and each instruction is emitted at once (nvptx/ptx.h) */
    unsigned generation;        /* 9 to 12 */
    bool splits_denormals;      /* lift_denormal.c */
    bool splits_rounding;       /* lift_rounding.c */
    bool has_avx512;            /* the host gathers, scatters and masks natively */
    bool has_masks;             /* the host loads and stores dwords under a mask natively */

    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMBuilderRef b;
    LLVMValueRef function, wave; /* wave: the function's parameter, struct wl_wave * */
    LLVMBasicBlockRef entry;     /* holds the allocas; ends in a branch */
    LLVMTypeRef i1, i8, i16, i32, i64, i128, f16, bf16, f32, f64, ptr, void_type;
    LLVMTypeRef mask_type; /* i32 or i64: a wave-wide mask; of a gang a vector of them */
    LLVMTypeRef wave_mask; /* i32 or i64 */
    LLVMTypeRef strip_i1, strip_i8, strip_i16, strip_i32, strip_i64, strip_f16, strip_f32, strip_f64; /* <16 x ...> */
    LLVMValueRef sgpr[WL_SGPR_COUNT];             /* pointers to i32: allocas, or the wave's own (in_memory) */
    bool in_memory;                               /* scalars stay in the wave: units with very many resume points */
    LLVMValueRef *row_slots;                      /* allocas of vector registers, see wl_rows_slot; NULL: they are in the wave */
    uint64_t rows_written[8];                     /* with row_slots: by the whole unit */
    uint64_t scalars_used[2], scalars_written[2]; /* by the whole unit */
    LLVMBasicBlockRef *blocks;                    /* by piece */
    LLVMMetadataRef subprogram;                   /* for debug locations */

    /* The piece being lifted. */
    const struct wl_piece *piece;
    struct wl_live *live_after;       /* by instruction of the piece */
    const struct wl_effects *effects; /* the same */
    uint32_t at;                      /* the instruction being recorded, within the piece */
    uint64_t matrices_done;           /* matrix instructions behind `at` that were done with an earlier one: bit n is that of at + n */

    /* The buffer descriptor that was read last in this piece (lift_buffer.c); base is NULL if its registers changed. */
    struct {
        unsigned reg;
        LLVMValueRef base, records, flags, raw;
    } descriptor;

    /* The stretch being collected. */
    struct wl_item *items;
    unsigned item_count, item_capacity;
    uint64_t pending_masks[2];             /* scalar registers whose value the stretch will make */
    uint8_t stretch_loads, stretch_stores; /* WL_CONFLICT_*, of the last segment */
    uint64_t same_rows[8];                 /* registers that are the same in all strips where the stretch begins */
    bool loads_same;                       /* some item loads from such an address */
    bool segmented;                        /* some item starts a segment */
    uint32_t stretch_end;                  /* the last recorded instruction, within the piece */

    bool aside;           /* lift_exec.c: MASKED pieces are lifted within FULL code */
    unsigned aside_items; /* so far */

    struct wl_lift_loop *in_loop; /* lift_loop.c: the loop whose pieces are lifted for one strip; NULL: none */
    struct wl_lift_gang *gang;    /* lift_gang.c: all waves of a workgroup; mask_type is a vector of their masks; NULL: one wave */

    /* The strips of the stretch being emitted, and the one at hand (valid within an item's emit). */
    struct wl_strip *strip_states; /* WL_STRIPS_ABREAST of them */
    struct wl_strip *strip;
    LLVMValueRef shared_row[WL_VGPR_COUNT]; /* of same_rows: loaded by the first strip, or NULL */
    LLVMValueRef strip_trace;               /* alloca: a struct wl_strip_trace, or NULL while no loop needed one */
    LLVMValueRef access_trace;       /* alloca: a struct wl_access_trace, or NULL as long as no access of the unit's own needed one */
    LLVMMetadataRef access_location; /* of the access that the trace is of */
    LLVMValueRef lane_offsets, spare_place; /* allocas of lift_spread.c, or NULL as long as no access needed one */
    LLVMValueRef exec;                      /* <16 x i1> of active lanes; NULL in FULL code: all are */
    LLVMValueRef exec_bits;                 /* the same as i16, where there is an exec */

    struct wl_facts *facts; /* at the instruction being recorded; NULL if not tracked */
    enum wl_status status;  /* first error */
};

/* ---- lift_scalar.c: scalar values; builder outside or inside a strip loop ---- */
LLVMValueRef wl_lift_sgpr(struct wl_lift *l, unsigned reg);   /* i32 */
LLVMValueRef wl_lift_sgpr64(struct wl_lift *l, unsigned reg); /* i64 of reg, reg + 1 */
void wl_lift_set_sgpr(struct wl_lift *l, unsigned reg, LLVMValueRef value);
void wl_lift_set_sgpr64(struct wl_lift *l, unsigned reg, LLVMValueRef value);
LLVMValueRef wl_lift_scalar_operand(struct wl_lift *l, const struct wl_operand *operand, enum wl_type type);
LLVMValueRef wl_lift_mask(struct wl_lift *l, unsigned reg);                       /* mask_type: a register (pair) as a wave-wide mask */
LLVMValueRef wl_lift_exec(struct wl_lift *l);                                     /* mask_type */
LLVMValueRef wl_lift_next_address(struct wl_lift *l, const struct wl_inst *inst); /* i64: what s_getpc gives, and return addresses */
/* Lifts a scalar instruction that has no semantics function and is no end of a piece; false: it is of another class. */
bool wl_lift_scalar(struct wl_lift *l, const struct wl_inst *inst);

/* ---- lift_rows.c ---- */
/* Chooses whether vector registers are values between the unit's exits, and makes their places in the entry block (l->row_slots). */
void wl_rows_create(struct wl_lift *l);
/* Loads what is live at a piece from the wave, or stores it there. Nothing if registers are in the wave. */
void wl_rows_move(struct wl_lift *l, const struct wl_piece *piece, bool store);
/* With l->row_slots: the place of a register in a strip, one of the gang's if it is one. */
LLVMValueRef wl_rows_slot(const struct wl_lift *l, unsigned row, unsigned strip);

/* ---- lift_smem.c ---- */
/* Lifts a scalar load, store or atomic, at once. Stores and atomics flush the stretch. */
void wl_lift_smem(struct wl_lift *l, const struct wl_inst *inst);
/* For PTX too. The sum of a scalar access's offsets, before low bits are cut off, as i64. */
LLVMValueRef wl_lift_smem_offset(struct wl_lift *l, const struct wl_inst *inst);
/* Bytes of the buffer that the descriptor in `reg` and behind tells, as i64: the number of records, each of the stride's size if there
 * is one. */
LLVMValueRef wl_lift_smem_limit(struct wl_lift *l, unsigned reg);

/* ---- lift.c ---- */
LLVMValueRef wl_lift_wave_pointer(struct wl_lift *l, uint64_t offset);               /* of a byte of struct wl_wave */
LLVMValueRef wl_lift_wave_field(struct wl_lift *l, size_t offset, LLVMTypeRef type); /* loads wave + offset */
LLVMValueRef wl_lift_row_address(struct wl_lift *l, unsigned row);                   /* ptr to row's lane 0 */
/* Calls wave->helpers' function at `offset` (offsetof(struct wl_helpers, ...)) with these arguments. EXEC is stored to the
 * wave first. The stretch must be flushed: helpers work on rows in memory. */
LLVMValueRef wl_lift_call_helper(struct wl_lift *l, size_t offset, LLVMTypeRef result, LLVMValueRef *arguments, unsigned count);

LLVMValueRef wl_lift_alloca(struct wl_lift *l, LLVMTypeRef type, unsigned alignment, const char *name); /* in the entry block */
/* The same for a variable that stays in memory, aligned to 64 bytes. */
LLVMValueRef wl_lift_kept_alloca(struct wl_lift *l, LLVMTypeRef type);
/* Keeps the optimizer from taking an alloca apart: its address goes somewhere. */
void wl_lift_keep_whole(struct wl_lift *l, LLVMValueRef alloca);
/* Calls an overloaded LLVM intrinsic ("llvm.ctpop") for `types`. */
LLVMValueRef wl_lift_intrinsic(struct wl_lift *l, const char *name, LLVMTypeRef *types, unsigned type_count, LLVMValueRef *arguments,
                               unsigned argument_count);

/* ---- strip values (lift_stretch.c): only within emit ---- */
LLVMValueRef wl_strip_row(struct wl_lift *l, unsigned row);  /* <16 x i32> */
LLVMValueRef wl_strip_pair(struct wl_lift *l, unsigned row); /* <16 x i64> */
void wl_strip_set_row(struct wl_lift *l, unsigned row, LLVMValueRef value);
void wl_strip_set_pair(struct wl_lift *l, unsigned row, LLVMValueRef value);
LLVMValueRef wl_strip_join(struct wl_lift *l, LLVMValueRef low, LLVMValueRef high); /* <16 x i64> of two rows */
/* A row pair's value if it exists as one, else NULL. */
LLVMValueRef wl_strip_known_pair(const struct wl_lift *l, unsigned row);
LLVMValueRef wl_strip_splat(struct wl_lift *l, LLVMValueRef scalar); /* <16 x T>; also in slow functions */
LLVMValueRef wl_strip_lane_numbers(struct wl_lift *l);               /* <16 x i32>: 0 to 15 */
/* The row's value in all lanes, the inactive ones included, as cross-lane operations read it. */
LLVMValueRef wl_strip_row_all_lanes(struct wl_lift *l, unsigned row);
/* Bit n of `bits`, an integer of `count` bits, as lane n: <count x i1>. Also in slow functions. */
LLVMValueRef wl_lift_lanes(struct wl_lift *l, LLVMValueRef bits, unsigned count);
/* The same with bit index[n] (below 32) as lane n of up to 32, in the form that suits hosts without mask registers. */
LLVMValueRef wl_lift_pick_lanes(struct wl_lift *l, LLVMValueRef bits, const unsigned *index, unsigned count);
/* Stores to a row, or a strip of one: `lanes` (<n x i1>) of the vector `value`; the others stay. Nobody else writes there. */
void wl_lift_store_lanes(struct wl_lift *l, LLVMValueRef value, LLVMValueRef pointer, unsigned alignment, LLVMValueRef lanes);
/* <16 x i1> of lanes on which an effect may be had: exec, or all ones. */
LLVMValueRef wl_strip_exec(struct wl_lift *l);
/* Where code is being built, and for which instruction. */
struct wl_lift_place {
    LLVMBasicBlockRef block;
    LLVMMetadataRef location;
};
/* Goes to the end of a block that is complete, before its terminator, and says from where; and back. (Moving the builder takes the
 * neighbour's location.) */
struct wl_lift_place wl_lift_detour(struct wl_lift *l, LLVMBasicBlockRef block);
void wl_lift_return(struct wl_lift *l, struct wl_lift_place place);
LLVMBasicBlockRef wl_lift_block(struct wl_lift *l, const char *name);          /* a new block at the function's end */
LLVMValueRef wl_lift_int(struct wl_lift *l, LLVMTypeRef type, uint64_t value); /* a constant; a splat for vector types */

/* ---- lift_memory.c: vector memory; record is called with the stretch ready to take the item ---- */
/* The operands of a memory instruction; NULL: it has none. */
struct wl_memory_operands {
    const struct wl_operand *result, *address, *data, *data1, *scalar;
};
struct wl_memory_operands wl_memory_operands(const struct wl_inst *inst);
/* Fills item->scalar, item->fact and item->emit for a LOAD, STORE or ATOMIC. An access too rare for a strip form is
 * done at once through a helper: then it flushes the stretch itself and returns false (nothing to emit). */
bool wl_memory_record(struct wl_lift *l, struct wl_item *item);
/* Marks an access of program memory (LDS, scratch, global) or of struct wl_wave: the two never alias. (lift_address.c) */
void wl_lift_mark_memory(struct wl_lift *l, LLVMValueRef access);
void wl_lift_mark_wave(struct wl_lift *l, LLVMValueRef access);
/* Emits a wide access: the builder stands behind all strips of the items before. */
void wl_memory_emit_wide(struct wl_lift *l, struct wl_item *item);
/* Emits the stretch collected so far. (lift_stretch.c) */
void wl_lift_flush(struct wl_lift *l);

/* ---- lift_stretch.c ---- */
/* Whether the stretch, with its last item, is such that it may have segments. */
bool wl_stretch_may_segment(const struct wl_lift *l);
/* Adds an item to the stretch, flushing first if the instruction's memory accesses conflict with the stretch's. */
struct wl_item *wl_stretch_add(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Declares that the stretch's last item makes the mask in scalar register(s) `reg`. */
void wl_stretch_makes_mask(struct wl_lift *l, unsigned reg);
bool wl_stretch_mask_pending(const struct wl_lift *l, unsigned reg);
/* Sets a mask made by the item being emitted. Inactive lanes become 0 when the stretch ends. */
void wl_strip_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef lanes);
/* The 16 bits of a wave-wide mask that belong to this strip, as <16 x i1>. */
LLVMValueRef wl_strip_of_mask(struct wl_lift *l, LLVMValueRef mask);
/* Where a loop's rounds for one strip begin, whose first lane has this number (i64) among all there are: for fault reports. */
void wl_strip_trace_first(struct wl_lift *l, LLVMValueRef first_lane);

/* ---- lift_exec.c ---- */
/* Whether MASKED code that comes to a piece with a full EXEC goes on: EXEC will change, or the wave wait or end, soon. */
bool wl_exec_stays_masked(const struct wl_unit *unit, uint32_t piece);
/* The end of l->piece, which changed EXEC: FULL code goes on while all lanes are active, MASKED code until they are again for long. */
void wl_exec_finish(struct wl_lift *l);
enum { WL_IDLE_PIECES = 4 };
/* The pieces that a wave without active lanes goes through up to the next change of EXEC, or its end. */
struct wl_idle {
    uint32_t piece[WL_IDLE_PIECES];
    unsigned count;
};
/* The way from a piece; false: FULL code cannot go it. */
bool wl_idle_find(const struct wl_lift *l, uint32_t from, struct wl_idle *idle);
/* FULL code goes such a way, and on: the builder's block ends. */
void wl_idle_go(struct wl_lift *l, const struct wl_idle *idle);

/* ---- lift_loop.c: loops run for one strip after the other; all but the first within one (l->in_loop) ---- */
/* Lifts such a loop behind its header's block; the builder is left where it is over for all strips, with EXEC 0. */
void wl_lift_strip_loop(struct wl_lift *l, const struct wl_strip_loop *loop);
/* A mask of the strip's lanes, in the low bits of mask_type; of a scalar register, or of a wave's mask. */
LLVMValueRef wl_loop_mask(struct wl_lift *l, unsigned reg);
LLVMValueRef wl_loop_slice(struct wl_lift *l, LLVMValueRef mask);
/* Two masks combined, for gangs too. */
LLVMValueRef wl_mask_combine(struct wl_lift *l, unsigned logic, LLVMValueRef a, LLVMValueRef b);
void wl_loop_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask);
/* Lifts an instruction marked on_strip_masks. */
void wl_loop_mask_work(struct wl_lift *l, const struct wl_inst *inst);
/* Behind each instruction: masks follow the scalars that it wrote. */
void wl_loop_step(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Rows between stretches. Inactive lanes keep what they have where that is used. */
LLVMValueRef wl_loop_load_row(struct wl_lift *l, unsigned row);
void wl_loop_store_row(struct wl_lift *l, unsigned row, LLVMValueRef value);
/* What the first lane has of a row, as an i32, if that is followed as a scalar: the counter of a loop whose rounds are counted; else NULL. */
LLVMValueRef wl_loop_head(struct wl_lift *l, unsigned row);
/* The one value (i32) of a row that is the same in all active lanes, if the loop does not write it; else NULL. */
LLVMValueRef wl_loop_uniform(const struct wl_lift *l, unsigned row);
/* Sets l->exec for the strip; branches to `after` if it has no lanes. */
void wl_loop_strip(struct wl_lift *l, LLVMBasicBlockRef after);
/* Of a row that counts in the loop (rows_counting; else NULL): the lanes, in the low bits of an i32, that do not have what the first lane of
 * their group of eight says, `step` more for each lane behind it. That stays so in all rounds, and is looked at where they begin. */
LLVMValueRef wl_loop_apart(struct wl_lift *l, unsigned row, uint32_t step);
/* The same for all active lanes and all rounds, as an i1 from before the first one, where rounds are counted by this row: `true` if they
 * have what their group's first lane says, with no wrap on the way to it (as numbers with a sign, or without). NULL: it is another row. */
LLVMValueRef wl_loop_in_groups(struct wl_lift *l, unsigned row, uint32_t step, bool is_signed);
LLVMValueRef wl_loop_strip_number(const struct wl_lift *l);
LLVMValueRef wl_loop_strip_of_all(const struct wl_lift *l); /* of a gang's */
LLVMValueRef wl_loop_first_lane(const struct wl_lift *l);   /* its first lane's number, of a gang's; i64 */
/* Whether the loop is run for half a strip at a time: lanes from WL_GROUP on are off, and their registers 0. */
bool wl_loop_halves(const struct wl_lift *l);
/* Ends the piece at hand if it is where a strip may leave the loop and rounds are counted. False: it ends as others do. */
bool wl_loop_leave(struct wl_lift *l);
/* lift_lanes.c: whether one lane's turn it is. It is lane 0 of vectors then; nobody wants the others. */
bool wl_lane_alone(const struct wl_lift *l);
/* Its number, among those of all strips, as i64, and its bit among the strip's, as i32. */
LLVMValueRef wl_lane_number(const struct wl_lift *l);
LLVMValueRef wl_lane_bit(const struct wl_lift *l);
/* Two halves as i64, made where the lanes' turns begin, if the loop does not change them: scalars, or rows that the caller knows to be
 * the same in all active lanes. NULL: it may. */
LLVMValueRef wl_lane_base(struct wl_lift *l, const struct wl_operand *low, const struct wl_operand *high);
/* Its element as a vector, and of one. */
LLVMValueRef wl_lane_vector(struct wl_lift *l, LLVMValueRef element);
LLVMValueRef wl_lane_value(struct wl_lift *l, LLVMValueRef vector);
/* lift_pairs.c: whether rows n and n + 1 of the lane lie together, and those as one number, as a vector of it. */
bool wl_pairs_has(const struct wl_lift *l, unsigned row);
LLVMValueRef wl_pairs_load(struct wl_lift *l, unsigned row);
void wl_pairs_store(struct wl_lift *l, unsigned row, LLVMValueRef pair);
/* Before the instruction is emitted that makes the low half of a sum: what it adds. */
struct wl_pair_sum wl_pairs_low(struct wl_lift *l, const struct wl_item *item);
/* Before the one that makes the high half: the sum, as a vector; NULL: it does not belong to the low half. `known`: the same as an
 * index, or NULL. */
LLVMValueRef wl_pairs_sum(struct wl_lift *l, const struct wl_item *item, const struct wl_index *known);
/* Whether the loop writes to memory (wl_strip_loop.writes). */
bool wl_loop_writes(const struct wl_lift *l);
/* lift_ticket.c: lifts an instruction marked as part of a ticket, but for stores. */
void wl_loop_ticket(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* Puts the wave together as it is when this strip is at `piece`: to exit there. True: it was a gang's, which has been split. */
bool wl_loop_yield(struct wl_lift *l, uint32_t piece);

/* ---- lift_gang.c: a workgroup as one wave (gang.h); all but the first two with l->gang ---- */
/* Prepares l for it. False: l->status says why not, or there is no memory. */
bool wl_gang_create(struct wl_lift *l);
void wl_gang_release(struct wl_lift *l);
/* Ends the entry block: loads what the unit starts with. */
void wl_gang_enter(struct wl_lift *l);
/* Lifts all pieces, in both forms. */
void wl_gang_lift(struct wl_lift *l);
/* Masks of the gang, vectors of the waves' masks: of a scalar register; of one wave's mask that all waves have. */
LLVMValueRef wl_gang_mask(struct wl_lift *l, unsigned reg);
void wl_gang_set_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask);
LLVMValueRef wl_gang_spread(struct wl_lift *l, LLVMValueRef mask);
/* Whether EXEC has some lanes, or none. */
LLVMValueRef wl_gang_has_lanes(struct wl_lift *l, bool some);
/* A loop over the waves; in MASKED code over those that have lanes. What begins it gives what ends it its latch. */
LLVMBasicBlockRef wl_gang_begin_waves(struct wl_lift *l, unsigned step);
void wl_gang_end_waves(struct wl_lift *l, LLVMBasicBlockRef latch);
/* With l->row_slots the waves are laid out, each between these: the wave's number is a constant. What begins one gives what ends it
 * the block behind it. */
LLVMBasicBlockRef wl_gang_begin_wave(struct wl_lift *l, unsigned wave);
void wl_gang_end_wave(struct wl_lift *l, LLVMBasicBlockRef after);
/* The work items' ids that a register has in a strip when the kernel starts; NULL: it has none. */
LLVMValueRef wl_gang_ids(struct wl_lift *l, unsigned row, unsigned strip);
/* The state of a wave, anywhere. */
LLVMValueRef wl_gang_state_of(struct wl_lift *l, unsigned wave);
/* For lift_loop.c, which runs each wave's strips: a mask goes to its variable; a wave's part of it (NULL: it is no mask), and back. */
void wl_gang_settle_mask(struct wl_lift *l, unsigned reg);
LLVMValueRef wl_gang_take_wave(struct wl_lift *l, const struct wl_lift_gang *gang, unsigned reg);
void wl_gang_give_mask(struct wl_lift *l, const struct wl_lift_gang *gang, unsigned reg, LLVMValueRef mask);
/* Where MASKED code of a piece begins. */
LLVMBasicBlockRef wl_gang_masked_block(const struct wl_lift *l, uint32_t piece);
/* Within the loop: the wave's state; the gang's number of a strip of the wave (i64); the wave's part of a mask, and of EXEC. */
LLVMValueRef wl_gang_state(struct wl_lift *l, unsigned wave);
LLVMValueRef wl_gang_strip(struct wl_lift *l, unsigned wave, LLVMValueRef in_wave);
LLVMValueRef wl_gang_wave_mask(struct wl_lift *l, LLVMValueRef mask);
LLVMValueRef wl_gang_wave_exec(struct wl_lift *l);
/* Puts the wave's part of a mask that the loop makes (0 for those left out), and behind the loop takes all of them as the register's. */
void wl_gang_put_mask(struct wl_lift *l, unsigned reg, LLVMValueRef mask);
void wl_gang_take_mask(struct wl_lift *l, unsigned reg);
/* Behind a plain write to a scalar register. */
void wl_gang_written(struct wl_lift *l, unsigned reg);
/* Lifts an instruction if it works on masks; steps over any, behind it. */
bool wl_gang_instruction(struct wl_lift *l, const struct wl_inst *inst);
void wl_gang_step_over(struct wl_lift *l, const struct wl_inst *inst);
/* At a piece's start; at its end, where EXEC changed. */
void wl_gang_begin_piece(struct wl_lift *l, uint32_t piece);
void wl_gang_finish_exec(struct wl_lift *l);
/* Exits, for the waves to go on by themselves at a piece with a resume point. */
void wl_gang_split(struct wl_lift *l, uint32_t piece);

/* ---- lift_order.c ---- */
/* Whether a store may follow those of the stretch's last segment strip by strip: the order of stores to one address by lanes
 * of different strips stays. `effects`: the store's. */
bool wl_store_may_join(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects);

/* Whether a store may follow the stretch's loads strip by strip: no strip loads what an earlier one has stored. */
bool wl_store_follows_loads(const struct wl_lift *l, const struct wl_inst *store, const struct wl_effects *effects);

/* ---- lift_rounding.c ---- */
/* Whether a unit may let f64 and f16 round otherwise than f32. */
bool wl_rounding_split(const struct wl_unit *unit);
/* Whether the instruction is one that rounds by the other mode then. */
bool wl_rounding_differs(const struct wl_lift *l, const struct wl_inst *inst);
/* Flushes, and sets the host's rounding to the mode of f64 and f16 (`other`) or of f32. */
void wl_rounding_switch(struct wl_lift *l, bool other);

/* ---- lift_denormal.c ---- */
/* Whether a unit keeps f64 denormals where its kernels may flush f32's. */
bool wl_denormal_split(const struct wl_unit *unit);
/* Sets the host's switch for this unit's code (`inside`), or as MODE says for everybody else's. Nothing for other units. */
void wl_denormal_switch(struct wl_lift *l, bool inside);
/* Operands and results of arithmetic, flushed if such a unit's MODE says so. */
LLVMValueRef wl_denormal_input(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, enum wl_type type);
LLVMValueRef wl_denormal_result(struct wl_lift *l, const struct wl_inst *inst, LLVMValueRef value, enum wl_type type);

/* ---- lift_valu.c: instructions with semantics ---- */
/* The semantics of a mnemonic in the form that this lifter takes; NULL if there are none. */
const struct wl_sem *wl_lift_find_semantics(const struct wl_lift *l, const char *mnemonic);
/* The packed function of these semantics, linked into the module on first use; NULL (and l->status set) if that fails. */
LLVMValueRef wl_lift_semantics(struct wl_lift *l, const struct wl_sem *sem);
/* Within emit: the lanes of a row that DPP within rows of 16 reads, 0 where there is none; *enabled: those that are written, or
 * NULL for all. */
LLVMValueRef wl_valu_dpp_source(struct wl_lift *l, const struct wl_inst *inst, unsigned row, LLVMValueRef *enabled);
void wl_lift_salu(struct wl_lift *l, const struct wl_inst *inst);
void wl_valu_record(struct wl_lift *l, struct wl_item *item);
/* v_cmpx: records the comparison with EXEC (and, on gfx9, the printed register) as its result. */
void wl_cmpx_record(struct wl_lift *l, struct wl_item *item);

/* ---- lift_wide.c ---- */
/* Records an instruction on register pairs that works on its halves (64-bit shifts by constants, packed f32), which spares
 * joining them. False: the instruction is another. */
bool wl_wide_record(struct wl_lift *l, struct wl_item *item);

/* ---- lift_index.c: addresses that are base + (index << shift) ---- */
/* Looks whether the stretch's last item is a step of making one. */
void wl_index_record(struct wl_lift *l);
/* Emits an item (item->emit), and notes what it makes of addresses. */
void wl_index_emit(struct wl_lift *l, struct wl_item *item);
/* Within emit: the form of the pair that begins with this row; NULL: none is known. */
const struct wl_index *wl_index_find(const struct wl_lift *l, unsigned row);
/* Within emit: the row is written. */
void wl_index_forget(struct wl_lift *l, unsigned row);

/* ---- lift_lane.c: cross-lane instructions and source lanes of DPP ---- */
/* Lifts a LANE instruction. Some become items of the stretch, others are done at once. */
void wl_lift_lane(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* i32: the LDS element that M0 names (address in bits 15:0, type in 18:16). The stretch must be flushed. */
LLVMValueRef wl_lane_lds_direct(struct wl_lift *l);
/* At record time: copies a row, as it is now in all lanes, to a buffer that an item may read lanes of. Flushes. */
LLVMValueRef wl_lane_snapshot(struct wl_lift *l, unsigned row, bool zero_inactive);
/* Within emit: value of lanes `index` (<16 x i32>, 0 to wave_size - 1) of a snapshot. */
LLVMValueRef wl_lane_gather(struct wl_lift *l, LLVMValueRef snapshot, LLVMValueRef index);

/* Lifts an instruction that is not the piece's exit or branch, into the stretch or at once. `inst` must live until the next flush. */
void wl_lift_inst(struct wl_lift *l, const struct wl_inst *inst, const struct wl_effects *effects);
/* The first active lane's value of a row in memory (lane 0's if none is active), as i32. The stretch must be flushed. */
LLVMValueRef wl_lane_first(struct wl_lift *l, unsigned row);

/* ---- lift_indexed.c ---- */
/* Lifts an instruction in gfx9's indexing mode (index_mode), at once. */
void wl_lift_relative(struct wl_lift *l, const struct wl_inst *inst);
/* Lifts a MOVREL instruction, at once. */
void wl_lift_indexed(struct wl_lift *l, const struct wl_inst *inst);

/* ---- lift_matrix.c ---- */
/* What an element of C of a kind (device/cpu/matrix.h) is where the operand is a constant. */
uint64_t wl_matrix_constant(const struct wl_operand *operand, unsigned kind);
/* The shape and the modifiers of a MATRIX instruction on this processor, as matrix.h packs them. */
uint32_t wl_matrix_shape(const struct wl_inst *inst, unsigned generation);
uint32_t wl_matrix_modifiers(const struct wl_inst *inst, const char *processor, uint32_t shape);
/* Whether its operands are of a form that there is. */
bool wl_matrix_is_known(const struct wl_inst *inst, unsigned generation);
/* Lifts a MATRIX instruction: a call of the helper, at once. */
void wl_lift_matrix(struct wl_lift *l, const struct wl_inst *inst);

/* ---- lift_image.c ---- */
/* Lifts an IMAGE instruction: a call of the helper, at once. */
void wl_lift_image(struct wl_lift *l, const struct wl_inst *inst);
/* What wl_helpers.image is told of one: whether its operands are of a known form, whether there is a sampler, modifiers, and the
 * rows of the addresses, a byte each. */
bool wl_image_is_known(const struct wl_inst *inst);
bool wl_image_samples(const struct wl_inst *inst);
uint32_t wl_image_modifiers(const struct wl_inst *inst, unsigned generation);
void wl_image_rows(const struct wl_inst *inst, uint64_t rows[2]);

/* ---- lift_buffer.c ---- */
/* The `element` (helpers.h) of a buffer instruction. */
uint32_t wl_buffer_element(const struct wl_inst *inst, unsigned generation);

/* ---- lift.c ---- */
/* Scalar registers to the wave, or from there, if they are in variables. */
void wl_lift_move_scalars(struct wl_lift *l, const uint64_t set[2], bool store);
/* All scalar registers to the wave, and back. The stretch must be flushed. */
void wl_lift_spill_scalars(struct wl_lift *l);
void wl_lift_reload_scalars(struct wl_lift *l);
/* What each instruction of l->piece reads and writes (`effects`, one for each and one more), and from it what is live after each
 * (l->live_after). False, with l->status: no memory. */
bool wl_lift_liveness(struct wl_lift *l, struct wl_effects *effects);
/* Lifts a piece into its block (l->blocks). */
void wl_lift_piece(struct wl_lift *l, uint32_t piece);
/* The same, or the loop that begins there if it is run strip by strip. */
void wl_lift_piece_or_loop(struct wl_lift *l, uint32_t piece);
/* Lifts a piece's instructions where the builder stands, without what its end does; l->piece is the piece then. `facts` is used as long
 * as l->facts is set, which is the caller's to clear. False, with l->status: no memory. */
bool wl_lift_body(struct wl_lift *l, uint32_t piece, struct wl_facts *facts);
/* Leaves the unit. */
void wl_lift_exit(struct wl_lift *l, enum wl_exit why);
/* Leaves it with the registers that are live at `piece` stored, to come back there. */
void wl_lift_exit_to_piece(struct wl_lift *l, enum wl_exit why, uint32_t piece);
/* A piece's block; for WL_NO_PIECE a new one that exits. */
LLVMBasicBlockRef wl_lift_block_of(struct wl_lift *l, uint32_t piece);
/* Records the first error; lifting goes on harmlessly and the unit is dropped. */
void wl_lift_error(struct wl_lift *l, const struct wl_inst *inst, const char *what);
/* Lets the instructions built from now on carry this instruction's address (NULL: none), for fault reports; `column`: which
 * lanes, see device/cpu/wave.h, or 0. */
void wl_lift_locate(struct wl_lift *l, const struct wl_inst *inst, unsigned column);
/* Fills in the types, once context, wave_size and lanes are set. */
void wl_lift_make_types(struct wl_lift *l);
/* 9 to 12, of a processor's name. */
unsigned wl_lift_generation(const char *processor);
/* Builds the unit's function "wl_unit" and its description "wl_unit_info" in an empty module, whose target and data
 * layout are set. `affine` may be NULL: nothing is known then. `lays_out`: a gang's waves may be laid out, with their registers as values,
 * which can become too much (wl_emit_is_large). */
enum wl_status wl_lift_unit(const struct wl_unit *unit, const struct wl_affine *affine, bool lays_out, LLVMModuleRef module);

#endif
