/* memcheck: kernels that leave their memory. */
#include "catalogue.h"

/* ---- device memory ------------------------------------------------------------------------------- */

KERNEL store_behind(int *p, int n) { p[F ? n : n - 1] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(store_behind) {
    Buffer<int> b(100);
    LAUNCH(store_behind, 1, 1, b, b.n);
}

KERNEL load_behind(const int *p, int n, int *out) { *out = p[F ? n : n - 1]; } // FAULT: memcheck out-of-bounds-read
CASE(load_behind) {
    Buffer<int> b(100), out(1);
    LAUNCH(load_behind, 1, 1, b, b.n, out);
}

KERNEL atomic_behind(int *p, int n) { atomicAdd(p + (F ? n : n - 1), 1); } // FAULT: memcheck out-of-bounds-atomic
CASE(atomic_behind) {
    Buffer<int> b(100);
    LAUNCH(atomic_behind, 1, 64, b, b.n);
}

KERNEL byte_behind(char *p, int n) { p[F ? n : n - 1] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(byte_behind) {
    Buffer<char> b(101);
    LAUNCH(byte_behind, 1, 1, b, b.n);
}

KERNEL short_behind(short *p, int n) { p[F ? n : n - 1] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(short_behind) {
    Buffer<short> b(51);
    LAUNCH(short_behind, 1, 1, b, b.n);
}

KERNEL load_before(const int *p, int n, int *out) { *out = p[F ? -1 - n : 0]; } // FAULT: memcheck out-of-bounds-read
CASE(load_before) {
    Buffer<int> b(100), out(1);
    LAUNCH(load_before, 1, 1, b, 0, out);
}

KERNEL store_before(int *p, int n) { p[F ? -1 - n : 0] = 3; } // FAULT: memcheck out-of-bounds-write
CASE(store_before) {
    Buffer<int> b(100);
    LAUNCH(store_before, 1, 1, b, 0);
}

KERNEL far_behind(int *p, long n) { p[F ? n * 100000 : 0] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(far_behind) {
    Buffer<int> b(100);
    LAUNCH(far_behind, 1, 1, b, b.n);
}

KERNEL far_before(const int *p, long n, int *out) { *out = p[F ? n * -100000 : 0]; } // FAULT: memcheck out-of-bounds-read
CASE(far_before) {
    Buffer<int> b(100), out(1);
    LAUNCH(far_before, 1, 1, b, b.n, out);
}

/* The first half of the access is in bounds. */
KERNEL half_a_load(const char *p, int n, long *out) { *out = *(const long *)(p + n - (F ? 4 : 8)); } // FAULT: memcheck out-of-bounds-read
CASE(half_a_load) {
    Buffer<char> b(16);
    Buffer<long> out(1);
    LAUNCH(half_a_load, 1, 1, b, b.n, out);
}

typedef float four_floats __attribute__((ext_vector_type(4)));
KERNEL half_a_store(float *p, int n) {
    *(four_floats *)(p + n - (F ? 2 : 4)) = four_floats{1, 2, 3, 4}; // FAULT: memcheck out-of-bounds-write
}
CASE(half_a_store) {
    Buffer<float> b(10);
    LAUNCH(half_a_store, 1, 1, b, b.n);
}

/* The last work items of the last workgroup. */
KERNEL no_guard(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (F || i < n)
        p[i] = i; // FAULT: memcheck out-of-bounds-write
}
CASE(no_guard) {
    Buffer<int> b(250);
    LAUNCH(no_guard, 4, 64, b, b.n);
}

KERNEL wrong_guard(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (F ? i <= n : i < n)
        p[i] += i; // FAULT: memcheck out-of-bounds-read|out-of-bounds-write
}
CASE(wrong_guard) {
    Buffer<int> b(250);
    LAUNCH(wrong_guard, 4, 64, b, b.n);
}

KERNEL last_lane(int *p, int n) {
    int i = threadIdx.x;
    p[F && i == 63 ? n : i] = i; // FAULT: memcheck out-of-bounds-write
}
CASE(last_lane) {
    Buffer<int> b(64);
    LAUNCH(last_lane, 1, 64, b, b.n);
}

KERNEL loop(const int *p, int n, int *out) {
    int sum = 0;
    for (int i = threadIdx.x; F ? i <= n : i < n; i += 64)
        sum += p[i]; // FAULT: memcheck out-of-bounds-read
    out[threadIdx.x] = sum;
}
CASE(loop) {
    Buffer<int> b(1024), out(64);
    LAUNCH(loop, 1, 64, b, b.n, out);
}

KERNEL unsigned_wrap(int *p, unsigned n) { p[(F ? 0u : n) - 1u] = 5; } // FAULT: memcheck out-of-bounds-write
CASE(unsigned_wrap) {
    Buffer<int> b(100);
    LAUNCH(unsigned_wrap, 1, 1, b, 100u);
}

KERNEL gather(const int *p, const int *index, int *out) {
    int i = index[threadIdx.x];
    out[threadIdx.x] = p[F ? i : i % 100]; // FAULT: memcheck out-of-bounds-read
}
CASE(gather) {
    Buffer<int> b(100), index(64), out(64);
    int host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i * 3;
    OK(hipMemcpy(index, host, sizeof host, hipMemcpyHostToDevice));
    LAUNCH(gather, 1, 64, b, index, out);
}

KERNEL scatter(int *p, const int *index) { p[F ? index[threadIdx.x] : (int)threadIdx.x] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(scatter) {
    Buffer<int> b(100), index(64);
    int host[64];
    for (int i = 0; i < 64; i++)
        host[i] = i * 2;
    OK(hipMemcpy(index, host, sizeof host, hipMemcpyHostToDevice));
    LAUNCH(scatter, 1, 64, b, index);
}

KERNEL rows(float *p, size_t pitch, int width, int height) {
    int y = threadIdx.y + (F ? 1 : 0);
    float *row = (float *)((char *)p + y * pitch);
    row[threadIdx.x] = 1; // FAULT: memcheck out-of-bounds-write
}
CASE(rows) {
    float *p;
    size_t pitch;
    OK(hipMallocPitch((void **)&p, &pitch, 16 * sizeof(float), 8));
    LAUNCH(rows, 1, dim3(16, 8), p, pitch, 16, 8);
    finish();
    OK(hipFree(p));
}

/* Blocks that were allocated one after the other. */
KERNEL into_the_next(int *a, const int *b, int n) { a[F ? n + 4 : 0] = b[0]; } // FAULT: memcheck out-of-bounds-write
CASE(into_the_next) {
    Buffer<int> a(60), b(60);
    LAUNCH(into_the_next, 1, 1, a, b, a.n);
}

KERNEL null_pointer(const int *p, int *out) { out[threadIdx.x] = p[0]; } // FAULT: memcheck out-of-bounds-read
CASE(null_pointer) {
    Buffer<int> b(4), out(64);
    LAUNCH(null_pointer, 1, 64, faulty ? nullptr : b.p, out);
}

KERNEL wild_pointer(int *p) { *p = 1; } // FAULT: memcheck out-of-bounds-write
CASE(wild_pointer) {
    Buffer<int> b(4);
    LAUNCH(wild_pointer, 1, 1, faulty ? (int *)0x7123456789a0 : b.p);
}

/* Memory of the host that no function of HIP has seen. */
KERNEL host_memory(const int *p, int *out) { *out = p[0]; } // FAULT: memcheck out-of-bounds-read
CASE(host_memory) {
    static int host[4];
    Buffer<int> b(4), out(1);
    LAUNCH(host_memory, 1, 1, faulty ? host : b.p, out);
}

template <bool F> __device__ __attribute__((noinline)) void write_it(int *p, int n) {
    p[F ? n : 0] = 7; // FAULT: memcheck out-of-bounds-write
}
KERNEL in_a_function(int *p, int n) { write_it<F>(p, n); }
CASE(in_a_function) {
    Buffer<int> b(9);
    LAUNCH(in_a_function, 1, 1, b, b.n);
}

template <bool F> __device__ __attribute__((noinline)) int read_it(const int *p, int n) {
    return p[F ? n : 0]; // FAULT: memcheck out-of-bounds-read
}
KERNEL in_a_loop_of_calls(const int *p, int n, int *out) {
    for (int i = 0; i < 4; i++)
        out[i] = read_it<F>(p, n + i);
}
CASE(in_a_loop_of_calls) {
    Buffer<int> b(9), out(4);
    LAUNCH(in_a_loop_of_calls, 1, 1, b, b.n, out);
}

KERNEL double_behind(double *p, int n) { p[F ? n : n - 1] = 1.5; } // FAULT: memcheck out-of-bounds-write
CASE(double_behind) {
    Buffer<double> b(33);
    LAUNCH(double_behind, 1, 1, b, b.n);
}

KERNEL exchange_behind(int *p, int n, int *out) { *out = atomicExch(p + (F ? n : 0), 4); } // FAULT: memcheck out-of-bounds-atomic
CASE(exchange_behind) {
    Buffer<int> b(5), out(1);
    LAUNCH(exchange_behind, 1, 1, b, b.n, out);
}

KERNEL compare_behind(unsigned long long *p, int n) { atomicCAS(p + (F ? n : 0), 0ull, 4ull); } // FAULT: memcheck out-of-bounds-atomic
CASE(compare_behind) {
    Buffer<unsigned long long> b(5);
    LAUNCH(compare_behind, 1, 1, b, b.n);
}

/* ---- memory of other kinds ----------------------------------------------------------------------- */

__device__ int variable[10];
__device__ int next_variable[10];
KERNEL behind_a_variable(int n) { variable[F ? n : 0] = next_variable[0]; } // FAULT: memcheck out-of-bounds-write
CASE(behind_a_variable) { LAUNCH(behind_a_variable, 1, 1, 4000000); }

__constant__ int table[8] = {1, 2, 3};
KERNEL behind_a_table(int n, int *out) { *out = table[F ? n : 0]; } // FAULT: memcheck out-of-bounds-read
CASE(behind_a_table) {
    Buffer<int> out(1);
    LAUNCH(behind_a_table, 1, 1, 4000000, out);
}

KERNEL of_managed(int *p, int n) { p[F ? n : 0] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(of_managed) {
    int *p;
    OK(hipMallocManaged((void **)&p, 400));
    LAUNCH(of_managed, 1, 1, p, 100);
    finish();
    OK(hipFree(p));
}

KERNEL of_pinned(int *p, int n) { p[F ? n : 0] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(of_pinned) {
    int *p;
    OK(hipHostMalloc((void **)&p, 400));
    LAUNCH(of_pinned, 1, 1, p, 100);
    finish();
    OK(hipHostFree(p));
}

KERNEL of_registered(int *p, int n) { p[F ? n : 0] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(of_registered) {
    static int host[4096];
    OK(hipHostRegister(host, 1024 * sizeof(int), 0));
    LAUNCH(of_registered, 1, 1, host, 1024);
    finish();
    OK(hipHostUnregister(host));
}

KERNEL of_a_pool(int *p, int n) { p[F ? n : 0] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(of_a_pool) {
    int *p;
    OK(hipMallocAsync((void **)&p, 400, 0));
    LAUNCH(of_a_pool, 1, 1, p, 100);
    OK(hipFreeAsync(p, 0));
}

KERNEL between_pool_blocks(int *p, const int *q, int n) { p[F ? n + 2 : 0] = q[0]; } // FAULT: memcheck out-of-bounds-write
CASE(between_pool_blocks) {
    int *p, *q;
    OK(hipMallocAsync((void **)&p, 600, 0));
    OK(hipMallocAsync((void **)&q, 600, 0));
    OK(hipMemsetAsync(q, 0, 600, 0));
    LAUNCH(between_pool_blocks, 1, 1, p, q, 150);
    OK(hipFreeAsync(p, 0));
    OK(hipFreeAsync(q, 0));
}

/* ---- memory that was freed ----------------------------------------------------------------------- */

KERNEL read_freed(const int *p, int *out) { *out = p[3]; } // FAULT: memcheck use-after-free-read
CASE(read_freed) {
    Buffer<int> b(100), out(1);
    int *p;
    OK(hipMalloc((void **)&p, 400));
    OK(hipFree(p));
    LAUNCH(read_freed, 1, 1, faulty ? p : b.p, out);
}

KERNEL write_freed(int *p) { p[3] = 1; } // FAULT: memcheck use-after-free-write
CASE(write_freed) {
    Buffer<int> b(100);
    int *p;
    OK(hipMalloc((void **)&p, 1 << 20));
    OK(hipFree(p));
    LAUNCH(write_freed, 1, 1, faulty ? p : b.p);
}

KERNEL add_freed(int *p) { atomicAdd(p, 1); } // FAULT: memcheck use-after-free-atomic
CASE(add_freed) {
    Buffer<int> b(100);
    int *p;
    OK(hipMalloc((void **)&p, 4000));
    OK(hipFree(p));
    LAUNCH(add_freed, 1, 1, faulty ? p : b.p);
}

KERNEL freed_managed(int *p) { p[3] = 1; } // FAULT: memcheck use-after-free-write
CASE(freed_managed) {
    Buffer<int> b(100);
    int *p;
    OK(hipMallocManaged((void **)&p, 400));
    OK(hipFree(p));
    LAUNCH(freed_managed, 1, 1, faulty ? p : b.p);
}

KERNEL freed_pinned(int *p) { p[3] = 1; } // FAULT: memcheck use-after-free-write
CASE(freed_pinned) {
    Buffer<int> b(100);
    int *p;
    OK(hipHostMalloc((void **)&p, 400));
    OK(hipHostFree(p));
    LAUNCH(freed_pinned, 1, 1, faulty ? p : b.p);
}

KERNEL unregistered(int *p) { p[3] = 1; } // FAULT: memcheck use-after-free-write|out-of-bounds-write
CASE(unregistered) {
    static int host[1024];
    OK(hipHostRegister(host, sizeof host, 0));
    if (faulty)
        OK(hipHostUnregister(host));
    LAUNCH(unregistered, 1, 1, host);
    finish();
    if (!faulty)
        OK(hipHostUnregister(host));
}

KERNEL freed_in_order(int *p) { p[3] = 1; } // FAULT: memcheck not-allocated-write
CASE(freed_in_order) {
    int *p;
    OK(hipMallocAsync((void **)&p, 400, 0));
    if (faulty)
        OK(hipFreeAsync(p, 0));
    LAUNCH(freed_in_order, 1, 1, p);
    if (!faulty)
        OK(hipFreeAsync(p, 0));
}

KERNEL freed_async(const int *p, int *out) { *out = p[3]; } // FAULT: memcheck not-allocated-read|use-after-free-read
CASE(freed_async) {
    Buffer<int> b(100), out(1);
    int *p;
    OK(hipMalloc((void **)&p, 400));
    OK(hipMemset(p, 0, 400));
    OK(hipFreeAsync(p, 0));
    OK(hipDeviceSynchronize());
    LAUNCH(freed_async, 1, 1, faulty ? p : b.p, out);
}

/* ---- misaligned ---------------------------------------------------------------------------------- */

KERNEL odd_atomic(char *p) { atomicAdd((int *)(p + (F ? 2 : 4)), 1); } // FAULT: memcheck misaligned-atomic
CASE(odd_atomic) {
    Buffer<char> b(64);
    LAUNCH(odd_atomic, 1, 1, b);
}

KERNEL odd_wide_atomic(char *p) { atomicAdd((unsigned long long *)(p + (F ? 4 : 8)), 1ull); } // FAULT: memcheck misaligned-atomic
CASE(odd_wide_atomic) {
    Buffer<char> b(64);
    LAUNCH(odd_wide_atomic, 1, 1, b);
}

/* ---- LDS ----------------------------------------------------------------------------------------- */

KERNEL lds_store(int n, int *out) {
    __shared__ int part[64];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    part[F ? n + threadIdx.x : threadIdx.x] = 1; // FAULT: memcheck lds-out-of-bounds-write
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x];
}
CASE(lds_store) {
    Buffer<int> out(64);
    LAUNCH(lds_store, 1, 64, 40000, out);
}

KERNEL lds_load(int n, int *out) {
    __shared__ int part[64];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = part[F ? n : 63 - threadIdx.x]; // FAULT: memcheck lds-out-of-bounds-read
}
CASE(lds_load) {
    Buffer<int> out(64);
    LAUNCH(lds_load, 1, 64, 400, out);
}

KERNEL lds_one_behind(int n, int *out) {
    __shared__ int part[64];
    part[F && threadIdx.x == 0 ? n : (int)threadIdx.x] = threadIdx.x; // FAULT: memcheck lds-out-of-bounds-write
    __syncthreads();
    out[threadIdx.x] = part[threadIdx.x | 1];
}
CASE(lds_one_behind) {
    Buffer<int> out(64);
    LAUNCH(lds_one_behind, 1, 64, 64, out);
}

KERNEL lds_atomic(int n, int *out) {
    __shared__ int count[4];
    if (threadIdx.x < 4)
        count[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&count[F ? n : threadIdx.x % 4], 1); // FAULT: memcheck lds-out-of-bounds-atomic
    __syncthreads();
    if (threadIdx.x < 4)
        out[threadIdx.x] = count[threadIdx.x];
}
CASE(lds_atomic) {
    Buffer<int> out(4);
    LAUNCH(lds_atomic, 1, 64, 17, out);
}

KERNEL lds_dynamic(int n, int *out) {
    extern __shared__ int dynamic[];
    dynamic[threadIdx.x + (F ? n : 0)] = threadIdx.x; // FAULT: memcheck lds-out-of-bounds-write
    __syncthreads();
    out[threadIdx.x] = F ? 0 : dynamic[threadIdx.x];
}
CASE(lds_dynamic) {
    Buffer<int> out(64);
    LAUNCH_IN(lds_dynamic, 1, 64, 64 * sizeof(int), 0, 64, out);
}

KERNEL lds_negative(int n, int *out) {
    __shared__ int part[64];
    part[(int)threadIdx.x - (F ? n : 0)] = threadIdx.x; // FAULT: memcheck lds-out-of-bounds-write|out-of-bounds-write
    __syncthreads();
    out[threadIdx.x] = F ? 0 : part[threadIdx.x];
}
CASE(lds_negative) {
    Buffer<int> out(64);
    LAUNCH(lds_negative, 1, 64, 100, out);
}

// The rest of the strip is within.
KERNEL lds_before_first(int n, int *out) {
    __shared__ int part[64];
    part[threadIdx.x] = threadIdx.x;
    __syncthreads();
    int at = (int)threadIdx.x - (F ? n : 0);
    out[threadIdx.x] = part[at]; // FAULT: memcheck lds-out-of-bounds-read|out-of-bounds-read
}
CASE(lds_before_first) {
    Buffer<int> out(64);
    LAUNCH(lds_before_first, 1, 64, 1, out);
}

KERNEL lds_wide(int n, int *out) {
    __shared__ int4 part[16];
    if (threadIdx.x < 16)
        part[threadIdx.x] = int4{1, 2, 3, 4};
    __syncthreads();
    int4 got = part[F ? n : threadIdx.x % 16]; // FAULT: memcheck lds-out-of-bounds-read
    out[threadIdx.x] = got.x + got.y + got.z + got.w;
}
CASE(lds_wide) {
    Buffer<int> out(64);
    LAUNCH(lds_wide, 1, 64, 16, out);
}

/* ---- private memory ------------------------------------------------------------------------------ */

KERNEL private_store(int n, int *out) {
    volatile int mine[16];
    for (int i = 0; i < 16; i++)
        mine[i] = i;
    mine[F ? n : n & 15] = 5; // FAULT: memcheck scratch-out-of-bounds-write
    out[threadIdx.x] = mine[3];
}
CASE(private_store) {
    Buffer<int> out(64);
    LAUNCH(private_store, 1, 64, 200000, out);
}

KERNEL private_load(int n, int *out) {
    volatile int mine[16];
    for (int i = 0; i < 16; i++)
        mine[i] = i;
    out[threadIdx.x] = mine[F ? n : n & 15]; // FAULT: memcheck scratch-out-of-bounds-read
}
CASE(private_load) {
    Buffer<int> out(64);
    LAUNCH(private_load, 1, 64, 200000, out);
}

/* ---- memory of graphs ---------------------------------------------------------------------------- */

/* A graph whose nodes allocate 400 bytes, run `launch`, and free. */
template <class F> static void run_graph(bool frees_first, F launch) {
    hipStream_t stream;
    hipGraph_t graph;
    hipGraphExec_t exec;
    int *p;
    OK(hipStreamCreate(&stream));
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeRelaxed));
    OK(hipMallocAsync((void **)&p, 400, stream));
    if (frees_first)
        OK(hipFreeAsync(p, stream));
    launch(p, stream);
    if (!frees_first)
        OK(hipFreeAsync(p, stream));
    OK(hipStreamEndCapture(stream, &graph));
    OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    OK(hipGraphLaunch(exec, stream));
    OK(hipStreamSynchronize(stream));
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
    OK(hipStreamDestroy(stream));
}

__global__ void write_early(int *p) { p[3] = 1; } // FAULT: memcheck not-allocated-write
CASE(write_early) {
    hipStream_t other;
    OK(hipStreamCreateWithFlags(&other, hipStreamNonBlocking));
    run_graph(false, [=](int *p, hipStream_t stream) {
        write_early<<<1, 1, 0, faulty ? other : stream>>>(p);
        if (faulty)
            OK(hipStreamSynchronize(other));
    });
    OK(hipStreamDestroy(other));
}

__global__ void write_late(int *p) { p[3] = 1; } // FAULT: memcheck not-allocated-write
CASE(write_late) {
    run_graph(faulty, [](int *p, hipStream_t stream) { write_late<<<1, 1, 0, stream>>>(p); });
}

__global__ void behind_of_graph(int *p, int n) { p[n] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(behind_of_graph) {
    run_graph(false, [=](int *p, hipStream_t stream) { behind_of_graph<<<1, 1, 0, stream>>>(p, faulty ? 100 : 99); });
}
