/* Images for NVIDIA GPUs, which are recognized here and read by the driver. */
#include "codeobject/internal.h"

#define WRAPPER_MAGIC UINT32_C(0x466243b1)
#define FATBIN_MAGIC  UINT32_C(0xba55ed50)

struct reader { /* of text that may end anywhere */
    const char *text;
    size_t size, mapped; /* bytes there are, and of them those that are known to be mapped */
};

/* The character at `at`; 0 at the end. */
static char character(struct reader *reader, size_t at) {
    enum { STEP = 4096 };
    if (at >= reader->size)
        return 0;
    if (at >= reader->mapped) {
        size_t step = STEP - ((uintptr_t)reader->text + at) % STEP;
        if (!wl_pages_mapped(reader->text + at, 1))
            return 0;
        reader->mapped = at + step;
    }
    return reader->text[at];
}

/* Behind white space and comments, which PTX has as C++ does. */
static size_t skip_blank(struct reader *reader, size_t at) {
    for (;;) {
        char c = character(reader, at), next = '\0';
        if (c)
            next = character(reader, at + 1);
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') {
            at++;
        } else if (c == '/' && next == '/') {
            while (c && c != '\n')
                c = character(reader, ++at);
        } else if (c == '/' && next == '*') {
            for (at += 2; (c = character(reader, at)) && !(c == '*' && character(reader, at + 1) == '/');)
                at++;
            at += c ? 2 : 0;
        } else {
            return at;
        }
    }
}

/* Every PTX module begins with its version. */
static bool is_ptx(const void *data, size_t *size) {
    static const char first[] = ".version";
    struct reader reader = {.text = data, .size = *size};
    size_t at = skip_blank(&reader, 0);
    for (size_t i = 0; i < sizeof first - 1; i++)
        if (character(&reader, at + i) != first[i])
            return false;
    while (character(&reader, at))
        at++;
    *size = at;
    return true;
}

static bool is_cubin(const void *data, size_t *size) {
    enum { EM_CUDA_GPU = 190 };
    if (*size < sizeof(Elf64_Ehdr) || memcmp(data, ELFMAG, SELFMAG) != 0 ||
        wl_read16((const uint8_t *)data + offsetof(Elf64_Ehdr, e_machine)) != EM_CUDA_GPU)
        return false;
    uint64_t extent = *size == WL_SIZE_UNKNOWN ? wl_elf_extent(data) : *size;
    if (extent == 0 || extent > SIZE_MAX || !wl_pages_mapped(data, extent))
        return false;
    *size = (size_t)extent;
    return true;
}

/* A magic number, u16 version, u16 size of the header, u64 size of what follows. */
static bool is_fatbin(const void *data, size_t *size) {
    if (*size < 16 || wl_read32(data) != FATBIN_MAGIC)
        return false;
    uint64_t extent = wl_read64((const uint8_t *)data + 8), header = wl_read16((const uint8_t *)data + 6);
    if (extent > SIZE_MAX / 2 || extent + header > *size || !wl_pages_mapped(data, extent + header))
        return false;
    *size = (size_t)(extent + header);
    return true;
}

const char *wl_foreign_image(const void **data, size_t *size, bool in_memory) {
    if (!*data || *size < 16 || !wl_pages_mapped(*data, 16))
        return NULL;
    if (in_memory && wl_read32(*data) == WRAPPER_MAGIC && *size >= 24) { /* u32 magic, u32 version, a pointer */
        uint64_t address = wl_read64((const uint8_t *)*data + 8);
        const void *inner = (const void *)(uintptr_t)address;
        size_t unknown = WL_SIZE_UNKNOWN;
        if (!inner || !wl_pages_mapped(inner, 16) || !is_fatbin(inner, &unknown))
            return NULL;
        *data = inner;
        *size = unknown;
        return "CUDA fat binary";
    }
    if (is_fatbin(*data, size))
        return "CUDA fat binary";
    if (*size != WL_SIZE_UNKNOWN || wl_pages_mapped(*data, sizeof(Elf64_Ehdr)))
        if (is_cubin(*data, size))
            return "cubin";
    return is_ptx(*data, size) ? "PTX" : NULL;
}
