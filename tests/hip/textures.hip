// Textures and surfaces through HIP's functions: every channel format, read mode, filter, address mode and dimension against a scalar
// model; border colours, levels, gradients, gathers, views, the driver's descriptions, references of modules, surfaces.
#include "check.h"

#include <hip/hip_runtime.h>

#include <vector>

enum Shape { LINE, PLANE, VOLUME, LINES, PLANES, CUBE, CUBES, SHAPES };

template <class T> __global__ void sample(hipTextureObject_t t, int shape, const float4 *places, T *out) {
    const int i = threadIdx.x;
    const float4 p = places[i];
    switch (shape) {
    case LINE:
        out[i] = tex1D<T>(t, p.x);
        break;
    case PLANE:
        out[i] = tex2D<T>(t, p.x, p.y);
        break;
    case VOLUME:
        out[i] = tex3D<T>(t, p.x, p.y, p.z);
        break;
    case LINES:
        out[i] = tex1DLayered<T>(t, p.x, (int)p.w);
        break;
    case PLANES:
        out[i] = tex2DLayered<T>(t, p.x, p.y, (int)p.w);
        break;
    case CUBE:
        out[i] = texCubemap<T>(t, p.x, p.y, p.z);
        break;
    default:
        out[i] = texCubemapLayered<T>(t, p.x, p.y, p.z, (int)p.w);
        break;
    }
}

__global__ void levels(hipTextureObject_t t, float *by_level, float *by_gradient) {
    const int i = threadIdx.x;
    by_level[i] = tex2DLod<float>(t, 0.5f, 0.5f, i * 0.125f - 0.5f);
    by_gradient[i] = tex2DGrad<float>(t, 0.5f, 0.5f, make_float2(exp2f(i * 0.25f) / 16, 0), make_float2(0, 0));
}

__global__ void gather(hipTextureObject_t t, float4 *out) {
    out[threadIdx.x] = tex2Dgather<float4>(t, 1 + threadIdx.x % 4, 1 + threadIdx.x / 4, 2); // HIP 5's headers count from 1
}

// Adds 1 to every element; in x, bytes.
__global__ void increment(hipSurfaceObject_t s, int shape) {
    const int x = threadIdx.x * sizeof(float2), y = threadIdx.y, z = threadIdx.z;
    unsigned int ADDRESS_SPACE_CONSTANT *words = (unsigned int ADDRESS_SPACE_CONSTANT *)s;
    float2 v;
    switch (shape) {
    case LINE:
        surf1Dread(&v, s, x);
        surf1Dwrite(make_float2(v.x + 1, v.y - 1), s, x);
        break;
    case PLANE:
        surf2Dread(&v, s, x, y);
        surf2Dwrite(make_float2(v.x + 1, v.y - 1), s, x, y);
        break;
    case VOLUME:
        surf3Dread(&v, s, x, y, z);
        surf3Dwrite(make_float2(v.x + 1, v.y - 1), s, x, y, z);
        break;
    case LINES: { // HIP 5's headers take the layer for a level: the device library's functions
        const auto old = __ockl_image_load_1Da(words, int2(threadIdx.x, z).data);
        __ockl_image_store_1Da(words, int2(threadIdx.x, z).data, float4(old.x + 1, old.y - 1, 0, 0).data);
        break;
    }
    case PLANES: {
        const auto old = __ockl_image_load_2Da(words, int4(threadIdx.x, y, z, 0).data);
        __ockl_image_store_2Da(words, int4(threadIdx.x, y, z, 0).data, float4(old.x + 1, old.y - 1, 0, 0).data);
        break;
    }
    default:
        surfCubemapread(&v, s, x, y, z);
        surfCubemapwrite(make_float2(v.x + 1, v.y - 1), s, x, y, z);
        break;
    }
}

// ---- what is read

struct Format {
    int channels, bits;
    hipChannelFormatKind kind;
    bool normalized, srgb;
    bool floats() const { return kind == hipChannelFormatKindFloat || normalized; }
};

struct Size {
    int width, height, depth; // slices, layers, faces * layers
};

struct Picture {
    Format format;
    Shape shape;
    Size size;
    std::vector<unsigned char> bytes;
    hipArray_t array;

    int element() const { return format.channels * format.bits / 8; }
    int axes() const { return shape == LINE || shape == LINES ? 1 : shape == VOLUME ? 3 : 2; }
    bool cube() const { return shape == CUBE || shape == CUBES; }
};

