/* `wavelift hipcc`, and `hipcc` where it is called by that name: the installed clang, with the options that make a HIP program out of what it
 * is given. It takes the options of AMD's hipcc, and passes those of clang on. */
#include "commands.h"
#include "toolchain.h"

#include "base/array.h"
#include "base/text.h"

#include <hip/hip_version.h>

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The command line that is made. Nothing is freed: it ends by becoming the compiler. */
struct words {
    const char **list;
    size_t count, capacity;
};

static void add(struct words *words, const char *word) {
    if (!WL_ARRAY_RESERVE_MORE(words->list, words->count, 2, words->capacity, 64))
        exit(wl_tool_fail("out of memory"));
    words->list[words->count++] = word;
    words->list[words->count] = NULL;
}

__attribute__((format(printf, 2, 3))) static void add_text(struct words *words, const char *format, ...) {
    va_list list;
    char *text = NULL;
    va_start(list, format);
    int length = vasprintf(&text, format, list);
    va_end(list);
    add(words, length < 0 ? "" : text);
}

/* Each word of a text that blanks (`separators`) part; `prefix` goes in front of each. */
static void add_parts(struct words *words, const char *prefix, const char *text, const char *separators) {
    for (const char *at = text; at && *(at += strspn(at, separators));) {
        int length = (int)strcspn(at, separators);
        add_text(words, "%s%.*s", prefix, length, at);
        at += length;
    }
}

struct request {
    const struct wl_toolchain *toolchain;
    struct words options; /* what was asked for, as clang takes it */
    bool links;           /* a program or library is the result */
    bool inputs;          /* some file is given */
    bool arch, level, language, rdc;
};

/* ---- options ------------------------------------------------------------------------------------ */

/* Whether the word behind this one is its value, not a file. */
static bool takes_value(const char *option) {
    static const char *const names[] = {"-o",
                                        "-I",
                                        "-L",
                                        "-l",
                                        "-D",
                                        "-U",
                                        "-include",
                                        "-isystem",
                                        "-idirafter",
                                        "-iquote",
                                        "-imacros",
                                        "-isysroot",
                                        "-Xclang",
                                        "-Xlinker",
                                        "-Xassembler",
                                        "-Xpreprocessor",
                                        "-Xarch_host",
                                        "-Xarch_device",
                                        "-Xoffload-linker",
                                        "-mllvm",
                                        "-MF",
                                        "-MT",
                                        "-MQ",
                                        "-MJ",
                                        "-target",
                                        "-T",
                                        "-u",
                                        "-z",
                                        "--param",
                                        "-B",
                                        "-e",
                                        "-aux-triple"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(option, names[i]) == 0)
            return true;
    return false;
}

/* Architectures in a list with commas; "native" stands for those of the devices. */
static void add_archs(struct request *r, const char *list) {
    char arch[256];
    r->arch = true;
    if (strcmp(list, "native") == 0) {
        for (int device = 0; wl_toolchain_device_arch(device, arch, sizeof arch); device++)
            add_text(&r->options, "--offload-arch=%s", arch);
        return;
    }
    add_parts(&r->options, "--offload-arch=", list, ",");
    for (const char *at = list; *at; at += strcspn(at, ","), at += *at == ',')
        if (wl_starts_with(at, "gfx") && *r->toolchain->device_libs && !wl_toolchain_has_arch(r->toolchain, at))
            fprintf(stderr,
                    "wavelift: the device libraries in %s have nothing for %.*s; newer ones, or tools/device-libs.sh of Wavelift's "
                    "sources, do\n",
                    r->toolchain->device_libs, (int)strcspn(at, ",:"), at);
}

