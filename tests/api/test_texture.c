/* Textures, surfaces and texture references as the host sees them: what is refused, what is remembered. */
#include "api_test.h"

static hipChannelFormatDesc floats(void) { return hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat); }

static hipArray_t make_array(hipChannelFormatDesc desc, size_t width, size_t height, unsigned flags) {
    hipArray_t array = NULL;
    ok(hipMallocArray(&array, &desc, width, height, flags));
    return array;
}

static hipResourceDesc of_array(hipArray_t array) {
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    resource.res.array.array = array;
    return resource;
}

static void test_objects(void **state) {
    (void)state;
    hipArray_t array = make_array(floats(), 33, 20, 0);
    hipResourceDesc resource = of_array(array), back;
    hipTextureDesc how = {.addressMode = {hipAddressModeWrap, hipAddressModeBorder, hipAddressModeMirror},
                          .filterMode = hipFilterModeLinear,
                          .borderColor = {1, 2, 3, 4},
                          .normalizedCoords = 1},
                   how_back;
    struct hipResourceViewDesc view = {.format = hipResViewFormatUnsignedInt1, .width = 4 * 33},
                               view_back; /* of which only the format counts */
    hipTextureObject_t texture = NULL;
    fails(hipErrorInvalidValue, hipCreateTextureObject(NULL, &resource, &how, NULL));
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, NULL, &how, NULL));
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &resource, NULL, NULL));
    ok(hipCreateTextureObject(&texture, &resource, &how, NULL));
    ok(hipGetTextureObjectResourceDesc(&back, texture));
    assert_int_equal(back.resType, hipResourceTypeArray);
    assert_ptr_equal(back.res.array.array, array);
    ok(hipGetTextureObjectTextureDesc(&how_back, texture));
    assert_memory_equal(&how_back, &how, sizeof how);
    fails(hipErrorInvalidValue, hipGetTextureObjectResourceViewDesc(&view_back, texture)); /* it has none */
    fails(hipErrorInvalidValue, hipGetTextureObjectTextureDesc(NULL, texture));
    fails(hipErrorInvalidValue, hipGetTextureObjectTextureDesc(&how_back, (hipTextureObject_t)(void *)array));
    ok(hipDestroyTextureObject(texture));
    fails(hipErrorInvalidValue, hipDestroyTextureObject(texture));
    ok(hipDestroyTextureObject(NULL));

    how.filterMode = hipFilterModePoint;
    ok(hipCreateTextureObject(&texture, &resource, &how, &view));
    ok(hipGetTextureObjectResourceViewDesc(&view_back, texture));
    assert_int_equal(view_back.format, hipResViewFormatUnsignedInt1);
    ok(hipDestroyTextureObject(texture));
    view.format = hipResViewFormatUnsignedInt2; /* elements of another size */
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &resource, &how, &view));
    view.format = hipResViewFormatUnsignedBlockCompressed1;
    fails(hipErrorNotSupported, hipCreateTextureObject(&texture, &resource, &how, &view));
    view = (struct hipResourceViewDesc){.lastMipmapLevel = 1};
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &resource, &how, &view));
    ok(hipFreeArray(array));
    fails(hipErrorInvalidHandle, hipCreateTextureObject(&texture, &resource, &how, NULL));
    resource.res.array.array = NULL;
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &resource, &how, NULL));
    hipGetLastError();
}

