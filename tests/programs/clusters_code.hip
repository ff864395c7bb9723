// Kernels for gfx1250 that need its runtime: clusters of workgroups, barriers in LDS, 320 KiB of LDS. Clang before 22 does not know them:
// clusters_code.inc has what clang 22 makes of this file:
//     clang -x hip --offload-device-only --no-gpu-bundle-output --offload-arch=gfx1250 -O2 -nogpulib -nogpuinc clusters_code.hip
//     llvm-objcopy --strip-sections
#define KERNEL extern "C" __attribute__((global))
#define SHARED __attribute__((shared))
#define LOCAL  __attribute__((address_space(3)))
#define GLOBAL __attribute__((address_space(1)))

enum { WAVE = 32, IDS = 16, ROUNDS = 5, LDS = 320 * 1024 / 4 };

#define FENCE(SCOPE)   __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, SCOPE)
#define ITEM()         __builtin_amdgcn_workitem_id_x()
#define BUILTIN3(NAME) __builtin_amdgcn_##NAME##_x(), __builtin_amdgcn_##NAME##_y(), __builtin_amdgcn_##NAME##_z()

static inline __attribute__((device, always_inline)) void write_ids(unsigned *out, unsigned wide, unsigned high) {
    const unsigned ids[] = {BUILTIN3(workgroup_id),
                            BUILTIN3(cluster_id),
                            BUILTIN3(cluster_workgroup_id),
                            BUILTIN3(cluster_workgroup_max_id),
                            __builtin_amdgcn_cluster_workgroup_flat_id(),
                            __builtin_amdgcn_cluster_workgroup_max_flat_id()};
    const unsigned workgroup = ids[0] + wide * (ids[1] + high * ids[2]);
    for (unsigned i = 0; i < sizeof ids / sizeof *ids; i++)
        out[workgroup * IDS + i] = ids[i];
}

KERNEL __attribute__((cluster_dims(2, 2, 1))) void fixed_ids(unsigned *out, unsigned wide, unsigned high) { write_ids(out, wide, high); }
KERNEL void any_ids(unsigned *out, unsigned wide, unsigned high) { write_ids(out, wide, high); }

// Each workgroup hands a number to the next one of its cluster, round by round. Workgroups of several waves.
KERNEL void pass_on(GLOBAL unsigned *numbers, GLOBAL unsigned *out, unsigned size) {
    const unsigned workgroup = __builtin_amdgcn_workgroup_id_x(), first = workgroup / size * size, next = first + (workgroup + 1) % size;
    unsigned sum = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (ITEM() == 0)
            numbers[next] = (round + 1) * (workgroup + 7);
        FENCE("agent");
        __builtin_amdgcn_s_cluster_barrier();
        FENCE("agent");
        sum = sum * 3 + __hip_atomic_load(&numbers[workgroup], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        __builtin_amdgcn_s_cluster_barrier();
    }
    out[workgroup * __builtin_amdgcn_workgroup_size_x() + ITEM()] = sum;
}

