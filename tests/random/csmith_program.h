/* What a csmith program expects around itself, for a host and a device that have no C library in common: the safe
 * arithmetic of libcsmith-dev and a checksum. csmith.py makes each program a struct, so that each lane has its own
 * globals; the functions here that need the program's checksum are its members (macros below). */
#ifndef RANDOM_CSMITH_PROGRAM_H
#define RANDOM_CSMITH_PROGRAM_H

#include <float.h>
#include <limits.h>
#include <stdint.h>

#undef NULL
#define NULL             nullptr
#define memcpy           __builtin_memcpy
#define STATIC           static inline
#define UNDEFINED(value) (value)
#define LOG_INDEX
#define LOG_EXEC
#define FUNC_NAME(name)     safe_##name
#define INT_BIT             (sizeof(int) * CHAR_BIT)
#define _CSMITH_BITFIELD(x) (((x) > INT_BIT) ? ((x) % INT_BIT) : (x))
/* The few float wrappers are never called (--no-float is csmith's default) and need the C library. */
#define fabsf __builtin_fabsf
#define fabs  __builtin_fabs

/* A number that the device's compiler knows nothing about. */
template <class T> static inline T opaque(T x) {
#ifdef DEVICE
    __typeof__(x + 0u) wide = x;
    asm("" : "+v"(wide));
    x = (T)wide;
#endif
    return x;
}

/* CRC-32 over the 8 bytes of each value. Not inlined: a program has hundreds of calls. */
__attribute__((noinline)) static uint32_t crc_value(uint32_t crc, uint64_t value) {
#pragma clang loop unroll(disable)
    for (int i = 0; i < 64; i++, value >>= 1)
        crc = crc >> 1 ^ (0xedb88320u & (0u - ((crc ^ (uint32_t)value) & 1)));
    return crc;
}

#define transparent_crc(value, name, print) (void)(checksum_ = crc_value(checksum_, (uint64_t)(value)))

#endif
