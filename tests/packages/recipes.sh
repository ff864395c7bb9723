#!/bin/sh
# recipes.sh VERSION: the recipes for Spack, conda and Nix have this version and can be read by what is installed; files of the project that they need are there.
set -eu
version=$1
recipes=$(realpath "$(dirname "$0")/../../tools/recipes")
fail() { echo "FAIL recipes: $*"; exit 1; }
for file in "$recipes/spack/packages/wavelift/package.py" "$recipes/conda/meta.yaml" "$recipes/nix/default.nix"; do
    grep -qF "\"$version\"" "$file" || fail "$file is not of version $version"
    grep -q "installable" "$file" || fail "$file builds another target"
done
python3 -c 'import ast, sys; ast.parse(open(sys.argv[1], encoding="utf-8").read())' "$recipes/spack/packages/wavelift/package.py" || fail "Spack's recipe"
[ -f "$recipes/nix/../../../CMakeLists.txt" ] || fail "Nix's recipe names no sources"
! command -v nix-instantiate >/dev/null || nix-instantiate --parse "$recipes/nix/default.nix" >/dev/null || fail "Nix's recipe"
echo "PASS recipes"
