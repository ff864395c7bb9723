/* Memory through buffer descriptors, in full generality: swizzling, range checks, formats. And one lane's atomics. */
#include "device/cpu/lane_mask.h"
#include "device/cpu/lanes.h"
#include "translate/isa.h"

#include <math.h>
#include <string.h>

/* ---- descriptors ---------------------------------------------------------------------------- */

struct buffer {
    uint64_t base;
    uint32_t stride, records, index_stride, swizzle_size; /* swizzle_size 0: linear */
    uint32_t bounds;                                      /* BOUNDS_*; gfx10 and later: OOB_SELECT */
    bool add_tid;
    uint32_t generation;
    uint32_t selects; /* DST_SEL */
    uint32_t format;  /* the descriptor's own; gfx9: dfmt | nfmt << 4 */
};

/* STRUCTURED: index, and the offset within the record; INDEX: index alone; EMPTY: any address if there are records; RAW: bytes
 * from the start; NONE: gfx9 checks no addresses that thread ids make. */
enum { BOUNDS_STRUCTURED, BOUNDS_INDEX, BOUNDS_EMPTY, BOUNDS_RAW, BOUNDS_NONE };

static void choose_bounds(struct buffer *b, const uint32_t *d, bool idxen) {
    if (b->generation == 9)
        b->bounds = b->add_tid ? BOUNDS_NONE : b->stride && idxen ? BOUNDS_INDEX : BOUNDS_RAW;
    else
        b->bounds = d[3] >> 28 & 3;
    if (b->generation >= 10 && b->bounds == BOUNDS_RAW && b->swizzle_size && b->stride)
        b->bounds = BOUNDS_STRUCTURED;
}

static void read_descriptor(struct buffer *b, const uint32_t *d, uint32_t element) {
    b->generation = 9 + (element >> 28 & 3);
    b->base = d[0] | (uint64_t)(d[1] & 0xffff) << 32;
    b->stride = d[1] >> 16 & 0x3fff;
    b->records = d[2];
    b->index_stride = 8u << (d[3] >> 21 & 3);
    b->add_tid = d[3] >> 23 & 1;
    b->selects = d[3] & 0xfff;
    b->swizzle_size = b->generation >= 11 ? (uint32_t)((d[1] >> 30) ? 2u << (d[1] >> 30) : 0) : (d[1] >> 31) * 4;
    if (b->generation == 9 && b->add_tid && !(element & WL_ELEMENT_TYPED))
        b->stride |= (d[3] >> 15 & 15) << 14; /* the data format's bits */
    if (b->generation == 9)
        b->format = (d[3] >> 15 & 15) | (d[3] >> 12 & 7) << 4;
    else
        b->format = b->generation == 10 ? d[3] >> 12 & 127 : d[3] >> 12 & 63;
    choose_bounds(b, d, element & WL_ELEMENT_IDXEN);
}

struct place { /* of one lane */
    const struct buffer *buffer;
    uint64_t soffset; /* counts towards the end of raw buffers, and is never swizzled */
    uint32_t index, offset;
};

static struct place locate(const struct buffer *b, const struct wl_wave *wave, const uint32_t *address, uint32_t soffset, uint32_t offset,
                           uint32_t element, uint32_t lane) {
    const uint32_t *row = address;
    struct place place = {.buffer = b, .soffset = soffset, .index = b->add_tid ? lane : 0, .offset = offset};
    if (element & WL_ELEMENT_IDXEN) {
        place.index += row[lane];
        row += wave->wave_size;
    }
    if (element & WL_ELEMENT_OFFEN)
        place.offset += row[lane];
    return place;
}

/* Bytes from the base, without soffset, of the byte `skip` of an element. Swizzled: the records of index_stride neighbours are
 * interleaved by pieces of swizzle_size. */
static uint64_t distance(const struct place *p, uint32_t skip) {
    const struct buffer *b = p->buffer;
    uint32_t offset = p->offset + skip;
    if (!b->swizzle_size)
        return (uint64_t)p->index * b->stride + p->offset + skip;
    uint64_t group = p->index / b->index_stride, record = p->index % b->index_stride;
    uint64_t piece = offset / b->swizzle_size, within = offset % b->swizzle_size;
    return (group * b->stride + piece * b->swizzle_size) * b->index_stride + record * b->swizzle_size + within;
}

