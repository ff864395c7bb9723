#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

/* Reads what a process prints until it closes its end, or the time is over; false: it is. */
static bool read_all(int from, char *text, size_t size) {
    enum { LIMIT = 60 };
    struct timespec start, now;
    size_t length = 0;
    char rest[512];
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        struct pollfd wait = {from, POLLIN, 0};
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (now.tv_sec - start.tv_sec >= LIMIT)
            return false;
        if (poll(&wait, 1, 1000) <= 0)
            continue;
        bool fits = length < size - 1;
        ssize_t got = read(from, fits ? text + length : rest, fits ? size - 1 - length : sizeof rest);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        if (fits)
            text[length += (size_t)got] = 0;
    }
}

/* Whether a setting has the name that an entry of the environment has. */
static bool sets(const char *const *settings, const char *entry) {
    for (; settings && *settings; settings++)
        if (strncmp(*settings, entry, strcspn(*settings, "=") + 1) == 0)
            return true;
    return false;
}

/* The environment with the settings, to be freed; its entries are not copies. NULL: there is no memory. */
static const char **make_environment(const char *const *settings) {
    size_t count = 0;
    for (char **entry = environ; *entry; entry++)
        count++;
    for (const char *const *setting = settings; setting && *setting; setting++)
        count++;
    const char **made = calloc(count + 1, sizeof *made), **to = made;
    for (char **entry = environ; made && *entry; entry++)
        if (!sets(settings, *entry))
            *to++ = *entry;
    for (; made && settings && *settings; settings++)
        *to++ = *settings;
    return made;
}

int wl_process_run(const char *const *arguments, const char *const *settings, bool errors, char *text, size_t size) {
    posix_spawn_file_actions_t actions;
    pid_t process;
    int ends[2], status = 0;
    *text = 0;
    const char **environment = make_environment(settings);
    if (!environment || pipe2(ends, O_CLOEXEC) != 0) {
        free(environment);
        return -1;
    }
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    if (errors)
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    int error =
        posix_spawn(&process, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments, (char *const *)(uintptr_t)environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    close(ends[1]);
    if (!error) {
        if (!read_all(ends[0], text, size)) {
            (void)kill(process, SIGKILL);
            snprintf(text, size, "not done after a minute");
        }
        (void)waitpid(process, &status, 0);
    }
    close(ends[0]);
    if (error)
        return -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
