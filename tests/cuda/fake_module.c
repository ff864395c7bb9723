/* Modules: of PTX the entries, their parameters, and variables are read, nothing else. A "cubin" is the PTX behind a mark and the name
 * that it was compiled under; entries of that name stand for kernels that were translated. */
#include "fake_cuda.h"

#include <ctype.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char cubin_mark[] = "\177ELFfake";

struct CUfunc_st {
    char name[256];
    const char *kernel; /* as the test knows it */
    unsigned count;
    size_t offsets[8], sizes[8], parameters; /* bytes in all */
    int shared_limit;
    struct CUfunc_st *next;
};

struct variable {
    char name[128];
    CUdeviceptr address;
    size_t size;
    struct variable *next;
};

struct CUmod_st {
    char compiled_as[256];
    struct CUfunc_st *functions;
    struct variable *variables;
};

/* ---- the test's kernels ------------------------------------------------------------------------------- */

static struct {
    pthread_mutex_t lock;
    struct {
        char name[128];
        fake_kernel *run;
    } kernels[64];
    unsigned count;
    struct fake_launch last;
    unsigned long launches;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

void fake_register_kernel(const char *name, fake_kernel *run) {
    snprintf(known.kernels[known.count].name, sizeof known.kernels[0].name, "%s", name);
    known.kernels[known.count++].run = run;
}

fake_kernel *fake_find_kernel(const char *name) {
    for (unsigned i = 0; i < known.count; i++)
        if (strcmp(known.kernels[i].name, name) == 0)
            return known.kernels[i].run;
    return NULL;
}

void fake_last_launch(struct fake_launch *launch) {
    pthread_mutex_lock(&known.lock);
    *launch = known.last;
    pthread_mutex_unlock(&known.lock);
}

unsigned long fake_launches(void) { return known.launches; }

/* ---- reading PTX ------------------------------------------------------------------------------------------ */

static const char *name_at(const char *text, char *name, size_t size) {
    size_t length = 0;
    while (isspace((unsigned char)*text))
        text++;
    while (isalnum((unsigned char)text[length]) || strchr("_$%", text[length] ? text[length] : '\n'))
        length++;
    snprintf(name, size, "%.*s", (int)length, text);
    return text + length;
}

/* The value behind a directive such as ".align 8" before `end`; 0: there is none. */
static size_t number_behind(const char *text, const char *end, const char *directive) {
    const char *found = strstr(text, directive);
    return found && found < end ? strtoul(found + strlen(directive), NULL, 10) : 0;
}

/* Bytes that ".param .align 8 .b8 name[24]" or ".global .u32 name" takes, and its name. */
static size_t read_item(const char *text, const char *end, size_t *align, char *name, size_t capacity) {
    size_t bits = 0, count = 1;
    const char *last = end;
    *align = number_behind(text, end, ".align ");
    for (const char *at = text; at < end; at++)
        if (*at == '.' && strchr("busf", at[1]) && isdigit((unsigned char)at[2]))
            bits = strtoul(at + 2, NULL, 10);
    for (const char *at = text; at < end; at++)
        if (*at == '[') {
            count = strtoul(at + 1, NULL, 10);
            last = at;
            break;
        } else if (*at == '=') {
            last = at;
            break;
        }
    while (last > text && isspace((unsigned char)last[-1]))
        last--;
    const char *first = last;
    while (first > text && (isalnum((unsigned char)first[-1]) || strchr("_$%", first[-1])))
        first--;
    snprintf(name, capacity, "%.*s", (int)(last - first), first);
    *align = *align ? *align : bits / 8;
    return bits / 8 * count;
}

static void read_parameters(const char *text, struct CUfunc_st *function) {
    const char *end = *text == '(' ? strchr(text, ')') : NULL;
    char name[128];
    while (end && (text = strstr(text, ".param")) && text < end && function->count < 8) {
        const char *comma = strchr(text, ',');
        size_t align = 1, size = read_item(text, comma && comma < end ? comma : end, &align, name, sizeof name);
        size_t offset = (function->parameters + align - 1) / align * align;
        function->offsets[function->count] = offset;
        function->sizes[function->count++] = size;
        function->parameters = offset + size;
        text += 6;
    }
}

static void read_entries(const char *text, struct CUmod_st *module) {
    while ((text = strstr(text, ".entry "))) {
        struct CUfunc_st *function = calloc(1, sizeof *function);
        text = name_at(text + 7, function->name, sizeof function->name);
        while (isspace((unsigned char)*text))
            text++;
        read_parameters(text, function);
        function->kernel = module->compiled_as[0] ? module->compiled_as : function->name;
        function->next = module->functions;
        module->functions = function;
    }
}

extern CUresult cuMemAlloc_v2(CUdeviceptr *result, size_t size);
extern CUresult cuMemFree_v2(CUdeviceptr address);

static void read_variables(const char *text, struct CUmod_st *module) {
    for (; (text = strstr(text, "\n.visible .global")); text += 10) {
        const char *end = strchr(text, ';');
        size_t align = 1;
        struct variable *variable = calloc(1, sizeof *variable);
        variable->size = end ? read_item(text, end, &align, variable->name, sizeof variable->name) : 0;
        if (!variable->size || cuMemAlloc_v2(&variable->address, variable->size) != CUDA_SUCCESS) {
            free(variable);
            continue;
        }
        memset(fake_at(variable->address), 0, variable->size);
        variable->next = module->variables;
        module->variables = variable;
    }
}

/* ---- compiling --------------------------------------------------------------------------------------------- */

struct CUlinkState_st {
    char *cubin;
    size_t size;
};

CUresult cuLinkCreate_v2(unsigned count, CUjit_option *options, void **values, CUlinkState *state) {
    FAKE_ENTER();
    (void)count, (void)options, (void)values;
    *state = calloc(1, sizeof **state);
    return CUDA_SUCCESS;
}

CUresult cuLinkAddData_v2(CUlinkState state, CUjitInputType type, void *data, size_t size, const char *name, unsigned count,
                          CUjit_option *options, void **values) {
    FAKE_ENTER();
    (void)options, (void)values;
    FAKE_REQUIRE(type == CU_JIT_INPUT_PTX && count == 0 && size && ((char *)data)[size - 1] == 0, CUDA_ERROR_INVALID_VALUE);
    FAKE_REQUIRE(strstr(data, ".version") && strstr(data, ".entry"), CUDA_ERROR_INVALID_PTX);
    state->size = sizeof cubin_mark + 256 + size;
    state->cubin = calloc(1, state->size);
    memcpy(state->cubin, cubin_mark, sizeof cubin_mark);
    snprintf(state->cubin + sizeof cubin_mark, 256, "%s", name);
    memcpy(state->cubin + sizeof cubin_mark + 256, data, size);
    return CUDA_SUCCESS;
}

CUresult cuLinkComplete(CUlinkState state, void **cubin, size_t *size) {
    FAKE_ENTER();
    FAKE_REQUIRE(state->cubin, CUDA_ERROR_INVALID_VALUE);
    *cubin = state->cubin;
    *size = state->size;
    return CUDA_SUCCESS;
}

CUresult cuLinkDestroy(CUlinkState state) {
    FAKE_ENTER();
    free(state->cubin);
    free(state);
    return CUDA_SUCCESS;
}

/* ---- modules -------------------------------------------------------------------------------------------------- */

static void write_log(unsigned count, const CUjit_option *options, void **values, const char *text) {
    char *log = NULL;
    size_t capacity = 0;
    for (unsigned i = 0; i < count; i++) {
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER)
            log = values[i];
        if (options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
            capacity = (size_t)(uintptr_t)values[i];
            values[i] = (void *)(uintptr_t)(strlen(text) + 1);
        }
    }
    if (log && capacity)
        snprintf(log, capacity, "%s", text);
}

