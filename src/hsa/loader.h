/* The functions of AMD's loader extension, which programs get as a table. (executable.c) */
#ifndef WL_HSA_LOADER_H
#define WL_HSA_LOADER_H

#include "hsa/hsa.h"

/* Where the host sees what is at an address of a loaded code object. */
hsa_status_t wl_hsa_query_host_address(const void *device_address, const void **host_address);
/* The segments of all loaded code objects: AMD's structures, or with NULL their number. */
hsa_status_t wl_hsa_query_segments(void *descriptors, size_t *count);
/* The executable that an address of a loaded code object belongs to. */
hsa_status_t wl_hsa_query_executable(const void *device_address, hsa_executable_t *executable);
/* Calls back for each code object of an executable. */
hsa_status_t wl_hsa_each_loaded(hsa_executable_t executable,
                                hsa_status_t (*callback)(hsa_executable_t executable, hsa_loaded_code_object_t object, void *data),
                                void *data);
/* What is known of a loaded code object: HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_*. */
hsa_status_t wl_hsa_loaded_info(hsa_loaded_code_object_t object, int attribute, void *value);
/* A reader of a part of a file. */
hsa_status_t wl_hsa_read_file_part(hsa_file_t file, size_t offset, size_t size, hsa_code_object_reader_t *code_object_reader);
/* Calls back for each executable. */
hsa_status_t wl_hsa_each_executable(hsa_status_t (*callback)(hsa_executable_t executable, void *data), void *data);

#endif
