/* The memory that kernels may access, and its shadow.
 *
 * The shadow has one bit for each byte of the address space: 1 where kernels may access it. It is reserved once and costs memory only where
 * memory is told of. Translated code looks at the shadow alone; the list of blocks is for reports, for freed memory and for API calls.
 *
 * The runtime tells of each block when it is made, and again when it is freed. Freed blocks stay in the list as long as their memory is
 * kept in quarantine or until it is given to another block. */
#ifndef WL_SANITIZE_ALLOCATIONS_H
#define WL_SANITIZE_ALLOCATIONS_H

#include "sanitize/report.h"

enum wl_san_memory {
    WL_SAN_DEVICE,
    WL_SAN_MANAGED,
    WL_SAN_PINNED,     /* hipHostMalloc */
    WL_SAN_REGISTERED, /* hipHostRegister */
    WL_SAN_POOL,
    WL_SAN_GRAPH, /* of an allocation node */
    WL_SAN_ARRAY,
    WL_SAN_VARIABLE,
    WL_SAN_VIRTUAL, /* a mapping of hipMemMap */
    WL_SAN_IMPORTED,
    WL_SAN_CODE,   /* the image of a code object: kernels may read it */
    WL_SAN_SYSTEM, /* what the device itself gives kernels: packets, hostcall buffers, print buffers, the heap */
    WL_SAN_KERNARG,
    WL_SAN_HEAP, /* device malloc */
    WL_SAN_USER, /* a block within another one: of a sub-allocator of the program (its own annotations) */
    WL_SAN_MEMORY_COUNT,
};

#define WL_SAN_SHADOW_SHIFT 3  /* one shadow byte for 8 bytes */
#define WL_SAN_RED_ZONE     64 /* bytes at least between two blocks */

/* Starts the tools of WAVELIFT_SANITIZE; later calls do nothing. The first call of a process reserves the shadow. Returns the tools
 * that run, 0: none. Thread-safe, cheap when started. */
unsigned wl_san_tools(void);

/* The shadow byte of `address` is wl_san_shadow()[address >> WL_SAN_SHADOW_SHIFT]; bit n: byte n of the 8. NULL: memcheck does not run. */
uint8_t *wl_san_shadow(void);

/* A block of memory is there for kernels. `name`: of a variable, or NULL (copied). `call`: the function of HIP, a string that stays. */
void wl_san_allocated(uint64_t address, uint64_t size, enum wl_san_memory kind, const char *name, const char *call);
/* Its life ends; accesses from now on are faults. False: no live block begins there. */
bool wl_san_freed(uint64_t address, const char *call);
/* All blocks in [address, address + size) are forgotten, as if they had never been: the memory goes back to the system. */
void wl_san_forgotten(uint64_t address, uint64_t size);

/* [address, address + size) may not be accessed, though it is a part of a live block: a red zone, or what a sub-allocator has not given
 * out. */
void wl_san_excluded(uint64_t address, uint64_t size);
/* They may be accessed again. */
void wl_san_included(uint64_t address, uint64_t size);

/* The innermost live block that holds `address`, else the nearest one, freed ones included. False: there is none. */
bool wl_san_find(uint64_t address, struct wl_san_block *block);
/* Whether all of [address, address + size) may be accessed; *bad receives the first byte that may not. */
bool wl_san_may_access(uint64_t address, uint64_t size, uint64_t *bad);
/* Of the lanes that access up to 56 bytes each, at address[i] for bit i of `lanes`, those that may: all of their bytes may be accessed. */
uint64_t wl_san_accessible(const uint64_t *address, uint64_t lanes, uint32_t bytes);
/* Calls `visit` with each live block, in the order of addresses: for leaks. The list's lock is held. */
void wl_san_each(void (*visit)(const struct wl_san_block *block, void *context), void *context);

/* The function of HIP that the calling thread is in, which blocks remember: set at the API's doors. "" never NULL. */
extern _Thread_local const char *wl_san_call;

#endif
