/* AMD's libraries on this project's device beside what a program on a CPU calls: rocBLAS and OpenBLAS, rocFFT and FFTW, rocSPARSE and a
 * loop in C. */
#include "wild.h"

#include <cblas.h>
#include <fftw3.h>
#include <hip/hip_runtime_api.h>
#include <math.h>
#include <rocblas/rocblas.h>
#include <rocfft/rocfft.h>
#include <rocsparse/internal/generic/rocsparse_spmv.h> /* the header of all of rocSPARSE is not C here */
#include <rocsparse/rocsparse-auxiliary.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(bool done, const char *what) {
    if (done)
        return;
    fprintf(stderr, "failed: %s\n", what);
    exit(1);
}

static void *device(const void *data, size_t bytes) {
    void *copy = NULL;
    need(hipMalloc(&copy, bytes) == hipSuccess, "hipMalloc");
    need(hipMemcpy(copy, data, bytes, hipMemcpyHostToDevice) == hipSuccess, "a copy to the device");
    return copy;
}

static float *numbers(size_t count) {
    float *values = aligned_alloc(64, (count * sizeof *values + 63) / 64 * 64);
    wild_fill(values, count, -1, 1);
    return values;
}

static void wait_for_device(void) { need(hipDeviceSynchronize() == hipSuccess, "a kernel"); }

/* How far the device's floats are from those of the host. */
static double difference_from(const float *wanted, const void *on_device, size_t count) {
    float *got = malloc(count * sizeof *got);
    need(hipMemcpy(got, on_device, count * sizeof *got, hipMemcpyDeviceToHost) == hipSuccess, "a copy from the device");
    const double difference = wild_difference(got, wanted, count);
    free(got);
    return difference;
}

/* ---- BLAS ---- */

struct blas {
    rocblas_handle handle;
    int n;
    float *a, *b, *c;
    void *device_a, *device_b, *device_c;
};

static void our_gemm(void *context) {
    struct blas *p = context;
    const float one = 1, zero = 0;
    need(rocblas_sgemm(p->handle, rocblas_operation_none, rocblas_operation_none, p->n, p->n, p->n, &one, p->device_a, p->n, p->device_b,
                       p->n, &zero, p->device_c, p->n) == rocblas_status_success,
         "rocblas_sgemm");
    wait_for_device();
}

static void their_gemm(void *context) {
    struct blas *p = context;
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, p->n, p->n, p->n, 1, p->a, p->n, p->b, p->n, 0, p->c, p->n);
}

static void our_gemv(void *context) {
    struct blas *p = context;
    const float one = 1, zero = 0;
    need(rocblas_sgemv(p->handle, rocblas_operation_none, p->n, p->n, &one, p->device_a, p->n, p->device_b, 1, &zero, p->device_c, 1) ==
             rocblas_status_success,
         "rocblas_sgemv");
    wait_for_device();
}

static void their_gemv(void *context) {
    struct blas *p = context;
    cblas_sgemv(CblasColMajor, CblasNoTrans, p->n, p->n, 1, p->a, p->n, p->b, 1, 0, p->c, 1);
}

static void measure_blas(const char *name, int n, wild_function *ours, wild_function *theirs, size_t results) {
    const size_t count = (size_t)n * (size_t)n, bytes = count * sizeof(float);
    if (!wild_wanted(name))
        return;
    struct blas p = {.n = n, .a = numbers(count), .b = numbers(count), .c = numbers(count)};
    need(rocblas_create_handle(&p.handle) == rocblas_status_success, "rocblas_create_handle");
    p.device_a = device(p.a, bytes);
    p.device_b = device(p.b, bytes);
    p.device_c = device(p.c, bytes);
    ours(&p);
    theirs(&p);
    wild_measure(name, ours, theirs, &p, difference_from(p.c, p.device_c, results));
    void *const buffers[] = {p.device_a, p.device_b, p.device_c};
    for (int i = 0; i < 3; i++)
        (void)hipFree(buffers[i]);
    free(p.a), free(p.b), free(p.c);
    rocblas_destroy_handle(p.handle);
}

/* ---- Fourier transforms ---- */

