/* Vector instructions with semantics, as steps: what valu.c makes of one, for initcheck (init.h) as well. */
#ifndef WL_TRANSLATE_STEPS_VALU_H
#define WL_TRANSLATE_STEPS_VALU_H

#include "translate/steps/steps.h"

enum { WL_VALU_WIDTH = 8 /* bytes a lane */, WL_VALU_RESULTS = 3, WL_VALU_INPUTS = 6, WL_VALU_LANES = 64 };

/* One strip of values. */
union wl_values {
    uint16_t half[WL_STRIP];
    uint32_t word[WL_STRIP];
    uint64_t pair[WL_STRIP];
    float number[WL_STRIP];
    double real[WL_STRIP];
    _Alignas(128) uint8_t bytes[WL_STRIP * WL_VALU_WIDTH];
};

enum wl_source_kind { WL_SOURCE_ROW, WL_SOURCE_PAIR, WL_SOURCE_SCALAR, WL_SOURCE_MASK, WL_SOURCE_MODE, WL_SOURCE_DPP };

/* How an operand becomes the semantics' parameter. */
struct wl_valu_source {
    uint8_t kind, width; /* enum wl_source_kind; bits of the parameter's lanes */
    bool direct;         /* the row itself is the parameter */
    bool changes;        /* something of what follows is done */
    uint8_t sel;         /* SDWA */
    bool sext, selects;
    bool half, half_high; /* cut to 16 bits, the upper ones */
    bool shuffles, low_from_high, high_from_high;
    bool mixes, mix_high, mix_bf16; /* a half becomes a float */
    bool flushes;
    uint16_t reg;
    uint64_t flip, keep, negate; /* in this order: ^ flip, then & keep, then ^ negate */
    struct wl_scalar scalar;
    const union wl_values *constant; /* the parameter, if it is always the same; NULL: it is not */
};

struct wl_valu_result {
    uint8_t width, type; /* bits a lane; enum wl_type */
    bool is_mask, to_exec, discard;
    bool direct; /* full strips go to the row as they are */
    bool clamp, flushes;
    uint8_t omod;
    bool half_high, half_keeps; /* 16 bits: which half, and whether the other one stays */
    bool selects;               /* SDWA */
    uint8_t sel, unused;
    uint16_t reg; /* row, or the mask's register; masks for EXEC: the second register, or WL_SGPR_COUNT */
};

/* Where the form for a whole wave finds an input. */
struct wl_valu_place {
    const union wl_values *constant; /* NULL: it is a row */
    uint32_t offset;                 /* of the row, bytes from the wave's first one */
};

struct wl_valu {
    const struct wl_sem *sem;
    wl_native_fn *native;
    wl_wave_fn *wave; /* NULL: it has none */
    uint8_t result_count, input_count;
    bool dpp, fetch_inactive, bound_ctrl;
    uint8_t dpp_kind, row_mask, bank_mask, dpp_rows;
    uint16_t dpp_reg;
    uint32_t dpp_control;
    const struct wl_valu *second;   /* of a pair: reads before this one writes */
    struct wl_valu_place places[3]; /* with `wave`, of the frequent kinds */
    uint64_t advances[3];           /* the same: bytes from a strip of the input to the next one */
    uint32_t result_offset;         /* the same: of the row, as in `places` */
    struct wl_valu_result results[WL_VALU_RESULTS];
    struct wl_valu_source inputs[]; /* input_count, WL_VALU_INPUTS at most */
};

/* A scalar source, the same in all lanes. */
void wl_valu_scalar(const struct wl_machine *m, const struct wl_valu_source *s, union wl_values *x);
/* The parameter for the strip from lane `first` on: the row itself, or what is made of it in *x. `dpp`: the rows that DPP has made. */
void *wl_valu_strip(const struct wl_machine *m, const struct wl_valu_source *s, unsigned first, uint64_t mask, const uint32_t *dpp,
                    union wl_values *x);
/* The lanes that DPP's source row gives, for both rows of a pair, and which lanes may be written. */
uint64_t wl_valu_permute(const struct wl_machine *m, const struct wl_valu *v, uint32_t rows[2 * WL_VALU_LANES]);
void wl_valu_write(const struct wl_machine *m, const struct wl_valu_result *r, unsigned first, union wl_values *x, unsigned lanes);
/* A mask's elements, and their bits. */
unsigned wl_valu_sign_bits(const uint32_t words[WL_STRIP]);
void wl_valu_spread(uint32_t words[WL_STRIP], uint64_t mask);
/* Whether a step is one of valu.c's: its data is a struct wl_valu. */
bool wl_valu_is(wl_step_fn *run);

#endif
