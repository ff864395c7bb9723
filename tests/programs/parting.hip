// Lanes that part: loops that some lanes leave before others while a scalar counts the rounds, branches one behind the other, scalar conditions under
// a mask, arrays in LDS behind barriers. On GPUs whose threads part by themselves each lane has to come to the same result.
#include "check.h"

#include <cmath>
#include <vector>

enum { ITEMS = 5000, GROUP = 128, SIDE = 8 };

__host__ __device__ static unsigned mix(unsigned x) {
    x ^= x >> 15;
    x *= 0x2c1b3c6du;
    return x ^ x >> 12;
}

// Left when the number is small, or after so many rounds.
__host__ __device__ static unsigned collatz(unsigned x, int rounds) {
    int round;
    for (round = 0; round < rounds && x > 4; round++)
        x = x % 2 ? 3 * x + 1 : x / 2;
    return x * 1000 + (unsigned)round;
}

__global__ void counted(unsigned *results, int rounds, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item < n)
        results[item] = collatz(mix(item) % 100000, rounds);
}

// Three ways out of a loop, and a value that only one of them sets.
__host__ __device__ static unsigned search(const unsigned *numbers, unsigned wanted, int n, int *found) {
    unsigned sum = 0;
    *found = -1;
    for (int i = 0; i < n; i++) {
        unsigned number = numbers[i];
        if (number == wanted) {
            *found = i;
            break;
        }
        if (number % 64 == wanted % 64)
            continue;
        sum += number;
        if (sum % 31 == 7)
            break;
    }
    return sum;
}

__global__ void searches(const unsigned *numbers, unsigned *sums, int *places, int count, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x, found;
    if (item >= n)
        return;
    sums[item] = search(numbers, mix(item) % 300, count, &found);
    places[item] = found;
}

// A kind that is the same for all lanes, chosen where only some are on.
__host__ __device__ static float covariance(int kind, float distance, int steps) {
    float sum = 0;
    for (int i = 1; i <= steps; i++)
        sum += distance * (float)i;
    switch (kind) {
    case 0:
        return sum / (1 + distance);
    case 1:
        return sum > 3 ? sum - 3 : 3 - sum;
    case 2:
        return sum * sum - distance;
    default:
        return distance < 2 ? 1 : sum;
    }
}

__global__ void covariances(float *results, int kind, int steps, int n) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
    if (x < n && y < n)
        results[y * n + x] = covariance(kind, (float)(x > y ? x - y : y - x) * 0.25f, steps);
}

// Branches one behind the other, each with an end of its own.
__global__ void powers(float *results, const float *bases, const float *exponents, int n) {
    int item = blockIdx.x * blockDim.x + threadIdx.x;
    if (item >= n)
        return;
    float sum = powf(bases[item], exponents[item]);
    if (item % 3)
        sum += powf(bases[item], 2 * exponents[item]);
    results[item] = sum + powf(bases[item], 1 - exponents[item]);
}

// A cube with its surroundings in LDS.
__global__ void cube(const int *in, int *out, int n) {
    __shared__ int tile[SIDE + 2][SIDE + 2][SIDE + 2];
    const int lane = (threadIdx.z * SIDE + threadIdx.y) * SIDE + threadIdx.x, wide = SIDE + 2;
    for (int i = lane; i < wide * wide * wide; i += SIDE * SIDE * SIDE) {
        int x = (int)blockIdx.x * SIDE + i % wide - 1, y = (int)blockIdx.y * SIDE + i / wide % wide - 1,
            z = (int)blockIdx.z * SIDE + i / wide / wide - 1;
        bool inside = x >= 0 && y >= 0 && z >= 0 && x < n && y < n && z < n;
        tile[i / wide / wide][i / wide % wide][i % wide] = inside ? in[(z * n + y) * n + x] : 0;
    }
    __syncthreads();
    int sum = 0;
    for (int z = 0; z < 3; z++)
        for (int y = 0; y < 3; y++)
            for (int x = 0; x < 3; x++)
                sum += tile[threadIdx.z + z][threadIdx.y + y][threadIdx.x + x] * (1 + x + 3 * y + 9 * z);
    out[((blockIdx.z * SIDE + threadIdx.z) * n + blockIdx.y * SIDE + threadIdx.y) * n + blockIdx.x * SIDE + threadIdx.x] = sum;
}

template <class T> static T *allocate(size_t n) {
    T *memory;
    HIP(hipMalloc(&memory, n * sizeof(T)));
    return memory;
}

template <class T> static std::vector<T> fetch(const T *memory, size_t n) {
    std::vector<T> values(n);
    HIP(hipMemcpy(values.data(), memory, n * sizeof(T), hipMemcpyDeviceToHost));
    return values;
}

