/* The checked ELF reader: nothing here trusts an offset, a size or a count of the file. */
#include "codeobject/internal.h"

#include <stdlib.h>

#define SYMBOLS_MAX (UINT64_C(1) << 24)

enum wl_status wl_elf_open(struct wl_elf *elf, const void *data, size_t size) {
    if (size < sizeof elf->header)
        return wl_fail(WL_INVALID_IMAGE, "the ELF has %zu bytes, fewer than its header", size);
    *elf = (struct wl_elf){.data = data, .size = size};
    memcpy(&elf->header, data, sizeof elf->header);
    Elf64_Ehdr *header = &elf->header;
    if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0)
        return wl_fail(WL_INVALID_IMAGE, "no ELF magic");
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB)
        return wl_fail(WL_INVALID_IMAGE, "the ELF is not a 64-bit little-endian one");
    if (header->e_phnum &&
        (header->e_phentsize != sizeof(Elf64_Phdr) || !wl_within(header->e_phoff, (uint64_t)header->e_phnum * sizeof(Elf64_Phdr), size)))
        return wl_fail(WL_INVALID_IMAGE, "the ELF's program headers lie outside the file");
    if (header->e_shoff == 0)
        header->e_shnum = 0; /* stripped of its section headers: fine */
    if (header->e_shnum &&
        (header->e_shentsize != sizeof(Elf64_Shdr) || !wl_within(header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr), size)))
        return wl_fail(WL_INVALID_IMAGE, "the ELF's section headers lie outside the file");
    return WL_OK;
}

Elf64_Phdr wl_elf_segment(const struct wl_elf *elf, unsigned index) {
    Elf64_Phdr header;
    memcpy(&header, elf->data + elf->header.e_phoff + index * sizeof header, sizeof header);
    return header;
}

Elf64_Shdr wl_elf_section(const struct wl_elf *elf, unsigned index) {
    Elf64_Shdr header;
    memcpy(&header, elf->data + elf->header.e_shoff + index * sizeof header, sizeof header);
    return header;
}

bool wl_elf_find_section(const struct wl_elf *elf, const char *name, const uint8_t **data, uint64_t *size) {
    if (elf->header.e_shstrndx >= elf->header.e_shnum)
        return false;
    Elf64_Shdr names = wl_elf_section(elf, elf->header.e_shstrndx);
    size_t length = strlen(name) + 1;
    if (!wl_within(names.sh_offset, names.sh_size, elf->size))
        return false;
    for (unsigned i = 0; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section = wl_elf_section(elf, i);
        if (!wl_within(section.sh_name, length, names.sh_size) || memcmp(elf->data + names.sh_offset + section.sh_name, name, length) != 0)
            continue;
        if (section.sh_type == SHT_NOBITS || !wl_within(section.sh_offset, section.sh_size, elf->size))
            return false;
        *data = elf->data + section.sh_offset;
        *size = section.sh_size;
        return true;
    }
    return false;
}

static bool reach(uint64_t offset, uint64_t length, uint64_t *extent) {
    if (length > UINT64_C(1) << 40 || offset > UINT64_C(1) << 40)
        return false;
    if (length && offset + length > *extent)
        *extent = offset + length;
    return true;
}

uint64_t wl_elf_extent(const void *data) {
    const uint8_t *bytes = data;
    Elf64_Ehdr header;
    if (!wl_pages_mapped(bytes, sizeof header))
        return 0;
    memcpy(&header, bytes, sizeof header);
    uint64_t extent = sizeof header;
    uint64_t segments = (uint64_t)header.e_phnum * sizeof(Elf64_Phdr),
             sections = header.e_shoff ? (uint64_t)header.e_shnum * sizeof(Elf64_Shdr) : 0;
    if (!reach(header.e_phoff, segments, &extent) || !reach(header.e_shoff, sections, &extent) || !wl_pages_mapped(bytes, extent))
        return 0;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        memcpy(&segment, bytes + header.e_phoff + i * sizeof segment, sizeof segment);
        if (!reach(segment.p_offset, segment.p_filesz, &extent))
            return 0;
    }
    for (unsigned i = 0; sections && i < header.e_shnum; i++) {
        Elf64_Shdr section;
        memcpy(&section, bytes + header.e_shoff + i * sizeof section, sizeof section);
        if (section.sh_type != SHT_NOBITS && section.sh_type != SHT_NULL && !reach(section.sh_offset, section.sh_size, &extent))
            return 0;
    }
    return wl_pages_mapped(bytes, extent) ? extent : 0;
}

