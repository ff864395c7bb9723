/* HSA's images and samplers: their memory, what is refused, contents by the host and by kernels. */
#include "client.h"

#include <hsa_ext_image.h>

static const hsa_ext_image_format_t bytes = {HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA};

static hsa_ext_image_t image_of(hsa_ext_image_descriptor_t descriptor, void **memory) {
    hsa_ext_image_data_info_t info;
    hsa_ext_image_t image;
    OK(hsa_ext_image_data_get_info(device, &descriptor, HSA_ACCESS_PERMISSION_RW, &info));
    *memory = allocate(device_pool, info.size);
    OK(hsa_ext_image_create(device, &descriptor, *memory, HSA_ACCESS_PERMISSION_RW, &image));
    return image;
}

static void wrong_images(void) {
    hsa_ext_image_descriptor_t descriptor = {HSA_EXT_IMAGE_GEOMETRY_2D, 5, 3, 0, 0, bytes};
    hsa_ext_image_data_info_t info;
    uint32_t can = 0;
    OK(hsa_ext_image_get_capability(device, HSA_EXT_IMAGE_GEOMETRY_2D, &bytes, &can));
    assert_true(can & HSA_EXT_IMAGE_CAPABILITY_READ_WRITE);
    OK(hsa_ext_image_get_capability(host, HSA_EXT_IMAGE_GEOMETRY_2D, &bytes, &can));
    assert_int_equal(can, 0);
    OK(hsa_ext_image_data_get_info(device, &descriptor, HSA_ACCESS_PERMISSION_RO, &info));
    assert_int_equal(info.size, 3 * 256);
    assert_int_equal(hsa_ext_image_data_get_info_with_layout(device, &descriptor, HSA_ACCESS_PERMISSION_RO,
                                                             HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 20, 0, &info),
                     HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED);
    OK(hsa_ext_image_data_get_info_with_layout(device, &descriptor, HSA_ACCESS_PERMISSION_RO, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 512, 0,
                                               &info));
    assert_int_equal(info.size, 3 * 512);
    descriptor.depth = 2;
    assert_int_equal(hsa_ext_image_data_get_info(device, &descriptor, HSA_ACCESS_PERMISSION_RO, &info),
                     HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED);
    descriptor.format.channel_type = HSA_EXT_IMAGE_CHANNEL_TYPE_UNORM_SHORT_565;
    assert_int_equal(hsa_ext_image_data_get_info(device, &descriptor, HSA_ACCESS_PERMISSION_RO, &info),
                     HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED);
}