static uint8_t *memory_at(const struct place *p, uint32_t skip) {
    return (uint8_t *)(uintptr_t)(p->buffer->base + p->soffset + distance(p, skip));
}

static bool in_range(const struct place *p, uint32_t skip, uint32_t bytes) {
    const struct buffer *b = p->buffer;
    uint64_t linear = (uint64_t)p->index * b->stride + p->offset + p->soffset;
    switch (b->bounds) {
    case BOUNDS_STRUCTURED:
        return p->index < b->records && (b->stride == 0 || (uint64_t)p->offset + skip + bytes <= b->stride);
    case BOUNDS_INDEX:
        return p->index < b->records;
    case BOUNDS_EMPTY:
        return b->records != 0;
    case BOUNDS_RAW:
        return linear + skip + bytes <= b->records;
    default:
        return true;
    }
}

/* ---- descriptors that translated code leaves to a helper ---- */

uint64_t wl_help_buffer_place(uint64_t low, uint64_t high, uint32_t generation, uint32_t lane, uint32_t offset, uint32_t skip,
                              uint32_t bytes) {
    const uint32_t descriptor[4] = {(uint32_t)low, (uint32_t)(low >> 32), (uint32_t)high, (uint32_t)(high >> 32)};
    struct buffer b;
    read_descriptor(&b, descriptor, WL_ELEMENT_GENERATION(generation));
    struct place place = {.buffer = &b, .index = b.add_tid ? lane : 0, .offset = offset};
    return in_range(&place, skip, bytes) ? (uint64_t)(uintptr_t)memory_at(&place, skip) : 0;
}

/* ---- formats -------------------------------------------------------------------------------- */

enum number { UNORM, SNORM, USCALED, SSCALED, UINT, SINT, SNORM_OLD, FLOAT };

struct format {
    uint8_t bits[4]; /* of x, y, z, w, from the lowest bit up; 0: absent */
    uint8_t number;
};

/* gfx9's data formats. */
static const uint8_t data_formats[16][4] = {
    {0, 0, 0, 0},    {8, 0, 0, 0},    {16, 0, 0, 0}, {8, 8, 0, 0},   {32, 0, 0, 0},    {16, 16, 0, 0},  {11, 11, 10, 0},  {10, 11, 11, 0},
    {2, 10, 10, 10}, {10, 10, 10, 2}, {8, 8, 8, 8},  {32, 32, 0, 0}, {16, 16, 16, 16}, {32, 32, 32, 0}, {32, 32, 32, 32}, {0, 0, 0, 0},
};

/* Runs of the unified formats: `first` and the number kinds that follow one another, as characters. */
struct run {
    uint8_t first, data; /* data: index in data_formats */
    const char *numbers; /* u n U S i s f: UNORM SNORM USCALED SSCALED UINT SINT FLOAT */
};

static const struct run unified10[] = {
    {1, 1, "unUSis"},  {7, 2, "unUSisf"}, {14, 3, "unUSis"},  {20, 4, "isf"},  {23, 5, "unUSisf"},  {30, 6, "unUSisf"}, {37, 7, "unUSisf"},
    {44, 8, "unUSis"}, {50, 9, "unUSis"}, {56, 10, "unUSis"}, {62, 11, "isf"}, {65, 12, "unUSisf"}, {72, 13, "isf"},    {75, 14, "isf"},
};
static const struct run unified11[] = {
    {1, 1, "unUSis"}, {7, 2, "unUSisf"}, {14, 3, "unUSis"},  {20, 4, "isf"},  {23, 5, "unUSisf"},  {30, 6, "f"},    {31, 7, "f"},
    {32, 8, "unis"},  {36, 9, "unUSis"}, {42, 10, "unUSis"}, {48, 11, "isf"}, {51, 12, "unUSisf"}, {58, 13, "isf"}, {61, 14, "isf"},
};

