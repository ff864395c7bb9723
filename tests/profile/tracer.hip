/* A profiler as AMD's clients are: callbacks at calls, with arguments as AMD's header describes them, and records of calls and of work. */
#include <hip/hip_runtime.h>

#include <hip/amd_detail/hip_prof_str.h>
#include <roctracer/roctracer_ext.h>
#include <roctracer/roctracer_roctx.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

/* Exported by HIP's library, and declared by its headers until version 5.6 only. */
extern "C" hipError_t hipRegisterApiCallback(uint32_t id, void *callback, void *argument);
extern "C" hipError_t hipRemoveApiCallback(uint32_t id);

__global__ void twice(int *p) { p[threadIdx.x] *= 2; }

static int failures;
#define EXPECT(condition)                                                                                                                  \
    do {                                                                                                                                   \
        if (!(condition)) {                                                                                                                \
            printf("line %d: not %s\n", __LINE__, #condition);                                                                             \
            failures++;                                                                                                                    \
        }                                                                                                                                  \
    } while (0)
#define OK(call) EXPECT((call) == 0)

static std::mutex lock;
static std::map<std::string, int> begun, ended, ranges;
static size_t malloc_size, copy_size;
static unsigned launch_grid;
static uint64_t launch_correlation;
static std::vector<activity_record_t> records;
static std::vector<std::string> names;
static int buffers;

/* The begin leaves the correlation with the call, where the end finds it. */
static void on_call(uint32_t domain, uint32_t cid, const void *data, void *arg) {
    const hip_api_data_t *call = static_cast<const hip_api_data_t *>(data);
    const std::string name = roctracer_op_string(domain, cid, 0);
    std::lock_guard<std::mutex> guard(lock);
    EXPECT(domain == ACTIVITY_DOMAIN_HIP_API && arg == &lock);
    (call->phase == ACTIVITY_API_PHASE_ENTER ? begun : ended)[name]++;
    if (name == "hipMalloc")
        malloc_size = call->args.hipMalloc.size;
    if (name == "hipMemcpy")
        copy_size = call->args.hipMemcpy.sizeBytes;
    if (name == "hipLaunchKernel") {
        launch_grid = call->args.hipLaunchKernel.numBlocks.x;
        launch_correlation = call->correlation_id;
        EXPECT(call->args.hipLaunchKernel.dimBlocks.x == 64 && call->args.hipLaunchKernel.stream == nullptr);
    }
    if (name == "hipMalloc" && call->phase == ACTIVITY_API_PHASE_EXIT)
        EXPECT(*call->args.hipMalloc.ptr != nullptr);
}

static void on_range(uint32_t domain, uint32_t cid, const void *data, void *) {
    const roctx_api_data_t *call = static_cast<const roctx_api_data_t *>(data);
    EXPECT(domain == ACTIVITY_DOMAIN_ROCTX);
    std::lock_guard<std::mutex> guard(lock);
    ranges[call->args.message ? call->args.message : "-"] = static_cast<int>(cid);
}

static void on_buffer(const char *begin, const char *end, void *arg) {
    const activity_record_t *record = reinterpret_cast<const activity_record_t *>(begin),
                            *last = reinterpret_cast<const activity_record_t *>(end);
    EXPECT(arg == &records);
    buffers++;
    while (record < last) {
        records.push_back(*record);
        names.push_back(record->domain == ACTIVITY_DOMAIN_HIP_OPS && record->op == 0 ? record->kernel_name : "");
        OK(roctracer_next_record(record, &record));
    }
}

static void work(int *p) {
    for (int i = 0; i < 10; i++)
        twice<<<3, 64>>>(p);
    EXPECT(hipDeviceSynchronize() == hipSuccess);
}

static void check_callbacks() {
    int *p = nullptr, value = 0;
    uint32_t op = 0, kind = 1;
    EXPECT(roctracer_version_major() == 4);
    EXPECT(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, "hipMalloc", &op, &kind) == 0 && kind == 0);
    EXPECT(!strcmp(roctracer_op_string(ACTIVITY_DOMAIN_HIP_API, op, 0), "hipMalloc"));
    EXPECT(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, "hipNothing", &op, nullptr) == ROCTRACER_STATUS_ERROR_INVALID_ARGUMENT);
    const char *why = roctracer_error_string();
    EXPECT(why && *why);
    free(const_cast<char *>(why));
    OK(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_HIP_API, on_call, &lock));
    OK(roctracer_enable_domain_callback(ACTIVITY_DOMAIN_ROCTX, on_range, nullptr));
    EXPECT(hipMalloc(reinterpret_cast<void **>(&p), 12345) == hipSuccess);
    roctxRangePush("a range");
    EXPECT(hipMemcpy(p, &value, 4, hipMemcpyHostToDevice) == hipSuccess);
    roctxRangePop();
    work(p);
    OK(roctracer_disable_op_callback(ACTIVITY_DOMAIN_HIP_API, op));
    EXPECT(hipFree(p) == hipSuccess);
    OK(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API));
    OK(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_ROCTX));
    EXPECT(hipMalloc(reinterpret_cast<void **>(&p), 1) == hipSuccess && hipFree(p) == hipSuccess);
    roctxMark("unseen");
    EXPECT(begun == ended);
    EXPECT(begun["hipMalloc"] == 1 && begun["hipMemcpy"] == 1 && begun["hipLaunchKernel"] == 10 && begun["hipDeviceSynchronize"] == 1 &&
           begun["hipFree"] == 1);
    EXPECT(malloc_size == 12345 && copy_size == 4 && launch_grid == 3 && launch_correlation != 0);
    EXPECT(ranges.size() == 2 && ranges["a range"] == ROCTX_API_ID_roctxRangePushA && ranges["-"] == ROCTX_API_ID_roctxRangePop);
}

