/* For tests that run their own program once more. WL_TEST_EMULATOR: the words, separated by blanks, of a command that runs programs
 * of this architecture where the machine's is another; the test itself runs under it then. */
#ifndef WL_TEST_ITSELF_H
#define WL_TEST_ITSELF_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITSELF_WORDS = 24 };

struct itself {
    char path[4096], emulator[4096];
    char *words[ITSELF_WORDS]; /* for execv and posix_spawn: words[0] is the program to start */
};

/* This program with `arguments`, a list that ends with NULL. Aborts if there is no room. Needs nothing freed. */
static inline void itself(struct itself *command, const char *const *arguments) {
    unsigned count = 0;
    const char *emulator = getenv("WL_TEST_EMULATOR");
    ssize_t length = readlink("/proc/self/exe", command->path, sizeof command->path - 1);
    if (length < 0 || (emulator && strlen(emulator) >= sizeof command->emulator))
        abort();
    command->path[length] = 0;
    if (emulator) {
        char *rest = NULL;
        strcpy(command->emulator, emulator);
        for (char *word = strtok_r(command->emulator, " ", &rest); word && count < ITSELF_WORDS / 2; word = strtok_r(NULL, " ", &rest))
            command->words[count++] = word;
    }
    command->words[count++] = command->path;
    for (; *arguments && count < ITSELF_WORDS - 1; arguments++)
        command->words[count++] = (char *)(uintptr_t)*arguments;
    if (*arguments)
        abort();
    command->words[count] = NULL;
}

/* Becomes this program with up to three arguments; returns only if that fails. */
static inline void become_itself(const char *first, const char *second, const char *third) {
    struct itself command;
    itself(&command, (const char *const[]){first, second, third, NULL});
    execv(command.words[0], command.words);
}

#endif
