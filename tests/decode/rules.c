#include "rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 512, WORDS = 5 };

static bool begins(const char *text, const char *prefix) { return strncmp(text, prefix, strlen(prefix)) == 0; }

static bool is_same(const char *a, const char *b) { return strcmp(a, b) == 0; }

/* ---- texts without some of their parts ---- */

static void replace(char *text, const char *from, const char *to) {
    char copy[TEXT];

    for (char *at = text; (at = strstr(at, from));) {
        snprintf(copy, sizeof copy, "%s", at + strlen(from));
        snprintf(at, TEXT - (size_t)(at - text), "%s%s", to, copy);
        at += strlen(to);
    }
}

/* Removes what begins with `from`, up to and with `end`. */
static void cut(char *text, const char *from, char end) {
    for (char *at; (at = strstr(text, from));) {
        char *last = strchr(at + strlen(from), end);
        if (!last)
            return;
        memmove(at, last + 1, strlen(last + 1) + 1);
    }
}

/* Removes NAME( and its parenthesis, not what is in it. */
static void unwrap(char *text, const char *name) {
    for (char *at; (at = strstr(text, name));) {
        char *last = strchr(at, ')');
        if (!last)
            return;
        memmove(last, last + 1, strlen(last + 1) + 1);
        memmove(at, at + strlen(name), strlen(at + strlen(name)) + 1);
    }
}

static void remove_lanes(char *text) {
    cut(text, " dpp8:[", ']');
    cut(text, " quad_perm:[", ']');
}

static bool are_both(const struct finding *f) { return f->their_size && f->our_size == f->their_size; }

/* Whether the texts are the same without what a function removes from either. */
static bool are_same_without(const struct finding *f, void (*remove)(char *text)) {
    char theirs[TEXT], ours[TEXT];

    if (!are_both(f))
        return false;
    snprintf(theirs, sizeof theirs, "%s", f->theirs);
    snprintf(ours, sizeof ours, "%s", f->ours);
    remove(theirs);
    remove(ours);
    return is_same(theirs, ours);
}

/* ---- words without some of their bits ---- */

static uint32_t word_of(const struct finding *f, unsigned index) {
    uint32_t word = 0;

    if (f->available >= 4 * (uint64_t)(index + 1))
        memcpy(&word, f->bytes + 4 * (size_t)index, 4);
    return word;
}

static bool is_vop3(const struct finding *f) {
    const uint32_t top = word_of(f, 0) >> 26;
    return f->generation >= 10 ? top == 0x35 || top == 0x33 : top == 0x34;
}

/* The words without these bits, as `see` sees them. */
static unsigned see_without(const struct finding *f, uint32_t first, uint32_t second,
                            unsigned (*see)(const uint8_t *bytes, uint64_t available, char *text), char *text) {
    uint32_t words[WORDS] = {word_of(f, 0) & ~first, word_of(f, 1) & ~second, word_of(f, 2), word_of(f, 3), word_of(f, 4)};
    uint8_t bytes[sizeof words];

    memcpy(bytes, words, sizeof bytes);
    return see(bytes, f->available < sizeof bytes ? f->available : sizeof bytes, text);
}

/* The words with EXEC as VOP3's result. */
static unsigned see_with_exec(const struct finding *f, char *text) {
    uint32_t words[WORDS] = {(word_of(f, 0) & ~255u) | 126, word_of(f, 1), word_of(f, 2), word_of(f, 3), word_of(f, 4)};
    uint8_t bytes[sizeof words];

    memcpy(bytes, words, sizeof bytes);
    return f->ask(bytes, f->available < sizeof bytes ? f->available : sizeof bytes, text);
}

/* ---- what any LLVM does ---- */

static bool crashes(const struct finding *f) { return strstr(f->theirs, "// LLVM crashes"); }

/* LLVM says in a comment that a register or a value does not exist. */
static bool is_doubtful(const struct finding *f) { return strstr(f->theirs, "/*") || strstr(f->theirs, "//") || strchr(f->theirs, ';'); }

/* Registers from v256 on. */
static bool goes_beyond(const struct finding *f) {
    for (const char *at = f->theirs; !f->our_size && (at = strchr(at, '[')); at++) {
        const char *colon = strchr(at, ':'), *end = strchr(at, ']');
        if (at > f->theirs && (at[-1] == 'v' || at[-1] == 'a') && colon && end && colon < end && strtoul(colon + 1, NULL, 10) > 255)
            return true;
    }
    return false;
}

static bool is_source_alone(const char *operand) { return begins(operand, "src_") || begins(operand, "null") || begins(operand, "-src_"); }