// All workgroups of the grid wait for each other, in clusters or not.
KERNEL void meet(GLOBAL unsigned *count, unsigned all) {
    __builtin_amdgcn_s_cluster_barrier();
    if (ITEM() == 0) {
        __hip_atomic_fetch_add(count, 1, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
        while (__hip_atomic_load(count, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT) < all)
            __builtin_amdgcn_s_sleep(1);
    }
    __builtin_amdgcn_s_cluster_barrier();
}

// The workgroups of a cluster load the same rows, each a step later than the one before it, to places of its own: nothing but a workgroup's own loads
// may write to its LDS. `tiles`: by the tensor data mover, for which a row is a tile of one dimension.
typedef int group4 __attribute__((ext_vector_type(4)));
typedef int group8 __attribute__((ext_vector_type(8)));

static inline __attribute__((device, always_inline)) void load_row(GLOBAL const int *row, LOCAL int *place, unsigned mask) {
    __builtin_amdgcn_cluster_load_async_to_lds_b32((GLOBAL int *)row + ITEM(), place + ITEM(), 0, 0, (int)mask);
    __builtin_amdgcn_s_wait_asynccnt(0);
}

static inline __attribute__((device, always_inline)) void load_tile(GLOBAL const int *row, LOCAL int *place, unsigned mask) {
    const unsigned long from = (unsigned long)row;
    const group4 where = {1, (int)(unsigned)(unsigned long)place, (int)from, (int)(from >> 32 | 2u << 30)};
    const group8 what = {(int)(mask | 2 << 16), WAVE << 16, 1 << 16, WAVE << 16, 1, 0, 0, 0};
    __builtin_amdgcn_tensor_load_to_lds_d2(where, what, 0);
    __builtin_amdgcn_s_wait_tensorcnt(0);
}

static inline __attribute__((device, always_inline)) void load_rows(GLOBAL const int *in, GLOBAL int *out, unsigned size, unsigned mask,
                                                                    bool tiles) {
    SHARED int rows[8][WAVE];
    const unsigned workgroup = __builtin_amdgcn_workgroup_id_x(), rank = __builtin_amdgcn_cluster_workgroup_flat_id();
    LOCAL int *place = (LOCAL int *)rows[rank / 2];
    unsigned sum = 0;
    for (unsigned i = 0; i < 8; i++)
        rows[i][ITEM()] = -1;
    for (unsigned step = 0; step < 2 * size; step++) {
        const unsigned round = step - rank;
        FENCE("workgroup");
        if (round < size && tiles)
            load_tile(in + (workgroup - rank + round) * WAVE, place, mask);
        else if (round < size)
            load_row(in + (workgroup - rank + round) * WAVE, place, mask);
        FENCE("workgroup");
        __builtin_amdgcn_s_cluster_barrier();
        sum = sum * 3 + (unsigned)place[WAVE - 1 - ITEM()];
    }
    out[workgroup * WAVE + ITEM()] = (int)sum + __builtin_amdgcn_cluster_load_b32((GLOBAL int *)(in + ITEM()), 0, (int)mask);
}

KERNEL void multicast(GLOBAL const int *in, GLOBAL int *out, unsigned size, unsigned mask) { load_rows(in, out, size, mask, false); }
KERNEL void multicast_tiles(GLOBAL const int *in, GLOBAL int *out, unsigned size, unsigned mask) { load_rows(in, out, size, mask, true); }

// A workgroup that ends is missed by nobody.
KERNEL void leave(GLOBAL unsigned *out) {
    if (__builtin_amdgcn_cluster_workgroup_flat_id() == 1)
        return;
    __builtin_amdgcn_s_cluster_barrier();
    out[__builtin_amdgcn_workgroup_id_x()] = 5;
}

static inline __attribute__((device, always_inline)) void arrive(long *barrier) {
    const long before = __builtin_amdgcn_ds_atomic_barrier_arrive_rtn_b64((LOCAL long *)barrier, 1);
    asm volatile("" : : "v"(before)); // clang takes it for a function without effects
}

// Waves hand rows to one wave by barriers in LDS, whose phases it looks at.
KERNEL void phases(GLOBAL int *out) {
    SHARED long full, empty;
    SHARED int rows[3 * WAVE];
    const unsigned wave = __builtin_amdgcn_readfirstlane(ITEM() / WAVE), lane = ITEM() % WAVE;
    if (ITEM() == 0) {
        full = (long)(3 * WAVE - 1) << 32 | (3 * WAVE - 1); /* each lane of three waves */
        empty = (long)(WAVE - 1) << 32 | (WAVE - 1);
    }
    FENCE("workgroup");
    __builtin_amdgcn_s_barrier();
    FENCE("workgroup");
    if (wave < 3) {
        for (int round = 0; round < ROUNDS; round++) {
            rows[wave * WAVE + lane] = (round + 1) * (int)(wave + 3 * lane);
            FENCE("workgroup");
            if (round % 2)
                arrive(&full);
            else
                __builtin_amdgcn_ds_atomic_async_barrier_arrive_b64((LOCAL long *)&full);
            while ((*(volatile long *)&empty >> 29 & 1) == round % 2)
                __builtin_amdgcn_s_sleep(1);
            FENCE("workgroup");
        }
        return;
    }
    int sum = 0;
    for (int round = 0; round < ROUNDS; round++) {
        while ((*(volatile long *)&full >> 29 & 1) == round % 2)
            __builtin_amdgcn_s_sleep(1);
        FENCE("workgroup");
        for (unsigned i = 0; i < 3; i++)
            sum = sum * 5 + rows[i * WAVE + lane];
        FENCE("workgroup");
        arrive(&empty);
    }
    out[lane] = sum;
}

// Both ends of 320 KiB, mirrored.
KERNEL void large(GLOBAL int *out) {
    SHARED int lds[LDS];
    const int item = (int)ITEM(), size = __builtin_amdgcn_workgroup_size_x();
    for (int i = item; i < LDS; i += size)
        lds[i] = i * 3;
    FENCE("workgroup");
    __builtin_amdgcn_s_barrier();
    FENCE("workgroup");
    int sum = 0;
    for (int i = item; i < LDS; i += size)
        sum ^= lds[LDS - 1 - i] + i;
    out[__builtin_amdgcn_workgroup_id_x() * size + item] = sum;
}
