/* The table of commands, and what is made from it: parsing, help, manual. */
#include "commands.h"

#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct wl_command commands[] = {
    {.name = "info",
     .summary = "the devices, versions, and the cache",
     .manual = "Prints the version, the folder of the libraries, the devices as programs see them, and the state of the cache.",
     .run = wl_command_info},
    {.name = "run",
     .operands = "[--] PROGRAM [ARGUMENT...]",
     .summary = "runs a HIP program on this machine",
     .manual = "Runs a program with the library path set. The exit status is the program's; 126 if it cannot be run, 127 if it is not "
               "found.",
     .options = {[WL_RUN_ARCH] = {"arch", "ARCH", "is short for setting WAVELIFT_ARCH."}},
     .run = wl_command_exec},
    {.name = "hipcc",
     .operands = "ARGUMENT...",
     .raw = true,
     .summary = "compiles HIP programs with an installed clang, as AMD's hipcc does",
     .manual =
         "Runs an installed clang (17 to 22) with what HIP programs need: AMD's headers and device libraries, which are found or named "
         "as missing, and Wavelift's library. It takes the options of AMD's hipcc and those of clang. C++ sources are HIP sources. "
         "Without \\-\\-offload\\-arch code is made for the first device's architecture, or for gfx90a if the device libraries lack "
         "that; without \\-O the level is 3. The program finds the library without LD_LIBRARY_PATH. Read are WAVELIFT_CLANG, "
         "HIP_CLANG_PATH, HIP_PATH, ROCM_PATH, HIP_DEVICE_LIB_PATH, HCC_AMDGPU_TARGET, HIP_COMPILE_CXX_AS_HIP, HIPCC_VERBOSE, "
         "HIPCC_COMPILE_FLAGS_APPEND and "
         "HIPCC_LINK_FLAGS_APPEND.",
     .run = wl_command_hipcc},
    {.name = "config",
     .summary = "options for compilers, linkers and CMake",
     .manual = "Prints what is asked for in one line. The exit status is 1 if something is missing that the line should name.",
     .options = {[WL_CONFIG_CFLAGS] = {"cflags", NULL, "prints the options for host programs in C and C++ that call the runtime."},
                 [WL_CONFIG_HIPFLAGS] = {"hipflags", NULL, "prints the options with which clang compiles HIP."},
                 [WL_CONFIG_LIBS] = {"libs", NULL, "prints the options that link a program to the runtime."},
                 [WL_CONFIG_CMAKE] = {"cmake", NULL, "prints the definitions with which any CMake project finds HIP."},
                 [WL_CONFIG_PREFIX] = {"prefix", NULL, "prints where Wavelift is installed."},
                 [WL_CONFIG_CLANG] = {"clang", NULL, "prints the name of the compiler."},
                 [WL_CONFIG_ARCH] = {"arch", NULL, "prints the architecture that hipcc compiles for."},
                 [WL_CONFIG_DEVICE_LIBS] = {"device-libs", NULL, "prints the folder of AMD's device libraries."},
                 [WL_CONFIG_HEADERS] = {"headers", NULL, "prints the folder of AMD's headers."}},
     .run = wl_command_config},
    {.name = "doctor",
     .summary = "what is there and what is missing to run and to compile HIP programs",
     .manual =
         "Looks at what running and compiling need: Wavelift's libraries and which libamdhip64 the loader finds first, the cache and its "
         "rights, limits, devices and why a GPU is not used, a kernel in threaded code and one in native code; clang and its tools, AMD's "
         "headers and device libraries, and a program that hipcc compiles and that is run. Each problem is told with its remedy. The exit "
         "status is 1 if there is one.",
     .options = {[WL_DOCTOR_ONLY] = {"only", "run|compile", "looks at that alone."},
                 [WL_DOCTOR_SELF_TEST] = {"self-test", NULL, "runs the kernel on device 0 as WAVELIFT_TIER has it, and nothing else."}},
     .run = wl_command_doctor},
    {.name = "sanitize",
     .operands = "[--] PROGRAM [ARGUMENT...]",
     .summary = "runs a HIP program and reports the faults of its kernels",
     .manual =
         "Runs a program as run does, and watches the memory accesses and barriers of its kernels. Each fault is a paragraph on stderr, "
         "and "
         "a summary ends the run; docs/sanitizers.md describes both. The exit status is the program's, 128 and the signal's number if a "
         "signal ended it, or 1 if there are findings.",
     .options = {[WL_SANITIZE_TOOL] = {"tool", "TOOL[,TOOL...]",
                                       "chooses among memcheck, racecheck, initcheck and synccheck; default: all."},
                 [WL_SANITIZE_JSON] = {"json", "FILE",
                                       "writes the findings there as well. The second process of the program that writes, and each one "
                                       "after it, adds its number to the name."},
                 [WL_SANITIZE_SUPPRESSIONS] = {"suppressions", "FILE", "names findings that are not to be reported."},
                 [WL_SANITIZE_FINDINGS] = {"max-findings", "N", "prints at most so many findings and counts the rest; default: 100."},
                 [WL_SANITIZE_LEAKS] = {"leak-check", NULL, "reports memory that is not freed when the program ends."},
                 [WL_SANITIZE_KERNEL] = {"only-kernel", "NAME",
                                         "watches this kernel alone: its symbol, its name in C++, or that without parameters; a pattern as "
                                         "of the shell."},
                 [WL_SANITIZE_EXIT] = {"error-exitcode", "N", "is the exit status if there are findings."},
                 [WL_SANITIZE_GENERATE] = {"gen-suppressions", NULL, "prints with each finding the suppression that would hide it."},
                 [WL_SANITIZE_ARCH] = {"arch", "ARCH", "is short for setting WAVELIFT_ARCH."}},
     .run = wl_command_sanitize},
    {.name = "profile",
     .operands = "[--] PROGRAM [ARGUMENT...]",
     .summary = "runs a HIP program and tells where its time goes",
     .manual =
         "Runs a program as run does, and prints tables of its kernels, its copies and its calls of HIP on stderr when it has ended; "
         "docs/profiling.md describes them. The exit status is the program's, 128 and the signal's number if a signal ended it, or 1 if "
         "the results cannot be written.",
     .options = {[WL_PROFILE_TRACE] = {"trace", "FILE",
                                       "writes all that happened, with its times, for Perfetto (ui.perfetto.dev) and chrome://tracing."},
                 [WL_PROFILE_JSON] = {"json", "FILE", "writes the tables there as well."},
                 [WL_PROFILE_CSV] = {"csv", "FILE", "writes the tables there, a line a row."},
                 [WL_PROFILE_COUNTERS] =
                     {"counters", "LIST",
                      "counts what kernels do on CPU devices: names of rocprof with commas between them, as SQ_INSTS_VALU,SQ_WAVES. "
                      "Kernels are slower then."},
                 [WL_PROFILE_SOURCE] = {"source", NULL,
                                        "prints the source lines of each kernel for which most instructions ran on CPU devices, with what "
                                        "these instructions are, how many lanes they have and how these access memory. The program has to "
                                        "be compiled with \\-g or \\-gline-tables-only. Kernels are slower then."},
                 [WL_PROFILE_PERF] = {"perf", NULL, "is short for setting WAVELIFT_PERF to on, for a perf that records the same run."},
                 [WL_PROFILE_ARCH] = {"arch", "ARCH", "is short for setting WAVELIFT_ARCH."}},
     .run = wl_command_profile},
    {.name = "gdb",
     .operands = "[[OPTION...] --] PROGRAM [ARGUMENT...]",
     .raw = true,
     .summary = "debugs a HIP program and its kernels with gdb",
     .manual =
         "Runs an installed gdb (13 or later) on a program with the library path set, and with Wavelift's extension: breakpoints, steps, "
         "backtraces and variables are gdb's own in kernels, too; docs/debugging.md describes what is added. Options in front of "
         "\\-\\- are gdb's. The exit status is gdb's.",
     .run = wl_command_gdb},
    {.name = "record",
     .operands = "[--] PROGRAM [ARGUMENT...]",
     .summary = "runs a HIP program and writes its launches to a file",
     .manual = "Runs a program as run does. Each launch on a CPU device is written to a file, with its code, its arguments and the memory "
               "that it finds, for replay. Launches run on one thread; native code is waited for. The exit status is the program's, or 128 "
               "and the signal's number if a signal ended it.",
     .options = {[WL_RECORD_OUT] = {"output", "FILE", "is the file; default: wavelift.record. It may be written \\-o FILE."},
                 [WL_RECORD_KERNEL] = {"only-kernel", "NAME",
                                       "records this kernel alone: its symbol, its name in C++, or that without parameters; a pattern as "
                                       "of the shell."},
                 [WL_RECORD_ARCH] = {"arch", "ARCH", "is short for setting WAVELIFT_ARCH."}},
     .run = wl_command_record},
    {.name = "replay",
     .operands = "FILE",
     .summary = "runs recorded launches again",
     .manual =
         "Runs the launches of a file of record, each with the memory that the recorded one found, and says of each whether memory is "
         "as it was behind the recorded one. It may itself be the program of gdb, sanitize and profile. The exit status is 0, 1 if memory "
         "differs, 2 if a launch ends with a fault, or 3 if the file cannot be replayed.",
     .options = {[WL_REPLAY_LAUNCH] = {"launch", "N", "runs the N-th launch of the file alone."},
                 [WL_REPLAY_SCHEDULE] = {"schedule", "random:SEED", "is short for setting WAVELIFT_SCHEDULE."},
                 [WL_REPLAY_REDUCE] = {"reduce", NULL,
                                       "finds a few workgroups with which the first launch that ends with a fault still does, and runs "
                                       "these. The exit status is 0 then."}},
     .run = wl_command_replay},
    {.name = "disasm",
     .operands = "FILE",
     .summary = "kernels, resources and code of a code object, bundle, program or library",
     .manual = "Prints what is in a code object, an offload bundle (compressed or not), or a host program or library with embedded code: "
               "for each architecture the kernels with their registers, LDS, scratch and arguments, their code with the source lines if "
               "there are line tables, the device functions, and the variables.",
     .options = {[WL_DISASM_ARCH] = {"arch", "ARCH", "prints the code that this architecture can run, and no other."},
                 [WL_DISASM_KERNEL] = {"kernel", "NAME", "prints this kernel alone."},
                 [WL_DISASM_NO_CODE] = {"no-code", NULL, "leaves the code out and needs no LLVM."}},
     .run = wl_command_disasm},
    {.name = "check",
     .operands = "FILE...",
     .summary = "which instructions are exact, within documented ulp, or unsupported",
     .manual =
         "Says of each kernel of a code object, bundle, program or library, device functions that it may call included, how many of "
         "its instructions are exact, within AMD's documented error, accepted without effect, or unsupported (with their names); how many "
         "have results with the hardware's bits, within an error, in an order that the GPU does not define (floats that several lanes add "
         "to one place), or in a way that AMD does not document (sums of matrices and dot products), under WAVELIFT_MATH; and which "
         "registers, LDS and scratch it uses. Every kernel is taken as far as "
         "the translator's intermediate code, in both of its "
         "forms. The exit status is 1 if anything is unsupported.",
     .options = {[WL_CHECK_ARCH] = {"arch", "ARCH", "looks at the code that this architecture can run, and no other."},
                 [WL_CHECK_KERNEL] = {"kernel", "NAME", "looks at this kernel alone."},
                 [WL_CHECK_ONLY_UNSUPPORTED] = {"only-unsupported", NULL, "prints just the kernels that cannot run."},
                 [WL_CHECK_NATIVE] = {"native", NULL,
                                      "makes native code of both forms too, which takes some hundred times as long; it is in the folder "
                                      "that WAVELIFT_DUMP names."},
                 [WL_CHECK_JSON] = {"json", NULL, "prints an array with one object a kernel."},
                 [WL_CHECK_SAMPLE] = {"sample", "N", "looks at one kernel in N."},
                 [WL_CHECK_SEED] = {"seed", "S", "chooses another sample."}},
     .run = wl_command_check},
    {.name = "ptx",
     .operands = "FILE",
     .summary = "the PTX that an NVIDIA GPU would be given",
     .manual = "Prints the PTX that an NVIDIA GPU would be given for each kernel of the first code object. It needs no GPU.",
     .options = {[WL_PTX_ARCH] = {"arch", "ARCH", "takes the code objects that this architecture can run instead."},
                 [WL_PTX_KERNEL] = {"kernel", "NAME", "takes this kernel alone."},
                 [WL_PTX_SM] = {"sm", "NUMBER", "is the GPU's compute capability; default: 90."},
                 [WL_PTX_BLOCK] = {"block", "X[xY[xZ]]", "is the shape of the workgroups; default: any."},
                 [WL_PTX_PARTIAL] = {"partial", NULL, "allows partial workgroups at the grid's ends."},
                 [WL_PTX_OUT] = {"out", "FOLDER", "writes a file for each kernel there instead."},
                 [WL_PTX_DUMP] = {"dump", "FOLDER", "writes the translator's intermediate code there as well."}},
     .run = wl_command_ptx},
    {.name = "isa",
     .summary = "the instructions of a processor, and how each is supported",
     .manual =
         "Lists the instructions of a processor, with the family of their encoding and how each is supported: exact, ulp (within AMD's "
         "documented error), no effect (there is nothing to do on this device), unsupported.",
     .options = {[WL_ISA_TARGET] = {"target", "ARCH", "is the processor; without it the numbers for every processor are printed."},
                 [WL_ISA_WAVE] = {"wave", "32|64", "is the size of its waves."},
                 [WL_ISA_MISSING] = {"missing", NULL, "lists the unsupported ones only."}},
     .run = wl_command_isa},
    {.name = "cache",
     .operands = "[list | clear]",
     .summary = "the native-code cache",
     .manual = "Lists the entries of the native-code cache, the least recently used first, or removes them all.",
     .run = wl_command_cache},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

