/* A tool for AMD's newer interface, as rocprofv3 is one: a library that is found, and that no program knows of. At its end it writes to the file
 * that TOOL_OUTPUT names, with this tool's name behind it, what it was told: a line for each function, kernel and range with its number.
 * The structures that it declares are AMD's. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PUBLIC __attribute__((visibility("default")))

typedef struct {
    uint64_t handle;
} id;
typedef union {
    uint64_t value;
    void *pointer;
} user;
typedef struct {
    uint64_t internal;
    user external;
    uint64_t ancestor;
} correlation;
typedef struct {
    id context;
    uint64_t thread;
    correlation ids;
    int kind, operation, phase;
    void *payload;
} callback_record;
typedef struct {
    uint32_t category, kind;
    void *payload;
} header;
typedef struct {
    uint64_t size;
    int kind, operation;
    correlation ids;
    uint64_t begin, end, thread;
} call_record;
typedef struct {
    uint64_t size;
    int kind, operation;
    uint64_t internal;
    user external;
    uint64_t thread, begin, end, info_size;
    id agent, queue;
    uint64_t kernel, dispatch;
} dispatch_record;
typedef struct {
    uint64_t size;
    id agent, queue;
    uint64_t kernel, dispatch;
    uint8_t more[32 + 56];
} dispatch_info;
typedef struct {
    uint64_t size, internal;
    user external;
    uint64_t begin, end;
    dispatch_info info;
} counted_dispatch;
typedef struct {
    uint64_t size, records, internal;
    user external;
    uint64_t begin, end;
    dispatch_info info;
} counted_header;
typedef struct {
    uint64_t instance;
    double value;
    uint64_t dispatch;
    user own;
    id agent;
} counter_record;
typedef struct {
    id id;
    const char *name, *text, *block, *expression;
    uint8_t bits;
} counter_info;
typedef struct {
    uint64_t size;
    id handle;
    int type;
} agent;
typedef struct {
    uint64_t size, kernel, object;
    const char *name;
} kernel_data;
typedef struct {
    uint64_t size;
    const char *message;
} marker_data;
typedef struct {
    uint64_t size, begin, end;
    dispatch_info info;
} dispatch_data;
typedef struct {
    uint64_t size, begin, end;
    id target_agent, source_agent;
    uint64_t bytes;
    void *target, *source;
} copy_data;
typedef struct {
    size_t size;
    const char *name;
    uint32_t handle;
} client;
typedef struct {
    size_t size;
    int (*initialize)(void (*finalize)(client), void *data);
    void (*finalize)(void *data);
    void *data;
} tool;

int rocprofiler_create_context(id *context);
int rocprofiler_start_context(id context);
int rocprofiler_create_buffer(id context, size_t size, size_t mark, int policy,
                              void (*function)(id context, id buffer, header **headers, size_t count, void *data, uint64_t dropped),
                              void *data, id *buffer);
int rocprofiler_configure_callback_tracing_service(id context, int kind, const int *operations, size_t count,
                                                   void (*function)(callback_record record, user *own, void *data), void *data);
int rocprofiler_configure_buffer_tracing_service(id context, int kind, const int *operations, size_t count, id buffer);
int rocprofiler_query_buffer_tracing_kind_operation_name(int kind, int operation, const char **name, uint64_t *length);
int rocprofiler_query_callback_tracing_kind_operation_name(int kind, int operation, const char **name, uint64_t *length);
int rocprofiler_iterate_callback_tracing_kind_operation_args(callback_record record,
                                                             int (*callback)(int kind, int operation, uint32_t number, const void *value,
                                                                             int32_t stars, const char *type, const char *name,
                                                                             const char *text, int32_t followed, void *data),
                                                             int32_t most_followed, void *data);
int rocprofiler_iterate_buffer_tracing_record_args(header record,
                                                   int (*callback)(int kind, int operation, uint32_t number, const void *value,
                                                                   int32_t stars, const char *type, const char *name, const char *text,
                                                                   void *data),
                                                   void *data);
int rocprofiler_at_intercept_table_registration(void (*function)(int table, uint64_t version, uint64_t instance, void **tables,
                                                                 uint64_t count, void *data),
                                                int tables, void *data);
int rocprofiler_query_intercept_table_name(int table, const char **name, uint64_t *length);
int rocprofiler_is_initialized(int *status);
int rocprofiler_query_available_agents(int version, int (*callback)(int version, const void **agents, size_t count, void *data),
                                       size_t size, void *data);
int rocprofiler_iterate_agent_supported_counters(id agent, int (*callback)(id agent, id *counters, size_t count, void *data), void *data);
int rocprofiler_query_counter_info(id counter, int version, void *info);
int rocprofiler_query_record_counter_id(uint64_t instance, id *counter);
int rocprofiler_create_counter_config(id agent, id *counters, size_t count, id *config);
int rocprofiler_configure_callback_dispatch_counting_service(
    id context, void (*choose)(counted_dispatch dispatch, id *config, user *own, void *data), void *choose_data,
    void (*take)(counted_dispatch dispatch, counter_record *records, size_t count, user own, void *data), void *take_data);
int rocprofiler_configure_buffer_dispatch_counting_service(id context, id buffer,
                                                           void (*choose)(counted_dispatch dispatch, id *config, user *own, void *data),
                                                           void *data);
int rocprofiler_configure_device_counting_service(id context, id buffer, id agent,
                                                  void (*choose)(id context, id agent, int (*set)(id context, id config), void *data),
                                                  void *data);
int rocprofiler_sample_device_counting_service(id context, user own, int flags, counter_record *records, size_t *count);
PUBLIC tool *rocprofiler_configure(uint32_t version, const char *runtime, uint32_t priority, client *me);

enum {
    CALLS = 21,
    HIP_CALLBACKS = 5,
    COMPILER_CALLBACKS = 6,
    DISPATCH_CALLBACKS = 12,
    COPY_CALLBACKS = 13,
    DISPATCHES = 11,
    OBJECTS = 10,
    RUNTIMES = 17,
    RANGES = 21,
    CONTROLS = 8,
    COUNTERS = 3,
    ENTER = 1,
    EXIT = 2,
    LOSSLESS = 2,
    NONE = 0,
    HIP_TABLE = 2,
    COMPILER_TABLE = 4
};

/* ---- what is counted, by name ---- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry {
    char text[512];
    unsigned count; /* 0: the end */
    double sum;
} entries[1024];
static const char *kernels[4096];

