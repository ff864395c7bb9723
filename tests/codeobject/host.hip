// A host object with a fat binary inside, as an executable holds it.
struct dim3 {
    unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void *function, dim3 grid, dim3 block, void **arguments, unsigned long shared, void *stream);

__attribute__((global)) void nothing(int *out) { *out = 1; }
