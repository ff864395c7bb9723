/* Copies and fills: every form, kinds, empty and overlong ones, pageable memory, order, several devices. */
#include "../bystander.h"
#include "../itself.h"
#include "api_test.h"

#include <pthread.h>
#include <spawn.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

extern char **environ;

#define SIZE 4096

static unsigned char pattern(size_t i) { return (unsigned char)(i * 31 + i / 255 + 3); }

static void hold(void *flag) {
    while (!atomic_load((atomic_int *)flag))
        ;
}

static void test_kinds(void **state) {
    (void)state;
    static const hipMemcpyKind kinds[] = {hipMemcpyHostToHost,     hipMemcpyHostToDevice, hipMemcpyDeviceToHost,
                                          hipMemcpyDeviceToDevice, hipMemcpyDefault,      hipMemcpyDeviceToDeviceNoCU};
    static const int wrong[] = {-1, 5, 17, 1023, 1025};
    char from[16] = "abcdefghijklmno", to[16];
    void *device = NULL, *pinned = NULL;
    ok(hipMalloc(&device, 16));
    ok(hipHostMalloc(&pinned, 16, 0));
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) { /* known memory: the addresses say the direction */
        ok(hipMemcpy(device, from, 16, kinds[i]));
        memset(to, 0, 16);
        ok(hipMemcpy(pinned, device, 16, kinds[i]));
        ok(hipMemcpy(to, pinned, 16, kinds[i]));
        assert_memory_equal(from, to, 16);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        fails(hipErrorInvalidMemcpyDirection, hipMemcpy(device, from, 16, (hipMemcpyKind)wrong[i]));
        fails(hipErrorInvalidMemcpyDirection, hipMemcpy2D(device, 4, from, 4, 4, 4, (hipMemcpyKind)wrong[i]));
        fails(hipErrorInvalidMemcpyDirection, hipMemcpyAsync(device, from, 16, (hipMemcpyKind)wrong[i], NULL));
    }
    /* Both sides ordinary memory: only these two kinds are true. */
    memset(to, 0, 16);
    ok(hipMemcpy(to, from, 8, hipMemcpyHostToHost));
    ok(hipMemcpy(to + 8, from + 8, 8, hipMemcpyDefault));
    assert_memory_equal(from, to, 16);
    fails(hipErrorInvalidValue, hipMemcpy(to, from, 16, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemcpy(to, from, 16, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidValue, hipMemcpy(to, from, 16, hipMemcpyDeviceToDevice));
    fails(hipErrorInvalidValue, hipMemcpyDtoD(to, from, 16));
    ok(hipFree(device));
    ok(hipHostFree(pinned));
}

static void test_bounds(void **state) {
    (void)state;
    unsigned char host[SIZE];
    void *device = NULL, *pinned = NULL, *managed = NULL;
    static char own[SIZE];
    ok(hipMalloc(&device, 1000));
    ok(hipHostMalloc(&pinned, 1000, 0));
    ok(hipMallocManaged(&managed, 1000, hipMemAttachGlobal));
    ok(hipHostRegister(own, 1000, 0));
    void *const all[] = {device, pinned, managed, own};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char *p = all[i];
        ok(hipMemcpy(p, host, 1000, hipMemcpyDefault));
        ok(hipMemcpy(p + 999, host, 1, hipMemcpyDefault));
        ok(hipMemcpy(p + 500, host, 0, hipMemcpyDefault));
        fails(hipErrorInvalidValue, hipMemcpy(p, host, 1001, hipMemcpyDefault));
        fails(hipErrorInvalidValue, hipMemcpy(host, p + 1, 1000, hipMemcpyDefault));
        fails(hipErrorInvalidValue, hipMemcpyAsync(p + 999, host, 2, hipMemcpyDefault, NULL));
        fails(hipErrorInvalidValue, hipMemcpy(p, host, SIZE_MAX, hipMemcpyDefault));
        ok(hipMemcpy2D(p, 100, host, 100, 100, 10, hipMemcpyDefault));
        ok(hipMemcpy2D(p, 101, host, 100, 90, 10, hipMemcpyDefault)); /* 9 * 101 + 90 bytes */
        fails(hipErrorInvalidValue, hipMemcpy2D(p, 101, host, 100, 92, 10, hipMemcpyDefault));
        fails(hipErrorInvalidValue, hipMemcpy2D(p, SIZE_MAX / 2, host, 100, 10, 10, hipMemcpyDefault));
        fails(hipErrorInvalidPitchValue, hipMemcpy2D(p, 9, host, 100, 10, 2, hipMemcpyDefault));
        fails(hipErrorInvalidPitchValue, hipMemcpy2D(p, 100, host, 9, 10, 2, hipMemcpyDefault));
        ok(hipMemcpy2D(p, 1, host, 1, 0, 10, hipMemcpyDefault));
        ok(hipMemcpy2D(p, 10, host, 10, 10, 0, hipMemcpyDefault));
        ok(hipMemset(p, 1, 1000));
        fails(hipErrorInvalidValue, hipMemset(p, 1, 1001));
        fails(hipErrorInvalidValue, hipMemsetD16(p + 1, 1, 10));
        fails(hipErrorInvalidValue, hipMemsetD32(p + 2, 1, 10));
        fails(hipErrorInvalidValue, hipMemsetD32(p, 1, 251));
        fails(hipErrorInvalidValue, hipMemsetD32(p, 1, SIZE_MAX / 2));
    }
    /* Behind the end of an allocation, and where one was. */
    fails(hipErrorInvalidValue, hipMemcpy(pinned, (char *)device + 1000, 1, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipMemcpy((char *)managed + 1000, host, 1, hipMemcpyDefault));
    void *freed = NULL;
    ok(hipMalloc(&freed, 1000));
    ok(hipFree(freed));
    fails(hipErrorInvalidValue, hipMemcpy(pinned, freed, 1, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipMemcpyAsync((char *)freed + 10, pinned, 1, hipMemcpyHostToDevice, NULL));
    fails(hipErrorInvalidValue, hipMemset(freed, 1, 1));
    fails(hipErrorInvalidValue, hipMemcpy(NULL, host, 1, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipMemcpy(device, NULL, 1, hipMemcpyDefault));
    ok(hipMemcpy(NULL, NULL, 0, hipMemcpyDefault));
    fails(hipErrorInvalidValue, hipMemset(host, 1, 1)); /* not memory that HIP knows */
    fails(hipErrorInvalidValue, hipMemset(NULL, 1, 1));
    ok(hipMemset(NULL, 1, 0));
    fails(hipErrorContextIsDestroyed, hipMemsetAsync(device, 1, 1, (hipStream_t)host));
    ok(hipHostUnregister(own));
    ok(hipFree(device));
    ok(hipFree(managed));
    ok(hipHostFree(pinned));
}

/* Host addresses without memory are an error and not the end; what was there of the range may have been copied. In a process of
 * its own, because cmocka has handlers for such signals, and a program's handlers have the first word. */
#define FAILS(call)                                                                                                                        \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipErrorInvalidValue)                                                                                                \
            return fprintf(stderr, "%s: %s\n", #call, hipGetErrorName(error_)), 1;                                                         \
    } while (0)
#define GOOD(call)                                                                                                                         \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess)                                                                                                          \
            return fprintf(stderr, "%s: %s\n", #call, hipGetErrorName(error_)), 1;                                                         \
    } while (0)

static int nothing_there(void) {
    char *half = mmap(NULL, 2 * SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), byte = 0;
    void *device = NULL;
    hipStream_t stream = NULL;
    GOOD(hipStreamCreate(&stream));
    GOOD(hipMalloc(&device, 1 << 20));
    munmap(half + SIZE, SIZE);
    for (int round = 0; round < 3; round++) {
        FAILS(hipMemcpy(device, half, SIZE + 1, hipMemcpyHostToDevice));
        FAILS(hipMemcpy(half + SIZE - 1, device, 2, hipMemcpyDeviceToHost));
        FAILS(hipMemcpyAsync(device, half, SIZE + 1, hipMemcpyHostToDevice, stream));
        FAILS(hipMemcpyAsync(device, half, 1 << 20, hipMemcpyHostToDevice, stream));
        FAILS(hipMemcpyAsync((void *)0x123456, device, 16, hipMemcpyDeviceToHost, stream));
        FAILS(hipMemcpy2D(device, 64, (void *)0x123456, 64, 64, 4, hipMemcpyHostToDevice));
    }
    GOOD(hipMemcpy(device, half, SIZE, hipMemcpyHostToDevice)); /* no error stays behind */
    GOOD(hipMemcpy(&byte, device, 1, hipMemcpyDeviceToHost));
    GOOD(hipStreamSynchronize(stream));
    GOOD(hipFree(device));
    GOOD(hipStreamDestroy(stream));
    return 0;
}

static void test_nothing_there(void **state) {
    (void)state;
#if !defined(API_FAKE) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* these report it themselves */
    struct itself again;
    pid_t process = 0;
    int status = -1;
    itself(&again, (const char *const[]){"nothing", NULL});
    assert_int_equal(posix_spawn(&process, again.words[0], NULL, NULL, again.words, environ), 0);
    assert_int_equal(waitpid(process, &status, 0), process);
    assert_int_equal(status, 0);
#else
    skip();
#endif
}

/* Fills of all element sizes with a pitch, against a loop. */
static void test_planes(void **state) {
    (void)state;
    enum { PITCH = 48, ROWS = 7 };
    unsigned char expected[PITCH * ROWS], got[PITCH * ROWS];
    void *device = NULL;
    ok(hipMalloc(&device, sizeof got));
    for (unsigned size = 1; size <= 4; size *= 2)
        for (int async = 0; async < 2; async++) {
            const size_t width = 5, height = 4;
            const uint32_t value = 0xa1b2c3d4u;
            ok(hipMemset(device, 0x11, sizeof got));
            memset(expected, 0x11, sizeof expected);
            for (size_t y = 0; y < height; y++)
                for (size_t x = 0; x < width; x++)
                    memcpy(expected + y * PITCH + x * size, &value, size);
            hipError_t error = size == 1   ? async ? hipMemsetD2D8Async(device, PITCH, (unsigned char)value, width, height, NULL)
                                                   : hipMemsetD2D8(device, PITCH, (unsigned char)value, width, height)
                                 : size == 2 ? async ? hipMemsetD2D16Async(device, PITCH, (unsigned short)value, width, height, NULL)
                                                     : hipMemsetD2D16(device, PITCH, (unsigned short)value, width, height)
                                 : async ? hipMemsetD2D32Async(device, PITCH, value, width, height, NULL)
                                           : hipMemsetD2D32(device, PITCH, value, width, height);
            ok(error);
            ok(hipMemcpy(got, device, sizeof got, hipMemcpyDeviceToHost));
            assert_memory_equal(got, expected, sizeof got);
        }
    fails(hipErrorInvalidValue, hipMemsetD2D32(device, 16, 1, 5, 2));
    fails(hipErrorInvalidValue, hipMemset2D(device, 4, 1, 5, 1)); /* also where there is one row */
    fails(hipErrorInvalidValue, hipMemsetD2D32(device, 50, 1, 5, 2));
    fails(hipErrorInvalidValue, hipMemsetD2D16(device, PITCH, 1, 24, ROWS + 1));
    ok(hipMemsetD2D16(device, PITCH, 1, 0, 5));
    /* Three dimensions: the planes are ysize rows apart. */
    hipPitchedPtr block = make_hipPitchedPtr(device, 8, 8, 5);
    ok(hipMemset(device, 0, sizeof got));
    ok(hipMemset3D(block, 0x77, make_hipExtent(3, 2, 2)));
    ok(hipMemcpy(got, device, sizeof got, hipMemcpyDeviceToHost));
    for (size_t i = 0; i < sizeof got; i++) {
        size_t x = i % 8, y = i / 8 % 5, z = i / 40;
        assert_int_equal(got[i], x < 3 && y < 2 && z < 2 ? 0x77 : 0);
    }
    fails(hipErrorInvalidValue, hipMemset3D(block, 1, make_hipExtent(8, 5, 9)));
    fails(hipErrorInvalidValue, hipMemset3D(block, 1, make_hipExtent(9, 2, 1)));
    ok(hipMemset3DAsync(block, 1, make_hipExtent(0, 2, 1), NULL));
    ok(hipFree(device));
}

/* What a queued copy reads: pinned memory when it runs, ordinary memory when it was queued. */
static void test_staging(void **state) {
    (void)state;
    enum { LARGE = 1 << 20 };
    hipStream_t stream = NULL;
    atomic_int flag = 0;
    int *pinned = NULL, back = 0;
    void *device = NULL, *other = NULL;
    int pageable = 5;
    ok(hipStreamCreate(&stream));
    ok(hipMalloc(&device, LARGE));
    ok(hipMalloc(&other, LARGE));
    ok(hipHostMalloc((void **)&pinned, sizeof *pinned, 0));
    *pinned = 5;
    ok(hipLaunchHostFunc(stream, hold, &flag));
    ok(hipMemcpyAsync(device, pinned, 4, hipMemcpyHostToDevice, stream));
    ok(hipMemcpyAsync(other, &pageable, 4, hipMemcpyHostToDevice, stream));
    *pinned = 6;
    pageable = 6;
    atomic_store(&flag, 1);
    ok(hipStreamSynchronize(stream));
    ok(hipMemcpy(&back, device, 4, hipMemcpyDeviceToHost));
    assert_int_equal(back, 6);
    ok(hipMemcpy(&back, other, 4, hipMemcpyDeviceToHost));
    assert_int_equal(back, 5);
    /* A large one is read before the call returns, too. */
    unsigned char *host = malloc(LARGE);
    memset(host, 1, LARGE);
    ok(hipMemcpyAsync(device, host, LARGE, hipMemcpyHostToDevice, stream));
    memset(host, 2, LARGE);
    ok(hipMemcpy(host, device, LARGE, hipMemcpyDeviceToHost));
    assert_int_equal(host[0], 1);
    assert_int_equal(host[LARGE - 1], 1);
    free(host);
    ok(hipHostFree(pinned));
    ok(hipFree(device));
    ok(hipFree(other));
    ok(hipStreamDestroy(stream));
}

struct gate {
    atomic_int open, passed;
};

static void pass(void *argument) {
    struct gate *gate = argument;
    while (!atomic_load(&gate->open))
        ;
    atomic_store(&gate->passed, 1);
}

static void *open_gate(void *argument) {
    atomic_store(&((struct gate *)argument)->open, 1);
    return NULL;
}

/* Holds the stream at the gate, which another thread opens. What is called next has to wait for that, so that expect_waited() holds. */
static pthread_t begin_wait(struct gate *gate, hipStream_t stream) {
    pthread_t opener;
    atomic_store(&gate->open, 0);
    atomic_store(&gate->passed, 0);
    ok(hipLaunchHostFunc(stream, pass, gate));
    assert_int_equal(pthread_create(&opener, NULL, open_gate, gate), 0);
    return opener;
}

static void expect_waited(struct gate *gate, pthread_t opener) {
    assert_int_equal(atomic_load(&gate->passed), 1);
    assert_int_equal(pthread_join(opener, NULL), 0);
}

/* What calls that are named synchronous do behind work that ends only after them, or that ends whenever it likes. */
static void test_waiting(void **state) {
    (void)state;
    enum { ROWS = 4, ROW = 256 };
    hipPitchedPtr from = {0}, to = {0};
    hipExtent extent = make_hipExtent(ROW, ROWS, 2);
    unsigned char got[ROW];
    struct gate gate = {0};
    ok(hipMalloc3D(&from, extent));
    ok(hipMalloc3D(&to, extent));
    ok(hipMemset3D(from, 0x11, extent));
    ok(hipMemset3D(to, 0x22, extent));
    hipMemcpy3DParms block = {.srcPtr = from, .dstPtr = to, .extent = extent, .kind = hipMemcpyDeviceToDevice};
    hip_Memcpy2D plane = {.srcMemoryType = hipMemoryTypeDevice,
                          .srcDevice = from.ptr,
                          .srcPitch = from.pitch,
                          .dstMemoryType = hipMemoryTypeDevice,
                          .dstDevice = to.ptr,
                          .dstPitch = to.pitch,
                          .WidthInBytes = ROW,
                          .Height = ROWS};
    ok(hipLaunchHostFunc(NULL, pass, &gate)); /* until the end of this: none of these may wait */
    ok(hipMemset(from.ptr, 0x33, ROW));
    ok(hipMemsetD32(from.ptr, 0x44444444, ROW / 4));
    ok(hipMemset2D(from.ptr, from.pitch, 0x55, ROW, ROWS));
    ok(hipMemset3D(from, 0x66, extent));
    ok(hipMemcpy(to.ptr, from.ptr, ROW, hipMemcpyDeviceToDevice));
    ok(hipMemcpyDtoD(to.ptr, from.ptr, ROW));
    ok(hipMemcpy2D(to.ptr, to.pitch, from.ptr, from.pitch, ROW, ROWS, hipMemcpyDeviceToDevice));
    ok(hipMemcpyParam2D(&plane));
    ok(hipMemcpy3D(&block));
    fails(hipErrorNotReady, hipStreamQuery(NULL));
    assert_int_equal(atomic_load(&gate.passed), 0);
    atomic_store(&gate.open, 1);
    ok(hipMemcpy(got, (char *)to.ptr + to.pitch * (2 * ROWS - 1), ROW, hipMemcpyDeviceToHost)); /* behind all of them */
    for (int i = 0; i < ROW; i++)
        assert_int_equal(got[i], 0x66);

    /* These wait: a fill that does not begin with its memory, and a copy between places that are both marked. */
    unsigned on = 1;
    ok(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, from.ptr));
    ok(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, to.ptr));
    for (int i = 0; i < 2; i++) {
        pthread_t opener = begin_wait(&gate, NULL);
        ok(i ? hipMemcpy(to.ptr, from.ptr, ROW, hipMemcpyDeviceToDevice) : hipMemset((char *)from.ptr + 1, 0x77, ROW));
        expect_waited(&gate, opener);
    }
    ok(hipFree(from.ptr));
    ok(hipFree(to.ptr));
}

hipError_t hipMemcpy_spt(void *, const void *, size_t, hipMemcpyKind);
hipError_t hipMemcpy2D_spt(void *, size_t, const void *, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpy3D_spt(const struct hipMemcpy3DParms *);
hipError_t hipMemset_spt(void *, int, size_t);
hipError_t hipMemset2D_spt(void *, size_t, int, size_t, size_t);
hipError_t hipMemset3D_spt(hipPitchedPtr, int, hipExtent);

/* The forms for the thread's stream wait where those for the null stream do. */
static void test_waiting_in_own_stream(void **state) {
    (void)state;
    enum { ROWS = 4, ROW = 256 };
    hipPitchedPtr from = {0}, to = {0};
    hipExtent extent = make_hipExtent(ROW, ROWS, 2);
    unsigned char got[ROW];
    struct gate gate = {0};
    ok(hipMalloc3D(&from, extent));
    ok(hipMalloc3D(&to, extent));
    ok(hipMemset3D(to, 0x22, extent));
    ok(hipDeviceSynchronize());
    hipMemcpy3DParms block = {.srcPtr = from, .dstPtr = to, .extent = extent, .kind = hipMemcpyDeviceToDevice};
    ok(hipLaunchHostFunc(hipStreamPerThread, pass, &gate)); /* until the end of this: none of these may wait */
    ok(hipMemset_spt(from.ptr, 0x33, ROW));
    ok(hipMemset2D_spt(from.ptr, from.pitch, 0x55, ROW, ROWS));
    ok(hipMemset3D_spt(from, 0x66, extent));
    ok(hipMemcpy_spt(to.ptr, from.ptr, ROW, hipMemcpyDeviceToDevice));
    ok(hipMemcpy2D_spt(to.ptr, to.pitch, from.ptr, from.pitch, ROW, ROWS, hipMemcpyDeviceToDevice));
    ok(hipMemcpy3D_spt(&block));
    fails(hipErrorNotReady, hipStreamQuery(hipStreamPerThread));
    assert_int_equal(atomic_load(&gate.passed), 0);
    atomic_store(&gate.open, 1);
    ok(hipMemcpy_spt(got, (char *)to.ptr + to.pitch * (2 * ROWS - 1), ROW, hipMemcpyDeviceToHost)); /* behind all of them */
    for (int i = 0; i < ROW; i++)
        assert_int_equal(got[i], 0x66);
    fails(hipErrorInvalidPitchValue, hipMemcpy2D_spt(to.ptr, 8, from.ptr, 8, 16, 2, hipMemcpyDeviceToDevice));
    fails(hipErrorInvalidValue, hipMemset2D_spt(from.ptr, 8, 0, 16, 2));
    for (int i = 0; i < 2; i++) { /* a fill that does not begin with its memory, and pageable memory */
        pthread_t opener = begin_wait(&gate, hipStreamPerThread);
        ok(i ? hipMemcpy2D_spt(got, ROW, from.ptr, ROW, ROW, 1, hipMemcpyDeviceToHost) : hipMemset_spt((char *)from.ptr + 1, 0x77, ROW));
        expect_waited(&gate, opener);
    }
    ok(hipFree(from.ptr));
    ok(hipFree(to.ptr));
}

/* The null stream comes behind a copy that was left to a stream which it does not wait for otherwise. */
static void test_behind_others(void **state) {
    (void)state;
    hipStream_t stream = NULL;
    void *memory = NULL;
    unsigned char got[64];
    struct gate gate = {0};
    ok(hipStreamCreateWithFlags(&stream, hipStreamNonBlocking));
    ok(hipMalloc(&memory, 128));
    ok(hipMemset(memory, 1, 128));
    ok(hipMemset((char *)memory + 64, 2, 64));
    ok(hipLaunchHostFunc(stream, pass, &gate));
    ok(hipMemcpyWithStream(memory, (char *)memory + 64, 64, hipMemcpyDeviceToDevice, stream));
    fails(hipErrorNotReady, hipStreamQuery(NULL));
    atomic_store(&gate.open, 1);
    ok(hipMemcpy(got, memory, 64, hipMemcpyDeviceToHost));
    assert_int_equal(atomic_load(&gate.passed), 1);
    assert_int_equal(got[0], 2);
    ok(hipStreamDestroy(stream));
    ok(hipFree(memory));
}

static void test_many_shapes(void **state) {
    (void)state;
    unsigned char in[SIZE], out[SIZE], expected[SIZE];
    void *device = NULL;
    unsigned seed = 12345;
    ok(hipMalloc(&device, SIZE));
    for (size_t i = 0; i < SIZE; i++)
        in[i] = pattern(i);
    for (int step = 0; step < 500; step++) {
        seed = seed * 1664525u + 1013904223u;
        size_t width = 1 + (seed >> 4) % 30, rows = 1 + (seed >> 9) % 6, planes = 1 + (seed >> 13) % 4;
        size_t spitch = width + (seed >> 17) % 8, dpitch = width + (seed >> 21) % 8, sheight = rows + (seed >> 25) % 3,
               dheight = rows + (seed >> 28) % 3;
        if (spitch * sheight * planes > SIZE || dpitch * dheight * planes > SIZE)
            continue;
        memset(expected, 0x5a, SIZE);
        ok(hipMemset(device, 0x5a, SIZE));
        for (size_t z = 0; z < planes; z++)
            for (size_t y = 0; y < rows; y++)
                for (size_t x = 0; x < width; x++)
                    expected[(z * dheight + y) * dpitch + x] = in[(z * sheight + y) * spitch + x];
        hipMemcpy3DParms p = {.srcPtr = make_hipPitchedPtr(in, spitch, width, sheight),
                              .dstPtr = make_hipPitchedPtr(device, dpitch, width, dheight),
                              .extent = {width, rows, planes},
                              .kind = hipMemcpyHostToDevice};
        ok(step % 2 ? hipMemcpy3D(&p) : hipMemcpy3DAsync(&p, NULL));
        ok(hipMemcpy(out, device, SIZE, hipMemcpyDeviceToHost));
        assert_memory_equal(out, expected, SIZE);
    }
    ok(hipFree(device));
}

/* ---- several devices --------------------------------------------------------------------------- */

/* Of two devices of a kind; the second is the current one. */
static void check_peers(int count) {
    int can = 0;
    ok(hipDeviceCanAccessPeer(&can, 0, 1));
    assert_int_equal(can, 1);
    ok(hipDeviceCanAccessPeer(&can, 1, 1));
    assert_int_equal(can, 0);
    fails(hipErrorInvalidDevice, hipDeviceCanAccessPeer(&can, 0, count));
    fails(hipErrorInvalidValue, hipDeviceCanAccessPeer(NULL, 0, 1));
    ok(hipDeviceEnablePeerAccess(0, 0));
    fails(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(0, 0));
    ok(hipDeviceDisablePeerAccess(0));
    fails(hipErrorPeerAccessNotEnabled, hipDeviceDisablePeerAccess(0));
    fails(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(1, 0)); /* itself */
    fails(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(count, 0));
    fails(hipErrorInvalidValue, hipDeviceEnablePeerAccess(0, 1));
    ok(hipDeviceGetP2PAttribute(&can, hipDevP2PAttrAccessSupported, 0, 1));
    assert_int_equal(can, 1);
    fails(hipErrorInvalidDevice, hipDeviceGetP2PAttribute(&can, hipDevP2PAttrAccessSupported, 0, 0));
    fails(hipErrorInvalidValue, hipDeviceGetP2PAttribute(NULL, hipDevP2PAttrAccessSupported, 0, 1));
}

static void test_devices(void **state) {
    (void)state;
    int count = 0;
    ok(hipGetDeviceCount(&count));
    if (count < 2)
        skip();
    int reached = 0;
    ok(hipDeviceGetAttribute(&reached, hipDeviceAttributeIsLargeBar, 1));
    const bool mixed = on_gpu() && reached; /* a GPU and a CPU device: copies, but no access */
    void *first = NULL, *second = NULL;
    hipStream_t stream = NULL;
    size_t before[2], after[2], back = 0, value = 77;
    hipPointerAttribute_t attributes;
    atomic_int flag = 0;
    struct bystander bystander = bystander_new();
    struct bystander_gate gate = {&bystander, &flag};
    before[0] = memory_left();
    ok(hipMalloc(&first, 1 << 20));
    ok(hipSetDevice(1));
    ok(hipMemGetInfo(&before[1], NULL));
    ok(hipMalloc(&second, 1 << 20));
    ok(hipMemGetInfo(&after[1], NULL));
    assert_true((on_gpu() && !mixed) || before[1] - after[1] == 1 << 20); /* each device counts its own */
    ok(hipPointerGetAttributes(&attributes, second));
    assert_int_equal(attributes.device, 1);
    ok(hipStreamCreate(&stream));
    if (!mixed)
        check_peers(count);

    /* hipMemcpyPeer comes after what both devices' null streams wait for, and before their later work; the host does not wait. */
    ok(hipMemcpy(second, &value, sizeof value, hipMemcpyHostToDevice));
    ok(hipLaunchHostFunc(stream, hold, &flag));
    value = 88;
    ok(hipMemcpyAsync(second, &value, sizeof value, hipMemcpyHostToDevice, stream));
    ok(hipSetDevice(0));
    pthread_t thread;
    ok(hipMemcpyPeer(first, 0, second, 1, 1 << 20));
    fails(hipErrorNotReady, hipStreamQuery(NULL));
    ok(hipSetDevice(1));
    ok(hipMemsetAsync(second, 0, 1 << 20, NULL));
    fails(hipErrorNotReady, hipStreamQuery(NULL));
    ok(hipSetDevice(0));
    atomic_store(&flag, 1);
    ok(hipMemcpy(&back, first, sizeof back, hipMemcpyDeviceToHost));
    assert_int_equal(back, 88);

    /* So does a copy that waits, of memory of the other device: it sees what its null stream holds. */
    ok(hipSetDevice(1));
    atomic_store(&flag, 0);
    ok(hipLaunchHostFunc(NULL, hold, &flag));
    ok(hipMemsetAsync(second, 9, 1 << 20, NULL));
    ok(hipSetDevice(0));
    assert_int_equal(pthread_create(&thread, NULL, bystander_opens, &gate), 0);
    unsigned char byte = 0;
    ok(hipMemcpy(&byte, second, 1, hipMemcpyDeviceToHost));
    assert_int_equal(byte, 9);
    pthread_join(thread, NULL);

    ok(hipMemcpyPeerAsync(first, 0, second, 1, 1 << 20, NULL));
    hipMemcpy3DPeerParms p = {.srcPtr = make_hipPitchedPtr(first, 64, 64, 4),
                              .srcDevice = 0,
                              .dstPtr = make_hipPitchedPtr((char *)second + 4096, 32, 32, 4),
                              .dstDevice = 1,
                              .extent = {16, 4, 2}};
    ok(hipMemset(second, 0, 1 << 20));
    ok(hipMemcpy3DPeer(&p));
    ok(hipMemcpy(&byte, (char *)second + 4096 + 7 * 32 + 15, 1, hipMemcpyDeviceToHost));
    assert_int_equal(byte, 9);
    ok(hipMemcpy3DPeerAsync(&p, stream));
    ok(hipStreamSynchronize(stream));
    p.dstDevice = count;
    fails(hipErrorInvalidDevice, hipMemcpy3DPeer(&p));
    fails(hipErrorInvalidValue, hipMemcpy3DPeer(NULL));
    fails(hipErrorInvalidDevice, hipMemcpyPeer(first, count, second, 1, 1));
    fails(hipErrorInvalidDevice, hipMemcpyPeerAsync(first, 0, second, -1, 1, NULL));
    ok(hipMemcpyPeer(first, 0, second, 1, 0));
    ok(hipFree(second)); /* of a device that is not the current one */
    ok(hipFree(first));
    after[0] = memory_left();
    assert_int_equal(before[0], after[0]);
    ok(hipStreamDestroy(stream));
    bystander_end(&bystander);
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1)
        return nothing_there();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kinds),         cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_planes),        cmocka_unit_test(test_staging),
        cmocka_unit_test(test_nothing_there), cmocka_unit_test(test_waiting),
        cmocka_unit_test(test_behind_others), cmocka_unit_test(test_waiting_in_own_stream),
        cmocka_unit_test(test_many_shapes),   cmocka_unit_test(test_devices),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
