/* Every ALU instruction in every encoding, with random operands and modifiers, through the whole translator and through the
 * interpreter of machine.c: all registers must agree. Fails as well where a mnemonic has no reference, and where a form that
 * the disassembler knows is not translated. */
#include "../random_numbers.h"
#include "../translate/lift_run.h"
#include "machine.h"
#include "translate/decode/decoder.h"
#include "translate/decode/text/text.h"
#include "translate/interface/coverage.h"
#include "translate/isa/inst.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum family { SOP2, SOPK, SOP1, SOPC, VOP2, VOP1, VOPC, VOP3, VOP3P, VOPD };
enum form { PLAIN, DPP16, DPP8, SDWA, FORMS };

static const struct {
    enum family family;
    unsigned first, last; /* generations */
    uint32_t prefix, opcode, forms;
} encodings[] = {
    {SOP2, 9, 12, 0x80000000, 0x3f800000, 1 << PLAIN},
    {SOP1, 9, 12, 0xbe800000, 0x0000ff00, 1 << PLAIN},
    {SOPC, 9, 12, 0xbf000000, 0x007f0000, 1 << PLAIN},
    {VOP2, 9, 10, 0x00000000, 0x7e000000, 1 << PLAIN | 1 << DPP16 | 1 << DPP8 | 1 << SDWA},
    {VOP2, 11, 12, 0x00000000, 0x7e000000, 1 << PLAIN | 1 << DPP16 | 1 << DPP8},
    {VOP1, 9, 10, 0x7e000000, 0x0001fe00, 1 << PLAIN | 1 << DPP16 | 1 << DPP8 | 1 << SDWA},
    {VOP1, 11, 12, 0x7e000000, 0x0001fe00, 1 << PLAIN | 1 << DPP16 | 1 << DPP8},
    {VOPC, 9, 10, 0x7c000000, 0x01fe0000, 1 << PLAIN | 1 << SDWA},
    {VOPC, 11, 12, 0x7c000000, 0x01fe0000, 1 << PLAIN | 1 << DPP16 | 1 << DPP8},
    {VOP3, 9, 9, 0xd0000000, 0x03ff0000, 1 << PLAIN},
    {VOP3, 10, 10, 0xd4000000, 0x03ff0000, 1 << PLAIN},
    {VOP3, 11, 12, 0xd4000000, 0x03ff0000, 1 << PLAIN | 1 << DPP16 | 1 << DPP8},
    {VOP3P, 9, 9, 0xd3800000, 0x007f0000, 1 << PLAIN},
    {VOP3P, 10, 10, 0xcc000000, 0x007f0000, 1 << PLAIN},
    {VOP3P, 11, 12, 0xcc000000, 0x007f0000, 1 << PLAIN | 1 << DPP16 | 1 << DPP8},
    {VOPD, 11, 12, 0xc8000000, 0x03fe0000, 1 << PLAIN},
};

/* Registers: v0 to v31 and s0 to s28 are sources; each instruction of a batch has destinations of its own. */
enum { BATCH = 14, FIRST_ROW = 32, ROWS = 6, FIRST_SGPR = 40, SGPRS = 4, SAVED_EXEC = 100, MAX_CODE = 2048 };

struct item {
    char text[320];
    uint8_t bytes[24];
    unsigned size;
    bool saves_scc, saves_vcc, restores_exec; /* the harness' instruction behind it */
};

static struct {
    const char *processor;
    unsigned generation, wave_size;
    struct wl_text_decoder *decoder;
    struct wl_decoder *words;
    struct item items[BATCH];
    unsigned count;
} now;

static uint64_t state = 0x9e3779b97f4a7c15;
static unsigned tried, compared, failures, unknown_count, elsewhere, rounds = 1;
static const char *only;

static uint32_t random_bits(void) { return (uint32_t)((next_random(&state) * UINT64_C(0x2545f4914f6cdd1d)) >> 32); }

static bool chance(unsigned in) { return random_bits() % in == 0; }

/* ---- values ---- */

