#ifdef BENCH_LARGE
#define N 16384
#else
#define N 2048
#endif
#define STEPS 8 /* even */
