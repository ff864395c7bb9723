/* Operations that translated code calls instead of containing them: rare, or too large to inline.
 *
 * Translated code loads wave->helpers and calls through a member, found by offsetof(struct
 * wl_helpers, name); members are only ever appended, and a change of a signature is a change of
 * WL_WAVE_ABI.
 *
 * Conventions
 *   - A *row* is a `uint32_t *` to one VGPR's lanes: &wave->vgpr[r * wave->wave_size]; lane l is
 *     row[l], and the next register of a tuple is row[wave->wave_size + l]. Sources may be VGPR rows
 *     or temporaries of the same layout; sources and destination may be the same row.
 *   - Every helper honours EXEC as it stands in wave->sgpr[126..127] (127 is ignored in wave32), so
 *     the caller stores EXEC, and every VGPR row it passes, before the call. Inactive lanes of a
 *     destination keep their value.
 *   - `element` describes what a lane moves; build it with WL_ELEMENT.
 *   - Offsets are byte offsets. Addresses that do not exist fault as translated code does.
 * Nothing here allocates, locks or fails. All helpers may be called from any number of threads with
 * different waves. */
#ifndef WL_MACHINE_HELPERS_H
#define WL_MACHINE_HELPERS_H

#include "machine/wave.h"

#include <stdbool.h>
#include <stdint.h>

/* What one lane of a memory instruction moves.
 *   bits     width of one memory element: 8, 16 or 32 (loads and stores of 64 bits and more: 32 and `count`); 32 or 64 for atomics
 *   count    registers (components for typed access) a lane moves; 1 for atomics, whatever their width
 *   flags    WL_ELEMENT_* */
#define WL_ELEMENT(bits, count, flags) ((uint32_t)(bits) | (uint32_t)(count) << 8 | (uint32_t)(flags))
enum {
    WL_ELEMENT_SIGNED = 1 << 12, /* sign-extend a sub-dword load */
    WL_ELEMENT_D16 = 1 << 13,   /* loads write only half of the register; stores of 16 or 8 bits take a half. Typed: components are 16 bits,
                                   two a register */
    WL_ELEMENT_HIGH = 1 << 14,  /* with D16: the high half */
    WL_ELEMENT_TYPED = 1 << 15, /* buffer_*_format_*: convert by the descriptor's format */
    WL_ELEMENT_RETURN = 1 << 16, /* atomics: write the old value to `destination` */
    WL_ELEMENT_IDXEN = 1 << 17,  /* buffers: the first address register is an index */
    WL_ELEMENT_OFFEN = 1 << 18,  /* buffers: the (next) address register is an offset */
    WL_ELEMENT_LDS = 1 << 19,    /* buffer loads and stores: to or from LDS at M0 + lane * size + instruction offset, not to registers */
    WL_ELEMENT_TFE = 1 << 30,    /* buffer loads: the register behind the data becomes 0 */
    WL_ELEMENT_FORMAT = 1 << 20, /* tbuffer_*: typed by the instruction's own format, WL_ELEMENT_WITH_FORMAT */
    WL_ELEMENT_WIDE = 1 << 27,   /* buffers, without WL_ELEMENT_FORMAT: gfx1250's descriptor */
};
/* With D16: a load clears the other half. */
#define WL_ELEMENT_ZEROES_HALF (UINT32_C(1) << 31)
/* tbuffer: gfx9: dfmt | nfmt << 4; gfx10 and later: the unified format number. 7 bits. */
#define WL_ELEMENT_WITH_FORMAT(format) (WL_ELEMENT_FORMAT | WL_ELEMENT_TYPED | (uint32_t)(format) << 21)
/* Buffers: the generation decides the layout of descriptors and formats. 9 to 12. */
#define WL_ELEMENT_GENERATION(generation) ((uint32_t)((generation) - 9) << 28)

/* buffer_place, with the number of bytes: asks for the address only if they lie side by side. */
enum { WL_BUFFER_WHOLE = 1 << 8 };
/* In bits 63:32 of its `high`, which are 0 for a linear buffer and WL_BUFFER_SCRATCH for scratch. */
enum { WL_BUFFER_SCRATCH = 1, WL_BUFFER_ODD = 2, WL_BUFFER_WIDE = 3, WL_BUFFER_KIND = 3, WL_BUFFER_CARRY = 1 << 6 };

