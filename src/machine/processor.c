#include "machine/processor.h"

#include <string.h>

/* What the processors of a generation have in common. */
enum {
    OF_GFX9 = WL_HAS_IMAGES | WL_HAS_SCRATCH_BUFFERS,
    OF_GFX90A = OF_GFX9 | WL_HAS_AGPRS | WL_HAS_UNIFIED_REGISTERS | WL_HAS_PACKED_IDS | WL_HAS_PRELOAD | WL_FLUSHES_ATOMICS |
                WL_FLUSHES_MATRICES | WL_PAIRS_PRODUCTS,
    OF_GFX9_4 = WL_HAS_AGPRS | WL_HAS_UNIFIED_REGISTERS | WL_HAS_PACKED_IDS | WL_HAS_PRELOAD | WL_HAS_ARCHITECTED_SCRATCH,
    OF_GFX10 = WL_HAS_WAVE32 | WL_HAS_IMAGES | WL_HAS_SCRATCH_BUFFERS,
    OF_GFX11 = WL_HAS_WAVE32 | WL_HAS_IMAGES | WL_HAS_PACKED_IDS | WL_HAS_ARCHITECTED_SCRATCH | WL_SUMS_DOTS,
    OF_GFX12 = OF_GFX11 | WL_HAS_TTMP_GROUPS | WL_HAS_OCP_FP8,
    OF_GFX12_5 = (OF_GFX12 & ~(WL_HAS_IMAGES | WL_SUMS_DOTS)) | WL_HAS_WAVE32_ALONE | WL_HAS_CLUSTERS | WL_HAS_NAMED_BARRIERS |
                 WL_HAS_1024_VGPRS | WL_HAS_PRELOAD | WL_HAS_64_USER_SGPRS | WL_HAS_XNACK | WL_HAS_SRAMECC,
};

