/* Arrays and mipmapped arrays: making, asking, copying in every form; descriptions. */
#include "api_test.h"

#include <pthread.h>

static hipChannelFormatDesc bytes1(void) { return hipCreateChannelDesc(8, 0, 0, 0, hipChannelFormatKindUnsigned); }

static unsigned char pattern(size_t i) { return (unsigned char)(i * 37 + i / 251 + 11); }

static void fill_pattern(unsigned char *memory, size_t size) {
    for (size_t i = 0; i < size; i++)
        memory[i] = pattern(i);
}

static void test_descriptions(void **state) {
    (void)state;
    static const struct {
        int bits[4];
        hipChannelFormatKind kind;
        hipArray_Format format;
        unsigned channels;
        int good;
    } cases[] = {
        {{8, 0, 0, 0}, hipChannelFormatKindUnsigned, HIP_AD_FORMAT_UNSIGNED_INT8, 1, 1},
        {{8, 8, 0, 0}, hipChannelFormatKindSigned, HIP_AD_FORMAT_SIGNED_INT8, 2, 1},
        {{16, 16, 16, 16}, hipChannelFormatKindUnsigned, HIP_AD_FORMAT_UNSIGNED_INT16, 4, 1},
        {{16, 0, 0, 0}, hipChannelFormatKindSigned, HIP_AD_FORMAT_SIGNED_INT16, 1, 1},
        {{32, 0, 0, 0}, hipChannelFormatKindUnsigned, HIP_AD_FORMAT_UNSIGNED_INT32, 1, 1},
        {{32, 32, 0, 0}, hipChannelFormatKindSigned, HIP_AD_FORMAT_SIGNED_INT32, 2, 1},
        {{16, 16, 0, 0}, hipChannelFormatKindFloat, HIP_AD_FORMAT_HALF, 2, 1},
        {{32, 32, 32, 32}, hipChannelFormatKindFloat, HIP_AD_FORMAT_FLOAT, 4, 1},
        {{8, 0, 0, 0}, hipChannelFormatKindFloat, HIP_AD_FORMAT_FLOAT, 1, 0},
        {{32, 32, 32, 0}, hipChannelFormatKindFloat, HIP_AD_FORMAT_FLOAT, 3, 0},
        {{32, 16, 0, 0}, hipChannelFormatKindFloat, HIP_AD_FORMAT_FLOAT, 2, 0},
        {{64, 0, 0, 0}, hipChannelFormatKindUnsigned, HIP_AD_FORMAT_UNSIGNED_INT32, 1, 0},
        {{0, 0, 0, 0}, hipChannelFormatKindUnsigned, HIP_AD_FORMAT_UNSIGNED_INT8, 1, 0},
        {{8, 0, 8, 0}, hipChannelFormatKindUnsigned, HIP_AD_FORMAT_UNSIGNED_INT8, 3, 0},
        {{8, 0, 0, 0}, hipChannelFormatKindNone, HIP_AD_FORMAT_UNSIGNED_INT8, 1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const int *b = cases[i].bits;
        hipChannelFormatDesc desc = hipCreateChannelDesc(b[0], b[1], b[2], b[3], cases[i].kind), back;
        hipArray_t array = NULL;
        if (!cases[i].good) {
            fails(hipErrorInvalidValue, hipMallocArray(&array, &desc, 4, 4, 0));
            continue;
        }
        HIP_ARRAY_DESCRIPTOR plane;
        HIP_ARRAY3D_DESCRIPTOR block;
        hipExtent extent;
        unsigned flags = 7;
        ok(hipMallocArray(&array, &desc, 6, 5, hipArraySurfaceLoadStore));
        ok(hipGetChannelDesc(&back, array));
        assert_memory_equal(&back, &desc, sizeof desc);
        ok(hipArrayGetDescriptor(&plane, array));
        assert_int_equal(plane.Width, 6);
        assert_int_equal(plane.Height, 5);
        assert_int_equal(plane.Format, cases[i].format);
        assert_int_equal(plane.NumChannels, cases[i].channels);
        ok(hipArray3DGetDescriptor(&block, array));
        assert_int_equal(block.Depth, 0);
        assert_int_equal(block.Flags, hipArraySurfaceLoadStore);
        assert_int_equal(block.Format, cases[i].format);
        ok(hipArrayGetInfo(&back, &extent, &flags, array));
        assert_int_equal(extent.width, 6);
        assert_int_equal(extent.height, 5);
        assert_int_equal(extent.depth, 0);
        assert_int_equal(flags, hipArraySurfaceLoadStore);
        ok(hipArrayGetInfo(NULL, NULL, NULL, array));
        ok(hipFreeArray(array));
        /* The driver's description makes the same array. */
        ok(hipArray3DCreate(&array, &block));
        ok(hipGetChannelDesc(&back, array));
        assert_memory_equal(&back, &desc, sizeof desc);
        ok(hipArrayDestroy(array));
        ok(hipArrayCreate(&array, &plane));
        ok(hipArrayGetInfo(&back, &extent, &flags, array));
        assert_int_equal(flags, 0);
        ok(hipArrayDestroy(array));
    }
}

static void test_errors(void **state) {
    (void)state;
    hipChannelFormatDesc desc = bytes1();
    hipArray_t array = NULL;
    hipExtent extent;
    HIP_ARRAY_DESCRIPTOR plane = {4, 4, HIP_AD_FORMAT_UNSIGNED_INT8, 1};
    HIP_ARRAY3D_DESCRIPTOR block = {4, 4, 0, HIP_AD_FORMAT_UNSIGNED_INT8, 3, 0};
    fails(hipErrorInvalidValue, hipMallocArray(NULL, &desc, 4, 4, 0));
    fails(hipErrorInvalidValue, hipMallocArray(&array, NULL, 4, 4, 0));
    fails(hipErrorInvalidValue, hipMallocArray(&array, &desc, 0, 4, 0));
    fails(hipErrorInvalidValue, hipMallocArray(&array, &desc, 4, 4, 0x100));
    fails(hipErrorInvalidValue, hipMallocArray(&array, &desc, 4, 4, hipArrayLayered));
    fails(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, make_hipExtent(4, 0, 4), 0));
    fails(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, make_hipExtent(4, 4, 0), hipArrayLayered));
    fails(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, make_hipExtent(4, 8, 6), hipArrayCubemap));
    fails(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, make_hipExtent(4, 4, 5), hipArrayCubemap));
    fails(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, make_hipExtent(4, 4, 12), hipArrayCubemap));
    fails(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, make_hipExtent(1u << 31, 1u << 31, 1u << 31), 0));
    fails(hipErrorInvalidValue, hipArray3DCreate(&array, &block)); /* three channels */
    fails(hipErrorInvalidValue, hipArray3DCreate(&array, NULL));
    fails(hipErrorInvalidValue, hipArrayCreate(&array, NULL));
    plane.Format = (hipArray_Format)0x33;
    fails(hipErrorInvalidValue, hipArrayCreate(&array, &plane));
    fails(hipErrorInvalidValue, hipFreeArray(NULL));
    fails(hipErrorContextIsDestroyed, hipFreeArray((hipArray_t)&desc));
    fails(hipErrorInvalidValue, hipGetChannelDesc(&desc, NULL));
    fails(hipErrorInvalidHandle, hipArrayGetInfo(&desc, &extent, NULL, (hipArray_t)&desc));
    ok(hipMallocArray(&array, &desc, 4, 4, 0));
    fails(hipErrorInvalidValue, hipGetChannelDesc(NULL, array));
    fails(hipErrorInvalidValue, hipArrayGetDescriptor(NULL, array));
    fails(hipErrorInvalidHandle, hipArrayGetDescriptor(&plane, NULL)); /* no array is looked at first */
    fails(hipErrorInvalidHandle, hipArray3DGetDescriptor(NULL, NULL));
    fails(hipErrorInvalidHandle, hipArrayGetInfo(NULL, NULL, NULL, NULL));
    ok(hipFreeArray(array));
    fails(hipErrorContextIsDestroyed, hipFreeArray(array)); /* a freed array */
    fails(hipErrorContextIsDestroyed, hipArrayDestroy(array));
    fails(hipErrorInvalidHandle, hipMemcpyAtoH(&extent, array, 0, 1));
    ok(hipMalloc3DArray(&array, &desc, make_hipExtent(4, 4, 12), hipArrayCubemap | hipArrayLayered));
    ok(hipFreeArray(array));
    ok(hipMalloc3DArray(&array, &desc, make_hipExtent(4, 0, 3), hipArrayLayered));
    ok(hipFreeArray(array));
}

