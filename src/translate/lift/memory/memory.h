/* lift/memory/: vector memory, how one strip of 16 lanes loads, stores and does atomics.
 *
 *   in    a memory instruction of a vector region, and what is known of its lanes' addresses (analysis/affine.h)
 *   out   LLVM IR for one strip of it
 *
 *   record.h     vector memory instructions, as items of a vector region
 *   scattered.h  accesses of lanes whose addresses have nothing in common
 *   one_place.h  stores of all lanes to one place
 *   memory.h     what these share with other accesses: struct wl_access, struct wl_lanes
 *
 * An access takes the cheapest code that what is known allows:
 *
 *   inline      static facts, or one test at run time, say that the lanes are consecutive, a few dwords apart or all the same:
 *               vector accesses, or one scalar access and a broadcast; in LDS also gathers and scatters
 *   slow path   a function of the module, made once for each kind of access and called with the 16 addresses: gathers,
 *               scatters, loops over the active lanes, apertures, range checks, atomics. Keeping it out of line keeps
 *               both the compile time of a unit and the size of its hot code small.
 *
 * Slow functions have one signature: (wave, first lane, base, limit, addresses, mask, data rows...) -> rows. What a place
 * does not need is passed as poison. They keep a frame pointer, so that a fault in one finds its caller. */
#ifndef WL_TRANSLATE_LIFT_MEMORY_H
#define WL_TRANSLATE_LIFT_MEMORY_H

#include "translate/lift/state.h"
#include "translate/lift/values.h"

/* What the addresses of an access mean. */
enum wl_place {
    WL_PLACE_MEMORY,  /* <16 x i64>: host addresses */
    WL_PLACE_FLAT,    /* <16 x i64>: host addresses or apertures */
    WL_PLACE_PRIVATE, /* <16 x i32>: offsets in the lane's scratch; `base`: host address of the wave's scratch */
    WL_PLACE_BUFFER,  /* <16 x i32>: offsets in a raw buffer, or in scratch if the descriptor swizzles; `base`: of either;
                         `limit`: bytes of the buffer; bits 63:32: 0, 1: scratch, else wl_helpers.buffer_place tells */
};

enum wl_access_kind { WL_ACCESS_LOAD, WL_ACCESS_STORE, WL_ACCESS_ATOMIC };

struct wl_access {
    uint8_t kind;   /* enum wl_access_kind */
    uint8_t place;  /* enum wl_place */
    uint8_t bits;   /* of one memory element: 8, 16, 32; atomics 32 or 64 */
    uint8_t dwords; /* rows moved: 1 for sub-dword elements */
    bool sign;      /* loads of 8 and 16 bits extend the sign */
    bool is_volatile;
    bool returns;               /* atomics: the old value comes back */
    bool local;                 /* in LDS: only this thread can see it */
    uint8_t atomic;             /* enum wl_atomic_op */
    bool in_lds;                /* for sanitizers: in LDS, though `local` does not say so */
    bool second;                /* the same: the second of two addresses */
    bool told;                  /* for initcheck: the sanitizer is told of the access even if all that it touches is defined */
    const struct wl_inst *inst; /* the same: the instruction */
};

#define WL_MAX_ROWS 4

/* The addresses of a strip: base + a 64-bit register pair (`wide`), or base + a zero-extended offset. */
struct wl_lanes {
    bool wide;
    LLVMValueRef pair;                  /* wide: <16 x i64>, or NULL: low and high are its halves */
    LLVMValueRef low, high;             /* wide: <16 x i32>, where there is no pair; FLAT: always, if the access may be private */
    bool may_be_private;                /* FLAT: wl_lanes_are_private finds out */
    LLVMValueRef base;                  /* i64 */
    LLVMValueRef index, index_base;     /* not NULL: the addresses are also index_base (i64) + (index (<16 x i32>) << index_shift) */
    LLVMValueRef index_head;            /* i32: the first lane's index, or NULL: it is in the vector only */
    unsigned index_shift, index_source; /* the row that the index was read from */
    bool index_signed;
    int32_t index_stride;               /* not 0: of the index, over the lanes for which it is known of the pair */
    LLVMValueRef offset;                /* <16 x i32>, or NULL: scalar_offset is every lane's */
    LLVMValueRef scalar_offset;         /* i32: PRIVATE and BUFFER offsets known to be uniform; may be given beside `offset` */
    LLVMValueRef limit;                 /* i64: BUFFER */
    struct wl_fact low_fact, high_fact; /* of offset, or of the halves of the pair */
    bool wraps_freely;                  /* LDS: base is the start of a guarded region, so 2^32 need not be watched */
};

