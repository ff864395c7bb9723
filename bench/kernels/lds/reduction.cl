kernel void reduction(global const float *terms, global float *sums, int n) {
    local float part[256];
    int item = get_local_id(0);
    float sum = 0;
    for (int i = get_global_id(0); i < n; i += get_global_size(0))
        sum += terms[i];
    part[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int half_ = 128; half_ > 0; half_ /= 2) {
        if (item < half_)
            part[item] += part[item + half_];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (item == 0)
        sums[get_group_id(0)] = part[0];
}
