#include "translate/interface/check.h"

#include "base/array.h"
#include "translate/decode/decoder.h"
#include "translate/isa/isa.h"
#include "translate/rewrite/rewrite.h"
#include "translate/steps/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- growing lists of addresses ---- */

struct addresses {
    uint64_t *items;
    size_t count, capacity;
};

static enum wl_status add(struct addresses *list, uint64_t address, bool once) {
    for (size_t i = 0; once && i < list->count; i++)
        if (list->items[i] == address)
            return WL_OK;
    if (!WL_ARRAY_RESERVE(list->items, list->count, list->capacity, 64))
        return wl_fail(WL_OUT_OF_MEMORY, "no memory to look at a kernel");
    list->items[list->count++] = address;
    return WL_OK;
}

/* ---- the instructions of one unit, whether or not they are supported ---- */

struct walk {
    const struct wl_translate_request *request;
    struct wl_decoder *decoder;
    struct wl_check *check;
    uint8_t *seen; /* a bit for each dword of the image */
    struct addresses work;
    bool blame; /* try each instruction alone */
};

static enum wl_coverage_status status_of(const struct walk *walk, const struct wl_inst *inst, unsigned count, const uint8_t *bytes) {
    enum wl_coverage_status worst = WL_COVERAGE_NO_EFFECT, status;
    for (unsigned i = 0; i < count; i++) {
        status = wl_coverage_of(&inst[i]);
        if (status == WL_COVERAGE_UNSUPPORTED)
            return status;
        if (status != WL_COVERAGE_NO_EFFECT && (worst == WL_COVERAGE_NO_EFFECT || status == WL_COVERAGE_ULP))
            worst = status;
    }
    const bool steers = inst[0].isa && wl_isa_steers(inst[0].isa->class); /* a branch means nothing alone */
    if (walk->blame && !steers && wl_coverage_try(walk->request->processor, walk->request->wave_size, bytes, inst[0].size) != WL_OK)
        return WL_COVERAGE_UNSUPPORTED;
    return worst;
}

/* Of those that one word makes, the one of which least is known; each is supported, and one has results. */
static enum wl_numerics numerics_of(const struct walk *walk, const struct wl_inst *inst, unsigned count) {
    enum wl_numerics worst = WL_NUMERICS_HARDWARE;
    for (unsigned i = 0; i < count; i++) {
        const enum wl_numerics one = wl_numerics_of(&inst[i], walk->request);
        if (one != WL_NUMERICS_NONE && one > worst)
            worst = one;
    }
    return worst;
}

static void add_missing(struct wl_check *check, const char *mnemonic) {
    uint32_t i = 0;
    while (i < check->missing_count && strcmp(check->missing[i].mnemonic, mnemonic) != 0)
        i++;
    if (i == WL_CHECK_NAMES)
        return;
    if (i == check->missing_count)
        snprintf(check->missing[check->missing_count++].mnemonic, sizeof check->missing[i].mnemonic, "%s", mnemonic);
    check->missing[i].count++;
}

/* A word that is no instruction: a trap if control comes there. */
static void add_unknown(struct wl_check *check, const uint8_t *bytes) {
    uint32_t word;
    char name[32];
    memcpy(&word, bytes, sizeof word);
    snprintf(name, sizeof name, "word 0x%08x", word);
    check->instructions++;
    check->counts[WL_COVERAGE_UNSUPPORTED]++;
    add_missing(check, name);
}

