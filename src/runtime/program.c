/* Registered fat binaries and the host addresses that stand for their kernels and variables. Registering reads nothing;
 * the first use of a symbol opens the container, selects an entry and loads it into the context that asks. */
#include "runtime/program.h"
#include "runtime/context.h"
#include "runtime/memory.h"
#include "runtime/module.h"

#include "base/assert.h"
#include "base/options.h"
#include "base/table.h"
#include "runtime/managed.h"

#include <stdlib.h>
#include <string.h>

struct wl_program {
    const void *wrapper;
    pthread_mutex_t lock; /* guards `container`, `modules` */
    struct wl_container *container;
    struct wl_module **modules; /* per context; NULL entries: not loaded */
    struct wl_symbol *symbols;  /* in the order of registration, newest first */
    struct wl_program *next;
};

struct wl_symbol {
    struct wl_program *program;
    enum wl_symbol_kind kind;
    const void *host;
    const char *name;
    size_t size;
    void *managed;                                         /* WL_SYMBOL_MANAGED: the memory */
    _Atomic(_Atomic(struct wl_loaded_kernel *) *) kernels; /* per context, resolved; NULL: none yet */
    struct wl_symbol *next;
};

/* Lock order: list_lock > a program's lock > lock. */
static struct {
    pthread_mutex_t list_lock; /* guards `programs` and wl_program.next */
    struct wl_program *programs;
    pthread_rwlock_t lock;   /* guards the table and wl_program.symbols */
    struct wl_table symbols; /* by host address */
} registry = {.list_lock = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_RWLOCK_INITIALIZER};

/* ---- the symbol table ----------------------------------------------------------------------- */

static uint64_t key_of(const void *host) { return (uint64_t)(uintptr_t)host; }

/* A stub that several binaries register (inline kernels in shared objects) is found in the first that did. */
static struct wl_symbol *find_symbol(const void *host) {
    pthread_rwlock_rdlock(&registry.lock);
    struct wl_symbol *found = wl_table_find(&registry.symbols, key_of(host));
    pthread_rwlock_unlock(&registry.lock);
    return found;
}

static enum wl_status add_symbol(const struct wl_symbol *model) {
    struct wl_symbol *symbol = malloc(sizeof *symbol);
    if (!symbol)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a symbol");
    pthread_rwlock_wrlock(&registry.lock);
    bool added = wl_table_add(&registry.symbols, key_of(model->host), symbol);
    if (added) {
        *symbol = *model;
        symbol->next = model->program->symbols;
        model->program->symbols = symbol;
    }
    pthread_rwlock_unlock(&registry.lock);
    if (!added) {
        free(symbol);
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for the symbol table");
    }
    return WL_OK;
}

/* ---- registering ---------------------------------------------------------------------------- */

struct wl_program *wl_program_register(const void *wrapper) {
    struct wl_program *program = calloc(1, sizeof *program);
    if (!program)
        return NULL;
    program->wrapper = wrapper;
    pthread_mutex_init(&program->lock, NULL);
    pthread_mutex_lock(&registry.list_lock);
    program->next = registry.programs;
    registry.programs = program;
    pthread_mutex_unlock(&registry.list_lock);
    return program;
}

static void free_symbols(struct wl_program *program) {
    while (program->symbols) {
        struct wl_symbol *symbol = program->symbols;
        program->symbols = symbol->next;
        if (symbol->kind == WL_SYMBOL_MANAGED && symbol->host != symbol->managed) /* its other symbol does not own it */
            (void)wl_memory_free(symbol->managed, 1u << WL_MEMORY_MANAGED);
        free((void *)atomic_load(&symbol->kernels));
        free(symbol);
    }
}

void wl_program_unregister(struct wl_program *program) {
    wl_runtime_drain();
    pthread_mutex_lock(&registry.list_lock);
    struct wl_program **link = &registry.programs;
    while (*link && *link != program)
        link = &(*link)->next;
    if (*link)
        *link = program->next;
    pthread_mutex_unlock(&registry.list_lock);
    pthread_rwlock_wrlock(&registry.lock);
    for (const struct wl_symbol *symbol = program->symbols; symbol; symbol = symbol->next)
        (void)wl_table_remove(&registry.symbols, key_of(symbol->host), symbol);
    pthread_rwlock_unlock(&registry.lock);
    for (unsigned i = 0; program->modules && i < wl_context_count(); i++)
        if (program->modules[i])
            wl_module_unload(program->modules[i]);
    free((void *)program->modules);
    free_symbols(program);
    if (program->container)
        wl_container_close(program->container);
    pthread_mutex_destroy(&program->lock);
    free(program);
}

