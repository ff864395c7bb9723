/* The parts of LLVM's text of an instruction. */
#ifndef WL_TESTS_TEXT_H
#define WL_TESTS_TEXT_H

#include "machine.h"

#include <stddef.h>

enum kind { NONE, VGPR, SGPR, NUMBER, FRACTION, VCCZ, EXECZ, NO_REGISTER, OTHER };

struct operand {
    enum kind kind;
    unsigned reg, count;
    bool neg, abs, sext, literal, half; /* half: "v1.h" */
    unsigned sel;                       /* 0 the dword, 1 to 4 a byte, 5 and 6 a word */
    uint64_t bits;
    double number;
};

enum { MAX_OPERANDS = 8 };

struct line {
    char name[48]; /* canonical */
    char printed[48];
    struct operand op[MAX_OPERANDS];
    unsigned count;
    bool dpp, sdwa, clamp, bound, fi, has_op_sel_hi, e64;
    unsigned op_sel, op_sel_hi, neg_lo, neg_hi, omod, dst_sel, dst_unused, source_sel[2], row_mask, bank_mask;
    char dpp_kind[24];
    unsigned dpp_number, dpp_list[8];
};

/* Whether a text starts with another; cuts a tail off, if it is there. */
bool machine_starts(const char *text, const char *with);
bool machine_cut_tail(char *text, const char *tail);
/* Reads the first `length` letters, which hold one instruction. */
void machine_read_line(const struct machine *m, const char *text, size_t length, struct line *line);

#endif
