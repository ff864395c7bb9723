// rocPRIM on this project's device beside the parallel algorithms of C++17 (libstdc++, oneTBB).
#include "wild.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <execution>
#include <functional>
#include <hip/hip_runtime.h>
#include <numeric>
#include <oneapi/tbb/global_control.h>
#include <rocprim/rocprim.hpp>
#include <vector>

namespace {

constexpr size_t count = 1 << 20;

void need(hipError_t status) {
    if (status == hipSuccess)
        return;
    std::fprintf(stderr, "%s\n", hipGetErrorString(status));
    std::exit(1);
}

// Keys, and where both sides put their results.
template <typename T> struct Data {
    std::vector<T> in, out, scratch;
    T *device_in, *device_out;
    void *work = nullptr;
    size_t work_bytes = 0;

    Data() : in(count), out(count), scratch(count) {
        uint32_t state = 1;
        for (T &value : in) {
            state = state * 1664525 + 1013904223;
            value = static_cast<T>(state >> 4);
        }
        need(hipMalloc(&device_in, count * sizeof(T)));
        need(hipMalloc(&device_out, count * sizeof(T)));
        need(hipMemcpy(device_in, in.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    ~Data() {
        (void)hipFree(device_in);
        (void)hipFree(device_out);
        (void)hipFree(work);
    }
};

// Measures an algorithm: `ours` is called with memory to work in and its size, first with none; `theirs` with the data.
template <typename T, typename Ours, typename Theirs> void measure(const char *name, size_t results, Ours ours, Theirs theirs) {
    if (!wild_wanted(name))
        return;
    struct Context {
        Data<T> data;
        Ours ours;
        Theirs theirs;
    } context{{}, ours, theirs};
    Data<T> &data = context.data;
    need(ours(nullptr, data));
    need(hipMalloc(&data.work, data.work_bytes));
    auto run_ours = [](void *pointer) {
        auto *const c = static_cast<Context *>(pointer);
        need(c->ours(c->data.work, c->data));
        need(hipDeviceSynchronize());
    };
    auto run_theirs = [](void *pointer) {
        auto *const c = static_cast<Context *>(pointer);
        c->theirs(c->data);
    };
    run_ours(&context);
    run_theirs(&context);
    std::vector<T> got(results);
    need(hipMemcpy(got.data(), data.device_out, results * sizeof(T), hipMemcpyDeviceToHost));
    size_t wrong = 0;
    for (size_t i = 0; i < results; i++)
        wrong += got[i] != data.out[i];
    wild_measure(name, run_ours, run_theirs, &context, static_cast<double>(wrong));
}

template <typename T> void measure_sort(const char *name) {
    measure<T>(
        name, count, [](void *work, Data<T> &d) { return rocprim::radix_sort_keys(work, d.work_bytes, d.device_in, d.device_out, count); },
        [](Data<T> &d) {
            std::copy(d.in.begin(), d.in.end(), d.out.begin());
            std::sort(std::execution::par_unseq, d.out.begin(), d.out.end());
        });
}

} // namespace

int main(int argc, char **argv) {
    wild_start(argc, argv);
    const char *threads = std::getenv("OMP_NUM_THREADS");
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads ? static_cast<size_t>(std::atoi(threads)) : 1);
    using Number = uint32_t;
    measure_sort<uint32_t>("sort_u32");
    measure_sort<float>("sort_f32");
    measure_sort<uint64_t>("sort_u64");
    measure<Number>(
        "merge_sort_u32", count,
        [](void *work, Data<Number> &d) {
            return rocprim::merge_sort(work, d.work_bytes, d.device_in, d.device_out, count, rocprim::less<Number>());
        },
        [](Data<Number> &d) {
            std::copy(d.in.begin(), d.in.end(), d.out.begin());
            std::stable_sort(std::execution::par_unseq, d.out.begin(), d.out.end());
        });
    measure<Number>(
        "scan", count,
        [](void *work, Data<Number> &d) {
            return rocprim::inclusive_scan(work, d.work_bytes, d.device_in, d.device_out, count, rocprim::plus<Number>());
        },
        [](Data<Number> &d) { std::inclusive_scan(std::execution::par_unseq, d.in.begin(), d.in.end(), d.out.begin()); });
    measure<Number>(
        "reduce", 1,
        [](void *work, Data<Number> &d) {
            return rocprim::reduce(work, d.work_bytes, d.device_in, d.device_out, count, rocprim::plus<Number>());
        },
        [](Data<Number> &d) { d.out[0] = std::reduce(std::execution::par_unseq, d.in.begin(), d.in.end(), Number{0}); });
    measure<Number>(
        "transform", count,
        [](void *work, Data<Number> &d) {
            d.work_bytes = 1;
            return work ? rocprim::transform(d.device_in, d.device_out, count, [] __device__(Number x) { return x * 3 + 1; }) : hipSuccess;
        },
        [](Data<Number> &d) {
            std::transform(std::execution::par_unseq, d.in.begin(), d.in.end(), d.out.begin(), [](Number x) { return x * 3 + 1; });
        });
    return 0;
}
