/* Image instructions. */
#include "machine/image_instruction.h"
#include "translate/decode/decode.h"
#include "translate/decode/words/engine.h"

#include <string.h>

/* Where an encoding has what. */
struct image_fields {
    unsigned dmask, dim, vdata, vaddr, srsrc, ssamp, list; /* list: dwords of further address registers */
    bool unorm, da, r128, a16, d16, tfe, lwe, acc;
};

static unsigned bits_at(const struct wl_word_job *job, unsigned at, unsigned count) { return wl_bits(job->w[at / 32], at % 32, count); }

static void read_fields9(struct wl_word_job *job, struct image_fields *f) {
    f->dmask = bits_at(job, 8, 4);
    f->unorm = bits_at(job, 12, 1);
    f->da = bits_at(job, 14, 1);
    f->a16 = bits_at(job, 15, 1);
    f->tfe = !job->d->has_acc && bits_at(job, 16, 1);
    f->acc = job->d->has_acc && bits_at(job, 16, 1);
    f->lwe = bits_at(job, 17, 1);
    f->d16 = bits_at(job, 63, 1);
    job->inst->glc = bits_at(job, 13, 1);
    job->inst->slc = bits_at(job, 25, 1);
    job->inst->scc_bit = job->d->target == WL_T90A && bits_at(job, 7, 1);
}

static void read_fields10(struct wl_word_job *job, struct image_fields *f) {
    f->dmask = bits_at(job, 8, 4);
    f->dim = bits_at(job, 3, 3);
    f->unorm = bits_at(job, 12, 1);
    f->r128 = bits_at(job, 15, 1);
    f->tfe = bits_at(job, 16, 1);
    f->lwe = bits_at(job, 17, 1);
    f->a16 = bits_at(job, 62, 1);
    f->d16 = bits_at(job, 63, 1);
    f->list = bits_at(job, 1, 2);
    job->inst->glc = bits_at(job, 13, 1);
    job->inst->slc = bits_at(job, 25, 1);
    job->inst->dlc = bits_at(job, 7, 1);
}

static void read_fields11(struct wl_word_job *job, struct image_fields *f) {
    f->list = bits_at(job, 0, 1);
    f->dim = bits_at(job, 2, 3);
    f->unorm = bits_at(job, 7, 1);
    f->dmask = bits_at(job, 8, 4);
    f->r128 = bits_at(job, 15, 1);
    f->a16 = bits_at(job, 16, 1);
    f->d16 = bits_at(job, 17, 1);
    f->tfe = bits_at(job, 53, 1);
    f->lwe = bits_at(job, 54, 1);
    job->inst->slc = bits_at(job, 12, 1);
    job->inst->dlc = bits_at(job, 13, 1);
    job->inst->glc = bits_at(job, 14, 1);
}

static void read_fields(struct wl_word_job *job, struct image_fields *f) {
    memset(f, 0, sizeof *f);
    f->vaddr = bits_at(job, 32, 8);
    f->vdata = bits_at(job, 40, 8);
    f->srsrc = bits_at(job, 48, 5) * 4;
    f->ssamp = bits_at(job, job->d->generation == 11 ? 58 : 53, 5) * 4;
    if (job->d->generation == 9)
        read_fields9(job, f);
    else if (job->d->generation == 10)
        read_fields10(job, f);
    else
        read_fields11(job, f);
}

/* gfx12: VIMAGE and VSAMPLE. */
static void read_fields12(struct wl_word_job *job, struct image_fields *f) {
    const bool samples = job->entry->row->encoding == WL_ENC_VSAMPLE;

    memset(f, 0, sizeof *f);
    f->dim = bits_at(job, 0, 3);
    f->r128 = bits_at(job, 4, 1);
    f->d16 = bits_at(job, 5, 1);
    f->a16 = bits_at(job, 6, 1);
    f->dmask = bits_at(job, 22, 4);
    f->vdata = bits_at(job, 32, 8);
    f->srsrc = job->w[1] >> 9 & 0x1ff;
    f->tfe = samples ? bits_at(job, 3, 1) : bits_at(job, 55, 1);
    f->ssamp = samples ? job->w[1] >> 23 : 0;
    f->unorm = samples && bits_at(job, 13, 1);
    f->lwe = samples && bits_at(job, 40, 1);
    f->vaddr = bits_at(job, 64, 8);
    job->inst->dlc = bits_at(job, 50, 2) != 0;
    job->inst->sc1 = bits_at(job, 50, 2) >= 2;
    job->inst->returns = job->inst->isa->atomic && bits_at(job, 52, 1) && !bits_at(job, 54, 1);
}

