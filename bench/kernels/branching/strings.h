#define STRINGS (1 << 18)
#define LONGEST 64 /* bytes */
