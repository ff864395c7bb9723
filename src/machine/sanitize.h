/* What code that is made for sanitizers tells about the instructions that it runs. Translated code hands these structures, which are
 * constants of it, to the helpers of machine/helpers.h whose names begin with `sanitize_`. */
#ifndef WL_MACHINE_SANITIZE_H
#define WL_MACHINE_SANITIZE_H

#include <stdbool.h>
#include <stdint.h>

/* The tools, as bits: of wl_options.sanitize and wl_translate_request.sanitize. */
enum wl_sanitize_tool {
    WL_SANITIZE_MEMCHECK = 1,
    WL_SANITIZE_RACECHECK = 2,
    WL_SANITIZE_INITCHECK = 4,
    WL_SANITIZE_SYNCCHECK = 8,
    WL_SANITIZE_ALL = 15,
};

enum wl_sanitize_kind { WL_SANITIZE_LOAD, WL_SANITIZE_STORE, WL_SANITIZE_ATOMIC };

/* FLAT is what an instruction says; a lane's access is then in one of the other three. */
enum wl_sanitize_space { WL_SANITIZE_GLOBAL, WL_SANITIZE_LDS, WL_SANITIZE_SCRATCH, WL_SANITIZE_FLAT };

/* Bits of wl_sanitize_site.cache: the instruction's modifiers for caches, as its generation has them. gfx12's scope is
 * GLC | SLC << ... as the decoder has read it: see wl_inst. */
enum {
    WL_SANITIZE_GLC = 1,
    WL_SANITIZE_SLC = 2,
    WL_SANITIZE_DLC = 4,
    WL_SANITIZE_SC0 = 8,
    WL_SANITIZE_SC1 = 16,
    WL_SANITIZE_NT = 32,
};

/* An instruction that accesses memory. An instruction with two addresses (ds_load_2addr_b32) has a site for each. */
enum wl_sanitize_polls {
    WL_SANITIZE_POLLS = 1, /* a load or an atomic of one place, round after round, in a loop that may wait */
    WL_SANITIZE_MAY_POLL,  /* another load in such a loop: it may look at one flag after the other */
};

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
};

/* An instruction that waits for memory, or empties or writes back a cache. */
enum wl_sanitize_fence_kind {
    WL_SANITIZE_WAIT,       /* s_waitcnt and its like */
    WL_SANITIZE_INVALIDATE, /* buffer_gl0_inv, buffer_gl1_inv, buffer_inv, buffer_wbinvl1, global_inv, s_dcache_inv */
    WL_SANITIZE_WRITE_BACK, /* buffer_wbl2, global_wb, global_wbinv (which invalidates as well), s_dcache_wb */
    WL_SANITIZE_SIGNAL,     /* s_barrier_signal: a wave has come to a split barrier, and goes on */
    WL_SANITIZE_BARRIER,    /* s_barrier, s_barrier_wait: told as barriers (sanitize/hooks.h), not as fences */
};
struct wl_sanitize_fence {
    uint64_t address;
    const char *mnemonic; /* canonical (translate/isa/inst.h) */
    uint8_t kind;         /* enum wl_sanitize_fence_kind */
    uint8_t generation;
    uint8_t cache;
    uint8_t reserved;
    uint32_t immediate; /* the operand's bits */
};

#endif
