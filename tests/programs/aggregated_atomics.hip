// Divergent loops that write to memory: lanes take places in a queue, claim words, count, and carry values out of the loop. They may be run
// for one strip of lanes after the other, and for single lanes; where lanes of a wave wait for each other they may not.
#include "check.h"

#include <algorithm>
#include <vector>

enum { ITEMS = 3000, WORDS = 1 << 12, EDGES = 40000, FREE = -1 };

static unsigned random_bits(unsigned *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }

// An item's edges lie from begins[item] to begins[item + 1].
__global__ void append(const int *begins, const int *edges, int n, unsigned *count, unsigned *queue, int *sums, unsigned *last) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= n)
        return;
    int sum = 0, end = begins[item + 1];
    unsigned place = ~0u;
    for (int e = begins[item]; e < end; e++) {
        int edge = edges[e];
        sum += edge;
        if (edge % 3 == 0) {
            place = atomicAdd(count, 1u);
            queue[place] = e;
        }
    }
    sums[item] = sum;
    last[item] = place;
}

// Whoever comes first has the word.
__global__ void claim(const int *begins, const int *edges, int n, int *words, unsigned *count, int *queue, int *rounds) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= n)
        return;
    int end = begins[item + 1], claimed = 0, e = begins[item];
    for (; e < end; e++) {
        int word = edges[e] % WORDS;
        if (words[word] != FREE || atomicCAS(&words[word], FREE, item) != FREE)
            continue;
        claimed++;
        queue[atomicAdd(count, 1u)] = word;
    }
    rounds[item] = e - begins[item];
    rounds[n + item] = claimed;
}

// Sums and extremes of which nobody wants the old values.
__global__ void count(const int *begins, const int *edges, int n, unsigned *bins, unsigned *total, int *least, unsigned char *any) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= n)
        return;
    bool found = false;
    int end = begins[item + 1];
    for (int e = begins[item]; e < end; e++) {
        int edge = edges[e];
        atomicAdd(&bins[edge % 64], (unsigned)edge);
        if (edge % 5 == 0) {
            atomicAdd(total, 1u);
            found = true;
        }
        atomicMin(&least[edge % 7], edge);
    }
    any[item] = found;
}

// Each lane waits for the one 16 lanes on, but for the last ones: with 64 lanes in lockstep it comes.
__global__ void wait_for_others(int *flags, int *rounds, int most) {
    int lane = threadIdx.x, round = 0;
    bool done = lane + 16 >= (int)blockDim.x;
    if (done)
        atomicExch(&flags[lane], 1);
    while (!done) {
        if (atomicAdd(&flags[lane + 16], 0) != 0) {
            atomicExch(&flags[lane], 1);
            done = true;
        }
        if (++round == most)
            done = true;
    }
    rounds[lane] = round;
}

template <typename T> static T *device(const std::vector<T> &host) {
    T *memory;
    HIP(hipMalloc((void **)&memory, host.size() * sizeof(T)));
    HIP(hipMemcpy(memory, host.data(), host.size() * sizeof(T), hipMemcpyHostToDevice));
    return memory;
}

template <typename T> static void fetch(std::vector<T> &host, T *memory) {
    HIP(hipMemcpy(host.data(), memory, host.size() * sizeof(T), hipMemcpyDeviceToHost));
    HIP(hipFree(memory));
}

static std::vector<int> begins, edges;

// Lengths from 0 to many, mostly few.
static void make(unsigned seed, int n) {
    unsigned state = seed;
    begins.assign(1, 0);
    edges.clear();
    for (int i = 0; i < n; i++) {
        unsigned length = random_bits(&state) % (i % 11 == 0 ? 60 : i % 3 == 0 ? 9 : 4);
        for (unsigned k = 0; k < length; k++)
            edges.push_back((int)(random_bits(&state) % 100000));
        begins.push_back((int)edges.size());
    }
}

static void test_append(int *dbegins, int *dedges, int n, unsigned block) {
    std::vector<unsigned> counter(1, 0), queue(edges.size() + 1, ~0u), last(n), wanted;
    std::vector<int> sums(n);
    unsigned *dcounter = device(counter), *dqueue = device(queue), *dlast = device(last);
    int *dsums = device(sums);
    append<<<(n + block - 1) / block, block>>>(dbegins, dedges, n, dcounter, dqueue, dsums, dlast);
    HIP_FINISH();
    fetch(counter, dcounter);
    fetch(queue, dqueue);
    fetch(last, dlast);
    fetch(sums, dsums);
    for (int i = 0; i < n; i++) {
        int sum = 0, final = -1;
        for (int e = begins[i]; e < begins[i + 1]; e++) {
            sum += edges[e];
            if (edges[e] % 3 == 0) {
                wanted.push_back((unsigned)e);
                final = e;
            }
        }
        EXPECT(sums[i] == sum, "append, workgroups of %u: the sum of item %d is %d, not %d", block, i, sums[i], sum);
        EXPECT(final < 0 ? last[i] == ~0u : last[i] < queue.size() && queue[last[i]] == (unsigned) final,
               "append, workgroups of %u: the last place of item %d is %u", block, i, last[i]);
    }
    EXPECT(counter[0] == wanted.size(), "append, workgroups of %u: %u entries, not %zu", block, counter[0], wanted.size());
    // Every item's own entries are in the order in which it made them.
    std::vector<unsigned> place(edges.size() + 1, ~0u);
    for (size_t q = 0; q < wanted.size(); q++)
        if (queue[q] < edges.size())
            place[queue[q]] = (unsigned)q;
    for (int i = 0; i < n; i++)
        for (int e = begins[i], before = -1; e < begins[i + 1]; e++)
            if (edges[e] % 3 == 0) {
                EXPECT(before < 0 || place[before] < place[e], "append, workgroups of %u: item %d's entries change places", block, i);
                before = e;
            }
    std::sort(queue.begin(), queue.begin() + (long)std::min<size_t>(counter[0], queue.size()));
    EXPECT(std::equal(wanted.begin(), wanted.end(), queue.begin()), "append, workgroups of %u: other entries", block);
    EXPECT(queue[wanted.size()] == ~0u, "append, workgroups of %u: something behind the entries", block);
}

