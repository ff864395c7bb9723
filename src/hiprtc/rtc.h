/* hiprtc/: run-time compilation, with an installed clang.
 *
 *   in    HIP C++ as text, or LLVM bitcode, with options (include/hip/hiprtc.h)
 *   out   a code object and the compiler's log: struct wl_rtc_bytes
 *
 *   program.c   hiprtcProgram: source, headers, name expressions, results
 *   link.c      hiprtcLinkState: bitcode to a code object
 *   names.c     which symbols the name expressions became
 *   live.c      which objects of a kind there are: any other handle is an error instead of a crash
 *   compiler.c  the compiler as a process, in a folder of its own
 *   precompiled.c  HIP's headers as a precompiled header, in the cache's folder
 *   files.c     that folder
 *
 * This header is what these files share. */
#ifndef WL_RTC_H
#define WL_RTC_H

#include <hip/hiprtc.h>

#include <pthread.h>
#include <stdbool.h>

/* A block of bytes, or a C string, that is its owner's to free. */
struct wl_rtc_bytes {
    char *data; /* NUL-terminated behind `size` */
    size_t size;
};

/* ---- live.c ---- Any thread; an object's owner sees to it that it is not used while it is removed. */

/* What an object begins with to be in a list. */
struct wl_rtc_live {
    struct wl_rtc_live *next;
};
struct wl_rtc_live_list {
    pthread_mutex_t lock;
    struct wl_rtc_live *first;
};
#define WL_RTC_LIVE_LIST {.lock = PTHREAD_MUTEX_INITIALIZER}

/* The object belongs to its caller all the time, and must be removed before it is freed. */
void wl_rtc_live_add(struct wl_rtc_live_list *list, struct wl_rtc_live *object);
/* Whether the pointer, which may be anything and is not followed, is that of an object in the list. */
bool wl_rtc_live_has(struct wl_rtc_live_list *list, const void *object);
/* Takes it out of the list; false: it is not in it. Of several threads one gets true. */
bool wl_rtc_live_remove(struct wl_rtc_live_list *list, const void *object);

/* ---- files.c ---- */

/* Makes an empty folder under $TMPDIR or /tmp; free() the name. NULL: errno says why. */
char *wl_rtc_folder_make(void);
/* Removes the folder with all that is in it and frees the name. NULL does nothing. */
void wl_rtc_folder_remove(char *folder);
/* Writes folder/name; folders within `name` are made. False: a name that leads out of the folder, or errno. */
bool wl_rtc_write(const char *folder, const char *name, const void *data, size_t size);
/* Reads a whole file. False: it cannot be read; `bytes` is then empty. */
bool wl_rtc_read(const char *path, struct wl_rtc_bytes *bytes);
/* "folder/name", to free(); NULL without memory. */
char *wl_rtc_path(const char *folder, const char *name);

/* ---- compiler.c ---- */

/* A command line that grows. */
struct wl_rtc_command {
    char **arguments; /* NULL-terminated; owned, as are its strings */
    size_t count, capacity;
    bool failed; /* some argument found no memory */
};
__attribute__((format(printf, 2, 3))) void wl_rtc_argument(struct wl_rtc_command *command, const char *format, ...);
void wl_rtc_command_free(struct wl_rtc_command *command);

/* Starts a command line with the compiler; `oldest`: with one of that version or a later one, by the number in its name, 0 for the one that
 * is used for programs. HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE, with a sentence in `log`, if there is none, and where WAVELIFT_CLANG names
 * one, if `oldest` is given. */
hiprtcResult wl_rtc_compiler(struct wl_rtc_command *command, int oldest, struct wl_rtc_bytes *log);
/* Adds where AMD's device libraries are, if the compiler would not find them by itself. */
void wl_rtc_device_libraries(struct wl_rtc_command *command);
/* Adds the HIP headers that $HIP_PATH or $ROCM_PATH name, before those of the system, which the compiler would take first. */
void wl_rtc_headers(struct wl_rtc_command *command);
/* Runs the command and waits for it; `input` is its standard input, NULL for none. What it says goes to `log` (replaced), without the
 * folder's name; where it fails without a word, how it ended. HIPRTC_SUCCESS: it exited with 0; HIPRTC_ERROR_COMPILATION: with something
 * else; HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE: it did not start. */
hiprtcResult wl_rtc_run(const struct wl_rtc_command *command, const char *folder, const char *input, struct wl_rtc_bytes *log);
/* The current device's architecture ("gfx90a"), into `text`. */
void wl_rtc_default_target(char *text, size_t size);
/* printf into freshly allocated bytes, in place of what `bytes` has. */
__attribute__((format(printf, 2, 3))) void wl_rtc_say(struct wl_rtc_bytes *bytes, const char *format, ...);

/* ---- precompiled.c ---- */

/* What the parsing of the prelude depends on. All is the caller's. */
struct wl_rtc_parse {
    const struct wl_rtc_command *prefix;  /* the compiler, and what every program is compiled with */
    const struct wl_rtc_command *options; /* the program's own options (arguments from 0) */
    const char *prelude;                  /* the text, which is also in folder/prelude/wavelift.h */
    const char *folder;                   /* the compilation's folder */
    const void *names;                    /* the names of the program's own headers: name(names, 0 to name_count - 1) */
    const char *(*name)(const void *names, int index);
    int name_count;
};

/* The name of a precompiled header of the prelude for these options, from the cache or made now; free() it. It is as good as the text: its
 * headers are as they were when it was made, the program's own headers have other names than those, and macros that the options define
 * either occur in none of them or were defined when it was made. NULL: none can be had, or, with options that few programs share (paths,
 * macros that the headers know), it is asked for the first time. Any thread, any number of processes. */
char *wl_rtc_precompiled(const struct wl_rtc_parse *parse);
/* Removes a header that the compiler did not take. */
void wl_rtc_precompiled_drop(const char *path);

/* ---- names.c ---- */

struct wl_rtc_name {
    char *expression;
    char *symbol; /* NULL before compilation */
};
/* Declarations to put behind the source, so that names.c finds in the code object what each expression became; free(). */
char *wl_rtc_names_source(const struct wl_rtc_name *names, size_t count);
/* Fills in the symbols. False: the code object is damaged or a name is not in it. */
bool wl_rtc_names_find(struct wl_rtc_name *names, size_t count, const struct wl_rtc_bytes *code);

#endif
