/* A client of AMD's newer interface for profilers, as XLA is: the structures that it declares are AMD's. It initializes as a tool, is told of code
 * objects and calls, and finds a record for each kernel, copy and call. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

static int failures;
#define EXPECT(condition)                                                                                                                  \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            printf("line %d: not %s\n", __LINE__, #condition);                                                                             \
            failures++;                                                                                                                    \
        }                                                                                                                                  \
    } while (0)
#define OK(call) EXPECT((call) == 0)

/* ---- AMD's declarations ---- */

enum {
    LOCKED = 16,
    NOT_IMPLEMENTED = 17,
    CONTEXT_NOT_FOUND = 2,
    BUFFER_NOT_FOUND = 3,
    AGENT_NOT_FOUND = 7,
    NOT_AVAILABLE = 37,
    KIND_NOT_FOUND = 4,
    ALREADY = 15,
    BUSY = 14
};
enum { CALLBACK_HIP = 5, CALLBACK_MARKER = 7, CALLBACK_OMPT = 15, CALLBACK_OBJECT = 10, CALLBACK_STREAM = 20 };
enum { BUFFER_HIP = 5, BUFFER_COPY = 10, BUFFER_DISPATCH = 11 };
enum { ENTER = 1, EXIT = 2, LOSSLESS = 2, DISCARD = 1 };

struct id {
    uint64_t handle;
};
union user {
    uint64_t value;
    void *pointer;
};
struct correlation {
    uint64_t internal;
    user external;
    uint64_t ancestor;
};
struct callback_record {
    id context;
    uint64_t thread;
    correlation ids;
    int kind, operation, phase;
    void *payload;
};
struct header {
    uint32_t category, kind;
    void *payload;
};
struct call_record {
    uint64_t size;
    int kind, operation;
    correlation ids;
    uint64_t begin, end, thread;
};
struct copy_record {
    uint64_t size;
    int kind, operation;
    uint64_t internal;
    user external;
    uint64_t thread, begin, end;
    id to_agent, from_agent;
    uint64_t bytes;
    void *to, *from;
};
struct dispatch_record {
    uint64_t size;
    int kind, operation;
    uint64_t internal;
    user external;
    uint64_t thread, begin, end, info_size;
    id agent, queue;
    uint64_t kernel, dispatch;
    uint32_t scratch, lds, block[3], items[3];
    uint8_t reserved[56];
};
struct object_data {
    uint64_t size, object;
    id agent;
    uint64_t hsa_agent;
    const char *uri;
    uint64_t base, length;
    int64_t delta;
    int storage;
    uint64_t memory, memory_size;
};
struct kernel_data {
    uint64_t size, kernel, object;
    const char *name;
    uint64_t descriptor;
    uint32_t kernarg, align, lds, scratch, sgprs, vgprs, agprs;
    int64_t entry;
    uint64_t address;
};
struct call_data {
    uint64_t size;
    union {
        struct {
            void **pointer;
            size_t size;
        } hipMalloc;
        struct {
            const void *function;
            uint32_t grid[3], block[3];
            void **arguments;
            size_t lds;
            hipStream_t stream;
        } hipLaunchKernel;
        char room[88];
    } arguments;
    union {
        hipError_t error;
        char room[24];
    } result;
};
struct marker_data {
    uint64_t size;
    union {
        const char *message;
        uint64_t range, room[2];
    } arguments;
    uint64_t result;
};
struct stream_data {
    uint64_t size;
    id stream;
    void *value;
};
struct client {
    size_t size;
    const char *name;
    uint32_t handle;
};
struct tool {
    size_t size;
    int (*initialize)(void (*finalize)(client), void *data);
    void (*finalize)(void *data);
    void *data;
};
struct agent { /* the beginning, and the places that are looked at */
    uint64_t size;
    id handle;
    int type;
    uint32_t numbers[21];
    uint16_t vendor, device;
};

