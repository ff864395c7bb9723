/* Stream capture and graphs. Included by hip_runtime_api.h. HIP reference: "Graph Management".
 *
 * A graph describes work (nodes) and its order (edges) once; an executable graph is launched many times. A graph is built node
 * by node, or captured: between hipStreamBeginCapture and hipStreamEndCapture, what is queued in the stream, and in streams that
 * join it by waiting for its events, becomes nodes instead.
 *
 * Unless it says otherwise a function returns hipErrorInvalidValue for NULL or for a handle that is not one. A graph must be
 * used by one thread at a time; launching one executable from several threads is safe. Nodes belong to their graph. */
#ifdef __HIP__
/* In HIP code the toolchain's own headers count. */
#else
#ifndef HIP_INCLUDE_HIP_HIP_GRAPH_H
#define HIP_INCLUDE_HIP_HIP_GRAPH_H

#include <hip/hip_launch.h>
#include <hip/hip_pool.h>
#include <hip/hip_stream_memory.h>

typedef struct ihipGraph *hipGraph_t;
typedef struct hipGraphNode *hipGraphNode_t;
typedef struct hipGraphExec *hipGraphExec_t;
typedef struct hipUserObject *hipUserObject_t;

typedef enum hipGraphNodeType {
    hipGraphNodeTypeKernel = 0,
    hipGraphNodeTypeMemcpy = 1,
    hipGraphNodeTypeMemset = 2,
    hipGraphNodeTypeHost = 3,
    hipGraphNodeTypeGraph = 4,
    hipGraphNodeTypeEmpty = 5,
    hipGraphNodeTypeWaitEvent = 6,
    hipGraphNodeTypeEventRecord = 7,
    hipGraphNodeTypeExtSemaphoreSignal = 8,
    hipGraphNodeTypeExtSemaphoreWait = 9,
    hipGraphNodeTypeMemAlloc = 10,
    hipGraphNodeTypeMemFree = 11,
    hipGraphNodeTypeMemcpyFromSymbol = 12,
    hipGraphNodeTypeMemcpyToSymbol = 13,
    hipGraphNodeTypeBatchMemOp = 14,
    hipGraphNodeTypeCount
} hipGraphNodeType;

typedef struct hipHostNodeParams {
    hipHostFn_t fn;
    void *userData;
} hipHostNodeParams;

typedef struct hipKernelNodeParams {
    dim3 blockDim;
    void **extra;
    void *func; /* a kernel's host stub, or a hipFunction_t */
    dim3 gridDim;
    void **kernelParams;
    unsigned int sharedMemBytes;
} hipKernelNodeParams;

typedef struct hipMemsetParams {
    void *dst;
    unsigned int elementSize; /* 1, 2 or 4 */
    size_t height, pitch;     /* rows; bytes from row to row */
    unsigned int value;
    size_t width; /* elements */
} hipMemsetParams;

/* For the driver's forms. */
typedef struct HIP_MEMSET_NODE_PARAMS {
    hipDeviceptr_t dst;
    size_t pitch;
    unsigned int value, elementSize;
    size_t width, height;
} HIP_MEMSET_NODE_PARAMS;

typedef struct hipMemAllocNodeParams {
    hipMemPoolProps poolProps;
    const hipMemAccessDesc *accessDescs;
    size_t accessDescCount;
    size_t bytesize;
    void *dptr; /* out: the address, which stays the same in all launches */
} hipMemAllocNodeParams;

/* External semaphores: nothing can be imported as one yet, as with AMD's runtime on Linux. */
typedef void *hipExternalSemaphore_t;

typedef struct hipExternalSemaphoreSignalParams_st {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
        } keyedMutex;
        unsigned int reserved[12];
    } params;
    unsigned int flags;
    unsigned int reserved[16];
} hipExternalSemaphoreSignalParams;

typedef struct hipExternalSemaphoreWaitParams_st {
    struct {
        struct {
            unsigned long long value;
        } fence;
        union {
            void *fence;
            unsigned long long reserved;
        } nvSciSync;
        struct {
            unsigned long long key;
            unsigned int timeoutMs;
        } keyedMutex;
        unsigned int reserved[10];
    } params;
    unsigned int flags;
    unsigned int reserved[16];
} hipExternalSemaphoreWaitParams;

