/* The rows of table.inc. */
#include "figures.h"

#include <string.h>

struct row rows[] = {
#define GROUP(...)
#define BENCHMARK(row_group, row_name, targets) {.group = #row_group, .name = #row_name, .side = {"native", "pocl", targets}},
#include "table.inc"
#undef BENCHMARK
#undef GROUP
};
const int row_count = sizeof rows / sizeof *rows;

const struct group groups[] = {
#define GROUP(group_name, group_bar) {#group_name, group_bar},
#define BENCHMARK(...)
#include "table.inc"
#undef BENCHMARK
#undef GROUP
};
const int group_count = sizeof groups / sizeof *groups;

/* "gfx90a gfx1030" stands in one string: lays it open, once. */
static void split_targets(struct row *row) {
    char all[sizeof row->side[0]], *rest = NULL;
    memcpy(all, row->side[TARGET], sizeof all);
    int side = TARGET;
    for (char *word = strtok_r(all, " ", &rest); word && side < SIDES; word = strtok_r(NULL, " ", &rest))
        snprintf(row->side[side++], sizeof row->side[0], "%s", word);
}

void select_rows(const char *list) {
    static bool split;
    for (int i = 0; i < row_count && !split; i++)
        split_targets(&rows[i]);
    split = true;
    char words[1024], *rest = NULL;
    snprintf(words, sizeof words, "%s", list ? list : "");
    char *word = strtok_r(words, ", ", &rest);
    for (int i = 0; i < row_count && !word; i++)
        rows[i].selected = true;
    for (; word; word = strtok_r(NULL, ", ", &rest)) {
        bool known = false;
        for (int i = 0; i < row_count; i++)
            if (strcmp(word, rows[i].name) == 0 || strcmp(word, rows[i].group) == 0)
                known = rows[i].selected = true;
        if (!known)
            fail("no benchmark or group %s", word);
    }
}