extern "C" {
int rocprofiler_force_configure(tool *(*configure)(uint32_t version, const char *runtime, uint32_t priority, client *));
int rocprofiler_create_context(id *);
int rocprofiler_start_context(id);
int rocprofiler_stop_context(id);
int rocprofiler_context_is_valid(id, int *);
int rocprofiler_context_is_active(id, int *);
int rocprofiler_create_buffer(id context, size_t size, size_t mark, int policy,
                              void (*)(id context, id buffer, header **, size_t count, void *data, uint64_t dropped), void *data,
                              id *buffer);
int rocprofiler_flush_buffer(id);
int rocprofiler_configure_callback_tracing_service(id, int kind, const int *operations, size_t count,
                                                   void (*)(callback_record, user *, void *data), void *data);
int rocprofiler_configure_buffer_tracing_service(id, int kind, const int *operations, size_t count, id buffer);
int rocprofiler_configure_external_correlation_id_request_service(id, const int *kinds, size_t count,
                                                                  int (*)(uint64_t thread, id context, int kind, int operation,
                                                                          uint64_t internal, user *, void *),
                                                                  void *);
int rocprofiler_create_callback_thread(id *);
int rocprofiler_assign_callback_thread(id buffer, id thread);
int rocprofiler_query_available_agents(int version, int (*)(int version, const void **agents, size_t count, void *data), size_t size,
                                       void *);
int rocprofiler_query_callback_tracing_kind_name(int kind, const char **name, uint64_t *length);
int rocprofiler_query_callback_tracing_kind_operation_name(int kind, int operation, const char **name, uint64_t *length);
int rocprofiler_iterate_callback_tracing_kinds(int (*)(int kind, void *data), void *data);
int rocprofiler_iterate_callback_tracing_kind_operations(int kind, int (*)(int kind, int operation, void *data), void *data);
int rocprofiler_get_timestamp(uint64_t *);
int rocprofiler_configure_pc_sampling_service(id, id agent, int method, int unit, uint64_t interval, id buffer, int flags);
int rocprofiler_query_pc_sampling_agent_configurations(id agent, int (*)(const void *, size_t, void *), void *);
int rocprofiler_create_counter(void);
const char *rocprofiler_get_status_string(int);
void roctxMarkA(const char *);
int roctxRangePushA(const char *);
int roctxRangePop(void);
uint64_t roctxRangeStartA(const char *);
void roctxRangeStop(uint64_t);
}

