/* initcheck's rules: which bits of an instruction's results depend on bits of its operands that nobody wrote.
 *
 * A rule needs the operands' values, the bits of them that nobody wrote, and the instruction's own function (isa/sem.h), which it calls with
 * several ways to fill these bits in. It never says that a bit is defined if two ways to fill in give different bits. */
#ifndef WL_TRANSLATE_STEPS_INIT_RULES_H
#define WL_TRANSLATE_STEPS_INIT_RULES_H

#include "translate/steps/valu.h"

enum wl_init_class {
    WL_INIT_ANY,     /* a bit of an element decides all of the result's element */
    WL_INIT_CORNERS, /* each bit of the result depends on bits that do not stand in each other's way, or rises or falls with the operands: it
                       * is what all of the smallest and largest ways to fill in agree on. Exact */
    WL_INIT_ADD,     /* a sum: the same, and the operands' bits. Exact */
    WL_INIT_ADD_SHIFT, /* a sum with shifted operands, or one that is shifted. Exact */
    WL_INIT_LOW,       /* bits depend on bits of the operands as low as they are, and lower: sums and products */
    WL_INIT_INTERVAL,  /* rises or falls with each operand: the bits above the highest one that differs are defined */
    WL_INIT_SPREAD,    /* the same, but one bit decides all: conversions of integers to floats */
    WL_INIT_EQUAL,     /* whether the operands are equal: not, where defined bits differ. Exact */
    WL_INIT_NONZERO,   /* whether the first result is not zero. Exact */
    WL_INIT_HALVES,    /* two operands become the halves of the result */
};

struct wl_init_rule {
    uint8_t control;              /* bit i: nothing is known of the result if input i has such bits */
    uint8_t result[WL_SEM_SLOTS]; /* enum wl_init_class */
};

/* An instruction at work: a strip of lanes, or one lane of the scalar unit. */
struct wl_init_work {
    const struct wl_sem *sem;
    wl_native_fn *native;
    unsigned lanes;
    union wl_values value[WL_SEM_SLOTS], undefined[WL_SEM_SLOTS]; /* of the inputs */
    union wl_values result[WL_SEM_SLOTS];                         /* the undefined bits of the results */
};

struct wl_init_rule wl_init_rule_of(const struct wl_sem *sem);
void wl_init_rule_apply(const struct wl_init_rule *rule, struct wl_init_work *work);

#endif
