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
