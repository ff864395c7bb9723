/* Complex Fourier transforms of 1024 points in f32: Stockham's algorithm with radix 4, in LDS on the device. */
#include "fft.h"
#include "bench.h"

#include <math.h>
#include <string.h>

#define QUARTER (POINTS / 4)
#define BYTES   ((size_t)BATCH * POINTS * 8)

static float *in, *out, *factors; /* pairs of a real and an imaginary part; factors: the powers of exp(-2 pi i / POINTS) */
static struct buffer din, dout, dfactors;

static void make(struct result *result) {
    in = host_array(BYTES);
    out = host_array(BYTES);
    factors = host_array((size_t)POINTS * 8);
    random_floats(1, in, (size_t)BATCH * POINTS * 2, -1, 1);
    for (int i = 0; i < POINTS; i++) {
        double angle = -2 * 3.14159265358979323846 * i / POINTS;
        factors[2 * i] = (float)cos(angle);
        factors[2 * i + 1] = (float)sin(angle);
    }
    *result = (struct result){out, BYTES, BITS, 0, 0};
}

/* One pass; p: the length of the transforms that are finished. Parts stand in arrays of their own. */
static inline __attribute__((always_inline)) void pass(int p, const float *restrict xr, const float *restrict xi, float *restrict yr,
                                                       float *restrict yi) {
    for (int i = 0; i < QUARTER; i++) {
        int k = i & (p - 1), j = (i - k) * 4 + k;
        float r[4], m[4];
        r[0] = xr[i];
        m[0] = xi[i];
        for (int q = 1; q < 4; q++) {
            float a = xr[i + q * QUARTER], b = xi[i + q * QUARTER];
            float c = factors[2 * (k * q * (QUARTER / p))], s = factors[2 * (k * q * (QUARTER / p)) + 1];
            r[q] = fmaf(a, c, -(b * s));
            m[q] = fmaf(a, s, b * c);
        }
        float r02 = r[0] + r[2], m02 = m[0] + m[2], d02 = r[0] - r[2], e02 = m[0] - m[2];
        float r13 = r[1] + r[3], m13 = m[1] + m[3], d13 = r[1] - r[3], e13 = m[1] - m[3];
        yr[j] = r02 + r13;
        yi[j] = m02 + m13;
        yr[j + p] = d02 + e13;
        yi[j + p] = e02 - d13;
        yr[j + 2 * p] = r02 - r13;
        yi[j + 2 * p] = m02 - m13;
        yr[j + 3 * p] = d02 - e13;
        yi[j + 3 * p] = e02 + d13;
    }
}

static void native(void) {
#pragma omp parallel for schedule(static)
    for (int batch = 0; batch < BATCH; batch++) {
        float ar[POINTS], ai[POINTS], br[POINTS], bi[POINTS];
        for (int i = 0; i < POINTS; i++) {
            ar[i] = in[((size_t)batch * POINTS + i) * 2];
            ai[i] = in[((size_t)batch * POINTS + i) * 2 + 1];
        }
        pass(1, ar, ai, br, bi);
        pass(4, br, bi, ar, ai);
        pass(16, ar, ai, br, bi);
        pass(64, br, bi, ar, ai);
        pass(256, ar, ai, br, bi);
        for (int i = 0; i < POINTS; i++) {
            out[((size_t)batch * POINTS + i) * 2] = br[i];
            out[((size_t)batch * POINTS + i) * 2 + 1] = bi[i];
        }
    }
}

static void upload(void) {
    din = new_buffer(BYTES, in);
    dout = new_buffer(BYTES, NULL);
    dfactors = new_buffer((size_t)POINTS * 8, factors);
}

static void device(void) { LAUNCH("fft", EXTENT(BATCH), EXTENT(QUARTER), BUFFER(din), BUFFER(dout), BUFFER(dfactors)); }

static void fetch(void) { read_buffer(out, dout, BYTES); }

const struct benchmark bench_fft = {
    make, native, upload, device, fetch, 1e-9 * 5 * 10 * POINTS *BATCH, "GFLOP", 0, "operations counted as 5 n log2 n"};
