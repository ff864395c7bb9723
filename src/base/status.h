/* base/: what every layer uses, and what knows nothing of GPUs.
 *
 *   in    nothing
 *   out   errors as values (this header), invariants (assert.h), options (options.h), the cache's folder (folder.h), names of CPUs (cpu.h),
 *         the clock (clock.h), arrays that grow (array.h), the hash table (table.h: struct wl_table), pages (page.h), float bits
 *         (float_bits.h), accesses that are never torn (whole.h)
 *
 * This header: the error values that every layer below api/ returns. Errors are returned, never printed and swallowed. A function
 * that fails leaves one sentence for the user in the calling thread's error message (wl_fail). api/ turns the status into a hipError_t
 * and prints the sentence when WAVELIFT_LOG asks for it. */
#ifndef WL_BASE_STATUS_H
#define WL_BASE_STATUS_H

enum wl_status {
    WL_OK = 0,
    WL_INVALID_VALUE,        /* an argument is out of range */
    WL_OUT_OF_MEMORY,        /* host or device memory is exhausted */
    WL_INVALID_IMAGE,        /* not a code object, or a damaged one */
    WL_NO_BINARY,            /* a good container without an entry that this device can run */
    WL_NOT_FOUND,            /* no such kernel, symbol or file entry */
    WL_FILE_NOT_FOUND,       /* the file cannot be opened or read */
    WL_UNSUPPORTED,          /* an instruction or feature that Wavelift does not implement */
    WL_OUT_OF_RESOURCES,     /* a launch needs more LDS or registers than there are */
    WL_INVALID_SHAPE,        /* a grid or workgroup that the device cannot have */
    WL_KERNEL_BOUNDS,        /* a workgroup that the kernel was not compiled for */
    WL_INVALID_CLUSTER,      /* clusters of workgroups that the device, the kernel or the grid cannot have */
    WL_TOO_MANY_RESIDENT,    /* a cooperative launch needs more workgroups at once than there can be */
    WL_NOT_READY,            /* asked without waiting, and not finished */
    WL_ILLEGAL_ADDRESS,      /* a kernel touched memory that is not there */
    WL_ILLEGAL_INSTRUCTION,  /* a kernel ran into something that cannot be executed */
    WL_ASSERT,               /* a kernel's assert() failed */
    WL_ABORTED,              /* a kernel called abort() or trapped */
    WL_TIMED_OUT,            /* a kernel's waves wait for each other for ever */
    WL_INTERNAL,             /* a bug in Wavelift: the message says where */
    WL_ILLEGAL_STATE,        /* the object is not in a state that allows it */
    WL_CAPTURE_UNSUPPORTED,  /* not permitted while a stream is capturing */
    WL_CAPTURE_INVALIDATED,  /* an earlier error has spoilt the capture */
    WL_CAPTURE_MERGE,        /* would join two captures */
    WL_CAPTURE_UNMATCHED,    /* the capture did not begin in this stream */
    WL_CAPTURE_UNJOINED,     /* work of another stream was not joined to the capture's stream */
    WL_CAPTURE_ISOLATION,    /* captured work would depend on work outside */
    WL_CAPTURE_IMPLICIT,     /* the null stream would depend on a capturing stream */
    WL_CAPTURED_EVENT,       /* the event was last recorded in a capturing stream */
    WL_CAPTURE_WRONG_THREAD, /* the capture belongs to another thread */
};

/* Records a printf-style sentence for the calling thread and returns `status`:
 *     return wl_fail(WL_INVALID_IMAGE, "section %u lies outside the file", i);
 * The sentence has no final full stop and no newline; at most 1 KiB is kept. */
__attribute__((format(printf, 2, 3))) enum wl_status wl_fail(enum wl_status status, const char *format, ...);

/* The sentence of the calling thread's last wl_fail; "" if there was none. Valid until the next wl_fail of this thread. */
const char *wl_failure(void);

/* A short English name of a status, for messages. Never NULL. */
const char *wl_status_name(enum wl_status status);

#endif
