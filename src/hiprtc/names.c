/* Each name expression initializes a pointer variable of a name that we know. In the linked code object that pointer is the
 * address of what the expression stands for; the symbol there is its name. */
#include "hiprtc/rtc.h"

#include "codeobject/codeobject.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MARKER "__wl_name_%zu"

char *wl_rtc_names_source(const struct wl_rtc_name *names, size_t count) {
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fputs("\n#line 1 \"name expressions\"\n", stream);
    for (size_t i = 0; i < count; i++)
        fprintf(stream, "extern \"C\" __device__ __attribute__((used)) const void *const " MARKER " = (const void *)(%s);\n", i,
                names[i].expression);
    return fclose(stream) == 0 ? text : NULL;
}

static const char *symbol_at(const struct wl_codeobject *object, uint64_t address) {
    for (size_t i = 0; i < wl_codeobject_kernel_count(object); i++)
        if (wl_codeobject_kernel(object, i)->start == address)
            return wl_codeobject_kernel(object, i)->name;
    for (size_t i = 0; i < wl_codeobject_variable_count(object); i++)
        if (wl_codeobject_variable(object, i)->address == address)
            return wl_codeobject_variable(object, i)->name;
    for (size_t i = 0; i < wl_codeobject_function_count(object); i++)
        if (wl_codeobject_function(object, i)->address == address)
            return wl_codeobject_function(object, i)->name;
    return NULL;
}

bool wl_rtc_names_find(struct wl_rtc_name *names, size_t count, const struct wl_rtc_bytes *code) {
    struct wl_codeobject *object = NULL;
    if (wl_codeobject_open(&object, code->data, code->size) != WL_OK)
        return false;
    uint64_t size = wl_codeobject_image_size(object);
    unsigned char *image = malloc(size ? size : 1);
    bool found = image && wl_codeobject_load(object, image, 0) == WL_OK;
    for (size_t i = 0; i < count && found; i++) {
        char marker[32];
        uint64_t address = 0;
        snprintf(marker, sizeof marker, MARKER, i);
        const struct wl_variable *variable = wl_codeobject_find_variable(object, marker);
        found = variable && variable->size == sizeof address && variable->address <= size - sizeof address;
        if (found)
            memcpy(&address, image + variable->address, sizeof address);
        const char *symbol = found ? symbol_at(object, address) : NULL;
        names[i].symbol = symbol ? strdup(symbol) : NULL;
        found = names[i].symbol != NULL;
    }
    free(image);
    wl_codeobject_close(object);
    return found;
}
