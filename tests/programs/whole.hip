// Memory as others see it while it changes: half of the workgroups store, the other half load, and each lane's aligned 8 or 16 bytes have to
// arrive whole, whichever instruction moves them, however the lanes lie and whichever of them are active. Programs hand over a value and
// its flag so. Beside that, what a lane stores must not touch what belongs to others: bytes beside bytes, lanes beside lanes that are off.
//
//   whole [millions of accesses for each form, 0: a short run] [part of a form's name]
#include "check.h"

#include <functional>
#include <string>
#include <vector>

enum { ITEMS = 256, GROUPS = 4, TABLES = 4 };

enum Space { GLOBAL, FLAT, BUFFER };
enum Place {
    LINE,   // an element for each lane, side by side
    APART,  // with a gap of the same size
    ONE,    // the same for all lanes
    LISTED, // where a table says
};

template <unsigned dwords> struct Words;
template <> struct Words<2> {
    typedef uint32_t type __attribute__((ext_vector_type(2)));
};
template <> struct Words<4> {
    typedef uint32_t type __attribute__((ext_vector_type(4)));
};

#if defined(__HIP_DEVICE_COMPILE__)
#define GLOBAL_SPACE __attribute__((address_space(1)))
#else
#define GLOBAL_SPACE
#endif

// A descriptor of the whole of an array, as the compiler makes them.
__device__ static __amdgpu_buffer_rsrc_t describe(void *memory, unsigned bytes) {
#if defined(__GFX9__)
    const int flags = 0x00027000;
#else
    const int flags = 0x31004000;
#endif
    return __builtin_amdgcn_make_buffer_rsrc(memory, 0, (int)bytes, flags);
}

template <Space space, bool is_volatile, typename T> __device__ static T load(T *memory, unsigned slot, unsigned slots) {
    if constexpr (space == BUFFER) {
        __amdgpu_buffer_rsrc_t buffer = describe(memory, slots * (unsigned)sizeof(T));
        if constexpr (sizeof(T) == 16)
            return __builtin_bit_cast(T, __builtin_amdgcn_raw_buffer_load_b128(buffer, (int)(slot * sizeof(T)), 0, is_volatile ? 1 : 0));
        else
            return __builtin_bit_cast(T, __builtin_amdgcn_raw_buffer_load_b64(buffer, (int)(slot * sizeof(T)), 0, is_volatile ? 1 : 0));
    } else if constexpr (space == GLOBAL) {
        GLOBAL_SPACE T *p = (GLOBAL_SPACE T *)memory + slot;
        return is_volatile ? *(volatile GLOBAL_SPACE T *)p : *p;
    } else {
        return is_volatile ? *(volatile T *)(memory + slot) : memory[slot];
    }
}

template <Space space, bool is_volatile, typename T> __device__ static void store(T *memory, unsigned slot, unsigned slots, T value) {
    if constexpr (space == BUFFER) {
        __amdgpu_buffer_rsrc_t buffer = describe(memory, slots * (unsigned)sizeof(T));
        typedef uint32_t V __attribute__((__vector_size__(sizeof(T))));
        if constexpr (sizeof(T) == 16)
            __builtin_amdgcn_raw_buffer_store_b128(__builtin_bit_cast(V, value), buffer, (int)(slot * sizeof(T)), 0, is_volatile ? 1 : 0);
        else
            __builtin_amdgcn_raw_buffer_store_b64(__builtin_bit_cast(V, value), buffer, (int)(slot * sizeof(T)), 0, is_volatile ? 1 : 0);
    } else if constexpr (space == GLOBAL) {
        GLOBAL_SPACE T *p = (GLOBAL_SPACE T *)memory + slot;
        if (is_volatile)
            *(volatile GLOBAL_SPACE T *)p = value;
        else
            *p = value;
    } else if (is_volatile) {
        *(volatile T *)(memory + slot) = value;
    } else {
        memory[slot] = value;
    }
}

struct Result {
    unsigned long long torn, changes;
};

template <typename T> __host__ __device__ static T make(uint32_t x) {
    T value;
    for (unsigned d = 0; d < sizeof(T) / 4; d++)
        value[d] = x ^ d * 0x9e3779b9u;
    return value;
}

struct Race {
    unsigned rounds, storing; // workgroups that store; the others load
    uint64_t active;          // lanes of 64
    const unsigned *table;
    Result *result;
};

template <Space space, Place place, bool is_volatile, unsigned dwords> __global__ void race(void *memory, Race how) {
    using T = typename Words<dwords>::type;
    const unsigned item = threadIdx.x, slots = 2 * ITEMS + 2;
    const unsigned slot = place == LINE ? 1 + item : place == APART ? 1 + 2 * item : place == ONE ? 1 : how.table[item];
    T *elements = (T *)memory;
    if (space == FLAT)
        asm volatile("" : "+v"(elements)); // of which the compiler does not know that it is no address in LDS
    if (!(how.active >> item % 64 & 1))
        return;
    if (blockIdx.x < how.storing) {
#pragma clang loop unroll(disable)
        for (unsigned r = 0; r < how.rounds; r++) {
            asm volatile("" ::: "memory");
            store<space, is_volatile>(elements, slot, slots, make<T>(r * ITEMS + item + (blockIdx.x << 28)));
        }
        return;
    }
    unsigned torn = 0, changes = 0, last = 0;
#pragma clang loop unroll(disable)
    for (unsigned r = 0; r < how.rounds; r++) {
        asm volatile("" ::: "memory");
        const T value = load<space, is_volatile>(elements, slot, slots), whole = make<T>(value[0]);
        bool same = true;
        for (unsigned d = 1; d < dwords; d++)
            same &= value[d] == whole[d];
        torn += !same;
        changes += value[0] != last;
        last = value[0];
    }
    atomicAdd(&how.result->torn, (unsigned long long)torn);
    atomicAdd(&how.result->changes, (unsigned long long)changes);
}