/* What the device's properties tell of textures holds of arrays; one more is an error. */
static void test_limits(void **state) {
    (void)state;
    static const struct {
        size_t width, height, depth;
        unsigned flags;
        int past; /* the dimension that is at its limit */
    } shapes[] = {{16384, 0, 0, 0, 0},
                  {16384, 2, 0, 0, 0},
                  {2, 16384, 0, 0, 1},
                  {2, 2, 8192, 0, 2},
                  {2, 16384, 2, 0, 1},
                  {2, 0, 8192, hipArrayLayered, 2},
                  {2, 2, 8192, hipArrayLayered, 2}};
    hipChannelFormatDesc desc = bytes1();
    hipArray_t array = NULL;
    hipDeviceProp_t properties;
    ok(hipGetDeviceProperties(&properties, 0));
    if (properties.maxTexture1D) { /* there are textures */
        assert_int_equal(properties.maxTexture1D, 16384);
        assert_int_equal(properties.maxTexture2D[1], 16384);
        assert_int_equal(properties.maxTexture3D[2], 8192);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        hipExtent extent = make_hipExtent(shapes[i].width, shapes[i].height, shapes[i].depth);
        ok(hipMalloc3DArray(&array, &desc, extent, shapes[i].flags));
        ok(hipFreeArray(array));
        *(shapes[i].past == 0 ? &extent.width : shapes[i].past == 1 ? &extent.height : &extent.depth) += 1;
        fails(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, extent, shapes[i].flags));
    }
}

