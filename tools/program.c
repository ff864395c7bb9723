#include "program.h"

#include "commands.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

bool wl_program_set_path(const char *variable, const char *path) {
    char *folder = *path == '/' ? NULL : getcwd(NULL, 0), *all = NULL;
    bool set = (*path == '/' || folder) && asprintf(&all, "%s%s%s", folder ? folder : "", folder ? "/" : "", path) >= 0;
    if (set)
        setenv(variable, all, 1);
    if (set)
        free(all);
    free(folder);
    return set;
}

static volatile sig_atomic_t program;

static void pass_on(int number) {
    if (program > 0)
        kill((pid_t)program, number);
}

/* Signals of the terminal reach the program by themselves; this process stays to tell the findings. */
static void set_signals(void) {
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    const struct sigaction action = {.sa_handler = pass_on, .sa_flags = SA_RESTART};
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

static void wait_for(pid_t child, int *status, void (*look)(void *context), void *context) {
    const struct timespec pause = {.tv_nsec = 200000000};
    pid_t ended;
    while (look && (ended = waitpid(child, status, WNOHANG)) <= 0 && (ended == 0 || errno == EINTR)) {
        look(context);
        nanosleep(&pause, NULL);
    }
    while (!look && waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
}

int wl_program_run(const char *command, char **operands, void (*look)(void *context), void *context) {
    const int passed[] = {SIGTERM, SIGHUP};
    sigset_t held, before;
    sigemptyset(&held);
    for (size_t i = 0; i < sizeof passed / sizeof *passed; i++)
        sigaddset(&held, passed[i]);
    sigprocmask(SIG_BLOCK, &held, &before);
    pid_t child = fork();
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        _exit(wl_command_exec(operands, (const char *const[]){[WL_RUN_ARCH] = NULL}));
    }
    program = (sig_atomic_t)child;
    set_signals();
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (child < 0)
        return wl_tool_fail(strerror(errno));
    int status = 0;
    wait_for(child, &status, look, context);
    program = 0;
    if (WIFSIGNALED(status))
        fprintf(stderr, "wavelift: %s: the program ended by signal %d (%s)\n", command, WTERMSIG(status), strsignal(WTERMSIG(status)));
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
