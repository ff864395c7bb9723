#include "memory_model.h"

#include "machine/wave.h" /* the apertures' addresses */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool model_lane_on(const struct model *m, unsigned lane) { return m->state->s[MEM_EXEC + lane / 32] >> lane % 32 & 1; }

static uint64_t pair(const uint32_t *low) { return low[0] | (uint64_t)low[1] << 32; }

static uint64_t vector_pair(const struct model *m, unsigned reg, unsigned lane) {
    return m->state->v[reg][lane] | (uint64_t)m->state->v[reg + 1][lane] << 32;
}

static uint8_t *host(const struct model *m, uint64_t address, unsigned lane) {
    if (address >> 32 == WL_SHARED_APERTURE_HI)
        return m->state->lds + (uint32_t)address;
    if (address >> 32 == WL_PRIVATE_APERTURE_HI)
        return mem_scratch(m->state, (uint32_t)address, lane, m->wave_size);
    if (address < MEM_BASE || address >= MEM_BASE + MEM_MEMORY) {
        fprintf(stderr, "the reference leaves its memory: %#llx\n", (unsigned long long)address);
        exit(1);
    }
    return m->state->memory + (address - MEM_BASE);
}

/* ---- buffers ---- */

struct resource {
    uint64_t base, records, stride, index_stride, element_size;
    bool swizzle, thread_id;
    unsigned check;
};

static struct resource read_resource(const struct model *m) {
    const uint32_t *d = m->state->s + 4;
    struct resource r = {.base = d[0] | (uint64_t)(d[1] & 0xffff) << 32, .records = d[2], .stride = d[1] >> 16 & 0x3fff};
    r.index_stride = UINT64_C(8) << (d[3] >> 21 & 3);
    r.thread_id = d[3] >> 23 & 1;
    r.check = d[3] >> 28 & 3;
    if (m->generation < 11) {
        r.swizzle = d[1] >> 31;
        r.element_size = 4;
    } else {
        r.swizzle = d[1] >> 30;
        r.element_size = UINT64_C(2) << (d[1] >> 30);
    }
    if (m->generation == 9 && r.thread_id)
        r.stride |= (uint64_t)(d[3] >> 15 & 15) << 14;
    return r;
}

/* The address of byte `at` of the lane's element, of which [start, start + size) has to be in range; 0 if it is not. */
static uint64_t buffer_address(const struct model *m, const struct step *step, unsigned lane, unsigned at, unsigned start, unsigned size) {
    const struct mem_state *s = m->state;
    struct resource r = read_resource(m);
    bool has_index = step->form >= INDEXED;
    uint64_t soffset = step->scale ? s->s[8] : 0, index = 0;
    uint32_t offset = (uint32_t)step->offset;
    if (has_index)
        index = s->v[step->form == INDEXED ? 5 : 6][lane];
    if (r.thread_id)
        index += lane;
    if (step->form == VECTOR)
        offset += s->v[1][lane];
    else if (step->form == INDEXED_OFFSET)
        offset += s->v[7][lane];
    bool inside;
    bool by_bytes = r.check == 3 && !(r.swizzle && r.stride), by_record = r.check == 0 || (r.check == 3 && !by_bytes);
    if (m->generation == 9) {
        by_bytes = !r.thread_id && !(has_index && r.stride);
        inside = r.thread_id || (has_index && r.stride && index < r.records);
    } else {
        inside =
            r.check == 2 ? r.records != 0 : index < r.records && (!by_record || !r.stride || offset + (uint64_t)start + size <= r.stride);
    }
    if (by_bytes)
        inside = index * r.stride + offset + soffset + start + size <= r.records;
    if (!inside)
        return 0;
    if (!r.swizzle)
        return r.base + soffset + index * r.stride + offset + at;
    uint64_t o = offset + at, index_high = index / r.index_stride, index_low = index % r.index_stride;
    uint64_t o_high = o / r.element_size, o_low = o % r.element_size;
    return r.base + soffset + (index_high * r.stride + o_high * r.element_size) * r.index_stride + index_low * r.element_size + o_low;
}

/* ---- bytes of a lane's element ---- */

