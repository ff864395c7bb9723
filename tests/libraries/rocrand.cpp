/* Debian's librocrand, compiled by others: its generators, run through the host API, against the algorithms as their inventors
 * define them (Philox4x32-10, XORWOW, MRG32k3a, MTGP32, Sobol32), bit for bit. What is rocRAND's own is taken from its headers:
 * how a seed becomes a state, and the tables of parameters and direction vectors.
 *     rocrand [PHILOX XORWOW MRG32K3A MTGP32 SOBOL32 ...] */
#include <hip/hip_runtime_api.h>
#include <rocrand/rocrand.h>

#define FQUALIFIERS inline
#include <rocrand/rocrand_mtgp32_11213.h>
#include <rocrand/rocrand_sobol32_precomputed.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

static const uint64_t seed = 0x2545f491; /* below 2^32: how rocRAND folds larger ones is its own matter */

/* ---- the algorithms ---- */

/* Salmon et al., "Parallel random numbers: as easy as 1, 2, 3": block `counter` of four numbers. */
static std::array<uint32_t, 4> philox(uint64_t counter) {
    std::array<uint32_t, 4> x = {(uint32_t)counter, (uint32_t)(counter >> 32), 0, 0};
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32);
    for (int round = 0; round < 10; round++, k0 += 0x9e3779b9, k1 += 0xbb67ae85) {
        uint64_t a = (uint64_t)0xd2511f53 * x[0], b = (uint64_t)0xcd9e8d57 * x[2];
        x = {(uint32_t)(b >> 32) ^ x[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ x[3] ^ k1, (uint32_t)a};
    }
    return x;
}

/* Marsaglia, "Xorshift RNGs": xorwow. */
struct xorwow {
    uint32_t x[5], d;
    xorwow() {
        uint32_t t0 = 1228688033u * ((uint32_t)seed ^ 0x2c7f967fu), t1 = 2073658381u * ((uint32_t)(seed >> 32) ^ 0xa03697cbu);
        uint32_t start[5] = {123456789u + t0, 362436069u ^ t0, 521288629u + t1, 88675123u ^ t1, 5783321u + t0};
        memcpy(x, start, sizeof x);
        d = 6615241u + t1 + t0;
    }
    void step() {
        uint32_t t = x[0] ^ x[0] >> 2;
        memmove(x, x + 1, 16);
        x[4] = x[4] ^ x[4] << 4 ^ t ^ t << 1;
    }
    uint32_t next() {
        step();
        d += 362437;
        return d + x[4];
    }
};

/* The xorshift part is linear: 2^67 steps are a matrix over GF(2), column i the image of bit i. d returns to itself. */
struct jump {
    uint32_t column[160][5];
    jump() {
        for (int i = 0; i < 160; i++) {
            xorwow unit;
            memset(unit.x, 0, sizeof unit.x);
            unit.x[i / 32] = 1u << i % 32;
            unit.step();
            memcpy(column[i], unit.x, sizeof unit.x);
        }
        for (int power = 0; power < 67; power++) {
            static uint32_t squared[160][5];
            for (int i = 0; i < 160; i++)
                apply(column[i], squared[i]);
            memcpy(column, squared, sizeof column);
        }
    }
    void apply(const uint32_t in[5], uint32_t out[5]) const {
        uint32_t sum[5] = {};
        for (int i = 0; i < 160; i++)
            if (in[i / 32] >> i % 32 & 1)
                for (int w = 0; w < 5; w++)
                    sum[w] ^= column[i][w];
        memcpy(out, sum, sizeof sum);
    }
};

/* L'Ecuyer, "Good parameters and implementations for combined multiple recursive random number generators". */
static const uint64_t m1 = 4294967087u, m2 = 4294944443u;
typedef std::array<std::array<uint64_t, 3>, 3> matrix;
static matrix multiply(const matrix &a, const matrix &b, uint64_t m) {
    matrix c = {};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                c[i][j] = (c[i][j] + a[i][k] * b[k][j] % m) % m;
    return c;
}
static void move(const matrix &a, uint64_t s[3], uint64_t m) {
    uint64_t t[3] = {};
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++)
            t[i] = (t[i] + a[i][k] * s[k] % m) % m;
    memcpy(s, t, sizeof t);
}
static const matrix first_step = {{{0, 1, 0}, {0, 0, 1}, {m1 - 810728, 1403580, 0}}},
                    second_step = {{{0, 1, 0}, {0, 0, 1}, {m2 - 1370589, 0, 527612}}};
