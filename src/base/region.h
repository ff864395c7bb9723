/* Addresses for memory that is to come back at the same place: of processes that record launches, and of those that run them again. */
#ifndef WL_BASE_REGION_H
#define WL_BASE_REGION_H

#include <stddef.h>

/* Where mmap should place the next `size` bytes; NULL: anywhere, as in all processes that do not record. Thread-safe. */
void *wl_region_hint(size_t size);
/* The next hint of the calling thread is `address`, once. */
void wl_region_next(void *address);

#endif
