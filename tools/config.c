/* `wavelift config`: what compiles and links programs for Wavelift; and `hipconfig`, as AMD's tool of that name answers. */
#include "commands.h"
#include "toolchain.h"

#include <hip/hip_version.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VERSION_TEXT_(x) #x
#define VERSION_TEXT(x)  VERSION_TEXT_(x)
#define HIP_VERSION_TEXT VERSION_TEXT(HIP_VERSION_MAJOR) "." VERSION_TEXT(HIP_VERSION_MINOR) "." VERSION_TEXT(HIP_VERSION_PATCH)

/* ---- wavelift config ------------------------------------------------------------------------------ */

/* Options stand in one line, with a blank between two. */
static void separate(bool *first) {
    if (!*first)
        putchar(' ');
    *first = false;
}

static void print_hip_flags(const struct wl_toolchain *t) {
    char arch[256];
    wl_toolchain_default_arch(t, arch, sizeof arch);
    printf("-x hip --offload-arch=%s", arch);
    for (const char *const *option = wl_toolchain_file_options(t); *option; option++)
        printf(" %s", *option);
}

static void print_cmake(const struct wl_toolchain *t) {
    char arch[256];
    wl_toolchain_default_arch(t, arch, sizeof arch);
    for (char *comma; (comma = strchr(arch, ','));)
        *comma = ';';
    printf("-DCMAKE_PREFIX_PATH=%s -DCMAKE_HIP_COMPILER=%s/wavelift/clang/clang++ -DCMAKE_HIP_COMPILER_ROCM_ROOT=%s "
           "-DCMAKE_HIP_ARCHITECTURES=%s",
           t->prefix, t->libraries, t->prefix, arch);
}

static void print_libs(const struct wl_toolchain *t) {
    bool first = true;
    for (const char *const *option = wl_toolchain_link_options(t); *option; option++) {
        separate(&first);
        printf("%s", *option);
    }
}

static void print_cflags(const struct wl_toolchain *t) { printf("-I%s -D__HIP_PLATFORM_AMD__", t->include); }
static void print_prefix(const struct wl_toolchain *t) { printf("%s", t->prefix); }
static void print_clang(const struct wl_toolchain *t) { printf("%s", t->clang); }
static void print_device_libs(const struct wl_toolchain *t) { printf("%s", t->device_libs); }
static void print_headers(const struct wl_toolchain *t) { printf("%s", t->headers); }
static void print_arch(const struct wl_toolchain *t) {
    char arch[256];
    wl_toolchain_default_arch(t, arch, sizeof arch);
    printf("%s", arch);
}

int wl_command_config(char **operands, const char *const *values) {
    static void (*const prints[])(const struct wl_toolchain *) = {
        [WL_CONFIG_CFLAGS] = print_cflags, [WL_CONFIG_HIPFLAGS] = print_hip_flags,      [WL_CONFIG_LIBS] = print_libs,
        [WL_CONFIG_CMAKE] = print_cmake,   [WL_CONFIG_PREFIX] = print_prefix,           [WL_CONFIG_CLANG] = print_clang,
        [WL_CONFIG_ARCH] = print_arch,     [WL_CONFIG_DEVICE_LIBS] = print_device_libs, [WL_CONFIG_HEADERS] = print_headers};
    static struct wl_toolchain t;
    bool first = true;
    (void)operands;
    wl_toolchain_find(&t);
    const char *missing = wl_toolchain_missing(&t);
    for (size_t i = 0; i < sizeof prints / sizeof *prints; i++) {
        if (!values[i])
            continue;
        separate(&first);
        prints[i](&t);
    }
    if (first)
        return wl_tool_usage("config: what is to be printed? (--cflags, --hipflags, --libs, --cmake, ...)");
    putchar('\n');
    bool compiles = values[WL_CONFIG_HIPFLAGS] || values[WL_CONFIG_CMAKE] || values[WL_CONFIG_CLANG] || values[WL_CONFIG_DEVICE_LIBS] ||
                    values[WL_CONFIG_HEADERS];
    if ((values[WL_CONFIG_CFLAGS] || values[WL_CONFIG_HIPFLAGS]) && !*t.include)
        return wl_tool_fail("Wavelift's headers are not beside this program");
    return compiles && missing ? wl_tool_fail(missing) : 0;
}