static unsigned flags_of(Shape shape) {
    return shape == LINES || shape == PLANES ? hipArrayLayered
           : shape == CUBE                   ? hipArrayCubemap
           : shape == CUBES                  ? hipArrayCubemap | hipArrayLayered
                                             : hipArrayDefault;
}

static hipChannelFormatDesc desc_of(const Format &format) {
    const int n = format.channels, bits = format.bits;
    return hipCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0, format.kind);
}

static void copy(Picture &p, bool to_array) {
    const size_t rows = p.size.height ? p.size.height : 1, slices = p.size.depth ? p.size.depth : 1;
    hipMemcpy3DParms copy = {};
    hipPitchedPtr host = make_hipPitchedPtr(p.bytes.data(), p.size.width * p.element(), p.size.width, rows);
    (to_array ? copy.srcPtr : copy.dstPtr) = host;
    (to_array ? copy.dstArray : copy.srcArray) = p.array;
    copy.extent = make_hipExtent(p.size.width, rows, slices);
    copy.kind = to_array ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost;
    HIP(hipMemcpy3D(&copy));
}

static Picture make_picture(const Format &format, Shape shape, Size size, Random &random, unsigned more_flags = 0) {
    Picture p = {format, shape, size, {}, nullptr};
    const size_t count = (size_t)size.width * (size.height ? size.height : 1) * (size.depth ? size.depth : 1) * format.channels;
    p.bytes.resize(count * format.bits / 8);
    for (auto &byte : p.bytes)
        byte = (unsigned char)random.next();
    for (size_t i = 0; i < count && format.kind == hipChannelFormatKindFloat; i++) {
        const float f = (float)(int)(random.next() % 4096) / 64 - 30;
        const _Float16 h = (_Float16)f;
        memcpy(&p.bytes[i * format.bits / 8], format.bits == 32 ? (const void *)&f : &h, format.bits / 8);
    }
    const hipChannelFormatDesc desc = desc_of(format);
    HIP(hipMalloc3DArray(&p.array, &desc, make_hipExtent(size.width, size.height, size.depth), flags_of(shape) | more_flags));
    copy(p, true);
    return p;
}

static double component(const Picture &p, int x, int y, int z, int i) {
    const Format &f = p.format;
    if (i >= f.channels)
        return i == 3;
    const int rows = p.size.height ? p.size.height : 1;
    const unsigned char *at = &p.bytes[(((size_t)z * rows + y) * p.size.width + x) * p.element() + (size_t)i * f.bits / 8];
    uint32_t raw = 0;
    memcpy(&raw, at, f.bits / 8);
    const double with_sign = raw >= ldexp(1, f.bits - 1) ? raw - ldexp(1, f.bits) : raw;
    if (f.kind == hipChannelFormatKindFloat) {
        float value;
        _Float16 half;
        memcpy(&value, &raw, 4);
        memcpy(&half, &raw, 2);
        return f.bits == 32 ? value : (double)half;
    }
    if (f.srgb && f.channels == 4 && i < 3) // with fewer channels the request for sRGB means nothing
        return raw / 255.0 <= 0.04045 ? raw / 255.0 / 12.92 : pow((raw / 255.0 + 0.055) / 1.055, 2.4);
    if (f.kind == hipChannelFormatKindSigned)
        return f.normalized ? fmax(with_sign / (ldexp(1, f.bits - 1) - 1), -1) : with_sign;
    return f.normalized ? raw / (ldexp(1, f.bits) - 1) : raw;
}

// The index of a texel; -1: the border.
static int wrap(hipTextureAddressMode mode, int i, int n) {
    switch (mode) {
    case hipAddressModeWrap:
        return (i % n + n) % n;
    case hipAddressModeMirror:
        i = (i % (2 * n) + 2 * n) % (2 * n);
        return i < n ? i : 2 * n - 1 - i;
    case hipAddressModeBorder:
        return i < 0 || i >= n ? -1 : i;
    default:
        return i < 0 ? 0 : i < n ? i : n - 1;
    }
}

