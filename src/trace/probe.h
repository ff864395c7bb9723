/* Probes for bpftrace, gdb, perf and SystemTap: places in the code that they know by name (USDT; the notes are those of sys/sdt.h, version 3).
 *
 * A tool that attaches counts up the `probes` of wl_trace_wanted, so that wl_trace_on() is true. The probes stand behind that question alone:
 * where nobody attaches they cost nothing. */
#ifndef WL_TRACE_PROBE_H
#define WL_TRACE_PROBE_H

#include "trace/trace.h"

#ifdef __x86_64__
#define WL_PROBE_OPERAND "nor"
#else
#define WL_PROBE_OPERAND "r"
#endif

/* A probe with four arguments of eight bytes. */
#define WL_PROBE4(name, a, b, c, d)                                                                                                        \
    __asm__ volatile("990: nop\n"                                                                                                          \
                     ".pushsection .note.stapsdt, \"\", %%note\n"                                                                          \
                     ".balign 4\n"                                                                                                         \
                     ".4byte 992f - 991f, 994f - 993f, 3\n"                                                                                \
                     "991: .asciz \"stapsdt\"\n"                                                                                           \
                     "992: .balign 4\n"                                                                                                    \
                     "993: .8byte 990b, _.stapsdt.base, wl_trace_wanted + 2\n"                                                             \
                     ".asciz \"wavelift\"\n"                                                                                               \
                     ".asciz \"" #name "\"\n"                                                                                              \
                     ".asciz \"8@%0 8@%1 8@%2 8@%3\"\n"                                                                                    \
                     "994: .balign 4\n"                                                                                                    \
                     ".popsection\n"                                                                                                       \
                     ".ifndef _.stapsdt.base\n"                                                                                            \
                     ".pushsection .stapsdt.base, \"aG\", %%progbits, .stapsdt.base, comdat\n"                                             \
                     ".weak _.stapsdt.base\n"                                                                                              \
                     ".hidden _.stapsdt.base\n"                                                                                            \
                     "_.stapsdt.base: .space 1\n"                                                                                          \
                     ".size _.stapsdt.base, 1\n"                                                                                           \
                     ".popsection\n"                                                                                                       \
                     ".endif\n" ::WL_PROBE_OPERAND((uint64_t)(a)),                                                                         \
                     WL_PROBE_OPERAND((uint64_t)(b)), WL_PROBE_OPERAND((uint64_t)(c)), WL_PROBE_OPERAND((uint64_t)(d)))

#endif
