/* Types of surfaces, which hip_runtime_api.h declares: this file is here because programs include it. */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count: they declare the device's side too. */
#include_next <hip/surface_types.h>
#else
#include <hip/texture_types.h>
#endif
