#define BINS   256
#define WORDS  (1 << 20)
#define GROUPS 128
