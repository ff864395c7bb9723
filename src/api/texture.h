/* Texture objects, for the files of that chapter. */
#ifndef WL_API_TEXTURE_H
#define WL_API_TEXTURE_H

#include "api/array.h"
#include "device/image.h"

/* What a hipTextureObject_t or hipSurfaceObject_t points to: kernels read `words`, and nothing else. */
struct wl_texture {
    _Alignas(64) uint32_t words[WL_IMAGE_OBJECT_DWORDS];
    bool is_surface, has_view;
    hipResourceDesc resource;
    hipTextureDesc texture;
    struct hipResourceViewDesc view;
};

/* Creates a texture, or with `texture` NULL a surface. Errors are recorded for `function`; `view` may be NULL. */
hipError_t wl_texture_create(const char *function, const hipResourceDesc *resource, const hipTextureDesc *texture,
                             const struct hipResourceViewDesc *view, struct wl_texture **result);
/* Waits for all work and frees it. `texture` may be NULL. */
void wl_texture_destroy(struct wl_texture *texture);

/* ---- references (texture_reference.c); all of these are thread-safe ---- */

/* What a reference belongs to and goes away with: a module in `context`, or a registered code object (NULL), whose references are
 * the program's variables. */
void wl_texture_own(const textureReference *reference, const void *owner, struct wl_context *context);
/* Before an owner goes: unbinds its references, which are not touched. Waits for all work if one is bound. */
void wl_texture_disown(const void *owner);
/* The same for the modules of a context that is reset. */
void wl_texture_disown_modules(const struct wl_context *context);
/* Unbinds the references whose array or memory is no more. */
void wl_texture_prune(void);

#endif
