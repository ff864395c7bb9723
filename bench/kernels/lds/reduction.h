#ifdef BENCH_LARGE
#define COUNT  (256 << 20)
#define GROUPS 1056
#else
#define COUNT  (4 << 20)
#define GROUPS 256
#endif
