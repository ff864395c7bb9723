#!/usr/bin/env python3
"""check.py FOLDER: the site of `make site` in a headless Chromium, served from this machine: the front page and its picture are there, a search finds what
it should, each page of the menu loads, and no page asks for a file that is not there."""
import functools
import http.server
import pathlib
import re
import sys
import threading

from browser import Browser

folder = pathlib.Path(sys.argv[1])
missing, asked = [], []


class Handler(http.server.SimpleHTTPRequestHandler):
    def send_response(self, code, message=None):
        asked.append(self.path)
        if code >= 400 and not self.path.endswith("favicon.ico"):
            missing.append(f"{code} {self.path}")
        super().send_response(code, message)

    def log_message(self, *_):
        pass


def expect(condition, what):
    if not condition:
        sys.exit(f"FAIL site: {what}")


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
threading.Thread(target=server.serve_forever, daemon=True).start()
root = f"http://127.0.0.1:{server.server_port}"

browser = Browser()
try:
    front = browser.page(f"{root}/index.html")
    expect("HIP runtime that runs unmodified AMD GPU programs" in front, "the front page is empty")
    expect("/docs/performance.svg" in asked, "the front page has no picture of the figures")
    found = browser.page(f"{root}/search.html?q=hipMemGetInfo", "return document.querySelectorAll('#mkdocs-search-results a').length > 0")
    expect(re.search(r'id="mkdocs-search-results".*href="[^"]*docs/', found, re.S), "a search for a function finds nothing")
    found = browser.page(f"{root}/docs/hip/stream-memory-operations.html")
    expect(re.search(r'<h3[^>]*>hipStreamBatchMemOp\b', found) and "hipStreamBatchMemOpParams *paramArray" in found, "a chapter of HIP lacks a function")
    pages = sorted({link for link in re.findall(r'href="([^"#:]+\.html)"', front) if not link.startswith("..")})
    expect(len(pages) > 30, "the menu has few pages")
    for page in pages:
        expect((folder / page).is_file(), f"the menu leads to {page}, which is not there")
        expect("<h1" in browser.page(f"{root}/{page}") or page == "search.html", f"{page} has no heading")
    expect(not missing, f"files are missing: {missing}")
    print(f"PASS site: {len(pages)} pages")
finally:
    browser.close()
