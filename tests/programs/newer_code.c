/* A running sum over a workgroup, whose bytes for processors that LLVM 19 does not know are in newer_code.inc. Compiled by clang 22, for each:
 *     clang -target amdgcn-amd-amdhsa -mcpu=gfx1153 -mcode-object-version=5 -x cl -cl-std=CL2.0 -O2 -nogpulib -c newer_code.c
 * (version 6 for generic ones), linked by ld.lld -shared, without its section names (llvm-strip --strip-sections). */
enum { ITEMS = 128 };

kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void running_sum(global float *out, global const float *in, float scale) {
    local float sums[ITEMS];
    const int item = __builtin_amdgcn_workitem_id_x(), at = __builtin_amdgcn_workgroup_id_x() * ITEMS + item;
    float sum = in[at] * scale;
    for (int step = 1; step < ITEMS; step *= 2) {
        sums[item] = sum;
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
        if (item >= step)
            sum += sums[item - step];
        __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
        __builtin_amdgcn_s_barrier();
        __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    }
    out[at] = sum;
}
