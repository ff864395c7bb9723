// rocPRIM as Debian ships it: radix sort of keys and of pairs, inclusive scan, reduction.
//     radix_sort [ELEMENTS [PARTS]]     PARTS: 1 keys, 2 pairs, 4 scan, 8 reduction, added up
#include "check.h"

#include <rocprim/rocprim.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

// Calls a rocPRIM algorithm twice: first for the size of its temporary storage.
template <class Algorithm> static void run(Algorithm algorithm) {
    size_t size = 0;
    void *storage = nullptr;
    HIP(algorithm(nullptr, size));
    HIP(hipMalloc(&storage, size + 16));
    HIP(algorithm(storage, size));
    HIP_FINISH();
    HIP(hipFree(storage));
}

int main(int argc, char **argv) {
    check_name = "radix_sort";
    size_t n = argument(argc, argv, 1, 1000000), parts = argument(argc, argv, 2, 15);
    std::vector<unsigned> keys(n), values(n), got(n), want(n);
    std::vector<std::pair<unsigned, unsigned>> pairs(n);
    Random random;
    for (size_t i = 0; i < n; i++) {
        keys[i] = random.next() & 0xfffff; // many equal keys: the sort of pairs must be stable
        values[i] = (unsigned)i;
        pairs[i] = {keys[i], values[i]};
    }
    unsigned *keys_in, *keys_out, *values_in, *values_out;
    for (unsigned **array : {&keys_in, &keys_out, &values_in, &values_out})
        HIP(hipMalloc((void **)array, n * 4));
    HIP(hipMemcpy(keys_in, keys.data(), n * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(values_in, values.data(), n * 4, hipMemcpyHostToDevice));

    if (parts & 1) {
        run([&](void *storage, size_t &size) { return rocprim::radix_sort_keys(storage, size, keys_in, keys_out, n); });
        want = keys;
        std::sort(want.begin(), want.end());
        HIP(hipMemcpy(got.data(), keys_out, n * 4, hipMemcpyDeviceToHost));
        compare("sorted key", got.data(), want.data(), n);
    }
    if (parts & 2) {
        run([&](void *storage, size_t &size) {
            return rocprim::radix_sort_pairs(storage, size, keys_in, keys_out, values_in, values_out, n);
        });
        std::sort(pairs.begin(), pairs.end()); // by key, then by place
        HIP(hipMemcpy(got.data(), values_out, n * 4, hipMemcpyDeviceToHost));
        for (size_t i = 0; i < n; i++)
            want[i] = pairs[i].second;
        compare("sorted value", got.data(), want.data(), n);
    }
    std::partial_sum(keys.begin(), keys.end(), want.begin());
    if (parts & 4) {
        run([&](void *storage, size_t &size) {
            return rocprim::inclusive_scan(storage, size, keys_in, keys_out, n, rocprim::plus<unsigned>());
        });
        HIP(hipMemcpy(got.data(), keys_out, n * 4, hipMemcpyDeviceToHost));
        compare("scan", got.data(), want.data(), n);
    }
    if (parts & 8) {
        run([&](void *storage, size_t &size) { return rocprim::reduce(storage, size, keys_in, values_out, n, rocprim::plus<unsigned>()); });
        unsigned sum = 0;
        HIP(hipMemcpy(&sum, values_out, 4, hipMemcpyDeviceToHost));
        EXPECT(sum == want[n - 1], "sum %u instead of %u", sum, want[n - 1]);
    }
    return finish();
}