static uint32_t value32(unsigned kind) {
    static const uint32_t integers[] = {0,      1,          2,          3,          7,          31,         32,
                                        63,     64,         0x7f,       0x80,       0xff,       0x7fff,     0x8000,
                                        0xffff, 0x7fffffff, 0x80000000, 0xffffffff, 0x00ff00ff, 0x04050607, 0x01020304};
    static const uint32_t floats[] = {0,          0x80000000, 1,          0x007fffff, 0x00800000, 0x7f7fffff,
                                      0x7f800000, 0xff800000, 0x7fc00000, 0x7f800001, 0x3f800000, 0xbf800000,
                                      0x3f000000, 0x40000000, 0x4f000000, 0xcf000000, 0x4f800000, 0x33800000};
    static const uint16_t halves[] = {0,      0x8000, 1,      0x03ff, 0x0400, 0x7bff, 0x7c00, 0xfc00,
                                      0x7e00, 0x7c01, 0x3c00, 0xbc00, 0x3800, 0x4000, 0x6400};
    switch (kind) {
    case 0:
        return integers[random_bits() % (sizeof integers / sizeof *integers)];
    case 1:
        return floats[random_bits() % (sizeof floats / sizeof *floats)];
    case 2: /* an ordinary float */
        return (random_bits() & 0x80ffffff) | (120 + random_bits() % 16) << 23;
    case 3:
        return halves[random_bits() % 15] | (uint32_t)halves[random_bits() % 15] << 16;
    case 4: /* ordinary halves */
        return (random_bits() & 0x83ff83ff) | (10 + random_bits() % 10) << 10 | (10 + random_bits() % 10) << 26;
    default:
        return random_bits();
    }
}

static void value64(uint32_t *low, uint32_t *high) {
    static const uint32_t tops[] = {0,          0x80000000, 0x3ff00000, 0xbff00000, 0x7ff00000, 0xfff00000, 0x7ff80000,
                                    0x00100000, 0x000fffff, 0x7fefffff, 0x41dfffff, 0xc1e00000, 0x3fe00000};
    *low = chance(2) ? 0 : random_bits();
    *high =
        chance(2) ? tops[random_bits() % (sizeof tops / sizeof *tops)] : (random_bits() & 0x800fffff) | (1010 + random_bits() % 30) << 20;
}

static void fill(struct machine *m) {
    for (unsigned r = 0; r < MACHINE_ROWS; r += 2)
        for (unsigned l = 0; l < 64; l++) {
            if (chance(3)) {
                value64(&m->v[r][l], &m->v[r + 1][l]);
            } else {
                m->v[r][l] = value32(random_bits() % 6);
                m->v[r + 1][l] = value32(random_bits() % 6);
            }
        }
    for (unsigned i = 0; i < MACHINE_SGPRS; i++)
        m->s[i] = value32(random_bits() % 6);
    for (unsigned i = 0; i < 8; i += 2)
        value64(&m->s[i], &m->s[i + 1]);
    m->s[MACHINE_SCC] &= 1;
}

/* ---- encodings ---- */

static uint32_t vector_source(void) { return 256 + (chance(2) ? random_bits() % 15 * 2 : random_bits() % 28); }

static uint32_t scalar_source(bool *literal) {
    static const uint8_t special[] = {MACHINE_VCC, MACHINE_VCC + 1, 251, 252, 253}; /* VCC, vccz, execz, SCC */
    unsigned kind = random_bits() % 10;
    if (kind < 6)
        return random_bits() % 14 * 2;
    if (kind == 6)
        return special[random_bits() % (now.generation >= 11 ? 2 : sizeof special)];
    if (kind == 7)
        return 128 + random_bits() % 81;
    if (kind == 8)
        return 240 + random_bits() % 9;
    *literal = true;
    return 255;
}

static uint32_t any_source(bool *literal) {
    unsigned kind = random_bits() % 8;
    return kind < 5 ? vector_source() : scalar_source(literal);
}

