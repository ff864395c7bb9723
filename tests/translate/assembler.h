/* AMDGPU assembly for tests, through LLVM's assembler and C API. */
#ifndef WL_TESTS_ASSEMBLER_H
#define WL_TESTS_ASSEMBLER_H

#include <stddef.h>
#include <stdint.h>

/* The code bytes of `text` for a processor and wave size (32 or 64); free() them. NULL, with LLVM's message on stderr, if it
 * does not assemble. */
uint8_t *test_assemble(const char *processor, unsigned wave_size, const char *text, size_t *size);

/* Assembles `text`, of which no code is wanted, and calls `note` with each of LLVM's messages and `context`. */
void test_assemble_lines(const char *processor, unsigned wave_size, const char *text, void (*note)(const char *message, void *context),
                         void *context);
/* The file name of the library that the assembler is from; NULL: it cannot be told. It lives as long as the process. */
const char *test_assembler_library(void);

#endif
