/* Arrays that grow. */
#ifndef WL_BASE_ARRAY_H
#define WL_BASE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>

/* Whether the array `items` (a pointer from malloc, or NULL) has room for `more` elements behind `count`. If it has not, its capacity, of
 * `capacity` elements so far, is doubled, from `first` elements on, as often as it takes; `items` and `capacity` change. False: there is no
 * memory, and nothing has changed. */
#define WL_ARRAY_RESERVE_MORE(items, count, more, capacity, first)                                                                         \
    __extension__({                                                                                                                        \
        const size_t array_wanted = (size_t)(count) + (more);                                                                              \
        bool array_has_room = array_wanted <= (capacity);                                                                                  \
        if (!array_has_room) {                                                                                                             \
            __typeof__(capacity) array_capacity = (capacity) ? (capacity) : (first);                                                       \
            while (array_capacity < array_wanted)                                                                                          \
                array_capacity *= 2;                                                                                                       \
            void *array_items = realloc((void *)(items), (size_t)array_capacity * sizeof *(items));                                        \
            if (array_items) {                                                                                                             \
                (items) = array_items;                                                                                                     \
                (capacity) = array_capacity;                                                                                               \
                array_has_room = true;                                                                                                     \
            }                                                                                                                              \
        }                                                                                                                                  \
        array_has_room;                                                                                                                    \
    })

/* The same for one element more. */
#define WL_ARRAY_RESERVE(items, count, capacity, first) WL_ARRAY_RESERVE_MORE(items, count, 1, capacity, first)

#endif