const uint8_t *wl_elf_from(const struct wl_elf *elf, uint64_t address, uint64_t *size) {
    for (unsigned i = 0; i < elf->header.e_phnum; i++) {
        Elf64_Phdr segment = wl_elf_segment(elf, i);
        if (segment.p_type != PT_LOAD || address < segment.p_vaddr || address - segment.p_vaddr >= segment.p_filesz ||
            !wl_within(segment.p_offset, segment.p_filesz, elf->size))
            continue;
        *size = segment.p_filesz - (address - segment.p_vaddr);
        return elf->data + segment.p_offset + (address - segment.p_vaddr);
    }
    return NULL;
}

const uint8_t *wl_elf_at(const struct wl_elf *elf, uint64_t address, uint64_t size) {
    uint64_t left;
    const uint8_t *data = wl_elf_from(elf, address, &left);
    return data && size <= left ? data : NULL;
}

enum wl_status wl_elf_dynamic(const struct wl_elf *elf, struct wl_dynamic *dynamic) {
    memset(dynamic, 0, sizeof *dynamic);
    Elf64_Phdr segment = {0};
    for (unsigned i = 0; i < elf->header.e_phnum && segment.p_type != PT_DYNAMIC; i++)
        segment = wl_elf_segment(elf, i);
    if (segment.p_type != PT_DYNAMIC)
        return WL_OK;
    if (!wl_within(segment.p_offset, segment.p_filesz, elf->size))
        return wl_fail(WL_INVALID_IMAGE, "the dynamic section lies outside the file");

    const struct {
        int64_t tag;
        uint64_t *value;
    } fields[] = {
        {DT_SYMTAB, &dynamic->symtab},      {DT_STRTAB, &dynamic->strtab},          {DT_STRSZ, &dynamic->strsz},
        {DT_HASH, &dynamic->hash},          {DT_GNU_HASH, &dynamic->gnu_hash},      {DT_RELA, &dynamic->rela},
        {DT_RELASZ, &dynamic->relasz},      {DT_JMPREL, &dynamic->jmprel},          {DT_PLTRELSZ, &dynamic->pltrelsz},
        {36 /* DT_RELR */, &dynamic->relr}, {35 /* DT_RELRSZ */, &dynamic->relrsz},
    };
    for (uint64_t at = 0; at + sizeof(Elf64_Dyn) <= segment.p_filesz; at += sizeof(Elf64_Dyn)) {
        Elf64_Dyn entry;
        memcpy(&entry, elf->data + segment.p_offset + at, sizeof entry);
        if (entry.d_tag == DT_NULL)
            break;
        if ((entry.d_tag == DT_RELAENT && entry.d_un.d_val != sizeof(Elf64_Rela)) ||
            (entry.d_tag == DT_SYMENT && entry.d_un.d_val != sizeof(Elf64_Sym)))
            return wl_fail(WL_INVALID_IMAGE, "the dynamic section has entries of an unknown size");
        for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
            if (entry.d_tag == fields[i].tag)
                *fields[i].value = entry.d_un.d_val;
    }
    return WL_OK;
}

/* One symbol table: `count` entries at `table`, names in `strings`. */
struct symbol_table {
    const uint8_t *table, *strings;
    uint64_t count, strings_size;
};

static enum wl_status section_table(const struct wl_elf *elf, uint32_t type, struct symbol_table *table) {
    memset(table, 0, sizeof *table);
    for (unsigned i = 0; i < elf->header.e_shnum; i++) {
        Elf64_Shdr section = wl_elf_section(elf, i);
        if (section.sh_type != type)
            continue;
        if (section.sh_entsize != sizeof(Elf64_Sym) || section.sh_link >= elf->header.e_shnum ||
            !wl_within(section.sh_offset, section.sh_size, elf->size))
            return wl_fail(WL_INVALID_IMAGE, "symbol table in section %u is damaged", i);
        Elf64_Shdr strings = wl_elf_section(elf, section.sh_link);
        if (strings.sh_type != SHT_STRTAB || !wl_within(strings.sh_offset, strings.sh_size, elf->size))
            return wl_fail(WL_INVALID_IMAGE, "string table in section %u is damaged", section.sh_link);
        *table = (struct symbol_table){elf->data + section.sh_offset, elf->data + strings.sh_offset, section.sh_size / sizeof(Elf64_Sym),
                                       strings.sh_size};
        break;
    }
    return WL_OK;
}

