/* Translation of AMD machine code to native code: the only door to LLVM.
 *
 * This room builds into its own shared object, libwavelift-translate.so, which a device opens with
 * dlopen when its native-code cache has no entry. It knows no HIP and no files: bytes of a code
 * object's image in, a relocatable native object out.
 *
 *   decode.c     bytes -> struct inst (LLVM's disassembler, then a parser of its canonical text)
 *   isa.c        what each mnemonic is: the alias table and the instructions that the lifter itself emits
 *   sem.c        the semantics: C functions compiled to bitcode, found by mnemonic
 *   unit.c       control flow: from one address to pieces of straight code with edges and resume points
 *   idiom.c      known sequences of instructions, simplified
 *   liveness.c   which registers a piece needs and leaves
 *   affine.c     what is known about each VGPR's lanes: uniform, base + stride * lane; value.c: the algebra of that
 *   lift*.c      pieces -> LLVM IR, in the FULL or the MASKED form (see device/cpu/wave.h)
 *   emit.c       passes and native code generation; outline.c: one of ours, for addresses
 *   coverage.c   what instructions a processor has, and what becomes of each */
#ifndef WL_TRANSLATE_H
#define WL_TRANSLATE_H

#include "base/status.h"
#include "device/cpu/wave.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Shapes of workgroups that get code of their own. Known to the affine analysis, part of the cache key. */
enum wl_shape {
    WL_SHAPE_ANY,   /* nothing is known */
    WL_SHAPE_ROWS,  /* blockDim.x is a multiple of 16: in each strip x is consecutive and y, z are the same */
    WL_SHAPE_LINES, /* the same for each wave: blockDim.x is a multiple of the wave's size, or of 16 and blockDim.y = blockDim.z = 1 */
    WL_SHAPE_COUNT,
};

struct wl_translate_request {
    const char *processor; /* "gfx90a" */
    uint32_t wave_size;    /* 32 or 64 */
    const uint8_t *image;  /* the code object's unrelocated image; virtual address v is image[v] */
    uint64_t image_size;
    uint64_t entry;                  /* virtual address of the unit */
    const char *name;                /* of the kernel or function, for messages and symbols */
    bool is_kernel;                  /* entry state is that of a kernel (below), else of a device function */
    uint32_t workitem_id_dimensions; /* kernels: 1 to 3 */
    bool packed_workitem_ids;        /* kernels: v0 = x | y << 10 | z << 20 */
    enum wl_shape shape;
    bool flushes_f32; /* some kernel of the code object starts with f32 denormals flushed */
    enum wl_mode mode;
    bool exact_math; /* approximate instructions are rounded correctly */
    const char *cpu; /* LLVM's name of the host CPU and its features; both from wl_translate_host */
    const char *features;
    /* Whether [address, address + size) is executable. */
    bool (*is_code)(void *context, uint64_t address, uint64_t size);
    void *context;
    const uint64_t *functions; /* entry points that calls through pointers may reach, sorted; for verification */
    size_t function_count;
    const char *dump; /* folder for IR and objects, or NULL */
};

/* The object's symbols: "wl_unit" is the wl_unit_code, "wl_unit_info" a struct wl_unit_info in read-only data. */
struct wl_resume_point {
    uint64_t address;   /* virtual address of the instruction at which execution goes on */
    uint32_t is_return; /* 1: behind a call: a JUMP to `address` enters here */
    uint32_t reserved;
};
struct wl_unit_info {
    uint32_t abi;          /* WL_WAVE_ABI */
    uint32_t rows;         /* VGPR rows that the unit uses: highest row + 1 */
    uint32_t instructions; /* AMD instructions translated */
    uint32_t resume_count;
    uint32_t may_wait;               /* 1: has a barrier, a sleep, a message, a call or a spinning loop: waves need state of their own */
    uint32_t keeps_wave;             /* 1: the copy never writes to its struct wl_wave, so a wave that ran it can run it again as it is */
    struct wl_resume_point resume[]; /* [0] is the entry */
};

struct wl_translate_result {
    void *object; /* a relocatable ELF object of the host; free with wl_translate_free */
    size_t size;
    uint32_t instructions;
    uint64_t decode_ns, lift_ns, optimize_ns, codegen_ns;
};

/* Translates one unit. For a kernel in FULL mode it first verifies every instruction that the kernel can reach, direct
 * callees and `functions` (if there is an indirect call) included, so that nothing fails later.
 * WL_UNSUPPORTED: the sentence names mnemonic, encoding, kernel and offset. Thread-safe. */
typedef enum wl_status wl_translate_fn(const struct wl_translate_request *request, struct wl_translate_result *result);
typedef void wl_translate_free_fn(struct wl_translate_result *result);
/* LLVM's name and features of this machine's CPU, or of the one that WAVELIFT_CPU names. The strings live as long as the library. Thread-safe. */
typedef void wl_translate_host_fn(const char **cpu, const char **features);
/* The calling thread's last failure within this shared object. */
typedef const char *wl_translate_failure_fn(void);

wl_translate_fn wl_translate;
wl_translate_free_fn wl_translate_free;
wl_translate_host_fn wl_translate_host;
wl_translate_failure_fn wl_translate_failure;

#endif
