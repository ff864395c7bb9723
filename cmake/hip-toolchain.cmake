# Shared by the packages hip and hip-lang: where the HIP toolchain's own files are. Device code needs AMD's headers and
# device libraries, which Wavelift does not replace.
#   HIP_DEVICE_INCLUDE_DIR     the folder that has hip/amd_detail/
#   HIP_DEVICE_LIB_PATH        the folder of the device libraries (ockl.bc); empty: the compiler finds them itself
find_path(HIP_DEVICE_INCLUDE_DIR hip/amd_detail/amd_hip_runtime.h
  PATHS $ENV{HIP_PATH}/include $ENV{ROCM_PATH}/include /opt/rocm/include /usr/include NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(HIP_DEVICE_INCLUDE_DIR)
if(NOT DEFINED HIP_DEVICE_LIB_PATH)
  file(GLOB folders /usr/lib/llvm-*/lib/clang/*/amdgcn/bitcode) # Debian 13
  foreach(folder $ENV{ROCM_PATH}/amdgcn/bitcode /opt/rocm/amdgcn/bitcode /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}/amdgcn/bitcode ${folders})
    if(EXISTS ${folder}/ockl.bc)
      set(HIP_DEVICE_LIB_PATH ${folder} CACHE PATH "AMD's device libraries")
      break()
    endif()
  endforeach()
endif()
