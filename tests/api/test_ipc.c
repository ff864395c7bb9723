/* Memory between processes. The other process is this program again, told by its arguments what to do; it talks through its
 * standard input and output and exits with 0 if all it expected held. */
#include "../itself.h"
#include "api_test.h"

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

#define SIZE 100000

static int pattern(size_t i, int salt) { return (int)(i * 2654435761u) ^ salt; }

static void fill(void *memory, int salt) {
    int *words = malloc(SIZE);
    for (size_t i = 0; i < SIZE / 4; i++)
        words[i] = pattern(i, salt);
    poke(memory, words, SIZE);
    free(words);
}

/* The number of words that are not the pattern's. */
static int differences(const void *memory, int salt) {
    int *words = malloc(SIZE), count = 0;
    peek(words, memory, SIZE);
    for (size_t i = 0; i < SIZE / 4; i++)
        count += words[i] != pattern(i, salt);
    free(words);
    return count;
}

/* The least size of memory that is shared by descriptor. */
static size_t piece_size(void) {
    const hipMemAllocationProp prop = {.type = hipMemAllocationTypePinned, .location = {hipMemLocationTypeDevice, 0}};
    size_t size = 0;
    if (hipMemGetAllocationGranularity(&size, &prop, hipMemAllocationGranularityMinimum) != hipSuccess)
        return 8192;
    return size < 8192 ? 8192 : size;
}

/* ---- the other process ------------------------------------------------------------------------------ */

static void must_read(void *to, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = read(STDIN_FILENO, (char *)to + done, size - done);
        if (count <= 0)
            _exit(70);
        done += (size_t)count;
    }
}

static void must_write(const void *from, size_t size) {
    if (write(STDOUT_FILENO, from, size) != (ssize_t)size)
        _exit(71);
}

#define CHECK(condition)                                                                                                                   \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            fprintf(stderr, "other process, line %d: %s\n", __LINE__, #condition);                                                         \
            return 1;                                                                                                                      \
        }                                                                                                                                  \
    } while (0)

/* Opens the handle it is given, checks the pattern of salt 1, writes that of salt 2. */
static int use_handle(void) {
    hipIpcMemHandle_t handle;
    void *memory = NULL, *again = NULL;
    hipDeviceptr_t base = NULL;
    hipPointerAttribute_t attributes;
    size_t size = 0;
    must_read(&handle, sizeof handle);
    CHECK(hipIpcOpenMemHandle(&memory, handle, hipIpcMemLazyEnablePeerAccess) == hipSuccess);
    int *ints = memory, *copy = malloc(SIZE);
    peek(copy, memory, SIZE);
    for (size_t i = 0; i < SIZE / 4; i++)
        CHECK(copy[i] == pattern(i, 1));
    CHECK(hipMemGetAddressRange(&base, &size, memory) == hipSuccess && base == memory &&
          (on_gpu() ? size >= SIZE : size == SIZE)); /* a driver tells what it allocated */
    CHECK(hipPointerGetAttributes(&attributes, memory) == hipSuccess && attributes.type == hipMemoryTypeDevice);
    CHECK(hipFree(memory) == hipErrorInvalidValue);
    CHECK(hipIpcOpenMemHandle(&again, handle, hipIpcMemLazyEnablePeerAccess) == hipSuccess && again == memory);
    CHECK(hipIpcCloseMemHandle(again) == hipSuccess);
    for (size_t i = 0; i < SIZE / 4; i++)
        copy[i] = pattern(i, 2);
    poke(memory, copy, SIZE);
    free(copy);
    CHECK(hipMemcpy(ints, ints, 0, hipMemcpyDefault) == hipSuccess);
    CHECK(hipMemset((char *)memory + size, 0, 1) != hipSuccess);
    hipIpcMemHandle_t mine;
    CHECK(hipIpcGetMemHandle(&mine, memory) == hipErrorInvalidValue);
    CHECK(hipIpcCloseMemHandle(memory) == hipSuccess);
    CHECK(hipIpcCloseMemHandle(memory) == hipErrorInvalidValue);
    return 0;
}

