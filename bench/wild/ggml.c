/* Operations of ggml, the tensor library of llama.cpp: its HIP kernels beside its CPU kernels, which are written for this host's vectors. */
#include "wild.h"

#include <ggml-alloc.h>
#include <ggml-backend.h>
#include <ggml.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct ggml_context *context_t;
typedef struct ggml_tensor *tensor_t;

#define ROWS    256
#define COLUMNS 4096
#define EPSILON 1e-5F

/* Inputs. What a tensor holds follows from its name. */
static tensor_t named(tensor_t tensor, const char *name) { return ggml_set_name(tensor, name); }

static tensor_t typed(context_t c, enum ggml_type type, int64_t x, int64_t y, int64_t z, int64_t w) {
    return named(ggml_new_tensor_4d(c, type, x, y, z, w), "signed");
}

static tensor_t f32(context_t c, int64_t x, int64_t y, int64_t z, int64_t w) { return typed(c, GGML_TYPE_F32, x, y, z, w); }

static tensor_t matrix(context_t c) { return f32(c, COLUMNS, ROWS, 1, 1); }

static tensor_t positive(context_t c) { return named(matrix(c), "positive"); }

/* Numbers of rows, below `limit`. */
static tensor_t rows(context_t c, enum ggml_type type, int64_t count, int limit) {
    char name[32];
    snprintf(name, sizeof name, "rows %d", limit);
    return named(ggml_new_tensor_1d(c, type, count), name);
}

static tensor_t product(context_t c, enum ggml_type type, int64_t columns) {
    return ggml_mul_mat(c, typed(c, type, COLUMNS, 1024, 1, 1), f32(c, COLUMNS, columns, 1, 1));
}

static tensor_t attention(context_t c, int64_t head, int64_t queries) {
    const enum ggml_type half = GGML_TYPE_F16;
    return ggml_flash_attn_ext(c, f32(c, head, queries, 8, 1), typed(c, half, head, 1024, 8, 1), typed(c, half, head, 1024, 8, 1),
                               named(ggml_new_tensor_4d(c, half, 1024, queries, 1, 1), "zero"), 0.1F, 0, 0);
}

static tensor_t experts(context_t c, enum ggml_type type) {
    char name[] = "rows 8";
    return ggml_mul_mat_id(c, typed(c, type, 2048, 256, 8, 1), f32(c, 2048, 1, 32, 1),
                           named(ggml_new_tensor_2d(c, GGML_TYPE_I32, 2, 32), name));
}

static tensor_t rope(context_t c, int mode) {
    return ggml_rope_ext(c, f32(c, 128, 32, ROWS, 1), rows(c, GGML_TYPE_I32, ROWS, ROWS), NULL, 128, mode, 0, 10000, 1, 0, 1, 0, 0);
}

static tensor_t image(context_t c) { return f32(c, 128, 128, 32, 1); }

