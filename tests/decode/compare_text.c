/* The decoder and printer against LLVM's disassembler, word by word: the same refusals, sizes and texts. LLVM is a library that one names, of
 * any version from 19 on.
 *
 *     decode_text LIBRARY random COUNT SEED TARGET...    random words
 *     decode_text LIBRARY files FILE...                  all code of code objects, fat binaries and libraries
 *     decode_text LIBRARY words TARGET HEX...            one instruction, as both see it
 *
 * TARGET is PROCESSOR or PROCESSOR/32. Differences are counted by mnemonic and kind; exit status 1 if there are any, 77 if there was nothing
 * to compare. rules.c lists where texts differ for a reason. */
#include "differences.h"
#include "inputs.h"
#include "machine/processor.h"
#include "oracle.h"
#include "rules.h"
#include "translate/decode/words/decoder.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    struct oracle *llvm;
    struct wl_word_decoder *table;
    const struct wl_processor *processor;
    char name[32];
} pair;
static uint64_t compared, taken;

/* False: one of both does not know the processor. */
static bool open_pair(const char *processor, unsigned wave_size) {
    memset(&pair, 0, sizeof pair);
    snprintf(pair.name, sizeof pair.name, "%s/%u", processor, wave_size);
    pair.processor = wl_processor_find(processor);
    if (!pair.processor || wl_word_decoder_create(&pair.table, processor, wave_size) != WL_OK) {
        fprintf(stderr, "%s\n", pair.processor ? wl_failure() : processor);
        return false;
    }
    const char *asked = oracle_version() < 20 && pair.processor->alike ? pair.processor->alike : processor;
    pair.llvm = oracle_create(asked, wave_size);
    if (!pair.llvm)
        fprintf(stderr, "LLVM does not know %s\n", processor);
    return pair.llvm;
}

static void close_pair(void) {
    oracle_destroy(pair.llvm);
    wl_word_decoder_destroy(pair.table);
    memset(&pair, 0, sizeof pair);
}

static uint64_t address_at; /* of the instruction that is compared */

static unsigned ask(const uint8_t *bytes, uint64_t available, char *text) {
    return oracle_print(pair.llvm, bytes, available, address_at, text, 512);
}

static unsigned print(const uint8_t *bytes, uint64_t available, char *text) {
    const unsigned size = wl_word_print(pair.table, bytes, available, address_at, text, 512);
    if (!size)
        text[0] = '\0';
    return size;
}

/* Returns the size of the instruction by LLVM, or 0. `theirs` and `ours` have room for 512. */
static unsigned compare(const uint8_t *bytes, uint64_t available, uint64_t address, char *theirs, char *ours) {
    address_at = address;
    const unsigned size = ask(bytes, available, theirs), printed = print(bytes, available, ours);
    const struct finding finding = {pair.name, pair.processor->major, oracle_version(), bytes, available, theirs, ours, size, printed, ask,
                                    print};
    const char *what = !size != !printed ? (size ? "refused" : "not refused") : size != printed ? "size" : "text";

    compared++;
    taken += size > 0;
    if (size != printed || strcmp(theirs, ours) != 0)
        if (!rules_excuse(&finding))
            differences_add(&(struct difference){pair.name, size ? theirs : ours, what, bytes, available, theirs, ours});
    return size;
}

static bool compare_random(const char *target, uint64_t count, uint64_t seed) {
    char processor[24], theirs[512], ours[512];
    const unsigned wave_size = inputs_split_target(target, processor, sizeof processor);

    if (!open_pair(processor, wave_size))
        return false;
    inputs_seed(seed);
    for (uint64_t i = 0; i < count; i++) {
        uint8_t bytes[INPUT_BYTES];
        inputs_random(pair.processor->major, bytes);
        if (compare(bytes, sizeof bytes, 0x1000, theirs, ours))
            inputs_keep(theirs, bytes);
    }
    close_pair();
    return true;
}

static void compare_object(const struct wl_codeobject *object) {
    const char *processor = wl_codeobject_target(object)->processor;
    const uint8_t *image = wl_codeobject_image(object);
    const uint64_t end = wl_codeobject_image_size(object);
    const uint32_t wave_size = wl_codeobject_kernel_count(object) ? wl_codeobject_kernel(object, 0)->wave_size : 64;
    char theirs[512], ours[512];

    if (!open_pair(processor, wave_size))
        return;
    for (uint64_t at = 0; at + 4 <= end;) {
        const unsigned size = wl_codeobject_is_code(object, at, 4) ? compare(image + at, end - at, at, theirs, ours) : 4;
        at += size ? size : 4;
    }
    close_pair();
}

static bool show_words(const char *target, char **words, int count) {
    char processor[24], theirs[512], ours[512];
    const unsigned wave_size = inputs_split_target(target, processor, sizeof processor);
    uint8_t bytes[INPUT_BYTES] = {0};

    if (!open_pair(processor, wave_size))
        return false;
    for (int i = 0; i < count && i < INPUT_BYTES / 4; i++) {
        const uint32_t word = (uint32_t)strtoul(words[i], NULL, 16);
        memcpy(bytes + 4 * (size_t)i, &word, 4);
    }
    compare(bytes, sizeof bytes, 0x1000, theirs, ours);
    printf("LLVM %u: %s\ntable:   %s\n", oracle_version(), theirs, ours);
    close_pair();
    return true;
}

int main(int argc, char **argv) {
    bool right = argc >= 4 && oracle_open(argv[1]);

    if (right && strcmp(argv[2], "random") == 0 && argc >= 6)
        for (int i = 5; i < argc; i++)
            right &= compare_random(argv[i], strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
    else if (right && strcmp(argv[2], "words") == 0)
        right = show_words(argv[3], argv + 4, argc - 4);
    else if (right && strcmp(argv[2], "files") == 0)
        for (int i = 3; i < argc; i++)
            inputs_each_object(argv[i], compare_object); /* some programs have no code for GPUs */
    else {
        fprintf(stderr, "usage: %s LIBRARY random COUNT SEED TARGET... | words TARGET HEX... | files FILE...\n", argv[0]);
        return 2;
    }
    rules_print();
    printf("LLVM %u: %" PRIu64 " words, %" PRIu64 " instructions\n", oracle_version(), compared, taken);
    const bool differ = differences_print() > 0;
    return !right ? 2 : differ ? 1 : compared ? 0 : 77;
}
