/* What instructions name instead of numbering: hardware registers, messages, counters, formats, hints. The names are those of LLVM's
 * assembler. */
#include "translate/decode/words/print.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const char *name_at(const char *const *names, size_t count, unsigned index) { return index < count ? names[index] : NULL; }

/* ---- hardware registers ---- */

struct named {
    uint32_t targets;
    uint8_t number;
    const char *name;
};

enum { ALL = 0xffffffff, UNTIL11 = WL_GFX9 | WL_GFX10 | WL_GFX11, FROM10 = WL_GFX10 | WL_GFX11 | WL_GFX12 };

/* The first that fits: gfx1250 has names of its own for some that all have. */
static const struct named registers[] = {
    {WL_GFX1250, 1, "WAVE_MODE"},
    {WL_GFX1250, 2, "WAVE_STATUS"},
    {WL_GFX1250, 4, "WAVE_STATE_PRIV"},
    {WL_GFX1250, 5, "WAVE_GPR_ALLOC"},
    {WL_GFX1250, 6, "WAVE_LDS_ALLOC"},
    {WL_GFX1250, 17, "WAVE_EXCP_FLAG_PRIV"},
    {WL_GFX1250, 18, "WAVE_EXCP_FLAG_USER"},
    {WL_GFX1250, 19, "WAVE_TRAP_CTRL"},
    {WL_GFX1250, 20, "WAVE_SCRATCH_BASE_LO"},
    {WL_GFX1250, 21, "WAVE_SCRATCH_BASE_HI"},
    {WL_GFX1250, 23, "WAVE_HW_ID1"},
    {WL_GFX1250, 24, "WAVE_HW_ID2"},
    {WL_GFX1250, 26, "WAVE_SCHED_MODE"},
    {WL_GFX1250, 28, "IB_STS2"},
    {WL_GFX1250, 31, "WAVE_DVGPR_ALLOC_LO"},
    {WL_GFX1250, 32, "WAVE_DVGPR_ALLOC_HI"},
    {WL_GFX1250, 33, "XNACK_STATE_PRIV"},
    {WL_GFX1250, 34, "XNACK_MASK"},
    {UNTIL11, 1, "MODE"},
    {WL_GFX12, 1, "WAVE_MODE"},
    {UNTIL11, 2, "STATUS"},
    {WL_GFX12, 2, "WAVE_STATUS"},
    {UNTIL11, 3, "TRAPSTS"},
    {WL_GFX9, 4, "HW_ID"},
    {WL_GFX12, 4, "WAVE_STATE_PRIV"},
    {UNTIL11, 5, "GPR_ALLOC"},
    {WL_GFX12, 5, "WAVE_GPR_ALLOC"},
    {UNTIL11, 6, "LDS_ALLOC"},
    {WL_GFX12, 6, "WAVE_LDS_ALLOC"},
    {ALL, 7, "IB_STS"},
    {WL_GFX12, 10, "PERF_SNAPSHOT_DATA"},
    {WL_GFX12, 11, "PERF_SNAPSHOT_PC_LO"},
    {WL_GFX12, 12, "PERF_SNAPSHOT_PC_HI"},
    {UNTIL11, 15, "SH_MEM_BASES"},
    {WL_GFX12, 15, "PERF_SNAPSHOT_DATA1"},
    {WL_GFX9 | WL_GFX10, 16, "TBA_LO"},
    {WL_GFX12, 16, "PERF_SNAPSHOT_DATA2"},
    {WL_GFX9 | WL_GFX10, 17, "TBA_HI"},
    {WL_GFX12, 17, "WAVE_EXCP_FLAG_PRIV"},
    {WL_GFX9 | WL_GFX10, 18, "TMA_LO"},
    {WL_GFX11, 18, "PERF_SNAPSHOT_PC_LO"},
    {WL_GFX12, 18, "WAVE_EXCP_FLAG_USER"},
    {WL_GFX9 | WL_GFX10, 19, "TMA_HI"},
    {WL_GFX11, 19, "PERF_SNAPSHOT_PC_HI"},
    {WL_GFX12, 19, "WAVE_TRAP_CTRL"},
    {WL_GFX9_4, 20, "XCC_ID"},
    {WL_GFX10 | WL_GFX11, 20, "FLAT_SCR_LO"},
    {WL_GFX12, 20, "WAVE_SCRATCH_BASE_LO"},
    {WL_GFX9_4, 21, "SQ_PERF_SNAPSHOT_DATA"},
    {WL_GFX10 | WL_GFX11, 21, "FLAT_SCR_HI"},
    {WL_GFX12, 21, "WAVE_SCRATCH_BASE_HI"},
    {WL_GFX9_4, 22, "SQ_PERF_SNAPSHOT_DATA1"},
    {WL_GFX10_1, 22, "XNACK_MASK"},
    {WL_GFX9_4, 23, "SQ_PERF_SNAPSHOT_PC_LO"},
    {WL_GFX10 | WL_GFX11, 23, "HW_ID1"},
    {WL_GFX12, 23, "WAVE_HW_ID1"},
    {WL_GFX9_4, 24, "SQ_PERF_SNAPSHOT_PC_HI"},
    {WL_GFX10 | WL_GFX11, 24, "HW_ID2"},
    {WL_GFX12, 24, "WAVE_HW_ID2"},
    {WL_GFX10, 25, "POPS_PACKER"},
    {WL_GFX12, 26, "WAVE_SCHED_MODE"},
    {WL_GFX11, 27, "PERF_SNAPSHOT_DATA"},
    {WL_T1030 | WL_GFX11, 29, "SHADER_CYCLES"},
    {WL_GFX12, 29, "SHADER_CYCLES_LO"},
    {WL_GFX12, 30, "SHADER_CYCLES_HI"},
    {WL_GFX12, 31, "WAVE_DVGPR_ALLOC_LO"},
    {WL_GFX12, 32, "WAVE_DVGPR_ALLOC_HI"},
};

