// Workgroups whose waves wait for each other often, which are run as one wave as long as all of them go the same way: trees, nested
// branches, loops of different lengths, early ends, tiles, numbers drawn from a counter, workgroups of several shapes.
#include "check.h"

#include <cstring>
#include <vector>

enum { GROUPS = 6, ITEMS = 256, MOST = 512, ROWS = GROUPS * ITEMS / 8 };

__device__ int item_of() { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }

// The terms of a workgroup lie a stride apart, as many as there are: the waves' loops differ in length.
__global__ void tree(const int *terms, int n, int *sums) {
    __shared__ int part[ITEMS];
    int item = item_of(), sum = 0;
    for (int i = blockIdx.x * ITEMS + item; i < n; i += GROUPS * ITEMS)
        sum += terms[i];
    part[item] = sum;
    __syncthreads();
    for (int half = ITEMS / 2; half > 0; half /= 2) {
        if (item < half)
            part[item] += part[item + half];
        __syncthreads();
    }
    if (item == 0)
        sums[blockIdx.x] = part[0];
}

// What a lane gets depends on branches within branches, with code for both sides.
__global__ void branches(const int *in, int *out) {
    __shared__ int a[ITEMS], b[ITEMS];
    int item = item_of(), at = blockIdx.x * ITEMS + item, x = in[at];
    a[item] = x;
    b[item] = 0;
    __syncthreads();
    if (item < 100) {
        if (x % 3 == 0)
            b[item] = a[255 - item] * 2;
        else if (x % 3 == 1 && item > 70)
            b[item] = a[item + 1] - 7;
    } else if (x & 1) {
        b[item] = a[item - 1] + (item >= 128 ? 1000 : 2000);
    }
    __syncthreads();
    x += b[item ^ 33];
    __syncthreads();
    a[item] = x;
    __syncthreads();
    int y = item % 5 == 0 ? a[(item * 7) % ITEMS] : a[item];
    __syncthreads();
    b[item] = y;
    __syncthreads();
    out[at] = b[ITEMS - 1 - item] + x;
}

// Prefix sums; then as many rounds as each item's own number says, in which it walks through LDS.
__global__ void walk(const int *in, int *out) {
    __shared__ int part[ITEMS];
    int item = item_of(), at = blockIdx.x * ITEMS + item, own = in[at] & 63, sum = own;
    part[item] = sum;
    __syncthreads();
    for (int step = 1; step < ITEMS; step *= 2) {
        int other = item >= step ? part[item - step] : 0;
        __syncthreads();
        part[item] = sum += other;
        __syncthreads();
    }
    int place = sum & (ITEMS - 1), rounds = 0;
    for (; rounds < own && part[place] % 11; rounds++)
        place = (place + part[place]) & (ITEMS - 1);
    out[at] = place * 100 + rounds;
}

// Eight items add up a row each, until they find a multiple of 97: rows of many lengths, among them a wave's whose rows are all empty.
__global__ void rows(const int *in, const int *begins, int *out) {
    __shared__ int part[ITEMS];
    int item = item_of(), row = (blockIdx.x * ITEMS + item) / 8, end = begins[row + 1], sum = 0;
    bool found = false;
    for (int i = begins[row] + item % 8; i < end && !found; i += 8) {
        sum += in[i];
        found = in[i] % 97 == 0;
    }
    part[item] = found ? sum + 5 : sum;
    __syncthreads();
    for (int half = 4; half > 0; half /= 2) {
        if (item % 8 < half)
            part[item] += part[item + half];
        __syncthreads();
    }
    if (item % 8 == 0)
        out[row] = part[item];
}