/* Opens, says so, waits until the owner has freed it, and goes on using it. */
static int outlive_owner(void) {
    hipIpcMemHandle_t handle;
    void *memory = NULL;
    char go = 0;
    must_read(&handle, sizeof handle);
    CHECK(hipIpcOpenMemHandle(&memory, handle, hipIpcMemLazyEnablePeerAccess) == hipSuccess);
    must_write("o", 1);
    must_read(&go, 1);
    const int one = 1;
    CHECK(int_at((int *)memory + 5) == pattern(5, 1));
    poke((int *)memory + 5, &one, sizeof one);
    CHECK(hipIpcCloseMemHandle(memory) == hipSuccess);
    return 0;
}

/* Shares its own memory and waits to be killed. */
static int share(void) {
    hipIpcMemHandle_t handle;
    void *memory = NULL;
    CHECK(hipMalloc(&memory, SIZE) == hipSuccess);
    fill(memory, 3);
    CHECK(hipIpcGetMemHandle(&handle, memory) == hipSuccess);
    must_write(&handle, sizeof handle);
    CHECK(hipIpcGetMemHandle(&handle, (char *)memory + 4000) == hipSuccess); /* an address inside it */
    must_write(&handle, sizeof handle);
    for (;;)
        pause();
}

/* Maps the memory behind the inherited descriptor. */
static int use_descriptor(int file) {
    hipMemGenericAllocationHandle_t handle = NULL;
    hipMemAccessDesc desc = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    const size_t size = piece_size();
    void *memory = NULL;
    CHECK(hipMemImportFromShareableHandle(&handle, (void *)(intptr_t)file, hipMemHandleTypePosixFileDescriptor) == hipSuccess);
    CHECK(hipMemAddressReserve(&memory, size, 0, NULL, 0) == hipSuccess);
    CHECK(hipMemMap(memory, size, 0, handle, 0) == hipSuccess);
    CHECK(hipMemSetAccess(memory, size, &desc, 1) == hipSuccess);
    CHECK(int_at((int *)memory + 2000) == 77);
    const int changed = 78;
    poke((int *)memory + 2000, &changed, sizeof changed);
    return 0;
}

static int other_process(const char *role, const char *argument) {
    if (strcmp(role, "use") == 0)
        return use_handle();
    if (strcmp(role, "outlive") == 0)
        return outlive_owner();
    if (strcmp(role, "descriptor") == 0)
        return use_descriptor(atoi(argument));
    return share();
}

/* ---- starting it ------------------------------------------------------------------------------------- */

struct other {
    pid_t process;
    int to, from;
};

static struct other start(const char *role, const char *argument) {
    int in[2], out[2];
    struct other other;
    posix_spawn_file_actions_t actions;
    struct itself again;
    itself(&again, (const char *const[]){role, argument, NULL});
    assert_int_equal(pipe(in) | pipe(out), 0);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    const int all[] = {in[0], in[1], out[0], out[1]};
    for (int i = 0; i < 4; i++)
        posix_spawn_file_actions_addclose(&actions, all[i]);
    assert_int_equal(posix_spawn(&other.process, again.words[0], &actions, NULL, again.words, environ), 0);
    posix_spawn_file_actions_destroy(&actions);
    close(in[0]);
    close(out[1]);
    other.to = in[1];
    other.from = out[0];
    return other;
}

static void tell(const struct other *other, const void *bytes, size_t size) {
    assert_int_equal(write(other->to, bytes, size), (ssize_t)size);
}

static void hear(const struct other *other, void *bytes, size_t size) {
    for (size_t done = 0; done < size;) {
        ssize_t count = read(other->from, (char *)bytes + done, size - done);
        assert_true(count > 0);
        done += (size_t)count;
    }
}

