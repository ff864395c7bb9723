/* Uses what differs between versions of glibc; each check names itself if it fails. (glibc.sh) */
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int constructed;
__attribute__((constructor)) static void construct(int argc, char **argv, char **environment) {
    constructed = argc == 2 && strcmp(argv[1], "argument") == 0 && environment[0] != NULL;
}
__attribute__((destructor)) static void destruct(void) { puts("destructor"); }

static void check(int right, const char *what) {
    if (right)
        return;
    printf("wrong: %s\n", what);
    fflush(stdout);
    _exit(1);
}

static void *thread(void *context) { return context; }

int main(int argc, char **argv) {
    pthread_t other;
    void *result = NULL;
    struct stat a, b;
    char bytes[8];
    int found = 0;
    check(constructed, "constructor");
    for (char **entry = environ; *entry; entry++)
        found |= strcmp(*entry, "NAME=value") == 0;
    check(found && setenv("OTHER", "1", 1) == 0 && environ[0], "environ");
    check(pthread_create(&other, NULL, thread, argv) == 0 && pthread_join(other, &result) == 0 && result == argv, "threads");
    check(dlsym(RTLD_DEFAULT, "malloc") != NULL, "dlsym");
    check(stat("/", &a) == 0 && fstatat(-1, "/", &b, 0) == 0 && a.st_ino == b.st_ino && S_ISDIR(a.st_mode), "stat");
    check(lstat("/nothing/of/the/kind", &a) == -1 && errno == ENOENT, "lstat");
    check(getrandom(bytes, sizeof bytes, 0) == (ssize_t)sizeof bytes, "getrandom");
    check(exp((double)argc - 2) == 1, "exp");
    check(gettid() == getpid(), "gettid");
    check(strcmp(strerrordesc_np(ENOENT), "No such file or directory") == 0, "strerrordesc_np");
    check(arc4random() != arc4random() || arc4random() != arc4random(), "arc4random");
    struct timespec until;
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    clock_gettime(CLOCK_MONOTONIC, &until);
    pthread_mutex_lock(&mutex);
    check(pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &until) == ETIMEDOUT, "pthread_cond_clockwait");
    return 0;
}