static const char *find_name(const struct named *names, size_t count, unsigned number, uint32_t target) {
    for (size_t i = 0; i < count; i++)
        if (names[i].number == number && names[i].targets & target)
            return names[i].name;
    return NULL;
}

static void print_register(struct wl_word_text *text, const struct wl_word_job *job, uint32_t bits) {
    const unsigned number = bits & 63, offset = bits >> 6 & 31, width = (bits >> 11 & 31) + 1;
    const char *name = find_name(registers, COUNT(registers), number, job->d->target);

    if (name)
        wl_print(text, "hwreg(HW_REG_%s", name);
    else
        wl_print(text, "hwreg(%u", number);
    if (offset || width != 32)
        wl_print(text, ", %u, %u", offset, width);
    wl_print(text, ")");
}

/* ---- messages ---- */

static const struct named messages[] = {
    {WL_GFX1250, 10, "SAVEWAVE_HAS_TDM"},
    {WL_GFX1250, 136, "RTN_GET_CLUSTER_BARRIER_STATE"},
    {ALL, 1, "INTERRUPT"},
    {WL_GFX9 | WL_GFX10, 2, "GS"},
    {WL_GFX11 | WL_GFX12, 2, "HS_TESSFACTOR"},
    {WL_GFX9 | WL_GFX10, 3, "GS_DONE"},
    {WL_GFX11 | WL_GFX12, 3, "DEALLOC_VGPRS"},
    {WL_GFX9 | WL_GFX10, 4, "SAVEWAVE"},
    {UNTIL11, 5, "STALL_WAVE_GEN"},
    {UNTIL11, 6, "HALT_WAVES"},
    {WL_GFX9 | WL_GFX10, 7, "ORDERED_PS_DONE"},
    {WL_GFX9 | WL_GFX10, 8, "EARLY_PRIM_DEALLOC"},
    {ALL, 9, "GS_ALLOC_REQ"},
    {WL_GFX9 | WL_GFX10, 10, "GET_DOORBELL"},
    {WL_GFX10, 11, "GET_DDID"},
    {WL_GFX9 | WL_GFX10, 15, "SYSMSG"},
    {WL_GFX11 | WL_GFX12, 128, "RTN_GET_DOORBELL"},
    {WL_GFX11 | WL_GFX12, 129, "RTN_GET_DDID"},
    {WL_GFX11 | WL_GFX12, 130, "RTN_GET_TMA"},
    {WL_GFX11 | WL_GFX12, 131, "RTN_GET_REALTIME"},
    {WL_GFX11 | WL_GFX12, 132, "RTN_SAVE_WAVE"},
    {WL_GFX11 | WL_GFX12, 133, "RTN_GET_TBA"},
    {WL_GFX11 | WL_GFX12, 134, "RTN_GET_TBA_TO_PC"},
    {WL_GFX12, 135, "RTN_GET_SE_AID_ID"},
};

