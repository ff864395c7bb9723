/* What a program may tell the sanitizers of Wavelift (`wavelift sanitize`, docs/sanitizers.md) about memory that it divides itself, and about
 * findings that it knows to be benign.
 *
 * The functions need nothing to be linked: they look for Wavelift's library among those of the process. Where it is not loaded, where it is
 * another HIP, or where no sanitizer is on, they do nothing and cost a look at a variable. They may be called before the first function of
 * HIP, in any order, and from any thread at any time. They keep no pointer of the caller's but addresses, and copy names.
 *
 * Functions that return an int return 0 if they did what they say, or if there is nothing to do since no sanitizer is on; otherwise:
 *     WAVELIFT_SANITIZE_INVALID    the range, the block or the stream is none that is known; nothing has changed
 *     WAVELIFT_SANITIZE_NO_MEMORY  the host has no memory; nothing has changed
 * For C11 and C++11, with GCC or clang, on the host. In device code there is nothing to call. */
#ifndef WAVELIFT_SANITIZE_H
#define WAVELIFT_SANITIZE_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>

#define WAVELIFT_SANITIZE_INVALID   1
#define WAVELIFT_SANITIZE_NO_MEMORY 2

/* The tools, as bits. */
#define WAVELIFT_MEMCHECK  1u
#define WAVELIFT_RACECHECK 2u
#define WAVELIFT_INITCHECK 4u
#define WAVELIFT_SYNCCHECK 8u
#define WAVELIFT_ALL_TOOLS 15u

#ifdef __cplusplus
extern "C" {
#endif

/* For the functions below: the one of this name in Wavelift's library, or NULL. `*known` remembers the answer once it is not NULL. */
static inline void *wavelift_sanitize_find_(void **known, const char *name) {
    void *found = __atomic_load_n(known, __ATOMIC_ACQUIRE);
    if (!found) {
        found = dlsym((void *)0 /* RTLD_DEFAULT */, name);
        __atomic_store_n(known, found, __ATOMIC_RELEASE);
    }
    return found;
}

/* Declares `function`, which returns `result` and takes `parameters`, as Wavelift's function `name`. */
#define WAVELIFT_SANITIZE_FIND_(result, parameters, name)                                                                                  \
    static void *known;                                                                                                                    \
    result(*function) parameters = (result(*) parameters)(uintptr_t)wavelift_sanitize_find_(&known, name)

/* The tools that are on, as bits: 0 without a sanitizer. */
static inline unsigned wavelift_sanitize_tools(void) {
    WAVELIFT_SANITIZE_FIND_(unsigned, (void), "waveliftSanitizeTools");
    return function ? function() : 0;
}

/* How many findings there have been in this process so far, equal ones counted once, suppressed ones not counted. Kernels that still run may
 * add to it. */
static inline uint64_t wavelift_sanitize_findings(void) {
    WAVELIFT_SANITIZE_FIND_(uint64_t, (void), "waveliftSanitizeFindings");
    return function ? function() : 0;
}

/* ---- memory that the program divides ------------------------------------------------------------------------------------------------- */

/* [memory, memory + size), in bytes, is a pool of the program's: it lies in one allocation of HIP, and from now on kernels and copies may
 * access in it only what wavelift_sanitize_allocated names. A pool that overlaps an older one takes its place. It ends with the allocation,
 * or by wavelift_sanitize_pool_end. */
static inline int wavelift_sanitize_pool(const void *memory, size_t size) {
    WAVELIFT_SANITIZE_FIND_(int, (const void *, size_t), "waveliftSanitizePool");
    return function ? function(memory, size) : 0;
}

/* The pool that begins at `memory` is ordinary memory again, all of which may be accessed. */
static inline int wavelift_sanitize_pool_end(const void *memory) {
    WAVELIFT_SANITIZE_FIND_(int, (const void *), "waveliftSanitizePoolEnd");
    return function ? function(memory) : 0;
}

/* [memory, memory + size), in bytes, is a block of a pool from now on. `name`: what findings call it; may be NULL. Leave some bytes between
 * blocks, or an access behind one is an access to the next. */
static inline int wavelift_sanitize_allocated(const void *memory, size_t size, const char *name) {
    WAVELIFT_SANITIZE_FIND_(int, (const void *, size_t, const char *), "waveliftSanitizeAllocated");
    return function ? function(memory, size, name) : 0;
}

/* The block of a pool that begins at `memory` ends now: kernels that are still to access it must have run before. */
static inline int wavelift_sanitize_freed(const void *memory) {
    WAVELIFT_SANITIZE_FIND_(int, (const void *), "waveliftSanitizeFreed");
    return function ? function(memory) : 0;
}

/* The same two in the order of a stream, a hipStream_t: for pools whose blocks are given out and taken back while kernels are queued. What
 * the caller says is checked when the stream comes to it. */
static inline int wavelift_sanitize_allocated_in(const void *memory, size_t size, const char *name, void *stream) {
    WAVELIFT_SANITIZE_FIND_(int, (const void *, size_t, const char *, void *), "waveliftSanitizeAllocatedIn");
    return function ? function(memory, size, name, stream) : 0;
}
static inline int wavelift_sanitize_freed_in(const void *memory, void *stream) {
    WAVELIFT_SANITIZE_FIND_(int, (const void *, void *), "waveliftSanitizeFreedIn");
    return function ? function(memory, stream) : 0;
}

/* ---- what is known to be benign ------------------------------------------------------------------------------------------------------ */

/* Between these two calls, findings of the tools (bits) are not reported, whichever thread or stream they come from. Both calls wait until
 * all that is queued has run. Pairs nest, and each tool is counted for itself. */
static inline void wavelift_sanitize_ignore_begin(unsigned tools) {
    WAVELIFT_SANITIZE_FIND_(void, (unsigned, int), "waveliftSanitizeIgnore");
    if (function)
        function(tools, 1);
}
static inline void wavelift_sanitize_ignore_end(unsigned tools) {
    WAVELIFT_SANITIZE_FIND_(void, (unsigned, int), "waveliftSanitizeIgnore");
    if (function)
        function(tools, 0);
}

/* Findings of the tools (bits) at addresses in [memory, memory + size), in bytes, are not reported until the process ends: for a counter that
 * is read without an atomic, say. */
static inline int wavelift_sanitize_benign(const void *memory, size_t size, unsigned tools) {
    WAVELIFT_SANITIZE_FIND_(int, (const void *, size_t, unsigned), "waveliftSanitizeBenign");
    return function ? function(memory, size, tools) : 0;
}

#undef WAVELIFT_SANITIZE_FIND_

#ifdef __cplusplus
}
#endif

#endif
