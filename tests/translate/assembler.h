/* AMDGPU assembly for tests, through LLVM's assembler and C API. */
#ifndef WL_TESTS_ASSEMBLER_H
#define WL_TESTS_ASSEMBLER_H

#include <stddef.h>
#include <stdint.h>

/* The code bytes of `text` for a processor and wave size (32 or 64); free() them. NULL, with LLVM's message on stderr, if it
 * does not assemble. */
uint8_t *test_assemble(const char *processor, unsigned wave_size, const char *text, size_t *size);

#endif
