/* Events. (event.c) */
#ifndef WL_RUNTIME_EVENT_H
#define WL_RUNTIME_EVENT_H

#include "base/status.h"
#include "runtime/stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WL_EVENT_NO_TIMING    1u
#define WL_EVENT_INTERPROCESS 2u

struct wl_record;
struct wl_event;

/* `owner`: the device that the event is of, for wl_event_owner; NULL: of none. */
enum wl_status wl_event_create(struct wl_context *owner, unsigned flags, struct wl_event **event);
void wl_event_destroy(struct wl_event *event);
unsigned wl_event_flags(const struct wl_event *event);
struct wl_context *wl_event_owner(const struct wl_event *event);
enum wl_status wl_event_record(struct wl_event *event, struct wl_stream *stream);
/* For calls that make a stream wait. WL_CAPTURE_ISOLATION: the stream of the latest record captures, but not that record. */
enum wl_status wl_event_may_wait(struct wl_event *event);
/* The stream's later commands wait for the event's latest record; nothing to wait for if it has none. In a capture that goes on the stream
 * joins it, WL_CAPTURE_IMPLICIT: the null stream cannot. */
enum wl_status wl_event_wait(struct wl_event *event, struct wl_stream *stream);
/* WL_OK if the latest record was reached or there is none, else WL_NOT_READY. WL_CAPTURED_EVENT: the record is in a capture, which is
 * invalid now. */
enum wl_status wl_event_query(struct wl_event *event);
/* For calls of the program that wait for the event: WL_CAPTURED_EVENT as above, or what wl_capture_may_wait says. */
enum wl_status wl_event_may_synchronize(struct wl_event *event);
enum wl_status wl_event_synchronize(struct wl_event *event);
/* WL_INVALID_VALUE if one was never recorded or has no timing; WL_NOT_READY if one was not reached yet. */
enum wl_status wl_event_elapsed(struct wl_event *start, struct wl_event *stop, double *milliseconds);
/* A description of an interprocess event that another process can open while this one lives and has the event; `size` bytes
 * of room, at least 32. WL_INVALID_VALUE: not an interprocess event. */
enum wl_status wl_event_export(struct wl_event *event, void *handle, size_t size);
/* WL_INVALID_VALUE: not such a description, or its event is gone; WL_ILLEGAL_STATE: it is of this process. */
enum wl_status wl_event_import(struct wl_context *owner, const void *handle, struct wl_event **event);
/* An event that stands for one of the device's driver, which stays the caller's: recording it records that one. WL_UNSUPPORTED: the device
 * has none. */
enum wl_status wl_event_adopt(struct wl_context *context, void *native, struct wl_event **event);
/* The driver's event for the latest record, which has been given to the driver on return; until the event is recorded again or
 * destroyed. `context` is for events that were never recorded. WL_UNSUPPORTED: the device has none. */
enum wl_status wl_event_native(struct wl_event *event, struct wl_context *context, void **native);

#endif
