#ifdef BENCH_LARGE
#define COUNT (64 << 20)
#else
#define COUNT (1 << 20)
#endif
#define RISK_FREE  0.02f
#define VOLATILITY 0.3f
