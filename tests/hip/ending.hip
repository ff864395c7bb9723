// The process ends while native code of a kernel is being made in the background: what runs afterwards (handlers of the program, among
// them one that forks, unloads, allocates and launches) must find everything usable, and no end may wait for the compiler.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

static float *out;

template <int N> __device__ float step(float x) {
    float y = sinf(x) * tanf(x + N) + powf(fabsf(x) + 1.0f, 0.1f * N);
    return N ? step<(N > 0 ? N - 1 : 0)>(y) + expf(-y * y) : y;
}
template <> __device__ float step<0>(float x) { return erff(x) + cosf(x * 1000.0f); }

__global__ void slow_to_make(float *to) { to[threadIdx.x] = step<8>((float)threadIdx.x); }

__global__ void quick(float *to) { to[threadIdx.x] = (float)threadIdx.x; }

// Registered before the runtime is started, so that it is called behind the runtime's own end.
static void at_the_end() {
    float *more = nullptr, values[64];
    quick<<<1, 64>>>(out);
    if (hipMemcpy(values, out, sizeof values, hipMemcpyDeviceToHost) != hipSuccess || values[63] != 63.0f ||
        hipMalloc(&more, 1 << 20) != hipSuccess || hipFree(more) != hipSuccess || hipFree(out) != hipSuccess) {
        printf("the device is not usable at the end\n");
        fflush(stdout);
        _exit(1);
    }
    const pid_t child = fork();
    if (child == 0)
        _exit(7);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
        printf("no fork at the end\n");
        fflush(stdout);
        _exit(1);
    }
    void *const memory = malloc(1 << 22); // the allocator is nobody's
    free(memory);
    printf("PASS\n");
}

int main() {
    atexit(at_the_end);
    float values[64];
    if (hipMalloc(&out, sizeof values) != hipSuccess)
        return 1;
    slow_to_make<<<1, 64>>>(out);
    if (hipMemcpy(values, out, sizeof values, hipMemcpyDeviceToHost) != hipSuccess || !std::isfinite(values[1])) {
        printf("FAIL %g\n", values[1]);
        return 1;
    }
    return 0;
}
