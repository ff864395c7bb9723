// rocThrust and hipCUB: sorts, scans, reductions, with the standard library's algorithms as the oracle.
#include <algorithm>
#include <cstdio>
#include <hipcub/hipcub.hpp>
#include <numeric>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/iterator/constant_iterator.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
#include <vector>
static int fails;

static void ck(const char *n, bool ok) {
    printf("%s %s\n", n, ok ? "ok" : "BAD");
    fails += !ok;
}
int main() {
    const int N = 200000;
    std::vector<int> a(N), v(N);
    unsigned s = 1;
    for (int i = 0; i < N; i++) {
        s = s * 1664525u + 1013904223u;
        a[i] = s >> 12;
        v[i] = i;
    }
    {
        thrust::device_vector<int> d(a.begin(), a.end());
        thrust::sort(d.begin(), d.end());
        auto b = a;
        std::sort(b.begin(), b.end());
        std::vector<int> r(N);
        thrust::copy(d.begin(), d.end(), r.begin());
        ck("sort", r == b);
        auto e = thrust::unique(d.begin(), d.end());
        auto f = std::unique(b.begin(), b.end());
        std::vector<int> u(e - d.begin());
        thrust::copy(d.begin(), e, u.begin());
        b.resize(f - b.begin());
        ck("unique", u == b);
    }
    {
        std::vector<unsigned char> k(N);
        for (int i = 0; i < N; i++)
            k[i] = a[i] & 255;
        thrust::device_vector<unsigned char> dk(k.begin(), k.end());
        thrust::device_vector<int> dv(v.begin(), v.end());
        thrust::stable_sort_by_key(dk.begin(), dk.end(), dv.begin());
        auto w = v;
        std::stable_sort(w.begin(), w.end(), [&](int x, int y) { return k[x] < k[y]; });
        std::vector<int> r(N);
        thrust::copy(dv.begin(), dv.end(), r.begin());
        ck("sort_by_key", r == w);
        thrust::device_vector<unsigned char> ok(256);
        thrust::device_vector<int> os(256);
        auto e = thrust::reduce_by_key(dk.begin(), dk.end(), thrust::make_constant_iterator(1), ok.begin(), os.begin());
        std::vector<int> h(256), c(256);
        for (auto x : k)
            h[x]++;
        thrust::copy(os.begin(), os.end(), c.begin());
        ck("reduce_by_key", e.first - ok.begin() == 256 && h == c);
    }
    {
        thrust::device_vector<int> d(a.begin(), a.end());
        thrust::inclusive_scan(d.begin(), d.end(), d.begin());
        auto b = a;
        std::partial_sum(a.begin(), a.end(), b.begin(), [](int x, int y) { return (int)((unsigned)x + y); });
        std::vector<int> r(N);
        thrust::copy(d.begin(), d.end(), r.begin());
        ck("scan", r == b);
    }
    {
        thrust::device_vector<double> d(N, 0.5);
        ck("reduce", thrust::reduce(d.begin(), d.end()) == N * 0.5);
    }
    {
        int *in, *out;
        void *t = 0;
        size_t tb = 0;
        hipMalloc(&in, N * 4);
        hipMalloc(&out, N * 4);
        hipMemcpy(in, a.data(), N * 4, hipMemcpyHostToDevice);
        (void)hipcub::DeviceRadixSort::SortKeysDescending(t, tb, in, out, N);
        hipMalloc(&t, tb);
        (void)hipcub::DeviceRadixSort::SortKeysDescending(t, tb, in, out, N);
        std::vector<int> r(N);
        hipMemcpy(r.data(), out, N * 4, hipMemcpyDeviceToHost);
        auto b = a;
        std::sort(b.begin(), b.end(), std::greater<int>());
        ck("hipcub sort", r == b);
        hipFree(t);
        t = 0;
        tb = 0;
        int *mx;
        hipMalloc(&mx, 4);
        (void)hipcub::DeviceReduce::Max(t, tb, in, mx, N);
        hipMalloc(&t, tb);
        (void)hipcub::DeviceReduce::Max(t, tb, in, mx, N);
        int m;
        hipMemcpy(&m, mx, 4, hipMemcpyDeviceToHost);
        ck("hipcub max", m == *std::max_element(a.begin(), a.end()));
    }
    printf("%d failures\n", fails);
    return fails;
}
