// Textures and surfaces: an image resized by bilinear filtering, a lookup in a volume, linear memory, layers, levels, a texture
// reference, a surface. Filtering has weights of 8 bits, as the host's model has.
#include "check.h"

#include <vector>

#if !defined(__gfx940__) && !defined(__gfx941__) && !defined(__gfx942__)
#define IMAGES 1 // gfx94x has no image instructions, and the headers say so
#endif

texture<float, 2, hipReadModeElementType> reference;

__global__ void resize(hipTextureObject_t image, float4 *out, int width, int height) {
#ifdef IMAGES
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D<float4>(image, (x + 0.5f) / width, (y + 0.5f) / height);
#endif
}

__global__ void lookup(hipTextureObject_t volume, const float *at, float *out, int count) {
#ifdef IMAGES
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = tex3D<float>(volume, at[i * 3], at[i * 3 + 1], at[i * 3 + 2]);
#endif
}

__global__ void gather(hipTextureObject_t linear, const int *index, int *out, int count) {
#ifdef IMAGES
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        out[i] = tex1Dfetch<int>(linear, index[i]);
#endif
}

__global__ void by_reference(float *out, int width, int height) {
#ifdef IMAGES
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[y * width + x] = tex2D(reference, (float)x, (float)y);
#endif
}

__global__ void layers_and_levels(hipTextureObject_t layered, hipTextureObject_t mipmap, float *out) {
#ifdef IMAGES
    int i = threadIdx.x;
    out[i] = tex2DLayered<float>(layered, 2.5f, 1.5f, i % 3);
#ifndef __gfx90a__ // its image instructions take no level
    out[blockDim.x + i] = tex2DLod<float>(mipmap, 0.5f, 0.5f, i * 0.25f);
#endif
#endif
}

__global__ void invert(hipSurfaceObject_t surface, int width, int height) {
#ifdef IMAGES
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float value;
    surf2Dread(&value, surface, x * 4, y); // bytes, as in CUDA
    surf2Dwrite(1 - value, surface, x * 4, y);
#endif
}

static dim3 blocks(int width, int height) { return dim3((width + 15) / 16, (height + 15) / 16); }

// ---- the host's model

struct Tap {
    int first, second;
    double weight;
};

// The two texels around a coordinate in texels, and the second's weight in 1 / 256.
static Tap tap(float at) {
    long fixed = lrintf(at * 256) - 128;
    return {(int)(fixed >> 8), (int)(fixed >> 8) + 1, (double)(fixed & 255) / 256};
}

static int clamp(int i, int n) { return i < 0 ? 0 : i < n ? i : n - 1; }

