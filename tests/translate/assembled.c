#include "assembled.h"
#include "assembler.h"
#include "translate/decode/decoder.h"
#include "translate/rewrite/rewrite.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

static bool is_code(void *context, uint64_t address, uint64_t size) { return address + size <= *(uint64_t *)context; }

void assembled_build(struct assembled *made, struct wl_translate_request request, const char *text) {
    size_t size = 0;
    made->code = test_assemble(request.processor, request.wave_size, text, &size);
    assert_non_null(made->code);
    made->size = size;
    request.image = made->code;
    request.image_size = size;
    request.is_kernel = true;
    request.is_code = is_code;
    request.context = &made->size;
    made->request = request;
    made->decoder = NULL;
    assert_int_equal(wl_decoder_create(&made->decoder, request.processor, request.wave_size), WL_OK);
    if (wl_unit_build(&made->unit, made->decoder, &made->request, 0) != WL_OK)
        fail_msg("%s: %s", request.name, wl_failure());
}

void assembled_free(struct assembled *made) {
    wl_unit_destroy(&made->unit);
    wl_decoder_destroy(made->decoder);
    free(made->code);
}
