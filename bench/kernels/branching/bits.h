#define WORDS (1 << 18)
