/* Facts of a device that the runtime does not have, and that the tree (tree.h) and the SMI libraries have to tell alike. */
#ifndef WL_TOPOLOGY_FACTS_H
#define WL_TOPOLOGY_FACTS_H

#include "runtime/context.h"

enum {
    WL_FACT_RENDER = 128,    /* the render minor of device 0 */
    WL_FACT_VENDOR = 0x1002, /* AMD */
    WL_FACT_CHIP = 0x740f,   /* of an accelerator card */
    WL_FACT_SUBSYSTEM = 0x0c34,
    WL_FACT_REVISION = 0x02,
    WL_FACT_GPU_ID = 0x1001, /* the driver's number of device 0 */
    WL_FACT_WEIGHT = 20,     /* of a link between any two nodes, as over one PCI root */
    /* PCI Express 4: lanes, megatransfers a second, version */
    WL_FACT_LINK_LANES = 16,
    WL_FACT_LINK_SPEED = 16000,
    WL_FACT_LINK_VERSION = 4,
};

static inline uint64_t wl_fact_unique_id(const struct wl_context *context) {
    uint64_t id = 0;
    for (unsigned i = 0; i < 16; i++)
        id = id * 31 + context->info.uuid[i];
    return id;
}

/* "gfx90a" as the driver writes it: 90010. */
static inline unsigned wl_fact_target_version(const struct wl_target *target) {
    return target->major * 10000 + target->minor * 100 + target->stepping;
}

#endif
