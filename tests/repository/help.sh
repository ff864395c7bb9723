#!/bin/sh
# help.sh WAVELIFT: every command that `wavelift --help` lists explains itself, and each option of its first line, when it is asked.
set -eu
wavelift=$1 fail=0
for command in $("$wavelift" --help | sed -n 's/^  \([a-z]\+\)\( .*\)\?$/\1/p'); do
    [ "$command" != hipcc ] || continue # all that is behind its name is clang's
    said=$("$wavelift" "$command" --help) || { echo "FAIL: wavelift $command --help: status $?"; fail=1; }
    case $said in "Usage: wavelift $command"*) ;; *) echo "FAIL: wavelift $command --help says: $said"; fail=1 ;; esac
    for option in $(echo "$said" | head -1 | grep -o '\[--[a-z-]\+' | tr -d '['); do
        echo "$said" | grep -q "^  $option" || { echo "FAIL: wavelift $command --help does not explain $option"; fail=1; }
    done
done
[ "${command:-}" ] || { echo "FAIL: no command is listed"; fail=1; }
exit $fail