template <class T> static T *upload(const std::vector<T> &values) {
    T *memory = allocate<T>(values.size());
    HIP(hipMemcpy(memory, values.data(), values.size() * sizeof(T), hipMemcpyHostToDevice));
    return memory;
}

int main() {
    check_name = "parting";
    const dim3 groups((ITEMS + GROUP - 1) / GROUP);
    unsigned *results = allocate<unsigned>(ITEMS);
    for (int rounds = 0; rounds <= 80; rounds += 40) {
        counted<<<groups, GROUP>>>(results, rounds, ITEMS);
        HIP_FINISH();
        std::vector<unsigned> got = fetch(results, ITEMS);
        for (unsigned i = 0; i < ITEMS; i++)
            EXPECT(got[i] == collatz(mix(i) % 100000, rounds), "counted %u: %u, not %u", i, got[i], collatz(mix(i) % 100000, rounds));
    }
    std::vector<unsigned> numbers(200);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = mix((unsigned)i * 77) % 300;
    unsigned *device_numbers = upload(numbers);
    int *places = allocate<int>(ITEMS);
    searches<<<groups, GROUP>>>(device_numbers, results, places, (int)numbers.size(), ITEMS);
    HIP_FINISH();
    std::vector<unsigned> sums = fetch(results, ITEMS);
    std::vector<int> found = fetch(places, ITEMS);
    for (unsigned i = 0; i < ITEMS; i++) {
        int place;
        unsigned sum = search(numbers.data(), mix(i) % 300, (int)numbers.size(), &place);
        EXPECT(sums[i] == sum && found[i] == place, "search %u: %u at %d, not %u at %d", i, sums[i], found[i], sum, place);
    }

    enum { POINTS = 150 };
    float *numbers_out = allocate<float>(POINTS * POINTS);
    for (int kind = 0; kind < 4; kind++) {
        covariances<<<dim3(2, POINTS), GROUP>>>(numbers_out, kind, 3 * kind, POINTS);
        HIP_FINISH();
        std::vector<float> got = fetch(numbers_out, POINTS * POINTS);
        for (int y = 0; y < POINTS; y++)
            for (int x = 0; x < POINTS; x++) {
                float want = covariance(kind, (float)(x > y ? x - y : y - x) * 0.25f, 3 * kind);
                EXPECT(got[y * POINTS + x] == want, "covariance %d of %d and %d: %g, not %g", kind, x, y, got[y * POINTS + x], want);
            }
    }
    std::vector<float> bases(ITEMS), exponents(ITEMS);
    for (unsigned i = 0; i < ITEMS; i++) {
        bases[i] = i % 7 ? (float)(1 + mix(i) % 4000) * 0.001f : i % 2 ? 1 : 0.5f;
        exponents[i] = (float)(mix(i + ITEMS) % 800) * 0.01f - 4;
    }
    float *device_bases = upload(bases), *device_exponents = upload(exponents), *sums_out = allocate<float>(ITEMS);
    powers<<<groups, GROUP>>>(sums_out, device_bases, device_exponents, ITEMS);
    HIP_FINISH();
    std::vector<float> got = fetch(sums_out, ITEMS);
    for (unsigned i = 0; i < ITEMS; i++) {
        double want =
            pow(bases[i], exponents[i]) + (i % 3 ? pow(bases[i], 2 * (double)exponents[i]) : 0) + pow(bases[i], 1 - (double)exponents[i]);
        EXPECT(fabs(got[i] - want) <= 2e-6 * want, "powers %u: %.9g, not %.9g", i, (double)got[i], want);
    }

    enum { N = 2 * SIDE };
    std::vector<int> in(N * N * N);
    for (size_t i = 0; i < in.size(); i++)
        in[i] = (int)(mix((unsigned)i) % 1000);
    int *device_in = upload(in), *device_out = allocate<int>(in.size());
    cube<<<dim3(2, 2, 2), dim3(SIDE, SIDE, SIDE)>>>(device_in, device_out, N);
    HIP_FINISH();
    std::vector<int> out = fetch(device_out, in.size());
    for (int i = 0; i < N * N * N; i++) {
        int sum = 0;
        for (int j = 0; j < 27; j++) {
            int x = i % N + j % 3 - 1, y = i / N % N + j / 3 % 3 - 1, z = i / N / N + j / 9 - 1;
            if (x >= 0 && y >= 0 && z >= 0 && x < N && y < N && z < N)
                sum += in[(z * N + y) * N + x] * (1 + j);
        }
        EXPECT(out[i] == sum, "cube %d: %d, not %d", i, out[i], sum);
    }
    return finish();
}
