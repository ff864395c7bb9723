/* Scalar instructions that combine masks: registers with one bit for each lane of the wave. */
#ifndef WL_TRANSLATE_UNIT_MASK_WORK_H
#define WL_TRANSLATE_UNIT_MASK_WORK_H

#include "translate/isa/inst.h"

enum wl_mask_logic {
    WL_MASK_MOVE,
    WL_MASK_NOT,
    WL_MASK_AND,
    WL_MASK_AND_NOT, /* a & ~b */
    WL_MASK_OR,
    WL_MASK_OR_NOT,
    WL_MASK_XOR,
    WL_MASK_NAND,
    WL_MASK_NOR,
    WL_MASK_XNOR,
    WL_MASK_SELECT, /* SCC ? a : b */
};

/* A scalar instruction that combines masks of the wave's size lane by lane. */
struct wl_mask_work {
    enum wl_mask_logic logic;
    struct wl_operand a, b; /* b: the same as a if there is one input only */
    unsigned to;
    bool saves; /* EXEC's old value, or with `saves_new` its new one, goes to `saved` */
    bool saves_new;
    unsigned saved;
};

/* Whether an instruction combines masks, and how. */
bool wl_mask_work(const struct wl_inst *inst, unsigned wave_size, struct wl_mask_work *work);

#endif
