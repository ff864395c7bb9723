/* HIP reference: Initialization and version; Device management. */
#include "api/api.h"
#include "api/texture.h"
#include "base/options.h"
#include "runtime/capture.h"
#include "runtime/context.h"

#include <stdio.h>
#include <string.h>

/* ---- initialization and version -------------------------------------------------------------- */

hipError_t hipInit(unsigned int flags) {
    API_REQUIRE(flags == 0, hipErrorInvalidValue);
    API_REQUIRE(wl_context_count() > 0, hipErrorNoDevice);
    API_SUCCESS();
}

/* Versions do not depend on a device. */
static hipError_t tell_version(const char *function, int *version) {
    if (!version)
        return wl_api_fail_anyway(function, hipErrorInvalidValue, "no place for the version");
    *version = HIP_VERSION;
    return wl_api_success_anyway();
}

hipError_t hipDriverGetVersion(int *driverVersion) { return tell_version(__func__, driverVersion); }

hipError_t hipRuntimeGetVersion(int *runtimeVersion) { return tell_version(__func__, runtimeVersion); }

/* ---- choosing a device ----------------------------------------------------------------------- */

static struct wl_context *context_of(int device) { return device < 0 ? NULL : wl_context_at((unsigned)device); }

/* NOLINTBEGIN(bugprone-macro-parentheses): a name to declare */
#define API_DEVICE(name, device)                                                                                                           \
    struct wl_context *name = context_of(device);                                                                                          \
    API_REQUIRE(name != NULL, hipErrorInvalidDevice)
/* NOLINTEND(bugprone-macro-parentheses) */

hipError_t hipGetDeviceCount(int *count) {
    if (!count)
        return wl_api_fail_anyway(__func__, hipErrorInvalidValue, "no place for the number");
    *count = (int)wl_context_count();
    API_REQUIRE(*count > 0, hipErrorNoDevice);
    API_SUCCESS();
}

hipError_t hipSetDevice(int deviceId) {
    API_DEVICE(context, deviceId);
    wl_context_set(context);
    API_SUCCESS();
}

/* The list is in order of preference, and all devices are there: threads that choose none get its first. */
hipError_t hipSetValidDevices(int *deviceArray, int length) {
    API_REQUIRE(length >= 0 && length <= (int)wl_context_count() && (deviceArray != NULL || length == 0), hipErrorInvalidValue);
    for (int i = 0; i < length; i++)
        API_REQUIRE(context_of(deviceArray[i]) != NULL, hipErrorInvalidDevice);
    wl_context_set_default(length ? context_of(deviceArray[0]) : NULL);
    API_SUCCESS();
}

