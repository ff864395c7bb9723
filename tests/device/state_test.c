/* The initial registers of waves, per generation, the dispatch packet, the kernarg segment. */
#include "device/cpu/abi.h"
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* What the last wave of workgroup (1, 2, 3) of a launch of 2 x 3 x 4 workgroups of 33 x 2 x 1 items saw. */
static uint32_t sgpr[128], vgpr[3][64], masked;
static struct wl_dispatch_packet packet;
static uint8_t kernarg[512];
static int packet_at, kernarg_at;
static uint8_t *scratch;

static void look(const struct wl_wave *wave) {
    memcpy(sgpr, wave->sgpr, sizeof sgpr);
    for (int r = 0; r < 3; r++)
        memcpy(vgpr[r], &wave->vgpr[(uint32_t)r * wave->wave_size], wave->wave_size * 4);
    if (packet_at >= 0)
        memcpy(&packet, (void *)(uintptr_t)(sgpr[packet_at] | (uint64_t)sgpr[packet_at + 1] << 32), sizeof packet);
    memcpy(kernarg, (void *)(uintptr_t)(sgpr[kernarg_at] | (uint64_t)sgpr[kernarg_at + 1] << 32), 300);
    scratch = wave->scratch;
}

/* The last wave of a workgroup is the one that is looked at; in which order waves take turns is the device's business. */
static uint32_t full_unit(struct wl_wave *wave) {
    (void)wave;
    return WL_EXIT_END;
}

static uint32_t masked_unit(struct wl_wave *wave) {
    masked++;
    look(wave);
    return WL_EXIT_END;
}

static const struct wl_argument hidden[] = {
    {"", "", 8, 4, WL_ARG_HIDDEN_BLOCK_COUNT_X},  {"", "", 12, 4, WL_ARG_HIDDEN_BLOCK_COUNT_Y},
    {"", "", 16, 4, WL_ARG_HIDDEN_BLOCK_COUNT_Z}, {"", "", 20, 2, WL_ARG_HIDDEN_GROUP_SIZE_X},
    {"", "", 22, 2, WL_ARG_HIDDEN_GROUP_SIZE_Y},  {"", "", 24, 2, WL_ARG_HIDDEN_GROUP_SIZE_Z},
    {"", "", 26, 2, WL_ARG_HIDDEN_REMAINDER_X},   {"", "", 32, 8, WL_ARG_HIDDEN_GLOBAL_OFFSET_X},
    {"", "", 40, 2, WL_ARG_HIDDEN_GRID_DIMS},     {"", "", 44, 4, WL_ARG_HIDDEN_DYNAMIC_LDS_SIZE},
    {"", "", 48, 4, WL_ARG_HIDDEN_PRIVATE_BASE},  {"", "", 52, 4, WL_ARG_HIDDEN_SHARED_BASE},
    {"", "", 56, 8, WL_ARG_HIDDEN_QUEUE_PTR},     {"", "", 64, 8, WL_ARG_HIDDEN_HOSTCALL_BUFFER},
    {"", "", 72, 8, WL_ARG_HIDDEN_HEAP_V1},       {"", "", 80, 8, WL_ARG_HIDDEN_MULTIGRID_SYNC_ARG},
    {"", "", 88, 8, WL_ARG_HIDDEN_UNKNOWN},
};

static struct harness h;

static void run(const char *processor, unsigned major, unsigned minor, unsigned stepping, uint32_t wave_size) {
    harness_open(&h, processor, major, minor, stepping, wave_size);
    struct wl_kernel *k = &h.object.kernels[0];
    bool old = major == 9 || major == 10;
    bool architected = major >= 11 || (major == 9 && minor >= 4);
    k->user_private_segment_buffer = old && !architected;
    k->user_dispatch_ptr = true;
    k->user_dispatch_id = true;
    k->user_flat_scratch_init = old && !architected;
    k->user_private_segment_size = true;
    k->kernarg_preload_length = 1;
    k->user_sgprs = 4 * k->user_private_segment_buffer + 2 + 2 + 2 + 2 * k->user_flat_scratch_init + 1 + 1;
    k->system_workgroup_id_y = k->system_workgroup_id_z = true;
    k->system_private_segment_wave_offset = true;
    k->workitem_id_dimensions = 3;
    k->scratch_size = 20;
    k->arguments = hidden;
    k->argument_count = sizeof hidden / sizeof *hidden;
    k->kernarg_size = 96;
    packet_at = k->user_private_segment_buffer ? 4 : 0;
    kernarg_at = packet_at + 2;
    masked = 0;
    harness_load(&h);
    harness_code(&h, full_unit, masked_unit, true);
    memcpy(h.launch.grid, (uint32_t[]){2, 3, 4}, sizeof h.launch.grid);
    memcpy(h.launch.block, (uint32_t[]){33, 2, 1}, sizeof h.launch.block);
    h.launch.worker_mask = 1; /* one thread: the last workgroup is the last */
    h.launch.dynamic_lds = 256;
    uint64_t argument = 0x1122334455667788;
    h.launch.kernarg = &argument;
    h.launch.kernarg_size = 8;
    assert_int_equal(harness_run(&h), WL_OK);
    assert_int_equal(masked, 24);
}

