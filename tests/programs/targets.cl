/* What every processor has: ids, LDS, a barrier, a scalar of a lane, the size of a wave. Built for each without a library. */
__attribute__((reqd_work_group_size(128, 1, 1))) kernel void mirror(global unsigned *out, global const unsigned *in) {
    local unsigned tile[128];
    unsigned lane = __builtin_amdgcn_workitem_id_x(), group = __builtin_amdgcn_workgroup_id_x();

    tile[lane] = in[group * 128 + lane] * 3;
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    unsigned first = __builtin_amdgcn_readfirstlane(lane);
    out[group * 128 + lane] = tile[127 - lane] + first * 1000 + __builtin_amdgcn_wavefrontsize() * 1000000;
}
