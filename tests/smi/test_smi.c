/* ROCm's SMI functions on two CPU devices for gfx90a: names and numbers, links, the memory and the processes that use a device, and what is
 * not there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "user.h"

enum { SUCCESS, INVALID_ARGS, NOT_SUPPORTED, INIT_ERROR = 8, NOT_FOUND = 10 };

struct process {
    uint32_t id, pasid;
    uint64_t vram, sdma;
    uint32_t occupancy;
};

int rsmi_init(uint64_t flags);
int rsmi_shut_down(void);
int rsmi_num_monitor_devices(uint32_t *count);
int rsmi_dev_name_get(uint32_t device, char *name, size_t size);
int rsmi_dev_pci_id_get(uint32_t device, uint64_t *bdf);
int rsmi_dev_target_graphics_version_get(uint32_t device, uint64_t *version);
int rsmi_dev_memory_total_get(uint32_t device, int type, uint64_t *total);
int rsmi_dev_memory_usage_get(uint32_t device, int type, uint64_t *used);
int rsmi_topo_get_link_type(uint32_t from, uint32_t to, uint64_t *hops, uint32_t *type);
int rsmi_topo_get_link_weight(uint32_t from, uint32_t to, uint64_t *weight);
int rsmi_is_P2P_accessible(uint32_t from, uint32_t to, bool *accessible);
int rsmi_compute_process_info_get(struct process *processes, uint32_t *count);
int rsmi_compute_process_info_by_pid_get(uint32_t id, struct process *process);
int rsmi_compute_process_gpus_get(uint32_t id, uint32_t *devices, uint32_t *count);
int rsmi_dev_temp_metric_get(uint32_t device, uint32_t sensor, int metric, int64_t *temperature);
int rsmi_status_string(int status, const char **text);

static int count;
static char **arguments;

static void numbers(void **state) {
    (void)state;
    uint32_t devices = 0, type = 0;
    uint64_t bdf[2], version = 0, hops = 0, weight = 0;
    char name[64] = "";
    bool accessible = false;
    const char *text = NULL;
    assert_int_equal(rsmi_num_monitor_devices(&devices), INIT_ERROR);
    assert_int_equal(rsmi_init(0), SUCCESS);
    assert_int_equal(rsmi_num_monitor_devices(&devices), SUCCESS);
    assert_int_equal(devices, 2);
    assert_int_equal(rsmi_dev_name_get(1, name, sizeof name), SUCCESS);
    assert_true(strlen(name) > 0);
    assert_int_equal(rsmi_dev_name_get(2, name, sizeof name), INVALID_ARGS);
    assert_int_equal(rsmi_dev_pci_id_get(0, &bdf[0]), SUCCESS);
    assert_int_equal(rsmi_dev_pci_id_get(1, &bdf[1]), SUCCESS);
    assert_int_not_equal(bdf[0], bdf[1]);
    assert_int_equal(rsmi_dev_target_graphics_version_get(0, &version), SUCCESS);
    assert_int_equal(version, 0x90a);
    assert_int_equal(rsmi_topo_get_link_type(0, 1, &hops, &type), SUCCESS);
    assert_true(hops == 2 && type == 1);
    assert_int_equal(rsmi_topo_get_link_weight(0, 1, &weight), SUCCESS);
    assert_int_equal(rsmi_topo_get_link_weight(0, 0, &weight), INVALID_ARGS);
    assert_int_equal(rsmi_is_P2P_accessible(0, 1, &accessible), SUCCESS);
    assert_true(accessible);
    assert_int_equal(rsmi_dev_temp_metric_get(0, 0, 0, &(int64_t){0}), NOT_SUPPORTED);
    assert_int_equal(rsmi_status_string(NOT_SUPPORTED, &text), SUCCESS);
    assert_non_null(strstr(text, "RSMI_STATUS_NOT_SUPPORTED"));
}

static void use_of_memory(void **state) {
    (void)state;
    uint64_t before[2], used[2], total = 0;
    assert_int_equal(rsmi_dev_memory_total_get(1, 0, &total), SUCCESS);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(rsmi_dev_memory_usage_get(i, 0, &before[i]), SUCCESS);
    const struct user user = begin_use(arguments[0]);
    for (uint32_t i = 0; i < 2; i++)
        assert_int_equal(rsmi_dev_memory_usage_get(i, 0, &used[i]), SUCCESS);
    assert_int_equal(used[1] - before[1], USED);
    assert_int_equal(used[0], before[0]);
    assert_true(used[1] <= total);
    struct process process;
    assert_int_equal(rsmi_compute_process_info_by_pid_get((uint32_t)user.process, &process), SUCCESS);
    assert_int_equal(process.vram, USED);
    uint32_t devices[4], found = 4, processes = 0;
    assert_int_equal(rsmi_compute_process_gpus_get((uint32_t)user.process, devices, &found), SUCCESS);
    assert_true(found == 1 && devices[0] == 1);
    assert_int_equal(rsmi_compute_process_info_get(NULL, &processes), SUCCESS);
    assert_true(processes >= 1);
    end_use(&user);
    assert_int_equal(rsmi_compute_process_info_by_pid_get((uint32_t)user.process, &process), NOT_FOUND);
    assert_int_equal(rsmi_shut_down(), SUCCESS);
    assert_int_equal(rsmi_shut_down(), INIT_ERROR);
}

int main(int argc, char **argv) {
    count = argc;
    arguments = argv;
    if (count > 1)
        return use();
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(use_of_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
