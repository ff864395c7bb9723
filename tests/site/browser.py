"""A headless Chromium for tests."""
import base64
import json
import re
import subprocess
import time
import urllib.request


class Browser:
    """A headless Chromium, driven by its own driver."""

    def __init__(self, *arguments):
        self.driver = subprocess.Popen(["chromedriver", "--port=0"], stdout=subprocess.PIPE, text=True)
        port = next(match[1] for line in self.driver.stdout if (match := re.search(r"started successfully on port (\d+)", line)))
        self.address = f"http://127.0.0.1:{port}/session"
        options = {"args": ["--headless", "--no-sandbox", "--disable-gpu", *arguments]}
        self.address += "/" + self.ask("", {"capabilities": {"alwaysMatch": {"goog:chromeOptions": options}}})["sessionId"]

    def ask(self, what, data):
        request = urllib.request.Request(self.address + what, json.dumps(data).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=300) as answer:
            return json.load(answer)["value"]

    def run(self, script):
        """What a script in the page returns."""
        return self.ask("/execute/sync", {"script": script, "args": []})

    def wait(self, script, seconds=60):
        """Whether the script returns true before that time is over."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                return False
            time.sleep(0.1)
        return True

    def type(self, place, text):
        """Clicks on the element that a CSS selector finds, and types."""
        (element,) = self.ask("/element", {"using": "css selector", "value": place}).values()
        self.ask(f"/element/{element}/click", {})
        self.ask(f"/element/{element}/value", {"text": text})

    def picture(self):
        """A PNG file of the page."""
        with urllib.request.urlopen(self.address + "/screenshot", timeout=300) as answer:
            return base64.b64decode(json.load(answer)["value"])

    def page(self, url, ready="return true"):
        """The page as it is once that script returns true, after its own scripts have run; as it is after a minute if it never does."""
        self.ask("/url", {"url": url})
        self.wait(ready)
        return self.run("return document.documentElement.outerHTML")

    def close(self):
        urllib.request.urlopen(urllib.request.Request(self.address, method="DELETE"), timeout=60).close()
        self.driver.terminate()
