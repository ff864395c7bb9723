#!/usr/bin/env python3
"""Every file that a comment or a document names is there: names.py FOLDER, the project's root.

Looked at are the comments of sources, scripts and CMake files, and the documents. A name is a word that ends like a source file
("unit/spin.c", "docs/ISA.md"). It has to be the end of the path of a file in the project, of a generated file, or of one that belongs to
somebody else (OTHERS). Prints what is not there; the exit status is 1 then.
"""
import pathlib
import re
import subprocess
import sys

# Files of the build tree, of programs that users have, and of other projects, by pattern.
OTHERS = re.compile(r"""(^|/)(
    (ctest|results?|summary|summary\.md|report|figures|tables-\w+|semantics(-native|-lane)?|code|exports5|config|compile_commands|RtcConfig)
        \.(xml|json|md|inc|c|map|txt|png)
  | config_amd_linux_\w+\.json
  | (a|b|x|y|main|vadd|nb|my|your|prog|program|source|input|file|kernel|saxpy|train|FILE|NAME|PREFIX|NAME_kernels|v\d)\.(c|h|hip|cu|py|cpp|cl|txt)
  | prelude/wavelift\.h | cuComplex\.h
)$""", re.X)
SYSTEM = re.compile(r"^(hip|llvm-c|sys|cuda|hsa|linux|std\w*|math|string|stdio|stdlib|signal|unistd|pthread|errno|assert)([/.]|_)")
NAME = re.compile(r"(?<![\w/.*<>$}-])((?:[\w.+-]+/)*[\w+-]+\.(?:c|h|hip|inc|py|sh|md|cmake|cl|map))(?![\w(])")
COMMENTS = {
    ".c": re.compile(r"/\*.*?\*/|//[^\n]*", re.S), ".py": re.compile(r'#[^\n]*|""".*?"""', re.S), ".sh": re.compile(r"#[^\n]*"),
}
KIND = {".h": ".c", ".hip": ".c", ".inc": ".c", ".cpp": ".c", ".cl": ".c", ".cu": ".c", ".cmake": ".sh", ".txt": ".sh", "Makefile": ".sh"}


def texts(path, text):
    """The parts of a file in which names are looked for."""
    kind = path.suffix or path.name
    kind = KIND.get(kind, kind)
    if kind in (".md", ".1"):
        return [text]
    return COMMENTS[kind].findall(text) if kind in COMMENTS else []


def main():
    root = pathlib.Path(sys.argv[1])
    git = ["git", "-c", "safe.directory=*", "-C", root, "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(git, stdout=subprocess.PIPE, text=True, check=True).stdout.split("\n")
    files = [name for name in listed if name]
    ends = {"/".join(name.split("/")[i:]) for name in files for i in range(name.count("/") + 1)}
    missing = []
    for name in files:
        path = root / name
        if not path.is_file():
            continue
        for text in texts(path, path.read_text(errors="replace")):
            for word in NAME.findall(text):
                word = re.sub(r"^(\.\./|\./)+", "", word)
                if word not in ends and not OTHERS.search(word) and not SYSTEM.match(word):
                    missing.append(f"{name}: {word}")
    for line in sorted(set(missing)):
        print(line)
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
