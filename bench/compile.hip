// Kernels of about 50, 300, 1,000 and 3,000 instructions, for the benchmark of first launches (compile.c).
//
// Each is a mix as in ordinary code: loads and stores of global memory, address arithmetic, f32 arithmetic with roots and
// quotients, integers, comparisons, selections, a loop, a branch for some lanes, LDS and a barrier, again and again with other
// constants. The memory that is read is n floats, n a power of two.
#define GLOBAL __attribute__((global))
#define DEVICE static __attribute__((device, always_inline)) inline
#define SHARED __attribute__((shared))

DEVICE int item() { return (int)__builtin_amdgcn_workitem_id_x(); }

DEVICE void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

template <int PART> DEVICE float part(float x, const float *in, float *lds, int i, int n) {
    int j = (i * (2 * PART + 3) + PART) & (n - 1);
    float y = in[j];
    unsigned bits = __builtin_bit_cast(unsigned, x) ^ (unsigned)(j << (PART % 7));
    for (int k = 0; k < n; k += n / 4 + PART)
        y = __builtin_fmaf(y, 0.5f, in[(j + k) & (n - 1)]);
    if (bits & (1u << (PART % 5)))
        x = x * y + (float)(bits >> 9);
    else
        x = __builtin_sqrtf(x * x + 1.0f) - y;
    x = x > y ? x * 0.75f : x / (y * y + (float)(PART + 1));
    lds[item()] = x;
    barrier();
    return x + lds[item() ^ (1 << (PART % 6))];
}

template <int PARTS> struct parts {
    static __attribute__((device, always_inline)) float run(float x, const float *in, float *lds, int i, int n) {
        return part<PARTS>(parts<PARTS - 1>::run(x, in, lds, i, n), in, lds, i, n);
    }
};
template <> struct parts<0> {
    static __attribute__((device, always_inline)) float run(float x, const float *, float *, int, int) { return x; }
};

#define KERNEL(NAME, PARTS)                                                                                                                \
    extern "C" GLOBAL void NAME(const float *in, float *out, int n) {                                                                      \
        SHARED float lds[256];                                                                                                             \
        int i = (int)__builtin_amdgcn_workgroup_id_x() * 256 + item();                                                                     \
        if (i < n)                                                                                                                         \
            out[i] = parts<PARTS>::run(in[i], in, lds, i, n);                                                                              \
    }
KERNEL(n300, 3)
KERNEL(n1000, 11)
KERNEL(n3000, 33)

extern "C" GLOBAL void n50(const float *in, float *out, int n) {
    int i = (int)__builtin_amdgcn_workgroup_id_x() * 256 + item();
    if (i < n)
        out[i] = __builtin_fmaf(in[i], in[(i * 5) & (n - 1)], 1.0f) * (float)((i >> 3) ^ 21) + in[i ^ 1];
}
