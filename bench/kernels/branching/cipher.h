#define BLOCKS (1 << 20) /* of four bytes */
#define ROUNDS 22
