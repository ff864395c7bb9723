#include "hiprtc/rtc.h"

static struct wl_rtc_live **find(struct wl_rtc_live_list *list, const struct wl_rtc_live *object) {
    struct wl_rtc_live **link = &list->first;
    while (*link && *link != object)
        link = &(*link)->next;
    return link;
}

void wl_rtc_live_add(struct wl_rtc_live_list *list, struct wl_rtc_live *object) {
    pthread_mutex_lock(&list->lock);
    object->next = list->first;
    list->first = object;
    pthread_mutex_unlock(&list->lock);
}

bool wl_rtc_live_has(struct wl_rtc_live_list *list, const void *object) {
    pthread_mutex_lock(&list->lock);
    bool found = object && *find(list, object);
    pthread_mutex_unlock(&list->lock);
    return found;
}

bool wl_rtc_live_remove(struct wl_rtc_live_list *list, const void *object) {
    pthread_mutex_lock(&list->lock);
    struct wl_rtc_live **link = find(list, object), *found = object ? *link : NULL;
    if (found)
        *link = found->next;
    pthread_mutex_unlock(&list->lock);
    return found != NULL;
}
