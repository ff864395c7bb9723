/* User objects: something of the program that graphs keep alive. The count is the program's references and the graphs'. */
#include "runtime/graph.h"

#include <stdlib.h>

struct wl_user_object {
    void *pointer;
    void (*destroy)(void *pointer);
    pthread_mutex_t lock; /* guards the count */
    uint64_t count;
};

enum wl_status wl_user_object_create(void *pointer, void (*destroy)(void *pointer), unsigned count, struct wl_user_object **object) {
    struct wl_user_object *made = calloc(1, sizeof *made);
    enum wl_status status =
        made ? wl_handle_add(made, WL_HANDLE_USER_OBJECT) : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a user object");
    if (status != WL_OK) {
        free(made);
        return status;
    }
    made->pointer = pointer;
    made->destroy = destroy;
    made->count = count;
    pthread_mutex_init(&made->lock, NULL);
    *object = made;
    return WL_OK;
}

enum wl_status wl_user_object_retain(struct wl_user_object *object, unsigned count) {
    pthread_mutex_lock(&object->lock);
    object->count += count;
    pthread_mutex_unlock(&object->lock);
    return WL_OK;
}

enum wl_status wl_user_object_release(struct wl_user_object *object, unsigned count) {
    pthread_mutex_lock(&object->lock);
    bool enough = count <= object->count;
    if (enough)
        object->count -= count;
    bool last = enough && object->count == 0;
    pthread_mutex_unlock(&object->lock);
    if (!enough)
        return wl_fail(WL_INVALID_VALUE, "the object has fewer than %u references", count);
    if (last) {
        wl_handle_remove(object);
        object->destroy(object->pointer);
        pthread_mutex_destroy(&object->lock);
        free(object);
    }
    return WL_OK;
}

static struct wl_graph_reference *find(struct wl_graph *graph, const struct wl_user_object *object) {
    struct wl_graph_reference *reference = graph->references;
    while (reference && reference->object != object)
        reference = reference->next;
    return reference;
}

enum wl_status wl_graph_retain_object(struct wl_graph *graph, struct wl_user_object *object, unsigned count, bool move) {
    struct wl_graph_reference *reference = find(graph, object);
    if (!reference) {
        reference = calloc(1, sizeof *reference);
        if (!reference)
            return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a reference");
        reference->object = object;
        reference->next = graph->references;
        graph->references = reference;
    }
    reference->count += count;
    return move ? WL_OK : wl_user_object_retain(object, count);
}

enum wl_status wl_graph_release_object(struct wl_graph *graph, struct wl_user_object *object, unsigned count) {
    struct wl_graph_reference *reference = find(graph, object);
    if (!reference || reference->count < count)
        return wl_fail(WL_INVALID_VALUE, "the graph has fewer than %u references to the object", count);
    reference->count -= count;
    if (reference->count == 0) {
        struct wl_graph_reference **link = &graph->references;
        while (*link != reference)
            link = &(*link)->next;
        *link = reference->next;
        free(reference);
    }
    return wl_user_object_release(object, count);
}

enum wl_status wl_graph_copy_objects(const struct wl_graph *from, struct wl_graph *to) {
    enum wl_status status = WL_OK;
    for (const struct wl_graph_reference *reference = from->references; reference && status == WL_OK; reference = reference->next)
        status = wl_graph_retain_object(to, reference->object, reference->count, false);
    return status;
}

void wl_graph_drop_objects(struct wl_graph *graph) {
    while (graph->references) {
        struct wl_graph_reference *first = graph->references;
        graph->references = first->next;
        (void)wl_user_object_release(first->object, first->count);
        free(first);
    }
}
