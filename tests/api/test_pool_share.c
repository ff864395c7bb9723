/* Pools shared between processes: exporting, importing, and what the importer may do. */
#include "../itself.h"
#include "pool_test.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void send_file(int socket, int file, const void *bytes, size_t size) {
    char capacity[CMSG_SPACE(sizeof(int))];
    struct iovec data = {(void *)(uintptr_t)bytes, size};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = capacity, .msg_controllen = sizeof capacity};
    memset(capacity, 0, sizeof capacity);
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(header), &file, sizeof file);
    assert_int_equal(sendmsg(socket, &message, 0), (int)size);
}

static int receive_file(int socket, void *bytes, size_t size) {
    char capacity[CMSG_SPACE(sizeof(int))];
    struct iovec data = {bytes, size};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = capacity, .msg_controllen = sizeof capacity};
    int file = -1;
    if (recvmsg(socket, &message, 0) != (ssize_t)size || !CMSG_FIRSTHDR(&message))
        return -1;
    memcpy(&file, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof file);
    return file;
}

#define CHECK(condition)                                                                                                                   \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "importer: line %d: %s\n", __LINE__, #condition);                                                              \
            return 1;                                                                                                                      \
        }                                                                                                                                  \
    } while (0)

/* The other process. */
static int importer(int socket) {
    hipMemPoolPtrExportData data[2], bad;
    hipMemPool_t pool = NULL, plain = NULL;
    unsigned char *first = NULL, *second = NULL, *again = NULL;
    void *none = NULL;
    int file = receive_file(socket, data, sizeof data);
    CHECK(file >= 0);
    CHECK(hipMemPoolImportFromShareableHandle(&pool, (void *)(intptr_t)file, hipMemHandleTypePosixFileDescriptor, 0) == hipSuccess);
    CHECK(hipMemPoolImportFromShareableHandle(&plain, (void *)(intptr_t)socket, hipMemHandleTypePosixFileDescriptor, 0) ==
          hipErrorInvalidValue);
    CHECK(hipMemPoolImportFromShareableHandle(&plain, (void *)(intptr_t)file, hipMemHandleTypeWin32, 0) == hipErrorInvalidValue);
    CHECK(hipMemPoolImportFromShareableHandle(&plain, (void *)(intptr_t)file, hipMemHandleTypePosixFileDescriptor, 1) ==
          hipErrorInvalidValue);
    close(file); /* ours to close */
    hipMemLocation other = {hipMemLocationTypeDevice, 1};
    hipMemAccessFlags flags = hipMemAccessFlagsProtNone;
    int devices = 0;
    CHECK(hipGetDeviceCount(&devices) == hipSuccess);
    CHECK(devices < 2 || on_gpu() ||
          (hipMemPoolGetAccess(&flags, pool, &other) == hipSuccess && flags == hipMemAccessFlagsProtRead)); /* the exporter's */
    CHECK(hipMallocFromPoolAsync(&none, 64, pool, NULL) == hipErrorInvalidValue);
    CHECK(hipDeviceSetMemPool(0, pool) == hipErrorInvalidValue);
    CHECK(hipMemPoolImportPointer((void **)&first, pool, &data[0]) == hipSuccess);
    CHECK(hipMemPoolImportPointer((void **)&second, pool, &data[1]) == hipSuccess);
    CHECK(hipMemPoolImportPointer((void **)&again, pool, &data[1]) == hipSuccess);
    memset(&bad, 0, sizeof bad);
    CHECK(hipMemPoolImportPointer(&none, pool, &bad) == hipErrorInvalidValue);
    CHECK(hipMemPoolImportPointer(NULL, pool, &data[0]) == hipErrorInvalidValue);
    CHECK(hipMemPoolImportPointer(&none, pool, NULL) == hipErrorInvalidValue);
    hipMemPool_t current = NULL;
    CHECK(hipDeviceGetMemPool(&current, 0) == hipSuccess);
    CHECK(hipMemPoolImportPointer(&none, current, &data[0]) == hipErrorInvalidValue);
    hipMemPoolProps properties = props(hipMemHandleTypePosixFileDescriptor, 0);
    unsigned char *direct = NULL;
    CHECK(hipMemPoolCreate(&plain, &properties) == hipSuccess); /* one of this process's own, made to be shared */
    CHECK(hipMemPoolImportPointer((void **)&direct, plain, &data[0]) == hipSuccess);
    CHECK(hipMemPoolImportPointer(&none, plain, &bad) == hipErrorInvalidValue);
    memcpy(&bad, &data[0], sizeof bad);
    memset((char *)&bad + 40, 0xff, 8); /* no process and no file */
    CHECK(hipMemPoolImportPointer(&none, plain, &bad) == hipErrorInvalidValue);
    CHECK(direct[0] == 11 && direct[999] == 11);
    CHECK(hipMemset(direct, 55, 1000) == hipSuccess && first[999] == 55 && hipMemset(direct, 11, 1000) == hipSuccess);
    CHECK(hipFree(direct) == hipSuccess && hipMemPoolDestroy(plain) == hipSuccess);
    hipMemPoolPtrExportData onward;
    CHECK(hipMemPoolExportPointer(&onward, first) == hipErrorInvalidValue);
    int handle = -1;
    CHECK(hipMemPoolExportToShareableHandle(&handle, pool, hipMemHandleTypePosixFileDescriptor, 0) == hipErrorInvalidValue);
    CHECK(first[0] == 11 && first[999] == 11);
    CHECK(second[0] == 22 && second[(3 << 20) - 1] == 22);
    CHECK(hipMemset(first, 33, 1000) == hipSuccess);
    CHECK(hipMemset(first, 33, 1001) == hipErrorInvalidValue);
    second[7] = 44;
    CHECK(again[7] == 44);
    hipPointerAttribute_t attributes;
    CHECK(hipPointerGetAttributes(&attributes, second + 5) == hipSuccess && attributes.type == hipMemoryTypeDevice);
    hipStream_t stream = NULL;
    CHECK(hipStreamCreate(&stream) == hipSuccess);
    CHECK(hipFree(first) == hipSuccess);
    CHECK(hipFreeAsync(second, stream) == hipSuccess && hipStreamSynchronize(stream) == hipSuccess);
    CHECK(hipPointerGetAttributes(&attributes, second) == hipSuccess && attributes.type == hipMemoryTypeUnregistered);
    CHECK(hipMemPoolDestroy(pool) == hipSuccess); /* with one import left */
    CHECK(again[7] == 44);
    CHECK(hipFree(again) == hipSuccess);
    CHECK(write(socket, "done", 4) == 4);
    return 0;
}

