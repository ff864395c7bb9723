/* The cache on disk, through whole processes: "cache_test child HASH" loads a module, launches its kernel with code from the
 * cache or the fake translator, and checks the result. */
#include "../itself.h"
#include "base/options.h"
#include "device/cpu/code/cache.h"
#include "harness.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[128], counter[160];

/* Exit status 0: right, without the translator in the process; 1: right, with it; else wrong. */
static int child(const char *hash) {
    static struct harness h;
    uint32_t out[64] = {0};
    void *pointer = out;
    harness_open(&h, "gfx90a", 9, 0, 10, 64);
    h.object.hash[1] = strtoull(hash, NULL, 10);
    harness_load(&h);
    h.launch.kernarg = &pointer;
    h.launch.kernarg_size = sizeof pointer;
    if (h.device->ops->prepare(h.function, h.launch.block, h.launch.remainder) != WL_OK || harness_run(&h) != WL_OK) {
        fprintf(stderr, "child: %s\n", wl_failure());
        return 2;
    }
    if (out[0] != 16 || out[4] != 96)
        return 3;
    char line[512];
    int translator = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps && fgets(line, sizeof line, maps))
        translator |= strstr(line, "wavelift-translate") != NULL;
    if (maps)
        fclose(maps);
    harness_close(&h);
    return translator;
}

static pid_t spawn(const char *hash) {
    pid_t pid = fork();
    if (pid == 0) {
        become_itself("child", hash, NULL);
        _exit(99);
    }
    return pid;
}

