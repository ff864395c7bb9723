#include "rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool begins(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool crashes(const struct finding *f) { return strstr(f->theirs, "// LLVM crashes"); }

/* LLVM says in a comment that a register or a value does not exist. */
static bool is_doubtful(const struct finding *f) { return strstr(f->theirs, "/*") || strstr(f->theirs, "//") || strchr(f->theirs, ';'); }

static bool loses_gds(const struct finding *f) {
    return f->version < 20 && strstr(f->ours, " gds") && (begins(f->target, "gfx90a") || begins(f->target, "gfx94")) &&
           strncmp(f->ours, f->theirs, strlen(f->theirs)) == 0;
}

static bool is_source_alone(const char *operand) { return begins(operand, "src_") || begins(operand, "null") || begins(operand, "-src_"); }

/* src_scc and the like, null. */
static bool takes_sources_as_registers(const struct finding *f) {
    static const char *const anywhere[] = {
        "v_mfma",     "v_smfmac", "v_wmma",    "v_swmmac", "v_mqsad_u32_u8",  "v_swap",           "image_",
        "v_permlane", "v_movrel", "v_accvgpr", "v_interp", "v_readfirstlane", "s_wakeup_barrier", "s_get_barrier_state",
        "s_barrier_"};
    const char *text = f->theirs, *operands = strchr(text, ' '), *last = strrchr(text, ',');
    bool found = operands && is_source_alone(operands + 1) && (begins(text, "v_cmp") || begins(text, "v_read") || begins(text, "v_s_"));

    if (f->our_size)
        return false;
    for (unsigned i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        found |= begins(text, anywhere[i]) && (strstr(text, " src_") || strstr(text, " null"));
    if (begins(text, "v_cndmask") || strstr(text, "_co_"))
        found |= last && is_source_alone(last + 2);
    return found || (strstr(text, "_co_") && strstr(text, ", src_"));
}

/* v_fma_mix* with DPP, whose second source may be a scalar as elsewhere. */
static bool wants_registers_in_mix(const struct finding *f) {
    return f->version < 20 && !f->their_size && begins(f->ours, "v_fma_mix") && strstr(f->ours, "_dpp");
}

/* v_cndmask_b32 with DPP: "|v240, vcc_lo|". */
static bool closes_late(const struct finding *f) { return strstr(f->theirs, ", vcc_lo|") || strstr(f->theirs, ", vcc|"); }

static struct rule {
    const char *reason;
    bool (*applies)(const struct finding *finding);
    uint64_t count;
} rules[] = {
    {"LLVM crashes", crashes, 0},
    {"LLVM calls a register or a value invalid", is_doubtful, 0},
    {"LLVM prints no gds on gfx90a and gfx94*", loses_gds, 0},
    {"LLVM takes sources that are no registers where registers alone may stand", takes_sources_as_registers, 0},
    {"LLVM takes no scalars in v_fma_mix* with DPP", wants_registers_in_mix, 0},
    {"LLVM closes the bars of |v1| behind VCC", closes_late, 0},
};

bool rules_excuse(const struct finding *finding) {
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].applies(finding)) {
            rules[i].count++;
            return true;
        }
    return false;
}

void rules_print(void) {
    for (unsigned i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].count)
            printf("%8" PRIu64 "  not counted: %s\n", rules[i].count, rules[i].reason);
}
