#!/bin/sh
# headers.sh SRC FOLDER...: no internal header declares more than 40 functions: a header is about one subject, and can be read at once.
# Files, those of the other folders too, have less than 800 lines. And no two structures that leave their files have one name, but for those
# that each kind of device defines for itself (device/device.h). And texts fit into their arrays with their final zeros: gcc 15 and later
# refuse others.
set -u
failed=0
for header in $(find "$1" -name '*.h' ! -path '*/include/*'); do
    # A declaration ends in its first line, or in one that begins with the rest of its parameters.
    count=$(sed 's, */\*.*,,' "$header" | grep -cE '^([a-zA-Z_][^{=]*| {20,}[^{=]*)\)( __attribute__.*)?;$')
    if [ "$count" -gt 40 ]; then
        echo "$header declares $count functions"
        failed=1
    fi
done
for file in $(find "$@" -name '*.[ch]'); do
    count=$(wc -l <"$file")
    if [ "$count" -ge 800 ]; then
        echo "$file has $count lines"
        failed=1
    fi
done
short=$(grep -rnoE --include='*.[ch]' '\bchar [^;()*]*\[[0-9]+\] = "[^"\\]*"' "$@" |
    grep -oE '[a-z0-9_]+\[[0-9]+\] = "[^"\\]*"' | awk -F'[]["]' 'length($4) >= $2')
if [ -n "$short" ]; then
    echo "no place for the final zero: $short"
    failed=1
fi
for name in $(grep -rhoE --include='*.[ch]' '^(struct|enum|union) wl_[a-z0-9_]+ \{' "$1" | grep -oE 'wl_[a-z0-9_]+' | sort | uniq -d); do
    case $name in wl_device_function | wl_device_module) continue ;; esac
    echo "$name is defined more than once:"
    grep -rnE --include='*.[ch]' "^(struct|enum|union) $name \{" "$1"
    failed=1
done
exit $failed