/* Goes straight on from one address. */
static enum wl_status walk_from(struct walk *walk, uint64_t address) {
    const struct wl_translate_request *request = walk->request;
    enum wl_status status = WL_OK;
    while (!status && request->is_code(request->context, address, 4) && !(walk->seen[address / 32] >> (address / 4 % 8) & 1)) {
        struct wl_inst inst[2];
        const uint8_t *bytes = request->image + address;
        unsigned count = wl_decode(walk->decoder, bytes, request->image_size - address, address, inst);
        walk->seen[address / 32] |= (uint8_t)(1u << (address / 4 % 8));
        if (!count) {
            add_unknown(walk->check, bytes);
            break;
        }
        enum wl_coverage_status what = status_of(walk, inst, count, bytes);
        walk->check->instructions++;
        walk->check->counts[what]++;
        if (what == WL_COVERAGE_EXACT || what == WL_COVERAGE_ULP)
            walk->check->numerics[numerics_of(walk, inst, count)]++;
        if (what == WL_COVERAGE_UNSUPPORTED)
            add_missing(walk->check, inst[0].mnemonic);
        int class = inst[0].isa ? inst[0].isa->class : -1;
        uint64_t target;
        if (wl_inst_branch_target(inst, &target))
            status = add(&walk->work, target, false);
        if (class == WL_ISA_BRANCH || class == WL_ISA_END || class == WL_ISA_SETPC)
            break;
        address += inst[0].size;
    }
    return status;
}

static enum wl_status count_unit(struct walk *walk, uint64_t entry) {
    walk->work.count = 0;
    enum wl_status status = add(&walk->work, entry, false);
    while (!status && walk->work.count)
        status = walk_from(walk, walk->work.items[--walk->work.count]);
    return status;
}

/* ---- units ---- */

/* Builds one unit as a kernel or function, and makes threaded code of it; adds what it calls to `entries`. `walk->blame`: some
 * instruction may be missing. */
static enum wl_status try_unit(struct walk *walk, uint64_t entry, bool is_kernel, struct addresses *entries) {
    struct wl_translate_request request = *walk->request;
    struct wl_steps *steps = NULL;
    struct wl_unit unit;
    request.entry = entry;
    request.is_kernel = is_kernel;
    request.mode = WL_MODE_FULL;
    enum wl_status status = wl_unit_build(&unit, walk->decoder, &request, entry);
    if (status)
        return status;
    for (uint32_t i = 0; i < unit.callee_count && !status; i++)
        status = add(entries, unit.callees[i], true);
    for (size_t i = 0; i < request.function_count && unit.indirect && !status; i++)
        status = add(entries, request.functions[i], true);
    if (!status && wl_steps_build(&unit, &steps) != WL_OK)
        walk->blame = true;
    if (steps)
        wl_steps_destroy(steps);
    wl_unit_destroy(&unit);
    return status;
}

static bool is_verdict(enum wl_status status) { return status == WL_UNSUPPORTED || status == WL_INTERNAL; }

enum wl_status wl_check_kernel(const struct wl_translate_request *request, struct wl_check *check) {
    *check = (struct wl_check){0};
    struct walk walk = {.request = request, .check = check};
    struct addresses entries = {0};
    enum wl_status status = wl_decoder_create(&walk.decoder, request->processor, request->wave_size);
    walk.seen = calloc(request->image_size / 32 + 1, 1);
    if (!status && !walk.seen)
        status = wl_fail(WL_OUT_OF_MEMORY, "no memory to look at %s", request->name);
    if (!status)
        status = add(&entries, request->entry, true);
    for (size_t i = 0; i < entries.count && !status; i++) {
        const uint32_t missing = check->counts[WL_COVERAGE_UNSUPPORTED];
        char failure[sizeof check->failure] = "";
        walk.blame = false;
        status = try_unit(&walk, entries.items[i], i == 0, &entries);
        const bool refused = is_verdict(status);
        walk.blame |= refused;
        if (walk.blame)
            snprintf(failure, sizeof failure, "%s", wl_failure());
        if (!status || refused)
            status = count_unit(&walk, entries.items[i]);
        /* what native code alone has is missing in threaded code */
        if (!*check->failure && (refused || check->counts[WL_COVERAGE_UNSUPPORTED] > missing))
            memcpy(check->failure, failure, sizeof failure);
    }
    check->functions = entries.count ? (uint32_t)entries.count - 1 : 0;
    free(entries.items);
    free(walk.work.items);
    free(walk.seen);
    wl_decoder_destroy(walk.decoder);
    return status;
}
