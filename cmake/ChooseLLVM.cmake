# The LLVM that the translator is built with, and the clang that compiles for it. Sets LLVM's own variables (LLVM_VERSION_MAJOR,
# LLVM_INCLUDE_DIRS, ...), WL_CLANG and WL_LLVM_LINK, and for tests WL_TEST_LLVM and WL_TEST_LLVM_INCLUDE. This is the one place that
# names the versions.
#
#   WAVELIFT_LLVM=21    LLVM of that major version; else the first installed one of wl_llvm_versions
#   LLVM_DIR=FOLDER     the folder of its configuration for CMake, where that LLVM lies elsewhere than in /usr/lib/llvm-VERSION
#
# 19 comes first because the packages that `make demo` and `make check` install are 19's.
set(wl_llvm_versions 19 22 21 20)
set(WAVELIFT_LLVM "" CACHE STRING "the major version of LLVM to build with, 19 to 22; empty: 19 if it is installed, else the newest")

# What was found for another version is forgotten; the folder named in the same call is not.
if(NOT "${WAVELIFT_LLVM}" STREQUAL "${WL_LLVM_SEARCHED}")
  if("${LLVM_DIR}" STREQUAL "${WL_LLVM_DIR}")
    unset(LLVM_DIR CACHE)
  endif()
  foreach(found WL_CLANG WL_LLVM_LINK WL_SHARED_LLVM)
    unset(${found} CACHE)
  endforeach()
endif()
if(WAVELIFT_LLVM)
  if(NOT WAVELIFT_LLVM IN_LIST wl_llvm_versions)
    message(FATAL_ERROR "WAVELIFT_LLVM=${WAVELIFT_LLVM}: Wavelift builds with LLVM 19, 20, 21 or 22")
  endif()
  set(wl_llvm_versions ${WAVELIFT_LLVM})
elseif(LLVM_DIR)
  set(named ${LLVM_DIR})
  find_package(LLVM QUIET CONFIG NO_DEFAULT_PATH)
  if(NOT LLVM_FOUND)
    message(FATAL_ERROR "LLVM_DIR=${named}: no LLVM for this machine is configured there")
  endif()
  if(NOT LLVM_VERSION_MAJOR IN_LIST wl_llvm_versions)
    message(FATAL_ERROR "LLVM_DIR=${named} is LLVM ${LLVM_PACKAGE_VERSION}: Wavelift builds with LLVM 19, 20, 21 or 22")
  endif()
endif()
foreach(version IN LISTS wl_llvm_versions)
  if(NOT LLVM_FOUND)
    find_package(LLVM ${version}.1 QUIET CONFIG HINTS /usr/lib/llvm-${version})
  endif()
endforeach()
if(NOT LLVM_FOUND)
  list(JOIN wl_llvm_versions ", " versions)
  message(FATAL_ERROR "no LLVM of the versions ${versions} (Debian's packages llvm-VERSION-dev and clang-VERSION); LLVM_DIR can name the folder of its configuration for CMake")
endif()
set(WL_LLVM_SEARCHED "${WAVELIFT_LLVM}" CACHE INTERNAL "")
set(WL_LLVM_DIR "${LLVM_DIR}" CACHE INTERNAL "")

# LLVM reads the bitcode of its own clang and of older ones.
set(folders)
if(NOT CMAKE_CROSSCOMPILING) # these tools run here
  set(folders ${LLVM_TOOLS_BINARY_DIR})
endif()
set(clangs)
set(places ${folders})
foreach(version RANGE ${LLVM_VERSION_MAJOR} 19 -1)
  list(APPEND clangs clang-${version})
  list(APPEND places /usr/lib/llvm-${version}/bin)
endforeach()
find_program(WL_CLANG NAMES ${clangs} NAMES_PER_DIR HINTS ${places} REQUIRED)
find_program(WL_LLVM_LINK NAMES llvm-link-${LLVM_VERSION_MAJOR} llvm-link HINTS ${folders} /usr/lib/llvm-${LLVM_VERSION_MAJOR}/bin NO_DEFAULT_PATH)
find_program(WL_LLVM_LINK NAMES llvm-link-${LLVM_VERSION_MAJOR} REQUIRED)

# The assembler and the disassembler that tests take instructions from, and compare with: those of one version, since each has its own
# mnemonics and processors. Beside another LLVM in one process they do no harm: the symbols of LLVM's library have versions.
find_library(WL_TEST_LLVM NAMES LLVM-19 HINTS /usr/lib/llvm-19/lib)
find_path(WL_TEST_LLVM_INCLUDE NAMES llvm-c/Disassembler.h HINTS /usr/lib/llvm-19/include)
message(STATUS "LLVM ${LLVM_PACKAGE_VERSION} in ${LLVM_DIR}, with ${WL_CLANG}")
