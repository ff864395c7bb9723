#define SLOTS     (1 << 18) /* twice as many as there are rows to build from */
#define BUILD     (SLOTS / 2)
#define PROBE     (1 << 20)
#define HASH(key) ((key) * 0x9e3779b1u >> 14)
