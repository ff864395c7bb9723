/* Tokens of C and C++ sources as they stand in a file, for tools that change names and nothing else.
 *
 * What comes in: any bytes. What goes out: the significant tokens, one at a time, as pieces of the source; what lies between
 * them (white space, comments, text of #error) is skipped and not copied. Nothing is ever wrong: a string or character
 * constant without an end ends at the line's end, a comment or raw string without one at the file's end, and a byte that
 * begins no token is a punctuator.
 *
 * Translation phases are respected as far as they matter for names: splices (a backslash at the end of a line) may stand
 * between any two characters, also inside an identifier; trigraphs are not known. `#include` and `__has_include` have their
 * paths as one token. Lines end with LF, CRLF or CR. */
#ifndef WL_HIPIFY_LEXER_H
#define WL_HIPIFY_LEXER_H

#include <stdbool.h>
#include <stddef.h>

enum wl_token_kind {
    WL_TOKEN_END, /* of the source */
    WL_TOKEN_IDENTIFIER,
    WL_TOKEN_NUMBER,
    WL_TOKEN_STRING,    /* with prefix; raw or not */
    WL_TOKEN_CHARACTER, /* without its prefix, which is an identifier before it */
    WL_TOKEN_HEADER,    /* the path of an #include with its delimiters */
    WL_TOKEN_PUNCTUATOR,
};

struct wl_token {
    enum wl_token_kind kind;
    bool blank_before; /* something skipped, or the beginning of the source, is before it */
    bool begins_line;  /* it is the first of its logical line */
    bool spliced;      /* an identifier or number with splices inside */
    char symbol;       /* of a punctuator its character, or one of enum wl_punctuator; else 0 */
    const char *text;  /* in the source */
    size_t size;
    size_t line;   /* from 1 */
    size_t column; /* in bytes, from 1 */
};

/* Punctuators of several characters that matter; < = > ! with a = behind are one token, whose symbol is WL_SYMBOL_COMPARE. */
enum wl_punctuator { WL_SYMBOL_SCOPE = 1 /* :: */, WL_SYMBOL_ARROW /* -> */, WL_SYMBOL_ELLIPSIS /* ... */, WL_SYMBOL_COMPARE };

/* The members are the lexer's own. A copy of the structure goes on from the same place: that is how to look ahead. */
struct wl_lexer {
    const char *at, *end, *line_start;
    size_t line;
    unsigned char directive; /* what the logical line is so far */
    unsigned char path;      /* how soon a header's path may come */
};

/* Begins a source of `size` bytes, which must stay as long as the lexer and its tokens are used. Cannot fail. */
void wl_lexer_begin(struct wl_lexer *lexer, const char *source, size_t size);
/* Takes the next significant token; WL_TOKEN_END at the end and ever after. Not thread-safe for one lexer. */
void wl_lexer_next(struct wl_lexer *lexer, struct wl_token *token);
/* The size of the splice (backslash, blanks, line end) at `at`, 0 if there is none. */
size_t wl_splice_size(const char *at, const char *end);

#endif
