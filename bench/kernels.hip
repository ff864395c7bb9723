// The Wavelift side: the six kernels in HIP, built by the stock compiler.
#include <hip/hip_runtime.h>

#include "worker.h"

__global__ void triad_rounds(float *__restrict a, const float *__restrict b, const float *__restrict c, float s, int n, int rounds) {
    for (int round = 0; round < rounds; round++)
        for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
            a[i] = fmaf(s, c[i], b[i]);
}

__global__ void triad(float *__restrict a, const float *__restrict b, const float *__restrict c, float s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = fmaf(s, c[i], b[i]);
}

__global__ void sgemm16(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][16], tb[16][16];
    int x = threadIdx.x, y = threadIdx.y, column = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        ta[y][x] = a[row * n + k0 + x];
        tb[y][x] = b[(k0 + y) * n + column];
        __syncthreads();
        for (int k = 0; k < 16; k++)
            sum = fmaf(ta[y][k], tb[k][x], sum);
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void sgemm64(const float *a, const float *b, float *c, int n) {
    __shared__ float ta[16][64], tb[16][64];
    int x = threadIdx.x, y = threadIdx.y, item = y * 16 + x, row0 = blockIdx.y * 64, column0 = blockIdx.x * 64;
    float sum[4][4] = {};
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = item; i < 1024; i += 256) {
            ta[i % 16][i / 16] = a[(row0 + i / 16) * n + k0 + i % 16];
            tb[i / 64][i % 64] = b[(k0 + i / 64) * n + column0 + i % 64];
        }
        __syncthreads();
        for (int k = 0; k < 16; k++) {
            float fa[4], fb[4];
            for (int i = 0; i < 4; i++) {
                fa[i] = ta[k][y * 4 + i];
                fb[i] = tb[k][x * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] = fmaf(fa[i], fb[j], sum[i][j]);
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row0 + y * 4 + i) * n + column0 + x * 4 + j] = sum[i][j];
}

__global__ void nbody(const float4 *bodies, float4 *result, int n) {
    __shared__ float4 tile[256];
    float4 self = bodies[blockIdx.x * 256 + threadIdx.x];
    float sx = 0, sy = 0, sz = 0;
    for (int first = 0; first < n; first += 256) {
        tile[threadIdx.x] = bodies[first + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < 256; j++) {
            float x = tile[j].x - self.x, y = tile[j].y - self.y, z = tile[j].z - self.z;
            float inverse = rsqrtf(fmaf(x, x, fmaf(y, y, fmaf(z, z, SOFTENING))));
            float scale = tile[j].w * (inverse * inverse * inverse);
            sx = fmaf(x, scale, sx);
            sy = fmaf(y, scale, sy);
            sz = fmaf(z, scale, sz);
        }
        __syncthreads();
    }
    result[blockIdx.x * 256 + threadIdx.x] = make_float4(sx, sy, sz, 0);
}

__global__ void mandelbrot(int *counts, int width, int height, int limit) {
#pragma clang fp contract(off)
    int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
    float cx = -2.2f + 3.2f / (float)width * (float)px, cy = -1.3f + 2.6f / (float)height * (float)py, x = 0, y = 0;
    int count = 0;
    while (count < limit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = fmaf(x + x, y, cy);
        x = (xx - yy) + cx;
        count++;
    }
    counts[py * width + px] = count;
}

__device__ inline float cumulative(float d) {
    float k = 1.0f / fmaf(0.2316419f, fabsf(d), 1.0f);
    float poly = k * fmaf(k, fmaf(k, fmaf(k, fmaf(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f);
    float tail = 0.39894228f * expf(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

__global__ void black_scholes(const float *s, const float *k, const float *t, float *call, float *put, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float root = VOLATILITY * sqrtf(t[i]);
    float d1 = (logf(s[i] / k[i]) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t[i]) / root, d2 = d1 - root;
    float n1 = cumulative(d1), n2 = cumulative(d2), discounted = k[i] * expf(-RISK_FREE * t[i]);
    call[i] = s[i] * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s[i] * (1.0f - n1);
}

__global__ void empty() {}

#define HIP(call)                                                                                                                          \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess) {                                                                                                        \
            fprintf(stderr, "%s: %s\n", #call, hipGetErrorString(error_));                                                                 \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

static float *in[KERNELS][3], *out[KERNELS];

static void prepare(enum kernel kernel, const struct problem *problem) {
    for (int i = 0; i < 3; i++)
        if (problem->inputs[i]) {
            HIP(hipMalloc((void **)&in[kernel][i], problem->inputs[i] * 4));
            HIP(hipMemcpy(in[kernel][i], problem->input[i], problem->inputs[i] * 4, hipMemcpyHostToDevice));
        }
    HIP(hipMalloc((void **)&out[kernel], problem->outputs * 4));
}

static void run(enum kernel kernel) {
    float **i = in[kernel], *o = out[kernel];
    switch (kernel) {
    case TRIAD_L2:
        triad_rounds<<<32, 256>>>(o, i[0], i[1], TRIAD_SCALE, TRIAD_SMALL, TRIAD_ROUNDS);
        break;
    case TRIAD:
        triad<<<TRIAD_LARGE / 256, 256>>>(o, i[0], i[1], TRIAD_SCALE);
        break;
    case SGEMM16:
        sgemm16<<<dim3(SGEMM_N / 16, SGEMM_N / 16), dim3(16, 16)>>>(i[0], i[1], o, SGEMM_N);
        break;
    case SGEMM64:
        sgemm64<<<dim3(SGEMM_N / 64, SGEMM_N / 64), dim3(16, 16)>>>(i[0], i[1], o, SGEMM_N);
        break;
    case NBODY:
        nbody<<<NBODY_N / 256, 256>>>((const float4 *)i[0], (float4 *)o, NBODY_N);
        break;
    case MANDELBROT:
        mandelbrot<<<dim3(MANDEL_WIDTH / 32, MANDEL_HEIGHT / 8), dim3(32, 8)>>>((int *)o, MANDEL_WIDTH, MANDEL_HEIGHT, MANDEL_LIMIT);
        break;
    case BLACK_SCHOLES:
        black_scholes<<<OPTIONS / 256, 256>>>(i[0], i[1], i[2], o, o + OPTIONS, OPTIONS);
        break;
    default:
        break;
    }
    HIP(hipGetLastError());
    HIP(hipDeviceSynchronize());
}

static void fetch(enum kernel kernel, float *result, size_t count) {
    HIP(hipMemcpy(result, out[kernel], count * 4, hipMemcpyDeviceToHost));
}

static int compare_doubles(const void *a, const void *b) {
    return *(const double *)a < *(const double *)b ? -1 : *(const double *)a > *(const double *)b;
}

// The median time of an empty launch and the wait for it, in seconds.
static int launches() {
    static double times[2001];
    for (double &time : times) {
        double start = now();
        empty<<<1, 64>>>();
        HIP(hipDeviceSynchronize());
        time = now() - start;
    }
    qsort(times, 2001, sizeof times[0], compare_doubles);
    printf("%.9g\n", times[1000]);
    return 0;
}

int main(int argc, char **argv) { return argc > 1 && strcmp(argv[1], "launches") == 0 ? launches() : worker_main(); }
