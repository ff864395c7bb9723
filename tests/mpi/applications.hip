// applications: what MPI programs with a device a rank do: a stencil with halo exchange, conjugate gradients, a 2-D Fourier transform with an all-to-all, an LU
// decomposition with broadcasts. MPI gets device pointers. Each is done by all ranks together and by rank 0 alone, whose results must be equal: bit by bit
// but for the conjugate gradients, whose sums are in another order.
#include <hip/hip_runtime.h>
#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#define CHECK(call)                                                                                                                        \
    do {                                                                                                                                   \
        const int error = (int)(call);                                                                                                     \
        if (error) {                                                                                                                       \
            printf("FAIL %s: %d\n", #call, error);                                                                                         \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                                                  \
        }                                                                                                                                  \
    } while (0)

constexpr int N = 96; // rows and columns everywhere; numbers of ranks divide it

struct team {
    MPI_Comm comm;
    int rank, ranks, rows; // rows: those of each rank
};

template <class T> struct memory {
    T *at;
    explicit memory(size_t count) {
        CHECK(hipMalloc(&at, count * sizeof(T)));
        CHECK(hipMemset(at, 0, count * sizeof(T)));
    }
    ~memory() { (void)hipFree(at); }
    memory(const memory &) = delete;
};

static dim3 blocks(int count) { return dim3((unsigned)((count + 63) / 64)); }

// Sends the first and last own row to the neighbours and receives theirs. Row 0 and row rows + 1 are the neighbours'.
static void exchange(const team &t, double *field) {
    const int up = t.rank ? t.rank - 1 : MPI_PROC_NULL, down = t.rank + 1 < t.ranks ? t.rank + 1 : MPI_PROC_NULL;
    CHECK(hipDeviceSynchronize());
    CHECK(MPI_Sendrecv(field + N, N, MPI_DOUBLE, up, 1, field + (t.rows + 1) * N, N, MPI_DOUBLE, down, 1, t.comm, MPI_STATUS_IGNORE));
    CHECK(MPI_Sendrecv(field + t.rows * N, N, MPI_DOUBLE, down, 2, field, N, MPI_DOUBLE, up, 2, t.comm, MPI_STATUS_IGNORE));
}

// Gathers all rows at rank 0.
template <class T> static std::vector<T> gather(const team &t, const T *own) {
    std::vector<T> all(t.rank ? 1 : (size_t)N * N);
    const int bytes = t.rows * N * (int)sizeof(T);
    CHECK(hipDeviceSynchronize());
    CHECK(MPI_Gather(own, bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, 0, t.comm));
    return all;
}

__global__ void start(double *field, int rows, int first) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < rows * N)
        field[N + i] = ((i + first * N) * 37 % 101) / 101.0;
}

__global__ void smooth(const double *from, double *to, int rows) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), x = i % N;
    if (i >= rows * N)
        return;
    const double *at = from + N + i;
    to[N + i] = 0.25 * (at[-N] + at[N] + (x ? at[-1] : 0) + (x < N - 1 ? at[1] : 0));
}

static std::vector<double> stencil(const team &t) {
    memory<double> a((t.rows + 2) * N), b((t.rows + 2) * N);
    start<<<blocks(t.rows * N), 64>>>(a.at, t.rows, t.rank * t.rows);
    for (int step = 0; step < 20; step++) {
        exchange(t, a.at);
        smooth<<<blocks(t.rows * N), 64>>>(a.at, b.at, t.rows);
        std::swap(a.at, b.at);
    }
    return gather(t, a.at + N);
}

__global__ void apply(const double *p, double *q, int rows) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), x = i % N;
    if (i >= rows * N)
        return;
    const double *at = p + N + i;
    q[i] = 4 * at[0] - at[-N] - at[N] - (x ? at[-1] : 0) - (x < N - 1 ? at[1] : 0);
}

