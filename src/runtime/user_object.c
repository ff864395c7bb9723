/* User objects: something of the program that graphs keep alive. An object's count is the sum of all references, the program's and the
 * graphs'; what a graph notes of its own says how many end with it.
 *
 * As in AMD's runtime a program may give back references of others, and a release of more than there are does nothing. The object that
 * ends so is forgotten by the graphs that had references to it. */
#include "runtime/user_object.h"
#include "base/assert.h"
#include "runtime/graph.h"
#include "runtime/handles.h"

#include <stdlib.h>

struct wl_graph_reference {
    struct wl_user_object *object;
    struct wl_graph *graph;
    int64_t count;                             /* below 0: more was given back than the graph had */
    struct wl_graph_reference *next, *sibling; /* the graph's, the object's */
};

struct wl_user_object {
    void *pointer;
    void (*destroy)(void *pointer);
    uint64_t count;
    struct wl_graph_reference *references;
};

/* Guards all objects' counts and all lists of references. The program's functions are called without it. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
    *object = made;
    return WL_OK;
}

void wl_user_object_retain(struct wl_user_object *object, unsigned count) {
    pthread_mutex_lock(&lock);
    object->count += count;
    pthread_mutex_unlock(&lock);
}

static void remove_from_graph(struct wl_graph_reference *reference) {
    struct wl_graph_reference **link = &reference->graph->references;
    while (*link != reference)
        link = &(*link)->next;
    *link = reference->next;
}

static void remove_from_object(struct wl_graph_reference *reference) {
    struct wl_graph_reference **link = &reference->object->references;
    while (*link != reference)
        link = &(*link)->sibling;
    *link = reference->sibling;
}

/* Drops references, if there are as many; the lock is held. Returns the object if these were the last: it is out of every list, and
 * to be ended without the lock. */
static struct wl_user_object *drop(struct wl_user_object *object, uint64_t count) {
    wl_assert_held(&lock);
    if (count > object->count)
        return NULL;
    object->count -= count;
    if (object->count > 0)
        return NULL;
    while (object->references) {
        struct wl_graph_reference *reference = object->references;
        object->references = reference->sibling;
        remove_from_graph(reference);
        free(reference);
    }
    wl_handle_remove(object);
    return object;
}

static void unlock_and_end(struct wl_user_object *ended) {
    pthread_mutex_unlock(&lock);
    if (ended)
        ended->destroy(ended->pointer);
    free(ended);
}

void wl_user_object_release(struct wl_user_object *object, unsigned count) {
    pthread_mutex_lock(&lock);
    unlock_and_end(drop(object, count));
}

static struct wl_graph_reference *find(struct wl_graph *graph, const struct wl_user_object *object) {
    struct wl_graph_reference *reference = graph->references;
    while (reference && reference->object != object)
        reference = reference->next;
    return reference;
}

/* The graph's reference, made if there is none; the lock is held. NULL: out of memory. */
static struct wl_graph_reference *find_or_add(struct wl_graph *graph, struct wl_user_object *object) {
    wl_assert_held(&lock);
    struct wl_graph_reference *reference = find(graph, object);
    if (reference || !(reference = calloc(1, sizeof *reference)))
        return reference;
    *reference = (struct wl_graph_reference){object, graph, 0, graph->references, object->references};
    return graph->references = object->references = reference;
}

enum wl_status wl_graph_retain_object(struct wl_graph *graph, struct wl_user_object *object, unsigned count, bool move) {
    pthread_mutex_lock(&lock);
    struct wl_graph_reference *reference = find_or_add(graph, object);
    if (reference) {
        reference->count += count;
        object->count += move ? 0 : count;
    }
    pthread_mutex_unlock(&lock);
    return reference ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a reference");
}

void wl_graph_release_object(struct wl_graph *graph, struct wl_user_object *object, unsigned count) {
    struct wl_user_object *ended = NULL;
    pthread_mutex_lock(&lock);
    struct wl_graph_reference *reference = find(graph, object);
    if (reference && count <= object->count) {
        reference->count -= count;
        ended = drop(object, count);
    }
    unlock_and_end(ended);
}

enum wl_status wl_graph_copy_objects(const struct wl_graph *from, struct wl_graph *to) {
    bool good = true;
    pthread_mutex_lock(&lock);
    for (const struct wl_graph_reference *reference = from->references; reference && good; reference = reference->next) {
        struct wl_graph_reference *copy = find_or_add(to, reference->object);
        good = copy != NULL;
        if (good) {
            copy->count = 1;
            copy->object->count++;
        }
    }
    pthread_mutex_unlock(&lock);
    return good ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a reference");
}

void wl_graph_drop_objects(struct wl_graph *graph) {
    for (;;) {
        pthread_mutex_lock(&lock);
        struct wl_graph_reference *first = graph->references;
        struct wl_user_object *ended = NULL;
        if (first) {
            graph->references = first->next;
            remove_from_object(first);
            ended = first->count > 0 ? drop(first->object, (uint64_t)first->count) : NULL;
        }
        unlock_and_end(ended);
        if (!first)
            return;
        free(first);
    }
}

void wl_user_object_after_fork(void) { pthread_mutex_init(&lock, NULL); }
