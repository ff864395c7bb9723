/* Every mnemonic of every processor is implemented, or docs/ISA.md says why not; and the list of mnemonics is complete: what
 * LLVM's assembler takes on a processor, and what a newer one does (mnemonics.txt), the enumeration of all opcodes has found. */
#include "assembler.h"
#include "machine/processor.h"
#include "translate/interface/coverage.h"
#include "translate/isa/isa.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static unsigned failures, newer; /* mnemonics of a newer assembler, over all processors */

/* Counts a failure; a mnemonic is shown once, for the first processor that has it. */
static bool fails_first(const char *mnemonic) {
    enum { SHOWN = 4096 };
    static char shown[SHOWN][48];
    static unsigned count;
    failures++;
    for (unsigned i = 0; i < count; i++)
        if (strcmp(shown[i], mnemonic) == 0)
            return false;
    if (count < SHOWN)
        snprintf(shown[count++], sizeof shown[0], "%s", mnemonic);
    return true;
}

/* ---- docs/ISA.md: each pattern in backquotes in the first column of a table is an explained mnemonic ---- */

enum { MAX_PATTERNS = 600 };

static struct pattern {
    char text[48];
    bool used;
} patterns[MAX_PATTERNS];
static unsigned pattern_count;

static void read_row(const char *line) {
    const char *end = strchr(line + 1, '|');
    for (const char *tick = strchr(line, '`'); tick && (!end || tick < end) && pattern_count < MAX_PATTERNS;) {
        const char *close = strchr(tick + 1, '`');
        if (!close)
            return;
        snprintf(patterns[pattern_count++].text, sizeof patterns[0].text, "%.*s", (int)(close - tick - 1), tick + 1);
        tick = strchr(close + 1, '`');
    }
}

static void read_page(void) {
    static char line[65536];
    FILE *file = fopen(WL_ISA_PAGE, "r");
    if (!file) {
        perror(WL_ISA_PAGE);
        exit(1);
    }
    while (fgets(line, sizeof line, file))
        if (strncmp(line, "| `", 3) == 0)
            read_row(line);
    fclose(file);
}

static struct pattern *find_pattern(const char *mnemonic) {
    for (unsigned i = 0; i < pattern_count; i++)
        if (fnmatch(patterns[i].text, mnemonic, 0) == 0)
            return &patterns[i];
    return NULL;
}

/* The page can speak of waves of 64 alone, or of some processors: `mnemonic (wave64)`, `mnemonic (gfx1250)`. */
static struct pattern *find_pattern_for(const char *mnemonic, const char *processor, unsigned wave_size) {
    char name[96];
    struct pattern *pattern = find_pattern(mnemonic);
    snprintf(name, sizeof name, "%s (wave%u)", mnemonic, wave_size);
    pattern = pattern ? pattern : find_pattern(name);
    snprintf(name, sizeof name, "%s (%s)", mnemonic, processor);
    return pattern ? pattern : find_pattern(name);
}

static void check_rows(const char *processor, unsigned wave_size, const struct wl_coverage_row *rows, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct pattern *pattern = find_pattern_for(rows[i].mnemonic, processor, wave_size);
        bool supported = rows[i].status != WL_COVERAGE_UNSUPPORTED;
        if (pattern)
            pattern->used = true;
        if (!supported && !pattern && fails_first(rows[i].mnemonic))
            fprintf(stderr, "%s wave%u: %s (%s) is neither implemented nor explained in docs/ISA.md\n", processor, wave_size,
                    rows[i].mnemonic, rows[i].family);
        if (supported && wl_coverage_lift(processor, wave_size, rows[i].sample, rows[i].sample_size) != WL_OK &&
            fails_first(rows[i].mnemonic))
            fprintf(stderr, "%s wave%u: %s has no native code: %s\n", processor, wave_size, rows[i].mnemonic, wl_failure());
        if (supported && pattern && fails_first(rows[i].mnemonic))
            fprintf(stderr, "%s wave%u: %s is implemented, but docs/ISA.md lists `%s`\n", processor, wave_size, rows[i].mnemonic,
                    pattern->text);
    }
}