struct mrg32k3a {
    uint64_t first[3], second[3];
    mrg32k3a() {
        uint64_t x = (uint32_t)seed ^ 0x55555555u, y = (uint32_t)(seed >> 32) ^ 0xaaaaaaaau;
        uint64_t a[3] = {x * seed % m1, y * seed % m1, x * seed % m1}, b[3] = {y * seed % m2, x * seed % m2, y * seed % m2};
        memcpy(first, a, sizeof a);
        memcpy(second, b, sizeof b);
    }
    uint32_t next() { /* scaled from [1, m1] to 32 bits as rocRAND does */
        move(first_step, first, m1);
        move(second_step, second, m2);
        uint64_t z = first[2] > second[2] ? first[2] - second[2] : first[2] - second[2] + m1;
        return (uint32_t)((double)(z - 1) * 1.000000048661607);
    }
};

/* Saito, "A variant of Mersenne Twister suitable for graphic processors": generator number `id`. */
static std::vector<uint32_t> mtgp32(unsigned id, size_t count) {
    enum { SIZE = 351 };
    const auto &p = mtgp32dc_params_fast_11213[id];
    uint32_t hidden = p.tbl[4] ^ p.tbl[8] << 16, fill = hidden;
    fill += fill >> 16;
    fill += fill >> 8;
    std::vector<uint32_t> x(SIZE, (fill & 255) * 0x01010101u), out;
    x[0] = (uint32_t)seed + id + 1;
    x[1] = hidden;
    for (uint32_t i = 1; i < SIZE; i++)
        x[i] ^= 1812433253u * (x[i - 1] ^ x[i - 1] >> 30) + i;
    for (size_t n = 0; n < count; n++) {
        uint32_t a = (x[n] & mtgp32dc_params_fast_11213[0].mask) ^ x[n + 1];
        a ^= a << p.sh1;
        uint32_t y = a ^ x[n + p.pos] >> p.sh2, r = y ^ p.tbl[y & 15], t = x[n + p.pos - 1];
        x.push_back(r);
        t ^= t >> 16;
        t ^= t >> 8;
        out.push_back(r ^ p.tmp_tbl[t & 15]);
    }
    return out;
}

/* Joe and Kuo's direction vectors, in the order of the Gray code. */
#if ROCRAND_VERSION <= 201009 /* Debian 12's */
#define rocrand_h_sobol32_direction_vectors h_sobol32_direction_vectors
#endif
static uint32_t sobol(unsigned dimension, uint32_t index) {
    uint32_t gray = index ^ index >> 1, x = 0;
    for (int bit = 0; bit < 32; bit++)
        if (gray >> bit & 1)
            x ^= rocrand_h_sobol32_direction_vectors[dimension * 32 + bit];
    return x;
}

/* ---- rocRAND ---- */

static bool generate(rocrand_rng_type type, unsigned dimensions, std::vector<uint32_t> &out) {
    rocrand_generator generator;
    unsigned *device = nullptr;
    bool pseudo = type != ROCRAND_RNG_QUASI_SOBOL32;
    bool done = rocrand_create_generator(&generator, type) == ROCRAND_STATUS_SUCCESS &&
                hipMalloc((void **)&device, out.size() * 4) == hipSuccess &&
                (pseudo ? rocrand_set_seed(generator, seed) : rocrand_set_quasi_random_generator_dimensions(generator, dimensions)) ==
                    ROCRAND_STATUS_SUCCESS &&
                rocrand_generate(generator, device, out.size()) == ROCRAND_STATUS_SUCCESS &&
                hipMemcpy(out.data(), device, out.size() * 4, hipMemcpyDeviceToHost) == hipSuccess;
    (void)hipFree(device);
    rocrand_destroy_generator(generator);
    return done;
}