static unsigned count_bits(unsigned mask) { return (unsigned)__builtin_popcount(mask); }

/* Instructions that are named and printed, and that nothing implements: what they read is that of others. */
static const struct {
    const char *name;
    struct wl_isa isa;
} bare[] = {
    {"image_gather4h", {.class = WL_ISA_IMAGE, .image = WL_IMAGE_GATHER}},
    {"image_msaa_load", {.class = WL_ISA_IMAGE, .image = WL_IMAGE_LOAD}},
    {"image_bvh8_intersect_ray", {.class = WL_ISA_IMAGE, .image = WL_IMAGE_BVH}},
    {"image_bvh_dual_intersect_ray", {.class = WL_ISA_IMAGE, .image = WL_IMAGE_BVH}},
};

static const struct wl_isa *find_bare(const char *name) {
    for (size_t i = 0; i < sizeof bare / sizeof *bare; i++)
        if (strcmp(bare[i].name, name) == 0)
            return &bare[i].isa;
    return NULL;
}

static unsigned data_registers(const struct wl_word_job *job, const struct image_fields *f) {
    const bool gathers = WL_IMAGE_KIND_OF(job->inst->isa->image) == WL_IMAGE_GATHER ||
                         (job->d->generation >= 11 && strcmp(job->entry->row->name, "image_msaa_load") == 0);
    unsigned count = gathers ? 4 : count_bits(f->dmask);

    if (count == 0)
        count = 1;
    if (f->d16)
        count = (count + 1) / 2;
    count += f->tfe;
    if (gathers && count == 3) /* no such instruction is defined */
        return 4;
    const bool compares = job->entry->cmpswap; /* has two values at least */
    if (job->inst->isa->atomic && (count == 3 || (compares && count < 2)))
        return compares ? 2 : 1;
    return count;
}

static bool read_addresses(struct wl_word_job *job, const struct image_fields *f, unsigned count) {
    struct wl_inst *inst = job->inst;
    const unsigned fields = 1 + (job->d->generation == 10 ? 4 * f->list : f->list ? 4 : 0);
    struct wl_operand *address = wl_word_operand(job, WL_OPERAND_VGPR);

    if (!f->list)
        return wl_read_vector(job, address, f->vaddr, count > 12 ? 16 : count, false);
    if (job->available < job->size + 4 * (size_t)((fields + 2) / 4))
        return false;
    inst->address_count = (uint8_t)count;
    for (unsigned i = 0; i < count && i < WL_MAX_ADDRESSES; i++) {
        const unsigned field = i < fields ? i : fields - 1;
        const unsigned reg = field ? job->bytes[8 + field - 1] : f->vaddr;

        if (reg + (i - field) > 255)
            return false;
        inst->addresses[i] = (uint8_t)(reg + (i - field));
    }
    job->size += 4 * ((fields + 2) / 4);
    return wl_read_vector(job, address, f->vaddr, 1, false);
}

static void set_modifiers(struct wl_word_job *job, const struct image_fields *f) {
    struct wl_inst *inst = job->inst;

    inst->dmask = (uint8_t)f->dmask;
    inst->dim = (uint8_t)f->dim;
    inst->has_dim = job->d->generation >= 10;
    inst->unorm = f->unorm;
    inst->da = f->da;
    inst->r128 = f->r128;
    inst->a16 = f->a16;
    inst->d16 = f->d16;
    inst->tfe = f->tfe;
    inst->lwe = f->lwe;
}

/* ---- rays ---- */

/* gfx12's rays through nodes of eight boxes, or of two nodes: have 10 registers of results, and an offset, or two, behind the direction. */
static bool is_newer_ray(const struct wl_word_job *job) { return !job->entry->isa; }