/* ---- lift/memory/memory.c ---- */

/* Tells the code generator that a branch is hardly ever taken to its second target. */
void wl_memory_mark_likely(struct wl_lift *l, LLVMValueRef branch);

/* ---- lift/memory/function.c ---- */

/* Makes a function of the module one that is called rarely: it keeps its caller's registers. */
void wl_memory_make_slow(struct wl_lift *l, LLVMValueRef function);

/* ---- lift/memory/address.c ---- */

/* Bytes a lane moves. */
static inline unsigned wl_access_size(const struct wl_access *access) {
    return access->kind != WL_ACCESS_ATOMIC && access->bits < 32 ? access->bits / 8 : access->dwords * 4;
}

/* i32: bits from the dword of private memory that all lanes have in common to the first byte of theirs. */
static inline LLVMValueRef wl_memory_shift(struct wl_lift *l, const struct wl_lanes *lanes) {
    LLVMValueRef byte = LLVMBuildAnd(l->b, lanes->scalar_offset, LLVMConstInt(l->i32, 3, false), "");
    return LLVMBuildShl(l->b, byte, LLVMConstInt(l->i32, 3, false), "");
}
LLVMBasicBlockRef wl_memory_block(struct wl_lift *l, const char *name); /* new, at the end of the builder's function */
LLVMValueRef wl_memory_local(struct wl_lift *l, LLVMTypeRef type);      /* ptr: an aligned variable of the builder's function */
/* i1 that is true when every lane of `mask` (i16) is set in `lanes` (<16 x i1>). */
LLVMValueRef wl_memory_all(struct wl_lift *l, LLVMValueRef lanes, LLVMValueRef mask);
LLVMValueRef wl_memory_mask(struct wl_lift *l);                                       /* i16 of the strip's active lanes */
LLVMValueRef wl_memory_iota(struct wl_lift *l, LLVMTypeRef element, uint64_t stride); /* <0, stride, ..., 15 * stride> */
/* One lane's value of a row that is uniform; partial: over the active lanes only. */
LLVMValueRef wl_memory_any_lane(struct wl_lift *l, LLVMValueRef row, bool partial);
LLVMValueRef wl_memory_pointer(struct wl_lift *l, LLVMValueRef address); /* ptr of an i64 */
/* Loads and stores of program memory: unaligned, marked, volatile on demand. */
LLVMValueRef wl_memory_load(struct wl_lift *l, LLVMTypeRef type, LLVMValueRef address, bool is_volatile);
void wl_memory_store(struct wl_lift *l, LLVMValueRef value, LLVMValueRef address, bool is_volatile);
/* Loads a field of struct wl_wave that does not change while the unit runs. */
LLVMValueRef wl_memory_wave_constant(struct wl_lift *l, LLVMValueRef wave, size_t offset, LLVMTypeRef type);

/* Whether the facts say how the addresses go on from lane to lane, so that not all of them have to be looked at. */
bool wl_lanes_known(const struct wl_lanes *lanes);
LLVMValueRef wl_lanes_addresses(struct wl_lift *l, const struct wl_lanes *lanes);                  /* <16 x i64> */
LLVMValueRef wl_lanes_address(struct wl_lift *l, const struct wl_lanes *lanes, LLVMValueRef lane); /* i64 of one lane */

enum wl_pattern {
    WL_PATTERN_NONE,
    WL_PATTERN_CONSECUTIVE,
    WL_PATTERN_STRIDED, /* by low_fact.stride, which is not the element's size */
    WL_PATTERN_UNIFORM,
    WL_PATTERN_PRIVATE,
    WL_PATTERN_GROUPS /* consecutive, or the same, over each WL_GROUP lanes: no *start */
};
/* Chooses the inline form of an access. *check: an i1 that must hold for it, or NULL; *start: i64 address of lane 0's
 * element (CONSECUTIVE, STRIDED), of the one element (UNIFORM) or of lane 0's first dword (PRIVATE). */
enum wl_pattern wl_lanes_pattern(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes, LLVMValueRef *check,
                                 LLVMValueRef *start);

/* A vector that has, in each lane of a group of eight, the value of the group's first lane + `stride` for each lane behind the first. */
LLVMValueRef wl_lanes_group_expected(struct wl_lift *l, LLVMValueRef vector, uint32_t stride);
/* <16 x i1>: lanes whose index wrapped around on the way from their group's first one, `step` a lane. */
LLVMValueRef wl_lanes_index_wraps(struct wl_lift *l, const struct wl_lanes *lanes, uint32_t step);
/* i1: all active lanes name one private offset, which is that of *there. For FLAT lanes that may be private. */
LLVMValueRef wl_lanes_are_private(struct wl_lift *l, const struct wl_lanes *lanes, struct wl_lanes *there);
/* Whether only a test at run time can tell if a load from memory has one of these patterns. */
bool wl_lanes_need_test(const struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *lanes);

