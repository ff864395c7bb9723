/* Invariants: what must hold if Wavelift has no bug, whatever a program does. A violated one ends the process with one line that says
 * where, before it can make a wrong result. What a program can cause is an error (base/status.h) and no invariant.
 *
 * They are in the code where WL_ASSERTS is set (the build's option WAVELIFT_ASSERTS). Elsewhere conditions are still compiled, so that
 * they do not rot, but never evaluated: they have no side effects. */
#ifndef WL_BASE_ASSERT_H
#define WL_BASE_ASSERT_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Prints "wavelift: FILE:LINE: FUNCTION: violated: CONDITION" to descriptor 2 and aborts. Thread-safe. */
_Noreturn __attribute__((cold)) void wl_assert_failed(const char *file, int line, const char *function, const char *condition);

#ifdef WL_ASSERTS
/* The calling thread's number, which glibc's locks have while it holds them; 0: nobody has asked yet. */
extern _Thread_local __attribute__((tls_model("initial-exec"))) int wl_thread_number;
/* Whether a number that is not 0 is the calling thread's, which it then notes. */
bool wl_is_this_thread(int number);

static inline bool wl_is_own(const int *owner) {
    const int number = __atomic_load_n(owner, __ATOMIC_RELAXED);
    return number != 0 && (number == wl_thread_number || (wl_thread_number == 0 && wl_is_this_thread(number)));
}
#else
static inline bool wl_is_own(const int *owner) { return owner != NULL; } /* never called */
#endif

/* Whether the calling thread has locked the mutex, or the lock for writing. Never waits. */
static inline bool wl_mutex_is_mine(const pthread_mutex_t *mutex) { return wl_is_own(&mutex->__data.__owner); }
static inline bool wl_rwlock_is_mine(const pthread_rwlock_t *lock) { return wl_is_own(&lock->__data.__cur_writer); }

#ifndef __FILE_NAME__ /* the name without folders: gcc 12, clang */
#define __FILE_NAME__ __FILE__
#endif
#ifdef WL_ASSERTS
#define WL_ASSERT_TEXT(condition, text) ((condition) ? (void)0 : wl_assert_failed(__FILE_NAME__, __LINE__, __func__, text))
#else
#define WL_ASSERT_TEXT(condition, text) ((void)(false && (condition)))
#endif

/* The condition is true. */
#define wl_assert(condition) WL_ASSERT_TEXT(condition, #condition)
/* The calling thread has locked the mutex; has not; has locked the lock for writing. */
#define wl_assert_held(mutex)        WL_ASSERT_TEXT(wl_mutex_is_mine(mutex), #mutex " is held")
#define wl_assert_not_held(mutex)    WL_ASSERT_TEXT(!wl_mutex_is_mine(mutex), #mutex " is not held")
#define wl_assert_write_held(rwlock) WL_ASSERT_TEXT(wl_rwlock_is_mine(rwlock), #rwlock " is held for writing")

#endif
