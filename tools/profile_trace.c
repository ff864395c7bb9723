/* A run as a trace: events of chrome://tracing's format, one a line. Threads of the host are threads of their processes; each device of a
 * process is shown as a process, whose threads are its streams. */
#include "profile.h"

#include "sanitize/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum { DEVICES_FROM = 1000000000, DEVICES_MOST = 64, LANES = 32 };

/* A stream of a device. Kernels of a graph may run beside each other: each lane is a line of the picture, on which nothing overlaps. */
struct track {
    uint32_t process, device, stream;
    unsigned lanes;
    uint64_t ends[LANES];
};

struct writer {
    const struct wl_profile *profile;
    FILE *out;
    struct track *tracks;
    size_t track_count;
    bool any; /* an event was written */
    bool failed;
};

static const char *const made[] = {
    [WL_TRACE_MADE_THREADED] = "threaded code", [WL_TRACE_MADE_NATIVE] = "native code", [WL_TRACE_MADE_CACHED] = "from the cache"};
static const char *const copies[] = {"copy, host to host", "copy, host to device", "copy, device to host", "copy, device to device"};

/* ---- pieces -------------------------------------------------------------------------------------- */

/* Microseconds, to the nanosecond. */
static double time_of(const struct writer *writer, uint64_t clock) { return wl_profile_time(writer->profile, clock) / 1e3; }

/* The beginning of an event, up to its place and time. */
static void begin(struct writer *writer, const char *phase, uint64_t process, uint64_t thread, uint64_t clock) {
    fprintf(writer->out, "%s{\"ph\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64 ",\"ts\":%.3f", writer->any ? ",\n" : "", phase, process,
            thread, time_of(writer, clock));
    writer->any = true;
}

static void name(const struct writer *writer, const char *category, const char *text) {
    fprintf(writer->out, ",\"cat\":\"%s\",\"name\":", category);
    wl_san_write_string(writer->out, text);
}

/* A piece of a line of the picture; the caller adds to it and closes it. */
static void slice(struct writer *writer, const struct wl_trace_record *record, uint64_t process, uint64_t thread, const char *category,
                  const char *text) {
    begin(writer, "X", process, thread, record->begin);
    fprintf(writer->out, ",\"dur\":%.3f", time_of(writer, record->end) - time_of(writer, record->begin));
    name(writer, category, text);
}

/* An end of the arrow from a call to what it asked for. */
static void arrow(struct writer *writer, bool end, uint64_t process, uint64_t thread, uint64_t clock, uint64_t number) {
    begin(writer, end ? "f" : "s", process, thread, clock);
    name(writer, "launch", "launch");
    fprintf(writer->out, ",\"id\":%" PRIu64 "%s}", number, end ? ",\"bp\":\"e\"" : "");
}

static void label(struct writer *writer, const char *what, uint64_t process, uint64_t thread, const char *text, const char *more) {
    begin(writer, "M", process, thread, writer->profile->clock[0]);
    fprintf(writer->out, ",\"name\":\"%s\",\"args\":{\"name\":", what);
    char *all = NULL;
    if (asprintf(&all, "%s%s", text, more) >= 0) {
        wl_san_write_string(writer->out, all);
        free(all);
    } else {
        fputs("\"\"", writer->out);
    }
    fputs("}}", writer->out);
}

/* ---- devices ------------------------------------------------------------------------------------- */

static uint64_t device_process(const struct writer *writer, uint32_t process, uint32_t device) {
    uint64_t index = 0;
    while (index < writer->profile->process_count && writer->profile->processes[index].id != process)
        index++;
    return DEVICES_FROM + index * DEVICES_MOST + device;
}

static const char *program_of(const struct writer *writer, uint32_t process) {
    for (size_t i = 0; i < writer->profile->process_count; i++)
        if (writer->profile->processes[i].id == process && writer->profile->processes[i].name)
            return wl_profile_name(writer->profile, writer->profile->processes[i].name);
    return "process";
}

static struct track *find_track(struct writer *writer, const struct wl_event *event) {
    const struct wl_trace_record *record = event->record;
    for (size_t i = 0; i < writer->track_count; i++) {
        struct track *track = &writer->tracks[i];
        if (track->process == event->process && track->device == record->device && track->stream == record->stream)
            return track;
    }
    struct track *tracks = realloc(writer->tracks, (writer->track_count + 1) * sizeof *tracks);
    if (!tracks) {
        writer->failed = true;
        return NULL;
    }
    writer->tracks = tracks;
    tracks[writer->track_count] = (struct track){.process = event->process, .device = record->device, .stream = record->stream};
    return &tracks[writer->track_count++];
}

