#ifdef BENCH_LARGE
#define COUNT 65536
#else
#define COUNT 8192
#endif
#define SOFTENING 1e-3f