/* The operations: a name, and how its tensor is made in context `c`. */
#define OPERATIONS(X)                                                                                                                      \
    X(add, ggml_add(c, matrix(c), matrix(c)))                                                                                              \
    X(add_row, ggml_add(c, matrix(c), f32(c, COLUMNS, 1, 1, 1)))                                                                           \
    X(sub, ggml_sub(c, matrix(c), matrix(c)))                                                                                              \
    X(mul, ggml_mul(c, matrix(c), matrix(c)))                                                                                              \
    X(div, ggml_div(c, matrix(c), positive(c)))                                                                                            \
    X(scale, ggml_scale(c, matrix(c), 0.5F))                                                                                               \
    X(sqr, ggml_sqr(c, matrix(c)))                                                                                                         \
    X(sqrt, ggml_sqrt(c, positive(c)))                                                                                                     \
    X(log, ggml_log(c, positive(c)))                                                                                                       \
    X(exp, ggml_exp(c, matrix(c)))                                                                                                         \
    X(expm1, ggml_expm1(c, matrix(c)))                                                                                                     \
    X(softplus, ggml_softplus(c, matrix(c)))                                                                                               \
    X(sin, ggml_sin(c, matrix(c)))                                                                                                         \
    X(cos, ggml_cos(c, matrix(c)))                                                                                                         \
    X(abs, ggml_abs(c, matrix(c)))                                                                                                         \
    X(sgn, ggml_sgn(c, matrix(c)))                                                                                                         \
    X(neg, ggml_neg(c, matrix(c)))                                                                                                         \
    X(step, ggml_step(c, matrix(c)))                                                                                                       \
    X(tanh, ggml_tanh(c, matrix(c)))                                                                                                       \
    X(elu, ggml_elu(c, matrix(c)))                                                                                                         \
    X(relu, ggml_relu(c, matrix(c)))                                                                                                       \
    X(leaky_relu, ggml_leaky_relu(c, matrix(c), 0.1F, false))                                                                              \
    X(sigmoid, ggml_sigmoid(c, matrix(c)))                                                                                                 \
    X(gelu, ggml_gelu(c, matrix(c)))                                                                                                       \
    X(gelu_erf, ggml_gelu_erf(c, matrix(c)))                                                                                               \
    X(gelu_quick, ggml_gelu_quick(c, matrix(c)))                                                                                           \
    X(silu, ggml_silu(c, matrix(c)))                                                                                                       \
    X(silu_back, ggml_silu_back(c, matrix(c), matrix(c)))                                                                                  \
    X(hardswish, ggml_hardswish(c, matrix(c)))                                                                                             \
    X(hardsigmoid, ggml_hardsigmoid(c, matrix(c)))                                                                                         \
    X(floor, ggml_floor(c, matrix(c)))                                                                                                     \
    X(round, ggml_round(c, matrix(c)))                                                                                                     \
    X(xielu, ggml_xielu(c, matrix(c), 0.5F, 0.5F, 0.5F, 1e-6F))                                                                            \
    X(clamp, ggml_clamp(c, matrix(c), -0.5F, 0.5F))                                                                                        \
    X(reglu, ggml_reglu(c, matrix(c)))                                                                                                     \
    X(geglu, ggml_geglu(c, matrix(c)))                                                                                                     \
    X(swiglu, ggml_swiglu(c, matrix(c)))                                                                                                   \
    X(norm, ggml_norm(c, matrix(c), EPSILON))                                                                                              \
    X(rms_norm, ggml_rms_norm(c, matrix(c), EPSILON))                                                                                      \
    X(rms_norm_back, ggml_rms_norm_back(c, matrix(c), matrix(c), EPSILON))                                                                 \
    X(l2_norm, ggml_l2_norm(c, matrix(c), EPSILON))                                                                                        \
    X(group_norm, ggml_group_norm(c, image(c), 8, EPSILON))                                                                                \
    X(soft_max, ggml_soft_max(c, matrix(c)))                                                                                               \
    X(soft_max_mask, ggml_soft_max_ext(c, f32(c, 1024, 128, 8, 1), named(typed(c, GGML_TYPE_F16, 1024, 128, 1, 1), "zero"), 0.1F, 0))      \
    X(soft_max_back, ggml_soft_max_ext_back(c, matrix(c), positive(c), 1, 0))                                                              \
    X(cross_entropy_loss, ggml_cross_entropy_loss(c, matrix(c), positive(c)))                                                              \
    X(rope_normal, rope(c, 0))                                                                                                             \
    X(rope_neox, rope(c, 2))                                                                                                               \
    X(sum, ggml_sum(c, matrix(c)))                                                                                                         \
    X(sum_rows, ggml_sum_rows(c, matrix(c)))                                                                                               \
    X(mean, ggml_mean(c, matrix(c)))                                                                                                       \
    X(argmax, ggml_argmax(c, matrix(c)))                                                                                                   \
    X(argsort, ggml_argsort(c, f32(c, 1024, ROWS, 1, 1), GGML_SORT_ORDER_ASC))                                                             \
    X(cumsum, ggml_cumsum(c, positive(c)))                                                                                                 \
    X(count_equal, ggml_count_equal(c, rows(c, GGML_TYPE_I32, 1 << 20, 100), rows(c, GGML_TYPE_I32, 1 << 20, 101)))                        \
    X(tri, ggml_tri(c, f32(c, 1024, 1024, 1, 1), GGML_TRI_TYPE_LOWER))                                                                     \
    X(diag_mask_inf, ggml_diag_mask_inf(c, f32(c, 1024, 1024, 1, 1), 0))                                                                   \
    X(solve_tri, ggml_solve_tri(c, named(f32(c, 64, 64, 16, 1), "positive"), f32(c, 64, 64, 16, 1), true, true, false))                    \
    X(concat, ggml_concat(c, matrix(c), matrix(c), 0))                                                                                     \
    X(repeat, ggml_repeat(c, f32(c, COLUMNS, 1, 1, 1), matrix(c)))                                                                         \
    X(repeat_back, ggml_repeat_back(c, matrix(c), f32(c, COLUMNS, 1, 1, 1)))                                                               \
    X(copy_f16, ggml_cast(c, matrix(c), GGML_TYPE_F16))                                                                                    \
    X(copy_q8_0, ggml_cast(c, matrix(c), GGML_TYPE_Q8_0))                                                                                  \
    X(copy_q4_0, ggml_cast(c, matrix(c), GGML_TYPE_Q4_0))                                                                                  \
    X(transpose, ggml_cont(c, ggml_transpose(c, f32(c, 1024, 1024, 1, 1))))                                                                \
    X(permute, ggml_cont(c, ggml_permute(c, f32(c, 128, 32, ROWS, 1), 0, 2, 1, 3)))                                                        \
    X(get_rows, ggml_get_rows(c, f32(c, COLUMNS, 1024, 1, 1), rows(c, GGML_TYPE_I32, ROWS, 1024)))                                         \
    X(get_rows_q4_0, ggml_get_rows(c, typed(c, GGML_TYPE_Q4_0, COLUMNS, 1024, 1, 1), rows(c, GGML_TYPE_I32, ROWS, 1024)))                  \
    X(set_rows_f16, ggml_set_rows(c, typed(c, GGML_TYPE_F16, COLUMNS, ROWS, 1, 1), matrix(c), rows(c, GGML_TYPE_I64, ROWS, ROWS)))         \
    X(acc, ggml_acc(c, matrix(c), f32(c, 1024, 64, 1, 1), COLUMNS * 4, COLUMNS * ROWS * 4, COLUMNS * ROWS * 4, 0))                         \
    X(im2col, ggml_im2col(c, typed(c, GGML_TYPE_F16, 3, 3, 32, 32), image(c), 1, 1, 1, 1, 1, 1, true, GGML_TYPE_F16))                      \
    X(conv_2d, ggml_conv_2d_direct(c, typed(c, GGML_TYPE_F16, 3, 3, 32, 32), f32(c, 64, 64, 32, 1), 1, 1, 1, 1, 1, 1))                     \
    X(conv_2d_dw, ggml_conv_2d_dw_direct(c, f32(c, 3, 3, 1, 32), image(c), 1, 1, 1, 1, 1, 1))                                              \
    X(conv_transpose_1d, ggml_conv_transpose_1d(c, f32(c, 4, 32, 64, 1), f32(c, 256, 64, 1, 1), 2, 0, 1))                                  \
    X(conv_transpose_2d, ggml_conv_transpose_2d_p0(c, typed(c, GGML_TYPE_F16, 3, 3, 16, 16), f32(c, 32, 32, 16, 1), 2))                    \
    X(pool_max, ggml_pool_2d(c, image(c), GGML_OP_POOL_MAX, 2, 2, 2, 2, 0, 0))                                                             \
    X(pool_avg, ggml_pool_2d(c, image(c), GGML_OP_POOL_AVG, 3, 3, 2, 2, 1, 1))                                                             \
    X(upscale_nearest, ggml_upscale(c, image(c), 2, GGML_SCALE_MODE_NEAREST))                                                              \
    X(upscale_bilinear, ggml_upscale(c, image(c), 2, GGML_SCALE_MODE_BILINEAR))                                                            \
    X(pad, ggml_pad(c, image(c), 3, 3, 0, 0))                                                                                              \
    X(pad_reflect, ggml_pad_reflect_1d(c, matrix(c), 8, 8))                                                                                \
    X(roll, ggml_roll(c, matrix(c), 7, 3, 0, 0))                                                                                           \
    X(timestep_embedding, ggml_timestep_embedding(c, f32(c, 1024, 1, 1, 1), 256, 10000))                                                   \
    X(out_prod, ggml_out_prod(c, f32(c, 256, 256, 1, 1), f32(c, 256, 256, 1, 1)))                                                          \
    X(mat_vec_f32, product(c, GGML_TYPE_F32, 1))                                                                                           \
    X(mat_vec_f16, product(c, GGML_TYPE_F16, 1))                                                                                           \
    X(mat_vec_bf16, product(c, GGML_TYPE_BF16, 1))                                                                                         \
    X(mat_vec_q4_0, product(c, GGML_TYPE_Q4_0, 1))                                                                                         \
    X(mat_vec_q5_1, product(c, GGML_TYPE_Q5_1, 1))                                                                                         \
    X(mat_vec_q8_0, product(c, GGML_TYPE_Q8_0, 1))                                                                                         \
    X(mat_vec_q2_K, product(c, GGML_TYPE_Q2_K, 1))                                                                                         \
    X(mat_vec_q3_K, product(c, GGML_TYPE_Q3_K, 1))                                                                                         \
    X(mat_vec_q4_K, product(c, GGML_TYPE_Q4_K, 1))                                                                                         \
    X(mat_vec_q5_K, product(c, GGML_TYPE_Q5_K, 1))                                                                                         \
    X(mat_vec_q6_K, product(c, GGML_TYPE_Q6_K, 1))                                                                                         \
    X(mat_vec_iq4_nl, product(c, GGML_TYPE_IQ4_NL, 1))                                                                                     \
    X(mat_mat_f32, product(c, GGML_TYPE_F32, 64))                                                                                          \
    X(mat_mat_f16, product(c, GGML_TYPE_F16, 64))                                                                                          \
    X(mat_mat_bf16, product(c, GGML_TYPE_BF16, 64))                                                                                        \
    X(mat_mat_q4_0, product(c, GGML_TYPE_Q4_0, 64))                                                                                        \
    X(mat_mat_q8_0, product(c, GGML_TYPE_Q8_0, 64))                                                                                        \
    X(mat_mat_q4_K, product(c, GGML_TYPE_Q4_K, 64))                                                                                        \
    X(mat_mat_q6_K, product(c, GGML_TYPE_Q6_K, 64))                                                                                        \
    X(experts_f16, experts(c, GGML_TYPE_F16))                                                                                              \
    X(experts_q4_0, experts(c, GGML_TYPE_Q4_0))                                                                                            \
    X(attention_64_decode, attention(c, 64, 1))                                                                                            \
    X(attention_128_decode, attention(c, 128, 1))                                                                                          \
    X(attention_64_prompt, attention(c, 64, 64))                                                                                           \
    X(attention_128_prompt, attention(c, 128, 64))                                                                                         \
    X(ssm_conv, ggml_ssm_conv(c, f32(c, 3 + 128, 1024, 1, 1), f32(c, 4, 1024, 1, 1)))                                                      \
    X(wkv6, ggml_rwkv_wkv6(c, f32(c, 64, 16, 64, 1), f32(c, 64, 16, 64, 1), f32(c, 64, 16, 64, 1), f32(c, 64, 16, 1, 1),                   \
                           f32(c, 64, 16, 64, 1), f32(c, 64 * 64 * 16, 1, 1, 1)))                                                          \
    X(wkv7, ggml_rwkv_wkv7(c, f32(c, 64, 16, 64, 1), f32(c, 64, 16, 64, 1), f32(c, 64, 16, 64, 1), f32(c, 64, 16, 64, 1),                  \
                           f32(c, 64, 16, 64, 1), f32(c, 64, 16, 64, 1), f32(c, 64 * 64 * 16, 1, 1, 1)))                                   \
    X(gated_linear_attn, ggml_gated_linear_attn(c, f32(c, 64, 16, 64, 1), f32(c, 64, 16, 64, 1), f32(c, 64, 16, 64, 1),                    \
                                                f32(c, 64, 16, 64, 1), f32(c, 64 * 64 * 16, 1, 1, 1), 0.125F))

