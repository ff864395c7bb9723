// Dwords at addresses that are no multiple of four, in a kernel that touches no bytes: compilers read fields of packed structures like this, AMD's
// device library the workgroup's size among the hidden arguments. The hardware allows it.
#include "check.h"

__global__ void shift(const unsigned *from, unsigned *to) {
    from += 8 * threadIdx.x;
    to += 8 * threadIdx.x;
    unsigned one;
    unsigned long long two;
    asm volatile("global_load_dword %0, %2, off offset:2\n"
                 "global_load_dwordx2 %1, %2, off offset:6\n"
                 "s_waitcnt vmcnt(0)\n"
                 "global_store_dword %3, %0, off offset:6\n"
                 "global_store_dwordx2 %3, %1, off offset:10"
                 : "=&v"(one), "=&v"(two)
                 : "v"(from), "v"(to)
                 : "memory");
}

int main() {
    check_name = "odd_offsets";
    enum { ITEMS = 128, BYTES = 32 * ITEMS };
    static unsigned char before[BYTES], after[BYTES];
    unsigned *from, *to;
    for (int i = 0; i < BYTES; i++)
        before[i] = (unsigned char)(i * 37 + i / 256);
    HIP(hipMalloc(&from, BYTES));
    HIP(hipMalloc(&to, BYTES));
    HIP(hipMemcpy(from, before, BYTES, hipMemcpyHostToDevice));
    HIP(hipMemset(to, 0, BYTES));
    shift<<<1, ITEMS>>>(from, to);
    HIP_FINISH();
    HIP(hipMemcpy(after, to, BYTES, hipMemcpyDeviceToHost));
    for (int i = 0; i < BYTES; i++) {
        const int at = i % 32, want = at >= 6 && at < 18 ? before[i - 4] : 0;
        EXPECT(after[i] == want, "byte %d: %d, not %d", i, after[i], want);
    }
    return finish();
}