/* The parts of a ray: node, extent, origin, direction and its inverse; with 16 bits the last two share registers. */
unsigned wl_ray_parts(const struct wl_word_job *job, bool a16, uint8_t parts[5]) {
    if (is_newer_ray(job)) {
        parts[0] = parts[1] = 2;
        parts[2] = parts[3] = 3;
        parts[4] = strstr(job->entry->row->name, "_dual_") ? 2 : 1;
        return 5;
    }
    parts[0] = strstr(job->entry->row->name, "bvh64") ? 2 : 1;
    parts[1] = 1;
    parts[2] = parts[3] = parts[4] = 3;
    return a16 ? 4 : 5;
}

static bool add_address(struct wl_inst *inst, unsigned reg, unsigned registers) {
    for (unsigned i = 0; i < registers; i++)
        inst->addresses[inst->address_count++] = (uint8_t)(reg + i);
    return reg + registers <= 256;
}

/* A ray has no modifiers but a16; its resource has 4 dwords, which other instructions say by r128. */
static bool has_ray_strays(const struct wl_word_job *job) {
    static const struct {
        uint32_t mask, value, second; /* of the first word; bits of the second that must be 0 */
    } fixed[] = {{0x0203fff8, 0x00009f00, 0x83e00000}, {0x0002fffc, 0x00008f80, 0x7c600000}, {0x03c00037, 0x03c00010, 0x00fc0000}};
    const unsigned generation = job->d->generation - 10;

    return (job->w[0] & fixed[generation].mask) != fixed[generation].value || job->w[1] & fixed[generation].second;
}

/* The address registers one by one (gfx10), or part by part. */
static bool read_ray_list(struct wl_word_job *job, const struct image_fields *f, const uint8_t *parts, unsigned count, unsigned total) {
    const bool single = job->d->generation == 10, newest = job->d->generation >= 12;
    const unsigned fields = single ? total : count;

    if (!newest) {
        job->size += 4 * (single ? f->list : 1);
        if (job->available < job->size || (single && f->list != (total + 2) / 4))
            return false;
    } else if (count < 5 && job->w[1] >> 24)
        return false;
    for (unsigned i = 0; i < fields; i++) {
        const unsigned reg = i == 0 ? f->vaddr : newest ? i == 4 ? job->w[1] >> 24 : bits_at(job, 64 + 8 * i, 8) : job->bytes[8 + i - 1];

        if (!add_address(job->inst, reg, single ? 1 : parts[i]))
            return false;
    }
    return wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), f->vaddr, single ? 1 : parts[0], false);
}

static bool read_ray(struct wl_word_job *job, const struct image_fields *f) {
    static const struct wl_word_place resource = {.file = WL_FILE_S, .registers = 4};
    uint8_t parts[5];
    const unsigned count = wl_ray_parts(job, f->a16, parts);
    unsigned total = 0;

    for (unsigned i = 0; i < count; i++)
        total += parts[i];
    job->inst->a16 = f->a16;
    if (has_ray_strays(job))
        return false;
    if (!wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), f->vdata, is_newer_ray(job) ? 10 : 4, false))
        return false;
    if (f->list || job->d->generation >= 12 ? !read_ray_list(job, f, parts, count, total)
                                            : !wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), f->vaddr, total, false))
        return false;
    return wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), f->srsrc, &resource);
}

static bool samples(const struct wl_word_job *job) {
    const uint32_t kind = WL_IMAGE_KIND_OF(job->inst->isa->image);
    return kind == WL_IMAGE_SAMPLE || kind == WL_IMAGE_GATHER || kind == WL_IMAGE_LOD;
}

/* The address registers of the instruction for its smallest image, or its largest one. */
static unsigned count_addresses(const struct wl_word_job *job, bool most) {
    struct wl_inst inst = *job->inst;
    unsigned count = 0;

    inst.a16 = !most;
    inst.has_dim = true;
    for (unsigned dim = 0; dim < (samples(job) ? 6u : 8u); dim++) { /* the last two have samples of their own */
        inst.dim = (uint8_t)dim;
        const unsigned needed = wl_image_address_count(&inst, job->d->generation);
        count = !dim || (most && needed > count) ? needed : count;
    }
    if (!most && job->inst->isa->image & WL_IMAGE_GRADIENT)
        count--; /* both in one register */
    return count;
}