/* The number of symbols as DT_HASH or DT_GNU_HASH imply it. */
static bool count_hashed_symbols(const struct wl_elf *elf, const struct wl_dynamic *dynamic, uint64_t *count) {
    const uint8_t *hash;
    uint64_t size;
    if (dynamic->hash && (hash = wl_elf_at(elf, dynamic->hash, 8))) {
        *count = wl_read32(hash + 4);
        return true;
    }
    if (!dynamic->gnu_hash || !(hash = wl_elf_from(elf, dynamic->gnu_hash, &size)) || size < 16)
        return false;
    /* Header {buckets, first symbol, bloom words, shift}, bloom words, buckets, chains: the last chain's end is the last symbol. */
    uint64_t buckets = wl_read32(hash), first = wl_read32(hash + 4), bloom = wl_read32(hash + 8);
    uint64_t buckets_at = 16 + bloom * 8, chains_at = buckets_at + buckets * 4, last = 0;
    if (chains_at > size)
        return false;
    for (uint64_t i = 0; i < buckets; i++) {
        uint32_t start = wl_read32(hash + buckets_at + i * 4);
        last = start > last ? start : last;
    }
    if (last < first) {
        *count = first;
        return true;
    }
    for (;; last++) {
        uint64_t at = chains_at + (last - first) * 4;
        if (!wl_within(at, 4, size))
            return false;
        if (wl_read32(hash + at) & 1)
            break;
    }
    *count = last + 1;
    return true;
}

/* .dynsym of an ELF without section headers, found through PT_DYNAMIC. */
static enum wl_status dynamic_table(const struct wl_elf *elf, struct symbol_table *table) {
    memset(table, 0, sizeof *table);
    struct wl_dynamic dynamic;
    enum wl_status status = wl_elf_dynamic(elf, &dynamic);
    if (status || !dynamic.symtab)
        return status;
    uint64_t count;
    if (!count_hashed_symbols(elf, &dynamic, &count) || count > SYMBOLS_MAX)
        return wl_fail(WL_INVALID_IMAGE, "the dynamic symbols' hash table is damaged");
    table->table = wl_elf_at(elf, dynamic.symtab, count * sizeof(Elf64_Sym));
    table->strings = wl_elf_at(elf, dynamic.strtab, dynamic.strsz);
    table->count = count;
    table->strings_size = dynamic.strsz;
    if (!table->table || !table->strings)
        return wl_fail(WL_INVALID_IMAGE, "the dynamic symbols lie outside the file");
    return WL_OK;
}

static enum wl_status append_symbols(const struct symbol_table *table, struct wl_elf_symbol *symbols) {
    if (table->strings_size && table->strings[table->strings_size - 1] != 0)
        return wl_fail(WL_INVALID_IMAGE, "a string table has no end");
    for (uint64_t i = 0; i < table->count; i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, table->table + i * sizeof symbol, sizeof symbol);
        if (symbol.st_name >= table->strings_size && symbol.st_name != 0)
            return wl_fail(WL_INVALID_IMAGE, "symbol %llu has a name outside the string table", (unsigned long long)i);
        symbols[i] = (struct wl_elf_symbol){
            .name = table->strings_size ? (const char *)table->strings + symbol.st_name : "",
            .value = symbol.st_value,
            .size = symbol.st_size,
            .type = ELF64_ST_TYPE(symbol.st_info),
            .binding = ELF64_ST_BIND(symbol.st_info),
            .section = symbol.st_shndx,
        };
    }
    return WL_OK;
}

enum wl_status wl_elf_symbols(const struct wl_elf *elf, struct wl_elf_symbol **symbols, size_t *count, size_t *dynamic) {
    struct symbol_table dynsym, symtab;
    enum wl_status status = section_table(elf, SHT_DYNSYM, &dynsym);
    if (!status && !dynsym.table)
        status = dynamic_table(elf, &dynsym);
    if (!status)
        status = section_table(elf, SHT_SYMTAB, &symtab);
    if (status)
        return status;
    uint64_t total = dynsym.count + symtab.count;
    if (total > SYMBOLS_MAX)
        return wl_fail(WL_INVALID_IMAGE, "the ELF says it has %llu symbols", (unsigned long long)total);

    struct wl_elf_symbol *array = calloc(total + 1, sizeof *array);
    if (!array)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %llu symbols", (unsigned long long)total);
    status = append_symbols(&dynsym, array);
    if (!status)
        status = append_symbols(&symtab, array + dynsym.count);
    if (status) {
        free(array);
        return status;
    }
    *symbols = array;
    *count = total;
    *dynamic = dynsym.count;
    return WL_OK;
}