static void test_reads(void **state) {
    (void)state;
    static const struct {
        int bits;
        hipChannelFormatKind kind;
        hipTextureReadMode read;
        hipTextureFilterMode filter;
        int srgb;
        hipError_t expected;
    } cases[] = {
        {8, hipChannelFormatKindUnsigned, hipReadModeElementType, hipFilterModePoint, 0, hipSuccess},
        {8, hipChannelFormatKindUnsigned, hipReadModeNormalizedFloat, hipFilterModeLinear, 0, hipSuccess},
        {8, hipChannelFormatKindUnsigned, hipReadModeNormalizedFloat, hipFilterModeLinear, 1, hipSuccess},
        {16, hipChannelFormatKindSigned, hipReadModeNormalizedFloat, hipFilterModeLinear, 0, hipSuccess},
        {32, hipChannelFormatKindFloat, hipReadModeNormalizedFloat, hipFilterModeLinear, 0, hipSuccess},
        {8, hipChannelFormatKindUnsigned, hipReadModeElementType, hipFilterModeLinear, 0, hipErrorInvalidValue},
        {32, hipChannelFormatKindSigned, hipReadModeNormalizedFloat, hipFilterModePoint, 0, hipSuccess},   /* stay integers */
        {16, hipChannelFormatKindUnsigned, hipReadModeNormalizedFloat, hipFilterModePoint, 1, hipSuccess}, /* sRGB has four channels */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hipArray_t array = make_array(hipCreateChannelDesc(cases[i].bits, 0, 0, 0, cases[i].kind), 8, 8, 0);
        hipResourceDesc resource = of_array(array);
        hipTextureDesc how = {.readMode = cases[i].read, .filterMode = cases[i].filter, .sRGB = cases[i].srgb};
        hipTextureObject_t texture = NULL;
        fails(cases[i].expected, hipCreateTextureObject(&texture, &resource, &how, NULL));
        ok(hipDestroyTextureObject(texture));
        ok(hipFreeArray(array));
    }
    hipArray_t four = make_array(hipCreateChannelDesc(16, 16, 16, 16, hipChannelFormatKindUnsigned), 8, 8, 0);
    hipResourceDesc resource = of_array(four);
    hipTextureDesc how = {.readMode = hipReadModeNormalizedFloat, .sRGB = 1};
    hipTextureObject_t texture = NULL;
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &resource, &how, NULL)); /* of 8 bits, */
    void *device = NULL;
    ok(hipMalloc(&device, 64));
    resource = (hipResourceDesc){.resType = hipResourceTypeLinear};
    resource.res.linear.devPtr = device, resource.res.linear.sizeInBytes = 64;
    resource.res.linear.desc = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &resource, &how, NULL)); /* and of arrays or planes */
    how.sRGB = 0;
    ok(hipCreateTextureObject(&texture, &resource, &how, NULL));
    ok(hipDestroyTextureObject(texture));
    ok(hipFree(device));
    ok(hipFreeArray(four));
    hipGetLastError();
}

static void test_limits(void **state) {
    (void)state;
    int support = 0, width = 0, depth = 0;
    hipArray_t array;
    hipTextureObject_t texture = NULL;
    hipTextureDesc how = {0};
    ok(hipDeviceGetAttribute(&support, hipDeviceAttributeImageSupport, 0));
    assert_int_equal(support, 1);
    ok(hipDeviceGetAttribute(&width, hipDeviceAttributeMaxTexture2DWidth, 0));
    ok(hipDeviceGetAttribute(&depth, hipDeviceAttributeMaxTexture3DDepth, 0));
    assert_true(width >= 16384 && depth >= 2048);
    array = make_array(hipCreateChannelDesc(8, 0, 0, 0, hipChannelFormatKindUnsigned), (size_t)width, 2, 0); /* no array is larger */
    hipResourceDesc resource = of_array(array);
    ok(hipCreateTextureObject(&texture, &resource, &how, NULL));
    ok(hipDestroyTextureObject(texture));
    ok(hipFreeArray(array));
    hipGetLastError();
}