static void images(void **state) {
    (void)state;
    enum { WIDTH = 5, HEIGHT = 3, LONG = 100000 };
    hsa_executable_t executable = load();
    hsa_queue_t *queue = make_queue();
    hsa_signal_t done = signal_of(1);
    uint8_t texels[HEIGHT][WIDTH][4], got[HEIGHT][WIDTH][4] = {0};
    const hsa_ext_image_region_t whole = {{0, 0, 0}, {WIDTH, HEIGHT, 1}};
    const float color[4] = {1, 0.2f, 0.4f, 0.6f};
    void *memory[4];
    wrong_images();
    hsa_ext_images_1_pfn_t table;
    OK(hsa_system_get_major_extension_table(HSA_EXTENSION_IMAGES, 1, sizeof table, &table));

    /* A kernel turns the components of each texel; texels come and go by import, copy and export. */
    const hsa_ext_image_descriptor_t flat = {HSA_EXT_IMAGE_GEOMETRY_2D, WIDTH, HEIGHT, 0, 0, bytes};
    hsa_ext_image_t from = image_of(flat, &memory[0]), to = image_of(flat, &memory[1]);
    for (unsigned i = 0; i < sizeof texels; i++)
        ((uint8_t *)texels)[i] = (uint8_t)(i * 7);
    OK(table.hsa_ext_image_import(device, texels, 0, 0, from, &whole));
    OK(hsa_ext_image_clear(device, to, color, &whole));
    OK(hsa_ext_image_export(device, to, got, 0, 0, &whole));
    assert_memory_equal(got[2][4], ((uint8_t[]){102, 51, 255, 153}), 4);
    hsa_ext_image_t *turned = allocate(kernarg_pool, 256);
    turned[0] = from;
    turned[1] = to;
    dispatch(queue, kernel_of(executable, "turn_texels.kd"), WIDTH * HEIGHT, WIDTH, 0, turned, done);
    wait_for(done);
    OK(hsa_ext_image_export(device, to, got, 0, 0, &whole));
    for (unsigned y = 0; y < HEIGHT; y++)
        for (unsigned x = 0; x < WIDTH; x++) /* r, g, b, a become a, b, g, r; in memory b, g, r, a */
            assert_memory_equal(got[y][x], ((uint8_t[]){texels[y][x][1], texels[y][x][0], texels[y][x][3], texels[y][x][2]}), 4);
    OK(hsa_ext_image_copy(device, from, &(hsa_dim3_t){1, 0, 0}, to, &(hsa_dim3_t){3, 2, 0}, &(hsa_dim3_t){2, 1, 1}));
    OK(hsa_ext_image_export(device, to, got, 4 * WIDTH, 0, &whole));
    assert_memory_equal(got[2][3], texels[0][1], 8);
    assert_int_equal(hsa_ext_image_copy(device, from, &(hsa_dim3_t){4, 0, 0}, to, &(hsa_dim3_t){0, 0, 0}, &(hsa_dim3_t){2, 1, 1}),
                     HSA_STATUS_ERROR_INVALID_ARGUMENT);

    /* Slices, linear memory, a sampler. */
    const hsa_ext_image_format_t floats = {HSA_EXT_IMAGE_CHANNEL_TYPE_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
    const hsa_ext_image_region_t point = {{2, 1, 1}, {1, 1, 1}}, far = {{70000, 0, 0}, {1, 1, 1}};
    hsa_ext_image_t deep = image_of((hsa_ext_image_descriptor_t){HSA_EXT_IMAGE_GEOMETRY_3D, 4, 4, 4, 0, floats}, &memory[2]);
    hsa_ext_image_t line = image_of((hsa_ext_image_descriptor_t){HSA_EXT_IMAGE_GEOMETRY_1DB, LONG, 0, 0, 0, floats}, &memory[3]);
    hsa_ext_sampler_t sampler;
    OK(hsa_ext_sampler_create(device,
                              &(hsa_ext_sampler_descriptor_t){HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED,
                                                              HSA_EXT_SAMPLER_FILTER_MODE_NEAREST,
                                                              HSA_EXT_SAMPLER_ADDRESSING_MODE_CLAMP_TO_EDGE},
                              &sampler));
    OK(hsa_ext_image_clear(device, deep, color, &point));
    OK(hsa_ext_image_clear(device, line, (const float[4]){5, 6, 7, 8}, &far));
    float *seen = allocate(host_pool, 4096);
    struct {
        hsa_ext_image_t deep, line, flat;
        hsa_ext_sampler_t sampler;
        float *seen;
    } *see = allocate(kernarg_pool, 256);
    *see = (__typeof__(*see)){deep, line, from, sampler, seen};
    memset(seen, 0, 4096);
    hsa_signal_store_relaxed(done, 1);
    dispatch(queue, kernel_of(executable, "see_texels.kd"), 1, 1, 0, see, done);
    wait_for(done);
    assert_memory_equal(seen, color, sizeof color);
    assert_memory_equal(seen + 4, ((float[]){5, 6, 7, 8}), 16);
    if (strcmp(getenv("WAVELIFT_ARCH"), "gfx90a") != 0) /* which has no samplers */
        assert_true(seen[8] == (float)texels[0][2][2] / 255 && seen[11] == (float)texels[0][2][3] / 255);

    for (unsigned i = 0; i < 4; i++)
        OK(hsa_amd_memory_pool_free(memory[i]));
    hsa_ext_image_t all[] = {from, to, deep, line};
    for (unsigned i = 0; i < 4; i++)
        OK(hsa_ext_image_destroy(device, all[i]));
    OK(hsa_ext_sampler_destroy(device, sampler));
    OK(hsa_amd_memory_pool_free(seen));
    OK(hsa_amd_memory_pool_free(see));
    OK(hsa_amd_memory_pool_free(turned));
    OK(hsa_signal_destroy(done));
    OK(hsa_queue_destroy(queue));
    OK(hsa_executable_destroy(executable));
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(images)};
    return cmocka_run_group_tests(tests, set_up, NULL);
}
