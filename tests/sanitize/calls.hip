/* memcheck: calls of HIP that leave memory, free it twice, or never. */
#include "catalogue.h"

static char host[1 << 16];
__device__ int variable[16];

/* ---- frees --------------------------------------------------------------------------------------- */

CASE(free_twice) {
    int *p;
    OK(hipMalloc((void **)&p, 400));
    OK(hipFree(p));
    if (faulty)
        MAY(hipFree(p)); // FAULT: memcheck double-free
}

CASE(free_twice_in_order) {
    int *p;
    OK(hipMallocAsync((void **)&p, 400, 0));
    OK(hipFreeAsync(p, 0));
    if (faulty)
        MAY(hipFreeAsync(p, 0)); // FAULT: memcheck double-free
    finish();
}

CASE(free_pinned_twice) {
    int *p;
    OK(hipHostMalloc((void **)&p, 400));
    OK(hipHostFree(p));
    if (faulty)
        MAY(hipHostFree(p)); // FAULT: memcheck double-free
}

CASE(free_managed_twice) {
    int *p;
    OK(hipMallocManaged((void **)&p, 400));
    OK(hipFree(p));
    if (faulty)
        MAY(hipFree(p)); // FAULT: memcheck double-free
}

CASE(free_pool_then_plain) {
    int *p;
    OK(hipMallocAsync((void **)&p, 400, 0));
    OK(hipFreeAsync(p, 0));
    OK(hipDeviceSynchronize());
    if (faulty)
        MAY(hipFree(p)); // FAULT: memcheck double-free
}

CASE(free_the_stacks) {
    int local[4] = {0};
    if (faulty)
        MAY(hipFree(local)); // FAULT: memcheck invalid-free
}

CASE(free_inside) {
    int *p;
    OK(hipMalloc((void **)&p, 400));
    if (faulty)
        MAY(hipFree(p + 2)); // FAULT: memcheck invalid-free
    OK(hipFree(p));
}

CASE(free_inside_in_order) {
    int *p;
    OK(hipMallocAsync((void **)&p, 400, 0));
    if (faulty)
        MAY(hipFreeAsync(p + 2, 0)); // FAULT: memcheck invalid-free
    OK(hipFreeAsync(p, 0));
    finish();
}

CASE(unregister_twice) {
    OK(hipHostRegister(host, sizeof host, 0));
    OK(hipHostUnregister(host));
    if (faulty)
        MAY(hipHostUnregister(host)); // FAULT: memcheck double-free|invalid-free
}

CASE(free_array_twice) {
    hipArray_t array;
    hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
    OK(hipMallocArray(&array, &desc, 16, 16));
    OK(hipFreeArray(array));
    if (faulty)
        MAY(hipFreeArray(array)); // FAULT: memcheck double-free|invalid-free
}

/* ---- copies -------------------------------------------------------------------------------------- */

