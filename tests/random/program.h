/* A random program as the generators (csmith.py, generate.py) describe it to the runner (run.c): what a host library of such
 * programs exports. */
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#ifdef __cplusplus
extern "C" {
#endif

/* The reference: does what the kernel of the same name does, for all lanes of the grid. `wave` is the device's wave size. */
typedef void random_host_function(unsigned *out, const unsigned *in, unsigned *memory, unsigned wave);

/* A kernel NAME(unsigned *out, const unsigned *in, unsigned *memory) and its reference. Arrays are in 32-bit words. */
struct random_program {
    const char *name;             /* of the kernel; holds the seed */
    unsigned blocks, threads;     /* the grid, one-dimensional */
    unsigned out_words, in_words; /* for each lane of the grid; word w of lane i is at [w * lanes + i] */
    unsigned memory_words;        /* for the whole grid: zero before, compared after */
    unsigned input_kind;          /* how `in` is filled: RANDOM_BITS, RANDOM_FLOATS, RANDOM_DOUBLES */
    unsigned long long seed;      /* of the inputs */
    random_host_function *host;
};
enum { RANDOM_BITS, RANDOM_FLOATS, RANDOM_DOUBLES };

extern const struct random_program random_programs[];
extern const unsigned random_program_count;

#ifdef __cplusplus
}
#endif

#endif
