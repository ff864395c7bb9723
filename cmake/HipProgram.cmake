# Programs built by the stock AMD toolchain: they stand for what users have. They never see this project's headers or
# libraries; only LD_LIBRARY_PATH at run time makes them ours.
#
#   wl_hip_program(NAME [FILE.hip ...]
#       [ARCHS ...]         targets for clang-19 instead of the six; a generic one runs as its family's first
#       [ARGS ...]          arguments of the test runs (small sizes); ARGS_O0: at -O0
#       [FLAGS ...]         more compiler flags; FLAGS_O0: at -O0 alone
#       [DEPENDS ...]       more files that the sources include
#       [VARIANTS ...]      of "O0 O1 O3" (clang-19) and "hipcc0 hipcc3" (clang-15), default all
#       [EXCLUDE ...]       entries "O3:gfx1200", "*" matching any variant or target, that the toolchain cannot build;
#                           the reason stands beside the call
#       [PROGRAM file]      the sources become a code object (--genco), which this program gets as its first argument
#       [TIMEOUT seconds])
#
# One binary holds all targets of an optimisation level (the front end's time dominates); WAVELIFT_ARCH picks the
# code at run time. Tests are named NAME.O3.gfx90a and NAME.hipcc3.gfx90a and carry the labels "program" and NAME.
# Where there is an NVIDIA GPU, NAME.O3.gfx90a.gpu runs on it; the others run on the CPU everywhere.
# -O1 binaries are built with --offload-compress and so go through the compressed container.
# Options: WAVELIFT_MATRIX=full|small (small: -O3 on gfx90a and gfx1030 alone).
# LLVM takes ten to thirty times as long for native code of -O0 kernels as threaded code takes to run: WAVELIFT_NATIVE_O0 names the
# -O0 rows that run native code; the others run threaded code, and so do programs with THREADED_O0.

set(WAVELIFT_MATRIX full CACHE STRING "full: all targets and levels; small: -O3 on gfx90a and gfx1030")
set(WAVELIFT_NATIVE_O0 O0:gfx1200 hipcc0:gfx90a CACHE STRING "variants and targets of -O0 that run native code in the tests, or all")
set(wl_archs gfx906 gfx90a gfx942 gfx1030 gfx1100 gfx1200)
set(wl_hipcc_archs gfx906 gfx90a gfx1030 gfx1100)
if(WAVELIFT_MATRIX STREQUAL small)
  set(wl_archs gfx90a gfx1030)
  set(wl_hipcc_archs gfx90a)
endif()

# The compiler of the programs: clang 19, or, where the only device libraries are a newer clang's, whose bitcode 19 does not read (Debian sid), that one.
file(GLOB wl_old_device_libs /usr/lib/*/amdgcn/bitcode/ockl.bc /usr/lib/llvm-1[0-9]/lib/clang/*/amdgcn/bitcode/ockl.bc)
file(GLOB wl_new_device_libs /usr/lib/llvm-2[0-9]/lib/clang/*/amdgcn/bitcode/ockl.bc)
set(wl_hip_clang 19)
if(wl_new_device_libs AND NOT wl_old_device_libs)
  string(REGEX REPLACE ".*/llvm-([0-9]+)/.*" "\\1" wl_hip_clang "${wl_new_device_libs}")
endif()
find_program(WL_CLANGXX NAMES clang++-${wl_hip_clang})
find_program(WL_HIPCC NAMES hipcc)
# The compiler behind hipcc: Debian 12's, Debian 13's, or sid's.
find_path(WL_HIPCC_LLVM NAMES clang PATHS /usr/lib/llvm-15/bin /usr/lib/llvm-17/bin /usr/lib/llvm-21/bin NO_DEFAULT_PATH)
if(CMAKE_CROSSCOMPILING) # its driver knows one host
  unset(WL_HIPCC CACHE)
endif()
find_path(WL_DEBIAN_HIP hip/hip_runtime_api.h PATHS /usr/include NO_DEFAULT_PATH)
set(WL_DEVICE_LIBS ${CMAKE_BINARY_DIR}/device-libs)
set(WL_HIPCC_DEVICE_LIBS ${CMAKE_BINARY_DIR}/device-libs-hipcc) # an older clang reads no bitcode that names clang-19's intrinsics
set(WL_PROGRAMS ${CMAKE_BINARY_DIR}/programs)
file(MAKE_DIRECTORY ${WL_PROGRAMS})
if(WL_CLANGXX)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env CLANG=clang-${wl_hip_clang} ${CMAKE_SOURCE_DIR}/tools/device-libs.sh ${WL_DEVICE_LIBS}
                  RESULT_VARIABLE status)
  if(WL_HIPCC AND NOT status)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env CLANG=${WL_HIPCC_LLVM}/clang ${CMAKE_SOURCE_DIR}/tools/device-libs.sh ${WL_HIPCC_DEVICE_LIBS}
                    RESULT_VARIABLE status)
  endif()
  if(status)
    message(WARNING "the HIP programs cannot be built: no AMD device libraries")
    unset(WL_CLANGXX CACHE)
  endif()
