/* Kernels that the tests of HSA dispatch with packets of their own. */
#define GLOBAL_ID                                                                                                                          \
    (__builtin_amdgcn_workgroup_id_x() * ((__constant ushort *)__builtin_amdgcn_dispatch_ptr())[2] + __builtin_amdgcn_workitem_id_x())

__attribute__((visibility("default"))) __global int factor = 3; /* a variable that the host finds and changes */

__kernel void scale(__global int *values, int count) {
    const int i = (int)GLOBAL_ID;
    if (i < count)
        values[i] *= factor;
}

/* What the kernel finds of its dispatch: the packet's kernarg address, its completion signal, the queue's size, the kernel object. */
__kernel void look(__global ulong *seen) {
    __constant ulong *packet = (__constant ulong *)__builtin_amdgcn_dispatch_ptr();
    seen[0] = packet[5];
    seen[1] = packet[7];
    seen[3] = packet[4];
    seen[2] = ((__constant uint *)__builtin_amdgcn_queue_ptr())[6];
}

/* Dynamic LDS: the packet says how much. */
__kernel void turn(__global int *values, __local int *copy) {
    const int i = (int)__builtin_amdgcn_workitem_id_x(), last = ((__constant ushort *)__builtin_amdgcn_dispatch_ptr())[2] - 1;
    copy[i] = values[i];
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
    values[i] = copy[last - i];
}

/* A signal's value, changed by the device without the host's knowing. */
__kernel void set(__global long *value, long to) {
    __atomic_store_n((__global volatile long *)value, to, __ATOMIC_RELEASE);
}

__kernel void fault(__global int *nowhere) { nowhere[GLOBAL_ID] = 1; }

/* Images, by AMD's device library: each texel of one becomes that of another with its components the other way round; and what a sampler finds. */
float4 __ockl_image_load_2D(__constant uint *image, int2 at);
void __ockl_image_store_2D(__constant uint *image, int2 at, float4 value);
float4 __ockl_image_load_3D(__constant uint *image, int4 at);
float4 __ockl_image_load_1Db(__constant uint *image, int at);
float4 __ockl_image_sample_2D(__constant uint *image, __constant uint *sampler, float2 at);

__kernel void turn_texels(__constant uint *from, __constant uint *to) {
    const int2 at = (int2)(__builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workgroup_id_x());
    __ockl_image_store_2D(to, at, __ockl_image_load_2D(from, at).wzyx);
}

__kernel void see_texels(__constant uint *deep, __constant uint *line, __constant uint *flat, __constant uint *sampler, __global float4 *seen) {
    seen[0] = __ockl_image_load_3D(deep, (int4)(2, 1, 1, 0));
    seen[1] = __ockl_image_load_1Db(line, 70000);
#ifdef SAMPLERS
    seen[2] = __ockl_image_sample_2D(flat, sampler, (float2)(0.5f, -3.0f));
#endif
}
