#define SIZE  128 /* of the volume's edges */
#define COUNT (1024 * 1024)
