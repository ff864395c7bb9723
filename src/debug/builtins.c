/* What a debugger is told beside the code object's own DWARF: threadIdx and the like as variables, and types of what tools/wavelift-gdb.py shows. */
#include "debug/bytes.h"

#include <dwarf.h>

#include <string.h>

static const struct {
    const char *name;
    bool scalar;
} builtins[WL_DEBUG_BUILTINS] = {[WL_DEBUG_THREAD_IDX] = {"threadIdx", false},
                                 [WL_DEBUG_BLOCK_IDX] = {"blockIdx", false},
                                 [WL_DEBUG_BLOCK_DIM] = {"blockDim", false},
                                 [WL_DEBUG_GRID_DIM] = {"gridDim", false},
                                 [WL_DEBUG_WARP_SIZE] = {"warpSize", true}};

bool wl_debug_is_builtin(const char *name, size_t length) {
    for (size_t i = 0; i < WL_DEBUG_BUILTINS; i++)
        if (strlen(builtins[i].name) == length && memcmp(builtins[i].name, name, length) == 0)
            return true;
    return false;
}

enum { UNIT = 1, BASE, STRUCTURE, MEMBER, VARIABLE }; /* codes of the declarations */

static const uint8_t declarations[] = {UNIT,
                                       DW_TAG_compile_unit,
                                       1,
                                       DW_AT_language,
                                       DW_FORM_data1,
                                       DW_AT_name,
                                       DW_FORM_string,
                                       0,
                                       0,
                                       BASE,
                                       DW_TAG_base_type,
                                       0,
                                       DW_AT_byte_size,
                                       DW_FORM_data1,
                                       DW_AT_encoding,
                                       DW_FORM_data1,
                                       DW_AT_name,
                                       DW_FORM_string,
                                       0,
                                       0,
                                       STRUCTURE,
                                       DW_TAG_structure_type,
                                       1,
                                       DW_AT_byte_size,
                                       DW_FORM_data1,
                                       DW_AT_name,
                                       DW_FORM_string,
                                       0,
                                       0,
                                       MEMBER,
                                       DW_TAG_member,
                                       0,
                                       DW_AT_data_member_location,
                                       DW_FORM_data1,
                                       DW_AT_type,
                                       DW_FORM_ref1,
                                       DW_AT_name,
                                       DW_FORM_string,
                                       0,
                                       0,
                                       VARIABLE,
                                       DW_TAG_variable,
                                       0,
                                       DW_AT_external,
                                       DW_FORM_flag,
                                       DW_AT_type,
                                       DW_FORM_ref1,
                                       DW_AT_location,
                                       DW_FORM_exprloc,
                                       DW_AT_name,
                                       DW_FORM_string,
                                       0,
                                       0,
                                       0};

static void add_text(struct wl_bytes *out, const char *text) { wl_bytes_add(out, text, strlen(text) + 1); }

static void add_variable(struct wl_bytes *out, const char *name, size_t type, uint64_t address) {
    wl_bytes_number(out, VARIABLE, 1);
    wl_bytes_number(out, 1, 1);
    wl_bytes_number(out, type, 1);
    wl_bytes_number(out, 9, 1);
    wl_bytes_number(out, DW_OP_addr, 1);
    wl_bytes_number(out, address, 8);
    add_text(out, name);
}

void wl_debug_builtins(struct wl_debug_dwarf *dwarf) {
    static const struct {
        uint8_t size, encoding;
        const char *name;
    } types[] = {{4, DW_ATE_unsigned, "unsigned int"}, {8, DW_ATE_unsigned, "unsigned long"}, {1, DW_ATE_signed_char, "char"}};
    struct wl_bytes *out = &dwarf->out[WL_DEBUG_INFO];
    const size_t start = out->size;
    wl_bytes_number(out, 0, 4);
    wl_bytes_number(out, 4, 2);
    wl_bytes_number(out, dwarf->out[WL_DEBUG_ABBREV].size, 4);
    wl_bytes_number(out, 8, 1);
    wl_bytes_number(out, UNIT, 1);
    wl_bytes_number(out, DW_LANG_C_plus_plus, 1);
    add_text(out, "wavelift");
    const size_t unsigned_int = out->size - start;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        wl_bytes_number(out, BASE, 1);
        wl_bytes_number(out, types[i].size, 1);
        wl_bytes_number(out, types[i].encoding, 1);
        add_text(out, types[i].name);
    }
    const size_t triple = out->size - start;
    wl_bytes_number(out, STRUCTURE, 1);
    wl_bytes_number(out, 12, 1);
    add_text(out, "wl_dim3");
    for (unsigned i = 0; i < 3; i++) {
        wl_bytes_number(out, MEMBER, 1);
        wl_bytes_number(out, (uint64_t)i * 4, 1);
        wl_bytes_number(out, unsigned_int, 1);
        wl_bytes_number(out, 'x' + i, 2);
    }
    wl_bytes_number(out, 0, 1);
    for (size_t i = 0; i < WL_DEBUG_BUILTINS; i++)
        if (dwarf->request->builtins[i])
            add_variable(out, builtins[i].name, builtins[i].scalar ? unsigned_int : triple, dwarf->request->builtins[i]);
    wl_bytes_number(out, 0, 1);
    const uint32_t length = (uint32_t)(out->size - start - 4);
    if (!out->bad)
        memcpy(out->data + start, &length, sizeof length);
    wl_bytes_add(&dwarf->out[WL_DEBUG_ABBREV], declarations, sizeof declarations);
}