const struct wl_command *wl_command_find(const char *name) {
    for (size_t i = 0; i < COMMANDS; i++)
        if (strcmp(name, commands[i].name) == 0)
            return &commands[i];
    return NULL;
}

static bool has_option(const struct wl_command *command, size_t i) { return i < WL_MOST_OPTIONS && command->options[i].name; }

/* Everything behind a program's name is the program's. */
static bool takes_program(const struct wl_command *command) { return command->operands && strstr(command->operands, "PROGRAM"); }

/* ---- help ---- */

static void print_synopsis(const struct wl_command *command) {
    printf(" %s", command->name);
    for (size_t i = 0; has_option(command, i); i++) {
        const struct wl_command_option *option = &command->options[i];
        printf(option->value ? " [--%s %s]" : " [--%s]", option->name, option->value);
    }
    printf(command->operands ? " %s\n" : "\n", command->operands);
}

/* Prints a text in lines of at most 80 columns, each after `indent` spaces. */
static void print_wrapped(const char *text, int indent) {
    int column = 0;
    while (*text) {
        int length = (int)strcspn(text, " ");
        if (column && column + 1 + length > 80) {
            putchar('\n');
            column = 0;
        }
        column += printf("%*s%.*s", column ? 1 : indent, "", length, text);
        text += length;
        text += strspn(text, " ");
    }
    putchar('\n');
}