/* ---- the tool ---- */

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }
__global__ void shared(int *p) {
    __shared__ int all[128];
    all[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = all[127 - threadIdx.x];
}

static id objects, context, little, buffer, small;
static std::mutex lock;
static std::map<uint64_t, std::string> kernels;
static std::map<uint64_t, uint64_t> object_of;
static std::map<std::string, int> begun, ended, operations;
static std::vector<dispatch_record> dispatches;
static std::vector<copy_record> copies;
static std::vector<call_record> calls;
static size_t malloc_size, small_records, small_dropped, delivered;
static uint32_t launch_grid, launch_block;
static uint64_t launch_call, streams_made, stream_set, code_objects, main_thread;
static bool finalized;
static thread_local uint64_t stream_now;
static int requests;

static std::string operation_name(int kind, int operation) {
    const char *name = nullptr;
    uint64_t length = 0;
    OK(rocprofiler_query_callback_tracing_kind_operation_name(kind, operation, &name, &length));
    EXPECT(name && strlen(name) == length);
    return name ? name : "";
}

static void on_object(callback_record record, user *, void *) {
    std::lock_guard<std::mutex> guard(lock);
    EXPECT(record.kind == CALLBACK_OBJECT && record.context.handle == objects.handle);
    if (record.operation == 1 && record.phase == ENTER) {
        const object_data *data = static_cast<object_data *>(record.payload);
        code_objects++;
        EXPECT(data->size == sizeof *data && data->storage == 2 && memcmp(reinterpret_cast<void *>(data->memory), "\177ELF", 4) == 0);
    }
    if (record.operation == 2 && record.phase == ENTER) {
        const kernel_data *data = static_cast<kernel_data *>(record.payload);
        EXPECT(data->size == sizeof *data && data->object != 0 && data->address == data->descriptor + data->entry);
        EXPECT(!kernels.count(data->kernel));
        kernels[data->kernel] = data->name;
    }
}

static void on_call(callback_record record, user *own, void *data) {
    const call_data *call = static_cast<call_data *>(record.payload);
    const std::string name = operation_name(record.kind, record.operation);
    std::lock_guard<std::mutex> guard(lock);
    EXPECT(record.context.handle == context.handle && data == &lock && call->size == sizeof *call && record.ids.internal != 0);
    if (record.phase == ENTER) {
        begun[name]++;
        own->value = record.ids.internal;
    } else {
        ended[name]++;
        EXPECT(own->value == record.ids.internal);
    }
    if (name == "hipMalloc") {
        malloc_size = call->arguments.hipMalloc.size;
        if (record.phase == EXIT)
            EXPECT(call->result.error == hipSuccess && *call->arguments.hipMalloc.pointer != nullptr);
    }
    if (name == "hipLaunchKernel" && record.phase == ENTER) {
        launch_grid = call->arguments.hipLaunchKernel.grid[0];
        launch_block = call->arguments.hipLaunchKernel.block[0];
        launch_call = record.ids.internal;
    }
    if (name == "hipFree" && record.phase == EXIT)
        EXPECT(call->result.error == hipErrorInvalidValue || call->result.error == hipSuccess);
}

/* "operation:phase:text", and the number that a range was given. */
static std::vector<std::string> marks;
static uint64_t range_started, range_stopped;

static void on_mark(callback_record record, user *, void *) {
    const marker_data *data = static_cast<marker_data *>(record.payload);
    std::lock_guard<std::mutex> guard(lock);
    EXPECT(data->size == sizeof *data && record.ids.internal != 0);
    const char *text = record.operation == 4 || !data->arguments.message ? "" : data->arguments.message;
    marks.push_back(operation_name(CALLBACK_MARKER, record.operation) + ":" + std::to_string(record.phase) + ":" + text);
    if (record.operation == 3 && record.phase == EXIT)
        range_started = data->result;
    if (record.operation == 4)
        range_stopped = data->arguments.range;
}

static void on_stream(callback_record record, user *, void *) {
    const stream_data *data = static_cast<stream_data *>(record.payload);
    EXPECT(data->size == sizeof *data);
    if (record.operation == 1)
        streams_made = data->stream.handle;
    if (record.operation == 3) {
        stream_now = record.phase == ENTER ? data->stream.handle : 0;
        stream_set++;
    }
}

static int on_request(uint64_t thread, id of, int kind, int operation, uint64_t, user *external, void *) {
    EXPECT(of.handle == context.handle && thread == static_cast<uint64_t>(gettid()) && (kind == 10 || kind == 11));
    EXPECT(kind != 11 || operation == 1);
    external->value = 100 + stream_now;
    requests++;
    return 0;
}

static void on_records(id of, id from, header **headers, size_t count, void *data, uint64_t dropped) {
    std::lock_guard<std::mutex> guard(lock);
    EXPECT(of.handle == context.handle && from.handle == buffer.handle && data == &calls && dropped == 0);
    EXPECT(static_cast<uint64_t>(gettid()) != main_thread && rocprofiler_flush_buffer(from) == BUSY);
    delivered++;
    for (size_t i = 0; i < count; i++) {
        EXPECT(headers[i]->category == 1);
        if (headers[i]->kind == BUFFER_DISPATCH)
            dispatches.push_back(*static_cast<dispatch_record *>(headers[i]->payload));
        if (headers[i]->kind == BUFFER_COPY)
            copies.push_back(*static_cast<copy_record *>(headers[i]->payload));
        if (headers[i]->kind == BUFFER_HIP)
            calls.push_back(*static_cast<call_record *>(headers[i]->payload));
    }
}

static void on_small(id, id, header **, size_t count, void *, uint64_t dropped) {
    std::lock_guard<std::mutex> guard(lock);
    small_records += count;
    small_dropped += dropped;
}

static id gpu;

static int each_agent(int version, const void **agents, size_t count, void *) {
    EXPECT(version == 1 && count == 3);
    for (size_t i = 0; i < count; i++) {
        const agent *a = static_cast<const agent *>(agents[i]);
        gpu = a->handle;
        EXPECT(a->handle.handle != 0 && a->type == (i ? 2 : 1) && (!i || a->vendor == 0x1002));
    }
    return 0;
}

static int each_operation(int kind, int operation, void *) {
    operations[operation_name(kind, operation)] = operation;
    return 0;
}

static int initialize(void (*)(client), void *data) {
    EXPECT(data == &objects);
    OK(rocprofiler_create_context(&objects));
    OK(rocprofiler_configure_callback_tracing_service(objects, CALLBACK_OBJECT, nullptr, 0, on_object, nullptr));
    EXPECT(rocprofiler_configure_callback_tracing_service(objects, CALLBACK_OBJECT, nullptr, 0, on_object, nullptr) == ALREADY);
    EXPECT(rocprofiler_configure_callback_tracing_service(objects, CALLBACK_OMPT, nullptr, 0, on_object, nullptr) == NOT_IMPLEMENTED);
    EXPECT(rocprofiler_configure_callback_tracing_service(objects, 99, nullptr, 0, on_object, nullptr) == KIND_NOT_FOUND);
    EXPECT(rocprofiler_configure_callback_tracing_service({77}, CALLBACK_HIP, nullptr, 0, on_object, nullptr) == CONTEXT_NOT_FOUND);
    OK(rocprofiler_start_context(objects));
    OK(rocprofiler_create_context(&context));
    OK(rocprofiler_create_buffer(context, 4096, 2048, LOSSLESS, on_records, &calls, &buffer));
    OK(rocprofiler_configure_buffer_tracing_service(context, BUFFER_HIP, nullptr, 0, buffer));
    OK(rocprofiler_configure_buffer_tracing_service(context, BUFFER_DISPATCH, nullptr, 0, buffer));
    OK(rocprofiler_configure_buffer_tracing_service(context, BUFFER_COPY, nullptr, 0, buffer));
    OK(rocprofiler_configure_callback_tracing_service(context, CALLBACK_HIP, nullptr, 0, on_call, &lock));
    OK(rocprofiler_configure_callback_tracing_service(context, CALLBACK_STREAM, nullptr, 0, on_stream, nullptr));
    OK(rocprofiler_configure_callback_tracing_service(context, CALLBACK_MARKER, nullptr, 0, on_mark, nullptr));
    const int kinds[] = {10, 11};
    OK(rocprofiler_configure_external_correlation_id_request_service(context, kinds, 2, on_request, nullptr));
    id thread{};
    OK(rocprofiler_create_callback_thread(&thread));
    OK(rocprofiler_assign_callback_thread(buffer, thread));
    /* A buffer that holds ten records of dispatches and drops others. */
    OK(rocprofiler_create_context(&little));
    OK(rocprofiler_create_buffer(little, 10 * 192, 0, DISCARD, on_small, nullptr, &small));
    OK(rocprofiler_configure_buffer_tracing_service(little, BUFFER_DISPATCH, nullptr, 0, small));
    OK(rocprofiler_query_available_agents(1, each_agent, 304, nullptr));
    EXPECT(rocprofiler_query_pc_sampling_agent_configurations(gpu, nullptr, nullptr) == NOT_AVAILABLE);
    EXPECT(rocprofiler_query_pc_sampling_agent_configurations({4711}, nullptr, nullptr) == AGENT_NOT_FOUND);
    EXPECT(rocprofiler_configure_pc_sampling_service(context, gpu, 1, 3, 1000, buffer, 0) == NOT_AVAILABLE);
    EXPECT(rocprofiler_configure_pc_sampling_service(context, gpu, 1, 3, 1000, {4711}, 0) == BUFFER_NOT_FOUND);
    EXPECT(rocprofiler_configure_pc_sampling_service({4711}, gpu, 1, 3, 1000, buffer, 0) == CONTEXT_NOT_FOUND);
    int valid = 0;
    OK(rocprofiler_context_is_valid(context, &valid));
    EXPECT(valid);
    return 0;
}

static void finalize(void *) { finalized = true; }

static tool *configure(uint32_t version, const char *runtime, uint32_t priority, client *me) {
    static tool made = {sizeof made, initialize, finalize, &objects};
    EXPECT(version == 10100 && runtime && priority == 0);
    me->name = "test";
    return &made;
}

/* ---- the program ---- */

static void clear(void) {
    dispatches.clear();
    copies.clear();
    calls.clear();
}

static void one_of_each(void) {
    int *memory = nullptr, host[128];
    hipStream_t stream;
    roctxMarkA("before");
    OK(rocprofiler_start_context(context));
    roctxMarkA("mark");
    roctxRangePushA("pushed");
    roctxRangePop();
    const uint64_t range = roctxRangeStartA("started");
    roctxRangeStop(range);
    const std::vector<std::string> expected = {
        "roctxMarkA:1:mark", "roctxMarkA:2:mark",          "roctxRangePushA:1:pushed",   "roctxRangePushA:2:pushed", "roctxRangePop:1:",
        "roctxRangePop:2:",  "roctxRangeStartA:1:started", "roctxRangeStartA:2:started", "roctxRangeStop:1:",        "roctxRangeStop:2:"};
    EXPECT(marks == expected && range && range_started == range && range_stopped == range);
    OK(hipStreamCreate(&stream));
    OK(hipMalloc(reinterpret_cast<void **>(&memory), 4096));
    EXPECT(malloc_size == 4096);
    for (int i = 0; i < 128; i++)
        host[i] = i;
    OK(hipMemcpy(memory, host, sizeof host, hipMemcpyHostToDevice));
    twice<<<3, 64, 0, stream>>>(memory);
    EXPECT(launch_grid == 3 && launch_block == 64);
    const uint64_t first = launch_call;
    shared<<<dim3(1, 2), 128, 256>>>(memory);
    OK(hipDeviceSynchronize());
    OK(hipMemcpy(host, memory, sizeof host, hipMemcpyDeviceToHost));
    EXPECT(hipFree(host) == hipErrorInvalidValue);
    OK(rocprofiler_flush_buffer(buffer));
    EXPECT(begun == ended && begun["hipLaunchKernel"] == 2 && begun["hipMalloc"] == 1 && begun["hipMemcpy"] == 2 && begun["hipFree"] == 1);
    EXPECT(streams_made == 1 && stream_set >= 4);

    EXPECT(dispatches.size() == 2);
    const dispatch_record &one = dispatches[0], &two = dispatches[1];
    EXPECT(one.size == sizeof one && one.info_size == 128 - 56 && one.operation == 2 && one.kind == BUFFER_DISPATCH);
    EXPECT(kernels[one.kernel].find("twice") != std::string::npos && kernels[two.kernel].find("shared") != std::string::npos);
    EXPECT(one.items[0] == 192 && one.block[0] == 64 && one.items[1] == 1 && one.lds == 0 && one.agent.handle == 2);
    EXPECT(two.items[0] == 128 && two.items[1] == 2 && two.block[0] == 128 && two.lds == 128 * 4 + 256);
    EXPECT(one.internal == first && one.begin <= one.end && one.end <= two.begin && one.thread == main_thread);
    EXPECT(one.external.value == 101 && two.external.value == 100 && one.queue.handle != two.queue.handle && one.dispatch != two.dispatch);

    EXPECT(copies.size() == 2);
    EXPECT(copies[0].operation == 2 && copies[0].to == memory && copies[0].from == host && copies[0].bytes == sizeof host);
    EXPECT(copies[0].to_agent.handle == 2 && copies[0].from_agent.handle == 1);
    EXPECT(copies[1].operation == 3 && copies[1].to == host && copies[1].to_agent.handle == 1 && copies[1].begin <= copies[1].end);

    std::map<std::string, const call_record *> by_name;
    for (const call_record &record : calls) {
        EXPECT(record.size == sizeof record && record.begin <= record.end && record.thread == main_thread && record.ids.ancestor == 0);
        by_name[operation_name(CALLBACK_HIP, record.operation)] = &record;
    }
    EXPECT(by_name.count("hipMalloc") && by_name.count("hipDeviceSynchronize") && by_name.count("hipStreamCreate"));
    EXPECT(by_name.count("hipLaunchKernel") && by_name["hipLaunchKernel"]->ids.internal == two.internal);

    /* The pieces of a graph belong to its launch. */
    hipGraph_t graph;
    hipGraphExec_t exec;
    clear();
    OK(hipStreamBeginCapture(stream, hipStreamCaptureModeGlobal));
    twice<<<1, 64, 0, stream>>>(memory);
    twice<<<1, 64, 0, stream>>>(memory);
    OK(hipStreamEndCapture(stream, &graph));
    OK(hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0));
    requests = 0;
    OK(hipGraphLaunch(exec, stream));
    EXPECT(requests == 2); /* one for each piece, in the thread and at the time of the launch */
    OK(hipStreamSynchronize(stream));
    OK(rocprofiler_flush_buffer(buffer));
    uint64_t launch = 0;
    for (const call_record &record : calls)
        if (operation_name(CALLBACK_HIP, record.operation) == "hipGraphLaunch")
            launch = record.ids.internal;
    EXPECT(dispatches.size() == 2 && launch && dispatches[0].internal == launch && dispatches[1].internal == launch);
    EXPECT(dispatches[0].dispatch != dispatches[1].dispatch && dispatches[0].external.value == 101 && dispatches[1].external.value == 101);
    OK(hipGraphExecDestroy(exec));
    OK(hipGraphDestroy(graph));
    OK(hipStreamDestroy(stream));
    OK(rocprofiler_stop_context(context));
    OK(rocprofiler_flush_buffer(buffer));
    OK(hipFree(memory));
}

