// Kernels too long for branches jump by s_setpc_b64. What is behind such a jump is a unit of its own, and may use more registers than
// the kernel's beginning.
#include "check.h"

__global__ void jumping(unsigned *out, const unsigned *in, unsigned count) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x, value = in[i];
    if (i < count) {
        asm volatile("s_getpc_b64 s[30:31]\n"
                     "here%=:\n"
                     "s_add_u32 s30, s30, far%=-here%=\n"
                     "s_addc_u32 s31, s31, 0\n"
                     "s_setpc_b64 s[30:31]\n"
                     "s_endpgm\n"
                     "far%=:\n"
                     "v_mov_b32 v90, %1\n"
                     "v_xor_b32 v90, 7, v90\n"
                     "v_mov_b32 %0, v90\n"
                     : "=v"(value)
                     : "v"(value)
                     : "s30", "s31", "v90", "scc");
        out[i] = value + i;
    }
}

int main() {
    enum { COUNT = 1000, ALL = 1024 };
    check_name = "long_jump";
    unsigned *in, *out;
    HIP(hipHostMalloc((void **)&in, ALL * sizeof *in, 0));
    HIP(hipHostMalloc((void **)&out, ALL * sizeof *out, 0));
    for (unsigned i = 0; i < ALL; i++) {
        in[i] = i * 2654435761u;
        out[i] = 1;
    }
    jumping<<<ALL / 128, 128>>>(out, in, COUNT);
    HIP_FINISH();
    for (unsigned i = 0; i < ALL; i++)
        EXPECT(out[i] == (i < COUNT ? (in[i] ^ 7) + i : 1), "out[%u] = %u", i, out[i]);
    return finish();
}
