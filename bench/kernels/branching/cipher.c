/* Speck 32/64: a block cipher on words of 16 bits, read and written as bytes; sums, rotations, exclusive or. */
#include "cipher.h"
#include "bench.h"

static uint8_t *from, *to;
static uint16_t keys[ROUNDS];
static struct buffer dfrom, dkeys, dto;

static uint16_t mixed(uint16_t x, uint16_t y, uint16_t key) { return (uint16_t)((uint16_t)((uint16_t)(x >> 7 | x << 9) + y) ^ key); }

static void make(struct result *result) {
    struct random random = {1};
    uint16_t words[ROUNDS + 3] = {0x0908, 0x1110, 0x1918};
    from = host_array((size_t)4 * BLOCKS);
    to = host_array((size_t)4 * BLOCKS);
    for (int i = 0; i < 4 * BLOCKS; i++)
        from[i] = (uint8_t)random_bits(&random);
    keys[0] = 0x0100;
    for (int i = 0; i < ROUNDS - 1; i++) {
        words[i + 3] = mixed(words[i], keys[i], (uint16_t)i);
        keys[i + 1] = (uint16_t)((keys[i] << 2 | keys[i] >> 14) ^ words[i + 3]);
    }
    *result = (struct result){to, (size_t)4 * BLOCKS, BITS, 0, 0};
}

static void native(void) {
#pragma omp parallel for schedule(static, 4096)
    for (int i = 0; i < BLOCKS; i++) {
        uint16_t y = (uint16_t)(from[4 * i] | from[4 * i + 1] << 8), x = (uint16_t)(from[4 * i + 2] | from[4 * i + 3] << 8);
        for (int k = 0; k < ROUNDS; k++) {
            x = mixed(x, y, keys[k]);
            y = (uint16_t)((uint16_t)(y << 2 | y >> 14) ^ x);
        }
        to[4 * i] = (uint8_t)y;
        to[4 * i + 1] = (uint8_t)(y >> 8);
        to[4 * i + 2] = (uint8_t)x;
        to[4 * i + 3] = (uint8_t)(x >> 8);
    }
}

static void upload(void) {
    dfrom = new_buffer((size_t)4 * BLOCKS, from);
    dkeys = new_buffer(sizeof keys, keys);
    dto = new_buffer((size_t)4 * BLOCKS, NULL);
}

static void device(void) { LAUNCH("cipher", EXTENT(BLOCKS / 256), EXTENT(256), BUFFER(dfrom), BUFFER(dkeys), BUFFER(dto)); }

static void fetch(void) { read_buffer(to, dto, (size_t)4 * BLOCKS); }

const struct benchmark bench_cipher = {make, native, upload, device, fetch, 4e-9 * BLOCKS, "GB", 0, NULL};