endif()

# The environment of everything that runs on the library just built. Native code runs from the start, else small programs would end
# before there is any; the rows .threaded and .tiers of the matrix are for the other tiers. hipMemGetInfo leaves out the programs
# that run beside a test.
set(WL_TEST_ENVIRONMENT LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lib WAVELIFT_CACHE_DIR=${CMAKE_BINARY_DIR}/cache WAVELIFT_DEVICES=cpu
    WAVELIFT_TIER=2 WAVELIFT_MEMORY=own)
# Where there is a GPU the programs run on it as well (label gpu); multigrid asks for four CPU devices, several for two GPUs, and ending
# for a device behind the end of NVIDIA's driver.
set(WL_GPU FALSE)
if(EXISTS /dev/nvidiactl AND NOT WAVELIFT_SANITIZE)
  set(WL_GPU TRUE)
endif()
set(wl_not_on_gpus multigrid ending matrix_sums)
if(NOT EXISTS /dev/nvidia1)
  list(APPEND wl_not_on_gpus several)
endif()
list(JOIN WL_TEST_ENVIRONMENT ";" WL_TEST_ENVIRONMENT)
set(WL_PROGRAM_ENVIRONMENT "${WL_TEST_ENVIRONMENT}")
if(WAVELIFT_SANITIZE)
  # The HIP programs are not built with the sanitizer, so its runtime has to come first.
  string(REGEX MATCH "address|thread" sanitizer "${WAVELIFT_SANITIZE}")
  string(REPLACE "address" "asan" sanitizer "${sanitizer}")
  string(REPLACE "thread" "tsan" sanitizer "${sanitizer}")
  execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=lib${sanitizer}.so OUTPUT_VARIABLE WL_SANITIZER_RUNTIME OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(APPEND WL_PROGRAM_ENVIRONMENT ";LD_PRELOAD=${WL_SANITIZER_RUNTIME};ASAN_OPTIONS=detect_leaks=0:abort_on_error=0")
endif()

add_custom_target(programs COMMENT "HIP programs of the stock toolchain")

