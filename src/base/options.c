#include "base/options.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct wl_options options = {.devices = 1, .cache_size = UINT64_C(1) << 30, .log = 1};
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
    if (!value || !strcmp(value, "x86-64-v3") || !strcmp(value, "x86-64-v4"))
        return value;
    fprintf(stderr, "wavelift: WAVELIFT_CPU=%s is neither x86-64-v3 nor x86-64-v4; ignored\n", value);
    return NULL;
}

static bool exact_option(void) {
    const char *value = text_option("WAVELIFT_MATH");
    if (value && strcmp(value, "exact") != 0 && strcmp(value, "fast") != 0)
        fprintf(stderr, "wavelift: WAVELIFT_MATH=%s is neither fast nor exact; ignored\n", value);
    return value && !strcmp(value, "exact");
}

static void read_options(void) {
    options.arch = text_option("WAVELIFT_ARCH");
    options.devices = (unsigned)number_option("WAVELIFT_DEVICES", options.devices, 1, 64);
    options.threads = (unsigned)number_option("WAVELIFT_THREADS", options.threads, 0, 4096);
    options.cache_size = number_option("WAVELIFT_CACHE_SIZE", options.cache_size, 0, UINT64_C(1) << 50);
    options.cache_dir = text_option("WAVELIFT_CACHE_DIR");
    options.log = (unsigned)number_option("WAVELIFT_LOG", options.log, 0, 9);
    options.exact_math = exact_option();
    options.cpu = cpu_option();
    options.clang = text_option("WAVELIFT_CLANG");
    options.dump = text_option("WAVELIFT_DUMP");
}

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