static int finish(const struct other *other) {
    int status = -1;
    close(other->to);
    close(other->from);
    assert_int_equal(waitpid(other->process, &status, 0), other->process);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

static char *filled(int salt) {
    void *memory = NULL;
    ok(hipMalloc(&memory, SIZE));
    fill(memory, salt);
    return memory;
}

static unsigned descriptors(void) {
    unsigned count = 0;
    DIR *folder = opendir("/proc/self/fd");
    assert_non_null(folder);
    while (readdir(folder))
        count++;
    closedir(folder);
    return count;
}

/* ---- tests ------------------------------------------------------------------------------------------- */

static void test_share(void **state) {
    (void)state;
    unsigned before = descriptors();
    char *memory = filled(1);
    hipIpcMemHandle_t handle, same;
    ok(hipIpcGetMemHandle(&handle, memory));
    assert_int_equal(differences(memory, 1), 0); /* moving the pages kept the contents */
    ok(hipIpcGetMemHandle(&same, memory));
    assert_memory_equal(&handle, &same, sizeof handle);
    struct other other = start("use", NULL);
    tell(&other, &handle, sizeof handle);
    assert_int_equal(finish(&other), 0);
    assert_int_equal(differences(memory, 2), 0);
    ok(hipFree(memory));
    assert_true(on_gpu() || descriptors() == before); /* a driver opens its own */
}

static void test_owner_dies(void **state) {
    (void)state;
    void *memory = NULL;
    hipIpcMemHandle_t handle;
    struct other owner = start("share", NULL);
    hipIpcMemHandle_t inside;
    void *middle = NULL;
    hear(&owner, &handle, sizeof handle);
    hear(&owner, &inside, sizeof inside);
    ok(hipIpcOpenMemHandle(&memory, handle, hipIpcMemLazyEnablePeerAccess));
    ok(hipIpcOpenMemHandle(&middle, inside, hipIpcMemLazyEnablePeerAccess));
    assert_ptr_equal(middle, (char *)memory + 4000);
    ok(hipIpcCloseMemHandle(middle));
    assert_int_equal(int_at((int *)memory + SIZE / 4 - 1), pattern(SIZE / 4 - 1, 3));
    kill(owner.process, SIGKILL);
    assert_int_equal(finish(&owner), 1000 + SIGKILL);
    assert_int_equal(int_at((int *)memory + 7), pattern(7, 3)); /* the owner is dead; the memory is not */
    void *second = NULL;
    ok(hipIpcOpenMemHandle(&second, handle, hipIpcMemLazyEnablePeerAccess)); /* it is mapped here */
    assert_ptr_equal(memory, second);
    ok(hipIpcCloseMemHandle(memory));
    assert_int_equal(int_at((int *)memory + 7), pattern(7, 3));
    ok(hipIpcCloseMemHandle(memory));
    fails(hipErrorInvalidDevicePointer, hipIpcOpenMemHandle(&memory, handle, hipIpcMemLazyEnablePeerAccess));
}

static void test_freed_by_owner(void **state) {
    (void)state;
    if (on_gpu()) /* the driver leaves it undefined */
        skip();
    char *memory = filled(1), said = 0;
    hipIpcMemHandle_t handle;
    ok(hipIpcGetMemHandle(&handle, memory));
    struct other other = start("outlive", NULL);
    tell(&other, &handle, sizeof handle);
    hear(&other, &said, 1);
    ok(hipFree(memory));
    void *reused = filled(4); /* the freed pages are not handed out again while they are shared */
    tell(&other, "g", 1);
    assert_int_equal(finish(&other), 0);
    assert_int_equal(int_at((int *)reused + 5), pattern(5, 4));
    ok(hipFree(reused));
}

static void test_descriptor(void **state) {
    (void)state;
    hipMemAllocationProp prop;
    hipMemGenericAllocationHandle_t handle = NULL;
    hipMemAccessDesc desc = {{hipMemLocationTypeDevice, 0}, hipMemAccessFlagsProtReadWrite};
    const size_t size = piece_size();
    void *memory = NULL;
    int file = -1;
    char text[16];
    memset(&prop, 0, sizeof prop);
    prop.type = hipMemAllocationTypePinned;
    prop.requestedHandleType = hipMemHandleTypePosixFileDescriptor;
    prop.location.type = hipMemLocationTypeDevice;
    ok(hipMemCreate(&handle, size, &prop, 0));
    ok(hipMemAddressReserve(&memory, size, 0, NULL, 0));
    ok(hipMemMap(memory, size, 0, handle, 0));
    ok(hipMemSetAccess(memory, size, &desc, 1));
    const int first = 77;
    poke((int *)memory + 2000, &first, sizeof first);
    ok(hipMemExportToShareableHandle(&file, handle, hipMemHandleTypePosixFileDescriptor, 0));
    int inherited = dup(file);
    snprintf(text, sizeof text, "%d", inherited);
    struct other other = start("descriptor", text);
    assert_int_equal(finish(&other), 0);
    assert_int_equal(int_at((int *)memory + 2000), 78);
    close(inherited);
    close(file);
    ok(hipMemUnmap(memory, size));
    ok(hipMemRelease(handle));
    ok(hipMemAddressFree(memory, size));
}

static void test_errors(void **state) {
    (void)state;
    char *memory = filled(1), local = 0;
    void *host = NULL, *managed = NULL, *opened = NULL;
    hipIpcMemHandle_t handle, wrong;
    ok(hipHostMalloc(&host, 64, 0));
    ok(hipMallocManaged(&managed, 64, hipMemAttachGlobal));
    fails(hipErrorInvalidValue, hipIpcGetMemHandle(NULL, memory));
    fails(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, NULL));
    fails(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, &local));
    fails(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, host));
    fails(hipErrorInvalidValue, hipIpcGetMemHandle(&handle, managed));
    ok(hipIpcGetMemHandle(&handle, memory + 100));
    fails(hipErrorInvalidContext, hipIpcOpenMemHandle(&opened, handle, hipIpcMemLazyEnablePeerAccess)); /* this process's own */
    fails(hipErrorInvalidValue, hipIpcOpenMemHandle(NULL, handle, hipIpcMemLazyEnablePeerAccess));
    fails(hipErrorInvalidValue, hipIpcOpenMemHandle(&opened, handle, 2));
    fails(hipErrorInvalidContext, hipIpcOpenMemHandle(&opened, handle, 0)); /* the flag's value in HIP 5's headers */
    memset(&wrong, 0x5a, sizeof wrong);
    fails(hipErrorInvalidDevicePointer, hipIpcOpenMemHandle(&opened, wrong, hipIpcMemLazyEnablePeerAccess));
    memset(&wrong, 0, sizeof wrong);
    fails(hipErrorInvalidValue, hipIpcOpenMemHandle(&opened, wrong, hipIpcMemLazyEnablePeerAccess));
    fails(hipErrorInvalidValue, hipIpcCloseMemHandle(NULL));
    fails(hipErrorInvalidValue, hipIpcCloseMemHandle(&local));
    fails(hipErrorInvalidValue, hipIpcCloseMemHandle(memory));
    ok(hipFree(memory));
    fails(on_gpu() ? hipErrorInvalidContext : hipErrorInvalidDevicePointer,
          hipIpcOpenMemHandle(&opened, handle, hipIpcMemLazyEnablePeerAccess)); /* freed: nobody's any more */
    ok(hipHostFree(host));
    ok(hipFree(managed));
}

