/* Vector memory: LDS, flat, buffers. */
#include "translate/decode/words/engine.h"

#include <string.h>

static int32_t sign_extend(uint32_t bits, unsigned width) { return (int32_t)(bits << (32 - width)) >> (32 - width); }

static bool read_data(struct wl_word_job *job, const struct wl_word_place *place, unsigned reg, bool acc, unsigned more) {
    acc = acc && place->file == WL_FILE_G && job->d->has_acc;
    const bool read = wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), reg, place->registers + more, acc);
    if (job->d->has_wide)
        wl_set_bank(job, place->role);
    return read;
}

/* ---- LDS ---- */

static bool read_lds_place(struct wl_word_job *job, const struct wl_word_place *place) {
    const uint32_t second = job->w[1];
    const bool acc = job->w[0] >> 25 & 1;

    switch ((enum wl_field)place->role) {
    case WL_AT_VDST:
        return read_data(job, place, second >> 24, acc, 0);
    case WL_AT_ADDR:
        return read_data(job, place, second & 0xff, false, 0);
    case WL_AT_DATA0: /* ds_gws_*: in the address' place */
        return read_data(
            job, place, job->entry->shape.modifiers & WL_MOD_GDS && !job->inst->operand_count ? second & 0xff : second >> 8 & 0xff, acc, 0);
    case WL_AT_DATA1:
        return read_data(job, place, second >> 16 & 0xff, acc, 0);
    default:
        return false;
    }
}

/* Whether a bit chooses between VGPRs and AGPRs. */
static bool takes_either(const struct wl_word_shape *shape) {
    for (unsigned i = 0; i < shape->count; i++)
        if (shape->places[i].file == WL_FILE_G)
            return true;
    return false;
}

/* Fields without an operand must be 0. */
static bool has_lds_strays(const struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;
    uint32_t used = 0;

    for (unsigned i = 0; i < shape->count; i++)
        switch ((enum wl_field)shape->places[i].role) {
        case WL_AT_VDST:
            used |= 0xff000000;
            break;
        case WL_AT_ADDR:
            used |= 0xff;
            break;
        case WL_AT_DATA0:
            used |= shape->modifiers & WL_MOD_GDS && !i ? 0xff : 0xff00;
            break;
        case WL_AT_DATA1:
            used |= 0xff0000;
            break;
        default:
            break;
        }
    if (job->d->generation == 9 && job->w[0] >> 25 & 1 && !takes_either(shape))
        return true;
    return job->w[1] & ~used || (!(shape->modifiers & (WL_MOD_OFFSET | WL_MOD_OFFSETS)) && job->w[0] & 0xffff);
}

bool wl_decode_lds(struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const unsigned gds = job->d->generation == 9 ? 16 : 17;
    struct wl_inst *inst = job->inst;

    job->size = 8;
    if (job->words < 2 || has_lds_strays(job) || (job->d->generation >= 12 && job->w[0] >> 17 & 1))
        return false;
    for (unsigned i = 0; i < shape->count; i++)
        if (!read_lds_place(job, &shape->places[i]))
            return false;
    if (shape->modifiers & WL_MOD_OFFSETS) {
        inst->offset0 = (int32_t)(job->w[0] & 0xff);
        inst->offset1 = (int32_t)(job->w[0] >> 8 & 0xff);
    } else
        inst->offset0 = (int32_t)(job->w[0] & 0xffff);
    inst->gds = job->d->generation < 12 && job->w[0] >> gds & 1;
    if (inst->gds && shape->modifiers & WL_MOD_NO_GDS)
        return false;
    return !(shape->modifiers & WL_MOD_GDS) || inst->gds || job->d->generation >= 12;
}

/* ---- cache policy ---- */

struct policy_bits {
    uint8_t glc, slc, dlc, scc;
};

static bool bit_of(const struct wl_word_job *job, unsigned at) { return at && job->w[at / 32] >> at % 32 & 1; }

static void read_policy(struct wl_word_job *job, struct policy_bits at) {
    struct wl_inst *inst = job->inst;

    if (job->d->target & WL_GFX9_4) {
        inst->sc0 = bit_of(job, at.glc);
        inst->nt = bit_of(job, at.slc);
        inst->sc1 = bit_of(job, at.scc);
        return;
    }
    inst->glc = bit_of(job, at.glc);
    inst->slc = bit_of(job, at.slc);
    inst->dlc = job->d->generation >= 10 && bit_of(job, at.dlc);
    inst->scc_bit = job->d->target == WL_T90A && bit_of(job, at.scc);
}