struct wl_matrix_product; /* matrix.h */
struct wl_count_block;    /* count.h */
struct wl_sanitize_fence; /* sanitize.h */
struct wl_sanitize_site;  /* the same */
struct wl_defined_piece;  /* the same */
struct wl_undefined;      /* the same */

/* Active lanes l of row to[r] become lane from[r][l] % 64 of source[from[r][l] / 64], as the sources were before. A source lane that is off
 * is read with fetch_inactive alone; else with bound_control the lane becomes 0, and without it stays. */
struct wl_exchange {
    uint32_t *to[2];
    const uint32_t *source[2];
    uint8_t from[2][64];
    uint8_t results, sources; /* 1 or 2 */
    bool fetch_inactive, bound_control;
};

struct wl_helpers {
    /* ---- moves between lanes ---- */

    /* destination[l] = source[((address[l] + offset) / 4) mod wave size] for active l; 0 if that lane is inactive. */
    void (*ds_bpermute)(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *source, uint32_t offset);
    /* destination[((address[l] + offset) / 4) mod wave size] = source[l] for active l, highest lane last; lanes that nobody
     * names become 0. Only active destinations are written. On generations whose wave64 runs as two halves of 32 lanes for
     * this instruction the result is the same for addresses that stay within a half. */
    void (*ds_permute)(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *source, uint32_t offset);
    /* ds_swizzle_b32: `pattern` is the instruction's 16-bit offset. An inactive source lane reads as 0. */
    void (*ds_swizzle)(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t pattern);
    /* v_permlane16_b32, v_permlanex16_b32: `low` and `high` are the selects of lanes 0 to 7 and 8 to 15. */
    void (*permlane16)(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t low, uint32_t high,
                       uint32_t fetch_inactive, uint32_t bound_control);
    void (*permlanex16)(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t low, uint32_t high,
                        uint32_t fetch_inactive, uint32_t bound_control);
    /* v_permlane64_b32 and its like, whose lanes read fixed lanes. */
    void (*exchange)(struct wl_wave *wave, const struct wl_exchange *exchange);
    /* The DPP permutation of `source`: `kind` and `control` as in struct wl_inst (enum wl_dpp_kind). Writes destination[l] for
     * the lanes of the returned mask, which are those that the instruction writes: active, in the row and bank masks, and with
     * a readable source lane (or bound_control, which reads 0). The other lanes of `destination` are left alone. */
    uint64_t (*dpp)(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t kind, uint32_t control, uint32_t row_mask,
                    uint32_t bank_mask, uint32_t bound_control, uint32_t fetch_inactive);

    /* ---- memory ---- */

    /* buffer_load_*, tbuffer_load_*. `address`: the first address row (index before offset); may be NULL with neither.
     * `descriptor`: the four dwords. Out-of-range lanes load 0. */
    void (*buffer_load)(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                        uint32_t offset, uint32_t element);
    /* buffer_store_*, tbuffer_store_*. Out-of-range lanes store nothing. */
    void (*buffer_store)(struct wl_wave *wave, const uint32_t *data, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                         uint32_t offset, uint32_t element);
    /* buffer_atomic_*. `data` is also where the old value goes (RETURN). `operation`: enum wl_atomic_op. cmpswap: data holds
     * the new value, then the compare value. */
    void (*buffer_atomic)(struct wl_wave *wave, uint32_t *data, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                          uint32_t offset, uint32_t element, uint32_t operation);
    /* Any scratch access, bytewise (misaligned ones included). Lane l's address is address[l] (if not NULL) + base. */
    void (*scratch_load)(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint32_t base, uint32_t element);
    void (*scratch_store)(struct wl_wave *wave, const uint32_t *data, const uint32_t *address, uint32_t base, uint32_t element);
    /* Flat and global accesses of any kind: lane l's 64-bit address is address rows 0 and 1 (if not NULL) + base. Addresses in
     * the shared and private apertures are translated. With a 32-bit address row (global, saddr form) pass `narrow` 1. */
    void (*flat_load)(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint64_t base, uint32_t narrow,
                      uint32_t element);
    void (*flat_store)(struct wl_wave *wave, const uint32_t *data, const uint32_t *address, uint64_t base, uint32_t narrow,
                       uint32_t element);
    void (*flat_atomic)(struct wl_wave *wave, uint32_t *destination, const uint32_t *data, const uint32_t *address, uint64_t base,
                        uint32_t narrow, uint32_t element, uint32_t operation);
    /* DS atomics of any kind (`address`: byte offsets in LDS): for operations that translated code does not contain. */
    void (*ds_atomic)(struct wl_wave *wave, uint32_t *destination, const uint32_t *data, const uint32_t *address, uint32_t offset,
                      uint32_t element, uint32_t operation);

