/* A stream beside those that a test looks at. What must not happen in those is not proved by time: the bystander's work, which was queued
 * later, has been done, each of its commands found by whoever looks for streams that may go on. What could go on before has had its turn. */
#ifndef WL_TEST_BYSTANDER_H
#define WL_TEST_BYSTANDER_H

#include <hip/hip_runtime_api.h>

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <time.h>

struct bystander {
    hipStream_t stream;
    uint32_t *words; /* what it waits for, and what it writes then */
};

/* To be made before kernels wait: a GPU's driver may wait for them to make a stream. */
static inline struct bystander bystander_new(void) {
    struct bystander made = {0};
    assert_int_equal(hipStreamCreateWithFlags(&made.stream, hipStreamNonBlocking), hipSuccess);
    assert_int_equal(hipHostMalloc((void **)&made.words, 4096, 0), hipSuccess);
    made.words[0] = made.words[1] = 0;
    return made;
}

/* Returns when it has had so many turns, to none of which the program helped by waiting in HIP. */
static inline void bystander_runs(const struct bystander *bystander) {
    enum { TURNS = 16, SECONDS = 300 };
    const time_t end = time(NULL) + SECONDS;
    for (uint32_t i = 0; i < TURNS; i++) {
        const uint32_t turn = __atomic_load_n(&bystander->words[1], __ATOMIC_SEQ_CST) + 1;
        assert_int_equal(hipStreamWaitValue32(bystander->stream, &bystander->words[0], turn, hipStreamWaitValueEq, UINT32_MAX), hipSuccess);
        assert_int_equal(hipStreamWriteValue32(bystander->stream, &bystander->words[1], turn, 0), hipSuccess);
        __atomic_store_n(&bystander->words[0], turn, __ATOMIC_SEQ_CST);
        while (__atomic_load_n(&bystander->words[1], __ATOMIC_SEQ_CST) != turn) {
            if (time(NULL) > end)
                fail_msg("the bystander has no turn");
            sched_yield();
        }
    }
}

/* For a thread: opens a gate, which is an int that others read, once the bystander has run, while the main thread waits in HIP for what is behind the gate. */
struct bystander_gate {
    const struct bystander *bystander;
    void *word;
};

static inline void *bystander_opens(void *argument) {
    const struct bystander_gate *gate = (const struct bystander_gate *)argument;
    bystander_runs(gate->bystander);
    __atomic_store_n((int *)gate->word, 1, __ATOMIC_SEQ_CST);
    return NULL;
}

static inline void bystander_end(struct bystander *bystander) {
    assert_int_equal(hipStreamDestroy(bystander->stream), hipSuccess);
    assert_int_equal(hipHostFree(bystander->words), hipSuccess);
}

#endif
