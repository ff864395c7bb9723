/* AMD's newer SMI library on two CPU devices for gfx90a, in both versions (WL_AMD_SMI): handles, numbers, links, sizes of structures,
 * another process that uses a device, and what is not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "user.h"

enum { SUCCESS, INVAL, NOT_SUPPORTED, NOT_FOUND = 31, NOT_INIT = 32, NO_HSMP_DRIVER = 47 };
enum { GPUS = 2, PCIE = 1, XGMI = 2 };

int amdsmi_init(uint64_t flags);
int amdsmi_shut_down(void);
int amdsmi_get_lib_version(uint32_t version[6]);
int amdsmi_status_code_to_string(int status, const char **text);
int amdsmi_get_socket_handles(uint32_t *count, void **sockets);
int amdsmi_get_socket_info(void *socket, size_t size, char *name);
int amdsmi_get_processor_handles(void *socket, uint32_t *count, void **processors);
int amdsmi_get_processor_handle_from_bdf(uint64_t place, void **processor);
int amdsmi_get_processor_type(void *processor, int *type);
int amdsmi_get_gpu_device_bdf(void *processor, uint64_t *place);
int amdsmi_get_gpu_device_uuid(void *processor, unsigned *size, char *uuid);
int amdsmi_get_gpu_enumeration_info(void *processor, void *info);
int amdsmi_get_gpu_asic_info(void *processor, void *info);
int amdsmi_get_gpu_kfd_info(void *processor, void *info);
int amdsmi_get_gpu_vram_info(void *processor, void *info);
int amdsmi_get_gpu_driver_info(void *processor, void *info);
int amdsmi_get_gpu_board_info(void *processor, void *info);
int amdsmi_get_pcie_info(void *processor, void *info);
int amdsmi_get_link_topology_nearest(void *processor, int type, void *nearest);
int amdsmi_topo_get_link_type(void *from, void *to, uint64_t *hops, int *type);
int amdsmi_topo_get_link_weight(void *from, void *to, uint64_t *weight);
int amdsmi_topo_get_p2p_status(void *from, void *to, int *type, uint8_t *capability);
int amdsmi_is_P2P_accessible(void *from, void *to, bool *accessible);
int amdsmi_get_gpu_memory_total(void *processor, int kind, uint64_t *total);
int amdsmi_get_gpu_memory_usage(void *processor, int kind, uint64_t *used);
int amdsmi_get_gpu_vram_usage(void *processor, uint32_t *info);
int amdsmi_get_gpu_process_list(void *processor, uint32_t *count, void *list);
int amdsmi_get_gpu_compute_process_gpus(uint32_t id, uint32_t *devices, uint32_t *count);
int amdsmi_get_gpu_metrics_info(void *processor, void *metrics);
int amdsmi_get_temp_metric(void *processor, int sensor, int metric, int64_t *value);
int amdsmi_get_xgmi_info(void *processor, void *info);
int amdsmi_get_cpu_handles(uint32_t *count, void **handles);

static int count;
static char **arguments;
static void *processors[2];

static void handles(void **state) {
    (void)state;
    uint32_t number = 0, one = 1, version[6];
    void *sockets[4] = {NULL}, *found = NULL;
    char name[64] = "", uuid[38];
    unsigned size = sizeof uuid;
    uint64_t place[2];
    int type = 0;
    const char *text = NULL;
    assert_int_equal(amdsmi_get_socket_handles(&number, NULL), NOT_INIT);
    assert_int_equal(amdsmi_init(1), NOT_SUPPORTED); /* CPUs alone */
    assert_int_equal(amdsmi_init(GPUS), SUCCESS);
    assert_int_equal(amdsmi_get_lib_version(version), SUCCESS);
    assert_int_equal(version[0], WL_AMD_SMI);
    assert_int_equal(amdsmi_get_socket_handles(&number, NULL), SUCCESS);
    assert_int_equal(number, 2);
    number = 4;
    assert_int_equal(amdsmi_get_socket_handles(&number, sockets), SUCCESS);
    assert_true(number == 2 && sockets[0] && sockets[1] && sockets[0] != sockets[1] && !sockets[2]);
    assert_int_equal(amdsmi_get_socket_info(sockets[0], sizeof name, name), SUCCESS);
    assert_string_equal(name, "0000:01:00");
    for (uint32_t i = 0; i < 2; i++) {
        assert_int_equal(amdsmi_get_processor_handles(sockets[i], &one, &processors[i]), SUCCESS);
        assert_int_equal(one, 1);
        assert_int_equal(amdsmi_get_gpu_device_bdf(processors[i], &place[i]), SUCCESS);
        assert_int_equal(amdsmi_get_processor_handle_from_bdf(place[i], &found), SUCCESS);
        assert_ptr_equal(found, processors[i]);
    }
    assert_int_equal(place[1], 2 << 8); /* bus 2 */
    assert_int_equal(amdsmi_get_processor_handle_from_bdf(77 << 8, &found), NOT_FOUND);
    assert_int_equal(amdsmi_get_processor_handles(processors[0], &one, &found), NOT_FOUND); /* no socket */
    assert_int_equal(amdsmi_get_processor_type(processors[1], &type), SUCCESS);
    assert_int_equal(type, 1);
    assert_int_equal(amdsmi_get_processor_type(&type, &type), NOT_FOUND);
    assert_int_equal(amdsmi_get_gpu_device_uuid(processors[0], &size, uuid), SUCCESS);
    assert_int_equal(strlen(uuid), 36);
    assert_int_equal(amdsmi_status_code_to_string(NOT_SUPPORTED, &text), SUCCESS);
    assert_non_null(strstr(text, "AMDSMI_STATUS_NOT_SUPPORTED"));
}

