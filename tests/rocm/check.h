// What the programs of this folder check with: a failed call is told, counted, and ends the function.
#ifndef ROCM_CHECK_H
#define ROCM_CHECK_H

#include <cstdio>

static int fails;

#define CK(x)                                                                                                                              \
    do {                                                                                                                                   \
        auto e_ = (x);                                                                                                                     \
        if ((int)e_) {                                                                                                                     \
            printf("%s:%d: %s = %d\n", __FILE__, __LINE__, #x, (int)e_);                                                                   \
            fails++;                                                                                                                       \
            return;                                                                                                                        \
        }                                                                                                                                  \
    } while (0)

#endif