static struct format find_format(uint32_t number, uint32_t generation) {
    static const char kinds[] = "unUSis?f";
    struct format format = {{0}, UINT};
    if (generation == 9) {
        memcpy(format.bits, data_formats[number & 15], 4);
        format.number = number >> 4 & 7;
        return format;
    }
    const struct run *runs = generation == 10 ? unified10 : unified11;
    for (size_t i = 0; i < sizeof unified10 / sizeof *unified10; i++) {
        if (number < runs[i].first || number >= runs[i].first + strlen(runs[i].numbers))
            continue;
        memcpy(format.bits, data_formats[runs[i].data], 4);
        format.number = (uint8_t)(strchr(kinds, runs[i].numbers[number - runs[i].first]) - kinds);
    }
    return format;
}

static uint32_t float_bits(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return bits;
}

static float half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    float value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                  : exponent     ? ldexpf((float)(mantissa | 1024), exponent - 25)
                                 : ldexpf((float)mantissa, -24);
    return bits & 0x8000 ? -value : value;
}

static uint16_t half_bits(float value) {
    uint16_t sign = signbit(value) ? 0x8000 : 0;
    value = fabsf(value);
    if (isnan(value))
        return sign | 0x7e00;
    if (value >= 65520)
        return sign | 0x7c00;
    int exponent;
    frexpf(value, &exponent);
    if (exponent < -13)
        exponent = -13; /* denormals share the least exponent */
    uint32_t mantissa = (uint32_t)nearbyintf(ldexpf(value, 11 - exponent));
    return (uint16_t)(sign |
                      (value == 0 ? 0 : (mantissa & 1024 || mantissa & 2048 ? ((uint32_t)(exponent + 13) << 10) + mantissa : mantissa)));
}

/* An unsigned float of 5 exponent bits and 6 or 5 of mantissa, truncated; negative numbers become 0. */
static uint32_t small_float_bits(float value, unsigned mantissa_bits) {
    uint32_t infinity = 31u << mantissa_bits;
    if (isnan(value))
        return infinity | 1;
    if (value <= 0)
        return 0;
    if (isinf(value))
        return infinity;
    int exponent;
    frexpf(value, &exponent); /* 0.5 <= fraction < 1 */
    exponent = exponent < -13 ? -13 : exponent;
    uint32_t mantissa = (uint32_t)ldexpf(value, (int)mantissa_bits + 1 - exponent); /* with its leading bit, if it is normal */
    uint32_t bits = ((uint32_t)(exponent + 13) << mantissa_bits) + mantissa;
    return bits < infinity ? bits : infinity - 1;
}

/* A component as the 32 bits (float or integer) that the shader sees. */
static uint32_t decode(uint32_t raw, unsigned bits, uint8_t number) {
    int32_t sign = bits == 32 ? (int32_t)raw : (int32_t)(raw << (32 - bits)) >> (32 - bits);
    double top = ldexp(1, (int)bits) - 1, half_top = ldexp(1, (int)bits - 1) - 1;
    switch ((enum number)number) {
    case UNORM:
        return float_bits((float)(raw / top));
    case SNORM:
    case SNORM_OLD:
        return float_bits((float)fmax(sign / half_top, -1));
    case USCALED:
        return float_bits((float)raw);
    case SSCALED:
        return float_bits((float)sign);
    case UINT:
        return raw;
    case SINT:
        return (uint32_t)sign;
    case FLOAT:
        break;
    }
    if (bits == 32)
        return raw;
    return float_bits(half_value((uint16_t)(bits == 16 ? raw : bits == 11 ? raw << 4 : raw << 5)));
}

