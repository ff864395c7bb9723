/* The tree of entries, written anew: locations change their sizes, so that all places in it move. */
#include "base/array.h"
#include "debug/bytes.h"

#include <dwarf.h>

/* ---- declarations (.debug_abbrev) ---------------------------------------------------------------- */

struct attribute {
    uint32_t name, form;
};

struct declaration {
    uint64_t code, tag;
    uint32_t first, count; /* of its attributes */
};

/* The declarations of a unit. */
struct table {
    struct declaration *declarations;
    size_t count, capacity;
    struct attribute *attributes;
    size_t attribute_count, attribute_capacity;
};

/* What is done with an attribute. */
enum treatment { KEEP, LEAVE_OUT, EXPRESSION, LOCATION_LIST, REFERENCE, PRODUCER };

enum { CALL_SITE = 0x5f00, CALL_SITE_PARAMETER = 0x5f01 }; /* tags that no debugger knows */

static bool is_location(uint32_t name) {
    return name == DW_AT_location || name == DW_AT_frame_base || name == DW_AT_string_length || name == DW_AT_return_addr ||
           name == DW_AT_static_link || name == DW_AT_use_location || name == DW_AT_segment || name == DW_AT_vtable_elem_location;
}

static bool is_index_of_text(uint32_t form) { return form == DW_FORM_strx || (form >= DW_FORM_strx1 && form <= DW_FORM_strx4); }

static bool is_offset_of_text(uint32_t form) { return is_index_of_text(form) || form == DW_FORM_strp; }

static enum treatment treatment_of(const struct attribute *a) {
    if (a->name == DW_AT_loclists_base)
        return LEAVE_OUT;
    if (a->name == DW_AT_producer && is_offset_of_text(a->form))
        return PRODUCER;
    switch (a->form) {
    case DW_FORM_exprloc:
        return EXPRESSION;
    case DW_FORM_loclistx:
        return LOCATION_LIST;
    case DW_FORM_sec_offset:
        return is_location(a->name) ? LOCATION_LIST : KEEP;
    case DW_FORM_ref1:
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
    case DW_FORM_ref_addr:
        return REFERENCE;
    default:
        return KEEP;
    }
}

static uint32_t new_form(const struct attribute *a) {
    switch (treatment_of(a)) {
    case LOCATION_LIST:
        return DW_FORM_sec_offset;
    case REFERENCE:
        return a->form == DW_FORM_ref_addr ? DW_FORM_ref_addr : DW_FORM_ref4;
    case PRODUCER:
        return DW_FORM_strp;
    default:
        return a->form;
    }
}

/* Call sites have values in registers, which no debugger of the host can follow. */
static uint64_t new_tag(uint64_t tag) {
    return tag == DW_TAG_call_site || tag == DW_TAG_GNU_call_site                       ? CALL_SITE
           : tag == DW_TAG_call_site_parameter || tag == DW_TAG_GNU_call_site_parameter ? CALL_SITE_PARAMETER
                                                                                        : tag;
}

static void table_free(struct table *t) {
    free(t->declarations);
    free(t->attributes);
}

static int compare_declarations(const void *a, const void *b) {
    const struct declaration *x = a, *y = b;
    return (x->code > y->code) - (x->code < y->code);
}

/* Reads one declaration's attributes, and writes them. */
static bool read_attributes(struct wl_debug_dwarf *dwarf, struct wl_reader *in, struct table *t, struct declaration *d) {
    struct wl_bytes *out = &dwarf->out[WL_DEBUG_ABBREV];
    for (;;) {
        struct attribute a = {.name = (uint32_t)wl_reader_uleb(in)};
        a.form = (uint32_t)wl_reader_uleb(in);
        const bool implicit = a.form == DW_FORM_implicit_const;
        const int64_t value = implicit ? wl_reader_sleb(in) : 0;
        if (in->bad || (!a.name && !a.form))
            break;
        if (!WL_ARRAY_RESERVE(t->attributes, t->attribute_count, t->attribute_capacity, 256))
            return false;
        t->attributes[t->attribute_count++] = a;
        d->count++;
        if (treatment_of(&a) == LEAVE_OUT)
            continue;
        wl_bytes_uleb(out, a.name);
        wl_bytes_uleb(out, new_form(&a));
        if (implicit)
            wl_bytes_sleb(out, value);
    }
    wl_bytes_number(out, 0, 2);
    return !in->bad;
}

