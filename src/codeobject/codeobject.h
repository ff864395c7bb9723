/* codeobject/: what compilers for AMD GPUs produce, read and checked.
 *
 *   in    bytes of a file or of a program: a container, or one ELF file
 *   out   struct wl_codeobject: a checked code object with its kernels (struct wl_kernel), variables, functions and memory image
 *
 *   container   what a program hands over: a HIPF wrapper, a clang offload bundle, a compressed
 *               bundle (CCOB 1 to 3), or a bare AMDGPU ELF. Holds zero or more entries.
 *   entry       one (target id, ELF) pair of a container: "gfx90a:xnack-", bytes.
 *   code object one parsed AMDGPU ELF: its target, loadable segments, kernels, variables, functions.
 *   kernel      a kernel descriptor plus its metadata (arguments, names).
 *
 * Everything that comes from the file is hostile: every offset, size and count is checked before
 * use, and any damage is WL_INVALID_IMAGE with a sentence. Nothing is parsed before it is asked
 * for: opening a container reads its header and entry table only; a kernel's metadata is decoded
 * with its code object.
 *
 * A container refers to the caller's bytes, which must stay; a code object keeps what it needs
 * (decompressed bytes included) and is immutable after wl_codeobject_open, so that any number of
 * threads may read it. */
#ifndef WL_CODEOBJECT_H
#define WL_CODEOBJECT_H

#include "base/status.h"
#include "machine/processor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The caller has a pointer only: sizes are taken from the headers, and nothing is read that is not mapped. */
#define WL_SIZE_UNKNOWN SIZE_MAX

/* ---- targets -------------------------------------------------------------------------------- */

enum wl_feature { WL_FEATURE_ANY, WL_FEATURE_OFF, WL_FEATURE_ON }; /* not named, "-", "+" */

struct wl_target {
    char processor[32];              /* "gfx90a", "gfx11-generic" */
    unsigned major, minor, stepping; /* gfx90a: 9, 0, 10; generic targets: those of the family's first */
    bool generic;
    enum wl_feature xnack, sramecc;
};

/* Parses "gfx90a:sramecc+:xnack-" (an optional "amdgcn-amd-amdhsa--" prefix is skipped). WL_INVALID_VALUE if it is no
 * target id; WL_UNSUPPORTED if it is one below gfx900 or not known. */
enum wl_status wl_target_parse(struct wl_target *target, const char *text);
/* Writes the canonical target id, at most 63 characters; returns the length as snprintf does. */
int wl_target_format(const struct wl_target *target, char *text, size_t size);
/* Whether code for `code` runs on memories with error correction, where a load into half a register clears the other half: on the
 * processors that have them, unless the code is for such without. Code that names no choice has to work either way; rocBLAS' relies on the
 * zeros. */
bool wl_target_has_sram_ecc(const struct wl_target *code);
/* What its processor has: WL_HAS_* (machine/processor.h). */
static inline bool wl_target_has(const struct wl_target *target, uint32_t what) { return wl_processor_has(target->processor, what); }
/* Whether code for `code` may run on a device that presents itself as `device`: the same processor or a generic one of its
 * family, and no feature that both name and set differently. */
bool wl_target_compatible(const struct wl_target *code, const struct wl_target *device);

/* ---- containers ----------------------------------------------------------------------------- */

struct wl_container;

struct wl_entry {
    struct wl_target target;
    const void *data; /* points into the container (decompressed on first need); valid until it is closed */
    size_t size;
};

/* Recognizes and opens `data`. The HIPF wrapper's own pointer is followed. WL_INVALID_VALUE for NULL, WL_INVALID_IMAGE for
 * what is no container or a damaged one. A compressed bundle's contents are read, and found damaged, when first asked for. */
enum wl_status wl_container_open(struct wl_container **container, const void *data, size_t size);
/* Maps a file and opens it; the mapping belongs to the container. WL_FILE_NOT_FOUND if it cannot be read. Host executables,
 * libraries and object files are read too: their entries are those of all bundles in the section .hip_fatbin. */
