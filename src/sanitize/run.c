#include "sanitize/run.h"

#include "base/options.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct wl_san_run *run;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void map_run(void) {
    const char *path = wl_options()->sanitize_run;
    struct stat status;
    if (!path)
        return;
    int file = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    void *memory = MAP_FAILED;
    if (file >= 0 && fstat(file, &status) == 0 && status.st_size == (off_t)sizeof *run)
        memory = mmap(NULL, sizeof *run, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (file >= 0)
        close(file);
    if (memory != MAP_FAILED && ((struct wl_san_run *)memory)->magic == WL_SAN_RUN_MAGIC) {
        run = memory;
        return;
    }
    if (memory != MAP_FAILED)
        munmap(memory, sizeof *run);
    fprintf(stderr, "wavelift: WAVELIFT_SANITIZE_RUN=%s is not a file of `wavelift sanitize`; ignored\n", path);
}

struct wl_san_run *wl_san_run(void) {
    pthread_once(&once, map_run);
    return run;
}
