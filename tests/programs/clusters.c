/* Clusters of workgroups by the HIP API: their ids, their barrier, loads to the LDS of several workgroups; and what else of gfx1250 needs more
 * than instructions: barriers in LDS, 320 KiB of LDS. The kernels are clusters_code.hip's. */
#include <hip/hip_runtime_api.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clusters_code.inc"

enum { WAVE = 32, IDS = 16, ROUNDS = 5, LDS = 320 * 1024 / 4, MOST = 1 << 14 };

static hipModule_t module;
static int *memory, *input; /* of the device, which is the host's */

static int failed(hipError_t error, hipError_t wanted, const char *what) {
    if (error != wanted)
        printf("FAIL clusters: %s: %s, expected %s\n", what, hipGetErrorName(error), hipGetErrorName(wanted));
    return error != wanted;
}

static int cooperative; /* launches are */
static hipStream_t stream;

static hipError_t launch(const char *name, const unsigned grid[3], const unsigned *cluster, unsigned block, void **arguments) {
    hipFunction_t function;
    hipLaunchAttribute attributes[2] = {{.id = hipLaunchAttributeCooperative}, {.id = hipLaunchAttributeClusterDimension}};
    attributes[0].value.cooperative = cooperative;
    if (failed(hipModuleGetFunction(&function, module, name), hipSuccess, name))
        return hipErrorNotFound;
    if (cluster)
        memcpy(&attributes[1].value.clusterDim, cluster, 3 * sizeof *cluster);
    HIP_LAUNCH_CONFIG config = {grid[0], grid[1], grid[2], block, 1, 1, 0, stream, attributes, cluster ? 2 : 1};
    const hipError_t error = hipDrvLaunchKernelEx(&config, function, arguments, NULL);
    return error == hipSuccess && !stream ? hipDeviceSynchronize() : error;
}

static int wrong(const char *what, unsigned at, int got, int want) {
    if (got != want)
        printf("FAIL clusters: %s: number %u is %d, expected %d\n", what, at, got, want);
    return got != want;
}

/* ---- ids ---- */

static int check_ids(const char *name, const unsigned grid[3], const unsigned *cluster, const unsigned size[3]) {
    unsigned wide = grid[0], high = grid[1], workgroup = 0;
    void *arguments[] = {&memory, &wide, &high};
    memset(memory, 0xff, MOST * sizeof *memory);
    if (failed(launch(name, grid, cluster, WAVE, arguments), hipSuccess, name))
        return 1;
    for (unsigned z = 0; z < grid[2]; z++)
        for (unsigned y = 0; y < grid[1]; y++)
            for (unsigned x = 0; x < grid[0]; x++, workgroup++) {
                const unsigned id[3] = {x, y, z};
                unsigned want[14], flat = x % size[0] + size[0] * (y % size[1] + size[1] * (z % size[2]));
                for (unsigned d = 0; d < 3; d++) {
                    want[d] = id[d];
                    want[3 + d] = id[d] / size[d];
                    want[6 + d] = id[d] % size[d];
                    want[9 + d] = size[d] - 1;
                }
                want[12] = flat;
                want[13] = size[0] * size[1] * size[2] - 1;
                for (unsigned i = 0; i < 14; i++)
                    if (wrong(name, workgroup * IDS + i, memory[workgroup * IDS + i], (int)want[i]))
                        return 1;
            }
    return 0;
}

static int ids(void) {
    static const unsigned sizes[][3] = {{1, 1, 1}, {2, 1, 1}, {4, 2, 2}, {1, 3, 2}, {3, 1, 4}, {1, 16, 1}};
    static const unsigned two[3] = {2, 2, 1}, grid[3] = {6, 4, 2};
    int bad =
        check_ids("fixed_ids", grid, NULL, two) || check_ids("fixed_ids", grid, two, two) || check_ids("any_ids", grid, NULL, sizes[0]);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes && !bad; i++) {
        const unsigned wider[3] = {sizes[i][0] * 3, sizes[i][1] * 2, sizes[i][2] * 2};
        bad = check_ids("any_ids", wider, sizes[i], sizes[i]);
    }
    return bad;
}

/* ---- barriers, loads ---- */

