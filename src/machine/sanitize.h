/* What code that is made for sanitizers tells about the instructions that it runs. Translated code hands these structures, which are
 * constants of it, to the helpers of machine/helpers.h whose names begin with `sanitize_`. */
#ifndef WL_MACHINE_SANITIZE_H
#define WL_MACHINE_SANITIZE_H

#include "machine/wave.h"

#include <stdbool.h>
#include <stdint.h>

/* The tools, as bits: of wl_options.sanitize and wl_translate_request.sanitize. */
enum wl_sanitize_tool {
    WL_SANITIZE_MEMCHECK = 1,
    WL_SANITIZE_RACECHECK = 2,
    WL_SANITIZE_INITCHECK = 4,
    WL_SANITIZE_SYNCCHECK = 8,
    WL_SANITIZE_ALL = 15,
    WL_SANITIZE_COUNT = 16, /* no tool of the sanitizers: the profiler's counters (machine/count.h). Never beside the tools */
};

enum wl_sanitize_kind { WL_SANITIZE_LOAD, WL_SANITIZE_STORE, WL_SANITIZE_ATOMIC };

/* FLAT is what an instruction says; a lane's access is then in one of the other three. */
enum wl_sanitize_space { WL_SANITIZE_GLOBAL, WL_SANITIZE_LDS, WL_SANITIZE_SCRATCH, WL_SANITIZE_FLAT };

/* Bits of wl_sanitize_site.cache: the instruction's modifiers for caches, as its generation has them. gfx12's scope
 * is DLC and SC1, as the decoder has read it: see wl_inst. */
enum {
    WL_SANITIZE_GLC = 1,
    WL_SANITIZE_SLC = 2,
    WL_SANITIZE_DLC = 4,
    WL_SANITIZE_SC0 = 8,
    WL_SANITIZE_SC1 = 16,
    WL_SANITIZE_NT = 32,
};

/* For whom an access is atomic, as far as the instruction says. */
enum wl_sanitize_scope {
    WL_SANITIZE_ANY_SCOPE, /* it does not say so */
    WL_SANITIZE_OF_GROUP,  /* for waves of the workgroup alone */
    WL_SANITIZE_OF_DEVICE, /* for all workgroups */
};

enum wl_sanitize_polls {
    WL_SANITIZE_POLLS = 1, /* a load or an atomic of one place, round after round, in a loop that may wait */
    WL_SANITIZE_MAY_POLL,  /* another load in such a loop: it may look at one flag after the other */
};

/* What an access to memory moves between registers and memory, for initcheck. */
enum wl_transfer_kind { WL_TRANSFER_NONE, WL_TRANSFER_VECTOR, WL_TRANSFER_SCALAR, WL_TRANSFER_TO_LDS };
struct wl_transfer {
    uint8_t kind;                /* enum wl_transfer_kind */
    uint8_t has_result;          /* VECTOR, SCALAR: 1: there is a result */
    uint8_t has_data;            /* the same; 0: there is none, or all of its bits are defined */
    uint8_t sign, d16, hi;       /* as in struct wl_isa */
    uint8_t typed;               /* 1: the bits change on their way */
    uint8_t replaces;            /* 1: an atomic that does not look at the old value */
    uint8_t dwords;              /* registers a lane moves */
    uint16_t result[2], data[2]; /* of the first address, of the second. VECTOR: rows; SCALAR: registers */
};

/* An instruction that accesses memory. An instruction with two addresses (ds_load_2addr_b32) has a site for each. */
struct wl_sanitize_site {
    uint64_t address;   /* of the instruction, in the code object's address space */
    uint32_t bytes;     /* that a lane accesses */
    uint8_t kind;       /* enum wl_sanitize_kind */
    uint8_t space;      /* enum wl_sanitize_space */
    uint8_t atomic;     /* enum wl_atomic_op (machine/operations.h), of atomics */
    uint8_t cache;      /* WL_SANITIZE_GLC and so on */
    uint8_t generation; /* 9 to 12 */
    uint8_t returns;    /* an atomic that writes its old value back */
    uint8_t scalar;     /* the scalar unit's: one access for the wave, as lane 0's */
    uint8_t polls;      /* enum wl_sanitize_polls */
    uint8_t second;     /* of an instruction with two addresses: the second one */
    uint8_t scope;      /* enum wl_sanitize_scope, of global memory. Plain accesses have any */
    bool updates;       /* a store of what was loaded at the same place and changed */
    bool is_volatile;   /* a store that is waited for at once: as compilers make volatile ones, not atomic ones */
    struct wl_transfer transfer;
};

