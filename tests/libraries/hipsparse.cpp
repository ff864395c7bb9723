/* Debian's librocsparse, compiled by others, called through hipSPARSE: products of a sparse matrix with a vector and with a dense
 * matrix, triangular solves, and conversions between formats, against plain loops on the host. All numbers are small integers or
 * halves, so that every order of summation gives the same result and everything is compared bit for bit; the triangular
 * matrices have ones on their diagonals for the same reason.
 *     hipsparse [ROWS] */
#include <hip/hip_runtime_api.h>
#include <hipsparse/hipsparse.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

static int failures;

#define DO(call)                                                                                                                           \
    do {                                                                                                                                   \
        int status_ = (int)(call);                                                                                                         \
        if (status_ != 0) {                                                                                                                \
            printf("FAIL hipsparse: line %d: %s: status %d\n", __LINE__, #call, status_);                                                  \
            exit(1);                                                                                                                       \
        }                                                                                                                                  \
    } while (0)

template <class T> struct array { /* on the device; never freed */
    T *data;
    size_t count;
    explicit array(size_t n) : count(n) { DO(hipMalloc((void **)&data, (n + 1) * sizeof(T))); }
    explicit array(const std::vector<T> &host) : array(host.size()) {
        DO(hipMemcpy(data, host.data(), count * sizeof(T), hipMemcpyHostToDevice));
    }
    std::vector<T> host() const {
        std::vector<T> copy(count);
        DO(hipMemcpy(copy.data(), data, count * sizeof(T), hipMemcpyDeviceToHost));
        return copy;
    }
};

template <class T> static void compare(const char *what, const std::vector<T> &out, const std::vector<T> &want) {
    size_t wrong = 0, first = 0;
    for (size_t i = 0; i < want.size(); i++)
        if (!(out[i] == want[i]) && wrong++ == 0)
            first = i;
    if (wrong) {
        printf("FAIL %s: %zu of %zu differ; [%zu] is %.17g instead of %.17g\n", what, wrong, want.size(), first, (double)out[first],
               (double)want[first]);
        failures++;
    } else {
        printf("%s: %zu equal\n", what, want.size());
    }
}

static unsigned state = 12345;
static unsigned random_number(unsigned n) {
    state = state * 1664525 + 1013904223;
    return (state >> 8) % n;
}

struct csr {
    int rows, columns;
    std::vector<int> start, column;
    std::vector<double> value;
};

/* `lower`: unit lower triangular with small off-diagonal values, so that solutions stay exact. Some rows are empty, some long. */
static csr make(int rows, int columns, bool lower) {
    csr a = {rows, columns, {0}, {}, {}};
    for (int r = 0; r < rows; r++) {
        unsigned likely = r % 17 == 3 ? 2 : r % 13 == 5 ? 0 : 24;
        for (int c = 0; c < columns && (!lower || c <= r); c++) {
            bool diagonal = lower && c == r;
            if (!diagonal && (!likely || random_number(likely) != 0 || (lower && c + 12 < r)))
                continue;
            a.column.push_back(c);
            a.value.push_back(diagonal ? 1 : lower ? (double)random_number(3) - 1 : ((double)random_number(31) - 15) / 2);
        }
        a.start.push_back((int)a.column.size());
    }
    return a;
}

static std::vector<double> make_vector(size_t n) {
    std::vector<double> x(n);
    for (double &v : x)
        v = (double)random_number(17) - 8;
    return x;
}

static void test_products(hipsparseHandle_t handle, hipsparseMatDescr_t general, int rows) {
    enum { DENSE = 9 };
    csr a = make(rows, rows + 5, false);
    int nnz = (int)a.value.size();
    array<int> start(a.start), column(a.column);
    array<double> value(a.value);
    double alpha = 2, beta = -0.5;
    for (int transposed = 0; transposed < 2; transposed++) {
        std::vector<double> x = make_vector(transposed ? a.rows : a.columns), y = make_vector(transposed ? a.columns : a.rows), want(y);
        for (double &v : want)
            v *= beta;
        for (int r = 0; r < a.rows; r++)
            for (int i = a.start[r]; i < a.start[r + 1]; i++)
                want[transposed ? a.column[i] : r] += alpha * a.value[i] * x[transposed ? r : a.column[i]];
        array<double> dx(x), dy(y);
        DO(hipsparseDcsrmv(handle, transposed ? HIPSPARSE_OPERATION_TRANSPOSE : HIPSPARSE_OPERATION_NON_TRANSPOSE, a.rows, a.columns, nnz,
                           &alpha, general, value.data, start.data, column.data, dx.data, &beta, dy.data));
        compare(transposed ? "csrmv, transposed" : "csrmv", dy.host(), want);
    }
    std::vector<double> b = make_vector((size_t)a.columns * DENSE), c = make_vector((size_t)a.rows * DENSE), want(c); /* by columns */
    for (double &v : want)
        v *= beta;
    for (int k = 0; k < DENSE; k++)
        for (int r = 0; r < a.rows; r++)
            for (int i = a.start[r]; i < a.start[r + 1]; i++)
                want[(size_t)k * a.rows + r] += alpha * a.value[i] * b[(size_t)k * a.columns + a.column[i]];
    array<double> db(b), dc(c);
    DO(hipsparseDcsrmm(handle, HIPSPARSE_OPERATION_NON_TRANSPOSE, a.rows, DENSE, a.columns, nnz, &alpha, general, value.data, start.data,
                       column.data, db.data, a.columns, &beta, dc.data, a.rows));
    compare("csrmm", dc.host(), want);
}

static void test_solve(hipsparseHandle_t handle, int rows) {
    csr a = make(rows, rows, true);
    int nnz = (int)a.value.size(), bytes = 0;
    hipsparseMatDescr_t lower;
    DO(hipsparseCreateMatDescr(&lower));
    DO(hipsparseSetMatFillMode(lower, HIPSPARSE_FILL_MODE_LOWER));
    DO(hipsparseSetMatDiagType(lower, HIPSPARSE_DIAG_TYPE_NON_UNIT));
    csrsv2Info_t info;
    DO(hipsparseCreateCsrsv2Info(&info));
    std::vector<double> f = make_vector(rows), want(rows);
    for (int r = 0; r < rows; r++) {
        double sum = 3 * f[r];
        for (int i = a.start[r]; i < a.start[r + 1] - 1; i++)
            sum -= a.value[i] * want[a.column[i]];
        want[r] = sum;
    }
    array<int> start(a.start), column(a.column);
    array<double> value(a.value), df(f), x(rows);
    double alpha = 3;
    DO(hipsparseDcsrsv2_bufferSize(handle, HIPSPARSE_OPERATION_NON_TRANSPOSE, rows, nnz, lower, value.data, start.data, column.data, info,
                                   &bytes));
    array<char> buffer((size_t)bytes);
    DO(hipsparseDcsrsv2_analysis(handle, HIPSPARSE_OPERATION_NON_TRANSPOSE, rows, nnz, lower, value.data, start.data, column.data, info,
                                 HIPSPARSE_SOLVE_POLICY_USE_LEVEL, buffer.data));
    DO(hipsparseDcsrsv2_solve(handle, HIPSPARSE_OPERATION_NON_TRANSPOSE, rows, nnz, &alpha, lower, value.data, start.data, column.data,
                              info, df.data, x.data, HIPSPARSE_SOLVE_POLICY_USE_LEVEL, buffer.data));
    DO(hipDeviceSynchronize());
    compare("csrsv2", x.host(), want);
}

static void test_conversions(hipsparseHandle_t handle, hipsparseMatDescr_t general, int rows) {
    csr a = make(rows, rows - 7, false);
    for (double &v : a.value)
        v = v == 0 ? 1 : v; /* dense2csr drops zeros */
    int nnz = (int)a.value.size();
    array<int> start(a.start), column(a.column);
    array<double> value(a.value);

    std::vector<int> row(nnz), csc_start(a.columns + 1), csc_row(nnz);
    std::vector<double> csc_value(nnz), dense((size_t)a.rows * a.columns);
    int at = 0;
    for (int c = 0; c < a.columns; c++) {
        for (int r = 0; r < a.rows; r++)
            for (int i = a.start[r]; i < a.start[r + 1]; i++)
                if (a.column[i] == c) {
                    csc_row[at] = r;
                    csc_value[at++] = a.value[i];
                    row[i] = r;
                    dense[(size_t)c * a.rows + r] = a.value[i];
                }
        csc_start[c + 1] = at;
    }
    array<int> coo(nnz), back(a.rows + 1), starts(a.columns + 1), rows_(nnz);
    DO(hipsparseXcsr2coo(handle, start.data, nnz, a.rows, coo.data, HIPSPARSE_INDEX_BASE_ZERO));
    compare("csr2coo", coo.host(), row);
    DO(hipsparseXcoo2csr(handle, coo.data, nnz, a.rows, back.data, HIPSPARSE_INDEX_BASE_ZERO));
    compare("coo2csr", back.host(), a.start);
    array<double> values(nnz), matrix(dense.size());
    DO(hipsparseDcsr2csc(handle, a.rows, a.columns, nnz, value.data, start.data, column.data, values.data, rows_.data, starts.data,
                         HIPSPARSE_ACTION_NUMERIC, HIPSPARSE_INDEX_BASE_ZERO));
    compare("csr2csc values", values.host(), csc_value);
    compare("csr2csc rows", rows_.host(), csc_row);
    compare("csr2csc columns", starts.host(), csc_start);
    DO(hipsparseDcsr2dense(handle, a.rows, a.columns, general, value.data, start.data, column.data, matrix.data, a.rows));
    compare("csr2dense", matrix.host(), dense);
    int total = -1;
    array<int> counts(a.rows), start2(a.rows + 1), column2(nnz);
    array<double> value2(nnz);
    DO(hipsparseDnnz(handle, HIPSPARSE_DIRECTION_ROW, a.rows, a.columns, general, matrix.data, a.rows, counts.data, &total));
    compare("nnz", std::vector<int>{total}, std::vector<int>{nnz});
    DO(hipsparseDdense2csr(handle, a.rows, a.columns, general, matrix.data, a.rows, counts.data, value2.data, start2.data, column2.data));
    compare("dense2csr rows", start2.host(), a.start);
    compare("dense2csr columns", column2.host(), a.column);
    compare("dense2csr values", value2.host(), a.value);
}

int main(int argc, char **argv) {
    int rows = argc > 1 ? atoi(argv[1]) : 211;
    hipsparseHandle_t handle;
    hipsparseMatDescr_t general;
    DO(hipsparseCreate(&handle));
    DO(hipsparseCreateMatDescr(&general));
    test_products(handle, general, rows);
    test_solve(handle, rows);
    test_conversions(handle, general, rows);
    DO(hipsparseDestroy(handle));
    puts(failures ? "FAIL hipsparse" : "PASS hipsparse");
    return failures != 0;
}
