/* Digits of 4 bits; a workgroup of 256 items has a tile of 2048 keys, 8 consecutive ones an item. */
#define DIGITS   16
#define EACH     8
#define TILE     (256 * EACH)
#define TILES    128
#define COUNT    (TILE * TILES)
#define COUNTERS (DIGITS * TILES)
#ifdef BENCH_LARGE
#define BATCH 64 /* sorts at once, one a row of the grid */
#else
#define BATCH 1
#endif
