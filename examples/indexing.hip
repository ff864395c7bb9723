// Registers chosen at run time: private arrays and vectors that the compiler keeps in registers and indexes there.
#include "check.h"

#include <vector>

typedef float vector16 __attribute__((ext_vector_type(16)));

static constexpr int threads = 192, elements = 16;

// Every thread of a wave takes the same element: one relative move.
__global__ void extract(const vector16 *in, float *out, int k) {
    vector16 v = in[threadIdx.x];
    v = v * v;
    out[threadIdx.x] = v[k & 15];
}

// Each thread its own: the compiler makes a loop over the distinct indices of a wave.
__global__ void extract_each(const vector16 *in, const int *k, float *out) {
    vector16 v = in[threadIdx.x];
    v = v + v;
    out[threadIdx.x] = v[k[threadIdx.x] & 15];
}

__global__ void insert(vector16 *data, const int *k, float x) {
    vector16 v = data[threadIdx.x];
    v[k[0] & 15] = x + v[3];
    if (threadIdx.x % 3 != 1)
        v[k[threadIdx.x] & 15] = x - v[5];
    data[threadIdx.x] = v * 2.0f;
}

__global__ void array(const float *in, const int *k, int rounds, float *out) {
    float a[elements], sum = 0;
    for (int i = 0; i < elements; i++)
        a[i] = in[i * threads + threadIdx.x];
    for (int i = 0; i < rounds; i++) {
        a[k[i] & 15] += sum;
        if ((threadIdx.x + i) % 5 != 0)
            a[(k[i + 1] + threadIdx.x) & 15] -= 1;
        sum += a[k[i + 2] & 15];
    }
    for (int i = 0; i < elements; i++)
        sum += a[i] * (float)i;
    out[threadIdx.x] = sum;
}

// Scalar registers.
__global__ void scalars(const int *in, int *out, int k) {
    int a[elements];
    for (int i = 0; i < elements; i++)
        a[i] = in[i] * i;
    a[k & 15] = in[7];
    for (int i = 0; i < elements; i++)
        out[i] = a[(k * i + in[0]) & 15];
}

static float array_element(const std::vector<float> &in, const std::vector<int> &k, int rounds, int t) {
    float a[elements], sum = 0;
    for (int i = 0; i < elements; i++)
        a[i] = in[i * threads + t];
    for (int i = 0; i < rounds; i++) {
        a[k[i] & 15] += sum;
        if ((t + i) % 5 != 0)
            a[(k[i + 1] + t) & 15] -= 1;
        sum += a[k[i + 2] & 15];
    }
    for (int i = 0; i < elements; i++)
        sum += a[i] * (float)i;
    return sum;
}

int main() {
    check_name = "indexing";
    Random random;
    std::vector<float> in(threads * elements), want(threads), got(threads), changed(in.size()), want_changed(in.size());
    std::vector<int> k(threads);
    for (float &x : in)
        x = (float)(random.next() % 64); // small whole numbers: sums are exact in any order
    for (int &x : k)
        x = (int)(random.next() >> 8);
    float *d_in, *d_out;
    int *d_k, *d_ints;
    HIP(hipMalloc((void **)&d_in, in.size() * 4));
    HIP(hipMalloc((void **)&d_out, threads * 4));
    HIP(hipMalloc((void **)&d_k, threads * 4));
    HIP(hipMalloc((void **)&d_ints, elements * 4));
    HIP(hipMemcpy(d_in, in.data(), in.size() * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(d_k, k.data(), threads * 4, hipMemcpyHostToDevice));

    for (int n = 0; n < elements; n++) {
        extract<<<1, threads>>>((vector16 *)d_in, d_out, n + 32);
        HIP_FINISH();
        HIP(hipMemcpy(got.data(), d_out, threads * 4, hipMemcpyDeviceToHost));
        for (int t = 0; t < threads; t++)
            want[t] = in[t * elements + n] * in[t * elements + n];
        compare("extract", got.data(), want.data(), threads);
    }

    extract_each<<<1, threads>>>((vector16 *)d_in, d_k, d_out);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), d_out, threads * 4, hipMemcpyDeviceToHost));
    for (int t = 0; t < threads; t++)
        want[t] = 2 * in[t * elements + (k[t] & 15)];
    compare("extract_each", got.data(), want.data(), threads);

    const int rounds = 9;
    array<<<1, threads>>>(d_in, d_k, rounds, d_out);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), d_out, threads * 4, hipMemcpyDeviceToHost));
    for (int t = 0; t < threads; t++)
        want[t] = array_element(in, k, rounds, t);
    compare("array", got.data(), want.data(), threads);

    insert<<<1, threads>>>((vector16 *)d_in, d_k, 5.0f);
    HIP_FINISH();
    HIP(hipMemcpy(changed.data(), d_in, in.size() * 4, hipMemcpyDeviceToHost));
    want_changed = in;
    for (int t = 0; t < threads; t++) {
        float *v = &want_changed[t * elements];
        v[k[0] & 15] = 5.0f + v[3];
        if (t % 3 != 1)
            v[k[t] & 15] = 5.0f - v[5];
        for (int i = 0; i < elements; i++)
            v[i] *= 2.0f;
    }
    compare("insert", changed.data(), want_changed.data(), changed.size());

    int numbers[elements];
    HIP(hipMemcpy(d_ints, k.data(), sizeof numbers, hipMemcpyHostToDevice));
    scalars<<<1, 1>>>(d_k, d_ints, 21);
    HIP_FINISH();
    HIP(hipMemcpy(numbers, d_ints, sizeof numbers, hipMemcpyDeviceToHost));
    for (int i = 0; i < elements; i++) {
        int n = (21 * i + k[0]) & 15, value = n == (21 & 15) ? k[7] : (int)((unsigned)k[n] * (unsigned)n);
        EXPECT(numbers[i] == value, "scalars[%d] = %d instead of %d", i, numbers[i], value);
    }
    HIP(hipFree(d_in));
    HIP(hipFree(d_out));
    HIP(hipFree(d_k));
    HIP(hipFree(d_ints));
    return finish();
}