/* src_scc and the like, null. */
static bool takes_sources_as_registers(const struct finding *f) {
    static const char *const anywhere[] = {"v_mfma",    "v_smfmac",        "v_wmma",      "v_swmmac",         "v_mqsad_u32_u8",
                                           "v_swap",    "image_",          "v_permlane",  "v_movrel",         "v_accvgpr",
                                           "v_interp",  "v_readfirstlane", "v_cvt_scale", "s_wakeup_barrier", "s_get_barrier_state",
                                           "s_barrier_"};
    char text[TEXT];

    snprintf(text, sizeof text, "%s", f->theirs);
    remove_lanes(text);
    const char *operands = strchr(text, ' '), *last = strrchr(text, ',');
    bool found = operands && is_source_alone(operands + 1) && (begins(text, "v_cmp") || begins(text, "v_read") || begins(text, "v_s_"));

    found |= strstr(text, ":: v_dual_cndmask") && is_source_alone(last + 2);

    found |= begins(text, "v_interp") && (strstr(text, "src_") || strstr(text, "null"));
    found |= begins(text, "v_read") && (strstr(text, ", null,") || strstr(text, ", src_"));

    if (f->our_size)
        return false;
    for (unsigned i = 0; i < sizeof anywhere / sizeof *anywhere; i++)
        found |= begins(text, anywhere[i]) && (strstr(text, " src_") || strstr(text, " -src_") || strstr(text, " null"));
    if (begins(text, "v_cndmask") || strstr(text, "_co_"))
        found |= last && is_source_alone(last + 2);
    return found || (strstr(text, "_co_") && strstr(text, ", src_"));
}

/* v_cndmask_b32 with DPP: "|v240, vcc_lo|". */
static bool closes_late(const struct finding *f) { return strstr(f->theirs, ", vcc_lo|") || strstr(f->theirs, ", vcc|"); }

static void remove_halves(char *text) {
    replace(text, ".l", "");
    replace(text, ".h", "");
    cut(text, " op_sel:[", ']');
}

enum { CLAMP = 1 << 15, OP_SEL = 15 << 11 };

/* What LLVM 19 prints otherwise, however often it comes in one text: see the rules below. */
static void make_older(char *text) {
    replace(text, "HW_REG_WAVE_SCHED_MODE", "26");
    replace(text, "HW_REG_WAVE_", "HW_REG_");
    replace(text, "TH_STORE_WB", "TH_STORE_RT_WB");
    unwrap(text, "sext(");
    remove_halves(text);
}

/* A constant that LLVM 22 takes for its code, or the other way round: 0x80 is 0. `x` is LLVM's, `y` the printer's. */
static bool is_code_of(long x, long y) {
    const long code = y >= 0 && y <= 64 ? 128 + y : y < 0 ? 192 - y : -1, other = x >= 0 && x <= 64 ? 128 + x : x < 0 ? 192 - x : -1;
    return x == code || y == other || (y > 192 && y <= 208 && (uint16_t)x == (uint16_t)(192 - y)) || (y >= 240 && y <= 248);
}

/* A fraction that LLVM 22 takes for its code, 240 to 248, or prints in the bits of f32, which it does in conversions to 8 bits. Where the text
 * goes on behind it, or NULL. */
static const char *behind_fraction(const struct finding *f, long x, const char *ours) {
    static const struct {
        const char *text;
        long bits;
    } fractions[] = {{"0.5", 0x3f000000},  {"-0.5", 0xbf000000}, {"1.0", 0x3f800000},  {"-1.0", 0xbf800000},      {"2.0", 0x40000000},
                     {"-2.0", 0xc0000000}, {"4.0", 0x40800000},  {"-4.0", 0xc0800000}, {"0.15915494", 0x3e22f983}};
    const bool converts = begins(f->ours, "v_cvt_pk_bf8_f16") || begins(f->ours, "v_cvt_pk_fp8_f16");

    for (long i = 0; i < (long)(sizeof fractions / sizeof *fractions); i++)
        if (begins(ours, fractions[i].text) && (x == 240 + i || (converts && x == fractions[i].bits)))
            return ours + strlen(fractions[i].text);
    return NULL;
}

static bool agree_token(const struct finding *f, const char *theirs, const char *ours) {
    char *rest_theirs, *rest_ours;

    if (is_same(theirs, ours))
        return true;
    if (f->version < 20)
        return strstr(ours, "lit(");
    while (*theirs == *ours && *theirs && !(*theirs >= '0' && *theirs <= '9'))
        theirs++, ours++;
    const long x = strtol(theirs, &rest_theirs, 0), y = strtol(ours, &rest_ours, 0);
    const char *behind = behind_fraction(f, x, ours);
    if (behind && is_same(rest_theirs, behind))
        return true;
    return rest_theirs != theirs && rest_ours != ours && is_same(rest_theirs, rest_ours) && (x == y || is_code_of(x, y));
}

/* Removes an operand, and what follows it. */
static void cut_operand(char *text, unsigned index) {
    for (; text && index; index--)
        text = strchr(text + 1, ',');
    if (text)
        *text = '\0';
}

