/* Arrays that grow by one element at a time. */
#ifndef WL_BASE_ARRAY_H
#define WL_BASE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>

/* Whether the array `items` (a pointer from malloc, or NULL) has room for one more element behind `count`. If it has not, its capacity, of
 * `capacity` elements so far, is doubled, from `first` elements on; `items` and `capacity` change. False: there is no memory, and nothing
 * has changed. */
#define WL_ARRAY_RESERVE(items, count, capacity, first)                                                                                    \
    __extension__({                                                                                                                        \
        bool array_has_room = (count) < (capacity);                                                                                        \
        if (!array_has_room) {                                                                                                             \
            const __typeof__(capacity) array_capacity = (capacity) ? 2 * (capacity) : (first);                                             \
            void *array_items = realloc((void *)(items), (size_t)array_capacity * sizeof *(items));                                        \
            if (array_items) {                                                                                                             \
                (items) = array_items;                                                                                                     \
                (capacity) = array_capacity;                                                                                               \
                array_has_room = true;                                                                                                     \
            }                                                                                                                              \
        }                                                                                                                                  \
        array_has_room;                                                                                                                    \
    })

#endif