/* ---- hipconfig ------------------------------------------------------------------------------------- */

static void print_cpp_config(const struct wl_toolchain *t) { printf(" -D__HIP_PLATFORM_HCC__= -D__HIP_PLATFORM_AMD__= -I%s", t->include); }

/* The folder in which our clang++ lies, which calls the one that is installed: CMake takes its compiler from here. */
static void print_clang_folder(const struct wl_toolchain *t) { printf("%s/wavelift/clang", t->libraries); }

/* AMD's ends in a hyphen and the commit it was built from: build files split it there, so that there has to be something. */
#define HIPCONFIG_VERSION HIP_VERSION_TEXT "-wavelift"

static void print_version(const struct wl_toolchain *t) {
    (void)t;
    printf("%s", HIPCONFIG_VERSION);
}
static void print_platform(const struct wl_toolchain *t) {
    (void)t;
    printf("amd");
}
static void print_compiler(const struct wl_toolchain *t) {
    (void)t;
    printf("clang");
}
static void print_runtime(const struct wl_toolchain *t) {
    (void)t;
    printf("rocclr");
}

static void print_full(const struct wl_toolchain *t) {
    printf("HIP version  : " HIPCONFIG_VERSION
           "\n\n== hipconfig\nHIP_PATH     : %s\nROCM_PATH    : %s\nHIP_COMPILER : clang\nHIP_PLATFORM : amd\n"
           "HIP_RUNTIME  : rocclr\nCPP_CONFIG   : ",
           t->prefix, t->prefix);
    print_cpp_config(t);
    printf("\n\n== hip-clang\nHIP_CLANG_PATH   : ");
    print_clang_folder(t);
    printf("\n\n== Wavelift " WL_VERSION "\n");
}

static const struct {
    char letter;
    const char *name;
    void (*print)(const struct wl_toolchain *);
} answers[] = {{'p', "path", print_prefix},
               {'R', "rocmpath", print_prefix},
               {'C', "cpp_config", print_cpp_config},
               {'c', "compiler", print_compiler},
               {'P', "platform", print_platform},
               {'r', "runtime", print_runtime},
               {'l', "hipclangpath", print_clang_folder},
               {'v', "version", print_version},
               {'f', "full", print_full}};
enum { ANSWERS = sizeof answers / sizeof *answers };

static bool is_answer(size_t i, const char *argument) {
    return argument[0] == '-' &&
           ((argument[1] == answers[i].letter && !argument[2]) || strcmp(argument + (argument[1] == '-' ? 2 : 1), answers[i].name) == 0);
}

int wl_tool_hipconfig(int argc, char **argv) {
    static struct wl_toolchain t;
    bool newline = false, some = false;
    wl_toolchain_find(&t);
    for (int at = 1; at < argc; at++) {
        size_t i = 0;
        while (i < ANSWERS && !is_answer(i, argv[at]))
            i++;
        if (i < ANSWERS) {
            answers[i].print(&t);
            some = true;
        } else if (strcmp(argv[at], "-n") == 0 || strcmp(argv[at], "--newline") == 0) {
            newline = true;
        } else {
            bool help = strcmp(argv[at], "-h") == 0 || strcmp(argv[at], "--help") == 0;
            fprintf(help ? stdout : stderr, "usage: hipconfig [-n]");
            for (i = 0; i < ANSWERS; i++)
                fprintf(help ? stdout : stderr, " [-%c | --%s]", answers[i].letter, answers[i].name);
            fputc('\n', help ? stdout : stderr);
            return help ? 0 : 2;
        }
    }
    if (!some)
        print_full(&t);
    if (newline)
        putchar('\n');
    return 0;
}
