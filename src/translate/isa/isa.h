/* isa/: the instructions of AMD's processors, by name.
 *
 *   in    a mnemonic, as the generation's documents and disassemblers have it
 *   out   what the translator knows of it: a row of semantics (struct wl_sem) or a row of the table here (struct wl_isa)
 *
 *   inst.h          one decoded instruction: struct wl_inst, with operands (struct wl_operand)
 *   sem.h           instructions that a C function computes (semantics/)
 *   isa.h           all others: those that the lifter emits itself (memory, control flow, lanes, EXEC)
 *   lane.h          cross-lane instructions: a row of lane_rows.inc each
 *   image_rows.h    rows of image instructions in this table. Those of matrix instructions are in machine/matrix_rows.inc
 *   helper_words.h  the words that tell a helper which instruction it is to do
 *
 * alias.c gives a mnemonic one canonical name for all generations. The table has one row a canonical mnemonic; a new instruction of a known
 * class is a new row (docs/adding-an-instruction.md). */
#ifndef WL_TRANSLATE_ISA_H
#define WL_TRANSLATE_ISA_H

#include "machine/operations.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wl_inst;
struct wl_matrix;

enum wl_isa_class {
    WL_ISA_NOP,     /* waits, clauses, prefetches, cache control: no effect here; `detail`: WL_CACHE_* */
    WL_ISA_END,     /* s_endpgm */
    WL_ISA_BRANCH,  /* s_branch */
    WL_ISA_CBRANCH, /* s_cbranch_{scc0,scc1,vccz,vccnz,execz,execnz}; `detail`: enum wl_condition */
    WL_ISA_GETPC,
    WL_ISA_SETPC,
    WL_ISA_SWAPPC,
    WL_ISA_CALL,         /* s_getpc_b64, s_setpc_b64 (`detail` 1: s_add_pc_i64), s_swappc_b64, s_call_b64 */
    WL_ISA_BARRIER,      /* waits for the workgroup's own */
    WL_ISA_BARRIER_WAIT, /* s_barrier_wait for any other one */
    WL_ISA_SPLIT_BARRIER, /* what does not wait; `detail`: enum wl_barrier_op. The workgroup's own barrier beside no others has the next one */
    WL_ISA_SIGNAL_FIRST, /* s_barrier_signal_isfirst: SCC = no other wave of the workgroup was first */
    WL_ISA_SLEEP,
    WL_ISA_MESSAGE, /* s_sendmsg, s_sendmsghalt; ds_gws_*: `detail` is an enum wl_gws_op + 1 */
    WL_ISA_TRAP,
    WL_ISA_HALT,
    WL_ISA_GETREG,
    WL_ISA_SETREG,         /* s_getreg_b32, s_setreg_b32, s_setreg_imm32_b32, s_round_mode, s_denorm_mode */
    WL_ISA_TIME,           /* s_memtime, s_memrealtime, s_get_waveid_in_workgroup */
    WL_ISA_MESSAGE_RETURN, /* s_sendmsg_rtn_b32/b64 */
    WL_ISA_SMEM_LOAD,      /* s_load_*, s_buffer_load_*; `detail`: enum wl_smem_kind; `bits` 8 or 16: extended to one dword */
    WL_ISA_SMEM_STORE,
    WL_ISA_SMEM_ATOMIC, /* likewise, with `atomic`, `bits` and `dwords` */
    WL_ISA_LOAD,
    WL_ISA_STORE,
    WL_ISA_ATOMIC,   /* vector memory; `space`, `bits`, `dwords`, ... below; `detail` 1 to 4: a format
                                               * access of so many components, which converts by the resource's or instruction's format */
    WL_ISA_LANE,     /* cross-lane moves; `detail`: enum wl_lane_op (lane.h) */
    WL_ISA_CMPX,     /* v_cmpx_*: the v_cmp semantics, written to EXEC; gfx9 has a destination operand as well (3 operands) */
    WL_ISA_SAVEEXEC, /* s_*_saveexec_*; `detail`: enum wl_saveexec_op. Wrexec forms too */
    WL_ISA_MATRIX,   /* MFMA, SMFMAC, WMMA, SWMMAC: `matrix` */
    WL_ISA_MOVREL,   /* v_movrel*, s_movrel* */
    WL_ISA_TENSOR,   /* tensor_load_to_lds; `detail` 1: tensor_store_from_lds */
    WL_ISA_IMAGE,    /* image_*: `image`, and `atomic` */
    WL_ISA_PIECES, /* many numbers at once: units have them in pieces (unit/pieces.h). Conversions: `sign`: to fewer bits; `hi`: at random;
                      * `bits`: of the other numbers; `detail`: how many sources these have */
};

/* Whether instructions of a class only steer the wave: they end a basic block (unit.c), and what they do is done there. */
static inline bool wl_isa_steers(unsigned class) {
    switch (class) {
    case WL_ISA_END:
    case WL_ISA_BRANCH:
    case WL_ISA_CBRANCH:
    case WL_ISA_SETPC:
    case WL_ISA_SWAPPC:
    case WL_ISA_CALL:
    case WL_ISA_BARRIER:
    case WL_ISA_BARRIER_WAIT:
    case WL_ISA_SLEEP:
    case WL_ISA_MESSAGE:
    case WL_ISA_TRAP:
    case WL_ISA_HALT:
        return true;
    default:
        return false;
    }
}

