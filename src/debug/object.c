/* The file for gdb's JIT interface. Its code is not in it: the shadows are in memory. */
#include "debug/bytes.h"
#include "debug/file.h"
#include "debug/frame.h"

#include <dwarf.h>
#include <elf.h>

static const char *const section_names[WL_DEBUG_SECTIONS] = {
    [WL_DEBUG_ABBREV] = ".debug_abbrev",     [WL_DEBUG_INFO] = ".debug_info",         [WL_DEBUG_LINE] = ".debug_line",
    [WL_DEBUG_LINE_STR] = ".debug_line_str", [WL_DEBUG_STR] = ".debug_str",           [WL_DEBUG_STR_OFFSETS] = ".debug_str_offsets",
    [WL_DEBUG_ADDR] = ".debug_addr",         [WL_DEBUG_RANGES] = ".debug_ranges",     [WL_DEBUG_RNGLISTS] = ".debug_rnglists",
    [WL_DEBUG_LOC] = ".debug_loc",           [WL_DEBUG_LOCLISTS] = ".debug_loclists",
};

/* ---- the code object's file ------------------------------------------------------------------------ */

/* A section of a code object that has been opened: its headers are within the file. An empty one: there is none, or it is compressed. */
static struct wl_span find_section(const uint8_t *elf, size_t size, const char *name) {
    Elf64_Ehdr header;
    Elf64_Shdr section, names;
    memcpy(&header, elf, sizeof header);
    if (header.e_shoff > size || header.e_shentsize != sizeof section || header.e_shnum > (size - header.e_shoff) / sizeof section ||
        header.e_shstrndx >= header.e_shnum)
        return (struct wl_span){NULL, 0};
    memcpy(&names, elf + header.e_shoff + header.e_shstrndx * sizeof names, sizeof names);
    for (unsigned i = 1; i < header.e_shnum; i++) {
        memcpy(&section, elf + header.e_shoff + i * sizeof section, sizeof section);
        if (names.sh_offset > size || section.sh_name >= size - names.sh_offset || section.sh_type != SHT_PROGBITS ||
            section.sh_flags & SHF_COMPRESSED || section.sh_offset > size || section.sh_size > size - section.sh_offset)
            continue;
        const char *found = (const char *)elf + names.sh_offset + section.sh_name;
        if (strnlen(found, size - names.sh_offset - section.sh_name) == strlen(name) && memcmp(found, name, strlen(name)) == 0)
            return (struct wl_span){elf + section.sh_offset, section.sh_size};
    }
    return (struct wl_span){NULL, 0};
}

/* ---- functions ------------------------------------------------------------------------------------- */

struct function {
    uint64_t begin, end;
    const char *name;
    bool kernel;
};

static int compare_functions(const void *a, const void *b) {
    const struct function *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    return (int)y->kernel - (int)x->kernel;
}

/* All functions, in the order of their addresses: each goes on to the next one. NULL: no memory, or none. */
static struct function *list_functions(const struct wl_codeobject *object, size_t *count) {
    const size_t kernels = wl_codeobject_kernel_count(object), others = wl_codeobject_function_count(object);
    struct function *list = calloc(kernels + others + 1, sizeof *list);
    *count = 0;
    if (!list)
        return NULL;
    for (size_t i = 0; i < kernels; i++) {
        const struct wl_kernel *kernel = wl_codeobject_kernel(object, i);
        list[(*count)++] = (struct function){kernel->start, 0, kernel->name, true};
    }
    for (size_t i = 0; i < others; i++) {
        const struct wl_function *function = wl_codeobject_function(object, i);
        list[(*count)++] = (struct function){function->address, 0, function->name, false};
    }
    qsort(list, *count, sizeof *list, compare_functions);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++)
        if (!kept || list[kept - 1].begin != list[i].begin)
            list[kept++] = list[i];
    *count = kept;
    uint64_t begin, end;
    wl_debug_code(object, &begin, &end);
    for (size_t i = 0; i < kept; i++)
        list[i].end = i + 1 < kept ? list[i + 1].begin : list[i].begin < end ? end : list[i].begin;
    return list;
}

void wl_debug_code(const struct wl_codeobject *object, uint64_t *begin, uint64_t *end) {
    size_t size;
    const uint8_t *elf = wl_codeobject_elf(object, &size);
    Elf64_Ehdr header;
    Elf64_Phdr segment;
    memcpy(&header, elf, sizeof header);
    *begin = UINT64_MAX;
    *end = 0;
    for (unsigned i = 0; i < header.e_phnum; i++) {
        memcpy(&segment, elf + header.e_phoff + i * sizeof segment, sizeof segment);
        if (segment.p_type != PT_LOAD || !(segment.p_flags & PF_X) || segment.p_memsz == 0)
            continue;
        if (segment.p_vaddr < *begin)
            *begin = segment.p_vaddr;
        if (segment.p_vaddr + segment.p_memsz > *end)
            *end = segment.p_vaddr + segment.p_memsz;
    }
    if (*begin > *end)
        *begin = *end;
}

/* ---- call frames ------------------------------------------------------------------------------------ */