/* Whether a load, or a store of the generations that mark them, stands for an atomic one. LDS has no cache to pass: there only flat
 * instructions that do not know of it have these bits, and volatile accesses. */
static inline bool wl_sanitize_is_strong(const struct wl_sanitize_site *site, bool lds) {
    if (lds && site->space != WL_SANITIZE_FLAT)
        return false;
    const unsigned scope = site->generation >= 12 ? WL_SANITIZE_DLC : 0;
    return site->cache & (WL_SANITIZE_GLC | WL_SANITIZE_SC0 | WL_SANITIZE_SC1 | scope);
}

/* Whether lanes of the access that lie side by side may be told of as a run (wl_helpers.sanitize_run). */
static inline bool wl_sanitize_may_run(const struct wl_sanitize_site *site) {
    return site->kind != WL_SANITIZE_ATOMIC && site->polls != WL_SANITIZE_POLLS &&
           (site->kind == WL_SANITIZE_STORE || !wl_sanitize_is_strong(site, false));
}

/* An instruction that waits for memory, or empties or writes back a cache. */
enum wl_sanitize_fence_kind {
    WL_SANITIZE_WAIT,       /* s_waitcnt and its like */
    WL_SANITIZE_INVALIDATE, /* buffer_gl0_inv, buffer_gl1_inv, buffer_inv, buffer_wbinvl1, global_inv, s_dcache_inv */
    WL_SANITIZE_WRITE_BACK, /* buffer_wbl2, global_wb, global_wbinv (which invalidates as well), s_dcache_wb */
    WL_SANITIZE_EARLY_USE,  /* no instruction of these: about results that are used too early */
    WL_SANITIZE_SIGNAL,     /* s_barrier_signal: a wave has come to a split barrier, and goes on */
    WL_SANITIZE_ANEW,       /* no instruction: native code begins with the wave's first strip again */
};
/* What an instruction of these does, as bits of wl_sanitize_fence.effects. */
enum {
    WL_SANITIZE_WAITS_STORES = 1, /* until all stores to memory have been made */
    WL_SANITIZE_WAITS_LDS = 2,    /* until all that was asked of LDS has been done */
    WL_SANITIZE_ACQUIRES = 4,     /* empties the caches that workgroups do not share */
    WL_SANITIZE_WRITES_BACK = 8,  /* writes back what other workgroups do not see yet */
};
struct wl_sanitize_fence {
    uint64_t address;
    uint8_t kind;    /* enum wl_sanitize_fence_kind */
    uint8_t effects; /* WL_SANITIZE_WAITS_STORES and so on */
    uint16_t reserved[3];
    /* EARLY_USE: an instruction that uses results before they were waited for, loads what another basic block uses so, or waits for that. Each
     * such load has a bit. */
    int64_t distance;      /* bytes from the load to the use */
    uint64_t uses;         /* a finding if one of these loads has begun and not ended; all bits: a finding whatever came before */
    uint64_t begun, ended; /* what has, behind the instruction */
};

/* ---- initcheck: values that nobody wrote ---- */

/* Where the bits of a value come from that nobody wrote: an origin has a kind in its upper byte and a number below. 0: not known. */
enum wl_origin { WL_ORIGIN_NONE, WL_ORIGIN_MEMORY, WL_ORIGIN_LDS, WL_ORIGIN_SCRATCH, WL_ORIGIN_VGPR, WL_ORIGIN_SGPR };
enum { WL_ORIGIN_SHIFT = 56 };
static inline uint64_t wl_origin(enum wl_origin kind, uint64_t number) { return (uint64_t)kind << WL_ORIGIN_SHIFT | number; }
static inline enum wl_origin wl_origin_kind(uint64_t origin) { return (enum wl_origin)(origin >> WL_ORIGIN_SHIFT); }
static inline uint64_t wl_origin_number(uint64_t origin) { return origin & ((UINT64_C(1) << WL_ORIGIN_SHIFT) - 1); }

/* The bits of a wave's registers that nobody wrote. A lane of a row has some if its bit in `lanes` is set; then if its bit in `never` is set
 * too, nobody has written the register at all; else `bits` and `origin` say which, and where they come from. */
