#!/bin/sh
# compiles.sh COMPILER HEADERS SOURCES VIEW: the translator's sources that call LLVM compile with another LLVM's headers, too, without a
# warning. SOURCES is src/translate, VIEW the folder of links to the headers of all layers.
set -e
count=0
for file in $(find "$3/lift" "$3/native" -name '*.c') "$3"/nvptx/*.c "$3"/*.c "$3/semantics/pack.c"; do
    $1 -std=gnu17 -fsyntax-only -Wall -Wextra -Werror -D_GNU_SOURCE -DWL_VERSION='"0"' -I"$4" -isystem "$2" "$file"
    count=$((count + 1))
done
[ "$count" -gt 40 ] || { echo "$count files only"; exit 1; }
echo "$count files"