static uint32_t encode(uint32_t value, unsigned bits, uint8_t number) {
    float f;
    memcpy(&f, &value, 4);
    double top = ldexp(1, (int)bits) - 1, half_top = ldexp(1, (int)bits - 1) - 1;
    uint32_t mask = bits == 32 ? UINT32_MAX : (1u << bits) - 1;
    switch ((enum number)number) {
    case UNORM:
        return (uint32_t)nearbyint(fmin(fmax(f, 0), 1) * top);
    case SNORM:
    case SNORM_OLD:
        return (uint32_t)(int32_t)nearbyint(fmin(fmax(f, -1), 1) * half_top) & mask;
    case USCALED:
        return (uint32_t)fmin(fmax(f, 0), top);
    case SSCALED:
        return (uint32_t)(int32_t)fmin(fmax(f, -half_top - 1), half_top) & mask;
    case UINT:
        return value > mask ? mask : value;
    case SINT:
        return bits == 32 ? value : (uint32_t)(int32_t)fmin(fmax((int32_t)value, -half_top - 1), half_top) & mask;
    case FLOAT:
        break;
    }
    return bits == 32 ? value : bits == 16 ? half_bits(f) : small_float_bits(f, bits - 5);
}

static unsigned format_bytes(const struct format *f) { return (f->bits[0] + f->bits[1] + f->bits[2] + f->bits[3] + 7u) / 8; }

/* Reads `bits` bits at bit `at`. */
static uint32_t get_bits(const uint8_t *memory, unsigned at, unsigned bits) {
    uint64_t word = 0;
    memcpy(&word, memory + at / 8, (at % 8 + bits + 7) / 8);
    return (uint32_t)(word >> at % 8) & (bits == 32 ? UINT32_MAX : (1u << bits) - 1);
}

static void put_bits(uint8_t *memory, unsigned at, unsigned bits, uint32_t value) {
    uint64_t word = 0, mask = (UINT64_C(1) << bits) - 1;
    unsigned bytes = (at % 8 + bits + 7) / 8;
    memcpy(&word, memory + at / 8, bytes);
    word = (word & ~(mask << at % 8)) | (value & mask) << at % 8;
    memcpy(memory + at / 8, &word, bytes);
}

/* An element, dword by dword, as swizzling can part them. */
static void copy_element(const struct place *p, uint8_t *bytes, uint32_t size, bool store) {
    for (uint32_t at = 0; at < size; at += 4) {
        uint32_t part = size - at < 4 ? size - at : 4;
        uint8_t *memory = memory_at(p, at);
        memcpy(store ? memory : bytes + at, store ? bytes + at : memory, part);
    }
}

static void load_typed(const struct buffer *b, const struct format *f, struct place place, uint32_t out[4]) {
    uint32_t one = f->number == UINT || f->number == SINT ? 1 : float_bits(1), components[4] = {0, 0, 0, 0};
    uint8_t bytes[16] = {0};
    bool ok = in_range(&place, 0, format_bytes(f));
    if (ok)
        copy_element(&place, bytes, format_bytes(f), false);
    components[3] = ok ? one : 0;
    for (unsigned i = 0, at = 0; i < 4 && f->bits[i]; at += f->bits[i++])
        components[i] = ok ? decode(get_bits(bytes, at, f->bits[i]), f->bits[i], f->number) : 0;
    for (unsigned i = 0; i < 4; i++) {
        uint32_t select = b->selects >> i * 3 & 7;
        if (b->selects == 0 || select >= 4)
            out[i] = components[b->selects ? select - 4 : i];
        else
            out[i] = select == 1 ? one : 0;
    }
}

/* ---- the three accesses --------------------------------------------------------------------- */

static uint32_t merge(uint32_t raw, uint32_t old, uint32_t element) {
    unsigned bits = element & 0xff;
    if (bits == 8)
        raw = element & WL_ELEMENT_SIGNED ? (uint32_t)(int8_t)raw : raw & 0xff;
    else if (bits == 16)
        raw = element & WL_ELEMENT_SIGNED ? (uint32_t)(int16_t)raw : raw & 0xffff;
    if (!(element & WL_ELEMENT_D16))
        return raw;
    return element & WL_ELEMENT_HIGH ? (old & 0xffff) | raw << 16 : (old & 0xffff0000) | (raw & 0xffff);
}

static struct format access_format(const struct buffer *b, uint32_t element) {
    return find_format(element & WL_ELEMENT_FORMAT ? element >> 21 & 127 : b->format, b->generation);
}

