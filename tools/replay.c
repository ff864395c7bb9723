/* `wavelift record`: runs a program and writes its launches to a file. `wavelift replay`: runs such launches again. */
#include "commands.h"
#include "program.h"

#include "runtime/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

int wl_command_record(char **operands, const char *const *values) {
    if (!operands[0])
        return wl_tool_usage("record: no program is given");
    const char *file = values[WL_RECORD_OUT] ? values[WL_RECORD_OUT] : "wavelift.record";
    if (!wl_program_set_path("WAVELIFT_RECORD", file))
        return wl_tool_fail("record: the name of the file cannot be made absolute");
    if (values[WL_RECORD_KERNEL])
        setenv("WAVELIFT_RECORD_KERNEL", values[WL_RECORD_KERNEL], 1);
    if (values[WL_RECORD_ARCH])
        setenv("WAVELIFT_ARCH", values[WL_RECORD_ARCH], 1);
    setenv("WAVELIFT_TIER", "2", 1); /* what runs does not depend on when code is ready */
    const int status = unlink(file);
    if (status != 0 && errno != ENOENT)
        return wl_tool_fail("record: the file that is there cannot be replaced");
    const int result = wl_program_run("record", operands, NULL, NULL);
    if (access(file, R_OK) != 0)
        fputs("wavelift: record: no launch was recorded\n", stderr);
    return result;
}

/* ---- replay --------------------------------------------------------------------------------------------- */

static bool read_number(const char *text, uint64_t *number) {
    char *end = NULL;
    errno = 0;
    *number = strtoull(text, &end, 10);
    return *text >= '0' && *text <= '9' && !*end && errno == 0;
}

/* The replay's device is what the recorded one was. */
static bool set_variables(const char *file, const char *const *values) {
    struct wl_recording_header header;
    const int from = open(file, O_RDONLY | O_CLOEXEC);
    const bool read_it = from >= 0 && read(from, &header, sizeof header) == (ssize_t)sizeof header &&
                         memcmp(header.magic, WL_RECORDING_MAGIC, sizeof header.magic) == 0;
    if (from >= 0)
        close(from);
    if (!read_it)
        return false;
    header.arch[sizeof header.arch - 1] = 0;
    setenv("WAVELIFT_ARCH", header.arch, 1);
    setenv("WAVELIFT_DEVICES", "cpu", 1);
    setenv("WAVELIFT_TIER", "2", 0);
    unsetenv("WAVELIFT_RECORD");
    if (values[WL_REPLAY_SCHEDULE])
        setenv("WAVELIFT_SCHEDULE", values[WL_REPLAY_SCHEDULE], 1);
    return true;
}

/* ---- --reduce: the fewest workgroups with which a launch still ends with a fault ---- */

struct reduction {
    struct wl_replay replay;
    struct wl_replay_outcome *outcome; /* in memory that the processes share */
    unsigned tries;
};

enum { MOST_TRIES = 400 };

/* Runs these workgroups of the launch in a process of its own; 0: the launch as it is. */
static enum wl_replay_result try_workgroups(struct reduction *r, const uint64_t *workgroups, uint64_t count) {
    int status = 0;
    r->tries++;
    const pid_t process = fork();
    if (process == 0) {
        struct wl_replay replay = r->replay;
        const int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
        if (nothing >= 0)
            dup2(nothing, STDERR_FILENO);
        replay.outcome = r->outcome;
        replay.workgroups = count ? workgroups : NULL;
        replay.workgroup_count = count;
        replay.quiet = true;
        _exit((int)wl_replay_run(&replay));
    }
    if (process < 0 || waitpid(process, &status, 0) != process)
        return WL_REPLAY_IMPOSSIBLE;
    if (WIFSIGNALED(status))
        return WL_REPLAY_FAULT;
    return (enum wl_replay_result)WEXITSTATUS(status);
}

/* Leaves parts of the list out, as long as there is still a fault without them: halves at first, then smaller ones. */
static uint64_t reduce(struct reduction *r, uint64_t *list, uint64_t count) {
    uint64_t *rest = malloc(count * sizeof *rest);
    for (uint64_t part = count / 2; rest && part && r->tries < MOST_TRIES; part = part < count ? part : count) {
        bool fewer = false;
        for (uint64_t at = 0; at < count && count > 1 && r->tries < MOST_TRIES;) {
            const uint64_t out = count - at < part ? count - at : part;
            memcpy(rest, list, at * sizeof *list);
            memcpy(rest + at, list + at + out, (count - at - out) * sizeof *list);
            if (count > out && try_workgroups(r, rest, count - out) == WL_REPLAY_FAULT) {
                count -= out;
                memcpy(list, rest, count * sizeof *list);
                fewer = true;
            } else {
                at += out;
            }
        }
        if (!fewer)
            part /= 2;
    }
    free(rest);
    return count;
}

static int reduce_launch(struct reduction *r) {
    if (try_workgroups(r, NULL, 0) != WL_REPLAY_FAULT) {
        fputs("wavelift: replay: no launch ends with a fault: there is nothing to reduce\n", stderr);
        return 1;
    }
    r->replay.launch = r->outcome->launch;
    const uint64_t all = r->outcome->workgroups;
    uint64_t *list = malloc(all * sizeof *list);
    if (!list)
        return wl_tool_fail("out of memory");
    for (uint64_t i = 0; i < all; i++)
        list[i] = i;
    const uint64_t count = reduce(r, list, all);
    printf("launch %" PRIu64 " ends with a fault with %" PRIu64 " of %" PRIu64 " workgroups, found in %u runs:", r->replay.launch, count,
           all, r->tries);
    for (uint64_t i = 0; i < count && i < 32; i++)
        printf(" %" PRIu64, list[i]);
    puts(count > 32 ? " ..." : "");
    fflush(stdout);
    struct wl_replay last = r->replay;
    last.workgroups = list;
    last.workgroup_count = count;
    const enum wl_replay_result result = wl_replay_run(&last); /* with what it has to say */
    free(list);
    return result == WL_REPLAY_FAULT ? 0 : 1;
}

int wl_command_replay(char **operands, const char *const *values) {
    struct reduction r = {.replay = {.file = operands[0]}};
    if (!operands[0] || operands[1])
        return wl_tool_usage("replay: one file is wanted");
    if (values[WL_REPLAY_LAUNCH] && (!read_number(values[WL_REPLAY_LAUNCH], &r.replay.launch) || !r.replay.launch))
        return wl_tool_usage("replay: --launch is a number from 1");
    if (!set_variables(operands[0], values))
        return wl_tool_fail("replay: the file cannot be read, or is no recording");
    if (!values[WL_REPLAY_REDUCE])
        return (int)wl_replay_run(&r.replay);
    r.outcome = mmap(NULL, sizeof *r.outcome, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return r.outcome == MAP_FAILED ? wl_tool_fail("out of memory") : reduce_launch(&r);
}
