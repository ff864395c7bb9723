/* See rewrite.h. What has not been copied yet is written when something is put in its place; a call whose arguments change
 * leaves edits further on in the source, which are made when the pass gets there. */
#include "hipify/rewrite.h"

#include "base/array.h"
#include "hipify/lexer.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS_MAX = 8, DEPTH_MAX = 256, LOOK_AHEAD = 1 << 14 /* bytes */, TEMPLATE_MAX = 256 /* tokens */, NAME_MAX_SIZE = 256 };

/* Text to put before `at`, in place of the source from there to `until` (the same place: nothing goes). */
struct edit {
    const char *at, *until;
    const char *parts[3]; /* written one after the other; NULL: nothing */
};

struct pass {
    struct wl_lexer lexer;
    const char *copied; /* the source up to here is in the output */
    struct wl_hipify_result *result;
    size_t capacity;
    struct edit *edits; /* to be made, sorted by place, from first_edit on */
    size_t first_edit, edit_count, edit_room;
    bool failed;
    wl_hipify_observer *observer;
    void *context;
    struct wl_token before[2];                 /* the token before, and the one before that */
    const struct wl_hipify_row *before_row[2]; /* their rows, if they are CUDA's names */
    bool in_directive;                         /* the logical line so far is one of the preprocessor */
};

/* ---- Output --------------------------------------------------------------------------------- */

static void put(struct pass *pass, const char *text, size_t size) {
    struct wl_hipify_result *result = pass->result;
    if (!WL_ARRAY_RESERVE_MORE(result->text, result->size, size, pass->capacity, 64)) {
        pass->failed = true;
        return;
    }
    memcpy(result->text + result->size, text, size);
    result->size += size;
}

static void put_text(struct pass *pass, const char *text) { put(pass, text, strlen(text)); }

/* Copies the source up to `at`. */
static void copy_to(struct pass *pass, const char *at) {
    if (at > pass->copied) {
        put(pass, pass->copied, (size_t)(at - pass->copied));
        pass->copied = at;
    }
}

/* Writes `text` in place of what is at `at`. */
static void replace(struct pass *pass, const char *at, size_t size, const char *text) {
    copy_to(pass, at);
    put_text(pass, text);
    pass->copied = at + size;
}

static void add_edit(struct pass *pass, struct edit edit) {
    if (pass->first_edit == pass->edit_count)
        pass->first_edit = pass->edit_count = 0;
    if (!WL_ARRAY_RESERVE(pass->edits, pass->edit_count, pass->edit_room, 16)) {
        pass->failed = true;
        return;
    }
    size_t place = pass->edit_count++;
    for (; place > pass->first_edit && pass->edits[place - 1].at > edit.at; place--)
        pass->edits[place] = pass->edits[place - 1];
    pass->edits[place] = edit;
}

/* Makes the edits up to `at`. */
static void make_edits(struct pass *pass, const char *at) {
    for (; pass->first_edit < pass->edit_count && pass->edits[pass->first_edit].at <= at; pass->first_edit++) {
        const struct edit *edit = &pass->edits[pass->first_edit];
        copy_to(pass, edit->at);
        for (size_t i = 0; i < sizeof edit->parts / sizeof *edit->parts && edit->parts[i]; i++)
            put_text(pass, edit->parts[i]);
        if (edit->until > pass->copied)
            pass->copied = edit->until;
    }
}

static void note(struct pass *pass, const struct wl_token *token, const struct wl_hipify_row *row, const char *reason) {
    if (reason)
        pass->result->left++;
    else
        pass->result->converted++;
    if (!pass->observer)
        return;
    bool path = token->kind == WL_TOKEN_HEADER;
    pass->observer(pass->context, &(struct wl_hipify_note){.row = row,
                                                           .name = token->text + path,
                                                           .name_size = token->size - (path ? 2 : 0),
                                                           .line = token->line,
                                                           .column = token->column,
                                                           .reason = reason});
}

/* ---- Calls ---------------------------------------------------------------------------------- */

/* The arguments of a call, as far as they are counted: where each begins and ends, without the white space around it. */
struct call {
    int count; /* -1: no call, or none whose end is in sight */
    struct {
        const char *begin, *end;
        const char *stop; /* the comma or parenthesis behind it */
    } arguments[ARGUMENTS_MAX];
};

static bool is_punctuator(const struct wl_token *token, char symbol) {
    return token->kind == WL_TOKEN_PUNCTUATOR && token->symbol == symbol;
}

/* Behind a `<` that follows a name: goes to its `>` if what is between can only be template arguments, which end an argument or
 * go on as a name does. `a < b, c > d` is not taken for one, as a name follows it. */
