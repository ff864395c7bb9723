#define ROWS 65536
#define EACH 8 /* items a row */