static void add(const char *what, const char *name, double value) {
    char text[sizeof entries[0].text];
    snprintf(text, sizeof text, "%s %s", what, name);
    pthread_mutex_lock(&lock);
    struct entry *each = entries;
    while (each->count && strcmp(each->text, text) != 0)
        each++;
    strcpy(each->text, text);
    each->count++;
    each->sum += value;
    pthread_mutex_unlock(&lock);
}

static void count(const char *what, const char *name) { add(what, name, 1); }

static void check(int status, const char *what) {
    if (status != 0)
        count("failed", what);
}
#define OK(call) check((call), #call)

/* ---- counters ---- */

static id all_counters, waves, device;
static size_t counter_count;

static const char *kernel_name(uint64_t kernel) {
    return kernel < sizeof kernels / sizeof *kernels && kernels[kernel] ? kernels[kernel] : "?";
}

static int on_agents(int version, const void **agents, size_t number, void *data) {
    (void)version, (void)data;
    for (size_t i = 0; i < number && !device.handle; i++)
        if (((const agent *)agents[i])->type == 2)
            device = ((const agent *)agents[i])->handle;
    return 0;
}

static int on_counters(id of, id *counters, size_t number, void *data) {
    (void)data;
    OK(rocprofiler_create_counter_config(of, counters, number, &all_counters));
    counter_count = number;
    for (size_t i = 0; i < number; i++) {
        counter_info info = {.name = ""};
        OK(rocprofiler_query_counter_info(counters[i], 1, &info));
        if (strcmp(info.name, "SQ_WAVES") == 0)
            OK(rocprofiler_create_counter_config(of, &counters[i], 1, &waves));
    }
    return 0;
}

