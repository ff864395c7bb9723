/* The prelude of every program as a precompiled header, in the cache's folder: HIP's headers are most of what a compilation reads.
 *
 * Two files each. KEY.rtc is the note: a line with a checksum and the header's name, then each file that was read, with size and time, an
 * empty line, and every identifier that occurs in those files. KEY-XXXXXX.pch is the header. Both are made under temporary names
 * and renamed, the note last, so that processes may meet in the folder. */
#include "base/array.h"
#include "hiprtc/rtc.h"

#include "base/folder.h"
#include "base/options.h"
#include "base/table.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

#define FORMAT        "wavelift precompiled prelude 2"
#define SEEN          "seen" /* in a note, in place of the header's name: it is made if it is asked for once more */
#define NONE          "none" /* the compiler cannot make it */
#define TOUCH_SECONDS 86400  /* use renews the time of last use at most this often */

/* Folders in which other headers could come to lie before those that were read. */
static const char *const watched[] = {"/opt",         "/opt/rocm",       "/usr/local/include", "/usr/local/include/hip",
                                      "/usr/include", "/usr/include/hip"};
/* What the compiler reads besides its command line. */
static const char *const variables[] = {"CPATH",     "CPLUS_INCLUDE_PATH",  "C_INCLUDE_PATH", "HIP_PATH",
                                        "ROCM_PATH", "HIP_DEVICE_LIB_PATH", "GCC_TOOLCHAIN",  "CCC_OVERRIDE_OPTIONS"};

/* ---- text that grows ----------------------------------------------------------------------------- */

static void append(struct wl_rtc_bytes *text, size_t *capacity, const char *data, size_t size) {
    if (!WL_ARRAY_RESERVE_MORE(text->data, text->size, size + 1, *capacity, 1024))
        return;
    memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = 0;
}

