/* killed PROCESSES [PER_HOST]: the last process is killed before an all-reduce that the others have begun. They see after 2 s that it does not end, abort the
 * communicator, as programs do that must not hang, and their streams and processes end. Nothing is left in /dev/shm then.
 * With PER_HOST, each so many processes say that they are a machine of their own, which others reach by sockets. */
#include "process.h"

#include <hip/hip_runtime_api.h>
#include <rccl/rccl.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>
#include <set>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

struct common {
    ncclUniqueId id;
    volatile int ready;
};

static std::set<std::string> shared_files() {
    std::set<std::string> names;
    DIR *folder = opendir("/dev/shm");
    for (const dirent *entry; folder && (entry = readdir(folder));)
        names.insert(entry->d_name);
    if (folder)
        closedir(folder);
    return names;
}

static int run(int rank, int processes, int per_host, common *all) {
    if (per_host)
        setenv("NCCL_HOSTID", ("host" + std::to_string(rank / per_host)).c_str(), 1);
    if (rank == 0) {
        CHECK(ncclGetUniqueId(&all->id));
        all->ready = 1;
    }
    while (!all->ready)
        usleep(1000);
    ncclComm_t comm;
    hipStream_t stream;
    float *numbers;
    CHECK(hipSetDevice(per_host ? rank % per_host : rank));
    CHECK(ncclCommInitRank(&comm, processes, all->id, rank));
    CHECK(hipStreamCreate(&stream));
    CHECK(hipMalloc((void **)&numbers, 1000 * sizeof *numbers));
    CHECK(hipMemset(numbers, 0, 1000 * sizeof *numbers));
    for (int round = 0; round < 3; round++) {
        CHECK(ncclAllReduce(numbers, numbers, 1000, ncclFloat, ncclSum, comm, stream));
        CHECK(hipStreamSynchronize(stream));
    }
    if (rank == processes - 1)
        raise(SIGKILL);
    CHECK(ncclAllReduce(numbers, numbers, 1000, ncclFloat, ncclSum, comm, stream));
    int waited = 0;
    ncclResult_t state = ncclSuccess;
    while (hipStreamQuery(stream) == hipErrorNotReady && state == ncclSuccess && waited++ < 200) {
        usleep(10000);
        CHECK(ncclCommGetAsyncError(comm, &state));
    }
    CHECK(hipStreamQuery(stream) != hipErrorNotReady); /* not without the other's numbers */
    CHECK(ncclCommAbort(comm));
    CHECK(hipStreamSynchronize(stream));
    return 0;
}

int main(int argc, char **argv) {
    const int processes = argc > 1 ? atoi(argv[1]) : 2, per_host = argc > 2 ? atoi(argv[2]) : 0;
    auto *all = (common *)mmap(nullptr, sizeof(common), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    std::set<std::string> before = shared_files();
    int failed = 0, killed = 0;
    before.insert("wavelift-" + std::to_string(getuid()) + ".1"); /* who has how much memory: docs/wavelift.1 */
    setvbuf(stdout, nullptr, _IOLBF, 0);
    for (int rank = 0; rank < processes; rank++)
        if (fork() == 0)
            _exit(run(rank, processes, per_host, all));
    for (int rank = 0; rank < processes; rank++) {
        int status;
        wait(&status);
        killed += WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
        failed += WIFSIGNALED(status) ? WTERMSIG(status) != SIGKILL : WEXITSTATUS(status) != 0;
    }
    for (const std::string &name : shared_files())
        if (!before.count(name)) {
            printf("FAIL /dev/shm/%s is left\n", name.c_str());
            failed++;
        }
    printf("%s: of %d processes %d was killed, %d failed\n", failed || killed != 1 ? "FAIL" : "PASS", processes, killed, failed);
    return failed || killed != 1;
}
