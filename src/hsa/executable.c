/* HSA: code object readers, executables, symbols. A code object that is loaded on an agent is a module of the runtime. */
#include "hsa/hsa.h"
#include "hsa/loader.h"

#include "base/table.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { READER = 0x64616552, EXECUTABLE = 0x63657845 };

struct reader {
    uint32_t magic;
    const void *data; /* the program's, or our copy of a file */
    size_t size;
    void *copy;
};

struct loaded; /* one code object of an executable */

struct symbol {
    struct loaded *loaded;
    char *name; /* of a kernel with ".kd" */
    const struct wl_kernel *kernel;
    const struct wl_variable *variable;
    uint64_t address; /* on the device: of the descriptor, or of the variable */
};

struct loaded {
    struct loaded *next;
    struct executable *executable;
    struct wl_hsa_agent *agent;
    struct wl_module *module;
    void *storage; /* the code object as it was given, for the loader extension */
    size_t storage_size;
    uint64_t base, size; /* of the image on the device */
    struct symbol *symbols;
    size_t count;
};

struct executable {
    uint32_t magic;
    int profile, rounding;
    bool frozen;
    struct loaded *first;
    struct executable *next;
};

static struct {
    pthread_rwlock_t lock; /* over executables, what is loaded in them, and the kernels below */
    struct executable *first;
    struct wl_table kernels; /* struct wl_loaded_kernel, by the address of its descriptor on the device */
} all = {.lock = PTHREAD_RWLOCK_INITIALIZER};

/* ---- readers ------------------------------------------------------------------------------------------- */

static struct reader *reader_of(uint64_t handle) {
    struct reader *reader = (struct reader *)(uintptr_t)handle;
    return reader && reader->magic == READER ? reader : NULL;
}

