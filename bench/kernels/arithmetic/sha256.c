/* SHA-256 of messages of 64 bytes: two blocks, the second one padding. */
#include "sha256.h"
#include "bench.h"

#include <string.h>

enum { LANES = 16 };
typedef uint32_t lanes __attribute__((vector_size(4 * LANES)));

static uint32_t *messages, *digests;
static struct buffer dmessages, ddigests;

static const uint32_t k[64] = {CUBE_ROOTS}, first[8] = {SQUARE_ROOTS};

static void make(struct result *result) {
    struct random random = {1};
    messages = host_array((size_t)COUNT * 64);
    digests = host_array((size_t)COUNT * 32);
    for (size_t i = 0; i < (size_t)COUNT * 16; i++)
        messages[i] = random_bits(&random);
    *result = (struct result){digests, (size_t)COUNT * 32, BITS, 0, 0};
}

/* Sixteen messages at a time. */
static inline void compress(lanes h[8], lanes w[16]) {
    lanes a = h[0], b = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], last = h[7];
#pragma clang loop unroll(full)
    for (int t = 0; t < 64; t++) {
        lanes word = w[t % 16], sum = last + LARGE_1(e) + CHOOSE(e, f, g) + k[t] + word, other = LARGE_0(a) + MAJORITY(a, b, c);
        last = g;
        g = f;
        f = e;
        e = d + sum;
        d = c;
        c = b;
        b = a;
        a = sum + other;
        w[t % 16] = word + SMALL_0(w[(t + 1) % 16]) + w[(t + 9) % 16] + SMALL_1(w[(t + 14) % 16]);
    }
    lanes end[8] = {a, b, c, d, e, f, g, last};
    for (int j = 0; j < 8; j++)
        h[j] += end[j];
}

static void native(void) {
#pragma omp parallel for schedule(static)
    for (int i = 0; i < COUNT; i += LANES) {
        lanes h[8], w[16];
        for (int j = 0; j < 8; j++)
            h[j] = (lanes){0} + first[j];
        for (int j = 0; j < 16; j++)
            memcpy(&w[j], messages + (size_t)j * COUNT + i, sizeof w[j]);
        compress(h, w);
        for (int j = 0; j < 16; j++)
            w[j] = (lanes){0} + (j == 0 ? 0x80000000 : j == 15 ? 512 : 0);
        compress(h, w);
        for (int j = 0; j < 8; j++)
            memcpy(digests + (size_t)j * COUNT + i, &h[j], sizeof h[j]);
    }
}

static void upload(void) {
    dmessages = new_buffer((size_t)COUNT * 64, messages);
    ddigests = new_buffer((size_t)COUNT * 32, NULL);
}

static void device(void) { LAUNCH("sha256", EXTENT(COUNT / 256), EXTENT(256), BUFFER(dmessages), BUFFER(ddigests)); }

static void fetch(void) { read_buffer(digests, ddigests, (size_t)COUNT * 32); }

const struct benchmark bench_sha256 = {make, native, upload, device, fetch, 1e-9 * COUNT * 64, "GB"};
