#include "translate/decode/words/shape.h"

#include <string.h>

struct named {
    const char *name;
    uint32_t value;
};

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static bool find(const struct named *names, size_t count, const char *word, size_t length, uint32_t *value) {
    for (size_t i = 0; i < count; i++)
        if (strlen(names[i].name) == length && memcmp(names[i].name, word, length) == 0) {
            *value = names[i].value;
            return true;
        }
    return false;
}

static const struct named roles[] = {
    {"vdst", WL_AT_VDST},   {"sdst", WL_AT_SDST},     {"src0", WL_AT_SRC0},     {"src1", WL_AT_SRC1},     {"src2", WL_AT_SRC2},
    {"imm", WL_AT_IMM},     {"addr", WL_AT_ADDR},     {"vdata", WL_AT_VDATA},   {"data0", WL_AT_DATA0},   {"data1", WL_AT_DATA1},
    {"sbase", WL_AT_SBASE}, {"sdata", WL_AT_SDATA},   {"vcc", WL_AT_VCC},       {"m0", WL_AT_M0},         {"simm16", WL_AT_SIMM16},
    {"attr", WL_AT_ATTR},   {"vsrc", WL_AT_VSRC},     {"src3", WL_AT_SRC3},     {"tgt", WL_AT_TARGET},    {"image", WL_AT_IMAGE},
    {"saddr", WL_AT_SADDR}, {"group0", WL_AT_GROUP0}, {"group1", WL_AT_GROUP1}, {"group2", WL_AT_GROUP2}, {"group3", WL_AT_GROUP3},
};

static const struct named modifiers[] = {
    {"clamp", WL_MOD_CLAMP},
    {"omod", WL_MOD_OMOD},
    {"op_sel", WL_MOD_OP_SEL},
    {"op_sel2", WL_MOD_OP_SEL | WL_MOD_OP_SEL2},
    {"op_sel4", WL_MOD_OP_SEL | WL_MOD_OP_SEL4},
    {"op_sel_hi", WL_MOD_OP_SEL_HI},
    {"neg_lo", WL_MOD_NEG_LO},
    {"neg_hi", WL_MOD_NEG_HI},
    {"byte_sel", WL_MOD_BYTE_SEL},
    {"high", WL_MOD_HIGH},
    {"cbsz", WL_MOD_CBSZ},
    {"abid", WL_MOD_ABID},
    {"blgp", WL_MOD_BLGP},
    {"index_key_8bit", WL_MOD_KEY8},
    {"index_key_16bit", WL_MOD_KEY16},
    {"waitexp", WL_MOD_WAIT_EXP},
    {"offset", WL_MOD_OFFSET},
    {"offset0", WL_MOD_OFFSETS},
    {"offset1", WL_MOD_OFFSETS},
    {"gds!", WL_MOD_GDS},
    {"no_gds", WL_MOD_NO_GDS},
    {"no_scc", WL_MOD_NO_SCC},
    {"fi_bc", WL_MOD_FI_BC},
    {"bitop3", WL_MOD_BITOP3},
    {"no_glc", WL_MOD_NO_GLC},
    {"waitvdst", WL_MOD_WAIT_VDST},
    {"waitvsrc", WL_MOD_WAIT_VSRC},
    {"matrix_fmt", WL_MOD_MATRIX_FMT},
    {"matrix_scale", WL_MOD_MATRIX_SCALE},
    {"matrix_reuse", WL_MOD_MATRIX_REUSE},
    {"index_key_32bit", WL_MOD_KEY32},
    {"scale_sel", WL_MOD_SCALE_SEL},
};

#define PLACE(FILE, FORMAT, REGISTERS) ((uint32_t)(FILE) | (uint32_t)(FORMAT) << 8 | (uint32_t)(REGISTERS) << 16)
#define SOURCE(FORMAT, REGISTERS)      PLACE(WL_FILE_SOURCE, WL_FORMAT_##FORMAT, REGISTERS)
#define MEANING(NAME)                  PLACE(WL_FILE_OTHER, WL_MEANS_##NAME, 0)