// Follows links in LDS, so far that waves have to let others run on the way.
__global__ void follow(const int *in, int *out) {
    __shared__ int next[ITEMS];
    int item = item_of();
    next[item] = in[blockIdx.x * ITEMS + item] & (ITEMS - 1);
    __syncthreads();
    int far = next[item ^ 1] % 64 == 5 ? 100000 : next[item ^ 1] % 64, place = item;
    __syncthreads();
    for (; far > 0; far--)
        place = next[place];
    __syncthreads();
    next[item] ^= 1;
    __syncthreads();
    out[blockIdx.x * ITEMS + item] = place * 1000 + next[place];
}

// Some waves end before the others have met for the last time.
__global__ void early(const int *in, int *out) {
    __shared__ int a[ITEMS];
    int item = item_of(), at = blockIdx.x * ITEMS + item;
    a[item] = in[at];
    __syncthreads();
    int x = a[item ^ 64];
    __syncthreads();
    out[at] = x;
    if (item >= 192 && blockIdx.x % 2)
        return;
    a[item] = x * 3;
    __syncthreads();
    x = a[item ^ 64] + 1;
    __syncthreads();
    a[item] = x;
    __syncthreads();
    out[at] = x + a[item ^ 1];
}

// Each item draws a number; nobody draws one twice.
__global__ void draw(int *out) {
    __shared__ unsigned counter, seen[ITEMS];
    int item = item_of();
    if (item == 0)
        counter = 0;
    seen[item] = 0;
    __syncthreads();
    unsigned own = atomicAdd(&counter, 1u);
    __syncthreads();
    atomicAdd(&seen[own], 1u);
    __syncthreads();
    if (item % 2)
        atomicAdd(&seen[own], 100u);
    __syncthreads();
    out[blockIdx.x * ITEMS + item] = (int)seen[own];
}

// Sums of products of a row and a column of tiles in LDS: what items load by x alone, or by y alone, is the same in several strips, and
// in all waves or in one, as the workgroup's shape says. Both depend on numbers of the workgroup.
__global__ void tiles(const int *in, int *out) {
    __shared__ int a[ITEMS], b[ITEMS];
    int item = item_of(), at = blockIdx.x * ITEMS + item, x = threadIdx.x % 16, y = threadIdx.y % 4, sum = 0;
    for (int round = 0; round < 3; round++) {
        a[item] = in[at] + round;
        b[item] = in[at ^ 5] ^ round;
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum += a[k * 16 + x] * b[k * 16 + y * 4 + k % 4];
        __syncthreads();
        for (int k = 0; k < 4; k++)
            sum = sum * 3 + a[y * 64 + k * 16] - b[item];
        __syncthreads();
    }
    out[at] = sum;
}

// Workgroups of any size: suffix sums, and what the items' ids say.
__global__ void sized(const int *in, int *out) {
    __shared__ int part[MOST];
    int items = blockDim.x * blockDim.y, item = threadIdx.y * blockDim.x + threadIdx.x, at = blockIdx.x * items + item;
    int sum = in[at] + (item % 3 == 1 ? (int)threadIdx.y * 7 : (int)threadIdx.x);
    part[item] = sum;
    __syncthreads();
    for (int step = 1; step < items; step *= 2) {
        int other = item + step < items ? part[item + step] : 0;
        __syncthreads();
        part[item] = sum += other;
        __syncthreads();
    }
    part[items - 1 - item] = sum ^ item;
    __syncthreads();
    out[at] = part[item];
    __syncthreads();
}

static std::vector<int> input(int n) {
    std::vector<int> v(n);
    unsigned state = 12345;
    for (int &x : v)
        x = (int)((state = state * 1664525u + 1013904223u) >> 12) & 0xffff;
    return v;
}

static int length_of(int row) {
    if (row >= 168 && row < 176)
        return 0;
    return row % 37 == 36 ? 800 : row % 5 == 0 ? 0 : row % 40;
}

static int row_of(const int *in, int begin, int end) {
    int sum = 0;
    for (int item = 0; item < 8; item++)
        for (int i = begin + item; i < end; i += 8) {
            sum += in[i];
            if (in[i] % 97 == 0) {
                sum += 5;
                break;
            }
        }
    return sum;
}