struct fft {
    rocfft_plan plan;
    rocfft_execution_info info;
    fftwf_plan their_plan;
    void *device_in, *device_out, *work;
};

static void our_fft(void *context) {
    struct fft *p = context;
    need(rocfft_execute(p->plan, &p->device_in, &p->device_out, p->info) == rocfft_status_success, "rocfft_execute");
    wait_for_device();
}

static void their_fft(void *context) { fftwf_execute(((struct fft *)context)->their_plan); }

/* Complex numbers, `columns` × `rows`; one row: of one dimension. */
static void measure_fft(const char *name, size_t columns, size_t rows) {
    const size_t count = columns * rows, lengths[2] = {columns, rows}, dimensions = rows > 1 ? 2 : 1;
    const int sizes[2] = {(int)(rows > 1 ? rows : columns), (int)columns};
    struct fft p = {0};
    size_t work = 0;
    if (!wild_wanted(name))
        return;
    fftwf_complex *in = fftwf_alloc_complex(count), *out = fftwf_alloc_complex(count);
    p.their_plan = fftwf_plan_dft((int)dimensions, sizes, in, out, FFTW_FORWARD, FFTW_MEASURE);
    wild_fill((float *)in, 2 * count, -1, 1);
    p.device_in = device(in, count * sizeof *in);
    p.device_out = device(in, count * sizeof *in);
    need(rocfft_plan_create(&p.plan, rocfft_placement_notinplace, rocfft_transform_type_complex_forward, rocfft_precision_single,
                            dimensions, lengths, 1, NULL) == rocfft_status_success,
         "rocfft_plan_create");
    rocfft_execution_info_create(&p.info);
    rocfft_plan_get_work_buffer_size(p.plan, &work);
    if (work) {
        need(hipMalloc(&p.work, work) == hipSuccess, "hipMalloc");
        rocfft_execution_info_set_work_buffer(p.info, p.work, work);
    }
    our_fft(&p);
    their_fft(&p);
    wild_measure(name, our_fft, their_fft, &p, difference_from((float *)out, p.device_out, 2 * count));
    (void)hipFree(p.device_in), (void)hipFree(p.device_out), (void)hipFree(p.work);
    rocfft_execution_info_destroy(p.info);
    rocfft_plan_destroy(p.plan);
    fftwf_destroy_plan(p.their_plan);
    fftwf_free(in), fftwf_free(out);
}

/* ---- sparse products ---- */

struct sparse {
    rocsparse_handle handle;
    rocsparse_spmat_descr matrix;
    rocsparse_dnvec_descr vector, result;
    void *work, *device_y;
    size_t work_bytes;
    int rows;
    int32_t *begins, *columns;
    float *values, *x, *y;
};

static void our_spmv(void *context) {
    struct sparse *p = context;
    const float one = 1, zero = 0;
    need(rocsparse_spmv(p->handle, rocsparse_operation_none, &one, p->matrix, p->vector, &zero, p->result, rocsparse_datatype_f32_r,
                        rocsparse_spmv_alg_csr_stream, rocsparse_spmv_stage_compute, &p->work_bytes, p->work) == rocsparse_status_success,
         "rocsparse_spmv");
    wait_for_device();
}

static void their_spmv(void *context) {
    struct sparse *p = context;
#pragma omp parallel for
    for (int row = 0; row < p->rows; row++) {
        float sum = 0;
        for (int32_t i = p->begins[row]; i < p->begins[row + 1]; i++)
            sum += p->values[i] * p->x[p->columns[i]];
        p->y[row] = sum;
    }
}

/* A matrix whose rows have 1 to 2 * mean - 1 elements, most of them near the diagonal. */
static void make_matrix(struct sparse *p, int mean) {
    uint32_t state = 1;
    p->begins = malloc(((size_t)p->rows + 1) * sizeof *p->begins);
    p->columns = malloc((size_t)p->rows * (size_t)mean * 2 * sizeof *p->columns);
    int32_t count = 0;
    for (int row = 0; row < p->rows; row++) {
        p->begins[row] = count;
        state = state * 1664525 + 1013904223;
        const int length = 1 + (int)((state >> 8) % (uint32_t)(2 * mean - 1));
        for (int i = 0; i < length; i++) {
            state = state * 1664525 + 1013904223;
            const int near = row + (int)((state >> 8) % 512) - 256;
            p->columns[count++] = i % 8 == 7       ? (int32_t)((state >> 4) % (uint32_t)p->rows)
                                  : near < 0       ? 0
                                  : near < p->rows ? near
                                                   : p->rows - 1;
        }
    }
    p->begins[p->rows] = count;
}

