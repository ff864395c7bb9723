/* Arrays that grow by one element at a time. */
#ifndef WL_BASE_ARRAY_H
#define WL_BASE_ARRAY_H

#include <stdbool.h>
#include <stdlib.h>

/* Whether the array `items` (a pointer from malloc, or NULL) has room for one more element behind `count`. If it has not, its room, of `room`
 * elements so far, is doubled, from `first` elements on; `items` and `room` change. False: there is no memory, and nothing has changed. */
#define WL_ARRAY_ROOM(items, count, room, first)                                                                                           \
    __extension__({                                                                                                                        \
        bool array_has_room = (count) < (room);                                                                                            \
        if (!array_has_room) {                                                                                                             \
            const __typeof__(room) array_room = (room) ? 2 * (room) : (first);                                                             \
            void *array_items = realloc((void *)(items), (size_t)array_room * sizeof *(items));                                            \
            if (array_items) {                                                                                                             \
                (items) = array_items;                                                                                                     \
                (room) = array_room;                                                                                                       \
                array_has_room = true;                                                                                                     \
            }                                                                                                                              \
        }                                                                                                                                  \
        array_has_room;                                                                                                                    \
    })

#endif
