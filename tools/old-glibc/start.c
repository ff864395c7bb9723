/* The start of programs that run with glibc before 2.34 and after. The start files of newer versions leave constructors to __libc_start_main,
 * whose older version wants a function for that. Programs are linked with --wrap=__libc_start_main. */
#include <stddef.h>

typedef int main_function(int, char **, char **);
typedef void start_function(int, char **, char **);

int __real___libc_start_main(main_function *program, int argc, char **argv, start_function *init, void (*fini)(void),
                             void (*loader_fini)(void), void *stack);
int __wrap___libc_start_main(main_function *program, int argc, char **argv, start_function *init, void (*fini)(void),
                             void (*loader_fini)(void), void *stack);

extern start_function *__preinit_array_start[], *__preinit_array_end[], *__init_array_start[], *__init_array_end[];
extern void (*__fini_array_start[])(void), (*__fini_array_end[])(void);
void _init(void);
void _fini(void);

static void construct(int argc, char **argv, char **environment) {
    for (size_t i = 0; i < (size_t)(__preinit_array_end - __preinit_array_start); i++)
        __preinit_array_start[i](argc, argv, environment);
    _init();
    for (size_t i = 0; i < (size_t)(__init_array_end - __init_array_start); i++)
        __init_array_start[i](argc, argv, environment);
}

int __wrap___libc_start_main(main_function *program, int argc, char **argv, start_function *init, void (*fini)(void),
                             void (*loader_fini)(void), void *stack) {
    return __real___libc_start_main(program, argc, argv, init ? init : construct, fini, loader_fini, stack);
}