/* More records than the buffer holds; work that was queued before the context stopped; nothing after that. */
static void many(void) {
    enum { LAUNCHES = 500 };
    int *memory = nullptr, active = 1;
    clear();
    delivered = 0;
    OK(hipMalloc(reinterpret_cast<void **>(&memory), 4096));
    OK(rocprofiler_start_context(context));
    for (int i = 0; i < LAUNCHES; i++)
        twice<<<1, 64>>>(memory);
    OK(rocprofiler_stop_context(context));
    OK(rocprofiler_context_is_active(context, &active));
    EXPECT(!active);
    OK(hipDeviceSynchronize());
    twice<<<1, 64>>>(memory);
    OK(hipDeviceSynchronize());
    OK(rocprofiler_flush_buffer(buffer));
    EXPECT(dispatches.size() == LAUNCHES && delivered >= LAUNCHES * 192 / 4096);
    for (size_t i = 1; i < dispatches.size(); i++)
        EXPECT(dispatches[i].internal > dispatches[i - 1].internal && dispatches[i].begin >= dispatches[i - 1].end);
    OK(rocprofiler_start_context(little));
    for (int i = 0; i < 25; i++)
        twice<<<1, 64>>>(memory);
    OK(hipDeviceSynchronize());
    OK(rocprofiler_stop_context(little));
    OK(rocprofiler_flush_buffer(small));
    EXPECT(small_records + small_dropped == 25 && small_records >= 10);
    OK(hipFree(memory));
}

