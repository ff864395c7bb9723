/* The driver's data: which benchmarks there are, what was measured, and what is written about it.
 *
 *     driver.c   options; runs each benchmark on all its sides in turn
 *     process.c  workers and other programs, and the conversation with them
 *     startup.c  what a process pays once
 *     table.c    the rows of table.inc, and which are selected
 *     figures.c  medians, geometric means, bars, the printed table and the Markdown
 *     json.c     bench.json and the history
 *     plot.c     bench.svg and history.svg
 *
 * All of it runs on one thread. NAN stands for what could not be measured. */
#ifndef BENCH_FIGURES_H
#define BENCH_FIGURES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

enum { NATIVE, POCL, TARGET, MAX_TARGETS = 4, SIDES = TARGET + MAX_TARGETS, MAX_ROUNDS = 51, MAX_ROWS = 96 };

struct options {
    const char *build;   /* the build folder */
    const char *history; /* where a line is appended */
    int rounds;
    int threads;   /* of every side; 0: all CPUs */
    bool least;    /* the least of the rounds instead of the median: for busy machines */
    bool check;    /* exit status 1 where a bar is missed */
    bool complete; /* the whole suite runs */
};

/* One benchmark: the row, and its figures. */
struct row {
    const char *group, *name;
    char side[SIDES][24]; /* "native", "pocl", "gfx90a", ...; empty: there is none */
    bool selected;
    bool present[SIDES], correct[SIDES];
    double seconds[SIDES]; /* medians */
    double work;           /* of one run */
    char unit[16];
    char note[200];            /* what a reader must know; empty: nothing */
    double single_bar, single; /* work per second on one thread: the least wanted; 0: not asked for; the measured one */
};

/* What a process pays once. Seconds, MiB. */
struct startup {
    double launch;         /* an empty launch and the wait for it */
    double warm, memory;   /* a vector add from fork to its result; its peak of resident memory, the program's own included */
    double cold;           /* the first launch of a long kernel and the wait for it, nothing in the cache */
    unsigned instructions; /* of that kernel */
    double translation;    /* seconds an instruction, of that kernel */
};

struct group {
    const char *name;
    double bar; /* for the geometric mean of time / native C */
};

extern struct row rows[];
extern const int row_count;
extern const struct group groups[];
extern const int group_count;

/* ---- table.c ---- */
/* Marks the rows whose name or group is in `list` (separated by commas or blanks); all if it is NULL or empty. Ends the process
 * for a word that is neither. May be called again to select more. */
void select_rows(const char *list);
/* ---- process.c ---- */
struct process {
    pid_t pid;
    FILE *to, *from;
};
_Noreturn __attribute__((format(printf, 1, 2))) void fail(const char *format, ...);
double now(void);
/* Starts a program. environment: NULL-terminated "NAME=value"; errors: NULL or a file that its stderr is appended to; memory:
 * the descriptor that becomes its descriptor 3, -1 for none. */
struct process start(char *const *command, const char *const *environment, const char *errors, int memory);
int stop(struct process *process); /* waits; returns the status, -1 if it was not running */
/* Sends a line, if not NULL, and reads the answer into `line`. False: no answer within `seconds`; the process is ended then. */
bool ask(struct process *process, const char *send, char *line, size_t size, double seconds);

/* ---- startup.c ---- */
void measure_startup(const struct options *options, struct startup *startup);

/* ---- figures.c ---- */
double median(double *values, int count);  /* sorts them; NAN if there are none */
double best_target(const struct row *row); /* seconds of Wavelift's fastest target */
/* Geometric mean, over the selected rows of `group` (NULL: all), of Wavelift's time over that of `side`; `target` is the index of
 * one target, or -1 for each benchmark's best. */
double mean_ratio(const char *group, int target, int side);
const struct row *worst_row(void); /* the largest ratio to native; NULL if nothing was measured */
void print_table(void);
/* Prints the bars with what was measured; returns how many are missed. as_markdown: a table for the documentation. */
int print_bars(FILE *to, const struct startup *startup, bool as_markdown);
/* All figures as tables for docs/PERFORMANCE.md, and the groups' means as one for README.md. */
void write_markdown(const char *file, const struct options *options, const struct startup *startup);
void write_summary(const char *file);

/* ---- json.c ---- */
/* One object: date, commit, CPU, threads, every figure. Written to `file`, and as one line appended to `history`. */
void write_json(const char *file, const char *history, const struct options *options, const struct startup *startup);

/* ---- plot.c ---- */
void write_plot(const char *file);
void write_history_plot(const char *file, const char *history);

#endif