CUresult cuModuleLoadDataEx(CUmodule *result, const void *image, unsigned count, CUjit_option *options, void **values) {
    FAKE_ENTER();
    const char *text = image;
    struct CUmod_st *module = calloc(1, sizeof *module);
    if (memcmp(text, cubin_mark, 5) == 0) {
        snprintf(module->compiled_as, sizeof module->compiled_as, "%s", text + sizeof cubin_mark);
        text += sizeof cubin_mark + 256;
    } else if (strstr(text, "syntax error")) {
        free(module);
        write_log(count, options, values, "ptxas: line 7; Parsing error near 'syntax'");
        return CUDA_ERROR_INVALID_PTX;
    }
    for (unsigned i = 0; i < count; i++)
        if ((unsigned)options[i] > 34) {
            free(module);
            return CUDA_ERROR_INVALID_VALUE;
        }
    write_log(count, options, values, "");
    read_entries(text, module);
    read_variables(text, module);
    *result = module;
    return CUDA_SUCCESS;
}

CUresult cuModuleUnload(CUmodule module) {
    FAKE_ENTER();
    while (module->functions) {
        struct CUfunc_st *function = module->functions;
        module->functions = function->next;
        free(function);
    }
    while (module->variables) {
        struct variable *variable = module->variables;
        module->variables = variable->next;
        cuMemFree_v2(variable->address);
        free(variable);
    }
    free(module);
    return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction *result, CUmodule module, const char *name) {
    FAKE_ENTER();
    for (struct CUfunc_st *function = module->functions; function; function = function->next)
        if (strcmp(function->name, name) == 0) {
            *result = function;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
    FAKE_ENTER();
    *count = 0;
    for (const struct CUfunc_st *function = module->functions; function; function = function->next)
        ++*count;
    return CUDA_SUCCESS;
}

CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count, CUmodule module) {
    FAKE_ENTER();
    for (struct CUfunc_st *function = module->functions; function && count; function = function->next, count--)
        *functions++ = function;
    return CUDA_SUCCESS;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *address, size_t *size, CUmodule module, const char *name) {
    FAKE_ENTER();
    for (const struct variable *variable = module->variables; variable; variable = variable->next)
        if (strcmp(variable->name, name) == 0) {
            *address = variable->address;
            *size = variable->size;
            return CUDA_SUCCESS;
        }
    return CUDA_ERROR_NOT_FOUND;
}

