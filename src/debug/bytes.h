/* Reading DWARF's bytes, which may be damaged, and writing such. */
#ifndef WL_DEBUG_BYTES_H
#define WL_DEBUG_BYTES_H

#include "base/status.h"
#include "debug/debug.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A section, or a part of one. */
struct wl_span {
    const uint8_t *data;
    uint64_t size;
};

/* Reads from `at` on. Behind the end everything is 0, and `bad` is set. */
struct wl_reader {
    struct wl_span span;
    uint64_t at;
    bool bad;
};

static inline struct wl_reader wl_reader_at(struct wl_span span, uint64_t at) { return (struct wl_reader){span, at, at > span.size}; }

static inline uint64_t wl_reader_left(const struct wl_reader *r) { return r->bad ? 0 : r->span.size - r->at; }

static inline const uint8_t *wl_reader_skip(struct wl_reader *r, uint64_t size) {
    if (wl_reader_left(r) < size) {
        r->bad = true;
        return NULL;
    }
    r->at += size;
    return r->span.data + r->at - size;
}

/* A little-endian number of 1 to 8 bytes. */
static inline uint64_t wl_reader_number(struct wl_reader *r, unsigned size) {
    const uint8_t *bytes = wl_reader_skip(r, size);
    uint64_t value = 0;
    if (bytes)
        memcpy(&value, bytes, size);
    return value;
}

static inline uint64_t wl_reader_uleb(struct wl_reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
        const uint64_t byte = wl_reader_number(r, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return value;
    }
}

static inline int64_t wl_reader_sleb(struct wl_reader *r) {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
        const uint64_t byte = wl_reader_number(r, 1);
        if (shift < 64)
            value |= (byte & 0x7f) << shift;
        shift += 7;
        if (!(byte & 0x80))
            return (int64_t)(shift < 64 && byte & 0x40 ? value | ~UINT64_C(0) << shift : value);
    }
}

static inline void wl_reader_text(struct wl_reader *r) {
    while (wl_reader_number(r, 1) && !r->bad)
        ;
}

/* Bytes that grow. Without memory `bad` is set, and nothing is added any more. */
struct wl_bytes {
    uint8_t *data;
    size_t size, capacity;
    bool bad;
};

void wl_bytes_add(struct wl_bytes *b, const void *data, size_t size);
void wl_bytes_number(struct wl_bytes *b, uint64_t value, unsigned size);
void wl_bytes_uleb(struct wl_bytes *b, uint64_t value);
void wl_bytes_sleb(struct wl_bytes *b, int64_t value);

/* ---- the DWARF of a code object ---- */

enum wl_debug_section {
    WL_DEBUG_ABBREV,
    WL_DEBUG_INFO,
    WL_DEBUG_LINE,
    WL_DEBUG_LINE_STR,
    WL_DEBUG_STR,
    WL_DEBUG_STR_OFFSETS,
    WL_DEBUG_ADDR,
    WL_DEBUG_RANGES,
    WL_DEBUG_RNGLISTS,
    WL_DEBUG_LOC,
    WL_DEBUG_LOCLISTS,
    WL_DEBUG_SECTIONS,
};

/* A number that names an entry by its offset, to be written when all entries have their places. */
struct wl_debug_reference {
    enum wl_debug_section section; /* of `out`, */
    size_t at;                     /* and where in it */
    uint64_t entry;                /* offset in the old .debug_info */
    uint64_t unit;                 /* start of the new unit that the number counts from; of section-wide ones 0 */
    bool leb;                      /* ULEB128 of four bytes, else four bytes */
};

struct wl_debug_dwarf {
    const struct wl_debug_request *request;
    struct wl_span in[WL_DEBUG_SECTIONS]; /* of the code object */
    struct wl_bytes out[WL_DEBUG_SECTIONS];
    struct wl_debug_reference *references;
    size_t reference_count, reference_capacity;
};

/* A unit of .debug_info. */
struct wl_debug_unit {
    uint64_t start, header, end; /* offsets in .debug_info: of the unit, of its first entry, behind its last one */
    uint64_t abbrev;
    unsigned version;
    uint64_t addr_base, loclists_base, str_offsets_base;
    uint64_t low; /* the address that location lists count from */
};

/* An expression while it is translated. The operands of up to four operations are types, which are entries of the unit. */
struct wl_debug_expression {
    struct wl_bytes bytes;
    struct {
        size_t at;
        uint64_t entry; /* in its unit */
    } types[4];
    unsigned type_count;
};

/* Translates an expression, or with `frame_base` a function's frame base. False: it has no translation, or is damaged; `out` is empty then. The caller frees out->bytes.data. */
bool wl_debug_translate(const struct wl_debug_dwarf *dwarf, const struct wl_debug_unit *unit, struct wl_span in, bool frame_base,
                        struct wl_debug_expression *out);
/* Entry `index` of the unit's part of .debug_addr; false: there is none. */
bool wl_debug_indexed_address(const struct wl_debug_dwarf *dwarf, const struct wl_debug_unit *unit, uint64_t index, uint64_t *address);
/* Writes out[WL_DEBUG_ABBREV], out[WL_DEBUG_INFO] and the location lists. */
enum wl_status wl_debug_info(struct wl_debug_dwarf *dwarf);

/* ---- builtins.c ---- */
/* Whether it is the name of one of enum wl_debug_builtin. */
bool wl_debug_is_builtin(const char *name, size_t length);
/* Adds these as variables, and the types of what tools/wavelift-gdb.py shows. */
void wl_debug_builtins(struct wl_debug_dwarf *dwarf);

#endif