/* Fields that the instruction has no use for. */
static bool has_strays(const struct wl_word_job *job, const struct image_fields *f) {
    const uint32_t image = job->inst->isa->image, kind = WL_IMAGE_KIND_OF(image);
    const unsigned last = job->w[2] >> 24, count = wl_image_address_count(job->inst, job->d->generation);

    if (f->d16 && (job->inst->isa->atomic || kind == WL_IMAGE_LOD || kind == WL_IMAGE_RESINFO || image & WL_IMAGE_RAW))
        return true;
    switch (job->d->generation) {
    case 9: /* an address that no image would have */
        return f->vaddr + count_addresses(job, false) > 256;
    case 10: /* more registers than any image needs */
        return f->list > 1 && count_addresses(job, true) < 4 * f->list - 2;
    case 11:
        return false;
    default: /* the fifth register, the fourth, or those that follow it */
        if (job->entry->row->encoding == WL_ENC_MIMG)
            return job->w[1] >> 24;
        return (last && count_addresses(job, true) < 4) || (count > 4 && last + count - 4 > 255);
    }
}

static bool read_image(struct wl_word_job *job) {
    static const struct wl_word_place resource = {.file = WL_FILE_S, .registers = 8}, sampler = {.file = WL_FILE_S, .registers = 4};
    const bool newest = job->d->generation >= 12;
    struct image_fields f;

    job->size = newest ? 12 : 8;
    if (job->words * 4 < job->size)
        return false;
    const unsigned kind = WL_IMAGE_KIND_OF(job->inst->isa->image);
    newest ? read_fields12(job, &f) : read_fields(job, &f);
    if (kind == WL_IMAGE_BVH)
        return read_ray(job, &f);
    set_modifiers(job, &f);
    if (has_strays(job, &f))
        return false;
    if (!wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), f.vdata, data_registers(job, &f), f.acc))
        return false;
    if (job->d->generation == 9 || newest) {
        if (!wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), f.vaddr, 1, false))
            return false;
    } else if (!read_addresses(job, &f, wl_image_address_count(job->inst, job->d->generation)))
        return false;
    if (!wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), f.srsrc, &resource))
        return false;
    if (!samples(job) && f.ssamp)
        return false;
    if (samples(job) && !wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), f.ssamp, &sampler))
        return false;
    wl_decode_image_addresses(job->inst, job->d->generation, job->w[1], job->w[2]);
    if (job->for_text && job->d->generation == 9)
        job->inst->operands[1].count = (uint8_t)count_addresses(job, false);
    return true;
}

bool wl_decode_image(struct wl_word_job *job) {
    struct wl_inst *inst = job->inst;
    const bool implemented = inst->isa && inst->isa->class == WL_ISA_IMAGE;

    if (!implemented)
        inst->isa = find_bare(job->entry->row->name);
    if (!inst->isa || !read_image(job))
        return false;
    if (!implemented && !job->for_text)
        inst->isa = NULL;
    return true;
}

/* ---- tensors ---- */

/* Four groups of scalar registers that describe a tensor and the part of it; the last two may be left out, both together. */
bool wl_decode_tensor(struct wl_word_job *job) {
    enum { NONE = 124 };
    const struct wl_word_shape *shape = &job->entry->shape;
    const uint32_t first = job->w[0], second = job->w[1], third = job->w[2];
    const bool both = third >> 16 == (NONE << 8 | NONE);

    job->size = 12;
    if (job->words < 3 || (first & 7) != 1 || first >> 5 & 3 || (first >> 22 & 15) != 1 || second & 0xff || second >> 9 & 0x1ff ||
        second >> 23 != NONE << 1)
        return false;
    for (unsigned i = 0; i < shape->count; i++)
        if (!(both && i >= 2) && !wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR),
                                                 third >> 8 * (shape->places[i].role - WL_AT_GROUP0) & 0xff, &shape->places[i]))
            return false;
    job->inst->r128 = first >> 4 & 1;
    return true;
}
