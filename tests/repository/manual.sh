#!/bin/sh
# manual.sh WAVELIFT PAGE: the manual page has what the command prints of its table. With a third argument, "paste": puts it there.
set -eu
wavelift=$1 page=$2
made=$(mktemp)
trap 'rm -f "$made"' EXIT
{
    sed '/^\.\\" begin: /q' "$page"
    "$wavelift" --manual
    sed -n '/^\.\\" end$/,$p' "$page"
} >"$made"
if [ "${3:-}" = paste ]; then
    cat "$made" >"$page"
elif ! diff "$page" "$made"; then
    echo "the manual page is not what the table in tools/commands.c says: tests/repository/manual.sh $wavelift $page paste"
    exit 1
fi
