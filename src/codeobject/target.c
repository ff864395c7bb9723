/* Processors, target ids and the ELF flags that encode them. */
#include "codeobject/internal.h"

#include <stdio.h>

enum { HAS_XNACK = 1, HAS_SRAMECC = 2 };

/* The families are those of the generic targets: code for a generic target runs on every member of its family. */
enum family { GFX9, GFX9_4, GFX90A, GFX10_1, GFX10_3, GFX11, GFX12 };

/* One row a processor, in the order of preference when a program does not say what it wants: first the data-centre
 * processors that most binaries are built and tuned for, the newest first, then the wide families. */
static const struct processor {
    const char *name;
    uint8_t flags; /* EF_AMDGPU_MACH */
    uint8_t major, minor, stepping;
    uint8_t features;
    uint8_t family;
    bool generic;
} processors[] = {
    {"gfx942", 0x4c, 9, 4, 2, HAS_XNACK | HAS_SRAMECC, GFX9_4, false},
    {"gfx941", 0x4b, 9, 4, 1, HAS_XNACK | HAS_SRAMECC, GFX9_4, false},
    {"gfx940", 0x40, 9, 4, 0, HAS_XNACK | HAS_SRAMECC, GFX9_4, false},
    {"gfx9-4-generic", 0x5f, 9, 4, 0, HAS_XNACK | HAS_SRAMECC, GFX9_4, true},
    {"gfx90a", 0x3f, 9, 0, 10, HAS_XNACK | HAS_SRAMECC, GFX90A, false},
    {"gfx908", 0x30, 9, 0, 8, HAS_XNACK | HAS_SRAMECC, GFX9, false},
    {"gfx906", 0x2f, 9, 0, 6, HAS_XNACK | HAS_SRAMECC, GFX9, false},
    {"gfx900", 0x2c, 9, 0, 0, HAS_XNACK, GFX9, false},
    {"gfx902", 0x2d, 9, 0, 2, HAS_XNACK, GFX9, false},
    {"gfx904", 0x2e, 9, 0, 4, HAS_XNACK, GFX9, false},
    {"gfx909", 0x31, 9, 0, 9, HAS_XNACK, GFX9, false},
    {"gfx90c", 0x32, 9, 0, 12, HAS_XNACK, GFX9, false},
    {"gfx9-generic", 0x51, 9, 0, 0, HAS_XNACK, GFX9, true},
    {"gfx1100", 0x41, 11, 0, 0, 0, GFX11, false},
    {"gfx1101", 0x46, 11, 0, 1, 0, GFX11, false},
    {"gfx1102", 0x47, 11, 0, 2, 0, GFX11, false},
    {"gfx1103", 0x44, 11, 0, 3, 0, GFX11, false},
    {"gfx1150", 0x43, 11, 5, 0, 0, GFX11, false},
    {"gfx1151", 0x4a, 11, 5, 1, 0, GFX11, false},
    {"gfx1152", 0x55, 11, 5, 2, 0, GFX11, false},
    {"gfx1153", 0x58, 11, 5, 3, 0, GFX11, false},
    {"gfx11-generic", 0x54, 11, 0, 0, 0, GFX11, true},
    {"gfx1030", 0x36, 10, 3, 0, 0, GFX10_3, false},
    {"gfx1031", 0x37, 10, 3, 1, 0, GFX10_3, false},
    {"gfx1032", 0x38, 10, 3, 2, 0, GFX10_3, false},
    {"gfx1033", 0x39, 10, 3, 3, 0, GFX10_3, false},
    {"gfx1034", 0x3e, 10, 3, 4, 0, GFX10_3, false},
    {"gfx1035", 0x3d, 10, 3, 5, 0, GFX10_3, false},
    {"gfx1036", 0x45, 10, 3, 6, 0, GFX10_3, false},
    {"gfx10-3-generic", 0x53, 10, 3, 0, 0, GFX10_3, true},
    {"gfx1200", 0x48, 12, 0, 0, 0, GFX12, false},
    {"gfx1201", 0x4e, 12, 0, 1, 0, GFX12, false},
    {"gfx12-generic", 0x59, 12, 0, 0, 0, GFX12, true},
    {"gfx1010", 0x33, 10, 1, 0, HAS_XNACK, GFX10_1, false},
    {"gfx1011", 0x34, 10, 1, 1, HAS_XNACK, GFX10_1, false},
    {"gfx1012", 0x35, 10, 1, 2, HAS_XNACK, GFX10_1, false},
    {"gfx1013", 0x42, 10, 1, 3, HAS_XNACK, GFX10_1, false},
    {"gfx10-1-generic", 0x52, 10, 1, 0, HAS_XNACK, GFX10_1, true},
    {"gfx950", 0x4f, 9, 5, 0, HAS_XNACK | HAS_SRAMECC, GFX9_4, false}, /* last: LLVM before 20 cannot decode it */
};
enum { PROCESSOR_COUNT = sizeof processors / sizeof *processors };

static const struct processor *find_processor(const char *name, size_t length) {
    for (size_t i = 0; i < PROCESSOR_COUNT; i++)
        if (strlen(processors[i].name) == length && memcmp(processors[i].name, name, length) == 0)
            return &processors[i];
    return NULL;
}

static const struct processor *processor_of(const struct wl_target *target) {
    return find_processor(target->processor, strnlen(target->processor, sizeof target->processor));
}

static void set_processor(struct wl_target *target, const struct processor *processor) {
    memset(target, 0, sizeof *target);
    snprintf(target->processor, sizeof target->processor, "%s", processor->name);
    target->major = processor->major;
    target->minor = processor->minor;
    target->stepping = processor->stepping;
    target->generic = processor->generic;
}

