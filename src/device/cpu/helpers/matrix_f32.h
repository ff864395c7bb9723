/* Products of f32 on waves of 64, without modifiers: a part of matrix_kernels.c, which includes it behind what it uses.
 *
 * Nothing is converted, so that registers are multiplied where they are. Products of large matrices are many of these, each of four columns of A
 * or fewer: a call must cost little beside the multiplication, and what is added to one D stays in registers for all products of the call. */
#ifndef WL_DEVICE_CPU_HELPERS_MATRIX_F32_H
#define WL_DEVICE_CPU_HELPERS_MATRIX_F32_H

/* The products of one D, in their order. */
struct f32_chain {
    const struct wl_matrix_product *product[WL_MATRIX_GROUP];
    unsigned products;
};

/* `rows` rows from row `first` on, all columns of the block whose lanes begin at `lane` and whose D begins at `d`. A lane holds one element of
 * A and of B; those of other columns of A are `stride` lanes further on. */
INLINE void f32_tile(const struct f32_chain *chain, uint32_t *d, const uint32_t *c, unsigned lane, unsigned first, unsigned stride,
                     unsigned m, unsigned rows) {
    const unsigned width = m / 16;
    f32x16 sum[16];
#pragma unroll
    for (unsigned v = 0; v < rows * width; v++) {
        const unsigned row = first + v / width, at = (m == 32 ? MFMA_32(row) : MFMA_16(row)) + v % width * 16;
        sum[v] = (f32x16)(c ? load(c + at) : (u32x16)(uint32_t)chain->product[0]->constant);
    }
    for (unsigned p = 0; p < chain->products; p++) {
        const float *a = (const float *)chain->product[p]->a + lane + first, *b = (const float *)chain->product[p]->b + lane;
#pragma unroll
        for (unsigned k = 0; k < LANES; k += stride) {
            f32x16 columns[2];
#pragma unroll
            for (unsigned w = 0; w < width; w++)
                columns[w] = loadf(b + k + 16 * w);
#pragma unroll
            for (unsigned r = 0; r < rows; r++)
#pragma unroll
                for (unsigned w = 0; w < width; w++)
                    sum[r * width + w] = FMA((f32x16)a[k + r], columns[w], sum[r * width + w]);
        }
    }
#pragma unroll
    for (unsigned v = 0; v < rows * width; v++) {
        const unsigned row = first + v / width, at = (m == 32 ? MFMA_32(row) : MFMA_16(row)) + v % width * 16;
        store(d + at, (u32x16)sum[v]);
    }
}

INLINE void f32_blocks(const struct f32_chain *chain, unsigned m, unsigned blocks, unsigned rows) {
    const struct wl_matrix_product *first = chain->product[0];
    for (unsigned block = 0; block < blocks; block++)
        for (unsigned row = 0; row < m; row += rows)
            f32_tile(chain, first->d + block * m * m, first->c ? first->c + block * m * m : NULL, block * m, row, m * blocks, m, rows);
}

static void f32_run(const struct f32_chain *chain, unsigned m, unsigned blocks) {
    if (m == 16 && blocks == 1)
        f32_blocks(chain, 16, 1, TILE(16, 4));
    else if (m == 16)
        f32_blocks(chain, 16, 4, TILE(16, 4));
    else if (blocks == 1)
        f32_blocks(chain, 32, 1, TILE(8, 2));
    else
        f32_blocks(chain, 32, 2, TILE(8, 2));
}

/* Does the products, if they are of this kind and can be done where they are. */
INLINE bool run_f32(uint32_t wave_size, const struct wl_matrix_product *product, uint32_t count, const struct wl_matrix *row,
                    uint32_t modifiers) {
    if (row->a != WL_MATRIX_F32 || row->m == 4 || row->layout != WL_MATRIX_MFMA || wave_size != LANES || modifiers)
        return false;
    const size_t size = (size_t)row->m * row->m * row->blocks;
    const struct wl_matrix_product *one = product;
    if (count == 1 && (overlaps(one->a, LANES, one->d, size) || overlaps(one->b, LANES, one->d, size) ||
                       (one->c && one->c != one->d && overlaps(one->c, size, one->d, size))))
        return false;
    struct f32_chain chain;
    for (uint32_t done = 0, first; done != (UINT32_C(1) << count) - 1; f32_run(&chain, row->m, row->blocks)) {
        first = (uint32_t)__builtin_ctz(~done);
        chain.products = 0;
        for (uint32_t i = first; i < count; i++) {
            if (product[i].d != product[first].d || done >> i & 1)
                continue;
            if (i > first && product[i].c != product[i].d)
                break;
            done |= UINT32_C(1) << i;
            chain.product[chain.products++] = &product[i];
        }
    }
    return true;
}

#endif
