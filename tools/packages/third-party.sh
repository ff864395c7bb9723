#!/bin/sh
# third-party.sh BUILD VERSION FOLDER: what of others is linked into the packages: FOLDER/licenses/NAME, as Debian's packages have them, and
# FOLDER/sbom.spdx.json, which names them, their versions and licences.
set -eu
build=$1
wavelift=$2
folder=$3
llvm=$(sed -n 's/^LLVM_DIR:[A-Z]*=//p' "$build/CMakeCache.txt" | grep -oE 'llvm-[0-9]+' | head -n 1)
gcc=$(gcc -dumpversion | cut -d. -f1)
mkdir -p "$folder/licenses"
: >"$folder/parts"
# part NAME LICENCE PACKAGE
part() {
    version=$(dpkg-query -W -f '${Version}' "$3" 2>/dev/null) || { echo "third-party.sh: the package $3 is not installed" >&2; exit 1; }
    cp -L "/usr/share/doc/$3/copyright" "$folder/licenses/$1"
    printf '%s\t%s\t%s\n' "$1" "$2" "$version" >>"$folder/parts"
}
part LLVM "Apache-2.0 WITH LLVM-exception" "${llvm:-llvm-19}-dev"
part libstdc++ "GPL-3.0-or-later WITH GCC-exception-3.1" "libstdc++-$gcc-dev"
part libgcc "GPL-3.0-or-later WITH GCC-exception-3.1" "libgcc-$gcc-dev"
part zstd BSD-3-Clause libzstd-dev
part zlib Zlib zlib1g-dev
part xxHash BSD-2-Clause libxxhash-dev
python3 - "$folder" "$wavelift" "$SOURCE_DATE_EPOCH" <<'END'
import hashlib, json, sys, time
folder, version, epoch = sys.argv[1:]
parts = [line.rstrip("\n").split("\t") for line in open(f"{folder}/parts", encoding="utf-8")]
def package(name, version, licence):
    return {"SPDXID": "SPDXRef-" + name.replace("+", "p"), "name": name, "versionInfo": version, "downloadLocation": "NOASSERTION",
            "filesAnalyzed": False, "licenseConcluded": licence, "licenseDeclared": licence, "copyrightText": "NOASSERTION"}
packages = [package("wavelift", version, "MIT")] + [package(name, number, licence) for name, licence, number in parts]
digest = hashlib.sha256(json.dumps(packages).encode()).hexdigest()
document = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"wavelift-{version}",
            "documentNamespace": f"urn:wavelift:{version}:{digest}",
            "creationInfo": {"created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(epoch))), "creators": ["Tool: tools/packages/third-party.sh"]},
            "packages": packages,
            "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-wavelift"}] +
                             [{"spdxElementId": "SPDXRef-wavelift", "relationshipType": "STATIC_LINK", "relatedSpdxElement": p["SPDXID"]} for p in packages[1:]]}
with open(f"{folder}/sbom.spdx.json", "w", encoding="utf-8") as file:
    json.dump(document, file, indent=1)
    file.write("\n")
END
rm "$folder/parts"
