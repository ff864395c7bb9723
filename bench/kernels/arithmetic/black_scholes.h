#define COUNT      (1 << 20)
#define RISK_FREE  0.02f
#define VOLATILITY 0.3f
