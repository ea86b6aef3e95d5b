"""A headless Chromium that opens one page and is told what to do over a pair of pipes."""

import base64
import fcntl
import json
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from python_assets.published import reports

CHROMIUM = reports.browser()
OPTIONS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--remote-debugging-pipe",
    "--window-size=1280,900",
)
ABOVE = 20  # where the pipes are kept, clear of the 3 and 4 that Chromium expects


class Browser:
    """One tab. complaints: what it wrote on its console, violations of the page's policy among it."""

    def __init__(self, to_browser: BinaryIO, from_browser: BinaryIO) -> None:
        self._to = to_browser
        self._from = from_browser
        self._n_sent = self._n_loaded = 0
        self._session: dict[str, str] = {}
        self._read = b""
        self.complaints: list[str] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Runtime", "Log", "Page"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send one command of the browser's protocol and wait for its result."""
        self._n_sent += 1
        message = {"id": self._n_sent, "method": method, "params": parameters, **self._session}
        self._to.write(json.dumps(message).encode() + b"\0")
        self._to.flush()
        while True:
            answer = self._message()
            if answer.get("id") == self._n_sent:
                if "error" in answer:
                    raise RuntimeError(answer["error"]["message"])
                return answer["result"]
            self._note(answer)

    def _message(self) -> dict[str, Any]:
        while b"\0" not in self._read:
            part = os.read(self._from.fileno(), 1 << 20)
            if not part:
                raise RuntimeError("Chromium has ended")
            self._read += part
        whole, self._read = self._read.split(b"\0", 1)
        return json.loads(whole)

    def _note(self, event: dict[str, Any]) -> None:
        if event.get("method") == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(event["params"]["exceptionDetails"])[:2000])
        elif event.get("method") == "Page.loadEventFired":
            self._n_loaded += 1
        elif event.get("method") == "Log.entryAdded":
            self.complaints.append(event["params"]["entry"]["text"])

    def run(self, script: str) -> Any:
        """The value of an expression in the page; a promise is waited for."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:2000])
        return answer["result"].get("value")

    def open(self, page: Path, fragment: str = "", *, scripts: bool = True) -> None:
        """Open a page and wait until it has drawn what its fragment asks for."""
        self.send("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.visit("about:blank")
        self.visit(f"{page.as_uri()}#{fragment}")
        if scripts:
            self.drawn()

    def visit(self, address: str) -> None:
        """Go to an address and wait until it has loaded."""
        self.loads(lambda: self.send("Page.navigate", url=address))

    def loads(self, act: Callable[[], Any]) -> None:
        """Do what leads to another page, and wait until that has loaded."""
        n_loaded = self._n_loaded
        act()
        while self._n_loaded == n_loaded:
            self._note(self._message())

    def drawn(self) -> None:
        """Wait until the page shows what stands in its address."""
        self.run(
            """new Promise((resolve) => { (function look() {
                const done = document.documentElement?.dataset.drawn === location.hash;
                done ? resolve(true) : setTimeout(look, 10);
            })(); })"""
        )

    def click(self, selector: str) -> None:
        """Press the mouse in the middle of an element."""
        spot = self.run(
            f"""(() => {{ const found = document.querySelector({json.dumps(selector)});
                found.scrollIntoView({{block: "center", behavior: "instant"}});
                const box = found.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2]; }})()"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=spot[0], y=spot[1], button="left", clickCount=1)
        self.drawn()

    def picture(self, path: Path, *, whole: bool = True) -> None:
        """The whole page, or what a screen shows of it, as a PNG file."""
        shot = self.send("Page.captureScreenshot", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))


@contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """Start Chromium with a profile of its own and end it afterwards."""
    (for_browser, to_browser), (from_browser, by_browser) = map(_high, (os.pipe(), os.pipe()))

    actions = [
        (os.POSIX_SPAWN_DUP2, for_browser, 3),
        (os.POSIX_SPAWN_DUP2, by_browser, 4),
        *((os.POSIX_SPAWN_OPEN, output, os.devnull, os.O_WRONLY, 0) for output in (1, 2)),
    ]
    command = [str(CHROMIUM), *OPTIONS, f"--user-data-dir={folder}"]
    process = os.posix_spawn(command[0], command, os.environ, file_actions=actions)
    os.close(for_browser)
    os.close(by_browser)
    try:
        with os.fdopen(to_browser, "wb") as to, os.fdopen(from_browser, "rb") as back:
            opened = Browser(to, back)
            yield opened
            opened.send("Browser.close")
    finally:
        os.kill(process, signal.SIGTERM)
        os.waitpid(process, 0)


def _high(pipe: tuple[int, int]) -> tuple[int, int]:
    moved = tuple(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, ABOVE) for end in pipe)
    for end in pipe:
        os.close(end)
    return moved[0], moved[1]
