/* What is installed on this machine to compile HIP with: programs along PATH, AMD's device libraries, AMD's headers. Any thread. */
#ifndef WL_BASE_INSTALLED_H
#define WL_BASE_INSTALLED_H

#include <stdbool.h>
#include <stddef.h>

/* Looks a program up as a shell does; `path` gets its name. A name with a slash is tried as it is. */
bool wl_find_program(const char *name, char *path, size_t size);

/* The folder of the device libraries (of ockl.bc) for a compiler, into `folder`: those among the compiler's own resources, which are of its
 * version; else those that lie beside `library`, a file in the folder of Wavelift's libraries, where it was built or installed, since a
 * distribution's own may lack modules for newer targets; else ROCm's ($ROCM_PATH, /opt/rocm), those of Debian 12, those of another clang.
 * Either may be NULL. */
bool wl_find_device_libraries(const char *compiler, const char *library, char *folder, size_t size);

/* A compiler cannot read bitcode that a later LLVM has made. If the device libraries in that folder are such bitcode for the compiler at that
 * path, as Debian's folders of LLVM tell, this is the clang of their LLVM, where it is installed. */
bool wl_find_newer_compiler(const char *compiler, const char *device_libraries, char *path, size_t size);

/* The folder in which AMD's headers with the device's side of HIP lie: where $HIP_PATH or $ROCM_PATH say. False: they say nothing of the kind. */
bool wl_find_named_headers(char *folder, size_t size);
/* The same: in $HIP_PATH or $ROCM_PATH, in /usr/include, in /opt/rocm. */
bool wl_find_device_headers(char *folder, size_t size);

#endif
