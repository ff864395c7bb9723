/* initcheck's rules, against all ways to fill in the bits that nobody wrote (steps/init_rules.h). Of each instruction: a bit that two ways
 * disagree on is never called defined. Of rules that are said to be exact: and no other one is called undefined. */
#include "../random_numbers.h"
#include "translate/isa/isa.h"
#include "translate/steps/init_rules.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { OPEN_BITS = 5, ROUNDS = 24 };

static uint64_t state = 88172645463325252u;

static uint64_t random_bits(void) { return next_random(&state); }

/* Numbers that matter: all bits, few bits, shift counts. */
static uint64_t random_value(void) {
    const uint64_t x = random_bits();
    switch (x >> 61) {
    case 0:
        return x & 31;
    case 1:
        return UINT64_C(1) << (x & 63);
    case 2:
        return 0;
    case 3:
        return UINT64_MAX << (x & 31);
    default:
        return random_bits() ^ x << 32;
    }
}

/* One of the bits of an operand of the lanes of a strip. */
struct open_bit {
    unsigned input, bit;
};

static bool is_condition(const struct wl_slot *slot) { return slot->type == WL_MASK || slot->type == WL_SCC; }
static bool is_float_scalar(const struct wl_sem *sem) { return sem->scalar && strstr(sem->name, "_f"); }

static void put_element(union wl_values *x, unsigned size, unsigned lane, uint64_t value) {
    memcpy(x->bytes + (size_t)lane * size, &value, size);
}

static void put_value(union wl_values *x, const struct wl_slot *slot, unsigned lane, uint64_t value) {
    if (is_condition(slot))
        value = value & 1 ? slot->type == WL_MASK ? UINT64_MAX : 1 : 0;
    put_element(x, wl_type_bits(slot->type) / 8, lane, value);
}

/* The bit of an operand, or all of a condition. */
static uint64_t bits_of(const struct wl_slot *slot, unsigned bit) {
    return slot->type == WL_MASK ? UINT32_MAX : slot->type == WL_SCC ? 1 : UINT64_C(1) << bit;
}

static void call(const struct wl_init_work *w, union wl_values *inputs, union wl_values *results) {
    void *pointers[2 * WL_SEM_SLOTS];
    for (unsigned i = 0; i < w->sem->result_count; i++)
        pointers[i] = &results[i];
    for (unsigned i = 0; i < w->sem->input_count; i++)
        pointers[w->sem->result_count + i] = &inputs[i];
    wl_steps_call(w->native, pointers, (unsigned)w->sem->result_count + w->sem->input_count);
}

/* The bits that some two ways to fill in disagree on. */
static void enumerate(const struct wl_init_work *w, const struct open_bit *open, unsigned count, union wl_values *differ) {
    union wl_values inputs[WL_SEM_SLOTS], first[WL_SEM_SLOTS], results[WL_SEM_SLOTS];
    memset(differ, 0, WL_SEM_SLOTS * sizeof *differ);
    memset(first, 0, sizeof first);
    memset(results, 0, sizeof results);
    for (unsigned way = 0; way < 1u << count; way++) {
        memcpy(inputs, w->value, sizeof inputs);
        for (unsigned n = 0; n < count; n++) {
            const struct wl_slot *slot = &w->sem->inputs[open[n].input];
            const unsigned size = wl_type_bits(slot->type) / 8;
            for (unsigned l = 0; l < w->lanes; l++) {
                uint64_t value = 0;
                memcpy(&value, inputs[open[n].input].bytes + (size_t)l * size, size);
                value = way >> n & 1 ? value | bits_of(slot, open[n].bit) : value & ~bits_of(slot, open[n].bit);
                put_element(&inputs[open[n].input], size, l, value);
            }
        }
        call(w, inputs, way ? results : first);
        for (unsigned r = 0; way && r < w->sem->result_count; r++)
            for (unsigned i = 0; i < sizeof differ->bytes; i++)
                differ[r].bytes[i] |= first[r].bytes[i] ^ results[r].bytes[i];
    }
}

static unsigned choose_bits(const struct wl_sem *sem, struct open_bit *open, uint64_t not_these) {
    unsigned count = 0;
    for (unsigned tries = 0; tries < OPEN_BITS; tries++) {
        const unsigned input = (unsigned)(random_bits() >> 32) % sem->input_count;
        const struct wl_slot *slot = &sem->inputs[input];
        if (slot->role == WL_ROLE_MODE || not_these >> input & 1)
            continue;
        open[count++] = (struct open_bit){input, is_condition(slot) ? 0 : (unsigned)(random_bits() >> 32) % wl_type_bits(slot->type)};
    }
    return count;
}