/* The name that the program gave to a stream last; NULL: none. Another stream may have had its handle before. */
static const char *stream_name(const struct writer *writer, const struct track *track) {
    const struct wl_events *events = &writer->profile->streams;
    const struct wl_trace_record *made = NULL;
    const char *found = NULL;
    for (size_t i = 0; i < events->count; i++) {
        const struct wl_trace_record *record = events->events[i].record;
        if (events->events[i].process != track->process)
            continue;
        if (!record->name && record->device == track->device && record->stream == track->stream)
            made = record;
        else if (!record->name && made && record->bytes == made->bytes)
            made = NULL;
        else if (record->name && made && record->bytes == made->bytes)
            found = wl_profile_name(writer->profile, record->name);
    }
    return found;
}

static const char *device_name(const struct writer *writer, uint32_t process, uint32_t device) {
    const struct wl_events *events = &writer->profile->devices;
    const char *found = NULL;
    for (size_t i = 0; i < events->count; i++)
        if (events->events[i].process == process && events->events[i].record->device == device)
            found = wl_profile_name(writer->profile, events->events[i].record->name);
    return found;
}

/* The line of the picture on which the record has room: one that the stream's earlier work has left. */
static uint64_t lane_of(struct writer *writer, struct track *track, const struct wl_trace_record *record) {
    unsigned lane = 0;
    while (lane + 1 < LANES && lane < track->lanes && track->ends[lane] > record->begin)
        lane++;
    const uint64_t thread = (uint64_t)track->stream * LANES + lane;
    if (lane >= track->lanes) {
        char text[64];
        track->lanes = lane + 1;
        const char *given = stream_name(writer, track);
        const int length = snprintf(text, sizeof text, lane ? "stream %u (%u)" : "stream %u", track->stream, lane + 1);
        if (given)
            snprintf(text + length, sizeof text - (size_t)length, ": ");
        label(writer, "thread_name", device_process(writer, track->process, track->device), thread, text, given ? given : "");
    }
    track->ends[lane] = record->end;
    return thread;
}

/* A kernel, copy or fill: the slice without its closing brackets, and the arrow's end before it. */
static void work(struct writer *writer, const struct wl_event *event, const char *category, const char *text) {
    const struct wl_trace_record *record = event->record;
    struct track *track = find_track(writer, event);
    if (!track)
        return;
    const uint64_t process = device_process(writer, event->process, record->device), thread = lane_of(writer, track, record);
    if (record->correlation)
        arrow(writer, true, process, thread, record->begin, record->correlation);
    slice(writer, record, process, thread, category, text);
    fprintf(writer->out, ",\"args\":{\"correlation\":%" PRIu64, record->correlation);
    if (record->kind == WL_TRACE_KERNEL)
        fprintf(writer->out, ",\"grid\":\"%u x %u x %u\",\"block\":\"%u x %u x %u\",\"threads\":%u,\"code\":\"%s\"", record->kernel.grid[0],
                record->kernel.grid[1], record->kernel.grid[2], record->kernel.block[0], record->kernel.block[1], record->kernel.block[2],
                record->kernel.threads, record->detail ? "threaded" : "native");
    else
        fprintf(writer->out, ",\"bytes\":%" PRIu64, record->bytes);
    fputs("}}", writer->out);
}

/* ---- a trace ------------------------------------------------------------------------------------- */

static void write_work(struct writer *writer) {
    const struct wl_profile *profile = writer->profile;
    const struct wl_events *lists[] = {&profile->kernels, &profile->copies, &profile->fills};
    size_t at[3] = {0};
    for (;;) { /* in the order of their times, so that lanes are given in order */
        int first = -1;
        for (int i = 0; i < 3; i++)
            if (at[i] < lists[i]->count &&
                (first < 0 || lists[i]->events[at[i]].record->begin < lists[first]->events[at[first]].record->begin))
                first = i;
        if (first < 0)
            return;
        const struct wl_event *event = &lists[first]->events[at[first]++];
        if (first == 0)
            work(writer, event, "kernel", wl_profile_name(profile, event->record->name));
        else
            work(writer, event, first == 1 ? "copy" : "fill", first == 1 ? copies[event->record->detail] : "fill");
    }
}

