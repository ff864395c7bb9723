/* A finding that is kept, and its paragraph. */
#ifndef WL_SANITIZE_DESCRIBE_H
#define WL_SANITIZE_DESCRIBE_H

#include "sanitize/report.h"

#include <stdio.h>

/* An access of a finding in words that outlive the launch. */
struct wl_san_spot {
    char *kernel;   /* demangled; NULL: the host's */
    char *symbol;   /* as the code object has it */
    char file[512]; /* of the source; "" if there is no line table */
    int line;
    char *outer;        /* the calls that the line is in, the innermost first: lines "inlined at FILE:LINE" and "called at FILE:LINE" */
    char function[512]; /* the function of the code object, and how far in it: "f(int)+0x3c" */
};

struct wl_san_kept {
    struct wl_san_finding finding; /* without pointers to what may go away */
    struct wl_san_spot at, second;
    char *variable; /* finding.block.name */
    char *stack;    /* of the host's call, of leaks that of the allocation: lines of a paragraph; NULL: a kernel's finding */
    uint64_t times;
};

/* Copies a finding. NULL: out of memory. */
struct wl_san_kept *wl_san_keep(const struct wl_san_finding *finding);
void wl_san_drop(struct wl_san_kept *kept);

/* What kind of memory a block is: "device memory". */
const char *wl_san_memory_words(uint8_t kind);

/* Writes the next line of spot->outer, which `*outer` points into, without its newline, and moves behind it. False: that was the last. */
bool wl_san_next_outer(const char **outer, char *line, size_t size);
/* The place that such a line ends in. */
const char *wl_san_outer_place(const char *line);

/* Prints the paragraph, of several lines, each but the first one indented. */
void wl_san_describe(FILE *out, const struct wl_san_kept *kept);
/* The finding in one line, for the summary. */
void wl_san_describe_briefly(FILE *out, const struct wl_san_kept *kept);

#endif
