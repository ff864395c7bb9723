/* The table of functions, and the exported functions, which jump to what stands in it. In assembly, because a jump with a function's
 * arguments as they are cannot be said in C. */
#include "api/table.h"

/* NOLINTBEGIN(bugprone-macro-parentheses): names of symbols */
__asm__(".pushsection .data.wl_api_table, \"aw\"\n"
        ".balign 8\n"
        ".globl wl_api_table\n"
        ".hidden wl_api_table\n"
        ".type wl_api_table, %object\n"
        "wl_api_table:\n"
        ".quad .LhipChooseDeviceR0600 - wl_api_table\n" /* the first function that AMD's table lacks */
#define CALL(name, ...) ".L" #name ": .quad wl_api_" #name "\n"
#define OTHER(name)     ".quad " #name "\n"
#include "api/calls.inc"
#undef CALL
#undef OTHER
        ".Lend:\n"
        ".size wl_api_table, .Lend - wl_api_table\n"
        ".globl wl_api_compiler_table\n"
        ".hidden wl_api_compiler_table\n"
        ".type wl_api_compiler_table, %object\n"
        "wl_api_compiler_table:\n"
        ".quad .Lcompiler_end - wl_api_compiler_table\n"
#define COMPILER(number, name, ...) ".L" #name ": .quad wl_api_" #name "\n"
#define VOID                        COMPILER
#include "api/compiler.inc"
#undef COMPILER
#undef VOID
        ".Lcompiler_end:\n"
        ".size wl_api_compiler_table, .Lcompiler_end - wl_api_compiler_table\n"
        ".popsection\n");

#ifdef __x86_64__
#define JUMP(name) "jmp *.L" #name "(%rip)\n"
#elif defined __aarch64__
#define JUMP(name)                                                                                                                         \
    "adrp x16, .L" #name "\n"                                                                                                              \
    "ldr x16, [x16, :lo12:.L" #name "]\n"                                                                                                  \
    "br x16\n"
#else
#error "what is a jump to an address in memory on this processor?"
#endif

__asm__(".pushsection .text.wl_api_calls, \"ax\"\n"
#define CALL(name, ...)                                                                                                                    \
    ".globl " #name "\n"                                                                                                                   \
    ".type " #name ", %function\n"                                                                                                         \
    ".balign 8\n" #name ":\n" JUMP(name) ".size " #name ", . - " #name "\n"
#define COMPILER(number, name, ...) CALL(name)
#define VOID                        COMPILER
#define OTHER(name)
#include "api/calls.inc"
#include "api/compiler.inc"
#undef CALL
#undef COMPILER
#undef VOID
#undef OTHER
        ".popsection\n");
/* NOLINTEND(bugprone-macro-parentheses) */
