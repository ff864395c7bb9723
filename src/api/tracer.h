/* A tracer of the process. (tracer.c) */
#ifndef WL_API_TRACER_H
#define WL_API_TRACER_H

#include "api/api.h"
#include "api/traced_call.h"

/* Sets the tracer; NULL: there is none any more. Thread-safe. */
void wl_api_tracer_set(wl_api_tracer tracer);
/* A callback of HIP's own for one function (hipRegisterApiCallback), which is called before and after its work while no tracer is set; NULL: none.
 * False: there is no such function, or no memory. Thread-safe. */
typedef void (*wl_api_callback)(uint32_t domain, uint32_t number, const void *data, void *argument);
bool wl_api_callback_set(uint32_t number, wl_api_callback callback, void *argument);
/* Asks the tracer about a call that begins. True: it wants to see it; call->before (may be NULL) is to be called when the arguments are filled
 * in, and wl_api_tracer_end afterwards. */
bool wl_api_tracer_begin(uint32_t number, struct wl_api_traced *call);
void wl_api_tracer_end(uint32_t number, struct wl_api_traced *call);

/* Puts the functions for tracers into the table of functions, or those without. (traced.c) */
void wl_api_table_trace(bool on);

#endif
