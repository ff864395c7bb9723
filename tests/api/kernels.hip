// The kernels and variables of the API tests; fake_device.c has the same kernels as C functions.
#define GLOBAL extern "C" __attribute__((global))

extern "C" {
__attribute__((device)) int counter = 7;
__attribute__((constant)) int table[4] = {1, 2, 3, 4};
__attribute__((managed)) int shared_number = 5;
__attribute__((device)) long reference[32]; // room for a texture reference
}

struct Mixed {
    char letters[5];
    double number;
};

static __attribute__((device)) unsigned item() {
    return __builtin_amdgcn_workgroup_id_x() * __builtin_amdgcn_workgroup_size_x() + __builtin_amdgcn_workitem_id_x();
}

GLOBAL void empty() {}

// values[i] += value
GLOBAL void add(int *values, int value, int count) {
    unsigned i = item();
    if (i < (unsigned)count)
        values[i] += value;
}

// Arguments of odd sizes, as one work item sees them.
GLOBAL void arguments(double *out, char a, short b, Mixed c, float d) {
    if (item() == 0) {
        out[0] = a;
        out[1] = b;
        out[2] = c.letters[4];
        out[3] = c.number;
        out[4] = d;
    }
}

GLOBAL void variables(int *out) {
    if (item() == 0) {
        out[0] = counter++;
        out[1] = table[2];
        out[2] = shared_number++;
    }
}

// Ends when another stream or the host sets the flag.
GLOBAL void wait_for(int *flag) {
    if (item() == 0)
        while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
            __builtin_amdgcn_s_sleep(1);
}

GLOBAL void set(int *flag, int value) {
    if (item() == 0)
        __atomic_store_n(flag, value, __ATOMIC_RELEASE);
}

GLOBAL void fault(int *nowhere) { *nowhere = 1; }

GLOBAL void __attribute__((amdgpu_flat_work_group_size(1, 64))) small_block() {}

// Known needs: 1000 bytes of LDS, and an array a lane that cannot live in registers.
GLOBAL void needs(int *out, int index) {
    static __attribute__((shared)) char lds[1000];
    volatile int array[100];
    for (int i = 0; i < 100; i++)
        array[i] = i;
    lds[item()] = (char)index;
    __builtin_amdgcn_s_barrier();
    out[item()] = array[index] + lds[0];
}

// Keeps its worker busy.
GLOBAL void burn(unsigned *out, int rounds) {
    unsigned value = item();
    for (int i = 0; i < rounds; i++)
        value = value * 1664525u + 1013904223u;
    out[item()] = value;
}

// How many workgroups are inside, the most that ever were, and all that came: counts[0..2]. Each stays for some rounds.
GLOBAL void crowd(unsigned *counts, int rounds) {
    if (__builtin_amdgcn_workitem_id_x() == 0) {
        unsigned inside = __atomic_add_fetch(&counts[0], 1, __ATOMIC_SEQ_CST), most = __atomic_load_n(&counts[1], __ATOMIC_RELAXED);
        while (most < inside && !__atomic_compare_exchange_n(&counts[1], &most, inside, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
            ;
        for (volatile int i = 0; i < rounds; i++)
            ;
        __atomic_sub_fetch(&counts[0], 1, __ATOMIC_SEQ_CST);
        __atomic_add_fetch(&counts[2], 1, __ATOMIC_SEQ_CST);
    }
}
