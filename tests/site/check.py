#!/usr/bin/env python3
"""check.py FOLDER: the site of `make site` in a headless Chromium, served from this machine: the front page and its picture are there, a search finds what
it should, each page of the menu loads, and no page asks for a file that is not there."""
import functools
import http.server
import json
import pathlib
import re
import subprocess
import sys
import threading
import time
import urllib.request

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


class Browser:
    """A headless Chromium, driven by its own driver."""

    def __init__(self):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        port = next(match[1] for line in self.driver.stdout if (match := re.search(r"started successfully on port (\d+)", line)))
        self.address = f"http://127.0.0.1:{port}/session"
        options = {"args": ["--headless", "--no-sandbox", "--disable-gpu"]}
        self.address += "/" + self.ask("", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})["sessionId"]

    def ask(self, what, data):
        request = urllib.request.Request(self.address + what, json.dumps(data).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.load(answer)["value"]

    def page(self, url, ready="return true"):
        """The page as it is once that script returns true, after its own scripts have run; as it is after a minute if it never does."""
        self.ask("/url", {"url": url})
        end = time.monotonic() + 60
        while not self.ask("/execute/sync", {"script": ready, "args": []}) and time.monotonic() < end:
            time.sleep(0.1)
        return self.ask("/execute/sync", {"script": "return document.documentElement.outerHTML", "args": []})

    def close(self):
        urllib.request.urlopen(urllib.request.Request(self.address, method="DELETE"), timeout=60).close()
        self.driver.terminate()


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