/* Reads the declarations at an offset, and writes them. */
static bool read_table(struct wl_debug_dwarf *dwarf, uint64_t offset, struct table *t) {
    struct wl_reader in = wl_reader_at(dwarf->in[WL_DEBUG_ABBREV], offset);
    struct wl_bytes *out = &dwarf->out[WL_DEBUG_ABBREV];
    for (uint64_t code; (code = wl_reader_uleb(&in)) != 0;) {
        struct declaration d = {.code = code, .first = (uint32_t)t->attribute_count};
        wl_bytes_uleb(out, code);
        d.tag = wl_reader_uleb(&in);
        wl_bytes_uleb(out, new_tag(d.tag));
        wl_bytes_number(out, wl_reader_number(&in, 1), 1);
        if (!read_attributes(dwarf, &in, t, &d) || !WL_ARRAY_RESERVE(t->declarations, t->count, t->capacity, 64))
            return false;
        t->declarations[t->count++] = d;
    }
    wl_bytes_number(out, 0, 1);
    if (t->count)
        qsort(t->declarations, t->count, sizeof *t->declarations, compare_declarations);
    return !in.bad;
}

static const struct declaration *find_declaration(const struct table *t, uint64_t code) {
    const struct declaration key = {.code = code};
    return t->count ? bsearch(&key, t->declarations, t->count, sizeof key, compare_declarations) : NULL;
}

/* ---- values -------------------------------------------------------------------------------------- */

/* Passes over a value whose form does not matter. False: there is no such form. */
static bool skip_value(struct wl_reader *in, uint32_t form, unsigned version) {
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const:
        break;
    case DW_FORM_data1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
    case DW_FORM_ref1:
        wl_reader_skip(in, 1);
        break;
    case DW_FORM_data2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
    case DW_FORM_ref2:
        wl_reader_skip(in, 2);
        break;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        wl_reader_skip(in, 3);
        break;
    case DW_FORM_data4:
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref4:
        wl_reader_skip(in, 4);
        break;
    case DW_FORM_ref_addr:
        wl_reader_skip(in, version >= 3 ? 4 : 8);
        break;
    case DW_FORM_data8:
    case DW_FORM_addr:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
        wl_reader_skip(in, 8);
        break;
    case DW_FORM_data16:
        wl_reader_skip(in, 16);
        break;
    case DW_FORM_udata:
    case DW_FORM_sdata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_ref_udata:
        wl_reader_uleb(in);
        break;
    case DW_FORM_string:
        wl_reader_text(in);
        break;
    case DW_FORM_block1:
        wl_reader_skip(in, wl_reader_number(in, 1));
        break;
    case DW_FORM_block2:
        wl_reader_skip(in, wl_reader_number(in, 2));
        break;
    case DW_FORM_block4:
        wl_reader_skip(in, wl_reader_number(in, 4));
        break;
    case DW_FORM_block:
    case DW_FORM_exprloc:
        wl_reader_skip(in, wl_reader_uleb(in));
        break;
    default:
        return false;
    }
    return !in->bad;
}