enum wl_status wl_program_add(struct wl_program *program, enum wl_symbol_kind kind, const void *host, const char *name, size_t size) {
    return add_symbol(&(struct wl_symbol){.program = program, .kind = kind, .host = host, .name = name, .size = size});
}

enum wl_status wl_program_add_managed(struct wl_program *program, void **pointer, const void *initial, const char *name, size_t size,
                                      size_t align) {
    (void)align; /* managed memory begins on a page */
    void *memory = NULL;
    enum wl_status status = wl_memory_allocate(NULL, WL_MEMORY_MANAGED, size ? size : 1, WL_MANAGED_GLOBAL, &memory);
    if (status != WL_OK)
        return status;
    if (initial)
        memcpy(memory, initial, size);
    *pointer = memory;
    struct wl_symbol symbol = {
        .program = program, .kind = WL_SYMBOL_MANAGED, .host = (const void *)pointer, .name = name, .size = size, .managed = memory};
    status = add_symbol(&symbol);
    symbol.host = memory; /* compilers turn &variable into the pointer's value */
    return status == WL_OK ? add_symbol(&symbol) : status;
}

/* ---- loading -------------------------------------------------------------------------------- */

static enum wl_status open_container(struct wl_program *program) {
    wl_assert_held(&program->lock);
    return program->container ? WL_OK : wl_container_open(&program->container, program->wrapper, WL_SIZE_UNKNOWN);
}

/* The memory of a managed variable that the host side registered. */
static void *managed_memory(void *argument, const char *name) {
    const struct wl_program *program = argument;
    void *memory = NULL;
    pthread_rwlock_rdlock(&registry.lock);
    for (const struct wl_symbol *symbol = program->symbols; symbol && !memory; symbol = symbol->next)
        if (symbol->kind == WL_SYMBOL_MANAGED && strcmp(symbol->name, name) == 0)
            memory = symbol->managed;
    pthread_rwlock_unlock(&registry.lock);
    return memory;
}

static enum wl_status program_module(struct wl_program *program, struct wl_context *context, struct wl_module **module) {
    enum wl_status status = WL_OK;
    (void)wl_runtime_target(); /* decided before the lock: it looks into all programs */
    pthread_mutex_lock(&program->lock);
    if (!program->modules && !(program->modules = (struct wl_module **)calloc(wl_context_count(), sizeof(struct wl_module *))))
        status = wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a program");
    if (status == WL_OK && !program->modules[context->index]) {
        status = open_container(program);
        if (status == WL_OK)
            status = wl_module_load_container(context, program->container, managed_memory, program, &program->modules[context->index]);
    }
    if (status == WL_OK)
        *module = program->modules[context->index];
    pthread_mutex_unlock(&program->lock);
    return status;
}

static _Atomic(struct wl_loaded_kernel *) *kernel_slot(struct wl_symbol *symbol, const struct wl_context *context) {
    _Atomic(struct wl_loaded_kernel *) *slots = atomic_load_explicit(&symbol->kernels, memory_order_acquire);
    if (!slots) {
        _Atomic(struct wl_loaded_kernel *) *made = calloc(wl_context_count(), sizeof *made);
        if (!made)
            return NULL;
        if (atomic_compare_exchange_strong(&symbol->kernels, &slots, made))
            slots = made;
        else
            free((void *)made);
    }
    return &slots[context->index];
}

