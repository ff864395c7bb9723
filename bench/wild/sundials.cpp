// Vector operations of SUNDIALS, a collection of solvers for differential equations: its HIP vectors beside its OpenMP vectors.
#include "wild.h"

#include <cmath>
#include <cstdio>
#include <nvector/nvector_hip.h>
#include <nvector/nvector_openmp.h>
#include <vector>

namespace {

constexpr sunindextype length = 1 << 18;
constexpr int vectors = 4;

// One side's vectors: inputs x, y (positive) and w, results z.
struct Side {
    N_Vector x, y, w, z;
    N_Vector *xs, *ys, *zs;
    sunrealtype result;
    void (*operation)(Side &);
    void (*wait)();
};

struct Pair {
    Side ours, theirs;
};

using Results = std::vector<float>;

void wait_for_device() { (void)hipDeviceSynchronize(); }

void run(Side &side) {
    side.operation(side);
    side.wait();
}

void run_ours(void *pair) { run(static_cast<Pair *>(pair)->ours); }

void run_theirs(void *pair) { run(static_cast<Pair *>(pair)->theirs); }

sunrealtype *host_data(N_Vector v) {
    return N_VGetVectorID(v) == SUNDIALS_NVEC_HIP ? N_VGetHostArrayPointer_Hip(v) : N_VGetArrayPointer(v);
}

void fill(N_Vector v, float low, float high) {
    std::vector<float> values(length);
    wild_fill(values.data(), values.size(), low, high);
    sunrealtype *data = host_data(v);
    for (sunindextype i = 0; i < length; i++)
        data[i] = values[static_cast<size_t>(i)];
    if (N_VGetVectorID(v) == SUNDIALS_NVEC_HIP)
        N_VCopyToDevice_Hip(v);
}

Side make(N_Vector first, void (*wait)()) {
    Side side{first, N_VClone(first), N_VClone(first), N_VClone(first)};
    side.xs = N_VCloneVectorArray(vectors, first);
    side.ys = N_VCloneVectorArray(vectors, first);
    side.zs = N_VCloneVectorArray(vectors, first);
    fill(side.x, -1, 1);
    fill(side.y, 0.5F, 1);
    fill(side.w, 0.1F, 2);
    for (int i = 0; i < vectors; i++) {
        fill(side.xs[i], -1, 1);
        fill(side.ys[i], 0.5F, 1);
    }
    side.wait = wait;
    return side;
}

void append(Results &results, N_Vector v) {
    if (N_VGetVectorID(v) == SUNDIALS_NVEC_HIP)
        N_VCopyFromDevice_Hip(v);
    const sunrealtype *data = host_data(v);
    for (sunindextype i = 0; i < length; i++)
        results.push_back(static_cast<float>(data[i]));
}

// What one run from zeros gives.
Results results_of(Side &side) {
    Results results;
    side.result = 0;
    N_VConst(0, side.z);
    for (int i = 0; i < vectors; i++)
        N_VConst(0, side.zs[i]);
    run(side);
    append(results, side.z);
    for (int i = 0; i < vectors; i++)
        append(results, side.zs[i]);
    results.push_back(static_cast<float>(side.result));
    return results;
}

sunrealtype factors[vectors] = {0.5, 2, -1, 0.25};
sunrealtype sums[vectors];

sunrealtype sum_of(const sunrealtype *values) {
    sunrealtype sum = 0;
    for (int i = 0; i < vectors; i++)
        sum += values[i];
    return sum;
}

struct {
    const char *name;
    void (*operation)(Side &);
} const operations[] = {
    {"linear_sum_axpy", [](Side &s) { N_VLinearSum(2, s.x, 1, s.y, s.z); }},
    {"linear_sum", [](Side &s) { N_VLinearSum(2, s.x, -3, s.y, s.z); }},
    {"sum", [](Side &s) { N_VLinearSum(1, s.x, 1, s.y, s.z); }},
    {"const", [](Side &s) { N_VConst(3, s.z); }},
    {"prod", [](Side &s) { N_VProd(s.x, s.y, s.z); }},
    {"div", [](Side &s) { N_VDiv(s.x, s.y, s.z); }},
    {"scale", [](Side &s) { N_VScale(2, s.x, s.z); }},
    {"copy", [](Side &s) { N_VScale(1, s.x, s.z); }},
    {"abs", [](Side &s) { N_VAbs(s.x, s.z); }},
    {"inv", [](Side &s) { N_VInv(s.y, s.z); }},
    {"add_const", [](Side &s) { N_VAddConst(s.x, 2, s.z); }},
    {"dot_prod", [](Side &s) { s.result = N_VDotProd(s.x, s.y); }},
    {"max_norm", [](Side &s) { s.result = N_VMaxNorm(s.x); }},
    {"wrms_norm", [](Side &s) { s.result = N_VWrmsNorm(s.x, s.w); }},
    {"wrms_norm_mask", [](Side &s) { s.result = N_VWrmsNormMask(s.x, s.w, s.x); }},
    {"min", [](Side &s) { s.result = N_VMin(s.x); }},
    {"wl2_norm", [](Side &s) { s.result = N_VWL2Norm(s.x, s.w); }},
    {"l1_norm", [](Side &s) { s.result = N_VL1Norm(s.x); }},
    {"compare", [](Side &s) { N_VCompare(0.5, s.x, s.z); }},
    {"inv_test", [](Side &s) { s.result = N_VInvTest(s.y, s.z); }},
    {"min_quotient", [](Side &s) { s.result = N_VMinQuotient(s.x, s.y); }},
    {"linear_combination", [](Side &s) { N_VLinearCombination(vectors, factors, s.xs, s.z); }},
    {"scale_add_multi", [](Side &s) { N_VScaleAddMulti(vectors, factors, s.x, s.ys, s.zs); }},
    {"dot_prod_multi", [](Side &s) { N_VDotProdMulti(vectors, s.x, s.ys, sums), s.result = sum_of(sums); }},
    {"linear_sum_arrays", [](Side &s) { N_VLinearSumVectorArray(vectors, 2, s.xs, -3, s.ys, s.zs); }},
    {"scale_arrays", [](Side &s) { N_VScaleVectorArray(vectors, factors, s.xs, s.zs); }},
    {"const_arrays", [](Side &s) { N_VConstVectorArray(vectors, 3, s.zs); }},
    {"wrms_norm_arrays", [](Side &s) { N_VWrmsNormVectorArray(vectors, s.xs, s.ys, sums), s.result = sum_of(sums); }},
};

} // namespace

int main(int argc, char **argv) {
    wild_start(argc, argv);
    const char *number = std::getenv("OMP_NUM_THREADS");
    SUNContext context;
    if (SUNContext_Create(SUN_COMM_NULL, &context))
        return 1;
    Pair pair{make(N_VNew_Hip(length, context), wait_for_device),
              make(N_VNew_OpenMP(length, number ? std::atoi(number) : 1, context), [] {})};
    // Both kinds of vectors have operations on several vectors in one kernel; they are off at first.
    for (N_Vector first : {pair.ours.x, pair.ours.xs[0]})
        N_VEnableFusedOps_Hip(first, SUNTRUE);
    for (N_Vector first : {pair.theirs.x, pair.theirs.xs[0]})
        N_VEnableFusedOps_OpenMP(first, SUNTRUE);
    for (const auto &row : operations) {
        if (!wild_wanted(row.name))
            continue;
        pair.ours.operation = pair.theirs.operation = row.operation;
        const Results got = results_of(pair.ours), wanted = results_of(pair.theirs);
        wild_measure(row.name, run_ours, run_theirs, &pair, wild_difference(got.data(), wanted.data(), got.size()));
    }
    return 0;
}
