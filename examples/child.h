/* For programs that look at how a process ends: runs this program once more, with an argument. Where the machine is of another
 * architecture, WL_TEST_EMULATOR is the command, words separated by blanks, that it runs under. */
#ifndef EXAMPLES_CHILD_H
#define EXAMPLES_CHILD_H

#include <cstdlib>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char **environ;

/* Returns the wait status (-1: the program could not be started) and adds what the child writes, on both streams, to `text`.
 * No shell stands between: sanitizers that are preloaded do not suit every shell. */
static inline int run_again(char *program, const char *argument, std::string &text) {
    int ends[2], status = -1;
    if (pipe(ends) != 0)
        return -1;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const char *emulator = getenv("WL_TEST_EMULATOR");
    std::istringstream blanks(emulator ? emulator : "");
    std::vector<std::string> words{std::istream_iterator<std::string>(blanks), {}};
    std::vector<char *> arguments;
    for (std::string &word : words)
        arguments.push_back(word.data());
    arguments.insert(arguments.end(), {program, const_cast<char *>(argument), nullptr});
    pid_t child;
    bool started = posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char part[1024];
    for (ssize_t length; started && (length = read(ends[0], part, sizeof part)) > 0;)
        text.append(part, (size_t)length);
    close(ends[0]);
    if (started)
        waitpid(child, &status, 0);
    return status;
}

#endif