/* Whether two texts say the same in the words of that version; with `halves`, whatever they say about halves. */
static bool agree(const struct finding *f, const char *theirs, const char *ours, bool halves) {
    char a[TEXT], b[TEXT], *rest_a, *rest_b;

    snprintf(a, sizeof a, "%s", theirs);
    snprintf(b, sizeof b, "%s", ours);
    if (halves) {
        remove_halves(a);
        remove_halves(b);
    }
    if (f->version < 20) {
        make_older(a);
        make_older(b);
    }
    if (begins(a, "v_align")) { /* constants of 32 bits, or of 16 */
        cut_operand(a, 3);
        cut_operand(b, 3);
    }
    char *x = strtok_r(a, " ,", &rest_a), *y = strtok_r(b, " ,", &rest_b);
    for (; x && y; x = strtok_r(NULL, " ,", &rest_a), y = strtok_r(NULL, " ,", &rest_b))
        if (!agree_token(f, x, y))
            return false;
    return !x && !y;
}

/* Bits that mean nothing, in VOP3 and SDWA: fields of sources, and op_sel's bits of operands, that the instruction has not. LLVM 22 ignores
 * the first and not always the second. */
static bool wants_zeros(const struct finding *f) {
    static const uint32_t fields[] = {0, 0x1ffu << 18, 0x3ffffu << 9, 0x7ffffffu};
    char text[TEXT];

    if (!f->our_size || f->their_size)
        return false;
    if (!(word_of(f, 0) >> 31)) /* SDWA */
        return see_without(f, 0, 1u << 30, f->ask, text) && agree(f, text, f->ours, false);
    for (unsigned i = 0; is_vop3(f) && i < sizeof fields / sizeof *fields; i++)
        for (unsigned bits = 0; bits < 128; bits++) /* abs, op_sel */
            if (see_without(f, bits << 8, fields[i], f->ask, text) && agree(f, text, f->ours, bits >> 3))
                return true;
    return false;
}

/* LLVM 22 takes a literal behind DPP for its code, 255: its size is that of the instruction without. */
static bool loses_literal(const struct finding *f, unsigned our_size) {
    const char *at = strstr(f->theirs, "0xff");
    return f->version >= 20 && strstr(f->theirs, "_dpp ") && at && strchr(" ,|)", at[4]) && our_size == f->their_size + 4;
}

/* Whether the printer gives LLVM's text for the words without these bits. */
static bool prints_without(const struct finding *f, uint32_t first, uint32_t second) {
    char text[TEXT], theirs[TEXT];
    const unsigned size = see_without(f, first, second, f->print, text);

    if (!size)
        return false;
    if (loses_literal(f, size))
        return true;
    snprintf(theirs, sizeof theirs, "%s", f->theirs);
    if (first & CLAMP)
        replace(theirs, " clamp", "");
    return agree(f, theirs, text, first & OP_SEL);
}

/* Signs of integers, which LLVM takes and does not print; clamp, op_sel of some that have none. */
static bool ignores_modifiers(const struct finding *f) {
    static const uint32_t bits[] = {0, CLAMP, OP_SEL, OP_SEL | CLAMP, 3 << 11, 4 << 11, 8 << 11, 12 << 11};

    if (f->our_size)
        return false;
    for (unsigned signs = 1; !(word_of(f, 0) >> 31) && signs < 16; signs++) /* DPP */
        if (prints_without(f, 0, signs << 20))
            return true;
    for (unsigned i = 0; is_vop3(f) && i < sizeof bits / sizeof *bits; i++)
        for (unsigned signs = 0; signs < 128; signs++) /* abs, neg; and omod */
            if (prints_without(f, bits[i] | (signs & 7) << 8, (signs >> 3 & 7) << 29 | (signs & 64 ? 3u << 27 : 0)))
                return true;
    return false;
}

/* ---- images ---- */

static bool has_word(const char *text, const char *word) {
    const char *at = strstr(text, word);
    return at && (at[strlen(word)] == ' ' || !at[strlen(word)]);
}

/* The value behind "NAME:", or 0. */
static unsigned value_of(const char *text, const char *name) {
    const char *at = strstr(text, name);
    return at ? (unsigned)strtoul(at + strlen(name), NULL, 0) : 0;
}

static const char *text_of(const struct finding *f) { return f->our_size ? f->ours : f->theirs; }

static bool is_image(const struct finding *f) { return begins(text_of(f), "image_"); }

/* Images with samples, which can be loaded, stored and asked for their size alone. */
static bool has_odd_dimension(const struct finding *f) {
    static const char *const filtered[] = {"sample", "gather", "_lod", "_mip"};
    bool found = false;

    for (unsigned i = 0; i < sizeof filtered / sizeof *filtered; i++)
        found |= strstr(text_of(f), filtered[i]) != NULL;
    return is_image(f) && found && strstr(text_of(f), "_MSAA");
}

/* Four halves and a status: three registers, which no instruction has. */
static bool has_odd_gather(const struct finding *f) {
    return is_image(f) && (strstr(text_of(f), "gather") || strstr(text_of(f), "msaa")) && has_word(text_of(f), " tfe") &&
           has_word(text_of(f), " d16");
}

