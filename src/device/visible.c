#include "device/visible.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TOKEN 64 /* more than any UUID has */

void wl_device_uuid_text(const struct wl_device_info *info, char text[WL_DEVICE_UUID_TEXT]) {
    if (!info->discrete) { /* the digits themselves, as AMD's runtime has them */
        snprintf(text, WL_DEVICE_UUID_TEXT, "GPU-%.16s", (const char *)info->uuid);
        return;
    }
    size_t used = (size_t)snprintf(text, WL_DEVICE_UUID_TEXT, "GPU-");
    for (size_t i = 0; i < sizeof info->uuid; i++)
        used += (size_t)snprintf(text + used, WL_DEVICE_UUID_TEXT - used, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                                 info->uuid[i]);
}

/* ---- lists ------------------------------------------------------------------------------------- */

/* The devices that a list may choose from, by their numbers, and what it chose. */
struct choice {
    const struct wl_device_info *infos;
    const unsigned *from;
    unsigned from_count;
    unsigned *chosen;
    unsigned count;
};

/* The next entry of a list, of which what does not fit is cut off: it is none then. False: the list is at its end. */
static bool next_token(const char **list, const char *end, char token[TOKEN]) {
    if (*list >= end)
        return false;
    size_t length = 0;
    for (; *list < end && **list != ','; (*list)++)
        if (length < TOKEN - 1)
            token[length++] = **list;
    token[length] = 0;
    (*list)++; /* the comma */
    return true;
}

static bool is_chosen(const struct choice *choice, unsigned device) {
    for (unsigned i = 0; i < choice->count; i++)
        if (choice->chosen[i] == device)
            return true;
    return false;
}

/* ---- ROCR_VISIBLE_DEVICES ------------------------------------------------------------------------ */

static void trim(char *token) {
    size_t length = strlen(token), blank = strspn(token, " \t\n\r\f\v");
    while (length > blank && isspace((unsigned char)token[length - 1]))
        length--;
    memmove(token, token + blank, length - blank);
    token[length - blank] = 0;
}

/* The one device whose UUID begins so; -1: none, or several. */
static int with_prefix(const struct choice *choice, const char *token) {
    int found = -1;
    if (strlen(token) <= strlen("GPU-"))
        return -1;
    for (unsigned i = 0; i < choice->from_count; i++) {
        char text[WL_DEVICE_UUID_TEXT];
        wl_device_uuid_text(&choice->infos[choice->from[i]], text);
        if (strncasecmp(text, token, strlen(token)) != 0)
            continue;
        if (found >= 0)
            return -1;
        found = (int)i;
    }
    return found;
}

static int rocr_device(const struct choice *choice, char *token) {
    char *end = NULL;
    trim(token);
    if (token[0] == 'G' || token[0] == 'g')
        return with_prefix(choice, token);
    long number = strtol(token, &end, 0);
    return *token && !*end && number >= 0 && number < (long)choice->from_count ? (int)number : -1;
}

static void read_rocr(struct choice *choice, const char *list) {
    char token[TOKEN];
    for (const char *end = list + strlen(list); next_token(&list, end, token);) {
        int device = rocr_device(choice, token);
        if (device < 0 || is_chosen(choice, choice->from[device]))
            return;
        choice->chosen[choice->count++] = choice->from[device];
    }
}

/* ---- HIP_VISIBLE_DEVICES -------------------------------------------------------------------------- */

static int hip_device(const struct choice *choice, const char *token) {
    char text[WL_DEVICE_UUID_TEXT];
    for (unsigned i = 0; i < choice->from_count; i++) {
        wl_device_uuid_text(&choice->infos[choice->from[i]], text);
        if (strstr(token, "GPU-") && strstr(text, token))
            return (int)i;
        snprintf(text, sizeof text, "%u", i); /* nothing but this form: no blanks, no sign */
        if (strcmp(token, text) == 0)
            return (int)i;
    }
    return -1;
}

static void read_hip(struct choice *choice, const char *list) {
    char token[TOKEN];
    const char *end = list + strlen(list), *quote = list + strspn(list, " ");
    if (*quote == '"') { /* AMD's runtime takes the quotes off that a shell script left */
        const char *last = end;
        while (last > quote + 1 && last[-1] == ' ')
            last--;
        if (last > quote + 1 && last[-1] == '"') {
            list = quote + 1;
            end = last - 1;
        }
    }
    while (next_token(&list, end, token)) {
        int device = hip_device(choice, token);
        if (device < 0)
            return;
        if (!is_chosen(choice, choice->from[device]))
            choice->chosen[choice->count++] = choice->from[device];
    }
}

/* ---- the environment --------------------------------------------------------------------------- */

unsigned wl_devices_visible(const struct wl_device_info *infos, unsigned count, bool cuda_opened, unsigned *chosen) {
    unsigned some[WL_MAX_DEVICES];
    const char *rocr = getenv("ROCR_VISIBLE_DEVICES"); /* NOLINT(concurrency-mt-unsafe): read once, when devices are made */
    const char *hip = getenv("HIP_VISIBLE_DEVICES");   /* NOLINT(concurrency-mt-unsafe): the same */
    if (!hip && !cuda_opened)
        hip = getenv("CUDA_VISIBLE_DEVICES"); /* NOLINT(concurrency-mt-unsafe): the same */
    for (unsigned i = 0; i < count; i++)
        chosen[i] = i;
    const struct choice all = {.infos = infos, .from = some, .chosen = chosen};
    for (unsigned pass = 0; pass < 2; pass++) {
        const char *list = pass ? hip : rocr;
        if (!list)
            continue;
        struct choice choice = all;
        choice.from_count = count;
        memcpy(some, chosen, count * sizeof *some);
        if (pass)
            read_hip(&choice, list);
        else
            read_rocr(&choice, list);
        count = choice.count;
    }
    return count;
}

unsigned wl_devices_ranks(void) {
    static const char *const names[] = {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_STEP_TASKS_PER_NODE"};
    unsigned long ranks = 0;
    for (unsigned i = 0; i < sizeof names / sizeof *names && !ranks; i++) {
        const char *text = getenv(names[i]); /* NOLINT(concurrency-mt-unsafe): read once, when devices are made */
        ranks = text && *text >= '0' && *text <= '9' ? strtoul(text, NULL, 10) : 0;
    }
    return !ranks ? 1 : ranks < WL_MAX_DEVICES ? (unsigned)ranks : WL_MAX_DEVICES;
}
