#include "debug/file.h"

enum { TEXT = 1, SYMBOL_NAMES = 2 }; /* numbers of sections */

Elf64_Shdr *wl_debug_file_section(struct wl_debug_file *file, const char *name, uint32_t type, const struct wl_bytes *contents) {
    Elf64_Shdr *section = &file->sections[file->count++];
    while (file->bytes.size % 8)
        wl_bytes_number(&file->bytes, 0, 1);
    *section = (Elf64_Shdr){.sh_name = (uint32_t)file->names.size, .sh_type = type, .sh_offset = file->bytes.size, .sh_addralign = 8};
    wl_bytes_add(&file->names, name, strlen(name) + 1);
    if (contents) {
        section->sh_size = contents->size;
        wl_bytes_add(&file->bytes, contents->data, contents->size);
        file->bytes.bad |= contents->bad;
    }
    return section;
}

void wl_debug_file_begin(struct wl_debug_file *file, uint64_t address, uint64_t size) {
    static const Elf64_Ehdr room;
    wl_bytes_add(&file->bytes, &room, sizeof room);
    wl_bytes_number(&file->names, 0, 1);
    file->count = TEXT;
    Elf64_Shdr *text = wl_debug_file_section(file, ".text", SHT_NOBITS, NULL);
    text->sh_flags = SHF_ALLOC | SHF_EXECINSTR;
    text->sh_addr = address;
    text->sh_size = size;
}

void wl_debug_file_finish(struct wl_debug_file *file) {
    const unsigned names = file->count;
    Elf64_Shdr *section = wl_debug_file_section(file, ".shstrtab", SHT_STRTAB, NULL); /* its own name is among the names */
    section->sh_size = file->names.size;
    wl_bytes_add(&file->bytes, file->names.data, file->names.size);
    while (file->bytes.size % 8)
        wl_bytes_number(&file->bytes, 0, 1);
    const Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT, ELFOSABI_NONE},
                               .e_type = ET_EXEC,
                               .e_machine = EM_X86_64,
                               .e_version = EV_CURRENT,
                               .e_shoff = file->bytes.size,
                               .e_ehsize = sizeof header,
                               .e_shentsize = sizeof(Elf64_Shdr),
                               .e_shnum = (uint16_t)file->count,
                               .e_shstrndx = (uint16_t)names};
    wl_bytes_add(&file->bytes, file->sections, file->count * sizeof *file->sections);
    file->bytes.bad |= file->names.bad;
    if (!file->bytes.bad)
        memcpy(file->bytes.data, &header, sizeof header);
}

void wl_debug_symbols_add(struct wl_debug_symbols *symbols, const char *name, uint64_t address, uint64_t size) {
    static const Elf64_Sym none;
    if (symbols->symbols.size == 0) {
        wl_bytes_add(&symbols->symbols, &none, sizeof none);
        wl_bytes_number(&symbols->names, 0, 1);
    }
    const Elf64_Sym symbol = {.st_name = (uint32_t)symbols->names.size,
                              .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                              .st_shndx = TEXT,
                              .st_value = address,
                              .st_size = size};
    wl_bytes_add(&symbols->symbols, &symbol, sizeof symbol);
    wl_bytes_add(&symbols->names, name, strlen(name) + 1);
}

void wl_debug_symbols_finish(struct wl_debug_symbols *symbols, struct wl_debug_file *file) {
    wl_debug_file_section(file, ".strtab", SHT_STRTAB, &symbols->names);
    Elf64_Shdr *section = wl_debug_file_section(file, ".symtab", SHT_SYMTAB, &symbols->symbols);
    section->sh_link = SYMBOL_NAMES;
    section->sh_info = 1;
    section->sh_entsize = sizeof(Elf64_Sym);
    free(symbols->symbols.data);
    free(symbols->names.data);
}
