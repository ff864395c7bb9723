/* HSA: functions for what Wavelift does not have. Each checks what a caller can be wrong about and says so, or that it is not supported;
 * none pretends to have done something. */
#include "hsa/hsa.h"

#define NO HSA_STATUS_ERROR_NOT_SUPPORTED

/* An image in a layout that AMD's driver for graphics describes. */
HSA hsa_amd_image_create(hsa_agent_t agent) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    return NO;
}

HSA hsa_amd_image_get_info_max_dim(hsa_agent_t agent, int attribute, void *value) {
    extern hsa_status_t hsa_agent_get_info(hsa_agent_t agent, int attribute, void *value);
    return hsa_agent_get_info(agent, attribute, value);
}

/* What takes no agent: the finalizer of HSAIL, code objects as objects of their own, graphics interoperation, dma-buf, shared virtual memory
 * by attributes, hardware counters and sampling, files. */
#define NONE(name)                                                                                                                         \
    HSA name(void) {                                                                                                                       \
        HSA_STARTED();                                                                                                                     \
        return NO;                                                                                                                         \
    }
NONE(hsa_ext_program_add_module)
NONE(hsa_ext_program_create)
NONE(hsa_ext_program_destroy)
NONE(hsa_ext_program_finalize)
NONE(hsa_ext_program_get_info)
NONE(hsa_ext_program_iterate_modules)
NONE(hsa_code_object_serialize)
NONE(hsa_code_object_get_info)
NONE(hsa_code_object_get_symbol)
NONE(hsa_code_object_get_symbol_from_name)
NONE(hsa_code_object_iterate_symbols)
NONE(hsa_code_symbol_get_info)
NONE(hsa_amd_interop_map_buffer)
NONE(hsa_amd_interop_unmap_buffer)
NONE(hsa_amd_portable_export_dmabuf)
NONE(hsa_amd_portable_export_dmabuf_v2)
NONE(hsa_amd_portable_close_dmabuf)
NONE(hsa_amd_svm_attributes_get)
NONE(hsa_amd_svm_attributes_set)
NONE(hsa_amd_svm_prefetch_async)
NONE(hsa_amd_spm_acquire)
NONE(hsa_amd_spm_release)
NONE(hsa_amd_spm_set_dest_buffer)
NONE(hsa_amd_ais_file_read)
NONE(hsa_amd_ais_file_write)
NONE(hsa_amd_enable_logging)
NONE(hsa_ven_amd_pcs_create)
NONE(hsa_ven_amd_pcs_create_from_id)
NONE(hsa_ven_amd_pcs_destroy)
NONE(hsa_ven_amd_pcs_flush)
NONE(hsa_ven_amd_pcs_iterate_configuration)
NONE(hsa_ven_amd_pcs_start)
NONE(hsa_ven_amd_pcs_stop)
