/* The `hipify` command: turns sources that use CUDA's APIs into sources that use HIP's. What names become is in src/hipify;
 * here are options, files and folders. Manual page: docs/hipify.1. */
#include "hipify.h"

#include "base/array.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DONE = 0, SOMETHING_LEFT = 1, FAILED = 2 };

static const char usage_text[] =
    "Usage: hipify [OPTION]... [FILE]...\n"
    "Turns sources that use the CUDA driver and runtime APIs into HIP sources, from standard input (no FILE, or -)\n"
    "or files to standard output.\n"
    "\n"
    "  -i, --in-place       change the files; the old contents go to FILE.bak\n"
    "      --no-backup      do not keep the old contents\n"
    "  -o, --output FILE    write to FILE\n"
    "  -d, --directory DIR  write each file under its name to the folder DIR\n"
    "  -r, --recursive      convert all sources of the folders given: .c .cc .cpp .cxx .cu .cuh .h .hpp .hh .hxx .inl\n"
    "      --diff           print unified differences instead of sources\n"
    "      --statistics     print on standard error what was converted, and what was left and where\n"
    "  -q, --quiet          no warnings about what was left\n"
    "      --no-include     do not give a .cu file that lacks one an #include <hip/hip_runtime.h>\n"
    "      --list           print the table of names and exit\n"
    "      --help, --version\n"
    "\n"
    "Exit status: 0 if nothing was left, 1 if something has no counterpart in HIP, 2 on errors.\n";

struct options {
    bool in_place, backup, recursive, diff, statistics, quiet, add_include;
    const char *output, *directory;
};

static struct options options = {.backup = true, .add_include = true};
static struct hipify_statistics statistics;
static int status = DONE;
static char **names; /* of all files, kept for the statistics */
static size_t name_count, name_capacity;

static void raise_status(int at_least) { status = status < at_least ? at_least : status; }

static void fail(const char *file, const char *what) {
    fflush(stdout);
    fprintf(stderr, "hipify: %s: %s\n", file, what);
    raise_status(FAILED);
}

/* ---- Reading -------------------------------------------------------------------------------- */

struct source {
    const char *name;
    char *text;
    size_t size;
    bool mapped;
    mode_t mode;
};

/* Reads to the end of a stream of any length. */
static bool read_all(int file, struct source *source) {
    size_t capacity = 0;
    for (;;) {
        if (!WL_ARRAY_RESERVE(source->text, source->size, capacity, 1 << 16))
            return false;
        ssize_t got = read(file, source->text + source->size, capacity - source->size);
        if (got == 0)
            return true;
        if (got < 0 && errno != EINTR)
            return false;
        source->size += got < 0 ? 0 : (size_t)got;
    }
}

static void close_source(struct source *source) {
    if (source->mapped)
        munmap(source->text, source->size);
    else
        free(source->text);
}

static bool open_source(const char *name, struct source *source) {
    bool is_stdin = strcmp(name, "-") == 0;
    *source = (struct source){.name = is_stdin ? "<stdin>" : name, .mode = 0666};
    int file = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    struct stat about;
    bool good = file >= 0 && fstat(file, &about) == 0;
    if (good && !is_stdin)
        source->mode = about.st_mode & 07777;
    if (good && S_ISDIR(about.st_mode)) {
        errno = EISDIR;
        good = false;
    }
    if (good && !is_stdin && S_ISREG(about.st_mode) && about.st_size > 0) {
        void *text = mmap(NULL, (size_t)about.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (text != MAP_FAILED) {
            source->text = text;
            source->size = (size_t)about.st_size;
            source->mapped = true;
        }
    }
    if (good && !source->mapped)
        good = read_all(file, source);
    if (!good) {
        fail(source->name, strerror(errno));
        close_source(source);
    }
    if (file >= 0 && !is_stdin)
        close(file);
    return good;
}

/* ---- Writing -------------------------------------------------------------------------------- */

static bool write_all(int file, const char *text, size_t size) {
    while (size) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno != EINTR)
            return false;
        text += written < 0 ? 0 : written;
        size -= written < 0 ? 0 : (size_t)written;
    }
    return true;
}

/* Puts the text into a new file beside `name`, which then takes its place at once. */
static bool replace_file(const char *name, const struct wl_hipify_result *result, mode_t mode) {
    char fresh[PATH_MAX];
    if (snprintf(fresh, sizeof fresh, "%s.XXXXXX", name) >= (int)sizeof fresh) {
        errno = ENAMETOOLONG;
        return false;
    }
    int file = mkostemp(fresh, O_CLOEXEC);
    if (file < 0)
        return false;
    bool good = write_all(file, result->text, result->size) && fchmod(file, mode) == 0;
    good = close(file) == 0 && good;
    if (good && rename(fresh, name) == 0)
        return true;
    int error = errno;
    unlink(fresh);
    errno = error;
    return false;
}