/* gfx12: hints and a scope. Of the hints, that an atomic returns something is all that counts. */
static void read_scope(struct wl_word_job *job) {
    const unsigned scope = job->w[1] >> 18 & 3, hint = job->w[1] >> 20 & 7;

    job->inst->dlc = scope != 0;
    job->inst->sc1 = scope >= 2;
    if (job->entry->atomic)
        job->inst->returns = hint & 1 && !(hint & 4);
}

/* ---- flat ---- */

struct flat_fields {
    unsigned vaddr, vdata, vdst, saddr;
    bool lds, sve, acc, returns;
    int32_t offset;
    bool none, off; /* saddr: no register */
};

static void read_flat_fields(struct wl_word_job *job, bool flat, struct flat_fields *f) {
    const uint32_t first = job->w[0], second = job->w[1], third = job->w[2];
    const unsigned generation = job->d->generation;

    memset(f, 0, sizeof *f);
    if (generation >= 12) {
        f->saddr = first & 0x7f;
        f->vdst = second & 0xff;
        f->vdata = second >> 23 & 0xff;
        f->vaddr = third & 0xff;
        f->sve = second >> 17 & 1;
        f->returns = second >> 20 & 1;
        f->offset = sign_extend(third >> 8, 24);
        f->none = f->saddr == 124;
        read_scope(job);
        return;
    }
    f->vaddr = second & 0xff;
    f->vdata = second >> 8 & 0xff;
    f->saddr = second >> 16 & 0x7f;
    f->vdst = second >> 24;
    if (generation == 9) {
        f->lds = first >> 13 & 1;
        f->sve = f->lds && job->d->target & WL_GFX9_4;
        f->acc = second >> 23 & 1;
        f->offset = flat ? (int32_t)(first & 0x1fff) : sign_extend(first & 0x1fff, 13);
        f->none = f->saddr == 127;
        read_policy(job, (struct policy_bits){16, 17, 0, 25});
    } else if (generation == 10) {
        f->lds = first >> 13 & 1;
        f->offset = flat ? (int32_t)(first & 0xfff) : sign_extend(first & 0xfff, 12);
        f->none = f->saddr == 125;
        f->off = f->saddr == 127;
        read_policy(job, (struct policy_bits){16, 17, 12, 0});
    } else {
        f->sve = second >> 23 & 1;
        f->offset = flat ? (int32_t)(first & 0x1fff) : sign_extend(first & 0x1fff, 13);
        f->none = f->saddr == 124;
        read_policy(job, (struct policy_bits){14, 15, 13, 0});
    }
    f->returns = job->inst->glc || job->inst->sc0;
}

static bool read_saddr(struct wl_word_job *job, const struct flat_fields *f, unsigned registers) {
    const struct wl_word_place place = {.registers = (uint8_t)registers, .file = WL_FILE_S, .no_exec_hi = registers == 1};
    return wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), f->saddr, &place);
}

static bool by_lane(const struct wl_word_job *job) { return job->entry->isa && job->entry->isa->by_lane; }

static void set_off(struct wl_word_job *job) { wl_word_operand(job, WL_OPERAND_OFF)->count = 0; }

static bool read_vaddr(struct wl_word_job *job, const struct flat_fields *f, unsigned registers) {
    const bool read = wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), f->vaddr, registers, false);
    if (job->d->has_wide)
        wl_set_bank(job, WL_AT_ADDR);
    return read;
}

/* What stands for vaddr: a register, nothing ("off"), or, where lanes have places of their own, not even that. */
static bool read_scratch_vaddr(struct wl_word_job *job, const struct flat_fields *f) {
    const bool both = job->d->target & WL_GFX9_4 || job->d->generation >= 11; /* an address may have both, or none */

    if (both ? f->sve : f->none)
        return read_vaddr(job, f, 1);
    if (!both && f->off && !f->lds && job->d->target != WL_T1030)
        return false;
    set_off(job);
    return true;
}

static bool read_flat_vaddr(struct wl_word_job *job, const struct flat_fields *f) {
    switch (job->entry->row->encoding) {
    case WL_ENC_FLAT:
        if (job->d->has_wide && !f->none)
            return read_vaddr(job, f, 1);
        return (job->d->generation == 9 ? f->saddr == 0 : f->none) && read_vaddr(job, f, 2);
    case WL_ENC_SCRATCH:
        return read_scratch_vaddr(job, f);
    default:
        return by_lane(job) || read_vaddr(job, f, f->none ? 2 : 1);
    }
}

