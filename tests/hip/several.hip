// Several devices: peers, copies between them, a stream on each, grids that synchronize with each other, virtual memory that others
// may use, and memory, pools and events of another process. With CPU devices there are two of them; with GPUs all, at least two.
#include "check.h"

#include <hip/hip_cooperative_groups.h>

#include <string>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace cg = cooperative_groups;

enum { MOST = 8, ITEMS = 4096, BLOCKS = 6, THREADS = 64, ROUNDS = 20 };

static int devices;

__global__ void add(unsigned *to, const unsigned *from, unsigned amount, unsigned count) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        to[i] = from[i] + amount;
}

__global__ void rounds(unsigned *words, unsigned *wrong) {
    cg::multi_grid_group all = cg::this_multi_grid();
    for (unsigned round = 1; round <= ROUNDS; round++) {
        if (threadIdx.x == 0) {
            __hip_atomic_fetch_add(&words[all.grid_rank()], 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
            __threadfence_system();
        }
        all.sync();
        if (threadIdx.x == 0)
            for (unsigned g = 0; g < all.num_grids(); g++)
                if (__hip_atomic_load(&words[g], __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM) != round * gridDim.x)
                    __hip_atomic_fetch_add(wrong, 1u, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_SYSTEM);
        all.sync();
    }
}

static void launch(unsigned *to, const unsigned *from, unsigned amount, hipStream_t stream = nullptr) {
    add<<<ITEMS / 256, 256, 0, stream>>>(to, from, amount, ITEMS);
    HIP(hipGetLastError());
}

static std::vector<unsigned> numbers(unsigned first) {
    std::vector<unsigned> made(ITEMS);
    for (unsigned i = 0; i < ITEMS; i++)
        made[i] = first + i * 3;
    return made;
}

static void expect_numbers(const char *what, const unsigned *memory, unsigned first) {
    std::vector<unsigned> back(ITEMS);
    HIP(hipMemcpy(back.data(), memory, ITEMS * 4, hipMemcpyDefault));
    unsigned wrong = 0;
    for (unsigned i = 0; i < ITEMS; i++)
        wrong += back[i] != first + i * 3;
    EXPECT(wrong == 0, "%s: %u of %d are wrong, the first is %u instead of %u", what, wrong, ITEMS, back[0], first);
}

// ---- peers

static unsigned *memories[MOST];

static bool test_peers() {
    bool all = true;
    for (int a = 0; a < devices; a++)
        for (int b = 0; b < devices; b++) {
            int can = 0;
            if (a == b)
                continue;
            HIP(hipDeviceCanAccessPeer(&can, a, b));
            HIP(hipSetDevice(a));
            if (can)
                HIP(hipDeviceEnablePeerAccess(b, 0));
            if (can)
                EXPECT(hipDeviceEnablePeerAccess(b, 0) == hipErrorPeerAccessAlreadyEnabled, "enabled twice");
            (void)hipGetLastError();
            all = all && can;
        }
    std::printf("%d devices, %s\n", devices, all ? "all reach each other" : "not all reach each other");
    for (int d = 0; d < devices; d++) {
        HIP(hipSetDevice(d));
        HIP(hipMalloc((void **)&memories[d], ITEMS * 4));
    }
    for (int d = 0; d < devices && all; d++) { // each device reads its neighbour's and writes the next one's
        const int left = (d + devices - 1) % devices, right = (d + 1) % devices;
        const auto start = numbers(100u * d);
        HIP(hipSetDevice(d));
        HIP(hipMemcpy(memories[left], start.data(), ITEMS * 4, hipMemcpyDefault));
        launch(memories[right], memories[left], 7);
        HIP(hipDeviceSynchronize());
        expect_numbers("a neighbour's memory", memories[right], 100u * d + 7);
    }
    return all;
}

static void test_copies() {
    for (int a = 0; a < devices; a++) {
        const int b = (a + 1) % devices;
        const auto start = numbers(1000u * a);
        hipStream_t stream;
        HIP(hipSetDevice(a));
        HIP(hipStreamCreate(&stream));
        HIP(hipMemcpy(memories[a], start.data(), ITEMS * 4, hipMemcpyHostToDevice));
        launch(memories[a], memories[a], 1, stream);
        HIP(hipMemcpyPeerAsync(memories[b], b, memories[a], a, ITEMS * 4, stream));
        HIP(hipStreamSynchronize(stream));
        expect_numbers("hipMemcpyPeerAsync", memories[b], 1000u * a + 1);
        HIP(hipMemset(memories[b], 0, ITEMS * 4));
        HIP(hipMemcpyPeer(memories[b], b, memories[a], a, ITEMS * 4));
        expect_numbers("hipMemcpyPeer", memories[b], 1000u * a + 1);
        HIP(hipMemset(memories[b], 0, ITEMS * 4));
        HIP(hipMemcpy2D(memories[b], 256, memories[a], 256, 256, ITEMS * 4 / 256, hipMemcpyDefault));
        expect_numbers("hipMemcpy2D", memories[b], 1000u * a + 1);
        HIP(hipStreamDestroy(stream));
    }
}

// ---- a stream a device

// A value goes round all devices many times, ordered by events alone.
static void test_ring() {
    hipStream_t streams[MOST];
    hipEvent_t events[MOST];
    for (int d = 0; d < devices; d++) {
        HIP(hipSetDevice(d));
        HIP(hipStreamCreateWithFlags(&streams[d], hipStreamNonBlocking));
        HIP(hipEventCreateWithFlags(&events[d], hipEventDisableTiming));
    }
    const auto start = numbers(5);
    HIP(hipSetDevice(0));
    HIP(hipMemcpy(memories[0], start.data(), ITEMS * 4, hipMemcpyHostToDevice));
    for (int step = 0; step < ROUNDS * devices; step++) {
        const int here = step % devices, next = (step + 1) % devices;
        HIP(hipSetDevice(here));
        launch(memories[here], memories[here], 1, streams[here]);
        HIP(hipMemcpyPeerAsync(memories[next], next, memories[here], here, ITEMS * 4, streams[here]));
        HIP(hipEventRecord(events[here], streams[here]));
        HIP(hipStreamWaitEvent(streams[next], events[here], 0));
    }
    HIP(hipStreamSynchronize(streams[0]));
    expect_numbers("a ring of streams", memories[0], 5u + ROUNDS * devices);
    for (int d = 0; d < devices; d++) {
        HIP(hipStreamDestroy(streams[d]));
        HIP(hipEventDestroy(events[d]));
    }
}

// ---- grids that synchronize

static void test_grids() {
    unsigned *memory;
    hipStream_t streams[MOST];
    HIP(hipHostMalloc((void **)&memory, 4096));
    for (int d = 0; d < devices; d++) {
        HIP(hipSetDevice(d));
        HIP(hipStreamCreate(&streams[d]));
    }
    for (unsigned flags = 0; flags < 4; flags++)
        for (int count = 1; count <= devices; count++) {
            unsigned *words = memory, *wrong = memory + 64;
            void *arguments[] = {&words, &wrong};
            hipLaunchParams list[MOST];
            memset(memory, 0, 4096);
            for (int d = 0; d < count; d++)
                list[d] = {(void *)rounds, dim3(BLOCKS), dim3(THREADS), arguments, 0, streams[d]};
            HIP(hipLaunchCooperativeKernelMultiDevice(list, count, flags));
            for (int d = 0; d < devices; d++)
                HIP(hipStreamSynchronize(streams[d]));
            for (int d = 0; d < count; d++)
                EXPECT(words[d] == ROUNDS * BLOCKS && *wrong == 0, "%d grids: grid %d counted %u, %u wrong", count, d, words[d], *wrong);
        }
    for (int d = 0; d < devices; d++)
        HIP(hipStreamDestroy(streams[d]));
    HIP(hipHostFree(memory));
}

// ---- virtual memory

static hipMemAllocationProp memory_of(int device, hipMemAllocationHandleType handle) {
    hipMemAllocationProp prop = {};
    prop.type = hipMemAllocationTypePinned;
    prop.requestedHandleType = handle;
    prop.location = {hipMemLocationTypeDevice, device};
    return prop;
}

static void test_virtual() {
    const hipMemAllocationProp prop = memory_of(1, hipMemHandleTypeNone);
    size_t size = 0;
    void *address = nullptr;
    hipMemGenericAllocationHandle_t handle;
    HIP(hipSetDevice(0));
    HIP(hipMemGetAllocationGranularity(&size, &prop, hipMemAllocationGranularityMinimum));
    size = (ITEMS * 4 + size - 1) / size * size;
    HIP(hipMemCreate(&handle, size, &prop, 0));
    HIP(hipMemAddressReserve(&address, size, 0, nullptr, 0));
    HIP(hipMemMap(address, size, 0, handle, 0));
    std::vector<hipMemAccessDesc> access;
    for (int d = 0; d < devices; d++)
        access.push_back({{hipMemLocationTypeDevice, d}, hipMemAccessFlagsProtReadWrite});
    HIP(hipMemSetAccess(address, size, access.data(), access.size()));
    unsigned *memory = (unsigned *)address;
    const auto start = numbers(40);
    HIP(hipMemcpy(memory, start.data(), ITEMS * 4, hipMemcpyHostToDevice));
    for (int d = 0; d < devices; d++) {
        HIP(hipSetDevice(d));
        launch(memory, memory, 1);
        HIP(hipDeviceSynchronize());
    }
    expect_numbers("memory that all devices map", memory, 40u + devices);
    HIP(hipMemUnmap(address, size));
    HIP(hipMemAddressFree(address, size));
    HIP(hipMemRelease(handle));
    HIP(hipSetDevice(0));
}

// ---- another process

struct offer {
    hipIpcMemHandle_t start, inner;
    hipIpcEventHandle_t event;
    size_t size;                  // of what the first descriptor stands for
    hipMemPoolPtrExportData data; // of the pool that the second one stands for
};
struct files {
    int memory, pool;
};

static void send(int channel, const offer &offer, files files) {
    iovec part = {(void *)&offer, sizeof offer};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof files)] = {};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof files);
    memcpy(CMSG_DATA(header), &files, sizeof files);
    EXPECT(sendmsg(channel, &message, 0) == (ssize_t)sizeof offer, "nothing was sent");
}