static void test_accounting(void **state) {
    (void)state;
    hipChannelFormatDesc desc = bytes1();
    hipArray_t array = NULL;
    size_t before = 0, between = 0, after = 0;
    before = memory_left();
    ok(hipMallocArray(&array, &desc, 1000, 1000, 0));
    between = memory_left();
    assert_true(on_gpu() || before - between >= 1000 * 1000);
    ok(hipFreeArray(array));
    after = memory_left();
    assert_int_equal(before, after);
}

/* A rectangle goes in with a pitch and comes out with another; what is around it stays. */
static void test_rectangles(void **state) {
    (void)state;
    enum { WIDTH = 30, HEIGHT = 9 };
    hipChannelFormatDesc desc = hipCreateChannelDesc(16, 16, 0, 0, hipChannelFormatKindUnsigned);
    unsigned char in[40 * HEIGHT], all[WIDTH * HEIGHT], out[13 * 4];
    hipArray_t array = NULL, other = NULL;
    hipStream_t stream = NULL;
    ok(hipStreamCreate(&stream));
    ok(hipMallocArray(&array, &desc, WIDTH / 4 + 1, HEIGHT, 0)); /* 32 bytes a row */
    ok(hipMallocArray(&other, &desc, 10, 20, 0));
    fill_pattern(in, sizeof in);
    memset(all, 0xee, sizeof all);
    ok(hipMemcpy2DToArray(array, 0, 0, all, WIDTH, WIDTH, HEIGHT, hipMemcpyHostToDevice));
    ok(hipMemcpy2DToArrayAsync(array, 4, 2, in + 5, 40, 12, 4, hipMemcpyHostToDevice, stream));
    ok(hipMemcpy2DFromArrayAsync(all, WIDTH, array, 0, 0, WIDTH, HEIGHT, hipMemcpyDeviceToHost, stream));
    ok(hipStreamSynchronize(stream));
    for (size_t y = 0; y < HEIGHT; y++)
        for (size_t x = 0; x < WIDTH; x++) {
            int inside = x >= 4 && x < 16 && y >= 2 && y < 6;
            assert_int_equal(all[y * WIDTH + x], inside ? pattern(5 + (y - 2) * 40 + x - 4) : 0xee);
        }
    memset(out, 1, sizeof out);
    ok(hipMemcpy2DFromArray(out, 13, array, 4, 2, 12, 4, hipMemcpyDefault));
    for (size_t y = 0; y < 4; y++) {
        assert_memory_equal(out + y * 13, in + 5 + y * 40, 12);
        assert_int_equal(out[y * 13 + 12], 1);
    }
    ok(hipMemcpy2DArrayToArray(other, 8, 3, array, 4, 2, 12, 4, hipMemcpyDeviceToDevice));
    memset(out, 0, sizeof out);
    ok(hipMemcpy2DFromArray(out, 13, other, 8, 3, 12, 4, hipMemcpyDeviceToHost));
    assert_memory_equal(out, in + 5, 12);

    fails(hipErrorInvalidHandle, hipMemcpy2DToArray(NULL, 0, 0, in, 40, 4, 1, hipMemcpyHostToDevice));
    fails(hipErrorInvalidHandle, hipMemcpy2DFromArray(out, 13, NULL, 0, 0, 4, 1, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidHandle, hipMemcpy2DArrayToArray(NULL, 0, 0, array, 0, 0, 4, 1, hipMemcpyDeviceToDevice));
    fails(hipErrorInvalidPitchValue, hipMemcpy2DToArray(NULL, 0, 0, in, 3, 4, 2, hipMemcpyHostToDevice)); /* memory is looked at first */
    fails(hipErrorInvalidValue, hipMemcpy2DToArray(array, 0, 0, NULL, 40, 4, 1, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemcpy2DToArray(array, 24, 0, in, 40, 12, 1, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemcpy2DToArray(array, 0, 8, in, 40, 4, 2, hipMemcpyHostToDevice));
    fails(hipErrorInvalidValue, hipMemcpy2DToArray(array, SIZE_MAX, 0, in, 40, 2, 1, hipMemcpyHostToDevice));
    fails(hipErrorInvalidPitchValue, hipMemcpy2DToArray(array, 0, 0, in, 3, 4, 2, hipMemcpyHostToDevice));
    /* The direction is about the memory: it says of `in` and `out` that they are a device's. */
    fails(hipErrorInvalidValue, hipMemcpy2DToArray(array, 0, 0, in, 40, 4, 1, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidValue, hipMemcpy2DFromArray(out, 13, array, 0, 0, 4, 1, hipMemcpyHostToDevice));
    ok(hipMemcpy2DToArray(array, 0, 0, in, 40, 4, 1, hipMemcpyHostToHost));
    fails(hipErrorInvalidMemcpyDirection, hipMemcpy2DFromArray(out, 13, array, 0, 0, 4, 1, (hipMemcpyKind)9));
    fails(hipErrorInvalidMemcpyDirection, hipMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 4, 1, (hipMemcpyKind)9));
    ok(hipMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, 4, 1, hipMemcpyHostToHost));
    fails(hipErrorInvalidPitchValue, hipMemcpy2DFromArray(out, 3, array, 0, 0, 4, 2, hipMemcpyDeviceToHost));
    fails(hipErrorContextIsDestroyed, hipMemcpy2DFromArrayAsync(out, 13, array, 0, 0, 4, 2, hipMemcpyDeviceToHost, (hipStream_t)in));
    ok(hipMemcpy2DToArray(array, 0, 0, in, 40, 0, 5, hipMemcpyHostToDevice));
    ok(hipMemcpy2DFromArray(out, 13, array, 0, 0, 4, 0, hipMemcpyDeviceToHost));
    ok(hipFreeArray(array));
    ok(hipFreeArray(other));
    ok(hipStreamDestroy(stream));
}

/* What programs with a default stream for each thread call. */
hipError_t hipMemcpy2DToArray_spt(hipArray_t, size_t, size_t, const void *, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpy2DToArrayAsync_spt(hipArray_t, size_t, size_t, const void *, size_t, size_t, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemcpy2DFromArray_spt(void *, size_t, hipArray_const_t, size_t, size_t, size_t, size_t, hipMemcpyKind);
hipError_t hipMemcpy2DFromArrayAsync_spt(void *, size_t, hipArray_const_t, size_t, size_t, size_t, size_t, hipMemcpyKind, hipStream_t);
hipError_t hipMemcpyFromArray_spt(void *, hipArray_const_t, size_t, size_t, size_t, hipMemcpyKind);

static void test_per_thread(void **state) {
    (void)state;
    hipChannelFormatDesc desc = bytes1();
    unsigned char in[60], out[60] = {0};
    hipArray_t array = NULL;
    fill_pattern(in, sizeof in);
    ok(hipMallocArray(&array, &desc, 10, 6, 0));
    ok(hipMemcpy2DToArray_spt(array, 0, 0, in, 10, 10, 3, hipMemcpyHostToDevice));
    ok(hipMemcpy2DToArrayAsync_spt(array, 0, 3, in + 30, 10, 10, 3, hipMemcpyHostToDevice, NULL));
    ok(hipMemcpy2DFromArray_spt(out, 10, array, 0, 0, 10, 2, hipMemcpyDeviceToHost));
    ok(hipMemcpy2DFromArrayAsync_spt(out + 20, 10, array, 0, 2, 10, 2, hipMemcpyDeviceToHost, NULL));
    ok(hipMemcpyFromArray_spt(out + 40, array, 0, 4, 20, hipMemcpyDeviceToHost));
    ok(hipStreamSynchronize(hipStreamPerThread));
    assert_memory_equal(in, out, sizeof in);
    fails(hipErrorInvalidValue, hipMemcpy2DFromArray_spt(out, 10, array, 1, 0, 10, 1, hipMemcpyDeviceToHost));
    ok(hipFreeArray(array));
}

/* Bytes run on from row to row, and from plane to plane. */
static void test_runs(void **state) {
    (void)state;
    enum { ROW = 20, ROWS = 6, PLANES = 3, ALL = ROW * ROWS * PLANES };
    hipChannelFormatDesc desc = bytes1();
    unsigned char in[ALL], out[ALL], expected[ALL];
    hipArray_t array = NULL, line = NULL;
    hipStream_t stream = NULL;
    void *device = NULL;
    ok(hipStreamCreate(&stream));
    ok(hipMalloc(&device, ALL));
    ok(hipMalloc3DArray(&array, &desc, make_hipExtent(ROW, ROWS, PLANES), 0));
    ok(hipMallocArray(&line, &desc, ALL, 0, 0));
    fill_pattern(in, ALL);
    memset(expected, 0, ALL);
    ok(hipMemcpyToArray(array, 0, 0, expected, ALL, hipMemcpyHostToDevice));
    for (unsigned seed = 1; seed <= 200;
         seed++) { /* random runs, the first three kinds within the first row; a plain buffer is the oracle */
        size_t all = seed % 4 < 3 ? ROW : ALL, at = seed * 7919u % all, count = 1 + seed * 104729u % (all - at);
        switch (seed % 4) {
        case 0:
            ok(hipMemcpyHtoA(array, at, in + at / 2, count));
            memcpy(expected + at, in + at / 2, count);
            break;
        case 1:
            ok(hipMemcpyHtoD(device, in, ALL));
            ok(hipMemcpyDtoA(array, at, device, count));
            memcpy(expected + at, in, count);
            break;
        case 2:
            ok(hipMemcpyHtoAAsync(line, 0, in, ALL, stream));
            ok(hipStreamSynchronize(stream));
            ok(hipMemcpyAtoA(array, at, line, ALL - count, count));
            memcpy(expected + at, in + ALL - count, count);
            break;
        default:
            ok(hipMemcpyToArray(array, at % ROW, at / ROW, in + 1, count - 1, hipMemcpyHostToDevice));
            memcpy(expected + at, in + 1, count - 1);
        }
        memset(out, 0x55, ALL);
        ok(hipMemcpyFromArray(out, array, 0, 0, ALL, hipMemcpyDeviceToHost));
        ok(hipMemcpyAtoHAsync(out, array, 0, ROW, stream));
        ok(hipStreamSynchronize(stream));
        assert_memory_equal(out, expected, ALL);
    }
    ok(hipMemcpyAtoD(device, array, 3, 15));
    ok(hipMemcpyDtoH(out, device, 15));
    assert_memory_equal(out, expected + 3, 15);
    ok(hipMemcpyFromArray(out, array, 3, 2, 100, hipMemcpyDeviceToHost));
    assert_memory_equal(out, expected + 43, 100);
    fails(hipErrorInvalidValue, hipMemcpyAtoH(out, array, 0, 0));
    fails(hipErrorInvalidValue, hipMemcpyAtoH(out, array, ROW, 1));
    fails(hipErrorInvalidValue, hipMemcpyAtoH(out, array, 1, ROW)); /* these copy within the first row */
    fails(hipErrorInvalidValue, hipMemcpyHtoA(array, 1, in, ROW));
    fails(hipErrorInvalidValue, hipMemcpyHtoA(array, 0, in, 0));
    fails(hipErrorInvalidValue, hipMemcpyAtoA(array, 0, line, 0, ROW + 1));
    fails(hipErrorInvalidValue, hipMemcpyAtoH(NULL, array, 0, 1));
    fails(hipErrorInvalidValue, hipMemcpyAtoH(out, NULL, 0, 1));
    fails(hipErrorInvalidValue, hipMemcpyHtoA(array, SIZE_MAX, in, 2));
    fails(hipErrorInvalidHandle, hipMemcpyDtoA((hipArray_t)in, 0, device, 1));
    fails(hipErrorInvalidValue, hipMemcpyToArray(array, 0, 0, in, 1, hipMemcpyDeviceToHost));
    fails(hipErrorInvalidMemcpyDirection, hipMemcpyFromArray(out, array, 0, 0, 1, (hipMemcpyKind)9));
    ok(hipFreeArray(array));
    ok(hipFreeArray(line));
    ok(hipFree(device));
    ok(hipStreamDestroy(stream));
}

/* hipMemcpy3D and hipDrvMemcpy3D between memory and arrays, positions on both sides. */
static void test_blocks(void **state) {
    (void)state;
    enum { W = 8, H = 6, D = 4, E = 4 };
    hipChannelFormatDesc desc = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat),
                         wide = hipCreateChannelDesc(32, 32, 0, 0, hipChannelFormatKindFloat);
    unsigned char in[W * E * H * D], out[W * E * H * D];
    hipArray_t array = NULL, other = NULL;
    ok(hipMalloc3DArray(&array, &desc, make_hipExtent(W, H, D), 0));
    ok(hipMalloc3DArray(&other, &wide, make_hipExtent(W, H, D), 0));
    fill_pattern(in, sizeof in);
    hipMemcpy3DParms to = {
        .srcPtr = make_hipPitchedPtr(in, W * E, W, H), .dstArray = array, .extent = {W, H, D}, .kind = hipMemcpyHostToDevice};
    ok(hipMemcpy3D(&to));
    hipMemcpy3DParms from = {.srcArray = array,
                             .srcPos = {2, 1, 1}, /* elements */
                             .dstPtr = make_hipPitchedPtr(out, 20, 5, 7),
                             .dstPos = {3, 1, 0}, /* bytes */
                             .extent = {3, 4, 2},
                             .kind = hipMemcpyDeviceToHost};
    memset(out, 0xee, sizeof out);
    ok(hipMemcpy3DAsync(&from, NULL));
    ok(hipDeviceSynchronize());
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 4; y++)
            assert_memory_equal(out + (z * 7 + y + 1) * 20 + 3, in + ((z + 1) * H + y + 1) * W * E + 2 * E, 3 * E);
    assert_int_equal(out[20 + 2], 0xee);
    assert_int_equal(out[20 + 3 + 12], 0xee);

    HIP_MEMCPY3D driver = {.srcMemoryType = hipMemoryTypeArray,
                           .srcArray = array,
                           .srcXInBytes = E,
                           .srcY = 1,
                           .srcZ = 2,
                           .dstMemoryType = hipMemoryTypeHost,
                           .dstHost = out,
                           .dstPitch = 16,
                           .dstHeight = 5,
                           .dstXInBytes = 1,
                           .dstY = 2,
                           .dstZ = 1,
                           .WidthInBytes = 9,
                           .Height = 3,
                           .Depth = 2};
    memset(out, 0xee, sizeof out);
    ok(hipDrvMemcpy3D(&driver));
    for (size_t z = 0; z < 2; z++)
        for (size_t y = 0; y < 3; y++)
            assert_memory_equal(out + ((z + 1) * 5 + y + 2) * 16 + 1, in + ((z + 2) * H + y + 1) * W * E + E, 9);
    ok(hipDrvMemcpy3DAsync(&driver, NULL));
    ok(hipDeviceSynchronize());
    driver.srcLOD = 1;
    fails(hipErrorInvalidValue, hipDrvMemcpy3D(&driver));
    driver.srcLOD = 0;
    driver.srcZ = 3;
    fails(hipErrorInvalidValue, hipDrvMemcpy3D(&driver)); /* one plane too many */
    driver.srcZ = 2;
    driver.dstPitch = 8;
    fails(hipErrorInvalidValue, hipDrvMemcpy3D(&driver)); /* 9 bytes a row */
    driver.dstPitch = 16, driver.dstHeight = 2;
    fails(hipErrorInvalidValue, hipDrvMemcpy3D(&driver));
    fails(hipErrorInvalidValue, hipDrvMemcpy3D(NULL));

    from.dstArray = other; /* both a pointer and an array */
    fails(hipErrorInvalidValue, hipMemcpy3D(&from));
    from.dstPtr.ptr = NULL;
    fails(hipErrorInvalidValue, hipMemcpy3D(&from)); /* elements of other sizes */
    from.dstArray = NULL;
    fails(hipErrorInvalidValue, hipMemcpy3D(&from));
    fails(hipErrorInvalidValue, hipMemcpy3D(NULL));
    from.dstPtr = make_hipPitchedPtr(out, 11, 11, 7);
    fails(hipErrorInvalidValue, hipMemcpy3D(&from));
    from.dstPtr = make_hipPitchedPtr(out, 20, 21, 7); /* its own rows are longer */
    fails(hipErrorInvalidPitchValue, hipMemcpy3D(&from));
    from.dstPtr = make_hipPitchedPtr(out, (size_t)1 << 31, 20, 7);
    fails(hipErrorInvalidValue, hipMemcpy3D(&from));
    from.dstPtr = make_hipPitchedPtr(out, 20, 20, 3);
    fails(hipErrorInvalidValue, hipMemcpy3D(&from)); /* higher than the memory's planes */
    from.dstPtr = make_hipPitchedPtr(out, 20, 20, 7);
    from.extent.width = 7;
    fails(hipErrorInvalidValue, hipMemcpy3D(&from));
    from.dstPtr.pitch = 40, from.srcPos.x = 2;
    fails(hipErrorInvalidValue, hipMemcpy3D(&from)); /* 2 + 7 of 8 elements */
    from.srcArray = (hipArray_t)out;
    fails(hipErrorInvalidHandle, hipMemcpy3D(&from));

    hip_Memcpy2D plane = {.srcMemoryType = hipMemoryTypeHost,
                          .srcHost = in,
                          .srcPitch = 32,
                          .dstMemoryType = hipMemoryTypeArray,
                          .dstArray = array,
                          .dstY = 1,
                          .WidthInBytes = 32,
                          .Height = 2};
    ok(hipMemcpyParam2D(&plane));
    ok(hipMemcpyFromArray(out, array, 0, 0, 96, hipMemcpyDeviceToHost));
    assert_memory_equal(out + 32, in, 64);
    plane.Height = 6;
    fails(hipErrorInvalidValue, hipMemcpyParam2D(&plane));
    plane.Height = 2, plane.dstArray = NULL, plane.dstHost = out, plane.dstPitch = 32;
    fails(hipErrorInvalidValue, hipMemcpyParam2D(&plane)); /* only the member counts that the type names */
    ok(hipFreeArray(array));
    ok(hipFreeArray(other));
}

static void test_mipmaps(void **state) {
    (void)state;
    hipChannelFormatDesc desc = bytes1();
    hipMipmappedArray_t mipmap = NULL;
    hipArray_t level = NULL, again = NULL;
    hipExtent extent;
    unsigned char in[64], out[64];
    size_t before = 0, after = 0;
    before = memory_left();
    ok(hipMallocMipmappedArray(&mipmap, &desc, make_hipExtent(32, 8, 0), 6, 0)); /* levels: 32, 16, 8, 4, 2, 1 */
    static const unsigned widths[] = {32, 16, 8, 4, 2, 1}, heights[] = {8, 4, 2, 1, 1, 1};
    for (unsigned i = 0; i < 6; i++) {
        ok(hipGetMipmappedArrayLevel(&level, mipmap, i));
        ok(hipArrayGetInfo(NULL, &extent, NULL, level));
        assert_int_equal(extent.width, widths[i]);
        assert_int_equal(extent.height, heights[i]);
        memset(in, (int)(i + 1), sizeof in);
        ok(hipMemcpy2DToArray(level, 0, 0, in, widths[i], widths[i], heights[i] < 2 ? 1 : 2, hipMemcpyHostToDevice));
    }
    for (unsigned i = 0; i < 6; i++) { /* levels do not overlap */
        ok(hipMipmappedArrayGetLevel(&again, mipmap, i));
        ok(hipMemcpyAtoH(out, again, 0, widths[i]));
        for (unsigned x = 0; x < widths[i]; x++)
            assert_int_equal(out[x], i + 1);
    }
    fails(hipErrorInvalidValue, hipGetMipmappedArrayLevel(&level, mipmap, 6));
    fails(hipErrorInvalidValue, hipGetMipmappedArrayLevel(NULL, mipmap, 0));
    fails(hipErrorInvalidHandle, hipGetMipmappedArrayLevel(&level, (hipMipmappedArray_t)level, 0));
    fails(hipErrorInvalidHandle, hipGetMipmappedArrayLevel(&level, NULL, 0));
    ok(hipFreeArray(again)); /* as often as it was asked for; the memory is the mipmapped array's */
    ok(hipFreeArray(again));
    fails(hipErrorContextIsDestroyed, hipFreeArray(again));
    ok(hipGetMipmappedArrayLevel(&again, mipmap, 5));
    ok(hipMemcpyAtoH(out, again, 0, 1));
    assert_int_equal(out[0], 6);
    ok(hipFreeMipmappedArray(mipmap));
    fails(hipErrorContextIsDestroyed, hipFreeMipmappedArray(mipmap));
    fails(hipErrorInvalidValue, hipMallocMipmappedArray(&mipmap, &desc, make_hipExtent(32, 8, 0), 7, 0));
    fails(hipErrorInvalidHandle, hipArrayGetInfo(NULL, &extent, NULL, again));
    fails(hipErrorInvalidValue, hipFreeMipmappedArray(NULL));
    HIP_ARRAY3D_DESCRIPTOR block = {4, 4, 4, HIP_AD_FORMAT_FLOAT, 1, 0};
    ok(hipMipmappedArrayCreate(&mipmap, &block, 2));
    ok(hipMipmappedArrayGetLevel(&level, mipmap, 1));
    ok(hipArrayGetInfo(NULL, &extent, NULL, level));
    assert_int_equal(extent.depth, 2);
    fails(hipErrorInvalidValue, hipMipmappedArrayGetLevel(&level, mipmap, 2));
    ok(hipMipmappedArrayDestroy(mipmap));
    fails(hipErrorInvalidValue, hipMipmappedArrayCreate(&mipmap, &block, 0));
    fails(hipErrorInvalidValue, hipMallocMipmappedArray(&mipmap, NULL, make_hipExtent(4, 4, 0), 1, 0));
    after = memory_left();
    assert_int_equal(before, after);
}

static void test_batches(void **state) {
    (void)state;
    enum { COUNT = 5, SIZE = 1000 };
    unsigned char in[COUNT][SIZE], out[COUNT][SIZE];
    void *device = NULL, *dsts[2 * COUNT], *srcs[2 * COUNT];
    size_t sizes[2 * COUNT], firsts[2] = {0, COUNT}, failed = 7;
    hipMemcpyAttributes attrs[2] = {{.srcAccessOrder = hipMemcpySrcAccessOrderDuringApiCall},
                                    {.srcAccessOrder = hipMemcpySrcAccessOrderStream}};
    hipStream_t stream = NULL;
    ok(hipStreamCreate(&stream));
    ok(hipMalloc(&device, COUNT * SIZE));
    for (int i = 0; i < COUNT; i++) {
        memset(in[i], i + 1, SIZE);
        dsts[i] = (char *)device + i * SIZE, srcs[i] = in[i];
        dsts[COUNT + i] = out[i], srcs[COUNT + i] = (char *)device + i * SIZE;
        sizes[i] = sizes[COUNT + i] = SIZE;
    }
    memset(out, 0, sizeof out);
    ok(hipMemcpyBatchAsync(dsts, srcs, sizes, 2 * COUNT, attrs, firsts, 2, &failed, stream));
    ok(hipStreamSynchronize(stream));
    assert_int_equal(failed, SIZE_MAX);
    assert_memory_equal(in, out, sizeof in);
    dsts[3] = NULL;
    fails(hipErrorInvalidValue, hipMemcpyBatchAsync(dsts, srcs, sizes, COUNT, attrs, firsts, 1, &failed, stream));
    assert_int_equal(failed, 3);
    dsts[3] = dsts[2];
    firsts[1] = 0;
    fails(hipErrorInvalidValue, hipMemcpyBatchAsync(dsts, srcs, sizes, COUNT, attrs, firsts, 2, &failed, stream));
    firsts[1] = COUNT;
    fails(hipErrorInvalidValue, hipMemcpyBatchAsync(dsts, srcs, sizes, COUNT, attrs, firsts, 2, &failed, stream));
    fails(hipErrorInvalidValue, hipMemcpyBatchAsync(dsts, srcs, sizes, 0, attrs, firsts, 1, NULL, stream));
    fails(hipErrorInvalidValue, hipMemcpyBatchAsync(dsts, srcs, sizes, 1, NULL, firsts, 1, NULL, stream));
    attrs[0].srcAccessOrder = hipMemcpySrcAccessOrderInvalid;
    fails(hipErrorInvalidValue, hipMemcpyBatchAsync(dsts, srcs, sizes, 1, attrs, firsts, 1, NULL, stream));

    hipChannelFormatDesc desc = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindUnsigned);
    hipArray_t array = NULL;
    uint32_t words[4 * 3 * 2], back[5 * 4 * 2];
    for (unsigned i = 0; i < 24; i++)
        words[i] = i * 1000003u;
    ok(hipMalloc3DArray(&array, &desc, make_hipExtent(6, 5, 4), 0));
    hipMemcpy3DBatchOp ops[2] = {{.src = {.type = hipMemcpyOperandTypePointer, .op.ptr = {.ptr = words}},
                                  .dst = {.type = hipMemcpyOperandTypeArray, .op.array = {.array = array, .offset = {1, 2, 1}}},
                                  .extent = {4, 3, 2},
                                  .srcAccessOrder = hipMemcpySrcAccessOrderDuringApiCall},
                                 {.src = {.type = hipMemcpyOperandTypeArray, .op.array = {.array = array, .offset = {1, 2, 1}}},
                                  .dst = {.type = hipMemcpyOperandTypePointer, .op.ptr = {.ptr = back, .rowLength = 5, .layerHeight = 4}},
                                  .extent = {4, 3, 2},
                                  .srcAccessOrder = hipMemcpySrcAccessOrderStream}};
    ok(hipMemcpy3DBatchAsync(2, ops, &failed, 0, stream));
    ok(hipStreamSynchronize(stream));
    for (unsigned z = 0; z < 2; z++)
        for (unsigned y = 0; y < 3; y++)
            assert_memory_equal(&back[(z * 4 + y) * 5], &words[(z * 3 + y) * 4], 16);
    ops[1].extent.width = 6;
    fails(hipErrorInvalidValue, hipMemcpy3DBatchAsync(2, ops, &failed, 0, stream));
    assert_int_equal(failed, 1);
    fails(hipErrorInvalidValue, hipMemcpy3DBatchAsync(0, ops, &failed, 0, stream));
    fails(hipErrorInvalidValue, hipMemcpy3DBatchAsync(2, ops, &failed, 1, stream));
    fails(hipErrorInvalidValue, hipMemcpy3DBatchAsync(2, NULL, &failed, 0, stream));
    ok(hipFreeArray(array));
    ok(hipFree(device));
    ok(hipStreamDestroy(stream));
}

/* A reset takes the memory of arrays; what is left of them is an error and can be freed. */
static void test_reset(void **state) {
    (void)state;
    hipChannelFormatDesc desc = bytes1();
    hipArray_t array = NULL, fresh = NULL;
    hipMipmappedArray_t mipmap = NULL;
    hipArray_t level = NULL;
    void *device = NULL;
    size_t before = 0, after = 0;
    char byte = 5;
    before = memory_left();
    ok(hipMallocArray(&array, &desc, 100, 100, 0));
    ok(hipMallocMipmappedArray(&mipmap, &desc, make_hipExtent(16, 16, 0), 3, 0));
    ok(hipGetMipmappedArrayLevel(&level, mipmap, 1));
    ok(hipMalloc(&device, 100));
    ok(hipDeviceReset());
    after = memory_left();
    assert_int_equal(before, after);
    ok(hipMallocArray(&fresh, &desc, 100, 100, 0)); /* perhaps at the same address */
    fails(hipErrorInvalidHandle, hipMemcpyHtoA(array, 0, &byte, 1));
    fails(hipErrorInvalidHandle, hipMemcpyAtoH(&byte, level, 0, 1));
    ok(hipMemcpyHtoA(fresh, 0, &byte, 1));
    ok(hipFreeArray(array));
    ok(hipFreeMipmappedArray(mipmap));
    ok(hipMemcpyAtoH(&byte, fresh, 0, 1));
    assert_int_equal(byte, 5);
    ok(hipFreeArray(fresh));
    fails(hipErrorInvalidValue, hipFree(device));
    after = memory_left();
    assert_int_equal(before, after);
}

/* ---- many threads ------------------------------------------------------------------------------ */

static void *hammer(void *argument) {
    unsigned seed = *(unsigned *)argument;
    hipChannelFormatDesc desc = bytes1();
    unsigned char in[600], out[600];
    for (int step = 0; step < 60; step++) {
        seed = seed * 1664525u + 1013904223u;
        size_t width = 1 + (seed >> 8) % 30, height = 1 + (seed >> 16) % 20;
        hipArray_t array = NULL;
        fill_pattern(in, sizeof in);
        memset(out, 0, sizeof out);
        ok(hipMallocArray(&array, &desc, width, height, 0));
        ok(hipMemcpy2DToArray(array, 0, 0, in, width, width, height, hipMemcpyHostToDevice));
        ok(hipMemcpyFromArray(out, array, 0, 0, width * height, hipMemcpyDeviceToHost));
        assert_memory_equal(in, out, width * height);
        ok(hipFreeArray(array));
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t threads[64];
    unsigned seeds[64];
    for (unsigned i = 0; i < 64; i++) {
        seeds[i] = i;
        assert_int_equal(pthread_create(&threads[i], NULL, hammer, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < 64; i++)
        pthread_join(threads[i], NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_descriptions), cmocka_unit_test(test_errors),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_accounting),   cmocka_unit_test(test_rectangles), cmocka_unit_test(test_runs),
        cmocka_unit_test(test_per_thread),   cmocka_unit_test(test_blocks),     cmocka_unit_test(test_mipmaps),
        cmocka_unit_test(test_batches),      cmocka_unit_test(test_reset),      cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
