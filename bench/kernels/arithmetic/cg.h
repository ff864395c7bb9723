#define N          512 /* a grid of N x N unknowns */
#define COUNT      (N * N)
#define ITERATIONS 20
#define GROUP      256
#define GROUPS     128 /* of the kernels with a sum: each leaves a partial one */

/* What the kernels leave for one another, one double each. */
#define RR    0 /* r . r */
#define ALPHA 1
#define BETA  2
#define WORDS 3
