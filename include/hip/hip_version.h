/* The HIP version whose interface this library offers (HIP reference, "Initialization and version"). */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count: they declare the device's side too. */
#include_next <hip/hip_version.h>
#else
#ifndef HIP_VERSION_H
#define HIP_VERSION_H

#define HIP_VERSION_MAJOR      7
#define HIP_VERSION_MINOR      1
#define HIP_VERSION_PATCH      0
#define HIP_VERSION_GITHASH    ""
#define HIP_VERSION_BUILD_ID   0
#define HIP_VERSION_BUILD_NAME "wavelift"
/* Major, minor and patch as one number that can be compared. */
#define HIP_VERSION            (HIP_VERSION_MAJOR * 10000000 + HIP_VERSION_MINOR * 100000 + HIP_VERSION_PATCH)

#endif
#endif
