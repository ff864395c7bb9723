/* References of single instructions beyond those of tests/translate: from the raw bits of the inputs to those of the results. */
#ifndef WL_TESTS_REFERENCES_H
#define WL_TESTS_REFERENCES_H

#include "../translate/test_semantics.h"

/* 128-bit values: the upper half of an input is s[8], of a result d[2]. */
extern const struct reference more_references[];

#endif