static enum wl_status parse_feature(struct wl_target *target, unsigned features, const char *text, size_t length) {
    static const struct {
        const char *name;
        size_t length;
        unsigned flag;
    } names[] = {{"xnack", 5, HAS_XNACK}, {"sramecc", 7, HAS_SRAMECC}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (length != names[i].length + 1 || memcmp(text, names[i].name, names[i].length) != 0)
            continue;
        enum wl_feature *feature = names[i].flag == HAS_XNACK ? &target->xnack : &target->sramecc;
        char sign = text[length - 1];
        if ((sign != '+' && sign != '-') || *feature != WL_FEATURE_ANY)
            break;
        if (!(features & names[i].flag))
            return wl_fail(WL_INVALID_VALUE, "%s has no feature \"%s\"", target->processor, names[i].name);
        *feature = sign == '+' ? WL_FEATURE_ON : WL_FEATURE_OFF;
        return WL_OK;
    }
    return wl_fail(WL_INVALID_VALUE, "\"%.*s\" is no target feature", (int)length, text);
}

enum wl_status wl_target_parse(struct wl_target *target, const char *text) {
    static const char triple[] = "amdgcn-amd-amdhsa";
    if (!text)
        return wl_fail(WL_INVALID_VALUE, "no target id given");
    const char *name = text;
    if (strncmp(name, triple, sizeof triple - 1) == 0) {
        name += sizeof triple - 1;
        name += strspn(name, "-");
    }
    size_t length = strcspn(name, ":");
    if (length > 200 || strncmp(name, "gfx", 3) != 0 || length < 6)
        return wl_fail(WL_INVALID_VALUE, "\"%.100s\" is no target id such as gfx90a:xnack-", text);
    const struct processor *processor = find_processor(name, length);
    if (!processor)
        return wl_fail(WL_UNSUPPORTED, "processor %.*s is not supported", (int)length, name);
    set_processor(target, processor);

    for (const char *feature = name + length; *feature == ':'; feature += 1 + length) {
        length = strcspn(feature + 1, ":");
        enum wl_status status = parse_feature(target, processor->features, feature + 1, length > 200 ? 200 : length);
        if (status)
            return status;
    }
    return WL_OK;
}

int wl_target_format(const struct wl_target *target, char *text, size_t size) {
    static const char *const signs[] = {[WL_FEATURE_ANY] = "", [WL_FEATURE_OFF] = "-", [WL_FEATURE_ON] = "+"};
    return snprintf(text, size, "%s%s%s%s%s", target->processor, target->sramecc ? ":sramecc" : "", signs[target->sramecc],
                    target->xnack ? ":xnack" : "", signs[target->xnack]);
}

bool wl_target_has_sram_ecc(const struct wl_target *code) {
    const struct processor *processor = processor_of(code);
    return processor && processor->features & HAS_SRAMECC && code->sramecc != WL_FEATURE_OFF;
}

static bool feature_compatible(enum wl_feature code, enum wl_feature device) {
    return code == WL_FEATURE_ANY || device == WL_FEATURE_ANY || code == device;
}

bool wl_target_compatible(const struct wl_target *code, const struct wl_target *device) {
    if (!feature_compatible(code->xnack, device->xnack) || !feature_compatible(code->sramecc, device->sramecc))
        return false;
    if (strncmp(code->processor, device->processor, sizeof code->processor) == 0)
        return true;
    const struct processor *a = processor_of(code), *b = processor_of(device);
    if (!a || !b || !a->generic || b->generic || a->family != b->family)
        return false;
    return strcmp(a->name, "gfx9-generic") != 0 || strcmp(b->name, "gfx908") != 0; /* the one gfx9 outside its generic family */
}

enum wl_status wl_target_from_flags(struct wl_target *target, uint32_t flags, unsigned version) {
    const struct processor *processor = NULL;
    for (size_t i = 0; i < PROCESSOR_COUNT && !processor; i++)
        if (processors[i].flags == (flags & 0xff))
            processor = &processors[i];
    if (!processor)
        return wl_fail(WL_UNSUPPORTED, "the code object is for a processor that is not supported (ELF flags 0x%x)", flags);
    set_processor(target, processor);

    /* Version 3 has one bit a feature. From version 4 on a feature has two: unsupported, any, off, on. */
    static const enum wl_feature from_bits[] = {WL_FEATURE_ANY, WL_FEATURE_ANY, WL_FEATURE_OFF, WL_FEATURE_ON};
    if (version == 3) {
        target->xnack = flags & 0x100 ? WL_FEATURE_ON : WL_FEATURE_OFF;
        target->sramecc = flags & 0x200 ? WL_FEATURE_ON : WL_FEATURE_OFF;
    } else {
        target->xnack = from_bits[flags >> 8 & 3];
        target->sramecc = from_bits[flags >> 10 & 3];
    }
    if (!(processor->features & HAS_XNACK))
        target->xnack = WL_FEATURE_ANY;
    if (!(processor->features & HAS_SRAMECC))
        target->sramecc = WL_FEATURE_ANY;
    return WL_OK;
}

unsigned wl_target_rank(const struct wl_target *target) {
    /* Within a processor: no demand on a feature, then off, then on. */
    const struct processor *processor = processor_of(target);
    unsigned place = processor ? (unsigned)(processor - processors) : PROCESSOR_COUNT;
    return place * 16 + target->xnack * 4 + target->sramecc;
}

bool wl_target_has_architected_flat_scratch(const struct wl_target *target) {
    return target->major >= 11 || (target->major == 9 && target->minor >= 4);
}

bool wl_target_has_unified_registers(const struct wl_target *target) {
    return target->major == 9 && (target->minor >= 4 || target->stepping == 10);
}
