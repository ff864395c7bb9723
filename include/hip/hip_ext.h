/* AMD's extensions of HIP, which hip_runtime_api.h declares: this file is here because programs include it. */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count: they declare the device's side too. */
#include_next <hip/hip_ext.h>
#else
#ifndef HIP_INCLUDE_HIP_HIP_EXT_H
#define HIP_INCLUDE_HIP_HIP_EXT_H

#include <hip/hip_runtime_api.h>

#endif
#endif
