/* Lets nvcc compile the suite's HIP kernels as they are: what they use has the same name in CUDA. */
#include <cuda_runtime.h>
