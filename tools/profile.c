/* `wavelift profile`: runs a program and tells what it did with HIP, and when. */
#include "profile.h"

#include "commands.h"
#include "program.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- while it runs ------------------------------------------------------------------------------- */

static void print_progress(void *context) {
    fprintf(stderr, "\rwavelift: profile: %llu launches ", (unsigned long long)wl_profile_look(context));
    fflush(stderr);
}

/* ---- what comes out ------------------------------------------------------------------------------ */

/* The files of the command line are opened before the program runs, so that a wrong name costs nobody a run. */
struct output {
    const char *path;
    FILE *file; /* NULL: not asked for */
};

static bool open_output(struct output *output, const char *path) {
    *output = (struct output){path, path ? fopen(path, "we") : NULL};
    if (path && !output->file)
        fprintf(stderr, "wavelift: profile: %s: %s\n", path, strerror(errno));
    return !path || output->file;
}

static bool close_output(struct output *output) {
    if (!output->file)
        return true;
    const bool failed = ferror(output->file);
    const bool ok = fclose(output->file) == 0 && !failed;
    if (!ok)
        fprintf(stderr, "wavelift: profile: %s cannot be written\n", output->path);
    return ok;
}

/* Everything that was asked for. Returns 0, or 1 with a message. */
static int tell(struct wl_profile *profile, const struct wl_profile_choice *choice, struct output *trace, struct output *json,
                struct output *csv) {
    struct wl_profile_summary summary;
    bool ok = wl_profile_read(profile) && wl_profile_summarize(profile, &summary);
    summary.choice = *choice;
    if (!ok)
        return 1;
    if (profile->process_count == 0)
        fputs("wavelift: profile: the program has not used HIP\n", stderr);
    else
        wl_profile_print(profile, &summary, stderr);
    if (json->file)
        wl_profile_write_json(profile, &summary, json->file);
    if (csv->file)
        wl_profile_write_csv(&summary, csv->file);
    if (trace->file)
        ok = wl_profile_write_trace(profile, trace->file);
    wl_profile_summary_free(&summary);
    return ok ? 0 : 1;
}

int wl_command_profile(char **operands, const char *const *values) {
    char path[PATH_MAX];
    struct output trace, json, csv;
    struct wl_profile profile;
    struct wl_profile_choice choice;
    if (!operands[0])
        return wl_tool_usage("profile: no program is given");
    if (!wl_profile_choose(&choice, values[WL_PROFILE_COUNTERS] ? values[WL_PROFILE_COUNTERS] : ""))
        return 2;
    choice.source = values[WL_PROFILE_SOURCE] != NULL;
    const bool opened[] = {open_output(&trace, values[WL_PROFILE_TRACE]), open_output(&json, values[WL_PROFILE_JSON]),
                           open_output(&csv, values[WL_PROFILE_CSV])};
    if (!opened[0] || !opened[1] || !opened[2] || !wl_profile_make(&profile, choice.count > 0 || choice.source, path, sizeof path))
        return 1;
    setenv("WAVELIFT_PROFILE_RUN", path, 1);
    if (values[WL_PROFILE_PERF])
        setenv("WAVELIFT_PERF", "on", 1);
    if (values[WL_PROFILE_ARCH])
        setenv("WAVELIFT_ARCH", values[WL_PROFILE_ARCH], 1);
    const bool terminal = isatty(STDERR_FILENO);
    int status = wl_program_run("profile", operands, terminal ? print_progress : NULL, &profile);
    if (terminal)
        fputs("\r\033[K", stderr);
    unlink(path);
    const int failed = tell(&profile, &choice, &trace, &json, &csv);
    const bool closed[] = {close_output(&trace), close_output(&json), close_output(&csv)};
    wl_profile_free(&profile);
    return status ? status : failed || !closed[0] || !closed[1] || !closed[2];
}
