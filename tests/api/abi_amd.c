/* AMD's headers, as installed. */
#define __HIP_PLATFORM_AMD__ 1
#include <stddef.h>
#include <stdint.h>

#include <hip/hip_runtime_api.h>

#define PROPERTIES hipDeviceProp_t
#include "abi.inc"
FACTS(facts_of_amd)