static void print_message(struct wl_word_text *text, const struct wl_word_job *job, uint32_t bits) {
    static const char *const geometry[] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
    static const char *const systems[] = {NULL, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", NULL, "SYSMSG_OP_TTRACE_PC"};
    const bool newer = job->d->generation >= 11;
    const unsigned number = newer ? bits & 255 : bits & 15, op = newer ? 0 : bits >> 4 & 7, stream = newer ? 0 : bits >> 8 & 3;
    const char *name = find_name(messages, COUNT(messages), number, job->d->target);
    const bool shapes = !newer && (number == 2 || number == 3), system = !newer && number == 15;
    const char *op_name = shapes ? name_at(geometry, COUNT(geometry), op) : system ? name_at(systems, COUNT(systems), op) : NULL;
    const bool streams = shapes && op;

    if (!name || ((shapes || system) ? !op_name : op != 0) || (stream && !streams) || (number == 2 && shapes && !op))
        bits == (number | op << 4 | stream << 8) ? wl_print(text, "sendmsg(%u, %u, %u)", number, op, stream) : wl_print(text, "%u", bits);
    else if (streams)
        wl_print(text, "sendmsg(MSG_%s, %s, %u)", name, op_name, stream);
    else if (op_name)
        wl_print(text, "sendmsg(MSG_%s, %s)", name, op_name);
    else
        wl_print(text, "sendmsg(MSG_%s)", name);
}

/* ---- counters ---- */

struct counter {
    const char *name;
    uint8_t at, bits, high_at, high_bits;
};

/* Those that are waited for; all, if it is none. */
static void print_counters(struct wl_word_text *text, const struct counter *counters, size_t count, uint32_t bits) {
    bool any = false;

    for (unsigned round = 0; round < 2 && !any; round++)
        for (size_t i = 0; i < count; i++) {
            const struct counter *c = &counters[i];
            const unsigned value = wl_bits(bits, c->at, c->bits) | wl_bits(bits, c->high_at, c->high_bits) << c->bits;

            if (round == 0 && value == (1u << (c->bits + c->high_bits)) - 1)
                continue;
            wl_print(text, "%s%s(%u)", any ? " " : "", c->name, value);
            any = true;
        }
}

static void print_wait(struct wl_word_text *text, const struct wl_word_job *job, uint32_t bits) {
    static const struct counter gfx9[] = {{"vmcnt", 0, 4, 14, 2}, {"expcnt", 4, 3, 0, 0}, {"lgkmcnt", 8, 4, 0, 0}};
    static const struct counter gfx10[] = {{"vmcnt", 0, 4, 14, 2}, {"expcnt", 4, 3, 0, 0}, {"lgkmcnt", 8, 6, 0, 0}};
    static const struct counter gfx11[] = {{"vmcnt", 10, 6, 0, 0}, {"expcnt", 0, 3, 0, 0}, {"lgkmcnt", 4, 6, 0, 0}};

    print_counters(text, job->d->generation == 9 ? gfx9 : job->d->generation == 10 ? gfx10 : gfx11, 3, bits);
}

static void print_dependences(struct wl_word_text *text, const struct wl_word_job *job, uint32_t bits) {
    static const struct counter fields[] = {
        {"depctr_hold_cnt", 7, 1, 0, 0}, {"depctr_sa_sdst", 0, 1, 0, 0}, {"depctr_va_vdst", 12, 4, 0, 0}, {"depctr_va_sdst", 9, 3, 0, 0},
        {"depctr_va_ssrc", 8, 1, 0, 0},  {"depctr_va_vcc", 1, 1, 0, 0},  {"depctr_vm_vsrc", 2, 3, 0, 0}};

    const unsigned first = job->d->target & WL_GFX10_1 ? 1 : 0; /* the first is newer */

    if (bits & (first ? 0xe0 : 0x60))
        wl_print(text, "0x%x", bits);
    else
        print_counters(text, fields + first, COUNT(fields) - first, bits);
}

static void print_delay(struct wl_word_text *text, uint32_t bits) {
    static const char *const kinds[] = {"NO_DEP",        "VALU_DEP_1",    "VALU_DEP_2",    "VALU_DEP_3",        "VALU_DEP_4",
                                        "TRANS32_DEP_1", "TRANS32_DEP_2", "TRANS32_DEP_3", "FMA_ACCUM_CYCLE_1", "SALU_CYCLE_1",
                                        "SALU_CYCLE_2",  "SALU_CYCLE_3"};
    static const char *const skips[] = {"SAME", "NEXT", "SKIP_1", "SKIP_2", "SKIP_3", "SKIP_4"};
    static const struct {
        const char *name;
        uint8_t at, bits;
        const char *const *values;
        uint8_t count;
    } fields[] = {{"instid0", 0, 4, kinds, COUNT(kinds)}, {"instskip", 4, 3, skips, COUNT(skips)}, {"instid1", 7, 4, kinds, COUNT(kinds)}};
    bool any = false;

    for (size_t i = 0; i < COUNT(fields); i++) {
        const unsigned value = wl_bits(bits, fields[i].at, fields[i].bits);
        const char *name = name_at(fields[i].values, fields[i].count, value);

        if (!value)
            continue;
        wl_print(text, "%s%s(%s)", any ? " | " : "", fields[i].name, name ? name : "/* invalid value */");
        any = true;
    }
    if (!any)
        wl_print(text, "0");
}

static void print_indexed(struct wl_word_text *text, uint32_t bits) {
    static const char *const names[] = {"SRC0", "SRC1", "SRC2", "DST"};
    bool any = false;

    if (bits > 15) {
        wl_print(text, "0x%x", bits);
        return;
    }
    wl_print(text, "gpr_idx(");
    for (unsigned i = 0; i < 4; i++)
        if (bits >> i & 1) {
            wl_print(text, "%s%s", any ? "," : "", names[i]);
            any = true;
        }
    wl_print(text, ")");
}

static void print_version(struct wl_word_text *text, uint32_t bits) {
    static const char *const names[] = {[0] = "GFX7", [4] = "GFX10", [6] = "GFX11", [9] = "GFX12"};
    static const char *const flags[] = {"W64_BIT", "W32_BIT", "MDP_BIT"};
    const unsigned count = (unsigned)__builtin_popcount(bits >> 13);
    unsigned printed = 0;

    if (bits & 0x1f00) {
        wl_print(text, "0x%x", bits);
        return;
    }
    for (unsigned i = 1; i < count; i++)
        wl_print(text, "(");
    const char *name = name_at(names, COUNT(names), bits & 255);
    name ? wl_print(text, "UC_VERSION_%s", name) : wl_print(text, "%u", bits & 255);
    for (unsigned i = 0; i < COUNT(flags); i++)
        if (bits >> (13 + i) & 1)
            wl_print(text, "|UC_VERSION_%s%s", flags[i], ++printed < count ? ")" : "");
}

void wl_print_index_mode(struct wl_word_text *text, uint32_t bits) { print_indexed(text, bits); }

/* ---- interpolation ---- */

static void print_attribute(struct wl_word_text *text, const struct wl_word_job *job) {
    const bool is_long = job->entry->row->encoding == WL_ENC_VOP3;
    const uint32_t bits = is_long ? job->w[1] : job->w[0];
    const unsigned attribute = is_long ? bits & 63 : bits >> 10 & 63, channel = is_long ? bits >> 6 & 3 : bits >> 8 & 3;

    wl_print(text, "attr%u.%c", attribute, "xyzw"[channel]);
}

static void print_corner(struct wl_word_text *text, const struct wl_word_job *job) {
    static const char *const names[] = {"p10", "p20", "p0"};
    const unsigned corner = job->entry->row->encoding == WL_ENC_VOP3 ? job->w[1] >> 9 & 0x1ff : job->w[0] & 255;

    if (corner < 3)
        wl_print(text, "%s", names[corner]);
    else
        wl_print(text, "invalid_param_%u", corner);
}

static void print_target(struct wl_word_text *text, const struct wl_word_job *job) {
    const unsigned target = job->w[0] >> 4 & 63, generation = job->d->generation;

    if (target < 8)
        wl_print(text, "mrt%u", target);
    else if (target == 8)
        wl_print(text, "mrtz");
    else if (target == 9 && generation <= 10)
        wl_print(text, "null");
    else if (target >= 12 && target <= (generation == 9 ? 15u : 16u))
        wl_print(text, "pos%u", target - 12);
    else if (target == 20 && generation >= 10)
        wl_print(text, "prim");
    else if ((target == 21 || target == 22) && generation >= 11)
        wl_print(text, "dual_src_blend%u", target - 21);
    else if (target >= 32 && generation <= 10)
        wl_print(text, "param%u", target - 32);
    else
        wl_print(text, "invalid_target_%u", target);
}

void wl_print_graphics(struct wl_word_text *text, const struct wl_word_job *job, const struct wl_inst *inst) {
    const uint32_t word = job->w[0];

    switch (job->entry->row->encoding) {
    case WL_ENC_EXP:
        wl_print(text, "%s%s%s", word >> 11 & 1 ? " done" : "", job->d->generation <= 10 && word >> 10 & 1 ? " compr" : "",
                 job->d->generation <= 10 && word >> 12 & 1   ? " vm"
                 : job->d->generation >= 11 && word >> 13 & 1 ? " row_en"
                                                              : "");
        break;
    case WL_ENC_VINTERP:
        wl_print(text, inst->clamp ? " clamp" : "");
        if (word >> 11 & 15 && job->entry->shape.modifiers & WL_MOD_OP_SEL)
            wl_print(text, " op_sel:[%u,%u,%u,%u]", word >> 11 & 1, word >> 12 & 1, word >> 13 & 1, word >> 14 & 1);
        wl_print(text, " wait_exp:%u", word >> 8 & 7);
        break;
    case WL_ENC_LDSDIR:
        wl_print(text, job->d->generation >= 12 ? " wait_va_vdst:%u wait_vm_vsrc:%u" : " wait_vdst:%u", word >> 16 & 15, word >> 23 & 1);
        break;
    default:
        break;
    }
}

/* ---- which of these an operand is ---- */

static void separate(struct wl_word_text *text) { wl_print(text, text->count++ ? ", " : " "); }

static bool print_meaning(struct wl_word_text *text, const struct wl_word_job *job, enum wl_meaning meaning, uint32_t bits) {
    switch (meaning) {
    case WL_MEANS_HWREG:
        print_register(text, job, bits);
        return true;
    case WL_MEANS_MESSAGE:
        print_message(text, job, bits);
        return true;
    case WL_MEANS_WAITCNT:
        print_wait(text, job, bits);
        return true;
    case WL_MEANS_DEPCTR:
        print_dependences(text, job, bits);
        return true;
    case WL_MEANS_DELAY:
        print_delay(text, bits);
        return true;
    case WL_MEANS_GPR_IDX:
        print_indexed(text, bits);
        return true;
    case WL_MEANS_VERSION:
        print_version(text, bits);
        return true;
    default:
        return false;
    }
}

bool wl_print_symbol(struct wl_word_text *text, const struct wl_word_job *job, unsigned index) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const uint32_t bits = (uint32_t)job->inst->operands[index].bits;

    if (job->entry->row->encoding == WL_ENC_EXP) {
        if (index)
            return true; /* done, compr, vm stand behind */
        separate(text);
        print_target(text, job);
        text->count = 0; /* no comma behind it */
        return true;
    }
    if (index >= shape->count)
        return false;
    separate(text);
    if (shape->places[index].role == WL_AT_ATTR)
        print_attribute(text, job);
    else if ((shape->places[index].role == WL_AT_SRC0 || shape->places[index].role == WL_AT_VSRC) &&
             job->entry->row->encoding > WL_ENC_SMEM)
        print_corner(text, job);
    else if (!print_meaning(text, job, (enum wl_meaning)shape->places[index].format, bits))
        wl_print(text, "%u", bits);
    return true;
}

