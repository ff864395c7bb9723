#ifdef BENCH_LARGE
#define N 512
#else
#define N 192
#endif
#define PLANE (N * N)
#define STEPS 4 /* even */