static void check_records() {
    int *p = nullptr, value = 0;
    uint64_t before = 0, after = 0, popped = 0;
    std::map<uint64_t, activity_record_t> calls;
    std::map<uint64_t, uint64_t> externals;
    int kernels = 0, copies = 0, fills = 0, launches = 0;
    roctracer_properties_t properties = {};
    properties.buffer_size = 1000;
    properties.buffer_callback_fun = on_buffer;
    properties.buffer_callback_arg = &records;
    EXPECT(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_API) == ROCTRACER_STATUS_ERROR_DEFAULT_POOL_UNDEFINED);
    OK(roctracer_open_pool(&properties));
    EXPECT(roctracer_open_pool(&properties) == ROCTRACER_STATUS_ERROR_DEFAULT_POOL_ALREADY_DEFINED);
    OK(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_API));
    OK(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
    OK(roctracer_get_timestamp(&before));
    EXPECT(hipMalloc(reinterpret_cast<void **>(&p), 4096) == hipSuccess);
    OK(roctracer_activity_push_external_correlation_id(77));
    EXPECT(hipMemset(p, 0, 4096) == hipSuccess);
    EXPECT(roctracer_activity_pop_external_correlation_id(&popped) == 0 && popped == 77);
    EXPECT(roctracer_activity_pop_external_correlation_id(&popped) == ROCTRACER_STATUS_ERROR_MISMATCHED_EXTERNAL_CORRELATION_ID &&
           popped == 0);
    work(p);
    std::thread(work, p).join();
    EXPECT(hipMemcpy(&value, p, 4, hipMemcpyDeviceToHost) == hipSuccess);
    roctracer_stop();
    work(p);
    roctracer_start();
    OK(roctracer_flush_activity());
    OK(roctracer_get_timestamp(&after));
    EXPECT(buffers > 2);
    for (const activity_record_t &record : records)
        if (record.domain == ACTIVITY_DOMAIN_HIP_API)
            EXPECT(calls.emplace(record.correlation_id, record).second);
        else if (record.domain == ACTIVITY_DOMAIN_EXT_API)
            externals[record.correlation_id] = record.external_id;
    for (size_t i = 0; i < records.size(); i++) {
        const activity_record_t &record = records[i];
        if (record.domain == ACTIVITY_DOMAIN_EXT_API)
            continue;
        EXPECT(before <= record.begin_ns && record.begin_ns <= record.end_ns && record.end_ns <= after);
        if (record.domain == ACTIVITY_DOMAIN_HIP_API) {
            launches += !strcmp(roctracer_op_string(record.domain, record.op, 0), "hipLaunchKernel");
            continue;
        }
        EXPECT(calls.count(record.correlation_id) == 1);
        const activity_record_t &call = calls[record.correlation_id];
        const std::string asked = roctracer_op_string(call.domain, call.op, 0),
                          done = roctracer_op_string(record.domain, record.op, record.kind);
        EXPECT(call.begin_ns <= record.begin_ns);
        if (done == "KernelExecution") {
            kernels++;
            EXPECT(names[i] == "_Z5twicePi" && asked == "hipLaunchKernel" && record.device_id == 0);
        } else if (done == "CopyDeviceToHost") {
            copies++;
            EXPECT(record.bytes == 4 && asked == "hipMemcpy");
        } else if (done == "FillBuffer") {
            fills++;
            EXPECT(record.bytes == 4096 && asked == "hipMemset" && externals[record.correlation_id] == 77);
        }
    }
    EXPECT(kernels == 20 && launches == 20 && copies == 1 && fills == 1 && externals.size() == 1);
    OK(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
    OK(roctracer_close_pool());
    const size_t seen = records.size();
    work(p);
    EXPECT(records.size() == seen && roctracer_default_pool() == nullptr);
}

/* HIP's own callbacks, without roctracer. */
static void check_own() {
    uint32_t op = 0;
    int *p = nullptr;
    begun.clear();
    ended.clear();
    OK(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, "hipMalloc", &op, nullptr));
    EXPECT(hipRegisterApiCallback(op, nullptr, nullptr) == hipErrorInvalidValue);
    EXPECT(hipRegisterApiCallback(99999, reinterpret_cast<void *>(on_call), &lock) == hipErrorInvalidValue);
    EXPECT(hipRegisterApiCallback(op, reinterpret_cast<void *>(on_call), &lock) == hipSuccess);
    EXPECT(hipMalloc(reinterpret_cast<void **>(&p), 54321) == hipSuccess && hipFree(p) == hipSuccess);
    EXPECT(hipRemoveApiCallback(op) == hipSuccess);
    EXPECT(hipMalloc(reinterpret_cast<void **>(&p), 1) == hipSuccess && hipFree(p) == hipSuccess);
    EXPECT(begun.size() == 1 && begun == ended && begun["hipMalloc"] == 1 && malloc_size == 54321);
}

