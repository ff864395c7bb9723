#!/bin/sh
# recipes.sh VERSION: the recipes for Spack, conda and Nix have this version and can be read by what is installed; files of the project that they need are there.
# So do the documents that name a version have it.
set -eu
version=$1
recipes=$(realpath "$(dirname "$0")/../../tools/recipes")
fail() { echo "FAIL recipes: $*"; exit 1; }
for file in "$recipes/spack/packages/wavelift/package.py" "$recipes/conda/meta.yaml" "$recipes/nix/default.nix"; do
    grep -qF "\"$version\"" "$file" || fail "$file is not of version $version"
    grep -q "installable" "$file" || fail "$file builds another target"
done
sources=$(realpath "$recipes/../..")
grep -q "^## $version " "$sources/CHANGELOG.md" || fail "CHANGELOG.md has no section $version"
grep -q "^    Wavelift $version\$" "$sources/README.md" || fail "README.md shows another version"
named=$(grep -oE '(@v|download/v|wavelift/)[0-9]+\.[0-9]+\.[0-9]+' "$sources/docs/ci.md" | sed 's/.*[v/]//' | sort -u)
[ "$named" = "$version" ] || fail "docs/ci.md names $named"
python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read())' "$recipes/spack/packages/wavelift/package.py" || fail "Spack's recipe"
[ -f "$sources/CMakeLists.txt" ] || fail "Nix's recipe names no sources"
! command -v nix-instantiate >/dev/null || nix-instantiate --parse "$recipes/nix/default.nix" >/dev/null || fail "Nix's recipe"
echo "PASS recipes"
