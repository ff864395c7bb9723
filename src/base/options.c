#include "base/options.h"

#include "base/cpu.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wl_options options = {.cache_size = UINT64_C(1) << 30, .log = 1, .sanitize_findings = 100};
static pthread_once_t options_once = PTHREAD_ONCE_INIT;

static const char *text_option(const char *name) {
    const char *value = getenv(name); /* NOLINT(concurrency-mt-unsafe): read once, under pthread_once */
    return value && *value ? value : NULL;
}

/* A number with an optional K, M or G; a value that is not one, or out of range, is reported and ignored. */
static uint64_t number_option(const char *name, uint64_t fallback, uint64_t least, uint64_t most) {
    const char *text = text_option(name);
    if (!text)
        return fallback;
    char *end = NULL;
    unsigned long long value = strtoull(text, &end, 10);
    unsigned shift = 0;
    switch (*end) {
    case 'K':
    case 'k':
        shift = 10;
        end++;
        break;
    case 'M':
    case 'm':
        shift = 20;
        end++;
        break;
    case 'G':
    case 'g':
        shift = 30;
        end++;
        break;
    default:
        break;
    }
    if (end == text || *end || value > most >> shift || (value <<= shift) < least) {
        fprintf(stderr, "wavelift: %s=%s is not a number from %llu to %llu; ignored\n", name, text, (unsigned long long)least,
                (unsigned long long)most);
        return fallback;
    }
    return value;
}

static const char *cpu_option(void) {
    const char *value = text_option("WAVELIFT_CPU");
    if (!value)
        return NULL;
    const struct wl_cpu *cpu = wl_cpu_find(value);
    if (cpu && cpu->level <= wl_cpu_host_level())
        return cpu->name;
    if (cpu)
        fprintf(stderr, "wavelift: WAVELIFT_CPU=%s has more than this machine; ignored\n", value);
    else
        fprintf(stderr, "wavelift: WAVELIFT_CPU=%s is none of %s; ignored\n", value, wl_cpu_names());
    return NULL;
}

/* One of two words; `second` is what the option chooses. */
static bool choice_option(const char *name, const char *first, const char *second) {
    const char *value = text_option(name);
    if (value && strcmp(value, first) != 0 && strcmp(value, second) != 0)
        fprintf(stderr, "wavelift: %s=%s is neither %s nor %s; ignored\n", name, value, first, second);
    return value && !strcmp(value, second);
}

static void math_option(void) {
    const char *value = text_option("WAVELIFT_MATH");
    options.exact_math = value && !strcmp(value, "exact");
    options.hardware_math = value && !strcmp(value, "hardware");
    if (value && !options.exact_math && !options.hardware_math && strcmp(value, "fast") != 0)
        fprintf(stderr, "wavelift: WAVELIFT_MATH=%s is none of fast, exact and hardware; ignored\n", value);
}

#define MAX_DEVICES 64

/* One entry of the list of devices: "cuda", "cpu:2". `*text` moves behind it and its comma. */
static bool read_wish(const char **text, struct wl_device_wish *wish) {
    const char *at = *text;
    wish->cuda = strncmp(at, "cuda", 4) == 0;
    wish->count = UINT_MAX;
    if (!wish->cuda && strncmp(at, "cpu", 3) != 0)
        return false;
    at += wish->cuda ? 4 : 3;
    if (*at == ':') {
        char *end = NULL;
        unsigned long count = at[1] >= '0' && at[1] <= '9' ? strtoul(at + 1, &end, 10) : 0;
        if (count < 1 || count > MAX_DEVICES)
            return false;
        wish->count = (unsigned)count;
        at = end;
    }
    if (*at && (*at != ',' || !at[1]))
        return false;
    *text = *at ? at + 1 : at;
    return true;
}

static bool read_wishes(const char *text) {
    const unsigned capacity = sizeof options.devices / sizeof *options.devices;
    for (options.device_wishes = 0; *text && options.device_wishes < capacity; options.device_wishes++)
        if (!read_wish(&text, &options.devices[options.device_wishes]))
            return false;
    return *text == 0;
}

static void read_devices(void) {
    const char *text = text_option("WAVELIFT_DEVICES");
    char *end = NULL;
    unsigned long count = text && *text >= '0' && *text <= '9' ? strtoul(text, &end, 10) : 0;
    if (end && !*end && count >= 1 && count <= MAX_DEVICES) {
        options.devices[0] = (struct wl_device_wish){.count = (unsigned)count};
        options.device_wishes = 1;
        return;
    }
    if (text && read_wishes(text))
        return;
    if (text)
        fprintf(stderr, "wavelift: WAVELIFT_DEVICES=%s is neither a number from 1 to %d nor a list of cuda and cpu; ignored\n", text,
                MAX_DEVICES);
    options.default_devices = !text;
    read_wishes("cuda,cpu");
}

