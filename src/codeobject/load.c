/* Dynamic relocations, and the image as a device gets it. */
#include "codeobject/internal.h"

#include <stdlib.h>

enum { SHN_AMDGPU_LDS = 0xff00 };
#define RELOCATIONS_MAX (UINT64_C(1) << 26)

static const uint8_t widths[] = {
    /* bytes that a type writes; 0: none that a loader knows */
    [R_AMDGPU_ABS32_LO] = 4, [R_AMDGPU_ABS32_HI] = 4, [R_AMDGPU_ABS64] = 8,    [R_AMDGPU_REL32] = 4,      [R_AMDGPU_REL64] = 8,
    [R_AMDGPU_ABS32] = 4,    [R_AMDGPU_REL32_LO] = 4, [R_AMDGPU_REL32_HI] = 4, [R_AMDGPU_RELATIVE64] = 8,
};

static enum wl_status resolve(const struct wl_codeobject *object, const Elf64_Rela *rela, const struct wl_elf_symbol *symbols, size_t count,
                              struct wl_relocation *relocation) {
    uint64_t type = ELF64_R_TYPE(rela->r_info), index = ELF64_R_SYM(rela->r_info);
    if (type >= sizeof widths || widths[type] == 0)
        return wl_fail(WL_INVALID_IMAGE, "relocation of type %llu, which a loader does not know", (unsigned long long)type);
    if (!wl_codeobject_is_loaded(object, rela->r_offset, widths[type]))
        return wl_fail(WL_INVALID_IMAGE, "a relocation at 0x%llx is outside the segments", (unsigned long long)rela->r_offset);
    *relocation =
        (struct wl_relocation){.place = rela->r_offset, .value = (uint64_t)rela->r_addend, .type = (uint8_t)type, .relative = true};
    if (type == R_AMDGPU_RELATIVE64 || index == 0)
        return WL_OK;
    if (index >= count)
        return wl_fail(WL_INVALID_IMAGE, "a relocation refers to symbol %llu of %zu", (unsigned long long)index, count);

    const struct wl_elf_symbol *symbol = &symbols[index];
    relocation->relative = symbol->section != SHN_UNDEF && symbol->section < SHN_LORESERVE;
    if (symbol->section != SHN_UNDEF && symbol->section != SHN_AMDGPU_LDS)
        relocation->value += symbol->value;
    /* An undefined variable that is addressed with 32 bits is in LDS: dynamic LDS begins at 0 for a linker. */
    bool narrow = type == R_AMDGPU_ABS32_LO || type == R_AMDGPU_ABS32;
    if (symbol->section == SHN_UNDEF && symbol->binding != STB_WEAK && !narrow)
        relocation->undefined = symbol->name;
    return WL_OK;
}

static enum wl_status read_rela(struct wl_codeobject *object, uint64_t address, uint64_t size, const struct wl_elf_symbol *symbols,
                                size_t count) {
    if (size == 0)
        return WL_OK;
    const uint8_t *table = wl_elf_at(&object->elf, address, size);
    if (!table || size % sizeof(Elf64_Rela))
        return wl_fail(WL_INVALID_IMAGE, "the relocations lie outside the file");
    for (uint64_t at = 0; at < size; at += sizeof(Elf64_Rela)) {
        Elf64_Rela rela;
        memcpy(&rela, table + at, sizeof rela);
        if (ELF64_R_TYPE(rela.r_info) == R_AMDGPU_NONE)
            continue;
        enum wl_status status = resolve(object, &rela, symbols, count, &object->relocations[object->relocation_count]);
        if (status)
            return status;
        object->relocation_count++;
    }
    return WL_OK;
}

static enum wl_status add_relative(struct wl_codeobject *object, uint64_t place, uint64_t limit) {
    if (!wl_codeobject_is_loaded(object, place, 8) || object->relocation_count >= limit)
        return wl_fail(WL_INVALID_IMAGE, "a packed relocation at 0x%llx is outside the segments", (unsigned long long)place);
    object->relocations[object->relocation_count++] =
        (struct wl_relocation){.place = place, .value = wl_read64(object->image + place), .type = R_AMDGPU_RELATIVE64, .relative = true};
    return WL_OK;
}

