#include "text.h"

#include "translate/isa/isa.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool machine_starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

bool machine_cut_tail(char *text, const char *tail) {
    size_t size = strlen(text), length = strlen(tail);
    if (size <= length || strcmp(text + size - length, tail) != 0)
        return false;
    text[size - length] = 0;
    return true;
}

static void read_range(const char *text, struct operand *op, unsigned base) {
    char *end;
    if (*text == '[') {
        op->reg = base + (unsigned)strtoul(text + 1, &end, 10);
        op->count = *end == ':' ? base + (unsigned)strtoul(end + 1, NULL, 10) - op->reg + 1 : 1;
    } else {
        op->reg = base + (unsigned)strtoul(text, &end, 10);
        op->count = 1;
        op->half = strcmp(end, ".h") == 0;
    }
}

static void read_operand(char *text, struct operand *op) {
    static const struct {
        const char *name;
        unsigned reg, count;
    } names[] = {{"vcc", 106, 2},  {"vcc_lo", 106, 1},  {"vcc_hi", 107, 1}, {"m0", 124, 1},
                 {"exec", 126, 2}, {"exec_lo", 126, 1}, {"exec_hi", 127, 1}};
    if (*text == '-' && !isdigit((unsigned char)text[1])) {
        op->neg = true;
        text++;
    }
    if (machine_starts(text, "neg(") || machine_starts(text, "sext(") || machine_starts(text, "abs(")) {
        *(*text == 'n' ? &op->neg : *text == 's' ? &op->sext : &op->abs) = true;
        text = strchr(text, '(') + 1;
        text[strlen(text) - 1] = 0;
    }
    if (*text == '|') {
        op->abs = true;
        text++;
    }
    if (text[strlen(text) - 1] == '|') /* or behind the next operand: LLVM prints v_cndmask_b32_dpp v0, v1, |v2, vcc| */
        text[strlen(text) - 1] = 0;
    if (*text == 'v' && (isdigit((unsigned char)text[1]) || text[1] == '[')) {
        op->kind = VGPR;
        read_range(text + 1, op, 0);
        return;
    }
    if (*text == 's' && (isdigit((unsigned char)text[1]) || text[1] == '[')) {
        op->kind = SGPR;
        read_range(text + 1, op, 0);
        return;
    }
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(text, names[i].name) == 0) {
            op->kind = SGPR;
            op->reg = names[i].reg;
            op->count = names[i].count;
            return;
        }
    if (strcmp(text, "src_scc") == 0) {
        op->kind = SGPR;
        op->reg = MACHINE_SCC;
        op->count = 1;
        return;
    }
    if (strcmp(text, "src_vccz") == 0 || strcmp(text, "src_execz") == 0 || strcmp(text, "null") == 0) {
        op->kind = text[4] == 'v' ? VCCZ : text[4] == 'e' ? EXECZ : NO_REGISTER;
        return;
    }
    if (isdigit((unsigned char)*text) || *text == '-') {
        op->literal = machine_starts(text, "0x");
        op->kind = strchr(text, '.') ? FRACTION : NUMBER;
        if (op->kind == FRACTION)
            op->number = strtod(text, NULL);
        else
            op->bits = op->literal ? strtoull(text, NULL, 16) : (uint64_t)strtoll(text, NULL, 10);
        return;
    }
    op->kind = OTHER;
}

static unsigned read_list(const char *text, unsigned *elements) {
    unsigned bits = 0, n = 0;
    for (const char *c = text; *c && *c != ']' && n < 8; c++)
        if (isdigit((unsigned char)*c)) {
            if (elements)
                elements[n] = (unsigned)(*c - '0');
            bits |= (unsigned)(*c - '0' != 0) << n++;
        }
    return bits;
}

static unsigned read_sel(const char *text) {
    static const char *const names[] = {"DWORD", "BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1"};
    for (unsigned i = 0; i < 7; i++)
        if (machine_starts(text, names[i]))
            return i;
    return 0;
}

