/* Conditions of breakpoints, for one lane after the other: in the process that runs the kernel, so that a lane for which a condition is false
 * costs no stop. The debugger compiles them: they are the bytecode that it has for targets of its own ("The GDB Agent Expression Mechanism" in
 * its manual), with operands and the places of jumps already read. */
#include "device/cpu/debug/condition.h"

#include "base/float_bits.h"
#include "base/peek.h"
#include "debug/frame.h"
#include "device/cpu/debug/debug.h"

#include <string.h>

#define EXPORT __attribute__((visibility("protected"))) /* the command `wavelift` has the same names, which must not take their place */

EXPORT volatile struct wl_debug_operation wl_debug_operations[WL_DEBUG_OPERATIONS];

/* Operations, by gdb's numbers. */
enum {
    ADD = 2,
    SUB = 3,
    MUL = 4,
    DIV_SIGNED = 5,
    DIV_UNSIGNED = 6,
    REM_SIGNED = 7,
    REM_UNSIGNED = 8,
    LSH = 9,
    RSH_SIGNED = 10,
    RSH_UNSIGNED = 11,
    LOG_NOT = 14,
    BIT_AND = 15,
    BIT_OR = 16,
    BIT_XOR = 17,
    BIT_NOT = 18,
    EQUAL = 19,
    LESS_SIGNED = 20,
    LESS_UNSIGNED = 21,
    EXT = 22,
    REF8 = 23,
    REF16 = 24,
    REF32 = 25,
    REF64 = 26,
    IF_GOTO = 32,
    GOTO = 33,
    CONST8 = 34,
    CONST64 = 37,
    REG = 38,
    END = 39,
    DUP = 40,
    POP = 41,
    ZERO_EXT = 42,
    SWAP = 43,
    PICK = 50,
    ROT = 51,
};

/* Those that are not gdb's (tools/wavelift_conditions.py). Numbers of floating point lie on the stack as doubles. */
enum {
    WIDEN = 128, /* the bits of a float */
    FROM_SIGNED,
    FROM_UNSIGNED,
    ROUND, /* to a float */
    FLOAT_ADD,
    FLOAT_SUB,
    FLOAT_MUL,
    FLOAT_DIV,
    FLOAT_EQUAL,
    FLOAT_LESS,
    FLOAT_LESS_EQUAL,
    TO_INTEGER,
};

enum { STACK = 64, MOST_STEPS = 4096 };

struct machine {
    const struct wl_debug_asked *asked;
    uint64_t stack[STACK];
    unsigned depth;
    uint32_t at;  /* the next operation */
    bool unknown; /* the debugger has to ask */
};

static bool is_within(uint64_t address, unsigned size, uint64_t begin, uint64_t length) {
    return address >= begin && length >= size && address - begin <= length - size;
}

/* Memory that is surely there. */
static bool is_ours(const struct wl_debug_asked *asked, uint64_t address, unsigned size) {
    const struct wl_wave *wave = asked->wave;
    return is_within(address, size, asked->frame, sizeof(struct wl_debug_frame)) ||
           is_within(address, size, (uintptr_t)wave->sgpr, sizeof wave->sgpr) ||
           is_within(address, size, (uintptr_t)wave->vgpr, (uint64_t)wave->vgprs * wave->wave_size * 4) ||
           is_within(address, size, (uintptr_t)wave->lds, wave->lds_size) ||
           is_within(address, size, (uintptr_t)&wl_debug_here, sizeof wl_debug_here);
}

static bool read_memory(const struct wl_debug_asked *asked, uint64_t address, unsigned size, uint64_t *value) {
    *value = 0;
    if (address >> 32 == WL_PRIVATE_WINDOW_HI)
        address = asked->scratch + (uint32_t)address;
    if (address >> 32 == WL_SHARED_WINDOW_HI)
        address = (uintptr_t)asked->wave->lds + (uint32_t)address;
    if (is_within(address, size, asked->scratch, asked->scratch_size)) {
        const uint32_t offset = (uint32_t)(address - asked->scratch);
        for (unsigned i = 0; i < size; i++)
            memcpy((uint8_t *)value + i, asked->wave->scratch + wl_scratch_address(offset + i, asked->lane, asked->wave->wave_size), 1);
        return true;
    }
    if (is_ours(asked, address, size)) {
        memcpy(value, (const void *)(uintptr_t)address, size);
        return true;
    }
    return wl_peek((const void *)(uintptr_t)address, value, size);
}

static uint64_t pop(struct machine *m) {
    if (m->depth == 0) {
        m->unknown = true;
        return 0;
    }
    return m->stack[--m->depth];
}

static void push(struct machine *m, uint64_t value) {
    if (m->depth == STACK)
        m->unknown = true;
    else
        m->stack[m->depth++] = value;
}