static int follow_of(const int *in, int item) {
    int other = in[item ^ 1] & (ITEMS - 1), far = other % 64 == 5 ? 100000 : other % 64, place = item;
    for (; far > 0; far--)
        place = in[place] & (ITEMS - 1);
    return place * 1000 + ((in[place] & (ITEMS - 1)) ^ 1);
}

static int walk_of(const int *in, int item) {
    int part[ITEMS], sum = 0;
    for (int i = 0; i < ITEMS; i++)
        part[i] = sum += in[i] & 63;
    int own = in[item] & 63, place = part[item] & (ITEMS - 1), rounds = 0;
    for (; rounds < own && part[place] % 11; rounds++)
        place = (place + part[place]) & (ITEMS - 1);
    return place * 100 + rounds;
}

static void branches_of(const int *in, int *out) {
    int b[ITEMS], x[ITEMS], y[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        b[i] = 0;
        if (i < 100 && in[i] % 3 == 0)
            b[i] = in[255 - i] * 2;
        else if (i < 100 && in[i] % 3 == 1 && i > 70)
            b[i] = in[i + 1] - 7;
        else if (i >= 100 && in[i] & 1)
            b[i] = in[i - 1] + (i >= 128 ? 1000 : 2000);
    }
    for (int i = 0; i < ITEMS; i++)
        x[i] = in[i] + b[i ^ 33];
    for (int i = 0; i < ITEMS; i++)
        y[i] = i % 5 == 0 ? x[(i * 7) % ITEMS] : x[i];
    for (int i = 0; i < ITEMS; i++)
        out[i] = y[ITEMS - 1 - i] + x[i];
}

static void early_of(const int *in, int *out, bool some_end) {
    for (int i = 0; i < ITEMS; i++) {
        out[i] = in[i ^ 64];
        if (some_end && i >= 192)
            continue;
        // of a wave that has ended, what it left
        auto tripled = [&](int j) { return some_end && j >= 192 ? in[j] : in[j ^ 64] * 3; };
        int next = i ^ 1;
        out[i] = tripled(i ^ 64) + 1 + tripled(next ^ 64) + 1;
    }
}

static int tiles_of(const int *in, int item, dim3 block) {
    int x = item % block.x % 16, y = item / block.x % block.y % 4;
    unsigned sum = 0;
    for (int round = 0; round < 3; round++) {
        auto a = [&](int i) { return (unsigned)(in[i] + round); };
        auto b = [&](int i) { return (unsigned)(in[i ^ 5] ^ round); };
        for (int k = 0; k < 16; k++)
            sum += a(k * 16 + x) * b(k * 16 + y * 4 + k % 4);
        for (int k = 0; k < 4; k++)
            sum = sum * 3 + a(y * 64 + k * 16) - b(item);
    }
    return (int)sum;
}

static void sized_of(const int *in, int *out, dim3 block) {
    int items = (int)(block.x * block.y), sum = 0;
    for (int item = items - 1; item >= 0; item--) {
        sum += in[item] + (item % 3 == 1 ? item / (int)block.x * 7 : item % (int)block.x);
        out[items - 1 - item] = sum ^ item;
    }
}