# wl_hip_headers(FLAGS COMPILER OPT ARCHS LIBS COMMAND...): the headers that every program includes, parsed once for each target and the
# host instead of once for each program, which is most of a program's compile time. Sets in the caller FLAGS, and FLAGS_files to depend on.
function(wl_hip_headers result compiler opt archs libs)
  set(folder ${CMAKE_BINARY_DIR}/programs-headers/${compiler}-O${opt})
  set(flags)
  set(files)
  foreach(target host ${archs})
    set(file ${folder}/${target}/common.h)
    list(APPEND flags -Xarch_${target} -include${file})
    list(APPEND files ${file}.pch)
    get_property(made GLOBAL PROPERTY wl_hip_headers_made)
    if(file IN_LIST made)
      continue()
    endif()
    set_property(GLOBAL APPEND PROPERTY wl_hip_headers_made ${file})
    file(MAKE_DIRECTORY ${folder}/${target})
    if(target STREQUAL host)
      list(GET archs 0 arch) # else hipcc looks for a GPU
      set(kind --cuda-host-only --offload-arch=${arch})
    else()
      set(kind --cuda-device-only --offload-arch=${target} --no-gpu-bundle-output)
    endif()
    add_custom_command(OUTPUT ${file}.pch
      COMMAND ${ARGN} -x hip -O${opt} --rocm-device-lib-path=${libs} ${kind} -Wno-unused-command-line-argument -MD -MF ${file}.d -MT ${file}.pch
        -S -emit-llvm -Xclang -emit-pch ${CMAKE_SOURCE_DIR}/cmake/hip_program.h -o ${file}.pch
      DEPENDS ${CMAKE_SOURCE_DIR}/cmake/hip_program.h DEPFILE ${file}.d
      COMMENT "${compiler} -O${opt} headers for ${target}" VERBATIM COMMAND_EXPAND_LISTS)
  endforeach()
  set(${result} ${flags} PARENT_SCOPE)
  set(${result}_files ${files} PARENT_SCOPE)
endfunction()

# wl_hip_binary(OUTPUT COMPILER OPT ARCHS FLAGS SOURCES DEPENDS): one executable
function(wl_hip_binary output compiler opt archs flags sources depends)
  list(TRANSFORM archs PREPEND --offload-arch= OUTPUT_VARIABLE offload)
  set(libs ${WL_DEVICE_LIBS})
  set(mend)
  if(compiler STREQUAL hipcc)
    if(opt EQUAL 0 AND WL_HIPCC_LLVM MATCHES llvm-17) # wrong code: docs/results/llvm.md
      set(mend COMMAND ${CMAKE_SOURCE_DIR}/tests/debian/exec_order.py $<TARGET_FILE:wavelift> ${output})
      list(APPEND depends wavelift ${CMAKE_SOURCE_DIR}/tests/debian/exec_order.py)
    endif()
    set(libs ${WL_HIPCC_DEVICE_LIBS})
    # -B: else it takes the default lld, which may be older than the compiler. TMPDIR: clang 15 leaves empty folders there.
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tmp)
    set(command ${CMAKE_COMMAND} -E env TMPDIR=${CMAKE_BINARY_DIR}/tmp ${WL_HIPCC} -B${WL_HIPCC_LLVM} -std=c++17 -Wno-linker-warnings)
  else()
    set(command ${WL_CLANGXX} ${WL_CLANG_TARGET} -x hip -std=c++17 -Wall -Wno-unused-command-line-argument)
    if("--genco" IN_LIST flags)
      list(REMOVE_ITEM flags --genco)
      list(APPEND flags --cuda-device-only)
    else()
      list(APPEND flags -lamdhip64)
    endif()
  endif()
  # Headers that were parsed for another language or other macros do not do.
  set(headers)
  set(headers_files)
  set(meaningful ${flags})
  list(FILTER meaningful EXCLUDE REGEX "^(-W|-l|--offload-compress$|--cuda-device-only$)")
  if(NOT meaningful)
    set(kind ${opt})
    if(opt GREATER 0)
      set(kind 1)
    endif()
    wl_hip_headers(headers ${compiler} ${kind} "${archs}" ${libs} ${command})
  endif()
  # Flags with a library at the end: the sources stand before them.
  add_custom_command(OUTPUT ${output}
    COMMAND ${command} -O${opt} --rocm-device-lib-path=${libs} ${offload} ${headers} -I${CMAKE_SOURCE_DIR}/examples ${sources} ${flags} -o ${output}
    ${mend}
    DEPENDS ${sources} ${depends} ${headers_files} ${CMAKE_SOURCE_DIR}/examples/check.h
    COMMENT "${compiler} -O${opt} ${output}" VERBATIM COMMAND_EXPAND_LISTS)