/* The lists are not copied. */
typedef struct hipExternalSemaphoreSignalNodeParams {
    hipExternalSemaphore_t *extSemArray;
    const hipExternalSemaphoreSignalParams *paramsArray;
    unsigned int numExtSems;
} hipExternalSemaphoreSignalNodeParams;

typedef struct hipExternalSemaphoreWaitNodeParams {
    hipExternalSemaphore_t *extSemArray;
    const hipExternalSemaphoreWaitParams *paramsArray;
    unsigned int numExtSems;
} hipExternalSemaphoreWaitNodeParams;

typedef struct hipBatchMemOpNodeParams {
    hipCtx_t ctx;
    unsigned int count;
    hipStreamBatchMemOpParams *paramArray;
    unsigned int flags;
} hipBatchMemOpNodeParams;

typedef struct hipChildGraphNodeParams {
    hipGraph_t graph;
} hipChildGraphNodeParams;

typedef struct hipEventWaitNodeParams {
    hipEvent_t event;
} hipEventWaitNodeParams;

typedef struct hipEventRecordNodeParams {
    hipEvent_t event;
} hipEventRecordNodeParams;

typedef struct hipMemFreeNodeParams {
    void *dptr;
} hipMemFreeNodeParams;

typedef struct hipMemcpyNodeParams {
    int flags;
    int reserved[3];
    hipMemcpy3DParms copyParams;
} hipMemcpyNodeParams;

/* For hipGraphAddNode; `reserved*` must be 0. */
typedef struct hipGraphNodeParams {
    hipGraphNodeType type;
    int reserved0[3];
    union {
        long long reserved1[29];
        hipKernelNodeParams kernel;
        hipMemcpyNodeParams memcpy;
        hipMemsetParams memset;
        hipHostNodeParams host;
        hipChildGraphNodeParams graph;
        hipEventWaitNodeParams eventWait;
        hipEventRecordNodeParams eventRecord;
        hipExternalSemaphoreSignalNodeParams extSemSignal; /* not for hipGraphAddNode: hipErrorNotSupported */
        hipExternalSemaphoreWaitNodeParams extSemWait;
        hipMemAllocNodeParams alloc;
        hipMemFreeNodeParams free;
    };
    long long reserved2;
} hipGraphNodeParams;

typedef enum hipGraphDependencyType { hipGraphDependencyTypeDefault = 0, hipGraphDependencyTypeProgrammatic = 1 } hipGraphDependencyType;

typedef struct hipGraphEdgeData {
    unsigned char from_port;
    unsigned char reserved[5];
    unsigned char to_port;
    unsigned char type;
} hipGraphEdgeData;
/* What an edge leaves a kernel node by: its end, or what the kernel itself announces. */
#define hipGraphKernelNodePortDefault            0
#define hipGraphKernelNodePortProgrammatic       1
#define hipGraphKernelNodePortLaunchCompletion   2

/* The attributes of kernel nodes are those of launches. */
typedef hipLaunchAttributeID hipKernelNodeAttrID;
typedef hipLaunchAttributeValue hipKernelNodeAttrValue;
#define hipKernelNodeAttributeAccessPolicyWindow hipLaunchAttributeAccessPolicyWindow
#define hipKernelNodeAttributeCooperative        hipLaunchAttributeCooperative
#define hipKernelNodeAttributePriority           hipLaunchAttributePriority

typedef enum hipGraphExecUpdateResult {
    hipGraphExecUpdateSuccess = 0x0,
    hipGraphExecUpdateError = 0x1,
    hipGraphExecUpdateErrorTopologyChanged = 0x2,
    hipGraphExecUpdateErrorNodeTypeChanged = 0x3,
    hipGraphExecUpdateErrorFunctionChanged = 0x4,
    hipGraphExecUpdateErrorParametersChanged = 0x5,
    hipGraphExecUpdateErrorNotSupported = 0x6,
    hipGraphExecUpdateErrorUnsupportedFunctionChange = 0x7
} hipGraphExecUpdateResult;

