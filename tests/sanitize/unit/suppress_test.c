/* Files of suppressions: what they stand for, what is refused, and that what is generated stands for its finding. */
#include "sanitize/suppress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static enum wl_status read_text(const char *text, struct wl_san_suppressions **suppressions) {
    char path[] = "/tmp/wavelift-suppress-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), (ssize_t)strlen(text));
    close(file);
    const enum wl_status status = wl_san_suppressions_read(path, suppressions);
    unlink(path);
    return status;
}

static bool stands(const char *text, const struct wl_san_kept *kept) {
    struct wl_san_suppressions *suppressions = NULL;
    assert_int_equal(read_text(text, &suppressions), WL_OK);
    const bool result = wl_san_suppressed(suppressions, kept);
    wl_san_suppressions_free(suppressions);
    return result;
}

/* A race of two kernels. */
static void make(struct wl_san_kept *kept, char *kernel, char *symbol, char *other) {
    memset(kept, 0, sizeof *kept);
    kept->finding.tool = WL_SANITIZE_RACECHECK;
    kept->finding.kind = WL_SAN_RACE_GROUPS;
    kept->finding.has_second = true;
    kept->at.kernel = kernel;
    kept->at.symbol = symbol;
    strcpy(kept->at.file, "/home/me/src/scan.h");
    kept->at.line = 120;
    kept->second.kernel = other;
    kept->second.symbol = other;
    strcpy(kept->second.file, "/home/me/src/other.cpp");
    kept->second.line = 7;
}

static void test_what_holds(void **state) {
    static const struct {
        const char *lines;
        bool stands;
    } cases[] = {
        {"racecheck:*", true},
        {"*:race-*", true},
        {"memcheck,racecheck:race-workgroups", true},
        {"memcheck:*", false},
        {"racecheck:race-waves", false},
        {"racecheck:*\nkernel:scan", true},
        {"racecheck:*\nkernel:scan*", true},
        {"racecheck:*\nkernel:_Z4scanIiEvPT_", true},
        {"racecheck:*\nkernel:sca", false},
        {"racecheck:*\nkernel:other", true},
        {"racecheck:*\nfile:*/scan.h", true},
        {"racecheck:*\nfile:*/scan.h:120", true},
        {"racecheck:*\nfile:*/scan.h:12", false},
        {"racecheck:*\nfile:*/other.cpp:7", true},
        {"racecheck:*\nkernel:scan\nfile:*/third.h", false},
        {"racecheck:*\ncall:hipMemcpy", false},
    };
    char kernel[] = "void scan<int>(int*)", symbol[] = "_Z4scanIiEvPT_", other[] = "other", text[256];
    struct wl_san_kept kept;
    (void)state;
    make(&kept, kernel, symbol, other);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "# a comment\n\n{\nname\n%s\n}\n", cases[i].lines);
        if (stands(text, &kept) != cases[i].stands)
            fail_msg("%s", cases[i].lines);
    }
    assert_true(stands("{\na\nmemcheck:*\n}\n{\nb\nracecheck:*\n}\n", &kept));
    assert_false(stands("", &kept));
    assert_false(wl_san_suppressed(NULL, &kept));
}

static void test_what_is_refused(void **state) {
    static const char *const texts[] = {"{\nname\n}\n",           "{\nname\nmemcheck:*\n",         "{\nname\nmemcheck\n}\n",
                                        "{\nname\nno:*\n}\n",     "{\nname\n*:*\nplace:here\n}\n", "name\n*:*\n",
                                        "{\n{\nname\n*:*\n}\n}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct wl_san_suppressions *suppressions = NULL;
        if (read_text(texts[i], &suppressions) != WL_INVALID_VALUE)
            fail_msg("not refused: %s", texts[i]);
        assert_null(suppressions);
    }
    struct wl_san_suppressions *suppressions = NULL;
    assert_int_equal(wl_san_suppressions_read("/no/such/file", &suppressions), WL_FILE_NOT_FOUND);
}

static void test_generated(void **state) {
    char kernel[] = "void scan<int [3]>(int*)", symbol[] = "_Z4scanIiEvPT_", other[] = "a*b?c\\d", *text = NULL;
    struct wl_san_kept kept, unlike;
    size_t size = 0;
    (void)state;
    make(&kept, kernel, symbol, other);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    wl_san_print_suppression(out, &kept);
    fclose(out);
    assert_true(stands(text, &kept));
    make(&unlike, kernel, symbol, other);
    unlike.finding.kind = WL_SAN_RACE_WAVES;
    assert_false(stands(text, &unlike));
    make(&unlike, other, other, other);
    unlike.at.line = 121;
    assert_false(stands(text, &unlike));
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_holds),
        cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_generated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