static void on_choose(counted_dispatch dispatch, id *config, user *own, void *data) {
    (void)data;
    if (dispatch.info.agent.handle == device.handle && dispatch.size == sizeof dispatch)
        *config = all_counters;
    own->value = dispatch.info.kernel;
}

static void on_value(const counter_record *record, const char *kernel) {
    counter_info info = {.name = ""};
    id counter = {0};
    char text[512];
    OK(rocprofiler_query_record_counter_id(record->instance, &counter));
    OK(rocprofiler_query_counter_info(counter, 1, &info));
    snprintf(text, sizeof text, "%s %s", info.name, kernel);
    add("counter", text, record->value);
}

static id counting; /* the context that counts the device's waves */

static void sample(void) {
    static double last;
    counter_record record;
    size_t number = 1;
    OK(rocprofiler_sample_device_counting_service(counting, (user){0}, 0, &record, &number));
    add("device", "waves", record.value - last);
    last = record.value;
}

static void on_take(counted_dispatch dispatch, counter_record *records, size_t number, user own, void *data) {
    (void)data;
    if (number != counter_count || own.value != dispatch.info.kernel || dispatch.begin > dispatch.end || !dispatch.begin)
        count("failed", "counters of a dispatch");
    for (size_t i = 0; i < number; i++)
        on_value(&records[i], kernel_name(dispatch.info.kernel));
    sample();
}

static void on_device(id context, id agent_id, int (*set)(id context, id config), void *data) {
    (void)data;
    if (agent_id.handle != device.handle)
        count("failed", "another device");
    OK(set(context, waves));
}

/* ---- what is told ---- */

static void on_object(callback_record record, user *own, void *data) {
    (void)own, (void)data;
    const kernel_data *kernel = record.payload;
    if (record.operation == 2 && record.phase == ENTER && kernel->kernel < sizeof kernels / sizeof *kernels)
        kernels[kernel->kernel] = strdup(kernel->name);
}

static void on_runtime(callback_record record, user *own, void *data) {
    (void)own, (void)data;
    const char *name = "";
    OK(rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name, NULL));
    count("runtime", name);
}

/* A range's begin leaves a mark that its end finds. */
static void on_range(callback_record record, user *own, void *data) {
    (void)data;
    const marker_data *marker = record.payload;
    if (record.phase == ENTER)
        own->value = record.ids.internal;
    else
        count(own->value == record.ids.internal ? "range" : "failed", record.operation < 3 ? marker->message : "other");
}

static void on_control(callback_record record, user *own, void *data) {
    (void)own, (void)data;
    const char *name = "";
    OK(rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name, NULL));
    count(record.phase == ENTER ? "enter" : "exit", name);
}

/* "argument FUNCTION NAME TYPE TEXT" */
static int on_argument(int kind, int operation, uint32_t number, const void *value, int32_t stars, const char *type, const char *name,
                       const char *text, int32_t followed, void *data) {
    static const char *const told[] = {"gridDim", "deviceName", "size", "ptr", "stream"};
    char all[sizeof entries[0].text];
    (void)kind, (void)operation, (void)number;
    if (followed && strcmp(name, "ptr") == 0) { /* where hipMalloc put the address */
        char address[32];
        snprintf(address, sizeof address, "%p", **(void **const *)value);
        text = stars == 2 && strcmp(text, address) == 0 ? "followed" : text;
    }
    snprintf(all, sizeof all, "%s %s %s %s", (const char *)data, name, type, text);
    for (unsigned i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(name, told[i]) == 0 && (strcmp(name, "stream") != 0 || strcmp(text, "0x0") == 0))
            count("argument", all);
    return 0;
}