/* One or two registers; four for 64 bits with a comparison. */
static bool has_odd_atomic(const struct finding *f) {
    const char *text = text_of(f);
    const unsigned count = (unsigned)__builtin_popcount(value_of(text, " dmask:")), most = strstr(text, "cmpswap") ? 4 : 2;
    return begins(text, "image_atomic_") && (has_word(text, " tfe") || (count != most && count != most / 2));
}

/* A list of one register, or one longer than what it lists. */
static bool has_odd_list(const struct finding *f) {
    const bool theirs = strstr(f->theirs, " [v"), ours = strstr(f->ours, " [v");
    return is_image(f) && f->generation >= 10 && are_both(f) && theirs && !ours;
}

/* gfx10: a list with fewer places than the instruction has addresses, or a dword more than it needs. */
static bool has_odd_length(const struct finding *f) {
    const char *at = strstr(f->ours, " [v");
    const unsigned dwords = word_of(f, 0) >> 1 & 3;
    unsigned count = 1;

    for (; at && *at && *at != ']'; at++)
        count += *at == ',';
    return is_image(f) && f->generation == 10 && dwords && at && (count > 1 + 4 * dwords || count + 3 < 1 + 4 * dwords);
}

static struct range {
    unsigned first, last;
    bool found;
} range_at(const char *at) {
    struct range range = {0, 0, false};

    at += strspn(at, " ,-|");
    if (*at != 'v' && *at != 'a')
        return range;
    const bool pair = at[1] == '[';
    range.first = (unsigned)strtoul(at + 1 + pair, NULL, 10);
    range.last = pair && strchr(at, ':') ? (unsigned)strtoul(strchr(at, ':') + 1, NULL, 10) : range.first;
    range.found = true;
    return range;
}

/* Data or addresses that would go on behind v255, of which LLVM prints fewer registers. */
static bool has_odd_end(const struct finding *f) {
    char text[TEXT];

    if (!is_image(f) || f->our_size)
        return false;
    snprintf(text, sizeof text, "%s", f->theirs);
    for (char *at = text; (at = strpbrk(at, "va")); at++) {
        const struct range range = range_at(at);
        if (at > text && strchr(" [,", at[-1]) && range.found && range.first <= 255 && range.last >= 240)
            return true;
    }
    return false;
}

/* ---- what LLVM 22 does ---- */

/* Loads and stores of AGPRs: gfx90a, gfx94*, gfx950. */
static bool has_agprs(const struct finding *f) {
    return begins(f->target, "gfx90a") || begins(f->target, "gfx94") || begins(f->target, "gfx95") || begins(f->target, "gfx9-4");
}

/* v1 for a1. */
static void name_vectors(char *text) {
    for (char *at = text; *at; at++)
        if (at > text && *at == 'a' && at[-1] == ' ' && ((at[1] >= '0' && at[1] <= '9') || at[1] == '['))
            *at = 'v';
}

/* A bit of loads and stores means AGPRs where there are such, nothing elsewhere. */
static bool has_agprs_everywhere(const struct finding *f) {
    const uint32_t top = word_of(f, 0) >> 26;
    const bool bit = top == 0x36 ? word_of(f, 0) >> 25 & 1 : top == 0x3c ? word_of(f, 0) >> 16 & 1 : word_of(f, 1) >> 23 & 1;

    if (f->version < 20 || f->generation != 9 || has_agprs(f) || top < 0x36 || top > 0x3c || !bit || !f->our_size)
        return false;
    return !f->their_size || are_same_without(f, name_vectors);
}

/* The first register of an image's data alone. */
static bool prints_less_data(const struct finding *f) {
    const char *theirs = strchr(f->theirs, ' '), *ours = strchr(f->ours, ' ');

    if (f->version < 20 || !begins(f->target, "gfx90a") || !is_image(f) || !are_both(f) || !theirs || !ours)
        return false;
    const struct range a = range_at(theirs), b = range_at(ours);
    theirs = strchr(theirs, ',');
    ours = strchr(ours, ',');
    return theirs && ours && a.first == b.first && a.last == a.first && is_same(theirs, ours);
}

/* Atomics of floats with AGPRs, or with sc1. */
static bool refuses_atomics(const struct finding *f) {
    return f->version >= 20 && has_agprs(f) && !f->their_size && strstr(f->ours, "_atomic_") && strstr(f->ours, "_f") &&
           (strstr(f->ours, " a") || strstr(f->ours, " sc1"));
}

/* gfx9: moves of 64-bit values between lanes. */
static bool moves_pairs(const struct finding *f) {
    return f->version >= 20 && f->generation == 9 && !f->our_size && strstr(f->theirs, "_dpp ") &&
           (strstr(f->theirs, "64_") || strstr(f->theirs, "_f64"));
}

/* What gfx942 has and gfx950 has not, or otherwise: 8-bit floats, xf32. */
static bool has_less(const struct finding *f) {
    return f->version >= 20 && begins(f->target, "gfx9-4-generic") && !f->their_size &&
           (strstr(f->ours, "fp8") || strstr(f->ours, "bf8") || strstr(f->ours, "xf32"));
}

