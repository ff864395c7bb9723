/* HSA: the architecture that the program's own images are for. A HIP program tells it by registering its code; an OpenMP program keeps its
 * images in the section .llvm.offloading of its file (LLVM's OffloadBinary format), and chooses devices that they fit. */
#include "hsa/hsa.h"

#include "codeobject/codeobject.h"

#include <elf.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>

struct file {
    const uint8_t *data;
    size_t size;
};

/* Bytes [offset, offset + size) of a file; NULL: it does not have them. */
static const void *part(const struct file *file, uint64_t offset, uint64_t size) {
    return offset <= file->size && size <= file->size - offset ? file->data + offset : NULL;
}

struct offload_binary {
    uint32_t magic, version;
    uint64_t size, entry_offset, entry_size;
};
struct offload_entry {
    uint16_t image_kind, offload_kind;
    uint32_t flags;
    uint64_t string_offset, string_count, image_offset, image_size;
};
enum { OFFLOAD_MAGIC_LE = (int)0xad10ff10 };

/* The value of a key among an entry's strings; NULL: none. */
static const char *string_of(const struct file *binary, const struct offload_entry *entry, const char *key) {
    for (uint64_t i = 0; i < entry->string_count && i < 64; i++) {
        uint64_t pair[2];
        const void *at = part(binary, entry->string_offset + i * sizeof pair, sizeof pair);
        if (!at)
            return NULL;
        memcpy(pair, at, sizeof pair);
        const char *name = part(binary, pair[0], 1), *value = part(binary, pair[1], 1);
        if (!name || !value || !memchr(name, 0, binary->size - pair[0]) || !memchr(value, 0, binary->size - pair[1]))
            return NULL;
        if (strcmp(name, key) == 0)
            return value;
    }
    return NULL;
}

static bool target_of(const struct file *section, struct wl_target *target) {
    struct offload_binary header;
    struct offload_entry entry;
    for (uint64_t at = 0; section->size - at >= sizeof header; at += (header.size + 7) & ~UINT64_C(7)) {
        memcpy(&header, section->data + at, sizeof header);
        if (header.magic != (uint32_t)OFFLOAD_MAGIC_LE || header.size < sizeof header || header.size > section->size - at)
            return false;
        const struct file binary = {section->data + at, header.size};
        const void *first = part(&binary, header.entry_offset, sizeof entry);
        if (!first)
            return false;
        memcpy(&entry, first, sizeof entry);
        const char *triple = string_of(&binary, &entry, "triple"), *arch = string_of(&binary, &entry, "arch");
        if (triple && arch && strncmp(triple, "amdgcn", 6) == 0 && wl_target_parse(target, arch) == WL_OK)
            return true;
        if (header.size > section->size - at - sizeof header)
            break;
    }
    return false;
}

static bool search(const struct file *file, struct wl_target *target) {
    const Elf64_Ehdr *elf = part(file, 0, sizeof *elf);
    if (!elf || memcmp(elf->e_ident, ELFMAG, SELFMAG) != 0 || elf->e_ident[EI_CLASS] != ELFCLASS64 ||
        elf->e_shentsize != sizeof(Elf64_Shdr))
        return false;
    const Elf64_Shdr *sections = part(file, elf->e_shoff, (uint64_t)elf->e_shnum * sizeof *sections);
    if (!sections || elf->e_shstrndx >= elf->e_shnum)
        return false;
    const Elf64_Shdr *names = &sections[elf->e_shstrndx];
    for (unsigned i = 0; i < elf->e_shnum; i++) {
        static const char wanted[] = ".llvm.offloading";
        const char *name = sections[i].sh_name < names->sh_size ? part(file, names->sh_offset + sections[i].sh_name, sizeof wanted) : NULL;
        const void *data = name && memcmp(name, wanted, sizeof wanted) == 0 ? part(file, sections[i].sh_offset, sections[i].sh_size) : NULL;
        if (data && target_of(&(struct file){data, sections[i].sh_size}, target))
            return true;
    }
    return false;
}

static int look(struct dl_phdr_info *info, size_t size, void *data) {
    struct wl_file mapped;
    (void)size;
    if (info->dlpi_name[0] && !strchr(info->dlpi_name, '/'))
        return 0; /* the kernel's */
    if (wl_file_map(&mapped, info->dlpi_name[0] ? info->dlpi_name : "/proc/self/exe") != WL_OK)
        return 0;
    const bool found = search(&(struct file){mapped.data, mapped.size}, data);
    wl_file_unmap(&mapped);
    return found;
}

void wl_hsa_find_images(void) {
    struct wl_target target;
    if (dl_iterate_phdr(look, &target))
        wl_core.suggest_target(&target);
}
