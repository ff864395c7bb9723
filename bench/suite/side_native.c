/* The native side: no device. */
#include "bench.h"

const bool side_is_device = false;

void side_start(const char *file) { (void)file; }
void side_finish(void) {}

static _Noreturn void none(void) { bench_fail("the native side has no device"); }

struct buffer new_buffer(size_t bytes, const void *data) { (void)bytes, (void)data, none(); }
void read_buffer(void *to, struct buffer from, size_t bytes) { (void)to, (void)from, (void)bytes, none(); }
void write_buffer(struct buffer to, const void *from, size_t bytes) { (void)to, (void)from, (void)bytes, none(); }
void copy_buffer(struct buffer to, struct buffer from, size_t bytes) { (void)to, (void)from, (void)bytes, none(); }
void clear_buffer(struct buffer to, size_t bytes) { (void)to, (void)bytes, none(); }
void launch(const char *name, struct extent groups, struct extent items, const struct argument *arguments, size_t count) {
    (void)name, (void)groups, (void)items, (void)arguments, (void)count, none();
}
struct image new_image(enum texel texel, struct extent size, bool normalized, const void *data) {
    (void)texel, (void)size, (void)normalized, (void)data, none();
}
