#define VERTICES  (1 << 17)
#define UNREACHED 0xffffffffu
