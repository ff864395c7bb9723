#include "filter.h"

__device__ float clamped(const float *data, int i, int n) { return data[i < 0 ? 0 : i >= n ? n - 1 : i]; }
