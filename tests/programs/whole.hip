// Memory as others see it while it changes: workgroups store and load in turn, half of them the one, half the other, and each lane's aligned 8 or 16 bytes have to
// arrive whole, whichever instruction moves them, however the lanes lie and whichever of them are active. Programs hand over a value and
// its flag so. Where some lanes are off, memory may end between them and those that are on. Beside that, what a lane stores must not touch
// what belongs to others: bytes beside bytes, lanes beside lanes that are off.
//
//   whole [millions of accesses for each form, 0: a short run] [part of a form's name]
#include "check.h"

#include <algorithm>
#include <functional>
#include <string>
#include <type_traits>
#include <vector>

enum { ITEMS = 256, GROUPS = 4, TABLES = 4, ROUNDS = 64 };

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
    unsigned turns;  // of each workgroup, which stores in one and loads in the next
    uint64_t active; // lanes of 64
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
    unsigned torn = 0, changes = 0, last = 0;
#pragma clang loop unroll(disable)
    for (unsigned turn = 0; turn < how.turns; turn++) {
        if ((turn + blockIdx.x) % 2) {
#pragma clang loop unroll(disable)
            for (unsigned r = 0; r < ROUNDS; r++) {
                asm volatile("" ::: "memory");
                store<space, is_volatile>(elements, slot, slots, make<T>((turn * ROUNDS + r) * ITEMS + item + (blockIdx.x << 28)));
            }
            continue;
        }
#pragma clang loop unroll(disable)
        for (unsigned r = 0; r < ROUNDS; r++) {
            asm volatile("" ::: "memory");
            const T value = load<space, is_volatile>(elements, slot, slots), whole = make<T>(value[0]);
            bool same = true;
            for (unsigned d = 1; d < dwords; d++)
                same &= value[d] == whole[d];
            torn += !same;
            changes += value[0] != last;
            last = value[0];
        }
    }
    atomicAdd(&how.result->torn, (unsigned long long)torn);
    atomicAdd(&how.result->changes, (unsigned long long)changes);
}

// Where the elements of the active lanes lie: somewhere, at the front or at the end of what is mapped. A host's access under a mask then
// reaches beyond, for lanes that are off.
enum Edge { NONE, FRONT, END, EDGES };
static const char *const edge_names[EDGES] = {"", ", at the front", ", at the end"};

