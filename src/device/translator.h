/* The libraries of translate/, which lie beside the runtime and are opened when a device first needs them: LLVM comes with native code. */
#ifndef WL_DEVICE_TRANSLATOR_H
#define WL_DEVICE_TRANSLATOR_H

#include "translate/interface/marks.h"
#include "translate/interface/translate.h"

struct wl_decoder; /* translate/interface/disassembler.h */

/* What every device uses of the translator. */
struct wl_translator {
    wl_translate_fn *translate;
    wl_translate_free_fn *free;
    wl_translate_host_fn *host;
    wl_translate_failure_fn *failure;
    wl_translate_pause_with_fn *pause_with;
};

/* What makes threaded code. */
struct wl_threaded {
    wl_translate_steps_fn *steps;
    wl_translate_steps_run_fn *run;
    wl_translate_steps_mark_fn *run_to_mark;
    wl_translate_steps_free_fn *free;
    wl_translate_failure_fn *failure;
    /* Instructions as text: functions of translate/interface/disassembler.h. */
    enum wl_status (*decoder_create)(struct wl_decoder **decoder, const char *processor, uint32_t wave_size);
    void (*decoder_destroy)(struct wl_decoder *decoder);
    unsigned (*disassemble)(struct wl_decoder *decoder, const uint8_t *bytes, uint64_t available, uint64_t address, char *text,
                            size_t size);
};

/* Opens that library at the first call; it stays open. WL_UNSUPPORTED with the reason. Thread-safe. */
enum wl_status wl_threaded_use(const struct wl_threaded **threaded);

/* Identifies the build of the translator, without opening it; 0: there is none. Thread-safe. */
uint64_t wl_translator_id(void);
/* Opens the translator at the first call; it stays open. WL_UNSUPPORTED with the reason. Thread-safe. */
enum wl_status wl_translator_use(const struct wl_translator **translator);
/* One of its other functions. WL_UNSUPPORTED: the library does not have it. Thread-safe. */
enum wl_status wl_translator_symbol(const char *name, void **symbol);

#endif