static int by_number(const void *a, const void *b) {
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Numbers of calls that asked for work, in ascending order: from the others no arrow begins. */
static uint64_t *asked_for(const struct wl_profile *profile, size_t *count) {
    const struct wl_events *const lists[] = {&profile->kernels, &profile->copies, &profile->fills};
    uint64_t *numbers = malloc((profile->kernels.count + profile->copies.count + profile->fills.count + 1) * sizeof *numbers);
    *count = 0;
    for (int i = 0; numbers && i < 3; i++)
        for (size_t n = 0; n < lists[i]->count; n++)
            numbers[(*count)++] = lists[i]->events[n].record->correlation;
    if (numbers)
        qsort(numbers, *count, sizeof *numbers, by_number);
    return numbers;
}

static void write_calls(struct writer *writer) {
    const struct wl_profile *profile = writer->profile;
    size_t count = 0;
    uint64_t *numbers = asked_for(profile, &count);
    writer->failed |= !numbers;
    for (size_t i = 0; numbers && i < profile->calls.count; i++) {
        const struct wl_event *event = &profile->calls.events[i];
        const struct wl_trace_record *record = event->record;
        if (bsearch(&record->correlation, numbers, count, sizeof *numbers, by_number))
            arrow(writer, false, event->process, record->thread, record->begin, record->correlation);
        slice(writer, record, event->process, record->thread, "function", wl_profile_name(profile, record->name));
        fprintf(writer->out, ",\"args\":{\"correlation\":%" PRIu64 ",\"result\":%d}}", record->correlation, record->result);
    }
    free(numbers);
}

static void write_compilations(struct writer *writer) {
    const struct wl_profile *profile = writer->profile;
    for (size_t i = 0; i < profile->compilations.count; i++) {
        const struct wl_event *event = &profile->compilations.events[i];
        const struct wl_trace_record *record = event->record;
        slice(writer, record, event->process, record->thread, "code", wl_profile_name(profile, record->name));
        fprintf(writer->out, ",\"args\":{\"made\":\"%s\",\"instructions\":%u}}", made[record->detail], record->instructions);
    }
}

static void write_memory(struct writer *writer) {
    const struct wl_profile *profile = writer->profile;
    for (size_t i = 0; i < profile->memory_uses.count; i++) {
        const struct wl_event *event = &profile->memory_uses.events[i];
        begin(writer, "C", device_process(writer, event->process, event->record->device), 0, event->record->begin);
        fprintf(writer->out, ",\"name\":\"memory in use\",\"args\":{\"bytes\":%" PRIu64 "}}", event->record->bytes);
    }
}

static void write_ranges(struct writer *writer) {
    const struct wl_profile *profile = writer->profile;
    for (size_t i = 0; i < profile->ranges.count; i++) {
        const struct wl_event *event = &profile->ranges.events[i];
        const struct wl_trace_record *record = event->record;
        const char *text = wl_profile_name(profile, record->name);
        if (!record->correlation) { /* pushed and popped by a thread */
            slice(writer, record, event->process, record->thread, "range", text);
            putc('}', writer->out);
            continue;
        }
        for (int end = 0; end < 2; end++) { /* may overlap others, and end on another thread */
            begin(writer, end ? "e" : "b", event->process, record->thread, end ? record->end : record->begin);
            name(writer, "range", text);
            fprintf(writer->out, ",\"id\":%" PRIu64 "}", record->correlation);
        }
    }
    for (size_t i = 0; i < profile->marks.count; i++) {
        const struct wl_event *event = &profile->marks.events[i];
        begin(writer, "i", event->process, event->record->thread, event->record->begin);
        name(writer, "mark", wl_profile_name(profile, event->record->name));
        fputs(",\"s\":\"t\"}", writer->out);
    }
}

static void write_labels(struct writer *writer) {
    for (size_t i = 0; i < writer->profile->threads.count; i++) {
        const struct wl_event *event = &writer->profile->threads.events[i];
        label(writer, "thread_name", event->process, event->record->thread, wl_profile_name(writer->profile, event->record->name), "");
    }
    for (size_t i = 0; i < writer->profile->process_count; i++) {
        const uint32_t process = writer->profile->processes[i].id;
        bool shown[DEVICES_MOST] = {false};
        label(writer, "process_name", process, process, program_of(writer, process), "");
        for (size_t t = 0; t < writer->track_count; t++) {
            const struct track *track = &writer->tracks[t];
            if (track->process != process || track->device >= DEVICES_MOST || shown[track->device])
                continue;
            char text[64];
            shown[track->device] = true;
            const char *given = device_name(writer, process, track->device);
            snprintf(text, sizeof text, given ? "device %u: " : "device %u of ", track->device);
            label(writer, "process_name", device_process(writer, process, track->device), 0, text,
                  given ? given : program_of(writer, process));
        }
    }
}

bool wl_profile_write_trace(const struct wl_profile *profile, FILE *out) {
    struct writer writer = {.profile = profile, .out = out};
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", out);
    write_calls(&writer);
    write_work(&writer);
    write_compilations(&writer);
    write_memory(&writer);
    write_ranges(&writer);
    write_labels(&writer);
    fputs("\n]}\n", out);
    free(writer.tracks);
    return !writer.failed;
}
