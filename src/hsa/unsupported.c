/* HSA: functions for what Wavelift does not have. Each checks what a caller can be wrong about and says so, or that it is not supported;
 * none pretends to have done something. */
#include "hsa/hsa.h"

#define NO HSA_STATUS_ERROR_NOT_SUPPORTED

/* Images through HSA. The agents say that they have none (HSA_EXT_AGENT_INFO_*), the system has no image extension. */
#define NO_IMAGES(name)                                                                                                                    \
    HSA name(hsa_agent_t agent) {                                                                                                          \
        HSA_STARTED();                                                                                                                     \
        HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);                                                                  \
        return NO;                                                                                                                         \
    }
NO_IMAGES(hsa_amd_image_create)
NO_IMAGES(hsa_ext_image_clear)
NO_IMAGES(hsa_ext_image_copy)
NO_IMAGES(hsa_ext_image_create)
NO_IMAGES(hsa_ext_image_create_with_layout)
NO_IMAGES(hsa_ext_image_data_get_info)
NO_IMAGES(hsa_ext_image_data_get_info_with_layout)
NO_IMAGES(hsa_ext_image_destroy)
NO_IMAGES(hsa_ext_image_export)
NO_IMAGES(hsa_ext_image_import)
NO_IMAGES(hsa_ext_sampler_create)
NO_IMAGES(hsa_ext_sampler_create_v2)
NO_IMAGES(hsa_ext_sampler_destroy)

static hsa_status_t capability(hsa_agent_t agent, uint32_t *mask) {
    HSA_STARTED();
    HSA_REQUIRE(wl_hsa_agent(agent), HSA_STATUS_ERROR_INVALID_AGENT);
    HSA_REQUIRE(mask, HSA_STATUS_ERROR_INVALID_ARGUMENT);
    *mask = 0;
    return HSA_STATUS_SUCCESS;
}

HSA hsa_ext_image_get_capability(hsa_agent_t agent, int geometry, const void *image_format, uint32_t *capability_mask) {
    (void)geometry, (void)image_format;
    return capability(agent, capability_mask);
}

HSA hsa_ext_image_get_capability_with_layout(hsa_agent_t agent, int geometry, const void *image_format, int image_data_layout,
                                             uint32_t *capability_mask) {
    (void)geometry, (void)image_format, (void)image_data_layout;
    return capability(agent, capability_mask);
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
