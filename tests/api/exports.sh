#!/bin/sh
# exports.sh LIBRARY NAMES TABLE PAGE: the library exports exactly the names and versions of NAMES, and docs/API.md (PAGE) lists
# exactly the rows of unsupported.inc (TABLE). Programs may open it at any time.
set -eu
library=$1 names=$2 table=$3 page=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

nm -D --defined-only "$library" | awk '$2 != "A" { sub("@+", " ", $3); print $3 }' | LC_ALL=C sort > "$folder/exported"
LC_ALL=C sort "$names" > "$folder/names"
status=0
diff -u --label "AMD's names" --label "exported names" "$folder/names" "$folder/exported" || status=1

sed -n 's/^[A-Z]*(\([A-Za-z0-9_]*\)).*/\1/p' "$table" | LC_ALL=C sort > "$folder/table"
sed -n '/^## Not supported yet/,$ s/^- `\([A-Za-z0-9_]*\)`.*/\1/p' "$page" | LC_ALL=C sort > "$folder/page"
diff -u --label "unsupported.inc" --label "docs/API.md" "$folder/table" "$folder/page" || status=1
# Thread-local variables of a library that is opened late get what little the loader keeps for that: 512 bytes by default.
tls=$(LC_ALL=C readelf -lW "$library" | awk '$1 == "TLS" { print $6 }')
[ $((tls)) -le 256 ] || { echo "$library has $((tls)) bytes of thread-local variables"; status=1; }
[ -s "$folder/table" ] || { echo "no rows in $table"; status=1; }
exit $status
