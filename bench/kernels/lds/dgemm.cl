kernel void dgemm(global const double *a, global const double *b, global double *c, int n) {
    local double ta[16][64], tb[16][64];
    int x = get_local_id(0), y = get_local_id(1), item = y * 16 + x, row0 = get_group_id(1) * 64, column0 = get_group_id(0) * 64;
    double sum[4][4];
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
            double fa[4], fb[4];
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
