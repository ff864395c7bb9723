/* Grids on several devices that synchronize with each other: what they share, and its end. */
#ifndef WL_RUNTIME_GRIDS_H
#define WL_RUNTIME_GRIDS_H

#include "runtime/stream.h"

struct wl_grids;

/* For one grid a stream. WL_UNSUPPORTED: GPUs and CPU devices together, whose atomic operations are not atomic for each other. */
enum wl_status wl_grids_create(struct wl_stream *const *streams, unsigned count, struct wl_grids **grids, struct wl_multigrid **shared);
/* A grid was given to its stream's queue. */
enum wl_status wl_grids_launched(struct wl_grids *grids, unsigned index, struct wl_stream *stream);
/* A grid's command goes; `finished`: it ran, or was given to a queue. With the last one `grids` goes, too, when the devices are done. */
void wl_grids_leave(struct wl_grids *grids, bool finished);

#endif
