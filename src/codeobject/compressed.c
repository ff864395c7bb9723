/* Compressed offload bundles ("CCOB"), versions 1 to 3.
 *
 *   offset  version 1            version 2            version 3
 *   0       u32 "CCOB"           the same             the same
 *   4       u16 version          the same             the same
 *   6       u16 method           the same             the same       0: zlib, 1: zstd
 *   8       u32 uncompressed     u32 file size        u64 file size  (header included)
 *   12      u64 hash             u32 uncompressed
 *   16                           u64 hash             u64 uncompressed
 *   24                                                u64 hash
 *   end     20                   24                   32
 *
 * The hash is a tag of the compiler's, not a checksum that readers verify: zlib and zstd carry their own. */
#include "base/page.h"
#include "codeobject/internal.h"

#include <stdio.h>
#include <zlib.h>
#include <zstd.h>

#define MAGIC            UINT32_C(0x424f4343) /* "CCOB" */
#define UNCOMPRESSED_MAX (UINT64_C(1) << 36)  /* no bundle comes near 64 GiB; a damaged header does */

bool wl_compressed_is(const void *data, uint64_t size) { return size >= 8 && wl_read32(data) == MAGIC; }

enum wl_status wl_compressed_open(struct wl_compressed *compressed, const void *data, uint64_t size) {
    static const uint8_t header_sizes[] = {0, 20, 24, 32};
    const uint8_t *bytes = data;
    unsigned version = wl_read16(bytes + 4), method = wl_read16(bytes + 6);
    if (version < 1 || version > 3)
        return wl_fail(WL_INVALID_IMAGE, "compressed bundle of unknown version %u", version);
    if (method > 1)
        return wl_fail(WL_INVALID_IMAGE, "bundle compressed with unknown method %u", method);

    *compressed = (struct wl_compressed){.data = bytes, .header_size = header_sizes[version], .size = size, .zstd = method == 1};
    if (size == WL_SIZE_UNKNOWN ? !wl_pages_mapped(bytes, compressed->header_size) : size < compressed->header_size)
        return wl_fail(WL_INVALID_IMAGE, "the compressed bundle's header is cut off");

    uint64_t total = size;
    if (version == 1) {
        compressed->uncompressed_size = wl_read32(bytes + 8);
    } else if (version == 2) {
        total = wl_read32(bytes + 8);
        compressed->uncompressed_size = wl_read32(bytes + 12);
    } else {
        total = wl_read64(bytes + 8);
        compressed->uncompressed_size = wl_read64(bytes + 16);
    }
    if (total < compressed->header_size || total > size)
        return wl_fail(WL_INVALID_IMAGE, "the compressed bundle says it has %llu bytes", (unsigned long long)total);
    if (size == WL_SIZE_UNKNOWN && version > 1 && !wl_pages_mapped(bytes, total))
        return wl_fail(WL_INVALID_IMAGE, "the compressed bundle reaches past the memory it is in");
    if (compressed->uncompressed_size == 0 || compressed->uncompressed_size > UNCOMPRESSED_MAX)
        return wl_fail(WL_INVALID_IMAGE, "the compressed bundle says it expands to %llu bytes",
                       (unsigned long long)compressed->uncompressed_size);
    compressed->size = total;
    return WL_OK;
}

/* How many bytes from `at` may be handed to a decompressor. Where the payload's end is unknown, that is the rest of the
 * page: it is mapped as a whole, and `at` is a byte that the stream still needs. */
static size_t readable(const struct wl_compressed *compressed, const uint8_t *at, size_t wanted) {
    uint64_t left;
    if (compressed->size == WL_SIZE_UNKNOWN)
        left = wl_pages_mapped(at, 1) ? WL_PAGE - (uintptr_t)at % WL_PAGE : 0;
    else
        left = compressed->size - (uint64_t)(at - compressed->data);
    return left < wanted ? left : wanted;
}

static enum wl_status damaged(const char *why) { return wl_fail(WL_INVALID_IMAGE, "the compressed bundle cannot be expanded: %s", why); }

static enum wl_status expand_zstd(const struct wl_compressed *compressed, void *target) {
    ZSTD_DStream *stream = ZSTD_createDStream();
    if (!stream)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory to expand a compressed bundle");
    /* The stream tells how much it needs next and never asks past its end, which is what an unknown size needs. */
    size_t next = ZSTD_initDStream(stream);
    ZSTD_outBuffer output = {target, compressed->uncompressed_size, 0};
    const uint8_t *at = compressed->data + compressed->header_size;
    enum wl_status status = WL_OK;
    while (next && !status) {
        size_t wanted = compressed->size == WL_SIZE_UNKNOWN ? next : SIZE_MAX;
        ZSTD_inBuffer input = {at, readable(compressed, at, wanted), 0};
        size_t before = output.pos;
        next = ZSTD_decompressStream(stream, &output, &input);
        at += input.pos;
        if (ZSTD_isError(next))
            status = damaged(ZSTD_getErrorName(next));
        else if (next && input.pos == 0 && output.pos == before)
            status = damaged(output.pos == output.size ? "it is longer than it says" : "it is cut off");
    }
    if (!status && output.pos != output.size)
        status = damaged("it is shorter than it says");
    ZSTD_freeDStream(stream);
    return status;
}

static enum wl_status expand_zlib(const struct wl_compressed *compressed, void *target) {
    z_stream stream = {0};
    if (inflateInit(&stream) != Z_OK)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory to expand a compressed bundle");
    const uint8_t *at = compressed->data + compressed->header_size;
    uint8_t *output = target;
    uint64_t capacity = compressed->uncompressed_size;
    enum wl_status status = WL_OK;
    for (int result = Z_OK; result != Z_STREAM_END && !status;) {
        uInt given = (uInt)readable(compressed, at, UINT32_C(1) << 30);
        uInt free_now = capacity > UINT32_C(1) << 30 ? UINT32_C(1) << 30 : (uInt)capacity;
        stream.next_in = (Bytef *)at, stream.avail_in = given;
        stream.next_out = output, stream.avail_out = free_now;
        result = inflate(&stream, Z_NO_FLUSH);
        at += given - stream.avail_in;
        output += free_now - stream.avail_out, capacity -= free_now - stream.avail_out;
        if (result == Z_MEM_ERROR)
            status = wl_fail(WL_OUT_OF_MEMORY, "no memory to expand a compressed bundle");
        else if (result == Z_BUF_ERROR)
            status = damaged(capacity ? "it is cut off" : "it is longer than it says");
        else if (result != Z_OK && result != Z_STREAM_END)
            status = damaged(stream.msg ? stream.msg : "zlib cannot read it");
    }
    if (!status && capacity)
        status = damaged("it is shorter than it says");
    inflateEnd(&stream);
    return status;
}

enum wl_status wl_compressed_expand(const struct wl_compressed *compressed, void **pages) {
    void *target = wl_pages_reserve(compressed->uncompressed_size);
    if (!target)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for a bundle of %llu bytes", (unsigned long long)compressed->uncompressed_size);
    enum wl_status status = compressed->zstd ? expand_zstd(compressed, target) : expand_zlib(compressed, target);
    if (status)
        wl_pages_free(target, compressed->uncompressed_size);
    else
        *pages = target;
    return status;
}
