/* Device printf: C's conversions over arguments that lie in 64-bit words, strings among them. */
#include "base/array.h"
#include "device/hostcall.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct output {
    char *text;
    size_t length, capacity;
    bool failed;
};

static bool reserve(struct output *o, size_t more) {
    const bool has_room = WL_ARRAY_RESERVE_MORE(o->text, o->length, more + 1, o->capacity, 64);
    o->failed |= !has_room;
    return has_room;
}

static void put(struct output *o, const char *text, size_t length) {
    if (!reserve(o, length))
        return;
    memcpy(o->text + o->length, text, length);
    o->length += length;
    o->text[o->length] = 0;
}

static void put_value(struct output *o, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments); /* NOLINT: `format` is one conversion, checked by parse */
    if (length > 0 && reserve(o, (size_t)length)) {
        vsnprintf(o->text + o->length, (size_t)length + 1, format, again);
        o->length += (size_t)length;
    }
    va_end(again);
    va_end(arguments);
}

struct arguments {
    const uint64_t *words;
    size_t count, next;
};

static uint64_t take(struct arguments *a) { return a->next < a->count ? a->words[a->next++] : 0; }

/* A string lies in whole words with its terminating zero; a missing terminator ends with the words. */
static const char *take_string(struct arguments *a, size_t *length) {
    const char *text = (const char *)(a->words + a->next);
    size_t limit = (a->count - a->next) * 8;
    *length = strnlen(text, limit);
    a->next += *length == limit ? limit / 8 : *length / 8 + 1;
    return text;
}

struct conversion {
    char flags[8];
    int width, precision; /* -1: none */
    char length[3];
    char kind;
};

static const char *parse_number(const char *at, struct arguments *a, int *number) {
    if (*at == '*') {
        *number = (int)take(a);
        return at + 1;
    }
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        if (*number < 1 << 20)
            *number = *number * 10 + (*at - '0');
    return at;
}

/* Reads one conversion behind its '%'; returns the place behind it. */
static const char *parse(const char *at, struct arguments *a, struct conversion *c) {
    size_t n = 0;
    *c = (struct conversion){.width = -1, .precision = -1};
    for (; *at && strchr("-+ #0", *at); at++)
        if (n < sizeof c->flags - 2)
            c->flags[n++] = *at;
    if (*at == '*' || (*at >= '1' && *at <= '9')) {
        at = parse_number(at, a, &c->width);
        if (c->width < 0) {
            c->flags[n++] = '-';
            c->width = -c->width;
        }
    }
    if (*at == '.')
        at = parse_number(at + 1, a, &c->precision);
    for (n = 0; *at && strchr("hljztLqw", *at); at++)
        if (n < sizeof c->length - 1)
            c->length[n++] = *at;
    c->kind = *at;
    return *at ? at + 1 : at;
}

static long long signed_value(uint64_t word, const struct conversion *c) {
    if (strcmp(c->length, "hh") == 0)
        return (signed char)word;
    if (c->length[0] == 'h')
        return (short)word;
    return c->length[0] ? (long long)word : (int)word;
}

static unsigned long long unsigned_value(uint64_t word, const struct conversion *c) {
    if (strcmp(c->length, "hh") == 0)
        return (unsigned char)word;
    if (c->length[0] == 'h')
        return (unsigned short)word;
    return c->length[0] ? (unsigned long long)word : (unsigned)word;
}

/* "%<flags><width><.precision><length><kind>" for the host's printf. */
static void host_format(char *text, size_t size, const struct conversion *c, const char *length) {
    char width[16] = "", precision[16] = "";
    if (c->width >= 0)
        snprintf(width, sizeof width, "%d", c->width);
    if (c->precision >= 0)
        snprintf(precision, sizeof precision, ".%d", c->precision);
    snprintf(text, size, "%%%s%s%s%s%c", c->flags, width, precision, length, c->kind);
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
static void convert(struct output *o, struct arguments *a, const struct conversion *c, const char *from, const char *end) {
    char format[64];
    size_t length;
    double number;
    uint64_t word;
    switch (c->kind) {
    case '%':
        put(o, "%", 1);
        return;
    case 'd':
    case 'i':
        host_format(format, sizeof format, c, "ll");
        put_value(o, format, signed_value(take(a), c));
        return;
    case 'u':
    case 'o':
    case 'x':
    case 'X':
        host_format(format, sizeof format, c, "ll");
        put_value(o, format, unsigned_value(take(a), c));
        return;
    case 'f':
    case 'F':
    case 'e':
    case 'E':
    case 'g':
    case 'G':
    case 'a':
    case 'A':
        host_format(format, sizeof format, c, "");
        word = take(a);
        memcpy(&number, &word, sizeof number);
        put_value(o, format, number);
        return;
    case 'c':
        host_format(format, sizeof format, c, "");
        put_value(o, format, (int)take(a));
        return;
    case 'p':
        host_format(format, sizeof format, c, "");
        put_value(o, format, (void *)(uintptr_t)take(a));
        return;
    case 's': {
        const char *text = take_string(a, &length);
        struct conversion limited = *c;
        if (limited.precision < 0 || (size_t)limited.precision > length)
            limited.precision = (int)length; /* the words may lack a terminator */
        host_format(format, sizeof format, &limited, "");
        put_value(o, format, text);
        return;
    }
    case 'n':
        take(a);
        return; /* nothing is written to device memory */
    default:
        put(o, from, (size_t)(end - from));
        return;
    }
}
#pragma GCC diagnostic pop

long wl_printf_format(const uint64_t *words, size_t count, char **text) {
    struct arguments a = {words, count, 0};
    struct output o = {0};
    size_t length;
    const char *words_text = take_string(&a, &length);
    char *format = strndup(words_text, length);
    *text = NULL;
    if (!format || !reserve(&o, 64)) {
        free(format);
        free(o.text);
        return -1;
    }
    o.text[0] = 0;
    for (const char *at = format; *at;) {
        size_t plain = strcspn(at, "%");
        put(&o, at, plain);
        at += plain;
        if (!*at)
            break;
        struct conversion c;
        const char *end = parse(at + 1, &a, &c);
        convert(&o, &a, &c, at, end);
        at = end;
    }
    free(format);
    if (o.failed) {
        free(o.text);
        return -1;
    }
    *text = o.text;
    return (long)o.length;
}
