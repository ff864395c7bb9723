/* Which HIP 5 a program was made with: HIP 5.3 gave the types of graph nodes other numbers, and neither the name of the library nor the
 * version of a function tells. In: an address in the program's code. Out: whether the program's file has a sign of a later HIP than 5.2. */
#ifndef WL_API_HIP5_PROGRAM_H
#define WL_API_HIP5_PROGRAM_H

#include <stdbool.h>

/* Whether the program or library that holds `code` was made with HIP 5.3 or later, as far as its file tells; false where nothing tells.
 * The signs are a function or a C library that HIP 5.2's systems did not have, and compilers younger than HIP 5.2. Any thread may call. */
bool wl_hip5_is_later(const void *code);

/* The same of a file, for tests. False where it cannot be read or is no ELF file. */
bool wl_hip5_file_is_later(const char *path);

#endif