/* Calls a function that fills in a structure, and looks whether it writes all of it and nothing behind. */
static const unsigned char *filled(int (*function)(void *, void *), size_t size) {
    static unsigned char bytes[8192];
    memset(bytes, 0xa5, sizeof bytes);
    assert_int_equal(function(processors[1], bytes), SUCCESS);
    for (size_t i = size; i < sizeof bytes; i++)
        assert_int_equal(bytes[i], 0xa5);
    assert_int_not_equal(bytes[size - 1], 0xa5);
    return bytes;
}

static uint32_t word(const unsigned char *bytes, size_t offset) {
    uint32_t value;
    memcpy(&value, bytes + offset, sizeof value);
    return value;
}

static int nearest(void *processor, void *list) { return amdsmi_get_link_topology_nearest(processor, PCIE, list); }

/* Sizes and places as AMD's headers of the versions have them. */
static void structures(void **state) {
    (void)state;
    const unsigned char *info = filled(amdsmi_get_gpu_asic_info, 896);
    assert_int_equal(word(info, 256), 0x1002);
    assert_int_equal(word(info, 800), 0x90a);
    info = filled(amdsmi_get_gpu_enumeration_info, WL_AMD_SMI >= 27 ? 280 : 272);
    assert_true(word(info, 0) == 129 && word(info, 4) == 1 && word(info, 8) == 2 && word(info, 12) == 1);
    assert_int_equal(memcmp(info + 16, "GPU-", 4), 0);
    info = filled(amdsmi_get_gpu_kfd_info, 64);
    assert_int_equal(word(info, 8), 2);
    info = filled(amdsmi_get_gpu_vram_info, 584);
    uint64_t total = 0;
    assert_int_equal(amdsmi_get_gpu_memory_total(processors[1], 0, &total), SUCCESS);
    assert_int_equal(word(info, 264), total / MEBIBYTE);
    info = filled(amdsmi_get_gpu_driver_info, 768);
    assert_int_equal(strncmp((const char *)info, "Wavelift", 8), 0);
    (void)filled(amdsmi_get_gpu_board_info, 1792);
    info = filled(amdsmi_get_pcie_info, 512);
    assert_int_equal(word(info, 4), 16000);
    info = filled(nearest, WL_AMD_SMI >= 27 ? 2176 : 384);
    assert_int_equal(word(info, 0), 1);
    assert_int_equal(memcmp(info + 8, &processors[0], sizeof(void *)), 0);
}

