/* MessagePack, a value at a time, from bytes that may be anything: the tokens of a code object's metadata. */
#ifndef WL_CODEOBJECT_MSGPACK_H
#define WL_CODEOBJECT_MSGPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What is left to read. */
struct wl_msgpack {
    const uint8_t *at;
    size_t left;
};

enum wl_msgpack_type {
    WL_MSGPACK_NIL,
    WL_MSGPACK_BOOLEAN,  /* `value`: 0 or 1 */
    WL_MSGPACK_UNSIGNED, /* `value`; integers that are written as signed and are not negative too */
    WL_MSGPACK_NEGATIVE, /* `value`: the two's complement */
    WL_MSGPACK_FLOAT,    /* `value`: the bits */
    WL_MSGPACK_TEXT,     /* `bytes`, `length` of them */
    WL_MSGPACK_BINARY,   /* the same; extensions too, without their type */
    WL_MSGPACK_ARRAY,    /* `length` values follow */
    WL_MSGPACK_MAP,      /* `length` pairs of values follow */
};

struct wl_msgpack_token {
    enum wl_msgpack_type type;
    uint32_t length;
    uint64_t value;
    const uint8_t *bytes;
};

/* Reads the next value, or the beginning of a container. False: the bytes end within it, or begin nothing; the state is then undefined. */
bool wl_msgpack_next(struct wl_msgpack *from, struct wl_msgpack_token *token);

#endif
