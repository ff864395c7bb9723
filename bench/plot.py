#!/usr/bin/env python3
"""docs/performance.svg: the suite's kernels beside native C and PoCL, from the tables that tools/paste-figures.sh put into
docs/PERFORMANCE.md. No figure stands in this script.

    bench/plot.py docs/PERFORMANCE.md docs/performance.svg --date 2026-11-22

Without --date the picture keeps the date that it has. With --check nothing is written: status 1 if the picture is not that of the tables.
"""
import argparse
import math
import pathlib
import re
import sys

LEFT, TOP, WIDTH, ROW = 150, 74, 560, 17
LOW, HIGH = 0.2, 200.0  # of the axis, which is logarithmic
WAVELIFT, POCL, INK, GREY, LINES = "#0072b2", "#d55e00", "#222222", "#666666", "#dddddd"


def read_tables(text):
    """The machine's line, and a row (group, kernel, Wavelift / native, PoCL / native) for each kernel."""
    figures = re.search(r"<!-- figures: begin.*?-->\n(.*?)<!-- figures: end", text, re.S).group(1)
    rows = []
    for line in figures.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 8 and re.fullmatch(r"[\d.]+", cells[2]):
            rows.append((cells[0], cells[1], float(cells[5]), float(cells[3]) / float(cells[2])))
    return figures.splitlines()[0].rstrip("."), rows


def place(ratio):
    """Where a ratio is on the axis."""
    return LEFT + WIDTH * math.log(ratio / LOW) / math.log(HIGH / LOW)


def text(x, y, words, anchor="start", colour=INK, extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}"{extra}>{words}</text>'


def dot(x, y, colour, hollow=False):
    fill = "white" if hollow else colour
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{fill}" stroke="{colour}" stroke-width="1.5"/>'


def draw(machine, rows, date):
    groups = list(dict.fromkeys(row[0] for row in rows))
    bottom = TOP + ROW * len(rows) + 8 * (len(groups) - 1)
    height = bottom + 62
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" height="{height}" font-family="sans-serif" font-size="12">',
           '<rect width="100%" height="100%" fill="white"/>',
           text(12, 22, "Time of a kernel relative to native C with OpenMP (left is faster)", extra=' font-size="15" font-weight="bold"'),
           dot(18, 40, WAVELIFT), text(28, 44, "Wavelift, from the AMD binary"),
           dot(228, 40, POCL, True), text(238, 44, "PoCL, from OpenCL C")]
    for tick in (0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200):
        x, one = place(tick), tick == 1
        out.append(f'<line x1="{x:.1f}" y1="{TOP - 10}" x2="{x:.1f}" y2="{bottom}" stroke="{INK if one else LINES}"/>')
        out.append(text(x, bottom + 16, f"{tick:g}", "middle", INK if one else GREY))
    y, before = TOP, rows[0][0]
    for group, kernel, ours, pocl in rows:
        y += 8 if group != before else 0
        before = group
        out += [text(LEFT - 12, y + 4, kernel, "end"),
                f'<line x1="{place(ours):.1f}" y1="{y}" x2="{place(pocl):.1f}" y2="{y}" stroke="{LINES}" stroke-width="2"/>',
                dot(place(pocl), y, POCL, True), dot(place(ours), y, WAVELIFT)]
        y += ROW
    y = TOP
    for group in groups:
        count = sum(row[0] == group for row in rows)
        middle = y + ROW * (count - 1) / 2
        out.append(text(14, middle + 4, group, "middle", GREY, f' transform="rotate(-90 14 {middle:.1f})" font-size="10"'))
        y += ROW * count + 8
    out.append(text(12, bottom + 38, f"{machine}. Measured on {date}. The better of the targets in each row of", colour=GREY))
    out.append(text(12, bottom + 53, "docs/PERFORMANCE.md; the axis is logarithmic. Drawn by bench/plot.py.", colour=GREY))
    return "\n".join(out + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", type=pathlib.Path)
    parser.add_argument("picture", type=pathlib.Path)
    parser.add_argument("--date", help="of the run, as the picture is to say it")
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    old = arguments.picture.read_text() if arguments.picture.exists() else ""
    known = re.search(r"Measured on ([\d-]+)", old)
    date = arguments.date or (known and known.group(1))
    if not date:
        sys.exit("plot.py: --date says when the figures were measured")
    picture = draw(*read_tables(arguments.tables.read_text()), date)
    if arguments.check:
        if picture != old:
            sys.exit(f"{arguments.picture} is not the picture of {arguments.tables}: run bench/plot.py")
    else:
        arguments.picture.write_text(picture)


if __name__ == "__main__":
    main()