/* What the manual page says of one command. */
static void print_command_help(const struct wl_command *command) {
    printf("Usage: wavelift");
    print_synopsis(command);
    putchar('\n');
    print_wrapped(command->manual, 0);
    for (size_t i = 0; has_option(command, i); i++) {
        const struct wl_command_option *option = &command->options[i];
        printf(option->value ? "\n  --%s %s\n" : "\n  --%s\n", option->name, option->value);
        print_wrapped(option->what, 6);
    }
}

void wl_command_print_help(void) {
    puts("Usage: wavelift COMMAND [ARGUMENTS]\n");
    for (size_t i = 0; i < COMMANDS; i++) {
        putchar(' ');
        print_synopsis(&commands[i]);
        printf("      %s\n", commands[i].summary);
    }
    puts("  --help, --version\n\n'wavelift COMMAND --help' explains the options of a command. wavelift(1) explains them all, and the "
         "environment\n"
         "variables that Wavelift reads.");
}

/* ---- running a command ---- */

int wl_command_run(const struct wl_command *command, int argc, char **argv) {
    struct option options[WL_MOST_OPTIONS + 2] = {{0}};
    const char *values[WL_MOST_OPTIONS] = {0};
    char said[128], *name = argv[0];
    size_t help = 0;
    if (command->raw && command->run != wl_command_hipcc && argc == 2 && strcmp(argv[1], "--help") == 0) {
        print_command_help(command); /* hipcc hands it to clang */
        return 0;
    }
    if (command->raw)
        return command->run(argv + 1, values);
    bool has_output = false;
    for (; has_option(command, help); help++) {
        const bool is_output = strcmp(command->options[help].name, "output") == 0; /* -o as well: getopt_long returns 'o' for both */
        has_output |= is_output;
        options[help] = (struct option){command->options[help].name, command->options[help].value ? required_argument : no_argument, NULL,
                                        is_output ? 'o' : 0};
    }
    options[help].name = "help";
    snprintf(said, sizeof said, "wavelift: %s", name);
    argv[0] = said; /* getopt's messages begin with it */
    optind = 1;
    const char *const letters[2][2] = {{"", "o:"}, {"+", "+o:"}};
    for (int at = 0, got; (got = getopt_long(argc, argv, letters[takes_program(command)][has_output], options, &at)) != -1;) {
        for (at = got == 'o' ? 0 : at; got == 'o' && options[at].val != 'o';)
            at++;
        if (got != 0 && got != 'o') {
            fprintf(stderr, "Try 'wavelift %s --help'.\n", name);
            return 2;
        }
        if ((size_t)at == help) {
            print_command_help(command);
            return 0;
        }
        values[at] = optarg ? optarg : "";
    }
    argv[0] = name;
    if (!command->operands && optind < argc) {
        snprintf(said, sizeof said, "%.60s takes no arguments but options", name);
        return wl_tool_usage(said);
    }
    return command->run(argv + optind, values);
}

