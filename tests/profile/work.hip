/* What `wavelift profile` is to see. "all": a little of everything; "many N": launches; "crash": three launches, then the end by a signal;
 * "hot": a kernel that takes a while; "times": such kernels, with HIP's own times of them. */
#include <hip/hip_runtime.h>

#pragma clang diagnostic ignored "-Wdeprecated-declarations" /* hipProfilerStart */

#include <roctracer/roctx.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

__global__ void fill(int *p, int value) { p[blockIdx.x * blockDim.x + threadIdx.x] = value; }
__global__ void add(int *p, const int *q) { p[threadIdx.x] += q[threadIdx.x]; }
__global__ void branch(int *p) { p[threadIdx.x] ^= 1; }
__global__ void unseen(int *p) { p[threadIdx.x] = 0; }
__global__ void in_child(int *p) { p[threadIdx.x] = 7; }
__global__ void in_thread(int *p) { p[threadIdx.x] = 8; }
__global__ void count(int *p) { p[threadIdx.x] += 1; }

__device__ static float step(float x) { return x * 1.0001f + 0.5f; /* the hot line */ }

__global__ void hot(float *p, int rounds) {
    float x = p[threadIdx.x];
    for (int i = 0; i < rounds; i++)
        x = step(x);
    p[threadIdx.x] = x;
}

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        if ((call) != hipSuccess) {                                                                                                        \
            printf("%s failed\n", #call);                                                                                                  \
            exit(3);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

static void child() {
    int *p = nullptr;
    CHECK(hipMalloc(reinterpret_cast<void **>(&p), 4096));
    for (int i = 0; i < 3; i++)
        in_child<<<1, 64>>>(p);
    CHECK(hipDeviceSynchronize());
    exit(0);
}

static void thread(int *p, roctx_range_id_t range) {
    roctxRangeStop(range);
    for (int i = 0; i < 4; i++)
        in_thread<<<2, 32>>>(p);
    CHECK(hipDeviceSynchronize());
}

static void graph(hipStream_t stream, int *p, int *q) {
    hipGraph_t graph = nullptr;
    hipGraphExec_t exec = nullptr;
    hipEvent_t fork = nullptr, join = nullptr;
    hipStream_t side = nullptr;
    CHECK(hipStreamCreate(&side));
    CHECK(hipEventCreate(&fork));
    CHECK(hipEventCreate(&join));
    CHECK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    CHECK(hipEventRecord(fork, stream));
    CHECK(hipStreamWaitEvent(side, fork, 0));
    branch<<<1, 64, 0, stream>>>(p);
    branch<<<1, 64, 0, side>>>(q);
    CHECK(hipMemsetAsync(q + 64, 0, 256, side));
    CHECK(hipEventRecord(join, side));
    CHECK(hipStreamWaitEvent(stream, join, 0));
    CHECK(hipStreamEndCapture(stream, &graph));
    CHECK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    for (int i = 0; i < 3; i++)
        CHECK(hipGraphLaunch(exec, stream));
    CHECK(hipStreamSynchronize(stream));
}

static void all() {
    int *p = nullptr, *q = nullptr, host[1024] = {0};
    hipStream_t a = nullptr, b = nullptr;
    pid_t pid = fork();
    if (pid == 0)
        child();
    int status = 1;
    waitpid(pid, &status, 0);
    CHECK(hipMalloc(reinterpret_cast<void **>(&p), 1 << 20));
    CHECK(hipMalloc(reinterpret_cast<void **>(&q), 1 << 16));
    CHECK(hipStreamCreate(&a));
    CHECK(hipStreamCreate(&b));
    CHECK(hipMemset(q, 0, 1 << 16));
    CHECK(hipMemcpy(p, host, 4096, hipMemcpyHostToDevice));
    for (int i = 0; i < 10; i++)
        fill<<<dim3(4, 2, 1), dim3(32, 2, 1), 0, a>>>(p, i);
    for (int i = 0; i < 5; i++)
        add<<<1, 64, 0, b>>>(q, q);
    CHECK(hipMemcpyAsync(q, q + 1024, 1000, hipMemcpyDefault, b));
    CHECK(hipDeviceSynchronize());
    CHECK(hipMemcpy(host, p, 512, hipMemcpyDeviceToHost));
    const int outer = roctxRangePush("graphs"), inner = roctxRangePush("inner \"one\"");
    graph(a, p, q);
    roctxMark("graphs are done");
    const int popped[] = {roctxRangePop(), roctxRangePop(), roctxRangePop()};
    if (outer != 0 || inner != 1 || popped[0] != 1 || popped[1] != 0 || popped[2] != -1 || roctx_version_major() != 4)
        exit(3);
    std::thread(thread, p, roctxRangeStart("from thread to thread")).join();
    if (hipMalloc(nullptr, 1) == hipSuccess)
        exit(3);
    CHECK(hipProfilerStop());
    for (int i = 0; i < 7; i++)
        unseen<<<1, 64>>>(p);
    CHECK(hipDeviceSynchronize());
    CHECK(hipProfilerStart());
    CHECK(hipFree(q));
    CHECK(hipFree(p));
    printf("done %d\n", status);
}

/* A line for each launch: the milliseconds from the event before it to the event behind it. */
static void times(float *p) {
    hipEvent_t before = nullptr, after = nullptr;
    CHECK(hipEventCreate(&before));
    CHECK(hipEventCreate(&after));
    hot<<<1, 256>>>(p, 1); /* its code is made */
    CHECK(hipDeviceSynchronize());
    for (int i = 0; i < 9; i++) {
        float milliseconds = 0;
        CHECK(hipEventRecord(before));
        hot<<<1, 256>>>(p, 500000 << i % 3);
        CHECK(hipEventRecord(after));
        CHECK(hipEventSynchronize(after));
        CHECK(hipEventElapsedTime(&milliseconds, before, after));
        printf("%.6f\n", static_cast<double>(milliseconds));
    }
    CHECK(hipEventDestroy(after));
    CHECK(hipEventDestroy(before));
}

int main(int argc, char **argv) {
    const char *mode = argc > 1 ? argv[1] : "all";
    int *p = nullptr, result = 0;
    if (!strcmp(mode, "all"))
        return all(), 0;
    const int launches = argc > 2 ? atoi(argv[2]) : 3;
    CHECK(hipMalloc(reinterpret_cast<void **>(&p), 4096));
    CHECK(hipMemset(p, 0, 4096));
    if (!strcmp(mode, "hot")) {
        for (int i = 0; i < 30; i++)
            hot<<<1, 256>>>(reinterpret_cast<float *>(p), 1000000);
        CHECK(hipDeviceSynchronize());
        return puts("hot"), 0;
    }
    if (!strcmp(mode, "times"))
        return times(reinterpret_cast<float *>(p)), 0;
    for (int i = 0; i < launches; i++)
        count<<<1, 64>>>(p);
    CHECK(hipDeviceSynchronize());
    if (!strcmp(mode, "crash"))
        raise(SIGKILL);
    CHECK(hipMemcpy(&result, p, sizeof result, hipMemcpyDeviceToHost));
    printf("%d\n", result);
    return 5;
}