static bool read_flat_saddr(struct wl_word_job *job, const struct flat_fields *f) {
    const enum wl_encoding encoding = (enum wl_encoding)job->entry->row->encoding;

    if (encoding == WL_ENC_FLAT && (f->none || !job->d->has_wide))
        return true;
    if (!f->none && !f->off)
        return read_saddr(job, f, encoding == WL_ENC_SCRATCH ? 1 : 2);
    set_off(job);
    return true;
}

/* Bits that mean something to other instructions. */
static bool has_flat_strays(const struct wl_word_job *job, const struct flat_fields *f) {
    const bool scratch = job->entry->row->encoding == WL_ENC_SCRATCH;

    switch (job->d->generation) {
    case 10:
        return job->w[1] >> 23 & 1 || (f->off && job->entry->row->encoding == WL_ENC_GLOBAL);
    case 11:
        return f->sve && !scratch;
    case 12:
        return (f->sve && !scratch) || (!job->entry->shape.count && !f->none);
    default:
        return false;
    }
}

bool wl_decode_flat(struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const uint16_t forms = job->entry->row->forms;
    struct flat_fields f;
    bool addressed = false;

    job->size = job->d->generation >= 12 ? 12 : 8;
    if (job->words * 4 < job->size)
        return false;
    read_flat_fields(job, job->entry->row->encoding == WL_ENC_FLAT, &f);
    if (f.lds && !(f.sve && job->entry->row->encoding == WL_ENC_SCRATCH) && !(forms & WL_LDS))
        return false;
    if (f.acc && ((f.lds && forms & WL_LDS) || job->entry->lds))
        return false; /* LDS takes no AGPR */
    if (has_flat_strays(job, &f))
        return false;
    for (unsigned i = 0; i < shape->count; i++) {
        const struct wl_word_place *place = &shape->places[i];
        bool read = true;

        if (place->role == WL_AT_ADDR)
            read = read_flat_vaddr(job, &f), addressed = true;
        else if (place->role == WL_AT_SADDR)
            read = read_saddr(job, &f, place->registers);
        else if (place->role == WL_AT_VDATA)
            read = read_data(job, place, f.vdata, f.acc, 0);
        else if (!(f.lds && forms & WL_LDS) && (!(forms & WL_RETURNS) || f.returns))
            read = read_data(job, place, f.vdst, f.acc, 0);
        if (!read)
            return false;
    }
    if ((addressed && !read_flat_saddr(job, &f)) || (shape->modifiers & WL_MOD_NO_SCC && job->w[0] >> 25 & 1) ||
        (shape->modifiers & WL_MOD_NO_GLC && job->inst->glc))
        return false;
    job->inst->lds |= f.lds && forms & WL_LDS;
    if (shape->count)
        job->inst->offset0 = f.offset;
    job->inst->scale_offset = job->d->has_wide && job->w[1] >> 16 & 1;
    return true;
}

/* ---- buffers ---- */

struct buffer_fields {
    unsigned vdata, vaddr, srsrc, soffset;
    bool offen, idxen, lds, tfe, acc;
    int32_t offset;
};

static void read_buffer_fields12(struct wl_word_job *job, struct buffer_fields *f) {
    const uint32_t first = job->w[0], second = job->w[1], third = job->w[2];

    f->soffset = first & 0x7f;
    f->tfe = first >> 22 & 1;
    f->vdata = second & 0xff;
    f->srsrc = second >> 9 & 0x7f;
    f->offen = second >> 30 & 1;
    f->idxen = second >> 31;
    f->vaddr = third & 0xff;
    f->offset = sign_extend(third >> 8, 24);
    read_scope(job);
}