/* Carries in EXEC. */
static bool carries_in_exec(const struct finding *f) {
    const char *name = f->theirs;
    return f->version >= 20 && !f->our_size && (strstr(name, ", exec") || strstr(name, ", exec_")) &&
           (strstr(name, "_co_") || begins(name, "v_cndmask") || begins(name, "v_addc") || begins(name, "v_subb"));
}

/* The lanes of DPP8 and of quad_perm, where they have the code of an inline constant. */
static bool mixes_lanes(const struct finding *f) {
    char theirs[TEXT], ours[TEXT];
    const bool quad = strstr(f->ours, " quad_perm:[");
    const uint32_t lanes = word_of(f, 1 + (word_of(f, 0) >> 31)) >> 8 & (quad ? 0x1ff : 0xffffff);

    snprintf(theirs, sizeof theirs, "%s", f->theirs);
    snprintf(ours, sizeof ours, "%s", f->ours);
    remove_lanes(theirs);
    remove_lanes(ours);
    return f->version >= 20 && (quad || strstr(f->ours, " dpp8:[")) && lanes >= 128 && lanes <= 255 && f->our_size && is_same(theirs, ours);
}

static bool knows_base(const struct finding *f) { return f->version >= 20 && !f->our_size && strstr(f->theirs, "src_flat_scratch_base_"); }

static void remove_newest(char *text) {
    replace(text, " nv", "");
    replace(text, " scale_offset", "");
}

static bool prints_newest(const struct finding *f) { return f->version >= 20 && f->generation == 12 && are_same_without(f, remove_newest); }

static bool has_more_packed(const struct finding *f) {
    return f->version >= 20 && !f->our_size &&
           (begins(f->theirs, "v_pk_fmac_f16_dpp") || begins(f->theirs, "v_pk_fmac_f16_sdwa") || begins(f->theirs, "v_pk_fmac_f16_e64"));
}

static void remove_selects(char *text) { cut(text, " op_sel:[", ']'); }

static bool selects_amounts(const struct finding *f) {
    return f->version >= 20 && f->generation < 11 && begins(f->theirs, "v_align") && are_same_without(f, remove_selects);
}

/* v[4:5] where a mask of scalars stands. */
static bool takes_vector_masks(const struct finding *f) {
    char text[TEXT];

    snprintf(text, sizeof text, "%s", f->theirs);
    for (unsigned i = 0; i < 2; i++)
        if (strstr(text, i ? " quad_perm:" : " dpp8:"))
            *strstr(text, i ? " quad_perm:" : " dpp8:") = '\0';
    const char *last = strrchr(text, ',');
    return f->version >= 20 && !f->our_size && last && begins(last, ", v") && (begins(text, "v_cndmask") || strstr(text, "_co_"));
}

/* gfx9's v_fma_mix* (and v_mad_mix*), by its encoding there. */
static bool reads_older_mix(const struct finding *f) {
    return f->version >= 20 && f->generation >= 10 && word_of(f, 0) >> 24 == 0xd3 && begins(f->theirs, "v_fma_mix");
}

static bool has_dropped(const struct finding *f) {
    static const char *const newer[] = {"buffer_load_lds_", "s_singleuse_vdst", "s_wakeup_barrier"};
    static const char *const older[] = {"buffer_wbinvl1", "buffer_store_lds_dword"};
    bool found = false;

    for (unsigned i = 0; i < sizeof newer / sizeof *newer && f->generation >= 11; i++)
        found |= begins(f->ours, newer[i]);
    for (unsigned i = 0; i < sizeof older / sizeof *older && has_agprs(f); i++)
        found |= begins(f->ours, older[i]);
    return f->version >= 20 && !f->their_size && found;
}

static bool mixes_codes(const struct finding *f) {
    if (f->version < 20)
        return false;
    if (loses_literal(f, f->our_size))
        return true;
    return are_both(f) && agree(f, f->theirs, f->ours, false);
}

/* gfx9's instructions have 8 bytes at most, but for products with scales. */
static bool takes_long_literals(const struct finding *f) {
    return f->version >= 20 && f->generation == 9 && f->their_size == 12 && f->our_size != 12 && strstr(f->theirs, "0x");
}

static void remove_bars(char *text) {
    replace(text, "|", "");
    replace(text, "-", "");
    unwrap(text, "neg(");
}

static bool has_no_signs(const struct finding *f) {
    return f->version >= 20 && f->generation >= 11 && begins(f->theirs, "v_ldexp_f16") && are_same_without(f, remove_bars);
}

static bool signs_classes(const struct finding *f) {
    return f->version >= 20 && !f->our_size && (begins(f->theirs, "v_cmp_class_f16") || begins(f->theirs, "v_cmpx_class_f16"));
}

/* Comparisons that write EXEC: older compilers write 0 where the register would stand. */
static bool wants_exec(const struct finding *f) {
    char text[TEXT];
    return f->version >= 20 && !f->their_size && begins(f->ours, "v_cmpx_") && is_vop3(f) && see_with_exec(f, text) &&
           (agree(f, text, f->ours, true) || strstr(text, "/*")); /* a pair that begins with an odd register */
}