/* ---- what the assembler knows: the candidates are the strings of its table of mnemonics ---- */

enum { MAX_CANDIDATES = 8192 };

static char *candidates[MAX_CANDIDATES];
static unsigned candidate_count;

static bool is_letter(unsigned char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

static bool has_known_start(const unsigned char *text, size_t size) {
    static const char *const starts[] = {"s_", "v_", "ds_", "buffer_", "tbuffer_", "flat_", "global_", "scratch_", "image_", "lds_", "exp"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (size >= strlen(starts[i]) && memcmp(text, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}

static int by_text(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* The table holds each mnemonic behind a byte with its length. */
static void find_candidates(const unsigned char *bytes, size_t size) {
    for (size_t i = 1; i + 64 < size; i++) {
        size_t length = bytes[i - 1];
        if (length < 3 || length > 47 || bytes[i] < 'b' || bytes[i] > 'v' || !has_known_start(bytes + i, length))
            continue;
        size_t letters = 0;
        while (letters < length && is_letter(bytes[i + letters]))
            letters++;
        if (letters == length && candidate_count < MAX_CANDIDATES)
            candidates[candidate_count++] = strndup((const char *)bytes + i, length);
    }
    qsort(candidates, candidate_count, sizeof *candidates, by_text);
    unsigned kept = 0;
    for (unsigned i = 0; i < candidate_count; i++)
        if (kept && strcmp(candidates[kept - 1], candidates[i]) == 0)
            free(candidates[i]);
        else
            candidates[kept++] = candidates[i];
    candidate_count = kept;
}

static void read_candidates(void) {
    struct stat status;
    const char *library = test_assembler_library();
    int file = library ? open(library, O_RDONLY) : -1;
    if (file < 0 || fstat(file, &status)) {
        fprintf(stderr, "LLVM's library cannot be read\n");
        exit(1);
    }
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (bytes == MAP_FAILED)
        exit(1);
    find_candidates(bytes, (size_t)status.st_size);
    munmap(bytes, (size_t)status.st_size);
}

static bool unknown[MAX_CANDIDATES + 2]; /* by line of the assembled text */

static void note(const char *complaint, void *context) {
    const char *at = strstr(complaint, "<inline asm>:");
    unsigned line = at ? (unsigned)strtoul(at + strlen("<inline asm>:"), NULL, 10) : 0;
    (void)context;
    if (line > 0 && line <= candidate_count && (strstr(complaint, "invalid instruction") || strstr(complaint, "not supported")))
        unknown[line - 1] = true;
}

/* Assembles each candidate alone, without operands: the complaint tells whether the processor has it. */
static void assemble_candidates(const char *processor, unsigned wave_size) {
    static char source[MAX_CANDIDATES * 48];
    size_t size = 0;
    memset(unknown, 0, sizeof unknown);
    for (unsigned i = 0; i < candidate_count; i++)
        size += (size_t)snprintf(source + size, sizeof source - size, "%s\n", candidates[i]);
    test_assemble_lines(processor, wave_size, source, note, NULL);
}

static void cut_infix(char *text, const char *infix) {
    char *at = strstr(text, infix);
    if (at)
        memmove(at, at + strlen(infix), strlen(at + strlen(infix)) + 1);
}

/* "v_mfma_f32_16x16x4_4b_f16" and "v_mfma_f32_16x16x4f16" are the same. */
static void squeeze_matrix(const char *name, char *text, size_t size) {
    size_t used = 0;
    for (const char *c = name; *c && used + 1 < size; c++) {
        if (*c == '_') {
            size_t digits = strspn(c + 1, "0123456789");
            c += digits && c[1 + digits] == 'b' && c[2 + digits] == '_' ? digits + 1 : 0;
        } else {
            text[used++] = *c;
        }
    }
    text[used] = '\0';
}

static bool is_same(const struct wl_coverage_row *row, const char *name, const char *canonical) {
    char a[64], b[64];
    if (strcmp(row->mnemonic, name) == 0 || strcmp(row->canonical, canonical) == 0)
        return true;
    if (strncmp(name, "v_dot", 5) == 0) /* gfx11 takes gfx10's names of products of signed numbers */
        return (strcmp(name, "v_dot4_i32_i8") == 0 && strcmp(row->mnemonic, "v_dot4_i32_iu8") == 0) ||
               (strcmp(name, "v_dot8_i32_i4") == 0 && strcmp(row->mnemonic, "v_dot8_i32_iu4") == 0);
    if (strncmp(name, "v_mfma_", 7) != 0)
        return false;
    squeeze_matrix(row->mnemonic, a, sizeof a);
    squeeze_matrix(name, b, sizeof b);
    return strcmp(a, b) == 0;
}

/* Whether the candidate is an encoding's name for a mnemonic of the list, or another name of one. */
static bool is_listed(const char *candidate, unsigned generation, const struct wl_coverage_row *rows, size_t count) {
    static const char *const suffixes[] = {"_e32", "_e64", "_dpp", "_sdwa"};
    char name[64];
    snprintf(name, sizeof name, "%s", candidate);
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (strlen(name) > strlen(suffixes[i]) && strcmp(name + strlen(name) - strlen(suffixes[i]), suffixes[i]) == 0)
            name[strlen(name) - strlen(suffixes[i])] = '\0';
    if (strncmp(name, "ds_", 3) == 0)
        cut_infix(name, "_rtn");
    for (unsigned old = 0; old < 2; old++) /* newer processors take gfx9's names as well */
        for (size_t i = 0; i < count; i++)
            if (is_same(&rows[i], name, wl_isa_canonical(name, old ? 9 : generation)))
                return true;
    return find_pattern(candidate) != NULL;
}

static void check_candidates(const char *processor, unsigned wave_size, const struct wl_coverage_row *rows, size_t count) {
    unsigned generation = processor[3] == '9' ? 9 : 10 + (unsigned)(processor[4] - '0'), known = 0;
    assemble_candidates(processor, wave_size);
    for (unsigned i = 0; i < candidate_count; i++) {
        known += !unknown[i];
        if (!unknown[i] && strcmp(candidates[i], "v_illegal") != 0 && !is_listed(candidates[i], generation, rows, count) &&
            fails_first(candidates[i]))
            fprintf(stderr, "%s wave%u: the assembler knows %s, the enumeration does not\n", processor, wave_size, candidates[i]);
    }
    if (known < 800 && ++failures)
        fprintf(stderr, "%s: the assembler knows %u mnemonics only\n", processor, known);
}

/* ---- what a newer LLVM's assembler knows: mnemonics.txt ---- */

static bool has_word(const char *text, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = text; (at = strstr(at, word)); at += length)
        if ((at == text || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\n' || !at[length]))
            return true;
    return false;
}

/* gfx1250's name of what gfx1200 has another name for, which assemblers take as well. */
static const char *name_of(const char *processor, const char *name) {
    if (strncmp(processor, "gfx125", 6) != 0)
        return name;
    return strcmp(name, "global_load_tr_b128") == 0  ? "global_load_tr16_b128"
           : strcmp(name, "global_load_tr_b64") == 0 ? "global_load_tr8_b64"
                                                     : name;
}

/* Lines that begin with spaces are mnemonics of the processors on the line before them. Returns how many the processor has. */
static unsigned check_newer(const char *processor, unsigned wave_size, const struct wl_coverage_row *rows, size_t count) {
    const unsigned generation = processor[3] == '9' ? 9 : 10 + (unsigned)(processor[4] - '0');
    char line[400], *rest;
    bool meant = false;
    unsigned known = 0;
    FILE *file = fopen(WL_MNEMONICS, "r");

    if (!file) {
        perror(WL_MNEMONICS);
        exit(1);
    }
    while (fgets(line, sizeof line, file)) {
        if (line[0] != ' ') {
            meant = line[0] != '#' && has_word(line, processor);
            continue;
        }
        for (char *name = meant ? strtok_r(line, " \n", &rest) : NULL; name; name = strtok_r(NULL, " \n", &rest), known++)
            if (strcmp(name, "v_illegal") != 0 && !is_listed(name_of(processor, name), generation, rows, count) && fails_first(name))
                fprintf(stderr, "%s wave%u: a newer assembler knows %s, the enumeration does not\n", processor, wave_size, name);
    }
    fclose(file);
    return known;
}

/* ---- all processors ---- */

/* The processors and generic targets of LLVM 19 from gfx900 on. */
static const char *const wanted[] = {
    "gfx900",  "gfx902",  "gfx904",  "gfx906",  "gfx908",       "gfx909",          "gfx90a",          "gfx90c",        "gfx940",
    "gfx941",  "gfx942",  "gfx1010", "gfx1011", "gfx1012",      "gfx1013",         "gfx1030",         "gfx1031",       "gfx1032",
    "gfx1033", "gfx1034", "gfx1035", "gfx1036", "gfx1100",      "gfx1101",         "gfx1102",         "gfx1103",       "gfx1150",
    "gfx1151", "gfx1152", "gfx1200", "gfx1201", "gfx9-generic", "gfx10-1-generic", "gfx10-3-generic", "gfx11-generic",
};

static bool is_wanted(const char *processor) {
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        if (strcmp(processor, wanted[i]) == 0)
            return true;
    return false;
}

static void check_processor(struct wl_coverage *coverage, const char *processor, unsigned wave_size) {
    const struct wl_coverage_row *rows;
    size_t count;
    if (wl_coverage_list(coverage, processor, wave_size, &rows, &count) != WL_OK) {
        fprintf(stderr, "%s wave%u: %s\n", processor, wave_size, wl_failure());
        failures++;
        return;
    }
    check_rows(processor, wave_size, rows, count);
    if (wave_size == (processor[3] == '9' ? 64u : 32u) && is_wanted(processor))
        check_candidates(processor, wave_size, rows, count);
    if (wave_size == (processor[3] == '9' ? 64u : 32u))
        newer += check_newer(processor, wave_size, rows, count);
}

static void check_all_are_there(void) {
    for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
        bool found = false;
        for (size_t i = 0; wl_coverage_processor(i); i++)
            found |= strcmp(wl_coverage_processor(i), wanted[w]) == 0;
        if (!found && ++failures)
            fprintf(stderr, "%s is no processor\n", wanted[w]);
    }
}

int main(void) {
    struct wl_coverage *coverage = wl_coverage_create();
    read_page();
    read_candidates();
    if (candidate_count < 2000 && ++failures)
        fprintf(stderr, "%u candidates only\n", candidate_count);
    check_all_are_there();
    const char *processor;
    for (size_t i = 0; coverage && (processor = wl_coverage_processor(i)); i++) {
        if (processor[3] != '9')
            check_processor(coverage, processor, 32);
        if (!wl_processor_has(processor, WL_HAS_WAVE32_ALONE))
            check_processor(coverage, processor, 64);
    }
    for (unsigned i = 0; i < pattern_count; i++)
        if (!patterns[i].used && ++failures)
            fprintf(stderr, "docs/ISA.md lists `%s`, which no processor has\n", patterns[i].text);
    if (newer < 10000 && ++failures)
        fprintf(stderr, "%u mnemonics of a newer assembler only\n", newer);
    wl_coverage_destroy(coverage);
    printf("%u explained patterns, %u candidates, %u of a newer assembler, %u failures\n", pattern_count, candidate_count, newer, failures);
    return failures != 0;
}
