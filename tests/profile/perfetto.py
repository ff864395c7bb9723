#!/usr/bin/env python3
"""perfetto.py UI TRACE [PICTURE]: Perfetto's own page, from the folder UI, in a headless Chromium opens a trace of `wavelift profile --trace`; what its trace
processor has read is what the file says. PICTURE gets a picture of it."""
import functools
import http.server
import json
import pathlib
import sys
import threading

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "site"))
from browser import Browser  # noqa: E402

ui, trace = sys.argv[1:3]
BOX = "input[ref=omnibox]"  # for searches; behind a colon, for SQL


class Handler(http.server.SimpleHTTPRequestHandler):
    def do_GET(self):
        if self.path != "/trace.json":
            return super().do_GET()
        data = pathlib.Path(trace).read_bytes()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def expect(condition, what):
    if not condition:
        sys.exit(f"FAIL perfetto: {what}")


def query(browser, statement):
    """The cells of a row, as the page shows them."""
    rows = "[...document.querySelectorAll('tbody tr')].map(row => [...row.querySelectorAll('td')].map(cell => cell.innerText.trim()))"
    browser.type(BOX, ":")
    browser.type(BOX, statement)
    browser.wait(f"return document.querySelector('{BOX}').value == '{statement}'")
    browser.type(BOX, "\ue007")
    browser.wait(f"return {rows}.length > 0")
    return browser.run(f"return {rows}")


with open(trace, encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
slices = [event for event in events if event["ph"] in "Xbi"]
server = http.server.ThreadingHTTPServer(("127.0.0.1", 9001), functools.partial(Handler, directory=ui))  # the page trusts this port
threading.Thread(target=server.serve_forever, daemon=True).start()
browser = Browser("--window-size=1400,800")
try:
    browser.ask("/url", {"url": "http://127.0.0.1:9001/#!/?url=http://127.0.0.1:9001/trace.json"})
    expect(browser.wait(f"return location.hash.startsWith('#!/viewer') && !document.querySelector('{BOX}').disabled", 120), "the page does not show the trace")
    if len(sys.argv) > 3:
        pathlib.Path(sys.argv[3]).write_bytes(browser.picture())
    wanted = [str(len(slices)), str(len({event["name"] for event in slices})), str(sum(event["ph"] == "f" for event in events))]
    read = query(browser, "select count(*), count(distinct name), (select count(*) from flow) from slice")
    expect(read == [wanted], f"slices, names and arrows are {read} instead of {wanted}")
    print(f"PASS perfetto: {wanted[0]} slices, {wanted[2]} arrows")
finally:
    browser.close()
