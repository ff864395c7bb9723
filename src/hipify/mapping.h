/* What the names of CUDA's APIs are called in HIP.
 *
 * The data is in two tables: table.inc, one row for each name, and forms.inc, the calls whose arguments change. A name of
 * table.inc either has a counterpart or a reason why it has none. Everything here is constant and may be used by any thread. */
#ifndef WL_HIPIFY_MAPPING_H
#define WL_HIPIFY_MAPPING_H

#include <stddef.h>

enum wl_hipify_kind {
    WL_HIPIFY_DRIVER,   /* functions of the driver API, cu... */
    WL_HIPIFY_RUNTIME,  /* functions of the runtime API, cuda... */
    WL_HIPIFY_DEVICE,   /* functions of device code */
    WL_HIPIFY_CONSTANT, /* enumerators, error codes among them */
    WL_HIPIFY_TYPE,     /* also the tags of structures and enumerations */
    WL_HIPIFY_MACRO,    /* flags, versions, and what compilers define */
    WL_HIPIFY_HEADER,   /* paths of #include; one that ends with a slash stands for all headers of the folder */
    WL_HIPIFY_COMPLEX,  /* functions of cuComplex.h */
    WL_HIPIFY_NVRTC,    /* functions of the run-time compiler */
    WL_HIPIFY_CUBLAS,   /* and of the libraries */
    WL_HIPIFY_CUFFT,
    WL_HIPIFY_CURAND,
    WL_HIPIFY_CUSPARSE,
    WL_HIPIFY_NAMESPACE, /* changes only as the qualifier of a name, or behind `namespace` */
    WL_HIPIFY_KINDS,
};

struct wl_hipify_row {
    const char *cuda;
    const char *hip; /* NULL: HIP has no counterpart */
    const char *group;
    const char *since;  /* the HIP version that introduced the name, after "<=" if an older one may have; empty without a counterpart */
    const char *reason; /* why there is none; else empty */
    unsigned char kind; /* enum wl_hipify_kind */
    unsigned char cuda_size;
};

/* A call with a certain number of arguments, and what becomes of them. Arguments are counted from 1; 0: none. */
struct wl_hipify_form {
    const char *cuda;
    int count;       /* of arguments; -1: any number, also no call at all */
    const char *hip; /* NULL: cannot be converted; `text` tells why */
    int cast;        /* this argument gets a cast to `type`, unless it begins with a parenthesis */
    const char *type;
    int after;        /* `text` is put behind this argument */
    const char *text; /* comma included */
    int drop;         /* this argument goes; the form applies only where it is 0, NULL or nullptr */
};

/* All rows, sorted by name as strcmp does. */
extern const struct wl_hipify_row wl_hipify_rows[];
extern const size_t wl_hipify_row_count;

/* The row of a name, which need not end with a null character; NULL if there is none. */
const struct wl_hipify_row *wl_mapping_find(const char *name, size_t size);
/* The row of an #include's path without delimiters: its own, or that of its first folder. */
const struct wl_hipify_row *wl_mapping_find_header(const char *path, size_t size);
/* The forms of a row's name, in the order in which they are to be tried; *count tells how many, often 0. */
const struct wl_hipify_form *wl_mapping_forms(const struct wl_hipify_row *row, size_t *count);
/* Why the number that a macro stands for means nothing in HIP; NULL if it may be compared. */
const char *wl_mapping_not_comparable(const struct wl_hipify_row *row);
/* What a type's name becomes behind struct, enum or union, if HIP has another name there; else NULL. */
const char *wl_mapping_tag(const struct wl_hipify_row *row);
/* The name of a kind, as people write it. */
const char *wl_mapping_kind_name(enum wl_hipify_kind kind);

#endif