endfunction()

# wl_hip_test(NAME ENVIRONMENT COMMAND...): a test on the library just built
function(wl_hip_test name environment)
  if(WAVELIFT_SANITIZE MATCHES thread AND "${ARGV2}" MATCHES "(^|/|\\.)sh$")
    return() # shells do not start with the thread sanitizer's library in front
  endif()
  add_test(NAME ${name} COMMAND ${CMAKE_CROSSCOMPILING_EMULATOR} ${ARGN})
  set_tests_properties(${name} PROPERTIES ENVIRONMENT "${WL_PROGRAM_ENVIRONMENT};${environment}" TIMEOUT 900)
endfunction()

# Sets in the caller: compiler, opt, archs (possibly empty) and more_flags of a variant.
macro(wl_hip_variant variant excluded)
  string(REGEX REPLACE "[^0-9]" "" opt ${variant})
  set(more_flags)
  set(archs)
  if(${variant} MATCHES hipcc)
    set(compiler hipcc)
    set(candidates ${wl_hipcc_archs})
    if(NOT WL_HIPCC)
      set(candidates)
    endif()
  else()
    set(compiler clang)
    set(candidates ${wl_archs})
    if(P_ARCHS)
      set(candidates ${P_ARCHS})
    endif()
    if(${variant} STREQUAL O1)
      set(more_flags --offload-compress)
    endif()
  endif()
  foreach(arch IN LISTS candidates)
    set(skip)
    foreach(entry ${variant}:${arch} ${variant}:* *:${arch})
      if("${entry}" IN_LIST ${excluded})
        set(skip yes)
      endif()
    endforeach()
    if(NOT skip)
      list(APPEND archs ${arch})
    endif()
  endforeach()
endmacro()

set(WL_HOST_AVX512 FALSE)
if(NOT CMAKE_CROSSCOMPILING AND EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo flags LIMIT_COUNT 1 REGEX "avx512f")
  if(flags)
    set(WL_HOST_AVX512 TRUE)
  endif()
endif()

if(WAVELIFT_MATRIX STREQUAL small)
  set(wl_variants O3)
else()
  set(wl_variants O0 O1 O3 hipcc0 hipcc3)
endif()