/* "name:value" or a bare word; false: it is an operand. */
static bool read_modifier(struct line *line, const char *text) {
    static const char *const dpp[] = {
        "quad_perm:",    "dpp8:",     "row_shl:",  "row_shr:",  "row_ror:",  "row_bcast:", "row_share:",     "row_xmask:",
        "row_newbcast:", "wave_shl:", "wave_rol:", "wave_shr:", "wave_ror:", "row_mirror", "row_half_mirror"};
    const char *value = strchr(text, ':');
    value = value ? value + 1 : text;
    for (unsigned i = 0; i < sizeof dpp / sizeof *dpp; i++)
        if (machine_starts(text, dpp[i])) {
            snprintf(line->dpp_kind, sizeof line->dpp_kind, "%s", dpp[i]);
            line->dpp = true;
            line->dpp_number = (unsigned)strtoul(value, NULL, 0);
            read_list(value, line->dpp_list);
            return true;
        }
    const struct {
        const char *name;
        unsigned *list, *number;
    } fields[] = {{"op_sel:", &line->op_sel, NULL}, {"op_sel_hi:", &line->op_sel_hi, NULL}, {"neg_lo:", &line->neg_lo, NULL},
                  {"neg_hi:", &line->neg_hi, NULL}, {"row_mask:", NULL, &line->row_mask},   {"bank_mask:", NULL, &line->bank_mask}};
    for (unsigned i = 0; i < sizeof fields / sizeof *fields; i++)
        if (machine_starts(text, fields[i].name)) {
            if (fields[i].list)
                *fields[i].list = read_list(value, NULL);
            else
                *fields[i].number = (unsigned)strtoul(value, NULL, 0);
            line->has_op_sel_hi |= i == 1;
            return true;
        }
    if (machine_starts(text, "bound_ctrl:"))
        line->bound = true;
    else if (machine_starts(text, "fi:"))
        line->fi = true;
    else if (strcmp(text, "clamp") == 0)
        line->clamp = true;
    else if (machine_starts(text, "mul:"))
        line->omod = *value == '2' ? 1 : 2;
    else if (machine_starts(text, "div:"))
        line->omod = 3;
    else if (machine_starts(text, "dst_sel:"))
        line->dst_sel = read_sel(value);
    else if (machine_starts(text, "src0_sel:"))
        line->source_sel[0] = read_sel(value);
    else if (machine_starts(text, "src1_sel:"))
        line->source_sel[1] = read_sel(value);
    else if (machine_starts(text, "dst_unused:"))
        line->dst_unused = strstr(value, "SEXT") ? 1 : strstr(value, "PRESERVE") ? 2 : 0;
    else
        return false;
    return true;
}

void machine_read_line(const struct machine *m, const char *text, size_t length, struct line *line) {
    char copy[512], *words[32];
    unsigned count = 0;
    memset(line, 0, sizeof *line);
    snprintf(copy, sizeof copy, "%.*s", (int)length, text);
    for (char *c = copy, depth = 0; *c; c++) { /* commas and blanks outside brackets part the words */
        depth = (char)(depth + (*c == '[') - (*c == ']'));
        if ((*c == ' ' || *c == ',' || *c == '\t') && !depth)
            *c = 0;
        else if ((c == copy || !c[-1]) && count < 32)
            words[count++] = c;
    }
    snprintf(line->printed, sizeof line->printed, "%s", words[0]);
    char name[64];
    snprintf(name, sizeof name, "%s", words[0]);
    line->dpp = machine_cut_tail(name, "_dpp8") || machine_cut_tail(name, "_dpp");
    line->sdwa = machine_cut_tail(name, "_sdwa");
    line->e64 = machine_cut_tail(name, "_e64");
    machine_cut_tail(name, "_e32");
    const char *bare = name;
    char plain[64];
    if (machine_starts(name, "v_dual_")) {
        snprintf(plain, sizeof plain, "v_%s", name + 7);
        bare = plain;
    }
    snprintf(line->name, sizeof line->name, "%s", wl_isa_canonical(bare, m->generation));
    line->row_mask = line->bank_mask = 15;
    for (unsigned i = 1; i < count; i++)
        if (!read_modifier(line, words[i]) && line->count < MAX_OPERANDS)
            read_operand(words[i], &line->op[line->count++]);
    if (machine_starts(line->name, "v_fmac_f16")) /* the third place is nothing, the fourth the destination */
        line->op_sel = (line->op_sel & 3) | (line->op_sel >> 3 & 1) << 2;
}
