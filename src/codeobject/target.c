/* Processors, target ids and the ELF flags that encode them. */
#include "codeobject/internal.h"

#include "machine/processor.h"

#include <stdio.h>

static const struct wl_processor *processor_of(const struct wl_target *target) { return wl_processor_find(target->processor); }

static void set_processor(struct wl_target *target, const struct wl_processor *processor) {
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
    } names[] = {{"xnack", 5, WL_HAS_XNACK}, {"sramecc", 7, WL_HAS_SRAMECC}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (length != names[i].length + 1 || memcmp(text, names[i].name, names[i].length) != 0)
            continue;
        enum wl_feature *feature = names[i].flag == WL_HAS_XNACK ? &target->xnack : &target->sramecc;
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
    const struct wl_processor *processor = wl_processor_find_name(name, length);
    if (!processor)
        return wl_fail(WL_UNSUPPORTED, "processor %.*s is not supported", (int)length, name);
    set_processor(target, processor);

    for (const char *feature = name + length; *feature == ':'; feature += 1 + length) {
        length = strcspn(feature + 1, ":");
        enum wl_status status = parse_feature(target, processor->has, feature + 1, length > 200 ? 200 : length);
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

bool wl_target_has_sram_ecc(const struct wl_target *code) { return wl_target_has(code, WL_HAS_SRAMECC) && code->sramecc != WL_FEATURE_OFF; }

static bool feature_compatible(enum wl_feature code, enum wl_feature device) {
    return code == WL_FEATURE_ANY || device == WL_FEATURE_ANY || code == device;
}

bool wl_target_compatible(const struct wl_target *code, const struct wl_target *device) {
    if (!feature_compatible(code->xnack, device->xnack) || !feature_compatible(code->sramecc, device->sramecc))
        return false;
    if (strncmp(code->processor, device->processor, sizeof code->processor) == 0)
        return true;
    const struct wl_processor *a = processor_of(code), *b = processor_of(device);
    return a && b && wl_processor_runs(a, b);
}

enum wl_status wl_target_from_flags(struct wl_target *target, uint32_t flags, unsigned version) {
    const struct wl_processor *processor = wl_processor_of_machine(flags & 0xff);
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
    if (!(processor->has & WL_HAS_XNACK))
        target->xnack = WL_FEATURE_ANY;
    if (!(processor->has & WL_HAS_SRAMECC))
        target->sramecc = WL_FEATURE_ANY;
    return WL_OK;
}

unsigned wl_target_rank(const struct wl_target *target) {
    /* Within a processor: no demand on a feature, then off, then on. */
    const struct wl_processor *processor = processor_of(target), *at;
    unsigned place = 0;
    while ((at = wl_processor_at(place)) && at != processor)
        place++;
    return place * 16 + target->xnack * 4 + target->sramecc;
}