static uint32_t dpp_word(void) {
    static const uint32_t controls9[] = {0x1b, 0x101, 0x10f, 0x113, 0x125, 0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
    static const uint32_t controls10[] = {0x1b, 0x4e, 0x101, 0x10f, 0x113, 0x125, 0x140, 0x141, 0x159, 0x166};
    if (now.generation == 9 && strcmp(now.processor, "gfx906") > 0 && chance(2)) /* all that instructions on pairs have */
        return (vector_source() & 0xff) | (0x150 + random_bits() % 16) << 8 | (random_bits() & 0x00f80000) | 0xff000000;
    uint32_t control = now.generation == 9 ? controls9[random_bits() % 13] : controls10[random_bits() % 10];
    uint32_t word =
        (vector_source() & 0xff) | control << 8 | (random_bits() & 0x00f80000) | (chance(2) ? 0xff000000 : random_bits() & 0xff000000);
    return now.generation == 9 ? word : word | (random_bits() & 1) << 18;
}

static uint32_t sdwa_word(bool compares) {
    uint32_t word = (random_bits() % 32) | (random_bits() & 0x3b3b0000) | (random_bits() % 7) << 16 | (random_bits() % 7) << 24;
    if (((word >> 16) & 7) == 7)
        word &= ~0x10000u;
    if (((word >> 24) & 7) == 7)
        word &= ~0x1000000u;
    if (compares)
        return word | (chance(2) ? 0 : 0x8000 | (FIRST_SGPR + now.count * SGPRS) << 8);
    return word | (random_bits() % 7) << 8 | (random_bits() % 3) << 11 | (chance(4) ? 1 << 13 : 0) |
           (chance(4) ? (random_bits() & 3) << 14 : 0);
}

static uint32_t small_modifiers(uint32_t bits) { return chance(2) ? 0 : random_bits() & bits; }

/* The words of one instruction with random operands; returns their number. */
static unsigned encode(enum family family, uint32_t opcode, enum form form, uint32_t words[6]) {
    uint32_t row = FIRST_ROW + now.count * ROWS, sgpr = FIRST_SGPR + now.count * SGPRS;
    bool literal = false;
    unsigned count = 1;
    memset(words, 0, 24);
    words[0] = opcode;
    uint32_t special = form == DPP16 ? 250 : form == DPP8 ? 233 + (random_bits() & 1) : form == SDWA ? 249 : 0;
    switch (family) {
    case SOP2:
    case SOPK:
        if (words[0] >> 28 == 0xb) {
            words[0] |= sgpr << 16 | (random_bits() & 0xffff);
            break;
        }
        words[0] |= sgpr << 16 | scalar_source(&literal) | scalar_source(&literal) << 8;
        break;
    case SOP1:
        words[0] |= sgpr << 16 | scalar_source(&literal);
        break;
    case SOPC:
        words[0] |= scalar_source(&literal) | scalar_source(&literal) << 8;
        break;
    case VOP2:
        words[0] |= row << 17 | (vector_source() & 0xff) << 9 | (special ? special : any_source(&literal));
        break;
    case VOP1:
        words[0] |= (chance(5) ? sgpr : row) << 17 | (special ? special : any_source(&literal));
        break;
    case VOPC:
        words[0] |= (vector_source() & 0xff) << 9 | (special ? special : any_source(&literal));
        break;
    case VOP3:
    case VOP3P:
        words[0] |= chance(2) || family == VOP3P ? row : sgpr;
        words[0] |= (family == VOP3 && chance(3) ? sgpr << 8 : small_modifiers(0x7f00)) | (chance(4) ? 0x8000 : 0);
        words[1] = (special ? special : any_source(&literal)) | any_source(&literal) << 9 | (chance(3) ? 0 : any_source(&literal) << 18);
        words[1] |= small_modifiers(0xe0000000) | (family == VOP3P ? random_bits() & 0x18000000
                                                   : chance(4)     ? random_bits() & 0x18000000
                                                                   : 0);
        if (chance(3))
            words[1] &= 0xf80001ff; /* fields of sources that the instruction does not have */
        if (family == VOP3P && chance(2)) {
            words[0] |= 0x4000;
            words[1] |= 0x18000000;
        }
        count = 2;
        break;
    case VOPD:
        words[0] |= vector_source() | (vector_source() & 0xff) << 9;
        words[1] = vector_source() | (vector_source() & 0xff) << 9 | (row / 2 * 1) << 17 | (row + 2) << 24;
        words[1] = (words[1] & ~(0x7fu << 17)) | ((row + 4) >> 1) << 17 | (row + 2 + (random_bits() & 1)) << 24;
        if (chance(3))
            words[0] = (words[0] & ~0x1ffu) | scalar_source(&literal);
        count = 2;
        break;
    }
    if (form == DPP16)
        words[count++] = dpp_word();
    else if (form == DPP8)
        words[count++] = (random_bits() % 32) | (random_bits() & 0xffffff00);
    else if (form == SDWA)
        words[count++] = sdwa_word(family == VOPC);
    words[count] = value32(random_bits() % 6);
    return 6;
}

/* ---- running a batch ---- */

static const char *const family_names[] = {"SOP2", "SOPK", "SOP1", "SOPC", "VOP2", "VOP1", "VOPC", "VOP3", "VOP3P", "VOPD"};

static uint32_t put_word(uint8_t *code, unsigned *size, uint32_t word) {
    memcpy(code + *size, &word, 4);
    *size += 4;
    return word;
}

/* Instructions of the harness, by generation 9 to 12. */
static uint32_t copy_scc(uint32_t sgpr) { return 0x800080c1 | (now.generation >= 11 ? 0x30u : 0x0a) << 23 | sgpr << 16; }
static uint32_t move64(uint32_t to, uint32_t from) { return 0xbe800000 | (now.generation == 10 ? 4u : 1) << 8 | to << 16 | from; }
static uint32_t move32(uint32_t to, uint32_t from) { return 0xbe800000 | (now.generation == 10 ? 3u : 0) << 8 | to << 16 | from; }
static uint32_t jump(void) { return now.generation == 9 ? 0xbe801d1e : now.generation == 10 ? 0xbe80201e : 0xbe80481e; }

static unsigned link_batch(uint8_t *code) {
    unsigned size = 0;
    for (unsigned i = 0; i < now.count; i++) {
        const struct item *item = &now.items[i];
        uint32_t sgpr = FIRST_SGPR + i * SGPRS;
        memcpy(code + size, item->bytes, item->size);
        size += item->size;
        if (item->saves_scc)
            put_word(code, &size, copy_scc(sgpr + 2));
        if (item->saves_vcc)
            put_word(code, &size, move64(sgpr + 2, MACHINE_VCC));
        if (item->restores_exec)
            put_word(code, &size, now.wave_size == 64 ? move64(MACHINE_EXEC, SAVED_EXEC) : move32(MACHINE_EXEC, SAVED_EXEC));
    }
    put_word(code, &size, jump());
    return size;
}

static void interpret(struct machine *m) {
    for (unsigned i = 0; i < now.count; i++) {
        const struct item *item = &now.items[i];
        uint32_t sgpr = FIRST_SGPR + i * SGPRS;
        machine_step(m, item->text);
        if (item->saves_scc)
            m->s[sgpr + 2] = m->s[MACHINE_SCC] ? UINT32_MAX : 0;
        if (item->saves_vcc)
            memcpy(&m->s[sgpr + 2], &m->s[MACHINE_VCC], 8);
        if (item->restores_exec)
            memcpy(&m->s[MACHINE_EXEC], &m->s[SAVED_EXEC], now.wave_size == 64 ? 8 : 4);
    }
}

static bool is_nan(uint32_t bits, unsigned exponent_bits, unsigned width) {
    uint32_t infinity = ((1u << exponent_bits) - 1) << (width - 1 - exponent_bits);
    return (bits & ((1u << (width - 1)) - 1)) > infinity;
}

static bool close_to(uint32_t got, uint32_t want, double ulp, unsigned exponent_bits, unsigned width) {
    if (got == want || (is_nan(got, exponent_bits, width) && is_nan(want, exponent_bits, width)))
        return true;
    uint32_t sign = 1u << (width - 1);
    double x = got & ~sign & (sign * 2 - 1), y = want & ~sign & (sign * 2 - 1);
    return ulp > 0 && ((got ^ want) & sign ? x + y : fabs(x - y)) <= ulp;
}

static uint64_t wide(uint32_t low, uint32_t high) { return low | (uint64_t)high << 32; }

/* `low` and `high`: the registers on both sides, for f64. */
static bool same(struct machine_tag tag, const uint32_t *got, const uint32_t *want, unsigned step) {
    switch (tag.type) {
    case 'f':
        return close_to(*got, *want, tag.ulp, 8, 32);
    case 'h':
        return close_to(*got & 0xffff, *want & 0xffff, tag.ulp, 5, 16) && *got >> 16 == *want >> 16;
    case 'g':
        return close_to(*got >> 16, *want >> 16, tag.ulp, 5, 16) && (*got & 0xffff) == (*want & 0xffff);
    case 'b':
        return close_to(*got & 0xffff, *want & 0xffff, tag.ulp, 8, 16) && *got >> 16 == *want >> 16;
    case 'c':
        return close_to(*got >> 16, *want >> 16, tag.ulp, 8, 16) && (*got & 0xffff) == (*want & 0xffff);
    case 'H':
        return close_to(*got & 0xffff, *want & 0xffff, tag.ulp, 5, 16) && close_to(*got >> 16, *want >> 16, tag.ulp, 5, 16);
    case 'd': {
        uint64_t a = wide(got[0], got[step]), b = wide(want[0], want[step]), top = UINT64_C(0x7ff0000000000000);
        if (a == b || ((a & INT64_MAX) > top && (b & INT64_MAX) > top))
            return true;
        return tag.ulp > 0 && a >> 63 == b >> 63 && fabs((double)(int64_t)(a - b)) <= tag.ulp;
    }
    case 'e':
        return true; /* with the low dword */
    default:
        return *got == *want;
    }
}

static void report(const char *what, unsigned item, uint64_t exec, const char *register_name, unsigned reg, int lane, uint32_t got,
                   uint32_t want) {
    static char shown[400][48];
    static unsigned count;
    char name[48];
    const char *text = item < now.count ? now.items[item].text : "?";
    failures++;
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text, " "), text);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(shown[i], name) == 0)
            return;
    if (count < 400)
        snprintf(shown[count++], sizeof shown[0], "%s", name);
    fprintf(stderr, "%s wave%u exec %#llx: %s: %s%u", now.processor, now.wave_size, (unsigned long long)exec, text, register_name, reg);
    if (lane >= 0)
        fprintf(stderr, " lane %d", lane);
    fprintf(stderr, ": %08x, expected %08x%s\n", got, want, what);
}