static hipTextureObject_t create(const hipResourceDesc &resource, const hipTextureDesc &how) {
    hipTextureObject_t texture;
    HIP(hipCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

static hipResourceDesc array_resource(hipArray_t array) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void close_to(const char *what, const std::vector<float> &got, const std::vector<double> &want, double tolerance) {
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < got.size(); i++)
        if (!(std::fabs(got[i] - want[i]) <= tolerance) && wrong++ == 0)
            first = i;
    EXPECT(wrong == 0, "%s[%zu] = %.9g instead of %.9g; %zu of %zu differ", what, first, got[first], want[first], wrong, got.size());
}

template <class T> static std::vector<T> download(const T *memory, size_t count) {
    std::vector<T> result(count);
    HIP(hipMemcpy(result.data(), memory, count * sizeof(T), hipMemcpyDeviceToHost));
    return result;
}

template <class T> static T *upload(const std::vector<T> &values) {
    T *memory;
    HIP(hipMalloc((void **)&memory, values.size() * sizeof(T)));
    HIP(hipMemcpy(memory, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
    return memory;
}

static void test_resize(int size) {
    const int width = size, height = size * 3 / 4 + 1, out_width = size * 2 + 3, out_height = size / 2 + 5;
    std::vector<unsigned char> pixels((size_t)width * height * 4);
    Random random;
    for (auto &value : pixels)
        value = (unsigned char)random.next();
    hipArray_t array;
    hipChannelFormatDesc desc = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned); // Debian's header calls uchar4 signed
    HIP(hipMallocArray(&array, &desc, width, height, 0));
    HIP(hipMemcpy2DToArray(array, 0, 0, pixels.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
    hipTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = hipAddressModeClamp;
    how.filterMode = hipFilterModeLinear;
    how.readMode = hipReadModeNormalizedFloat;
    how.normalizedCoords = 1;
    hipTextureObject_t texture = create(array_resource(array), how);
    float4 *out;
    const size_t count = (size_t)out_width * out_height;
    HIP(hipMalloc((void **)&out, count * sizeof(float4)));
    resize<<<blocks(out_width, out_height), dim3(16, 16)>>>(texture, out, out_width, out_height);
    HIP_FINISH();
    std::vector<float> got = download((const float *)out, count * 4);
    std::vector<double> want(count * 4);
    for (int y = 0; y < out_height; y++)
        for (int x = 0; x < out_width; x++) {
            Tap u = tap((x + 0.5f) / out_width * width), v = tap((y + 0.5f) / out_height * height);
            for (int c = 0; c < 4; c++) {
                auto at = [&](int i, int j) { return pixels[((size_t)clamp(j, height) * width + clamp(i, width)) * 4 + c] / 255.0; };
                want[((size_t)y * out_width + x) * 4 + c] =
                    (at(u.first, v.first) * (1 - u.weight) + at(u.second, v.first) * u.weight) * (1 - v.weight) +
                    (at(u.first, v.second) * (1 - u.weight) + at(u.second, v.second) * u.weight) * v.weight;
            }
        }
    close_to("resize", got, want, 1.0 / 256 / 8); // the device's division may move a coordinate to the next 256th
    HIP(hipDestroyTextureObject(texture));
    HIP(hipFreeArray(array));
    HIP(hipFree(out));
}

static void test_volume(int size) {
    const int nx = size, ny = size / 2 + 1, nz = size / 4 + 2, count = size * 20;
    std::vector<float> voxels((size_t)nx * ny * nz), at(count * 3);
    Random random;
    for (auto &value : voxels)
        value = random.uniform();
    for (int i = 0; i < count; i++) {
        at[i * 3] = (random.uniform() * 1.2f - 0.1f) * nx;
        at[i * 3 + 1] = (random.uniform() * 1.2f - 0.1f) * ny;
        at[i * 3 + 2] = (random.uniform() * 1.2f - 0.1f) * nz;
    }
    hipArray_t array;
    hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
    HIP(hipMalloc3DArray(&array, &desc, make_hipExtent(nx, ny, nz), 0));
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(voxels.data(), nx * 4, nx, ny);
    copy.dstArray = array;
    copy.extent = make_hipExtent(nx, ny, nz);
    copy.kind = hipMemcpyHostToDevice;
    HIP(hipMemcpy3D(&copy));
    hipTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = how.addressMode[2] = hipAddressModeBorder; // which is 0
    how.filterMode = hipFilterModeLinear;
    hipTextureObject_t texture = create(array_resource(array), how);
    float *places = upload(at), *out;
    HIP(hipMalloc((void **)&out, count * 4));
    lookup<<<(count + 63) / 64, 64>>>(texture, places, out, count);
    HIP_FINISH();
    std::vector<double> want(count);
    for (int i = 0; i < count; i++) {
        Tap t[3] = {tap(at[i * 3]), tap(at[i * 3 + 1]), tap(at[i * 3 + 2])};
        for (int corner = 0; corner < 8; corner++) {
            int x = corner & 1 ? t[0].second : t[0].first, y = corner & 2 ? t[1].second : t[1].first,
                z = corner & 4 ? t[2].second : t[2].first;
            double weight = (corner & 1 ? t[0].weight : 1 - t[0].weight) * (corner & 2 ? t[1].weight : 1 - t[1].weight) *
                            (corner & 4 ? t[2].weight : 1 - t[2].weight);
            bool inside = x >= 0 && x < nx && y >= 0 && y < ny && z >= 0 && z < nz;
            want[i] += inside ? weight * voxels[((size_t)z * ny + y) * nx + x] : 0;
        }
    }
    close_to("volume", download(out, count), want, 1e-6);
    HIP(hipDestroyTextureObject(texture));
    HIP(hipFreeArray(array));
    HIP(hipFree(places));
    HIP(hipFree(out));
}

static void test_linear() {
    const int count = 1000;
    std::vector<int> values(count), index(count), want(count);
    Random random;
    for (int i = 0; i < count; i++) {
        values[i] = (int)random.next();
        index[i] = (int)(random.next() % (count + 100)); // beyond the end: 0
    }
    for (int i = 0; i < count; i++)
        want[i] = index[i] < count ? values[index[i]] : 0;
    int *memory = upload(values), *places = upload(index), *out;
    HIP(hipMalloc((void **)&out, count * 4));
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = hipCreateChannelDesc<int>();
    resource.res.linear.sizeInBytes = count * 4;
    hipTextureDesc how = {};
    hipTextureObject_t texture = create(resource, how);
    gather<<<(count + 63) / 64, 64>>>(texture, places, out, count);
    HIP_FINISH();
    compare("linear", download(out, count).data(), want.data(), count);
    HIP(hipDestroyTextureObject(texture));
    HIP(hipFree(memory));
    HIP(hipFree(places));
    HIP(hipFree(out));
}

// An array of `layers` slices (0: none) whose texel at x, y, layer is layer * 100 + y * 10 + x.
static void fill(hipArray_t array, int width, int height, int layers, float add) {
    std::vector<float> values((size_t)width * height * (layers ? layers : 1));
    for (size_t i = 0; i < values.size(); i++)
        values[i] = add + (float)(i / (width * height) * 100 + i / width % height * 10 + i % width);
    hipMemcpy3DParms copy = {};
    copy.srcPtr = make_hipPitchedPtr(values.data(), width * 4, width, height);
    copy.dstArray = array;
    copy.extent = make_hipExtent(width, height, layers ? layers : 1);
    copy.kind = hipMemcpyHostToDevice;
    HIP(hipMemcpy3D(&copy));
}

static void test_layers(bool has_levels) {
    hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
    hipArray_t layered, level;
    hipMipmappedArray_t mipmap;
    HIP(hipMalloc3DArray(&layered, &desc, make_hipExtent(6, 4, 3), hipArrayLayered));
    fill(layered, 6, 4, 3, 0);
    HIP(hipMallocMipmappedArray(&mipmap, &desc, make_hipExtent(8, 4, 0), 3, 0));
    for (int i = 0; i < 3; i++) {
        HIP(hipGetMipmappedArrayLevel(&level, mipmap, i));
        std::vector<float> same((8 >> i) * (4 >> i), (float)(i * 16));
        HIP(hipMemcpy2DToArray(level, 0, 0, same.data(), (8 >> i) * 4, (8 >> i) * 4, 4 >> i, hipMemcpyHostToDevice));
    }
    hipTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = hipAddressModeClamp;
    hipTextureObject_t first = create(array_resource(layered), how);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    how.normalizedCoords = 1;
    how.filterMode = how.mipmapFilterMode = hipFilterModeLinear;
    how.maxMipmapLevelClamp = 2;
    hipTextureObject_t second = create(resource, how);
    const int count = 12;
    float *out, want[2 * count];
    HIP(hipMalloc((void **)&out, sizeof want));
    layers_and_levels<<<1, count>>>(first, second, out);
    HIP_FINISH();
    for (int i = 0; i < count; i++) {
        want[i] = i % 3 * 100.0f + 12;
        want[count + i] = i < 8 ? i * 4.0f : 32;
    }
    compare("layers and levels", download(out, 2 * count).data(), want, has_levels ? 2 * count : count);
    HIP(hipDestroyTextureObject(first));
    HIP(hipDestroyTextureObject(second));
    HIP(hipFreeArray(layered));
    HIP(hipFreeMipmappedArray(mipmap));
    HIP(hipFree(out));
}

// A reference with point filtering reads an array, which a surface has inverted.
static void test_reference() {
    const int width = 37, height = 21;
    hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
    hipArray_t array;
    HIP(hipMallocArray(&array, &desc, width, height, hipArraySurfaceLoadStore));
    fill(array, width, height, 0, 0.5f);
    hipSurfaceObject_t surface;
    hipResourceDesc resource = array_resource(array);
    HIP(hipCreateSurfaceObject(&surface, &resource));
    invert<<<blocks(width, height), dim3(16, 16)>>>(surface, width, height);
    HIP_FINISH();
    reference.filterMode = hipFilterModePoint;
    HIP(hipBindTextureToArray(reference, array));
    float *out;
    std::vector<float> want(width * height);
    HIP(hipMalloc((void **)&out, want.size() * 4));
    by_reference<<<blocks(width, height), dim3(16, 16)>>>(out, width, height);
    HIP_FINISH();
    for (int i = 0; i < width * height; i++)
        want[i] = 0.5f - (float)(i / width * 10 + i % width);
    compare("reference", download(out, want.size()).data(), want.data(), want.size());
    HIP(hipUnbindTexture(reference));
    HIP(hipDestroySurfaceObject(surface));
    HIP(hipFreeArray(array));
    HIP(hipFree(out));
}

int main(int argc, char **argv) {
    check_name = "texture";
    int size = (int)argument(argc, argv, 1, 256);
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    if (!strncmp(properties.gcnArchName, "gfx94", 5)) {
        hipTextureObject_t texture;
        hipResourceDesc resource = {};
        hipTextureDesc how = {};
        EXPECT(hipCreateTextureObject(&texture, &resource, &how, nullptr) == hipErrorNotSupported, "a texture without image instructions");
        return finish();
    }
    test_resize(size);
    test_volume(size / 4);
    test_linear();
    test_layers(strncmp(properties.gcnArchName, "gfx90a", 6) != 0);
    test_reference();
    return finish();
}