static int passes_on(unsigned size, unsigned clusters, unsigned block) {
    const unsigned grid[3] = {size * clusters, 1, 1}, cluster[3] = {size, 1, 1};
    void *arguments[] = {&input, &memory, &size};
    if (failed(launch("pass_on", grid, cluster, block, arguments), hipSuccess, "pass_on"))
        return 1;
    for (unsigned i = 0; i < grid[0] * block; i++) {
        const unsigned workgroup = i / block, first = workgroup / size * size, before = first + (workgroup + size - 1) % size;
        unsigned want = 0;
        for (unsigned round = 0; round < ROUNDS; round++)
            want = want * 3 + (round + 1) * (before + 7);
        if (wrong("pass_on", i, memory[i], (int)want))
            return 1;
    }
    return 0;
}

/* What a workgroup loads comes to itself alone, and only if the mask has it, or nobody. */
static int multicasts(const char *kernel, unsigned size, unsigned clusters, unsigned mask) {
    const unsigned grid[3] = {size * clusters, 1, 1}, cluster[3] = {size, 1, 1};
    void *arguments[] = {&input, &memory, &size, &mask};
    for (unsigned i = 0; i < grid[0] * WAVE; i++)
        input[i] = (int)(i * 2654435761u >> 20);
    if (failed(launch(kernel, grid, cluster, WAVE, arguments), hipSuccess, kernel))
        return 1;
    for (unsigned i = 0; i < grid[0] * WAVE; i++) {
        const unsigned workgroup = i / WAVE, lane = i % WAVE, rank = workgroup % size, first = workgroup - rank;
        unsigned want = 0;
        int row = -1;
        for (unsigned step = 0; step < 2 * size; step++) {
            if (step - rank < size && (!mask || mask >> rank & 1))
                row = input[(first + step - rank) * WAVE + WAVE - 1 - lane];
            want = want * 3 + (unsigned)row;
        }
        if (wrong(kernel, i, memory[i], (int)(want + (unsigned)input[lane])))
            return 1;
    }
    return 0;
}

static int multicasts_both(unsigned size, unsigned clusters, unsigned mask) {
    return multicasts("multicast", size, clusters, mask) || multicasts("multicast_tiles", size, clusters, mask);
}

static int meets(void) {
    const unsigned grid[3] = {12, 1, 1}, cluster[3] = {3, 1, 1};
    unsigned all = 12;
    void *arguments[] = {&memory, &all};
    memory[0] = 0;
    return failed(launch("meet", grid, cluster, WAVE, arguments), hipSuccess, "meet") || wrong("meet", 0, memory[0], 12);
}

/* The launch's clusters are the node's of a graph. */
static int captured(void) {
    const unsigned grid[3] = {4, 2, 1}, size[3] = {4, 2, 1};
    unsigned wide = 4, high = 2;
    void *arguments[] = {&memory, &wide, &high};
    hipGraph_t graph;
    hipGraphExec_t executable;
    memset(memory, 0xff, 8 * IDS * sizeof *memory);
    if (failed(hipStreamCreate(&stream), hipSuccess, "hipStreamCreate") ||
        failed(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal), hipSuccess, "hipStreamBeginCapture") ||
        failed(launch("any_ids", grid, size, WAVE, arguments), hipSuccess, "any_ids") ||
        failed(hipStreamEndCapture(stream, &graph), hipSuccess, "hipStreamEndCapture") ||
        failed(hipGraphInstantiate(&executable, graph, NULL, NULL, 0), hipSuccess, "hipGraphInstantiate") ||
        failed(hipGraphLaunch(executable, stream), hipSuccess, "hipGraphLaunch") ||
        failed(hipStreamSynchronize(stream), hipSuccess, "hipStreamSynchronize"))
        return 1;
    stream = NULL;
    for (unsigned i = 0; i < 8; i++)
        if (wrong("a graph", i, memory[i * IDS + 12], (int)i) || wrong("a graph", i, memory[i * IDS + 13], 7))
            return 1;
    return 0;
}

static int together(void) {
    cooperative = 1;
    const int bad = passes_on(2, 2, 2 * WAVE) || multicasts_both(4, 1, 0xb) || meets();
    cooperative = 0;
    return bad;
}

static int leaves(void) {
    const unsigned grid[3] = {8, 1, 1}, cluster[3] = {4, 1, 1};
    void *arguments[] = {&memory};
    memset(memory, 0, 8 * sizeof *memory);
    if (failed(launch("leave", grid, cluster, 2 * WAVE, arguments), hipSuccess, "leave"))
        return 1;
    for (unsigned i = 0; i < 8; i++)
        if (wrong("leave", i, memory[i], i % 4 == 1 ? 0 : 5))
            return 1;
    return 0;
}

/* ---- LDS ---- */

