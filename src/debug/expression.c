/* Locations. AMD's registers and address spaces become places in the struct wl_debug_frame of the function, so that a debugger of the host
 * reads and writes them as memory. */
#include "debug/bytes.h"
#include "debug/frame.h"

#include <dwarf.h>

/* AMD's numbers of registers in DWARF, and its address spaces in clang's code. */
enum {
    SGPR_LOW = 32,    /* s0 to s63 */
    SGPR_HIGH = 1088, /* s64 to s105 */
    VCC_32 = 512,
    VCC_64 = 768,
    EXEC_32 = 1,
    EXEC_64 = 17,
    VGPR_32 = 1536, /* in waves of 32, then AGPRs; each is followed by 256 numbers that are reserved */
    AGPR_32 = 2048,
    VGPR_64 = 2560,
    AGPR_64 = 3072,
    REGISTERS_END = 3328,
    FIRST_AGPR = 256, /* of the wave's rows */
    SPACE_PRIVATE = 1,
    SPACE_LOCAL = 2,
};

/* In the wave's scalar registers (machine/wave.h). */
enum { PLACE_VCC = 106, PLACE_EXEC = 126, FRAME_POINTER = 33, STACK_POINTER = 32 };

struct translation {
    const struct wl_debug_dwarf *dwarf;
    const struct wl_debug_unit *unit;
    struct wl_reader in;
    struct wl_bytes *out;
    struct wl_debug_expression *result;
};

static void operation(struct translation *t, uint8_t code) { wl_bytes_number(t->out, code, 1); }

/* Pushes a member of the frame. */
static void push_member(struct translation *t, size_t offset) {
    operation(t, DW_OP_breg0 + WL_DEBUG_FRAME_REGISTER);
    wl_bytes_sleb(t->out, (int64_t)offset);
    operation(t, DW_OP_deref);
}

static void add_offset(struct translation *t, uint64_t offset) {
    operation(t, DW_OP_plus_uconst);
    wl_bytes_uleb(t->out, offset);
}

static bool scalar_register(uint64_t number, unsigned *place) {
    if (number >= SGPR_LOW && number < SGPR_LOW + 64)
        *place = (unsigned)(number - SGPR_LOW);
    else if (number >= SGPR_HIGH && number <= SGPR_HIGH + 41)
        *place = (unsigned)(number - SGPR_HIGH) + 64;
    else if (number == VCC_32 || number == VCC_64)
        *place = PLACE_VCC;
    else if (number == EXEC_32 || number == EXEC_64)
        *place = PLACE_EXEC;
    else
        return false;
    return true;
}

/* Pushes the address of a register. */
static bool push_register(struct translation *t, uint64_t number) {
    unsigned place;
    if (scalar_register(number, &place)) {
        push_member(t, offsetof(struct wl_debug_frame, sgprs));
        add_offset(t, (uint64_t)place * 4);
        return true;
    }
    if (number < VGPR_32 || number >= REGISTERS_END || (number - VGPR_32) % 512 >= 256)
        return false;
    const bool large = number >= VGPR_64, accumulator = (number - VGPR_32) / 512 % 2;
    const uint64_t row = (number - VGPR_32) % 512 + (accumulator ? FIRST_AGPR : 0);
    push_member(t, offsetof(struct wl_debug_frame, vgprs));
    add_offset(t, row * 4 * (large ? 64 : 32));
    return true;
}

/* The value of a register, and an offset. */
static bool push_value(struct translation *t, uint64_t number, int64_t offset) {
    if (!push_register(t, number))
        return false;
    operation(t, DW_OP_deref_size);
    wl_bytes_number(t->out, number == VCC_64 || number == EXEC_64 ? 8 : 4, 1);
    if (offset) {
        operation(t, DW_OP_consts);
        wl_bytes_sleb(t->out, offset);
        operation(t, DW_OP_plus);
    }
    return true;
}

/* Whether what follows says that the address on the stack is one in an address space: its number, swap, xderef. */
static bool take_space(struct translation *t, unsigned *space) {
    struct wl_reader next = t->in;
    uint64_t number = wl_reader_number(&next, 1);
    if (number >= DW_OP_lit0 && number <= DW_OP_lit31)
        number -= DW_OP_lit0;
    else if (number == DW_OP_const1u || number == DW_OP_constu)
        number = number == DW_OP_constu ? wl_reader_uleb(&next) : wl_reader_number(&next, 1);
    else
        return false;
    if (wl_reader_number(&next, 1) != DW_OP_swap || wl_reader_number(&next, 1) != DW_OP_xderef || next.bad ||
        (number != SPACE_PRIVATE && number != SPACE_LOCAL))
        return false;
    *space = (unsigned)number;
    t->in = next;
    return true;
}

static void add_space(struct translation *t, unsigned space) {
    push_member(t, space == SPACE_LOCAL ? offsetof(struct wl_debug_frame, lds) : offsetof(struct wl_debug_frame, scratch));
    operation(t, DW_OP_plus);
}

static void push_address(struct translation *t, uint64_t address) {
    unsigned space;
    if (take_space(t, &space)) {
        push_member(t, space == SPACE_LOCAL ? offsetof(struct wl_debug_frame, lds) : offsetof(struct wl_debug_frame, scratch));
        add_offset(t, address);
        return;
    }
    operation(t, DW_OP_addr);
    wl_bytes_number(t->out, address + t->dwarf->request->data, 8);
}