static uint8_t *locate(const struct model *m, const struct step *step, unsigned lane, unsigned at, unsigned start, unsigned size) {
    const struct mem_state *s = m->state;
    uint64_t offset = (uint64_t)(int64_t)step->offset + at;
    switch (step->family) {
    case FLAT:
        return host(m, vector_pair(m, 2, lane) + offset, lane);
    case GLOBAL:
        return host(m, (step->form == VECTOR ? vector_pair(m, 2, lane) : pair(s->s) + s->v[1][lane]) + offset, lane);
    case SCRATCH:
        return mem_scratch(m->state, (uint32_t)((step->form == VECTOR ? s->v[1][lane] : s->s[8]) + offset), lane, m->wave_size);
    case LDS:
        return m->state->lds + (uint32_t)(s->v[1][lane] + offset);
    case BUFFER: {
        uint64_t address = buffer_address(m, step, lane, at, start, size);
        return address ? host(m, address, lane) : NULL;
    }
    default:
        return NULL;
    }
}

static uint64_t get(const struct model *m, const struct step *step, unsigned lane, unsigned start, unsigned size) {
    uint64_t value = 0;
    for (unsigned i = 0; i < size; i++) {
        const uint8_t *byte = locate(m, step, lane, start + i, start, size);
        value |= (uint64_t)(byte ? *byte : 0) << 8 * i;
    }
    return value;
}

static void put(const struct model *m, const struct step *step, unsigned lane, unsigned start, unsigned size, uint64_t value) {
    for (unsigned i = 0; i < size; i++) {
        uint8_t *byte = locate(m, step, lane, start + i, start, size);
        if (byte)
            *byte = (uint8_t)(value >> 8 * i);
    }
}

/* ---- operations ---- */

static double number(uint64_t bits, unsigned bytes) {
    float f;
    double d;
    memcpy(&f, &bits, 4);
    memcpy(&d, &bits, 8);
    return bytes == 4 ? (double)f : d;
}

static uint64_t bits_of(double value, unsigned bytes) {
    float f = (float)value;
    uint64_t bits = 0;
    memcpy(&bits, bytes == 4 ? (void *)&f : (void *)&value, bytes);
    return bits;
}

static uint64_t flushed(uint64_t bits) { return (bits & 0x7fffffff) < 0x800000 ? bits & 0x80000000 : bits; }

static uint64_t float_sum(const struct model *m, const struct step *step, uint64_t a, uint64_t b) {
    unsigned bytes = step->row->bytes;
    bool flush = m->flushes && bytes == 4 && step->family != LDS;
    if (flush) {
        a = flushed(a);
        b = flushed(b);
    }
    /* The sum of two floats, rounded to double first, rounds to the same float. */
    uint64_t sum = bits_of(number(a, bytes) + number(b, bytes), bytes);
    return flush ? flushed(sum) : sum;
}

static uint64_t extreme(uint64_t a, uint64_t b, unsigned bytes, bool least) {
    double x = number(a, bytes), y = number(b, bytes);
    if (isnan(x) || isnan(y))
        return isnan(y) ? a : b;
    if (x == 0 && y == 0)
        return (signbit(x) != 0) == least ? a : b;
    return (x < y) == least ? a : b;
}

static double half(uint32_t bits, bool brain) {
    if (brain)
        return number((uint64_t)bits << 16, 4);
    int exponent = (int)(bits >> 10 & 31);
    double mantissa = bits & 1023;
    double value = exponent == 31 ? (mantissa != 0 ? NAN : INFINITY)
                   : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                                  : ldexp(mantissa, -24);
    return bits & 0x8000 ? -value : value;
}

/* To nearest even among the values of a format with so many exponent and mantissa bits. */
static uint32_t round_half(double value, int exponent_bits, int mantissa_bits) {
    int bias = (1 << (exponent_bits - 1)) - 1, exponent;
    uint32_t sign = signbit(value) ? 0x8000 : 0, infinity = ((1u << exponent_bits) - 1) << mantissa_bits;
    value = fabs(value);
    if (isnan(value))
        return infinity | 1;
    if (value == 0 || isinf(value))
        return sign | (value != 0 ? infinity : 0);
    (void)frexp(value, &exponent);
    int power = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1; /* denormals share the least one */
    uint32_t units = (uint32_t)nearbyint(ldexp(value, mantissa_bits - power));
    uint32_t code = ((uint32_t)(power + bias - 1) << mantissa_bits) + units; /* the leading bit of `units` counts as 1 << mantissa_bits */
    return sign | (code < infinity ? code : infinity);
}

static uint64_t packed_sum(uint64_t a, uint64_t b, bool brain) {
    uint64_t result = 0;
    for (unsigned i = 0; i < 2; i++) {
        double sum = half(a >> 16 * i & 0xffff, brain) + half(b >> 16 * i & 0xffff, brain);
        if (brain)
            sum = (float)sum; /* bf16 sums are made in f32 */
        result |= (uint64_t)round_half(sum, brain ? 8 : 5, brain ? 7 : 10) << 16 * i;
    }
    return result;
}