struct wl_undefined {
    uint32_t wave_size;
    uint32_t any;                /* 0: no register has any; native code looks here */
    uint8_t *lds, *scratch;      /* the undefined bits of the workgroup's LDS and of the wave's scratch, byte by byte */
    uint64_t rows[WL_ROW_WORDS]; /* bit r: row r may have some. Right where `any` is looked at: threaded code sums up when it ends */
    uint64_t scalar[2];          /* bit r: sgpr[r] has some */
    uint32_t sgpr[WL_SGPR_COUNT];
    uint64_t sgpr_origin[WL_SGPR_COUNT];
    uint64_t lanes[WL_VGPR_COUNT], never[WL_VGPR_COUNT];
    uint32_t bits[WL_VGPR_COUNT][64];
    uint64_t origin[WL_VGPR_COUNT][64];
};

/* The registers of a piece of native code, which does not follow undefined bits: it runs where none of those that it reads has any, and all that
 * it writes is defined then, but for what it loads. Nothing in it looks at that. */
struct wl_defined_piece {
    uint64_t read_scalars[2], written_scalars[2];
    uint64_t read[WL_ROW_WORDS];    /* in active lanes */
    uint64_t crossed[WL_ROW_WORDS]; /* read, or written in part, in any lanes */
    uint64_t written[WL_ROW_WORDS]; /* in active lanes */
};

static inline uint32_t wl_undefined_bits(const struct wl_undefined *u, unsigned row, unsigned lane) {
    if (!(u->lanes[row] >> lane & 1))
        return 0;
    return u->never[row] >> lane & 1 ? UINT32_MAX : u->bits[row][lane];
}
static inline uint64_t wl_undefined_origin(const struct wl_undefined *u, unsigned row, unsigned lane) {
    return u->never[row] >> lane & 1 ? wl_origin(WL_ORIGIN_VGPR, row) : u->origin[row][lane];
}
static inline void wl_undefined_set(struct wl_undefined *u, unsigned row, unsigned lane, uint32_t bits, uint64_t origin) {
    const uint64_t bit = UINT64_C(1) << lane;
    u->lanes[row] = bits ? u->lanes[row] | bit : u->lanes[row] & ~bit;
    if (!bits)
        return;
    u->any = 1;
    u->rows[row / 64] |= UINT64_C(1) << row % 64;
    u->never[row] &= ~bit;
    u->bits[row][lane] = bits;
    u->origin[row][lane] = origin;
}
static inline void wl_undefined_set_scalar(struct wl_undefined *u, unsigned reg, uint32_t bits, uint64_t origin) {
    const uint64_t bit = UINT64_C(1) << reg % 64;
    u->sgpr[reg] = bits;
    u->sgpr_origin[reg] = origin;
    u->any |= bits != 0;
    u->scalar[reg / 64] = bits ? u->scalar[reg / 64] | bit : u->scalar[reg / 64] & ~bit;
}

/* No register has undefined bits any more. */
static inline void wl_undefined_clear(struct wl_undefined *u) {
    if (!u->any)
        return;
    u->any = 0;
    for (unsigned w = 0; w < 2; w++)
        for (; u->scalar[w]; u->scalar[w] &= u->scalar[w] - 1)
            u->sgpr[w * 64 + (unsigned)__builtin_ctzll(u->scalar[w])] = 0;
    for (unsigned w = 0; w < WL_ROW_WORDS; w++)
        for (; u->rows[w]; u->rows[w] &= u->rows[w] - 1)
            u->lanes[w * 64 + (unsigned)__builtin_ctzll(u->rows[w])] = 0;
}

/* Sets `any` and `rows` from what is said of the first `count` rows; the others have no undefined bits. */
static inline void wl_undefined_sum_up(struct wl_undefined *u, uint32_t count) {
    uint64_t any = u->scalar[0] | u->scalar[1];
    for (unsigned w = 0; w < WL_ROW_WORDS; w++) {
        uint64_t rows = 0;
        for (unsigned r = 0; r < 64 && w * 64 + r < count; r++)
            rows |= (uint64_t)(u->lanes[w * 64 + r] != 0) << r;
        u->rows[w] = rows;
        any |= rows;
    }
    u->any = any != 0;
}

/* What a value that nobody wrote decides. */
enum wl_undefined_use { WL_USE_BRANCH, WL_USE_EXEC, WL_USE_ADDRESS, WL_USE_ATOMIC, WL_USE_HOST };

#endif
