kernel void scatter(global const float *restrict from, global const uint *restrict index, global float *restrict to) {
    int i = get_global_id(0);
    to[index[i]] = from[i];
}
