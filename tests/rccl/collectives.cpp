/* collectives DEVICES [COUNT...]: all collectives of RCCL, with all types and operations, over that many devices of this process, compared with what the
 * host computes. The numbers are such that each type has all results exactly. */
#include "numbers.h"

#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        const int error = (int)(call);                                                                                                     \
        if (error) {                                                                                                                       \
            printf("FAIL %s: %d\n", #call, error);                                                                                         \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

static int devices, wrong, done;
static std::vector<ncclComm_t> comms;
static std::vector<hipStream_t> streams;
static std::vector<void *> sources, targets;
static std::vector<char> host;
static const char *const operations[] = {"sum", "product", "largest", "smallest", "average"};

/* What device `rank` has at place i: for products ones and at most four twos, for averages multiples of the number of devices, else 0 to 7. */
static double value(int rank, size_t i, int operation) {
    switch (operation) {
    case ncclProd:
        return (i + (size_t)rank) % 3 == 0 && rank < 4 ? 2 : 1;
    case ncclAvg:
        return (double)((i + (size_t)rank) % 3 * (size_t)devices);
    default:
        return (double)((i * 3 + (size_t)rank * 5) % 8);
    }
}

static double reduced(size_t i, int operation) {
    double result = value(0, i, operation);
    for (int rank = 1; rank < devices; rank++) {
        const double one = value(rank, i, operation);
        result = operation == ncclProd  ? result * one
                 : operation == ncclMax ? std::max(result, one)
                 : operation == ncclMin ? std::min(result, one)
                                        : result + one;
    }
    return operation == ncclAvg ? result / devices : result;
}

static void fill(const number_type &type, size_t count, int operation) {
    for (int rank = 0; rank < devices; rank++) {
        for (size_t i = 0; i < count; i++)
            put_number(type, host.data(), i, value(rank, i, operation));
        CHECK(hipSetDevice(rank));
        CHECK(hipMemcpy(sources[rank], host.data(), count * type.size, hipMemcpyHostToDevice));
        CHECK(hipMemset(targets[rank], 0x55, count * type.size));
    }
}

/* Runs call(rank) for all devices as one group, and waits. */
template <class F> static void together(F call) {
    CHECK(ncclGroupStart());
    for (int rank = 0; rank < devices; rank++)
        call(rank);
    CHECK(ncclGroupEnd());
    for (int rank = 0; rank < devices; rank++) {
        CHECK(hipSetDevice(rank));
        CHECK(hipStreamSynchronize(streams[rank]));
    }
    done++;
}

/* Compares what a device has with expected(i). */
template <class F> static void compare(const char *what, const number_type &type, int operation, int rank, size_t count, F expected) {
    CHECK(hipSetDevice(rank));
    CHECK(hipMemcpy(host.data(), targets[rank], count * type.size, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < count; i++) {
        const double found = get_number(type, host.data(), i);
        if (found != expected(i) && wrong++ < 20)
            printf("FAIL %s, %s of %s: device %d has %g at %zu, not %g\n", what, operations[operation], type.name, rank, found, i,
                   expected(i));
    }
}

static void reductions(const number_type &type, size_t count, int operation) {
    const auto op = (ncclRedOp_t)operation;
    fill(type, count * devices, operation);
    together([&](int rank) { CHECK(ncclAllReduce(sources[rank], targets[rank], count, type.type, op, comms[rank], streams[rank])); });
    for (int rank = 0; rank < devices; rank++)
        compare("all-reduce", type, operation, rank, count, [&](size_t i) { return reduced(i, operation); });
    const int root = devices - 1;
    together([&](int rank) { CHECK(ncclReduce(sources[rank], targets[rank], count, type.type, op, root, comms[rank], streams[rank])); });
    compare("reduce", type, operation, root, count, [&](size_t i) { return reduced(i, operation); });
    together([&](int rank) { CHECK(ncclReduceScatter(sources[rank], targets[rank], count, type.type, op, comms[rank], streams[rank])); });
    for (int rank = 0; rank < devices; rank++)
        compare("reduce-scatter", type, operation, rank, count, [&](size_t i) { return reduced(i + rank * count, operation); });
}

static void moves(const number_type &type, size_t count) {
    const int root = devices - 1;
    fill(type, count * devices, 0);
    together([&](int rank) { CHECK(ncclBroadcast(sources[rank], targets[rank], count, type.type, root, comms[rank], streams[rank])); });
    for (int rank = 0; rank < devices; rank++)
        compare("broadcast", type, 0, rank, count, [&](size_t i) { return value(root, i, 0); });
    together([&](int rank) { CHECK(ncclAllGather(sources[rank], targets[rank], count, type.type, comms[rank], streams[rank])); });
    for (int rank = 0; rank < devices; rank++)
        compare("all-gather", type, 0, rank, count * devices, [&](size_t i) { return value((int)(i / count), i % count, 0); });
    together([&](int rank) {
        for (int peer = 0; peer < devices; peer++) {
            const size_t offset = peer * count * type.size;
            CHECK(ncclSend((char *)sources[rank] + offset, count, type.type, peer, comms[rank], streams[rank]));
            CHECK(ncclRecv((char *)targets[rank] + offset, count, type.type, peer, comms[rank], streams[rank]));
        }
    });
    for (int rank = 0; rank < devices; rank++)
        compare("send and receive", type, 0, rank, count * devices,
                [&](size_t i) { return value((int)(i / count), i % count + rank * count, 0); });
}

int main(int argc, char **argv) {
    std::vector<size_t> counts;
    devices = argc > 1 ? atoi(argv[1]) : 2;
    for (int i = 2; i < argc; i++)
        counts.push_back((size_t)atol(argv[i]));
    if (counts.empty())
        counts = {1, 1000, 100000};
    const size_t bytes = *std::max_element(counts.begin(), counts.end()) * (size_t)devices * sizeof(double);
    comms.resize(devices), streams.resize(devices), sources.resize(devices), targets.resize(devices), host.resize(bytes);
    CHECK(ncclCommInitAll(comms.data(), devices, nullptr));
    for (int rank = 0; rank < devices; rank++) {
        CHECK(hipSetDevice(rank));
        CHECK(hipStreamCreate(&streams[rank]));
        CHECK(hipMalloc(&sources[rank], bytes));
        CHECK(hipMalloc(&targets[rank], bytes));
    }
    for (size_t count : counts)
        for (const number_type &type : number_types) {
            for (int operation = ncclSum; operation <= ncclAvg; operation++)
                reductions(type, count, operation);
            moves(type, count);
        }
    for (int rank = 0; rank < devices; rank++)
        CHECK(ncclCommDestroy(comms[rank]));
    printf("%s: %d collectives over %d devices, %d wrong numbers\n", wrong ? "FAIL" : "PASS", done, devices, wrong);
    return wrong != 0;
}