static void links(void **state) {
    (void)state;
    uint64_t hops = 0, weight = 0;
    int type = 0;
    uint8_t capability[5] = {0};
    bool accessible = false;
    assert_int_equal(amdsmi_topo_get_link_type(processors[0], processors[1], &hops, &type), SUCCESS);
    assert_true(hops == 2 && type == PCIE);
    assert_int_equal(amdsmi_topo_get_link_weight(processors[0], processors[0], &weight), INVAL);
    assert_int_equal(amdsmi_topo_get_link_weight(processors[0], processors[1], &weight), SUCCESS);
    assert_int_equal(amdsmi_topo_get_p2p_status(processors[0], processors[1], &type, capability), SUCCESS);
    assert_int_equal(capability[4], UINT8_MAX);
    assert_int_equal(amdsmi_is_P2P_accessible(processors[0], processors[1], &accessible), SUCCESS);
    assert_true(accessible);
}

static void nothing(void **state) {
    (void)state;
    int64_t temperature = 7;
    uint32_t number = 0;
    char metrics[8192];
    assert_int_equal(amdsmi_get_gpu_metrics_info(processors[0], metrics), NOT_SUPPORTED);
    assert_int_equal(amdsmi_get_gpu_metrics_info(NULL, metrics), NOT_FOUND);
    assert_int_equal(amdsmi_get_temp_metric(processors[0], 0, 0, &temperature), NOT_SUPPORTED);
    assert_int_equal(temperature, 7);
    assert_int_equal(amdsmi_get_xgmi_info(processors[0], metrics), NOT_SUPPORTED);
    assert_int_equal(amdsmi_get_cpu_handles(&number, NULL), NO_HSMP_DRIVER);
}

static void processes(void **state) {
    (void)state;
    enum { SIZE = 704, MOST = 256 };
    static unsigned char list[MOST][SIZE];
    const struct user user = begin_use(arguments[0]);
    uint32_t number = MOST, devices[4], found = 4, usage[4], seen = 0;
    assert_int_equal(amdsmi_get_gpu_process_list(processors[1], &number, list), SUCCESS);
    for (uint32_t i = 0; i < number; i++)
        if (word(list[i], 256) == (uint32_t)user.process) {
            seen++;
            assert_int_equal(word(list[i], 352), USED); /* of video memory */
            assert_int_equal(strncmp((const char *)list[i], "amd_smi", 7), 0);
        }
    assert_int_equal(seen, 1);
    assert_int_equal(amdsmi_get_gpu_compute_process_gpus((uint32_t)user.process, devices, &found), SUCCESS);
    assert_true(found == 1 && devices[0] == 1);
    assert_int_equal(amdsmi_get_gpu_vram_usage(processors[1], usage), SUCCESS);
    assert_true(usage[1] >= 5 && usage[1] <= usage[0]);
    end_use(&user);
    assert_int_equal(amdsmi_get_gpu_compute_process_gpus((uint32_t)user.process, devices, &found), NOT_FOUND);
    assert_int_equal(amdsmi_shut_down(), SUCCESS);
    assert_int_equal(amdsmi_shut_down(), NOT_INIT);
}

int main(int argc, char **argv) {
    count = argc;
    arguments = argv;
    if (count > 1)
        return use();
    const struct CMUnitTest tests[] = {cmocka_unit_test(handles), cmocka_unit_test(structures), cmocka_unit_test(links),
                                       cmocka_unit_test(nothing), cmocka_unit_test(processes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
