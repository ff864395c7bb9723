/* Where debuggers find what the library has for them (device/cpu/debug/debug.h): distances from the table, which hold before the library
 * is relocated. The command `wavelift`, which replays launches, has variables of the same names; this table is in the library alone, of which
 * this file is a part and no other program. The order is known to tools/wavelift-gdb.py. */
__asm__(".pushsection .rodata\n"
        ".balign 8\n"
        ".globl wl_debug_table\n"
        ".type wl_debug_table, %object\n"
        "wl_debug_table:\n"
        ".quad wl_debugger - wl_debug_table\n"
        ".quad wl_debug_here - wl_debug_table\n"
        ".quad wl_debug_modules - wl_debug_table\n"
        ".quad wl_debug_waves - wl_debug_table\n"
        ".quad wl_debug_visits - wl_debug_table\n"
        ".quad wl_debug_visit_count - wl_debug_table\n"
        ".quad wl_debug_instruction - wl_debug_table\n"
        ".quad wl_debug_untold - wl_debug_table\n"
        ".quad wl_debug_place - wl_debug_table\n"
        ".quad wl_debug_lane - wl_debug_table\n"
        ".quad wl_debug_disassemble - wl_debug_table\n"
        ".quad wl_debug_tell - wl_debug_table\n"
        ".quad wl_debug_find_place - wl_debug_table\n"
        ".size wl_debug_table, . - wl_debug_table\n"
        ".popsection\n");