/* ---- memory ---- */

void wl_print_scope(struct wl_word_text *text, const struct wl_word_job *job) {
    static const char *const scopes[] = {"", " scope:SCOPE_SE", " scope:SCOPE_DEV", " scope:SCOPE_SYS"};
    static const char *const loads[] = {"", "NT", "HT", "LU", "NT_RT", "RT_NT", "NT_HT", NULL};
    static const char *const stores[] = {"", "NT", "HT", "WB", "NT_RT", "RT_NT", "NT_HT", "NT_WB"};
    static const char *const atomics[] = {"", "RETURN", "NT", "NT_RETURN", "CASCADE_RT", "CASCADE_RT", "CASCADE_NT", "CASCADE_NT"};
    const bool scalar = job->entry->row->encoding == WL_ENC_SMEM;
    const unsigned hint = scalar ? job->w[0] >> 23 & 3 : job->w[1] >> 20 & 7, scope = scalar ? job->w[0] >> 21 & 3 : job->w[1] >> 18 & 3;
    const char *name = job->entry->row->name;
    const bool atomic = strstr(name, "_atomic_"), store = strstr(name, "_store") || strncmp(name, "tensor_s", 8) == 0;
    const char *named = (atomic ? atomics : store ? stores : loads)[hint];
    const bool flat = job->entry->row->encoding >= WL_ENC_FLAT && job->entry->row->encoding <= WL_ENC_SCRATCH;
    const bool scaled = scalar ? job->w[1] >> 24 & 1 : flat && job->w[1] >> 16 & 1;
    const bool private = job->d->has_wide && job->w[0] >> (scalar ? 20 : 7) & 1; /* "nv": memory that no other process has */

    if (job->d->has_wide && scaled)
        wl_print(text, " scale_offset");

    if (hint == 3 && scope == 3 && !atomic)
        named = "BYPASS";
    if (hint && (!named || (atomic && hint >= 4 && scope < 2)))
        wl_print(text, atomic ? " th:TH_ATOMIC_0x%x" : " th:0x%x", hint);
    else if (hint)
        wl_print(text, " th:TH_%s_%s", atomic ? "ATOMIC" : store ? "STORE" : "LOAD", named);
    wl_print(text, "%s%s", scopes[scope], private ? " nv" : "");
}

