/* What the libraries beside libamdhip64 call of it: libhsa-runtime64 and the SMI libraries are thin layers over the same runtime, so that
 * programs that use several of them see the same devices, memory and processes' use of it. libamdhip64.so.7 exports the table under one
 * name, with a version node that is only for the libraries of the same build. What is reached through a context's device (struct
 * wl_device_ops) is not in the table. (core.c) */
#ifndef WL_RUNTIME_CORE_H
#define WL_RUNTIME_CORE_H

#include "runtime/context.h"
#include "runtime/handles.h"
#include "runtime/launch.h"
#include "runtime/memory.h"
#include "runtime/module.h"
#include "runtime/share.h"
#include "runtime/virtual.h"

struct wl_trace_work;

struct wl_core {
    const char *(*failure)(void); /* wl_failure of this library, whose message it is when a call of this table fails */
    __typeof__(wl_runtime_started) *started;
    __typeof__(wl_context_count) *context_count;
    __typeof__(wl_context_at) *context_at;
    __typeof__(wl_context_lds) *context_lds;
    __typeof__(wl_runtime_target) *target;
    __typeof__(wl_runtime_suggest_target) *suggest_target;
    __typeof__(wl_memory_allocate) *memory_allocate;
    __typeof__(wl_memory_free) *memory_free;
    __typeof__(wl_memory_find) *memory_find;
    __typeof__(wl_memory_register) *memory_register;
    __typeof__(wl_memory_unregister) *memory_unregister;
    __typeof__(wl_memory_enroll) *memory_enroll;
    __typeof__(wl_memory_withdraw) *memory_withdraw;
    __typeof__(wl_memory_info) *memory_info;
    __typeof__(wl_usage_processes) *usage_processes;
    __typeof__(wl_module_load) *module_load;
    __typeof__(wl_module_unload) *module_unload;
    __typeof__(wl_module_kernel) *module_kernel;
    __typeof__(wl_module_object) *module_object;
    __typeof__(wl_module_address) *module_address;
    __typeof__(wl_module_context) *module_context;
    __typeof__(wl_launch_check) *launch_check;
    __typeof__(wl_launch_describe) *launch_describe;
    __typeof__(wl_share_handle_make) *share_handle_make;
    __typeof__(wl_share_handle_open) *share_handle_open;
    __typeof__(wl_share_handle_close) *share_handle_close;
    __typeof__(wl_share_shorten) *share_shorten;
    __typeof__(wl_share_lengthen) *share_lengthen;
    __typeof__(wl_share_page) *share_page;
    __typeof__(wl_share_open_page) *share_open_page;
    __typeof__(wl_share_close_page) *share_close_page;
    __typeof__(wl_handle_is) *handle_is;
    __typeof__(wl_physical_create) *physical_create;
    __typeof__(wl_physical_export) *physical_export;
    __typeof__(wl_physical_import) *physical_import;
    __typeof__(wl_physical_release) *physical_release;
    __typeof__(wl_physical_at) *physical_at;
    __typeof__(wl_physical_granularity) *physical_granularity;
    __typeof__(wl_virtual_reserve) *virtual_reserve;
    __typeof__(wl_virtual_release) *virtual_release;
    __typeof__(wl_virtual_map) *virtual_map;
    __typeof__(wl_virtual_unmap) *virtual_unmap;
    __typeof__(wl_virtual_protect) *virtual_protect;
    __typeof__(wl_virtual_access) *virtual_access;
    __typeof__(wl_virtual_is_reserved) *virtual_is_reserved;
    /* For tools: the functions wl_trace_... of trace/trace.h, which the other libraries do not see. */
    void (*watch_modules)(void (*tell)(const void *module, bool loaded));
    void (*watch_queued)(uint64_t (*queued)(const struct wl_trace_work *work));
    void (*set_tracer)(unsigned place, int (*tracer)(uint32_t domain, uint32_t operation, void *data));
    bool (*count_launches)(void);
    void *(*function_table)(unsigned which);
};

extern const struct wl_core wl_core;

#endif
