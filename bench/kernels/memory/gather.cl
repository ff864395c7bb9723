kernel void gather(global const float *restrict from, global const uint *restrict index, global float *restrict to) {
    int i = get_global_id(0);
    to[i] = from[index[i]];
}