static bool is_float_format(const struct format *f) { return f->number != UINT && f->number != SINT; }

/* Where loads and stores without registers find a lane's dword in LDS. */
static uint8_t *lds_slot(const struct wl_wave *wave, uint32_t instruction_offset, uint32_t lane) {
    return wave->lds + (wave->sgpr[WL_SGPR_M0] & 0xffff) + instruction_offset + (size_t)lane * 4;
}

static void load_typed_lane(struct wl_wave *wave, const struct buffer *b, struct place place, uint32_t *destination, uint32_t lane,
                            uint32_t element, uint32_t instruction) {
    struct format format = access_format(b, element);
    unsigned count = element >> 8 & 15;
    uint32_t out[4];
    load_typed(b, &format, place, out);
    if (element & WL_ELEMENT_LDS) {
        memcpy(lds_slot(wave, instruction, lane), &out[0], 4);
        return;
    }
    for (unsigned i = 0; i < count && i < 4; i++) {
        if (!(element & WL_ELEMENT_D16)) {
            destination[i * wave->wave_size + lane] = out[i];
            continue;
        }
        float f;
        memcpy(&f, &out[i], 4);
        uint32_t half = is_float_format(&format) ? half_bits(f) : out[i] & 0xffff;
        uint32_t *d = &destination[i / 2 * wave->wave_size + lane];
        bool high = i % 2 || element & WL_ELEMENT_HIGH;
        *d = high ? (*d & 0xffff) | half << 16 : (*d & 0xffff0000) | half;
    }
}

void wl_help_buffer_load(struct wl_wave *wave, uint32_t *destination, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                         uint32_t offset, uint32_t element) {
    uint64_t exec = wl_exec(wave);
    uint32_t copy[2 * 64], bytes = (element & 0xff) / 8, count = element >> 8 & 15, instruction = offset;
    struct buffer b;
    read_descriptor(&b, descriptor, element);
    if (address) { /* the destination may be the address */
        uint32_t rows = (element & WL_ELEMENT_IDXEN ? 1 : 0) + (element & WL_ELEMENT_OFFEN ? 1 : 0);
        memcpy(copy, address, (size_t)rows * wave->wave_size * sizeof *copy);
    }
    for (uint32_t l = 0; l < wave->wave_size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        struct place place = locate(&b, wave, copy, soffset, offset, element, l);
        if (element & WL_ELEMENT_TFE) /* no page is missing here */
            destination[(size_t)(element & WL_ELEMENT_TYPED && element & WL_ELEMENT_D16 ? (count + 1) / 2 : count) * wave->wave_size + l] =
                0;
        if (element & WL_ELEMENT_TYPED) {
            load_typed_lane(wave, &b, place, destination, l, element, instruction);
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t raw = 0;
            if (in_range(&place, i * bytes, bytes))
                memcpy(&raw, memory_at(&place, i * bytes), bytes);
            if (element & WL_ELEMENT_LDS) {
                raw = merge(raw, 0, element);
                memcpy(lds_slot(wave, instruction, l), &raw, 4);
            } else {
                uint32_t *d = &destination[i * wave->wave_size + l];
                *d = merge(raw, *d, element);
            }
        }
    }
}

static void store_typed_lane(struct wl_wave *wave, const struct buffer *b, struct place place, const uint32_t *data, uint32_t lane,
                             uint32_t element) {
    struct format format = access_format(b, element);
    uint8_t bytes[16] = {0};
    (void)b;
    if (!in_range(&place, 0, format_bytes(&format)))
        return;
    for (unsigned i = 0, at = 0; i < 4 && format.bits[i]; at += format.bits[i++]) {
        uint32_t value = 0;
        if (i < (element >> 8 & 15)) {
            value = data[(element & WL_ELEMENT_D16 ? i / 2 : i) * wave->wave_size + lane];
            if (element & WL_ELEMENT_D16) {
                value = (i % 2 || element & WL_ELEMENT_HIGH) ? value >> 16 : value & 0xffff;
                if (is_float_format(&format))
                    value = float_bits(half_value((uint16_t)value));
                else if (format.number == SINT)
                    value = (uint32_t)(int16_t)value;
            }
        }
        put_bits(bytes, at, format.bits[i], encode(value, format.bits[i], format.number));
    }
    copy_element(&place, bytes, format_bytes(&format), true);
}

