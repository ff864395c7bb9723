/* Rounds of loops that only look, which are made up for after a sleep.
 *
 * Where all that tells one round from the next one are counters, waves that sleep need not make their rounds to have made them: their
 * counters go ahead by as many as a wave would have made meanwhile. So what a loop does after a million looks comes about when it would on a
 * GPU, though the wave takes a hundredth of a CPU.
 *
 * Two rounds of a turn in a row have to leave all registers that the loop writes as they were, and change the counters by the same steps. Then the
 * next ones do the same, as long as each comparison of a counter has the same outcome: counters stop in front of the next value that may
 * change one. Memory is as the second round has found it: rounds that others' writes do not disturb may happen at one moment. */
#ifndef WL_DEVICE_CPU_RUN_AHEAD_H
#define WL_DEVICE_CPU_RUN_AHEAD_H

#include "machine/wave.h"
#include "translate/interface/translate.h"

#include <stdbool.h>

/* What a turn knows of its rounds. */
struct wl_ahead {
    unsigned calls;  /* of the function below */
    unsigned rounds; /* that were alike, and the one before; 0: the turn has begun, and nothing else is set */
    uint32_t resume;
    uint64_t print;                                                     /* a hash of what the loop writes, but for counters */
    uint32_t values[WL_LOOP_COUNTERS][64], steps[WL_LOOP_COUNTERS][64]; /* of each lane */
};

/* Called when a wave yields in a loop that counts. Returns whether the wave is to go on for another round. Where
 * two were alike its counters are ahead by as many as fit into `slept` nanoseconds, if they may be. For the thread that runs the wave. */
bool wl_ahead_goes_on(struct wl_ahead *ahead, const struct wl_counting *counting, struct wl_wave *wave, uint64_t slept);

#endif