enum wl_status wl_symbol_kernel(const void *host, struct wl_context *context, struct wl_loaded_kernel **kernel) {
    struct wl_symbol *symbol = find_symbol(host);
    if (!symbol || symbol->kind != WL_SYMBOL_KERNEL)
        return wl_fail(WL_NOT_FOUND, "%p is not a registered kernel", host);
    _Atomic(struct wl_loaded_kernel *) *slot = kernel_slot(symbol, context);
    if (!slot)
        return wl_fail(WL_OUT_OF_MEMORY, "out of host memory for a kernel");
    *kernel = atomic_load_explicit(slot, memory_order_acquire);
    if (*kernel)
        return WL_OK;
    struct wl_module *module = NULL;
    enum wl_status status = program_module(symbol->program, context, &module);
    if (status == WL_OK)
        status = wl_module_kernel(module, symbol->name, kernel);
    if (status == WL_OK)
        atomic_store_explicit(slot, *kernel, memory_order_release);
    return status;
}

enum wl_status wl_symbol_variable(const void *host, struct wl_context *context, void **address, size_t *size) {
    struct wl_symbol *symbol = find_symbol(host);
    if (!symbol || symbol->kind == WL_SYMBOL_KERNEL)
        return wl_fail(WL_NOT_FOUND, "%p is not a registered variable", host);
    if (symbol->kind == WL_SYMBOL_MANAGED) {
        *address = symbol->managed;
        *size = symbol->size;
        return WL_OK;
    }
    struct wl_module *module = NULL;
    enum wl_status status = program_module(symbol->program, context, &module);
    return status == WL_OK ? wl_module_variable(module, symbol->name, address, size) : status;
}

const char *wl_symbol_name(const void *host) {
    const struct wl_symbol *symbol = find_symbol(host);
    return symbol ? symbol->name : NULL;
}

/* The kernels that symbols remember die with the module. */
static void forget_kernels(const struct wl_program *program, const struct wl_context *context) {
    pthread_rwlock_rdlock(&registry.lock);
    for (const struct wl_symbol *symbol = program->symbols; symbol; symbol = symbol->next) {
        _Atomic(struct wl_loaded_kernel *) *slots = atomic_load(&symbol->kernels);
        if (slots)
            atomic_store(&slots[context->index], NULL);
    }
    pthread_rwlock_unlock(&registry.lock);
}

void wl_program_unload_context(struct wl_context *context) {
    pthread_mutex_lock(&registry.list_lock);
    for (struct wl_program *program = registry.programs; program; program = program->next) {
        forget_kernels(program, context);
        pthread_mutex_lock(&program->lock);
        if (program->modules && program->modules[context->index]) {
            wl_module_unload(program->modules[context->index]);
            program->modules[context->index] = NULL;
        }
        pthread_mutex_unlock(&program->lock);
    }
    pthread_mutex_unlock(&registry.list_lock);
}

/* ---- the target that all programs offer ------------------------------------------------------ */

static struct wl_container *program_container(struct wl_program *program) {
    pthread_mutex_lock(&program->lock);
    enum wl_status status = open_container(program);
    pthread_mutex_unlock(&program->lock);
    return status == WL_OK && wl_container_count(program->container) ? program->container : NULL;
}

static bool everybody_has(const struct wl_target *target) {
    wl_assert_held(&registry.list_lock);
    struct wl_entry entry;
    for (struct wl_program *program = registry.programs; program; program = program->next) {
        struct wl_container *container = program_container(program);
        if (container && wl_container_select(container, target, &entry) != WL_OK)
            return false;
    }
    return true;
}

bool wl_program_target(struct wl_target *target) {
    struct wl_container *first = NULL;
    struct wl_entry entry;
    pthread_mutex_lock(&registry.list_lock);
    for (struct wl_program *program = registry.programs; program && !first; program = program->next)
        first = program_container(program);
    bool found = first && wl_container_select(first, NULL, &entry) == WL_OK;
    if (found) {
        *target = entry.target; /* the best of one program, unless another entry serves all of them */
        bool common = everybody_has(target);
        for (size_t i = 0; !common && i < wl_container_count(first); i++)
            if (wl_container_entry(first, i, &entry) == WL_OK && everybody_has(&entry.target)) {
                *target = entry.target;
                common = true;
            }
    }
    pthread_mutex_unlock(&registry.list_lock);
    return found;
}

void wl_program_after_fork(void) {
    pthread_mutex_init(&registry.list_lock, NULL);
    pthread_rwlock_init(&registry.lock, NULL);
    for (struct wl_program *program = registry.programs; program; program = program->next)
        pthread_mutex_init(&program->lock, NULL);
}
