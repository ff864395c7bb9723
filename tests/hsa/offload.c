/* OpenMP target regions, as LLVM's libomptarget runs them on HSA: mapping, teams, reductions, atomics, critical sections, device memory,
 * declare target, nested functions, asynchronous regions that depend on each other. Prints one line and returns 0 if all is right. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 10000 };
static int a[N], b[N];
static int failures;

#pragma omp declare target
int offset = 11;
static int twice_and(int value) { return 2 * value + offset; }
#pragma omp end declare target

static void check(const char *what, int right) {
    if (!right)
        printf("wrong: %s\n", what);
    failures += !right;
}

int main(void) {
    int on_host = 1, sum = 0, most = 0, counted = 0;
    for (int i = 0; i < N; i++)
        a[i] = i;
#pragma omp target map(from : on_host)
    on_host = omp_is_initial_device();
    check("a region runs on the device", on_host == 0);

#pragma omp target teams distribute parallel for map(to : a) map(from : b)
    for (int i = 0; i < N; i++)
        b[i] = twice_and(a[i]);
    check("teams distribute parallel for", b[0] == 11 && b[N - 1] == 2 * (N - 1) + 11);

    offset = 12;
#pragma omp target update to(offset)
#pragma omp target teams distribute parallel for map(to : a) map(from : b)
    for (int i = 0; i < N; i++)
        b[i] = twice_and(a[i]);
    check("target update of a variable", b[1] == 14);

#pragma omp target teams distribute parallel for reduction(+ : sum) reduction(max : most) map(to : a)
    for (int i = 0; i < N; i++) {
        sum += a[i];
        most = a[i] > most ? a[i] : most;
    }
    check("reductions", sum == N / 2 * (N - 1) && most == N - 1);

#pragma omp target parallel for map(tofrom : counted)
    for (int i = 0; i < N; i++)
#pragma omp atomic
        counted++;
    check("atomic", counted == N);

    int *device = omp_target_alloc(N * sizeof *device, 0);
    check("omp_target_alloc", device != NULL);
#pragma omp target teams distribute parallel for is_device_ptr(device)
    for (int i = 0; i < N; i++)
        device[i] = 3 * i;
    check("omp_target_memcpy", omp_target_memcpy(b, device, sizeof b, 0, 0, omp_get_initial_device(), 0) == 0 && b[N - 1] == 3 * (N - 1));
    omp_target_free(device, 0);

#pragma omp target data map(tofrom : a)
    {
#pragma omp target teams distribute parallel for nowait depend(out : a)
        for (int i = 0; i < N; i++)
            a[i] += 1;
#pragma omp target teams distribute parallel for nowait depend(inout : a)
        for (int i = 0; i < N; i++)
            a[i] *= 2;
#pragma omp taskwait
    }
    check("regions that depend on each other", a[0] == 2 && a[N - 1] == 2 * N);

    int serial = 0;
#pragma omp target map(tofrom : serial)
    {
        int found[64];
        for (int i = 0; i < 64; i++)
            found[i] = 0;
#pragma omp parallel num_threads(64)
        {
#pragma omp critical
            serial += 1;
            found[omp_get_thread_num()] = 1;
        }
        for (int i = 0; i < 64; i++)
            serial += 1000 * found[i];
    }
    check("a parallel region within serial code, with a critical section", serial % 1000 > 0 && serial / 1000 == serial % 1000);
    printf("%d devices, %d failures\n", omp_get_num_devices(), failures);
    return failures != 0;
}
