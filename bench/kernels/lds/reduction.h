#define COUNT  (4 << 20)
#define GROUPS 256
