/* printf through a buffer that is printed when the kernel has ended. */
#include "base/options.h"
#include "codeobject/codeobject.h"
#include "device/hostcall.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct head {
    uint32_t used, capacity; /* bytes behind it */
};

/* The first word of an entry: its size, this word included, and two flags. */
enum { TO_STDERR = 1, NAMED_FORMAT = 2, SIZE_SHIFT = 2 };

void wl_print_buffer_init(void *buffer) {
    struct head *head = buffer;
    head->used = 0;
    head->capacity = (uint32_t)(WL_PRINT_BUFFER - sizeof *head);
}

static size_t used_bytes(const struct head *head) {
    return head->used < WL_PRINT_BUFFER - sizeof *head ? head->used : WL_PRINT_BUFFER - sizeof *head;
}

void wl_print_buffer_clear(void *buffer) {
    memset((struct head *)buffer + 1, 0, used_bytes(buffer));
    wl_print_buffer_init(buffer);
}

/* `format`, if the entry names one, and the entry's own bytes, as words for wl_printf_format(). */
static uint64_t *as_words(const char *format, const uint8_t *data, size_t size, size_t *count) {
    size_t text = format ? (strlen(format) + 8) / 8 : 0;
    *count = text + size / 8;
    uint64_t *words = calloc(*count ? *count : 1, sizeof *words);
    if (words && format)
        memcpy(words, format, strlen(format) + 1);
    if (words)
        memcpy(words + text, data, size / 8 * 8);
    return words;
}

static void print_entry(const struct wl_codeobject *object, uint32_t control, const uint8_t *data, size_t size) {
    const char *format = NULL;
    if (control & NAMED_FORMAT) {
        uint64_t hash = 0;
        if (size >= sizeof hash)
            memcpy(&hash, data, sizeof hash);
        format = wl_codeobject_print_format(object, hash);
        if (size < sizeof hash || !format) {
            wl_log(1, "device code printed with the unknown format string %llx", (unsigned long long)hash);
            return;
        }
        data += sizeof hash;
        size -= sizeof hash;
    }
    size_t count;
    char *text = NULL;
    uint64_t *words = as_words(format, data, size, &count);
    long length = words ? wl_printf_format(words, count, &text) : -1;
    if (length >= 0)
        fwrite(text, 1, (size_t)length, control & TO_STDERR ? stderr : stdout);
    free(text);
    free(words);
}

void wl_print_buffer_flush(const struct wl_codeobject *object, const void *buffer) {
    const struct head *head = buffer;
    const uint8_t *data = (const uint8_t *)(head + 1);
    size_t used = used_bytes(head);
    for (size_t at = 0; used - at >= sizeof(uint32_t);) {
        uint32_t control;
        memcpy(&control, data + at, sizeof control);
        size_t size = control >> SIZE_SHIFT;
        if (size < sizeof control || size > used - at)
            break; /* the kernel did not write what it had reserved */
        print_entry(object, control, data + at + sizeof control, size - sizeof control);
        at += size;
    }
    fflush(stdout);
}
