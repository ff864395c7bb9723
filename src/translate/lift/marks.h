/* What lifted code says about itself to the passes of native/ and nvptx/. */
#ifndef WL_TRANSLATE_LIFT_MARKS_H
#define WL_TRANSLATE_LIFT_MARKS_H

/* What the names of blocks begin with that call a slow function after a test said so. */
#define WL_COLD_BLOCK "far"
/* The kind of metadata that stores to the wave carry which only exits before the wave's end do. */
#define WL_LEAVING "wavelift.leaving"

#endif
