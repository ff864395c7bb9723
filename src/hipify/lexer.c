/* See lexer.h. The hot path is one table look-up for each character of an identifier; splices, raw strings and directives are
 * found by the character that ends the plain run. */
#include "hipify/lexer.h"

#include <string.h>

enum { LETTER = 1, DIGIT = 2, BLANK = 4, LINE = 8, WORD = LETTER | DIGIT };
/* wl_lexer.directive */
enum { LINE_BEGINS, LINE_HASH, LINE_OTHER };
/* wl_lexer.path */
enum { PATH_NONE, PATH_NOW, PATH_AFTER_PARENTHESIS };

/* clang-format off */
#define RANGE(from, to, what) [(from) ... (to)] = (what)
/* clang-format on */
static const unsigned char class_of[256] = {
    RANGE('a', 'z', LETTER), RANGE('A', 'Z', LETTER), ['_'] = LETTER, ['$'] = LETTER, RANGE(0x80, 0xff, LETTER),
    RANGE('0', '9', DIGIT),  [' '] = BLANK,           ['\t'] = BLANK, ['\v'] = BLANK, ['\f'] = BLANK,
    ['\n'] = LINE,           ['\r'] = LINE,
};

static unsigned char class_at(const char *at) { return class_of[(unsigned char)*at]; }

void wl_lexer_begin(struct wl_lexer *lexer, const char *source, size_t size) {
    *lexer = (struct wl_lexer){.at = source, .end = source + size, .line_start = source, .line = 1};
    if (size >= 3 && memcmp(source, "\xef\xbb\xbf", 3) == 0) /* a byte order mark is no part of the first name */
        lexer->at += 3;
}

/* The size of the line end at `at`, which is a CR or LF. */
static size_t line_end_size(const char *at, const char *end) { return *at == '\r' && at + 1 < end && at[1] == '\n' ? 2 : 1; }

size_t wl_splice_size(const char *at, const char *end) {
    const char *p = at;
    if (p >= end || *p != '\\')
        return 0;
    for (p++; p < end && class_at(p) == BLANK; p++) {
    }
    return p < end && class_at(p) == LINE ? (size_t)(p - at) + line_end_size(p, end) : 0;
}

/* Goes over the line end at lexer->at. */
static void pass_line_end(struct wl_lexer *lexer) {
    lexer->at += line_end_size(lexer->at, lexer->end);
    lexer->line++;
    lexer->line_start = lexer->at;
}

static bool pass_splice(struct wl_lexer *lexer) {
    size_t size = wl_splice_size(lexer->at, lexer->end);
    if (!size)
        return false;
    lexer->at += size;
    lexer->line++;
    lexer->line_start = lexer->at;
    return true;
}

/* Goes on to the end of the logical line, which it leaves alone. */
static void pass_line_comment(struct wl_lexer *lexer) {
    while (lexer->at < lexer->end && class_at(lexer->at) != LINE)
        if (*lexer->at != '\\' || !pass_splice(lexer))
            lexer->at++;
}

/* Goes behind the end of a comment, whose beginning has been passed; splices may part the two characters of the end. */
static void pass_block_comment(struct wl_lexer *lexer) {
    bool star = false;
    while (lexer->at < lexer->end) {
        char c = *lexer->at;
        if (class_at(lexer->at) == LINE) {
            pass_line_end(lexer);
            star = false;
        } else if (c == '\\' && pass_splice(lexer)) {
        } else {
            lexer->at++;
            if (star && c == '/')
                return;
            star = c == '*';
        }
    }
}

/* At a slash: passes the comment that it begins, or returns false. */
static bool pass_comment(struct wl_lexer *lexer) {
    struct wl_lexer ahead = *lexer;
    ahead.at++;
    while (pass_splice(&ahead)) {
    }
    if (ahead.at >= ahead.end || (*ahead.at != '/' && *ahead.at != '*'))
        return false;
    bool block = *ahead.at++ == '*';
    *lexer = ahead;
    if (block)
        pass_block_comment(lexer);
    else
        pass_line_comment(lexer);
    return true;
}

static void pass_blank(struct wl_lexer *lexer) {
    while (lexer->at < lexer->end) {
        unsigned char class = class_at(lexer->at);
        if (class == BLANK) {
            lexer->at++;
        } else if (class == LINE) {
            pass_line_end(lexer);
            lexer->directive = LINE_BEGINS;
            lexer->path = PATH_NONE;
        } else if (*lexer->at == '/') {
            if (!pass_comment(lexer))
                return;
        } else if (*lexer->at != '\\' || !pass_splice(lexer)) {
            return;
        }
    }
}

