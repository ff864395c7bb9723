/* Target ids: parsing, printing, compatibility. */
#include "support.h"

#include "machine/processor.h"

static void parses_and_prints(void **state) {
    static const struct {
        const char *text, *canonical;
        unsigned major, minor, stepping;
        bool generic;
    } rows[] = {
        {"gfx900", "gfx900", 9, 0, 0, false},
        {"gfx90a:sramecc+:xnack-", "gfx90a:sramecc+:xnack-", 9, 0, 10, false},
        {"gfx90a:xnack+:sramecc-", "gfx90a:sramecc-:xnack+", 9, 0, 10, false},
        {"amdgcn-amd-amdhsa--gfx942", "gfx942", 9, 4, 2, false},
        {"amdgcn-amd-amdhsa-gfx906", "gfx906", 9, 0, 6, false},
        {"gfx90c:xnack-", "gfx90c:xnack-", 9, 0, 12, false},
        {"gfx1036", "gfx1036", 10, 3, 6, false},
        {"gfx1151", "gfx1151", 11, 5, 1, false},
        {"gfx1201", "gfx1201", 12, 0, 1, false},
        {"gfx9-generic:xnack+", "gfx9-generic:xnack+", 9, 0, 0, true},
        {"gfx10-3-generic", "gfx10-3-generic", 10, 3, 0, true},
        {"gfx11-generic", "gfx11-generic", 11, 0, 0, true},
        {"gfx9-4-generic", "gfx9-4-generic", 9, 4, 0, true},
        {"gfx1153", "gfx1153", 11, 5, 3, false},
        {"gfx12-generic", "gfx12-generic", 12, 0, 0, true},
        {"gfx1250", "gfx1250", 12, 5, 0, false},
        {"gfx1251:sramecc+:xnack-", "gfx1251:sramecc+:xnack-", 12, 5, 1, false},
        {"gfx12-5-generic", "gfx12-5-generic", 12, 5, 0, true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_target target;
        char text[64];
        assert_ok(wl_target_parse(&target, rows[i].text));
        assert_int_equal(wl_target_format(&target, text, sizeof text), strlen(rows[i].canonical));
        assert_string_equal(text, rows[i].canonical);
        assert_int_equal(target.major, rows[i].major);
        assert_int_equal(target.minor, rows[i].minor);
        assert_int_equal(target.stepping, rows[i].stepping);
        assert_int_equal(target.generic, rows[i].generic);
    }
}

static void refuses(void **state) {
    static const struct {
        const char *text;
        enum wl_status status;
    } rows[] = {
        {"", WL_INVALID_VALUE},
        {"sm_90", WL_INVALID_VALUE},
        {"gfx", WL_INVALID_VALUE},
        {"gfx90a:", WL_INVALID_VALUE},
        {"gfx90a:xnack", WL_INVALID_VALUE},
        {"gfx90a:xnack*", WL_INVALID_VALUE},
        {"gfx90a:xnack+:xnack-", WL_INVALID_VALUE},
        {"gfx90a:tgsplit+", WL_INVALID_VALUE},
        {"gfx1100:xnack+", WL_INVALID_VALUE},
        {"gfx900:sramecc+", WL_INVALID_VALUE},
        {"gfx803", WL_UNSUPPORTED},
        {"gfx700", WL_UNSUPPORTED},
        {"gfx9999", WL_UNSUPPORTED},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_target target;
        assert_int_equal(wl_target_parse(&target, rows[i].text), rows[i].status);
        assert_true(strlen(wl_failure()) > 0);
    }
    struct wl_target target;
    assert_int_equal(wl_target_parse(&target, NULL), WL_INVALID_VALUE);
}

static void knows_what_runs_where(void **state) {
    static const struct {
        const char *code, *device;
        bool compatible;
    } rows[] = {
        {"gfx90a", "gfx90a", true},
        {"gfx90a", "gfx90a:xnack+", true},
        {"gfx90a:xnack-", "gfx90a", true},
        {"gfx90a:xnack-", "gfx90a:xnack+", false},
        {"gfx90a:sramecc+", "gfx90a:sramecc-:xnack-", false},
        {"gfx90a", "gfx908", false},
        {"gfx9-generic", "gfx906", true},
        {"gfx9-generic", "gfx900:xnack-", true},
        {"gfx9-generic:xnack+", "gfx900:xnack-", false},
        {"gfx9-generic", "gfx90a", false},
        {"gfx9-generic", "gfx908", false},
        {"gfx9-4-generic", "gfx942", true},
        {"gfx9-generic", "gfx942", false},
        {"gfx10-3-generic", "gfx1031", true},
        {"gfx10-1-generic", "gfx1030", false},
        {"gfx11-generic", "gfx1150", true},
        {"gfx12-generic", "gfx1201", true},
        {"gfx11-generic", "gfx1153", true},
        {"gfx9-4-generic", "gfx950", true},
        {"gfx12-5-generic", "gfx1250", true},
        {"gfx12-5-generic", "gfx1251", true},
        {"gfx12-generic", "gfx1250", false},
        {"gfx1250", "gfx1251", false},
        {"gfx906", "gfx9-generic", false},
        {"gfx9-generic", "gfx9-generic", true},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_target code, device;
        assert_ok(wl_target_parse(&code, rows[i].code));
        assert_ok(wl_target_parse(&device, rows[i].device));
        if (wl_target_compatible(&code, &device) != rows[i].compatible)
            fail_msg("%s on %s", rows[i].code, rows[i].device);
    }
}

static void knows_error_correction(void **state) {
    static const struct {
        const char *target;
        bool has;
    } rows[] = {{"gfx90a", true},        {"gfx90a:sramecc+", true}, {"gfx90a:sramecc-", false}, {"gfx906", true},
                {"gfx942", true},        {"gfx9-4-generic", true},  {"gfx1250", true},          {"gfx900", false},
                {"gfx9-generic", false}, {"gfx1030", false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct wl_target target;
        assert_ok(wl_target_parse(&target, rows[i].target));
        if (wl_target_has_sram_ecc(&target) != rows[i].has)
            fail_msg("%s", rows[i].target);
    }
}

/* Numbers of ELF files, and what gfx1250 has that others have not. */
static void knows_processors(void **state) {
    static const struct {
        uint32_t machine;
        const char *name;
        uint32_t lds_bytes;
        bool clusters, wave64;
    } rows[] = {{0x58, "gfx1153", 64 << 10, false, true},       {0x5f, "gfx9-4-generic", 64 << 10, false, true},
                {0x59, "gfx12-generic", 64 << 10, false, true}, {0x49, "gfx1250", 320 << 10, true, false},
                {0x5a, "gfx1251", 320 << 10, true, false},      {0x5b, "gfx12-5-generic", 320 << 10, true, false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct wl_processor *processor = wl_processor_of_machine(rows[i].machine);
        assert_non_null(processor);
        assert_string_equal(processor->name, rows[i].name);
        assert_int_equal(processor->lds_bytes, rows[i].lds_bytes);
        assert_int_equal(!!(processor->has & WL_HAS_CLUSTERS), rows[i].clusters);
        assert_int_equal(!!(processor->has & WL_HAS_NAMED_BARRIERS), rows[i].clusters);
        assert_int_equal(!!(processor->has & WL_HAS_1024_VGPRS), rows[i].clusters);
        assert_int_equal(!(processor->has & WL_HAS_WAVE32_ALONE), rows[i].wave64);
    }
}

int test_targets(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knows_processors),      cmocka_unit_test(parses_and_prints),      cmocka_unit_test(refuses),
        cmocka_unit_test(knows_what_runs_where), cmocka_unit_test(knows_error_correction),
    };
    return cmocka_run_group_tests_name("targets", tests, NULL, NULL);
}
