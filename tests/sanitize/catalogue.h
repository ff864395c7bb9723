/* A catalogue of faults. Each source holds kernels and cases; a case runs with its fault, or as its sound twin, which is the same code but for
 * what `F` (in kernels) or `faulty` (in cases) chooses. A comment stands on the line of each fault:
 *
 *     // FAULT: TOOL KIND[|KIND...] [#tag]     the line that a finding has to name
 *     // MISSING FAULT: TOOL KIND               the same, but it is not found yet
 *     // FAULT: TOOL KIND @gfx90a,gfx906         a fault that is on these processors alone
 *     // FAULT: TOOL KIND @gfx90a+,gfx942         the first one not at -O0
 *     // DEEP CALLS AT -O0                     the source's accesses are within several calls of libraries then
 *     // OTHER: #tag                           the line of the other access of a race, if it is another one
 *
 * check.py reads the comments, runs the programs under `wavelift sanitize`, and compares.
 *
 *     program sound|faulty          runs all cases but those that need a process of their own
 *     program sound|faulty CASE...  runs these
 *     program alone                 lists the cases that need one */
#ifndef SANITIZE_CATALOGUE_H
#define SANITIZE_CATALOGUE_H

#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Case {
    const char *name;
    void (*run)(bool faulty);
    bool alone;
    Case *next;
    static Case *&first() {
        static Case *list;
        return list;
    }
    Case(const char *name, void (*run)(bool), bool alone) : name(name), run(run), alone(alone), next(nullptr) {
        Case **at = &first();
        while (*at)
            at = &(*at)->next;
        *at = this;
    }
};

#define CASE_AS(name, alone)                                                                                                               \
    static void case_##name(bool faulty);                                                                                                  \
    static Case entry_##name(#name, case_##name, alone);                                                                                   \
    static void case_##name([[maybe_unused]] bool faulty)
#define CASE(name) CASE_AS(name, false)
/* The process does not go on behind the fault, or other cases would see it. */
#define CASE_ALONE(name) CASE_AS(name, true)

#define KERNEL template <bool F> __global__ void
/* Launches the kernel with or without its fault. */
#define LAUNCH_IN(name, grid, block, lds, stream, ...)                                                                                     \
    do {                                                                                                                                   \
        decltype(&name<true>) kernel_ = faulty ? &name<true> : &name<false>;                                                               \
        kernel_<<<grid, block, lds, stream>>>(__VA_ARGS__);                                                                                \
    } while (0)
#define LAUNCH(name, grid, block, ...) LAUNCH_IN(name, grid, block, 0, 0, __VA_ARGS__)

/* Must succeed whatever the fault is. */
#define OK(call)                                                                                                                           \
    do {                                                                                                                                   \
        hipError_t error_ = (call);                                                                                                        \
        if (error_ != hipSuccess) {                                                                                                        \
            std::fprintf(stderr, "FAIL %s:%d: %s: %s\n", __FILE__, __LINE__, #call, hipGetErrorString(error_));                            \
            std::exit(99);                                                                                                                 \
        }                                                                                                                                  \
    } while (0)
/* May fail: it is the fault. */
#define MAY(call) ((void)(call), (void)hipGetLastError())

static inline void finish() { MAY(hipDeviceSynchronize()); }

/* Device memory whose elements are all 0. */
template <class T> struct Buffer {
    T *p = nullptr;
    int n;
    explicit Buffer(int n) : n(n) {
        OK(hipMalloc((void **)&p, n * sizeof(T)));
        OK(hipMemset(p, 0, n * sizeof(T)));
        OK(hipDeviceSynchronize());
    }
    ~Buffer() {
        finish();
        OK(hipFree(p));
    }
    Buffer(const Buffer &) = delete;
    operator T *() const { return p; }
};

int main(int argc, char **argv) {
    if (argc < 2)
        return 98;
    const bool faulty = !strcmp(argv[1], "faulty");
    if (!faulty && strcmp(argv[1], "sound") && strcmp(argv[1], "alone"))
        return 98;
    for (Case *c = Case::first(); c; c = c->next) {
        bool chosen = argc == 2 && !c->alone;
        for (int i = 2; i < argc; i++)
            chosen |= !strcmp(argv[i], c->name);
        if (!strcmp(argv[1], "alone")) {
            if (c->alone)
                puts(c->name);
        } else if (chosen) {
            c->run(faulty);
            finish();
        }
    }
    return 0;
}

#endif
