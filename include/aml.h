/* AML's areas: one interface to memory of several kinds (AML, "Areas").
 *
 *   in    a kind of memory, struct aml_area, and a size
 *   out   addresses; what is mapped there is the area's until it is unmapped. Errors as codes
 *
 * An area is a table of operations and the data they work with. aml_area_mmap and aml_area_munmap check what is common to all
 * areas and call the area's own operations. This library has one implementation, HIP memory: aml/area/hip.h.
 *
 * Functions that return an int return AML_SUCCESS or the negative of an error code; functions that return a pointer return
 * NULL and leave the (positive) error code in aml_errno. All functions here are thread-safe unless they say otherwise. */
#ifndef AML_H
#define AML_H 1

#include <aml/utils/error.h>
#include <aml/utils/features.h>
#include <stddef.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prepares the library; a program calls it once, before anything else. argc, argv: pointers to main's arguments, or NULL; they
 * stay as they are. Returns AML_SUCCESS. */
int aml_init(int *argc, char **argv[]);
/* Ends the use of the library. Returns AML_SUCCESS. */
int aml_finalize(void);

/* What an implementation of areas keeps for one area; each has its own. */
struct aml_area_data;

/* Options of one aml_area_mmap; each implementation has its own. */
struct aml_area_mmap_options;

/* The operations of an implementation. One that is NULL is not supported. */
struct aml_area_ops {
    /* Makes `size` bytes (more than 0) of memory available. opts: the implementation's, or NULL. The memory is released with
     * the same area's munmap. Returns NULL with aml_errno set on failure. */
    void *(*mmap)(const struct aml_area_data *data, size_t size, struct aml_area_mmap_options *opts);
    /* Releases what mmap returned for this size. Returns AML_SUCCESS or a negative error code. */
    int (*munmap)(const struct aml_area_data *data, void *ptr, size_t size);
    /* Describes the area on `stream`, each line behind `prefix`. Returns AML_SUCCESS or a negative error code. */
    int (*fprintf)(const struct aml_area_data *data, FILE *stream, const char *prefix);
};

/* An area. Its data belong to whoever made it. */
struct aml_area {
    struct aml_area_ops *ops;
    struct aml_area_data *data;
};

/* Makes memory available from an area. area: a valid area. size: bytes. opts: options of the area's implementation, or NULL; they
 * stay the caller's. Returns the memory, which the caller gives back with aml_area_munmap; or NULL: size is 0 (aml_errno stays), or
 * with aml_errno AML_EINVAL: area is NULL, AML_ENOTSUP: the area maps nothing, else what the implementation says. */
void *aml_area_mmap(const struct aml_area *area, size_t size, struct aml_area_mmap_options *opts);

/* Releases memory of an area. ptr, size: as with aml_area_mmap; NULL or 0: nothing happens. Returns AML_SUCCESS; -AML_EINVAL: area is
 * NULL; -AML_ENOTSUP: the area unmaps nothing; else what the implementation says. */
int aml_area_munmap(const struct aml_area *area, void *ptr, size_t size);

/* Describes an area on a stream. prefix: what each line begins with; NULL: nothing. Returns AML_SUCCESS; -AML_EINVAL: stream or area is
 * NULL; -AML_ENOTSUP: the area has no description; else what the implementation says. */
int aml_area_fprintf(FILE *stream, const char *prefix, const struct aml_area *area);

#ifdef __cplusplus
}
#endif

#endif