    /* ---- scalar state ---- */

    /* A counter of constant 100 MHz (s_memrealtime). */
    uint64_t (*time)(struct wl_wave *wave);
    /* s_getreg_b32: `hwreg` is the instruction's 16-bit immediate (id, offset, size). Registers without meaning here read 0. */
    uint32_t (*getreg)(struct wl_wave *wave, uint32_t hwreg);
    /* s_setreg_*: MODE takes effect at once (rounding and denormals of the host's floating-point unit); others are ignored.
     * Translated code must not keep floating-point values in flight across the call. */
    void (*setreg)(struct wl_wave *wave, uint32_t hwreg, uint32_t value);
    /* s_sendmsg_rtn_b32/b64: the answer to `message` (doorbell id, the time, TBA/TMA, ...; 0 for what has no meaning here). */
    uint64_t (*message_return)(struct wl_wave *wave, uint32_t message);

    /* gfx12's barriers: `operation` is enum wl_barrier_op, with WL_BARRIER_BY_M0 where M0 has the `number`. Returns what the instruction
     * leaves in SCC or in its destination. */
    uint32_t (*barrier)(struct wl_wave *wave, uint32_t operation, uint32_t number, uint32_t m0);

    /* ---- matrices ---- */

    /* Matrix instructions on all lanes, whatever EXEC is: machine/matrix.h says what the row of this number and `modifiers` mean, and when
     * there may be several. Not influenced by MODE. */
    void (*matrix)(struct wl_wave *wave, const struct wl_matrix_product *product, uint32_t count, uint32_t number, uint32_t modifiers);
    /* Denormals of the host's floating-point unit for code with f64 arithmetic (`inside` 1): flushed only where MODE flushes both
     * f32's and f64's; else (0) as wl_float_enter sets them, by f32's bits. */
    void (*denormals)(struct wl_wave *wave, uint32_t inside);

    /* v_permlane_bcast_b32 and its like, v_permlane_idx_gen_b32: `operation` is enum wl_permlane; among `width` lanes beside each other. */
    void (*permlane)(struct wl_wave *wave, uint32_t *destination, const uint32_t *source, uint32_t select, uint32_t width,
                     uint32_t operation);

    /* ---- rare memory instructions ---- */