/* ---- functions ---------------------------------------------------------------------------------------------------- */

CUresult cuFuncGetName(const char **name, CUfunction function) {
    FAKE_ENTER();
    *name = function->name;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *size) {
    FAKE_ENTER();
    FAKE_REQUIRE(index < function->count, CUDA_ERROR_INVALID_VALUE);
    *offset = function->offsets[index];
    *size = function->sizes[index];
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction function) {
    FAKE_ENTER();
    static const int values[] = {1024, 256, 16, 32, 40, 80, 90, 0, 0, -1};
    FAKE_REQUIRE((unsigned)attribute < sizeof values / sizeof *values, CUDA_ERROR_INVALID_VALUE);
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES ? function->shared_limit : values[attribute];
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    FAKE_ENTER();
    FAKE_REQUIRE(attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value <= 232448, CUDA_ERROR_INVALID_VALUE);
    function->shared_limit = value;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int block_size, size_t shared) {
    FAKE_ENTER();
    (void)function;
    int by_shared = shared ? (int)(233472 / shared) : 32, by_threads = 2048 / block_size;
    *blocks = by_threads < by_shared ? by_threads : by_shared;
    return CUDA_SUCCESS;
}

/* ---- launches -------------------------------------------------------------------------------------------------------- */

static CUresult run_launch(struct fake_work *work) {
    fake_kernel *run = fake_find_kernel(work->launch->kernel);
    CUresult result = run ? run(work->launch) : CUDA_SUCCESS;
    pthread_mutex_lock(&known.lock);
    known.last = *work->launch;
    for (unsigned i = 0; i < known.last.count; i++) /* the launch's own copies go with it */
        known.last.values[i] = known.last.bytes + ((const unsigned char *)work->launch->values[i] - work->launch->bytes);
    known.launches++;
    pthread_mutex_unlock(&known.lock);
    return result;
}

static CUresult copy_arguments(const struct CUfunc_st *function, void **arguments, void **extra, struct fake_launch *launch) {
    launch->count = function->count;
    if (extra) {
        FAKE_REQUIRE(extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER && extra[2] == CU_LAUNCH_PARAM_BUFFER_SIZE &&
                         extra[4] == CU_LAUNCH_PARAM_END && !arguments && *(size_t *)extra[3] >= function->parameters,
                     CUDA_ERROR_INVALID_VALUE);
        memcpy(launch->bytes, extra[1], function->parameters);
    }
    for (unsigned i = 0; i < function->count; i++) {
        if (!extra)
            memcpy(launch->bytes + function->offsets[i], arguments[i], function->sizes[i]);
        launch->values[i] = launch->bytes + function->offsets[i];
        launch->sizes[i] = function->sizes[i];
    }
    return CUDA_SUCCESS;
}

static CUresult give_launch(CUfunction function, const unsigned grid[3], const unsigned block[3], unsigned shared, CUstream stream,
                            void **arguments, void **extra, bool cooperative) {
    FAKE_REQUIRE(grid[0] && grid[1] && grid[2] && block[0] && block[1] && block[2] && block[0] * block[1] * block[2] <= 1024,
                 CUDA_ERROR_INVALID_VALUE);
    FAKE_REQUIRE(shared <= 49152 || (int)shared <= function->shared_limit, CUDA_ERROR_INVALID_VALUE);
    struct fake_launch *launch = calloc(1, sizeof *launch);
    *launch = (struct fake_launch){.kernel = function->kernel, .shared = shared, .cooperative = cooperative, .device = fake_device()};
    memcpy(launch->grid, grid, sizeof launch->grid);
    memcpy(launch->block, block, sizeof launch->block);
    CUresult result = copy_arguments(function, arguments, extra, launch);
    if (result != CUDA_SUCCESS) {
        free(launch);
        return result;
    }
    struct fake_work *work = fake_work(run_launch);
    work->launch = launch;
    return fake_give(stream, work);
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                        unsigned block_z, unsigned shared, CUstream stream, void **arguments, void **extra) {
    FAKE_ENTER();
    return give_launch(function, (unsigned[3]){grid_x, grid_y, grid_z}, (unsigned[3]){block_x, block_y, block_z}, shared, stream, arguments,
                       extra, false);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                                   unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **arguments) {
    FAKE_ENTER();
    return give_launch(function, (unsigned[3]){grid_x, grid_y, grid_z}, (unsigned[3]){block_x, block_y, block_z}, shared, stream, arguments,
                       NULL, true);
}
