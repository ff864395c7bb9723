#include "sanitize/report.h"

#include "base/array.h"
#include "base/options.h"
#include "sanitize/allocations.h"
#include "sanitize/describe.h"
#include "sanitize/json.h"
#include "sanitize/leaks.h"
#include "sanitize/names.h"
#include "sanitize/run.h"
#include "sanitize/suppress.h"
#include "sanitize/user.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What makes findings equal. Strings that differ in address alone are other keys, which lead to the same finding. */
struct key {
    uint64_t kernel; /* a hash of its name */
    uint64_t code, second_code;
    uint64_t callers; /* a hash of both accesses' */
    uint64_t stack;   /* of the host's call; of leaks: of the allocation */
    const char *call;
    uint32_t kind;
    uint32_t access;
};

/* Places of the table lead to findings, or to these. */
enum { FREE, SUPPRESSED, NOT_SHOWN, FIRST_FINDING };

struct place {
    struct key key;
    size_t what;
};

struct range {
    uint64_t address, size;
    unsigned tools;
};

static struct {
    pthread_mutex_t lock; /* of all below */
    struct wl_san_kept **findings;
    size_t count, capacity;
    struct place *places; /* open addressing */
    size_t place_count, places_used;
    struct range *benign;
    size_t benign_count, benign_capacity;
    struct wl_san_suppressions *suppressions;
    uint64_t times, suppressed, not_shown; /* not_shown: findings, not times */
    unsigned ignored[4];                   /* how often wl_san_ignore is on, for each tool */
    bool begun, finished;
    bool json_failed;
    char *json; /* the file's name; NULL: not chosen yet */
} reports = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ hash >> 29;
}

static uint64_t hash_name(const char *name) {
    uint64_t hash = 0;
    for (; name && *name; name++)
        hash = mix(hash, (unsigned char)*name);
    return hash;
}

static uint64_t hash_key(const struct key *key) {
    uint64_t hash = mix(mix(mix(mix(key->kernel, key->code), key->second_code), key->callers), key->stack);
    return mix(mix(hash, (uint64_t)(uintptr_t)key->call), (uint64_t)key->kind << 32 | key->access);
}

static uint64_t hash_callers(const struct wl_san_place *place) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < place->caller_count; i++)
        hash = mix(hash, place->callers[i]);
    return hash;
}

static struct key key_of(const struct wl_san_finding *finding) {
    struct key key;
    memset(&key, 0, sizeof key); /* keys are compared whole */
    key.kernel = hash_name(finding->at.kernel);
    key.code = finding->at.code;
    key.second_code = finding->has_second ? finding->second.code : 0;
    key.stack = finding->kind == WL_SAN_LEAK ? finding->block.made_stack : finding->at.stack;
    key.callers = hash_callers(&finding->at);
    if (finding->has_second)
        key.callers = mix(key.callers, hash_callers(&finding->second));
    key.call = finding->at.call;
    key.kind = finding->kind;
    key.access = finding->at.access;
    return key;
}

static struct place *place_in(struct place *places, size_t count, const struct key *key) {
    size_t at = hash_key(key) & (count - 1);
    while (places[at].what != FREE && memcmp(&places[at].key, key, sizeof *key) != 0)
        at = (at + 1) & (count - 1);
    return &places[at];
}

