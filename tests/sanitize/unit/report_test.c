/* Findings: which are equal, which are left out, and the file for programs. The environment asks for JSON and for five findings at most. */
#include "base/options.h"
#include "sanitize/report.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define KERNEL "a \"kernel\" \\ of\ttests\001"

static struct wl_san_finding finding_at(uint64_t code) {
    return (struct wl_san_finding){.tool = WL_SANITIZE_MEMCHECK,
                                   .kind = WL_SAN_OUT_OF_BOUNDS,
                                   .at = {.kernel = KERNEL, .code = code, .access = WL_SANITIZE_STORE, .has_item = true},
                                   .bytes = 4,
                                   .address = 0x1000};
}

/* ---- JSON: whether a text is a value, and where that ends; NULL: it is none ---- */

static const char *past_space(const char *at) {
    while (isspace((unsigned char)*at))
        at++;
    return at;
}

static const char *string_end(const char *at) {
    if (*at++ != '"')
        return NULL;
    for (; *at != '"'; at++) {
        if ((unsigned char)*at < 32)
            return NULL;
        if (*at == '\\' && !strchr("\"\\/bfnrtu", *++at))
            return NULL;
    }
    return at + 1;
}

static const char *value_end(const char *at);

static const char *list_end(const char *at, char end, bool members) {
    at = past_space(at + 1);
    if (*at == end)
        return at + 1;
    for (;; at++) {
        if (members) {
            at = string_end(past_space(at));
            at = at ? past_space(at) : NULL;
            if (!at || *at++ != ':')
                return NULL;
        }
        at = value_end(past_space(at));
        at = at ? past_space(at) : NULL;
        if (!at || (*at != ',' && *at != end))
            return NULL;
        if (*at == end)
            return at + 1;
    }
}

static const char *value_end(const char *at) {
    char *end = NULL;
    if (*at == '{' || *at == '[')
        return list_end(at, *at == '{' ? '}' : ']', *at == '{');
    if (*at == '"')
        return string_end(at);
    if (strncmp(at, "true", 4) == 0)
        return at + 4;
    if (strncmp(at, "false", 5) == 0)
        return at + 5;
    (void)strtod(at, &end);
    return end != at ? end : NULL;
}

static char *read_json(void) {
    static char text[1 << 16];
    FILE *file = fopen(wl_options()->sanitize_json, "re");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    const char *end = value_end(past_space(text));
    assert_non_null(end);
    assert_int_equal(*past_space(end), 0);
    return text;
}

static unsigned times_in(const char *text, const char *part) {
    unsigned count = 0;
    for (; (text = strstr(text, part)); text++)
        count++;
    return count;
}

/* ---- tests, in this order: findings stay ---- */

static void test_equal(void **state) {
    (void)state;
    struct wl_san_finding finding = finding_at(16);
    for (unsigned i = 0; i < 100; i++) {
        finding.address = 0x1000 + i; /* of no meaning to what is equal */
        finding.at.item[0] = i;
        wl_san_report(&finding);
    }
    assert_int_equal(wl_san_finding_count(), 1);
    assert_non_null(strstr(read_json(), "\"kind\": \"out-of-bounds-write\""));
}

static void test_unlike(void **state) {
    (void)state;
    struct wl_san_finding finding = finding_at(32); /* another instruction, of which no line is known */
    wl_san_report(&finding);
    assert_int_equal(wl_san_finding_count(), 2);
    finding.kind = WL_SAN_USE_AFTER_FREE;
    wl_san_report(&finding);
    assert_int_equal(wl_san_finding_count(), 3);
    finding.at.kernel = "another kernel";
    wl_san_report(&finding);
    wl_san_report(&finding);
    assert_int_equal(wl_san_finding_count(), 4);
    assert_int_equal(times_in(read_json(), "\"kind\":"), 4);
}

static void test_left_out(void **state) {
    (void)state;
    struct wl_san_finding finding = finding_at(48);
    wl_san_ignore(WL_SANITIZE_MEMCHECK, true);
    wl_san_ignore(WL_SANITIZE_MEMCHECK, true);
    wl_san_report(&finding);
    wl_san_ignore(WL_SANITIZE_MEMCHECK, false);
    wl_san_report(&finding);
    wl_san_ignore(WL_SANITIZE_MEMCHECK, false);
    assert_true(wl_san_benign(0x5000, 16, WL_SANITIZE_MEMCHECK));
    finding.address = 0x500f;
    wl_san_report(&finding);
    assert_int_equal(wl_san_finding_count(), 4);
    finding.address = 0x5010;
    wl_san_report(&finding);
    assert_int_equal(wl_san_finding_count(), 5);
}

static void test_most(void **state) {
    (void)state;
    for (uint64_t code = 1000; code < 1010; code++) {
        struct wl_san_finding finding = finding_at(code);
        wl_san_report(&finding);
        wl_san_report(&finding);
    }
    assert_int_equal(wl_san_finding_count(), 15);
    const char *text = read_json();
    assert_int_equal(times_in(text, "\"kind\":"), 5);
    wl_san_finish();
    text = read_json();
    assert_non_null(strstr(text, "\"not_shown\": 10"));
    assert_non_null(strstr(text, "\"suppressed\": 3"));
    assert_non_null(strstr(text, "\"times\": 100"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_unlike),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_most),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
