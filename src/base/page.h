/* Pages of x86-64 and of the AArch64 systems that Wavelift runs on: the unit in which memory is mapped, protected and shared. */
#ifndef WL_BASE_PAGE_H
#define WL_BASE_PAGE_H

#include <stdint.h>

#define WL_PAGE UINT64_C(4096) /* bytes */

/* The begin of the page of an address, and the end of the last page of what ends at an address. */
static inline uint64_t wl_page_down(uint64_t address) { return address / WL_PAGE * WL_PAGE; }
static inline uint64_t wl_page_up(uint64_t end) { return (end + WL_PAGE - 1) / WL_PAGE * WL_PAGE; }

#endif