static void test_claim(int *dbegins, int *dedges, int n, unsigned block) {
    std::vector<int> words(WORDS, FREE), queue(WORDS, -1), rounds(2 * n), seen(WORDS, 0), queued(WORDS, 0), claimed(n, 0);
    std::vector<unsigned> counter(1, 0);
    int *dwords = device(words), *dqueue = device(queue), *drounds = device(rounds);
    unsigned *dcounter = device(counter);
    claim<<<(n + block - 1) / block, block>>>(dbegins, dedges, n, dwords, dcounter, dqueue, drounds);
    HIP_FINISH();
    fetch(words, dwords);
    fetch(queue, dqueue);
    fetch(rounds, drounds);
    fetch(counter, dcounter);
    for (int edge : edges)
        seen[edge % WORDS] = 1;
    for (unsigned q = 0; q < WORDS; q++) {
        EXPECT((q < counter[0]) == (queue[q] >= 0), "claim, workgroups of %u: a gap at %u", block, q);
        if (queue[q] >= 0)
            queued[queue[q]]++;
    }
    for (int w = 0; w < WORDS; w++) {
        EXPECT(queued[w] == seen[w] && (words[w] != FREE) == (seen[w] != 0), "claim, workgroups of %u: word %d was queued %d times", block,
               w, queued[w]);
        if (words[w] == FREE)
            continue;
        bool own = words[w] < n &&
                   std::any_of(
                       edges.begin() + begins[words[w]], edges.begin() + begins[words[w] + 1], [&](int edge) { return edge % WORDS == w; });
        EXPECT(own, "claim, workgroups of %u: word %d belongs to item %d", block, w, words[w]);
        if (own)
            claimed[words[w]]++;
    }
    for (int i = 0; i < n; i++)
        EXPECT(rounds[i] == begins[i + 1] - begins[i] && rounds[n + i] == claimed[i],
               "claim, workgroups of %u: item %d: %d rounds, %d words", block, i, rounds[i], rounds[n + i]);
}

static void test_count(int *dbegins, int *dedges, int n, unsigned block) {
    std::vector<unsigned> bins(64, 0), total(1, 0), wanted(64, 0);
    std::vector<int> least(7, 1 << 30), low(7, 1 << 30);
    std::vector<unsigned char> any(n, 2);
    unsigned *dbins = device(bins), *dtotal = device(total), multiples = 0;
    int *dleast = device(least);
    unsigned char *dany = device(any);
    count<<<(n + block - 1) / block, block>>>(dbegins, dedges, n, dbins, dtotal, dleast, dany);
    HIP_FINISH();
    fetch(bins, dbins);
    fetch(total, dtotal);
    fetch(least, dleast);
    fetch(any, dany);
    for (int i = 0; i < n; i++) {
        unsigned char found = 0;
        for (int e = begins[i]; e < begins[i + 1]; e++) {
            wanted[edges[e] % 64] += (unsigned)edges[e];
            low[edges[e] % 7] = std::min(low[edges[e] % 7], edges[e]);
            found |= edges[e] % 5 == 0;
            multiples += edges[e] % 5 == 0;
        }
        EXPECT(any[i] == found, "count, workgroups of %u: item %d: %d", block, i, any[i]);
    }
    EXPECT(bins == wanted && least == low, "count, workgroups of %u: other sums", block);
    EXPECT(total[0] == multiples, "count, workgroups of %u: %u, not %u", block, total[0], multiples);
}

int main() {
    check_name = "aggregated_atomics";
    for (unsigned seed = 1; seed <= 4; seed++)
        for (unsigned block : {256u, 64u, 50u}) {
            int n = seed == 1 ? 7 : seed == 2 ? 130 : ITEMS + (int)seed;
            make(seed * 977, n);
            int *dbegins = device(begins), *dedges = device(edges);
            test_append(dbegins, dedges, n, block);
            test_claim(dbegins, dedges, n, block);
            test_count(dbegins, dedges, n, block);
            HIP(hipFree(dbegins));
            HIP(hipFree(dedges));
        }
    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    const int lanes = properties.warpSize, most = 100000;
    std::vector<int> flags(64, 0), rounds(64, 0);
    int *dflags = device(flags), *drounds = device(rounds);
    wait_for_others<<<1, lanes>>>(dflags, drounds, most);
    HIP_FINISH();
    fetch(flags, dflags);
    fetch(rounds, drounds);
    for (int lane = 0; lane < lanes; lane++)
        EXPECT(flags[lane] == 1, "lane %d gave up after %d rounds", lane, rounds[lane]);
    return finish();
}
