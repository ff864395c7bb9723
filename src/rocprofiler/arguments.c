/* Arguments of calls as texts. */
#include "rocprofiler/profiler.h"

#include "base/page.h"
#include "base/peek.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* ---- what there is ------------------------------------------------------------------------------------ */

enum form { NONE, SIGNED, UNSIGNED, REAL, POINTER, STRING, DIM3, EXTENT, OTHER };

struct member {
    const char *name, *type;
    uint16_t offset, size;
    uint8_t form, behind, behind_size; /* `behind`: of what it points to, if that can be told */
};

/* `type` is a type's name; its forms follow from the type alone. */
#define FORM(type)                                                                                                                         \
    _Generic(*(type *)0,                                                                                                                   \
        char: SIGNED,                                                                                                                      \
        signed char: SIGNED,                                                                                                               \
        short: SIGNED,                                                                                                                     \
        int: SIGNED,                                                                                                                       \
        long: SIGNED,                                                                                                                      \
        long long: SIGNED,                                                                                                                 \
        unsigned char: UNSIGNED,                                                                                                           \
        unsigned short: UNSIGNED,                                                                                                          \
        unsigned: UNSIGNED,                                                                                                                \
        unsigned long: UNSIGNED,                                                                                                           \
        unsigned long long: UNSIGNED,                                                                                                      \
        float: REAL,                                                                                                                       \
        char *: STRING,                                                                                                                    \
        const char *: STRING,                                                                                                              \
        dim3: DIM3,                                                                                                                        \
        hipExtent: EXTENT,                                                                                                                 \
        default: __builtin_classify_type(*(type *)0) == 5 ? POINTER : OTHER)
#define BEHIND(type)                                                                                                                       \
    _Generic(*(type *)0,                                                                                                                   \
        int *: SIGNED,                                                                                                                     \
        unsigned *: UNSIGNED,                                                                                                              \
        unsigned long *: UNSIGNED,                                                                                                         \
        unsigned long long *: UNSIGNED,                                                                                                    \
        float *: REAL,                                                                                                                     \
        dim3 *: DIM3,                                                                                                                      \
        hipExtent *: EXTENT,                                                                                                               \
        void **: POINTER,                                                                                                                  \
        hipArray_t *: POINTER,                                                                                                             \
        hipCtx_t *: POINTER,                                                                                                               \
        hipEvent_t *: POINTER,                                                                                                             \
        hipFunction_t *: POINTER,                                                                                                          \
        hipGraph_t *: POINTER,                                                                                                             \
        hipGraphExec_t *: POINTER,                                                                                                         \
        hipGraphNode_t *: POINTER,                                                                                                         \
        hipMemPool_t *: POINTER,                                                                                                           \
        hipModule_t *: POINTER,                                                                                                            \
        hipStream_t *: POINTER,                                                                                                            \
        default: NONE)
#define BEHIND_SIZE(type)                                                                                                                  \
    _Generic(*(type *)0, int *: 4, unsigned *: 4, float *: 4, dim3 *: sizeof(dim3), hipExtent *: sizeof(hipExtent), default: 8)

/* NOLINTBEGIN(bugprone-macro-parentheses): types, names and members to declare */
#define MEMBER(type, name) {#name, #type, offsetof(here, name), sizeof(((here *)0)->name), FORM(type), BEHIND(type), BEHIND_SIZE(type)},
#define NOTHING
#define ARGUMENTS(number, function, members, stream)                                                                                       \
    static const struct member *members_of_##function(void) {                                                                              \
        typedef __typeof__(((union wl_rp_hip_arguments *)0)->function) here;                                                               \
        static const struct member list[] = {members{0}};                                                                                  \
        (void)sizeof(here);                                                                                                                \
        return list;                                                                                                                       \
    }
#include "rocprofiler/hip_arguments.inc"
#undef ARGUMENTS
#undef NOTHING
#undef MEMBER
/* NOLINTEND(bugprone-macro-parentheses) */