static bool selects_in_interpolation(const struct finding *f) {
    return f->version >= 20 && begins(f->theirs, "v_interp_p2_f16") && are_same_without(f, remove_selects);
}

/* Whether a source has this code: of scalar instructions, VOP3 and both halves of a pair. */
static bool has_code(const struct finding *f, uint32_t code) {
    const uint32_t first = word_of(f, 0), second = word_of(f, 1);

    if (first >> 30 == 2)
        return (first & 0xff) == code || (first >> 8 & 0xff) == code;
    if (first >> 26 == 0x32)
        return (first & 0x1ff) == code || (second & 0x1ff) == code;
    return is_vop3(f) && ((second & 0x1ff) == code || (second >> 9 & 0x1ff) == code || (second >> 18 & 0x1ff) == code);
}

/* A longer pair of gfx1250, which has no room for a literal. */
static bool has_long_pair_literal(const struct finding *f) {
    const bool first = (word_of(f, 0) & 0x1fe) == 0xfe, second = (word_of(f, 1) & 0x1fe) == 0xfe;
    return word_of(f, 0) >> 24 == 0xcf && (first || second);
}

/* gfx1250: literals of 32 and of 64 bits at once, the first being the constant of v_fmamk and the like; one of 64 bits behind
 * DPP; results that are literals. */
static bool mixes_literals(const struct finding *f) {
    const bool constant = begins(f->theirs, "v_fmamk_f64") || begins(f->theirs, "v_fmaak_f64");

    if (f->version < 20 || f->our_size || (!begins(f->target, "gfx125") && !begins(f->target, "gfx12-5")))
        return false;
    return constant || strstr(f->theirs, "lit64(") || has_long_pair_literal(f) ||
           (has_code(f, 254) && (has_code(f, 255) || strstr(f->theirs, "_dpp ")));
}

/* Kinds of gfx1250's matrices that there are not. */
static bool prints_odd_kinds(const struct finding *f) {
    const char *a = strstr(f->theirs, " matrix_a_fmt:"), *b = strstr(f->theirs, " matrix_b_fmt:");
    const size_t skip = strlen(" matrix_a_fmt:");
    return f->version >= 20 && !f->our_size && ((a && a[skip] >= '5' && a[skip] <= '7') || (b && b[skip] >= '5' && b[skip] <= '7'));
}

/* Conversions to 8 bits, and pairs: a literal with an inline constant's bits. */
static bool prints_no_literal(const struct finding *f) {
    char ours[TEXT];

    snprintf(ours, sizeof ours, "%s", f->ours);
    unwrap(ours, "lit(");
    return f->version >= 20 && are_both(f) &&
           (begins(ours, "v_cvt_pk_bf8_f16") || begins(ours, "v_cvt_pk_fp8_f16") || begins(ours, "v_dual_")) &&
           agree(f, f->theirs, ours, false);
}

/* Sources of interpolation that are no vector registers. */
static bool interpolates_scalars(const struct finding *f) {
    bool scalar = false;

    for (unsigned i = 0; i < 3; i++)
        scalar |= (word_of(f, 1) >> 9 * i & 0x1ff) < 256;
    return f->version >= 20 && !f->our_size && begins(f->theirs, "v_interp_p") && scalar;
}

/* ---- what LLVM 19 does ---- */

static bool loses_gds(const struct finding *f) {
    return f->version < 20 && strstr(f->ours, " gds") && (begins(f->target, "gfx90a") || begins(f->target, "gfx94")) &&
           strncmp(f->ours, f->theirs, strlen(f->theirs)) == 0;
}

/* v_fma_mix* with DPP, whose second source may be a scalar as elsewhere. */
static bool wants_registers_in_mix(const struct finding *f) {
    return f->version < 20 && !f->their_size && begins(f->ours, "v_fma_mix") && strstr(f->ours, "_dpp");
}

/* v_mov_b16 of or to a register behind v127, of which only long encodings have halves. */
static bool moves_far(const char *ours) {
    const char *at = begins(ours, "v_mov_b16_e64") ? strstr(ours, " v") : NULL;
    while (at && strtoul(at + 2, NULL, 10) < 128)
        at = strstr(at + 2, " v");
    return at;
}

/* 16-bit instructions of gfx11 and later name halves of registers. LLVM 19 prints whole ones, and where short encodings have upper halves,
 * it takes them for registers that the instruction cannot have; it refuses v_mov_b16 of registers that only long encodings have. */
static bool knows_no_halves(const struct finding *f) {
    if (f->version >= 20 || f->generation < 11)
        return false;
    if (f->their_size)
        return are_same_without(f, remove_halves);
    return strstr(f->ours, ".h") || begins(f->ours, "v_swap_b16") || moves_far(f->ours);
}

