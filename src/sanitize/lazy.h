/* Memory of zeros that costs nothing until it is written: for tables with a place for every address. */
#ifndef WL_SANITIZE_LAZY_H
#define WL_SANITIZE_LAZY_H

#include <stddef.h>
#include <sys/mman.h>

/* NULL: the process may not have so much address space. munmap gives it back. Any thread. */
static inline void *wl_san_map(size_t size) {
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

#endif