static bool pass_template(struct wl_lexer *lexer) {
    struct wl_lexer ahead = *lexer;
    int left = TEMPLATE_MAX;
    struct wl_token token;
    for (int depth = 1; depth > 0;) {
        wl_lexer_next(&ahead, &token);
        if (token.kind == WL_TOKEN_END || left-- == 0)
            return false;
        if (token.kind != WL_TOKEN_PUNCTUATOR)
            continue;
        if (!token.symbol || !strchr("<>,*&\1\3", token.symbol)) /* \1 is ::, \3 is ... */
            return false;
        depth += token.symbol == '<' ? 1 : token.symbol == '>' ? -1 : 0;
    }
    struct wl_lexer behind = ahead;
    wl_lexer_next(&behind, &token);
    if (token.kind != WL_TOKEN_PUNCTUATOR || !token.symbol || !strchr(",()\1{", token.symbol))
        return false;
    *lexer = ahead;
    return true;
}

static char closing_of(char symbol) {
    if (symbol == '(')
        return ')';
    return symbol == '[' ? ']' : '}';
}

static void note_argument(struct call *call, const char *begin, const char *end, const char *stop) {
    if (call->count < ARGUMENTS_MAX) {
        call->arguments[call->count].begin = begin;
        call->arguments[call->count].end = end;
        call->arguments[call->count].stop = stop;
    }
    call->count++;
}

/* Counts the arguments of the call that begins with the next token. */
static void read_call(const struct pass *pass, struct call *call) {
    struct wl_lexer ahead = pass->lexer;
    struct wl_token token;
    char closing[DEPTH_MAX];
    int depth = 1;
    call->count = -1;
    wl_lexer_next(&ahead, &token);
    if (!is_punctuator(&token, '('))
        return;
    const char *limit = token.text + LOOK_AHEAD;
    const char *begin = NULL, *end = NULL; /* of the argument */
    bool after_name = false;
    struct call read = {0};
    closing[0] = ')';
    while (depth > 0) {
        wl_lexer_next(&ahead, &token);
        if (token.kind == WL_TOKEN_END || token.text > limit)
            return;
        char symbol = token.symbol;
        if (depth == 1 && (symbol == ',' || symbol == ')')) {
            if (begin || read.count > 0 || symbol == ',')
                note_argument(&read, begin ? begin : token.text, begin ? end : token.text, token.text);
            begin = NULL;
            depth -= symbol == ')';
            continue;
        }
        if (symbol == '(' || symbol == '[' || symbol == '{') {
            if (depth == DEPTH_MAX)
                return;
            closing[depth++] = closing_of(symbol);
        } else if (symbol == ')' || symbol == ']' || symbol == '}') {
            if (closing[--depth] != symbol)
                return;
        } else if (symbol == '<' && after_name) {
            pass_template(&ahead);
        } else if (symbol == '#' && token.column == 1) {
            return; /* a directive among the arguments: they cannot be counted */
        }
        begin = begin ? begin : token.text;
        end = ahead.at;
        after_name = token.kind == WL_TOKEN_IDENTIFIER;
    }
    *call = read;
}

static bool is_null(const char *begin, const char *end) {
    static const char *const nulls[] = {"0", "NULL", "nullptr"};
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if ((size_t)(end - begin) == strlen(nulls[i]) && memcmp(begin, nulls[i], strlen(nulls[i])) == 0)
            return true;
    return false;
}

static bool form_fits(const struct wl_hipify_form *form, const struct call *call) {
    if (form->count >= 0 && form->count != call->count)
        return false;
    return !form->drop || is_null(call->arguments[form->drop - 1].begin, call->arguments[form->drop - 1].end);
}

/* Plans what a form does to the arguments. Edits of one place are made in the order in which they are planned. */
static void plan_form(struct pass *pass, const struct wl_hipify_form *form, const struct call *call) {
    if (form->cast && *call->arguments[form->cast - 1].begin != '(') {
        const char *begin = call->arguments[form->cast - 1].begin, *end = call->arguments[form->cast - 1].end;
        add_edit(pass, (struct edit){begin, begin, {"(", form->type, ")("}});
        add_edit(pass, (struct edit){end, end, {")"}});
    }
    if (form->after) {
        const char *end = call->arguments[form->after - 1].end;
        add_edit(pass, (struct edit){end, end, {form->text}});
    }
    if (form->drop) { /* it is one word; the comma behind it goes too, what is between stays */
        const char *begin = call->arguments[form->drop - 1].begin, *end = call->arguments[form->drop - 1].end;
        const char *comma = call->arguments[form->drop - 1].stop;
        add_edit(pass, (struct edit){begin, end, {NULL}});
        add_edit(pass, (struct edit){comma, comma + (comma[1] == ' ' ? 2 : 1), {NULL}});
    }
}