static const struct {
    const char *name;
    const struct member *(*members)(void);
} functions[] = {
#define ARGUMENTS(number, function, members, stream) {#function, members_of_##function},
#include "rocprofiler/hip_arguments.inc"
#undef ARGUMENTS
};

/* Members of the functions of HIP's runtime and compiler, by AMD's numbers of them; NULL: nothing is known. */
static const struct member *by_operation[2][WL_RP_OPERATIONS];

static void number_members(void) {
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        int kind = 0, operation = wl_rp_operation(functions[i].name, &kind);
        if (operation >= 0)
            by_operation[kind == WL_RP_CALLBACK_HIP_COMPILER][operation] = functions[i].members();
    }
}

static const struct member *members_of(bool compiler, int operation) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, number_members);
    return operation >= 0 && operation < WL_RP_OPERATIONS ? by_operation[compiler][operation] : NULL;
}

/* ---- texts --------------------------------------------------------------------------------------------- */

enum { ROOM = 4096 };

/* Reads what the program has at an address, which may be wrong. Where Linux does not let it look, the address is taken to be right. */
static bool look(const void *address, void *copy, size_t size) {
    if (!address)
        return false;
    if (wl_peek(address, copy, size))
        return true;
    if (errno != EPERM && errno != ENOSYS)
        return false;
    memcpy(copy, address, size);
    return true;
}

/* A string, up to its end, ROOM bytes, or the end of what can be read. */
static void print_string(char *text, const char *string) {
    size_t length = 0;
    if (!string) {
        strcpy(text, "(null)");
        return;
    }
    while (length + 1 < ROOM) { /* page by page */
        const size_t left = WL_PAGE - (uintptr_t)(string + length) % WL_PAGE, size = left < ROOM - 1 - length ? left : ROOM - 1 - length;
        if (!look(string + length, text + length, size))
            break;
        if (memchr(text + length, 0, size))
            return;
        length += size;
    }
    text[length] = 0;
}

static int64_t signed_of(const void *value, size_t size) {
    int64_t number = 0;
    memcpy(&number, value, size < 8 ? size : 8);
    return size < 8 ? (int64_t)((uint64_t)number << (64 - 8 * size)) >> (64 - 8 * size) : number;
}

static uint64_t unsigned_of(const void *value, size_t size) {
    uint64_t number = 0;
    memcpy(&number, value, size < 8 ? size : 8);
    return number;
}

static void print(char *text, unsigned form, const void *value, size_t size) {
    switch (form) {
    case SIGNED:
        snprintf(text, ROOM, "%" PRId64, signed_of(value, size));
        break;
    case UNSIGNED:
        snprintf(text, ROOM, "%" PRIu64, unsigned_of(value, size));
        break;
    case REAL: {
        float number;
        memcpy(&number, value, sizeof number);
        snprintf(text, ROOM, "%g", (double)number);
        break;
    }
    case STRING:
        print_string(text, *(const char *const *)value);
        break;
    case DIM3: {
        const dim3 *size3 = value;
        snprintf(text, ROOM, "{x=%u, y=%u, z=%u}", size3->x, size3->y, size3->z);
        break;
    }
    case EXTENT: {
        const hipExtent *extent = value;
        snprintf(text, ROOM, "{width=%zu, height=%zu, depth=%zu}", extent->width, extent->height, extent->depth);
        break;
    }
    case POINTER:
        snprintf(text, ROOM, "0x%" PRIx64, unsigned_of(value, size));
        break;
    default:
        snprintf(text, ROOM, "{%zu bytes}", size);
    }
}

static int32_t stars_of(const char *type) {
    int32_t stars = 0;
    for (; *type; type++)
        stars += *type == '*';
    return stars;
}

/* ---- for tools ----------------------------------------------------------------------------------------- */

struct asked {
    int kind, operation;
    int32_t most_followed;
    wl_rp_argument_callback callback;          /* of a call; NULL: */
    wl_rp_record_argument_callback for_record; /* of a record */
    void *data;
};

