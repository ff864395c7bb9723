/* The public headers in HIP code, where those of the toolchain's that there are come into play; only compiled. */
#include <hip/hip_runtime.h>

#include <hip/driver_types.h>
#include <hip/hip_ext.h>
#include <hip/hip_version.h>
#include <hip/hiprtc.h>

__global__ void kernel(int *to) { *to = HIP_VERSION; }

int main() {
    hiprtcProgram program = nullptr;
    return hiprtcDestroyProgram(&program) == HIPRTC_SUCCESS;
}
