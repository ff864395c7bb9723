// Private memory at offsets that differ from lane to lane: stacks, arrays of all sizes, elements across dwords; in divergent loops, beside atomics,
// and loops under a partial EXEC, behind which lanes that were off still have what they had.
#include "check.h"

#include <string.h>
#include <vector>

enum { ITEMS = 1000, DEPTH = 40, NODES = 4096 };

__host__ __device__ static unsigned mix(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

// Goes through a heap from a node on, with a stack, and sums the nodes that pass.
__host__ __device__ static unsigned walk(const unsigned *nodes, unsigned item, unsigned *taken) {
    unsigned stack[DEPTH], levels[DEPTH], depth = 1, sum = 0;
    stack[0] = 1 + item % 64;
    levels[0] = 0;
    while (depth > 0) {
        depth--;
        unsigned node = stack[depth], level = levels[depth], value = nodes[node];
        sum += value ^ level;
        if (value % 7 == item % 7)
            ++*taken;
        if (2 * node + 1 >= NODES)
            continue;
        if (value % 4 != 0) {
            stack[depth] = 2 * node;
            levels[depth++] = level + 1;
        }
        if (value % 3 == item % 3) {
            stack[depth] = 2 * node + 1;
            levels[depth++] = level * 3;
        }
    }
    return sum;
}

__global__ void walks(const unsigned *nodes, unsigned *sums, unsigned *takens, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= n)
        return;
    unsigned taken = 0;
    sums[item] = walk(nodes, item, &taken);
    takens[item] = taken;
}

// The same beside additions to memory.
__global__ void counted_walks(const unsigned *nodes, unsigned *bins, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= n)
        return;
    unsigned stack[DEPTH], depth = 1;
    stack[0] = 1 + item % 64;
    while (depth > 0) {
        unsigned node = stack[--depth];
        atomicAdd(&bins[nodes[node] % 64], node);
        if (2 * node + 1 < NODES && nodes[node] % 4 != 0)
            stack[depth++] = 2 * node;
        if (2 * node + 1 < NODES && nodes[node] % 3 == 0)
            stack[depth++] = 2 * node + 1;
    }
}

// Bytes, halves, dwords and pairs, aligned or not, at places that the data tell.
__host__ __device__ static unsigned scribble(unsigned seed, int rounds) {
    unsigned char bytes[160];
    unsigned sum = 0, state = seed;
    for (unsigned i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 29 + seed);
    for (int i = 0; i < rounds; i++) {
        state = mix(state + i);
        const unsigned at = state % 150, kind = (state >> 16) % 8;
        unsigned short half;
        unsigned word;
        unsigned long long pair;
        if (kind == 0) {
            bytes[at] = (unsigned char)state;
        } else if (kind == 1) {
            half = (unsigned short)(state >> 3);
            memcpy(bytes + at, &half, sizeof half);
        } else if (kind == 2) {
            memcpy(bytes + at, &state, sizeof state);
        } else if (kind == 3) {
            pair = state * 0x9e3779b97f4a7c15ull;
            memcpy(bytes + at, &pair, sizeof pair);
        } else if (kind == 4) {
            sum += (unsigned)(int)(signed char)bytes[at];
        } else if (kind == 5) {
            memcpy(&half, bytes + at, sizeof half);
            sum += (unsigned)(int)(short)half;
        } else if (kind == 6) {
            memcpy(&word, bytes + at, sizeof word);
            sum ^= word;
        } else {
            memcpy(&pair, bytes + (at & ~3u), sizeof pair);
            sum += (unsigned)(pair >> 20);
        }
    }
    return sum + bytes[seed % 160];
}

__global__ void scribbles(unsigned *sums, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        sums[item] = scribble(item * 77, 40 + item % 50);
}

// Strings of different lengths, byte by byte; where an 'x' was is told behind the loop.
__host__ __device__ static unsigned hash(const unsigned char *text, int length, int *found) {
    unsigned sum = 5381;
    *found = -1;
    for (int i = 0; i < length; i++) {
        sum = sum * 33 + text[i];
        if (text[i] == 'x')
            *found = i;
    }
    return sum;
}

__global__ void hashes(const unsigned char *text, unsigned *sums, unsigned *places, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x, found;
    if (item >= n)
        return;
    sums[item] = hash(text + item * 3, item * 7 % 61, &found);
    places[item] = (unsigned)found;
}

// Loops with the same rounds for all lanes that are in them.
__host__ __device__ static float settle(unsigned item, int rounds, float scale) {
    float x = (float)(item % 100), y = 1;
    unsigned odd = item;
    if (item % 3 == 1) {
        for (int i = 0; i < rounds; i++) {
            x = x * 0.5f + scale;
            y = y + x;
            odd = odd * 5 + 1;
        }
    }
    if (item % 64 == 17)
        for (int i = 0; i < rounds; i++)
            y = y * 0.25f + x;
    return x + y + (float)(odd % 1024);
}