/* A number of a form that skip_value knows. */
static uint64_t number_of(struct wl_reader in, uint32_t form) {
    switch (form) {
    case DW_FORM_data1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
    case DW_FORM_ref1:
        return wl_reader_number(&in, 1);
    case DW_FORM_data2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
    case DW_FORM_ref2:
        return wl_reader_number(&in, 2);
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return wl_reader_number(&in, 3);
    case DW_FORM_data8:
    case DW_FORM_addr:
    case DW_FORM_ref8:
        return wl_reader_number(&in, 8);
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_ref_udata:
    case DW_FORM_udata:
        return wl_reader_uleb(&in);
    default:
        return wl_reader_number(&in, 4);
    }
}

bool wl_debug_indexed_address(const struct wl_debug_dwarf *dwarf, const struct wl_debug_unit *unit, uint64_t index, uint64_t *address) {
    const struct wl_span *addresses = &dwarf->in[WL_DEBUG_ADDR];
    if (unit->addr_base > addresses->size || index >= (addresses->size - unit->addr_base) / 8)
        return false;
    struct wl_reader in = wl_reader_at(*addresses, unit->addr_base + index * 8);
    *address = wl_reader_number(&in, 8);
    return !in.bad;
}

static void add_reference(struct wl_debug_dwarf *dwarf, struct wl_debug_reference reference) {
    if (WL_ARRAY_RESERVE(dwarf->references, dwarf->reference_count, dwarf->reference_capacity, 256))
        dwarf->references[dwarf->reference_count++] = reference;
    else
        dwarf->out[reference.section].bad = true;
}

/* ---- a unit -------------------------------------------------------------------------------------- */

struct writer {
    struct wl_debug_dwarf *dwarf;
    struct wl_debug_unit unit;
    struct table table;
    uint64_t new_start; /* of the unit in the new .debug_info */
    bool damaged;
};

/* Adds a translated expression, behind its length. */
static void add_expression(struct writer *w, enum wl_debug_section section, struct wl_span in, bool frame_base, unsigned length_size) {
    struct wl_bytes *out = &w->dwarf->out[section];
    struct wl_debug_expression expression;
    wl_debug_translate(w->dwarf, &w->unit, in, frame_base, &expression);
    if (length_size)
        wl_bytes_number(out, expression.bytes.size, length_size);
    else
        wl_bytes_uleb(out, expression.bytes.size);
    for (unsigned i = 0; i < expression.type_count; i++)
        add_reference(w->dwarf, (struct wl_debug_reference){.section = section,
                                                            .at = out->size + expression.types[i].at,
                                                            .entry = w->unit.start + expression.types[i].entry,
                                                            .unit = w->new_start,
                                                            .leb = true});
    wl_bytes_add(out, expression.bytes.data, expression.bytes.size);
    free(expression.bytes.data);
}

/* DWARF 5: one entry of a location list. All that have addresses become offsets from the shadow of 0. False: the list is at its end, or
 * damaged. */
static bool copy_list_entry(struct writer *w, struct wl_reader *in, uint64_t *base, bool frame_base) {
    struct wl_bytes *out = &w->dwarf->out[WL_DEBUG_LOCLISTS];
    const uint64_t kind = wl_reader_number(in, 1);
    uint64_t begin = 0, end = 0, index;
    bool known = true;
    switch (kind) {
    case DW_LLE_base_addressx:
        known = wl_debug_indexed_address(w->dwarf, &w->unit, wl_reader_uleb(in), base);
        return known && !in->bad;
    case DW_LLE_base_address:
        *base = wl_reader_number(in, 8);
        return !in->bad;
    case DW_LLE_startx_endx:
        known = wl_debug_indexed_address(w->dwarf, &w->unit, wl_reader_uleb(in), &begin);
        index = wl_reader_uleb(in);
        known = known && wl_debug_indexed_address(w->dwarf, &w->unit, index, &end);
        break;
    case DW_LLE_startx_length:
        known = wl_debug_indexed_address(w->dwarf, &w->unit, wl_reader_uleb(in), &begin);
        end = begin + wl_reader_uleb(in);
        break;
    case DW_LLE_offset_pair:
        begin = *base + wl_reader_uleb(in);
        end = *base + wl_reader_uleb(in);
        break;
    case DW_LLE_start_end:
        begin = wl_reader_number(in, 8);
        end = wl_reader_number(in, 8);
        break;
    case DW_LLE_start_length:
        begin = wl_reader_number(in, 8);
        end = begin + wl_reader_uleb(in);
        break;
    case DW_LLE_default_location:
        break;
    default:
        return false;
    }
    const uint64_t size = wl_reader_uleb(in);
    const uint8_t *bytes = wl_reader_skip(in, size);
    if (!bytes || !known)
        return false;
    if (kind == DW_LLE_default_location) {
        wl_bytes_number(out, DW_LLE_default_location, 1);
    } else {
        wl_bytes_number(out, DW_LLE_offset_pair, 1);
        wl_bytes_uleb(out, begin);
        wl_bytes_uleb(out, end);
    }
    add_expression(w, WL_DEBUG_LOCLISTS, (struct wl_span){bytes, size}, frame_base, 0);
    return true;
}

