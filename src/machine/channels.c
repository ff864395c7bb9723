/* Numbers of channel formats. */
#include "machine/channels.h"

#include <pthread.h>
#include <string.h>

/* gfx9's data format; then the first of the unified formats on gfx10, and from gfx11 on, with the kinds that follow one another:
 * u n U S i s f r: UNORM SNORM USCALED SSCALED UINT SINT FLOAT SRGB. */
struct row {
    uint8_t data, channels, bits; /* packed: bits of all */
    bool packed;
    uint8_t first10;
    const char *kinds10;
    uint8_t first11;
    const char *kinds11;
};
static const struct row rows[] = {
    {1, 1, 8, false, 1, "unUSis", 1, "unUSis"},
    {2, 1, 16, false, 7, "unUSisf", 7, "unUSisf"},
    {3, 2, 8, false, 14, "unUSis", 14, "unUSis"},
    {4, 1, 32, false, 20, "isf", 20, "isf"},
    {5, 2, 16, false, 23, "unUSisf", 23, "unUSisf"},
    {WL_PACKED_10_11_11, 3, 32, true, 30, "unUSisf", 30, "f"},
    {WL_PACKED_11_11_10, 3, 32, true, 37, "unUSisf", 31, "f"},
    {WL_PACKED_10_10_10_2, 4, 32, true, 44, "unUSis", 32, "unis"},
    {WL_PACKED_2_10_10_10, 4, 32, true, 50, "unUSis", 36, "unUSis"},
    {10, 4, 8, false, 56, "unUSis", 42, "unUSis"},
    {11, 2, 32, false, 62, "isf", 48, "isf"},
    {12, 4, 16, false, 65, "unUSisf", 51, "unUSisf"},
    {13, 3, 32, false, 72, "isf", 58, "isf"},
    {14, 4, 32, false, 75, "isf", 61, "isf"},
    /* of images alone */
    {1, 1, 8, false, 128, "r", 64, "r"},
    {3, 2, 8, false, 129, "r", 65, "r"},
    {10, 4, 8, false, 130, "r", 66, "r"},
    {WL_PACKED_5_9_9_9, 3, 32, true, 132, "f", 67, "f"},
    {WL_PACKED_5_6_5, 3, 16, true, 133, "u", 68, "u"},
    {WL_PACKED_1_5_5_5, 4, 16, true, 134, "u", 69, "u"},
    {WL_PACKED_5_5_5_1, 4, 16, true, 135, "u", 70, "u"},
    {WL_PACKED_4_4_4_4, 4, 16, true, 136, "u", 71, "u"},
};
enum { ROWS = sizeof rows / sizeof *rows, CODES = 256 };

static const char letters[] = "unisfrUS";                   /* by enum wl_channel_number */
static const uint8_t numbers9[] = {0, 1, 4, 5, 7, 9, 2, 3}; /* the same; gfx9's number formats */
enum { SNORM_OLD9 = 6 };                                    /* another SNORM */

static struct wl_channel_format unified[2][CODES], gfx9[16 << 6];
static pthread_once_t tables_once = PTHREAD_ONCE_INIT;

static void make_run(struct wl_channel_format *to, struct wl_channel_format format, const char *kinds) {
    for (; *kinds; kinds++) {
        format.number = (uint8_t)(strchr(letters, *kinds) - letters);
        *to++ = format;
    }
}

static void make_tables(void) {
    for (unsigned i = 0; i < ROWS; i++) {
        const struct row *row = &rows[i];
        const struct wl_channel_format format = {row->channels, row->bits, 0, row->packed ? row->data : WL_PACKED_NONE};
        for (const char *kind = row->kinds10; *kind; kind++) {
            const uint8_t number = (uint8_t)(strchr(letters, *kind) - letters);
            gfx9[row->data | numbers9[number] << 6] = (struct wl_channel_format){format.channels, format.bits, number, format.packed};
        }
        gfx9[row->data | SNORM_OLD9 << 6] = gfx9[row->data | numbers9[WL_NUMBER_SNORM] << 6];
        make_run(&unified[0][row->first10], format, row->kinds10);
        make_run(&unified[1][row->first11], format, row->kinds11);
    }
}

static bool is_row(const struct row *row, const struct wl_channel_format *format) {
    return row->channels == format->channels && row->bits == format->bits && (row->packed ? row->data : WL_PACKED_NONE) == format->packed;
}

uint32_t wl_channel_code(unsigned generation, const struct wl_channel_format *format) {
    for (unsigned i = 0; i < ROWS; i++) {
        const char *kinds = generation > 10 ? rows[i].kinds11 : rows[i].kinds10, *at = strchr(kinds, letters[format->number]);
        if (is_row(&rows[i], format) && at)
            return generation == 9 ? rows[i].data | (uint32_t)numbers9[format->number] << 6
                                   : (uint32_t)(at - kinds) + (generation == 10 ? rows[i].first10 : rows[i].first11);
    }
    return 0;
}

bool wl_channel_decode(unsigned generation, uint32_t code, struct wl_channel_format *format) {
    pthread_once(&tables_once, make_tables);
    *format = (struct wl_channel_format){0};
    if (generation == 9 && code < sizeof gfx9 / sizeof *gfx9)
        *format = gfx9[code];
    else if (generation > 9 && code < CODES)
        *format = unified[generation > 10][code];
    return format->channels != 0;
}
