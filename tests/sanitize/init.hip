/* initcheck: values that nobody wrote. The twins write them, or look at what was written. */
#include "catalogue.h"

/* Device memory that nobody has written. */
template <class T> struct Raw {
    T *p = nullptr;
    int n;
    explicit Raw(int n) : n(n) { OK(hipMalloc((void **)&p, n * sizeof(T))); }
    ~Raw() {
        finish();
        OK(hipFree(p));
    }
    Raw(const Raw &) = delete;
    operator T *() const { return p; }
    void write() { OK(hipMemset(p, 0, n * sizeof(T))); }
};
/* What the twin has written. */
template <class T> struct Written : Raw<T> {
    Written(int n, bool faulty) : Raw<T>(n) {
        if (!faulty)
            Raw<T>::write();
    }
};

/* ---- branches ------------------------------------------------------------------------------------ */

KERNEL lanes_part(const int *p, int *q) {
    int i = threadIdx.x;
    if (p[i] > 3) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[i] = i;
}
CASE(lanes_part) {
    Written<int> p(64, faulty);
    Buffer<int> q(64);
    LAUNCH(lanes_part, 1, 64, p, q);
}

KERNEL uniform(const int *p, int *q) {
    if (*p > 3) // FAULT: initcheck uninitialized-branch|uninitialized-exec
        q[threadIdx.x] = 1;
}
CASE(uniform) {
    Written<int> p(1, faulty);
    Buffer<int> q(64);
    LAUNCH(uniform, 1, 64, p, q);
}

KERNEL rounds(const int *n, int *q) {
    for (int i = 0; i < (n[threadIdx.x] & 3); i++) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        atomicAdd(q, 1);
}
CASE(rounds) {
    Written<int> n(64, faulty);
    Buffer<int> q(1);
    LAUNCH(rounds, 1, 64, n, q);
}

