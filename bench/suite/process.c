/* Workers and other programs. */
#include "figures.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void fail(const char *format, ...) {
    va_list list;
    va_start(list, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, list);
    fputc('\n', stderr);
    va_end(list);
    exit(2);
}

double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static _Noreturn void become(char *const *command, const char *const *environment, const char *errors, int in, int out, int memory) {
    for (; *environment; environment++)
        putenv((char *)(uintptr_t)*environment);
    int log = errors ? open(errors, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644) : -1;
    dup2(in, 0);
    dup2(out, 1);
    if (log >= 0)
        dup2(log, 2);
    if (memory == 3) /* dup2 would leave it to be closed */
        fcntl(3, F_SETFD, 0);
    else if (memory >= 0)
        dup2(memory, 3);
    execv(command[0], command);
    _exit(127);
}

struct process start(char *const *command, const char *const *environment, const char *errors, int memory) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0 || pipe2(out, O_CLOEXEC) != 0)
        fail("pipe: %s", strerror(errno));
    signal(SIGPIPE, SIG_IGN);
    struct process process = {.pid = fork()};
    if (process.pid < 0)
        fail("fork: %s", strerror(errno));
    if (process.pid == 0)
        become(command, environment, errors, in[0], out[1], memory);
    close(in[0]);
    close(out[1]);
    process.to = fdopen(in[1], "w");
    process.from = fdopen(out[0], "r");
    if (!process.to || !process.from)
        fail("fdopen: %s", strerror(errno));
    return process;
}

int stop(struct process *process) {
    int status = -1;
    if (process->pid <= 0)
        return -1;
    fclose(process->to);
    waitpid(process->pid, &status, 0);
    fclose(process->from);
    *process = (struct process){0};
    return status;
}

bool ask(struct process *process, const char *send, char *line, size_t size, double seconds) {
    if (process->pid <= 0)
        return false;
    if (send && (fputs(send, process->to) < 0 || fflush(process->to) != 0))
        return false;
    struct pollfd ready = {.fd = fileno(process->from), .events = POLLIN};
    if (poll(&ready, 1, (int)(1e3 * seconds)) <= 0) { /* an answer is one line, written at once */
        kill(process->pid, SIGKILL);
        return false;
    }
    return fgets(line, (int)size, process->from) != NULL;
}
