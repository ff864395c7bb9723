#define COUNT     8192
#define SOFTENING 1e-3f