static void rule(struct wl_bytes *out, unsigned reg, size_t offset) {
    wl_bytes_number(out, DW_CFA_offset | reg, 1);
    wl_bytes_uleb(out, offset / 8);
}

#define RULE(out, reg, member) rule(out, reg, offsetof(struct wl_debug_frame, member))

/* Fills the room for a length that `at` has, and pads. */
static void finish_entry(struct wl_bytes *out, size_t at) {
    while (out->size % 8)
        wl_bytes_number(out, DW_CFA_nop, 1);
    const uint32_t length = (uint32_t)(out->size - at - 4);
    if (!out->bad)
        memcpy(out->data + at, &length, sizeof length);
}

/* in_front or behind of the frame, as the PC says. */
static void add_cfa(struct wl_bytes *out) {
    struct wl_bytes expression = {0};
    wl_bytes_number(&expression, DW_OP_breg0 + WL_DEBUG_RETURN, 1);
    wl_bytes_sleb(&expression, 0);
    wl_bytes_number(&expression, DW_OP_lit2, 1);
    wl_bytes_number(&expression, DW_OP_and, 1);
    wl_bytes_number(&expression, DW_OP_lit2, 1);
    wl_bytes_number(&expression, DW_OP_shl, 1);
    wl_bytes_number(&expression, DW_OP_breg0 + WL_DEBUG_FRAME_REGISTER, 1);
    wl_bytes_sleb(&expression, offsetof(struct wl_debug_frame, in_front));
    wl_bytes_number(&expression, DW_OP_plus, 1);
    wl_bytes_number(&expression, DW_OP_deref, 1);
    wl_bytes_number(out, DW_CFA_def_cfa_expression, 1);
    wl_bytes_uleb(out, expression.size);
    wl_bytes_add(out, expression.data, expression.size);
    out->bad |= expression.bad;
    free(expression.data);
}

/* What all functions of a kind have in common. */
static void add_common(struct wl_bytes *out, bool kernel) {
    const size_t at = out->size;
    wl_bytes_number(out, 0, 4);
    wl_bytes_number(out, UINT32_MAX, 4);
    wl_bytes_number(out, 4, 1); /* version */
    wl_bytes_number(out, 0, 1); /* augmentation */
    wl_bytes_number(out, 8, 1);
    wl_bytes_number(out, 0, 1);
    wl_bytes_uleb(out, 1);
    wl_bytes_sleb(out, 8);
    wl_bytes_uleb(out, WL_DEBUG_RETURN);
    add_cfa(out);
    RULE(out, WL_DEBUG_FRAME_REGISTER, caller);
    RULE(out, WL_DEBUG_RETURN, return_address);
    if (kernel) {
        RULE(out, WL_DEBUG_RSP, rsp);
        RULE(out, WL_DEBUG_RBX, rbx);
        RULE(out, WL_DEBUG_RBP, rbp);
        RULE(out, WL_DEBUG_R13, r13);
        RULE(out, WL_DEBUG_R14, r14);
        RULE(out, WL_DEBUG_R15, r15);
    } else {
        wl_bytes_number(out, DW_CFA_same_value, 1);
        wl_bytes_uleb(out, WL_DEBUG_RSP);
    }
    finish_entry(out, at);
}

static void add_frames(struct wl_bytes *out, const struct function *functions, size_t count, uint64_t base) {
    size_t common[2];
    for (int kernel = 0; kernel < 2; kernel++) {
        common[kernel] = out->size;
        add_common(out, kernel);
    }
    for (size_t i = 0; i < count; i++) {
        const size_t at = out->size;
        wl_bytes_number(out, 0, 4);
        wl_bytes_number(out, common[functions[i].kernel], 4);
        wl_bytes_number(out, functions[i].begin + base, 8);
        wl_bytes_number(out, functions[i].end - functions[i].begin, 8);
        finish_entry(out, at);
    }
}

/* ---- tables of addresses ------------------------------------------------------------------------------ */

static void move_addresses(struct wl_debug_dwarf *dwarf) {
    struct wl_bytes *out = &dwarf->out[WL_DEBUG_ADDR];
    struct wl_reader in = wl_reader_at(dwarf->in[WL_DEBUG_ADDR], 0);
    while (wl_reader_left(&in) >= 8) { /* tables, each with a header */
        const uint64_t length = wl_reader_number(&in, 4);
        wl_bytes_number(out, length, 4);
        wl_bytes_number(out, wl_reader_number(&in, 4), 4);
        for (uint64_t left = length >= 4 ? (length - 4) / 8 : 0; left && wl_reader_left(&in) >= 8; left--)
            wl_bytes_number(out, wl_reader_number(&in, 8) + dwarf->request->code, 8);
    }
}