/* Writes a location list anew; returns its place. `base`: the unit's first address. */
static uint64_t copy_list_5(struct writer *w, uint64_t offset, bool frame_base) {
    struct wl_bytes *out = &w->dwarf->out[WL_DEBUG_LOCLISTS];
    struct wl_reader in = wl_reader_at(w->dwarf->in[WL_DEBUG_LOCLISTS], offset);
    const uint64_t place = out->size;
    uint64_t base = w->unit.low;
    wl_bytes_number(out, DW_LLE_base_address, 1);
    wl_bytes_number(out, w->dwarf->request->code, 8);
    while (copy_list_entry(w, &in, &base, frame_base))
        ;
    wl_bytes_number(out, DW_LLE_end_of_list, 1);
    return place;
}

static uint64_t copy_list_4(struct writer *w, uint64_t offset, bool frame_base) {
    struct wl_bytes *out = &w->dwarf->out[WL_DEBUG_LOC];
    struct wl_reader in = wl_reader_at(w->dwarf->in[WL_DEBUG_LOC], offset);
    const uint64_t place = out->size;
    uint64_t base = w->unit.low;
    wl_bytes_number(out, UINT64_MAX, 8);
    wl_bytes_number(out, w->dwarf->request->code, 8);
    for (;;) {
        const uint64_t begin = wl_reader_number(&in, 8), end = wl_reader_number(&in, 8);
        if (in.bad || (!begin && !end))
            break;
        if (begin == UINT64_MAX) {
            base = end;
            continue;
        }
        const uint64_t size = wl_reader_number(&in, 2);
        const uint8_t *bytes = wl_reader_skip(&in, size);
        if (!bytes)
            break;
        wl_bytes_number(out, base + begin, 8);
        wl_bytes_number(out, base + end, 8);
        add_expression(w, WL_DEBUG_LOC, (struct wl_span){bytes, size}, frame_base, 2);
    }
    wl_bytes_number(out, 0, 8);
    wl_bytes_number(out, 0, 8);
    return place;
}

static uint64_t copy_list(struct writer *w, const struct attribute *a, struct wl_reader value) {
    const enum wl_debug_section section = w->unit.version >= 5 ? WL_DEBUG_LOCLISTS : WL_DEBUG_LOC;
    if (w->dwarf->out[section].size / 32 > w->dwarf->in[section].size + (1 << 20)) { /* lists lie in each other, over and over */
        w->damaged = true;
        return 0;
    }
    uint64_t offset = number_of(value, a->form);
    if (a->form == DW_FORM_loclistx) {
        struct wl_reader in = wl_reader_at(w->dwarf->in[WL_DEBUG_LOCLISTS], w->unit.loclists_base);
        wl_reader_skip(&in, offset < wl_reader_left(&in) / 4 ? offset * 4 : UINT64_MAX);
        offset = w->unit.loclists_base + wl_reader_number(&in, 4);
        if (in.bad)
            offset = UINT64_MAX;
    }
    return w->unit.version >= 5 ? copy_list_5(w, offset, a->name == DW_AT_frame_base) : copy_list_4(w, offset, a->name == DW_AT_frame_base);
}