static void test_sharing(void **state) {
    (void)state;
    hipMemPoolProps properties = props(hipMemHandleTypePosixFileDescriptor, 0);
    hipMemPool_t pool = NULL, plain = new_pool();
    hipMemPoolPtrExportData data[2];
    int file = -1, ends[2];
    char text[5] = "";
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    ok(hipMemPoolCreate(&pool, &properties));
    keep_all(pool);
    unsigned char *first = allocate(pool, 1000, NULL), *second = allocate(pool, 3 << 20, NULL), *local = allocate(plain, 64, NULL);
    ok(hipMemset(first, 11, 1000));
    ok(hipMemset(second, 22, 3 << 20));
    fails(hipErrorInvalidValue, hipMemPoolExportToShareableHandle(&file, plain, hipMemHandleTypePosixFileDescriptor, 0));
    fails(hipErrorInvalidValue, hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypeNone, 0));
    fails(hipErrorInvalidValue, hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypePosixFileDescriptor, 1));
    fails(hipErrorInvalidValue, hipMemPoolExportToShareableHandle(NULL, pool, hipMemHandleTypePosixFileDescriptor, 0));
    fails(hipErrorInvalidValue, hipMemPoolExportToShareableHandle(&file, NULL, hipMemHandleTypePosixFileDescriptor, 0));
    hipMemAccessDesc other = {{hipMemLocationTypeDevice, 1}, hipMemAccessFlagsProtRead};
    int devices = 0;
    ok(hipGetDeviceCount(&devices));
    if (devices > 1)
        ok(hipMemPoolSetAccess(pool, &other, 1));
    ok(hipMemPoolExportToShareableHandle(&file, pool, hipMemHandleTypePosixFileDescriptor, 0));
    fails(hipErrorInvalidValue, hipMemPoolExportPointer(&data[0], local));
    fails(hipErrorInvalidValue, hipMemPoolExportPointer(&data[0], NULL));
    fails(hipErrorInvalidValue, hipMemPoolExportPointer(NULL, first));
    fails(hipErrorInvalidValue, hipMemPoolExportPointer(&data[0], first + 1));
    ok(hipMemPoolExportPointer(&data[0], first));
    ok(hipMemPoolExportPointer(&data[1], second));
    pid_t child = fork();
    if (child == 0) {
        char name[16];
        snprintf(name, sizeof name, "%d", ends[1]);
        become_itself("import", name, NULL);
        _exit(9);
    }
    send_file(ends[0], file, data, sizeof data);
    close(ends[1]);
    assert_int_equal(read(ends[0], text, 4), 4);
    int status = -1;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(first[0], 33);
    assert_int_equal(second[7], 44);
    ok(hipFreeAsync(first, NULL));
    ok(hipFreeAsync(second, NULL));
    ok(hipFreeAsync(local, NULL));
    ok(hipDeviceSynchronize());
    ok(hipMemPoolTrimTo(pool, 0));
    assert_int_equal(figure(pool, hipMemPoolAttrReservedMemCurrent), 0);
    ok(hipMemPoolDestroy(pool));
    ok(hipMemPoolDestroy(plain));
    close(file);
    close(ends[0]);
}

int main(int count, char **arguments) {
    setenv("WAVELIFT_DEVICES", "2", 1);
    if (count == 3 && strcmp(arguments[1], "import") == 0)
        return importer(atoi(arguments[2]));
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_sharing)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