/* Keeps the file as FILE.bak, or FILE.bak.2 and so on: a backup of before is never lost. */
static bool keep_backup(const char *name) {
    char backup[PATH_MAX];
    for (unsigned i = 1;; i++) {
        int size = i == 1 ? snprintf(backup, sizeof backup, "%s.bak", name) : snprintf(backup, sizeof backup, "%s.bak.%u", name, i);
        if (size >= (int)sizeof backup) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (link(name, backup) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
}

static void write_in_place(const struct source *source, const struct wl_hipify_result *result) {
    if (result->size == source->size && memcmp(result->text, source->text, source->size) == 0)
        return;
    char *real = realpath(source->name, NULL); /* a link stays one */
    if (!real || (options.backup && !keep_backup(real)) || !replace_file(real, result, source->mode))
        fail(source->name, strerror(errno));
    free(real);
}

/* Makes the folders of a path. */
static bool make_folders(char *path) {
    for (char *p = path + 1; *p; p++) {
        if (*p != '/')
            continue;
        *p = 0;
        bool good = mkdir(path, 0777) == 0 || errno == EEXIST;
        *p = '/';
        if (!good)
            return false;
    }
    return true;
}

/* Writes to options.directory, under `name`, which is relative. */
static void write_to_folder(const char *name, const struct source *source, const struct wl_hipify_result *result) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", options.directory, name) >= (int)sizeof path)
        errno = ENAMETOOLONG;
    else if (make_folders(path) && replace_file(path, result, source->mode))
        return;
    fail(path, strerror(errno));
}

static void write_to_output(const struct wl_hipify_result *result) {
    int file = options.output ? open(options.output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666) : STDOUT_FILENO;
    if (file < 0 || !write_all(file, result->text, result->size))
        fail(options.output ? options.output : "standard output", strerror(errno));
    if (options.output && file >= 0 && close(file) != 0)
        fail(options.output, strerror(errno));
}

/* ---- Converting ----------------------------------------------------------------------------- */

static void observe(void *context, const struct wl_hipify_note *note) {
    const struct source *source = context;
    if (options.statistics)
        hipify_count(&statistics, source->name, note);
    if (note->reason && !options.quiet)
        fprintf(stderr, "%s:%zu:%zu: %.*s: %s\n", source->name, note->line, note->column, (int)note->name_size, note->name, note->reason);
}

static bool has_suffix(const char *name, const char *suffix) {
    size_t size = strlen(name), suffix_size = strlen(suffix);
    return size > suffix_size && strcmp(name + size - suffix_size, suffix) == 0;
}

/* nvcc includes the runtime's header by itself, so that a .cu file need not; HIP's compilers do not. Returns the lines added. */
static size_t add_include(const struct source *source, struct wl_hipify_result *result) {
    if (!options.add_include || !has_suffix(source->name, ".cu") || !result->is_device_code || result->has_runtime_header)
        return 0;
    const char *newline = memchr(source->text, '\n', source->size);
    bool dos = newline && newline > source->text && newline[-1] == '\r';
    const char *line = dos ? "#include <hip/hip_runtime.h>\r\n" : "#include <hip/hip_runtime.h>\n";
    size_t mark = result->size >= 3 && memcmp(result->text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0, size = strlen(line);
    char *larger = realloc(result->text, result->size + size);
    if (!larger) {
        fail(source->name, strerror(errno));
        return 0;
    }
    result->text = larger;
    memmove(larger + mark + size, larger + mark, result->size - mark);
    memcpy(larger + mark, line, size); /* NOLINT(bugprone-not-null-terminated-result): no string */
    result->size += size;
    return 1;
}

/* Converts one file; `relative` is its name under options.directory. */
static void convert(const char *name, const char *relative) {
    struct source source;
    if (!open_source(name, &source))
        return;
    struct wl_hipify_result result;
    if (wl_hipify_rewrite(source.text, source.size, observe, &source, &result) != WL_OK) {
        fail(source.name, wl_failure());
        close_source(&source);
        return;
    }
    statistics.files++;
    if (result.left)
        raise_status(SOMETHING_LEFT);
    size_t added = add_include(&source, &result);
    if (options.diff)
        hipify_print_diff(stdout, source.name, source.text, source.size, result.text, result.size, added);
    else if (options.in_place)
        write_in_place(&source, &result);
    else if (options.directory)
        write_to_folder(relative, &source, &result);
    else
        write_to_output(&result);
    free(result.text);
    close_source(&source);
}

/* ---- Folders -------------------------------------------------------------------------------- */

static bool is_source(const char *name) {
    static const char *const suffixes[] = {".c", ".cc", ".cpp", ".cxx", ".cu", ".cuh", ".h", ".hpp", ".hh", ".hxx", ".inl"};
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (has_suffix(name, suffixes[i]))
            return true;
    return false;
}

/* A copy of the path that stays to the end. */
static char *keep_name(const char *folder, const char *name) {
    char *path = NULL;
    if (!WL_ARRAY_RESERVE(names, name_count, name_capacity, 16) ||
        asprintf(&path, "%s%s%s", folder, *folder && folder[strlen(folder) - 1] != '/' ? "/" : "", name) < 0) {
        fail(name, "no memory");
        exit(FAILED);
    }
    return names[name_count++] = path;
}

static int visible(const struct dirent *entry) { return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0; }

/* Converts the sources below a folder, in the order of their names. Links are not followed. `base`: how much of the path is not
 * part of the name under options.directory. */
static void convert_folder(const char *folder, size_t base) {
    struct dirent **entries;
    int count = scandir(folder, &entries, visible, alphasort);
    if (count < 0) {
        fail(folder, strerror(errno));
        return;
    }
    for (int i = 0; i < count; i++) {
        char *path = keep_name(folder, entries[i]->d_name);
        struct stat about;
        if (lstat(path, &about) != 0) {
            fail(path, strerror(errno));
        } else if (S_ISDIR(about.st_mode)) {
            convert_folder(path, base);
        } else if (S_ISREG(about.st_mode) && is_source(entries[i]->d_name)) {
            const char *relative = path + base;
            while (*relative == '/')
                relative++;
            convert(path, relative);
        }
        free(entries[i]);
    }
    free(entries);
}

static void convert_argument(const char *name) {
    struct stat about;
    if (strcmp(name, "-") != 0 && stat(name, &about) == 0 && S_ISDIR(about.st_mode)) {
        if (options.recursive)
            convert_folder(name, strlen(name));
        else
            fail(name, "is a folder; -r converts what is in it");
        return;
    }
    const char *slash = strrchr(name, '/');
    convert(name, slash ? slash + 1 : name);
}

/* ---- Options -------------------------------------------------------------------------------- */

static int usage(const char *what) {
    fprintf(stderr, "hipify: %s\nTry 'hipify --help'.\n", what);
    return FAILED;
}

/* What is wrong about the options together; NULL if nothing is. */
static const char *conflict(int files, char **file) {
    if (options.in_place + options.diff + (options.output != NULL) + (options.directory != NULL) > 1)
        return "only one of -i, -o, -d and --diff can be given";
    if (options.output && (files > 1 || options.recursive))
        return "-o takes one file";
    if ((options.in_place || options.recursive) && files == 0)
        return "no files";
    for (int i = 0; i < files; i++)
        if (strcmp(file[i], "-") == 0 && (options.in_place || options.directory))
            return "standard input has no name to write to";
    if (options.directory && files == 0)
        return "no files";
    return NULL;
}

/* Reads the options; returns DONE to go on, else what to exit with, -1 for success. */
static int read_options(int argc, char **argv) {
    enum { NO_BACKUP = 256, DIFF, STATISTICS, NO_INCLUDE, LIST, HELP, VERSION };
    static const struct option longer[] = {{"in-place", no_argument, NULL, 'i'},
                                           {"no-backup", no_argument, NULL, NO_BACKUP},
                                           {"output", required_argument, NULL, 'o'},
                                           {"directory", required_argument, NULL, 'd'},
                                           {"recursive", no_argument, NULL, 'r'},
                                           {"diff", no_argument, NULL, DIFF},
                                           {"statistics", no_argument, NULL, STATISTICS},
                                           {"quiet", no_argument, NULL, 'q'},
                                           {"no-include", no_argument, NULL, NO_INCLUDE},
                                           {"list", no_argument, NULL, LIST},
                                           {"help", no_argument, NULL, HELP},
                                           {"version", no_argument, NULL, VERSION},
                                           {0}};
    for (int option; (option = getopt_long(argc, argv, "io:d:rq", longer, NULL)) != -1;) {
        switch (option) {
        case 'i':
            options.in_place = true;
            break;
        case 'o':
            options.output = optarg;
            break;
        case 'd':
            options.directory = optarg;
            break;
        case 'r':
            options.recursive = true;
            break;
        case 'q':
            options.quiet = true;
            break;
        case NO_BACKUP:
            options.backup = false;
            break;
        case DIFF:
            options.diff = true;
            break;
        case STATISTICS:
            options.statistics = true;
            break;
        case NO_INCLUDE:
            options.add_include = false;
            break;
        case LIST:
            hipify_print_list(stdout);
            return -1;
        case HELP:
            fputs(usage_text, stdout);
            return -1;
        case VERSION:
            puts("hipify (Wavelift) " WL_VERSION);
            return -1;
        default:
            return usage("the options are wrong");
        }
    }
    const char *wrong = conflict(argc - optind, argv + optind);
    return wrong ? usage(wrong) : DONE;
}

static void free_names(void) {
    for (size_t i = 0; i < name_count; i++)
        free(names[i]);
    free(names);
}

int main(int argc, char **argv) {
    int stop = read_options(argc, argv);
    if (stop == DONE) {
        if (optind == argc)
            convert_argument("-");
        for (int i = optind; i < argc; i++)
            convert_argument(argv[i]);
        if (options.statistics)
            hipify_print_statistics(stderr, &statistics);
    }
    hipify_free_statistics(&statistics);
    free_names();
    if (fflush(stdout) != 0 || ferror(stdout))
        fail("standard output", strerror(errno));
    return stop > 0 ? stop : status;
}