CASE(copy_to_behind) {
    Buffer<int> b(100);
    MAY(hipMemcpy(b, host, 400 + (faulty ? 4 : 0), hipMemcpyHostToDevice)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(copy_to_one_byte_behind) {
    Buffer<char> b(101);
    MAY(hipMemcpy(b, host, 101 + (faulty ? 1 : 0), hipMemcpyHostToDevice)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(copy_from_behind) {
    Buffer<int> b(100);
    MAY(hipMemcpy(host, b, 400 + (faulty ? 4 : 0), hipMemcpyDeviceToHost)); // FAULT: memcheck call-out-of-bounds-read
}

CASE(copy_from_inside) {
    Buffer<int> b(100);
    MAY(hipMemcpy(host, b + 50, 200 + (faulty ? 100 : 0), hipMemcpyDeviceToHost)); // FAULT: memcheck call-out-of-bounds-read
}

CASE(copy_within) {
    Buffer<int> a(100), b(50);
    MAY(hipMemcpy(b, a, 200 + (faulty ? 4 : 0), hipMemcpyDeviceToDevice)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(copy_within_reads) {
    Buffer<int> a(50), b(100);
    MAY(hipMemcpy(b, a, 200 + (faulty ? 4 : 0), hipMemcpyDeviceToDevice)); // FAULT: memcheck call-out-of-bounds-read
}

CASE(copy_async) {
    Buffer<int> b(100);
    MAY(hipMemcpyAsync(b, host, 400 + (faulty ? 16 : 0), hipMemcpyHostToDevice, 0)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(copy_to_device) {
    Buffer<int> b(100);
    MAY(hipMemcpyHtoD(b.p, host, 400 + (faulty ? 4 : 0))); // FAULT: memcheck call-out-of-bounds-write
}

CASE(copy_from_device) {
    Buffer<int> b(100);
    MAY(hipMemcpyDtoH(host, b.p, 400 + (faulty ? 4 : 0))); // FAULT: memcheck call-out-of-bounds-read
}

CASE(copy_to_pinned) {
    Buffer<int> b(200);
    int *p;
    OK(hipHostMalloc((void **)&p, 400));
    MAY(hipMemcpy(p, b, 400 + (faulty ? 4 : 0), hipMemcpyDeviceToHost)); // FAULT: memcheck call-out-of-bounds-write
    OK(hipHostFree(p));
}

CASE(copy_rows) {
    Buffer<char> b(1000);
    MAY(hipMemcpy2D(b, 100, host, 100, 100, faulty ? 11 : 10, hipMemcpyHostToDevice)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(copy_rows_width) {
    Buffer<char> b(980);
    MAY(hipMemcpy2D(b, 100, host, 100, faulty ? 90 : 80, 10, hipMemcpyHostToDevice)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(copy_rows_from) {
    Buffer<char> b(1000);
    MAY(hipMemcpy2D(host, 200, b, 100, 64, faulty ? 12 : 10, hipMemcpyDeviceToHost)); // FAULT: memcheck call-out-of-bounds-read
}

CASE(copy_volume) {
    Buffer<char> b(4 * 8 * 16);
    hipMemcpy3DParms p = {};
    p.srcPtr = make_hipPitchedPtr(host, 16, 16, 8);
    p.dstPtr = make_hipPitchedPtr(b, 16, 16, 8);
    p.extent = make_hipExtent(16, 8, faulty ? 5 : 4);
    p.kind = hipMemcpyHostToDevice;
    MAY(hipMemcpy3D(&p)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(copy_to_array) {
    hipArray_t array;
    hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
    OK(hipMallocArray(&array, &desc, 16, 16));
    MAY(hipMemcpy2DToArray(array, 0, faulty ? 1 : 0, host, 64, 64, 16, hipMemcpyHostToDevice)); // FAULT: memcheck call-out-of-bounds-write
    OK(hipFreeArray(array));
}

CASE(copy_from_array) {
    hipArray_t array;
    hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
    OK(hipMallocArray(&array, &desc, 16, 16));
    OK(hipMemcpy2DToArray(array, 0, 0, host, 64, 64, 16, hipMemcpyHostToDevice));
    MAY(hipMemcpy2DFromArray(host, 68, array, faulty ? 4 : 0, 0, 64, 16, hipMemcpyDeviceToHost)); // FAULT: memcheck call-out-of-bounds-read
    OK(hipFreeArray(array));
}

CASE(copy_to_symbol) {
    MAY(hipMemcpyToSymbol(HIP_SYMBOL(variable), host, faulty ? 68 : 64)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(copy_from_symbol) {
    MAY(hipMemcpyFromSymbol(host, HIP_SYMBOL(variable), 32, faulty ? 36 : 32)); // FAULT: memcheck call-out-of-bounds-read
}

CASE(copy_freed) {
    Buffer<int> b(100);
    int *p;
    OK(hipMalloc((void **)&p, 400));
    OK(hipFree(p));
    MAY(hipMemcpy(b, faulty ? p : b.p, 400, hipMemcpyDeviceToDevice)); // FAULT: memcheck use-after-free-read
}

CASE(copy_to_freed) {
    Buffer<int> b(100);
    int *p;
    OK(hipMalloc((void **)&p, 400));
    OK(hipFree(p));
    MAY(hipMemcpy(faulty ? p : b.p, host, 400, hipMemcpyHostToDevice)); // FAULT: memcheck use-after-free-write
}

/* ---- fills --------------------------------------------------------------------------------------- */

CASE(fill_behind) {
    Buffer<int> b(100);
    MAY(hipMemset(b, 1, 400 + (faulty ? 1 : 0))); // FAULT: memcheck call-out-of-bounds-write
}

CASE(fill_words) {
    Buffer<int> b(100);
    MAY(hipMemsetD32((hipDeviceptr_t)b.p, 7, faulty ? 101 : 100)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(fill_async) {
    Buffer<int> b(100);
    MAY(hipMemsetAsync(b, 1, faulty ? 500 : 400, 0)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(fill_rows) {
    Buffer<char> b(1000);
    MAY(hipMemset2D(b, 100, 1, 64, faulty ? 11 : 10)); // FAULT: memcheck call-out-of-bounds-write
}

CASE(fill_volume) {
    Buffer<char> b(4 * 8 * 16);
    hipPitchedPtr all = make_hipPitchedPtr(b, 16, 16, 8);
    MAY(hipMemset3D(all, 1, make_hipExtent(16, 8, faulty ? 5 : 4))); // FAULT: memcheck call-out-of-bounds-write
}

CASE(fill_freed) {
    Buffer<int> b(100);
    int *p;
    OK(hipMalloc((void **)&p, 400));
    OK(hipFree(p));
    MAY(hipMemset(faulty ? p : b.p, 1, 400)); // FAULT: memcheck use-after-free-write
}

/* ---- leaks --------------------------------------------------------------------------------------- */

CASE(leak) {
    for (int i = 0; i < 3; i++) {
        int *p;
        OK(hipMalloc((void **)&p, 400)); // FAULT: memcheck leak
        if (!faulty)
            OK(hipFree(p));
    }
}

CASE(leak_pinned) {
    int *p;
    OK(hipHostMalloc((void **)&p, 400)); // FAULT: memcheck leak
    if (!faulty)
        OK(hipHostFree(p));
}

CASE(leak_managed) {
    int *p;
    OK(hipMallocManaged((void **)&p, 400)); // FAULT: memcheck leak
    if (!faulty)
        OK(hipFree(p));
}

CASE(leak_of_a_pool) {
    int *p;
    OK(hipMallocAsync((void **)&p, 400, 0)); // FAULT: memcheck leak
    if (!faulty)
        OK(hipFreeAsync(p, 0));
    OK(hipDeviceSynchronize());
}

CASE(leak_of_an_array) {
    hipArray_t array;
    hipChannelFormatDesc desc = hipCreateChannelDesc<float>();
    OK(hipMallocArray(&array, &desc, 16, 16)); // FAULT: memcheck leak
    if (!faulty)
        OK(hipFreeArray(array));
}