static void test_memory(void **state) {
    (void)state;
    char *memory = NULL;
    size_t width = 0;
    hipTextureObject_t texture = NULL;
    hipTextureDesc how = {0};
    hipChannelFormatDesc desc = floats();
    ok(hipMalloc((void **)&memory, 65536));
    hipResourceDesc linear = {.resType = hipResourceTypeLinear}, pitched = {.resType = hipResourceTypePitch2D};
    linear.res.linear.devPtr = memory + 4;
    linear.res.linear.desc = desc;
    linear.res.linear.sizeInBytes = 400;
    ok(hipCreateTextureObject(&texture, &linear, &how, NULL));
    ok(hipDestroyTextureObject(texture));
    linear.res.linear.sizeInBytes = 3;
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &linear, &how, NULL));
    linear.res.linear.sizeInBytes = 400;
    linear.res.linear.devPtr = memory + 2;
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &linear, &how, NULL));

    pitched.res.pitch2D.devPtr = memory;
    pitched.res.pitch2D.desc = desc;
    pitched.res.pitch2D.width = 50;
    pitched.res.pitch2D.height = 20;
    pitched.res.pitch2D.pitchInBytes = 256;
    ok(hipCreateTextureObject(&texture, &pitched, &how, NULL));
    ok(hipDestroyTextureObject(texture));
    pitched.res.pitch2D.pitchInBytes = 196; /* less than a row */
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &pitched, &how, NULL));
    pitched.res.pitch2D.pitchInBytes = 200; /* just a row */
    ok(hipCreateTextureObject(&texture, &pitched, &how, NULL));
    ok(hipDestroyTextureObject(texture));
    pitched.res.pitch2D.width = 1;
    pitched.res.pitch2D.pitchInBytes = 4;
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &pitched, &how, NULL));
    pitched.res.pitch2D.width = 50;
    pitched.res.pitch2D.pitchInBytes = 256;
    pitched.res.pitch2D.devPtr = memory + 128;
    fails(hipErrorInvalidValue, hipCreateTextureObject(&texture, &pitched, &how, NULL));
    ok(hipDeviceGetTexture1DLinearMaxWidth(&width, &desc, 0));
    assert_true(width >= 1u << 27);
    fails(hipErrorInvalidDevice, hipDeviceGetTexture1DLinearMaxWidth(&width, &desc, 99));
    ok(hipFree(memory));
    hipGetLastError();
}

static void test_surfaces(void **state) {
    (void)state;
    hipArray_t array = make_array(floats(), 16, 16, hipArraySurfaceLoadStore);
    hipResourceDesc resource = of_array(array), linear = {.resType = hipResourceTypeLinear};
    hipSurfaceObject_t surface = NULL;
    fails(hipErrorInvalidValue, hipCreateSurfaceObject(NULL, &resource));
    fails(hipErrorInvalidValue, hipCreateSurfaceObject(&surface, NULL));
    fails(hipErrorInvalidValue, hipCreateSurfaceObject(&surface, &linear));
    ok(hipCreateSurfaceObject(&surface, &resource));
    fails(hipErrorInvalidValue, hipDestroyTextureObject((hipTextureObject_t)(void *)surface)); /* another kind */
    ok(hipDestroySurfaceObject(surface));
    fails(hipErrorInvalidValue, hipDestroySurfaceObject(surface));
    ok(hipFreeArray(array));
    hipGetLastError();
}

static void test_driver_objects(void **state) {
    (void)state;
    hipArray_t array = make_array(floats(), 16, 16, 0);
    HIP_RESOURCE_DESC resource = {.resType = HIP_RESOURCE_TYPE_ARRAY}, back;
    resource.res.array.hArray = array;
    HIP_TEXTURE_DESC how = {.filterMode = HIP_TR_FILTER_MODE_LINEAR, .flags = HIP_TRSF_NORMALIZED_COORDINATES, .maxAnisotropy = 8},
                     how_back;
    HIP_RESOURCE_VIEW_DESC view;
    hipTextureObject_t texture = NULL;
    ok(hipTexObjectCreate(&texture, &resource, &how, NULL));
    ok(hipTexObjectGetResourceDesc(&back, texture));
    assert_ptr_equal(back.res.array.hArray, array);
    ok(hipTexObjectGetTextureDesc(&how_back, texture));
    assert_int_equal(how_back.filterMode, HIP_TR_FILTER_MODE_LINEAR);
    assert_int_equal(how_back.maxAnisotropy, 8);
    assert_true(how_back.flags & HIP_TRSF_NORMALIZED_COORDINATES);
    fails(hipErrorInvalidValue, hipTexObjectGetResourceViewDesc(&view, texture));
    ok(hipTexObjectDestroy(texture));
    fails(hipErrorInvalidValue, hipTexObjectCreate(&texture, &resource, NULL, NULL));
    ok(hipFreeArray(array));
    hipGetLastError();
}

