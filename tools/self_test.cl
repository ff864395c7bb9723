/* The kernel of `wavelift doctor`, in every build: 64 work items, each of which computes one number. */
kernel void wl_doctor(global int *p) {
    int i = __builtin_amdgcn_workitem_id_x();
    p[i] = 3 * p[i] + i;
}
