/* What a violated invariant does: in children, which end by it. Without WL_ASSERTS: nothing, and conditions are not evaluated. */
#include "base/assert.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

/* Runs `body` in a child. Returns its status; `said` receives what it wrote to stderr. */
static int run_in_child(void (*body)(void), char *said, size_t size) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
        (void)signal(SIGABRT, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        body();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t got; length + 1 < size && (got = read(ends[0], said + length, size - 1 - length)) > 0;)
        length += (size_t)got;
    said[length] = 0;
    close(ends[0]);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

/* With invariants on: the child aborts and says `text` with file, line and function. Without: it ends well and says nothing. */
static void check_dies(void (*body)(void), const char *text) {
    char said[4096];
    int status = run_in_child(body, said, sizeof said), line = 0;
#ifdef WL_ASSERTS
    const char *first = strstr(said, "wavelift: assert_test.c:");
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    assert_non_null(first);
    assert_int_equal(sscanf(first, "wavelift: assert_test.c:%d: ", &line), 1);
    assert_true(line > 1);
    assert_non_null(strstr(first, text));
#else
    (void)text, (void)line;
    assert_int_equal(status, 0);
    assert_string_equal(said, "");
#endif
}

static void check_lives(void (*body)(void)) {
    char said[4096];
    assert_int_equal(run_in_child(body, said, sizeof said), 0);
    assert_string_equal(said, "");
}

static void a_violated_one(void) {
    volatile int apples = 2;
    wl_assert(apples + apples == 5);
}

static void one_that_holds(void) {
    volatile int apples = 2;
    wl_assert(apples + apples == 4);
}

static void test_conditions(void **state) {
    (void)state;
    check_dies(a_violated_one, ": a_violated_one: violated: apples + apples == 5\n");
    check_lives(one_that_holds);
}

static void test_evaluated_where_they_are_on(void **state) {
    (void)state;
    int count = 0;
    wl_assert(++count > 0);
#ifdef WL_ASSERTS
    assert_int_equal(count, 1);
#else
    assert_int_equal(count, 0);
#endif
}

static void nobody_holds(void) { wl_assert_held(&mutex); }

static void it_is_held(void) {
    pthread_mutex_lock(&mutex);
    wl_assert_held(&mutex);
    pthread_mutex_unlock(&mutex);
    wl_assert_not_held(&mutex);
}

static void it_is_held_all_the_same(void) {
    pthread_mutex_lock(&mutex);
    wl_assert_not_held(&mutex);
}

static void *lock_both(void *argument) {
    pthread_mutex_lock(&mutex);
    pthread_rwlock_wrlock(&rwlock);
    return argument;
}

static void let_another_hold(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, lock_both, NULL);
    pthread_join(thread, NULL);
}

static void another_holds(void) {
    let_another_hold();
    wl_assert_not_held(&mutex);
    wl_assert_held(&mutex);
}

static void another_writes(void) {
    let_another_hold();
    wl_assert_write_held(&rwlock);
}

static void it_only_reads(void) {
    pthread_rwlock_rdlock(&rwlock);
    wl_assert_write_held(&rwlock);
}

static void it_writes(void) {
    pthread_rwlock_wrlock(&rwlock);
    wl_assert_write_held(&rwlock);
    pthread_rwlock_unlock(&rwlock);
}

static void test_locks(void **state) {
    (void)state;
    check_dies(nobody_holds, ": nobody_holds: violated: &mutex is held\n");
    check_lives(it_is_held);
    check_dies(it_is_held_all_the_same, ": it_is_held_all_the_same: violated: &mutex is not held\n");
    check_dies(another_holds, ": another_holds: violated: &mutex is held\n");
    check_dies(another_writes, ": another_writes: violated: &rwlock is held for writing\n");
    check_dies(it_only_reads, ": it_only_reads: violated: &rwlock is held for writing\n");
    check_lives(it_writes);
}

/* The thread's number is kept, and a forked child's is another. */
static void test_locks_of_a_child(void **state) {
    (void)state;
    it_is_held();
    check_lives(it_is_held);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions),
        cmocka_unit_test(test_evaluated_where_they_are_on),
        cmocka_unit_test(test_locks),
        cmocka_unit_test(test_locks_of_a_child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