static void test_references(void **state) {
    (void)state;
    textureReference reference = {0};
    const textureReference *found;
    hipArray_t array = make_array(floats(), 16, 16, 0), bound = NULL;
    hipChannelFormatDesc desc = floats(), other = hipCreateChannelDesc(8, 0, 0, 0, hipChannelFormatKindUnsigned);
    hipDeviceptr_t address = NULL;
    hipTextureAddressMode mode;
    hipTextureFilterMode filter;
    hipArray_Format format;
    float border[4] = {1, 2, 3, 4}, border_back[4], low, high;
    unsigned flags;
    int channels;
    size_t offset = 7;
    fails(hipErrorInvalidTexture, hipGetTextureReference(&found, &reference)); /* not registered */
    ok(hipTexRefSetAddressMode(&reference, 1, hipAddressModeMirror));
    ok(hipTexRefGetAddressMode(&mode, &reference, 1));
    assert_int_equal(mode, hipAddressModeMirror);
    fails(hipErrorInvalidValue, hipTexRefSetAddressMode(&reference, 3, hipAddressModeMirror));
    ok(hipTexRefSetFlags(&reference, HIP_TRSF_NORMALIZED_COORDINATES));
    ok(hipTexRefGetFlags(&flags, &reference));
    assert_int_equal(flags, HIP_TRSF_NORMALIZED_COORDINATES);
    fails(hipErrorInvalidValue, hipTexRefSetFlags(&reference, 0x80));
    ok(hipTexRefSetFormat(&reference, HIP_AD_FORMAT_HALF, 2));
    ok(hipTexRefGetFormat(&format, &channels, &reference));
    assert_int_equal(format, HIP_AD_FORMAT_HALF);
    assert_int_equal(channels, 2);
    fails(hipErrorInvalidValue, hipTexRefSetFormat(&reference, HIP_AD_FORMAT_HALF, 3));
    ok(hipTexRefSetBorderColor(&reference, border));
    ok(hipTexRefGetBorderColor(border_back, &reference));
    assert_memory_equal(border, border_back, sizeof border);
    ok(hipTexRefSetMipmapLevelClamp(&reference, 1, 2));
    ok(hipTexRefGetMipmapLevelClamp(&low, &high, &reference));
    assert_true(low == 1 && high == 2);
    fails(hipErrorInvalidTexture, hipGetTextureAlignmentOffset(&offset, &reference));

    fails(hipErrorInvalidValue, hipTexRefGetArray(&bound, &reference));
    ok(hipTexRefSetArray(&reference, array, HIP_TRSA_OVERRIDE_FORMAT));
    assert_non_null(reference.textureObject);
    assert_int_equal(reference.format, HIP_AD_FORMAT_FLOAT);
    ok(hipTexRefGetArray(&bound, &reference));
    assert_ptr_equal(bound, array);
    fails(hipErrorInvalidValue, hipTexRefGetAddress(&address, &reference));
    ok(hipTexRefSetFilterMode(&reference, hipFilterModeLinear)); /* a bound one is made anew */
    ok(hipTexRefGetFilterMode(&filter, &reference));
    assert_int_equal(filter, hipFilterModeLinear);
    ok(hipGetTextureAlignmentOffset(&offset, &reference));
    assert_int_equal(offset, 0);
    fails(hipErrorInvalidValue, hipBindTextureToArray(&reference, array, &other));
    ok(hipBindTextureToArray(&reference, array, &desc));

    void *memory = NULL;
    ok(hipMalloc(&memory, 4096));
    offset = 7;
    ok(hipBindTexture(&offset, &reference, memory, &desc, UINT32_MAX)); /* to the allocation's end */
    assert_int_equal(offset, 0);
    ok(hipTexRefGetAddress(&address, &reference));
    assert_ptr_equal(address, memory);
    ok(hipBindTexture2D(&offset, &reference, memory, &desc, 16, 8, 256));
    ok(hipUnbindTexture(&reference));
    assert_null(reference.textureObject);
    ok(hipUnbindTexture(&reference));
    fails(hipErrorInvalidValue, hipUnbindTexture(NULL));
    ok(hipFree(memory));
    ok(hipFreeArray(array));
    hipGetLastError();
}

