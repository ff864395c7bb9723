/* What the tests of pools share. */
#ifndef WL_TEST_POOL_H
#define WL_TEST_POOL_H

#include "api_test.h"

static inline hipMemPoolProps props(hipMemAllocationHandleType type, size_t max) {
    hipMemPoolProps properties;
    memset(&properties, 0, sizeof properties);
    properties.allocType = hipMemAllocationTypePinned;
    properties.handleTypes = type;
    properties.location.type = hipMemLocationTypeDevice;
    properties.maxSize = max;
    return properties;
}

static inline hipMemPool_t new_pool(void) {
    hipMemPoolProps properties = props(hipMemHandleTypeNone, 0);
    hipMemPool_t pool = NULL;
    ok(hipMemPoolCreate(&pool, &properties));
    return pool;
}

static inline uint64_t figure(hipMemPool_t pool, hipMemPoolAttr attribute) {
    uint64_t value = 99;
    ok(hipMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

static inline void keep_all(hipMemPool_t pool) {
    uint64_t all = UINT64_MAX;
    ok(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &all));
}

static inline void *allocate(hipMemPool_t pool, size_t size, hipStream_t stream) {
    void *memory = NULL;
    ok(hipMallocFromPoolAsync(&memory, size, pool, stream));
    assert_non_null(memory);
    return memory;
}

#endif