static int finish(pid_t pid) {
    int status;
    waitpid(pid, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

static int run_child(const char *hash) { return finish(spawn(hash)); }

static long translations(void) {
    struct stat status;
    return stat(counter, &status) == 0 ? (long)status.st_size : 0;
}

static int fresh(void **state) {
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/wavelift-cache-test-%d", getpid());
    snprintf(counter, sizeof counter, "%s/count", folder);
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (system(command) != 0 || mkdir(folder, 0700) != 0)
        return -1;
    snprintf(command, sizeof command, "%s/deep/er", folder);
    setenv("WAVELIFT_CACHE_DIR", command, 1);
    setenv("FAKE_COUNT", counter, 1);
    unsetenv("WAVELIFT_CACHE_SIZE");
    return 0;
}

static int clean(void **state) {
    (void)state;
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* Calls `each` with every file of the cache; returns how many there are. */
static unsigned each_entry(void (*each)(const char *path, void *context), void *context) {
    char path[600];
    unsigned count = 0;
    DIR *directory = opendir(getenv("WAVELIFT_CACHE_DIR"));
    for (struct dirent *e; directory && (e = readdir(directory));) {
        if (e->d_name[0] == '.' && strncmp(e->d_name, ".tmp", 4) != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", getenv("WAVELIFT_CACHE_DIR"), e->d_name);
        if (each)
            each(path, context);
        count++;
    }
    if (directory)
        closedir(directory);
    return count;
}

static void second_run_needs_no_translator(void **state) {
    (void)state;
    assert_int_equal(run_child("1"), 1);
    assert_int_equal(translations(), 1);
    assert_int_equal(run_child("1"), 0);
    assert_int_equal(run_child("1"), 0);
    assert_int_equal(translations(), 1);
    assert_int_equal(run_child("2"), 1); /* other content, other key */
    assert_int_equal(each_entry(NULL, NULL), 2);
}

static void many_processes_share(void **state) {
    enum { PROCESSES = 50 };
    pid_t pids[PROCESSES];
    (void)state;
    for (int i = 0; i < PROCESSES; i++)
        pids[i] = spawn(i % 2 ? "1" : "2");
    for (int i = 0; i < PROCESSES; i++)
        assert_in_range(finish(pids[i]), 0, 1);
    assert_int_equal(each_entry(NULL, NULL), 2);
    assert_int_equal(run_child("1"), 0);
    assert_int_equal(run_child("2"), 0);
}

struct damage {
    long at; /* -1: cut to half; -2: empty */
};

static void damage_file(const char *path, void *context) {
    const struct damage *d = context;
    struct stat status;
    int file = open(path, O_RDWR);
    assert_true(file >= 0);
    assert_int_equal(fstat(file, &status), 0);
    if (d->at < 0) {
        assert_int_equal(ftruncate(file, d->at == -1 ? status.st_size / 2 : 0), 0);
    } else {
        uint8_t byte;
        off_t at = d->at % status.st_size;
        assert_int_equal(pread(file, &byte, 1, at), 1);
        byte ^= 0x55;
        assert_int_equal(pwrite(file, &byte, 1, at), 1);
    }
    close(file);
}

static void damaged_entries_are_rebuilt(void **state) {
    static const long places[] = {0, 9, 20, 40, 60, 200, 1000, 3000, -1, -2};
    (void)state;
    assert_int_equal(run_child("1"), 1);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        struct damage damage = {places[i]};
        assert_int_equal(each_entry(damage_file, &damage), 1);
        long before = translations();
        assert_int_equal(run_child("1"), 1);
        assert_int_equal(translations(), before + 1);
        assert_int_equal(run_child("1"), 0);
    }
}

static void add_size(const char *path, void *context) {
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    *(long *)context += (long)status.st_size;
}

static void size_is_bounded(void **state) {
    long one = 0;
    char text[32];
    (void)state;
    assert_int_equal(run_child("1"), 1);
    each_entry(add_size, &one);
    snprintf(text, sizeof text, "%ld", one * 4 + 100);
    setenv("WAVELIFT_CACHE_SIZE", text, 1);
    for (int i = 2; i < 12; i++) {
        snprintf(text, sizeof text, "%d", i);
        assert_int_equal(run_child(text), 1);
        long total = 0;
        each_entry(add_size, &total);
        assert_in_range(total, one, one * 4 + 100);
    }
    assert_int_equal(run_child("11"), 0); /* the newest one stayed */
    setenv("WAVELIFT_CACHE_SIZE", "0", 1);
    assert_int_equal(run_child("11"), 1); /* no cache at all */
}

static void age_days(const char *path, void *context) {
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = time(NULL) - *(const long *)context * 86400}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void unused_entries_go(void **state) {
    long days = 181;
    (void)state;
    assert_int_equal(run_child("1"), 1);
    each_entry(age_days, &days);
    assert_int_equal(run_child("2"), 1); /* an entry is written */
    assert_int_equal(each_entry(NULL, NULL), 1);
    assert_int_equal(run_child("1"), 1);
    days = 179;
    each_entry(age_days, &days);
    assert_int_equal(run_child("3"), 1);
    assert_int_equal(each_entry(NULL, NULL), 3);
    assert_int_equal(run_child("1"), 0);
    assert_int_equal(run_child("2"), 0);
}

static void unusable_folder_is_no_error(void **state) {
    (void)state;
    setenv("WAVELIFT_CACHE_DIR", "/proc/nothing/here", 1);
    assert_int_equal(run_child("1"), 1);
}

/* A claim keeps others away until it is given up, or its process ends. */
static void claims_keep_others_away(void **state) {
    const struct wl_cache_key key = {{1, 2}}, other = {{5, 6}};
    int status;
    (void)state;
    const int claim = wl_cache_claim(&key);
    assert_true(claim >= 0);
    assert_int_equal(wl_cache_claim(&key), WL_CACHE_TAKEN);
    const int another = wl_cache_claim(&other);
    assert_true(another >= 0);
    wl_cache_unclaim(another);
    wl_cache_unclaim(claim);
    const pid_t pid = fork();
    if (pid == 0)
        _exit(wl_cache_claim(&key) < 0); /* it is not given up */
    assert_true(pid > 0 && waitpid(pid, &status, 0) == pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    const int again = wl_cache_claim(&key);
    assert_true(again >= 0);
    wl_cache_unclaim(again);
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "child") == 0)
        return child(argv[2]);
#define TEST(name) cmocka_unit_test_setup_teardown(name, fresh, clean)
    const struct CMUnitTest tests[] = {
        TEST(second_run_needs_no_translator),
        TEST(many_processes_share),
        TEST(damaged_entries_are_rebuilt),
        TEST(size_is_bounded),
        TEST(unused_entries_go),
        TEST(unusable_folder_is_no_error),
        TEST(claims_keep_others_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