/* Passes a constant up to its closing quote, or to the end of the line. The opening one has been passed. */
static void pass_quoted(struct wl_lexer *lexer, char quote) {
    while (lexer->at < lexer->end && class_at(lexer->at) != LINE) {
        char c = *lexer->at;
        if (c == '\\') {
            if (!pass_splice(lexer))
                lexer->at += lexer->at + 1 < lexer->end && class_at(lexer->at + 1) != LINE ? 2 : 1;
            continue;
        }
        lexer->at++;
        if (c == quote)
            return;
    }
}

static bool is_one_of(char c, const char *set) { return c && strchr(set, c); }

/* Whether the identifier is the prefix of a raw string. */
static bool is_raw_prefix(const char *text, size_t size) {
    return text[size - 1] == 'R' &&
           (size == 1 || (size == 2 && is_one_of(text[0], "LuU")) || (size == 3 && text[0] == 'u' && text[1] == '8'));
}

/* At the quote behind such a prefix: passes the raw string, or returns false if what follows cannot be one. */
static bool pass_raw(struct wl_lexer *lexer) {
    enum { DELIMITER_MAX = 16 };
    char closing[DELIMITER_MAX + 2] = ")";
    const char *open = lexer->at + 1;
    size_t size = 0;
    while (open + size < lexer->end && open[size] != '(') {
        if (size == DELIMITER_MAX || (class_at(open + size) & (BLANK | LINE)) || is_one_of(open[size], ")\\\""))
            return false;
        closing[1 + size] = open[size];
        size++;
    }
    if (open + size >= lexer->end)
        return false;
    closing[1 + size] = '"';
    const char *body = open + size + 1;
    const char *stop = memmem(body, (size_t)(lexer->end - body), closing, size + 2);
    stop = stop ? stop + size + 2 : lexer->end;
    for (lexer->at = body; lexer->at < stop;)
        if (class_at(lexer->at) == LINE)
            pass_line_end(lexer);
        else
            lexer->at++;
    return true;
}

/* Passes the rest of an identifier. Splices inside it are passed too when more of it follows. */
static bool pass_word(struct wl_lexer *lexer) {
    bool spliced = false;
    for (;;) {
        while (lexer->at < lexer->end && (class_at(lexer->at) & WORD))
            lexer->at++;
        if (lexer->at >= lexer->end || *lexer->at != '\\')
            return spliced;
        struct wl_lexer ahead = *lexer;
        while (pass_splice(&ahead)) {
        }
        if (ahead.at == lexer->at) { /* a universal character name goes on with the identifier */
            if (ahead.end - ahead.at < 6 || (ahead.at[1] != 'u' && ahead.at[1] != 'U'))
                return spliced;
            lexer->at += 2;
        } else {
            if (ahead.at >= ahead.end || !(class_at(ahead.at) & WORD))
                return spliced;
            *lexer = ahead;
            spliced = true;
        }
    }
}

static bool pass_number(struct wl_lexer *lexer) {
    bool spliced = false;
    while (lexer->at < lexer->end) {
        const char *p = lexer->at, *next = p + 1;
        bool word_next = next < lexer->end && (class_at(next) & WORD);
        if (is_one_of(*p, "eEpP") && next < lexer->end && (*next == '+' || *next == '-')) {
            lexer->at += 2;
        } else if ((class_at(p) & WORD) || *p == '.' || (*p == '\'' && word_next)) {
            lexer->at++;
        } else if (*p == '\\') {
            size_t size = wl_splice_size(p, lexer->end);
            if (!size || p + size >= lexer->end || !(class_at(p + size) & WORD))
                return spliced;
            pass_splice(lexer);
            spliced = true;
        } else {
            return spliced;
        }
    }
    return spliced;
}

/* The path of an #include, up to its closing delimiter; false if there is none on the line. */
static bool pass_path(struct wl_lexer *lexer) {
    char closing = *lexer->at == '<' ? '>' : '"';
    for (const char *p = lexer->at + 1; p < lexer->end && class_at(p) != LINE; p++)
        if (*p == closing) {
            lexer->at = p + 1;
            return true;
        }
    return false;
}

static bool is_word(const struct wl_token *token, const char *word) {
    return token->size == strlen(word) && memcmp(token->text, word, token->size) == 0;
}

/* Text that is no code: to the end of the line, over comments. */
static void pass_text(struct wl_lexer *lexer) {
    while (lexer->at < lexer->end && class_at(lexer->at) != LINE) {
        if (*lexer->at == '"') {
            lexer->at++;
            pass_quoted(lexer, '"');
        } else if ((*lexer->at != '/' || !pass_comment(lexer)) && (*lexer->at != '\\' || !pass_splice(lexer))) {
            lexer->at++;
        }
    }
}