static int phases(void) {
    const unsigned grid[3] = {1, 1, 1};
    void *arguments[] = {&memory};
    if (failed(launch("phases", grid, NULL, 4 * WAVE, arguments), hipSuccess, "phases"))
        return 1;
    for (int lane = 0; lane < WAVE; lane++) {
        int want = 0;
        for (int round = 0; round < ROUNDS; round++)
            for (int wave = 0; wave < 3; wave++)
                want = (int)((unsigned)want * 5 + (unsigned)((round + 1) * (wave + 3 * lane)));
        if (wrong("phases", (unsigned)lane, memory[lane], want))
            return 1;
    }
    return 0;
}

static int large(void) {
    enum { GROUPS = 3, ITEMS = 256 };
    const unsigned grid[3] = {GROUPS, 1, 1};
    void *arguments[] = {&memory};
    if (failed(launch("large", grid, NULL, ITEMS, arguments), hipSuccess, "large"))
        return 1;
    for (int item = 0; item < GROUPS * ITEMS; item++) {
        int want = 0;
        for (int i = item % ITEMS; i < LDS; i += ITEMS)
            want ^= (LDS - 1 - i) * 3 + i;
        if (wrong("large", (unsigned)item, memory[item], want))
            return 1;
    }
    return 0;
}

/* ---- the API ---- */

static int limits(void) {
    static const unsigned grid[3] = {6, 4, 2}, one[3] = {1, 1, 1}, two[3] = {2, 1, 1}, five[3] = {5, 1, 1}, many[3] = {6, 4, 1},
                          none[3] = {0, 1, 1};
    static const unsigned huge[3] = {65536, 65536, 1}, huge_grid[3] = {65536, 65536, 1};
    hipDeviceProp_t properties;
    hipFunction_t function;
    unsigned wide = 6, high = 4;
    int shared = 0, blocks = 0;
    void *arguments[] = {&memory, &wide, &high};
    if (failed(launch("fixed_ids", grid, one, WAVE, arguments), hipErrorInvalidClusterSize, "another size than the kernel's") ||
        failed(launch("fixed_ids", grid, two, WAVE, arguments), hipErrorInvalidClusterSize, "another size than the kernel's") ||
        failed(launch("any_ids", grid, five, WAVE, arguments), hipErrorInvalidClusterSize, "a part of a cluster") ||
        failed(launch("any_ids", grid, many, WAVE, arguments), hipErrorInvalidClusterSize, "24 workgroups") ||
        failed(launch("any_ids", huge_grid, huge, WAVE, arguments), hipErrorInvalidClusterSize, "2^32 workgroups") ||
        failed(launch("any_ids", grid, none, WAVE, arguments), hipErrorInvalidClusterSize, "no workgroups"))
        return 1;
    if (failed(hipGetDeviceProperties(&properties, 0), hipSuccess, "hipGetDeviceProperties") ||
        failed(hipDeviceGetAttribute(&shared, hipDeviceAttributeMaxSharedMemoryPerBlock, 0), hipSuccess, "hipDeviceGetAttribute") ||
        failed(hipModuleGetFunction(&function, module, "large"), hipSuccess, "hipModuleGetFunction") ||
        failed(hipModuleOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, WAVE, 0), hipSuccess, "occupancy"))
        return 1;
    return wrong("LDS", 0, (int)properties.sharedMemPerBlock, LDS * 4) || wrong("LDS", 1, shared, LDS * 4) ||
           wrong("clusterLaunch", 0, properties.clusterLaunch, 1) || wrong("occupancy", 0, blocks, 1);
}

int main(void) {
    setenv("WAVELIFT_ARCH", "gfx1250", 1);
    if (failed(hipMallocManaged((void **)&memory, MOST * sizeof *memory, hipMemAttachGlobal), hipSuccess, "hipMallocManaged") ||
        failed(hipMallocManaged((void **)&input, MOST * sizeof *input, hipMemAttachGlobal), hipSuccess, "hipMallocManaged") ||
        failed(hipModuleLoadData(&module, clusters_code), hipSuccess, "hipModuleLoadData"))
        return 1;
    if (ids() || passes_on(2, 7, 3 * WAVE) || passes_on(16, 3, 2 * WAVE) || passes_on(5, 40, WAVE) || multicasts_both(4, 5, 0xf) ||
        multicasts_both(3, 4, 5) || multicasts_both(16, 2, 0x8421) || multicasts_both(2, 3, 0) || meets() || captured() || together() ||
        leaves() || phases() || large() || limits())
        return 1;
    puts("PASS clusters");
    return 0;
}