static uint64_t sign_extended(uint64_t value, uint64_t bits) {
    return bits == 0 || bits >= 64 ? value : (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

static uint64_t divided(struct machine *m, unsigned code, uint64_t a, uint64_t b) {
    const bool overflows = a == UINT64_C(1) << 63 && b == UINT64_MAX && (code == DIV_SIGNED || code == REM_SIGNED);
    if (b == 0 || overflows) {
        m->unknown = true;
        return 0;
    }
    return code == DIV_SIGNED     ? (uint64_t)((int64_t)a / (int64_t)b)
           : code == REM_SIGNED   ? (uint64_t)((int64_t)a % (int64_t)b)
           : code == DIV_UNSIGNED ? a / b
                                  : a % b;
}

static uint64_t of_two(struct machine *m, unsigned code, uint64_t a, uint64_t b) {
    switch (code) {
    case ADD:
        return a + b;
    case SUB:
        return a - b;
    case MUL:
        return a * b;
    case LSH:
        return b < 64 ? a << b : 0;
    case RSH_SIGNED:
        return (uint64_t)((int64_t)a >> (b < 64 ? b : 63));
    case RSH_UNSIGNED:
        return b < 64 ? a >> b : 0;
    case BIT_AND:
        return a & b;
    case BIT_OR:
        return a | b;
    case BIT_XOR:
        return a ^ b;
    case EQUAL:
        return a == b;
    case LESS_SIGNED:
        return (int64_t)a < (int64_t)b;
    case LESS_UNSIGNED:
        return a < b;
    default:
        return divided(m, code, a, b);
    }
}

static void load(struct machine *m, unsigned size) {
    uint64_t value;
    if (!read_memory(m->asked, pop(m), size, &value))
        m->unknown = true;
    push(m, value);
}

/* Operations that only move what is on the stack. */
static void move(struct machine *m, unsigned code, uint64_t operand) {
    uint64_t a, b, c;
    switch (code) {
    case DUP:
        a = pop(m);
        push(m, a);
        push(m, a);
        return;
    case POP:
        pop(m);
        return;
    case SWAP:
        a = pop(m), b = pop(m);
        push(m, a);
        push(m, b);
        return;
    case ROT: /* the top one goes below the two others */
        a = pop(m), b = pop(m), c = pop(m);
        push(m, a);
        push(m, c);
        push(m, b);
        return;
    default:
        if (operand >= m->depth)
            m->unknown = true;
        else
            push(m, m->stack[m->depth - 1 - operand]);
    }
}

static double pop_float(struct machine *m) { return wl_bits_double(pop(m)); }

static void push_float(struct machine *m, double value) { push(m, wl_double_bits(value)); }

static void convert_float(struct machine *m, unsigned code) {
    double value;
    switch (code) {
    case WIDEN:
        push_float(m, (double)wl_bits_float((uint32_t)pop(m)));
        return;
    case FROM_SIGNED:
        push_float(m, (double)(int64_t)pop(m));
        return;
    case FROM_UNSIGNED:
        push_float(m, (double)pop(m));
        return;
    case ROUND:
        push_float(m, (double)(float)pop_float(m));
        return;
    default: /* TO_INTEGER */
        value = pop_float(m);
        if (!(value > -0x1p63 && value < 0x1p63))
            m->unknown = true;
        push(m, m->unknown ? 0 : (uint64_t)(int64_t)value);
    }
}

static void of_two_floats(struct machine *m, unsigned code) {
    const double b = pop_float(m), a = pop_float(m);
    switch (code) {
    case FLOAT_ADD:
        push_float(m, a + b);
        return;
    case FLOAT_SUB:
        push_float(m, a - b);
        return;
    case FLOAT_MUL:
        push_float(m, a * b);
        return;
    case FLOAT_DIV:
        push_float(m, a / b);
        return;
    case FLOAT_EQUAL:
        push(m, a == b);
        return;
    case FLOAT_LESS:
        push(m, a < b);
        return;
    default:
        push(m, a <= b);
    }
}

static void run_one(struct machine *m, unsigned code, uint64_t operand) {
    switch (code) {
    case IF_GOTO:
        if (pop(m))
            m->at = (uint32_t)operand;
        return;
    case GOTO:
        m->at = (uint32_t)operand;
        return;
    case REG:
        if (operand != WL_DEBUG_FRAME_REGISTER)
            m->unknown = true;
        push(m, m->asked->frame);
        return;
    case LOG_NOT:
        push(m, !pop(m));
        return;
    case BIT_NOT:
        push(m, ~pop(m));
        return;
    case EXT:
        push(m, sign_extended(pop(m), operand));
        return;
    case ZERO_EXT:
        push(m, operand >= 64 ? pop(m) : pop(m) & ((UINT64_C(1) << operand) - 1));
        return;
    case REF8:
    case REF16:
    case REF32:
    case REF64:
        load(m, 1U << (code - REF8));
        return;
    case DUP:
    case POP:
    case SWAP:
    case PICK:
    case ROT:
        move(m, code, operand);
        return;
    default:
        if (code >= CONST8 && code <= CONST64) {
            push(m, operand);
        } else if ((code >= ADD && code <= RSH_UNSIGNED) || (code >= BIT_AND && code <= LESS_UNSIGNED)) {
            const uint64_t b = pop(m), a = pop(m);
            push(m, of_two(m, code, a, b));
        } else if ((code >= WIDEN && code <= ROUND) || code == TO_INTEGER) {
            convert_float(m, code);
        } else if (code >= FLOAT_ADD && code <= FLOAT_LESS_EQUAL) {
            of_two_floats(m, code);
        } else {
            m->unknown = true;
        }
    }
}

bool wl_debug_condition_holds(const struct wl_debug_asked *asked, uint32_t first, uint32_t count) {
    struct machine m = {.asked = asked, .depth = 0};
    if (first > WL_DEBUG_OPERATIONS || count > WL_DEBUG_OPERATIONS - first)
        return true;
    for (unsigned steps = 0; m.at < count && steps < MOST_STEPS && !m.unknown; steps++) {
        const volatile struct wl_debug_operation *operation = &wl_debug_operations[first + m.at++];
        if (operation->code == END)
            return pop(&m) != 0 || m.unknown;
        run_one(&m, operation->code, operation->operand);
    }
    return true;
}