static void compare(const struct machine *m, uint64_t exec) {
    for (unsigned r = 0; r < MACHINE_ROWS; r++)
        for (unsigned l = 0; l < now.wave_size; l++) {
            bool written = exec >> l & 1;
            struct machine_tag tag = written ? m->row_tags[r] : (struct machine_tag){0, 0};
            const uint32_t *got = &lift_row(r)[l], *want = &m->v[r][l];
            if (tag.type != 'd' && !same(tag, got, want, 0)) {
                report("", (r - FIRST_ROW) / ROWS, exec, "v", r, (int)l, *got, *want);
                return;
            }
            if (tag.type == 'd') {
                uint32_t pair_got[2] = {*got, lift_row(r + 1)[l]}, pair_want[2] = {*want, m->v[r + 1][l]};
                if (!same(tag, pair_got, pair_want, 1)) {
                    report(" (high dword)", (r - FIRST_ROW) / ROWS, exec, "v", r, (int)l, pair_got[1], pair_want[1]);
                    return;
                }
            }
        }
    for (unsigned i = 0; i <= MACHINE_EXEC; i++) {
        if ((i > MACHINE_VCC + 1 && i < MACHINE_M0) || lift_is_own(i))
            continue;
        if (!same(m->scalar_tags[i], &lift_scalars()[i], &m->s[i], 1)) {
            report("", (i - FIRST_SGPR) / SGPRS, exec, "s", i, -1, lift_scalars()[i], m->s[i]);
            return;
        }
    }
}

