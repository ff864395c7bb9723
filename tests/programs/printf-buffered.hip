// printf as code has it that was compiled with -mprintf-kind=buffered: into a buffer, which is printed when the kernel has ended. What finds no
// room there is dropped, and printf returns -1. Device libraries before ROCm 5.7 do not have the function that reserves room.
#define main main_of_example
#include "../../examples/printf.hip"
#undef main

extern "C" __device__ char *__printf_alloc(unsigned bytes) {
    unsigned *buffer = *(unsigned **)((char *)__builtin_amdgcn_implicitarg_ptr() + 72);
    unsigned used = __hip_atomic_load(buffer, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
    do {
        if (used + bytes > buffer[1])
            return nullptr;
    } while (
        !__hip_atomic_compare_exchange_strong(buffer, &used, used + bytes, __ATOMIC_RELAXED, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT));
    return (char *)(buffer + 2) + used;
}

// One lane prints until there is no room: a control word and the number of the format string are 12 bytes.
enum { LINES = 400000, ROOM = (4 << 20) - 8 };
__global__ void fill(int *results) {
    for (int i = 0; i < LINES; i++)
        results[i] = printf("x");
}

static long printed(int *results) {
    FILE *file = std::tmpfile();
    int output = dup(1);
    std::fflush(stdout);
    dup2(fileno(file), 1);
    fill<<<1, 1>>>(results);
    hipError_t error = hipDeviceSynchronize();
    std::fflush(stdout);
    dup2(output, 1);
    HIP(error);
    std::fseek(file, 0, SEEK_END);
    return std::ftell(file);
}

int main(int argc, char **argv) {
    if (main_of_example(argc, argv))
        return 1;
    check_name = "printf-buffered";
    std::vector<int> results(LINES);
    int *on_device;
    HIP(hipMalloc(&on_device, LINES * sizeof(int)));
    for (int round = 0; round < 2; round++) { // the next launch finds it empty
        long characters = printed(on_device);
        HIP(hipMemcpy(results.data(), on_device, LINES * sizeof(int), hipMemcpyDeviceToHost));
        EXPECT(characters == ROOM / 12, "%ld characters printed, room for %d", characters, ROOM / 12);
        for (int i = 0; i < LINES; i++)
            EXPECT(results[i] == (i < ROOM / 12 ? 0 : -1), "line %d: printf returned %d", i, results[i]);
    }
    return check_failures != 0;
}
