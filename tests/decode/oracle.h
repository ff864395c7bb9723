/* LLVM's disassembler, from whichever library one names: LLVM 19 and later. */
#ifndef WL_TESTS_DECODE_ORACLE_H
#define WL_TESTS_DECODE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False, with a message: the library cannot be opened, or is no LLVM with AMD's processors. */
bool oracle_open(const char *library);
unsigned oracle_version(void); /* 19, 22 */

struct oracle;

/* NULL: LLVM does not know the processor. (LLVM 19 ends the process for some names, so that only processors that it has may be asked for.) */
struct oracle *oracle_create(const char *processor, unsigned wave_size);
void oracle_destroy(struct oracle *oracle);

/* The instruction's text, with one space where LLVM has tabs or more than one; returns its size, 0: no instruction, and no text. Where
 * LLVM crashes, the text is "// LLVM crashes". */
unsigned oracle_print(struct oracle *oracle, const uint8_t *bytes, uint64_t available, uint64_t address, char *text, size_t size);

#endif
