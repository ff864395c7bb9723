/* Which backends this AML has, at compile time and at run time (AML, "Features Detection API"). */
#ifndef AML_UTILS_FEATURES_H
#define AML_UTILS_FEATURES_H

#ifdef __cplusplus
extern "C" {
#endif

/* At compile time: 1 for what this library was built with. */
#define AML_HAVE_BACKEND_LIBNUMA 0
#define AML_HAVE_BACKEND_CUDA    0
#define AML_HAVE_BACKEND_HWLOC   0
#define AML_HAVE_BACKEND_OPENCL  0
#define AML_HAVE_BACKEND_HIP     1

/* Backends to ask for. Programs use the names: HIP's number is this library's own. */
#define AML_BACKEND_LIBNUMA (1UL << 1)
#define AML_BACKEND_CUDA    (1UL << 2)
#define AML_BACKEND_HWLOC   (1UL << 3)
#define AML_BACKEND_OPENCL  (1UL << 4)
#define AML_BACKEND_HIP     (1UL << 6)

/* Whether all of a set of backends, AML_BACKEND_* combined by |, can be used now: 1 or 0. HIP can if it has a device. Thread-safe. */
int aml_support_backends(const unsigned long backends);

#ifdef __cplusplus
}
#endif

#endif