/* What a reference is bound to goes away: it is bound to nothing then, and what takes the same address is not meant. */
static void test_stale_resources(void **state) {
    (void)state;
    textureReference reference = {0}, second = {0};
    hipArray_t array = make_array(floats(), 16, 16, 0), level = NULL, bound = NULL;
    hipMipmappedArray_t mipmap = NULL;
    hipChannelFormatDesc desc = floats();
    hipDeviceptr_t address = NULL;
    void *memory = NULL;
    ok(hipTexRefSetArray(&reference, array, HIP_TRSA_OVERRIDE_FORMAT));
    ok(hipBindTextureToArray(&second, array, &desc));
    ok(hipFreeArray(array));
    assert_null(reference.textureObject);
    assert_null(second.textureObject);
    array = make_array(floats(), 16, 16, 0); /* likely where the other one was */
    fails(hipErrorInvalidValue, hipTexRefGetArray(&bound, &reference));
    ok(hipTexRefSetFilterMode(&reference, hipFilterModeLinear));
    assert_null(reference.textureObject);
    ok(hipUnbindTexture(&reference));
    ok(hipFreeArray(array));

    ok(hipMallocMipmappedArray(&mipmap, &desc, (hipExtent){16, 16, 0}, 3, 0));
    ok(hipGetMipmappedArrayLevel(&level, mipmap, 1));
    ok(hipBindTextureToMipmappedArray(&reference, mipmap, &desc));
    ok(hipBindTextureToArray(&second, level, &desc));
    ok(hipFreeMipmappedArray(mipmap));
    assert_null(reference.textureObject);
    assert_null(second.textureObject);

    ok(hipMalloc(&memory, 4096));
    ok(hipBindTexture(NULL, &reference, memory, &desc, 4096));
    ok(hipDeviceReset());
    assert_null(reference.textureObject);
    fails(hipErrorInvalidValue, hipTexRefGetAddress(&address, &reference));
    hipGetLastError();
}

/* A module's reference goes with the module; the next one at its place is not bound. */
static void test_stale_modules(void **state) {
    (void)state;
    hipArray_t array = make_array(floats(), 16, 16, 0), bound;
    for (int round = 0; round < 3; round++) {
        hipModule_t module = NULL;
        textureReference *reference = NULL;
        ok(hipModuleLoad(&module, API_TEST_OBJECT));
        fails(hipErrorNotFound, hipModuleGetTexRef(&reference, module, "no_such_reference"));
        fails(hipErrorNotFound, hipModuleGetTexRef(&reference, module, "counter")); /* of another kind */
        ok(hipModuleGetTexRef(&reference, module, "reference"));
        fails(hipErrorInvalidValue, hipTexRefGetArray(&bound, reference));
        ok(hipTexRefSetArray(reference, array, HIP_TRSA_OVERRIDE_FORMAT));
        assert_non_null(reference->textureObject);
        ok(hipTexRefGetArray(&bound, reference));
        ok(hipModuleUnload(module));
    }
    ok(hipFreeArray(array));
    hipGetLastError();
}

/* Without image instructions there are no textures; a run of its own, since a process has one target. */
static void test_without_images(void **state) {
    (void)state;
    hipDeviceProp_t properties;
    hipTextureObject_t texture;
    hipResourceDesc resource = {.resType = hipResourceTypeArray};
    hipTextureDesc how = {0};
    ok(hipGetDeviceProperties(&properties, 0));
    int support = 1;
    assert_memory_equal(properties.gcnArchName, "gfx942", 6);
    ok(hipDeviceGetAttribute(&support, hipDeviceAttributeImageSupport, 0));
    assert_int_equal(support, 0);
    assert_int_equal(properties.maxTexture1D, 0);
    fails(hipErrorNotSupported, hipCreateTextureObject(&texture, &resource, &how, NULL));
    hipGetLastError();
}

int main(void) {
    const struct CMUnitTest with[] = {
        cmocka_unit_test(test_objects),    cmocka_unit_test(test_reads),         cmocka_unit_test(test_limits),
        cmocka_unit_test(test_memory),     cmocka_unit_test(test_surfaces),      cmocka_unit_test(test_driver_objects),
        cmocka_unit_test(test_references), cmocka_unit_test(test_stale_modules), cmocka_unit_test(test_stale_resources),
    };
    const struct CMUnitTest without[] = {cmocka_unit_test(test_without_images)};
    const struct CMUnitTest limits[] = {cmocka_unit_test(test_limits)};
    if (getenv("TEST_WITHOUT_IMAGES"))
        return cmocka_run_group_tests(without, NULL, NULL);
    if (getenv("TEST_WITH_FEATURES")) /* the target's name is longer than the processor's */
        return cmocka_run_group_tests(limits, NULL, NULL);
    setenv("WAVELIFT_ARCH", "gfx1030", 1);
    return cmocka_run_group_tests(with, NULL, NULL);
}
