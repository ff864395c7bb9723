/* `wavelift gdb`: gdb with the extension for kernels (wavelift-gdb.py), on a program that runs as with `wavelift run`. */
#include "commands.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int wl_command_gdb(char **operands, const char *const *values) {
    char folder[PATH_MAX], script[PATH_MAX + 64];
    size_t count = 0, own = 0;
    (void)values;
    if (!wl_tool_library_folder(folder, sizeof folder))
        return wl_tool_fail("the runtime's libraries are not beside this program");
    snprintf(script, sizeof script, "%s/wavelift/wavelift-gdb.py", folder);
    if (access(script, R_OK) != 0)
        return wl_tool_fail("wavelift-gdb.py is not beside the runtime's libraries");
    while (operands[count])
        count++;
    while (own < count && strcmp(operands[own], "--") != 0)
        own++;
    const bool divided = own < count; /* what is in front of "--" are gdb's options */
    char **program = operands + (divided ? own + 1 : 0);
    if (!divided && (count == 0 || operands[0][0] == '-'))
        return wl_tool_usage("gdb: gdb's options stand in front of --, behind it the program");
    char **all = calloc(count + 8, sizeof *all);
    if (!all)
        return wl_tool_fail("out of memory");
    size_t n = 0;
    all[n++] = (char *)"gdb";
    all[n++] = (char *)"-ix";
    all[n++] = script;
    for (size_t i = 0; divided && i < own; i++)
        all[n++] = operands[i];
    if (*program)
        all[n++] = (char *)"--args";
    for (; *program; program++)
        all[n++] = *program;
    const int status = wl_command_exec(all, (const char *const[]){[WL_RUN_ARCH] = NULL});
    free(all);
    return status == 127 ? wl_tool_fail("gdb is not installed: apt install gdb") : status;
}