/* What an identifier behind the # of a directive, or one that asks for a header, changes. */
static void note_word(struct wl_lexer *lexer, const struct wl_token *token) {
    if (lexer->directive == LINE_HASH) {
        lexer->directive = LINE_OTHER;
        if (is_word(token, "include") || is_word(token, "include_next") || is_word(token, "import"))
            lexer->path = PATH_NOW;
        else if (is_word(token, "error") || is_word(token, "warning"))
            pass_text(lexer);
        return;
    }
    lexer->directive = LINE_OTHER;
    lexer->path = PATH_NONE;
    if (token->text[0] == '_' && (is_word(token, "__has_include") || is_word(token, "__has_include_next")))
        lexer->path = PATH_AFTER_PARENTHESIS;
}

static void take_identifier(struct wl_lexer *lexer, struct wl_token *token) {
    token->kind = WL_TOKEN_IDENTIFIER;
    token->spliced = pass_word(lexer);
    token->size = (size_t)(lexer->at - token->text);
    if (lexer->at < lexer->end && *lexer->at == '"' && is_raw_prefix(token->text, token->size) && pass_raw(lexer)) {
        token->kind = WL_TOKEN_STRING;
        lexer->directive = LINE_OTHER;
        return;
    }
    note_word(lexer, token);
}

/* The symbol of a punctuator of `size` characters. */
static char symbol_at(const char *p, const char *end, size_t *size) {
    char next = '\0';
    if (p + 1 < end)
        next = p[1];
    *size = 2;
    if (*p == ':' && next == ':')
        return WL_SYMBOL_SCOPE;
    if (*p == '-' && next == '>')
        return WL_SYMBOL_ARROW;
    if (next == '=' && is_one_of(*p, "<>=!"))
        return WL_SYMBOL_COMPARE;
    if (*p == '%' && next == ':')
        return '#';
    *size = 3;
    if (*p == '.' && next == '.' && p + 2 < end && p[2] == '.')
        return WL_SYMBOL_ELLIPSIS;
    *size = 1;
    return *p;
}

static void take_punctuator(struct wl_lexer *lexer, struct wl_token *token) {
    size_t size;
    token->kind = WL_TOKEN_PUNCTUATOR;
    token->symbol = symbol_at(lexer->at, lexer->end, &size);
    lexer->at += size;
    lexer->directive = token->symbol == '#' && lexer->directive == LINE_BEGINS ? LINE_HASH : LINE_OTHER;
    lexer->path = lexer->path == PATH_AFTER_PARENTHESIS && token->symbol == '(' ? PATH_NOW : PATH_NONE;
}

static void take_other(struct wl_lexer *lexer, struct wl_token *token) {
    char c = *lexer->at;
    if (lexer->path == PATH_NOW && (c == '<' || c == '"') && pass_path(lexer)) {
        token->kind = WL_TOKEN_HEADER;
        lexer->path = PATH_NONE;
    } else if (c == '"' || c == '\'') {
        token->kind = c == '"' ? WL_TOKEN_STRING : WL_TOKEN_CHARACTER;
        lexer->at++;
        pass_quoted(lexer, c);
        lexer->directive = LINE_OTHER;
    } else if (c == '.' && lexer->at + 1 < lexer->end && class_at(lexer->at + 1) == DIGIT) {
        token->kind = WL_TOKEN_NUMBER;
        token->spliced = pass_number(lexer);
        lexer->directive = LINE_OTHER;
    } else {
        take_punctuator(lexer, token);
    }
}

void wl_lexer_next(struct wl_lexer *lexer, struct wl_token *token) {
    const char *before = lexer->at;
    size_t line = lexer->line;
    pass_blank(lexer);
    *token = (struct wl_token){.text = lexer->at, .line = lexer->line, .column = (size_t)(lexer->at - lexer->line_start) + 1};
    token->blank_before = lexer->at != before || lexer->line != line;
    token->begins_line = lexer->directive == LINE_BEGINS;
    if (lexer->at >= lexer->end)
        return;
    unsigned char class = class_at(lexer->at);
    if (class == LETTER) {
        take_identifier(lexer, token);
    } else if (class == DIGIT) {
        token->kind = WL_TOKEN_NUMBER;
        token->spliced = pass_number(lexer);
        lexer->directive = LINE_OTHER;
    } else {
        take_other(lexer, token);
    }
    token->size = token->kind == WL_TOKEN_IDENTIFIER ? token->size : (size_t)(lexer->at - token->text);
}
