/* AMD's headers, as installed. */
#define __HIP_PLATFORM_AMD__ 1
#include <stddef.h>
#include <stdint.h>

#include <hip/hip_runtime_api.h>

#if HIP_VERSION_MAJOR < 6
#define PROPERTIES hipDeviceProp_t
#else
#include <hip/hip_deprecated.h>
#define PROPERTIES hipDeviceProp_tR0000
#endif
#include "abi.inc"
FACTS(facts_of_amd)
