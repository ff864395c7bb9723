#!/usr/bin/env python3
"""The API by HIP's chapters, from the public headers: functions in the headers' order, with what their comments say. A chapter is a header's opening comment,
or a comment that begins with "----"; a comment belongs to the functions behind it, up to the next one.

    site_api.py PROJECT    prints the functions of the headers that no chapter has or that nothing is said of; the exit status is 1 then
"""
import html
import pathlib
import re
import sys

FIRST, LAST = ["hip_runtime_api.h"], ["hip_ext.h", "hiprtc.h", "hip_cuda_interop.h"]
CPLUSPLUS = re.compile(r"^#ifdef __cplusplus\n.*?^#(?:else|endif)[^\n]*$", re.S | re.M)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.M)
PART = re.compile(r"/\*(.*?)\*/|([^/;{]+|/(?!\*))|(\{)|(;)", re.S)
CHAPTER = re.compile(r"-{4,}\s*(.*?)\s*-{4,}\s*(.*)", re.S)
FUNCTION = re.compile(r"\b((?:hip|__hip)\w+)\s*\(")
CODE = re.compile(r"`[^`]*`|(?:\b(?:__)?hip[A-Za-z0-9]\w*|\b[A-Za-z]+_\w+)\*?")


def markdown(text):
    """A comment: what stands in backquotes and names are code, and nothing else is markup."""
    escaped = lambda plain: re.sub(r"([*_\[\]#])", r"\\\1", html.escape(plain, quote=False))
    pieces, end = [], 0
    for match in CODE.finditer(text):
        pieces += [escaped(text[end:match.start()]), f"`{match[0].strip('`')}`"]
        end = match.end()
    return "".join([*pieces, escaped(text[end:])])


class Chapter:
    def __init__(self, title, text):
        self.title, self.text, self.groups = title[0].upper() + title[1:], text, [("", [])]

    def name(self):
        return re.sub(r"\W+", "-", self.title.partition(":")[0].lower()).strip("-")

    def functions(self):
        return {name: text or self.text for text, declarations in self.groups for name, _ in declarations}

    def page(self, unsupported):
        lines = [f"# {self.title}", "", markdown(self.text)]
        for text, declarations in self.groups:
            if not declarations:
                continue
            lines += ["", "### " + ", ".join(name for name, _ in declarations), "", markdown(text)]
            missing = ", ".join(f"`{name}`" for name, _ in declarations if name in unsupported)
            lines += ["", f"**Not supported yet**: {missing}"] if missing else []
            lines += ["", "```c", *[declaration for _, declaration in declarations], "```"]
        return "\n".join(lines) + "\n"


def declare(chapter, text):
    match = FUNCTION.search(text)
    if match and not text.startswith("typedef"):
        chapter.groups[-1][1].append((match[1], text + ";"))


def chapters_of(header):
    """A header's chapters, the empty ones too."""
    text = DIRECTIVE.sub("", CPLUSPLUS.sub("", header.read_text(encoding="utf-8")))
    chapters, statement, braces = [], "", 0
    for comment, plain, opens, ends in PART.findall(text):
        if comment and not statement.strip():
            said = re.sub(r"[ \t]*\n[ \t]*\*[ \t]?", "\n", comment).strip()
            chapter = CHAPTER.fullmatch(said)
            if chapter or not chapters:
                title, rest = chapter.groups() if chapter else (said.partition(".")[0], said.partition(".")[2].strip())
                chapters.append(Chapter(" ".join(title.partition(" (")[0].split()), re.sub(r"Included by [\w.]+(; never alone)?\.\s*", "", rest)))
            else:
                chapters[-1].groups.append((said, []))
        elif opens:
            statement += "{"
        elif ends and statement.count("{") <= statement.count("}"):
            declare(chapters[-1], re.sub(r"\s*WL_DEFAULT\((?:[^()]|\([^()]*\))*\)", "", statement.strip()))
            statement = ""
        elif not comment:
            statement += plain + ends
    return chapters


def chapters(project):
    include = project / "include/hip"
    included = re.findall(r"#include <hip/(\w+\.h)>", (include / FIRST[0]).read_text(encoding="utf-8"))
    names = FIRST + [name for name in included if name not in LAST] + LAST
    return [chapter for name in dict.fromkeys(names) for chapter in chapters_of(include / name) if chapter.functions()]


def main():
    project = pathlib.Path(sys.argv[1])
    said = {name: text for chapter in chapters(project) for name, text in chapter.functions().items()}
    failed = 0
    for header in sorted((project / "include/hip").glob("*.h")):
        for name in re.findall(r"^[a-z][\w *]*?[ *]((?:hip|hiprtc)[A-Z]\w*)\((?!\*)", CPLUSPLUS.sub("", header.read_text(encoding="utf-8")), re.M):
            if name not in said or not said[name]:
                failed = 1
                print(f"{header.name}: {name} {'is in no chapter' if name not in said else 'is not explained'}")
    print(f"{len(said)} functions")
    return failed


if __name__ == "__main__":
    sys.exit(main())
