/* The PoCL side: the same kernels in OpenCL C. */
#pragma OPENCL FP_CONTRACT OFF

kernel void triad_rounds(global float *restrict a, global const float *restrict b, global const float *restrict c, float s, int n, int rounds) {
    for (int round = 0; round < rounds; round++)
        for (int i = get_global_id(0); i < n; i += get_global_size(0))
            a[i] = fma(s, c[i], b[i]);
}

kernel void triad(global float *restrict a, global const float *restrict b, global const float *restrict c, float s) {
    int i = get_global_id(0);
    a[i] = fma(s, c[i], b[i]);
}

kernel void sgemm16(global const float *a, global const float *b, global float *c, int n) {
    local float ta[16][16], tb[16][16];
    int x = get_local_id(0), y = get_local_id(1), column = get_group_id(0) * 16 + x, row = get_group_id(1) * 16 + y;
    float sum = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        ta[y][x] = a[row * n + k0 + x];
        tb[y][x] = b[(k0 + y) * n + column];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++)
            sum = fma(ta[y][k], tb[k][x], sum);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    c[row * n + column] = sum;
}

kernel void sgemm64(global const float *a, global const float *b, global float *c, int n) {
    local float ta[16][64], tb[16][64];
    int x = get_local_id(0), y = get_local_id(1), item = y * 16 + x, row0 = get_group_id(1) * 64, column0 = get_group_id(0) * 64;
    float sum[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum[i][j] = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = item; i < 1024; i += 256) {
            ta[i % 16][i / 16] = a[(row0 + i / 16) * n + k0 + i % 16];
            tb[i / 64][i % 64] = b[(k0 + i / 64) * n + column0 + i % 64];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; k++) {
            float fa[4], fb[4];
            for (int i = 0; i < 4; i++) {
                fa[i] = ta[k][y * 4 + i];
                fb[i] = tb[k][x * 4 + i];
            }
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++)
                    sum[i][j] = fma(fa[i], fb[j], sum[i][j]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(row0 + y * 4 + i) * n + column0 + x * 4 + j] = sum[i][j];
}

kernel void nbody(global const float4 *bodies, global float4 *result, int n) {
    local float4 tile[256];
    int item = get_local_id(0);
    float4 self = bodies[get_global_id(0)];
    float sx = 0, sy = 0, sz = 0;
    for (int first = 0; first < n; first += 256) {
        tile[item] = bodies[first + item];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < 256; j++) {
            float x = tile[j].x - self.x, y = tile[j].y - self.y, z = tile[j].z - self.z;
            float inverse = rsqrt(fma(x, x, fma(y, y, fma(z, z, SOFTENING))));
            float scale = tile[j].w * (inverse * inverse * inverse);
            sx = fma(x, scale, sx);
            sy = fma(y, scale, sy);
            sz = fma(z, scale, sz);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    result[get_global_id(0)] = (float4)(sx, sy, sz, 0);
}

kernel void mandelbrot(global int *counts, int width, int height, int limit) {
    int px = get_global_id(0), py = get_global_id(1);
    float cx = -2.2f + 3.2f / (float)width * (float)px, cy = -1.3f + 2.6f / (float)height * (float)py, x = 0, y = 0;
    int count = 0;
    while (count < limit) {
        float xx = x * x, yy = y * y;
        if (xx + yy > 4.0f)
            break;
        y = fma(x + x, y, cy);
        x = (xx - yy) + cx;
        count++;
    }
    counts[py * width + px] = count;
}

float cumulative(float d) {
    float k = 1.0f / fma(0.2316419f, fabs(d), 1.0f);
    float poly = k * fma(k, fma(k, fma(k, fma(k, 1.330274429f, -1.821255978f), 1.781477937f), -0.356563782f), 0.31938153f);
    float tail = 0.39894228f * exp(-0.5f * d * d) * poly;
    return d > 0 ? 1.0f - tail : tail;
}

kernel void black_scholes(global const float *s, global const float *k, global const float *t, global float *call, int n) {
    int i = get_global_id(0);
    float root = VOLATILITY * sqrt(t[i]);
    float d1 = (log(s[i] / k[i]) + (RISK_FREE + 0.5f * VOLATILITY * VOLATILITY) * t[i]) / root, d2 = d1 - root;
    float n1 = cumulative(d1), n2 = cumulative(d2), discounted = k[i] * exp(-RISK_FREE * t[i]);
    call[i] = s[i] * n1 - discounted * n2;
    call[n + i] = discounted * (1.0f - n2) - s[i] * (1.0f - n1);
}
