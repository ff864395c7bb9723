/* The constants of driver.h, or with CUDA_HEADER those of cuda.h, in one table each. */
#ifdef CUDA_HEADER
#include <cuda.h>
#define TABLE cuda_constants
#else
#include "device/cuda/driver.h"
#define TABLE our_constants
#endif

#include <stddef.h>
#include <stdint.h>

#define C(name) (intptr_t)(name),
const intptr_t TABLE[] = {
#include "abi_names.inc"
};
