/* Stores of all lanes to one place in LDS: the last active lane's value is what stays (shuffle.c). */
#ifndef WL_TRANSLATE_LIFT_ONE_PLACE_H
#define WL_TRANSLATE_LIFT_ONE_PLACE_H

#include "translate/lift/memory/memory.h"

/* Whether such a store may be one of a dword by the host. */
bool wl_memory_stores_last(const struct wl_lift *l, const struct wl_access *access);
/* Stores the dword that the row has in the last active lane. */
void wl_memory_store_uniform(struct wl_lift *l, LLVMValueRef address, LLVMValueRef row);

#endif
