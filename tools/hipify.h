/* What `hipify` prints besides sources: warnings, differences, statistics, the table. Used by one thread. */
#ifndef WL_TOOLS_HIPIFY_H
#define WL_TOOLS_HIPIFY_H

#include "hipify/rewrite.h"

#include <stdio.h>

/* Counts what was met in all files, and remembers the places of what was left. Begins as zeros. */
struct hipify_statistics {
    size_t files;
    struct hipify_left *left; /* in the order in which they were met */
    size_t left_count, left_room;
    size_t *converted; /* for each row of the mapping */
};

/* Takes note of a name of `file`, whose text must stay until the statistics are printed. Aborts the program, with a message,
 * if memory runs out, as all functions here do. */
void hipify_count(struct hipify_statistics *statistics, const char *file, const struct wl_hipify_note *note);
/* For each part of the APIs: how many names were converted, which were left and where. */
void hipify_print_statistics(FILE *out, const struct hipify_statistics *statistics);
void hipify_free_statistics(struct hipify_statistics *statistics);

/* The mapping, one name a line, columns parted by tabs: CUDA's name, HIP's name or "-", kind, group or "-", since or the reason. */
void hipify_print_list(FILE *out);

/* A unified difference with three lines of context; nothing if the texts are equal. `added` lines that the new text has before
 * everything else are followed by the lines of the old text, changed or not, one for one. */
void hipify_print_diff(FILE *out, const char *file, const char *old_text, size_t old_size, const char *new_text, size_t new_size,
                       size_t added);

#endif
