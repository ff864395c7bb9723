/* What the programs of several processes share. */
#ifndef WL_TESTS_RCCL_PROCESS_H
#define WL_TESTS_RCCL_PROCESS_H

#include <cstdio>

/* In a function of process `rank`, which returns 1 for a failure. */
#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        const int error = (int)(call);                                                                                                     \
        if (error) {                                                                                                                       \
            printf("FAIL process %d: %s: %d\n", rank, #call, error);                                                                       \
            return 1;                                                                                                                      \
        }                                                                                                                                  \
    } while (0)

#endif