typedef enum hipStreamCaptureMode {
    hipStreamCaptureModeGlobal = 0,  /* unsafe calls of any thread are errors */
    hipStreamCaptureModeThreadLocal, /* of this thread */
    hipStreamCaptureModeRelaxed      /* of none */
} hipStreamCaptureMode;

typedef enum hipStreamCaptureStatus {
    hipStreamCaptureStatusNone = 0,
    hipStreamCaptureStatusActive,
    hipStreamCaptureStatusInvalidated /* an error has spoilt it: it must be ended */
} hipStreamCaptureStatus;

typedef enum hipStreamUpdateCaptureDependenciesFlags {
    hipStreamAddCaptureDependencies = 0,
    hipStreamSetCaptureDependencies
} hipStreamUpdateCaptureDependenciesFlags;

typedef enum hipGraphMemAttributeType {
    hipGraphMemAttrUsedMemCurrent = 0,
    hipGraphMemAttrUsedMemHigh, /* the high marks may be set to 0, to begin anew */
    hipGraphMemAttrReservedMemCurrent,
    hipGraphMemAttrReservedMemHigh
} hipGraphMemAttributeType;

typedef enum hipUserObjectFlags { hipUserObjectNoDestructorSync = 0x1 } hipUserObjectFlags;
typedef enum hipUserObjectRetainFlags { hipGraphUserObjectMove = 0x1 } hipUserObjectRetainFlags;

typedef enum hipGraphInstantiateFlags {
    hipGraphInstantiateFlagAutoFreeOnLaunch = 1, /* a launch frees what the one before left allocated */
    hipGraphInstantiateFlagUpload = 2,
    hipGraphInstantiateFlagDeviceLaunch = 4, /* only with parameters; kernels cannot launch graphs all the same */
    hipGraphInstantiateFlagUseNodePriority = 8
} hipGraphInstantiateFlags;

typedef enum hipGraphInstantiateResult {
    hipGraphInstantiateSuccess = 0,
    hipGraphInstantiateError = 1,
    hipGraphInstantiateInvalidStructure = 2,
    hipGraphInstantiateNodeOperationNotSupported = 3,
    hipGraphInstantiateMultipleDevicesNotSupported = 4
} hipGraphInstantiateResult;

typedef struct hipGraphInstantiateParams {
    hipGraphNode_t errNode_out;
    unsigned long long flags;
    hipGraphInstantiateResult result_out;
    hipStream_t uploadStream;
} hipGraphInstantiateParams;

typedef enum hipGraphDebugDotFlags {
    hipGraphDebugDotFlagsVerbose = 1 << 0,
    hipGraphDebugDotFlagsKernelNodeParams = 1 << 2,
    hipGraphDebugDotFlagsMemcpyNodeParams = 1 << 3,
    hipGraphDebugDotFlagsMemsetNodeParams = 1 << 4,
    hipGraphDebugDotFlagsHostNodeParams = 1 << 5,
    hipGraphDebugDotFlagsEventNodeParams = 1 << 6,
    hipGraphDebugDotFlagsExtSemasSignalNodeParams = 1 << 7,
    hipGraphDebugDotFlagsExtSemasWaitNodeParams = 1 << 8,
    hipGraphDebugDotFlagsKernelNodeAttributes = 1 << 9,
    hipGraphDebugDotFlagsHandles = 1 << 10
} hipGraphDebugDotFlags;

/* ---- Capture ---------------------------------------------------------------------------------- */

/* While a stream captures, as in AMD's runtime:
 *   Allocating and freeing memory and arrays, registering memory, and asking for an array's shape are hipErrorStreamCaptureUnsupported
 *   in the thread that began the capture, not in relaxed mode, and in global mode in every thread; so are hipStreamSynchronize and
 *   hipStreamQuery of any other stream than the null stream, and hipEventSynchronize. The thread's own mode
 *   (hipThreadExchangeStreamCaptureMode) may loosen that. For a stream that takes part the last three are that error in any case.
 *   hipDeviceSynchronize is hipErrorStreamCaptureUnsupported, copies and fills that wait hipErrorStreamCaptureImplicit, in every mode and
 *   thread.
 *   hipEventSynchronize and hipEventQuery for an event that was recorded in the capture are hipErrorCapturedEvent.
 * These errors invalidate the captures concerned. What cannot be captured (hipStreamAddCallback, waits for events of outside, prefetches)
 * is queued in the stream at once. */

