// The kernels of cliffs.c: the same instruction in a loop, on arguments that begin at `x` and change by `step`.
#define KERNEL(name, expression) KERNEL_WITH(name, , expression)
#define KERNEL_WITH(name, before, expression)                                                                                              \
    extern "C" __attribute__((global)) void name(float *to, float x, float y, float step, int rounds) {                                    \
        unsigned item = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();                                        \
        before float sum = 0;                                                                                                              \
        x += step * (float)item;                                                                                                           \
        for (int i = 0; i < rounds; i++) {                                                                                                 \
            sum += expression;                                                                                                             \
            x += step;                                                                                                                     \
        }                                                                                                                                  \
        to[item] = sum;                                                                                                                    \
    }
// Bits 4 and 5 of MODE: f32 denormals are flushed.
#define FLUSH __builtin_amdgcn_s_setreg(1 | 4 << 6 | 1 << 11, 0);
KERNEL(exp_f32, __builtin_amdgcn_exp2f(x))
KERNEL(exp_f16, (float)__builtin_elementwise_exp2((_Float16)x))
KERNEL(exp_library, __builtin_expf(x))
KERNEL(log_f32, __builtin_amdgcn_logf(x))
KERNEL(rcp_f32, __builtin_amdgcn_rcpf(x))
KERNEL(sqrt_f32, __builtin_amdgcn_sqrtf(x))
KERNEL(ldexp_f32, __builtin_ldexpf(x, (int)y))
KERNEL(product_f32, x *y)
KERNEL(sum_f32, __builtin_fabsf(x - y))
KERNEL(rsq_f32, __builtin_amdgcn_rsqf(x))
KERNEL_WITH(product_flushed, FLUSH, x *y)
KERNEL_WITH(sum_flushed, FLUSH, __builtin_fabsf(x - y))
KERNEL_WITH(ldexp_flushed, FLUSH, __builtin_ldexpf(x, (int)y))

// Shapes: each work item computes a little of one element of a row of `size` elements. `stride`: from one row to the next.
extern "C" __attribute__((global)) void shape(float *to, const float *from, int size, int stride, int offset) {
    int item = (int)(__builtin_amdgcn_workgroup_id_x() * *(const unsigned short *)((const char *)__builtin_amdgcn_dispatch_ptr() + 4) +
                     __builtin_amdgcn_workitem_id_x());
    if (item >= size)
        return;
    float x = from[item % 1024 + item / 1024 * stride + offset];
    for (int i = 0; i < 8; i++)
        x = x * 0.5f + 1;
    to[item] = x;
}
// Every work item walks down a column.
extern "C" __attribute__((global)) void column(float *to, const float *from, int size, int stride, int offset) {
    int item = (int)(__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x());
    float sum = 0;
    for (int row = 0; row < 64; row++)
        sum += from[item % 16 * stride + row + item / 16 * 16 + offset];
    if (item < size)
        to[item] = sum;
}
// One work item of `offset` has something to do.
extern "C" __attribute__((global)) void some(float *to, const float *from, int size, int stride, int offset) {
    int item = (int)(__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x());
    if (item % offset == 0 && item < size) {
        float x = from[item];
        for (int i = 0; i < stride; i++)
            x = x * 0.5f + 1;
        to[item] = x;
    }
}
// Nothing, unless `size` is negative.
extern "C" __attribute__((global)) void nothing(float *to, const float *from, int size, int stride, int offset) {
    if (size < 0)
        to[0] = from[stride + offset];
}
// `offset` dwords of private memory, `stride` times: at places that are the same in all lanes, and at each lane's own.
#define PRIVATE(name, place)                                                                                                               \
    extern "C" __attribute__((global)) void name(float *to, const float *from, int size, int stride, int offset) {                         \
        int item = (int)(__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x());                                      \
        float own[64];                                                                                                                     \
        for (int i = 0; i < offset; i++)                                                                                                   \
            own[i] = from[item % 1024 + i];                                                                                                \
        for (int i = 0; i < stride; i++)                                                                                                   \
            own[(place) % offset] = own[(place + 1) % offset] * 0.5f + 1;                                                                  \
        if (item < size)                                                                                                                   \
            to[item] = own[item % offset];                                                                                                 \
    }
PRIVATE(private_same, i)
PRIVATE(private_own, i + item)
// `stride` calls, one within the other, and as many rounds.
__attribute__((device, noinline)) static float deep(float x, int depth) { return depth ? deep(x * 0.5f + 1, depth - 1) + x : x; }
extern "C" __attribute__((global)) void calls(float *to, const float *from, int size, int stride, int offset) {
    int item = (int)(__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x());
    if (item < size)
        to[item] = deep(from[item % 1024], stride) + (float)offset;
}
extern "C" __attribute__((global)) void rounds(float *to, const float *from, int size, int stride, int offset) {
    int item = (int)(__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x());
    float x = from[item % 1024], sum = x;
    for (int i = 0; i < stride; i++) {
        x = x * 0.5f + 1;
        sum += x;
    }
    if (item < size)
        to[item] = sum + (float)offset;
}
// 20,000 instructions, and as many in 10 rounds.
#define TEN(code)      code code code code code code code code code code
#define THOUSAND(code) TEN(TEN(TEN(code)))
#define LONG(name, before, code)                                                                                                           \
    extern "C" __attribute__((global)) void name(float *to, const float *from, int size, int stride, int offset) {                         \
        int item = (int)(__builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x());                                      \
        float x = from[item % 1024], y = from[item % 1024 + stride], z = (float)offset;                                                    \
        before code if (item < size) to[item] = x + y + z;                                                                                 \
    }
LONG(long_straight, , TEN(THOUSAND(x = __builtin_fmaf(x, 0.5f, y); y = __builtin_fmaf(y, 0.25f, x);)))
LONG(long_rounds, _Pragma("clang loop unroll(disable)") for (int i = 0; i < 10; i++),
     { TEN(TEN(TEN(x = __builtin_fmaf(x, 0.5f, y); y = __builtin_fmaf(y, 0.25f, x);))) })
