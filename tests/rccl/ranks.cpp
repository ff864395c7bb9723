/* ranks PROCESSES COUNT ROUNDS [SECONDS [PER_HOST [NAMESPACE]]]: an all-reduce of COUNT floats over processes with a device each, ROUNDS times, compared with the host's sums.
 * With SECONDS, process 0 comes that much later to the last one; the others print how much CPU time each of them took in that time.
 * With PER_HOST, each so many processes say that they are a machine of their own, with as many devices: machines reach each other by sockets.
 * With NAMESPACE, machine i is in the network namespace of the file NAMESPACEi (of `ip netns add`). */
#include "process.h"

#include <hip/hip_runtime_api.h>
#include <rccl/rccl.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static float value(size_t i, int rank, int round) { return (float)((i * 7 + (size_t)(rank + round)) % 1000); }

static int per_host;
static const char *name_space;
static pthread_barrier_t *all; /* of all processes */

static int run(int rank, int processes, size_t count, int rounds, unsigned late, const std::vector<int> &from, const std::vector<int> &to) {
    ncclUniqueId id;
    if (name_space) {
        const int file = open((name_space + std::to_string(rank / per_host)).c_str(), O_RDONLY);
        CHECK(file < 0 || setns(file, CLONE_NEWNET));
    }
    const double begin = seconds(CLOCK_MONOTONIC);
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&id));
        for (int other = 1; other < processes; other++)
            CHECK(write(to[other], &id, sizeof id) != sizeof id);
    } else {
        CHECK(read(from[rank], &id, sizeof id) != sizeof id);
    }
    ncclComm_t comm;
    hipStream_t stream;
    float *source, *target;
    std::vector<float> host(count);
    if (per_host) {
        char host[16];
        snprintf(host, sizeof host, "host%d", rank / per_host);
        setenv("NCCL_HOSTID", host, 1);
    }
    CHECK(hipSetDevice(per_host ? rank % per_host : rank));
    CHECK(ncclCommInitRank(&comm, processes, id, rank));
    CHECK(hipStreamCreate(&stream));
    CHECK(hipMalloc(&source, count * sizeof *source));
    CHECK(hipMalloc(&target, count * sizeof *target));
    int wrong = 0;
    for (int round = 0; round < rounds; round++) {
        for (size_t i = 0; i < count; i++)
            host[i] = value(i, rank, round);
        CHECK(hipMemcpy(source, host.data(), count * sizeof *source, hipMemcpyHostToDevice));
        const bool waits = late && round == rounds - 1;
        if (waits && rank == 0)
            sleep(late);
        const double used = seconds(CLOCK_PROCESS_CPUTIME_ID);
        CHECK(ncclAllReduce(source, target, count, ncclFloat, ncclSum, comm, stream));
        CHECK(hipStreamSynchronize(stream));
        if (waits && rank)
            printf("process %d took %.0f %% of a CPU while it waited\n", rank, (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) * 100 / late);
        if (round == 0 && rank == 0)
            printf("%.1f s from the start to the first result\n", seconds(CLOCK_MONOTONIC) - begin);
        CHECK(hipMemcpy(host.data(), target, count * sizeof *target, hipMemcpyDeviceToHost));
        for (size_t i = 0; i < count; i++) {
            float sum = 0;
            for (int other = 0; other < processes; other++)
                sum += value(i, other, round);
            wrong += host[i] != sum;
        }
    }
    /* RCCL 5.4 does not send what is still to be sent once a communicator is to end (its `ncclProxyProgress`). */
    pthread_barrier_wait(all);
    CHECK(ncclCommDestroy(comm));
    if (wrong)
        printf("FAIL process %d: %d wrong numbers\n", rank, wrong);
    return wrong != 0;
}

int main(int argc, char **argv) {
    if (argc < 4)
        return 2;
    per_host = argc > 5 ? atoi(argv[5]) : 0;
    name_space = argc > 6 ? argv[6] : nullptr;
    const int processes = atoi(argv[1]), rounds = atoi(argv[3]);
    std::vector<int> from(processes), to(processes);
    int failed = 0;
    for (int rank = 0; rank < processes; rank++) {
        int ends[2];
        if (pipe(ends))
            return 2;
        from[rank] = ends[0];
        to[rank] = ends[1];
    }
    pthread_barrierattr_t shared;
    all = (pthread_barrier_t *)mmap(nullptr, sizeof *all, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_barrierattr_init(&shared);
    pthread_barrierattr_setpshared(&shared, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(all, &shared, (unsigned)processes);
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for (int rank = 0; rank < processes; rank++)
        if (fork() == 0)
            exit(run(rank, processes, (size_t)atol(argv[2]), rounds, argc > 4 ? (unsigned)atoi(argv[4]) : 0, from, to));
    for (int rank = 0; rank < processes; rank++) {
        int status;
        wait(&status);
        failed += status != 0;
    }
    printf("%s: %d times over %d processes, %d failed\n", failed ? "FAIL" : "PASS", rounds, processes, failed);
    return failed != 0;
}