void wl_help_buffer_store(struct wl_wave *wave, const uint32_t *data, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                          uint32_t offset, uint32_t element) {
    uint64_t exec = wl_exec(wave);
    uint32_t bytes = (element & 0xff) / 8, count = element >> 8 & 15;
    struct buffer b;
    read_descriptor(&b, descriptor, element);
    for (uint32_t l = 0; l < wave->wave_size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        struct place place = locate(&b, wave, address, soffset, offset, element, l);
        if (element & WL_ELEMENT_TYPED) {
            store_typed_lane(wave, &b, place, data, l, element);
            continue;
        }
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = 0;
            if (element & WL_ELEMENT_LDS)
                memcpy(&value, lds_slot(wave, offset, l), 4);
            else
                value = data[i * wave->wave_size + l];
            if (element & WL_ELEMENT_HIGH)
                value >>= 16;
            if (in_range(&place, i * bytes, bytes))
                memcpy(memory_at(&place, i * bytes), &value, bytes);
        }
    }
}

void wl_help_buffer_atomic(struct wl_wave *wave, uint32_t *data, const uint32_t *address, const uint32_t *descriptor, uint32_t soffset,
                           uint32_t offset, uint32_t element, uint32_t operation) {
    uint64_t exec = wl_exec(wave);
    uint32_t bits = element & 0xff, words = bits / 32, size = wave->wave_size;
    bool two = wl_atomic_has_two(operation);
    struct buffer b;
    read_descriptor(&b, descriptor, element);
    for (uint32_t l = 0; l < size; l++) {
        if (!wl_lane_in(exec, l))
            continue;
        struct place place = locate(&b, wave, address, soffset, offset, element, l);
        uint64_t operands[2] = {0, 0}, old = 0;
        for (uint32_t i = 0; i < words * (two ? 2 : 1); i++)
            operands[i / words] |= (uint64_t)data[i * size + l] << i % words * 32;
        if (in_range(&place, 0, bits / 8))
            old = wl_atomic_lane(memory_at(&place, 0), operation, bits, operands[0], operands[1]);
        for (uint32_t i = 0; i < words && element & WL_ELEMENT_RETURN; i++)
            data[i * size + l] = (uint32_t)(old >> i * 32);
    }
}

/* ---- atomics of one lane -------------------------------------------------------------------- */

static float as_float(uint64_t bits) {
    float value;
    uint32_t low = (uint32_t)bits;
    memcpy(&value, &low, 4);
    return value;
}

static double as_double(uint64_t bits) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
}

static uint64_t from_double(double value) {
    uint64_t bits;
    memcpy(&bits, &value, 8);
    return bits;
}

static uint64_t flush_denormal(uint64_t bits) { return bits & 0x7f800000 ? bits : bits & 0x80000000; }

static uint64_t float_result(uint32_t operation, uint32_t bits, uint64_t old, uint64_t data) {
    double a = bits == 64 ? as_double(old) : as_float(old), b = bits == 64 ? as_double(data) : as_float(data);
    if (operation == WL_ATOMIC_FADD)
        return bits == 64 ? from_double(a + b) : float_bits(as_float(old) + as_float(data));
    if (a == b) /* -0 is less than +0 */
        return operation == WL_ATOMIC_FMIN ? old | data : old & data;
    if (isnan(b))
        return old;
    return (operation == WL_ATOMIC_FMIN ? a < b : a > b) ? old : data;
}

