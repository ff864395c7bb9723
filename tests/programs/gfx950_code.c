/* A product of 8-bit floats with scales, whose operands are converted from f32 here; A comes through the far end of 160 KiB of LDS. Clang before
 * 20 does not know gfx950: gfx950_code.inc has what clang 22 makes of this file:
 *     clang -target amdgcn-amd-amdhsa -mcpu=gfx950 -mcode-object-version=5 -O2 -nogpulib -c gfx950_code.c
 *     ld.lld -shared -s -z noseparate-code -z norelro; llvm-objcopy --strip-sections */
typedef float four_floats __attribute__((ext_vector_type(4)));
typedef int eight_dwords __attribute__((ext_vector_type(8)));
typedef short two_shorts __attribute__((ext_vector_type(2)));
#define GLOBAL __attribute__((address_space(1)))
#define LOCAL  __attribute__((address_space(3)))

enum { LANES = 64, NUMBERS = 32, DWORDS = NUMBERS / 4, LDS = 160 * 1024 / 4 };

static LOCAL int lds[LDS] __attribute__((loader_uninitialized));

static int four(const GLOBAL float *in, float scale) {
    two_shorts both = {0, 0};
    both = __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(both, in[0], in[1], scale, 0);
    both = __builtin_amdgcn_cvt_scalef32_pk_fp8_f32(both, in[2], in[3], scale, 1);
    return __builtin_bit_cast(int, both);
}

__attribute__((amdgpu_kernel, amdgpu_flat_work_group_size(LANES, LANES))) void product(GLOBAL four_floats *out, const GLOBAL float *a,
                                                                                       const GLOBAL float *b, float scale) {
    const int lane = (int)__builtin_amdgcn_workitem_id_x();
    eight_dwords left, right;
    for (int i = 0; i < DWORDS; i++) {
        lds[LDS - DWORDS * (lane + 1) + i] = four(a + lane * NUMBERS + i * 4, scale);
        right[i] = four(b + lane * NUMBERS + i * 4, scale);
    }
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup");
    for (int i = 0; i < DWORDS; i++) /* that of the lane as far from the other end */
        left[i] = lds[LDS - DWORDS * (LANES - lane) + i];
    const four_floats zero = {0, 0, 0, 0};
    const int exponent = __builtin_bit_cast(int, scale) >> 23;
    out[lane] = __builtin_amdgcn_mfma_scale_f32_16x16x128_f8f6f4(left, right, zero, 0, 0, 0, exponent, 0, exponent);
}
