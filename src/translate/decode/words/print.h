/* Between the files of the printer. */
#ifndef WL_DECODE_PRINT_H
#define WL_DECODE_PRINT_H

#include "translate/decode/words/engine.h"

struct wl_word_text {
    char *at;
    size_t size, used; /* `used` may go beyond: what does not fit is cut off */
    unsigned count;    /* operands so far */
    bool older;        /* gfx9: has names for s[102:105] */
    bool off;          /* no register is "off", not "null" */
    bool half;         /* registers are named by half: v1.l */
    bool wide;         /* LLVM 22's syntax for literals: lit(1), lit64(1) */
};

void wl_print(struct wl_word_text *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* What has names instead of numbers. (symbols.c) */

/* The operand of kind TEXT with this index, separators included. False: it is printed as a number. */
bool wl_print_symbol(struct wl_word_text *text, const struct wl_word_job *job, unsigned index);
void wl_print_index_mode(struct wl_word_text *text, uint32_t bits);
void wl_print_scope(struct wl_word_text *text, const struct wl_word_job *job);
void wl_print_format(struct wl_word_text *text, const struct wl_word_job *job);
void wl_print_swizzle(struct wl_word_text *text, unsigned offset);
void wl_print_graphics(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst);

#endif
