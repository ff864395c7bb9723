#define POINTS  (1 << 16)
#define QUERIES (1 << 15)
#define DEPTH   24 /* of the stack */