// `at` in 256ths of a texel.
static void model(const Picture &p, const hipTextureDesc &how, const int at[3], int slice, double result[4]) {
    const int sizes[3] = {p.size.width, p.size.height, p.size.depth}, axes = p.axes();
    const bool linear = how.filterMode == hipFilterModeLinear;
    for (int i = 0; i < 4; i++)
        result[i] = 0;
    for (int corner = 0; corner < 1 << axes; corner++) {
        double weight = 1;
        int index[3] = {0, 0, slice};
        bool border = false;
        for (int i = 0; i < axes; i++) {
            const int upper = corner >> i & 1, moved = at[i] - (linear ? 128 : 0);
            const hipTextureAddressMode mode = p.cube() ? hipAddressModeClamp : how.addressMode[i];
            index[i] = wrap(mode, (moved >> 8) + upper, sizes[i]);
            weight *= !linear ? !upper : upper ? (moved & 255) / 256.0 : 1 - (moved & 255) / 256.0;
            border |= index[i] < 0;
        }
        for (int i = 0; i < 4 && weight > 0; i++) {
            const bool there = i < p.format.channels;
            const double outside = there ? p.format.floats() ? how.borderColor[i] : floor(how.borderColor[i]) : i == 3;
            result[i] += weight * (border ? outside : component(p, index[0], index[1], index[2], i));
        }
    }
}

// ---- every format, filter, address mode and dimension

enum { PLACES = 128 };
static float4 *device_places;
static void *device_out;

struct Place {
    int at[3], slice; // in 256ths of a texel
    float4 given;
};

// A direction that hits a face at s, t. AMD's device library divides by the axis with its sign, which turns the negative faces around.
static void aim(int face, float s, float t, float4 &to) {
    const float sign = face & 1 ? -1 : 1, sc = sign * (2 * s - 1), tc = sign * (2 * t - 1);
    const float directions[6][3] = {{1, -tc, -sc}, {-1, -tc, sc}, {sc, 1, tc}, {sc, -1, -tc}, {sc, -tc, 1}, {-sc, -tc, -1}};
    to.x = directions[face][0];
    to.y = directions[face][1];
    to.z = directions[face][2];
}

static Place choose_place(const Picture &p, bool normalized, Random &random) {
    Place place = {};
    const int sizes[3] = {p.size.width, p.size.height, p.size.depth};
    float given[3] = {0, 0, 0};
    for (int i = 0; i < p.axes(); i++) {
        place.at[i] = p.cube() ? 8 + (int)(random.next() % (unsigned)(sizes[i] * 256 - 16)) // where a corner's rounding is no matter
                               : (int)(random.next() % (unsigned)(sizes[i] * 768)) - sizes[i] * 256;
        given[i] = (float)place.at[i] / 256 / (normalized ? (float)sizes[i] : 1);
    }
    place.given = make_float4(given[0], given[1], given[2], 0);
    if (p.shape == LINES || p.shape == PLANES)
        place.slice = (int)(random.next() % (unsigned)p.size.depth);
    place.given.w = (float)place.slice;
    if (p.cube()) {
        const int face = (int)(random.next() % 6);
        const int layer = p.shape == CUBES ? (int)(random.next() % (unsigned)(p.size.depth / 6)) : 0;
        aim(face, given[0], given[1], place.given);
        place.slice = layer * 6 + face;
        place.given.w = (float)layer;
    }
    return place;
}

static const char *const shape_names[] = {"1D", "2D", "3D", "1D layered", "2D layered", "cube", "cube layered"};

static void check_texture(const Picture &p, hipTextureObject_t texture, const hipTextureDesc &how, Random &random) {
    Place places[PLACES];
    float4 given[PLACES];
    uint4 got[PLACES];
    for (int i = 0; i < PLACES; i++) {
        places[i] = choose_place(p, how.normalizedCoords, random);
        given[i] = places[i].given;
    }
    HIP(hipMemcpy(device_places, given, sizeof given, hipMemcpyHostToDevice));
    if (p.format.floats())
        sample<float4><<<1, PLACES>>>(texture, p.shape, device_places, (float4 *)device_out);
    else if (p.format.kind == hipChannelFormatKindSigned)
        sample<int4><<<1, PLACES>>>(texture, p.shape, device_places, (int4 *)device_out);
    else
        sample<uint4><<<1, PLACES>>>(texture, p.shape, device_places, (uint4 *)device_out);
    HIP(hipGetLastError());
    HIP(hipMemcpy(got, device_out, sizeof got, hipMemcpyDeviceToHost));
    for (int l = 0; l < PLACES; l++) {
        double want[4];
        model(p, how, places[l].at, places[l].slice, want);
        for (int i = 0; i < 4; i++) {
            const uint32_t bits = (&got[l].x)[i];
            float value;
            memcpy(&value, &bits, 4);
            const double result = p.format.floats() ? value : p.format.kind == hipChannelFormatKindSigned ? (double)(int32_t)bits : bits;
            EXPECT(fabs(result - want[i]) <= (p.format.floats() ? 3e-6 * fmax(1, fabs(want[i]) + 16) : 0),
                   "%s, %d x %d bits, kind %d, normalized %d, sRGB %d, filter %d, address mode %d, normalized coordinates %d: place %d "
                   "component %d is %.9g instead of %.9g",
                   shape_names[p.shape], p.format.channels, p.format.bits, (int)p.format.kind, p.format.normalized, p.format.srgb,
                   (int)how.filterMode, (int)how.addressMode[0], how.normalizedCoords, l, i, result, want[i]);
        }
    }
}