/* How many strips have elements that follow each other in memory, by the facts about the address: of its halves, or of its one dword if
 * `high` is NULL. 0: not even those of two strips do. */
unsigned wl_lanes_wide(const struct wl_lift *l, const struct wl_access *access, const struct wl_fact *low, const struct wl_fact *high);
/* For such `count` strips: the i64 address of the first lane's element. *check: an i1 that must hold, or NULL. */
LLVMValueRef wl_lanes_start(struct wl_lift *l, const struct wl_access *access, const struct wl_lanes *strips, unsigned count,
                            LLVMValueRef *check);

/* ---- lift/memory/shuffle.c ---- */

/* rows[r] lane i = vectors[(i * n + r) / 16] element (i * n + r) % 16: memory order to registers, and back. */
void wl_memory_deinterleave(struct wl_lift *l, unsigned n, LLVMValueRef *vectors, LLVMValueRef *rows);
void wl_memory_interleave(struct wl_lift *l, unsigned n, LLVMValueRef *rows, LLVMValueRef *vectors);
/* Vector accesses of consecutive lanes; exec: <16 x i1>, or NULL for all. */
void wl_memory_load_consecutive(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef exec,
                                LLVMValueRef *rows);
void wl_memory_store_consecutive(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef exec,
                                 LLVMValueRef *rows);
/* The same for two dwords a lane as <16 x i64>, which is how they lie in memory. */
LLVMValueRef wl_memory_load_pairs(struct wl_lift *l, LLVMValueRef start, LLVMValueRef exec, bool is_volatile);
void wl_memory_store_pairs(struct wl_lift *l, LLVMValueRef pairs, LLVMValueRef start, LLVMValueRef exec, bool is_volatile);
/* Loads and stores of lanes that are `stride` bytes apart: 4, or more than an element and at most 16. Touches the lanes' bytes alone. */
void wl_memory_load_strided(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, unsigned stride, LLVMValueRef exec,
                            LLVMValueRef *rows);
void wl_memory_store_strided(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, unsigned stride, LLVMValueRef exec,
                             LLVMValueRef *rows);
void wl_memory_load_uniform(struct wl_lift *l, const struct wl_access *access, LLVMValueRef address, LLVMValueRef *rows);
/* The type by which the host accesses `bytes` bytes of one lane at once. Of 8 or 16 aligned bytes other threads then see all or nothing; 16
 * bytes are a vector, since an integer of 128 bits would be accessed as two halves. */
LLVMTypeRef wl_memory_whole(struct wl_lift *l, unsigned bytes);
/* Dwords (i32) of one lane, by as few accesses as possible, of four, two or one dword. */
void wl_memory_load_words(struct wl_lift *l, LLVMValueRef address, unsigned dwords, bool is_volatile, LLVMValueRef *words);
void wl_memory_store_words(struct wl_lift *l, LLVMValueRef address, unsigned dwords, bool is_volatile, const LLVMValueRef *words);
/* Accesses of the same scratch offset in all lanes; `shift`: i32, bits from the dword's start, for sub-dword elements. */
void wl_memory_load_private(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef shift, LLVMValueRef *rows);
void wl_memory_store_private(struct wl_lift *l, const struct wl_access *access, LLVMValueRef start, LLVMValueRef shift, LLVMValueRef exec,
                             LLVMValueRef *rows);
/* Whether this host has vector loads and stores under a mask for elements of so many bits. */
bool wl_memory_has_masks(const struct wl_lift *l, unsigned bits);
enum wl_vector_needs { WL_NEEDS_NOTHING, WL_NEEDS_ALL_LANES, WL_NEEDS_ONE_PAGE };
/* What has to hold for the vector form of an access of lanes `stride` bytes apart, so that what a lane moves stays whole. All lanes active,
 * under EXEC as well: where the host might store a lane's bytes one part after the other. Or all in one page: where an access under a mask
 * reaches a page that is not there, hosts make it again in microcode, element of the mask by element. */
enum wl_vector_needs wl_memory_vector_needs(const struct wl_lift *l, const struct wl_access *access, unsigned stride);

/* ---- lift/memory/buffer.c ---- */
bool wl_buffer_record(struct wl_lift *l, struct wl_item *item, const struct wl_operand *data, const struct wl_operand *address);
struct wl_lanes wl_buffer_lanes(struct wl_lift *l, const struct wl_item *item);

#endif
