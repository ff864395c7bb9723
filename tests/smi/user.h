/* Another process of a test that takes memory of device 1: the test's own program, with an argument. */
#ifndef SMI_USER_H
#define SMI_USER_H

#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MEBIBYTE = 1 << 20, USED = 5 * MEBIBYTE };

int hipSetDevice(int device);
int hipMalloc(void **memory, size_t size);

struct user {
    pid_t process;
    int to, from;
};

/* What the other process does: it takes memory, says so, and waits. Returns its exit status. */
static int use(void) {
    void *memory = NULL;
    if (hipSetDevice(1) != 0 || hipMalloc(&memory, USED) != 0)
        return 1;
    char byte = 1;
    return write(STDOUT_FILENO, &byte, 1) != 1 || read(STDIN_FILENO, &byte, 1) < 0;
}

/* Returns when it has the memory. */
static struct user begin_use(const char *program) {
    int to[2], from[2];
    char byte = 0;
    assert_true(pipe(to) == 0 && pipe(from) == 0);
    const pid_t process = fork();
    if (process == 0) {
        dup2(to[0], STDIN_FILENO);
        dup2(from[1], STDOUT_FILENO);
        execl(program, program, "use", (char *)NULL);
        _exit(1);
    }
    assert_int_equal(read(from[0], &byte, 1), 1);
    return (struct user){process, to[1], from[0]};
}

static void end_use(const struct user *user) {
    const char byte = 0;
    int status = 0;
    assert_int_equal(write(user->to, &byte, 1), 1);
    assert_int_equal(waitpid(user->process, &status, 0), user->process);
    assert_int_equal(status, 0);
}

#endif
