/* The code object reader's tests; one file a subject. */
#include "support.h"

int main(void) { return test_targets() + test_containers() + test_objects() + test_damage(); }