/* AMD's own options, which clang does not know or takes in another form. False: it is none of them. */
static bool amds_option(struct request *r, const char *word) {
    static const char *const archs[] = {"--offload-arch=", "--amdgpu-target=", "-amdgpu-target="};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        if (wl_starts_with(word, archs[i])) {
            add_archs(r, word + strlen(archs[i]));
            return true;
        }
    if (strcmp(word, "--genco") == 0) {
        add(&r->options, "--cuda-device-only");
        r->links = false;
    } else if (strcmp(word, "-use_fast_math") == 0 || strcmp(word, "--use_fast_math") == 0) {
        add(&r->options, "-ffast-math");
    } else if (strcmp(word, "-M") == 0) {
        add(&r->options, "-M");
        add(&r->options, "--cuda-host-only");
        r->links = false;
    } else {
        /* How AMD's script links to its runtime, and profiles itself: nothing to do. */
        return strcmp(word, "-use-staticlib") == 0 || strcmp(word, "-use-sharedlib") == 0 || wl_starts_with(word, "--hipcc");
    }
    return true;
}

/* Notes what clang will do; its option goes on as it is. */
static void clangs_option(struct request *r, const char *word) {
    static const char *const no_link[] = {
        "-c", "-E", "-S", "-MM", "-fsyntax-only", "--precompile", "-emit-llvm-bc", "--cuda-device-only", "--offload-device-only"};
    for (size_t i = 0; i < sizeof no_link / sizeof *no_link; i++)
        if (strcmp(word, no_link[i]) == 0)
            r->links = false;
    r->level |= wl_starts_with(word, "-O");
    r->rdc |= strcmp(word, "-fgpu-rdc") == 0;
    if (wl_starts_with(word, "-x"))
        r->language = strcmp(word, "-xnone") != 0;
    add(&r->options, word);
}

/* What a source is by its name: "hip" for C++, as AMD's script has it, "c", or NULL for objects, libraries and the rest. */
static const char *language_of(const char *file) {
    static const char *const endings[] = {".hip", ".cu", ".cuh", ".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP"};
    const char *dot = strrchr(file, '.'), *plain = secure_getenv("HIP_COMPILE_CXX_AS_HIP");
    for (size_t i = 0; dot && i < (plain && strcmp(plain, "0") == 0 ? 1 : sizeof endings / sizeof *endings); i++)
        if (strcmp(dot, endings[i]) == 0)
            return "hip";
    return dot && strcmp(dot, ".c") == 0 ? "c" : NULL;
}

static void add_file(struct request *r, const char *file) {
    const char *language = r->language ? NULL : language_of(file);
    r->inputs = true;
    if (language) {
        add(&r->options, "-x");
        add(&r->options, language);
    }
    add(&r->options, file);
    if (language) {
        add(&r->options, "-x");
        add(&r->options, "none");
    }
}

static void read_words(struct request *r, char **words) {
    for (; *words; words++) {
        const char *word = *words;
        if (strcmp(word, "-x") == 0 && words[1]) {
            add(&r->options, word);
            add(&r->options, *++words);
            r->language = strcmp(*words, "none") != 0;
        } else if (takes_value(word) && words[1]) {
            add(&r->options, word);
            add(&r->options, *++words);
        } else if (word[0] != '-' || !word[1]) {
            add_file(r, word);
        } else if (!amds_option(r, word)) {
            clangs_option(r, word);
        }
    }
}

/* ---- the command line --------------------------------------------------------------------------- */

static void add_compile_options(struct words *command, const struct request *r) {
    const struct wl_toolchain *t = r->toolchain;
    if (!r->arch) {
        char arch[256];
        wl_toolchain_default_arch(t, arch, sizeof arch);
        add_parts(command, "--offload-arch=", arch, ",");
    }
    if (!r->level)
        add(command, "-O3");
    for (const char *const *option = wl_toolchain_file_options(t); *option; option++)
        add(command, *option);
    add(command, "-D__HIP_PLATFORM_AMD__=1");
    add(command, "-Wno-unused-command-line-argument");
    add_parts(command, "", secure_getenv("HIPCC_COMPILE_FLAGS_APPEND"), " ");
}

static void add_link_options(struct words *command, const struct request *r) {
    if (r->rdc)
        add(command, "--hip-link");
    for (const char *const *option = wl_toolchain_link_options(r->toolchain); *option; option++)
        add(command, *option);
    add_parts(command, "", secure_getenv("HIPCC_LINK_FLAGS_APPEND"), " ");
}

