/* Stands for a Python module in C that was linked with a HIP library of another version: the devices, as that library counts them. */
int hipGetDeviceCount(int *count);
int devices(void);
int devices(void) {
    int count = 0;
    return hipGetDeviceCount(&count) == 0 ? count : -1;
}