static bool compare(const char *name, const std::vector<uint32_t> &out, const std::vector<uint32_t> &want) {
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < out.size(); i++)
        if (out[i] != want[i] && wrong++ == 0)
            first = i;
    if (wrong)
        printf("FAIL %s: %zu of %zu numbers differ; number %zu is 0x%08x instead of 0x%08x\n", name, wrong, out.size(), first, out[first],
               want[first]);
    else
        printf("%s: %zu numbers equal\n", name, out.size());
    return wrong == 0;
}

static bool test_philox() {
    std::vector<uint32_t> out(100003), want;
    for (uint64_t block = 0; want.size() < out.size() + 4; block++)
        for (uint32_t x : philox(block))
            want.push_back(x);
    return generate(ROCRAND_RNG_PSEUDO_PHILOX4_32_10, 0, out) && compare("Philox4x32-10", out, want);
}

/* Number i is from subsequence i % stride; how many there are is rocRAND's choice, and found out from the first one's second number. */
static size_t find_stride(const std::vector<uint32_t> &out, uint32_t second) {
    for (size_t stride = 64; stride < out.size(); stride *= 2)
        if (out[stride] == second)
            return stride;
    return out.size();
}

static bool test_xorwow() {
    std::vector<uint32_t> out(300000), want(out.size());
    if (!generate(ROCRAND_RNG_PSEUDO_XORWOW, 0, out))
        return false;
    jump far;
    xorwow start, probe;
    probe.next();
    size_t stride = find_stride(out, probe.next());
    for (size_t s = 0; s < stride; s++, far.apply(start.x, start.x)) {
        xorwow one = start;
        for (size_t i = s; i < out.size(); i += stride)
            want[i] = one.next();
    }
    return compare("XORWOW", out, want);
}

static bool test_mrg() {
    std::vector<uint32_t> out(300000), want(out.size());
    if (!generate(ROCRAND_RNG_PSEUDO_MRG32K3A, 0, out))
        return false;
    matrix far1 = first_step, far2 = second_step;
    for (int power = 0; power < 76; power++) { /* L'Ecuyer's substreams */
        far1 = multiply(far1, far1, m1);
        far2 = multiply(far2, far2, m2);
    }
    mrg32k3a start, probe;
    probe.next();
    size_t stride = find_stride(out, probe.next());
    for (size_t s = 0; s < stride; s++, move(far1, start.first, m1), move(far2, start.second, m2)) {
        mrg32k3a one = start;
        for (size_t i = s; i < out.size(); i += stride)
            want[i] = one.next();
    }
    return compare("MRG32k3a", out, want);
}

static bool test_mtgp() { /* workgroups of 256 threads take 256 numbers of their generator at a time */
    enum { THREADS = 256, GENERATORS = 512 };
    std::vector<uint32_t> out(3 * THREADS * GENERATORS), want(out.size());
    if (!generate(ROCRAND_RNG_PSEUDO_MTGP32, 0, out))
        return false;
    for (unsigned g = 0; g < GENERATORS; g++) {
        std::vector<uint32_t> numbers = mtgp32(g, 3 * THREADS);
        for (unsigned i = 0; i < 3 * THREADS; i++)
            want[(i / THREADS * GENERATORS + g) * THREADS + i % THREADS] = numbers[i];
    }
    return compare("MTGP32", out, want);
}

static bool test_sobol() {
    enum { DIMENSIONS = 37, EACH = 2048 };
    std::vector<uint32_t> out(DIMENSIONS * EACH), want;
    for (unsigned d = 0; d < DIMENSIONS; d++)
        for (uint32_t i = 0; i < EACH; i++)
            want.push_back(sobol(d, i));
    return generate(ROCRAND_RNG_QUASI_SOBOL32, DIMENSIONS, out) && compare("Sobol32", out, want);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        bool (*run)();
    } tests[] = {{"PHILOX", test_philox}, {"XORWOW", test_xorwow}, {"MRG32K3A", test_mrg}, {"MTGP32", test_mtgp}, {"SOBOL32", test_sobol}};
    int failures = 0;
    for (const auto &test : tests) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++)
            wanted = wanted || strcmp(argv[i], test.name) == 0;
        if (wanted && !test.run()) {
            printf("FAIL %s\n", test.name);
            failures++;
        }
    }
    puts(failures ? "FAIL rocrand" : "PASS rocrand");
    return failures != 0;
}