static int on_record_argument(int kind, int operation, uint32_t number, const void *value, int32_t stars, const char *type,
                              const char *name, const char *text, void *data) {
    (void)kind, (void)operation, (void)number, (void)stars, (void)type, (void)value;
    if (strcmp(name, "numBlocks") == 0 || strcmp(name, "gridDim") == 0)
        count((const char *)data, text);
    return 0;
}

static void on_call(callback_record record, user *own, void *data) {
    const char *name = "";
    (void)data;
    OK(rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name, NULL));
    if (record.phase == ENTER) {
        own->value = record.ids.internal;
        return;
    }
    if (own->value != record.ids.internal)
        count("failed", name);
    if (record.kind == COMPILER_CALLBACKS)
        count("compiler", name);
    if (record.kind == COMPILER_CALLBACKS || strcmp(name, "hipMalloc") == 0)
        OK(rocprofiler_iterate_callback_tracing_kind_operation_args(record, on_argument, 1, (void *)(uintptr_t)name));
}

/* The number of a dispatch goes from its begin to its end. */
static void on_dispatch(callback_record record, user *own, void *data) {
    const dispatch_data *dispatch = record.payload;
    (void)data;
    if (record.operation == 1 && record.phase == ENTER && !dispatch->begin && !dispatch->end)
        own->value = dispatch->info.dispatch;
    else if (record.operation == 1 && record.phase == EXIT && own->value == dispatch->info.dispatch)
        count("queued", kernel_name(dispatch->info.kernel));
    else if (record.operation == 2 && record.phase == NONE && own->value == dispatch->info.dispatch && dispatch->begin &&
             dispatch->begin <= dispatch->end && dispatch->size == sizeof *dispatch)
        count("dispatch", kernel_name(dispatch->info.kernel));
    else
        count("failed", "dispatch");
}

static void on_copy(callback_record record, user *own, void *data) {
    const copy_data *copy = record.payload;
    const char *name = "";
    (void)data;
    OK(rocprofiler_query_callback_tracing_kind_operation_name(record.kind, record.operation, &name, NULL));
    if (record.phase == ENTER && !copy->begin)
        own->value = copy->bytes;
    else if (record.phase == EXIT && own->value == copy->bytes && copy->begin && copy->begin <= copy->end && copy->target && copy->source)
        add("copied", name, (double)copy->bytes);
    else
        count("failed", name);
}

static void on_table(int table, uint64_t version, uint64_t instance, void **tables, uint64_t number, void *data) {
    (void)data;
    const char *name = "";
    OK(rocprofiler_query_intercept_table_name(table, &name, NULL));
    const size_t size = *(size_t *)tables[0] / sizeof(void *);
    count(version == 70100 && instance == 0 && number == 1 && (table == COMPILER_TABLE ? size == 1 + 9 : size > 400) ? "table" : "failed",
          name);
}

static void on_records(id context, id buffer, header **headers, size_t number, void *data, uint64_t dropped) {
    (void)context, (void)buffer, (void)data;
    if (dropped)
        count("failed", "records were dropped");
    for (size_t i = 0; i < number; i++) {
        const dispatch_record *dispatch = headers[i]->payload;
        const call_record *call = headers[i]->payload;
        const counter_record *value = headers[i]->payload;
        const char *name = "?";
        if (headers[i]->category == COUNTERS && headers[i]->kind == 1) {
            if (((const counted_header *)headers[i]->payload)->records != counter_count)
                count("failed", "counters in a buffer");
        } else if (headers[i]->category == COUNTERS) {
            on_value(value, kernel_name(value->own.value));
        } else if (headers[i]->kind == DISPATCHES) {
            count("kernel", kernel_name(dispatch->kernel));
        } else if (headers[i]->kind == CALLS) {
            OK(rocprofiler_query_buffer_tracing_kind_operation_name(CALLS, call->operation, &name, NULL));
            count(call->size > sizeof *call && call->begin <= call->end ? "call" : "failed", name);
            if (strcmp(name, "hipLaunchKernel") == 0)
                OK(rocprofiler_iterate_buffer_tracing_record_args(*headers[i], on_record_argument, (void *)(uintptr_t)"launched"));
        }
    }
}