/* Where the text of such an attribute is in .debug_str, and its length; 0 bytes: it is nowhere. */
static uint64_t text_of(const struct writer *w, const struct attribute *a, struct wl_reader value, size_t *length) {
    uint64_t offset = number_of(value, a->form);
    const struct wl_span *texts = &w->dwarf->in[WL_DEBUG_STR];
    if (is_index_of_text(a->form)) {
        struct wl_reader in = wl_reader_at(w->dwarf->in[WL_DEBUG_STR_OFFSETS], w->unit.str_offsets_base);
        wl_reader_skip(&in, offset < wl_reader_left(&in) / 4 ? offset * 4 : UINT64_MAX);
        offset = wl_reader_number(&in, 4);
    }
    *length = offset < texts->size ? strnlen((const char *)texts->data + offset, texts->size - offset) : 0;
    return offset < texts->size ? offset : 0;
}

/* The compiler's name from "clang version" on, where gdb looks whether it is clang: whose line tables tell where prologues end. */
static uint64_t producer_of(const struct writer *w, const struct attribute *a, struct wl_reader value) {
    const struct wl_span *texts = &w->dwarf->in[WL_DEBUG_STR];
    size_t length;
    const uint64_t offset = text_of(w, a, value, &length);
    const uint8_t *clang = length ? memmem(texts->data + offset, length, "clang version", 13) : NULL;
    return clang ? (uint64_t)(clang - texts->data) : offset;
}

/* Whether an entry is the variable of HIP's headers that stands for threadIdx or the like: it has no place, and a debugger has another one of the
 * name (builtins.c). Variables of functions, which may have such a name as well, have no name for the linker and are not external. */
static bool is_builtin(const struct writer *w, const struct declaration *d, struct wl_reader in) {
    bool named = false, global = false;
    for (uint32_t i = 0; i < d->count; i++) {
        const struct attribute *a = &w->table.attributes[d->first + i];
        const struct wl_reader value = in;
        size_t length;
        if (!skip_value(&in, a->form, w->unit.version))
            return false;
        global |= a->name == DW_AT_linkage_name || a->name == DW_AT_external;
        if (a->name == DW_AT_name && is_offset_of_text(a->form) && a->form != DW_FORM_strx) { /* of a fixed size */
            const uint64_t offset = text_of(w, a, value, &length);
            named = wl_debug_is_builtin((const char *)w->dwarf->in[WL_DEBUG_STR].data + offset, length);
        }
    }
    return named && global;
}

static bool copy_attribute(struct writer *w, struct wl_reader *in, const struct attribute *a) {
    struct wl_bytes *out = &w->dwarf->out[WL_DEBUG_INFO];
    const struct wl_reader value = *in;
    if (!skip_value(in, a->form, w->unit.version))
        return false;
    struct wl_reader expression = value;
    uint64_t size;
    switch (treatment_of(a)) {
    case LEAVE_OUT:
        break;
    case PRODUCER:
        wl_bytes_number(out, producer_of(w, a, value), 4);
        break;
    case LOCATION_LIST:
        wl_bytes_number(out, copy_list(w, a, value), 4);
        break;
    case EXPRESSION:
        size = wl_reader_uleb(&expression);
        add_expression(w, WL_DEBUG_INFO, (struct wl_span){value.span.data + expression.at, size}, a->name == DW_AT_frame_base, 0);
        break;
    case REFERENCE:
        add_reference(w->dwarf,
                      (struct wl_debug_reference){.section = WL_DEBUG_INFO,
                                                  .at = out->size,
                                                  .entry = number_of(value, a->form) + (a->form == DW_FORM_ref_addr ? 0 : w->unit.start),
                                                  .unit = a->form == DW_FORM_ref_addr ? 0 : w->new_start});
        wl_bytes_number(out, 0, 4);
        break;
    case KEEP:
        if (a->form == DW_FORM_addr)
            wl_bytes_number(out, number_of(value, a->form) + w->dwarf->request->code, 8);
        else
            wl_bytes_add(out, value.span.data + value.at, in->at - value.at);
        break;
    }
    return true;
}

