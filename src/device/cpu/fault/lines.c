/* The line table of a translated unit: DWARF 2 to 5 line-number programs, as far as LLVM's assembler printer emits them.
 *
 * One sequence, one file, "lines" that count AMD instructions; so the header's tables are skipped and only address and line
 * are tracked. */
#include "device/cpu/code/loader.h"

#include <string.h>

struct reader {
    const uint8_t *at, *end;
    bool bad;
};

static uint64_t read_bytes(struct reader *r, unsigned bytes) {
    uint64_t value = 0;
    if ((size_t)(r->end - r->at) < bytes) {
        r->bad = true;
        r->at = r->end;
        return 0;
    }
    memcpy(&value, r->at, bytes);
    r->at += bytes;
    return value;
}

static uint64_t read_uleb(struct reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = read_bytes(r, 1);
        if (shift < 64)
            value |= (byte & 127) << shift;
        if (!(byte & 128) || r->bad)
            return value;
    }
}

static int64_t read_sleb(struct reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        uint64_t byte = read_bytes(r, 1);
        if (shift < 64)
            value |= (byte & 127) << shift;
        if (byte & 128 && !r->bad)
            continue;
        if (byte & 64 && shift + 7 < 64)
            value |= ~UINT64_C(0) << (shift + 7);
        return (int64_t)value;
    }
}

struct program {
    uint64_t minimum, line_range, opcode_base;
    int64_t line_base;
    const uint8_t *lengths; /* operand counts of standard opcodes */
};

struct state {
    uint64_t address, line, column;
    bool ended;
};

enum { COPY = 1, ADVANCE_PC, ADVANCE_LINE, SET_FILE, SET_COLUMN, NEGATE_STMT, BASIC_BLOCK, CONST_ADD_PC, FIXED_ADVANCE_PC };
enum { END_SEQUENCE = 1, SET_ADDRESS = 2 };

/* Runs one opcode; returns whether it appends a row. */
static bool step(struct reader *r, const struct program *p, struct state *s) {
    uint64_t opcode = read_bytes(r, 1);
    if (opcode >= p->opcode_base) {
        uint64_t adjusted = opcode - p->opcode_base;
        s->address += adjusted / p->line_range * p->minimum;
        s->line += (uint64_t)(p->line_base + (int64_t)(adjusted % p->line_range));
        return true;
    }
    if (opcode == 0) {
        uint64_t length = read_uleb(r);
        if (length == 0 || length > (uint64_t)(r->end - r->at)) {
            r->bad = true;
            return false;
        }
        struct reader inner = {r->at, r->at + length, false};
        r->at += length;
        uint64_t extended = read_bytes(&inner, 1);
        if (extended == SET_ADDRESS)
            s->address = read_bytes(&inner, 8);
        s->ended = extended == END_SEQUENCE;
        return s->ended;
    }
    switch (opcode) {
    case COPY:
        return true;
    case ADVANCE_PC:
        s->address += read_uleb(r) * p->minimum;
        return false;
    case ADVANCE_LINE:
        s->line += (uint64_t)read_sleb(r);
        return false;
    case SET_COLUMN:
        s->column = read_uleb(r);
        return false;
    case CONST_ADD_PC:
        s->address += (255 - p->opcode_base) / p->line_range * p->minimum;
        return false;
    case FIXED_ADVANCE_PC:
        s->address += read_bytes(r, 2);
        return false;
    default:
        for (unsigned i = 0; i < p->lengths[opcode - 1]; i++)
            read_uleb(r);
        return false;
    }
}

/* Reads one unit's header; leaves `r` at its program. */
static bool read_header(struct reader *r, struct program *p) {
    uint64_t version = read_bytes(r, 2);
    if (version < 2 || version > 5)
        return false;
    if (version >= 5)
        read_bytes(r, 2); /* address and segment selector size */
    uint64_t header_length = read_bytes(r, 4);
    if (r->bad || header_length > (uint64_t)(r->end - r->at))
        return false;
    const uint8_t *program = r->at + header_length;
    p->minimum = read_bytes(r, 1);
    if (version >= 4)
        read_bytes(r, 1); /* operations an instruction */
    read_bytes(r, 1);     /* default_is_stmt */
    int64_t base = (int64_t)read_bytes(r, 1);
    p->line_base = base < 128 ? base : base - 256;
    p->line_range = read_bytes(r, 1);
    p->opcode_base = read_bytes(r, 1);
    p->lengths = r->at;
    if (r->bad || p->line_range == 0 || p->opcode_base == 0 || (uint64_t)(program - r->at) < p->opcode_base - 1 || program < r->at)
        return false;
    r->at = program;
    return true;
}

bool wl_native_rows(const struct wl_native *native, bool (*visit)(void *context, const struct wl_native_row *row), void *context) {
    if (!native->lines)
        return false;
    struct reader all = {native->lines, native->lines + native->line_size, false};
    while (!all.bad && all.at < all.end) {
        uint64_t length = read_bytes(&all, 4);
        if (all.bad || length >= 0xfffffff0 || length > (uint64_t)(all.end - all.at)) /* 64-bit DWARF is not emitted */
            return false;
        struct reader r = {all.at, all.at + length, false};
        all.at += length;
        struct program p;
        if (!read_header(&r, &p))
            return false;
        struct state s = {.line = 1}, previous = {.ended = true};
        uint64_t last = 0; /* the last line that is not 0: optimized code that belongs to several lines has line 0 */
        while (!r.bad && r.at < r.end) {
            if (!step(&r, &p, &s))
                continue;
            if (!previous.ended && previous.address < s.address && last > 0) {
                const bool exact = previous.line > 0;
                const struct wl_native_row row = {previous.address, s.address, (last - 1) * 4, exact ? (unsigned)previous.column : 0,
                                                  exact};
                if (visit(context, &row))
                    return true;
            }
            previous = s;
            last = s.line ? s.line : last;
            if (s.ended) {
                s = (struct state){.line = 1};
                last = 0;
            }
        }
    }
    return false;
}

struct search {
    uint64_t native_pc;
    struct wl_native_row found;
};

static bool has_address(void *context, const struct wl_native_row *row) {
    struct search *search = context;
    if (search->native_pc < row->begin || search->native_pc >= row->end)
        return false;
    search->found = *row;
    return true;
}

bool wl_native_line(const struct wl_native *native, uint64_t native_pc, uint64_t *offset, unsigned *column, bool *exact) {
    struct search search = {.native_pc = native_pc};
    if (!wl_native_rows(native, has_address, &search))
        return false;
    *offset = search.found.offset;
    *column = search.found.column;
    *exact = search.found.exact;
    return true;
}