static bool grow_places(void) {
    if (reports.places_used * 2 < reports.place_count)
        return true;
    size_t count = reports.place_count ? reports.place_count * 2 : 64;
    struct place *places = calloc(count, sizeof *places);
    if (!places)
        return false;
    for (size_t i = 0; i < reports.place_count; i++)
        if (reports.places[i].what != FREE)
            *place_in(places, count, &reports.places[i].key) = reports.places[i];
    free(reports.places);
    reports.places = places;
    reports.place_count = count;
    return true;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* The first process of `wavelift sanitize` that writes takes the file; others add their number to its name. */
static const char *json_path(void) {
    const char *wanted = wl_options()->sanitize_json;
    struct wl_san_run *run = wl_san_run();
    if (reports.json || !wanted)
        return reports.json;
    if (run && atomic_exchange(&run->written, 1) != 0) {
        if (asprintf(&reports.json, "%s.%ld", wanted, (long)getpid()) < 0)
            reports.json = NULL;
    } else {
        reports.json = strdup(wanted);
    }
    return reports.json;
}

/* The file is written anew with each finding, so that it is whole whatever becomes of the process; a pipe only at the end. */
static void write_json(bool end) {
    struct stat status;
    const char *path = json_path();
    if (!path || reports.json_failed || (!end && stat(path, &status) == 0 && !S_ISREG(status.st_mode)))
        return;
    FILE *file = fopen(path, "we");
    if (file)
        wl_san_write_json(file, reports.findings, reports.count, reports.suppressed, reports.not_shown);
    if (!file || fclose(file) != 0) {
        fprintf(stderr, "wavelift: %s cannot be written: %m\n", path);
        reports.json_failed = true;
    }
}

/* ---- reporting ------------------------------------------------------------------------------- */

static unsigned ignored_tools(void) {
    unsigned tools = 0;
    for (unsigned i = 0; i < 4; i++)
        tools |= reports.ignored[i] ? 1u << i : 0;
    return tools;
}

static bool is_benign(const struct wl_san_finding *finding) {
    if (!finding->bytes || finding->space != WL_SANITIZE_GLOBAL)
        return false;
    for (size_t i = 0; i < reports.benign_count; i++) {
        const struct range *range = &reports.benign[i];
        if (range->tools & (unsigned)finding->tool && finding->address >= range->address && finding->address - range->address < range->size)
            return true;
    }
    return false;
}

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static bool same_line(const struct wl_san_spot *a, const struct wl_san_spot *b) {
    return same_text(a->symbol, b->symbol) &&
           (!a->symbol || (a->line == b->line && strcmp(a->file, b->file) == 0 && same_text(a->outer, b->outer)));
}

/* One source line may be several instructions, of the host too. Places that have no line are all different. */
static bool is_same(const struct wl_san_kept *a, const struct wl_san_kept *b) {
    const struct wl_san_finding *x = &a->finding, *y = &b->finding;
    if (x->kind != y->kind || x->at.access != y->at.access)
        return false;
    if (!a->at.symbol)
        return !b->at.symbol && a->stack && *a->stack && same_text(a->stack, b->stack) && same_text(x->at.call, y->at.call);
    return a->at.line > 0 && same_line(&a->at, &b->at) && same_line(&a->second, &b->second);
}

/* What is known that is the same: a finding, or FREE. */
static size_t known_as(const struct wl_san_kept *kept) {
    for (size_t i = 0; i < reports.count; i++)
        if (is_same(kept, reports.findings[i]))
            return FIRST_FINDING + i;
    return FREE;
}

/* The whole paragraph in one write, so that those of processes and threads do not mix. */
static void print(const struct wl_san_kept *kept) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return;
    wl_san_describe(out, kept);
    if (wl_options()->sanitize_generate)
        wl_san_print_suppression(out, kept);
    if (fclose(out) == 0)
        fwrite(text, 1, size, stderr);
    free(text);
}

/* A finding whose key is new. Returns what the key leads to. */
static size_t take(const struct wl_san_finding *finding) {
    struct wl_san_kept *kept = wl_san_keep(finding);
    size_t known = kept ? known_as(kept) : NOT_SHOWN;
    if (kept && known == FREE && wl_san_suppressed(reports.suppressions, kept))
        known = SUPPRESSED;
    if (known == FREE &&
        (reports.count >= wl_options()->sanitize_findings || !WL_ARRAY_RESERVE(reports.findings, reports.count, reports.capacity, 16)))
        known = NOT_SHOWN;
    if (known == NOT_SHOWN)
        reports.not_shown++;
    if (known == NOT_SHOWN && reports.not_shown == 1)
        fprintf(stderr, "wavelift: sanitize: %zu findings were reported; more are only counted\n", reports.count);
    if (known != FREE) {
        wl_san_drop(kept);
        return known;
    }
    reports.findings[reports.count++] = kept;
    print(kept);
    return FIRST_FINDING + reports.count - 1;
}

static void count(size_t what, bool is_new) {
    struct wl_san_run *run = wl_san_run();
    if (what == SUPPRESSED) {
        reports.suppressed++;
        return;
    }
    reports.times++;
    if (what >= FIRST_FINDING)
        reports.findings[what - FIRST_FINDING]->times++;
    if (run) {
        atomic_fetch_add(&run->times, 1);
        atomic_fetch_add(&run->findings, is_new);
    }
}

static void report(const struct wl_san_finding *finding) {
    struct key key = key_of(finding);
    size_t before = reports.count + reports.not_shown;
    if (!grow_places())
        return;
    struct place *place = place_in(reports.places, reports.place_count, &key);
    if (place->what == FREE) {
        size_t what = take(finding);
        *place = (struct place){key, what};
        reports.places_used++;
    }
    count(place->what, reports.count + reports.not_shown > before);
    if (reports.count + reports.not_shown > before)
        write_json(false);
}

