/* pointers: an MPI program of any number of ranks whose buffers are device, managed and pinned memory: messages, collectives, derived types and one-sided
 * access, compared with what each rank can compute by itself. With arguments: the devices that each rank is to see, and the most compute units of them. */
#include <hip/hip_runtime_api.h>
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>

#define COUNT 10000

static int rank, ranks, wrong;

static void check(int good, const char *what) {
    if (good)
        return;
    printf("FAIL rank %d: %s\n", rank, what);
    wrong = 1;
}

#define OK(call) check((call) == 0, #call)

enum kind { DEVICE, MANAGED, PINNED, KINDS };
static const char *const names[] = {"device", "managed", "pinned"};

static int *allocate(enum kind kind, size_t count) {
    void *memory = NULL;
    const size_t size = count * sizeof(int);
    OK(kind == DEVICE ? hipMalloc(&memory, size) : kind == MANAGED ? hipMallocManaged(&memory, size, 1) : hipHostMalloc(&memory, size, 0));
    return memory;
}

static void release(enum kind kind, int *memory) { OK(kind == PINNED ? hipHostFree(memory) : hipFree(memory)); }

static int value(int owner, int i) { return owner * 1000 + i % 977; }

static int host[COUNT];

static void fill(int *memory, int count) {
    for (int i = 0; i < count; i++)
        host[i] = value(rank, i);
    OK(hipMemcpy(memory, host, (size_t)count * sizeof *host, hipMemcpyDefault));
}

static void fetch(const int *memory, int count) { OK(hipMemcpy(host, memory, (size_t)count * sizeof *host, hipMemcpyDefault)); }

static void messages(int *source, int *target) {
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    fill(source, COUNT);
    OK(MPI_Sendrecv(source, COUNT, MPI_INT, next, 1, target, COUNT, MPI_INT, before, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    fetch(target, COUNT);
    for (int i = 0; i < COUNT; i++)
        check(host[i] == value(before, i), "a message");
}

static void collectives(int *source, int *target) {
    fill(source, COUNT);
    OK(MPI_Allreduce(source, target, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    fetch(target, COUNT);
    for (int i = 0; i < COUNT; i++) {
        int sum = 0;
        for (int other = 0; other < ranks; other++)
            sum += value(other, i);
        check(host[i] == sum, "MPI_Allreduce");
    }
    const int part = COUNT / ranks;
    OK(MPI_Alltoall(source, part, MPI_INT, target, part, MPI_INT, MPI_COMM_WORLD));
    fetch(target, part * ranks);
    for (int i = 0; i < part * ranks; i++)
        check(host[i] == value(i / part, rank * part + i % part), "MPI_Alltoall");
}

/* Every third number, as a column of a matrix. */
static void derived(int *source, int *target) {
    MPI_Datatype column;
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks, count = COUNT / 3;
    fill(source, COUNT);
    OK(hipMemset(target, 0xff, COUNT * sizeof(int)));
    OK(MPI_Type_vector(count, 1, 3, MPI_INT, &column));
    OK(MPI_Type_commit(&column));
    OK(MPI_Sendrecv(source, 1, column, next, 2, target, 1, column, before, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Type_free(&column));
    fetch(target, 3 * count - 2);
    for (int i = 0; i < 3 * count - 2; i++)
        check(host[i] == (i % 3 ? -1 : value(before, i)), "a derived type");
}

static void one_sided(int *source, int *target) {
    MPI_Win window;
    const int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    fill(source, COUNT);
    OK(hipMemset(target, 0, COUNT * sizeof(int)));
    OK(hipDeviceSynchronize());
    OK(MPI_Win_create(target, COUNT * sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &window));
    OK(MPI_Win_fence(0, window));
    OK(MPI_Put(source, COUNT / 2, MPI_INT, next, 0, COUNT / 2, MPI_INT, window));
    OK(MPI_Accumulate(source + COUNT / 2, 100, MPI_INT, 0, COUNT / 2, 100, MPI_INT, MPI_SUM, window));
    OK(MPI_Win_fence(0, window));
    fetch(target, COUNT / 2 + 100);
    for (int i = 0; i < COUNT / 2; i++)
        check(host[i] == value(before, i), "MPI_Put");
    for (int i = COUNT / 2; i < COUNT / 2 + 100 && rank == 0; i++) {
        int sum = 0;
        for (int other = 0; other < ranks; other++)
            sum += value(other, i);
        check(host[i] == sum, "MPI_Accumulate");
    }
    OK(MPI_Win_free(&window));
}

int main(int argc, char **argv) {
    int devices = 0, local = 0;
    MPI_Comm here;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &here);
    MPI_Comm_rank(here, &local);
    OK(hipGetDeviceCount(&devices));
    if (argc > 1)
        check(devices == atoi(argv[1]), "the number of devices");
    if (devices == 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    OK(hipSetDevice(local % devices));
    if (argc > 2) {
        int units = 0;
        OK(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, local % devices));
        check(units <= atoi(argv[2]), "the number of compute units, CPUs that the rank is bound to");
    }
    for (enum kind source = 0; source < KINDS; source++)
        for (enum kind target = 0; target < KINDS; target++) {
            int *from = allocate(source, COUNT), *to = allocate(target, COUNT);
            const int before = wrong;
            messages(from, to);
            collectives(from, to);
            derived(from, to);
            one_sided(from, to);
            check(wrong == before, names[source]);
            release(source, from);
            release(target, to);
        }
    int any = 0;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s: %d ranks, %d devices each\n", any ? "FAIL" : "PASS", ranks, devices);
    MPI_Finalize();
    return any;
}