static void run_once(uint64_t exec, struct machine *m) {
    fill(m);
    m->s[SAVED_EXEC] = m->s[MACHINE_EXEC] = (uint32_t)exec;
    m->s[SAVED_EXEC + 1] = (uint32_t)(exec >> 32);
    m->s[MACHINE_EXEC + 1] = now.wave_size == 64 ? (uint32_t)(exec >> 32) : 0;
    memset(m->row_tags, 0, sizeof m->row_tags);
    memset(m->scalar_tags, 0, sizeof m->scalar_tags);
    for (unsigned r = 0; r < MACHINE_ROWS; r++)
        memcpy(lift_row(r), m->v[r], now.wave_size * 4);
    memcpy(lift_scalars(), m->s, sizeof m->s);
    lift_execute(exec);
    m->s[30] = lift_scalars()[30]; /* the return address */
    m->s[31] = lift_scalars()[31];
    interpret(m);
    compared += now.count;
    compare(m, exec);
}

static void run_batch(void) {
    static struct machine m;
    uint8_t code[MAX_CODE];
    if (!now.count)
        return;
    static unsigned batch; /* each tries one form of the code and one host: translation is what takes the time */
    bool full = ++batch & 1, plain_host = batch >> 1 & 1;
    lift_open_code(now.processor, now.wave_size, code, link_batch(code), plain_host);
    m.processor = now.processor;
    m.generation = now.generation;
    m.wave_size = now.wave_size;
    uint64_t all = now.wave_size == 64 ? UINT64_MAX : UINT32_MAX;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t some = ((uint64_t)random_bits() << 32 | random_bits()) & all & ~(UINT64_C(1) << random_bits() % now.wave_size);
        run_once(full ? all : i ? some : 1, &m);
    }
    lift_close();
    now.count = 0;
}