/* The source that gfx1250's scales have not: LLVM 22 writes v0, Triton 3.9 writes 0. */
static bool wants_v0(const struct finding *f) {
    enum { SECOND = 4, SRC2 = 18, ZERO = 0x80 };
    uint32_t word;
    memcpy(&word, f->bytes + SECOND, sizeof word);
    return !f->their_size && (begins(f->ours, "v_wmma_scale") || begins(f->ours, "v_wmma_ld_scale")) && (word >> SRC2 & 0x1ff) == ZERO;
}

static void rename_older(char *text) {
    replace(text, "HW_REG_WAVE_SCHED_MODE", "26");
    replace(text, "HW_REG_WAVE_", "HW_REG_");
    replace(text, "TH_STORE_WB", "TH_STORE_RT_WB");
}

static bool has_older_names(const struct finding *f) { return f->version < 20 && f->generation == 12 && are_same_without(f, rename_older); }

static void unwrap_signs(char *text) { unwrap(text, "sext("); }

static bool prints_sext(const struct finding *f) {
    return f->version < 20 && strstr(f->theirs, "sext(") && are_same_without(f, unwrap_signs);
}

static void remove_dot(char *text) {
    cut(text, " op_sel:[", ']');
    cut(text, " op_sel_hi:[", ']');
}

/* v_dot4_*, v_dot8_*: whole registers, of which nothing can be selected. */
static bool selects_in_dot(const struct finding *f) {
    if (f->version >= 20 || !(begins(f->theirs, "v_dot4_") || begins(f->theirs, "v_dot8_")))
        return false;
    return f->our_size ? are_same_without(f, remove_dot) : strstr(f->theirs, " op_sel:[") != NULL;
}

/* 16-bit shifts, minima and products of gfx10. */
static bool selects_nothing(const struct finding *f) {
    return f->version < 20 && f->generation == 10 && are_same_without(f, remove_selects);
}

static bool prints_several(const struct finding *f) { return f->version < 20 && are_both(f) && agree(f, f->theirs, f->ours, false); }

/* The registers that follow v0 in a list of addresses. */
static bool prints_one_address(const struct finding *f) {
    const char *theirs = strchr(f->theirs, ','), *ours = strstr(f->ours, ", [v");

    if (f->version >= 20 || f->generation != 12 || !is_image(f) || !are_both(f) || !theirs || !ours)
        return false;
    for (const char *at = strchr(ours + 1, ','); at && at < strchr(ours, ']'); at = strchr(at + 1, ','))
        if (!begins(at, ", v0"))
            return false;
    return strchr(theirs, 's') && is_same(strchr(theirs, 's'), strchr(strchr(ours, ']'), 's'));
}

static bool wants_four(const struct finding *f) {
    return f->version < 20 && !f->their_size && is_image(f) && (strstr(f->ours, "gather") || strstr(f->ours, "msaa")) &&
           has_word(f->ours, " d16");
}

static bool converts_whole(const struct finding *f) {
    return f->version < 20 && f->generation == 12 && begins(text_of(f), "v_cvt_pk_f32_");
}

static bool knows_fewer(const struct finding *f) {
    static const char *const names[] = {"ds_bvh_stack_push",        "s_alloc_vgpr", "image_bvh8_", "image_bvh_dual_", "ds_bpermute_fi_b32",
                                        "s_endpgm_ordered_ps_done", "ds_nop"};
    bool found = false;

    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        found |= begins(f->ours, names[i]);
    return f->version < 20 && !f->their_size &&
           (found || strstr(f->ours, "v_dual_dot2acc_f32_") || begins(f->ours, "v_dot2_f32_bf16_e64_dpp"));
}

/* Bits that LLVM 22 refuses: negative offsets of gfx12's buffers, signs of integers, DPP of v_pk_fmac_f16. */
static bool takes_more(const struct finding *f) {
    const bool buffer = strstr(f->theirs, "buffer") && (strstr(f->theirs, "offset:-") || strstr(f->theirs, ", -0x"));
    return f->version < 20 && !f->our_size && ((buffer && f->generation == 12) || begins(f->theirs, "v_pk_fmac_f16"));
}

static void remove_offset(char *text) {
    if (strstr(text, " offset:"))
        *strstr(text, " offset:") = '\0';
}

static bool numbers_swizzles(const struct finding *f) {
    return f->version < 20 && begins(f->ours, "ds_swizzle") && are_same_without(f, remove_offset);
}

/* DPP, SDWA and their codes mean nothing where there is no source. */
static bool prints_bare_nop(const struct finding *f) {
    const unsigned code = word_of(f, 0) & 0x1ff;
    const bool short_form = word_of(f, 0) >> 25 == 0x3f && (code == 0xf9 || code == 0xfa || code == 0xe9 || code == 0xea);

    if (is_same(f->theirs, "v_nop"))
        return !f->our_size || begins(f->ours, "v_nop");
    return short_form && !f->their_size && !strchr(f->ours, ' ');
}