enum wl_status wl_container_open_file(struct wl_container **container, const char *path);
/* Frees all that the container made, entries of compressed bundles included. NULL does nothing. */
void wl_container_close(struct wl_container *container);
/* The number of device entries that Wavelift could run; host entries and gfx8 and older are left out. 0 if a compressed
 * bundle is damaged. This and the functions below are thread-safe. */
size_t wl_container_count(struct wl_container *container);
/* Entry `index`, in the container's order. WL_INVALID_VALUE from wl_container_count on, WL_INVALID_IMAGE if it is damaged. */
enum wl_status wl_container_entry(struct wl_container *container, size_t index, struct wl_entry *entry);
/* The best entry for a device: an exact match of `wanted`, else a compatible one, specific before generic. With `wanted`
 * NULL: by the fixed order of preference that target.c's table is in. WL_NO_BINARY names what was wanted and what there is. */
enum wl_status wl_container_select(struct wl_container *container, const struct wl_target *wanted, struct wl_entry *entry);

/* A file's bytes, mapped. WL_FILE_NOT_FOUND if it cannot be read; WL_INVALID_VALUE if it is empty. */
struct wl_file {
    void *data;
    size_t size;
};
enum wl_status wl_file_map(struct wl_file *file, const char *path);
void wl_file_unmap(struct wl_file *file);

/* ---- images for other devices --------------------------------------------------------------- */

/* Recognizes an image for NVIDIA GPUs: returns "PTX", "cubin" or "CUDA fat binary", else NULL. `*size` may be WL_SIZE_UNKNOWN and
 * receives the image's (PTX: without the final NUL); `*data` moves from a fat binary's wrapper to what it wraps, if `in_memory`
 * says that its pointer means something. Nothing is read that is not mapped; what is inside is the driver's to check. */
const char *wl_foreign_image(const void **data, size_t *size, bool in_memory);

/* ---- code objects --------------------------------------------------------------------------- */

enum wl_argument_kind {
    WL_ARG_BY_VALUE,
    WL_ARG_GLOBAL_BUFFER,
    WL_ARG_DYNAMIC_LDS,
    WL_ARG_SAMPLER,
    WL_ARG_IMAGE,
    WL_ARG_PIPE,
    WL_ARG_QUEUE,
    /* Hidden arguments, which the runtime fills. */
    WL_ARG_HIDDEN_GLOBAL_OFFSET_X,
    WL_ARG_HIDDEN_GLOBAL_OFFSET_Y,
    WL_ARG_HIDDEN_GLOBAL_OFFSET_Z,
    WL_ARG_HIDDEN_NONE,
    WL_ARG_HIDDEN_PRINTF_BUFFER,
    WL_ARG_HIDDEN_HOSTCALL_BUFFER,
    WL_ARG_HIDDEN_DEFAULT_QUEUE,
    WL_ARG_HIDDEN_COMPLETION_ACTION,
    WL_ARG_HIDDEN_MULTIGRID_SYNC_ARG,
    WL_ARG_HIDDEN_BLOCK_COUNT_X,
    WL_ARG_HIDDEN_BLOCK_COUNT_Y,
    WL_ARG_HIDDEN_BLOCK_COUNT_Z,
    WL_ARG_HIDDEN_GROUP_SIZE_X,
    WL_ARG_HIDDEN_GROUP_SIZE_Y,
    WL_ARG_HIDDEN_GROUP_SIZE_Z,
    WL_ARG_HIDDEN_REMAINDER_X,
    WL_ARG_HIDDEN_REMAINDER_Y,
    WL_ARG_HIDDEN_REMAINDER_Z,
    WL_ARG_HIDDEN_GRID_DIMS,
    WL_ARG_HIDDEN_HEAP_V1,
    WL_ARG_HIDDEN_DYNAMIC_LDS_SIZE,
    WL_ARG_HIDDEN_PRIVATE_BASE,
    WL_ARG_HIDDEN_SHARED_BASE,
    WL_ARG_HIDDEN_QUEUE_PTR,
    WL_ARG_HIDDEN_UNKNOWN, /* a hidden kind this version does not know; filled with zeros */
};

