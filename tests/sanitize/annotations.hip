/* What programs say of themselves (wavelift/sanitize.h): pools of their own, findings that are benign. */
#include "catalogue.h"

#include <wavelift/sanitize.h>

/* A pool of two blocks of 100 integers, 16 integers apart. */
struct Pool : Buffer<int> {
    int *first, *second;
    Pool() : Buffer<int>(1000), first(p + 16), second(p + 132) {
        OK((hipError_t)wavelift_sanitize_pool(p, 4000));
        OK((hipError_t)wavelift_sanitize_allocated(first, 400, "the first"));
        OK((hipError_t)wavelift_sanitize_allocated(second, 400, NULL));
    }
};

KERNEL pool_block(int *p, int n) { p[F ? n : n - 1] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(pool_block) {
    Pool pool;
    LAUNCH(pool_block, 1, 1, pool.first, 100);
}

KERNEL pool_rest(const int *p, int n, int *out) { *out = p[F ? n : 0]; } // FAULT: memcheck out-of-bounds-read
CASE(pool_rest) {
    Pool pool;
    Buffer<int> out(1);
    LAUNCH(pool_rest, 1, 1, pool.second, 500, out);
}

KERNEL pool_freed(int *p) { p[1] = 1; } // FAULT: memcheck use-after-free-write
CASE(pool_freed) {
    Pool pool;
    if (faulty)
        OK((hipError_t)wavelift_sanitize_freed(pool.first));
    LAUNCH(pool_freed, 1, 1, pool.first);
}

KERNEL pool_freed_in_order(int *p) { p[1] = 1; }
KERNEL pool_freed_behind(int *p) { p[1] = 1; } // FAULT: memcheck use-after-free-write
CASE(pool_freed_in_order) {
    Pool pool;
    LAUNCH(pool_freed_in_order, 1, 1, pool.first);
    OK((hipError_t)wavelift_sanitize_freed_in(pool.first, 0));
    if (!faulty)
        OK((hipError_t)wavelift_sanitize_allocated_in(pool.first, 200, "once more", 0));
    LAUNCH(pool_freed_behind, 1, 1, pool.first);
}

KERNEL pool_smaller(int *p) { p[F ? 50 : 49] = 1; } // FAULT: memcheck out-of-bounds-write|use-after-free-write
CASE(pool_smaller) {
    Pool pool;
    OK((hipError_t)wavelift_sanitize_freed(pool.first));
    OK((hipError_t)wavelift_sanitize_allocated(pool.first, 200, "half of it"));
    LAUNCH(pool_smaller, 1, 1, pool.first);
}

CASE(pool_copy) {
    Pool pool;
    int host[200] = {0};
    MAY(hipMemcpy(pool.first, host, faulty ? 404 : 400, hipMemcpyHostToDevice)); // FAULT: memcheck call-out-of-bounds-write
    OK((hipError_t)wavelift_sanitize_pool_end(pool.p));
    OK(hipMemcpy(pool.first, host, 404, hipMemcpyHostToDevice)); /* all of it is ordinary memory again */
}

/* What is not known, or not possible, changes nothing. */
CASE(refused) {
    Pool pool;
    if (wavelift_sanitize_tools()) {
        OK((hipError_t)(wavelift_sanitize_pool(pool.p, 4004) != WAVELIFT_SANITIZE_INVALID));
        OK((hipError_t)(wavelift_sanitize_pool(&pool, 4) != WAVELIFT_SANITIZE_INVALID));
        OK((hipError_t)(wavelift_sanitize_allocated(pool.first + 1, 4, NULL) != WAVELIFT_SANITIZE_INVALID));
        OK((hipError_t)(wavelift_sanitize_allocated(pool.p + 999, 8, NULL) != WAVELIFT_SANITIZE_INVALID));
        OK((hipError_t)(wavelift_sanitize_freed(pool.first + 1) != WAVELIFT_SANITIZE_INVALID));
        OK((hipError_t)(wavelift_sanitize_pool_end(pool.first) != WAVELIFT_SANITIZE_INVALID));
        OK((hipError_t)(wavelift_sanitize_freed_in(pool.first, (void *)0x1234) != WAVELIFT_SANITIZE_INVALID));
        OK((hipError_t)(wavelift_sanitize_allocated_in(pool.first, 0, NULL, NULL) != WAVELIFT_SANITIZE_INVALID));
    }
}

/* Faults that are known to be benign: not one of them is reported. */
KERNEL ignored(int *p, int n) { p[n] = 1; }
CASE(ignored) {
    Buffer<int> b(100);
    uint64_t before = wavelift_sanitize_findings();
    wavelift_sanitize_ignore_begin(WAVELIFT_MEMCHECK);
    wavelift_sanitize_ignore_begin(WAVELIFT_ALL_TOOLS);
    wavelift_sanitize_ignore_end(WAVELIFT_ALL_TOOLS);
    LAUNCH(ignored, 1, 1, b, 100);
    wavelift_sanitize_ignore_end(WAVELIFT_MEMCHECK);
    OK((hipError_t)(wavelift_sanitize_findings() != before));
}

KERNEL ignored_no_more(int *p, int n) { p[F ? n : 0] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(ignored_no_more) {
    Buffer<int> b(100);
    uint64_t before = wavelift_sanitize_findings();
    LAUNCH(ignored_no_more, 1, 1, b, 100);
    OK(hipDeviceSynchronize());
    if (wavelift_sanitize_tools())
        OK((hipError_t)(wavelift_sanitize_findings() != before + faulty));
}

KERNEL benign(int *p, int n) { p[n] = 1; }
KERNEL not_benign(int *p, int n) { p[F ? n : 0] = 1; } // FAULT: memcheck out-of-bounds-write
CASE(benign) {
    Buffer<int> b(100);
    OK((hipError_t)wavelift_sanitize_benign(b.p + 100, 4, WAVELIFT_MEMCHECK));
    LAUNCH(benign, 1, 1, b, 100);
    LAUNCH(not_benign, 1, 1, b, 101);
}