/* ---- Names ---------------------------------------------------------------------------------- */

/* Words that may stand before `::name` without qualifying it. */
static bool is_keyword(const struct wl_token *token) {
    static const char *const words[] = {"return",    "case",      "else",    "throw",    "new",    "delete",   "sizeof",   "typename",
                                        "const",     "constexpr", "static",  "co_yield", "extern", "inline",   "operator", "co_return",
                                        "do",        "goto",      "typedef", "volatile", "using",  "co_await", "virtual",  "noexcept",
                                        "constinit", "register",  "and",     "or",       "not",    "explicit"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (token->size == strlen(words[i]) && memcmp(token->text, words[i], token->size) == 0)
            return true;
    return false;
}

static void peek(const struct pass *pass, struct wl_token *token) {
    struct wl_lexer ahead = pass->lexer;
    wl_lexer_next(&ahead, token);
}

/* Whether `word name(` declares the program's own function: those of CUDA return types of CUDA's, or pointers. */
static bool is_own_function(const struct pass *pass, const struct wl_hipify_row *row) {
    const struct wl_token *word = &pass->before[0];
    const bool is_function = row->kind == WL_HIPIFY_DRIVER || row->kind == WL_HIPIFY_RUNTIME || row->kind == WL_HIPIFY_DEVICE;
    if (word->kind != WL_TOKEN_IDENTIFIER || !is_function || pass->before_row[0])
        return false;
    bool is_hip = word->size > 3 && memcmp(word->text, "hip", 3) == 0;                         /* a type, converted before */
    bool is_convention = word->size > 6 && memcmp(word->text + word->size - 3, "API", 3) == 0; /* CUDAAPI and CUDARTAPI */
    if (is_keyword(word) || is_hip || is_convention)
        return false;
    struct wl_token next;
    peek(pass, &next);
    return is_punctuator(&next, '(');
}

/* Whether the name belongs to somebody else. */
static bool is_foreign(const struct pass *pass, const struct wl_hipify_row *row) {
    const struct wl_token *last = &pass->before[0], *qualifier = &pass->before[1];
    if (last->kind != WL_TOKEN_PUNCTUATOR)
        return is_own_function(pass, row);
    if (last->symbol == '.' || last->symbol == WL_SYMBOL_ARROW)
        return true;
    if (last->symbol != WL_SYMBOL_SCOPE)
        return false;
    if (qualifier->kind == WL_TOKEN_IDENTIFIER)
        return !(pass->before_row[1] && pass->before_row[1]->kind == WL_HIPIFY_TYPE) && !is_keyword(qualifier);
    return is_punctuator(qualifier, '>') && !last->blank_before;
}

static bool is_operator(const struct wl_token *token) {
    return token->kind == WL_TOKEN_PUNCTUATOR && token->symbol && strchr("<>+-*/%\4", token->symbol); /* \4: comparisons */
}

static bool is_compared(const struct pass *pass) {
    struct wl_token next;
    peek(pass, &next);
    return is_operator(&next) || is_operator(&pass->before[0]);
}

/* A namespace's name changes before `::` and behind `namespace`. */
static bool is_namespace(const struct pass *pass) {
    struct wl_token next;
    peek(pass, &next);
    return is_punctuator(&next, WL_SYMBOL_SCOPE) || (pass->before[0].size == 9 && memcmp(pass->before[0].text, "namespace", 9) == 0);
}

static bool is_tag_keyword(const struct wl_token *token) {
    return token->kind == WL_TOKEN_IDENTIFIER &&
           ((token->size == 6 && memcmp(token->text, "struct", 6) == 0) || (token->size == 5 && memcmp(token->text, "union", 5) == 0) ||
            (token->size == 4 && memcmp(token->text, "enum", 4) == 0));
}

/* Writes the new name; the splices of the old one follow it, so that lines keep their numbers. */
static void rename_token(struct pass *pass, const struct wl_token *token, const char *name) {
    replace(pass, token->text, token->size, name);
    if (!token->spliced)
        return;
    const char *end = token->text + token->size;
    for (const char *p = token->text; p < end; p++) {
        size_t size = wl_splice_size(p, end);
        if (size)
            put(pass, p, size);
    }
}

/* What to call a name here: NULL, with the reason, if it cannot be converted. Plans the changes of its arguments. */
static const char *counterpart(struct pass *pass, const struct wl_hipify_row *row, const char **reason) {
    size_t count;
    const struct wl_hipify_form *forms = wl_mapping_forms(row, &count);
    struct call call;
    if (count)
        read_call(pass, &call);
    for (size_t i = 0; i < count; i++) {
        if (!form_fits(&forms[i], &call))
            continue;
        if (forms[i].hip)
            plan_form(pass, &forms[i], &call);
        else
            *reason = forms[i].text;
        return forms[i].hip;
    }
    if (!row->hip) {
        *reason = row->reason;
        return NULL;
    }
    if (row->kind == WL_HIPIFY_TYPE && is_tag_keyword(&pass->before[0])) {
        const char *tag = wl_mapping_tag(row);
        return tag ? tag : row->hip;
    }
    if (!*row->hip && pass->in_directive) {
        *reason = "HIP has no calling convention to name; remove it";
        return NULL;
    }
    const char *why = wl_mapping_not_comparable(row);
    if (why && is_compared(pass)) {
        *reason = why;
        return NULL;
    }
    return row->hip;
}

static const struct wl_hipify_row *find_name(const struct wl_token *token) {
    if (!token->spliced)
        return wl_mapping_find(token->text, token->size);
    char name[NAME_MAX_SIZE];
    size_t size = 0;
    const char *end = token->text + token->size;
    for (const char *p = token->text; p < end && size < sizeof name;) {
        size_t splice = wl_splice_size(p, end);
        if (splice)
            p += splice;
        else
            name[size++] = *p++;
    }
    return wl_mapping_find(name, size);
}

/* Handles an identifier; returns its row if it is a name of CUDA's. */
static const struct wl_hipify_row *take_identifier(struct pass *pass, const struct wl_token *token) {
    const struct wl_hipify_row *row = find_name(token);
    if (!row) {
        pass->result->is_device_code |= token->size == 10 && memcmp(token->text, "__global__", 10) == 0;
        return NULL;
    }
    if (row->kind == WL_HIPIFY_HEADER || is_foreign(pass, row) || (row->kind == WL_HIPIFY_NAMESPACE && !is_namespace(pass)))
        return NULL;
    const char *reason = NULL;
    const char *name = counterpart(pass, row, &reason);
    if (name)
        rename_token(pass, token, name);
    pass->result->is_device_code |= row->kind == WL_HIPIFY_RUNTIME;
    note(pass, token, row, reason);
    return row;
}

static void take_header(struct pass *pass, const struct wl_token *token) {
    static const char runtime[] = "hip/hip_runtime.h";
    if (token->size < 3)
        return;
    const char *path = token->text + 1;
    size_t size = token->size - 2;
    pass->result->has_runtime_header |= size == sizeof runtime - 1 && memcmp(path, runtime, size) == 0;
    const struct wl_hipify_row *row = wl_mapping_find_header(path, size);
    if (!row)
        return;
    if (row->hip) {
        replace(pass, path, size, row->hip);
        pass->result->has_runtime_header |= strcmp(row->hip, runtime) == 0;
    }
    note(pass, token, row, row->hip ? NULL : row->reason);
}

/* What stands in a directive is not before what stands in the next line. */
static void note_line(struct pass *pass, const struct wl_token *token) {
    if (!token->begins_line)
        return;
    if (pass->in_directive) {
        memset(pass->before, 0, sizeof pass->before);
        memset((void *)pass->before_row, 0, sizeof pass->before_row);
    }
    pass->in_directive = is_punctuator(token, '#');
}

enum wl_status wl_hipify_rewrite(const char *source, size_t size, wl_hipify_observer *observer, void *context,
                                 struct wl_hipify_result *result) {
    *result = (struct wl_hipify_result){0};
    struct pass pass = {.copied = source, .result = result, .capacity = size + size / 16 + 64, .observer = observer, .context = context};
    result->text = malloc(pass.capacity);
    if (!result->text)
        return wl_fail(WL_OUT_OF_MEMORY, "no memory for %zu bytes of source", size);
    wl_lexer_begin(&pass.lexer, source, size);
    struct wl_token token;
    for (;;) {
        wl_lexer_next(&pass.lexer, &token);
        if (pass.first_edit < pass.edit_count)
            make_edits(&pass, token.text);
        if (token.kind == WL_TOKEN_END)
            break;
        note_line(&pass, &token);
        const struct wl_hipify_row *row = NULL;
        if (token.kind == WL_TOKEN_IDENTIFIER)
            row = take_identifier(&pass, &token);
        else if (token.kind == WL_TOKEN_HEADER)
            take_header(&pass, &token);
        pass.before[1] = pass.before[0];
        pass.before[0] = token;
        pass.before_row[1] = pass.before_row[0];
        pass.before_row[0] = row;
    }
    copy_to(&pass, source + size);
    free(pass.edits);
    if (!pass.failed)
        return WL_OK;
    free(result->text);
    *result = (struct wl_hipify_result){0};
    return wl_fail(WL_OUT_OF_MEMORY, "no memory for the output of %zu bytes of source", size);
}
