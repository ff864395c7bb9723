# Shared by the packages hip and hip-lang: where the HIP toolchain's own files are, as the installed command finds them. Device code needs
# AMD's headers and device libraries, which Wavelift does not replace. What is set already, is kept.
#   HIP_DEVICE_INCLUDE_DIR     the folder that has hip/amd_detail/
#   HIP_DEVICE_LIB_PATH        the folder of the device libraries (ockl.bc); empty: the compiler finds them itself
#   hip_COMPILER, hip_ARCHITECTURES   a clang++ that compiles HIP (empty: none is installed), and what it should compile for by default
# Before it is included, hip_COMMAND is the command wavelift and hip_CLANG the clang++ that calls the installed one.
macro(hip_ask_config variable question)
  execute_process(COMMAND "${hip_COMMAND}" config ${question} OUTPUT_VARIABLE ${variable} OUTPUT_STRIP_TRAILING_WHITESPACE
    ERROR_VARIABLE hip_MISSING RESULT_VARIABLE hip_RESULT)
endmacro()

if(NOT DEFINED HIP_DEVICE_LIB_PATH)
  hip_ask_config(hip_answer --device-libs)
  set(HIP_DEVICE_LIB_PATH "${hip_answer}" CACHE PATH "AMD's device libraries")
endif()
if(NOT DEFINED HIP_DEVICE_INCLUDE_DIR)
  hip_ask_config(hip_answer --headers)
  set(HIP_DEVICE_INCLUDE_DIR "${hip_answer}" CACHE PATH "AMD's HIP headers")
endif()
mark_as_advanced(HIP_DEVICE_INCLUDE_DIR HIP_DEVICE_LIB_PATH)
if(NOT hip_COMPILER)
  hip_ask_config(hip_COMPILER --clang)
  if(hip_COMPILER)
    set(hip_COMPILER "${hip_CLANG}")
  endif()
  hip_ask_config(hip_ARCHITECTURES --arch)
  string(REPLACE "," ";" hip_ARCHITECTURES "${hip_ARCHITECTURES}")
endif()
unset(hip_answer)

# Programs that are compiled with headers of HIP 5 need that version's functions, where their meaning has changed since: they come first.
set(hip_former)
if(EXISTS "${HIP_DEVICE_INCLUDE_DIR}/hip/hip_version.h")
  file(STRINGS "${HIP_DEVICE_INCLUDE_DIR}/hip/hip_version.h" hip_former REGEX "define HIP_VERSION_MAJOR 5")
endif()
