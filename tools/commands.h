/* The commands of `wavelift`: one table (commands.c) says what each is called, which options it has and what they mean. The arguments are
 * parsed by it, and `wavelift --help` and the manual page are printed from it. */
#ifndef WL_TOOLS_COMMANDS_H
#define WL_TOOLS_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

enum { WL_MOST_OPTIONS = 10 };

struct wl_command_option {
    const char *name;  /* "arch": given as --arch */
    const char *value; /* how the help calls its value; NULL: it has none */
    const char *what;  /* a sentence of the manual */
};

struct wl_command {
    const char *name;
    const char *operands;                              /* how the help calls them; NULL: there are none */
    bool raw;                                          /* all arguments are operands: another program's options */
    const char *summary;                               /* a line of the help */
    const char *manual;                                /* paragraph of the manual, before its options */
    struct wl_command_option options[WL_MOST_OPTIONS]; /* up to one without a name */
    /* `values` has an element for each option: its value, "" if it has none, NULL if it was not given. `operands` ends with NULL. Returns
     * the exit status: 0, 1 (failed), 2 (wrong usage). */
    int (*run)(char **operands, const char *const *values);
};

/* Whether a program that is about to run may look for AMD's driver in the file system (topology.c), by itself or through others that it starts.
 * False only for programs whose file shows that they do not, so that these load nothing that they do not need. */
bool wl_tool_wants_topology(const char *program);
/* Puts a library of a folder in front of LD_PRELOAD, if the library is there. False: out of memory. */
bool wl_tool_preload(const char *folder, const char *library);

/* NULL: there is no such command. */
const struct wl_command *wl_command_find(const char *name);
/* Parses the arguments, argv[0] being the command's name, and runs it. Returns the exit status. */
int wl_command_run(const struct wl_command *command, int argc, char **argv);
/* Print the help, and the manual's sections that come from the table. */
void wl_command_print_help(void);
void wl_command_print_manual(void);

/* Each command's options, as their places in `values`. */
enum { WL_RUN_ARCH };
enum {
    WL_SANITIZE_TOOL,
    WL_SANITIZE_JSON,
    WL_SANITIZE_SUPPRESSIONS,
    WL_SANITIZE_FINDINGS,
    WL_SANITIZE_LEAKS,
    WL_SANITIZE_KERNEL,
    WL_SANITIZE_EXIT,
    WL_SANITIZE_GENERATE,
    WL_SANITIZE_ARCH
};
enum { WL_PROFILE_TRACE, WL_PROFILE_JSON, WL_PROFILE_CSV, WL_PROFILE_COUNTERS, WL_PROFILE_SOURCE, WL_PROFILE_PERF, WL_PROFILE_ARCH };
enum { WL_RECORD_OUT, WL_RECORD_KERNEL, WL_RECORD_ARCH };
enum { WL_REPLAY_LAUNCH, WL_REPLAY_SCHEDULE, WL_REPLAY_REDUCE };
enum { WL_DISASM_ARCH, WL_DISASM_KERNEL, WL_DISASM_NO_CODE };
enum { WL_CHECK_ARCH, WL_CHECK_KERNEL, WL_CHECK_ONLY_UNSUPPORTED, WL_CHECK_NATIVE, WL_CHECK_JSON, WL_CHECK_SAMPLE, WL_CHECK_SEED };
enum { WL_PTX_ARCH, WL_PTX_KERNEL, WL_PTX_SM, WL_PTX_BLOCK, WL_PTX_PARTIAL, WL_PTX_OUT, WL_PTX_DUMP };
enum {
    WL_CONFIG_CFLAGS,
    WL_CONFIG_HIPFLAGS,
    WL_CONFIG_LIBS,
    WL_CONFIG_CMAKE,
    WL_CONFIG_PREFIX,
    WL_CONFIG_CLANG,
    WL_CONFIG_ARCH,
    WL_CONFIG_DEVICE_LIBS,
    WL_CONFIG_HEADERS
};
enum { WL_DOCTOR_ONLY, WL_DOCTOR_SELF_TEST };
enum { WL_ISA_TARGET, WL_ISA_WAVE, WL_ISA_MISSING };

int wl_command_info(char **operands, const char *const *values);
int wl_command_exec(char **operands, const char *const *values); /* run */
int wl_command_sanitize(char **operands, const char *const *values);
int wl_command_profile(char **operands, const char *const *values);
int wl_command_gdb(char **operands, const char *const *values);
int wl_command_record(char **operands, const char *const *values);
int wl_command_replay(char **operands, const char *const *values);
int wl_command_disasm(char **operands, const char *const *values);
int wl_command_check(char **operands, const char *const *values);
int wl_command_ptx(char **operands, const char *const *values);
int wl_command_isa(char **operands, const char *const *values);
int wl_command_hipcc(char **operands, const char *const *values);
int wl_command_config(char **operands, const char *const *values);
int wl_command_doctor(char **operands, const char *const *values);
int wl_command_cache(char **operands, const char *const *values);

/* What this program is when it is called by the name of one of AMD's tools. Each returns its exit status. */
int wl_tool_clang(int argc, char **argv); /* the installed clang, which finds the device libraries: CMake's HIP compiler */
int wl_tool_hipconfig(int argc, char **argv);
int wl_tool_rocm_agent_enumerator(int argc, char **argv);
int wl_tool_amdgpu_arch(int argc, char **argv);
int wl_tool_offload_arch(int argc, char **argv);
int wl_tool_rocminfo(int argc, char **argv);

/* Print a message and return the exit status of a failure (1), and of wrong usage (2). */
int wl_tool_fail(const char *what);
int wl_tool_usage(const char *what);
/* The folder of the runtime's libraries: beside this program's folder, in the build tree and where it is installed. False: not there. */
bool wl_tool_library_folder(char *folder, size_t size);
/* Opens a library that lies beside the runtime's; NULL, with a message on stderr, if it cannot be opened. Stays open. */
void *wl_tool_open_library(const char *name);
#define WL_TOOL_TRANSLATOR "libwavelift-translate.so" /* native code, PTX */
#define WL_TOOL_THREADED   "libwavelift-threaded.so"  /* without LLVM: threaded code, the decoder and its text */

#endif