static hsa_status_t make_reader(const void *data, size_t size, void *copy, uint64_t *handle) {
    struct reader *reader = malloc(sizeof *reader);
    if (!reader) {
        free(copy);
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    *reader = (struct reader){READER, data, size, copy};
    *handle = (uint64_t)(uintptr_t)reader;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_code_object_reader_create_from_memory(const void *code_object, size_t size, hsa_code_object_reader_t *code_object_reader) {
    HSA_STARTED();
    HSA_REQUIRE(code_object && size > 0 && code_object_reader, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return make_reader(code_object, size, NULL, &code_object_reader->handle);
}

static hsa_status_t read_part(int file, off_t offset, size_t size, hsa_code_object_reader_t *reader) {
    char *copy = malloc(size);
    HSA_REQUIRE(copy, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    for (size_t done = 0; done < size;) {
        const ssize_t got = pread(file, copy + done, size - done, offset + (off_t)done);
        if (got <= 0) {
            free(copy);
            return HSA_STATUS_ERROR_INVALID_FILE;
        }
        done += (size_t)got;
    }
    return make_reader(copy, size, copy, &reader->handle);
}

HSA hsa_code_object_reader_create_from_file(hsa_file_t file, hsa_code_object_reader_t *code_object_reader) {
    HSA_STARTED();
    struct stat info;
    HSA_REQUIRE(code_object_reader, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(fstat(file, &info) == 0 && info.st_size > 0, HSA_STATUS_ERROR_INVALID_FILE);
    return read_part(file, 0, (size_t)info.st_size, code_object_reader);
}

hsa_status_t wl_hsa_read_file_part(hsa_file_t file, size_t offset, size_t size, hsa_code_object_reader_t *code_object_reader) {
    HSA_STARTED();
    HSA_REQUIRE(code_object_reader && size > 0, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return read_part(file, (off_t)offset, size, code_object_reader);
}

static hsa_status_t destroy_reader(uint64_t handle, hsa_status_t wrong) {
    HSA_STARTED();
    struct reader *reader = reader_of(handle);
    HSA_REQUIRE(reader, wrong);
    reader->magic = 0;
    free(reader->copy);
    free(reader);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_code_object_reader_destroy(hsa_code_object_reader_t code_object_reader) {
    return destroy_reader(code_object_reader.handle, HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
}

/* The older interface: a code object is a reader with a copy of its own. */
HSA hsa_code_object_deserialize(void *serialized_code_object, size_t serialized_code_object_size, const char *options,
                                hsa_code_object_t *code_object) {
    HSA_STARTED();
    (void)options;
    HSA_REQUIRE(serialized_code_object && serialized_code_object_size > 0 && code_object, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    void *copy = malloc(serialized_code_object_size);
    HSA_REQUIRE(copy, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    memcpy(copy, serialized_code_object, serialized_code_object_size);
    return make_reader(copy, serialized_code_object_size, copy, &code_object->handle);
}

HSA hsa_code_object_destroy(hsa_code_object_t code_object) {
    return destroy_reader(code_object.handle, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
}

/* ---- executables ------------------------------------------------------------------------------------------ */

static struct executable *executable_of(hsa_executable_t executable) {
    struct executable *e = (struct executable *)(uintptr_t)executable.handle;
    return e && e->magic == EXECUTABLE ? e : NULL;
}

HSA hsa_executable_create_alt(int profile, int default_float_rounding_mode, const char *options, hsa_executable_t *executable) {
    HSA_STARTED();
    (void)options;
    HSA_REQUIRE(executable && (profile == HSA_PROFILE_BASE || profile == HSA_PROFILE_FULL) && default_float_rounding_mode >= 0 &&
                    default_float_rounding_mode <= HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct executable *e = calloc(1, sizeof *e);
    HSA_REQUIRE(e, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    *e = (struct executable){.magic = EXECUTABLE, .profile = profile, .rounding = default_float_rounding_mode};
    pthread_rwlock_wrlock(&all.lock);
    e->next = all.first;
    all.first = e;
    pthread_rwlock_unlock(&all.lock);
    *executable = (hsa_executable_t){(uint64_t)(uintptr_t)e};
    return HSA_STATUS_SUCCESS;
}

HSA hsa_executable_create(int profile, int executable_state, const char *options, hsa_executable_t *executable) {
    const hsa_status_t status = hsa_executable_create_alt(profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, options, executable);
    if (status == HSA_STATUS_SUCCESS)
        executable_of(*executable)->frozen = executable_state == HSA_EXECUTABLE_STATE_FROZEN;
    return status;
}

/* ---- kernels by their descriptors -------------------------------------------------------------------------- */

struct wl_loaded_kernel *wl_hsa_kernel(uint64_t object) {
    pthread_rwlock_rdlock(&all.lock);
    struct wl_loaded_kernel *kernel = wl_table_find(&all.kernels, object);
    pthread_rwlock_unlock(&all.lock);
    return kernel;
}

static _Atomic uint64_t generation;

uint64_t wl_hsa_kernel_generation(void) { return atomic_load_explicit(&generation, memory_order_acquire); }

static void forget_kernels(const struct loaded *loaded) {
    for (size_t i = 0; i < loaded->count; i++)
        if (loaded->symbols[i].kernel) {
            const uint64_t object = loaded->symbols[i].address;
            (void)wl_table_remove(&all.kernels, object, wl_table_find(&all.kernels, object));
        }
    atomic_fetch_add(&generation, 1);
}

/* ---- loading --------------------------------------------------------------------------------------------------- */

static void unload(struct loaded *loaded) {
    for (size_t i = 0; i < loaded->count; i++)
        free(loaded->symbols[i].name);
    free(loaded->symbols);
    free(loaded->storage);
    if (loaded->module)
        wl_core.module_unload(loaded->module);
    free(loaded);
}

static hsa_status_t add_symbol(struct loaded *loaded, const char *name, const char *suffix, const struct wl_kernel *kernel,
                               const struct wl_variable *variable) {
    struct symbol *symbol = &loaded->symbols[loaded->count];
    *symbol = (struct symbol){.loaded = loaded, .kernel = kernel, .variable = variable};
    if (asprintf(&symbol->name, "%s%s", name, suffix) < 0)
        return HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    symbol->address = (uint64_t)(uintptr_t)wl_core.module_address(loaded->module, kernel ? kernel->descriptor : variable->address);
    loaded->count++;
    return HSA_STATUS_SUCCESS;
}

/* Runs with the lock held for writing. */
static hsa_status_t add_symbols(struct loaded *loaded) {
    const struct wl_codeobject *object = wl_core.module_object(loaded->module);
    const size_t kernels = wl_codeobject_kernel_count(object), variables = wl_codeobject_variable_count(object);
    loaded->base = (uint64_t)(uintptr_t)wl_core.module_address(loaded->module, 0);
    loaded->size = wl_codeobject_image_size(object);
    loaded->symbols = calloc(kernels + variables + 1, sizeof *loaded->symbols);
    hsa_status_t status = loaded->symbols ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    for (size_t i = 0; i < kernels && status == HSA_STATUS_SUCCESS; i++) {
        struct wl_loaded_kernel *kernel = NULL;
        const struct wl_kernel *described = wl_codeobject_kernel(object, i);
        status = add_symbol(loaded, described->name, ".kd", described, NULL);
        if (status == HSA_STATUS_SUCCESS)
            status =
                wl_hsa_status(wl_core.module_kernel(loaded->module, described->name, &kernel), "hsa_executable_load_agent_code_object");
        if (status == HSA_STATUS_SUCCESS && !wl_table_add(&all.kernels, loaded->symbols[loaded->count - 1].address, kernel))
            status = HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    }
    for (size_t i = 0; i < variables && status == HSA_STATUS_SUCCESS; i++) {
        const struct wl_variable *variable = wl_codeobject_variable(object, i);
        status = add_symbol(loaded, variable->name, "", NULL, variable);
    }
    return status;
}

static hsa_status_t load(hsa_executable_t executable, hsa_agent_t agent, const struct reader *reader,
                         hsa_loaded_code_object_t *loaded_code_object) {
    struct executable *e = executable_of(executable);
    struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(e, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(!e->frozen, HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
    HSA_REQUIRE(a && a->context, HSA_STATUS_ERROR_INVALID_AGENT);
    struct loaded *loaded = calloc(1, sizeof *loaded);
    HSA_REQUIRE(loaded, HSA_STATUS_ERROR_OUT_OF_RESOURCES);
    loaded->executable = e;
    loaded->agent = a;
    loaded->storage = malloc(reader->size);
    loaded->storage_size = reader->size;
    hsa_status_t status = loaded->storage ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_OUT_OF_RESOURCES;
    if (status == HSA_STATUS_SUCCESS) {
        memcpy(loaded->storage, reader->data, reader->size);
        status = wl_hsa_status(wl_core.module_load(a->context, reader->data, reader->size, NULL, &loaded->module),
                               "hsa_executable_load_agent_code_object");
    }
    if (status == HSA_STATUS_SUCCESS && !wl_core.module_object(loaded->module))
        status = HSA_STATUS_ERROR_INVALID_CODE_OBJECT; /* an image in the device's own format */
    pthread_rwlock_wrlock(&all.lock);
    if (status == HSA_STATUS_SUCCESS)
        status = add_symbols(loaded);
    if (status == HSA_STATUS_SUCCESS) {
        loaded->next = e->first;
        e->first = loaded;
    } else if (loaded->size) {
        forget_kernels(loaded);
    }
    pthread_rwlock_unlock(&all.lock);
    if (status != HSA_STATUS_SUCCESS)
        unload(loaded);
    else if (loaded_code_object)
        *loaded_code_object = (hsa_loaded_code_object_t){(uint64_t)(uintptr_t)loaded};
    return status;
}

HSA hsa_executable_load_agent_code_object(hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_reader_t code_object_reader,
                                          const char *options, hsa_loaded_code_object_t *loaded_code_object) {
    HSA_STARTED();
    (void)options;
    const struct reader *reader = reader_of(code_object_reader.handle);
    HSA_REQUIRE(reader, HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
    return load(executable, agent, reader, loaded_code_object);
}

HSA hsa_executable_load_code_object(hsa_executable_t executable, hsa_agent_t agent, hsa_code_object_t code_object, const char *options) {
    HSA_STARTED();
    (void)options;
    const struct reader *reader = reader_of(code_object.handle);
    HSA_REQUIRE(reader, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    return load(executable, agent, reader, NULL);
}

/* Code objects for no agent in particular are none of AMD's. */
HSA hsa_executable_load_program_code_object(hsa_executable_t executable, hsa_code_object_reader_t code_object_reader, const char *options,
                                            hsa_loaded_code_object_t *loaded_code_object) {
    HSA_STARTED();
    (void)options, (void)loaded_code_object;
    HSA_REQUIRE(executable_of(executable), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(reader_of(code_object_reader.handle), HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER);
    return HSA_STATUS_ERROR_INVALID_CODE_OBJECT;
}

HSA hsa_executable_destroy(hsa_executable_t executable) {
    HSA_STARTED();
    struct executable *e = executable_of(executable);
    HSA_REQUIRE(e, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    pthread_rwlock_wrlock(&all.lock);
    struct executable **place = &all.first;
    while (*place != e)
        place = &(*place)->next;
    *place = e->next;
    e->magic = 0;
    for (const struct loaded *loaded = e->first; loaded; loaded = loaded->next)
        forget_kernels(loaded);
    pthread_rwlock_unlock(&all.lock);
    while (e->first) {
        struct loaded *next = e->first->next;
        unload(e->first);
        e->first = next;
    }
    free(e);
    return HSA_STATUS_SUCCESS;
}

HSA hsa_executable_freeze(hsa_executable_t executable, const char *options) {
    HSA_STARTED();
    (void)options;
    struct executable *e = executable_of(executable);
    HSA_REQUIRE(e, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(!e->frozen, HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
    e->frozen = true;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_executable_validate_alt(hsa_executable_t executable, const char *options, uint32_t *result) {
    HSA_STARTED();
    (void)options;
    HSA_REQUIRE(executable_of(executable), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(result, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *result = 0; /* what is wrong with it was found when it was loaded */
    return HSA_STATUS_SUCCESS;
}

HSA hsa_executable_validate(hsa_executable_t executable, uint32_t *result) { return hsa_executable_validate_alt(executable, NULL, result); }

HSA hsa_executable_get_info(hsa_executable_t executable, int attribute, void *value) {
    HSA_STARTED();
    const struct executable *e = executable_of(executable);
    HSA_REQUIRE(e, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    switch (attribute) {
    case HSA_EXECUTABLE_INFO_PROFILE:
        *(int *)value = e->profile;
        break;
    case HSA_EXECUTABLE_INFO_STATE:
        *(int *)value = e->frozen ? HSA_EXECUTABLE_STATE_FROZEN : HSA_EXECUTABLE_STATE_UNFROZEN;
        break;
    case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
        *(int *)value = e->rounding;
        break;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

/* The program gives a variable's memory itself. Code objects are loaded with all they need, so that there is nothing to give it to. */
static hsa_status_t define(hsa_executable_t executable, const char *name, const void *address) {
    HSA_STARTED();
    const struct executable *e = executable_of(executable);
    HSA_REQUIRE(e, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(name && address, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(!e->frozen, HSA_STATUS_ERROR_FROZEN_EXECUTABLE);
    return HSA_STATUS_ERROR_NOT_SUPPORTED;
}

HSA hsa_executable_global_variable_define(hsa_executable_t executable, const char *variable_name, void *address) {
    return define(executable, variable_name, address);
}

HSA hsa_executable_agent_global_variable_define(hsa_executable_t executable, hsa_agent_t agent, const char *variable_name, void *address) {
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    return define(executable, variable_name, address);
}

HSA hsa_executable_readonly_variable_define(hsa_executable_t executable, hsa_agent_t agent, const char *variable_name, void *address) {
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    return define(executable, variable_name, address);
}

/* ---- symbols ------------------------------------------------------------------------------------------------------ */

static struct symbol *find_symbol(const struct executable *e, const struct wl_hsa_agent *agent, const char *name) {
    for (const struct loaded *loaded = e->first; loaded; loaded = loaded->next) {
        if (agent && loaded->agent != agent)
            continue;
        for (size_t i = 0; i < loaded->count; i++)
            if (strcmp(loaded->symbols[i].name, name) == 0)
                return &loaded->symbols[i];
    }
    return NULL;
}

HSA hsa_executable_get_symbol_by_name(hsa_executable_t executable, const char *symbol_name, const hsa_agent_t *agent,
                                      hsa_executable_symbol_t *symbol) {
    HSA_STARTED();
    const struct executable *e = executable_of(executable);
    const struct wl_hsa_agent *a = agent ? wl_hsa_agent(*agent) : NULL;
    HSA_REQUIRE(e, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(symbol_name && symbol, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    HSA_REQUIRE(!agent || a, HSA_STATUS_ERROR_INVALID_AGENT);
    pthread_rwlock_rdlock(&all.lock);
    const struct symbol *found = find_symbol(e, a, symbol_name);
    pthread_rwlock_unlock(&all.lock);
    HSA_REQUIRE(found, HSA_STATUS_ERROR_INVALID_SYMBOL_NAME);
    *symbol = (hsa_executable_symbol_t){(uint64_t)(uintptr_t)found};
    return HSA_STATUS_SUCCESS;
}

HSA hsa_executable_get_symbol(hsa_executable_t executable, const char *module_name, const char *symbol_name, hsa_agent_t agent,
                              int32_t call_convention, hsa_executable_symbol_t *symbol) {
    (void)module_name, (void)call_convention;
    return hsa_executable_get_symbol_by_name(executable, symbol_name, agent.handle ? &agent : NULL, symbol);
}

/* Calls back for each symbol, of one agent or of all. What the callback asks for needs the lock itself, for reading. */
static hsa_status_t each_symbol(const struct executable *e, const struct wl_hsa_agent *agent,
                                hsa_status_t (*visit)(hsa_executable_symbol_t symbol, void *data), void *data) {
    for (const struct loaded *loaded = e->first; loaded; loaded = loaded->next)
        for (size_t i = 0; i < loaded->count && (!agent || loaded->agent == agent); i++) {
            const hsa_status_t status = visit((hsa_executable_symbol_t){(uint64_t)(uintptr_t)&loaded->symbols[i]}, data);
            if (status != HSA_STATUS_SUCCESS)
                return status;
        }
    return HSA_STATUS_SUCCESS;
}

struct symbol_visit {
    hsa_executable_t executable;
    hsa_agent_t agent;
    hsa_status_t (*any)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void *data);
    hsa_status_t (*of_agent)(hsa_executable_t exec, hsa_agent_t agent, hsa_executable_symbol_t symbol, void *data);
    void *data;
};

static hsa_status_t visit_symbol(hsa_executable_symbol_t symbol, void *data) {
    const struct symbol_visit *visit = data;
    return visit->any ? visit->any(visit->executable, symbol, visit->data)
                      : visit->of_agent(visit->executable, visit->agent, symbol, visit->data);
}

HSA hsa_executable_iterate_symbols(hsa_executable_t executable,
                                   hsa_status_t (*callback)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void *data),
                                   void *data) {
    HSA_STARTED();
    const struct executable *e = executable_of(executable);
    HSA_REQUIRE(e, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return each_symbol(e, NULL, visit_symbol, &(struct symbol_visit){.executable = executable, .any = callback, .data = data});
}

HSA hsa_executable_iterate_agent_symbols(hsa_executable_t executable, hsa_agent_t agent,
                                         hsa_status_t (*callback)(hsa_executable_t exec, hsa_agent_t agent, hsa_executable_symbol_t symbol,
                                                                  void *data),
                                         void *data) {
    HSA_STARTED();
    const struct executable *e = executable_of(executable);
    const struct wl_hsa_agent *a = wl_hsa_agent(agent);
    HSA_REQUIRE(e, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(a, HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return each_symbol(e, a, visit_symbol,
                       &(struct symbol_visit){.executable = executable, .agent = agent, .of_agent = callback, .data = data});
}

/* All symbols are agents'. */
HSA hsa_executable_iterate_program_symbols(hsa_executable_t executable,
                                           hsa_status_t (*callback)(hsa_executable_t exec, hsa_executable_symbol_t symbol, void *data),
                                           void *data) {
    HSA_STARTED();
    (void)data;
    HSA_REQUIRE(executable_of(executable), HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t about_kernel(const struct symbol *symbol, int attribute, void *value) {
    const struct wl_kernel *kernel = symbol->kernel;
    HSA_REQUIRE(kernel, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
        HSA_SET(uint64_t, symbol->address);
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
        HSA_SET(uint32_t, kernel->kernarg_size);
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
        HSA_SET(uint32_t, kernel->kernarg_align > 16 ? kernel->kernarg_align : 16);
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
        HSA_SET(uint32_t, kernel->lds_size);
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
        HSA_SET(uint32_t, kernel->scratch_size);
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
        HSA_SET(bool, kernel->dynamic_stack);
        break;
    default:
        HSA_SET(uint32_t, 0); /* the one call convention */
        break;
    }
    return HSA_STATUS_SUCCESS;
}

static hsa_status_t about_variable(const struct symbol *symbol, int attribute, void *value) {
    const struct wl_variable *variable = symbol->variable;
    HSA_REQUIRE(variable, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
        HSA_SET(uint64_t, symbol->address);
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
        HSA_SET(uint32_t, HSA_VARIABLE_ALLOCATION_AGENT);
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
        HSA_SET(uint32_t, variable->constant ? HSA_VARIABLE_SEGMENT_READONLY : HSA_VARIABLE_SEGMENT_GLOBAL);
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT: /* what its address shows, up to a page */
        HSA_SET(uint32_t, symbol->address & 4095 ? symbol->address & -symbol->address & 4095 : 4096);
        break;
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
        HSA_SET(uint32_t, variable->size);
        break;
    default:
        HSA_SET(bool, variable->constant);
        break;
    }
    return HSA_STATUS_SUCCESS;
}

HSA hsa_executable_symbol_get_info(hsa_executable_symbol_t executable_symbol, int attribute, void *value) {
    HSA_STARTED();
    const struct symbol *symbol = (const struct symbol *)(uintptr_t)executable_symbol.handle;
    HSA_REQUIRE(symbol, HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    switch (attribute) {
    case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
        HSA_SET(uint32_t, symbol->kernel ? HSA_SYMBOL_KIND_KERNEL : HSA_SYMBOL_KIND_VARIABLE);
        return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
        HSA_SET(uint32_t, strlen(symbol->name));
        return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_NAME: /* without a zero behind it */
        memcpy(value, symbol->name, strlen(symbol->name));
        return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
        HSA_SET(uint32_t, 0);
        return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
        return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
        *(hsa_agent_t *)value = (hsa_agent_t){(uint64_t)(uintptr_t)symbol->loaded->agent};
        return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
        HSA_SET(uint32_t, HSA_SYMBOL_LINKAGE_PROGRAM);
        return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
        HSA_SET(bool, true);
        return HSA_STATUS_SUCCESS;
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
    case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
        return about_kernel(symbol, attribute, value);
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
    case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
        return about_variable(symbol, attribute, value);
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
}

/* ---- AMD's loader extension ------------------------------------------------------------------------------------------ */

/* Host and device use the same addresses where they share memory; else the host's view is the code object as it was given. */
hsa_status_t wl_hsa_query_host_address(const void *device_address, const void **host_address) {
    HSA_STARTED();
    HSA_REQUIRE(device_address && host_address, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    hsa_status_t status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const uint64_t address = (uint64_t)(uintptr_t)device_address;
    pthread_rwlock_rdlock(&all.lock);
    for (const struct executable *e = all.first; e; e = e->next)
        for (const struct loaded *loaded = e->first; loaded; loaded = loaded->next)
            if (address >= loaded->base && address < loaded->base + loaded->size) {
                const uint8_t *image = wl_codeobject_image(wl_core.module_object(loaded->module));
                *host_address = loaded->agent->context->info.discrete ? image + (address - loaded->base) : device_address;
                status = HSA_STATUS_SUCCESS;
            }
    pthread_rwlock_unlock(&all.lock);
    return status;
}

hsa_status_t wl_hsa_query_executable(const void *device_address, hsa_executable_t *executable) {
    HSA_STARTED();
    HSA_REQUIRE(device_address && executable, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    hsa_status_t status = HSA_STATUS_ERROR_INVALID_ARGUMENT;
    const uint64_t address = (uint64_t)(uintptr_t)device_address;
    pthread_rwlock_rdlock(&all.lock);
    for (const struct executable *e = all.first; e; e = e->next)
        for (const struct loaded *loaded = e->first; loaded; loaded = loaded->next)
            if (address >= loaded->base && address < loaded->base + loaded->size) {
                *executable = (hsa_executable_t){(uint64_t)(uintptr_t)e};
                status = HSA_STATUS_SUCCESS;
            }
    pthread_rwlock_unlock(&all.lock);
    return status;
}

hsa_status_t wl_hsa_each_loaded(hsa_executable_t executable,
                                hsa_status_t (*callback)(hsa_executable_t executable, hsa_loaded_code_object_t object, void *data),
                                void *data) {
    HSA_STARTED();
    const struct executable *e = executable_of(executable);
    HSA_REQUIRE(e, HSA_STATUS_ERROR_INVALID_EXECUTABLE);
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (const struct loaded *loaded = e->first; loaded; loaded = loaded->next) {
        const hsa_status_t status = callback(executable, (hsa_loaded_code_object_t){(uint64_t)(uintptr_t)loaded}, data);
        if (status != HSA_STATUS_SUCCESS)
            return status;
    }
    return HSA_STATUS_SUCCESS;
}

hsa_status_t wl_hsa_each_executable(hsa_status_t (*callback)(hsa_executable_t executable, void *data), void *data) {
    HSA_STARTED();
    HSA_REQUIRE(callback, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    for (const struct executable *e = all.first, *next; e; e = next) {
        next = e->next;
        const hsa_status_t status = callback((hsa_executable_t){(uint64_t)(uintptr_t)e}, data);
        if (status != HSA_STATUS_SUCCESS)
            return status;
    }
    return HSA_STATUS_SUCCESS;
}

/* "memory://PID#offset=0x...&size=...": where a debugger or profiler finds the code object. */
static int uri_of(const struct loaded *loaded, char *text, size_t size) {
    return snprintf(text, size, "memory://%d#offset=0x%llx&size=%zu", (int)getpid(), (unsigned long long)(uintptr_t)loaded->storage,
                    loaded->storage_size);
}

hsa_status_t wl_hsa_loaded_info(hsa_loaded_code_object_t object, int attribute, void *value) {
    HSA_STARTED();
    const struct loaded *loaded = (const struct loaded *)(uintptr_t)object.handle;
    char uri[128];
    HSA_REQUIRE(loaded, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
    HSA_REQUIRE(value, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    switch (attribute) {
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
        *(hsa_executable_t *)value = (hsa_executable_t){(uint64_t)(uintptr_t)loaded->executable};
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
        HSA_SET(uint32_t, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT:
        *(hsa_agent_t *)value = (hsa_agent_t){(uint64_t)(uintptr_t)loaded->agent};
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
        HSA_SET(uint32_t, HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
        HSA_SET(uint64_t, (uintptr_t)loaded->storage);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
        HSA_SET(uint64_t, loaded->storage_size);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE: /* images begin at address 0 */
        HSA_SET(uint64_t, loaded->base);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE:
        HSA_SET(uint64_t, loaded->size);
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH:
        HSA_SET(uint32_t, uri_of(loaded, uri, sizeof uri));
        break;
    case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI:
        memcpy(value, uri, (size_t)uri_of(loaded, uri, sizeof uri));
        break;
    default:
        return HSA_STATUS_ERROR_INVALID_ARGUMENT;
    }
    return HSA_STATUS_SUCCESS;
}

/* AMD's structure of a segment. */
struct segment {
    hsa_agent_t agent;
    hsa_executable_t executable;
    int storage_type;
    const void *storage_base;
    size_t storage_size, storage_offset;
    const void *base;
    size_t size;
};

hsa_status_t wl_hsa_query_segments(void *descriptors, size_t *count) {
    HSA_STARTED();
    HSA_REQUIRE(count && (*count == 0) == !descriptors, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    struct segment *segments = descriptors;
    size_t found = 0;
    hsa_status_t status = HSA_STATUS_SUCCESS;
    pthread_rwlock_rdlock(&all.lock);
    for (const struct executable *e = all.first; e; e = e->next)
        for (const struct loaded *loaded = e->first; loaded; loaded = loaded->next, found++)
            if (segments && found < *count)
                segments[found] = (struct segment){.agent = {(uint64_t)(uintptr_t)loaded->agent},
                                                   .executable = {(uint64_t)(uintptr_t)e},
                                                   .storage_type = HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY,
                                                   .storage_base = loaded->storage,
                                                   .storage_size = loaded->storage_size,
                                                   .base = (const void *)(uintptr_t)loaded->base,
                                                   .size = loaded->size};
    pthread_rwlock_unlock(&all.lock);
    if (segments && *count != found)
        status = HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS;
    if (!segments)
        *count = found;
    return status;
}
