/* What a sum, a product, a shift or a mask of known values of vector registers is (facts: affine.h).
 * Every result holds over the lanes for which both inputs hold. For affine.c, affine_flow.c and value.c only; all functions are pure. */
#ifndef WL_TRANSLATE_ANALYSIS_VALUE_H
#define WL_TRANSLATE_ANALYSIS_VALUE_H

#include "translate/analysis/affine.h"

/* An operand, or a half of one: the fact about it, and its value if that is known. */
struct wl_value {
    struct wl_fact fact;
    bool is_constant;
    uint32_t constant;
};

/* A register pair. */
struct wl_value_pair {
    struct wl_value low, high;
    bool exact; /* of results: it is a 64-bit base + stride * lane */
};

extern const struct wl_value wl_value_unknown;
/* base + stride * lane; nothing is known if the stride is large. */
struct wl_value wl_value_affine(unsigned lanes, int64_t stride, unsigned zeros, unsigned bits);
struct wl_value wl_value_constant(uint32_t x);
/* Some value, the same in all lanes. */
struct wl_value wl_value_uniform(void);
/* The high half of a sum (WL_FACT_CARRY). */
struct wl_value wl_value_carried(void);
/* Two AFFINE values, one up to some lane and the other from there on, of which one is `v` and the other has its stride. */
struct wl_value wl_value_broken(struct wl_value v);
/* Turns a fact about the whole wave into one about each strip, or about fewer lanes: only the bases differ, by a number of strides. */
void wl_fact_narrow(struct wl_fact *fact, unsigned lanes);

/* Facts about groups of lanes have kinds of their own (WL_FACT_GROUPS and so on). The functions of this header see them as AFFINE and CARRY
 * facts that hold for few lanes: wl_fact_opened makes such a fact, wl_fact_closed the reverse. */
struct wl_fact wl_fact_opened(struct wl_fact fact);
struct wl_fact wl_fact_closed(struct wl_fact fact);

static inline bool wl_value_is_affine(struct wl_value v) { return v.fact.kind == WL_FACT_AFFINE; }
static inline bool wl_value_is_uniform(struct wl_value v) { return wl_fact_is_uniform(&v.fact); }
/* Whether a value is the same in all lanes, or would be without a carry (WL_FACT_CARRY). */
static inline bool wl_value_is_flat(struct wl_value v) { return wl_value_is_uniform(v) || v.fact.kind == WL_FACT_CARRY; }
static inline bool wl_value_is_zero(struct wl_value v) { return wl_value_is_uniform(v) && (v.fact.zeros >= 32 || v.fact.bits == 0); }

/* Low bits that are the same in each strip. */
unsigned wl_value_same(struct wl_value v);

struct wl_value wl_value_add(struct wl_value a, struct wl_value b);
struct wl_value wl_value_sub(struct wl_value a, struct wl_value b);
struct wl_value wl_value_mul(struct wl_value a, struct wl_value b);
struct wl_value wl_value_shl(struct wl_value a, struct wl_value count);
/* Logical, or `arithmetic`. */
struct wl_value wl_value_shr(struct wl_value a, struct wl_value count, bool arithmetic);
struct wl_value wl_value_or(struct wl_value a, struct wl_value b);
struct wl_value wl_value_xor(struct wl_value a, struct wl_value b);
struct wl_value wl_value_and(struct wl_value a, struct wl_value b);
struct wl_value_pair wl_value_pair_add(struct wl_value_pair a, struct wl_value_pair b);
struct wl_value_pair wl_value_pair_shl(struct wl_value_pair a, struct wl_value count);
struct wl_value_pair wl_value_pair_mul(struct wl_value a, struct wl_value b);

/* ---- affine.c, for the fixpoint ---- */

/* The rule by which the analysis steps over an instruction; it follows from the mnemonic. wl_affine_step would spend most of its time on
 * finding it. */
uint8_t wl_affine_rule(const struct wl_inst *inst);
/* wl_affine_step, by the instruction's rule. */
void wl_affine_step_by(struct wl_facts *facts, const struct wl_unit *unit, const struct wl_inst *inst, enum wl_mode mode, uint8_t rule);

#endif