/* A child's own thread gives its buffers to the callbacks. */
static void in_a_child(void) {
    const pid_t child = fork();
    if (child == 0) {
        int devices = 0;
        alarm(60);
        OK(rocprofiler_start_context(context));
        OK(hipGetDeviceCount(&devices));
        OK(rocprofiler_stop_context(context));
        OK(rocprofiler_flush_buffer(buffer));
        EXPECT(calls.size() == 1 && calls[0].thread == static_cast<uint64_t>(gettid()));
        fflush(stdout);
        _exit(failures);
    }
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

int main() {
    const char *name = nullptr;
    uint64_t time = 0, later = 0;
    id none{};
    main_thread = static_cast<uint64_t>(gettid());
    EXPECT(rocprofiler_create_context(&none) == LOCKED); /* outside of a tool's initialization */
    OK(rocprofiler_force_configure(configure));
    EXPECT(rocprofiler_force_configure(configure) == LOCKED);
    in_a_child();
    EXPECT(rocprofiler_create_context(&none) == LOCKED);
    EXPECT(rocprofiler_create_counter() == NOT_IMPLEMENTED);
    EXPECT(rocprofiler_configure_pc_sampling_service(context, gpu, 1, 3, 1000, buffer, 0) == LOCKED);
    OK(rocprofiler_query_callback_tracing_kind_name(CALLBACK_HIP, &name, nullptr));
    EXPECT(strcmp(name, "HIP_RUNTIME_API") == 0);
    OK(rocprofiler_iterate_callback_tracing_kind_operations(CALLBACK_HIP, each_operation, nullptr));
    EXPECT(operations["hipApiName"] == 0 && operations["hipArray3DCreate"] == 1 && operations.count("hipLaunchKernel") &&
           operations.size() > 450);
    EXPECT(rocprofiler_get_status_string(NOT_IMPLEMENTED) != nullptr);
    OK(rocprofiler_get_timestamp(&time));
    OK(rocprofiler_get_timestamp(&later));
    EXPECT(time && time <= later);
    one_of_each();
    EXPECT(code_objects == 1 && kernels.size() == 2);
    std::thread(many).join();
    EXPECT(!finalized);
    atexit([] {});
    printf(failures ? "%d failures\n" : "ok\n", failures);
    return failures != 0;
}
