kernel void transpose(global const float *from, global float *to, int n) {
    local float tile[32][33];
    int x = get_local_id(0), y = get_local_id(1), x0 = get_group_id(0) * 32, y0 = get_group_id(1) * 32;
    for (int i = 0; i < 32; i += 8)
        tile[y + i][x] = from[(y0 + y + i) * n + x0 + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = 0; i < 32; i += 8)
        to[(x0 + y + i) * n + y0 + x] = tile[x][y + i];
}
