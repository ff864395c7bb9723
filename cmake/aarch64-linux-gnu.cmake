# CMake toolchain: an AArch64 host, cross built and run under qemu-user (`make check-aarch64`).
#
#   cmake -DCMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake -DWAVELIFT_SYSROOT=FOLDER ...
#
# WAVELIFT_SYSROOT: what tools/aarch64-sysroot.sh made. Compilers and tools are this machine's, everything else is from there.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES WAVELIFT_SYSROOT)

set(CMAKE_SYSROOT ${WAVELIFT_SYSROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${WAVELIFT_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${WAVELIFT_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${WAVELIFT_SYSROOT}/usr/share/pkgconfig)
# Libraries that the ones linked to need in turn.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,-rpath-link,${WAVELIFT_SYSROOT}/usr/lib/aarch64-linux-gnu)
set(CMAKE_SHARED_LINKER_FLAGS_INIT -Wl,-rpath-link,${WAVELIFT_SYSROOT}/usr/lib/aarch64-linux-gnu)
# Emulation is slow: it leaves the machine to others.
set(CMAKE_CROSSCOMPILING_EMULATOR nice;-n;10;qemu-aarch64-static;-L;${WAVELIFT_SYSROOT})
