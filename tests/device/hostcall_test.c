/* Services for device code, spoken to as the device libraries do; printf's conversions against the host's own. */
#include "device/hostcall.h"
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- the device's side of the protocol ------------------------------------------------------ */

struct header {
    uint64_t next, mask;
    uint32_t service, control;
};

struct buffer {
    struct header *headers;
    uint64_t (*payloads)[64][8];
    uint64_t doorbell, free_stack, ready_stack, index_mask;
};

static uint64_t pop(struct buffer *b) {
    uint64_t top = __atomic_load_n(&b->free_stack, __ATOMIC_ACQUIRE);
    while (!__atomic_compare_exchange_n(&b->free_stack, &top, __atomic_load_n(&b->headers[top & b->index_mask].next, __ATOMIC_RELAXED),
                                        false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        ;
    return top;
}

static void push(struct buffer *b, uint64_t *stack, uint64_t name) {
    uint64_t top = __atomic_load_n(stack, __ATOMIC_ACQUIRE);
    do
        __atomic_store_n(&b->headers[name & b->index_mask].next, top, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(stack, &top, name, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE));
}

static struct buffer *buffer_of(const struct wl_wave *wave) {
    uint64_t argument = wave->sgpr[0] | (uint64_t)wave->sgpr[1] << 32, value;
    memcpy(&value, (void *)(uintptr_t)(argument + 8), 8);
    return (struct buffer *)(uintptr_t)value;
}

/* Sends words[lane] for the lanes of `mask`; the unit then returns MESSAGE and finds the answer with receive. */
static void send(struct wl_wave *wave, uint32_t service, uint64_t mask, uint64_t (*words)[8]) {
    struct buffer *b = buffer_of(wave);
    uint64_t name = pop(b);
    struct header *header = &b->headers[name & b->index_mask];
    assert_int_equal(b->doorbell % 8, 0);
    header->mask = mask;
    header->service = service;
    header->control = 1;
    for (int l = 0; l < 64; l++)
        if (mask >> l & 1)
            memcpy(b->payloads[name & b->index_mask][l], words[l], 64);
    wave->sgpr[20] = (uint32_t)name;
    wave->sgpr[21] = (uint32_t)(name >> 32);
    push(b, &b->ready_stack, name);
    wave->exit_detail = 1;
}

static bool receive(struct wl_wave *wave, uint64_t (*words)[8]) {
    struct buffer *b = buffer_of(wave);
    uint64_t name = wave->sgpr[20] | (uint64_t)wave->sgpr[21] << 32, index = name & b->index_mask;
    if (__atomic_load_n(&b->headers[index].control, __ATOMIC_ACQUIRE) & 1)
        return false;
    memcpy(words, b->payloads[index], 64 * 64);
    uint64_t renamed = name + b->index_mask + 1;
    push(b, &b->free_stack, renamed ? renamed : b->index_mask + 1);
    return true;
}

/* ---- units ---------------------------------------------------------------------------------- */

static _Atomic int bad;

/* Two lanes print "<lane> text 1.5\n" in three packets. */
static uint32_t print_unit(struct wl_wave *wave) {
    static _Thread_local uint64_t words[64][8];
    static const uint64_t mask = 5;
    static const double number = 1.5;
    if (wave->resume > 0 && !receive(wave, words))
        return WL_EXIT_YIELD;
    for (int l = 0; l < 3; l++) {
        uint64_t *w = words[l], id = w[0] & ~UINT64_C(0xff);
        switch (wave->resume) {
        case 0:
            w[0] = 1 | 1 << 5;
            w[1] = 0;
            break;
        case 1:
            w[0] = id | 3 << 5;
            memcpy(&w[1], "%d %s %.1f %lu\n", 16);
            w[3] = (uint64_t)l;
            break;
        case 2:
            w[0] = id | 2 | 4 << 5;
            memcpy(&w[1], "longer text", 12);
            memcpy(&w[3], &number, 8);
            w[4] = 1ull << 40;
            break;
        default:
            bad += mask >> l & 1 && w[0] != strlen("0 longer text 1.5 1099511627776\n");
            break;
        }
    }
    if (wave->resume == 3)
        return WL_EXIT_END;
    wave->resume++;
    send(wave, 2, mask, words);
    return WL_EXIT_MESSAGE;
}

static uint32_t memory_unit(struct wl_wave *wave) {
    static _Thread_local uint64_t words[64][8];
    if (wave->resume > 0 && !receive(wave, words))
        return WL_EXIT_YIELD;
    for (int l = 0; l < 2; l++) {
        uint64_t *w = words[l];
        switch (wave->resume) {
        case 0:
            w[0] = 0;
            w[1] = l ? 2u << 20 : 5000;
            break;
        case 1:
            bad += w[0] == 0 || w[0] % (l ? 2u << 20 : 4096) != 0;
            memset((void *)(uintptr_t)w[0], 1, l ? 2u << 20 : 5000);
            w[1] = 0;
            break;
        default:
            break;
        }
    }
    if (wave->resume == 2)
        return WL_EXIT_END;
    wave->resume++;
    send(wave, 3, 3, words);
    return WL_EXIT_MESSAGE;
}

static uint32_t assert_unit(struct wl_wave *wave) {
    static _Thread_local uint64_t words[64][8];
    static const char text[] = "f.hip:3: Device-side assertion `x' failed.\n";
    if (wave->resume > 0 && !receive(wave, words))
        return WL_EXIT_YIELD;
    uint64_t *w = words[0], id = w[0] & ~UINT64_C(0xff);
    if (wave->resume == 2) {
        wave->exit_detail = 2;
        return WL_EXIT_TRAP;
    }
    w[0] = wave->resume == 0 ? 1 | 1 << 5 : (id | 2 | 6 << 5);
    w[1] = 1;
    if (wave->resume == 1)
        memcpy(&w[1], text, sizeof text);
    wave->resume++;
    send(wave, 2, 1, words);
    return WL_EXIT_MESSAGE;
}

/* ---- tests ---------------------------------------------------------------------------------- */

static struct harness h;

static const struct wl_argument arguments[] = {{"", "", 8, 8, WL_ARG_HIDDEN_HOSTCALL_BUFFER}};

static int open_device(void **state) {
    (void)state;
    harness_open(&h, "gfx90a", 9, 0, 10, 64);
    h.object.kernels[0].arguments = arguments;
    h.object.kernels[0].argument_count = 1;
    h.object.kernels[0].kernarg_size = 16;
    harness_load(&h);
    bad = 0;
    return 0;
}

static int close_device(void **state) {
    (void)state;
    harness_close(&h);
    return 0;
}

/* Runs the launch with file descriptor `number` in a file; returns the status, and the text in `text`. */
static enum wl_status capture(int number, FILE *stream, char *text, size_t size) {
    FILE *file = tmpfile();
    fflush(stream);
    int saved = dup(number);
    dup2(fileno(file), number);
    enum wl_status status = harness_run(&h);
    fflush(stream);
    dup2(saved, number);
    close(saved);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
    return status;
}

static void printf_prints(void **state) {
    static char text[1 << 20];
    (void)state;
    harness_code(&h, print_unit, print_unit, true);
    h.launch.grid[0] = 50;
    h.launch.block[0] = 256;
    assert_int_equal(capture(1, stdout, text, sizeof text), WL_OK);
    assert_int_equal(bad, 0);
    unsigned lines[2] = {0, 0};
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        assert_true(line[0] == '0' || line[0] == '2');
        assert_string_equal(line + 1, " longer text 1.5 1099511627776");
        lines[line[0] == '2']++;
    }
    assert_int_equal(lines[0], 200);
    assert_int_equal(lines[1], 200);
}

static void memory_comes_and_goes(void **state) {
    (void)state;
    harness_code(&h, memory_unit, memory_unit, true);
    h.launch.grid[0] = 20;
    h.launch.block[0] = 256;
    assert_int_equal(harness_run(&h), WL_OK);
    assert_int_equal(bad, 0);
}

static void assertions_are_told_from_traps(void **state) {
    char text[4096];
    (void)state;
    harness_code(&h, assert_unit, assert_unit, true);
    assert_int_equal(capture(2, stderr, text, sizeof text), WL_ASSERT);
    assert_non_null(strstr(text, "f.hip:3: Device-side assertion `x' failed."));
    assert_non_null(strstr(text, "wavelift: assertion failed in kernel test"));
}

/* Each row: the format, its arguments as words, and what C prints. */
static void conversions_are_those_of_c(void **state) {
    static const double pi = 3.14159;
    uint64_t f;
    memcpy(&f, &pi, 8);
    const struct {
        const char *format;
        uint64_t words[3];
        const char *text;
    } cases[] = {
        {"%d|%i", {(uint64_t)-5, 7}, "-5|7"},
        {"%5d|%-5d|%05d", {42, 42, 42}, "   42|42   |00042"},
        {"%+d % d", {1, 2}, "+1  2"},
        {"%u %x %X", {4294967295u, 255, 255}, "4294967295 ff FF"},
        {"%#x %#o %o", {255, 8, 8}, "0xff 010 10"},
        {"%lld %ld %llu", {1ull << 40, (uint64_t)-1, ~0ull}, "1099511627776 -1 18446744073709551615"},
        {"%hd %hhd %hhu", {0x18000, 0x180, 0x1ff}, "-32768 -128 255"},
        {"%f %.2f %10.3f", {f, f, f}, "3.141590 3.14      3.142"},
        {"%e %g %A", {f, f, 0}, "3.141590e+00 3.14159 0X0P+0"},
        {"%c%c%%", {'a', 'b'}, "ab%"},
        {"%*d|%.*f", {6, 42, 1}, "    42|0.0"},
        {"%-*d|", {4, 1}, "1   |"},
        {"%p", {0x1234}, "0x1234"},
        {"%zu %jd %td", {1, 2, 3}, "1 2 3"},
        {"%s|%5s", {0x636261, 0x7a}, "abc|    z"},
        {"%.2s|", {0x636261}, "ab|"},
        {"plain", {0}, "plain"},
        {"%q %", {0}, "%q %"},
        {"%d %d %d %d", {1, 2, 3}, "1 2 3 0"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t words[16] = {0};
        size_t length = strlen(cases[i].format) / 8 + 1;
        memcpy(words, cases[i].format, strlen(cases[i].format));
        memcpy(words + length, cases[i].words, sizeof cases[i].words);
        char *text;
        long size = wl_printf_format(words, length + 3, &text);
        assert_int_equal(size, strlen(cases[i].text));
        assert_string_equal(text, cases[i].text);
        free(text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(printf_prints, open_device, close_device),
        cmocka_unit_test_setup_teardown(memory_comes_and_goes, open_device, close_device),
        cmocka_unit_test_setup_teardown(assertions_are_told_from_traps, open_device, close_device),
        cmocka_unit_test(conversions_are_those_of_c),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
