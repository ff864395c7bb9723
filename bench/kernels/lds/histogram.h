#define BINS 256
#ifdef BENCH_LARGE
#define WORDS  (64 << 20)
#define GROUPS 1056
#else
#define WORDS  (1 << 20)
#define GROUPS 128
#endif
