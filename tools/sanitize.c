/* `wavelift sanitize`: runs a program with tools that find faults in its kernels. */
#include "commands.h"
#include "program.h"

#include "sanitize/names.h"
#include "sanitize/run.h"
#include "sanitize/suppress.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- options --------------------------------------------------------------------------------- */

/* Whether the text is a number from `least` to `most`. */
static bool is_number(const char *text, long least, long most) {
    char *end = NULL;
    errno = 0;
    long value = strtol(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && errno == 0 && value >= least && value <= most;
}

static int check_suppressions(const char *path) {
    struct wl_san_suppressions *suppressions;
    enum wl_status status = wl_san_suppressions_read(path, &suppressions);
    wl_san_suppressions_free(suppressions);
    return status == WL_OK ? 0 : wl_tool_usage(wl_failure());
}

/* Returns 0, or the exit status of wrong usage. */
static int check_options(const char *const *values) {
    const char *tools = values[WL_SANITIZE_TOOL];
    if (tools && !wl_san_tool_bits(tools, strlen(tools)))
        return wl_tool_usage("sanitize: --tool is a list of memcheck, racecheck, initcheck and synccheck, or all");
    if (values[WL_SANITIZE_FINDINGS] && !is_number(values[WL_SANITIZE_FINDINGS], 0, 1000000))
        return wl_tool_usage("sanitize: --max-findings is a number from 0 to 1000000");
    if (values[WL_SANITIZE_EXIT] && !is_number(values[WL_SANITIZE_EXIT], 0, 255))
        return wl_tool_usage("sanitize: --error-exitcode is a number from 0 to 255");
    return values[WL_SANITIZE_SUPPRESSIONS] ? check_suppressions(values[WL_SANITIZE_SUPPRESSIONS]) : 0;
}

static bool set_variables(const char *const *values) {
    const char *tools = values[WL_SANITIZE_TOOL];
    setenv("WAVELIFT_SANITIZE", tools && strcmp(tools, "*") != 0 ? tools : "all", 1);
    if (values[WL_SANITIZE_FINDINGS])
        setenv("WAVELIFT_SANITIZE_FINDINGS", values[WL_SANITIZE_FINDINGS], 1);
    if (values[WL_SANITIZE_LEAKS])
        setenv("WAVELIFT_SANITIZE_LEAKS", "on", 1);
    if (values[WL_SANITIZE_GENERATE])
        setenv("WAVELIFT_SANITIZE_GENERATE", "on", 1);
    if (values[WL_SANITIZE_KERNEL])
        setenv("WAVELIFT_SANITIZE_KERNEL", values[WL_SANITIZE_KERNEL], 1);
    if (values[WL_SANITIZE_ARCH])
        setenv("WAVELIFT_ARCH", values[WL_SANITIZE_ARCH], 1);
    return (!values[WL_SANITIZE_JSON] || wl_program_set_path("WAVELIFT_SANITIZE_JSON", values[WL_SANITIZE_JSON])) &&
           (!values[WL_SANITIZE_SUPPRESSIONS] || wl_program_set_path("WAVELIFT_SANITIZE_SUPPRESSIONS", values[WL_SANITIZE_SUPPRESSIONS]));
}

/* ---- the run's file -------------------------------------------------------------------------- */

/* Makes the file that the program's processes map. NULL: it cannot be made. */
static struct wl_san_run *make_run(char *path, size_t size) {
    const char *folder = getenv("TMPDIR");
    snprintf(path, size, "%s/wavelift-sanitize-XXXXXX", folder && *folder == '/' ? folder : "/tmp");
    int file = mkostemp(path, O_CLOEXEC);
    void *memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(struct wl_san_run)) == 0)
        memory = mmap(NULL, sizeof(struct wl_san_run), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) {
        fprintf(stderr, "wavelift: sanitize: %s: %s\n", path, strerror(errno));
        if (file >= 0)
            unlink(path);
    }
    if (file >= 0)
        close(file);
    if (memory == MAP_FAILED)
        return NULL;
    struct wl_san_run *run = memory;
    run->magic = WL_SAN_RUN_MAGIC;
    setenv("WAVELIFT_SANITIZE_RUN", path, 1);
    return run;
}

/* ---- the end --------------------------------------------------------------------------------- */

/* What processes that did not come to their end could not say. */
static void print_rest(const struct wl_san_run *run) {
    unsigned long long started = run->started, finished = run->finished;
    if (started == 0)
        fputs("wavelift: sanitize: the program has not used HIP\n", stderr);
    else if (finished < started)
        fprintf(stderr, "wavelift: sanitize: %llu of %llu processes ended early; %llu findings, %llu times in all\n", started - finished,
                started, (unsigned long long)run->findings, (unsigned long long)run->times);
}

int wl_command_sanitize(char **operands, const char *const *values) {
    char path[PATH_MAX];
    int status = check_options(values);
    if (status)
        return status;
    if (!operands[0])
        return wl_tool_usage("sanitize: no program is given");
    if (!set_variables(values))
        return wl_tool_fail("sanitize: the names of files cannot be made absolute");
    struct wl_san_run *run = make_run(path, sizeof path);
    if (!run)
        return 1;
    status = wl_program_run("sanitize", operands, NULL, NULL);
    unlink(path);
    if (status < 126 || run->started)
        print_rest(run);
    if (run->findings == 0)
        return status;
    return values[WL_SANITIZE_EXIT] ? (int)strtol(values[WL_SANITIZE_EXIT], NULL, 10) : 1;
}