uint64_t model_operation(const struct model *m, const struct step *step, uint64_t old, uint64_t data, uint64_t second) {
    unsigned bytes = step->row->bytes;
    uint64_t mask = bytes == 4 ? UINT32_MAX : UINT64_MAX;
    int64_t so = bytes == 4 ? (int32_t)old : (int64_t)old, sd = bytes == 4 ? (int32_t)data : (int64_t)data;
    switch ((enum operation)step->row->op) {
    case SWAP:
        return data;
    case CMPSWAP:
        return old == second ? data : old;
    case FCMPSWAP:
        return number(old, bytes) == number(second, bytes) ? data : old;
    case ADD:
        return (old + data) & mask;
    case SUB:
        return (old - data) & mask;
    case RSUB:
        return (data - old) & mask;
    case SMIN:
        return so < sd ? old : data;
    case SMAX:
        return so > sd ? old : data;
    case UMIN:
        return old < data ? old : data;
    case UMAX:
        return old > data ? old : data;
    case AND:
        return old & data;
    case OR:
        return old | data;
    case XOR:
        return old ^ data;
    case INC:
        return old >= data ? 0 : old + 1;
    case DEC:
        return old == 0 || old > data ? data : old - 1;
    case FADD:
        return float_sum(m, step, old, data);
    case FMIN:
        return extreme(old, data, bytes, true);
    case FMAX:
        return extreme(old, data, bytes, false);
    case PK_F16:
        return packed_sum(old, data, false);
    case PK_BF16:
        return packed_sum(old, data, true);
    case CLAMPED_SUB:
        return old < data ? 0 : old - data;
    case COND_SUB:
        return old >= data ? old - data : old;
    case MSKOR:
        return (old & ~data) | second;
    case WRAP:
        return old >= data ? old - data : (old + second) & mask;
    case ORDERED:
        return (uint32_t)old != (uint32_t)data ? old
                                               : (uint64_t)((uint32_t)(old >> 32) + (uint32_t)(data >> 32)) << 32 | (uint32_t)(old + 1);
    }
    return 0;
}

/* ---- instructions ---- */

static uint32_t extended(const struct row *row, uint64_t raw) {
    uint64_t sign = row->bytes < 4 ? UINT64_C(1) << (8 * row->bytes - 1) : 0;
    return (uint32_t)(row->flags & SIGNED && raw & sign ? raw - 2 * sign : raw);
}

static void load(const struct model *m, const struct step *step, unsigned lane) {
    const struct row *row = step->row;
    uint32_t values[4];
    for (unsigned i = 0; i < row->dwords; i++)
        values[i] = extended(row, get(m, step, lane, i * 4, row->bytes));
    for (unsigned i = 0; i < row->dwords; i++) {
        uint32_t *cell = &m->state->v[step->result + i][lane], old = mem_sram_ecc ? 0 : *cell;
        if (row->flags & LOW)
            *cell = (old & 0xffff0000) | (values[i] & 0xffff);
        else if (row->flags & HIGH)
            *cell = (old & 0xffff) | values[i] << 16;
        else
            *cell = values[i];
    }
}

static uint8_t *lds_slot(const struct model *m, const struct step *step, unsigned lane) {
    return m->state->lds + (int)(m->state->s[MEM_M0] & 0xffff) + step->offset + (int)lane * 4;
}

static void move_lds(const struct model *m, const struct step *step, unsigned lane) {
    uint32_t value;
    if (step->row->kind == LOAD) {
        value = extended(step->row, get(m, step, lane, 0, step->row->bytes));
        memcpy(lds_slot(m, step, lane), &value, 4);
    } else {
        memcpy(&value, lds_slot(m, step, lane), 4);
        put(m, step, lane, 0, 4, value);
    }
}

static void store(const struct model *m, const struct step *step, unsigned lane) {
    for (unsigned i = 0; i < step->row->dwords; i++) {
        uint32_t value = m->state->v[step->data + i][lane];
        put(m, step, lane, i * 4, step->row->bytes, step->row->flags & HIGH ? value >> 16 : value);
    }
}

static uint64_t operand(const struct model *m, unsigned reg, unsigned lane, unsigned dwords) {
    return dwords == 2 ? vector_pair(m, reg, lane) : m->state->v[reg][lane];
}

static bool reachable(const struct model *m, const struct step *step, unsigned lane) {
    return locate(m, step, lane, 0, 0, step->row->bytes) != NULL;
}