static files receive(int channel, offer &offer) {
    iovec part = {&offer, sizeof offer};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(files))] = {};
    msghdr message = {};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    files files = {-1, -1};
    if (recvmsg(channel, &message, 0) == (ssize_t)sizeof offer && CMSG_FIRSTHDR(&message))
        memcpy(&files, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof files);
    return files;
}

// The child: adds 1 to what the parent shares, behind the parent's event. It has device 0 as well, and what it maps it may use there.
static int child(int channel) {
    offer offer;
    hipEvent_t event;
    hipStream_t stream;
    unsigned *start, *inner, *pooled;
    hipMemPool_t pool;
    check_name = "several (child)";
    const files files = receive(channel, offer);
    if (files.memory < 0)
        return 1;
    HIP(hipSetDevice(0));
    HIP(hipStreamCreate(&stream));
    HIP(hipIpcOpenMemHandle((void **)&start, offer.start, hipIpcMemLazyEnablePeerAccess));
    HIP(hipIpcOpenMemHandle((void **)&inner, offer.inner, hipIpcMemLazyEnablePeerAccess));
    HIP(hipIpcOpenEventHandle(&event, offer.event));
    EXPECT(inner == start + ITEMS, "the place is %p and not within %p", (void *)inner, (void *)start);
    HIP(hipStreamWaitEvent(stream, event, 0));
    launch(start, start, 1, stream);
    launch(inner, inner, 2, stream);
    HIP(hipStreamSynchronize(stream));

    hipMemGenericAllocationHandle_t handle;
    void *address = nullptr;
    const hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    HIP(hipMemImportFromShareableHandle(&handle, (void *)(intptr_t)files.memory, hipMemHandleTypePosixFileDescriptor));
    HIP(hipMemAddressReserve(&address, offer.size, 0, nullptr, 0));
    HIP(hipMemMap(address, offer.size, 0, handle, 0));
    HIP(hipMemSetAccess(address, offer.size, &access, 1));
    launch((unsigned *)address, (unsigned *)address, 3);
    HIP(hipDeviceSynchronize());
    HIP(hipMemUnmap(address, offer.size));
    HIP(hipMemAddressFree(address, offer.size));
    HIP(hipMemRelease(handle));
    HIP(hipMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)files.pool, hipMemHandleTypePosixFileDescriptor, 0));
    HIP(hipMemPoolImportPointer((void **)&pooled, pool, &offer.data));
    launch(pooled, pooled, 4, stream);
    HIP(hipFreeAsync(pooled, stream));
    HIP(hipStreamSynchronize(stream));
    HIP(hipMemPoolDestroy(pool));
    HIP(hipIpcCloseMemHandle(inner));
    HIP(hipIpcCloseMemHandle(start));
    HIP(hipEventDestroy(event));
    const char done = 'd';
    EXPECT(write(channel, &done, 1) == 1, "no answer");
    return check_failures ? 1 : 0;
}

