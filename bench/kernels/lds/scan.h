/* Each workgroup of 256 items has a tile of 1024 numbers. */
#define TILE  1024
#define TILES 1024
#define COUNT (TILE * TILES)
#ifdef BENCH_LARGE
#define BATCH 64 /* prefix sums at once, one a row of the grid */
#else
#define BATCH 1
#endif