__global__ void settles(float *results, int rounds, float scale, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = settle(item, rounds, scale);
}

template <typename T> static std::vector<T> fetch(const T *from, size_t count) {
    std::vector<T> to(count);
    HIP(hipMemcpy(to.data(), from, count * sizeof(T), hipMemcpyDeviceToHost));
    return to;
}

int main() {
    check_name = "private_memory";
    std::vector<unsigned> nodes(NODES), want(64);
    std::vector<unsigned char> text(4 * ITEMS);
    unsigned *device_nodes, *sums, *others;
    unsigned char *device_text;
    float *results;
    for (unsigned i = 0; i < NODES; i++)
        nodes[i] = mix(i) >> 4;
    for (unsigned i = 0; i < text.size(); i++)
        text[i] = mix(i + 99) % 40 == 0 ? 'x' : (unsigned char)mix(i);
    HIP(hipMalloc(&device_nodes, NODES * sizeof(unsigned)));
    HIP(hipMalloc(&device_text, text.size()));
    HIP(hipMalloc(&sums, ITEMS * sizeof(unsigned)));
    HIP(hipMalloc(&others, ITEMS * sizeof(unsigned)));
    HIP(hipMalloc(&results, ITEMS * sizeof(float)));
    HIP(hipMemcpy(device_nodes, nodes.data(), NODES * sizeof(unsigned), hipMemcpyHostToDevice));
    HIP(hipMemcpy(device_text, text.data(), text.size(), hipMemcpyHostToDevice));
    for (int group = 64; group <= 256; group *= 4) {
        const int groups = (ITEMS + group - 1) / group;
        walks<<<groups, group>>>(device_nodes, sums, others, ITEMS);
        HIP_FINISH();
        std::vector<unsigned> got = fetch(sums, ITEMS), more = fetch(others, ITEMS);
        for (unsigned i = 0; i < ITEMS; i++) {
            unsigned taken = 0, sum = walk(nodes.data(), i, &taken);
            EXPECT(got[i] == sum && more[i] == taken, "walk %u: %u %u, not %u %u", i, got[i], more[i], sum, taken);
        }
        HIP(hipMemset(others, 0, 64 * sizeof(unsigned)));
        counted_walks<<<groups, group>>>(device_nodes, others, ITEMS);
        HIP_FINISH();
        more = fetch(others, 64);
        std::vector<unsigned> bins(64);
        for (unsigned i = 0; i < ITEMS; i++) {
            unsigned stack[DEPTH], depth = 1;
            stack[0] = 1 + i % 64;
            while (depth > 0) {
                unsigned node = stack[--depth];
                bins[nodes[node] % 64] += node;
                if (2 * node + 1 < NODES && nodes[node] % 4 != 0)
                    stack[depth++] = 2 * node;
                if (2 * node + 1 < NODES && nodes[node] % 3 == 0)
                    stack[depth++] = 2 * node + 1;
            }
        }
        for (unsigned i = 0; i < 64; i++)
            EXPECT(more[i] == bins[i], "bin %u: %u, not %u", i, more[i], bins[i]);
        scribbles<<<groups, group>>>(sums, ITEMS);
        HIP_FINISH();
        got = fetch(sums, ITEMS);
        for (unsigned i = 0; i < ITEMS; i++)
            EXPECT(got[i] == scribble(i * 77, 40 + i % 50), "scribble %u: %x, not %x", i, got[i], scribble(i * 77, 40 + i % 50));
        hashes<<<groups, group>>>(device_text, sums, others, ITEMS);
        HIP_FINISH();
        got = fetch(sums, ITEMS);
        more = fetch(others, ITEMS);
        for (unsigned i = 0; i < ITEMS; i++) {
            int found;
            unsigned sum = hash(text.data() + i * 3, i * 7 % 61, &found);
            EXPECT(got[i] == sum && more[i] == (unsigned)found, "hash %u: %x at %d, not %x at %d", i, got[i], (int)more[i], sum, found);
        }
        settles<<<groups, group>>>(results, 20, 0.75f, ITEMS);
        HIP_FINISH();
        std::vector<float> numbers = fetch(results, ITEMS);
        for (unsigned i = 0; i < ITEMS; i++)
            EXPECT(numbers[i] == settle(i, 20, 0.75f), "settle %u: %g, not %g", i, numbers[i], settle(i, 20, 0.75f));
    }
    return finish();
}
