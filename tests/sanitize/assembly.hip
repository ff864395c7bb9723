// The kernels of assembly.S, each launched with an offset that is in bounds, or one that is not. Kernels that the processor does not have are
// passed over. The code objects lie beside the program: PROGRAM-gfx90a.co.
#include "catalogue.h"

#include <string>
#include <unistd.h>

enum { ITEMS = 64, BYTES = 256, MORE_BYTES = 512 };

static hipFunction_t find_kernel(const char *name) {
    static hipModule_t module;
    if (!module) {
        hipDeviceProp_t device;
        OK(hipGetDeviceProperties(&device, 0));
        const std::string arch(device.gcnArchName);
        char program[4096] = "";
        if (readlink("/proc/self/exe", program, sizeof program - 1) < 0)
            exit(97);
        OK(hipModuleLoad(&module, (std::string(program) + "-" + arch.substr(0, arch.find(':')) + ".co").c_str()));
    }
    hipFunction_t kernel = nullptr;
    MAY(hipModuleGetFunction(&kernel, module, name));
    return kernel;
}

static void launch(const char *name, int n, bool is_freed = false, unsigned workgroups = 1, unsigned items = ITEMS) {
    hipFunction_t kernel = find_kernel(name);
    Buffer<char> p(BYTES), q(MORE_BYTES);
    char *other;
    OK(hipMalloc((void **)&other, BYTES));
    OK(hipFree(other));
    void *arguments[] = {is_freed ? (void *)&other : (void *)&p.p, &q.p, &n};
    if (kernel)
        OK(hipModuleLaunchKernel(kernel, workgroups, 1, 1, items, 1, 1, 0, nullptr, arguments, nullptr));
}

#define ASSEMBLY(name, sound, fault)                                                                                                       \
    CASE(name) { launch(#name, faulty ? fault : sound); }
#define ASSEMBLY_FREED(name)                                                                                                               \
    CASE(name) { launch(#name, 0, faulty); }

ASSEMBLY(global_store, 0, 4)
ASSEMBLY(global_load_wide, 0, 8)
ASSEMBLY(global_half, 0, 2)
ASSEMBLY(flat_store, 3, 4)
ASSEMBLY(flat_load, 2, 4)
ASSEMBLY(one_lane, 0, BYTES)
ASSEMBLY_FREED(freed)
ASSEMBLY(in_a_subroutine, 0, -4)
ASSEMBLY(global_add, 0, 4)
ASSEMBLY(flat_swap, 0, -8)
ASSEMBLY(exchange_wide, BYTES - 8, BYTES)
ASSEMBLY(odd_add, 0, 2)
ASSEMBLY_FREED(freed_or)
ASSEMBLY(scalar_load, BYTES - 8, BYTES - 4)
ASSEMBLY(scalar_buffer, BYTES - 4, BYTES)
ASSEMBLY(buffer_load, 0, 4)
ASSEMBLY(buffer_store, 2, 4)
ASSEMBLY(buffer_add, 0, 16)
ASSEMBLY(buffer_typed, 0, 4)
ASSEMBLY(lds_write, 0, 4)
ASSEMBLY(lds_pair, 60, 64)
ASSEMBLY(lds_add, 0, 4)
ASSEMBLY(lds_wide, 0, 8)
ASSEMBLY(flat_to_lds, 0, 4)
ASSEMBLY(scratch_write, 60, 64)
ASSEMBLY(scratch_read, 0, 64)
ASSEMBLY(flat_to_scratch, 60, 64)
ASSEMBLY(add_doubles, BYTES - 8, BYTES)
ASSEMBLY(add_halves, 0, 4)
ASSEMBLY(lds_add_doubles, BYTES - 8, BYTES)
ASSEMBLY(scalar_store, BYTES - 4, BYTES)
ASSEMBLY(buffer_to_lds, 0, 4)
ASSEMBLY(beyond_lds, 0, 4)
ASSEMBLY(lds_two_sources, 0, BYTES - 64)
ASSEMBLY(lds_conditional, BYTES - 8, BYTES)
ASSEMBLY(add_floats, 0, 4)
ASSEMBLY(by_lane, 0, BYTES)
ASSEMBLY(transposed, 0, 16)
ASSEMBLY(early_store, 0, 1)
ASSEMBLY(early_second, 0, 1)
ASSEMBLY(early_overwritten, 0, 1)
ASSEMBLY(early_lds, 0, 1)
ASSEMBLY(early_scalar, 0, 1)
ASSEMBLY(early_of_scalars, 0, 1)
ASSEMBLY(early_copy, 0, 1)
ASSEMBLY(early_behind_branch, 0, 1)
ASSEMBLY(early_of_two, 0, 1)
ASSEMBLY(early_in_round, 0, 1)
ASSEMBLY(early_in_pipeline, 0, 1)
ASSEMBLY(early_scalar_behind, 0, 1)
ASSEMBLY(early_lds_behind, 0, 1)
ASSEMBLY(early_data, 0, 1)
CASE(early_flag) { launch("early_flag", faulty, false, 2); }
CASE(flags_of_lanes) { launch("flags_of_lanes", faulty, false, 1, 2 * ITEMS); }