__global__ void product(const double *a, const double *b, double *sum, int count) {
    __shared__ double part[64];
    double mine = 0;
    for (int i = (int)threadIdx.x; i < count; i += 64)
        mine += a[i] * b[i];
    part[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 32; half; half /= 2) {
        if ((int)threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        *sum = part[0];
}

__global__ void combine(double *y, double a, const double *y0, double b, const double *x, int count) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < count)
        y[i] = a * y0[i] + b * x[i];
}

static double dot(const team &t, const double *a, const double *b) {
    memory<double> own(1), all(1);
    double sum;
    product<<<1, 64>>>(a, b, own.at, t.rows * N);
    CHECK(hipDeviceSynchronize());
    CHECK(MPI_Allreduce(own.at, all.at, 1, MPI_DOUBLE, MPI_SUM, t.comm));
    CHECK(hipMemcpy(&sum, all.at, sizeof sum, hipMemcpyDeviceToHost));
    return sum;
}

static std::vector<double> gradients(const team &t) {
    const int count = t.rows * N;
    memory<double> x(count), r(count + 2 * N), p(count + 2 * N), q(count);
    double *residual = r.at + N, *direction = p.at + N;
    start<<<blocks(count), 64>>>(r.at, t.rows, t.rank * t.rows);
    CHECK(hipMemcpy(direction, residual, count * sizeof(double), hipMemcpyDeviceToDevice));
    double norm = dot(t, residual, residual);
    for (int step = 0; step < 40; step++) {
        exchange(t, p.at);
        apply<<<blocks(count), 64>>>(p.at, q.at, t.rows);
        const double alpha = norm / dot(t, direction, q.at);
        combine<<<blocks(count), 64>>>(x.at, 1, x.at, alpha, direction, count);
        combine<<<blocks(count), 64>>>(residual, 1, residual, -alpha, q.at, count);
        const double next = dot(t, residual, residual);
        combine<<<blocks(count), 64>>>(direction, next / norm, direction, 1, residual, count);
        norm = next;
    }
    return gather(t, x.at);
}

__global__ void transform(const double2 *from, double2 *to, const double2 *roots, int rows) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i >= rows * N)
        return;
    double2 sum = {0, 0};
    for (int k = 0; k < N; k++) {
        const double2 a = from[i / N * N + k], w = roots[k * (i % N) % N];
        sum.x += a.x * w.x - a.y * w.y;
        sum.y += a.x * w.y + a.y * w.x;
    }
    to[i] = sum;
}

// Packs (own row, column) for the rank that gets the column, or unpacks what came from each rank: then rows are what columns were.
__global__ void turn(const double2 *from, double2 *to, int rows, bool unpack) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = i / N, column = i % N;
    if (i >= rows * N)
        return;
    if (unpack)
        to[i] = from[column / rows * rows * rows + row * rows + column % rows];
    else
        to[column / rows * rows * rows + column % rows * rows + row] = from[i];
}

__global__ void points(double2 *field, int rows, int first) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    if (i < rows * N)
        field[i] = {((i + first * N) * 29 % 83) / 83.0, ((i + first * N) * 31 % 89) / 89.0};
}

static std::vector<double> fourier(const team &t) {
    const int count = t.rows * N;
    memory<double2> a(count), b(count), roots(N);
    std::vector<double2> host(N);
    for (int k = 0; k < N; k++)
        host[k] = {std::cos(-2 * M_PI * k / N), std::sin(-2 * M_PI * k / N)};
    CHECK(hipMemcpy(roots.at, host.data(), N * sizeof(double2), hipMemcpyHostToDevice));
    points<<<blocks(count), 64>>>(a.at, t.rows, t.rank * t.rows);
    for (int dimension = 0; dimension < 2; dimension++) {
        transform<<<blocks(count), 64>>>(a.at, b.at, roots.at, t.rows);
        turn<<<blocks(count), 64>>>(b.at, a.at, t.rows, false);
        CHECK(hipDeviceSynchronize());
        const int part = t.rows * t.rows * 2;
        CHECK(MPI_Alltoall(a.at, part, MPI_DOUBLE, b.at, part, MPI_DOUBLE, t.comm));
        turn<<<blocks(count), 64>>>(b.at, a.at, t.rows, true);
    }
    std::vector<double> flat;
    for (const double2 &each : gather(t, a.at))
        flat.push_back(each.x), flat.push_back(each.y);
    return flat;
}