/* A list of names, or "all": bit n stands for the n-th of them. */
static unsigned tools_option(const char *name) {
    static const char *const tools[] = {"memcheck", "racecheck", "initcheck", "synccheck"};
    const unsigned count = sizeof tools / sizeof *tools;
    unsigned chosen = 0;
    for (const char *at = text_option(name), *end; at; at = *end ? end + 1 : NULL) {
        end = strchrnul(at, ',');
        const size_t length = (size_t)(end - at);
        unsigned found = length == 3 && !strncmp(at, "all", 3) ? (1u << count) - 1 : 0;
        for (unsigned i = 0; i < count; i++)
            if (length == strlen(tools[i]) && !strncmp(at, tools[i], length))
                found = 1u << i;
        if (!found)
            fprintf(stderr, "wavelift: %s: %.*s is none of memcheck, racecheck, initcheck, synccheck and all; ignored\n", name, (int)length,
                    at);
        chosen |= found;
    }
    return chosen;
}

static void schedule_option(void) {
    const char *text = text_option("WAVELIFT_SCHEDULE");
    if (!text || strcmp(text, "in-order") == 0)
        return;
    char *end = NULL;
    errno = 0;
    const unsigned long long seed = strncmp(text, "random:", 7) == 0 && text[7] >= '0' && text[7] <= '9' ? strtoull(text + 7, &end, 10) : 0;
    if (!end || *end || errno) {
        fprintf(stderr, "wavelift: WAVELIFT_SCHEDULE=%s is neither in-order nor random:SEED; ignored\n", text);
        return;
    }
    options.random_schedule = true;
    options.schedule = seed;
}

static bool read_positive(const char **text, double *value) {
    char *end = NULL;
    *value = **text >= '0' && **text <= '9' ? strtod(*text, &end) : 0;
    const bool good = end && *value >= 0 && *value <= 1e9;
    if (good)
        *text = end;
    return good;
}

static void link_option(void) {
    const char *text = text_option("WAVELIFT_LINK"), *at = text;
    double bandwidth = 0, latency = 0;
    if (!text)
        return;
    bool good = read_positive(&at, &bandwidth) && bandwidth > 0;
    if (good && *at == ',') {
        at++;
        good = read_positive(&at, &latency);
    }
    if (!good || *at) {
        fprintf(stderr, "wavelift: WAVELIFT_LINK=%s is not a number of GB/s, or one and a number of microseconds; ignored\n", text);
        return;
    }
    options.link_bandwidth = bandwidth;
    options.link_latency = latency;
}

static void read_options(void) {
    options.arch = text_option("WAVELIFT_ARCH");
    read_devices();
    options.threads = (unsigned)number_option("WAVELIFT_THREADS", options.threads, 0, 4096);
    options.cache_size = number_option("WAVELIFT_CACHE_SIZE", options.cache_size, 0, UINT64_C(1) << 50);
    options.cache_dir = text_option("WAVELIFT_CACHE_DIR");
    options.log = (unsigned)number_option("WAVELIFT_LOG", options.log, 0, 9);
    options.tier = (unsigned)number_option("WAVELIFT_TIER", options.tier, 0, 2);
    options.sanitize = tools_option("WAVELIFT_SANITIZE");
    options.sanitize_json = text_option("WAVELIFT_SANITIZE_JSON");
    options.sanitize_suppressions = text_option("WAVELIFT_SANITIZE_SUPPRESSIONS");
    options.sanitize_kernel = text_option("WAVELIFT_SANITIZE_KERNEL");
    options.sanitize_run = text_option("WAVELIFT_SANITIZE_RUN");
    options.sanitize_findings = (unsigned)number_option("WAVELIFT_SANITIZE_FINDINGS", options.sanitize_findings, 0, 1000000);
    options.sanitize_leaks = choice_option("WAVELIFT_SANITIZE_LEAKS", "off", "on");
    options.sanitize_generate = choice_option("WAVELIFT_SANITIZE_GENERATE", "off", "on");
    options.perf = choice_option("WAVELIFT_PERF", "off", "on");
    options.own_memory = choice_option("WAVELIFT_MEMORY", "shared", "own");
    options.device_memory = number_option("WAVELIFT_DEVICE_MEMORY", 0, UINT64_C(1) << 20, UINT64_C(1) << 50);
    link_option();
    math_option();
    options.record = text_option("WAVELIFT_RECORD");
    options.record_kernel = text_option("WAVELIFT_RECORD_KERNEL");
    schedule_option();
    options.cuda_library = text_option("WAVELIFT_CUDA_LIBRARY");
    options.cpu = cpu_option();
    options.clang = text_option("WAVELIFT_CLANG");
    options.dump = text_option("WAVELIFT_DUMP");
}

const char *wl_option_profile_run(void) { return text_option("WAVELIFT_PROFILE_RUN"); }

const struct wl_options *wl_options(void) {
    pthread_once(&options_once, read_options);
    return &options;
}

static _Atomic int log_limit = -1;

void wl_log_limit(int level) { log_limit = level; }

void wl_log(unsigned level, const char *format, ...) {
    int error = errno; /* for %m */
    int limit = log_limit;
    if (limit < 0 ? wl_options()->log < level : limit < (int)level)
        return;
    char line[2048];
    va_list arguments;
    va_start(arguments, format);
    errno = error;
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    fprintf(stderr, "wavelift: %s\n", line);
}