hipError_t hipGetDevice(int *deviceId) {
    API_REQUIRE(deviceId != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    *deviceId = (int)context->index;
    API_SUCCESS();
}

hipError_t hipDeviceGet(hipDevice_t *device, int ordinal) {
    API_REQUIRE(device != NULL, hipErrorInvalidValue);
    API_DEVICE(context, ordinal);
    *device = (hipDevice_t)context->index;
    API_SUCCESS();
}

/* ---- questions ------------------------------------------------------------------------------- */

hipError_t hipDeviceGetName(char *name, int len, hipDevice_t device) {
    API_DEVICE(context, device);
    API_REQUIRE(name != NULL && len > 0, hipErrorInvalidValue);
    snprintf(name, (size_t)len, "%s", context->info.name);
    API_SUCCESS();
}

hipError_t hipDeviceGetUuid(hipUUID *uuid, hipDevice_t device) {
    API_DEVICE(context, device);
    API_REQUIRE(uuid != NULL, hipErrorInvalidValue);
    memcpy(uuid->bytes, context->info.uuid, sizeof uuid->bytes);
    API_SUCCESS();
}

#define BUS_ID_ROOM 13 /* "0000:01:00.0" and its end */

/* What has no room is cut off, and an error still. */
hipError_t hipDeviceGetPCIBusId(char *pciBusId, int len, int device) {
    API_DEVICE(context, device);
    API_REQUIRE(pciBusId != NULL && len > 0, hipErrorInvalidValue);
    const struct wl_device_info *info = &context->info;
    snprintf(pciBusId, (size_t)len, "%04x:%02x:%02x.0", (unsigned)info->pci_domain, (unsigned)info->pci_bus, (unsigned)info->pci_device);
    API_REQUIRE(len >= BUS_ID_ROOM, hipErrorInvalidValue);
    API_SUCCESS();
}

hipError_t hipDeviceGetByPCIBusId(int *device, const char *pciBusId) {
    unsigned domain = 0, bus = 0, place = 0, function = 0;
    API_REQUIRE(device != NULL && pciBusId != NULL, hipErrorInvalidValue);
    /* NOLINTNEXTLINE(cert-err34-c): at most four digits each */
    bool read = sscanf(pciBusId, "%4x:%2x:%2x.%1x", &domain, &bus, &place, &function) == 4 && function == 0;
    for (unsigned i = 0; read && i < wl_context_count(); i++) {
        const struct wl_device_info *info = &wl_context_at(i)->info;
        if (domain == (unsigned)info->pci_domain && bus == (unsigned)info->pci_bus && place == (unsigned)info->pci_device) {
            *device = (int)i;
            API_SUCCESS();
        }
    }
    return wl_api_fail(__func__, hipErrorInvalidValue, "no device has this bus id");
}

hipError_t hipDeviceTotalMem(size_t *bytes, hipDevice_t device) {
    API_DEVICE(context, device);
    API_REQUIRE(bytes != NULL, hipErrorInvalidValue);
    *bytes = context->info.memory_size;
    API_SUCCESS();
}

hipError_t hipDeviceComputeCapability(int *major, int *minor, hipDevice_t device) {
    API_DEVICE(context, device);
    API_REQUIRE(major != NULL && minor != NULL, hipErrorInvalidValue);
    *major = (int)wl_runtime_target()->major;
    *minor = (int)wl_runtime_target()->minor;
    API_SUCCESS();
}

hipError_t hipDeviceGetStreamPriorityRange(int *leastPriority, int *greatestPriority) {
    if (leastPriority)
        *leastPriority = 1;
    if (greatestPriority)
        *greatestPriority = -1;
    API_SUCCESS();
}

static const struct {
    bool known;
    enum wl_limit limit;
} limits[hipLimitRange] = {[hipLimitStackSize] = {true, WL_LIMIT_STACK}, [hipLimitMallocHeapSize] = {true, WL_LIMIT_HEAP}};

/* AMD's runtime calls what is behind the last limit a wrong value, and what is before the first an unknown limit. */
hipError_t hipDeviceGetLimit(size_t *value, enum hipLimit_t limit) {
    API_REQUIRE(value != NULL && (int)limit < hipLimitRange, hipErrorInvalidValue);
    API_REQUIRE((int)limit >= 0 && limits[limit].known, hipErrorUnsupportedLimit);
    API_CONTEXT(context);
    *value = atomic_load(&context->limits[limits[limit].limit]);
    API_SUCCESS();
}

hipError_t hipDeviceSetLimit(enum hipLimit_t limit, size_t value) {
    API_REQUIRE((int)limit < hipLimitRange, hipErrorInvalidValue);
    API_REQUIRE((int)limit >= 0 && limits[limit].known, hipErrorUnsupportedLimit);
    API_CONTEXT(context);
    API_REQUIRE(limit != hipLimitMallocHeapSize || value < context->info.memory_size, hipErrorInvalidValue);
    API_RETURN(wl_context_limit(context, limits[limit].limit, value));
}

/* ---- the device's state ---------------------------------------------------------------------- */

hipError_t hipDeviceSynchronize(void) {
    API_CONTEXT(context);
    API_TRY(wl_capture_excludes(WL_CAPTURE_UNSUPPORTED));
    enum wl_status fault = wl_context_synchronize(context);
    return fault == WL_OK ? wl_api_success() : wl_api_fault(__func__, fault);
}

enum wl_status wl_api_reset(struct wl_context *context) {
    wl_texture_disown_modules(context);
    enum wl_status status = wl_context_reset(context);
    wl_texture_prune();
    return status;
}

hipError_t hipDeviceReset(void) {
    API_CONTEXT(context);
    API_RETURN(wl_api_reset(context));
}

hipError_t hipSetDeviceFlags(unsigned flags) {
    unsigned schedule = flags & hipDeviceScheduleMask;
    unsigned known = hipDeviceScheduleMask | hipDeviceMapHost | hipDeviceLmemResizeToMax;
    API_REQUIRE(!(flags & ~known) && (schedule & (schedule - 1)) == 0, hipErrorInvalidValue);
    API_CONTEXT(context);
    context->flags = schedule;
    API_SUCCESS();
}

hipError_t hipGetDeviceFlags(unsigned int *flags) {
    API_REQUIRE(flags != NULL, hipErrorInvalidValue);
    API_CONTEXT(context);
    *flags = context->flags;
    API_SUCCESS();
}

hipError_t hipDeviceSetCacheConfig(hipFuncCache_t config) {
    (void)config; /* a hint, right or wrong */
    API_SUCCESS();
}

hipError_t hipDeviceGetCacheConfig(hipFuncCache_t *config) {
    API_REQUIRE(config != NULL, hipErrorInvalidValue);
    *config = hipFuncCachePreferNone;
    API_SUCCESS();
}

hipError_t hipDeviceSetSharedMemConfig(hipSharedMemConfig config) {
    API_REQUIRE((unsigned)config <= hipSharedMemBankSizeEightByte, hipErrorInvalidValue);
    API_SUCCESS();
}

hipError_t hipDeviceGetSharedMemConfig(hipSharedMemConfig *config) {
    API_REQUIRE(config != NULL, hipErrorInvalidValue);
    *config = hipSharedMemBankSizeFourByte;
    API_SUCCESS();
}

/* ---- peers: CPU devices share the process's memory ------------------------------------------------ */

static _Atomic uint64_t peers[64]; /* bit n of word m: device m has enabled access to device n */

/* A device with memory of its own reaches others of its kind, as far as its driver says; the others reach each other. */
static bool can_reach(const struct wl_context *context, const struct wl_context *peer) {
    const struct wl_device *device = context->device, *other = peer->device;
    if (device == other || context->info.discrete != peer->info.discrete)
        return false;
    return !device->ops->host || (device->ops == other->ops && device->ops->host->peer_possible(device, other));
}

/* AMD's runtime opens the peer's memory to all devices that can reach it, not to the one that asks alone, and leaves it open when access is
 * disabled again. Programs rely on it: they launch into another device's stream with memory of the current one. */
static enum wl_status open_memory(const struct wl_context *context, const struct wl_context *peer) {
    const struct wl_host_memory_ops *host = peer->device->ops->host;
    if (!host)
        return WL_OK;
    for (unsigned i = 0; i < wl_context_count(); i++) {
        const struct wl_context *other = wl_context_at(i);
        if (other != context && can_reach(other, peer) && host->peer_access(other->device, peer->device) != WL_OK)
            wl_log(2, "device %u: %s", i, wl_failure());
    }
    return host->peer_access(context->device, peer->device);
}

hipError_t hipDeviceCanAccessPeer(int *canAccess, int deviceId, int peerDeviceId) {
    API_REQUIRE(canAccess != NULL, hipErrorInvalidValue);
    if (deviceId == peerDeviceId) { /* whether there is such a device is not looked at */
        *canAccess = 0;
        API_SUCCESS();
    }
    API_DEVICE(device, deviceId);
    API_DEVICE(peer, peerDeviceId);
    *canAccess = can_reach(device, peer);
    API_SUCCESS();
}

hipError_t hipDeviceEnablePeerAccess(int peerDeviceId, unsigned int flags) {
    API_REQUIRE(flags == 0, hipErrorInvalidValue);
    API_CONTEXT(context);
    API_DEVICE(peer, peerDeviceId);
    API_REQUIRE(can_reach(context, peer), hipErrorInvalidDevice);
    uint64_t bit = UINT64_C(1) << peer->index;
    API_REQUIRE(!(atomic_fetch_or(&peers[context->index], bit) & bit), hipErrorPeerAccessAlreadyEnabled);
    enum wl_status status = open_memory(context, peer);
    if (status != WL_OK)
        atomic_fetch_and(&peers[context->index], ~bit);
    API_RETURN(status);
}

hipError_t hipDeviceDisablePeerAccess(int peerDeviceId) {
    API_CONTEXT(context);
    API_DEVICE(peer, peerDeviceId);
    API_REQUIRE(can_reach(context, peer), hipErrorInvalidDevice);
    uint64_t bit = UINT64_C(1) << peer->index;
    API_REQUIRE(atomic_fetch_and(&peers[context->index], ~bit) & bit, hipErrorPeerAccessNotEnabled);
    API_SUCCESS();
}

#define LINK_XGMI 4 /* of HSA's link types the one for memory that both sides share */

hipError_t hipDeviceGetP2PAttribute(int *value, hipDeviceP2PAttr attribute, int srcDevice, int dstDevice) {
    API_REQUIRE(value != NULL, hipErrorInvalidValue);
    API_REQUIRE(srcDevice != dstDevice, hipErrorInvalidDevice);
    API_DEVICE(source, srcDevice);
    API_DEVICE(target, dstDevice);
    bool reached = can_reach(source, target);
    switch (attribute) {
    case hipDevP2PAttrPerformanceRank: /* the link's type */
        *value = LINK_XGMI;
        API_SUCCESS();
    case hipDevP2PAttrAccessSupported:
    case hipDevP2PAttrNativeAtomicSupported:
    case hipDevP2PAttrHipArrayAccessSupported: /* all devices show one architecture */
        *value = reached;
        API_SUCCESS();
    default:
        return wl_api_fail(__func__, hipErrorInvalidValue, "no such attribute");
    }
}

hipError_t hipExtGetLinkTypeAndHopCount(int device1, int device2, uint32_t *linktype, uint32_t *hopcount) {
    API_REQUIRE(linktype != NULL && hopcount != NULL, hipErrorInvalidValue);
    API_REQUIRE(device1 != device2 && device1 >= 0 && device2 >= 0, hipErrorInvalidValue);
    API_REQUIRE(context_of(device1) != NULL && context_of(device2) != NULL, hipErrorInvalidDevice);
    *linktype = LINK_XGMI;
    *hopcount = 1;
    API_SUCCESS();
}
