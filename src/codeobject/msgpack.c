#include "codeobject/msgpack.h"

/* A big-endian number of `size` bytes, 1 to 8. */
static bool take_number(struct wl_msgpack *from, unsigned size, uint64_t *number) {
    if (from->left < size)
        return false;
    *number = 0;
    for (unsigned i = 0; i < size; i++)
        *number = *number << 8 | from->at[i];
    from->at += size;
    from->left -= size;
    return true;
}

static bool take_bytes(struct wl_msgpack *from, struct wl_msgpack_token *token) {
    if (token->length > from->left)
        return false;
    token->bytes = from->at;
    from->at += token->length;
    from->left -= token->length;
    return true;
}

/* What the first byte of a value says of those behind it. */
enum shape { SMALL, NUMBER, SIGNED, BYTES, EXTENSION, FIXED_EXTENSION, COUNT, NOTHING };
static const struct {
    enum wl_msgpack_type type;
    enum shape shape;
    uint8_t size; /* of the number, or of the length; of FIXED_EXTENSION: its bytes */
} heads[] = {
    [0xc0 - 0xc0] = {WL_MSGPACK_NIL, SMALL, 0},
    [0xc1 - 0xc0] = {WL_MSGPACK_NIL, NOTHING, 0},
    [0xc2 - 0xc0] = {WL_MSGPACK_BOOLEAN, SMALL, 0},
    [0xc3 - 0xc0] = {WL_MSGPACK_BOOLEAN, SMALL, 1},
    [0xc4 - 0xc0] = {WL_MSGPACK_BINARY, BYTES, 1},
    [0xc5 - 0xc0] = {WL_MSGPACK_BINARY, BYTES, 2},
    [0xc6 - 0xc0] = {WL_MSGPACK_BINARY, BYTES, 4},
    [0xc7 - 0xc0] = {WL_MSGPACK_BINARY, EXTENSION, 1},
    [0xc8 - 0xc0] = {WL_MSGPACK_BINARY, EXTENSION, 2},
    [0xc9 - 0xc0] = {WL_MSGPACK_BINARY, EXTENSION, 4},
    [0xca - 0xc0] = {WL_MSGPACK_FLOAT, NUMBER, 4},
    [0xcb - 0xc0] = {WL_MSGPACK_FLOAT, NUMBER, 8},
    [0xcc - 0xc0] = {WL_MSGPACK_UNSIGNED, NUMBER, 1},
    [0xcd - 0xc0] = {WL_MSGPACK_UNSIGNED, NUMBER, 2},
    [0xce - 0xc0] = {WL_MSGPACK_UNSIGNED, NUMBER, 4},
    [0xcf - 0xc0] = {WL_MSGPACK_UNSIGNED, NUMBER, 8},
    [0xd0 - 0xc0] = {WL_MSGPACK_NEGATIVE, SIGNED, 1},
    [0xd1 - 0xc0] = {WL_MSGPACK_NEGATIVE, SIGNED, 2},
    [0xd2 - 0xc0] = {WL_MSGPACK_NEGATIVE, SIGNED, 4},
    [0xd3 - 0xc0] = {WL_MSGPACK_NEGATIVE, SIGNED, 8},
    [0xd4 - 0xc0] = {WL_MSGPACK_BINARY, FIXED_EXTENSION, 1},
    [0xd5 - 0xc0] = {WL_MSGPACK_BINARY, FIXED_EXTENSION, 2},
    [0xd6 - 0xc0] = {WL_MSGPACK_BINARY, FIXED_EXTENSION, 4},
    [0xd7 - 0xc0] = {WL_MSGPACK_BINARY, FIXED_EXTENSION, 8},
    [0xd8 - 0xc0] = {WL_MSGPACK_BINARY, FIXED_EXTENSION, 16},
    [0xd9 - 0xc0] = {WL_MSGPACK_TEXT, BYTES, 1},
    [0xda - 0xc0] = {WL_MSGPACK_TEXT, BYTES, 2},
    [0xdb - 0xc0] = {WL_MSGPACK_TEXT, BYTES, 4},
    [0xdc - 0xc0] = {WL_MSGPACK_ARRAY, COUNT, 2},
    [0xdd - 0xc0] = {WL_MSGPACK_ARRAY, COUNT, 4},
    [0xde - 0xc0] = {WL_MSGPACK_MAP, COUNT, 2},
    [0xdf - 0xc0] = {WL_MSGPACK_MAP, COUNT, 4},
};

/* A value that is whole in its first byte, but for the bytes of a short text. */
static bool take_fixed(struct wl_msgpack *from, uint8_t head, struct wl_msgpack_token *token) {
    if (head < 0x80) {
        token->type = WL_MSGPACK_UNSIGNED;
        token->value = head;
    } else if (head >= 0xe0) {
        token->type = WL_MSGPACK_NEGATIVE;
        token->value = (uint64_t)(int64_t)(int8_t)head;
    } else if (head >= 0xa0) {
        token->type = WL_MSGPACK_TEXT;
        token->length = head & 0x1f;
        return take_bytes(from, token);
    } else {
        token->type = head >= 0x90 ? WL_MSGPACK_ARRAY : WL_MSGPACK_MAP;
        token->length = head & 0xf;
    }
    return true;
}

static bool take_signed(struct wl_msgpack *from, unsigned size, struct wl_msgpack_token *token) {
    if (!take_number(from, size, &token->value))
        return false;
    unsigned unused = 64 - 8 * size;
    token->value = (uint64_t)((int64_t)(token->value << unused) >> unused);
    token->type = (int64_t)token->value < 0 ? WL_MSGPACK_NEGATIVE : WL_MSGPACK_UNSIGNED;
    return true;
}

bool wl_msgpack_next(struct wl_msgpack *from, struct wl_msgpack_token *token) {
    uint64_t head = 0, number = 0, ignored = 0;
    *token = (struct wl_msgpack_token){0};
    if (!take_number(from, 1, &head))
        return false;
    if (head < 0xc0 || head > 0xdf)
        return take_fixed(from, (uint8_t)head, token);
    const unsigned size = heads[head - 0xc0].size;
    const enum shape shape = heads[head - 0xc0].shape;
    token->type = heads[head - 0xc0].type;
    switch (shape) {
    case NOTHING:
        return false;
    case SMALL:
        token->value = size;
        return true;
    case NUMBER:
        return take_number(from, size, &token->value);
    case SIGNED:
        return take_signed(from, size, token);
    case FIXED_EXTENSION:
        token->length = size;
        return take_number(from, 1, &ignored) && take_bytes(from, token);
    default:
        if (!take_number(from, size, &number))
            return false;
        token->length = (uint32_t)number;
        return shape == COUNT || ((shape == BYTES || take_number(from, 1, &ignored)) && take_bytes(from, token));
    }
}
