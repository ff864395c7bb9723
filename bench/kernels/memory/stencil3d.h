#define N     192
#define PLANE (N * N)
#define STEPS 4 /* even */