static int become(const struct words *command) {
    const char *verbose = secure_getenv("HIPCC_VERBOSE");
    if (verbose && strtol(verbose, NULL, 0) & 1) {
        fputs("hipcc-cmd:", stderr);
        for (size_t i = 0; i < command->count; i++)
            fprintf(stderr, " %s", command->list[i]);
        fputc('\n', stderr);
    }
    fflush(stdout);
    execv(command->list[0], (char *const *)(uintptr_t)command->list);
    fprintf(stderr, "wavelift: cannot run %s: %s\n", command->list[0], strerror(errno));
    return 1;
}

/* Questions that AMD's script answers without compiling. False: there is none. */
static bool answer(const struct wl_toolchain *t, const char *word) {
    if (strcmp(word, "--short-version") == 0) {
        printf("%d.%d.%d\n", HIP_VERSION_MAJOR, HIP_VERSION_MINOR, HIP_VERSION_PATCH);
    } else if (strcmp(word, "--cxxflags") == 0) {
        printf("-isystem %s -D__HIP_PLATFORM_AMD__=1 --rocm-device-lib-path=%s\n", t->include, t->device_libs);
    } else if (strcmp(word, "--ldflags") == 0) {
        for (const char *const *option = wl_toolchain_link_options(t); *option; option++)
            printf("%s%s", *option, option[1] ? " " : "\n");
    } else {
        return false;
    }
    return true;
}

int wl_command_hipcc(char **operands, const char *const *values) {
    static struct wl_toolchain t;
    struct words command = {0};
    struct request r = {.toolchain = &t, .links = true};
    (void)values;
    if (!operands[0])
        return wl_tool_usage("hipcc: no file is given");
    wl_toolchain_find(&t);
    if (answer(&t, operands[0]))
        return 0;
    if (!*t.clang)
        return wl_tool_fail(wl_toolchain_missing(&t));
    if (strcmp(operands[0], "--version") == 0)
        printf("HIP version: %d.%d.%d (Wavelift %s)\n", HIP_VERSION_MAJOR, HIP_VERSION_MINOR, HIP_VERSION_PATCH, WL_VERSION);
    read_words(&r, operands);
    add(&command, t.clang);
    if (r.inputs) {
        if (wl_toolchain_missing(&t))
            fprintf(stderr, "wavelift: %s\n", wl_toolchain_missing(&t));
        add_compile_options(&command, &r);
    }
    for (size_t i = 0; i < r.options.count; i++)
        add(&command, r.options.list[i]);
    if (r.inputs && r.links)
        add_link_options(&command, &r);
    return become(&command);
}

/* ---- clang, for CMake ----------------------------------------------------------------------------- */

static bool any(char **words, const char *start) {
    for (; *words; words++)
        if (wl_starts_with(*words, start))
            return true;
    return false;
}

int wl_tool_clang(int argc, char **argv) {
    static struct wl_toolchain t;
    struct words command = {0};
    size_t length = argc > 0 ? strlen(argv[0]) : 0;
    bool c = length > 0 && argv[0][length - 1] != '+';
    wl_toolchain_find(&t);
    if (!*t.clang)
        return wl_tool_fail(wl_toolchain_missing(&t));
    add_text(&command, "%.*s", (int)(strlen(t.clang) - (c && strstr(t.clang, "++") ? 2 : 0)), t.clang);
    if (*t.device_libs && !any(argv, "--rocm-device-lib-path") && !any(argv, "-nogpulib"))
        add_text(&command, "--rocm-device-lib-path=%s", t.device_libs);
    /* So CMake asks where HIP is installed. */
    if (any(argv, "-print-targets") && !any(argv, "--hip-path"))
        add_text(&command, "--hip-path=%s", t.prefix);
    for (int i = 1; i < argc; i++)
        add(&command, argv[i]);
    return become(&command);
}
