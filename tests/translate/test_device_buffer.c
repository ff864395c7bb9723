/* Where buffer instructions of NVIDIA's GPUs find their elements, without branches, against the CPU device's code with them. */
#include "../random_numbers.h"
#include "lane/buffer_lane.h"
#include "translate/nvptx/device/device.h"

#include <inttypes.h>
#include <stdio.h>

static uint32_t random_number(void) {
    static uint64_t state = 88172645463325252u;
    return (uint32_t)(next_random(&state) >> 16);
}

/* A small number, or any. */
static uint32_t some(uint32_t small) { return random_number() % 8 ? random_number() % small : random_number(); }

int main(void) {
    enum { CASES = 2000000 };
    unsigned inside = 0, failures = 0;
    for (unsigned i = 0; i < CASES; i++) {
        struct wl_device_buffer given = {.address = {some(64), some(64)},
                                         .resource = {random_number(), (random_number() & 0xc000ffff) | some(100) << 16, some(4000),
                                                      random_number() & (random_number() % 2 ? ~(1u << 23) : ~0u)},
                                         .soffset = some(200),
                                         .offset = some(100) & 0xfff,
                                         .lane = random_number() % 64};
        const uint32_t skip = 4 * (random_number() % 4), bytes = 1u << random_number() % 3;
        given.element =
            (random_number() % 4) << 28 | (random_number() % 2 ? WL_ELEMENT_IDXEN : 0) | (random_number() % 2 ? WL_ELEMENT_OFFEN : 0);
        struct wl_buffer buffer;
        wl_buffer_read(&buffer, given.resource, given.element);
        const struct wl_buffer_place place =
            wl_buffer_locate(&buffer, given.address, 1, given.soffset, given.offset, given.element, given.lane);
        const bool within = wl_buffer_in_range(&place, skip, bytes);
        const uint64_t want = within ? (uint64_t)(uintptr_t)wl_buffer_memory(&place, skip) : 0;
        const uint64_t got = wl_device_buffer_find(&given, (uint64_t)skip << 32 | bytes);
        inside += within;
        if (got != want && failures++ < 10)
            printf("element %#x, descriptor %08x %08x %08x %08x, lane %u: %" PRIx64 ", expected %" PRIx64 "\n", given.element,
                   given.resource[0], given.resource[1], given.resource[2], given.resource[3], given.lane, got, want);
    }
    printf("%d cases, %u within, %u failures\n", CASES, inside, failures);
    return failures != 0 || inside < CASES / 10 || inside > CASES - CASES / 10;
}
