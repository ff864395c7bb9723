// Sparse matrix times vector, CSR: one row a work item, and one row a wave with a shuffle reduction.
#include "check.h"

#include <vector>

__global__ void spmv_item(int rows, const int *start, const int *column, const double *value, const double *x, double *y) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = start[row]; i < start[row + 1]; i++)
        sum = fma(value[i], x[column[i]], sum);
    y[row] = sum;
}

__global__ void spmv_wave(int rows, const int *start, const int *column, const double *value, const double *x, double *y) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / warpSize, lane = threadIdx.x % warpSize;
    if (row >= rows)
        return;
    double sum = 0;
    for (int i = start[row] + lane; i < start[row + 1]; i += warpSize)
        sum = fma(value[i], x[column[i]], sum);
    for (int offset = warpSize / 2; offset > 0; offset /= 2)
        sum += __shfl_down(sum, offset);
    if (lane == 0)
        y[row] = sum;
}

int main(int argc, char **argv) {
    check_name = "spmv";
    int rows = (int)argument(argc, argv, 1, 20000);
    std::vector<int> start(rows + 1), column;
    std::vector<double> value, x(rows), want(rows), got(rows);
    Random random;
    for (int row = 0; row < rows; row++) {
        int length = (int)(random.next() % 40) * (row % 50 == 0 ? 10 : 1); // some long rows, some empty
        for (int i = 0; i < length; i++) {
            column.push_back((int)(random.next() % (unsigned)rows));
            value.push_back(random.uniform() - 0.5);
        }
        start[row + 1] = (int)column.size();
        x[row] = random.uniform();
    }
    int *ds, *dc;
    double *dv, *dx, *dy;
    HIP(hipMalloc((void **)&ds, start.size() * 4));
    HIP(hipMalloc((void **)&dc, column.size() * 4));
    HIP(hipMalloc((void **)&dv, value.size() * 8));
    HIP(hipMalloc((void **)&dx, rows * 8));
    HIP(hipMalloc((void **)&dy, rows * 8));
    HIP(hipMemcpy(ds, start.data(), start.size() * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(dc, column.data(), column.size() * 4, hipMemcpyHostToDevice));
    HIP(hipMemcpy(dv, value.data(), value.size() * 8, hipMemcpyHostToDevice));
    HIP(hipMemcpy(dx, x.data(), rows * 8, hipMemcpyHostToDevice));

    spmv_item<<<(rows + 127) / 128, 128>>>(rows, ds, dc, dv, dx, dy);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), dy, rows * 8, hipMemcpyDeviceToHost));
    for (int row = 0; row < rows; row++) {
        want[row] = 0;
        for (int i = start[row]; i < start[row + 1]; i++)
            want[row] = std::fma(value[i], x[column[i]], want[row]);
    }
    compare("y", got.data(), want.data(), rows);

    hipDeviceProp_t properties;
    HIP(hipGetDeviceProperties(&properties, 0));
    int lanes = properties.warpSize;
    HIP(hipMemset(dy, 0xff, rows * 8));
    spmv_wave<<<(unsigned)(((size_t)rows * lanes + 127) / 128), 128>>>(rows, ds, dc, dv, dx, dy);
    HIP_FINISH();
    HIP(hipMemcpy(got.data(), dy, rows * 8, hipMemcpyDeviceToHost));
    for (int row = 0; row < rows; row++) { // the same sums in the order of the lanes
        double sum[64] = {};
        for (int i = start[row]; i < start[row + 1]; i++) {
            double &lane = sum[(i - start[row]) % lanes];
            lane = std::fma(value[i], x[column[i]], lane);
        }
        for (int offset = lanes / 2; offset > 0; offset /= 2)
            for (int i = 0; i < offset; i++)
                sum[i] += sum[i + offset];
        want[row] = sum[0];
    }
    compare("y by waves", got.data(), want.data(), rows);
    return finish();
}
