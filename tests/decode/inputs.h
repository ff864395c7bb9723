/* What the comparisons decode: random words, and the code of files. */
#ifndef WL_TESTS_DECODE_INPUTS_H
#define WL_TESTS_DECODE_INPUTS_H

#include "codeobject/codeobject.h"

#include <stdbool.h>
#include <stdint.h>

enum { INPUT_BYTES = 20 };

/* Starts the sequence of random words, and forgets those that were kept. */
void inputs_seed(uint64_t seed);

/* The next words for a processor of this generation: random ones; random ones behind the first bits of an encoding; or a kept instruction
 * with some fields changed. */
void inputs_random(unsigned generation, uint8_t bytes[INPUT_BYTES]);

/* Keeps an instruction, one for each mnemonic, from which others are made. So every instruction gets the same share of words, and most of
 * these are instructions. */
void inputs_keep(const char *text, const uint8_t bytes[INPUT_BYTES]);

/* Calls `look` for every code object in a file. False: it cannot be read. */
bool inputs_each_object(const char *path, void (*look)(const struct wl_codeobject *object));

/* "gfx1100/32" -> "gfx1100", 32. Waves have 64 lanes where nothing else is said. */
unsigned inputs_split_target(const char *target, char *processor, size_t size);

#endif
