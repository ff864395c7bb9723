/* HIP reference: Memory management, arrays. */
#include "api/api.h"

hipChannelFormatDesc hipCreateChannelDesc(int x, int y, int z, int w, hipChannelFormatKind f) {
    return (hipChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = f};
}
