/* User objects: counted, with a destructor. (user_object.c) */
#ifndef WL_RUNTIME_USER_OBJECT_H
#define WL_RUNTIME_USER_OBJECT_H

#include "base/status.h"
#include "runtime/graph.h"

enum wl_status wl_user_object_create(void *pointer, void (*destroy)(void *pointer), unsigned count, struct wl_user_object **object);
void wl_user_object_retain(struct wl_user_object *object, unsigned count);
/* Ends the object with the last reference. Does nothing if there are fewer than `count`. */
void wl_user_object_release(struct wl_user_object *object, unsigned count);
/* The graph has `count` references more; with `move` the caller's. */
enum wl_status wl_graph_retain_object(struct wl_graph *graph, struct wl_user_object *object, unsigned count, bool move);
/* As a release; nothing happens if the graph never had references to the object. */
void wl_graph_release_object(struct wl_graph *graph, struct wl_user_object *object, unsigned count);
/* One reference to each object to which `from` has any. */
enum wl_status wl_graph_copy_objects(const struct wl_graph *from, struct wl_graph *to);
void wl_graph_drop_objects(struct wl_graph *graph);
void wl_user_object_after_fork(void);

#endif