/* clang-format off */
static const struct wl_processor processors[] = {
    {"gfx942", NULL, 0x4c, 9, 4, 2, WL_FAMILY_GFX9_4, WL_SET_GFX94, false, OF_GFX9_4 | WL_ALIGNS_PRODUCTS | WL_HAS_XNACK | WL_HAS_SRAMECC, 64 << 10},
    {"gfx941", NULL, 0x4b, 9, 4, 1, WL_FAMILY_GFX9_4, WL_SET_GFX94, false, OF_GFX9_4 | WL_ALIGNS_PRODUCTS | WL_HAS_XNACK | WL_HAS_SRAMECC, 64 << 10},
    {"gfx940", NULL, 0x40, 9, 4, 0, WL_FAMILY_GFX9_4, WL_SET_GFX94, false, OF_GFX9_4 | WL_ALIGNS_PRODUCTS | WL_HAS_XNACK | WL_HAS_SRAMECC, 64 << 10},
    {"gfx9-4-generic", "gfx942", 0x5f, 9, 4, 0, WL_FAMILY_GFX9_4, WL_SET_GFX94, true, OF_GFX9_4 | WL_ALIGNS_PRODUCTS | WL_HAS_XNACK | WL_HAS_SRAMECC, 64 << 10},
    {"gfx90a", NULL, 0x3f, 9, 0, 10, WL_FAMILY_GFX90A, WL_SET_GFX90A, false, OF_GFX90A | WL_HAS_XNACK | WL_HAS_SRAMECC, 64 << 10},
    {"gfx908", NULL, 0x30, 9, 0, 8, WL_FAMILY_GFX908, WL_SET_GFX908, false, OF_GFX9 | WL_HAS_AGPRS | WL_FLUSHES_ATOMICS | WL_PAIRS_PRODUCTS | WL_HAS_XNACK | WL_HAS_SRAMECC, 64 << 10},
    {"gfx906", NULL, 0x2f, 9, 0, 6, WL_FAMILY_GFX9, WL_SET_GFX906, false, OF_GFX9 | WL_HAS_XNACK | WL_HAS_SRAMECC, 64 << 10},
    {"gfx900", NULL, 0x2c, 9, 0, 0, WL_FAMILY_GFX9, WL_SET_GFX900, false, OF_GFX9 | WL_HAS_XNACK, 64 << 10},
    {"gfx902", NULL, 0x2d, 9, 0, 2, WL_FAMILY_GFX9, WL_SET_GFX900, false, OF_GFX9 | WL_HAS_XNACK, 64 << 10},
    {"gfx904", NULL, 0x2e, 9, 0, 4, WL_FAMILY_GFX9, WL_SET_GFX904, false, OF_GFX9 | WL_HAS_XNACK, 64 << 10},
    {"gfx909", NULL, 0x31, 9, 0, 9, WL_FAMILY_GFX9, WL_SET_GFX900, false, OF_GFX9 | WL_HAS_XNACK, 64 << 10},
    {"gfx90c", NULL, 0x32, 9, 0, 12, WL_FAMILY_GFX9, WL_SET_GFX900, false, OF_GFX9 | WL_HAS_XNACK, 64 << 10},
    {"gfx9-generic", NULL, 0x51, 9, 0, 0, WL_FAMILY_GFX9, WL_SET_GFX9_GENERIC, true, OF_GFX9 | WL_HAS_XNACK, 64 << 10},
    {"gfx1100", NULL, 0x41, 11, 0, 0, WL_FAMILY_GFX11, WL_SET_GFX1100, false, OF_GFX11, 64 << 10},
    {"gfx1101", NULL, 0x46, 11, 0, 1, WL_FAMILY_GFX11, WL_SET_GFX1100, false, OF_GFX11, 64 << 10},
    {"gfx1102", NULL, 0x47, 11, 0, 2, WL_FAMILY_GFX11, WL_SET_GFX1100, false, OF_GFX11, 64 << 10},
    {"gfx1103", NULL, 0x44, 11, 0, 3, WL_FAMILY_GFX11, WL_SET_GFX1100, false, OF_GFX11, 64 << 10},
    {"gfx1150", NULL, 0x43, 11, 5, 0, WL_FAMILY_GFX11, WL_SET_GFX1150, false, OF_GFX11, 64 << 10},
    {"gfx1151", NULL, 0x4a, 11, 5, 1, WL_FAMILY_GFX11, WL_SET_GFX1150, false, OF_GFX11, 64 << 10},
    {"gfx1152", NULL, 0x55, 11, 5, 2, WL_FAMILY_GFX11, WL_SET_GFX1150, false, OF_GFX11, 64 << 10},
    {"gfx1153", "gfx1152", 0x58, 11, 5, 3, WL_FAMILY_GFX11, WL_SET_GFX1150, false, OF_GFX11, 64 << 10},
    {"gfx11-generic", NULL, 0x54, 11, 0, 0, WL_FAMILY_GFX11, WL_SET_GFX1100, true, OF_GFX11, 64 << 10},
    {"gfx1030", NULL, 0x36, 10, 3, 0, WL_FAMILY_GFX10_3, WL_SET_GFX1030, false, OF_GFX10, 64 << 10},
    {"gfx1031", NULL, 0x37, 10, 3, 1, WL_FAMILY_GFX10_3, WL_SET_GFX1030, false, OF_GFX10, 64 << 10},
    {"gfx1032", NULL, 0x38, 10, 3, 2, WL_FAMILY_GFX10_3, WL_SET_GFX1030, false, OF_GFX10, 64 << 10},
    {"gfx1033", NULL, 0x39, 10, 3, 3, WL_FAMILY_GFX10_3, WL_SET_GFX1030, false, OF_GFX10, 64 << 10},
    {"gfx1034", NULL, 0x3e, 10, 3, 4, WL_FAMILY_GFX10_3, WL_SET_GFX1030, false, OF_GFX10, 64 << 10},
    {"gfx1035", NULL, 0x3d, 10, 3, 5, WL_FAMILY_GFX10_3, WL_SET_GFX1030, false, OF_GFX10, 64 << 10},
    {"gfx1036", NULL, 0x45, 10, 3, 6, WL_FAMILY_GFX10_3, WL_SET_GFX1030, false, OF_GFX10, 64 << 10},
    {"gfx10-3-generic", NULL, 0x53, 10, 3, 0, WL_FAMILY_GFX10_3, WL_SET_GFX1030, true, OF_GFX10, 64 << 10},
    {"gfx1200", NULL, 0x48, 12, 0, 0, WL_FAMILY_GFX12, WL_SET_GFX1200, false, OF_GFX12, 64 << 10},
    {"gfx1201", NULL, 0x4e, 12, 0, 1, WL_FAMILY_GFX12, WL_SET_GFX1200, false, OF_GFX12, 64 << 10},
    {"gfx12-generic", "gfx1200", 0x59, 12, 0, 0, WL_FAMILY_GFX12, WL_SET_GFX1200, true, OF_GFX12, 64 << 10},
    {"gfx1250", "gfx1200", 0x49, 12, 5, 0, WL_FAMILY_GFX12_5, WL_SET_GFX1250, false, OF_GFX12_5 | WL_MODE_SETS_BANKS, 320 << 10},
    {"gfx1251", "gfx1200", 0x5a, 12, 5, 1, WL_FAMILY_GFX12_5, WL_SET_GFX1251, false, OF_GFX12_5, 320 << 10},
    {"gfx12-5-generic", "gfx1200", 0x5b, 12, 5, 0, WL_FAMILY_GFX12_5, WL_SET_GFX12_5_GENERIC, true, OF_GFX12_5 | WL_MODE_SETS_BANKS, 320 << 10},
    {"gfx1010", NULL, 0x33, 10, 1, 0, WL_FAMILY_GFX10_1, WL_SET_GFX1010, false, OF_GFX10 | WL_HAS_XNACK, 64 << 10},
    {"gfx1011", NULL, 0x34, 10, 1, 1, WL_FAMILY_GFX10_1, WL_SET_GFX1012, false, OF_GFX10 | WL_HAS_XNACK, 64 << 10},
    {"gfx1012", NULL, 0x35, 10, 1, 2, WL_FAMILY_GFX10_1, WL_SET_GFX1012, false, OF_GFX10 | WL_HAS_XNACK, 64 << 10},
    {"gfx1013", NULL, 0x42, 10, 1, 3, WL_FAMILY_GFX10_1, WL_SET_GFX1013, false, OF_GFX10 | WL_HAS_XNACK, 64 << 10},
    {"gfx10-1-generic", NULL, 0x52, 10, 1, 0, WL_FAMILY_GFX10_1, WL_SET_GFX1010, true, OF_GFX10 | WL_HAS_XNACK, 64 << 10},
    {"gfx950", "gfx942", 0x4f, 9, 5, 0, WL_FAMILY_GFX9_4, WL_SET_GFX950, false, OF_GFX9_4 | WL_HAS_OCP_FP8 | WL_HAS_XNACK | WL_HAS_SRAMECC, 160 << 10},
};
/* clang-format on */
enum { COUNT = sizeof processors / sizeof *processors };

const struct wl_processor *wl_processor_find_name(const char *name, size_t length) {
    for (size_t i = 0; i < COUNT; i++)
        if (strlen(processors[i].name) == length && memcmp(processors[i].name, name, length) == 0)
            return &processors[i];
    return NULL;
}

const struct wl_processor *wl_processor_find(const char *name) { return wl_processor_find_name(name, strlen(name)); }

const struct wl_processor *wl_processor_of_machine(uint32_t machine) {
    for (size_t i = 0; i < COUNT; i++)
        if (processors[i].machine == machine)
            return &processors[i];
    return NULL;
}

const struct wl_processor *wl_processor_at(size_t index) { return index < COUNT ? &processors[index] : NULL; }

bool wl_processor_runs(const struct wl_processor *code, const struct wl_processor *device) {
    return code == device || (code->generic && !device->generic && code->family == device->family);
}