/* The null stream cannot capture: hipErrorStreamCaptureUnsupported. hipErrorIllegalState: it captures already; a capture that is invalid is
 * given up. */
hipError_t hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode);
/* Into an existing graph, behind some of its nodes. `dependencyData` must be NULL: else hipErrorNotSupported. */
hipError_t hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t *dependencies,
                                        const hipGraphEdgeData *dependencyData, size_t numDependencies, hipStreamCaptureMode mode);
/* Ends the capture in the stream that began it. hipErrorIllegalState: it does not capture; hipErrorStreamCaptureUnmatched: the
 * capture began in another stream; hipErrorStreamCaptureWrongThread: another thread began it, not in relaxed mode;
 * hipErrorStreamCaptureUnjoined: work of another stream is not waited for; hipErrorStreamCaptureInvalidated. In the last two
 * cases the capture is over and `*graph` NULL. */
hipError_t hipStreamEndCapture(hipStream_t stream, hipGraph_t *graph);
/* hipErrorStreamCaptureImplicit: the null stream, while a blocking stream captures on some device. */
hipError_t hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus *status);
hipError_t hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id);
/* Also the graph so far, and what the stream's next node will depend on, valid until the stream's next call. Everything but
 * `status` may be NULL. */
hipError_t hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus *status, unsigned long long *id WL_DEFAULT(0),
                                      hipGraph_t *graph WL_DEFAULT(0), const hipGraphNode_t **dependencies WL_DEFAULT(0),
                                      size_t *numDependencies WL_DEFAULT(0));
hipError_t hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t *dependencies, size_t numDependencies,
                                              unsigned int flags WL_DEFAULT(0));
/* Exchanges the calling thread's mode, which says how strict its own calls are. */
hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode);

/* ---- Graphs and nodes --------------------------------------------------------------------------- */

/* An empty graph. `flags` must be 0. */
hipError_t hipGraphCreate(hipGraph_t *graph, unsigned int flags);
/* hipErrorIllegalState: it is destroyed already. */
hipError_t hipGraphDestroy(hipGraph_t graph);
/* hipErrorNotSupported: the graph allocates or frees memory. */
hipError_t hipGraphClone(hipGraph_t *clone, hipGraph_t original);
/* `clone` may be a clone's clone. */
hipError_t hipGraphNodeFindInClone(hipGraphNode_t *node, hipGraphNode_t original, hipGraph_t clone);
/* hipErrorInvalidValue also for an edge that exists, or leads to its own node; or, to remove, for one that does not exist. What stands
 * before such an edge has been added, or removed. Cycles are found when a graph is made executable. */
hipError_t hipGraphAddDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count);
hipError_t hipGraphRemoveDependencies(hipGraph_t graph, const hipGraphNode_t *from, const hipGraphNode_t *to, size_t count);
/* With NULL for the arrays: the number. Otherwise `*count` is their room and receives what was written; the rest is NULL. */
hipError_t hipGraphGetEdges(hipGraph_t graph, hipGraphNode_t *from, hipGraphNode_t *to, size_t *count);
/* Each behind all it depends on. hipErrorInvalidValue: there is a cycle. */
hipError_t hipGraphGetNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphGetRootNodes(hipGraph_t graph, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphNodeGetDependencies(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphNodeGetDependentNodes(hipGraphNode_t node, hipGraphNode_t *nodes, size_t *count);
hipError_t hipGraphNodeGetType(hipGraphNode_t node, hipGraphNodeType *type);
hipError_t hipGraphDestroyNode(hipGraphNode_t node); /* hipErrorNotSupported: it allocates or frees memory */
/* Writes the graph in the DOT language. `flags`: hipGraphDebugDotFlags. */
hipError_t hipGraphDebugDotPrint(hipGraph_t graph, const char *path, unsigned int flags);

/* Every kind of node. What parameters point to (arguments, lists) is copied. */
hipError_t hipGraphAddNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                           hipGraphNodeParams *params);
hipError_t hipGraphNodeSetParams(hipGraphNode_t node, hipGraphNodeParams *params);
hipError_t hipGraphAddKernelNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                 const hipKernelNodeParams *params);
hipError_t hipGraphKernelNodeGetParams(hipGraphNode_t node, hipKernelNodeParams *params);
hipError_t hipGraphKernelNodeSetParams(hipGraphNode_t node, const hipKernelNodeParams *params);
/* A node has the attribute that was set last; asking for another one is hipErrorInvalidValue, copying it to a node that has another
 * one hipErrorInvalidContext. A window of accesses must have no bytes. */
hipError_t hipGraphKernelNodeSetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute, const hipKernelNodeAttrValue *value);
hipError_t hipGraphKernelNodeGetAttribute(hipGraphNode_t node, hipKernelNodeAttrID attribute, hipKernelNodeAttrValue *value);
hipError_t hipGraphKernelNodeCopyAttributes(hipGraphNode_t from, hipGraphNode_t to);
hipError_t hipGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                 const hipMemcpy3DParms *params);
hipError_t hipGraphMemcpyNodeGetParams(hipGraphNode_t node, hipMemcpy3DParms *params);
hipError_t hipGraphMemcpyNodeSetParams(hipGraphNode_t node, const hipMemcpy3DParms *params);
hipError_t hipGraphAddMemcpyNode1D(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count, void *dst,
                                   const void *src, size_t size, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParams1D(hipGraphNode_t node, void *dst, const void *src, size_t size, hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeFromSymbol(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                           void *dst, const void *symbol, size_t size, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsFromSymbol(hipGraphNode_t node, void *dst, const void *symbol, size_t size, size_t offset,
                                                 hipMemcpyKind kind);
hipError_t hipGraphAddMemcpyNodeToSymbol(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                         const void *symbol, const void *src, size_t size, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphMemcpyNodeSetParamsToSymbol(hipGraphNode_t node, const void *symbol, const void *src, size_t size, size_t offset,
                                               hipMemcpyKind kind);
hipError_t hipGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                 const hipMemsetParams *params);
hipError_t hipGraphMemsetNodeGetParams(hipGraphNode_t node, hipMemsetParams *params);
hipError_t hipGraphMemsetNodeSetParams(hipGraphNode_t node, const hipMemsetParams *params);
hipError_t hipGraphAddHostNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                               const hipHostNodeParams *params);
hipError_t hipGraphHostNodeGetParams(hipGraphNode_t node, hipHostNodeParams *params);
hipError_t hipGraphHostNodeSetParams(hipGraphNode_t node, const hipHostNodeParams *params);
hipError_t hipGraphAddChildGraphNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                     hipGraph_t child);                            /* copied */
hipError_t hipGraphChildGraphNodeGetGraph(hipGraphNode_t node, hipGraph_t *graph); /* the node's own, not a copy */
hipError_t hipGraphAddEmptyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count);
hipError_t hipGraphAddEventRecordNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                      hipEvent_t event);
hipError_t hipGraphEventRecordNodeGetEvent(hipGraphNode_t node, hipEvent_t *event);
hipError_t hipGraphEventRecordNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphAddEventWaitNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                    hipEvent_t event);
hipError_t hipGraphEventWaitNodeGetEvent(hipGraphNode_t node, hipEvent_t *event);
hipError_t hipGraphEventWaitNodeSetEvent(hipGraphNode_t node, hipEvent_t event);
/* Memory of graphs: allocated when a launch reaches the node, freed by a free node, hipFreeAsync or hipFree. */
hipError_t hipGraphAddMemAllocNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                   hipMemAllocNodeParams *params);
/* As they were given, the pointer to the list of devices too. */
hipError_t hipGraphMemAllocNodeGetParams(hipGraphNode_t node, hipMemAllocNodeParams *params);
/* One for each memory. */
hipError_t hipGraphAddMemFreeNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count, void *ptr);
hipError_t hipGraphMemFreeNodeGetParams(hipGraphNode_t node, void *ptr); /* `ptr`: where to store the address */
hipError_t hipGraphAddBatchMemOpNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                     const hipBatchMemOpNodeParams *params);
hipError_t hipGraphBatchMemOpNodeGetParams(hipGraphNode_t node, hipBatchMemOpNodeParams *params);
hipError_t hipGraphBatchMemOpNodeSetParams(hipGraphNode_t node, hipBatchMemOpNodeParams *params);
/* A launch of a graph with such a node is hipErrorInvalidValue if its list has an entry: there are no external semaphores. */
hipError_t hipGraphAddExternalSemaphoresSignalNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                                   const hipExternalSemaphoreSignalNodeParams *params);
hipError_t hipGraphExternalSemaphoresSignalNodeGetParams(hipGraphNode_t node, hipExternalSemaphoreSignalNodeParams *params);
hipError_t hipGraphExternalSemaphoresSignalNodeSetParams(hipGraphNode_t node, const hipExternalSemaphoreSignalNodeParams *params);
hipError_t hipGraphAddExternalSemaphoresWaitNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                                 const hipExternalSemaphoreWaitNodeParams *params);
hipError_t hipGraphExternalSemaphoresWaitNodeGetParams(hipGraphNode_t node, hipExternalSemaphoreWaitNodeParams *params);
hipError_t hipGraphExternalSemaphoresWaitNodeSetParams(hipGraphNode_t node, const hipExternalSemaphoreWaitNodeParams *params);
/* The driver's forms; `context` is the one the node works in. For copies it must not be NULL. */
hipError_t hipDrvGraphAddMemcpyNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                    const HIP_MEMCPY3D *params, hipCtx_t context);
hipError_t hipDrvGraphMemcpyNodeGetParams(hipGraphNode_t node, HIP_MEMCPY3D *params);
hipError_t hipDrvGraphMemcpyNodeSetParams(hipGraphNode_t node, const HIP_MEMCPY3D *params);
hipError_t hipDrvGraphAddMemsetNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                    const HIP_MEMSET_NODE_PARAMS *params, hipCtx_t context);
hipError_t hipDrvGraphAddMemFreeNode(hipGraphNode_t *node, hipGraph_t graph, const hipGraphNode_t *dependencies, size_t count,
                                     hipDeviceptr_t ptr);