/* What instructions do to caches (wl_isa_caches). */
enum {
    WL_CACHE_EMPTIES = 1, /* loads behind it look anew */
    WL_CACHE_SCALAR = 2,  /* scalar loads do */
    WL_CACHE_DEVICE = 4,  /* and see what other compute units stored */
    WL_CACHE_SCOPED = 8,  /* that, if its scope is the device or wider (wl_inst.sc1) */
    WL_CACHE_WRITES = 16, /* it writes back what stores left there */
};

enum wl_space { WL_SPACE_GLOBAL, WL_SPACE_FLAT, WL_SPACE_SCRATCH, WL_SPACE_LDS, WL_SPACE_BUFFER, WL_SPACE_TBUFFER };

enum wl_condition { WL_IF_SCC0, WL_IF_SCC1, WL_IF_VCCZ, WL_IF_VCCNZ, WL_IF_EXECZ, WL_IF_EXECNZ };

/* What the address operand of a scalar memory instruction is. SCRATCH: a 64-bit base, with register offsets in units of 64 bytes. */
enum wl_smem_kind { WL_SMEM_MEMORY, WL_SMEM_BUFFER, WL_SMEM_SCRATCH };

/* `detail` of WL_ISA_GETREG and WL_ISA_SETREG. */
enum wl_reg_op { WL_REG_GET, WL_REG_SET, WL_REG_ROUND_MODE, WL_REG_DENORM_MODE };

/* `detail` of WL_ISA_MOVREL. TO: the destination is indexed, FROM: the source, BOTH: both by M0; BOTH_2: source by M0[9:0],
 * destination by M0[25:16]. INDEX_*: gfx9's s_set_gpr_idx_* (the mode bits are in the TEXT or IMM operand's `bits`). */
enum wl_movrel_op {
    WL_MOVREL_VGPR_TO,
    WL_MOVREL_VGPR_FROM,
    WL_MOVREL_VGPR_BOTH,
    WL_MOVREL_VGPR_BOTH_2,
    WL_MOVREL_VGPR_SWAP, /* both ways, with the indices of BOTH_2 */
    WL_MOVREL_SGPR_TO,
    WL_MOVREL_SGPR_FROM,
    WL_MOVREL_SGPR_BOTH_2,
    WL_MOVREL_INDEX_ON,
    WL_MOVREL_INDEX_OFF,
    WL_MOVREL_INDEX_SET,
    WL_MOVREL_INDEX_MODE
};

enum wl_saveexec_op {
    WL_SAVE_AND,
    WL_SAVE_OR,
    WL_SAVE_XOR,
    WL_SAVE_ANDN1,
    WL_SAVE_ANDN2,
    WL_SAVE_ORN1,
    WL_SAVE_ORN2,
    WL_SAVE_NAND,
    WL_SAVE_NOR,
    WL_SAVE_XNOR,
    WL_WREXEC_ANDN1,
    WL_WREXEC_ANDN2
};

struct wl_isa {
    const char *name;
    uint8_t class; /* enum wl_isa_class */
    uint8_t detail;
    uint8_t space;     /* enum wl_space, for LOAD, STORE, ATOMIC */
    uint8_t bits;      /* of one memory element: 8, 16, 32, 64 (64 for atomics and cmpswap of 64-bit types only; loads use 32 * dwords) */
    uint8_t dwords;    /* data registers a lane moves (each address, for two-address DS forms) */
    bool sign;         /* sign-extend a sub-dword load */
    bool d16, hi;      /* writes or reads 16 bits only: the low or, with `hi`, the high half; the other half stays */
    uint8_t atomic;    /* enum wl_atomic_op */
    uint8_t addresses; /* 2: DS two-address forms; else 0 */
    bool stride64;     /* DS two-address with offsets in units of 64 elements */
    const struct wl_matrix *matrix; /* machine/matrix.h, for MATRIX */
    bool by_lane;                   /* GLOBAL: no address register; lane i's element is at base + i * its size */
    uint32_t image;                 /* WL_IMAGE_KIND and WL_IMAGE_* flags (machine/image_instruction.h), for IMAGE */
    bool compare_first;             /* DS compare-and-store whose operands are address, compare value, new value (ds_cmpst); else address,
                        * new value, compare value (ds_cmpstore). Vector memory cmpswap: new value in the low half of the data */
};

/* The row of a canonical mnemonic; NULL if there is none. Thread-safe. */
const struct wl_isa *wl_isa_find(const char *mnemonic);
/* The row of s_barrier_signal, s_barrier_signal_isfirst or s_barrier_wait for a barrier that is not the workgroup's own, and of signals beside
 * such. */
const struct wl_isa *wl_isa_other_barrier(const char *mnemonic);
/* Whether a load or store surely accesses private memory, of which each lane has its own. */
bool wl_inst_is_of_lane(const struct wl_inst *inst);
/* Whether a buffer access asks its descriptor for more than an address and a size: it is indexed, typed, has a status dword, or goes to LDS. */
bool wl_inst_needs_descriptor(const struct wl_inst *inst);
/* What an instruction does to caches: WL_CACHE_*, for its scope. */
unsigned wl_isa_caches(const struct wl_inst *inst);
/* All rows, for tests and coverage tables. */
const struct wl_isa *wl_isa_table(size_t *count);
/* The canonical name of a disassembler's mnemonic (after the encoding suffix is gone) on a generation (9 to 12): the
 * alias' target, or `mnemonic` itself. */
const char *wl_isa_canonical(const char *mnemonic, unsigned generation);

#endif
