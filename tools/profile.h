/* What `wavelift profile` knows of a run, and what it makes of it. */
#ifndef WL_TOOLS_PROFILE_H
#define WL_TOOLS_PROFILE_H

#include "base/table.h"
#include "machine/counters.h"
#include "trace/run.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A record, and the process that wrote it. */
struct wl_event {
    const struct wl_trace_record *record;
    uint32_t process;
};

/* A list of records, by the times at which they begin; those that begin at one time by their ends, the latest first. */
struct wl_events {
    struct wl_event *events;
    size_t count, capacity;
};

struct wl_profile_process {
    uint32_t id;
    uint32_t name; /* of the program; 0: not known */
};

struct wl_profile {
    int file;
    uint8_t *memory; /* the whole file */
    size_t size;
    const struct wl_trace_run *run;
    uint64_t clock[2], nanoseconds[2]; /* the run's clock and CLOCK_MONOTONIC, before and after the run */
    char **names;                      /* by their numbers; NULL: not known. Demangled */
    uint32_t *same;                    /* by numbers: the least number of the same text, which processes number for themselves */
    size_t name_count;
    struct wl_profile_process *processes;
    size_t process_count;
    struct wl_events counts, instructions; /* what is counted of kernels: BASIC_BLOCK, ACCESS, WAVES; INSTRUCTION */
    struct wl_events calls, kernels, copies, fills, compilations, memory_uses, ranges, marks, threads, devices, streams;
    uint64_t lost;
    uint16_t *looked; /* wl_profile_look: records seen of each chunk */
    size_t looked_chunks;
    uint64_t looked_kernels;
};

/* Makes the file of a run in `path` and begins the time. False, with a message on stderr: it cannot be made. (profile_read.c) */
bool wl_profile_make(struct wl_profile *profile, bool counts, char *path, size_t size);
/* Looks at what was written since the last look. Returns how many launches there are so far; for a line while the program runs. */
uint64_t wl_profile_look(struct wl_profile *profile);
/* Reads what the program's processes have written. False, with a message on stderr: there is no memory. */
bool wl_profile_read(struct wl_profile *profile);
void wl_profile_free(struct wl_profile *profile);
/* Nanoseconds since the beginning of the run. */
double wl_profile_time(const struct wl_profile *profile, uint64_t clock);
double wl_profile_duration(const struct wl_profile *profile, const struct wl_trace_record *record);
/* The least number of names with the same text. */
uint32_t wl_profile_number(const struct wl_profile *profile, uint32_t number);
/* The text of a name; never NULL. */
const char *wl_profile_name(const struct wl_profile *profile, uint32_t number);

/* A line of a table: what was done under one name. */
struct wl_profile_row {
    const char *name;
    uint32_t number;
    uint8_t detail; /* of copies: the direction */
    uint64_t calls, threaded, failed, bytes;
    double total, least, most; /* nanoseconds */
    double compile_total;      /* of kernels: making code */
    double busy, busy_span;    /* time of all threads; of the launches in which it was measured, by their threads */
    uint32_t threads;          /* of the launch with the most */
};

struct wl_profile_table {
    struct wl_profile_row *rows; /* the longest total first */
    size_t count;
    double total;
};

/* What a kernel's waves did, or did for one source line of it. */
struct wl_profile_counts {
    const char *name;
    uint32_t number;
    struct wl_counts sum;
};

/* `counts.name` is FILE:LINE, `counts.number` its number, 0 where the code object tells no line. */
struct wl_profile_line {
    uint32_t kernel; /* the number of its name */
    struct wl_profile_counts counts;
};

struct wl_profile_counters {
    struct wl_profile_counts *kernels;
    size_t count;
    struct wl_table lines; /* struct wl_profile_line, by kernel and number */
};

/* The counters that are asked for. */
struct wl_profile_choice {
    unsigned counters[WL_MOST_COUNTERS];
    size_t count;
    bool source; /* source lines, too */
};

/* Reads a list of names with commas between them. False, with a message on stderr: one of them is none. (profile_counters.c) */
bool wl_profile_choose(struct wl_profile_choice *choice, const char *list);
/* False: there is no memory. */
bool wl_profile_count(const struct wl_profile *profile, struct wl_profile_counters *counters);
void wl_profile_counters_free(struct wl_profile_counters *counters);
/* NULL: nothing was counted of the kernel. */
const struct wl_profile_counts *wl_profile_find_counts(const struct wl_profile_counters *counters, uint32_t number);
void wl_profile_print_counters(const struct wl_profile_counters *counters, const struct wl_profile_choice *choice, FILE *out);
void wl_profile_write_json_counters(const struct wl_profile_counts *counts, const struct wl_profile_choice *choice, FILE *out);
/* The source lines of a kernel for which most instructions ran, beside their texts, where the files can be read. (profile_source.c) */
void wl_profile_print_lines(const struct wl_profile_counters *counters, const struct wl_profile_counts *kernel, FILE *out);
/* All of them: a member of the kernel's object. */
void wl_profile_write_json_lines(const struct wl_profile_counters *counters, const struct wl_profile_counts *kernel,
                                 const struct wl_profile_choice *choice, FILE *out);
/* Cells of a row; `counts` NULL: empty ones. And those of the first row. */
void wl_profile_write_csv_counters(const struct wl_profile_counts *counts, const struct wl_profile_choice *choice, FILE *out);
void wl_profile_write_csv_names(const struct wl_profile_choice *choice, FILE *out);

struct wl_profile_summary {
    struct wl_profile_table kernels, copies, calls;
    struct wl_profile_counters counters;
    struct wl_profile_choice choice;
};

/* False: there is no memory. (profile_table.c) */
bool wl_profile_summarize(const struct wl_profile *profile, struct wl_profile_summary *summary);
void wl_profile_summary_free(struct wl_profile_summary *summary);
void wl_profile_print(const struct wl_profile *profile, const struct wl_profile_summary *summary, FILE *out);
void wl_profile_write_csv(const struct wl_profile_summary *summary, FILE *out);
void wl_profile_write_json(const struct wl_profile *profile, const struct wl_profile_summary *summary, FILE *out);

/* A trace in the format of chrome://tracing, which Perfetto reads. False: there is no memory. (profile_trace.c) */
bool wl_profile_write_trace(const struct wl_profile *profile, FILE *out);

#endif