/* ---- manual ---- */

/* Text of a manual page: a hyphen is written as a minus, and a line must not begin with a period. */
static void print_roff(const char *text) {
    for (; *text; text++)
        fputs(*text == '-' ? "\\-" : (char[]){*text, 0}, stdout);
}

static void print_option(const struct wl_command_option *option) {
    printf("\\fB\\-\\-");
    print_roff(option->name);
    printf("\\fR");
    if (option->value)
        printf(" \\fI%s\\fR", option->value);
}

void wl_command_print_manual(void) {
    puts(".SH SYNOPSIS");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf("%s\\fBwavelift %s\\fR", i ? ".br\n" : "", commands[i].name);
        for (size_t o = 0; has_option(&commands[i], o); o++) {
            printf(" [");
            print_option(&commands[i].options[o]);
            putchar(']');
        }
        if (commands[i].operands) {
            printf(" \\fI");
            print_roff(commands[i].operands);
            printf("\\fR");
        }
        putchar('\n');
    }
    puts(".SH DESCRIPTION\n"
         "Wavelift is a HIP runtime that runs the AMD GPU code inside a HIP program on the CPU, or on an NVIDIA GPU. A program runs on it "
         "when\n"
         "the loader finds Wavelift's\n.I libamdhip64.so\nbefore AMD's.\n.SH COMMANDS");
    for (size_t i = 0; i < COMMANDS; i++) {
        printf(".TP\n.B %s\n%s\n", commands[i].name, commands[i].manual);
        for (size_t o = 0; has_option(&commands[i], o); o++) {
            puts(o ? ".TP" : ".RS\n.TP");
            print_option(&commands[i].options[o]);
            printf("\n%s\n%s", commands[i].options[o].what, has_option(&commands[i], o + 1) ? "" : ".RE\n");
        }
    }
}
