/* libFuzzer target for hipify's lexer and rewriter: any bytes as a source. Tokens lie in the source one behind the other; names are
 * where the notes say; lines keep their numbers; what has been converted once is not converted again. */
#include "hipify/lexer.h"
#include "hipify/rewrite.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool condition) {
    if (!condition)
        abort();
}

static void walk_tokens(const char *source, size_t size) {
    struct wl_lexer lexer;
    struct wl_token token;
    const char *last = source;
    size_t line = 1;
    wl_lexer_begin(&lexer, source, size);
    for (wl_lexer_next(&lexer, &token); token.kind != WL_TOKEN_END; wl_lexer_next(&lexer, &token)) {
        check(token.text >= last && token.size > 0 && token.text + token.size <= source + size);
        check(token.line >= line && token.column >= 1 && token.column <= (size_t)(token.text - source) + 1);
        last = token.text + token.size;
        line = token.line;
    }
    check(token.text == source + size && token.size == 0);
    wl_lexer_next(&lexer, &token);
    check(token.kind == WL_TOKEN_END);
}

/* The beginning of each line, counted without the lexer. */
struct walk {
    const char *source, *end, *line_start;
    size_t line, column;
};

static void go_to_line(struct walk *walk, size_t line) {
    for (; walk->line < line; walk->line++) {
        const char *p = walk->line_start;
        while (p < walk->end && *p != '\n' && *p != '\r')
            p++;
        check(p < walk->end);
        walk->line_start = p + (*p == '\r' && p + 1 < walk->end && p[1] == '\n' ? 2 : 1);
        walk->column = 0;
    }
}

static void check_note(void *context, const struct wl_hipify_note *note) {
    struct walk *walk = context;
    check(note->line > walk->line || (note->line == walk->line && note->column > walk->column));
    go_to_line(walk, note->line);
    walk->column = note->column;
    bool path = note->row->kind == WL_HIPIFY_HEADER;
    check(walk->line_start + note->column - 1 + path == note->name && note->name + note->name_size <= walk->end);
    if (!path && memchr(note->name, '\\', note->name_size) == NULL)
        check(note->name_size == strlen(note->row->cuda) && memcmp(note->name, note->row->cuda, note->name_size) == 0);
}

static size_t count_lines(const char *text, size_t size) {
    size_t count = 0;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    const char *source = (const char *)data;
    walk_tokens(source, size);
    struct wl_hipify_result once, twice;
    struct walk walk = {.source = source, .end = source + size, .line_start = source, .line = 1};
    check(wl_hipify_rewrite(source, size, check_note, &walk, &once) == WL_OK);
    check(count_lines(source, size) == count_lines(once.text, once.size));
    check(once.converted || (once.size == size && (size == 0 || memcmp(once.text, source, size) == 0)));
    check(wl_hipify_rewrite(once.text, once.size, NULL, NULL, &twice) == WL_OK);
    check(twice.converted == 0 && twice.size == once.size);
    free(once.text);
    free(twice.text);
    return 0;
}