static hipTextureDesc make_desc(const Format &format, int mode, bool linear, bool normalized) {
    hipTextureDesc how = {};
    for (auto &address : how.addressMode)
        address = (hipTextureAddressMode)mode;
    how.filterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
    how.readMode = format.normalized ? hipReadModeNormalizedFloat : hipReadModeElementType;
    how.sRGB = format.srgb;
    how.normalizedCoords = normalized;
    how.maxAnisotropy = 16; // accepted; filtering stays isotropic
    for (int i = 0; i < 4; i++)
        how.borderColor[i] = format.floats() ? 0.25f * (float)(i + 1) : (float)(i + 3);
    return how;
}

static hipResourceDesc resource_of(hipArray_t array) {
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static void check_picture(Picture &p, Random &random) {
    const hipResourceDesc resource = resource_of(p.array);
    for (int how = 0; how < 16; how++) {
        const int mode = how & 3;
        const bool linear = how & 4, normalized = how & 8;
        const bool repeats = mode == hipAddressModeWrap || mode == hipAddressModeMirror;
        if ((linear && !p.format.floats()) || (!normalized && (repeats || p.cube())))
            continue;
        const hipTextureDesc desc = make_desc(p.format, mode, linear, normalized);
        hipTextureObject_t texture;
        HIP(hipCreateTextureObject(&texture, &resource, &desc, nullptr));
        check_texture(p, texture, desc, random);
        HIP(hipDestroyTextureObject(texture));
    }
}

static void test_formats() {
    static const Size sizes[] = {{8, 0, 0}, {8, 4, 0}, {8, 4, 2}, {8, 0, 3}, {8, 4, 3}, {4, 4, 6}, {4, 4, 12}};
    static const hipChannelFormatKind kinds[] = {hipChannelFormatKindUnsigned, hipChannelFormatKindSigned, hipChannelFormatKindFloat};
    Random random;
    for (int shape = 0; shape < SHAPES; shape++)
        for (int channels = 1; channels <= 4; channels *= 2)
            for (int bits = 8; bits <= 32; bits *= 2)
                for (const auto kind : kinds)
                    for (int read = 0; read < 3; read++) { // as they are, normalized, sRGB
                        const bool integer = kind != hipChannelFormatKindFloat;
                        if ((!integer && (bits == 8 || read)) || (read && bits == 32) ||
                            (read == 2 && (bits != 8 || kind != hipChannelFormatKindUnsigned)))
                            continue;
                        Picture p = make_picture({channels, bits, kind, read > 0, read == 2}, (Shape)shape, sizes[shape], random);
                        check_picture(p, random);
                        HIP(hipFreeArray(p.array));
                    }
}

// ---- the rest

// With the pitch that HIP chooses, and with others, that of rows without anything between them too.
static void test_pitched() {
    Random random;
    Picture p = make_picture({4, 8, hipChannelFormatKindUnsigned, true, false}, PLANE, {40, 10, 0}, random);
    void *memory;
    size_t pitch;
    HIP(hipMallocPitch(&memory, &pitch, 40 * 4, 10));
    for (size_t each : {pitch, size_t(40 * 4), size_t(44 * 4)}) {
        HIP(hipMemcpy2D(memory, each, p.bytes.data(), 40 * 4, 40 * 4, 10, hipMemcpyHostToDevice));
        hipResourceDesc resource = {};
        resource.resType = hipResourceTypePitch2D;
        resource.res.pitch2D.devPtr = memory;
        resource.res.pitch2D.desc = desc_of(p.format);
        resource.res.pitch2D.width = 40;
        resource.res.pitch2D.height = 10;
        resource.res.pitch2D.pitchInBytes = each;
        const hipTextureDesc how = make_desc(p.format, hipAddressModeClamp, true, false);
        hipTextureObject_t texture;
        HIP(hipCreateTextureObject(&texture, &resource, &how, nullptr));
        check_texture(p, texture, how, random);
        HIP(hipDestroyTextureObject(texture));
    }
    HIP(hipFree(memory));
    HIP(hipFreeArray(p.array));
}

// A view as another format of the same size, and one of some layers.
static void test_views() {
    Random random;
    Picture p = make_picture({4, 8, hipChannelFormatKindUnsigned, false, false}, PLANES, {8, 4, 5}, random);
    const hipResourceDesc resource = resource_of(p.array);
    hipResourceViewDesc view = {};
    hipTextureObject_t texture;
    view.format = hipResViewFormatUnsignedInt1;
    view.width = 8;
    view.height = 4;
    Picture words = p;
    words.format = {1, 32, hipChannelFormatKindUnsigned, false, false};
    const hipTextureDesc how = make_desc(words.format, hipAddressModeBorder, false, true);
    HIP(hipCreateTextureObject(&texture, &resource, &how, &view));
    check_texture(words, texture, how, random);
    HIP(hipDestroyTextureObject(texture));

    view.firstLayer = 2;
    view.lastLayer = 4;
    Picture part = words;
    part.size.depth = 3;
    part.bytes.erase(part.bytes.begin(), part.bytes.begin() + 2 * 8 * 4 * 4);
    HIP(hipCreateTextureObject(&texture, &resource, &how, &view));
    check_texture(part, texture, how, random);
    HIP(hipDestroyTextureObject(texture));
    HIP(hipFreeArray(p.array));
}

static void test_driver_description() {
    Random random;
    Picture p = make_picture({2, 16, hipChannelFormatKindSigned, true, false}, PLANE, {8, 4, 0}, random);
    const hipTextureDesc how = make_desc(p.format, hipAddressModeBorder, true, true);
    HIP_RESOURCE_DESC resource = {};
    HIP_TEXTURE_DESC driver = {};
    hipTextureObject_t texture;
    resource.resType = HIP_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = p.array;
    for (auto &mode : driver.addressMode)
        mode = HIP_TR_ADDRESS_MODE_BORDER;
    driver.filterMode = HIP_TR_FILTER_MODE_LINEAR;
    driver.flags = HIP_TRSF_NORMALIZED_COORDINATES;
    memcpy(driver.borderColor, how.borderColor, sizeof driver.borderColor);
    HIP(hipTexObjectCreate(&texture, &resource, &driver, nullptr));
    check_texture(p, texture, how, random);
    HIP(hipTexObjectDestroy(texture));
    HIP(hipFreeArray(p.array));
}

// Level n of 16 x 16, 8 x 8, ... is n everywhere.
static void test_levels(bool linear, float bias, float least) {
    enum { LEVELS = 4, COUNT = 40 };
    const hipChannelFormatDesc desc = hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat);
    hipMipmappedArray_t mipmap;
    HIP(hipMallocMipmappedArray(&mipmap, &desc, make_hipExtent(16, 16, 0), LEVELS, 0));
    for (int n = 0; n < LEVELS; n++) {
        hipArray_t level;
        HIP(hipGetMipmappedArrayLevel(&level, mipmap, n));
        std::vector<float> same((16 >> n) * (16 >> n), (float)n);
        HIP(hipMemcpy2DToArray(level, 0, 0, same.data(), (16 >> n) * 4, (16 >> n) * 4, 16 >> n, hipMemcpyHostToDevice));
    }
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypeMipmappedArray;
    resource.res.mipmap.mipmap = mipmap;
    hipTextureDesc how = make_desc({1, 32, hipChannelFormatKindFloat, false, false}, hipAddressModeClamp, true, true);
    how.mipmapFilterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
    how.mipmapLevelBias = bias;
    how.minMipmapLevelClamp = least;
    how.maxMipmapLevelClamp = 2.5f;
    hipTextureObject_t texture;
    HIP(hipCreateTextureObject(&texture, &resource, &how, nullptr));
    float *out = (float *)device_out, got[2 * COUNT];
    levels<<<1, COUNT>>>(texture, out, out + COUNT);
    HIP(hipGetLastError());
    HIP(hipMemcpy(got, out, sizeof got, hipMemcpyDeviceToHost));
    for (int i = 0; i < 2 * COUNT; i++) {
        const double level = i < COUNT ? i * 0.125 - 0.5 : (i - COUNT) * 0.25; // a gradient of 2^n texels is level n
        const double limited = fmin(fmax(level + bias, least), 2.5);
        const double want = linear ? limited : floor(limited + 0.5);
        const bool tie = !linear && fabs(limited - floor(limited) - 0.5) < 0.01; // either level is the nearest
        EXPECT(fabs(got[i] - want) <= (tie         ? 1
                                       : i < COUNT ? 1e-6
                                                   : 0.005),
               "level %g with filter %d is %g instead of %g", level, linear, got[i], want);
    }
    HIP(hipDestroyTextureObject(texture));
    HIP(hipFreeMipmappedArray(mipmap));
}