/* A tracer makes calls of its own while a launch begins: the kernel is still the launch's. */
static void call_within(uint32_t, uint32_t, const void *data, void *) {
    const hip_api_data_t *call = static_cast<const hip_api_data_t *>(data);
    static thread_local bool inside;
    size_t available, total;
    if (inside || call->phase != ACTIVITY_API_PHASE_ENTER)
        return;
    inside = true;
    EXPECT(hipMemGetInfo(&available, &total) == hipSuccess);
    inside = false;
    launch_correlation = call->correlation_id;
}

static void check_nested() {
    uint32_t launch = 0, query = 0;
    int *p = nullptr, kernels = 0;
    roctracer_properties_t properties = {};
    properties.buffer_size = 4096;
    properties.buffer_callback_fun = on_buffer;
    properties.buffer_callback_arg = &records;
    records.clear();
    names.clear();
    EXPECT(hipMalloc(reinterpret_cast<void **>(&p), 256) == hipSuccess);
    OK(roctracer_open_pool(&properties));
    OK(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, "hipLaunchKernel", &launch, nullptr));
    OK(roctracer_op_code(ACTIVITY_DOMAIN_HIP_API, "hipMemGetInfo", &query, nullptr));
    OK(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HIP_API, launch, call_within, nullptr));
    OK(roctracer_enable_op_callback(ACTIVITY_DOMAIN_HIP_API, query, call_within, nullptr));
    OK(roctracer_enable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
    twice<<<1, 64>>>(p);
    EXPECT(hipDeviceSynchronize() == hipSuccess && hipFree(p) == hipSuccess);
    OK(roctracer_flush_activity());
    for (const activity_record_t &record : records)
        if (record.domain == ACTIVITY_DOMAIN_HIP_OPS && record.op == 0) {
            kernels++;
            EXPECT(record.correlation_id == launch_correlation && record.correlation_id != 0);
        }
    EXPECT(kernels == 1);
    OK(roctracer_disable_domain_activity(ACTIVITY_DOMAIN_HIP_OPS));
    OK(roctracer_disable_domain_callback(ACTIVITY_DOMAIN_HIP_API));
    OK(roctracer_close_pool());
}

extern "C" void hipRegisterTracerCallback(int (*)(uint32_t, uint32_t, void *));

static std::atomic<int> asked;
static int count_calls(uint32_t, uint32_t, void *) {
    asked++;
    return -1;
}

/* One thread sets and removes a callback of HIP's own, another one a tracer: whatever the order, the tracer that was set last is asked. */
static void check_both() {
    std::atomic<bool> stop{false};
    std::thread other([&stop] {
        while (!stop) {
            EXPECT(hipRegisterApiCallback(1, reinterpret_cast<void *>(on_call), &lock) == hipSuccess);
            EXPECT(hipRemoveApiCallback(1) == hipSuccess);
        }
    });
    for (int i = 0; i < 200000; i++) {
        int device = 0;
        hipRegisterTracerCallback(count_calls);
        asked = 0;
        EXPECT(hipGetDevice(&device) == hipSuccess);
        EXPECT(asked > 0);
        hipRegisterTracerCallback(nullptr);
        if (failures)
            break;
    }
    stop = true;
    other.join();
    hipRegisterTracerCallback(nullptr);
}

int main() {
    check_own();
    check_both();
    begun.clear();
    ended.clear();
    check_callbacks();
    check_records();
    check_nested();
    puts(failures ? "failed" : "all as it should be");
    return failures != 0;
}