/* What the unit's first entry says of tables. */
static bool read_bases(struct writer *w) {
    struct wl_reader in = wl_reader_at(w->dwarf->in[WL_DEBUG_INFO], w->unit.header);
    const struct declaration *d = find_declaration(&w->table, wl_reader_uleb(&in));
    uint64_t low = 0;
    bool low_indexed = false;
    w->unit.addr_base = w->unit.str_offsets_base = 8;
    w->unit.loclists_base = 12;
    for (uint32_t i = 0; d && i < d->count; i++) {
        const struct attribute *a = &w->table.attributes[d->first + i];
        const struct wl_reader value = in;
        if (!skip_value(&in, a->form, w->unit.version))
            return false;
        switch (a->name) {
        case DW_AT_addr_base:
            w->unit.addr_base = number_of(value, a->form);
            break;
        case DW_AT_str_offsets_base:
            w->unit.str_offsets_base = number_of(value, a->form);
            break;
        case DW_AT_loclists_base:
            w->unit.loclists_base = number_of(value, a->form);
            break;
        case DW_AT_low_pc:
            low = number_of(value, a->form);
            low_indexed = a->form != DW_FORM_addr;
            break;
        default:
            break;
        }
    }
    w->unit.low = low;
    return d && (!low_indexed || wl_debug_indexed_address(w->dwarf, &w->unit, low, &w->unit.low));
}

static void put(struct wl_bytes *b, size_t at, uint64_t value, size_t size) {
    if (!b->bad)
        memcpy(b->data + at, &value, size);
}

/* Where each entry was and is, in order. */
struct places {
    struct place {
        uint64_t old, new;
    } *list;
    size_t count, capacity;
};

static bool copy_entries(struct writer *w, struct places *places) {
    struct wl_reader in = wl_reader_at((struct wl_span){w->dwarf->in[WL_DEBUG_INFO].data, w->unit.end}, w->unit.header);
    struct wl_bytes *out = &w->dwarf->out[WL_DEBUG_INFO];
    while (wl_reader_left(&in)) {
        if (!WL_ARRAY_RESERVE(places->list, places->count, places->capacity, 1024))
            return false;
        places->list[places->count++] = (struct place){in.at, out->size};
        const uint64_t code = wl_reader_uleb(&in);
        wl_bytes_uleb(out, code);
        if (code == 0)
            continue;
        const struct declaration *d = find_declaration(&w->table, code);
        if (!d)
            return false;
        const bool nameless = d->tag == DW_TAG_variable && is_builtin(w, d, in);
        for (uint32_t i = 0; i < d->count; i++) {
            const struct attribute *a = &w->table.attributes[d->first + i];
            const uint64_t begin = out->size;
            if (!copy_attribute(w, &in, a))
                return false;
            if (nameless && a->name == DW_AT_name)
                put(out, begin, 0, out->size - begin); /* the first text of all */
        }
    }
    return !in.bad;
}