static bool refer_to_type(struct translation *t, uint64_t entry) {
    static const uint8_t room[4] = {0x80, 0x80, 0x80, 0};
    struct wl_debug_expression *result = t->result;
    if (entry == 0) { /* the generic type */
        wl_bytes_uleb(t->out, 0);
        return true;
    }
    if (result->type_count == sizeof result->types / sizeof *result->types)
        return false;
    result->types[result->type_count].at = t->out->size;
    result->types[result->type_count++].entry = entry;
    wl_bytes_add(t->out, room, sizeof room);
    return true;
}

static void copy(struct translation *t, uint64_t size) {
    const uint8_t *bytes = wl_reader_skip(&t->in, size);
    if (bytes)
        wl_bytes_add(t->out, bytes, size);
}

static void copy_leb(struct translation *t) {
    const uint64_t from = t->in.at;
    wl_reader_uleb(&t->in);
    if (!t->in.bad)
        wl_bytes_add(t->out, t->in.span.data + from, t->in.at - from);
}

/* Operations that stay as they are, with their operands. */
static bool plain(struct translation *t, uint8_t code) {
    operation(t, code);
    switch (code) {
    case DW_OP_const1u:
    case DW_OP_const1s:
    case DW_OP_pick:
    case DW_OP_deref_size:
        copy(t, 1);
        return true;
    case DW_OP_const2u:
    case DW_OP_const2s:
        copy(t, 2);
        return true;
    case DW_OP_const4u:
    case DW_OP_const4s:
        copy(t, 4);
        return true;
    case DW_OP_const8u:
    case DW_OP_const8s:
        copy(t, 8);
        return true;
    case DW_OP_constu:
    case DW_OP_consts:
    case DW_OP_plus_uconst:
    case DW_OP_fbreg:
    case DW_OP_piece:
        copy_leb(t);
        return true;
    case DW_OP_bit_piece:
        copy_leb(t);
        copy_leb(t);
        return true;
    case DW_OP_implicit_value: {
        struct wl_reader length = t->in;
        const uint64_t size = wl_reader_uleb(&length);
        copy_leb(t);
        copy(t, size);
        return true;
    }
    case DW_OP_deref:
    case DW_OP_stack_value:
    case DW_OP_nop:
        return true;
    default: /* arithmetic, and what moves values of the stack; no jumps */
        return (code >= DW_OP_dup && code <= DW_OP_over) || code == DW_OP_swap || code == DW_OP_rot ||
               (code >= DW_OP_abs && code <= DW_OP_xor && code != DW_OP_plus_uconst) || (code >= DW_OP_eq && code <= DW_OP_ne) ||
               (code >= DW_OP_lit0 && code <= DW_OP_lit31);
    }
}

static bool translate_one(struct translation *t) {
    const uint8_t code = (uint8_t)wl_reader_number(&t->in, 1);
    uint64_t address;
    int64_t offset;
    if (code >= DW_OP_reg0 && code <= DW_OP_reg31)
        return push_register(t, (uint64_t)code - DW_OP_reg0);
    if (code >= DW_OP_breg0 && code <= DW_OP_breg31) {
        offset = wl_reader_sleb(&t->in);
        return push_value(t, (uint64_t)code - DW_OP_breg0, offset);
    }
    switch (code) {
    case DW_OP_regx:
        return push_register(t, wl_reader_uleb(&t->in));
    case DW_OP_bregx:
        address = wl_reader_uleb(&t->in);
        offset = wl_reader_sleb(&t->in);
        return push_value(t, address, offset);
    case DW_OP_addr:
        push_address(t, wl_reader_number(&t->in, 8));
        return true;
    case DW_OP_addrx:
        if (!wl_debug_indexed_address(t->dwarf, t->unit, wl_reader_uleb(&t->in), &address))
            return false;
        push_address(t, address);
        return true;
    case DW_OP_convert:
    case DW_OP_reinterpret:
        operation(t, code);
        return refer_to_type(t, wl_reader_uleb(&t->in));
    default: {
        unsigned space;
        struct wl_reader here = t->in;
        here.at--;
        struct translation back = *t;
        back.in = here;
        if (take_space(&back, &space)) {
            t->in = back.in;
            add_space(t, space);
            return true;
        }
        return plain(t, code);
    }
    }
}

/* A function's frame base is a register alone, which has an address in private memory. */
static bool is_frame_base(const struct translation *t, size_t *member) {
    struct wl_reader in = t->in;
    const uint64_t code = wl_reader_number(&in, 1);
    const uint64_t number = code == DW_OP_regx ? wl_reader_uleb(&in) : code - DW_OP_reg0;
    if (in.bad || wl_reader_left(&in) || (number != SGPR_LOW + FRAME_POINTER && number != SGPR_LOW + STACK_POINTER))
        return false;
    *member = number == SGPR_LOW + FRAME_POINTER ? offsetof(struct wl_debug_frame, frame_pointer)
                                                 : offsetof(struct wl_debug_frame, stack_pointer);
    return true;
}

bool wl_debug_translate(const struct wl_debug_dwarf *dwarf, const struct wl_debug_unit *unit, struct wl_span in, bool frame_base,
                        struct wl_debug_expression *out) {
    struct translation t = {dwarf, unit, wl_reader_at(in, 0), &out->bytes, out};
    size_t member;
    *out = (struct wl_debug_expression){0};
    bool good = true;
    if (frame_base && is_frame_base(&t, &member))
        push_member(&t, member);
    else
        while (good && wl_reader_left(&t.in))
            good = translate_one(&t) && !t.in.bad;
    if (good && !out->bytes.bad)
        return true;
    free(out->bytes.data);
    *out = (struct wl_debug_expression){0};
    return false;
}
