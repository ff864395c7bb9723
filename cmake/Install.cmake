# What `make install` puts where: the libraries under the names that HIP programs look for, the public headers, the
# command and its manual page, pkg-config files, and the CMake packages `hip`, `hip-lang` and `hiprtc`.
include(CMakePackageConfigHelpers)

# The libamdhip64 of each HIP version, and the headers, are installed by src/api.
# Complete device libraries for the compilers that hiprtc runs, where this build could make them.
install(DIRECTORY ${WL_DEVICE_LIBS} DESTINATION ${CMAKE_INSTALL_LIBDIR}/wavelift OPTIONAL)
install(TARGETS wavelift-translate wavelift-threaded LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS wavelift RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
if(TARGET hipify)
  install(TARGETS hipify RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/hipify.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endif()
install(FILES docs/wavelift.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)

# The HIP version that the headers tell.
file(STRINGS ${CMAKE_SOURCE_DIR}/include/hip/hip_version.h lines REGEX "define HIP_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" lines "${lines}")
list(JOIN lines . WL_HIP_VERSION)
list(GET lines 0 HIP_VERSION_MAJOR)
list(GET lines 1 HIP_VERSION_MINOR)
list(GET lines 2 HIP_VERSION_PATCH)

# They tell where they lie themselves, so that the installation can be moved.
file(RELATIVE_PATH WL_PC_PREFIX ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
foreach(name hip amdhip64)
  set(WL_PC_NAME ${name})
  configure_file(cmake/hip.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()

# In lib/cmake whatever the name of the libraries' folder: CMake looks for hip-lang there and nowhere else.
foreach(name hip hip-lang hiprtc)
  configure_package_config_file(cmake/${name}-config.cmake.in ${CMAKE_BINARY_DIR}/${name}-config.cmake
    INSTALL_DESTINATION lib/cmake/${name} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_BINDIR
    NO_CHECK_REQUIRED_COMPONENTS_MACRO)
  write_basic_package_version_file(${CMAKE_BINARY_DIR}/${name}-config-version.cmake VERSION ${WL_HIP_VERSION} COMPATIBILITY AnyNewerVersion)
  install(FILES ${CMAKE_BINARY_DIR}/${name}-config.cmake ${CMAKE_BINARY_DIR}/${name}-config-version.cmake cmake/hip-toolchain.cmake
          DESTINATION lib/cmake/${name})
endforeach()

# By this file clang knows a HIP installation ($HIP_PATH, --rocm-path), and tells CMake of it.
file(CONFIGURE OUTPUT hip-version CONTENT "HIP_VERSION_MAJOR=@HIP_VERSION_MAJOR@\nHIP_VERSION_MINOR=@HIP_VERSION_MINOR@\nHIP_VERSION_PATCH=@HIP_VERSION_PATCH@\n" @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/hip-version DESTINATION ${CMAKE_INSTALL_DATADIR}/hip RENAME version)

# All that is installed, and nothing else: for packages.
add_custom_target(installable)
foreach(target wavelift hipify aml hiprtc amdhip64 roctx64 rocprofiler-sdk-roctx roctracer64 hsa-runtime64 rocm_smi64 amd_smi26 amd_smi27
    rocprofiler-sdk rocm_sysdeps_drm rocm_sysdeps_drm_amdgpu rocm_sysdeps_numa
    wavelift-topology)
  if(TARGET ${target})
    add_dependencies(installable ${target})
  endif()
endforeach()
