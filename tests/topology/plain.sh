#!/bin/sh
# plain.sh WAVELIFT CC LIBRARIES: `wavelift run` preloads nothing for a program that is linked with the HIP library alone, and the library for
# one that starts others or names the driver's files.
set -eu
wavelift=$1 cc=$2 libraries=$3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
status=0

# preloads NAME WANTED: the C program on stdin prints whether LD_PRELOAD names the library.
preloads() {
    {
        echo '#include <stdio.h>'
        echo '#include <stdlib.h>'
        echo '#include <string.h>'
        cat
    } >"$folder/$1.c"
    "$cc" "$folder/$1.c" -o "$folder/$1" -Wl,--no-as-needed -L"$libraries" -l:libamdhip64.so.7 -Wl,-rpath-link,"$libraries"
    found=$("$wavelift" run "$folder/$1")
    [ "$found" = "$2" ] || { echo "$1: preloaded: $found, expected $2"; status=1; }
}
preloaded='const char *p = getenv("LD_PRELOAD"); puts(p && strstr(p, "libwavelift-topology") ? "yes" : "no");'
echo "int main(void) { $preloaded }" | preloads plain no
echo "int main(int c, char **v) { $preloaded return c > 5 ? system(v[1]) : 0; }" | preloads starts yes
echo "const char *place = \"/sys/class/kfd/kfd\"; int main(void) { $preloaded }" | preloads names yes
exit $status
