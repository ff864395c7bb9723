/* What is called how: kinds of findings, kernels, places in code. */
#ifndef WL_SANITIZE_NAMES_H
#define WL_SANITIZE_NAMES_H

#include "sanitize/report.h"

/* "memcheck"; "sanitizer" if it is none. */
const char *wl_san_tool_name(enum wl_sanitize_tool tool);
/* The bits of a list of tools ("memcheck,racecheck"), or of "*" and "all"; 0: something in it is none. `length`: of the text. */
unsigned wl_san_tool_bits(const char *list, size_t length);

/* The kind as suppressions and JSON name it: "out-of-bounds-write". */
void wl_san_kind_name(const struct wl_san_finding *finding, char *text, size_t size);
/* The same as the beginning of a sentence: "out-of-bounds write". Never NULL. */
const char *wl_san_kind_words(enum wl_san_kind kind);
/* "read", "write", "atomic". */
const char *wl_san_access_name(uint8_t access);

/* The demangled name of a function, which free() frees; a copy of `name` if it cannot be demangled. NULL: out of memory. */
char *wl_san_demangle(const char *name);
/* Whether a pattern (as of the shell: * ? []) stands for the function: its symbol, its demangled name, or that without parameters, template
 * arguments, return type and namespace left as they are. */
bool wl_san_names_function(const char *pattern, const char *symbol, const char *demangled);

/* The function of a code object that `code` is in, and how far behind its start: "f(int)+0x3c". */
void wl_san_code_name(const struct wl_codeobject *object, uint64_t code, char *text, size_t size);

#endif
