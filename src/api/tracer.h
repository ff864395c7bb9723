/* Tracers of the process (trace/trace.h). (tracer.c) */
#ifndef WL_API_TRACER_H
#define WL_API_TRACER_H

#include "api/api.h"
#include "api/traced_call.h"

/* A callback of HIP's own for one function (hipRegisterApiCallback), which is called before and after its work; NULL: none. False: there is no
 * such function, or no memory. Thread-safe. */
typedef void (*wl_api_callback)(uint32_t domain, uint32_t number, const void *data, void *argument);
bool wl_api_callback_set(uint32_t number, wl_api_callback callback, void *argument);
/* Asks the tracers about a call that begins. If one wants to see it wl_api_tracer_end is to be called afterwards; if one wants its arguments
 * wl_api_tracer_before, when they are filled in. */
enum wl_api_traced_as { WL_TRACED_UNSEEN, WL_TRACED_SEEN, WL_TRACED_ARGUMENTS };
enum wl_api_traced_as wl_api_tracer_begin(uint32_t number, struct wl_api_traced *call);
void wl_api_tracer_before(uint32_t number, struct wl_api_traced *call);
void wl_api_tracer_end(uint32_t number, struct wl_api_traced *call);

/* Puts the functions for tracers into the table of functions, or those without. (traced.c) */
void wl_api_table_trace(bool on);

#endif
