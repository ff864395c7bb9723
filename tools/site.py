#!/usr/bin/env python3
"""Makes a static site of the documents: site.py BUILD, with mkdocs in the Python that runs this. BUILD/site-sources gets the documents as they lie in the
project, the files that they link to, the manual pages as text, a page for each chapter of HIP's API (site_api.py), and one for each peer of the README's
table; BUILD/site the pages. A link that leads nowhere is an error. (make site)"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

import site_api

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = pathlib.Path(sys.argv[1]).resolve()
SOURCES = BUILD / "site-sources"
PAGES = SOURCES / "pages"
LINK = re.compile(r"\]\(([^)#\s]+)[^)]*\)")
TOP = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"]
USE = ["installing", "ci", "coverage", "API", "ISA", "NUMERICS", "sanitizers", "profiling", "PERFORMANCE", "NVIDIA", "conformance"]


def title(path):
    return re.search(r"^# (.*)$", path.read_text(encoding="utf-8"), re.M)[1].replace("`", "")


def copy_documents():
    """The documents, and each file of the project that one of them links to."""
    for name in [*TOP, *[str(path.relative_to(ROOT)) for path in sorted((ROOT / "docs").rglob("*")) if path.is_file()]]:
        target = PAGES / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target)
    for page in list(PAGES.rglob("*.md")):
        for link in LINK.findall(page.read_text(encoding="utf-8")):
            if "://" in link:
                continue
            source = (ROOT / page.relative_to(PAGES)).parent / link
            target = page.parent / link
            if source.is_file() and not target.exists():
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, target)


def manual_pages():
    names = []
    for path in sorted((ROOT / "docs").glob("*.1")):
        text = subprocess.run(["groff", "-man", "-Tascii", "-P-c", "-P-u", "-P-b", "-P-o", "-rLL=100n", path], check=True, stdout=subprocess.PIPE, text=True).stdout
        page = PAGES / f"docs/manual-{path.stem}.md"
        page.write_text(f"# {path.stem}(1)\n\n```text\n{text.strip()}\n```\n", encoding="utf-8")
        names.append(page)
    return names


def chapter_pages():
    unsupported = set(re.findall(r"^- `(hip\w+)`$", (ROOT / "docs/API.md").read_text(encoding="utf-8"), re.M))
    names = []
    for chapter in site_api.chapters(ROOT):
        page = PAGES / f"docs/hip/{chapter.name()}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(chapter.page(unsupported), encoding="utf-8")
        names.append(page)
    return names


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def peer_pages():
    """One page for each column of the README's table of peers, beside Wavelift's."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Beside others")[2].partition("\n## ")[0]
    rows = [cells(line) for line in section.splitlines() if line.startswith("|")]
    said = section.strip().splitlines()[0]
    names = []
    for column in range(2, len(rows[0])):
        head = rows[0][column]
        name = re.sub(r"\[([^]]*)\].*", r"\1", head)
        page = PAGES / "peers" / f"{name}.md"
        page.parent.mkdir(exist_ok=True)
        table = "\n".join(f"| {row[0]} | {row[1].replace('](docs/', '](../docs/')} | {row[column].replace('](docs/', '](../docs/')} |" for row in rows[2:])
        page.write_text(f"# Wavelift and {name}\n\n{said} ([all peers](../README.md#beside-others))\n\n| | Wavelift | {head} |\n|---|---|---|\n{table}\n", encoding="utf-8")
        names.append(page)
    return names


def main():
    shutil.rmtree(SOURCES, ignore_errors=True)
    copy_documents()
    manuals, chapters, peers = manual_pages(), chapter_pages(), peer_pages()
    entry = lambda path: {title(path): str(path.relative_to(PAGES))}
    docs = PAGES / "docs"
    use = [docs / f"{name}.md" for name in USE]
    rest = [path for path in sorted(docs.glob("*.md")) if path not in use and path.name != "README.md" and path not in manuals]
    nav = [{"Wavelift": "README.md"}, {"Documents": "docs/README.md"}, {"To use it": [entry(path) for path in [*use, *manuals]]},
           {"HIP by chapter": [entry(path) for path in chapters]},
           {"To work on it": [entry(path) for path in [*rest, PAGES / "CONTRIBUTING.md"]]},
           {"Results": [entry(path) for path in sorted((docs / "results").glob("*.md"))]}, {"Peers": [entry(path) for path in peers]},
           {"Releases": [entry(PAGES / "CHANGELOG.md"), entry(PAGES / "SECURITY.md")]}]
    # YAML reads JSON.
    settings = {"site_name": "Wavelift", "docs_dir": str(PAGES), "site_dir": str(BUILD / "site"), "theme": {"name": "readthedocs", "navigation_depth": 2},
                "plugins": ["search"], "nav": nav, "use_directory_urls": False,
                "validation": {"nav": {"omitted_files": "warn", "not_found": "warn"}, "links": {"not_found": "warn", "anchors": "warn", "unrecognized_links": "warn"}}}
    (SOURCES / "mkdocs.yml").write_text(json.dumps(settings, indent=1), encoding="utf-8")
    return subprocess.run([sys.executable, "-m", "mkdocs", "build", "--strict", "--clean", "-f", SOURCES / "mkdocs.yml"]).returncode


if __name__ == "__main__":
    sys.exit(main())
