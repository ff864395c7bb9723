/* A library that asks for a node's type, with a compiler's line of its own (MADE_BY) in its file, or with a function of HIP 5.3. */
#ifdef MADE_BY
__asm__(".ident \"" MADE_BY "\"");
#endif
#ifdef USES_HIP_5_3
extern int hipLaunchHostFunc(void);
int (*volatile wanted)(void) = hipLaunchHostFunc;
#endif

__attribute__((visibility("default"))) int ask_for_type(int (*ask)(void *node, int *type), void *node, int *type) {
    volatile int error = ask(node, type); /* so that the call is no jump, which would hide who calls */
    return error;
}
