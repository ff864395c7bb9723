/* Runs assembled kernels on the translator alone and compares all registers with a reference's. */
#ifndef WL_TESTS_LIFT_RUN_H
#define WL_TESTS_LIFT_RUN_H

#include "translate/interface/translate.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LIFT_ROWS = 40, LIFT_SGPRS = 128 };

struct lift_state {
    uint32_t v[LIFT_ROWS][64];
    uint32_t s[LIFT_SGPRS]; /* 106: VCC, 124: M0, 125: SCC, 126: EXEC */
};

extern unsigned lift_wave_size; /* of the run that a reference is called for */
extern unsigned lift_checks, lift_failures;
extern uint32_t lift_mode_register; /* at the start */
/* For texts that use addresses made of v0: workgroups of whole rows have whole strips off at the start, which the analysis of
 * addresses relies on, but the masks of a test are any. True: MASKED code is translated for any shape. */
extern bool lift_any_shape;
/* 0: in order. */
extern enum wl_matrix_sums lift_matrix_sums;
extern bool lift_exact_math; /* WAVELIFT_MATH=exact */
/* How often FULL code was left for the other copy. */
extern unsigned lift_copies_left;
/* The machine forms sums of products of 16-bit floats in an order of its own (docs/NUMERICS.md). */
bool lift_sums_freely(void);
/* Set by a reference: general scalar registers, VCC, M0 and SCC are not compared; nor is one vector register (0: none). */
extern bool lift_ignore_scalars;
extern unsigned lift_ignore_row;

/* LDS at the start of a run. */
uint32_t lift_lds_word(uint32_t offset);

/* Prepares the machine; call once. */
void lift_start(void);

/* Zeroed memory that the code and the test reach, at a multiple of 256, until the end. */
void *lift_memory(size_t size);

/* For tests with registers and references of another kind: translates `text` (ended by a jump to s[30:31]) for this host alone.
 * lift_row: a register's lanes (AGPR n is row 256 + n), lift_scalars: the scalar registers; both stay as the last run left them. */
void lift_open(const char *processor, unsigned wave_size, const char *text);
/* The same for code bytes that end with the jump; `plain_host`: for a host without AVX-512. */
void lift_open_code(const char *processor, unsigned wave_size, const uint8_t *code, size_t size, bool plain_host);
uint32_t *lift_row(unsigned row);
uint32_t *lift_scalars(void);
/* Scalar registers that the machine keeps for itself: what is in them behind a run means nothing. */
bool lift_is_own(unsigned sgpr);
void lift_execute(uint64_t exec);
void lift_close(void);

/* Runs `text` on each of the processors (a list with commas), wave sizes, EXEC masks and hosts, and counts differences from
 * what `reference` makes of the same registers. In the text, ADD, SUB and MBCNT_HI stand for the generation's names of 32-bit
 * adds without carry and of v_mbcnt_hi; BN, exec_N, VCC, S4, S6, S20, S22, S24 for b32 or b64, exec_lo or exec, and so on; s_waitcnt0 for a
 * wait.
 *
 * At the start v0 is the lane, v1 to v9 and from v12 on are random, v10 and v11 hold floats or pairs of halves (special values
 * included); scalars are random, but s9 is small, s10 is 2.5 in the low half and 3.0 as a float, s28 is 7, s[30:31] the return
 * address, to which the harness adds a jump at the end of the text. */
void lift_check(const char *processors, const char *text, void (*reference)(struct lift_state *));

#endif