static int tell(const struct asked *asked, uint32_t number, const void *value, const char *type, const char *name, const char *text,
                int32_t followed) {
    if (asked->callback)
        return asked->callback(asked->kind, asked->operation, number, value, stars_of(type), type, name, text, followed, asked->data);
    return asked->for_record(asked->kind, asked->operation, number, value, stars_of(type), type, name, text, asked->data);
}

static int each_member(const struct asked *asked, const struct member *members, const void *arguments) {
    char text[ROOM];
    for (uint32_t i = 0; members && members[i].name; i++) {
        const struct member *member = &members[i];
        const char *value = (const char *)arguments + member->offset;
        union {
            uint64_t words[3];
        } behind;
        const bool follows =
            asked->most_followed > 0 && member->behind != NONE && look(*(const void *const *)value, &behind, member->behind_size);
        if (follows)
            print(text, member->behind, &behind, member->behind_size);
        else
            print(text, member->form, value, member->size);
        if (tell(asked, i, value, member->type, member->name, text, follows) != 0)
            break;
    }
    return WL_RP_SUCCESS;
}

/* A mark or a range: its text, or the number of one that is stopped. */
static int marker(const struct asked *asked, const struct wl_rp_marker_payload *payload) {
    enum { PUSHED = 1, STARTED = 3, STOPPED = 4 };
    char text[ROOM];
    const bool range = asked->kind == WL_RP_CALLBACK_MARKER_RANGE;
    if (!range && asked->operation == STOPPED) {
        print(text, UNSIGNED, &payload->arguments.range, sizeof payload->arguments.range);
        (void)tell(asked, 0, &payload->arguments.range, "roctx_range_id_t", "id", text, 0);
    } else if (range || asked->operation == 0 || asked->operation == PUSHED || asked->operation == STARTED) {
        print_string(text, payload->arguments.message);
        (void)tell(asked, 0, &payload->arguments.message, "const char *", "message", text, 0);
    }
    return WL_RP_SUCCESS;
}

WL_ROCPROFILER_API int rocprofiler_iterate_callback_tracing_kind_operation_args(struct wl_rp_callback_record record,
                                                                                wl_rp_argument_callback callback, int32_t most_followed,
                                                                                void *data) {
    const struct asked asked = {record.kind, record.operation, most_followed, callback, NULL, data};
    if (!callback)
        return WL_RP_INVALID_ARGUMENT;
    switch (record.kind) {
    case WL_RP_CALLBACK_HIP:
    case WL_RP_CALLBACK_HIP_COMPILER:
        return each_member(&asked, members_of(record.kind == WL_RP_CALLBACK_HIP_COMPILER, record.operation),
                           &((const struct wl_rp_hip_payload *)record.payload)->arguments);
    case WL_RP_CALLBACK_MARKER:
    case WL_RP_CALLBACK_MARKER_RANGE:
        return marker(&asked, record.payload);
    default:
        return record.kind > 0 && record.kind < WL_RP_CALLBACK_KINDS ? WL_RP_NOT_IMPLEMENTED : WL_RP_KIND_NOT_FOUND;
    }
}

/* Only records of the kinds with _EXT have arguments. */
WL_ROCPROFILER_API int rocprofiler_iterate_buffer_tracing_record_args(struct wl_rp_header header, wl_rp_record_argument_callback callback,
                                                                      void *data) {
    const struct wl_rp_full_call_record *record = header.payload;
    if (!callback || !record || header.category != WL_RP_CATEGORY_TRACING)
        return WL_RP_INVALID_ARGUMENT;
    if (header.kind != WL_RP_BUFFER_HIP_EXT && header.kind != WL_RP_BUFFER_HIP_COMPILER_EXT)
        return header.kind && header.kind < WL_RP_BUFFER_KINDS ? WL_RP_NOT_IMPLEMENTED : WL_RP_KIND_NOT_FOUND;
    const struct asked asked = {record->call.kind, record->call.operation, 0, NULL, callback, data};
    return each_member(&asked, members_of(header.kind == WL_RP_BUFFER_HIP_COMPILER_EXT, record->call.operation), &record->arguments);
}