#define DEFINE(name, tensor)                                                                                                               \
    static tensor_t make_##name(context_t c) { return tensor; }
OPERATIONS(DEFINE)

static const struct operation {
    const char *name;
    tensor_t (*make)(context_t);
} operations[] = {
#define ROW(name, tensor) {#name, make_##name},
    OPERATIONS(ROW)
#undef ROW
};

/* One side's copy of an operation. */
struct side {
    ggml_backend_t backend;
    context_t context;
    ggml_backend_buffer_t buffer;
    struct ggml_cgraph *graph;
    tensor_t result;
};

struct pair {
    struct side ours, theirs;
};

static void compute(struct side *side) {
    if (ggml_backend_graph_compute(side->backend, side->graph) != GGML_STATUS_SUCCESS) {
        fputs("a backend failed\n", stderr);
        exit(1);
    }
    ggml_backend_synchronize(side->backend);
}

static void compute_ours(void *pair) { compute(&((struct pair *)pair)->ours); }

static void compute_theirs(void *pair) { compute(&((struct pair *)pair)->theirs); }

static void set_rows_of(tensor_t tensor, int limit) {
    const size_t size = ggml_nbytes(tensor);
    void *data = malloc(size);
    for (int64_t i = 0; i < ggml_nelements(tensor); i++)
        if (tensor->type == GGML_TYPE_I64)
            ((int64_t *)data)[i] = i * 7 % limit;
        else
            ((int32_t *)data)[i] = (int32_t)(i * 7 % limit);
    ggml_backend_tensor_set(tensor, data, 0, size);
    free(data);
}

