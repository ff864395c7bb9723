/* What every HIP program here includes (examples/check.h does), for precompiled headers (wl_hip_headers); clang reads those before
 * everything else. Nothing more: a program that forgets one of its own headers has to fail. */
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
