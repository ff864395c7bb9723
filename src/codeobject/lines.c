/* Source lines from the ELF's DWARF, through libdw.
 *
 * Lines are wanted in reports and listings only, so libdw is opened when the first one is asked for. Without it, or
 * with damaged tables, there simply are no lines. */
#include "base/array.h"
#include "codeobject/dwarf.h"
#include "codeobject/internal.h"

#include <stdio.h>
#include <stdlib.h>

struct row {
    uint64_t address;
    const char *file; /* libdw's, NULL at the end of a sequence */
    int line;
};

struct wl_lines {
    Elf *elf;
    Dwarf *dwarf;
    struct row *rows; /* sorted by address */
    size_t count, capacity;
};

static bool add_row(struct wl_lines *lines, struct row row) {
    if (!WL_ARRAY_RESERVE(lines->rows, lines->count, lines->capacity, 1024))
        return false;
    lines->rows[lines->count++] = row;
    return true;
}

static int compare_rows(const void *a, const void *b) {
    const struct row *x = a, *y = b;
    if (x->address != y->address)
        return x->address < y->address ? -1 : 1;
    if (!x->file != !y->file) /* the end of one sequence before the start of the next */
        return x->file ? 1 : -1;
    return 0;
}

static void read_unit(const struct wl_dwarf *dw, struct wl_lines *lines, Dwarf_Die *die) {
    Dwarf_Lines *table;
    size_t count;
    if (dw->getsrclines(die, &table, &count) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        Dwarf_Line *line = dw->onesrcline(table, i);
        Dwarf_Addr address;
        struct row row = {0};
        bool end = false;
        if (!line || dw->lineaddr(line, &address) != 0)
            continue;
        row.address = address;
        dw->lineendsequence(line, &end);
        if (!end && dw->lineno(line, &row.line) == 0 && row.line > 0)
            row.file = dw->linesrc(line, NULL, NULL);
        if (!end && !row.file)
            continue; /* line 0: the compiler's own code; it belongs to the line before */
        if (!add_row(lines, row))
            return;
    }
}

static void read_lines(const struct wl_codeobject *object, struct wl_lines *lines) {
    const struct wl_dwarf *dw = wl_dwarf();
    if (!dw)
        return;
    lines->elf = dw->elf_memory((char *)object->bytes, object->elf.size);
    lines->dwarf = lines->elf ? dw->begin_elf(lines->elf, DWARF_C_READ, NULL) : NULL;
    if (!lines->dwarf)
        return;
    Dwarf_Off offset = 0, next;
    size_t header;
    while (dw->nextcu(lines->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
        Dwarf_Die die;
        if (dw->offdie(lines->dwarf, offset + header, &die))
            read_unit(dw, lines, &die);
        offset = next;
    }
    if (lines->count)
        qsort(lines->rows, lines->count, sizeof *lines->rows, compare_rows);
}

void wl_lines_close(struct wl_lines *lines) {
    if (!lines)
        return;
    if (lines->dwarf)
        wl_dwarf()->end(lines->dwarf);
    if (lines->elf)
        wl_dwarf()->elf_end(lines->elf);
    free(lines->rows);
    free(lines);
}

static const struct row *find_row(const struct wl_lines *lines, uint64_t address) {
    size_t low = 0, high = lines->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (lines->rows[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low && lines->rows[low - 1].file ? &lines->rows[low - 1] : NULL;
}

/* Of the code object, read when they are first asked for; NULL: there is no memory. The lock is held. */
static const struct wl_lines *lines_of(const struct wl_codeobject *object) {
    struct wl_codeobject *changing = (struct wl_codeobject *)object;
    if (!changing->lines && (changing->lines = calloc(1, sizeof *changing->lines)))
        read_lines(object, changing->lines);
    return changing->lines;
}

bool wl_codeobject_source_line(const struct wl_codeobject *object, uint64_t address, char *text, size_t size) {
    /* The lock and what it guards are the only parts of a code object that change after opening. */
    struct wl_codeobject *changing = (struct wl_codeobject *)object;
    if (!wl_codeobject_is_code(object, address, 1))
        return false;
    pthread_mutex_lock(&changing->lines_lock);
    const struct wl_lines *lines = lines_of(object);
    const struct row *row = lines ? find_row(lines, address) : NULL;
    if (row)
        snprintf(text, size, "%s:%d", row->file, row->line);
    pthread_mutex_unlock(&changing->lines_lock);
    return row != NULL;
}

static unsigned find_calls(const struct wl_lines *lines, uint64_t address, struct wl_inlined *calls, unsigned most) {
    const struct wl_dwarf *dw = wl_dwarf();
    Dwarf_Off offset = 0, next;
    size_t header;
    while (lines->dwarf && dw->nextcu(lines->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0 && next > offset) {
        Dwarf_Die die;
        if (dw->offdie(lines->dwarf, offset + header, &die) && dw->haspc(&die, address) > 0)
            return wl_dwarf_inlined(&die, address, calls, most);
        offset = next;
    }
    return 0;
}

bool wl_codeobject_inlined_at(const struct wl_codeobject *object, uint64_t address, unsigned depth, char *text, size_t size) {
    struct wl_codeobject *changing = (struct wl_codeobject *)object;
    struct wl_inlined calls[WL_MOST_INLINED];
    pthread_mutex_lock(&changing->lines_lock);
    const struct wl_lines *lines = lines_of(object);
    unsigned count = lines && depth < WL_MOST_INLINED ? find_calls(lines, address, calls, depth + 1) : 0;
    bool known = count > depth && calls[depth].file && calls[depth].line > 0;
    if (known)
        snprintf(text, size, "%s:%d", calls[depth].file, calls[depth].line);
    pthread_mutex_unlock(&changing->lines_lock);
    return known;
}