static void set_input(tensor_t tensor) {
    const size_t count = (size_t)ggml_nelements(tensor);
    if (strncmp(tensor->name, "rows ", 5) == 0) {
        set_rows_of(tensor, (int)strtol(tensor->name + 5, NULL, 10));
        return;
    }
    float *values = calloc(count, sizeof *values);
    if (strcmp(tensor->name, "positive") == 0)
        wild_fill(values, count, 0.1F, 1);
    else if (strcmp(tensor->name, "zero") != 0)
        wild_fill(values, count, -1, 1);
    void *data = malloc(ggml_nbytes(tensor));
    if (tensor->type == GGML_TYPE_F32)
        memcpy(data, values, ggml_nbytes(tensor));
    else
        ggml_quantize_chunk(tensor->type, values, data, 0, (int64_t)count / tensor->ne[0], tensor->ne[0], NULL);
    ggml_backend_tensor_set(tensor, data, 0, ggml_nbytes(tensor));
    free(values);
    free(data);
}

/* False if the backend lacks the operation. */
static bool make(struct side *side, const struct operation *operation) {
    const struct ggml_init_params params = {.mem_size = 1 << 20, .no_alloc = true};
    side->context = ggml_init(params);
    side->result = operation->make(side->context);
    side->graph = ggml_new_graph(side->context);
    ggml_build_forward_expand(side->graph, side->result);
    if (!ggml_backend_supports_op(side->backend, side->result))
        return false;
    side->buffer = ggml_backend_alloc_ctx_tensors(side->context, side->backend);
    for (tensor_t tensor = ggml_get_first_tensor(side->context); tensor; tensor = ggml_get_next_tensor(side->context, tensor))
        if (tensor->op == GGML_OP_NONE && !tensor->view_src)
            set_input(tensor);
    return side->buffer != NULL;
}