static const char *const numbers[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "FLOAT"};

static void print_split_format(struct wl_word_text *text, uint32_t bits) {
    static const char *const data[] = {"INVALID",     "8",        "16",          "8_8",        "32",      "16_16",
                                       "10_11_11",    "11_11_10", "10_10_10_2",  "2_10_10_10", "8_8_8_8", "32_32",
                                       "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
    static const char *const kinds[] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"};
    const unsigned size = bits & 15, kind = bits >> 4 & 7;

    if (size == 1 && !kind)
        return;
    wl_print(text, " format:[");
    if (size != 1)
        wl_print(text, "BUF_DATA_FORMAT_%s%s", data[size], kind ? "," : "");
    if (kind)
        wl_print(text, "BUF_NUM_FORMAT_%s", kinds[kind]);
    wl_print(text, "]");
}

void wl_print_format(struct wl_word_text *text, const struct wl_word_job *job) {
    /* Which numbers each size has, in the order of `numbers`, a bit each: on gfx10, and later. The formats are numbered in this order. */
    static const struct {
        const char *name;
        uint8_t gfx10, later;
    } sizes[] = {{"8", 0x3f, 0x3f},          {"16", 0x7f, 0x7f},         {"8_8", 0x3f, 0x3f},      {"32", 0x70, 0x70},
                 {"16_16", 0x7f, 0x7f},      {"10_11_11", 0x7f, 0x40},   {"11_11_10", 0x7f, 0x40}, {"10_10_10_2", 0x3f, 0x33},
                 {"2_10_10_10", 0x3f, 0x3f}, {"8_8_8_8", 0x3f, 0x3f},    {"32_32", 0x70, 0x70},    {"16_16_16_16", 0x7f, 0x7f},
                 {"32_32_32", 0x70, 0x70},   {"32_32_32_32", 0x70, 0x70}};
    const uint32_t bits = job->d->generation >= 12 ? job->w[1] >> 23 & 0x7f : job->w[0] >> 19 & 0x7f;
    unsigned left = bits;

    if (job->d->generation == 9) {
        print_split_format(text, bits);
        return;
    }
    if (bits == 1)
        return;
    if (!bits) {
        wl_print(text, " format:[BUF_FMT_INVALID]");
        return;
    }
    for (size_t i = 0; i < COUNT(sizes); i++)
        for (unsigned n = 0; n < COUNT(numbers); n++)
            if ((job->d->generation == 10 ? sizes[i].gfx10 : sizes[i].later) >> n & 1 && --left == 0) {
                wl_print(text, " format:[BUF_FMT_%s_%s]", sizes[i].name, numbers[n]);
                return;
            }
    wl_print(text, " format:%u", bits);
}

/* Groups of 2 to 32 lanes that read one of them, or are reversed. */
static bool print_group(struct wl_word_text *text, unsigned and_mask, unsigned or_mask, unsigned xor_mask) {
    const unsigned group = 32 - and_mask;

    if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask - 1)))
        wl_print(text, "SWAP,%u", xor_mask);
    else if (and_mask == 31 && !or_mask && xor_mask && !(xor_mask & (xor_mask + 1)))
        wl_print(text, "REVERSE,%u", xor_mask + 1);
    else if (group > 1 && !(group & (group - 1)) && or_mask < group && !xor_mask)
        wl_print(text, "BROADCAST,%u,%u", group, or_mask);
    else
        return false;
    return true;
}