static void test_gather() {
    Random random;
    Picture p = make_picture({4, 32, hipChannelFormatKindFloat, false, false}, PLANE, {8, 8, 0}, random);
    const hipResourceDesc resource = resource_of(p.array);
    const hipTextureDesc how = make_desc(p.format, hipAddressModeClamp, false, false);
    hipTextureObject_t texture;
    float4 got[16];
    HIP(hipCreateTextureObject(&texture, &resource, &how, nullptr));
    gather<<<1, 16>>>(texture, (float4 *)device_out);
    HIP(hipGetLastError());
    HIP(hipMemcpy(got, device_out, sizeof got, hipMemcpyDeviceToHost));
    for (int i = 0; i < 16; i++) {
        const int x = i % 4, y = i / 4; // the texels around the corner at x + 1, y + 1
        const double want[4] = {component(p, x, y + 1, 0, 1), component(p, x + 1, y + 1, 0, 1), component(p, x + 1, y, 0, 1),
                                component(p, x, y, 0, 1)};
        for (int k = 0; k < 4; k++)
            EXPECT((&got[i].x)[k] == (float)want[k], "gather %d component %d is %g instead of %g", i, k, (&got[i].x)[k], want[k]);
    }
    HIP(hipDestroyTextureObject(texture));
    HIP(hipFreeArray(p.array));
}

