/* For host programs in C or C++ that include <hip/hip_runtime.h>: the runtime API. Device code (__global__ functions) is
 * compiled with the HIP toolchain's own header of this name. */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count: they declare the device's side too. */
#include_next <hip/hip_runtime.h>
#else
#ifndef HIP_INCLUDE_HIP_HIP_RUNTIME_H
#define HIP_INCLUDE_HIP_HIP_RUNTIME_H

#include <hip/hip_runtime_api.h>

#endif
#endif
