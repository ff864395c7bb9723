#define POINTS 1024 /* 4^5 */
#define BATCH  4096