static void measure_spmv(const char *name, int rows, int mean) {
    struct sparse p = {.rows = rows};
    const float one = 1, zero = 0;
    if (!wild_wanted(name))
        return;
    make_matrix(&p, mean);
    const size_t elements = (size_t)p.begins[rows], n = (size_t)rows;
    p.values = numbers(elements), p.x = numbers(n), p.y = numbers(n);
    void *begins = device(p.begins, (n + 1) * sizeof *p.begins), *columns = device(p.columns, elements * sizeof *p.columns);
    void *values = device(p.values, elements * sizeof *p.values), *x = device(p.x, n * sizeof *p.x);
    p.device_y = device(p.y, n * sizeof *p.y);
    need(rocsparse_create_handle(&p.handle) == rocsparse_status_success, "rocsparse_create_handle");
    rocsparse_create_csr_descr(&p.matrix, rows, rows, (int64_t)elements, begins, columns, values, rocsparse_indextype_i32,
                               rocsparse_indextype_i32, rocsparse_index_base_zero, rocsparse_datatype_f32_r);
    rocsparse_create_dnvec_descr(&p.vector, rows, x, rocsparse_datatype_f32_r);
    rocsparse_create_dnvec_descr(&p.result, rows, p.device_y, rocsparse_datatype_f32_r);
    const rocsparse_spmv_stage stages[] = {rocsparse_spmv_stage_buffer_size, rocsparse_spmv_stage_preprocess};
    for (int i = 0; i < 2; i++) {
        need(rocsparse_spmv(p.handle, rocsparse_operation_none, &one, p.matrix, p.vector, &zero, p.result, rocsparse_datatype_f32_r,
                            rocsparse_spmv_alg_csr_stream, stages[i], &p.work_bytes, p.work) == rocsparse_status_success,
             "rocsparse_spmv's preparation");
        if (i == 0)
            need(hipMalloc(&p.work, p.work_bytes ? p.work_bytes : 4) == hipSuccess, "hipMalloc");
    }
    our_spmv(&p);
    their_spmv(&p);
    wild_measure(name, our_spmv, their_spmv, &p, difference_from(p.y, p.device_y, n));
    void *const buffers[] = {begins, columns, values, x, p.device_y, p.work};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        (void)hipFree(buffers[i]);
    free(p.begins), free(p.columns), free(p.values), free(p.x), free(p.y);
    rocsparse_destroy_spmat_descr(p.matrix), rocsparse_destroy_dnvec_descr(p.vector), rocsparse_destroy_dnvec_descr(p.result);
    rocsparse_destroy_handle(p.handle);
}

int main(int argc, char **argv) {
    const char *threads = getenv("OMP_NUM_THREADS");
    wild_start(argc, argv);
    fftwf_init_threads();
    fftwf_plan_with_nthreads(threads ? (int)strtol(threads, NULL, 10) : 1);
    rocfft_setup();
    measure_blas("sgemm_512", 512, our_gemm, their_gemm, 512 * 512);
    measure_blas("sgemm_2048", 2048, our_gemm, their_gemm, 2048 * 2048);
    measure_blas("sgemv_2048", 2048, our_gemv, their_gemv, 2048);
    measure_fft("fft_4096", 4096, 1);
    measure_fft("fft_2^20", 1 << 20, 1);
    measure_fft("fft_1024x1024", 1024, 1024);
    measure_fft("fft_1000x1000", 1000, 1000);
    measure_spmv("spmv_8_a_row", 1 << 18, 8);
    measure_spmv("spmv_64_a_row", 1 << 15, 64);
    rocfft_cleanup();
    return 0;
}