/* A line table's program, from `in` on: addresses move. */
static void move_program(struct wl_reader *in, uint8_t *copy, const uint8_t *lengths, unsigned opcode_base, uint64_t base) {
    while (wl_reader_left(in)) {
        const uint64_t code = wl_reader_number(in, 1);
        if (code == 0) {
            const uint64_t length = wl_reader_uleb(in), at = in->at;
            if (wl_reader_number(in, 1) == DW_LNE_set_address && length == 9) {
                const uint64_t address = wl_reader_number(in, 8) + base;
                if (!in->bad)
                    memcpy(copy + at + 1, &address, 8);
            }
            if (in->bad || length > in->span.size - at)
                return;
            in->at = at + length;
        } else if (code == DW_LNS_fixed_advance_pc) {
            wl_reader_number(in, 2);
        } else if (code < opcode_base) {
            for (unsigned i = 0; i < lengths[code - 1]; i++)
                wl_reader_uleb(in);
        }
    }
}

static void move_lines(struct wl_debug_dwarf *dwarf) {
    const struct wl_span lines = dwarf->in[WL_DEBUG_LINE];
    struct wl_bytes *out = &dwarf->out[WL_DEBUG_LINE];
    struct wl_reader in = wl_reader_at(lines, 0);
    wl_bytes_add(out, lines.data, lines.size);
    while (!out->bad && wl_reader_left(&in) > 4) {
        const uint64_t length = wl_reader_number(&in, 4), end = in.at + length;
        if (length > wl_reader_left(&in))
            return;
        struct wl_reader table = wl_reader_at((struct wl_span){lines.data, end}, in.at);
        in.at = end;
        const uint64_t version = wl_reader_number(&table, 2);
        if (version >= 5)
            wl_reader_number(&table, 2);
        const uint64_t header = wl_reader_number(&table, 4), program = table.at + header;
        wl_reader_skip(&table, version >= 4 ? 5 : 4);
        const unsigned opcode_base = (unsigned)wl_reader_number(&table, 1);
        const uint8_t *lengths = opcode_base ? wl_reader_skip(&table, opcode_base - 1) : NULL;
        if (version < 2 || version > 5 || !lengths || table.bad || program > end)
            continue;
        table.at = program;
        move_program(&table, out->data, lengths, opcode_base, dwarf->request->code);
    }
}

static enum wl_status move_dwarf(struct wl_debug_dwarf *dwarf) {
    static const enum wl_debug_section same[] = {WL_DEBUG_LINE_STR, WL_DEBUG_STR, WL_DEBUG_STR_OFFSETS, WL_DEBUG_RANGES, WL_DEBUG_RNGLISTS};
    size_t size;
    const uint8_t *elf = wl_codeobject_elf(dwarf->request->object, &size);
    for (int i = 0; i < WL_DEBUG_SECTIONS; i++)
        dwarf->in[i] = find_section(elf, size, section_names[i]);
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
        wl_bytes_add(&dwarf->out[same[i]], dwarf->in[same[i]].data, dwarf->in[same[i]].size);
    move_addresses(dwarf);
    move_lines(dwarf);
    return wl_debug_info(dwarf);
}

/* ---- the file ------------------------------------------------------------------------------------------ */

static void add_symbols(struct wl_debug_file *file, const struct function *functions, size_t count, uint64_t base) {
    struct wl_debug_symbols symbols = {0};
    for (size_t i = 0; i < count; i++)
        if (*functions[i].name)
            wl_debug_symbols_add(&symbols, functions[i].name, functions[i].begin + base, functions[i].end - functions[i].begin);
    wl_debug_symbols_finish(&symbols, file);
}

static void write_file(struct wl_debug_file *file, const struct wl_debug_request *request, const struct wl_debug_dwarf *dwarf,
                       const struct function *functions, size_t count) {
    uint64_t begin, end;
    struct wl_bytes frames = {0};
    wl_debug_code(request->object, &begin, &end);
    wl_debug_file_begin(file, begin + request->code, end - begin);
    add_symbols(file, functions, count, request->code);
    add_frames(&frames, functions, count, request->code);
    wl_debug_file_section(file, ".debug_frame", SHT_PROGBITS, &frames);
    for (int i = 0; i < WL_DEBUG_SECTIONS; i++)
        if (dwarf->out[i].size)
            wl_debug_file_section(file, section_names[i], SHT_PROGBITS, &dwarf->out[i]);
    wl_debug_file_finish(file);
    free(frames.data);
}

enum wl_status wl_debug_object(const struct wl_debug_request *request, bool without_dwarf, uint8_t **bytes, size_t *size) {
    struct wl_debug_dwarf dwarf = {.request = request};
    struct wl_debug_file file = {0};
    size_t count;
    struct function *functions = list_functions(request->object, &count);
    enum wl_status status = functions ? WL_OK : wl_fail(WL_OUT_OF_MEMORY, "no memory for a debugger's tables");
    if (status == WL_OK && !without_dwarf)
        status = move_dwarf(&dwarf);
    if (status == WL_OK) {
        wl_debug_builtins(&dwarf);
        write_file(&file, request, &dwarf, functions, count);
        if (file.bytes.bad)
            status = wl_fail(WL_OUT_OF_MEMORY, "no memory for a debugger's tables");
    }
    for (int i = 0; i < WL_DEBUG_SECTIONS; i++)
        free(dwarf.out[i].data);
    free(functions);
    free(file.names.data);
    if (status != WL_OK) {
        free(file.bytes.data);
        return status;
    }
    *bytes = file.bytes.data;
    *size = file.bytes.size;
    return WL_OK;
}
