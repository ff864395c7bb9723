#define N     2048
#define STEPS 8 /* even */