static void check_common(void) {
    assert_int_equal(packet.setup, 3);
    assert_int_equal(packet.header & 0xff, 2);
    assert_int_equal(packet.workgroup_size[0], 33);
    assert_int_equal(packet.workgroup_size[1], 2);
    assert_int_equal(packet.grid_size[0], 66);
    assert_int_equal(packet.grid_size[1], 6);
    assert_int_equal(packet.grid_size[2], 4);
    assert_int_equal(packet.private_segment_size, 32);
    assert_int_equal(packet.group_segment_size, 256);
    uint64_t words[12];
    uint32_t dwords[24];
    uint16_t shorts[48];
    memcpy(words, kernarg, sizeof words);
    memcpy(dwords, kernarg, sizeof dwords);
    memcpy(shorts, kernarg, sizeof shorts);
    assert_int_equal(words[0], 0x1122334455667788);
    assert_int_equal(dwords[2], 2);
    assert_int_equal(dwords[3], 3);
    assert_int_equal(dwords[4], 4);
    assert_int_equal(shorts[10], 33);
    assert_int_equal(shorts[11], 2);
    assert_int_equal(shorts[12], 1);
    assert_int_equal(shorts[13], 0);
    assert_int_equal(words[4], 0);
    assert_int_equal(shorts[20], 3);
    assert_int_equal(dwords[11], 256);
    assert_int_equal(dwords[12], WL_PRIVATE_APERTURE_HI);
    assert_int_equal(dwords[13], WL_SHARED_APERTURE_HI);
    const uint32_t *queue = (const uint32_t *)(uintptr_t)words[7];
    assert_int_equal(queue[16], WL_SHARED_APERTURE_HI);
    assert_int_equal(queue[17], WL_PRIVATE_APERTURE_HI);
    assert_int_not_equal(words[8], 0);
    assert_int_not_equal(words[9], 0);
    assert_int_equal(words[10], 0);
    assert_int_equal(words[11], 0);
}

/* 66 items; the last wave of 64 has items 64 and 65: x = 31, 32; y = 1. */
static void check_gfx906(void **state) {
    (void)state;
    run("gfx906", 9, 0, 6, 64);
    check_common();
    uint64_t base = sgpr[0] | (uint64_t)(sgpr[1] & 0xffff) << 32;
    assert_int_equal(base, (uint64_t)(uintptr_t)scratch);
    assert_int_equal(sgpr[1] >> 31, 1);
    assert_int_equal(sgpr[3] >> 23 & 1, 1);
    assert_int_equal(sgpr[3] >> 21 & 3, 3);
    assert_int_equal(sgpr[12], 32);         /* private segment size, behind flat scratch in 10, 11 */
    assert_int_equal(sgpr[13], 0x55667788); /* kernarg preload */
    assert_int_equal(sgpr[14], 1);
    assert_int_equal(sgpr[15], 2);
    assert_int_equal(sgpr[16], 3);
    assert_int_equal(sgpr[17], 0); /* wave offset */
    assert_int_equal(sgpr[126], 3);
    assert_int_equal(sgpr[127], 0);
    assert_int_equal(vgpr[0][0], 31);
    assert_int_equal(vgpr[0][1], 32);
    assert_int_equal(vgpr[1][0], 1);
    assert_int_equal(vgpr[2][0], 0);
    harness_close(&h);
}

static void check_gfx90a(void **state) {
    (void)state;
    run("gfx90a", 9, 0, 10, 64);
    check_common();
    assert_int_equal(sgpr[14], 1);
    assert_int_equal(vgpr[0][0], 31 | 1 << 10);
    assert_int_equal(vgpr[0][1], 32 | 1 << 10);
    harness_close(&h);
}

static void check_gfx942(void **state) {
    (void)state;
    run("gfx942", 9, 4, 2, 64);
    check_common();
    assert_int_equal(sgpr[6], 32);
    assert_int_equal(sgpr[7], 0x55667788);
    assert_int_equal(sgpr[8], 1);
    assert_int_equal(sgpr[10], 3);
    assert_int_equal(vgpr[0][1], 32 | 1 << 10);
    harness_close(&h);
}

static void check_gfx1030(void **state) {
    (void)state;
    run("gfx1030", 10, 3, 0, 32);
    check_common();
    assert_int_equal(sgpr[3] >> 21 & 3, 2);
    assert_int_equal(sgpr[14], 1);
    assert_int_equal(vgpr[0][0], 31);
    assert_int_equal(vgpr[1][1], 1);
    assert_int_equal(sgpr[126], 3);
    harness_close(&h);
}

static void check_gfx1100(void **state) {
    (void)state;
    run("gfx1100", 11, 0, 0, 32);
    check_common();
    assert_int_equal(sgpr[8], 1);
    assert_int_equal(sgpr[9], 2);
    assert_int_equal(sgpr[10], 3);
    assert_int_equal(vgpr[0][1], 32 | 1 << 10);
    harness_close(&h);
}

static void check_gfx1200(void **state) {
    (void)state;
    run("gfx1200", 12, 0, 0, 32);
    check_common();
    assert_int_equal(sgpr[8], 0);
    assert_int_equal(sgpr[WL_SGPR_TTMP + 9], 1);
    assert_int_equal(sgpr[WL_SGPR_TTMP + 7], 2 | 3 << 16);
    assert_int_equal(sgpr[WL_SGPR_TTMP + 8] >> 25 & 31, 2);
    assert_int_equal(vgpr[0][1], 32 | 1 << 10);
    harness_close(&h);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_gfx906),  cmocka_unit_test(check_gfx90a),  cmocka_unit_test(check_gfx942),
        cmocka_unit_test(check_gfx1030), cmocka_unit_test(check_gfx1100), cmocka_unit_test(check_gfx1200),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