static uint32_t packed_add(uint32_t operation, uint32_t old, uint32_t data) {
    uint32_t result = 0;
    for (int half = 0; half < 2; half++) {
        uint16_t a = (uint16_t)(old >> half * 16), b = (uint16_t)(data >> half * 16), sum;
        if (operation == WL_ATOMIC_PK_ADD_F16) {
            sum = half_bits(half_value(a) + half_value(b));
        } else {
            uint32_t wide = float_bits(as_float((uint64_t)a << 16) + as_float((uint64_t)b << 16));
            bool nan = (wide & 0x7fffffff) > 0x7f800000;
            sum = (uint16_t)(nan ? wide >> 16 | 0x40 : (wide + 0x7fff + (wide >> 16 & 1)) >> 16);
        }
        result |= (uint32_t)sum << half * 16;
    }
    return result;
}

bool wl_atomic_has_two(uint32_t operation) {
    return operation == WL_ATOMIC_CMPSWAP || operation == WL_ATOMIC_MSKOR || operation == WL_ATOMIC_FCMPSWAP || operation == WL_ATOMIC_WRAP;
}

static uint64_t combine(uint32_t operation, uint32_t bits, uint64_t old, uint64_t data, uint64_t other) {
    int64_t so = bits == 64 ? (int64_t)old : (int32_t)old, sd = bits == 64 ? (int64_t)data : (int32_t)data;
    switch ((enum wl_atomic_op)operation) {
    case WL_ATOMIC_NONE:
        return old;
    case WL_ATOMIC_SWAP:
        return data;
    case WL_ATOMIC_CMPSWAP:
        return old == other ? data : old;
    case WL_ATOMIC_ADD:
        return old + data;
    case WL_ATOMIC_SUB:
        return old - data;
    case WL_ATOMIC_RSUB:
        return data - old;
    case WL_ATOMIC_SMIN:
        return so < sd ? old : data;
    case WL_ATOMIC_UMIN:
        return old < data ? old : data;
    case WL_ATOMIC_SMAX:
        return so > sd ? old : data;
    case WL_ATOMIC_UMAX:
        return old > data ? old : data;
    case WL_ATOMIC_AND:
        return old & data;
    case WL_ATOMIC_OR:
        return old | data;
    case WL_ATOMIC_XOR:
        return old ^ data;
    case WL_ATOMIC_INC:
        return old >= data ? 0 : old + 1;
    case WL_ATOMIC_DEC:
        return old == 0 || old > data ? data : old - 1;
    case WL_ATOMIC_FADD_FLUSH:
        return flush_denormal(float_bits(as_float(flush_denormal(old)) + as_float(flush_denormal(data))));
    case WL_ATOMIC_FADD:
    case WL_ATOMIC_FMIN:
    case WL_ATOMIC_FMAX:
        return float_result(operation, bits, old, data);
    case WL_ATOMIC_PK_ADD_F16:
    case WL_ATOMIC_PK_ADD_BF16:
        return packed_add(operation, (uint32_t)old, (uint32_t)data);
    case WL_ATOMIC_CSUB:
        return old < data ? 0 : old - data;
    case WL_ATOMIC_COND_SUB:
        return old >= data ? old - data : old;
    case WL_ATOMIC_MSKOR:
        return (old & ~data) | other;
    case WL_ATOMIC_FCMPSWAP:
        return (bits == 64 ? as_double(old) == as_double(other) : as_float(old) == as_float(other)) ? data : old;
    case WL_ATOMIC_ORDERED_ADD:
        return (uint32_t)old == (uint32_t)data ? (((old >> 32) + (data >> 32)) << 32 | (uint32_t)(old + 1)) : old;
    case WL_ATOMIC_WRAP:
        return old >= data ? old - data : old + other;
    }
    return old;
}

uint64_t wl_atomic_lane(void *memory, uint32_t operation, uint32_t bits, uint64_t data, uint64_t compare) {
    if (bits == 64) {
        uint64_t *word = memory, old = __atomic_load_n(word, __ATOMIC_RELAXED);
        while (
            !__atomic_compare_exchange_n(word, &old, combine(operation, 64, old, data, compare), true, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
            ;
        return old;
    }
    uint32_t *word = memory, old = __atomic_load_n(word, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(word, &old, (uint32_t)combine(operation, 32, old, (uint32_t)data, (uint32_t)compare), true,
                                        __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
        ;
    return old;
}
