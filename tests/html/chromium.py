"""A headless Chromium at the end of two pipes: opens a page, listens to all that it does, and asks it questions.

Speaks the DevTools protocol over the browser's own pipe (--remote-debugging-pipe): no port, no other program.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_SECONDS = 120


def find():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """One browser process with one page. Use in a `with` statement."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fastid-chromium-")
        to_browser, self.sending = os.pipe()
        self.receiving, from_browser = os.pipe()
        command = [find(), "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                   "--disable-background-networking", "--disable-component-update", "--remote-debugging-pipe",
                   f"--user-data-dir={self.folder.name}", "about:blank"]
        # The browser takes its pipes as descriptors 3 and 4, whatever ours are.
        shell = f'exec 3<&{to_browser} 4>&{from_browser}; exec "$@"'
        self.process = subprocess.Popen(["bash", "-c", shell, "bash", *command], pass_fds=(to_browser, from_browser),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        self.pending, self.events, self.number, self.session = b"", [], 0, None
        page = next(t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Network", "Log", "Runtime"):
            self.call(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        os.close(self.sending)  # the browser ends with its pipe
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.receiving)
        self.folder.cleanup()

    def _receive(self):
        """The next message."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while b"\0" not in self.pending:
            ready, _, _ = select.select([self.receiving], [], [], max(0, deadline - time.monotonic()))
            piece = os.read(self.receiving, 1 << 20) if ready else b""
            if not piece:
                raise RuntimeError("the browser has ended, or says nothing")
            self.pending += piece
        message, self.pending = self.pending.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        """Asks, and gives back the answer; events that come meanwhile are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.sending, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, address):
        """Loads a page; gives back all that happened until it was there, drawn, and had nothing to do any more."""
        self.events = []
        self.call("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._receive())
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => requestIdleCallback(done))))")
        return self.events

    def evaluate(self, expression):
        """The value of a JavaScript expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{expression}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def show(self, width, height, scale=1, features=()):
        """The page on a screen of that size in CSS pixels, each `scale` pixels of the picture wide."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=False)
        self.call("Emulation.setEmulatedMedia", media="", features=[{"name": name, "value": value} for name, value in features])

    def on_paper(self):
        """The page as it would be printed, to ask it questions."""
        self.call("Emulation.setEmulatedMedia", media="print")

    def screenshot(self, path, from_top=0):
        """What is on the screen once scrolled down by `from_top` CSS pixels, as a PNG."""
        self.evaluate(f"window.scrollTo(0, {from_top})")
        shot = self.call("Page.captureScreenshot", format="png")
        with open(path, "wb") as out:
            out.write(base64.b64decode(shot["data"]))

    def pdf(self, path):
        """The page as it is printed."""
        self.call("Emulation.clearDeviceMetricsOverride")
        with open(path, "wb") as out:
            out.write(base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"]))
