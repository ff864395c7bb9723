// What Debian 12's HIP headers and device libraries expect of the compiler and each other, and clang 22 does not give (newer_targets.sh).
#include <hip/hip_runtime.h>

extern "C" __device__ inline __attribute__((always_inline, used)) void __atomic_work_item_fence(__cl_mem_fence_flags, __memory_order,
                                                                                                __memory_scope) {
    __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "");
}

typedef _Float16 two_halves __attribute__((ext_vector_type(2)));
__device__ inline _Float16 __llvm_amdgcn_rcp_f16(_Float16 x) { return __builtin_amdgcn_rcph(x); }
__device__ inline two_halves __llvm_amdgcn_rcp_2f16(two_halves x) {
    return two_halves{(_Float16)__builtin_amdgcn_rcph(x.x), (_Float16)__builtin_amdgcn_rcph(x.y)};
}

#ifdef __HIP_DEVICE_COMPILE__
extern "C" __constant__ __attribute__((used, weak)) const unsigned char __oclc_daz_opt = 0;
#endif