static void drop(struct side *side) {
    if (side->buffer)
        ggml_backend_buffer_free(side->buffer);
    ggml_free(side->context);
    side->buffer = NULL;
}

static float *values_of(tensor_t tensor) {
    const size_t count = (size_t)ggml_nelements(tensor);
    char *data = malloc(ggml_nbytes(tensor));
    float *values = malloc(count * sizeof *values);
    ggml_backend_tensor_get(tensor, data, 0, ggml_nbytes(tensor));
    if (tensor->type == GGML_TYPE_F32)
        memcpy(values, data, count * sizeof *values);
    else if (tensor->type == GGML_TYPE_I32)
        for (size_t i = 0; i < count; i++)
            values[i] = (float)((int32_t *)(void *)data)[i];
    else if (tensor->type == GGML_TYPE_I64)
        for (size_t i = 0; i < count; i++)
            values[i] = (float)((int64_t *)(void *)data)[i];
    else
        ggml_get_type_traits(tensor->type)->to_float(data, values, (int64_t)count);
    free(data);
    return values;
}

static void measure(struct pair *pair, const struct operation *operation) {
    const bool ours = make(&pair->ours, operation), theirs = make(&pair->theirs, operation);
    if (ours && theirs) {
        compute_ours(pair);
        compute_theirs(pair);
        float *got = values_of(pair->ours.result), *wanted = values_of(pair->theirs.result);
        const double difference = wild_difference(got, wanted, (size_t)ggml_nelements(pair->ours.result));
        free(got);
        free(wanted);
        wild_measure(operation->name, compute_ours, compute_theirs, pair, difference);
    } else
        wild_skip(operation->name, "a backend lacks it");
    drop(&pair->ours);
    drop(&pair->theirs);
}

/* Threads of the CPU backend: a function that its library gives by name. */
static void set_threads(ggml_backend_t backend, int threads) {
    const ggml_backend_reg_t library = ggml_backend_dev_backend_reg(ggml_backend_get_device(backend));
    void *function = ggml_backend_reg_get_proc_address(library, "ggml_backend_set_n_threads");
    ggml_backend_set_n_threads_t set;
    memcpy(&set, &function, sizeof set);
    if (set)
        set(backend, threads);
}

int main(int argc, char **argv) {
    const char *threads = getenv("OMP_NUM_THREADS");
    struct pair pair = {0};
    wild_start(argc, argv);
    ggml_backend_load_all();
    pair.ours.backend = ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_GPU, NULL);
    pair.theirs.backend = ggml_backend_init_by_type(GGML_BACKEND_DEVICE_TYPE_CPU, NULL);
    if (!pair.ours.backend || !pair.theirs.backend) {
        fputs("ggml has no HIP backend or no CPU backend here\n", stderr);
        return 1;
    }
    set_threads(pair.theirs.backend, threads ? (int)strtol(threads, NULL, 10) : 1);
    for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
        if (wild_wanted(operations[i].name))
            measure(&pair, &operations[i]);
    return 0;
}
