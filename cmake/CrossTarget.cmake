# WL_CLANG_TARGET: what clang needs to compile for the machine that Wavelift is built for; nothing where that is this one.
set(WL_CLANG_TARGET)
if(CMAKE_CROSSCOMPILING)
  set(WL_CLANG_TARGET --target=${CMAKE_LIBRARY_ARCHITECTURE} --sysroot=${CMAKE_SYSROOT})
endif()