/* ---- instructions ---- */

static bool starts(const char *text, const char *with) { return strncmp(text, with, strlen(with)) == 0; }

/* Whether a carry goes to the instruction's own scalar register, or to VCC. */
static bool carry_stays_inside(const char *text) {
    unsigned sgpr = FIRST_SGPR + now.count * SGPRS;
    if (!(text[0] == 'v' && strstr(text, "_co_")) && !starts(text, "v_mad_u64") && !starts(text, "v_mad_i64") &&
        !starts(text, "v_div_scale"))
        return true;
    const char *at = strstr(text, ", ");
    if (!at || starts(at + 2, "vcc") || starts(at + 2, "null"))
        return true;
    at += starts(at + 2, "s[") ? 4 : 3;
    unsigned reg = (unsigned)strtoul(at, NULL, 10);
    return reg >= sgpr && reg < sgpr + 2;
}

/* Whether the instruction writes its own registers alone. */
static bool stays_inside(const char *text) {
    unsigned row = FIRST_ROW + now.count * ROWS, sgpr = FIRST_SGPR + now.count * SGPRS;
    const char *at = strchr(text, ' ');
    if (!at || starts(text, "v_cmpx") || starts(text, "s_cmp") || starts(text, "s_bitcmp"))
        return true;
    while (*at == ' ')
        at++;
    char letter = *at;
    if ((letter != 'v' && letter != 's') || starts(at, "vcc") || starts(at, "src"))
        return starts(at, "vcc");
    at += at[1] == '[' ? 2 : 1;
    unsigned reg = (unsigned)strtoul(at, NULL, 10);
    if (!carry_stays_inside(text))
        return false;
    return letter == 'v' ? reg >= row && reg < row + ROWS : reg >= sgpr && reg < sgpr + 2;
}

static void complain_unknown(enum family family, const char *text, const char *what) {
    static char shown[600][56];
    static unsigned count;
    char name[56];
    snprintf(name, sizeof name, "%c%.*s", *what, (int)(strcspn(text, " ") < 50 ? strcspn(text, " ") : 50), text);
    for (unsigned i = 0; i < count; i++)
        if (strcmp(shown[i], name) == 0)
            return;
    if (count < 600)
        snprintf(shown[count++], sizeof shown[0], "%s", name);
    fprintf(stderr, "%s wave%u %s: %s: %s\n", now.processor, now.wave_size, family_names[family], what, text);
}

