/* What the files of this layer share; nothing outside src/codeobject/ includes it.
 *
 *   target.c      processors, target ids, ELF flags
 *   container.c   wrappers and bundles: where each entry is
 *   compressed.c  CCOB: header and decompression
 *   elf.c         the checked ELF reader
 *   codeobject.c  opening: image, symbols, lists of kernels, variables and functions
 *   descriptor.c  the 64-byte kernel descriptor
 *   metadata.c    the MessagePack note
 *   load.c        dynamic relocations, copies of the image
 *   memory.c      pages and the arena
 *   backing.c     the file behind large code objects, of which images are mappings
 *   foreign.c     recognizes images for NVIDIA GPUs
 *   lines.c       source lines, through libdw opened on demand */
#ifndef WL_CODEOBJECT_INTERNAL_H
#define WL_CODEOBJECT_INTERNAL_H

#include "codeobject/codeobject.h"

#include <elf.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* Whether [offset, offset + length) lies within `size` bytes. Cannot overflow. */
static inline bool wl_within(uint64_t offset, uint64_t length, uint64_t size) { return offset <= size && length <= size - offset; }

static inline uint16_t wl_read16(const void *bytes) {
    uint16_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint32_t wl_read32(const void *bytes) {
    uint32_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

static inline uint64_t wl_read64(const void *bytes) {
    uint64_t value;
    memcpy(&value, bytes, sizeof value);
    return value;
}

/* ---- memory ------------------------------------------------------------------------------------ */

/* Zeroed pages that cost nothing until touched; NULL when there is no address space. `size` is from the file: any value. */
void *wl_pages_reserve(uint64_t size);
void wl_pages_free(void *pages, uint64_t size);
/* Whether every page of [data, data + size) is mapped: the guard for containers of unknown size. */
bool wl_pages_mapped(const void *data, uint64_t size);

/* ---- files behind code objects ----------------------------------------------------------------- */

enum { WL_BACKING_LEAST = 1 << 20 }; /* bytes of code objects for which it is worth looking */

/* The file that bytes of the program are mapped from, and a mapping of these bytes of our own. */
struct wl_backing {
    int file;        /* -1: there is none */
    uint64_t offset; /* of the bytes in the file */
    uint8_t *bytes;
    size_t size;
};
/* Finds it. No file: the bytes are few, in memory alone, or not those of the file any more. */
void wl_backing_open(struct wl_backing *backing, const void *data, size_t size);
void wl_backing_close(struct wl_backing *backing);
/* Copies a part of the bytes to zeroed pages; whole pages become mappings of the file where it has them at the same place within a page. They
 * can be written. */
void wl_backing_copy(const struct wl_backing *backing, void *target, const uint8_t *source, size_t size);

/* Memory that lives as long as its code object. Not thread-safe: used while opening only. */
struct wl_arena_block;
struct wl_arena {
    struct wl_arena_block *blocks;
};
void *wl_arena_allocate(struct wl_arena *arena, size_t size);                 /* 16-byte aligned, zeroed; NULL when memory is exhausted */
char *wl_arena_text(struct wl_arena *arena, const char *text, size_t length); /* a NUL-terminated copy */
void wl_arena_free(struct wl_arena *arena);

/* ---- targets ----------------------------------------------------------------------------------- */

/* The target that an AMDGPU ELF names in its flags. WL_UNSUPPORTED for a processor that Wavelift does not know. */
enum wl_status wl_target_from_flags(struct wl_target *target, uint32_t flags, unsigned version);
/* Place in the order of preference when nothing is wanted: smaller is better. */
unsigned wl_target_rank(const struct wl_target *target);
/* Hardware facts that the descriptor's decoding needs. */

/* ---- compressed bundles ------------------------------------------------------------------------ */

struct wl_compressed {
    const uint8_t *data; /* the whole CCOB, header included */
    uint64_t header_size;
    uint64_t size; /* header and payload; WL_SIZE_UNKNOWN for version 1 at an address without a size */
    uint64_t uncompressed_size;
    bool zstd; /* else zlib */
};
bool wl_compressed_is(const void *data, uint64_t size);
/* Reads and checks the header. `size` may be WL_SIZE_UNKNOWN. */
enum wl_status wl_compressed_open(struct wl_compressed *compressed, const void *data, uint64_t size);
/* Decompresses into fresh pages of `uncompressed_size` bytes, which the caller frees with wl_pages_free. */
enum wl_status wl_compressed_expand(const struct wl_compressed *compressed, void **pages);

/* ---- ELF --------------------------------------------------------------------------------------- */

/* A view of an ELF's bytes with its header checked: 64-bit, little-endian, header tables within the bytes. */
struct wl_elf {
    const uint8_t *data;
    size_t size;
    Elf64_Ehdr header;
};
enum wl_status wl_elf_open(struct wl_elf *elf, const void *data, size_t size);
/* Copies out one header; `index` below e_phnum or e_shnum. */
Elf64_Phdr wl_elf_segment(const struct wl_elf *elf, unsigned index);
Elf64_Shdr wl_elf_section(const struct wl_elf *elf, unsigned index);
/* The bytes of the first section with this name; false if there is none or it lies outside the file. */
bool wl_elf_find_section(const struct wl_elf *elf, const char *name, const uint8_t **data, uint64_t *size);
/* Bytes that an ELF at `data` extends over, from its headers; 0 if they are damaged. For an address without a size. */
uint64_t wl_elf_extent(const void *data);

struct wl_elf_symbol {
    const char *name; /* in the ELF's string table, checked to be terminated */
    uint64_t value, size;
    uint8_t type, binding;
    uint16_t section;
};
/* Reads .dynsym and .symtab, in that order, into a malloc'ed array. `dynamic` receives how many are of .dynsym. */
enum wl_status wl_elf_symbols(const struct wl_elf *elf, struct wl_elf_symbol **symbols, size_t *count, size_t *dynamic);

/* Where the dynamic section, read through PT_DYNAMIC, points: virtual addresses, 0 if absent. */
struct wl_dynamic {
    uint64_t symtab, strtab, strsz, hash, gnu_hash;
    uint64_t rela, relasz, jmprel, pltrelsz, relr, relrsz;
};
enum wl_status wl_elf_dynamic(const struct wl_elf *elf, struct wl_dynamic *dynamic);
/* The file bytes behind [address, address + size); NULL if no segment holds them all. */
const uint8_t *wl_elf_at(const struct wl_elf *elf, uint64_t address, uint64_t size);
/* The same, with `size` set to all that follows in the segment's file bytes. */
const uint8_t *wl_elf_from(const struct wl_elf *elf, uint64_t address, uint64_t *size);

/* ---- code objects ------------------------------------------------------------------------------ */

struct wl_segment {
    uint64_t address, memory_size;
    bool writable, executable;
};

/* A dynamic relocation, resolved as far as it can be without the base address. */
struct wl_relocation {
    uint64_t place;
    uint64_t value;        /* symbol value + addend */
    uint8_t type;          /* R_AMDGPU_* */
    bool relative;         /* `value` is an address of the image: add the base */
    const char *undefined; /* the symbol that nothing defines, or NULL */
};

enum { /* AMDGPU relocation types */
       R_AMDGPU_NONE = 0,
       R_AMDGPU_ABS32_LO = 1,
       R_AMDGPU_ABS32_HI = 2,
       R_AMDGPU_ABS64 = 3,
       R_AMDGPU_REL32 = 4,
       R_AMDGPU_REL64 = 5,
       R_AMDGPU_ABS32 = 6,
       R_AMDGPU_REL32_LO = 10,
       R_AMDGPU_REL32_HI = 11,
       R_AMDGPU_RELATIVE64 = 13,
};

struct wl_lines; /* the state of lines.c */

struct wl_codeobject {
    _Atomic unsigned users;
    struct wl_elf elf; /* of our own copy of the bytes */
    uint8_t *bytes;    /* those of `backing` if there is a file */
    struct wl_backing backing;
    struct wl_target target;
    unsigned version;
    uint64_t hash[2];
    uint8_t *image;
    uint64_t image_size;
    struct wl_segment *segments;
    size_t segment_count;
    struct wl_relocation *relocations;
    size_t relocation_count;
    struct wl_kernel *kernels; /* sorted by name */
    size_t kernel_count;
    struct wl_variable *variables; /* sorted by name */
    size_t variable_count;
    struct wl_function *functions; /* sorted by address */
    size_t function_count;
    struct wl_print_format *formats; /* what device code names when it prints into a buffer */
    size_t format_count;
    struct wl_arena arena;      /* owns all the arrays above and the strings not in `bytes` */
    pthread_mutex_t lines_lock; /* guards `lines`; taken alone */
    struct wl_lines *lines;     /* NULL until asked for */
};

/* A format string and the number that stands for it in device code. */
struct wl_print_format {
    uint64_t hash;
    const char *text;
};

enum { WL_KERNARG_MAX = 1 << 20 }; /* bytes; no compiler comes near */

/* Whether the range lies in one loadable segment. */
bool wl_codeobject_is_loaded(const struct wl_codeobject *object, uint64_t address, uint64_t size);
/* Decodes the descriptor at kernel->descriptor into `kernel`. Needs the image, target and segments. */
enum wl_status wl_descriptor_decode(const struct wl_codeobject *object, struct wl_kernel *kernel);
/* Puts the unrelocated image into fresh zeroed pages, which become mappings of the code object's file if it has one. */
void wl_image_put(const struct wl_codeobject *object, uint8_t *target);
/* Reads the metadata notes and completes the kernels with them. */
enum wl_status wl_metadata_read(struct wl_codeobject *object);
/* Collects and checks the dynamic relocations. `symbols` are those of .dynsym. */
enum wl_status wl_relocations_read(struct wl_codeobject *object, const struct wl_elf_symbol *symbols, size_t count);
void wl_lines_close(struct wl_lines *lines);

#endif