void wl_san_report(const struct wl_san_finding *finding) {
    struct wl_san_finding refined = *finding;
    char *name = NULL;
    wl_san_begin();
    wl_san_user_refine(&refined, &name);
    pthread_mutex_lock(&reports.lock);
    if (ignored_tools() & (unsigned)refined.tool || is_benign(&refined))
        reports.suppressed++;
    else
        report(&refined);
    pthread_mutex_unlock(&reports.lock);
    free(name);
}

uint64_t wl_san_finding_count(void) {
    pthread_mutex_lock(&reports.lock);
    uint64_t number = reports.count + reports.not_shown;
    pthread_mutex_unlock(&reports.lock);
    return number;
}

/* ---- what the program says ------------------------------------------------------------------- */

void wl_san_ignore(unsigned tools, bool on) {
    pthread_mutex_lock(&reports.lock);
    for (unsigned i = 0; i < 4; i++)
        if (tools >> i & 1 && (on || reports.ignored[i]))
            reports.ignored[i] += on ? 1u : -1u;
    pthread_mutex_unlock(&reports.lock);
}

bool wl_san_benign(uint64_t address, uint64_t size, unsigned tools) {
    pthread_mutex_lock(&reports.lock);
    bool room = WL_ARRAY_RESERVE(reports.benign, reports.benign_count, reports.benign_capacity, 8);
    if (room)
        reports.benign[reports.benign_count++] = (struct range){address, size, tools};
    pthread_mutex_unlock(&reports.lock);
    return room;
}

bool wl_san_watches(const char *kernel) {
    const char *pattern = wl_options()->sanitize_kernel;
    char *demangled = pattern ? wl_san_demangle(kernel) : NULL;
    bool watched = !pattern || (demangled && wl_san_names_function(pattern, kernel, demangled));
    free(demangled);
    return watched;
}

/* ---- the run --------------------------------------------------------------------------------- */

static void lock_reports(void) { pthread_mutex_lock(&reports.lock); }
static void unlock_reports(void) { pthread_mutex_unlock(&reports.lock); }

/* A child reports what it finds itself. What its parent has found stays allocated: pages that are not touched are shared. */
static void forget_in_child(void) {
    reports.findings = NULL;
    reports.places = NULL;
    reports.json = NULL;
    reports.count = reports.capacity = reports.place_count = reports.places_used = 0;
    reports.times = reports.suppressed = reports.not_shown = 0;
    reports.finished = false;
    reports.begun = false;
    pthread_mutex_unlock(&reports.lock);
}

static void prepare(void) {
    const char *path = wl_options()->sanitize_suppressions;
    if (path && wl_san_suppressions_read(path, &reports.suppressions) != WL_OK)
        fprintf(stderr, "wavelift: %s; no finding is suppressed\n", wl_failure());
    pthread_atfork(lock_reports, unlock_reports, forget_in_child);
}

void wl_san_begin(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, prepare);
    pthread_mutex_lock(&reports.lock);
    struct wl_san_run *run = reports.begun ? NULL : wl_san_run();
    if (run)
        atomic_fetch_add(&run->started, 1);
    reports.begun = true;
    pthread_mutex_unlock(&reports.lock);
}

static void print_summary(FILE *out) {
    const uint64_t number = reports.count + reports.not_shown;
    if (number)
        fprintf(out, "wavelift: sanitize: %" PRIu64 " finding%s, %" PRIu64 " time%s in all", number, number == 1 ? "" : "s", reports.times,
                reports.times == 1 ? "" : "s");
    else
        fputs("wavelift: sanitize: no findings", out);
    if (reports.not_shown)
        fprintf(out, "; %" PRIu64 " of them not shown", reports.not_shown);
    if (reports.suppressed)
        fprintf(out, "; suppressed %" PRIu64 " time%s", reports.suppressed, reports.suppressed == 1 ? "" : "s");
    putc('\n', out);
    for (size_t i = 0; i < reports.count; i++) {
        fprintf(out, "wavelift: sanitize: %8" PRIu64 " time%s ", reports.findings[i]->times, reports.findings[i]->times == 1 ? " " : "s");
        wl_san_describe_briefly(out, reports.findings[i]);
        putc('\n', out);
    }
}

/* When the program's own destructors have run, and have freed what they free. */
__attribute__((destructor)) static void at_end(void) {
    if (reports.begun && wl_options()->sanitize_leaks && wl_san_tools() & WL_SANITIZE_MEMCHECK)
        wl_san_report_leaks();
    wl_san_finish();
}

void wl_san_finish(void) {
    pthread_mutex_lock(&reports.lock);
    if (reports.begun && !reports.finished) {
        struct wl_san_run *run = wl_san_run();
        reports.finished = true;
        print_summary(stderr);
        write_json(true);
        if (run)
            atomic_fetch_add(&run->finished, 1);
    }
    pthread_mutex_unlock(&reports.lock);
}