static struct rule {
    const char *reason;
    bool (*applies)(const struct finding *finding);
    uint64_t count;
} rules[] = {
    {"LLVM crashes", crashes, 0},
    {"LLVM calls a register or a value invalid", is_doubtful, 0},
    {"LLVM takes vector registers from v256 on", goes_beyond, 0},
    {"LLVM takes sources that are no registers where registers alone may stand", takes_sources_as_registers, 0},
    {"LLVM closes the bars of |v1| behind VCC", closes_late, 0},
    {"LLVM wants zeros in fields and bits that mean nothing", wants_zeros, 0},
    {"images with samples that are filtered", has_odd_dimension, 0},
    {"gathers of four halves and a status", has_odd_gather, 0},
    {"atomics of images with data of another size, or a status", has_odd_atomic, 0},
    {"lists of one address", has_odd_list, 0},
    {"lists with too few or too many places for addresses, on gfx10", has_odd_length, 0},
    {"images: data or addresses behind v255", has_odd_end, 0},
    {"LLVM takes signs, clamp or op_sel that the instruction has not", ignores_modifiers, 0},
    {"LLVM 22 has gfx1250's src_flat_scratch_base everywhere", knows_base, 0},
    {"LLVM 22 prints gfx1250's nv and scale_offset for gfx12", prints_newest, 0},
    {"LLVM 22 has v_pk_fmac_f16 with DPP, with SDWA and as VOP3", has_more_packed, 0},
    {"LLVM 22 prints op_sel of v_alignbit_b32 and v_alignbyte_b32 before gfx11", selects_amounts, 0},
    {"LLVM 22 takes vector registers for masks", takes_vector_masks, 0},
    {"LLVM 22 takes gfx9's v_fma_mix* on gfx10 and later", reads_older_mix, 0},
    {"LLVM 22 has dropped loads to LDS on gfx11, s_singleuse_vdst, s_wakeup_barrier, and some buffer_* of gfx940 and gfx950", has_dropped,
     0},
    {"LLVM 22 mixes up constants and their codes", mixes_codes, 0},
    {"LLVM 22 takes a literal behind 8 bytes on gfx9", takes_long_literals, 0},
    {"LLVM 22 has AGPRs where there are none", has_agprs_everywhere, 0},
    {"LLVM 22 prints one register of data of gfx90a's images", prints_less_data, 0},
    {"LLVM 22 refuses some atomics of floats with AGPRs or sc1", refuses_atomics, 0},
    {"LLVM 22 takes 64-bit instructions with any DPP on gfx9", moves_pairs, 0},
    {"LLVM 22 has no 8-bit floats and no xf32 on gfx9-4-generic", has_less, 0},
    {"LLVM 22 takes gfx1250's literals of 32 and of 64 bits at once, and of 64 bits with DPP", mixes_literals, 0},
    {"LLVM 22 prints literals of v_cvt_pk_bf8_f16, v_cvt_pk_fp8_f16 and pairs like constants", prints_no_literal, 0},
    {"LLVM 22 prints kinds of matrices that there are not", prints_odd_kinds, 0},
    {"LLVM 22 takes carries in EXEC", carries_in_exec, 0},
    {"LLVM 22 mixes up lanes of DPP8 and codes of constants", mixes_lanes, 0},
    {"LLVM 22 has no signs on the second source of v_ldexp_f16", has_no_signs, 0},
    {"LLVM 22 has signs on the mask of v_cmp_class_f16", signs_classes, 0},
    {"LLVM 22 wants EXEC as the result of v_cmpx_*", wants_exec, 0},
    {"LLVM 22 prints op_sel of v_interp_p2_f16", selects_in_interpolation, 0},
    {"LLVM 22 interpolates scalars and constants", interpolates_scalars, 0},
    {"LLVM 19 prints no gds on gfx90a and gfx94*", loses_gds, 0},
    {"LLVM 19 takes no scalars in v_fma_mix* with DPP", wants_registers_in_mix, 0},
    {"LLVM 19 names no halves of registers", knows_no_halves, 0},
    {"LLVM 22 wants v0 for the third source of scales", wants_v0, 0},
    {"LLVM 19 has older names of registers and hints", has_older_names, 0},
    {"LLVM 19 prints sext(...) outside of SDWA", prints_sext, 0},
    {"LLVM 19 has op_sel in v_dot4_* and v_dot8_*", selects_in_dot, 0},
    {"LLVM 19 has no op_sel in gfx10's 16-bit instructions", selects_nothing, 0},
    {"LLVM 19 prints several of these, or literals like inline constants of the same value", prints_several, 0},
    {"LLVM 19 prints one address of gfx12's images where the others are v0", prints_one_address, 0},
    {"LLVM 19 wants four registers for gathers of halves", wants_four, 0},
    {"LLVM 19 converts whole registers of 8-bit floats on gfx12, with mul and div", converts_whole, 0},
    {"LLVM 19 lacks the instruction", knows_fewer, 0},
    {"LLVM 19 takes negative offsets of gfx12's buffers, and v_pk_fmac_f16 with DPP", takes_more, 0},
    {"LLVM 19 numbers two modes of ds_swizzle_b32", numbers_swizzles, 0},
    {"LLVM prints no modifiers of v_nop, or refuses them elsewhere", prints_bare_nop, 0},
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
