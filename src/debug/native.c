/* The file about native code: one symbol, the code generator's call frames, and a line table. */
#include "debug/file.h"

#include <dwarf.h>

enum { OPCODES = 10, FIRST_FILE = 1 }; /* of the line table: the first number that is no standard opcode; the file that it begins with */

/* The length of "FILE:LINE" without the line; 0: there is none. */
static size_t file_length(const char *place) {
    const char *colon = strrchr(place, ':');
    return colon ? (size_t)(colon - place) : 0;
}

static bool same_file(const char *a, const char *b) { return file_length(a) == file_length(b) && memcmp(a, b, file_length(a)) == 0; }

/* The numbers of all rows' files, from FIRST_FILE on in the order in which files come, and the names of files in that order. NULL: no
 * memory. */
static unsigned *number_files(const struct wl_debug_native *native, struct wl_bytes *names) {
    unsigned *numbers = malloc(native->row_count * sizeof *numbers), count = 0;
    const char **files = (const char **)malloc(native->row_count * sizeof *files);
    for (size_t i = 0; numbers && files && i < native->row_count; i++) {
        const char *place = native->rows[i].place;
        unsigned file = 0;
        while (file < count && !same_file(files[file], place))
            file++;
        numbers[i] = file + FIRST_FILE;
        if (file < count)
            continue;
        files[count++] = place;
        wl_bytes_add(names, place, file_length(place));
        wl_bytes_number(names, 0, 4); /* the name's end, no folder, no time, no size */
    }
    if (!files) {
        free(numbers);
        numbers = NULL;
    }
    free((void *)files);
    return numbers;
}

static void set_address(struct wl_bytes *out, uint64_t address) {
    wl_bytes_number(out, 0, 1);
    wl_bytes_uleb(out, 9);
    wl_bytes_number(out, DW_LNE_set_address, 1);
    wl_bytes_number(out, address, 8);
}

/* No row is a statement: a debugger shows the lines, and sets no breakpoints at them. Those belong to the shadows (frame.h). */
static void add_lines(struct wl_bytes *out, const struct wl_debug_native *native) {
    static const uint8_t header[] = {1,       1, /* bytes an instruction, operations */
                                     0,          /* statements */
                                     1,       1, /* line base and range, of which nothing is used */
                                     OPCODES, 0, 1, 1, 1, 1, 0, 0, 0, 1, 0 /* operands of opcodes 1 to 9; no folders */};
    wl_bytes_number(out, 0, 4);
    wl_bytes_number(out, 4, 2);
    wl_bytes_number(out, 0, 4);
    const size_t begin = out->size;
    wl_bytes_add(out, header, sizeof header);
    unsigned *numbers = number_files(native, out);
    out->bad |= !numbers;
    wl_bytes_number(out, 0, 1);
    const size_t program = out->size;
    int64_t line = 1;
    unsigned file = FIRST_FILE;
    for (size_t i = 0; numbers && i < native->row_count; i++) {
        const struct wl_debug_native_row *row = &native->rows[i];
        const int64_t next = strtol(row->place + file_length(row->place) + 1, NULL, 10);
        if (numbers[i] != file) {
            wl_bytes_number(out, DW_LNS_set_file, 1);
            wl_bytes_uleb(out, numbers[i]);
        }
        set_address(out, row->address);
        wl_bytes_number(out, DW_LNS_advance_line, 1);
        wl_bytes_sleb(out, next - line);
        wl_bytes_number(out, DW_LNS_copy, 1);
        line = next;
        file = numbers[i];
        if (i + 1 < native->row_count && native->rows[i + 1].address == row->end)
            continue;
        set_address(out, row->end);
        wl_bytes_number(out, 0, 1);
        wl_bytes_uleb(out, 1);
        wl_bytes_number(out, DW_LNE_end_sequence, 1);
        line = 1;
        file = FIRST_FILE;
    }
    free(numbers);
    if (out->bad)
        return;
    const uint32_t length = (uint32_t)out->size - 4, header_length = (uint32_t)(program - begin);
    memcpy(out->data, &length, sizeof length);
    memcpy(out->data + 6, &header_length, sizeof header_length);
}

static void add_unit(struct wl_bytes *abbrev, struct wl_bytes *out, const struct wl_debug_native *native) {
    static const uint8_t attributes[] = {1,
                                         DW_TAG_compile_unit,
                                         0,
                                         DW_AT_language,
                                         DW_FORM_data1,
                                         DW_AT_stmt_list,
                                         DW_FORM_sec_offset,
                                         DW_AT_low_pc,
                                         DW_FORM_addr,
                                         DW_AT_high_pc,
                                         DW_FORM_data8,
                                         DW_AT_name,
                                         DW_FORM_string,
                                         0,
                                         0,
                                         0};
    wl_bytes_add(abbrev, attributes, sizeof attributes);
    wl_bytes_number(out, 0, 4);
    wl_bytes_number(out, 4, 2);
    wl_bytes_number(out, 0, 4);
    wl_bytes_number(out, 8, 1);
    wl_bytes_number(out, 1, 1);
    wl_bytes_number(out, DW_LANG_C_plus_plus, 1);
    wl_bytes_number(out, 0, 4);
    wl_bytes_number(out, native->address, 8);
    wl_bytes_number(out, native->size, 8);
    wl_bytes_add(out, native->rows[0].place, file_length(native->rows[0].place));
    wl_bytes_number(out, 0, 1);
    const uint32_t length = (uint32_t)out->size - 4;
    if (!out->bad)
        memcpy(out->data, &length, sizeof length);
}

enum wl_status wl_debug_native_object(const struct wl_debug_native *native, uint8_t **bytes, size_t *size) {
    struct wl_debug_file file = {0};
    struct wl_debug_symbols symbols = {0};
    struct wl_bytes frames = {0}, abbrev = {0}, unit = {0}, lines = {0};
    wl_debug_file_begin(&file, native->address, native->size);
    wl_debug_symbols_add(&symbols, native->name, native->address, native->size);
    wl_debug_symbols_finish(&symbols, &file);
    wl_bytes_add(&frames, native->frames, native->frame_size);
    wl_debug_file_section(&file, ".debug_frame", SHT_PROGBITS, &frames);
    if (native->row_count) {
        add_unit(&abbrev, &unit, native);
        add_lines(&lines, native);
        wl_debug_file_section(&file, ".debug_abbrev", SHT_PROGBITS, &abbrev);
        wl_debug_file_section(&file, ".debug_info", SHT_PROGBITS, &unit);
        wl_debug_file_section(&file, ".debug_line", SHT_PROGBITS, &lines);
    }
    wl_debug_file_finish(&file);
    free(frames.data);
    free(abbrev.data);
    free(unit.data);
    free(lines.data);
    free(file.names.data);
    if (file.bytes.bad) {
        free(file.bytes.data);
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a debugger's tables");
    }
    *bytes = file.bytes.data;
    *size = file.bytes.size;
    return WL_OK;
}