static void atomic(const struct model *m, const struct step *step, unsigned lane) {
    const struct row *row = step->row;
    unsigned n = row->dwords;
    uint64_t data = operand(m, step->data, lane, n), second = operand(m, step->family == LDS ? step->data1 : step->data + n, lane, n);
    if (row->flags & FIRST) {
        uint64_t expected = data;
        data = second;
        second = expected;
    }
    uint64_t old = get(m, step, lane, 0, row->bytes);
    if (reachable(m, step, lane))
        put(m, step, lane, 0, row->bytes, model_operation(m, step, old, data, second));
    for (unsigned i = 0; step->returns && i < n; i++)
        m->state->v[step->result + i][lane] = (uint32_t)(old >> 32 * i);
}

static void two(const struct model *m, const struct step *step, unsigned lane) {
    const struct row *row = step->row;
    unsigned size = 4u * row->dwords, unit = row->flags & FAR ? 64 * size : size, count = row->dwords;
    uint32_t results[2][2];
    for (unsigned a = 0; a < 2; a++) {
        struct step one = *step;
        one.offset = (a ? step->second : step->offset) * (int)unit;
        unsigned data = a ? step->data1 : step->data;
        for (unsigned i = 0; i < count; i++) {
            results[a][i] = (uint32_t)get(m, &one, lane, 4 * i, 4);
            if (row->kind != TWO_LOAD)
                put(m, &one, lane, 4 * i, 4, m->state->v[data + i][lane]);
        }
    }
    for (unsigned i = 0; row->kind != TWO_STORE && i < 2 * count; i++)
        m->state->v[step->result + i][lane] = results[i / count][i % count];
}

/* ---- scalar memory ---- */

static uint8_t *scalar_byte(const struct model *m, const struct step *step, unsigned at, unsigned size) {
    const uint32_t *s = m->state->s;
    uint64_t offset = (uint64_t)(int64_t)step->offset;
    if (step->form == UNIFORM)
        offset += step->family == SCALAR_SCRATCH ? UINT64_C(64) * s[12] : s[12];
    if (step->row->bytes >= 4)
        offset &= ~UINT64_C(3);
    if (step->family != SCALAR_BUFFER)
        return host(m, pair(s) + offset + at, 0);
    uint64_t stride = s[5] >> 16 & 0x3fff, bytes = s[6] * (stride ? stride : 1);
    if (offset + at + size > bytes)
        return NULL;
    return host(m, (s[4] | (uint64_t)(s[5] & 0xffff) << 32) + offset + at, 0);
}

static void scalar_step(const struct model *m, const struct step *step) {
    const struct row *row = step->row;
    uint32_t *s = m->state->s, loaded[16];
    unsigned size = row->kind == ATOMIC ? row->bytes : row->bytes < 4 ? row->bytes : 4;
    if (row->kind == ATOMIC) {
        uint64_t old = 0, data = size == 8 ? pair(s + step->data) : s[step->data];
        uint64_t second = size == 8 ? pair(s + step->data + 2) : s[step->data + 1];
        uint8_t *memory = scalar_byte(m, step, 0, size);
        if (memory) {
            memcpy(&old, memory, size);
            uint64_t value = model_operation(m, step, old, data, second);
            memcpy(memory, &value, size);
        }
        for (unsigned i = 0; step->returns && i < row->dwords; i++)
            s[step->data + i] = (uint32_t)(old >> 32 * i);
        return;
    }
    for (unsigned i = 0; i < row->dwords; i++) {
        uint8_t *memory = scalar_byte(m, step, 4 * i, size);
        uint32_t value = 0;
        if (row->kind == STORE && memory)
            memcpy(memory, &s[step->data + i], 4);
        else if (memory)
            memcpy(&value, memory, size);
        loaded[i] = extended(row, value);
    }
    if (row->kind == LOAD)
        memcpy(s + step->result, loaded, row->dwords * sizeof *loaded);
}

void model_step(const struct model *m, const struct step *step) {
    if (step->family >= SCALAR) {
        scalar_step(m, step);
        return;
    }
    for (unsigned lane = 0; lane < m->wave_size; lane++) {
        if (!model_lane_on(m, lane))
            continue;
        switch ((enum kind)step->row->kind) {
        case LOAD:
        case STORE:
            if (step->row->flags & TO_LDS)
                move_lds(m, step, lane);
            else if (step->row->kind == LOAD)
                load(m, step, lane);
            else
                store(m, step, lane);
            break;
        case ATOMIC:
            atomic(m, step, lane);
            break;
        case TWO_LOAD:
        case TWO_STORE:
        case TWO_SWAP:
            two(m, step, lane);
            break;
        case SPECIAL:
            break;
        }
    }
}