static bool claims_exactness(unsigned class) {
    return class == WL_INIT_CORNERS || class == WL_INIT_ADD || class == WL_INIT_ADD_SHIFT || class == WL_INIT_EQUAL ||
           class == WL_INIT_NONZERO;
}

struct count {
    uint64_t said, were; /* bits */
    bool wrong, strict;
};

static void try_once(const struct wl_sem *sem, const struct wl_init_rule *rule, struct count *c, uint64_t not_these) {
    struct wl_init_work w = {.sem = sem, .native = wl_steps_native(sem), .lanes = sem->scalar ? 1 : WL_STRIP};
    struct open_bit open[OPEN_BITS];
    union wl_values differ[WL_SEM_SLOTS];
    const unsigned count = choose_bits(sem, open, not_these);
    for (unsigned i = 0; i < sem->input_count; i++)
        for (unsigned l = 0; l < w.lanes; l++)
            put_value(&w.value[i], &sem->inputs[i], l, sem->inputs[i].role == WL_ROLE_MODE ? 0 : random_value());
    for (unsigned n = 0; n < count; n++)
        for (unsigned l = 0; l < w.lanes; l++) {
            const unsigned size = wl_type_bits(sem->inputs[open[n].input].type) / 8;
            uint64_t bits = 0;
            memcpy(&bits, w.undefined[open[n].input].bytes + (size_t)l * size, size);
            put_element(&w.undefined[open[n].input], size, l, bits | bits_of(&sem->inputs[open[n].input], open[n].bit));
        }
    enumerate(&w, open, count, differ);
    wl_init_rule_apply(rule, &w);
    for (unsigned r = 0; r < sem->result_count; r++)
        for (unsigned i = 0; i < w.lanes * wl_type_bits(sem->results[r].type) / 8; i++) {
            const uint8_t said = w.result[r].bytes[i], is = differ[r].bytes[i];
            c->wrong |= is & ~said;
            c->strict |= claims_exactness(rule->result[r]) && (said & ~is);
            c->said += (unsigned)__builtin_popcount(said);
            c->were += (unsigned)__builtin_popcount(is);
        }
}

static bool fits(const struct wl_sem *sem) {
    for (unsigned i = 0; i < sem->result_count; i++)
        if (wl_type_bits(sem->results[i].type) > 64)
            return false;
    for (unsigned i = 0; i < sem->input_count; i++)
        if (wl_type_bits(sem->inputs[i].type) > 64)
            return false;
    return !sem->
                requires &&
                         sem
                             ->input_count &&
            !is_float_scalar(sem);
}

static void test_rules(void **unused) {
    static const char *const names[] = {"any", "corners", "add", "add shifted", "low", "interval", "spread", "equal", "nonzero", "halves"};
    struct count counts[sizeof names / sizeof *names] = {0};
    size_t count;
    unsigned failures = 0, tested = 0;
    const struct wl_sem *table = wl_sem_table(&count);
    (void)unused;
    for (size_t s = 0; s < count; s++) {
        const struct wl_sem *sem = &table[s];
        if (!fits(sem))
            continue;
        const struct wl_init_rule rule = wl_init_rule_of(sem);
        struct count c = {0}, exact = {0};
        for (unsigned n = 0; n < ROUNDS; n++)
            try_once(sem, &rule, &c, 0);
        for (unsigned n = 0; n < ROUNDS; n++) /* operands that control are known */
            try_once(sem, &rule, &exact, rule.control);
        if (c.wrong || exact.wrong)
            printf("%s: says defined what is not\n", sem->name);
        if (exact.strict)
            printf("%s: says undefined what is defined\n", sem->name);
        failures += c.wrong || exact.wrong || exact.strict;
        tested++;
        counts[rule.result[0]].said += exact.said;
        counts[rule.result[0]].were += exact.were;
    }
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        printf("%-12s %5.1f %% of the bits that it calls undefined are\n", names[i],
               100 * (double)counts[i].were / (double)(counts[i].said ? counts[i].said : 1));
    printf("%u instructions\n", tested);
    assert_int_equal(failures, 0);
    assert_true(tested > 300);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rules)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