    /* ds_*_src2_*: LDS at address[l] becomes operation(itself, LDS some dwords behind it, by the 16-bit `offset`). */
    void (*ds_src2)(struct wl_wave *wave, const uint32_t *address, uint32_t offset, uint32_t bits, uint32_t operation);
    /* ds_condxchg32_rtn_b64: each of two dwords is exchanged where bit 31 of its new value is set. */
    void (*ds_condxchg)(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *data, uint32_t offset);
    /* ds_atomic_barrier_arrive_rtn_b64, ds_atomic_async_barrier_arrive_b64: at the barrier in LDS come as many as `data` says, or with NULL
     * one. Bits 28:0: those that are still missing, less 1; 31:29: the phase, which counts down; 47:32: what the missing ones become in a new
     * phase. `destination`: what was there, or NULL. */
    void (*ds_arrive)(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *data, uint32_t offset);
    /* ds_read_b64_tr_b*, ds_read_b96_tr_b6: matrices of elements of `bits` bits, which come transposed. */
    void (*ds_transposed)(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint32_t offset, uint32_t bits);
    /* global_load_tr*, ds_load_tr* in wave32: each 8 or 16 lanes load a matrix, which comes transposed. `kind`: WL_REACH_*. */
    void (*load_transposed)(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, uint64_t base, uint32_t kind);
    /* global_load_async_to_lds_*, global_store_async_from_lds_*: between memory and LDS at lds[l] + offset. `kind`: WL_REACH_*. */
    void (*copy_lds)(struct wl_wave *wave, const uint32_t *lds, const uint32_t *address, uint64_t base, uint32_t offset, uint32_t kind);
    /* tensor_load_to_lds, tensor_store_from_lds: the descriptor's groups, 4, 8, 4 and 4 dwords; the last two NULL: zeros. */
    void (*tensor)(struct wl_wave *wave, const uint32_t *group0, const uint32_t *group1, const uint32_t *group2, const uint32_t *group3,
                   uint32_t store);
    /* global_load_block and its like: register i moves to or from address + 4 * i if bit i of `mask` is set. `kind`: WL_REACH_*. */
    void (*block)(struct wl_wave *wave, uint32_t *rows, const uint32_t *address, uint64_t base, uint32_t kind, uint32_t mask);
    /* An access without index through a buffer that is neither linear nor scratch: the address of byte `skip` of the element
     * at `offset`, 0 if the `bytes` there are out of range, or with WL_BUFFER_WHOLE not side by side. `low`, `high`: the descriptor's
     * dwords, with soffset added to the base, the number of records less soffset where that counts, and WL_BUFFER_ODD in `high`. gfx1250's:
     * WL_BUFFER_WIDE, and the sum of soffset and the instruction's offset in `high`, its bit 32 as WL_BUFFER_CARRY. */
    uint64_t (*buffer_place)(uint64_t low, uint64_t high, uint32_t generation, uint32_t lane, uint32_t offset, uint32_t skip,
                             uint32_t bytes);
    /* `bytes` (at most 4) of an element in range that swizzling parts, through such a buffer. Returns what is there; or stores
     * `value`, if its bit 32 is set. The other arguments are buffer_place's. */
    uint32_t (*buffer_parts)(uint64_t low, uint64_t high, uint32_t generation, uint32_t lane, uint32_t offset, uint32_t skip,
                             uint32_t bytes, uint64_t value);
    /* Sets the host's rounding to MODE's for f64 and f16 (`other` 1), or back to that of f32. */
    void (*rounding)(struct wl_wave *wave, uint32_t other);

    /* ---- images ---- */

    /* An image instruction (machine/image_instruction.h says how `operation` and `modifiers` describe it). `data`: the first row of what
     * is loaded, stored or exchanged. `low`, `high`: the rows of the addresses in the order of the ISA's list, a byte each.
     * `resource`: 8 dwords; `sampler`: 4, NULL where the instruction has none. */
    void (*image)(struct wl_wave *wave, uint32_t *data, uint64_t low, uint64_t high, const uint32_t *resource, const uint32_t *sampler,
                  uint32_t operation, uint32_t modifiers);

    /* One lane's atomic (WL_ATOMIC_*) of 64 bits at an address that is a multiple of 4 alone; `second` is the expected value of a
     * compare-and-swap. Returns the old value. On x86-64 nobody calls it. */
    uint64_t (*split_atomic)(void *memory, uint32_t operation, uint64_t data, uint64_t second);
    /* The same for `bits` 32 or 64, wherever the address: the scalar unit's atomics in threaded code. */
    uint64_t (*lane_atomic)(void *memory, uint32_t operation, uint32_t bits, uint64_t data, uint64_t second);

    /* ---- sanitizers: for code that was asked for with them; machine/sanitize.h ----
     * Before such code calls buffer_load, buffer_store, buffer_atomic, image, or a helper of rare memory instructions, it leaves the address
     * of the instruction's site in wave->pc. */

