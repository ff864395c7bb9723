#define IN_WIDTH   1024
#define IN_HEIGHT  768
#define OUT_WIDTH  1600
#define OUT_HEIGHT 1200