struct Machine {
    void *memory;
    unsigned *tables[TABLES];
    Result *result;
    unsigned groups;
    double accesses; // of each form, those that load
    const char *part;
    unsigned long long changes;
};

static const char *const table_names[TABLES] = {"in order", "fours", "mixed", "one"};

static unsigned table_entry(unsigned table, unsigned item) {
    switch (table) {
    case 0:
        return 1 + item;
    case 1: // runs of four, apart
        return (item / 4 * 7 % (ITEMS / 4)) * 8 + item % 4;
    case 2:
        return item * 37 % ITEMS * 2;
    default:
        return 5;
    }
}

template <Space space, Place place, bool is_volatile, unsigned dwords> static void run(Machine &m) {
    static const char *const spaces[] = {"global", "flat", "buffer"}, *const places[] = {"line", "apart", "one", "listed"};
    static const struct {
        const char *name;
        uint64_t lanes;
    } masks[] = {{"all lanes", ~0ull}, {"some lanes", 0xd6b5ad6bf00f5a3cull}, {"one lane of each 16", 0x0100004000200004ull}};
    for (unsigned table = 0; table < (place == LISTED ? TABLES : 1u); table++)
        for (const auto &mask : masks) {
            std::string name = std::string(spaces[space]) + (is_volatile ? " volatile " : " ") + std::to_string(dwords * 4) + " " + places[place] +
                               (place == LISTED ? std::string(", ") + table_names[table] : "") + ", " + mask.name;
            if (name.find(m.part) == std::string::npos)
                continue;
            const unsigned storing = m.groups / 2, loading = m.groups - storing, lanes = (unsigned)__builtin_popcountll(mask.lanes) * ITEMS / 64;
            const unsigned rounds = (unsigned)(m.accesses / lanes / loading) + 1;
            Race how = {rounds, storing, mask.lanes, m.tables[table], m.result};
            using T = typename Words<dwords>::type;
            std::vector<T> whole(2 * ITEMS + 2, make<T>(0));
            HIP(hipMemcpy(m.memory, whole.data(), whole.size() * sizeof(T), hipMemcpyHostToDevice));
            HIP(hipMemset(m.result, 0, sizeof *m.result));
            hipLaunchKernelGGL((race<space, place, is_volatile, dwords>), dim3(m.groups), dim3(ITEMS), 0, 0, m.memory, how);
            HIP_FINISH();
            Result result;
            HIP(hipMemcpy(&result, m.result, sizeof result, hipMemcpyDeviceToHost));
            const double loads = (double)rounds * lanes * loading;
            m.changes += result.changes;
            if (m.accesses > 1e7 || result.torn)
                std::printf("%s: %llu of %.0f torn, %llu changes seen\n", name.c_str(), result.torn, loads, result.changes);
            EXPECT(result.torn == 0, "%s: %llu of %.0f torn", name.c_str(), result.torn, loads);
        }
}

template <Space space, bool is_volatile, unsigned dwords> static void run_places(Machine &m) {
    run<space, LINE, is_volatile, dwords>(m);
    run<space, APART, is_volatile, dwords>(m);
    run<space, ONE, is_volatile, dwords>(m);
    run<space, LISTED, is_volatile, dwords>(m);
}

template <Space space> static void run_sizes(Machine &m) {
    run_places<space, false, 2>(m);
    run_places<space, false, 4>(m);
    run_places<space, true, 2>(m);
    run_places<space, true, 4>(m);
}

int main(int argc, char **argv) {
    check_name = "whole";
    Machine m = {};
    const double millions = argc > 1 ? std::atof(argv[1]) : 0;
    m.accesses = millions > 0 ? millions * 1e6 : 3e5;
    m.part = argc > 2 ? argv[2] : "";
    m.groups = argc > 3 ? (unsigned)std::atoi(argv[3]) : GROUPS;
    HIP(hipMalloc(&m.memory, (2 * ITEMS + 2) * 16));
    HIP(hipMalloc((void **)&m.result, sizeof *m.result));
    for (unsigned t = 0; t < TABLES; t++) {
        std::vector<unsigned> entries;
        for (unsigned i = 0; i < ITEMS; i++)
            entries.push_back(table_entry(t, i));
        HIP(hipMalloc((void **)&m.tables[t], ITEMS * sizeof(unsigned)));
        HIP(hipMemcpy(m.tables[t], entries.data(), ITEMS * sizeof(unsigned), hipMemcpyHostToDevice));
    }
    run_sizes<GLOBAL>(m);
    run_sizes<FLAT>(m);
    run_sizes<BUFFER>(m);
    EXPECT(m.changes != 0, "nobody stored while others loaded");
    if (check_failures == 0)
        std::printf("PASS whole\n");
    return check_failures != 0;
}
