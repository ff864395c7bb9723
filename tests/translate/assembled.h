/* Units of assembled text, for tests of analyses. */
#ifndef WL_TESTS_ASSEMBLED_H
#define WL_TESTS_ASSEMBLED_H

#include "translate/unit/unit.h"

struct assembled {
    struct wl_unit unit;
    struct wl_decoder *decoder;
    uint8_t *code;
    uint64_t size;                       /* of the code */
    struct wl_translate_request request; /* the unit refers to it */
};

/* Assembles a kernel and builds its unit; the test fails where that fails. `request` has the processor, the wave size, the name, and what
 * else the test asks for; the code and that it is a kernel are filled in. `made` stays where it is until it is freed. */
void assembled_build(struct assembled *made, struct wl_translate_request request, const char *text);
void assembled_free(struct assembled *made);

#endif