/* Named in docs/ISA.md as not supported; or matrix instructions, which take scalars in the encoding alone (test_matrix.c). */
static bool is_explained(const char *text) {
    static const char *const prefixes[] = {"v_interp_",      "v_screen_",    "s_rfe_",    "s_cbranch_g_fork",    "s_cbranch_i_fork",
                                           "s_cbranch_join", "s_subvector_", "v_mfma_",   "v_smfmac_",           "v_wmma_",
                                           "v_swmmac_",      "s_setvskip",   "s_barrier", "s_get_barrier_state", "s_wakeup_barrier"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (starts(text, prefixes[i]))
            return true;
    return false;
}

/* ---- every mnemonic was compared ---- */

enum { MAX_NAMES = 2048 };

static char done[MAX_NAMES][48];
static unsigned done_count;

static void bare_name(const char *text, char name[48]) {
    static const char *const suffixes[] = {"_dpp8", "_dpp", "_sdwa", "_e64", "_e32"};
    snprintf(name, 48, "%.*s", (int)strcspn(text, " "), text);
    for (unsigned i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(name), tail = strlen(suffixes[i]);
        if (length > tail && strcmp(name + length - tail, suffixes[i]) == 0)
            name[length - tail] = 0;
    }
}

static bool is_done(const char *name) {
    for (unsigned i = 0; i < done_count; i++)
        if (strcmp(done[i], name) == 0)
            return true;
    return false;
}

static void note_done(const char *text) {
    char name[48];
    const char *second = starts(text, "v_dual_") ? strstr(text, ":: ") : NULL;
    bare_name(text, name);
    if (!is_done(name) && done_count < MAX_NAMES)
        memcpy(done[done_count++], name, sizeof name);
    if (second)
        note_done(second + 3);
}

/* Whether LLVM 19 has the instruction: the words of this test are those that it prints. */
static bool is_printed(const struct wl_coverage_row *row) {
    char text[sizeof now.items[0].text];
    return wl_text_disassemble(now.decoder, (const uint8_t *)row->sample, 24, 0, text, sizeof text) && strstr(text, row->mnemonic);
}

static void check_all_done(struct wl_coverage *coverage) {
    static const char *const families[] = {"SOP", "VOP"};
    const struct wl_coverage_row *rows;
    size_t count;
    if (wl_coverage_list(coverage, now.processor, now.wave_size, &rows, &count) != WL_OK)
        exit(1);
    for (size_t i = 0; i < count; i++) {
        bool alu = starts(rows[i].family, families[0]) || starts(rows[i].family, families[1]);
        if (!alu || starts(rows[i].family, "SOPP") || rows[i].status >= WL_COVERAGE_NO_EFFECT || is_done(rows[i].mnemonic) ||
            machine_is_elsewhere(rows[i].canonical) || machine_is_elsewhere(rows[i].mnemonic) || is_explained(rows[i].mnemonic) ||
            starts(rows[i].mnemonic, "v_dot4_f32_") || !is_printed(&rows[i]))
            continue;
        fprintf(stderr, "%s wave%u: %s was not compared\n", now.processor, now.wave_size, rows[i].mnemonic);
        failures++;
    }
    done_count = 0;
}

static bool add_item(enum family family, uint32_t opcode, enum form form) {
    static struct machine scratch;
    uint32_t words[6];
    struct item *item = &now.items[now.count];
    encode(family, opcode, form, words);
    item->size = wl_text_disassemble(now.decoder, (const uint8_t *)words, 24, 0, item->text, sizeof item->text);
    if (!item->size || (only && !strstr(item->text, only)) || starts(item->text, "v_illegal") || strstr(item->text, "/*") ||
        strstr(item->text, "; Warning")) /* operands that the processor does not take */
        return false;
    struct wl_inst decoded[2];
    if (!wl_decode(now.words, (const uint8_t *)words, 24, 0, decoded))
        return false; /* LLVM 19 prints some that the processor does not take; tests/decode compares what is refused */
    if (now.generation >= 11 && words[0] >> 26 == 0x35 && words[0] & 0x7800 && !strstr(item->text, "op_sel") &&
        (strstr(item->text, "16") || starts(item->text, "v_align")))
        return false; /* LLVM 19 does not print which halves are meant; translate-decode has these */
    memcpy(item->bytes, words, 24);
    scratch.processor = now.processor;
    scratch.generation = now.generation;
    scratch.wave_size = now.wave_size;
    enum machine_result result = MACHINE_ELSEWHERE;
    if (stays_inside(item->text))
        result = machine_step(&scratch, item->text);
    else if (!carry_stays_inside(item->text))
        return false;
    tried++;
    if (result == MACHINE_UNKNOWN) {
        unknown_count++;
        complain_unknown(family, item->text, "no reference");
        return true;
    }
    bool tries = result == MACHINE_ELSEWHERE && chance(4) && !is_explained(item->text); /* the others are run: that fails as well */
    if (tries && wl_coverage_lift(now.processor, now.wave_size, item->bytes, item->size) != WL_OK) {
        unknown_count++;
        complain_unknown(family, item->text, wl_failure());
        return true;
    }
    if (result == MACHINE_ELSEWHERE) {
        elsewhere++;
        return machine_is_elsewhere(item->text) || is_explained(item->text);
    }
    note_done(item->text);
    item->saves_scc = item->text[0] == 's';
    item->saves_vcc = !item->saves_scc && (strstr(item->text, "vcc") != NULL);
    item->restores_exec = starts(item->text, "v_cmpx") || strstr(item->text, "exec") != NULL;
    if (++now.count == BATCH)
        run_batch();
    return true;
}

static void test_processor(struct wl_coverage *coverage, const char *processor, unsigned wave_size) {
    now.processor = processor;
    now.wave_size = wave_size;
    now.generation = processor[3] == '9' ? 9 : 10 + (unsigned)(processor[4] - '0');
    now.count = 0;
    if (wl_decoder_create(&now.words, processor, wave_size) != WL_OK || wl_text_decoder_create(&now.decoder, processor, wave_size) != WL_OK)
        exit(1);
    for (size_t e = 0; e < sizeof encodings / sizeof *encodings; e++) {
        uint32_t opcode = 0;
        if (now.generation < encodings[e].first || now.generation > encodings[e].last || (encodings[e].family == VOPD && wave_size == 64))
            continue;
        do {
            if (encodings[e].family == SOP2 && opcode >= 0x3e800000)
                break; /* SOP1, SOPC, SOPP */
            for (unsigned form = 0; form < FORMS; form++) {
                if (!(encodings[e].forms >> form & 1) || (form == DPP8 && now.generation == 9))
                    continue;
                for (unsigned i = 0, misses = 0; i < rounds && misses < 600;) /* misses: operands that do not fit */
                    if (add_item(encodings[e].family, encodings[e].prefix | opcode, (enum form)form))
                        i++;
                    else
                        misses++;
            }
            opcode = (opcode - encodings[e].opcode) & encodings[e].opcode;
        } while (opcode);
        run_batch();
    }
    if (!only)
        check_all_done(coverage);
    wl_text_decoder_destroy(now.decoder);
    wl_decoder_destroy(now.words);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        unsigned wave_size;
    } runs[] = {{"gfx900", 64},  {"gfx90a", 64},  {"gfx942", 64},  {"gfx1030", 32}, {"gfx1030", 64},
                {"gfx1100", 64}, {"gfx1150", 32}, {"gfx1200", 32}, {"gfx1201", 64}};
    const char *processor = NULL;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--seed") == 0)
            state = strtoull(argv[i + 1], NULL, 0) | 1;
        else if (strcmp(argv[i], "--rounds") == 0)
            rounds = (unsigned)strtoul(argv[i + 1], NULL, 0);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
        else if (strcmp(argv[i], "--target") == 0)
            processor = argv[i + 1];
    }
    struct wl_coverage *coverage = wl_coverage_create();
    if (!coverage)
        return 1;
    lift_start();
    printf("seed %#llx\n", (unsigned long long)state);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        if (!processor || starts(runs[i].name, processor))
            test_processor(coverage, runs[i].name, runs[i].wave_size);
    wl_coverage_destroy(coverage);
    printf("%u instructions, %u executions compared, %u elsewhere, %u without a reference or not translated, %u failures\n", tried,
           compared, elsewhere, unknown_count, failures);
    return failures != 0 || unknown_count != 0;
}