KERNEL floats(const float *p, int *q) {
    if (p[threadIdx.x] * 2 > 1.0f) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(floats) {
    Written<float> p(64, faulty);
    Buffer<int> q(64);
    LAUNCH(floats, 1, 64, p, q);
}

KERNEL doubles(const double *p, int *q) {
    if (p[threadIdx.x] + p[0] > 1.0) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(doubles) {
    Written<double> p(64, faulty);
    Buffer<int> q(64);
    LAUNCH(doubles, 1, 64, p, q);
}

/* One element is missing: the one behind those that were written. */
KERNEL write_some(int *p, int n) {
    int i = threadIdx.x;
    if (i < n)
        p[i] = i;
}
KERNEL one_missing(const int *p, int *q) {
    if (p[threadIdx.x] == 7) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        *q = threadIdx.x;
}
CASE(one_missing) {
    Raw<int> p(64);
    Buffer<int> q(1);
    LAUNCH(write_some, 1, 64, p, faulty ? 63 : 64);
    LAUNCH(one_missing, 1, 64, p, q);
}

/* A value goes through memory, arithmetic and another kernel. */
KERNEL pass_on(const int *p, int *q) { q[threadIdx.x] = 3 * p[threadIdx.x] + 1; }
KERNEL decide(const int *p, int *q) {
    if (p[threadIdx.x] >= 0x12345) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(passed_on) {
    Written<int> p(64, faulty);
    Raw<int> between(64);
    Buffer<int> q(64);
    LAUNCH(pass_on, 1, 64, p, between);
    LAUNCH(decide, 1, 64, between, q);
}

/* What was there before is no value. */
KERNEL after_reuse(const int *p, int *q) {
    if (p[threadIdx.x] == 5) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(after_reuse) {
    for (int i = 0; i < 2; i++) {
        Raw<int> p(64);
        Buffer<int> q(64);
        if (i == 0 || !faulty)
            p.write();
        LAUNCH(after_reuse, 1, 64, p, q);
    }
}

KERNEL half_filled(const int *p, int *q) {
    if (p[threadIdx.x] == 5) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(half_filled) {
    Raw<int> p(64);
    Buffer<int> q(64);
    OK(hipMemset(p.p, 0, faulty ? 32 * sizeof(int) : 64 * sizeof(int)));
    LAUNCH(half_filled, 1, 64, p, q);
}

KERNEL copied(const int *p, int *q) {
    if (p[threadIdx.x] == 5) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(copied) {
    Written<int> p(64, faulty);
    Buffer<int> q(64), there(64);
    OK(hipMemcpy(there.p, p.p, 64 * sizeof(int), hipMemcpyDeviceToDevice));
    LAUNCH(copied, 1, 64, there, q);
}

KERNEL pooled(const int *p, int *q) {
    if (p[threadIdx.x] == 5) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(pooled) {
    int *p;
    Buffer<int> q(64);
    OK(hipMallocAsync((void **)&p, 64 * sizeof(int), 0));
    if (!faulty)
        OK(hipMemsetAsync(p, 0, 64 * sizeof(int), 0));
    LAUNCH(pooled, 1, 64, p, q);
    OK(hipFreeAsync(p, 0));
}

template <bool F> __device__ __attribute__((noinline)) void set_if(const int *p, int *q) {
    if (*p) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        *q = 1;
}
KERNEL in_a_function(const int *p, int *q) { set_if<F>(p + threadIdx.x, q + threadIdx.x); }
CASE(in_a_function) {
    Written<int> p(64, faulty);
    Buffer<int> q(64);
    LAUNCH(in_a_function, 1, 64, p, q);
}

KERNEL voted(const int *p, int *q) {
    unsigned long long lanes = __ballot(p[threadIdx.x] > 0);
    if (__popcll(lanes) > 3) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        *q = 1;
}
CASE(voted) {
    Written<int> p(64, faulty);
    Buffer<int> q(1);
    LAUNCH(voted, 1, 64, p, q);
}

KERNEL shuffled(const int *p, int *q, int n) {
    int i = threadIdx.x, x = 1;
    if (i < n)
        x = p[i];
    x = __shfl(x, F ? 9 : 1);
    if (x == 17) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[i] = 1;
}
CASE(shuffled) {
    Raw<int> p(32);
    Buffer<int> q(32);
    LAUNCH(write_some, 1, 32, p, 8);
    LAUNCH(shuffled, 1, 32, p, q, 16);
}

/* ---- LDS and private memory ---------------------------------------------------------------------- */

KERNEL lds(const int *p, int *q, int n) {
    __shared__ int there[64];
    int i = threadIdx.x;
    if (i < (F ? n : 64))
        there[i] = p[i];
    __syncthreads();
    if (there[63 - i] == 12) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[i] = 1;
}
CASE(lds) {
    Buffer<int> p(64), q(64);
    LAUNCH(lds, 1, 64, p, q, 60);
}

KERNEL lds_of_others(const int *p, int *q, int n) {
    __shared__ int there[64];
    int i = threadIdx.x;
    if (blockIdx.x < (F ? 1 : gridDim.x))
        there[i] = p[i];
    __syncthreads();
    if (there[i] == n) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[i] = 1;
}
CASE(lds_of_others) {
    Buffer<int> p(64), q(64);
    LAUNCH(lds_of_others, 3, 64, p, q, 60);
}

KERNEL dynamic_lds(int *q, int n) {
    extern __shared__ int dynamic[];
    int i = threadIdx.x;
    dynamic[i] = i;
    __syncthreads();
    q[dynamic[(i + (F ? n : 0)) & 127] & 63] = 1; // FAULT: initcheck uninitialized-address
}
CASE(dynamic_lds) {
    Buffer<int> q(64);
    LAUNCH_IN(dynamic_lds, 1, 64, 128 * sizeof(int), 0, q, 32);
}

KERNEL private_array(const int *p, int *q, int n) {
    int own[32];
    for (int i = 0; i < (F ? n : 32); i++)
        own[p[i] & 31] = i + 5;
    int x = own[p[40] & 31];
    if (x == 17) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(private_array) {
    int places[64];
    for (int i = 0; i < 64; i++)
        places[i] = i < 32 ? i : 31;
    Buffer<int> p(64), q(64);
    OK(hipMemcpy(p.p, places, sizeof places, hipMemcpyHostToDevice));
    LAUNCH(private_array, 1, 64, p, q, 20);
}

/* ---- addresses ----------------------------------------------------------------------------------- */

KERNEL index_of(const int *p, int *q) { q[p[threadIdx.x] & 63] = 1; } // FAULT: initcheck uninitialized-address
CASE(index_of) {
    Written<int> p(64, faulty);
    Buffer<int> q(64);
    LAUNCH(index_of, 1, 64, p, q);
}

KERNEL load_from(const unsigned char *p, const int *table, int *q) {
    q[threadIdx.x] = table[p[threadIdx.x]]; // FAULT: initcheck uninitialized-address
}
CASE(load_from) {
    Written<unsigned char> p(64, faulty);
    Buffer<int> table(256), q(64);
    LAUNCH(load_from, 1, 64, p, table, q);
}

/* ---- atomics ------------------------------------------------------------------------------------- */

KERNEL count(int *p) { atomicAdd(p, 1); } // FAULT: initcheck uninitialized-atomic
CASE(count) {
    Written<int> p(1, faulty);
    LAUNCH(count, 1, 64, p);
}

KERNEL add_nothing(const int *p, int *q) { atomicMax(q, p[threadIdx.x] + (int)threadIdx.x); } // FAULT: initcheck uninitialized-atomic
CASE(add_nothing) {
    Written<int> p(64, faulty);
    Buffer<int> q(1);
    LAUNCH(add_nothing, 1, 64, p, q);
}

KERNEL compared(int *p) { atomicCAS(p + threadIdx.x, 0, 1); } // FAULT: initcheck uninitialized-atomic
CASE(compared) {
    Written<int> p(64, faulty);
    LAUNCH(compared, 1, 64, p);
}

KERNEL lds_count(int *q) {
    __shared__ int counter;
    if (!F && threadIdx.x == 0)
        counter = 0;
    __syncthreads();
    atomicAdd(&counter, 1); // FAULT: initcheck uninitialized-atomic
    __syncthreads();
    q[threadIdx.x] = counter;
}
CASE(lds_count) {
    Buffer<int> q(64);
    LAUNCH(lds_count, 1, 64, q);
}

/* ---- to the host --------------------------------------------------------------------------------- */

CASE(last_one) {
    Raw<int> p(1000);
    static int host[1000];
    LAUNCH(write_some, 1, 1000, p, faulty ? 999 : 1000);
    OK(hipMemcpy(host, p.p, sizeof host, hipMemcpyDeviceToHost)); // FAULT: initcheck uninitialized-host
}

KERNEL flags(const int *p, int *q) { q[threadIdx.x] = p[threadIdx.x] > 17; }
CASE(flags) {
    Written<int> p(64, faulty);
    Buffer<int> q(64);
    static int host[64];
    LAUNCH(flags, 1, 64, p, q);
    OK(hipMemcpy(host, q.p, sizeof host, hipMemcpyDeviceToHost)); // FAULT: initcheck uninitialized-host
}

KERNEL to_managed(const int *p, int *q) { q[threadIdx.x] = 5 * p[threadIdx.x]; } // FAULT: initcheck uninitialized-host
CASE(to_managed) {
    Written<int> p(64, faulty);
    int *q;
    OK(hipMallocManaged((void **)&q, 64 * sizeof(int)));
    LAUNCH(to_managed, 1, 64, p, q);
    finish();
    OK(hipFree(q));
}

/* ---- bits: nothing of this is a fault, but for the last look ------------------------------------- */

struct Padded {
    char small;
    double large;
    short middle;
};
KERNEL fill_structures(Padded *p) {
    p[threadIdx.x].small = 1;
    p[threadIdx.x].large = 2;
    if (!F)
        p[threadIdx.x].middle = 3;
}
KERNEL copy_structures(const Padded *p, Padded *q) { q[threadIdx.x] = p[threadIdx.x]; }
KERNEL look_at_structures(const Padded *p, int *q) {
    if (p[threadIdx.x].small == 1 && p[threadIdx.x].large == 2)
        q[threadIdx.x] = 1;
    if (p[threadIdx.x].middle == 3) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] += 2;
}
CASE(padding) {
    Raw<Padded> p(64), copy(64);
    Buffer<int> q(64);
    static Padded host[64];
    LAUNCH(fill_structures, 1, 64, p);
    LAUNCH(copy_structures, 1, 64, p, copy);
    if (!faulty)
        OK(hipMemcpy(host, copy.p, sizeof host, hipMemcpyDeviceToHost));
    LAUNCH(look_at_structures, 1, 64, copy, q);
}

struct Fields {
    unsigned a : 5, b : 11, c : 16;
};
KERNEL set_fields(Fields *p) {
    p[threadIdx.x].a = threadIdx.x;
    p[threadIdx.x].c = 7;
}
KERNEL look_at_fields(const Fields *p, int *q) {
    if (p[threadIdx.x].a == 3 && p[threadIdx.x].c == 7)
        q[threadIdx.x] = 1;
    if (F && p[threadIdx.x].b == 9) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] += 2;
}
CASE(fields) {
    Raw<Fields> p(64);
    Buffer<int> q(64);
    LAUNCH(set_fields, 1, 64, p);
    LAUNCH(look_at_fields, 1, 64, p, q);
}

/* Every other byte is written. */
KERNEL set_bytes(unsigned char *p) { p[2 * threadIdx.x] = threadIdx.x & 1 ? 0 : (unsigned char)threadIdx.x; }
KERNEL look_at_bytes(const unsigned *p, int *q) {
    unsigned x = p[threadIdx.x], mask = F ? 0x00ff01ff : 0x00ff00ff;
    if (((x & mask) + 5) >> 3 == 3) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(bytes) {
    Raw<unsigned> p(32);
    Buffer<int> q(32);
    LAUNCH(set_bytes, 1, 64, (unsigned char *)p.p);
    LAUNCH(look_at_bytes, 1, 32, p, q);
}

/* A value with unknown low bits is known to be large, but its parity is not. */
KERNEL compare(const unsigned *p, int *q) {
    unsigned x = (p[threadIdx.x] & 0xff) | 0x1000;
    if (x > 0x200 && (!F || (x & 1))) // FAULT: initcheck uninitialized-exec|uninitialized-branch
        q[threadIdx.x] = 1;
}
CASE(compare) {
    Raw<unsigned> p(64);
    Buffer<int> q(64);
    LAUNCH(compare, 1, 64, p, q);
}