/* Reads a unit's header and writes it, without its length. */
static bool copy_header(struct writer *w, struct wl_reader *in) {
    struct wl_debug_dwarf *dwarf = w->dwarf;
    struct wl_bytes *out = &dwarf->out[WL_DEBUG_INFO];
    w->unit.start = in->at;
    const uint64_t length = wl_reader_number(in, 4); /* 64-bit DWARF has 0xffffffff there, more than there is */
    if (length > wl_reader_left(in))
        return false;
    w->unit.end = in->at + length;
    w->unit.version = (unsigned)wl_reader_number(in, 2);
    if (w->unit.version < 2 || w->unit.version > 5)
        return false;
    const uint64_t kind = w->unit.version >= 5 ? wl_reader_number(in, 1) : DW_UT_compile;
    uint64_t address_size = w->unit.version >= 5 ? wl_reader_number(in, 1) : 0;
    w->unit.abbrev = wl_reader_number(in, 4);
    if (w->unit.version < 5)
        address_size = wl_reader_number(in, 1);
    if ((kind != DW_UT_compile && kind != DW_UT_partial) || address_size != 8 || in->at > w->unit.end)
        return false;
    w->unit.header = in->at;
    const uint64_t abbrev = dwarf->out[WL_DEBUG_ABBREV].size;
    wl_bytes_number(out, 0, 4);
    wl_bytes_number(out, w->unit.version, 2);
    if (w->unit.version >= 5) {
        wl_bytes_number(out, kind, 1);
        wl_bytes_number(out, address_size, 1);
    }
    wl_bytes_number(out, abbrev, 4);
    if (w->unit.version < 5)
        wl_bytes_number(out, address_size, 1);
    return true;
}

static bool copy_unit(struct wl_debug_dwarf *dwarf, struct wl_reader *in, struct places *places) {
    struct wl_bytes *out = &dwarf->out[WL_DEBUG_INFO];
    struct writer w = {.dwarf = dwarf, .new_start = out->size};
    const bool good =
        copy_header(&w, in) && read_table(dwarf, w.unit.abbrev, &w.table) && read_bases(&w) && copy_entries(&w, places) && !w.damaged;
    table_free(&w.table);
    if (good)
        put(out, w.new_start, out->size - w.new_start - 4, 4);
    in->at = w.unit.end;
    return good;
}

/* Writes the numbers that name entries. One that names no entry is damage. */
static bool resolve(struct wl_debug_dwarf *dwarf, const struct places *places) {
    for (size_t i = 0; i < dwarf->reference_count; i++) {
        const struct wl_debug_reference *r = &dwarf->references[i];
        size_t low = 0, high = places->count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (places->list[middle].old < r->entry)
                low = middle + 1;
            else
                high = middle;
        }
        if (low == places->count || places->list[low].old != r->entry)
            return false;
        uint64_t value = places->list[low].new - r->unit;
        if (r->leb) {
            if (value >> 28)
                return false;
            value = (value & 0x7f) | (value >> 7 & 0x7f) << 8 | (value >> 14 & 0x7f) << 16 | (value >> 21) << 24 | 0x808080;
        }
        put(&dwarf->out[r->section], r->at, value, 4);
    }
    return true;
}

enum wl_status wl_debug_info(struct wl_debug_dwarf *dwarf) {
    struct wl_reader in = wl_reader_at(dwarf->in[WL_DEBUG_INFO], 0);
    struct wl_bytes *lists = &dwarf->out[WL_DEBUG_LOCLISTS];
    struct places places = {0};
    bool good = true;
    wl_bytes_number(lists, 0, 4); /* one table of location lists, without an index */
    wl_bytes_number(lists, 5, 2);
    wl_bytes_number(lists, 8, 1);
    wl_bytes_number(lists, 0, 1);
    wl_bytes_number(lists, 0, 4);
    while (good && wl_reader_left(&in))
        good = copy_unit(dwarf, &in, &places);
    put(lists, 0, lists->size - 4, 4);
    good = good && resolve(dwarf, &places);
    free(places.list);
    free(dwarf->references);
    dwarf->references = NULL;
    for (int i = 0; i < WL_DEBUG_SECTIONS; i++)
        if (dwarf->out[i].bad)
            return wl_fail(WL_OUT_OF_MEMORY, "no memory for a debugger's tables");
    return good ? WL_OK : wl_fail(WL_INVALID_IMAGE, "the code object's DWARF is damaged, or of a kind that is not known");
}
