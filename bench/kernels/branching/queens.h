#define SIDE  13           /* of the board */
#define FIRST 4            /* rows that are set beforehand */
#define LAST  (1u << SIDE) /* behind the highest column's bit */
#define DEPTH 24           /* of the stack: rows that a board may have */
