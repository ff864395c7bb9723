/* C = A B with matrix instructions: the host side. The second factor is stored by columns, as weights are. Before it:
 *   KERNEL         the kernel's name; workgroups of 256 items compute tiles of 64 x 64
 *   N              the side of the matrices
 *   FACTOR, SUM    what A and B, and C, are made of
 * A benchmark defines the three functions that are declared below; panels.h has a native() for several. */
#include "bench.h"

static FACTOR *a, *b;
static SUM *c;
static struct buffer da, db, dc;

static FACTOR number(struct random *random); /* one of A's or B's */
static void prepare(void);                   /* what native() needs besides */
static void native(void);

static void make(struct result *result) {
    struct random random = {1};
    prepare();
    a = host_array(sizeof *a * N * N);
    b = host_array(sizeof *b * N * N);
    c = host_array(sizeof *c * N * N);
    for (size_t i = 0; i < (size_t)N * N; i++) {
        a[i] = number(&random);
        b[i] = number(&random);
    }
    *result = (struct result){c, sizeof *c * N * N, BITS, 0, 0};
}

static void upload(void) {
    da = new_buffer(sizeof *a * N * N, a);
    db = new_buffer(sizeof *b * N * N, b);
    dc = new_buffer(sizeof *c * N * N, NULL);
}

static void device(void) { LAUNCH(KERNEL, EXTENT(N / 64, N / 64), EXTENT(256), BUFFER(da), BUFFER(db), BUFFER(dc), INT(N)); }

static void fetch(void) { read_buffer(c, dc, sizeof *c * N * N); }

/* The benchmark: what it counts, the factor that the device may be slower than native code by, and its note. */
#define PRODUCT(unit, bar, note) {make, native, upload, device, fetch, 2e-9 * N * N * N, unit, bar, note}