/* ---- Executable graphs --------------------------------------------------------------------------- */

/* hipErrorInvalidValue: there is a cycle; hipErrorNotSupported: a graph that allocates or frees memory was made executable before.
 * `errorNode` and `log` are left as they are. */
hipError_t hipGraphInstantiate(hipGraphExec_t *exec, hipGraph_t graph, hipGraphNode_t *errorNode, char *log, size_t logSize);
/* `flags`: 0, hipGraphInstantiateFlagAutoFreeOnLaunch or hipGraphInstantiateFlagUseNodePriority; with parameters any one flag. */
hipError_t hipGraphInstantiateWithFlags(hipGraphExec_t *exec, hipGraph_t graph, unsigned long long flags);
hipError_t hipGraphInstantiateWithParams(hipGraphExec_t *exec, hipGraph_t graph, hipGraphInstantiateParams *params);
hipError_t hipGraphExecDestroy(hipGraphExec_t exec);
hipError_t hipGraphExecGetFlags(hipGraphExec_t exec, unsigned long long *flags);
/* Queues the graph in stream order. Launches of one executable follow each other, in whatever streams. If the graph copies to
 * pageable memory of the host, returns when it has run. hipErrorInvalidValue: memory that an earlier launch allocated is not free.
 * While the stream captures: a child graph node. */
hipError_t hipGraphLaunch(hipGraphExec_t exec, hipStream_t stream);
hipError_t hipGraphUpload(hipGraphExec_t exec, hipStream_t stream);
/* Takes over the parameters of a graph of the same shape: nodes correspond by their place in what hipGraphGetNodes gives. Copies keep
 * their kind. hipErrorGraphExecUpdateFailure: `*result` and `*errorNode` say why; nothing has changed. */