/* "name<tab>size<tab>time", or that it is not there. */
static int stamp(char *line, size_t size, const char *name) {
    struct stat info;
    if (stat(name, &info) != 0)
        return snprintf(line, size, "%s\t-\t-\n", name);
    return snprintf(line, size, "%s\t%jd\t%jd.%09ld\n", name, S_ISREG(info.st_mode) ? (intmax_t)info.st_size : 0,
                    (intmax_t)info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
}

/* ---- notes --------------------------------------------------------------------------------------- */

struct note {
    struct wl_rtc_bytes text;
    char header[NAME_MAX + 1];
    const char *stamps, *words; /* in `text`; the words begin with a newline */
};

static void note_free(struct note *note) {
    free(note->text.data);
    *note = (struct note){0};
}

/* The name of the header from the first line, and what stands behind that line; NULL: it is not such a line, or not of this text. */
static const char *note_head(struct note *note) {
    static const char format[] = FORMAT " ";
    const char *text = note->text.data, *end = strchr(text, '\n');
    char *name = NULL;
    if (!end || strncmp(text, format, sizeof format - 1) != 0)
        return NULL;
    const unsigned long long checksum = strtoull(text + sizeof format - 1, &name, 16);
    if (*name != ' ' || end - name < 2 || end - name > NAME_MAX || memchr(name, '/', (size_t)(end - name)))
        return NULL;
    snprintf(note->header, sizeof note->header, "%.*s", (int)(end - name - 1), name + 1);
    return XXH3_64bits(end + 1, note->text.size - (size_t)(end + 1 - text)) == checksum ? end + 1 : NULL;
}

/* False: there is none, or it is damaged. */
static bool note_read(struct note *note, const char *path) {
    *note = (struct note){0};
    if (!wl_rtc_read(path, &note->text))
        return false;
    const char *stamps = note_head(note);
    if (stamps) {
        note->stamps = stamps;
        note->words = strstr(note->stamps - 1, "\n\n");
        if (note->words)
            return true;
    }
    note_free(note);
    return false;
}

/* Whether all files are as they were when the header was made. */
static bool note_current(const struct note *note) {
    char line[PATH_MAX + 64];
    for (const char *at = note->stamps; at < note->words + 1;) {
        const char *tab = strchr(at, '\t'), *end = strchr(at, '\n');
        if (!tab || !end || tab > end || tab - at >= PATH_MAX)
            return false;
        char name[PATH_MAX];
        snprintf(name, sizeof name, "%.*s", (int)(tab - at), at);
        int length = stamp(line, sizeof line, name);
        if (length != end + 1 - at || memcmp(line, at, (size_t)length) != 0)
            return false;
        at = end + 1;
    }
    return true;
}

/* Whether the identifier occurs in the headers. */
static bool note_mentions(const struct note *note, const char *word, size_t length) {
    char line[256];
    if (length + 3 > sizeof line)
        return true;
    snprintf(line, sizeof line, "\n%.*s\n", (int)length, word);
    return strstr(note->words + 1, line) != NULL;
}

/* Whether one of the headers that were read could be meant by this name. */
static bool note_has_file(const struct note *note, const char *name) {
    char part[PATH_MAX];
    snprintf(part, sizeof part, "/%s\t", name);
    const char *found = strstr(note->stamps, part);
    return found && found < note->words;
}

/* Puts a note in place of what there is. */
static void note_write(const char *path, const char *header, const struct wl_rtc_bytes *rest) {
    char temporary[PATH_MAX + 64];
    snprintf(temporary, sizeof temporary, "%s/.tmp-XXXXXX", wl_cache_folder());
    int file = mkostemp(temporary, O_CLOEXEC);
    FILE *stream = file >= 0 ? fdopen(file, "wb") : NULL;
    if (!stream) {
        if (file >= 0)
            close(file);
        return;
    }
    fprintf(stream, FORMAT " %llx %s\n", (unsigned long long)XXH3_64bits(rest->data, rest->size), header);
    bool written = fwrite(rest->data, 1, rest->size, stream) == rest->size;
    written = fclose(stream) == 0 && written;
    if (!written || rename(temporary, path) != 0)
        unlink(temporary);
}

/* ---- identifiers --------------------------------------------------------------------------------- */

static bool is_in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

static size_t length_of(const char *word) {
    size_t length = 0;
    while (is_in_word(word[length]))
        length++;
    return length;
}

/* `words` holds each word once, where it first stands in a text, by its hash. */
static bool add_word(struct wl_table *words, const char *word, size_t length) {
    const uint64_t key = XXH3_64bits(word, length);
    size_t at = 0;
    for (const char *known; (known = wl_table_next(words, key, &at));)
        if (length_of(known) == length && memcmp(known, word, length) == 0)
            return true;
    return wl_table_add(words, key, word);
}

static bool words_of(struct wl_table *words, const char *text) {
    while (*text) {
        const size_t length = length_of(text);
        if (length && !isdigit((unsigned char)*text) && !add_word(words, text, length))
            return false;
        text += length ? length : 1;
    }
    return true;
}

/* Takes the next name from a list of dependencies as make reads them; false: it is at its end. */
static bool next_name(const char **at, char name[PATH_MAX]) {
    size_t length = 0;
    while (**at == ' ' || **at == '\n' || (**at == '\\' && (*at)[1] == '\n'))
        (*at)++;
    for (; **at && **at != ' ' && **at != '\n' && length < PATH_MAX - 1; (*at)++) {
        *at += **at == '\\' && (*at)[1] == ' ';
        name[length++] = **at;
    }
    name[length] = 0;
    return length > 0;
}

static size_t describe_watched(struct wl_rtc_bytes *text) {
    char line[PATH_MAX + 64];
    size_t capacity = 0;
    for (size_t i = 0; i < sizeof watched / sizeof *watched; i++)
        append(text, &capacity, line, (size_t)stamp(line, sizeof line, watched[i]));
    return capacity;
}

/* What a note says of the files in the list: stamps, then the words in them and in the prelude. False: one cannot be read. */
static bool describe(struct wl_rtc_bytes *text, const char *list, const char *prelude) {
    enum { MOST = 4096 };
    struct wl_rtc_bytes *files = calloc(MOST, sizeof *files);
    struct wl_table words = {0};
    char name[PATH_MAX], line[PATH_MAX + 64];
    size_t count = 0, capacity = describe_watched(text);
    bool good = files && words_of(&words, prelude);
    for (const char *at = strchr(list, ':') ? strchr(list, ':') + 1 : ""; good && next_name(&at, name);) {
        if (strcmp(name, "-") == 0)
            continue;
        append(text, &capacity, line, (size_t)stamp(line, sizeof line, name));
        good = *name == '/' && count < MOST && wl_rtc_read(name, &files[count]) && words_of(&words, files[count].data);
        count += good;
    }
    append(text, &capacity, "\n", 1);
    size_t at = 0;
    for (const char *word; good && (word = wl_table_each(&words, &at));) {
        append(text, &capacity, word, length_of(word));
        append(text, &capacity, "\n", 1);
    }
    for (size_t i = 0; i < count; i++)
        free(files[i].data);
    free(files);
    wl_table_free(&words);
    return good && count > 0;
}

/* ---- keys ---------------------------------------------------------------------------------------- */

/* Behind -D or -U of an option that has its macro with it, else NULL. */
static const char *macro_of(const char *option) {
    return option[0] == '-' && (option[1] == 'D' || option[1] == 'U') && (isalpha((unsigned char)option[2]) || option[2] == '_')
               ? option + 2
               : NULL;
}

static bool names_path(const char *option) { return strchr(option, '/') || strncmp(option, "-I", 2) == 0 || strncmp(option, "-i", 2) == 0; }

/* Which options the prelude depends on; `essential` has one flag for each. */
struct choice {
    const struct wl_rtc_parse *parse;
    bool *essential;
};

static void hash_text(XXH3_state_t *state, const char *text) { XXH3_128bits_update(state, text ? text : "", text ? strlen(text) + 1 : 1); }

/* The key as text, and whether it has anything that may differ from program to program. */
static void key_of(const struct choice *choice, char key[33], bool *particular) {
    XXH3_state_t *state = XXH3_createState();
    const struct wl_rtc_parse *parse = choice->parse;
    char line[PATH_MAX + 64] = "", *folder = NULL;
    bool paths = false;
    *particular = false;
    *key = 0;
    if (!state)
        return;
    XXH3_128bits_reset(state);
    hash_text(state, FORMAT WL_VERSION);
    char *compiler = realpath(parse->prefix->arguments[0], NULL);
    (void)stamp(line, sizeof line, compiler ? compiler : "");
    free(compiler);
    hash_text(state, line);
    hash_text(state, parse->prelude);
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        hash_text(state, secure_getenv(variables[i]));
    for (size_t i = 0; i < parse->prefix->count; i++)
        hash_text(state, parse->prefix->arguments[i]);
    for (size_t i = 0; i < parse->options->count; i++)
        if (choice->essential[i]) {
            hash_text(state, parse->options->arguments[i]);
            paths |= names_path(parse->options->arguments[i]);
            *particular |= paths || macro_of(parse->options->arguments[i]);
        }
    if (paths && (folder = getcwd(NULL, 0)))
        hash_text(state, folder);
    free(folder);
    XXH128_hash_t hash = XXH3_128bits_digest(state);
    XXH3_freeState(state);
    snprintf(key, 33, "%016" PRIx64 "%016" PRIx64, hash.high64, hash.low64);
}

/* ---- making -------------------------------------------------------------------------------------- */

/* Runs the compiler; the header is then at `header`. */
static bool compile(const struct choice *choice, const char *header, struct wl_rtc_bytes *list) {
    const struct wl_rtc_parse *parse = choice->parse;
    struct wl_rtc_command command = {0};
    struct wl_rtc_bytes log = {0};
    char *input = wl_rtc_path(parse->folder, "prelude/wavelift.h"), *dependencies = wl_rtc_path(parse->folder, "prelude/files");
    for (size_t i = 0; i < parse->prefix->count; i++)
        wl_rtc_argument(&command, "%s", parse->prefix->arguments[i]);
    for (size_t i = 0; i < parse->options->count; i++)
        if (choice->essential[i])
            wl_rtc_argument(&command, "%s", parse->options->arguments[i]);
    /* The list of files is asked of the compiler proper: to clang 20 and later -MD means nothing in a compilation for a device alone. */
    const char *const rest[] = {"-S", "-emit-llvm", "-fpch-instantiate-templates", "-w", "-"};
    const char *const inner[] = {"-emit-pch", "-fno-pch-timestamp", "-sys-header-deps", "-MT", "prelude", "-dependency-file", dependencies};
    for (size_t i = 0; i < sizeof rest / sizeof *rest; i++)
        wl_rtc_argument(&command, "%s", rest[i]);
    for (size_t i = 0; i < sizeof inner / sizeof *inner; i++) {
        wl_rtc_argument(&command, "-Xclang");
        wl_rtc_argument(&command, "%s", inner[i] ? inner[i] : "");
    }
    wl_rtc_argument(&command, "-o%s", header);
    hiprtcResult result = input && dependencies ? wl_rtc_run(&command, parse->folder, input, &log) : HIPRTC_ERROR_OUT_OF_MEMORY;
    bool listed = result == HIPRTC_SUCCESS && wl_rtc_read(dependencies, list), made = listed && access(header, R_OK) == 0;
    if (!made)
        wl_log(3, "hiprtc: the compiler makes no precompiled header: %s",
               log.size                   ? log.data
               : result != HIPRTC_SUCCESS ? hiprtcGetErrorString(result)
               : listed                   ? "it wrote none, and said nothing"
                                          : "it wrote no list of the files that it read, and said nothing");
    free(log.data);
    free(input);
    free(dependencies);
    wl_rtc_command_free(&command);
    return made;
}

/* Makes header and note; the note says NONE if that is not possible. */
static void make(const struct choice *choice, const char *key, const char *note) {
    struct wl_rtc_bytes list = {0}, text = {0};
    char path[PATH_MAX + 64], final[PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/.tmp-%s", wl_cache_folder(), "XXXXXX");
    int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return;
    close(file);
    snprintf(final, sizeof final, "%s/%s-%s.pch", wl_cache_folder(), key, path + strlen(path) - 6);
    if (compile(choice, path, &list) && describe(&text, list.data, choice->parse->prelude) && rename(path, final) == 0) {
        note_write(note, strrchr(final, '/') + 1, &text);
    } else {
        unlink(path);
        free(text.data);
        text = (struct wl_rtc_bytes){0};
        size_t capacity = describe_watched(&text);
        append(&text, &capacity, "\n", 1);
        note_write(note, NONE, &text);
    }
    free(list.data);
    free(text.data);
}

/* Renews the times of last use, by which the cache is kept within its bound. */
static void touch(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && time(NULL) - info.st_mtim.tv_sec > TOUCH_SECONDS)
        (void)utimensat(AT_FDCWD, path, NULL, 0);
}

/* Gets a note that can be used; it may have been made for that. */
static bool obtain(const struct choice *choice, struct note *note) {
    static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER; /* one thread of a process makes headers at a time */
    char key[33], path[PATH_MAX + 64], header[PATH_MAX + NAME_MAX + 64];
    bool particular, usable = false;
    static char nothing[] = "\n";
    key_of(choice, key, &particular);
    snprintf(path, sizeof path, "%s/%s.rtc", wl_cache_folder(), key);
    pthread_mutex_lock(&one);
    for (int attempt = 0; attempt < 2 && !usable && *key; attempt++) {
        bool there = note_read(note, path);
        snprintf(header, sizeof header, "%s/%s", wl_cache_folder(), note->header);
        bool made = there && strcmp(note->header, SEEN) != 0 && strcmp(note->header, NONE) != 0;
        bool current = there && note_current(note);
        usable = made && current && access(header, R_OK) == 0;
        if (usable || (current && strcmp(note->header, NONE) == 0) || attempt == 1)
            break;
        if (made)
            unlink(header);
        if (particular && !there)
            note_write(path, SEEN, &(struct wl_rtc_bytes){nothing, 1});
        else
            make(choice, key, path);
        note_free(note);
    }
    pthread_mutex_unlock(&one);
    if (usable) {
        touch(path);
        touch(header);
    } else {
        note_free(note);
    }
    return usable;
}

/* ---- use ----------------------------------------------------------------------------------------- */

/* Options behind which an argument of their own stands belong with it; whatever is no macro in one piece is essential. */
static void first_choice(const struct choice *choice) {
    for (size_t i = 0; i < choice->parse->options->count; i++)
        choice->essential[i] = !macro_of(choice->parse->options->arguments[i]) ||
                               (i > 0 && (strcmp(choice->parse->options->arguments[i - 1], "-Xclang") == 0 ||
                                          strcmp(choice->parse->options->arguments[i - 1], "-include") == 0));
}

/* Whether the headers mention macros that were thought inessential; those are essential then. */
static bool widen(const struct choice *choice, const struct note *note) {
    bool wider = false;
    for (size_t i = 0; i < choice->parse->options->count; i++) {
        const char *macro = macro_of(choice->parse->options->arguments[i]);
        if (choice->essential[i] || !macro)
            continue;
        size_t length = strcspn(macro, "=(");
        choice->essential[i] = note_mentions(note, macro, length);
        wider |= choice->essential[i];
    }
    return wider;
}

char *wl_rtc_precompiled(const struct wl_rtc_parse *parse) {
    struct choice choice = {parse, calloc(parse->options->count + 1, sizeof(bool))};
    struct note note = {0};
    char *path = NULL;
    bool usable = choice.essential && !parse->prefix->failed && !parse->options->failed && wl_cache_folder_make();
    if (usable)
        first_choice(&choice);
    while (usable) {
        note_free(&note);
        usable = obtain(&choice, &note);
        if (!usable || !widen(&choice, &note))
            break;
    }
    for (int i = 0; usable && i < parse->name_count; i++)
        usable = !note_has_file(&note, parse->name(parse->names, i));
    if (usable)
        path = wl_rtc_path(wl_cache_folder(), note.header);
    note_free(&note);
    free(choice.essential);
    return path;
}

void wl_rtc_precompiled_drop(const char *path) {
    wl_log(2, "hiprtc: the precompiled header %s is of no use; it is made again", path);
    unlink(path);
}
