/* communicators DEVICES: what RCCL does beside plain collectives: several communicators at once, communicators of a part of the devices and in another order,
 * collectives in graphs, ncclCommSplit where there is one, and ncclCommAbort of a collective whose other ranks never come. */
#include <hip/hip_runtime_api.h>
#include <rccl/rccl.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        const int error = (int)(call);                                                                                                     \
        if (error) {                                                                                                                       \
            printf("FAIL line %d, %s: %d\n", __LINE__, #call, error);                                                                      \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

static const size_t count = 5000;
static int wrong, done;

/* Numbers on each device of a communicator, and a stream there. */
struct party {
    std::vector<int> devices;
    std::vector<ncclComm_t> comms;
    std::vector<hipStream_t> streams;
    std::vector<int *> sources, targets;

    explicit party(const std::vector<int> &on) : devices(on), comms(on.size()), streams(on.size()), sources(on.size()), targets(on.size()) {
        for (size_t i = 0; i < devices.size(); i++) {
            CHECK(hipSetDevice(devices[i]));
            CHECK(hipStreamCreate(&streams[i]));
            CHECK(hipMalloc((void **)&sources[i], count * sizeof(int)));
            CHECK(hipMalloc((void **)&targets[i], count * sizeof(int)));
        }
    }
    void make() { CHECK(ncclCommInitAll(comms.data(), (int)devices.size(), devices.data())); }
    void fill(int seed) {
        std::vector<int> host(count);
        for (size_t rank = 0; rank < devices.size(); rank++) {
            for (size_t i = 0; i < count; i++)
                host[i] = (int)(i % 1000 * (rank + 1)) + seed;
            CHECK(hipSetDevice(devices[rank]));
            CHECK(hipMemcpy(sources[rank], host.data(), count * sizeof(int), hipMemcpyHostToDevice));
            CHECK(hipMemset(targets[rank], 0x55, count * sizeof(int)));
        }
    }
    void submit() {
        CHECK(ncclGroupStart());
        for (size_t i = 0; i < devices.size(); i++)
            CHECK(ncclAllReduce(sources[i], targets[i], count, ncclInt32, ncclSum, comms[i], streams[i]));
        CHECK(ncclGroupEnd());
    }
    void compare(const char *what, int seed) {
        std::vector<int> host(count);
        const int ranks = (int)devices.size();
        for (int rank = 0; rank < ranks; rank++) {
            CHECK(hipSetDevice(devices[rank]));
            CHECK(hipStreamSynchronize(streams[rank]));
            CHECK(hipMemcpy(host.data(), targets[rank], count * sizeof(int), hipMemcpyDeviceToHost));
            for (size_t i = 0; i < count; i++)
                if (host[i] != (int)(i % 1000) * (ranks * (ranks + 1) / 2) + seed * ranks && wrong++ < 10)
                    printf("FAIL %s: rank %d has %d at %zu\n", what, rank, host[i], i);
        }
        done++;
    }
    void destroy() {
        for (ncclComm_t comm : comms)
            CHECK(ncclCommDestroy(comm));
    }
};

static std::vector<int> numbers(int from, int to, int step) {
    std::vector<int> list;
    for (int i = from; step > 0 ? i < to : i > to; i += step)
        list.push_back(i);
    return list;
}

static void several(int devices) {
    party all(numbers(0, devices, 1)), reversed(numbers(devices - 1, -1, -1)), some(numbers(0, devices, devices > 2 ? 2 : 1));
    for (party *each : {&all, &reversed, &some})
        each->make();
    for (int round = 0; round < 5; round++) {
        for (party *each : {&all, &reversed, &some})
            each->fill(round);
        for (party *each : {&all, &reversed, &some})
            each->submit();
        for (party *each : {&some, &all, &reversed})
            each->compare("several communicators", round);
    }
    for (party *each : {&reversed, &all, &some})
        each->destroy();
}

static void graphs(int devices) {
    party all(numbers(0, devices, 1));
    std::vector<hipGraph_t> graphs(devices);
    std::vector<hipGraphExec_t> ready(devices);
    all.make();
    all.fill(0);
    all.submit(); /* outside of a graph first, as the library connects the ranks then */
    all.compare("before graphs", 0);
    for (int i = 0; i < devices; i++) {
        CHECK(hipSetDevice(i));
        CHECK(hipStreamBeginCapture(all.streams[i], hipStreamCaptureModeThreadLocal));
    }
    all.submit();
    for (int i = 0; i < devices; i++) {
        CHECK(hipSetDevice(i));
        CHECK(hipStreamEndCapture(all.streams[i], &graphs[i]));
        CHECK(hipGraphInstantiate(&ready[i], graphs[i], nullptr, nullptr, 0));
    }
    for (int round = 1; round < 4; round++) {
        all.fill(round);
        for (int i = 0; i < devices; i++) {
            CHECK(hipSetDevice(i));
            CHECK(hipGraphLaunch(ready[i], all.streams[i]));
        }
        all.compare("graphs", round);
    }
    for (int i = 0; i < devices; i++) {
        CHECK(hipGraphExecDestroy(ready[i]));
        CHECK(hipGraphDestroy(graphs[i]));
    }
    all.destroy();
}

#if NCCL_VERSION_CODE >= 21800
static void split(int devices) {
    party all(numbers(0, devices, 1));
    all.make();
    std::vector<ncclComm_t> parts(devices);
    CHECK(ncclGroupStart());
    for (int i = 0; i < devices; i++)
        CHECK(ncclCommSplit(all.comms[i], i % 2, i, &parts[i], nullptr));
    CHECK(ncclGroupEnd());
    for (int color = 0; color < 2; color++) {
        party part(numbers(color, devices, 2));
        for (size_t i = 0; i < part.devices.size(); i++)
            part.comms[i] = parts[part.devices[i]];
        part.fill(color);
        part.submit();
        part.compare("a split communicator", color);
        part.destroy();
    }
    all.fill(3);
    all.submit();
    all.compare("the communicator that was split", 3);
    all.destroy();
}
#endif

static void abortion(int devices) {
    party all(numbers(0, devices, 1)), again(numbers(0, devices, 1));
    all.make();
    all.fill(0);
    all.submit();
    all.compare("before the abort", 0);
    CHECK(hipSetDevice(0));
    CHECK(ncclAllReduce(all.sources[0], all.targets[0], count, ncclInt32, ncclSum, all.comms[0], all.streams[0]));
    for (ncclComm_t comm : all.comms)
        CHECK(ncclCommAbort(comm));
    CHECK(hipSetDevice(0));
    const time_t begin = time(nullptr);
    CHECK(hipStreamSynchronize(all.streams[0]));
    printf("abort: the kernel ended after %ld s\n", (long)(time(nullptr) - begin));
    again.make(); /* the devices are as before */
    again.fill(7);
    again.submit();
    again.compare("after the abort", 7);
    again.destroy();
}

int main(int argc, char **argv) {
    const int devices = argc > 1 ? atoi(argv[1]) : 2;
    setvbuf(stdout, nullptr, _IOLBF, 0);
    several(devices);
    printf("several communicators: done\n");
    graphs(devices);
    printf("graphs: done\n");
#if NCCL_VERSION_CODE >= 21800
    split(devices);
    printf("split: done\n");
#endif
    abortion(devices);
    printf("%s: %d collectives over %d devices, %d wrong numbers\n", wrong ? "FAIL" : "PASS", done, devices, wrong);
    return wrong != 0;
}