/* ---- from begin to end ---- */

static int initialize(void (*finalize)(client), void *data) {
    id objects, all, buffer;
    (void)finalize, (void)data;
    OK(rocprofiler_create_context(&objects));
    OK(rocprofiler_configure_callback_tracing_service(objects, OBJECTS, NULL, 0, on_object, NULL));
    OK(rocprofiler_configure_callback_tracing_service(objects, RUNTIMES, NULL, 0, on_runtime, NULL));
    OK(rocprofiler_configure_callback_tracing_service(objects, CONTROLS, NULL, 0, on_control, NULL));
    OK(rocprofiler_configure_callback_tracing_service(objects, HIP_CALLBACKS, NULL, 0, on_call, NULL));
    OK(rocprofiler_configure_callback_tracing_service(objects, COMPILER_CALLBACKS, NULL, 0, on_call, NULL));
    OK(rocprofiler_configure_callback_tracing_service(objects, DISPATCH_CALLBACKS, NULL, 0, on_dispatch, NULL));
    OK(rocprofiler_configure_callback_tracing_service(objects, COPY_CALLBACKS, NULL, 0, on_copy, NULL));
    OK(rocprofiler_create_context(&all));
    OK(rocprofiler_create_buffer(all, 1 << 16, 1 << 15, LOSSLESS, on_records, NULL, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(all, CALLS, NULL, 0, buffer));
    OK(rocprofiler_configure_buffer_tracing_service(all, DISPATCHES, NULL, 0, buffer));
    OK(rocprofiler_configure_callback_tracing_service(all, RANGES, NULL, 0, on_range, NULL));
    if (getenv("TOOL_COUNTS")) { /* NOLINT(concurrency-mt-unsafe). The first tool by callbacks, the second in its buffer */
        OK(rocprofiler_query_available_agents(1, on_agents, 304, NULL));
        OK(rocprofiler_iterate_agent_supported_counters(device, on_counters, NULL));
        if (strcmp(NAME, "one") == 0)
            OK(rocprofiler_configure_callback_dispatch_counting_service(all, on_choose, NULL, on_take, NULL));
        else
            OK(rocprofiler_configure_buffer_dispatch_counting_service(all, buffer, on_choose, NULL));
        OK(rocprofiler_create_context(&counting));
        OK(rocprofiler_configure_device_counting_service(counting, (id){0}, device, on_device, NULL));
        OK(rocprofiler_start_context(counting));
    }
    OK(rocprofiler_start_context(objects));
    OK(rocprofiler_start_context(all));
    return 0;
}

static void finalize(void *data) {
    char path[4096];
    (void)data;
    snprintf(path, sizeof path, "%s." NAME, getenv("TOOL_OUTPUT")); /* NOLINT(concurrency-mt-unsafe) */
    FILE *file = fopen(path, "w");
    for (const struct entry *each = entries; file && each->count; each++)
        fprintf(file, "%.17g %s\n", each->sum, each->text);
    if (file)
        fclose(file);
}

tool *rocprofiler_configure(uint32_t version, const char *runtime, uint32_t priority, client *me) {
    static tool made = {sizeof made, initialize, finalize, NULL};
    int status = 0;
    (void)priority;
    me->name = NAME;
    OK(rocprofiler_is_initialized(&status));
    if (version != 10100 || !runtime || status != -1)
        count("failed", "configure");
    OK(rocprofiler_at_intercept_table_registration(on_table, HIP_TABLE | COMPILER_TABLE, NULL));
    return &made;
}