static void read_buffer_fields(struct wl_word_job *job, bool typed, struct buffer_fields *f) {
    const uint32_t first = job->w[0], second = job->w[1];

    memset(f, 0, sizeof *f);
    if (job->d->generation >= 12) {
        read_buffer_fields12(job, f);
        return;
    }
    f->offset = (int32_t)(first & 0xfff);
    f->vaddr = second & 0xff;
    f->vdata = second >> 8 & 0xff;
    f->srsrc = (second >> 16 & 0x1f) * 4;
    f->soffset = second >> 24;
    if (job->d->generation == 11) {
        f->tfe = second >> 21 & 1;
        f->offen = second >> 22 & 1;
        f->idxen = second >> 23 & 1;
        read_policy(job, (struct policy_bits){14, 12, 13, 0});
        return;
    }
    f->offen = first >> 12 & 1;
    f->idxen = first >> 13 & 1;
    f->lds = !typed && first >> 16 & 1;
    f->acc = job->d->has_acc && second >> 23 & 1;
    f->tfe = !job->d->has_acc && second >> 23 & 1;
    if (job->d->generation == 10)
        read_policy(job, (struct policy_bits){14, 54, 15, 0});
    else
        read_policy(job, typed ? (struct policy_bits){14, 54, 0, 53} : (struct policy_bits){14, 17, 0, 15});
}

static bool read_buffer_address(struct wl_word_job *job, const struct buffer_fields *f) {
    static const struct wl_word_place resource = {.file = WL_FILE_S, .registers = 4};
    static const struct wl_word_place constant = {.file = WL_FILE_CONST, .registers = 1, .format = WL_FORMAT_I32};
    const unsigned registers = f->offen + f->idxen;

    if (!registers)
        set_off(job);
    else if (!wl_read_vector(job, wl_word_operand(job, WL_OPERAND_VGPR), f->vaddr, registers, false))
        return false;
    if (job->d->has_wide)
        wl_set_bank(job, WL_AT_ADDR);
    job->inst->offen = f->offen;
    job->inst->idxen = f->idxen;
    return wl_read_scalar(job, wl_word_operand(job, WL_OPERAND_SGPR), f->srsrc, &resource) &&
           wl_read_source(job, wl_word_operand(job, WL_OPERAND_SGPR), f->soffset, &constant);
}

static bool has_buffer_strays(const struct wl_word_job *job, const struct buffer_fields *f, bool typed) {
    if (job->d->generation == 10)
        return !typed && job->inst->dlc && job->entry->atomic;
    return job->d->generation >= 12 && (job->w[1] >> 16 & 3 || f->offset < 0);
}

/* The forms of the row that the bits ask for. */
static bool has_buffer_form(const struct wl_word_job *job, const struct buffer_fields *f) {
    const uint16_t forms = job->entry->row->forms;

    if (f->lds)
        return forms & WL_LDS && !f->tfe && !f->acc && (forms & WL_ALONE || (!f->offen && !f->idxen));
    return f->tfe ? forms & WL_TFE : forms & WL_ALONE;
}

/* Cache instructions have no address, and some of them no policy. */
static bool is_bare(const struct wl_word_job *job, const struct buffer_fields *f) {
    const char *name = job->entry->row->name;
    const bool policy = strcmp(name, "buffer_wbl2") == 0 || strcmp(name, "buffer_inv") == 0;
    return !f->offen && !f->idxen && !f->lds && !f->tfe && !f->acc && (policy || !(job->w[0] >> (job->d->generation == 11 ? 13 : 14) & 3));
}

bool wl_decode_buffer(struct wl_word_job *job) {
    const struct wl_word_shape *shape = &job->entry->shape;
    const bool typed = job->entry->row->encoding == WL_ENC_MTBUF;
    struct wl_inst *inst = job->inst;
    struct buffer_fields f;

    job->size = job->d->generation >= 12 ? 12 : 8;
    if (job->words * 4 < job->size)
        return false;
    read_buffer_fields(job, typed, &f);
    if (shape->count == 0)
        return is_bare(job, &f);
    if (has_buffer_strays(job, &f, typed) || !has_buffer_form(job, &f) || (shape->modifiers & WL_MOD_NO_SCC && job->w[0] >> 15 & 1) ||
        (shape->modifiers & WL_MOD_NO_GLC && inst->glc))
        return false;
    for (unsigned i = 0; i < shape->count; i++) {
        const struct wl_word_place *place = &shape->places[i];

        if (place->role == WL_AT_ADDR ? !read_buffer_address(job, &f) : !f.lds && !read_data(job, place, f.vdata, f.acc, f.tfe ? 1 : 0))
            return false;
        if (place->role == WL_AT_VDATA && job->d->has_wide)
            wl_set_bank(job, WL_AT_VDST); /* loaded or stored */
    }
    inst->lds |= f.lds;
    inst->tfe = f.tfe;
    inst->offset0 = f.offset;
    return true;
}