static const struct named types[] = {
    {"i16", SOURCE(I16, 1)},
    {"i32", SOURCE(I32, 1)},
    {"i64", SOURCE(I64, 2)},
    {"f16", SOURCE(F16, 1)},
    {"f32", SOURCE(F32, 1)},
    {"f64", SOURCE(F64, 2)},
    {"bf16", SOURCE(BF16, 1)},
    {"pi16", SOURCE(PI16, 1)},
    {"pf16", SOURCE(PF16, 1)},
    {"pbf16", SOURCE(PBF16, 1)},
    {"pi32", SOURCE(PI32, 2)},
    {"pf32", SOURCE(PF32, 2)},
    {"h", PLACE(WL_FILE_HALF, WL_FORMAT_NONE, 1)},
    {"H", PLACE(WL_FILE_NAMED, WL_FORMAT_NONE, 1)},
    {"Hi16", PLACE(WL_FILE_NAMED, WL_FORMAT_I16, 1)},
    {"c32", PLACE(WL_FILE_CONST, WL_FORMAT_I32, 1)},
    {"cf16", PLACE(WL_FILE_CONST, WL_FORMAT_F16, 1)},
    {"cf32", PLACE(WL_FILE_CONST, WL_FORMAT_F32, 1)},
    {"c64", PLACE(WL_FILE_CONST, WL_FORMAT_I64, 2)},
    {"l1", PLACE(WL_FILE_V_LDS, WL_FORMAT_NONE, 1)},
    {"li32", PLACE(WL_FILE_S_LDS, WL_FORMAT_I32, 1)},
    {"m", PLACE(WL_FILE_MASK, WL_FORMAT_I32, 1)},
    {"k16", PLACE(WL_FILE_LITERAL, WL_FORMAT_F16, 1)},
    {"k32", PLACE(WL_FILE_LITERAL, WL_FORMAT_F32, 1)},
    {"k64", PLACE(WL_FILE_LITERAL, WL_FORMAT_F64, 2)},
    {"hex", MEANING(HEX)},
    {"imm", MEANING(IMM)},
    {"label", MEANING(LABEL)},
    {"hwreg", MEANING(HWREG)},
    {"message", MEANING(MESSAGE)},
    {"waitcnt", MEANING(WAITCNT)},
    {"depctr", MEANING(DEPCTR)},
    {"delay", MEANING(DELAY)},
    {"end", MEANING(END)},
    {"version", MEANING(VERSION)},
    {"gpr_idx", MEANING(GPR_IDX)},
    {"barrier", MEANING(BARRIER)},
    {"m0", PLACE(WL_FILE_OTHER, 0, 0)},
    {"interpattr", PLACE(WL_FILE_OTHER, 0, 0)},
    {"interpslot", PLACE(WL_FILE_OTHER, 0, 0)},
    {"target", PLACE(WL_FILE_OTHER, 0, 0)},
};

static void set_type(struct wl_word_place *place, uint32_t type) {
    place->file = (uint8_t)type;
    place->format = (uint8_t)(type >> 8);
    place->registers = (uint8_t)(type >> 16);
}

/* A letter and a number of registers, behind which a format may stand: "v4f32". */
static bool parse_registers(struct wl_word_place *place, const char *word, size_t length) {
    static const struct {
        char letter;
        uint8_t file;
    } files[] = {{'v', WL_FILE_V}, {'a', WL_FILE_A}, {'d', WL_FILE_D}, {'g', WL_FILE_G}, {'s', WL_FILE_S}};
    size_t at = 1;
    uint32_t type = 0;
    unsigned number = 0;

    place->file = WL_FILE_OTHER;
    for (size_t i = 0; i < COUNT(files); i++)
        if (files[i].letter == word[0])
            place->file = files[i].file;
    for (; at < length && word[at] >= '0' && word[at] <= '9'; at++)
        number = number * 10 + (unsigned)(word[at] - '0');
    place->registers = (uint8_t)number;
    place->format = WL_FORMAT_NONE;
    if (place->file == WL_FILE_OTHER || !number)
        return false;
    if (place->file == WL_FILE_S && at < length) {
        place->no_exec = word[at] == 'x';
        place->no_m0 = word[length - 1] == '0';
        return true;
    }
    if (at == length)
        return true;
    if (!find(types, COUNT(types), word + at, length - at, &type))
        return false;
    place->format = (uint8_t)(type >> 8);
    return true;
}

static bool is_float(const struct wl_word_place *place) {
    switch (place->format) {
    case WL_FORMAT_F16:
    case WL_FORMAT_F32:
    case WL_FORMAT_F64:
    case WL_FORMAT_BF16:
    case WL_FORMAT_PF16:
    case WL_FORMAT_PBF16:
    case WL_FORMAT_PF32:
        return place->file == WL_FILE_SOURCE || place->file == WL_FILE_CONST;
    default:
        return false;
    }
}

static bool parse_place(struct wl_word_place *place, const char *word, size_t length) {
    const char *colon = memchr(word, ':', length), *end = word + length;
    uint32_t value = 0;

    memset(place, 0, sizeof *place);
    if (!find(roles, COUNT(roles), word, colon ? (size_t)(colon - word) : length, &value))
        return false;
    place->role = (uint8_t)value;
    place->file = WL_FILE_OTHER;
    if (!colon)
        return true;
    const char suffix = end[-1];
    if (suffix == '+' || suffix == '-' || suffix == '*')
        end--;
    if (find(types, COUNT(types), colon + 1, (size_t)(end - colon - 1), &value))
        set_type(place, value);
    else if (!parse_registers(place, colon + 1, (size_t)(end - colon - 1)))
        return false;
    place->signs = suffix == '+' || (is_float(place) && suffix != '-' && suffix != '*');
    place->extends = suffix == '*';
    return true;
}

bool wl_shape_parse(const char *operands, struct wl_word_shape *shape) {
    memset(shape, 0, sizeof *shape);
    for (const char *word = operands; *word;) {
        const size_t length = strcspn(word, " ");
        uint32_t modifier;

        if (find(modifiers, COUNT(modifiers), word, length, &modifier))
            shape->modifiers |= modifier;
        else if (!memchr(word, ':', length) && length >= 4 && (memcmp(word, "attr", 4) == 0 || memcmp(word, "high", 4) == 0))
            ; /* a part of what stands before */
        else if (length && !(length > 8 && memcmp(word, "attrchan:", 9) == 0)) {
            struct wl_word_place *place = &shape->places[shape->count];

            if (shape->count == WL_MAX_PLACES || !parse_place(place, word, length))
                return false;
            if (place->role >= WL_AT_SRC0 && place->role <= WL_AT_SRC2)
                shape->roles |= (uint8_t)(1u << (place->role - WL_AT_SRC0));
            shape->count++;
        }
        word += length;
        word += *word == ' ';
    }
    return true;
}