struct wl_argument {
    const char *name;      /* may be "" */
    const char *type_name; /* may be "" */
    uint32_t offset, size; /* bytes, in the kernarg segment */
    enum wl_argument_kind kind;
};

/* The kernel descriptor's fields, in decoded form, and the kernel's metadata. */
struct wl_kernel {
    const char *name;      /* the symbol without ".kd", as hipModuleGetFunction asks for it */
    uint64_t descriptor;   /* virtual addresses within the code object */
    uint64_t start;        /* of its code, where its symbol is */
    uint64_t entry;        /* where a wave begins: the same, or behind the prologue if arguments are preloaded */
    uint32_t lds_size;     /* bytes, static */
    uint32_t scratch_size; /* bytes per lane; with dynamic_stack (recursion, unknown calls) only what is known: from version 5 on maybe 0 */
    uint32_t kernarg_size, kernarg_align; /* all arguments lie within */
    uint32_t vgprs, agprs,
        sgprs; /* allocated, as metadata says (or the descriptor's granules); gfx90a, gfx94x: `vgprs` includes the AGPRs */
    uint32_t sgpr_spills, vgpr_spills;
    uint32_t wave_size;                  /* 32 or 64 */
    uint32_t accum_offset;               /* gfx90a and gfx94x: first AGPR in the unified file; 0 on others */
    uint32_t max_workgroup_size;         /* metadata's max_flat_workgroup_size; 1024 if absent */
    uint32_t required_workgroup_size[3]; /* 0 if none */
    uint32_t cluster_size[3];            /* workgroups of a cluster, as metadata says; 0: none, 1024: the launch says it */
    uint32_t named_barriers;             /* of a workgroup, beside its own */
    bool dynamic_stack, uniform_workgroup_size;
    uint32_t float_mode; /* of MODE: bits 7:0: round f32, round f16/f64, denorm f32, denorm f16/f64, two each; 23: fp16_overflow */
    bool dx10_clamp, ieee_mode, fp16_overflow, wgp_mode, mem_ordered;
    /* Initial register state, in the order in which the hardware packs it. */
    bool user_private_segment_buffer, user_dispatch_ptr, user_queue_ptr, user_kernarg_ptr, user_dispatch_id, user_flat_scratch_init,
        user_private_segment_size;
    uint32_t kernarg_preload_length, kernarg_preload_offset; /* dwords */
    uint32_t user_sgprs;
    bool system_workgroup_id_x, system_workgroup_id_y, system_workgroup_id_z, system_workgroup_info; /* gfx12: in TTMPs instead */
    bool system_private_segment_wave_offset; /* in an SGPR: never where flat scratch is architected (gfx94x, gfx11, gfx12) */
    uint32_t workitem_id_dimensions;         /* 1 to 3: how many of x, y, z are initialized */
    const struct wl_argument *arguments;
    uint32_t argument_count; /* explicit and hidden */
};

struct wl_variable {
    const char *name;
    uint64_t address, size;
    bool managed;  /* hip's __managed__: `name` is the ".managed" initializer, the pointer variable carries the plain name */
    bool constant; /* in a segment that code may not write. Not the same as __constant__, which hosts may write */
};

/* A device function: every symbol of a function that is no kernel, and every address in code that data points at. */
struct wl_function {
    const char *name; /* "" if no symbol names it */
    uint64_t address, size;
    bool in_data;       /* data points at it: a relocation has its address */
    bool address_taken; /* it may be called through a pointer. Always true today: code makes pointers relative to the PC, without a trace */
};

struct wl_codeobject; /* opaque; the accessors below are all thread-safe */

/* Parses one AMDGPU ELF of known size. `data` may go away afterwards. WL_INVALID_IMAGE: damaged; WL_UNSUPPORTED: a processor,
 * an OS ABI or a version that Wavelift does not know. `*object` is NULL after a failure. */