hipError_t hipGraphExecUpdate(hipGraphExec_t exec, hipGraph_t graph, hipGraphNode_t *errorNode, hipGraphExecUpdateResult *result);
/* Change one node for later launches; `node` is of the graph the executable was made from. Copies keep their kind, fills of several
 * rows these, and memory is the same device's. hipErrorUnknown: a child graph of another shape, or the one that has the node. */
hipError_t hipGraphExecNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraphNodeParams *params);
hipError_t hipGraphExecKernelNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipKernelNodeParams *params);
hipError_t hipGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipMemcpy3DParms *params);
hipError_t hipGraphExecMemcpyNodeSetParams1D(hipGraphExec_t exec, hipGraphNode_t node, void *dst, const void *src, size_t size,
                                             hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsFromSymbol(hipGraphExec_t exec, hipGraphNode_t node, void *dst, const void *symbol, size_t size,
                                                     size_t offset, hipMemcpyKind kind);
hipError_t hipGraphExecMemcpyNodeSetParamsToSymbol(hipGraphExec_t exec, hipGraphNode_t node, const void *symbol, const void *src,
                                                   size_t size, size_t offset, hipMemcpyKind kind);
hipError_t hipGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipMemsetParams *params);
hipError_t hipGraphExecHostNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipHostNodeParams *params);
hipError_t hipGraphExecChildGraphNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, hipGraph_t child);
hipError_t hipGraphExecEventRecordNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphExecEventWaitNodeSetEvent(hipGraphExec_t exec, hipGraphNode_t node, hipEvent_t event);
hipError_t hipGraphExecBatchMemOpNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const hipBatchMemOpNodeParams *params);
hipError_t hipDrvGraphExecMemcpyNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const HIP_MEMCPY3D *params, hipCtx_t context);
hipError_t hipDrvGraphExecMemsetNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node, const HIP_MEMSET_NODE_PARAMS *params,
                                              hipCtx_t context);
hipError_t hipGraphExecExternalSemaphoresSignalNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                             const hipExternalSemaphoreSignalNodeParams *params);
hipError_t hipGraphExecExternalSemaphoresWaitNodeSetParams(hipGraphExec_t exec, hipGraphNode_t node,
                                                           const hipExternalSemaphoreWaitNodeParams *params);
/* A disabled kernel, copy or fill does nothing, in its place. */
hipError_t hipGraphNodeSetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int enabled);
hipError_t hipGraphNodeGetEnabled(hipGraphExec_t exec, hipGraphNode_t node, unsigned int *enabled);

/* Memory that graphs of a device use (uint64_t). Trimming gives back what is not allocated now. */
hipError_t hipDeviceGetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void *value);
hipError_t hipDeviceSetGraphMemAttribute(int device, hipGraphMemAttributeType attribute, void *value);
hipError_t hipDeviceGraphMemTrim(int device);

/* User objects: `destroy` is called with `pointer` when the last reference goes, be it the program's or a graph's. `flags` must
 * be hipUserObjectNoDestructorSync. The program may give back references of graphs; giving back more than there are, or references to
 * an object that has ended, does nothing and succeeds. A copy of a graph, and an executable, have one reference to each object. */
hipError_t hipUserObjectCreate(hipUserObject_t *object, void *pointer, hipHostFn_t destroy, unsigned int initialRefcount,
                               unsigned int flags);
hipError_t hipUserObjectRetain(hipUserObject_t object, unsigned int count WL_DEFAULT(1));
hipError_t hipUserObjectRelease(hipUserObject_t object, unsigned int count WL_DEFAULT(1));
/* `flags`: 0, or hipGraphUserObjectMove to hand over the caller's references. */
hipError_t hipGraphRetainUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count WL_DEFAULT(1),
                                    unsigned int flags WL_DEFAULT(0));
hipError_t hipGraphReleaseUserObject(hipGraph_t graph, hipUserObject_t object, unsigned int count WL_DEFAULT(1));

#endif
#endif
