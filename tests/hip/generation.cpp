// One program for the headers of every generation: what it sees must fit the headers that it was compiled with. The code object
// is the first argument, the generation (5, 6, 7) the second.
#include <hip/hip_runtime.h>
#if HIP_VERSION_MAJOR < 6
#define LINKAGE // a C++ name
#else
#define LINKAGE extern "C"
#endif
// gcc cannot read AMD's hip_ext.h.
LINKAGE hipError_t hipExtModuleLaunchKernel(hipFunction_t f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by, uint32_t bz,
                                            size_t lds, hipStream_t stream, void **params, void **extra, hipEvent_t start, hipEvent_t stop,
                                            uint32_t flags);

#include <cstdio>
#include <cstdlib>
#include <cstring>

#define CHECK(condition)                                                                                                                   \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            std::printf("FAIL generation: line %d: %s\n", __LINE__, #condition);                                                           \
            std::exit(1);                                                                                                                  \
        }                                                                                                                                  \
    } while (0)
#define HIP(call) CHECK((call) == hipSuccess)

static void check_library(int generation) {
    char line[1024], name[64];
    bool loaded = false;
    std::snprintf(name, sizeof name, "libamdhip64.so.%d", generation == 6 ? 7 : generation); // .so.6 is a link
    FILE *maps = std::fopen("/proc/self/maps", "r");
    while (std::fgets(line, sizeof line, maps))
        loaded |= std::strstr(line, name) != nullptr;
    std::fclose(maps);
    CHECK(loaded);
}

static void check_properties() {
    hipDeviceProp_t properties[2];
    std::memset(properties, 0x5a, sizeof properties);
    HIP(hipGetDeviceProperties(&properties[0], 0));
    for (size_t i = 0; i < sizeof properties[1]; i++) // no larger layout was written
        CHECK(((const char *)&properties[1])[i] == 0x5a);
    int value = 0;
    CHECK(std::strncmp(properties[0].gcnArchName, "gfx90a", 6) == 0);
    CHECK(properties[0].warpSize == 64 && properties[0].maxThreadsPerBlock == 1024);
    HIP(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0));
    CHECK(properties[0].multiProcessorCount == value);
    HIP(hipDeviceGetAttribute(&value, hipDeviceAttributePciBusId, 0));
    CHECK(properties[0].pciBusID == value);
    int device = -1;
    properties[0].totalGlobalMem = 1;
    HIP(hipChooseDevice(&device, &properties[0]));
    CHECK(device == 0);
}

static void check_pointers() {
    void *device, *host, *managed;
    int local = 0;
    hipPointerAttribute_t attributes;
    HIP(hipMalloc(&device, 64));
    HIP(hipHostMalloc(&host, 64, 0));
    HIP(hipMallocManaged(&managed, 64, hipMemAttachGlobal));
    HIP(hipPointerGetAttributes(&attributes, device));
#if HIP_VERSION_MAJOR < 6
    CHECK(attributes.memoryType == hipMemoryTypeDevice && attributes.devicePointer == device);
    HIP(hipPointerGetAttributes(&attributes, host));
    CHECK(attributes.memoryType == hipMemoryTypeHost && attributes.hostPointer == host);
    CHECK(hipPointerGetAttributes(&attributes, &local) == hipErrorInvalidValue);
#else
    CHECK(attributes.type == hipMemoryTypeDevice && attributes.devicePointer == device);
    HIP(hipPointerGetAttributes(&attributes, host));
    CHECK(attributes.type == hipMemoryTypeHost && attributes.hostPointer == host);
    HIP(hipPointerGetAttributes(&attributes, &local));
    CHECK(attributes.type == hipMemoryTypeUnregistered);
#endif
    HIP(hipPointerGetAttributes(&attributes, managed));
    CHECK(attributes.isManaged);
    HIP(hipFree(device));
    HIP(hipHostFree(host));
    HIP(hipFree(managed));
}

static void check_launches(const char *path) {
    hipModule_t module;
    hipFunction_t function;
    float *memory[2];
    HIP(hipModuleLoad(&module, path));
    HIP(hipModuleGetFunction(&function, module, "hello_world"));
    for (float *&m : memory)
        HIP(hipHostMalloc((void **)&m, 4096, 0));
    for (int i = 0; i < 1024; i++) {
        memory[0][i] = i;
        memory[1][i] = -1;
    }
    float **a = &memory[0], **b = &memory[1];
    void *arguments[] = {&a, &b};
    HIP(hipModuleLaunchKernel(function, 4, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr));
    HIP(hipDeviceSynchronize());
    CHECK(memory[1][255] == 255 && memory[1][256] == -1);
    HIP(hipExtModuleLaunchKernel(function, 512, 1, 1, 64, 1, 1, 0, nullptr, arguments, nullptr, nullptr, nullptr, 0));
    HIP(hipDeviceSynchronize());
    CHECK(memory[1][511] == 511 && memory[1][512] == -1);
    for (float *m : memory)
        HIP(hipHostFree(m));
    HIP(hipModuleUnload(module));
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 2;
    check_library(std::atoi(argv[2]));
    check_properties();
    check_pointers();
    check_launches(argv[1]);
    CHECK(hipSetDevice(12345) == hipErrorInvalidDevice);
    CHECK(std::strcmp(hipGetErrorName(hipGetLastError()), "hipErrorInvalidDevice") == 0);
    std::printf("PASS generation %s\n", argv[2]);
    return 0;
}
