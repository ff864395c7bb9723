// Calls in kernels: functions that are not inlined, recursion, virtual functions, function pointers; each with lanes that
// take different ways.
#include "check.h"

#include <new>
#include <vector>

#define BOTH __host__ __device__

__attribute__((noinline)) BOTH unsigned fibonacci(unsigned n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

__attribute__((noinline)) BOTH unsigned ackermann(unsigned m, unsigned n) {
    return m == 0 ? n + 1 : n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}

struct Shape {
    BOTH virtual ~Shape() {}
    BOTH virtual float area() const = 0;
    BOTH virtual int corners() const { return 4; }
};
struct Rectangle : Shape {
    float a, b;
    BOTH Rectangle(float a, float b) : a(a), b(b) {}
    BOTH float area() const override { return a * b; }
};
struct Triangle : Rectangle {
    BOTH Triangle(float a, float b) : Rectangle(a, b) {}
    BOTH float area() const override { return 0.5f * Rectangle::area(); }
    BOTH int corners() const override { return 3; }
};
struct Square : Rectangle {
    BOTH explicit Square(float a) : Rectangle(a, a) {}
};

union Storage {
    char bytes[sizeof(Triangle)];
    void *alignment;
};

BOTH inline Shape *make(int i, Storage *storage) {
    float x = (float)(i % 7 + 1), y = (float)(i % 11 + 1);
    switch (i % 3) {
    case 0:
        return new (storage) Rectangle(x, y);
    case 1:
        return new (storage) Triangle(x, y);
    default:
        return new (storage) Square(x);
    }
}

typedef float (*Operation)(float, float);
__attribute__((noinline)) BOTH float plus_op(float a, float b) { return a + b; }
__attribute__((noinline)) BOTH float minus_op(float a, float b) { return a - b; }
__attribute__((noinline)) BOTH float times_op(float a, float b) { return a * b; }
__device__ Operation operations[3] = {plus_op, minus_op, times_op};
static const Operation host_operations[3] = {plus_op, minus_op, times_op};

// Many arguments: some travel on the stack, and a struct comes back through memory.
struct Many {
    int values[24];
};
__attribute__((noinline)) BOTH Many spread(Many m, int a, double b, long long c, int d, float e) {
    for (int i = 0; i < 24; i++)
        m.values[i] = m.values[23 - i] + a * i + (int)b + (int)c - d + (int)e;
    return m;
}

struct Result {
    unsigned fibonacci, ackermann;
    float area, operation;
    int corners, spread;
};

BOTH inline Result compute(int i, Storage *storage, const Operation *table) {
    Result r;
    r.fibonacci = fibonacci((unsigned)i % 12);
    r.ackermann = ackermann((unsigned)i % 3, (unsigned)i % 4);
    Shape *shape = make(i, storage);
    r.area = shape->area();
    r.corners = shape->corners();
    r.operation = table[i % 3]((float)i, 2.5f);
    Many m;
    for (int j = 0; j < 24; j++)
        m.values[j] = i * j;
    m = spread(m, i, 2.0, i * 3LL, 4, 5.0f);
    r.spread = 0;
    for (int j = 0; j < 24; j++)
        r.spread = r.spread * 3 + m.values[j];
    return r;
}

__global__ void run(Result *results, Storage *storage, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        results[i] = compute(i, &storage[i], operations);
}

int main(int argc, char **argv) {
    check_name = "calls";
    int n = (int)argument(argc, argv, 1, 1000);
    std::vector<Result> got(n);
    Result *results;
    Storage *storage;
    HIP(hipMalloc((void **)&results, n * sizeof *results));
    HIP(hipMalloc((void **)&storage, n * sizeof *storage));
    run<<<(n + 63) / 64, 64>>>(results, storage, n);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), results, n * sizeof *results, hipMemcpyDeviceToHost));
    for (int i = 0; i < n; i++) {
        Storage own;
        Result want = compute(i, &own, host_operations), r = got[i];
        EXPECT(r.fibonacci == want.fibonacci, "fibonacci[%d] = %u instead of %u", i, r.fibonacci, want.fibonacci);
        EXPECT(r.ackermann == want.ackermann, "ackermann[%d] = %u instead of %u", i, r.ackermann, want.ackermann);
        EXPECT(r.area == want.area, "area[%d] = %g instead of %g", i, r.area, want.area);
        EXPECT(r.corners == want.corners, "corners[%d] = %d instead of %d", i, r.corners, want.corners);
        EXPECT(r.operation == want.operation, "operation[%d] = %g instead of %g", i, r.operation, want.operation);
        EXPECT(r.spread == want.spread, "spread[%d] = %d instead of %d", i, r.spread, want.spread);
    }
    return finish();
}
