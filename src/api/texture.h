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

#endif