void wl_print_swizzle(struct wl_word_text *text, unsigned offset) {
    const unsigned and_mask = offset & 31, or_mask = offset >> 5 & 31, xor_mask = offset >> 10 & 31;

    if ((offset & 0xff00) == 0x8000) {
        wl_print(text, " offset:swizzle(QUAD_PERM,%u,%u,%u,%u)", offset & 3, offset >> 2 & 3, offset >> 4 & 3, offset >> 6 & 3);
        return;
    }
    if ((offset & 0xe000) == 0xe000) {
        wl_print(text, " offset:swizzle(FFT,%u)", offset & 31);
        return;
    }
    if ((offset & 0xe000) == 0xc000) {
        wl_print(text, " offset:swizzle(ROTATE,%u,%u)", offset >> 10 & 1, offset >> 5 & 31);
        return;
    }
    if (offset & 0x8000) {
        wl_print(text, " offset:%u", offset);
        return;
    }
    wl_print(text, " offset:swizzle(");
    if (!print_group(text, and_mask, or_mask, xor_mask)) {
        wl_print(text, "BITMASK_PERM,\"");
        for (unsigned bit = 16; bit; bit >>= 1) {
            const bool zero = !!(or_mask & bit) != !!(xor_mask & bit); /* what a lane's bit of 0 becomes */
            const bool one = ((and_mask | or_mask) & bit) ? !(xor_mask & bit) : xor_mask & bit;
            wl_print(text, "%c", zero == one ? (zero ? '1' : '0') : one ? 'p' : 'i');
        }
        wl_print(text, "\"");
    }
    wl_print(text, ")");
}
