/* Numbers of all of RCCL's types, as the tests put them into memory and read them back. */
#ifndef WL_TESTS_RCCL_NUMBERS_H
#define WL_TESTS_RCCL_NUMBERS_H

#include <rccl/rccl.h>

#include <cstdint>
#include <cstring>

struct number_type {
    const char *name;
    ncclDataType_t type;
    size_t size;
};

static const number_type number_types[] = {
    {"int8", ncclInt8, 1},       {"uint8", ncclUint8, 1},       {"int32", ncclInt32, 4},     {"uint32", ncclUint32, 4},
    {"int64", ncclInt64, 8},     {"uint64", ncclUint64, 8},     {"float16", ncclFloat16, 2}, {"float32", ncclFloat32, 4},
    {"float64", ncclFloat64, 8}, {"bfloat16", ncclBfloat16, 2},
};

template <class T> static void store(void *memory, size_t i, T value) { memcpy((char *)memory + i * sizeof value, &value, sizeof value); }

template <class T> static double load(const void *memory, size_t i) {
    T value;
    memcpy(&value, (const char *)memory + i * sizeof value, sizeof value);
    return (double)value;
}

/* Puts a number that the type has exactly. */
static void put_number(const number_type &type, void *memory, size_t i, double value) {
    switch (type.type) {
    case ncclInt8:
        return store(memory, i, (int8_t)value);
    case ncclUint8:
        return store(memory, i, (uint8_t)value);
    case ncclInt32:
        return store(memory, i, (int32_t)value);
    case ncclUint32:
        return store(memory, i, (uint32_t)value);
    case ncclInt64:
        return store(memory, i, (int64_t)value);
    case ncclUint64:
        return store(memory, i, (uint64_t)value);
    case ncclFloat16:
        return store(memory, i, (_Float16)value);
    case ncclFloat32:
        return store(memory, i, (float)value);
    case ncclFloat64:
        return store(memory, i, value);
    default: {
        const float single = (float)value;
        uint32_t bits;
        memcpy(&bits, &single, sizeof bits);
        return store(memory, i, (uint16_t)(bits >> 16));
    }
    }
}

static double get_number(const number_type &type, const void *memory, size_t i) {
    switch (type.type) {
    case ncclInt8:
        return load<int8_t>(memory, i);
    case ncclUint8:
        return load<uint8_t>(memory, i);
    case ncclInt32:
        return load<int32_t>(memory, i);
    case ncclUint32:
        return load<uint32_t>(memory, i);
    case ncclInt64:
        return load<int64_t>(memory, i);
    case ncclUint64:
        return load<uint64_t>(memory, i);
    case ncclFloat16:
        return load<_Float16>(memory, i);
    case ncclFloat32:
        return load<float>(memory, i);
    case ncclFloat64:
        return load<double>(memory, i);
    default: {
        const uint32_t bits = (uint32_t)load<uint16_t>(memory, i) << 16;
        float single;
        memcpy(&single, &bits, sizeof single);
        return single;
    }
    }
}

#endif
