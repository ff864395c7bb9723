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
