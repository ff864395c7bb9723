// The kernels of launch.c; only their launches are timed.
extern "C" __attribute__((global)) void empty() {}

extern "C" __attribute__((global)) void take(int *a, int *b, float c, int d, double e, char f, short g, long h) {
    if (d < 0)
        *a = *b + (int)c + (int)e + f + g + (int)h;
}

// Some microseconds: `rounds` dependent steps in each work item.
extern "C" __attribute__((global)) void work(unsigned *to, unsigned rounds) {
    unsigned x = to[__builtin_amdgcn_workitem_id_x()];
    for (unsigned i = 0; i < rounds; i++)
        x = x * 1664525u + 1013904223u;
    to[__builtin_amdgcn_workitem_id_x()] = x;
}
