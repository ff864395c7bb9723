/* Which copy of vector code that is compiled for several kinds of hosts this machine runs. */
#ifndef WL_DEVICE_CPU_VECTORS_H
#define WL_DEVICE_CPU_VECTORS_H

/* The copies: plain code; -march=x86-64-v3; -march=x86-64-v4. */
enum wl_vectors { WL_VECTORS_BASE, WL_VECTORS_AVX2, WL_VECTORS_AVX512 };

/* The best that the processor has, at most what the option for the code's processor (WAVELIFT_CPU) allows. Thread-safe; does not
 * remember its answer. */
enum wl_vectors wl_host_vectors(void);

#endif
