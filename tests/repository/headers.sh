#!/bin/sh
# headers.sh SRC: no internal header declares more than 40 functions: a header is about one subject, and can be read at once.
set -u
failed=0
for header in $(find "$1" -name '*.h' ! -path '*/include/*'); do
    count=$(grep -cE '^[a-zA-Z_].*\)( __attribute__.*)?;$' "$header")
    if [ "$count" -gt 40 ]; then
        echo "$header declares $count functions"
        failed=1
    fi
done
exit $failed
