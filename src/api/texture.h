/* Texture objects, for the files of that chapter. */
#ifndef WL_API_TEXTURE_H
#define WL_API_TEXTURE_H

#include "api/array.h"
#include "machine/image.h"

/* A texture or surface. Kernels read `words`, or (object) a copy of them in the memory of a device that does not reach the host's. */
struct wl_texture {
    _Alignas(64) uint32_t words[WL_IMAGE_OBJECT_DWORDS];
    void *object;            /* what the hipTextureObject_t or hipSurfaceObject_t is: `words`, or the copy */
    uint64_t memory_id;      /* of the copy's memory, which hipDeviceReset takes away */
    struct wl_texture *next; /* of those with a copy */
    bool is_surface, has_view;
    hipResourceDesc resource;
    hipTextureDesc texture;
    struct hipResourceViewDesc view;
};

/* Creates a texture, or with `texture` NULL a surface. Errors are recorded for `function`; `view` may be NULL. */
hipError_t wl_texture_create(const char *function, const hipResourceDesc *resource, const hipTextureDesc *texture,
                             const struct hipResourceViewDesc *view, struct wl_texture **result);
/* The texture that an object stands for; NULL: none. */
struct wl_texture *wl_texture_find(const void *object);
/* Waits for all work and frees it. `texture` may be NULL. */
void wl_texture_destroy(struct wl_texture *texture);

/* ---- references (texture_reference.c); all of these are thread-safe ---- */

/* What a reference belongs to and goes away with: a registered code object, whose references are the program's variables. */
void wl_texture_own(const textureReference *reference, const void *owner);
/* The reference that is the variable `variable` of a module in `context`: the variable itself, or where the host does not reach it a
 * copy that goes away with the module. hipErrorOutOfMemory. */
hipError_t wl_texture_of_module(const char *function, void *variable, const void *module, struct wl_context *context,
                                textureReference **reference);
/* Before an owner goes: unbinds its references, which are not touched. Waits for all work if one is bound. */
void wl_texture_disown(const void *owner);
/* The same for the modules of a context that is reset. */
void wl_texture_disown_modules(const struct wl_context *context);
/* Unbinds the references whose array or memory is no more. */
void wl_texture_prune(void);

#endif