struct Machine {
    void *memory, *edge[2]; // edge: where a mapping begins and where it ends, beside addresses that are reserved
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

static void expect_whole(Machine &m, const std::string &name, double loads) {
    Result result;
    HIP_FINISH();
    HIP(hipMemcpy(&result, m.result, sizeof result, hipMemcpyDeviceToHost));
    m.changes += result.changes;
    if (m.accesses > 1e7 || result.torn)
        std::printf("%s: %llu of %.0f torn, %llu changes seen\n", name.c_str(), result.torn, loads, result.changes);
    EXPECT(result.torn == 0, "%s: %llu of %.0f torn", name.c_str(), result.torn, loads);
}

static unsigned slot_of(Place place, unsigned table, unsigned item) {
    return place == LINE ? 1 + item : place == APART ? 1 + 2 * item : place == ONE ? 1 : table_entry(table, item);
}

// The array in which the active items' elements begin or end where the mapping does.
template <typename T> static T *place_elements(const Machine &m, Edge edge, Place place, unsigned table, uint64_t lanes) {
    unsigned least = ~0u, most = 0;
    for (unsigned i = 0; i < ITEMS; i++)
        if (lanes >> i % 64 & 1) {
            least = std::min(least, slot_of(place, table, i));
            most = std::max(most, slot_of(place, table, i));
        }
    T *elements = edge == NONE ? (T *)m.memory : edge == FRONT ? (T *)m.edge[0] - least : (T *)m.edge[1] - most - 1;
    const std::vector<T> whole(most - least + 1, make<T>(0));
    HIP(hipMemcpy(elements + least, whole.data(), whole.size() * sizeof(T), hipMemcpyHostToDevice));
    return elements;
}

template <Space space, Place place, bool is_volatile, unsigned dwords> static void run(Machine &m) {
    static const char *const spaces[] = {"global", "flat", "buffer"}, *const places[] = {"line", "apart", "one", "listed"};
    static const struct {
        const char *name;
        uint64_t lanes;
    } masks[] = {{"all lanes", ~0ull}, {"some lanes", 0xd6b5ad6bf00f5a3cull}, {"one lane of each 16", 0x0100004000200004ull}};
    for (unsigned table = 0; table < (place == LISTED ? TABLES : 1u); table++)
        for (const auto &mask : masks)
            for (unsigned edge = NONE; edge < (mask.lanes == ~0ull || !m.edge[0] ? FRONT : EDGES); edge++) {
                std::string name = std::string(spaces[space]) + (is_volatile ? " volatile " : " ") + std::to_string(dwords * 4) + " " +
                                   places[place] + (place == LISTED ? std::string(", ") + table_names[table] : "") + ", " + mask.name +
                                   edge_names[edge];
                if (name.find(m.part) == std::string::npos)
                    continue;
                const unsigned lanes = (unsigned)__builtin_popcountll(mask.lanes) * ITEMS / 64;
                const unsigned turns = ((unsigned)(m.accesses / lanes / m.groups / ROUNDS) + 1) * 2;
                Race how = {turns, mask.lanes, m.tables[table], m.result};
                using T = typename Words<dwords>::type;
                T *elements = place_elements<T>(m, (Edge)edge, place, table, mask.lanes);
                HIP(hipMemset(m.result, 0, sizeof *m.result));
                hipLaunchKernelGGL((race<space, place, is_volatile, dwords>), dim3(m.groups), dim3(ITEMS), 0, 0, elements, how);
                expect_whole(m, name, (double)turns / 2 * ROUNDS * lanes * m.groups);
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

// ---- scalar loads of what vector stores write, and images ----

// Two or four dwords by the scalar unit, as they are in memory now.
template <typename T> __device__ static T load_scalar([[maybe_unused]] const T *from) {
    T value = make<T>(0);
#if defined(__gfx1100__)
    if constexpr (sizeof(T) == 16)
        asm volatile("s_dcache_inv\n\ts_load_b128 %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)" : "=s"(value) : "s"(from) : "memory");
    else
        asm volatile("s_dcache_inv\n\ts_load_b64 %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)" : "=s"(value) : "s"(from) : "memory");
#elif defined(__HIP_DEVICE_COMPILE__)
    if constexpr (sizeof(T) == 16)
        asm volatile("s_dcache_inv\n\ts_load_dwordx4 %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)" : "=s"(value) : "s"(from) : "memory");
    else
        asm volatile("s_dcache_inv\n\ts_load_dwordx2 %0, %1, 0x0\n\ts_waitcnt lgkmcnt(0)" : "=s"(value) : "s"(from) : "memory");
#endif
    return value;
}

enum { SLOTS = 64 };

template <unsigned dwords> __global__ void race_scalars(void *memory, Race how) {
    using T = typename Words<dwords>::type;
    T *elements = (T *)memory;
    unsigned torn = 0, changes = 0, last = 0;
    for (unsigned turn = 0; turn < how.turns; turn++)
        for (unsigned r = 0; r < ROUNDS; r++) {
            if ((turn + blockIdx.x) % 2) {
                *(volatile T *)(elements + threadIdx.x % SLOTS) = make<T>((turn * ROUNDS + r) * SLOTS + threadIdx.x + (blockIdx.x << 28));
                continue;
            }
            const T value = load_scalar(elements + r % SLOTS), whole = make<T>(value[0]);
            for (unsigned d = 1; d < dwords; d++)
                torn += value[d] != whole[d];
            changes += value[0] != last;
            last = value[0];
        }
    if (threadIdx.x == 0) {
        atomicAdd(&how.result->torn, (unsigned long long)torn);
        atomicAdd(&how.result->changes, (unsigned long long)changes);
    }
}

#if !defined(__HIP_NO_IMAGE_SUPPORT) || !__HIP_NO_IMAGE_SUPPORT
// Texels of 16 and 8 bytes, which a workgroup stores and another one loads.
template <unsigned dwords> __global__ void race_texels(hipSurfaceObject_t surface, Race how) {
    using V = std::conditional_t<dwords == 4, float4, float2>;
    enum { EXACT = 0xffffff }; // numbers that floats hold
    float last = 0;
    unsigned torn = 0, changes = 0;
    for (unsigned turn = 0; turn < how.turns; turn++)
        for (unsigned r = 0; r < ROUNDS; r++) {
            const int at = (int)((threadIdx.x + (r & 1)) % SLOTS * sizeof(V));
            V texel;
            if ((turn + blockIdx.x) % 2) {
                const unsigned x = ((turn * ROUNDS + r) * SLOTS + threadIdx.x + (blockIdx.x << 20)) & EXACT;
                texel.x = (float)x;
                texel.y = (float)(x ^ EXACT);
                if constexpr (dwords == 4) {
                    texel.z = (float)(x ^ 0x5a5a5a);
                    texel.w = (float)(x ^ 0xf00ff0);
                }
                surf1Dwrite(texel, surface, at);
                continue;
            }
            surf1Dread(&texel, surface, at);
            const unsigned x = (unsigned)texel.x;
            if (texel.x != 0 || texel.y != 0) { // as it was before the first store
                torn += (unsigned)texel.y != (x ^ EXACT);
                if constexpr (dwords == 4)
                    torn += (unsigned)texel.z != (x ^ 0x5a5a5a) || (unsigned)texel.w != (x ^ 0xf00ff0);
            }
            changes += texel.x != last;
            last = texel.x;
        }
    atomicAdd(&how.result->torn, (unsigned long long)torn);
    atomicAdd(&how.result->changes, (unsigned long long)changes);
}
#else
template <unsigned dwords> __global__ void race_texels(hipSurfaceObject_t, Race) {}
#endif

template <unsigned dwords> static void run_scalars_and_texels(Machine &m) {
    using T = typename Words<dwords>::type;
    const std::vector<T> whole(SLOTS, make<T>(0));
    const std::string bytes = std::to_string(dwords * 4);
    if (("scalar loads " + bytes).find(m.part) != std::string::npos) {
        const unsigned turns = ((unsigned)(m.accesses / m.groups / ROUNDS / 16) + 1) * 2; // one for the wave takes as long as its lanes' do
        HIP(hipMemcpy(m.memory, whole.data(), SLOTS * sizeof(T), hipMemcpyHostToDevice));
        HIP(hipMemset(m.result, 0, sizeof *m.result));
        hipLaunchKernelGGL(race_scalars<dwords>, dim3(m.groups), dim3(SLOTS), 0, 0, m.memory, (Race{turns, 0, nullptr, m.result}));
        expect_whole(m, "scalar loads " + bytes, (double)turns / 2 * ROUNDS * m.groups);
    }
    int has_images = 0;
    HIP(hipDeviceGetAttribute(&has_images, hipDeviceAttributeImageSupport, 0));
    if (!has_images || ("texels " + bytes).find(m.part) == std::string::npos)
        return;
    const unsigned turns = ((unsigned)(m.accesses / SLOTS / m.groups / ROUNDS) + 1) * 2;
    const hipChannelFormatDesc format = {32, 32, dwords == 4 ? 32 : 0, dwords == 4 ? 32 : 0, hipChannelFormatKindFloat};
    hipResourceDesc resource = {};
    hipSurfaceObject_t surface;
    resource.resType = hipResourceTypeArray;
    HIP(hipMallocArray(&resource.res.array.array, &format, SLOTS, 0, hipArraySurfaceLoadStore));
    const std::vector<T> nothing(SLOTS);
    HIP(hipMemcpy2DToArray(resource.res.array.array, 0, 0, nothing.data(), SLOTS * sizeof(T), SLOTS * sizeof(T), 1, hipMemcpyHostToDevice));
    HIP(hipCreateSurfaceObject(&surface, &resource));
    HIP(hipMemset(m.result, 0, sizeof *m.result));
    hipLaunchKernelGGL(race_texels<dwords>, dim3(m.groups), dim3(SLOTS), 0, 0, surface, (Race{turns, 0, nullptr, m.result}));
    expect_whole(m, "texels " + bytes, (double)turns / 2 * ROUNDS * SLOTS * m.groups);
    HIP(hipDestroySurfaceObject(surface));
    HIP(hipFreeArray(resource.res.array.array));
}

// ---- what is beside a lane's bytes is left alone ----

template <unsigned bytes> struct Element;
template <> struct Element<1> {
    typedef uint8_t type;
};
template <> struct Element<2> {
    typedef uint16_t type;
};
template <> struct Element<4> {
    typedef uint32_t type;
};
template <> struct Element<8> {
    typedef Words<2>::type type;
};
template <> struct Element<16> {
    typedef Words<4>::type type;
};

template <typename T> __device__ static T fill(uint32_t x) {
    if constexpr (sizeof(T) > 4)
        return make<T>(x);
    else
        return (T)x;
}

template <typename T> __device__ static bool differs(T a, T b) {
    if constexpr (sizeof(T) <= 4) {
        return a != b;
    } else {
        bool any = false;
        for (unsigned d = 0; d < sizeof(T) / 4; d++)
            any |= a[d] != b[d];
        return any;
    }
}

// Each of GROUPS workgroups stores to every GROUPSth element and looks whether what it stored stays there. `between`: its lanes that are on have
// elements of their own number, so that others lie in the same row; else lane i has the i-th of the workgroup's.
template <Space space, bool between, unsigned bytes> __global__ void neighbours(void *memory, unsigned rounds, Result *result) {
    using T = typename Element<bytes>::type;
    const unsigned item = threadIdx.x, group = blockIdx.x % GROUPS, slot = between ? item : item * GROUPS + group;
    T *elements = (T *)memory;
    if (space == FLAT)
        asm volatile("" : "+v"(elements));
    if (between && item % GROUPS != group)
        return;
    unsigned lost = 0;
#pragma clang loop unroll(disable)
    for (unsigned r = 0; r < rounds; r++) {
        const T value = fill<T>(r * 7 + item);
        if constexpr (space == GLOBAL) {
            *((GLOBAL_SPACE T *)elements + slot) = value;
            asm volatile("" ::: "memory");
            lost += differs(*((volatile GLOBAL_SPACE T *)elements + slot), value);
        } else {
            elements[slot] = value;
            asm volatile("" ::: "memory");
            lost += differs(*(volatile T *)(elements + slot), value);
        }
    }
    atomicAdd(&result->torn, (unsigned long long)lost);
}

template <Space space, bool between, unsigned bytes> static void run_neighbours(Machine &m) {
    const std::string name =
        std::string(space == GLOBAL ? "global " : "flat ") + std::to_string(bytes) + (between ? " between" : " beside");
    if (name.find(m.part) == std::string::npos)
        return;
    const unsigned rounds = (unsigned)(m.accesses / ITEMS / GROUPS) + 1;
    Result result;
    HIP(hipMemset(m.result, 0, sizeof *m.result));
    hipLaunchKernelGGL((neighbours<space, between, bytes>), dim3(GROUPS), dim3(ITEMS), 0, 0, m.memory, rounds, m.result);
    HIP_FINISH();
    HIP(hipMemcpy(&result, m.result, sizeof result, hipMemcpyDeviceToHost));
    if (m.accesses > 1e7 || result.torn)
        std::printf("%s: %llu lost\n", name.c_str(), result.torn);
    EXPECT(result.torn == 0, "%s: %llu lost", name.c_str(), result.torn);
}

template <Space space, bool between> static void run_neighbours(Machine &m) {
    run_neighbours<space, between, 1>(m);
    run_neighbours<space, between, 2>(m);
    run_neighbours<space, between, 4>(m);
    run_neighbours<space, between, 8>(m);
    run_neighbours<space, between, 16>(m);
}

// ---- loads behind stores ----

enum { SPACING = 32 }; // words
enum Fence { THREADFENCE, ATOMICS, MESSAGE, LANES };

struct Order {
    unsigned pairs, rounds;
    unsigned *left, *right, *seen[2]; // places of each, apart; what the two sides saw
    unsigned *progress;               // of the sides of each pair, apart
};

__device__ static void wait_for_stores() {
#if defined(__GFX9__)
    asm volatile("s_waitcnt vmcnt(0)" ::: "memory");
#elif defined(__HIP_DEVICE_COMPILE__)
    asm volatile("s_waitcnt_vscnt null, 0x0" ::: "memory");
#endif
}

// Item 0 of workgroup 2p and of 2p + 1 meet in place p, round after round: each stores to its own word and loads the other's.
template <Fence fence> __global__ void order(Order o) {
    const unsigned side = blockIdx.x / o.pairs, pair = blockIdx.x % o.pairs;
    unsigned *here = o.progress + (pair * 2 + side) * SPACING, *there = o.progress + (pair * 2 + 1 - side) * SPACING;
    for (unsigned r = 0; r < o.rounds; r++) {
        atomicAdd(here, threadIdx.x == 0 ? 1 : 0);
        for (unsigned patience = 40; patience && atomicAdd(there, 0) < r + 1; patience--)
            ; // they meet if both run
        const unsigned at = (pair * o.rounds + r) * SPACING;
        unsigned *mine = (side ? o.right : o.left) + at, *other = (side ? o.left : o.right) + at, saw;
        if (fence == MESSAGE && side == 0) {
            *(volatile unsigned *)other = r + 7;
            __threadfence();
            *(volatile unsigned *)mine = 1;
            saw = 1;
        } else if (fence == MESSAGE) { // flag, then what it stands for
            saw = *(volatile unsigned *)other;
            __threadfence();
            saw = saw == 0 || *(volatile unsigned *)mine == r + 7;
        } else if (fence == LANES) { // a store of all lanes, then the flag, which is looked at by the scalar unit
            saw = 1;
            if (side == 0) {
                other[1 + threadIdx.x] = r + 7;
                wait_for_stores();
                if (threadIdx.x == 0)
                    *(volatile unsigned *)mine = 1;
            } else if (load_scalar((const Words<2>::type *)other)[0] == 1) {
                saw = __all(*(volatile unsigned *)(mine + 1 + threadIdx.x) == r + 7);
            }
        } else if (fence == THREADFENCE) {
            *(volatile unsigned *)mine = 1;
            __threadfence();
            saw = *(volatile unsigned *)other;
        } else {
            __hip_atomic_store(mine, 1u, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
            saw = __hip_atomic_load(other, __ATOMIC_SEQ_CST, __HIP_MEMORY_SCOPE_AGENT);
        }
        o.seen[side][pair * o.rounds + r] = saw;
    }
}

template <Fence fence> static void run_order(Machine &m, const char *name) {
    if (std::string(name).find(m.part) == std::string::npos)
        return;
    enum { MEETINGS = 20000 };
    Order o = {m.groups / 2, MEETINGS, nullptr, nullptr, {nullptr, nullptr}, nullptr};
    const size_t count = (size_t)o.pairs * MEETINGS;
    HIP(hipMalloc((void **)&o.left, count * SPACING * sizeof(unsigned)));
    HIP(hipMalloc((void **)&o.right, count * SPACING * sizeof(unsigned)));
    HIP(hipMalloc((void **)&o.progress, (size_t)o.pairs * 2 * SPACING * sizeof(unsigned)));
    HIP(hipMalloc((void **)&o.seen[0], count * sizeof(unsigned)));
    HIP(hipMalloc((void **)&o.seen[1], count * sizeof(unsigned)));
    unsigned long long neither = 0, both = 0;
    for (unsigned times = m.accesses > 1e7 ? 10 : 1; times; times--) {
        HIP(hipMemset(o.progress, 0, (size_t)o.pairs * 2 * SPACING * sizeof(unsigned)));
        HIP(hipMemset(o.left, 0, count * SPACING * sizeof(unsigned)));
        HIP(hipMemset(o.right, 0, count * SPACING * sizeof(unsigned)));
        hipLaunchKernelGGL(order<fence>, dim3(2 * o.pairs), dim3(fence == LANES ? SPACING - 1 : 1), 0, 0, o);
        HIP_FINISH();
        std::vector<unsigned> seen[2] = {std::vector<unsigned>(count), std::vector<unsigned>(count)};
        for (unsigned i = 0; i < 2; i++)
            HIP(hipMemcpy(seen[i].data(), o.seen[i], count * sizeof(unsigned), hipMemcpyDeviceToHost));
        for (size_t i = 0; i < count; i++) {
            neither += fence == MESSAGE || fence == LANES ? !seen[1][i] : !seen[0][i] && !seen[1][i];
            both += seen[0][i] && seen[1][i];
        }
    }
    if (m.accesses > 1e7 || neither)
        std::printf("%s: %llu times out of order, %llu times both saw the other\n", name, neither, both);
    EXPECT(neither == 0, "%s: %llu times out of order", name, neither);
    for (unsigned *memory : {o.left, o.right, o.seen[0], o.seen[1], o.progress})
        HIP(hipFree(memory));
}

// Maps memory in the middle of reserved addresses, where the device can.
static void map_edges(Machine &m) {
    hipMemAllocationProp properties = {};
    properties.type = hipMemAllocationTypePinned;
    properties.location = {hipMemLocationTypeDevice, 0};
    hipMemAccessDesc access = {properties.location, hipMemAccessFlagsProtReadWrite};
    hipMemGenericAllocationHandle_t handle;
    size_t unit = 0;
    void *address = nullptr;
    const hipError_t status = hipMemGetAllocationGranularity(&unit, &properties, hipMemAllocationGranularityMinimum);
    if (status == hipErrorNotSupported)
        return;
    HIP(status);
    const size_t size = (((size_t)GROUPS * ITEMS + 2) * 16 + unit - 1) / unit * unit;
    HIP(hipMemAddressReserve(&address, size + 2 * unit, 0, nullptr, 0));
    HIP(hipMemCreate(&handle, size, &properties, 0));
    m.edge[0] = (char *)address + unit;
    m.edge[1] = (char *)m.edge[0] + size;
    HIP(hipMemMap(m.edge[0], size, 0, handle, 0));
    HIP(hipMemSetAccess(m.edge[0], size, &access, 1));
}

int main(int argc, char **argv) {
    check_name = "whole";
    Machine m = {};
    const double millions = argc > 1 ? std::atof(argv[1]) : 0;
    m.accesses = millions > 0 ? millions * 1e6 : 3e5;
    m.part = argc > 2 ? argv[2] : "";
    m.groups = argc > 3 ? (unsigned)std::atoi(argv[3]) : GROUPS;
    HIP(hipMalloc(&m.memory, (GROUPS * ITEMS + 2) * 16));
    map_edges(m);
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
    run_scalars_and_texels<2>(m);
    run_scalars_and_texels<4>(m);
    run_neighbours<GLOBAL, false>(m);
    run_neighbours<GLOBAL, true>(m);
    run_neighbours<FLAT, false>(m);
    run_neighbours<FLAT, true>(m);
    run_order<THREADFENCE>(m, "order by fences");
    run_order<ATOMICS>(m, "order by atomics");
    run_order<MESSAGE>(m, "order of messages");
    run_order<LANES>(m, "order of messages of all lanes, seen by scalar loads");
    EXPECT(m.changes != 0 || *m.part, "nobody stored while others loaded");
    if (check_failures == 0)
        std::printf("PASS whole\n");
    return check_failures != 0;
}
