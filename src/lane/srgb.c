/* sRGB's curve. */
#include "lane/channel_values.h"

#include <math.h>
#include <pthread.h>

static float linear_of_srgb[256];
static pthread_once_t srgb_once = PTHREAD_ONCE_INIT;

static void make_srgb(void) {
    for (int i = 0; i < 256; i++) {
        double c = i / 255.0;
        linear_of_srgb[i] = (float)(c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4));
    }
}

float wl_linear_of_srgb(uint8_t srgb) {
    pthread_once(&srgb_once, make_srgb);
    return linear_of_srgb[srgb];
}

uint32_t wl_srgb_of_linear(float linear) {
    double c = fmin(fmax(linear, 0), 1);
    c = c <= 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1 / 2.4) - 0.055;
    return (uint32_t)nearbyint(c * 255);
}