int main() {
    check_name = "workgroup_mode";
    const int n = 11 * GROUPS * ITEMS / 2 + 77;
    std::vector<int> in = input(n), out(GROUPS * ITEMS), expected(GROUPS * ITEMS);
    int *din, *dout;
    HIP(hipMalloc((void **)&din, n * sizeof(int)));
    HIP(hipMalloc((void **)&dout, out.size() * sizeof(int)));
    HIP(hipMemcpy(din, in.data(), n * sizeof(int), hipMemcpyHostToDevice));
    int begins[ROWS + 1] = {}, *dbegins;
    for (int row = 0; row < ROWS; row++)
        begins[row + 1] = begins[row] + length_of(row);
    EXPECT(begins[ROWS] <= n, "the rows have %d elements", begins[ROWS]);
    HIP(hipMalloc((void **)&dbegins, sizeof begins));
    HIP(hipMemcpy(dbegins, begins, sizeof begins, hipMemcpyHostToDevice));
    auto compare = [&](const char *what, dim3 block, size_t count) {
        HIP_FINISH();
        HIP(hipMemcpy(out.data(), dout, out.size() * sizeof(int), hipMemcpyDeviceToHost));
        for (size_t i = 0; i < count; i++)
            EXPECT(out[i] == expected[i], "%s, workgroups of %u x %u x %u: %d at %zu, not %d", what, block.x, block.y, block.z, out[i], i,
                   expected[i]);
        HIP(hipMemset(dout, 0xff, out.size() * sizeof(int)));
    };
    for (dim3 block : {dim3(256), dim3(64, 4), dim3(32, 8), dim3(16, 16), dim3(8, 8, 4)}) {
        for (int terms : {n, GROUPS * ITEMS * 3, 200}) { // the waves differ; they do not; most have none
            std::fill(expected.begin(), expected.end(), 0);
            for (int i = 0; i < terms; i++)
                expected[i / ITEMS % GROUPS] += in[i];
            tree<<<GROUPS, block>>>(din, terms, dout);
            compare("tree", block, GROUPS);
        }
        for (int g = 0; g < GROUPS; g++)
            branches_of(&in[g * ITEMS], &expected[g * ITEMS]);
        branches<<<GROUPS, block>>>(din, dout);
        compare("branches", block, out.size());
        for (int i = 0; i < GROUPS * ITEMS; i++)
            expected[i] = walk_of(&in[i / ITEMS * ITEMS], i % ITEMS);
        walk<<<GROUPS, block>>>(din, dout);
        compare("walk", block, out.size());
        for (int row = 0; row < ROWS; row++)
            expected[row] = row_of(in.data(), begins[row], begins[row + 1]);
        rows<<<GROUPS, block>>>(din, dbegins, dout);
        compare("rows", block, ROWS);
        for (int i = 0; i < GROUPS * ITEMS; i++)
            expected[i] = follow_of(&in[i / ITEMS * ITEMS], i % ITEMS);
        follow<<<GROUPS, block>>>(din, dout);
        compare("follow", block, out.size());
        for (int g = 0; g < GROUPS; g++)
            early_of(&in[g * ITEMS], &expected[g * ITEMS], g % 2);
        early<<<GROUPS, block>>>(din, dout);
        compare("early", block, out.size());
        for (int i = 0; i < GROUPS * ITEMS; i++)
            expected[i] = tiles_of(&in[i / ITEMS * ITEMS], i % ITEMS, block);
        tiles<<<GROUPS, block>>>(din, dout);
        compare("tiles", block, out.size());
        draw<<<GROUPS, block>>>(dout);
        HIP_FINISH();
        HIP(hipMemcpy(out.data(), dout, out.size() * sizeof(int), hipMemcpyDeviceToHost));
        for (int i = 0; i < GROUPS * ITEMS; i++)
            EXPECT(out[i] == (i % 2 ? 101 : 1), "draw: item %d: %d", i, out[i]);
    }
    // More sizes than a kernel has copies for; the first ones come again.
    for (dim3 block : {dim3(128), dim3(256), dim3(64, 4), dim3(192), dim3(512), dim3(320), dim3(128), dim3(64, 2), dim3(64, 4)}) {
        int items = (int)(block.x * block.y), groups = GROUPS * ITEMS / items;
        for (int g = 0; g < groups; g++)
            sized_of(&in[g * items], &expected[g * items], block);
        sized<<<groups, block>>>(din, dout);
        compare("sized", block, groups * items);
    }
    return finish();
}
