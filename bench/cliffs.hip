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
