/* For host programs in C or C++ that include <hip/hip_runtime.h>: the runtime API. Device code (__global__ functions) is
 * compiled with the HIP toolchain's own header of this name. */
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H

#include <hip/hip_runtime_api.h>

#endif
