/* Variables that waves synchronize by: what was published through them. */
#include "sanitize/race_state.h"

#include "base/table.h"

#include <stdlib.h>

enum { SHARDS = 64 };

struct variable {
    struct wl_clock *clock;
};
struct wl_race_variables {
    struct wl_table table;
};
static struct shard {
    pthread_mutex_t lock;
    struct wl_race_variables variables;
    atomic_size_t count; /* to look without the lock */
} shards[SHARDS];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void start(void) {
    for (unsigned i = 0; i < SHARDS; i++)
        pthread_mutex_init(&shards[i].lock, NULL);
}

static struct shard *shard_of(uint64_t key) {
    pthread_once(&once, start);
    return &shards[key * UINT64_C(0x9e3779b97f4a7c15) >> 58];
}

void wl_race_variable_read(struct wl_race_variables *variables, uint64_t key, struct wl_clock **clock) {
    struct shard *shard = NULL;
    if (!variables) {
        shard = shard_of(key);
        if (!atomic_load_explicit(&shard->count, memory_order_relaxed))
            return;
        pthread_mutex_lock(&shard->lock);
        variables = &shard->variables;
    }
    const struct variable *variable = wl_table_find(&variables->table, key);
    if (variable)
        wl_clock_join(clock, variable->clock);
    if (shard)
        pthread_mutex_unlock(&shard->lock);
}

static bool release(struct wl_race_variables *variables, uint64_t key, struct wl_clock *clock) {
    struct variable *variable = wl_table_find(&variables->table, key);
    if (!variable) {
        variable = wl_table_make(&variables->table, key, sizeof *variable);
        if (!variable)
            return false;
    }
    wl_clock_join(&variable->clock, clock);
    return true;
}

bool wl_race_variable_release(struct wl_race_variables **variables, uint64_t key, struct wl_clock *clock) {
    if (variables) {
        if (!*variables)
            *variables = calloc(1, sizeof **variables);
        return *variables && release(*variables, key, clock);
    }
    struct shard *shard = shard_of(key);
    pthread_mutex_lock(&shard->lock);
    const bool done = release(&shard->variables, key, clock);
    atomic_store_explicit(&shard->count, shard->variables.table.count, memory_order_relaxed);
    pthread_mutex_unlock(&shard->lock);
    return done;
}

static void empty(struct wl_race_variables *variables) {
    struct variable *variable;
    for (size_t at = 0; (variable = wl_table_each(&variables->table, &at));) {
        wl_clock_drop(variable->clock);
        free(variable);
    }
    wl_table_free(&variables->table);
}

void wl_race_variables_free(struct wl_race_variables *variables) {
    if (!variables)
        return;
    empty(variables);
    free(variables);
}

void wl_race_variables_clear(void) {
    pthread_once(&once, start);
    for (unsigned i = 0; i < SHARDS; i++) {
        if (!atomic_load_explicit(&shards[i].count, memory_order_relaxed))
            continue;
        pthread_mutex_lock(&shards[i].lock);
        empty(&shards[i].variables);
        atomic_store(&shards[i].count, 0);
        pthread_mutex_unlock(&shards[i].lock);
    }
}
