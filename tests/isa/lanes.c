#include "lanes.h"

#include <string.h>

static bool is_on(const struct machine *m, unsigned lane) { return m->s[MACHINE_EXEC + lane / 32] >> lane % 32 & 1; }

/* A scalar operand. */
static uint32_t scalar(const struct machine *m, const struct line *line, unsigned operand) {
    bool enabled;
    return machine_dword(m, line, operand, 0, &enabled);
}

/* v_readfirstlane reads lane 0 if none is active; v_readlane any lane. */
static void read_lane(struct machine *m, const struct line *line, bool first) {
    unsigned lane = first ? 0 : scalar(m, line, 2) % m->wave_size;
    bool enabled;
    if (first)
        for (unsigned l = m->wave_size; l-- > 0;)
            lane = is_on(m, l) ? l : lane;
    m->s[line->op[0].reg] = machine_dword(m, line, 1, lane, &enabled);
}

static void write_lane(struct machine *m, const struct line *line) {
    unsigned lane = scalar(m, line, 2) % m->wave_size;
    m->v[line->op[0].reg][lane] = scalar(m, line, 1);
}

/* The bits of a mask of 32 lanes that are below the lane; `high`: the mask is of lanes 32 to 63. */
static void count_below(struct machine *m, const struct machine *old, const struct line *line, bool high) {
    for (unsigned lane = 0; lane < m->wave_size; lane++) {
        bool enabled = true, other;
        uint32_t mask = machine_dword(old, line, 1, lane, &enabled), count = 0;
        for (unsigned bit = 0; bit < 32; bit++)
            count += bit + (high ? 32 : 0) < lane && mask >> bit & 1;
        if (is_on(old, lane) && enabled)
            m->v[line->op[0].reg][lane] = count + machine_dword(old, line, 2, lane, &other);
    }
}

/* Each lane chooses one of its row of 16, or of the row beside it: by four bits a lane of two scalars, or by a VGPR. op_sel has
 * "fetch inactive" and "bound control". */
static void permute_rows(struct machine *m, const struct machine *old, const struct line *line, bool other_row, bool by_lane) {
    for (unsigned lane = 0; lane < m->wave_size; lane++) {
        unsigned in = lane % 16, choice;
        bool enabled;
        if (by_lane)
            choice = machine_dword(old, line, 2, lane, &enabled) & 15;
        else
            choice = scalar(old, line, in < 8 ? 2 : 3) >> 4 * (in % 8) & 15;
        unsigned from = ((lane & ~15u) ^ (other_row ? 16 : 0)) + choice;
        if (!is_on(old, lane))
            continue;
        if (is_on(old, from) || line->op_sel & 1)
            m->v[line->op[0].reg][lane] = old->v[line->op[1].reg][from];
        else if (line->op_sel & 2)
            m->v[line->op[0].reg][lane] = 0;
    }
}

/* v_permlane64_b32 reads inactive lanes as well; in wave32 it moves. */
static void exchange_halves(struct machine *m, const struct machine *old, const struct line *line) {
    for (unsigned lane = 0; lane < m->wave_size; lane++)
        if (is_on(old, lane))
            m->v[line->op[0].reg][lane] = old->v[line->op[1].reg][m->wave_size == 64 ? lane ^ 32 : lane];
}

static void swap(struct machine *m, const struct machine *old, const struct line *line) {
    for (unsigned lane = 0; lane < m->wave_size; lane++)
        if (is_on(old, lane)) {
            m->v[line->op[0].reg][lane] = old->v[line->op[1].reg][lane];
            m->v[line->op[1].reg][lane] = old->v[line->op[0].reg][lane];
        }
}

bool machine_lanes(struct machine *m, const struct line *line) {
    static struct machine old;
    const char *name = line->name;
    old = *m;
    if (strcmp(name, "v_readfirstlane_b32") == 0)
        read_lane(m, line, true);
    else if (strcmp(name, "v_readlane_b32") == 0)
        read_lane(m, line, false);
    else if (strcmp(name, "v_writelane_b32") == 0)
        write_lane(m, line);
    else if (machine_starts(name, "v_mbcnt_"))
        count_below(m, &old, line, strstr(name, "_hi_") != NULL);
    else if (machine_starts(name, "v_permlane16_") || machine_starts(name, "v_permlanex16_"))
        permute_rows(m, &old, line, name[10] == 'x', strstr(name, "_var_") != NULL);
    else if (strcmp(name, "v_permlane64_b32") == 0)
        exchange_halves(m, &old, line);
    else if (strcmp(name, "v_swap_b32") == 0)
        swap(m, &old, line);
    else
        return false;
    return true;
}