static void test_surfaces() {
    static const Size sizes[] = {{8, 0, 0}, {8, 4, 0}, {8, 4, 2}, {8, 0, 3}, {8, 4, 3}, {4, 4, 6}};
    Random random;
    for (int shape = 0; shape <= CUBE; shape++) {
        const Size size = sizes[shape];
        Picture p = make_picture({2, 32, hipChannelFormatKindFloat, false, false}, (Shape)shape, size, random, hipArraySurfaceLoadStore);
        const Picture before = p;
        const hipResourceDesc resource = resource_of(p.array);
        hipSurfaceObject_t surface;
        HIP(hipCreateSurfaceObject(&surface, &resource));
        const int rows = size.height ? size.height : 1, slices = size.depth ? size.depth : 1;
        increment<<<1, dim3(size.width + 2, rows, slices)>>>(surface, shape); // what is outside is not written
        HIP_FINISH();
        copy(p, false);
        for (int z = 0; z < slices; z++)
            for (int y = 0; y < rows; y++)
                for (int x = 0; x < size.width; x++)
                    for (int i = 0; i < 2; i++) {
                        const double got = component(p, x, y, z, i), want = component(before, x, y, z, i) + (i ? -1 : 1);
                        EXPECT(got == want, "%s surface at %d, %d, %d: %g instead of %g", shape_names[shape], x, y, z, got, want);
                    }
        HIP(hipDestroySurfaceObject(surface));
        HIP(hipFreeArray(p.array));
    }
}

int main(int, char **) {
    check_name = "textures";
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    const bool plain = strncmp(properties.gcnArchName, "gfx90a", 6) == 0; // no levels and gathers
    HIP(hipMalloc((void **)&device_places, PLACES * sizeof(float4)));
    HIP(hipMalloc(&device_out, PLACES * sizeof(float4)));
    test_formats();
    test_pitched();
    test_views();
    test_driver_description();
    for (int i = 0; i < 4 && !plain; i++)
        test_levels(i & 1, i & 2 ? 0.5f : 0, i & 2 ? 1 : 0);
    if (!plain)
        test_gather();
    test_surfaces();
    return finish();
}
