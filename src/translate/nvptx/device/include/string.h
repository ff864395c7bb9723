/* What device code uses of C's library. */
#ifndef WL_NVPTX_DEVICE_STRING_H
#define WL_NVPTX_DEVICE_STRING_H

#include <stddef.h>

#define memcpy(to, from, size)  __builtin_memcpy(to, from, size)
#define memset(to, value, size) __builtin_memset(to, value, size)

#endif
