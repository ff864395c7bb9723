/* Tiles of 64 x 64, 16 along k at a time, converted on the way into LDS; each item computes 4 x 4. */
kernel void gemm_f16(global const half *a, global const half *b, global float *c, int n) {
    local float ta[16][64], tb[16][64];
    int item = get_local_id(0), x = item % 16, y = item / 16, row0 = get_group_id(1) * 64, column0 = get_group_id(0) * 64;
    float sum[4][4];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            sum[i][j] = 0;
    for (int k0 = 0; k0 < n; k0 += 16) {
        for (int i = item; i < 1024; i += 256) {
            ta[i % 16][i / 16] = vload_half((row0 + i / 16) * n + k0 + i % 16, a);
            tb[i % 16][i / 16] = vload_half((column0 + i / 16) * n + k0 + i % 16, b);
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