    uint8_t *sanitize_shadow; /* of memory: bit n of byte a >> 3 says whether kernels may access byte a, n = a & 7; of addresses below 2^47.
                               * Some bytes before and behind that can be read */
    /* Called before an access of the wave's lanes `lanes`. `address`: of each lane of the wave: host addresses (in LDS as well), flat
     * addresses, or offsets in scratch, as the site's space says. `data`: the first row of what is stored, or NULL: not known. Returns the
     * lanes that may make the access. A lane that may not loads 0, and stores nothing. */
    uint64_t (*sanitize_access)(struct wl_wave *wave, const struct wl_sanitize_site *site, uint64_t lanes, const uint64_t *address,
                                const uint32_t *data);
    void (*sanitize_fence)(struct wl_wave *wave, const struct wl_sanitize_fence *fence);
    /* The same as sanitize_access for native code: of 16 lanes from `first_lane` on. In workgroup mode that is a number among the lanes of
     * all waves. `base`, `limit`: of buffers, as slow functions have them (translate/lift/memory/memory.h): `address` are offsets then; else
     * 0. `data`: rows of 16 dwords that are stored, or NULL: not known. The wave is that which the calling thread runs. */
    uint32_t (*sanitize_strip)(const struct wl_sanitize_site *site, uint64_t first_lane, uint32_t lanes, const uint64_t *address,
                               uint64_t base, uint64_t limit, const uint32_t *data);
    /* The same of lanes `first_lane` + i for each bit i of `lanes`, in code for tools that follow waves: lane i is at `start` + i * `step`, a host
     * address (in LDS as well). `step` is 0, or the site's bytes; or larger, for up to 16 lanes that load from LDS. 1: all may make the access;
     * 0: it is to be asked of each strip by sanitize_strip. Without lanes nothing is told, and the answer is 0. */
    uint32_t (*sanitize_run)(struct wl_wave *wave, const struct wl_sanitize_site *site, uint64_t start, uint64_t lanes, uint32_t first_lane,
                             uint32_t step);
    /* What nobody wrote of the wave's registers; NULL: initcheck does not watch it. */
    struct wl_undefined *(*sanitize_undefined)(struct wl_wave *wave);
    /* Bits that nobody wrote decide something at the instruction `code` (in the code object's address space): `use` is enum
     * wl_undefined_use; `lane`: 64: of the whole wave. */
    void (*sanitize_decides)(struct wl_wave *wave, uint64_t code, uint32_t use, uint32_t lane, uint64_t origin);

    uint8_t *const
        *sanitize_values; /* of memory: for each 2^16 bytes of addresses below 2^47, NULL: all bits are defined; else the undefined
                                      * bits of each byte. Loads and atomics of what is defined need not be told to initcheck; nor do stores of what
                                      * is defined to there */
    /* Native code for initcheck comes to a piece of it with these active lanes, and some register has undefined bits. 1: one that the piece
     * reads has, so that threaded code must go on (WL_EXIT_UNDEFINED). 0: it may go on, and what it writes counts as defined. */
    uint32_t (*sanitize_piece)(struct wl_undefined *undefined, const struct wl_defined_piece *piece, uint64_t exec);

    /* ---- counters: for code that was asked for with WL_SANITIZE_COUNT ---- */

    /* The wave begins a basic block with these active lanes. */
    void (*count_block)(struct wl_wave *wave, const struct wl_count_block *block, uint64_t lanes);
};

enum wl_permlane { WL_PERMLANE_BCAST, WL_PERMLANE_UP, WL_PERMLANE_DOWN, WL_PERMLANE_XOR, WL_PERMLANE_INDEX };

/* How instructions find the address of a lane, and what they move: flags, and two numbers from the bit that is named. */
enum {
    WL_REACH_NARROW = 1,  /* `address` is one row, else two */
    WL_REACH_SIGNED = 2,  /* that row has a sign */
    WL_REACH_LDS = 4,     /* in LDS */
    WL_REACH_SCRATCH = 8, /* in scratch */
    WL_REACH_STORE = 16,
    WL_REACH_CLUSTER = 32, /* a load for the workgroups of the cluster that wl_wave.sgpr has in M0, by rank; 0: for its own */
    WL_REACH_UNIT = 8,     /* 8 bits: bytes that the row counts in */
    WL_REACH_SIZE = 16,    /* 8 bits: bits of an element of a matrix, bytes of a copy */
};

/* Whether the host's atomic instructions take any address; else split_atomic does what they refuse. */
#if defined(__x86_64__)
enum { WL_HOST_ATOMICS_ANYWHERE = 1 };
#else
enum { WL_HOST_ATOMICS_ANYWHERE = 0 };
#endif

#endif
