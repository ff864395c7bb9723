// A kernel that prints through a buffer, for test_print.c: compiled with -mprintf-kind=buffered, without a device library.
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))

extern "C" __device__ int printf(const char *format, ...);
// Only for its hidden argument: what the fake driver runs instead writes to the buffer.
extern "C" __device__ char *__printf_alloc(unsigned) { return *(char **)((char *)__builtin_amdgcn_implicitarg_ptr() + 72); }

extern "C" __global__ void prints(int number) { printf("number %d\n", number); }