enum wl_status wl_codeobject_open(struct wl_codeobject **object, const void *data, size_t size);
/* One more user, who closes the object as well. Thread-safe. */
void wl_codeobject_share(struct wl_codeobject *object);
/* Of the last user: frees the object and all that its accessors gave out. NULL does nothing. */
void wl_codeobject_close(struct wl_codeobject *object);

const struct wl_target *wl_codeobject_target(const struct wl_codeobject *object);
unsigned wl_codeobject_version(const struct wl_codeobject *object); /* 3 to 6 */
/* 128 bits that identify the content (XXH3 of the ELF). */
void wl_codeobject_hash(const struct wl_codeobject *object, uint64_t hash[2]);
/* The original ELF bytes (for DWARF readers and dumps). */
const void *wl_codeobject_elf(const struct wl_codeobject *object, size_t *size);

/* Kernels and variables in the order of their names, functions in that of their addresses. An index from the count on, or a
 * name that there is not, gives NULL. What they point to lives as long as the object. */
size_t wl_codeobject_kernel_count(const struct wl_codeobject *object);
const struct wl_kernel *wl_codeobject_kernel(const struct wl_codeobject *object, size_t index);
const struct wl_kernel *wl_codeobject_find_kernel(const struct wl_codeobject *object, const char *name);
size_t wl_codeobject_variable_count(const struct wl_codeobject *object);
const struct wl_variable *wl_codeobject_variable(const struct wl_codeobject *object, size_t index);
const struct wl_variable *wl_codeobject_find_variable(const struct wl_codeobject *object, const char *name);
size_t wl_codeobject_function_count(const struct wl_codeobject *object);
const struct wl_function *wl_codeobject_function(const struct wl_codeobject *object, size_t index);
/* Whether data points at the function at that address; false also if there is none. */
bool wl_codeobject_function_in_data(const struct wl_codeobject *object, uint64_t address);

/* The format string of device code that prints into a buffer (device/hostcall.h), by the number that stands for it there. NULL: none. */
const char *wl_codeobject_print_format(const struct wl_codeobject *object, uint64_t hash);

/* The unrelocated memory image: [0, wl_codeobject_image_size) covers every PT_LOAD segment, zero where the file has
 * none. Virtual address v of the code object is byte v of the image. Code reads itself relative to the PC, so a device
 * lays the whole image out in one piece. */
uint64_t wl_codeobject_image_size(const struct wl_codeobject *object);
/* Copies the image to `target` (host memory of wl_codeobject_image_size bytes) and applies the dynamic relocations for an
 * image that will live at address `base`. Undefined symbols (LDS in a dynsym) resolve to 0 if weak or LDS, else WL_NOT_FOUND
 * before anything is written. */
enum wl_status wl_codeobject_load(const struct wl_codeobject *object, void *target, uint64_t base);
/* The same for an image that lives where it is put: `pages` are fresh zeroed pages of the caller's, straight from the system. Of large code
 * objects whose bytes the program has mapped from a file they become mappings of that file, so that processes share them. They can be
 * written. */
enum wl_status wl_codeobject_load_pages(const struct wl_codeobject *object, void *pages);
/* The unrelocated image itself, for translation. Valid while the object lives. */
const uint8_t *wl_codeobject_image(const struct wl_codeobject *object);
/* Whether [address, address + size) lies in an executable segment; of an empty range, whether its address does. */
bool wl_codeobject_is_code(const struct wl_codeobject *object, uint64_t address, uint64_t size);
/* "file:line" of a virtual address from the ELF's line table; false if it has none, or libdw is not installed. The first call
 * opens libdw and reads the whole table. */
bool wl_codeobject_source_line(const struct wl_codeobject *object, uint64_t address, char *text, size_t size);
/* The place where the function that an instruction's line is in was inlined, at depth 0; at depth 1 the one where that place's function was
 * inlined, and so on. False: there is none, or it is not known. Thread-safe. */
enum { WL_MOST_INLINED = 16 };
bool wl_codeobject_inlined_at(const struct wl_codeobject *object, uint64_t address, unsigned depth, char *text, size_t size);

#endif