// Columns are spread in turn; local column j is column j * ranks + rank. A column's numbers lie together.
__global__ void matrix(double *columns, int count, int rank, int ranks) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = i % N, column = i / N * ranks + rank;
    if (i < count * N)
        columns[i] = (row * 17 + column * 23) % 61 / 61.0 + (row == column ? N : 0);
}

__global__ void divide(double *column, int k) {
    const int row = (int)threadIdx.x;
    if (row > k)
        column[row] /= column[k];
}

__global__ void eliminate(double *columns, const double *pivot, int k, int count, int rank, int ranks) {
    const int i = (int)(blockIdx.x * blockDim.x + threadIdx.x), row = i % N, column = i / N * ranks + rank;
    if (i < count * N && row > k && column > k)
        columns[i] -= pivot[row] * columns[i / N * N + k];
}

static std::vector<double> decomposition(const team &t) {
    memory<double> columns(t.rows * N), pivot(N);
    matrix<<<blocks(t.rows * N), 64>>>(columns.at, t.rows, t.rank, t.ranks);
    for (int k = 0; k < N; k++) {
        double *mine = columns.at + k / t.ranks * N;
        if (t.rank == k % t.ranks) {
            divide<<<1, N>>>(mine, k);
            CHECK(hipMemcpy(pivot.at, mine, N * sizeof(double), hipMemcpyDeviceToDevice));
        }
        CHECK(hipDeviceSynchronize());
        CHECK(MPI_Bcast(pivot.at, N, MPI_DOUBLE, k % t.ranks, t.comm));
        eliminate<<<blocks(t.rows * N), 64>>>(columns.at, pivot.at, k, t.rows, t.rank, t.ranks);
    }
    const std::vector<double> spread = gather(t, columns.at);
    std::vector<double> all(spread.size());
    for (size_t i = 0; t.rank == 0 && i < all.size(); i++) {
        const size_t owner = i / N / t.rows, local = i / N % t.rows;
        all[(local * t.ranks + owner) * N + i % N] = spread[i];
    }
    return all;
}

int main(int argc, char **argv) {
    team all = {MPI_COMM_WORLD, 0, 1, 0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &all.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &all.ranks);
    all.rows = N / all.ranks;
    int devices = 0, wrong = 0;
    CHECK(hipGetDeviceCount(&devices));
    CHECK(hipSetDevice(all.rank % devices));
    const struct {
        const char *name;
        std::function<std::vector<double>(const team &)> run;
        double error;
    } programs[] = {
        {"stencil", stencil, 0}, {"conjugate gradients", gradients, 1e-9}, {"Fourier transform", fourier, 0}, {"LU", decomposition, 0}};
    for (const auto &program : programs) {
        const std::vector<double> together = program.run(all);
        if (all.rank)
            continue;
        const std::vector<double> alone = program.run({MPI_COMM_SELF, 0, 1, N});
        double largest = 0, sum = 0;
        for (size_t i = 0; i < alone.size(); i++) {
            largest = std::fmax(largest, std::fabs(alone[i] - together[i]));
            sum += std::fabs(alone[i]);
        }
        if (!(largest <= program.error) || !(sum > 0) || alone.size() != together.size()) {
            printf("FAIL %s: differs by %g\n", program.name, largest);
            wrong = 1;
        }
    }
    if (all.rank == 0)
        printf("%s: %d ranks, %d devices each\n", wrong ? "FAIL" : "PASS", all.ranks, devices);
    MPI_Finalize();
    return wrong;
}