/* The packed form: an even word is an address, an odd one a bitmap of the 63 words behind the last address. */
static enum wl_status read_relr(struct wl_codeobject *object, const uint8_t *table, uint64_t size, uint64_t limit) {
    uint64_t base = 0;
    for (uint64_t at = 0; at + 8 <= size; at += 8) {
        uint64_t word = wl_read64(table + at);
        enum wl_status status = WL_OK;
        if (!(word & 1)) {
            status = add_relative(object, word, limit);
            base = word + 8;
        } else {
            for (unsigned bit = 0; bit < 63 && !status; bit++)
                if (word >> (bit + 1) & 1)
                    status = add_relative(object, base + (uint64_t)bit * 8, limit);
            base += UINT64_C(63) * 8;
        }
        if (status)
            return status;
    }
    return WL_OK;
}

enum wl_status wl_relocations_read(struct wl_codeobject *object, const struct wl_elf_symbol *symbols, size_t count) {
    struct wl_dynamic dynamic;
    enum wl_status status = wl_elf_dynamic(&object->elf, &dynamic);
    if (status)
        return status;
    const uint8_t *packed = dynamic.relrsz ? wl_elf_at(&object->elf, dynamic.relr, dynamic.relrsz) : NULL;
    if ((dynamic.relrsz && !packed) || dynamic.relasz > object->elf.size || dynamic.pltrelsz > object->elf.size)
        return wl_fail(WL_INVALID_IMAGE, "the relocations lie outside the file");
    uint64_t limit = dynamic.relasz / sizeof(Elf64_Rela) + dynamic.pltrelsz / sizeof(Elf64_Rela) + dynamic.relrsz / 8 * 63;
    if (limit == 0)
        return WL_OK;
    object->relocations = limit > RELOCATIONS_MAX ? NULL : wl_arena_allocate(&object->arena, limit * sizeof *object->relocations);
    if (!object->relocations)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %llu relocations", (unsigned long long)limit);
    status = read_rela(object, dynamic.rela, dynamic.relasz, symbols, count);
    if (!status && (dynamic.jmprel < dynamic.rela || dynamic.jmprel >= dynamic.rela + dynamic.relasz)) /* it may be a part of the former */
        status = read_rela(object, dynamic.jmprel, dynamic.pltrelsz, symbols, count);
    if (!status && packed)
        status = read_relr(object, packed, dynamic.relrsz, limit);
    return status;
}

void wl_image_put(const struct wl_codeobject *object, uint8_t *target) {
    for (unsigned i = 0; i < object->elf.header.e_phnum; i++) {
        const Elf64_Phdr segment = wl_elf_segment(&object->elf, i);
        if (segment.p_type == PT_LOAD && segment.p_memsz)
            wl_backing_copy(&object->backing, target + segment.p_vaddr, object->bytes + segment.p_offset, segment.p_filesz);
    }
}

static enum wl_status check_symbols(const struct wl_codeobject *object) {
    for (size_t i = 0; i < object->relocation_count; i++)
        if (object->relocations[i].undefined)
            return wl_fail(WL_NOT_FOUND, "nothing defines symbol %s, which the code object needs", object->relocations[i].undefined);
    return WL_OK;
}

static void relocate(const struct wl_codeobject *object, uint8_t *target, uint64_t base) {
    for (size_t i = 0; i < object->relocation_count; i++) {
        const struct wl_relocation *relocation = &object->relocations[i];
        uint64_t value = relocation->value + (relocation->relative ? base : 0), place = base + relocation->place;
        switch (relocation->type) {
        case R_AMDGPU_REL32:
        case R_AMDGPU_REL32_LO:
        case R_AMDGPU_REL64:
            value -= place;
            break;
        case R_AMDGPU_REL32_HI:
            value = (value - place) >> 32;
            break;
        case R_AMDGPU_ABS32_HI:
            value >>= 32;
            break;
        default:
            break;
        }
        memcpy(target + relocation->place, &value, widths[relocation->type]); /* a little-endian host, as everywhere here */
    }
}

enum wl_status wl_codeobject_load(const struct wl_codeobject *object, void *target, uint64_t base) {
    const enum wl_status status = check_symbols(object);
    if (status != WL_OK)
        return status;
    memcpy(target, object->image, object->image_size);
    relocate(object, target, base);
    return WL_OK;
}

enum wl_status wl_codeobject_load_pages(const struct wl_codeobject *object, void *pages) {
    const enum wl_status status = check_symbols(object);
    if (status != WL_OK)
        return status;
    wl_image_put(object, pages);
    relocate(object, pages, (uint64_t)(uintptr_t)pages);
    return WL_OK;
}
