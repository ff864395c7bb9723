// Textures and surfaces of memory that is smaller than they say, or that was freed: each lane's texel is looked at, all of its bytes.
// DEEP CALLS AT -O0
#include "catalogue.h"

enum { WIDTH = 64, HEIGHT = 16, ITEMS = 64 };

static hipTextureObject_t make_texture(const hipResourceDesc &resource, bool linear) {
    hipTextureDesc desc = {};
    hipTextureObject_t texture;
    desc.readMode = hipReadModeElementType;
    desc.filterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
    desc.addressMode[0] = desc.addressMode[1] = hipAddressModeClamp;
    OK(hipCreateTextureObject(&texture, &resource, &desc, nullptr));
    return texture;
}

/* A picture of WIDTH x HEIGHT, of which memory has `rows` rows. */
struct Picture {
    char *memory;
    size_t pitch;
    hipTextureObject_t texture;
    Picture(int rows, const hipChannelFormatDesc &format, bool linear = false) {
        const size_t bytes = (size_t)(format.x + format.y + format.z + format.w) / 8;
        pitch = (WIDTH * bytes + 255) / 256 * 256;
        OK(hipMalloc((void **)&memory, pitch * rows));
        OK(hipMemset(memory, 0, pitch * rows));
        hipResourceDesc resource = {};
        resource.resType = hipResourceTypePitch2D;
        resource.res.pitch2D = {memory, format, WIDTH, HEIGHT, pitch};
        texture = make_texture(resource, linear);
    }
    ~Picture() {
        finish();
        OK(hipDestroyTextureObject(texture));
        if (memory)
            OK(hipFree(memory));
    }
};

KERNEL missing_rows(hipTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x, F ? HEIGHT - 1 : 1); // FAULT: memcheck out-of-bounds-read
}
CASE(missing_rows) {
    Picture picture(HEIGHT / 2, hipCreateChannelDesc<float>());
    Buffer<float> out(ITEMS);
    LAUNCH(missing_rows, 1, ITEMS, picture.texture, out);
}

KERNEL filtered(hipTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.25f, F ? HEIGHT - 0.5f : 1.5f); // FAULT: memcheck out-of-bounds-read
}
CASE(filtered) {
    Picture picture(HEIGHT / 2, hipCreateChannelDesc<float>(), true);
    Buffer<float> out(ITEMS);
    LAUNCH(filtered, 1, ITEMS, picture.texture, out);
}

/* Coordinates far out are clamped to the last row. */
KERNEL clamped(hipTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x * 1000.f, F ? 1e9f : -1e9f); // FAULT: memcheck out-of-bounds-read
}
CASE(clamped) {
    Picture picture(HEIGHT - 1, hipCreateChannelDesc<float>());
    Buffer<float> out(ITEMS);
    LAUNCH(clamped, 1, ITEMS, picture.texture, out);
}

KERNEL freed_picture(hipTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2D<float4>(texture, threadIdx.x, 1).y; // FAULT: memcheck use-after-free-read
}
CASE(freed_picture) {
    Picture picture(HEIGHT, hipCreateChannelDesc<float4>());
    Buffer<float> out(ITEMS);
    if (faulty) {
        OK(hipFree(picture.memory));
        picture.memory = nullptr;
    }
    LAUNCH(freed_picture, 1, ITEMS, picture.texture, out);
}

/* Linear memory: the last element's second half is not there. */
KERNEL half_an_element(hipTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex1Dfetch<float4>(texture, F ? threadIdx.x : threadIdx.x / 2).x; // FAULT: memcheck out-of-bounds-read
}
CASE(half_an_element) {
    Buffer<char> memory(ITEMS * sizeof(float4) - 8);
    Buffer<float> out(ITEMS);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear = {memory.p, hipCreateChannelDesc<float4>(), ITEMS * sizeof(float4)};
    const hipTextureObject_t texture = make_texture(resource, false);
    LAUNCH(half_an_element, 1, ITEMS, texture, out);
    finish();
    OK(hipDestroyTextureObject(texture));
}

KERNEL freed_surface(hipSurfaceObject_t surface) {
    surf2Dwrite<int>(F ? 1 : 2, surface, threadIdx.x % WIDTH * 4, 3); // FAULT: memcheck use-after-free-write
}
CASE(freed_surface) {
    hipArray_t array;
    const hipChannelFormatDesc format = hipCreateChannelDesc<int>();
    OK(hipMallocArray(&array, &format, WIDTH, HEIGHT, hipArraySurfaceLoadStore));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    hipSurfaceObject_t surface;
    OK(hipCreateSurfaceObject(&surface, &resource));
    if (faulty)
        OK(hipFreeArray(array));
    LAUNCH(freed_surface, 1, ITEMS, surface);
    finish();
    OK(hipDestroySurfaceObject(surface));
    if (!faulty)
        OK(hipFreeArray(array));
}
