/* The suite's benchmarks, as the three sides of a comparison see them: native C with OpenMP, OpenCL and HIP.
 *
 * A benchmark NAME of a GROUP is three files and a row of kernels/table.inc:
 *     kernels/GROUP/NAME.c     defines `const struct benchmark bench_NAME`: inputs, the native side, and the host program of
 *                              the two device sides, which is written once, in terms of the functions below
 *     kernels/GROUP/NAME.hip   its kernels, extern "C", built by the stock compiler into a code object
 *     kernels/GROUP/NAME.cl    the same kernels under the same names in OpenCL C
 * and, if constants are shared, kernels/GROUP/NAME.h with nothing but macros.
 *
 * All three compute the same with the same algorithm, contraction of a * b + c being off everywhere: who wants it writes fmaf.
 * A worker is one process for one benchmark and one side (worker.c), so that static variables serve as the state, and a crash
 * costs one figure. Everything here is called from the worker's one thread. Errors print a message and end the process. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What results are made of. Tolerances make sense for numbers alone: floating-point ones, and BYTES from 0 to 255. */
enum element { BITS, FLOATS, DOUBLES, BYTES };

/* Where native() leaves its result, and fetch() the device's: in the host's memory, from make() on. A side is right if each
 * number differs by no more than absolute + relative * |the native side's number|; both zero: if all bits are equal. */
struct result {
    void *data;
    size_t bytes;
    enum element element;
    double relative, absolute;
};

struct benchmark {
    /* Makes the inputs (the same on every side: use a `struct random` with a constant seed) and allocates the result. */
    void (*make)(struct result *result);
    void (*native)(void); /* one run of the native side, from the inputs to the result */
    void (*upload)(void); /* device sides: allocates buffers and copies the inputs; called once */
    void (*device)(void); /* device sides: queues one run; what needs waiting for inside calls read_buffer() */
    void (*fetch)(void);  /* device sides: copies the result to where the native side has it */
    double work;          /* operations or bytes of one run, in `unit`s of 1e9 */
    const char *unit;     /* "GFLOP", "GB", "Gitem": figures are per second */
    double single_bar;    /* work per second that Wavelift has to reach on one thread; 0: none */
    const char *note;     /* NULL or one line for the documentation: what a reader must know to judge the figure */
};

/* ---- inputs ----------------------------------------------------------------------------------- */

/* Zeroed host memory, aligned to 2 MiB and in huge pages where large, so that native code has the pages a device has. It lives
 * until the process ends. */
void *host_array(size_t bytes);

struct random {
    uint64_t state;
};
uint32_t random_bits(struct random *random);                          /* 32 bits */
uint32_t random_below(struct random *random, uint32_t limit);         /* 0 to limit - 1; limit > 0 */
float random_float(struct random *random, float low, float high);     /* low <= x < high, with 24 bits */
double random_double(struct random *random, double low, double high); /* with 53 bits */
void random_floats(uint64_t seed, float *to, size_t count, float low, float high);
void random_doubles(uint64_t seed, double *to, size_t count, double low, double high);

/* ---- device sides ------------------------------------------------------------------------------ */

/* Device memory: 8 bytes that a kernel argument holds (a device pointer in HIP, a cl_mem in OpenCL). */
struct buffer {
    void *handle;
};

/* New device memory with a copy of `data`, or with zeros if NULL. */
struct buffer new_buffer(size_t bytes, const void *data);
void read_buffer(void *to, struct buffer from, size_t bytes);         /* waits for what is queued */
void write_buffer(struct buffer to, const void *from, size_t bytes);  /* behind what is queued; `from` is free when it returns */
void copy_buffer(struct buffer to, struct buffer from, size_t bytes); /* queued */
void clear_buffer(struct buffer to, size_t bytes);                    /* queued: zeros */

struct extent {
    uint32_t d[3]; /* 0 counts as 1 */
};

/* An image that kernels read with linear filtering, clamped to its edges: 8 bytes that a kernel argument holds (a texture object in HIP,
 * a cl_mem in OpenCL, whose kernels have the sampler). */
struct image {
    void *handle;
};
enum texel { TEXEL_BYTES4, TEXEL_FLOAT }; /* four bytes, read as 0 to 1; a float */

/* `size`: width, height, and depth of a volume (0: 2D). `normalized`: coordinates from 0 to 1. `data`: all rows without gaps. */
struct image new_image(enum texel texel, struct extent size, bool normalized, const void *data);

struct argument {
    const void *value;
    size_t bytes;
};

#define BUFFER(memory) {&(memory), sizeof(struct buffer)}
#define IMAGE(image)   {&(image), sizeof(struct image)}
#define INT(value)     {&(int32_t){(value)}, sizeof(int32_t)}
#define UINT(value)    {&(uint32_t){(value)}, sizeof(uint32_t)}
#define FLOAT(value)   {&(float){(value)}, sizeof(float)}
#define DOUBLE(value)  {&(double){(value)}, sizeof(double)}
#define EXTENT(...)    ((struct extent){{__VA_ARGS__}})

/* Queues a kernel: LAUNCH("name", EXTENT(groups), EXTENT(items of a group), BUFFER(a), INT(n), ...). */
#define LAUNCH(name, groups, items, ...)                                                                                                   \
    launch(name, groups, items, (const struct argument[]){__VA_ARGS__}, sizeof((struct argument[]){__VA_ARGS__}) / sizeof(struct argument))

void launch(const char *name, struct extent groups, struct extent items, const struct argument *arguments, size_t count);

/* ---- what a side provides (side_*.c) beside the functions above ---------------------------------- */

extern const bool side_is_device;
void side_start(const char *file); /* file: the code object or the OpenCL source */
void side_finish(void);            /* waits for everything queued */

/* The worker's: prints "bench NAME: ..." and ends the process. */
_Noreturn __attribute__((format(printf, 1, 2))) void bench_fail(const char *format, ...);

#endif