function(wl_hip_program name)
  cmake_parse_arguments(P "THREADED_O0" "TIMEOUT;PROGRAM" "ARCHS;ARGS;ARGS_O0;FLAGS;FLAGS_O0;DEPENDS;VARIANTS;EXCLUDE" ${ARGN})
  if(NOT WL_CLANGXX)
    return()
  endif()
  set(sources ${P_UNPARSED_ARGUMENTS})
  if(NOT sources)
    set(sources ${name}.hip)
  endif()
  list(TRANSFORM sources PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  list(TRANSFORM P_DEPENDS PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  if(NOT P_VARIANTS OR WAVELIFT_MATRIX STREQUAL small)
    set(P_VARIANTS ${wl_variants})
  endif()
  if(NOT P_TIMEOUT)
    set(P_TIMEOUT 600)
  endif()

  foreach(variant IN LISTS P_VARIANTS)
    wl_hip_variant(${variant} P_EXCLUDE)
    if(NOT archs)
      continue()
    endif()
    set(binary ${WL_PROGRAMS}/${name}-${variant})
    set(arguments ${P_ARGS})
    if(opt EQUAL 0 AND P_ARGS_O0)
      set(arguments ${P_ARGS_O0})
    endif()
    set(command ${binary} ${arguments})
    set(flags ${P_FLAGS} ${more_flags})
    if(opt EQUAL 0)
      list(APPEND flags ${P_FLAGS_O0})
    endif()
    if(P_PROGRAM) # the binary is a code object; a program loads it
      set(binary ${binary}.co)
      set(command ${P_PROGRAM} ${binary} ${arguments})
      list(APPEND flags --genco)
    endif()
    wl_hip_binary(${binary} ${compiler} ${opt} "${archs}" "${flags}" "${sources}" "${P_DEPENDS}")
    add_custom_target(program-${name}-${variant} DEPENDS ${binary})
    add_dependencies(programs program-${name}-${variant})
    foreach(arch IN LISTS archs)
      string(REGEX MATCH "^gfx(9|10-3|11|12)-generic" generic ${arch})
      set(presented ${arch})
      if(generic)
        set(presented_9 gfx900)
        set(presented_10-3 gfx1030)
        set(presented_11 gfx1100)
        set(presented_12 gfx1200)
        set(presented ${presented_${CMAKE_MATCH_1}})
      endif()
      set(tier)
      if(opt EQUAL 0 AND NOT WAVELIFT_NATIVE_O0 STREQUAL all AND (P_THREADED_O0 OR NOT "${variant}:${arch}" IN_LIST WAVELIFT_NATIVE_O0))
        set(tier WAVELIFT_TIER=1)
      endif()
      set(checked)
      if(variant STREQUAL hipcc0 AND WL_HIPCC_LLVM MATCHES llvm-17)
        list(GET sources 0 source)
        set(checked ${CMAKE_SOURCE_DIR}/tests/debian/row.sh ${WL_HIPCC_LLVM}/clang++ ${arch} ${WL_HIPCC_DEVICE_LIBS} ${source} --)
      endif()
      wl_hip_test(${name}.${variant}.${arch} "WAVELIFT_ARCH=${presented};${tier}" ${checked} ${command})
      set_tests_properties(${name}.${variant}.${arch} PROPERTIES TIMEOUT ${P_TIMEOUT} SKIP_RETURN_CODE 77 LABELS "program;${name};${variant};${arch}")
      if(WL_GPU AND variant MATCHES "^O" AND NOT name IN_LIST wl_not_on_gpus)
        wl_hip_test(${name}.${variant}.${arch}.gpu "WAVELIFT_ARCH=${presented};WAVELIFT_DEVICES=cuda" ${command})
        set_tests_properties(${name}.${variant}.${arch}.gpu PROPERTIES TIMEOUT ${P_TIMEOUT} LABELS "program;${name};${variant};${arch};gpu")
      endif()
      if("${variant}.${arch}" MATCHES "^O3.(gfx90a|gfx1100)$" AND NOT WAVELIFT_SANITIZE) # threaded code
        wl_hip_test(${name}.${variant}.${arch}.threaded "WAVELIFT_ARCH=${arch};WAVELIFT_TIER=1" ${command})
        set_tests_properties(${name}.${variant}.${arch}.threaded PROPERTIES TIMEOUT ${P_TIMEOUT} LABELS "program;${name};${variant};${arch};threaded")
      endif()
      if("${variant}.${arch}" STREQUAL "O3.gfx1030") # from threaded code to native code while it runs: no cache
        wl_hip_test(${name}.${variant}.${arch}.tiers "WAVELIFT_ARCH=${arch};WAVELIFT_TIER=0;WAVELIFT_CACHE_SIZE=0" ${command})
        set_tests_properties(${name}.${variant}.${arch}.tiers PROPERTIES TIMEOUT ${P_TIMEOUT} LABELS "program;${name};${variant};${arch};tiers")
      endif()
      if("${variant}.${arch}" MATCHES "^O3.(gfx90a|gfx1030)$" AND WL_HOST_AVX512) # as on a host without
        wl_hip_test(${name}.${variant}.${arch}.avx2 "WAVELIFT_ARCH=${arch};WAVELIFT_CPU=x86-64-v3" ${command})
        set_tests_properties(${name}.${variant}.${arch}.avx2 PROPERTIES TIMEOUT ${P_TIMEOUT} LABELS "program;${name};${variant};${arch};avx2")
      endif()
    endforeach()
  endforeach()
endfunction()
