/* Forks beside threads that translate, load, launch and unload: the child, which has one thread, can use HIP on its own, but no
 * GPU, and the parent goes on. */
#include "api_test.h"

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { THREADS = 3, FORKS = 12, ITEMS = 1024 };

static atomic_bool stop;
static const char *failure; /* of a thread; written once */

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        if ((call) != hipSuccess) {                                                                                                        \
            failure = #call;                                                                                                               \
            return;                                                                                                                        \
        }                                                                                                                                  \
    } while (0)

/* Loads the module anew, so that its kernel is made ready anew, and runs it. */
static void load_and_run(hipStream_t stream, int *values) {
    hipModule_t module = NULL;
    hipFunction_t add = NULL;
    int one = 1, count = ITEMS;
    void *arguments[] = {&values, &one, &count};
    CHECK(hipModuleLoad(&module, API_TEST_OBJECT));
    CHECK(hipModuleGetFunction(&add, module, "add"));
    CHECK(hipModuleLaunchKernel(add, ITEMS / 64, 1, 1, 64, 1, 1, 0, stream, arguments, NULL));
    CHECK(hipStreamSynchronize(stream));
    CHECK(hipModuleUnload(module));
}

static void *keep_busy(void *unused) {
    (void)unused;
    hipStream_t stream = NULL;
    int *values = NULL;
    if (hipStreamCreate(&stream) != hipSuccess || hipHostMalloc((void **)&values, ITEMS * sizeof *values, 0) != hipSuccess)
        failure = "a thread's stream and memory";
    while (!failure && !atomic_load(&stop))
        load_and_run(stream, values);
    (void)hipHostFree(values);
    (void)hipStreamDestroy(stream);
    return NULL;
}

static int child(void) {
    int *values = NULL;
    alarm(PATIENCE); /* a lock that nobody will give back */
    failure = NULL;
    if (on_gpu()) /* which is the parent's */
        return hipHostMalloc((void **)&values, ITEMS * sizeof *values, 0) == hipErrorIllegalState ? 0 : 2;
    if (hipHostMalloc((void **)&values, ITEMS * sizeof *values, 0) != hipSuccess)
        return 2;
    memset(values, 0, ITEMS * sizeof *values);
    load_and_run(NULL, values);
    load_and_run(hipStreamPerThread, values);
    if (failure)
        return 3;
    for (int i = 0; i < ITEMS; i++)
        if (values[i] != 2)
            return 4;
    return hipHostFree(values) == hipSuccess ? 0 : 5;
}

static void test_forks(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    (void)on_gpu(); /* asked while there is one thread */
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, keep_busy, NULL), 0);
    for (int i = 0; i < FORKS; i++) {
        usleep(3000);
        pid_t process = fork();
        assert_true(process >= 0);
        if (process == 0)
            _exit(child());
        int status = -1;
        assert_int_equal(waitpid(process, &status, 0), process);
        if (status)
            fail_msg("fork %d: the child ended with %#x", i, (unsigned)status);
    }
    atomic_store(&stop, true);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    if (failure)
        fail_msg("%s", failure);
}

int main(void) {
    setenv("WAVELIFT_CACHE_SIZE", "0", 1); /* translate each time */
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_forks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