static void test_processes(int channel, pid_t process) {
    const hipMemAllocationProp prop = memory_of(0, hipMemHandleTypePosixFileDescriptor);
    const hipMemAccessDesc access = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    unsigned *memory, *mapped, *pooled;
    hipMemPool_t pool;
    hipEvent_t event;
    hipMemGenericAllocationHandle_t handle;
    offer offer;
    int file = -1, status = 0;
    char done = 0;
    HIP(hipSetDevice(0));
    HIP(hipMalloc((void **)&memory, ITEMS * 8));
    HIP(hipEventCreateWithFlags(&event, hipEventInterprocess | hipEventDisableTiming));
    HIP(hipMemGetAllocationGranularity(&offer.size, &prop, hipMemAllocationGranularityMinimum));
    offer.size = (ITEMS * 4 + offer.size - 1) / offer.size * offer.size;
    HIP(hipMemCreate(&handle, offer.size, &prop, 0));
    HIP(hipMemExportToShareableHandle(&file, handle, hipMemHandleTypePosixFileDescriptor, 0));
    HIP(hipMemAddressReserve((void **)&mapped, offer.size, 0, nullptr, 0));
    HIP(hipMemMap(mapped, offer.size, 0, handle, 0));
    HIP(hipMemSetAccess(mapped, offer.size, &access, 1));
    hipMemPoolProps props = {};
    props.allocType = hipMemAllocationTypePinned;
    props.handleTypes = hipMemHandleTypePosixFileDescriptor;
    props.location = {hipMemLocationTypeDevice, 0};
    int pool_file = -1;
    HIP(hipMemPoolCreate(&pool, &props));
    HIP(hipMallocFromPoolAsync((void **)&pooled, ITEMS * 4, pool, nullptr));
    HIP(hipMemPoolExportToShareableHandle(&pool_file, pool, hipMemHandleTypePosixFileDescriptor, 0));
    HIP(hipMemPoolExportPointer(&offer.data, pooled));
    const auto start = numbers(60);
    HIP(hipIpcGetMemHandle(&offer.start, memory));
    HIP(hipIpcGetMemHandle(&offer.inner, memory + ITEMS));
    HIP(hipIpcGetEventHandle(&offer.event, event));
    HIP(hipMemcpy(memory, start.data(), ITEMS * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(memory + ITEMS, start.data(), ITEMS * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(mapped, start.data(), ITEMS * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(pooled, start.data(), ITEMS * 4, hipMemcpyHostToDevice));
    HIP(hipDeviceSynchronize());
    HIP(hipEventRecord(event, nullptr));
    send(channel, offer, {file, pool_file});
    EXPECT(read(channel, &done, 1) == 1 && done == 'd', "the other process gave no answer");
    EXPECT(waitpid(process, &status, 0) == process && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the other process failed");
    expect_numbers("shared memory", memory, 61);
    expect_numbers("a place in shared memory", memory + ITEMS, 62);
    expect_numbers("memory of a descriptor", mapped, 63);
    expect_numbers("memory of a pool", pooled, 64);
    close(file);
    close(pool_file);
    HIP(hipFreeAsync(pooled, nullptr));
    HIP(hipDeviceSynchronize());
    HIP(hipMemPoolDestroy(pool));
    HIP(hipMemUnmap(mapped, offer.size));
    HIP(hipMemAddressFree(mapped, offer.size));
    HIP(hipMemRelease(handle));
    HIP(hipFree(memory));
    HIP(hipEventDestroy(event));
}

int main() {
    check_name = "several";
    const char *wanted = getenv("WAVELIFT_DEVICES");
    if (!wanted || std::string(wanted) == "cpu")
        setenv("WAVELIFT_DEVICES", "2", 1);
    int channels[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, channels) != 0)
        return 1;
    const pid_t process = fork(); // before HIP starts in either
    if (process == 0) {
        close(channels[0]);
        return child(channels[1]);
    }
    close(channels[1]);
    HIP(hipGetDeviceCount(&devices));
    EXPECT(devices >= 2, "%d devices", devices);
    devices = devices < MOST ? devices : (int)MOST;
    if (devices >= 2) {
        const bool all = test_peers();
        test_copies();
        test_ring();
        test_grids();
        if (all)
            test_virtual();
    }
    test_processes(channels[0], process);
    return finish();
}