/* Allocating, sharing and freeing from many threads leaves no descriptor and no memory behind. */
static void *hammer(void *argument) {
    unsigned seed = *(unsigned *)argument;
    for (int step = 0; step < 30; step++) {
        seed = seed * 1664525u + 1013904223u;
        size_t size = 1 + (seed >> 8) % 50000;
        unsigned char *memory = NULL;
        hipIpcMemHandle_t handle;
        ok(hipMalloc((void **)&memory, size));
        ok(hipMemset(memory, (int)(seed >> 24), size));
        ok(hipIpcGetMemHandle(&handle, memory));
        assert_int_equal(byte_at(memory + size - 1), seed >> 24);
        ok(hipFree(memory));
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[64];
    unsigned seeds[64], before = descriptors();
    for (unsigned i = 0; i < 64; i++) {
        seeds[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < 64; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(descriptors(), before);
}

int main(int argc, char **argv) {
    if (argc > 1)
        return other_process(argv[1], argc > 2 ? argv[2] : "");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_share),      cmocka_unit_test(test_owner_dies), cmocka_unit_test(test_freed_by_owner),
        cmocka_unit_test(test_descriptor), cmocka_unit_test(test_errors),     cmocka_unit_test(test_threads),
    };
    signal(SIGPIPE, SIG_IGN);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
