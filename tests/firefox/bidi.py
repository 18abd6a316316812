"""Headless Firefox, driven directly over WebDriver BiDi: no driver is needed."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from websockets.sync.client import ClientConnection, connect

NAMES: Final = ("firefox-esr", "firefox")
LISTENING: Final = re.compile(r"WebDriver BiDi listening on (ws://\S+)")
MAX_MESSAGE: Final = 64 * 2**20
PATIENCE: Final = 120
"""Seconds to wait for an answer; no test measures time."""
LOUD: Final = (
    "NO FIREFOX: the page is NOT TESTED in it. Install it (apt-get install firefox-esr) or name it in FIREFOX."
)


def firefox_path() -> str | None:
    """The browser's path: the one in FIREFOX, or one of the usual names."""
    return os.environ.get("FIREFOX") or next(filter(None, map(shutil.which, NAMES)), None)


class BidiError(Exception):
    pass


class Firefox:
    def __init__(self, path: str, profile: Path) -> None:
        command = [path, "--headless", "--no-remote", "--profile", str(profile), "--remote-debugging-port", "0"]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self._numbers = count(1)
        self._stack = ExitStack()
        self._stack.callback(self._end)
        self.complaints: list[str] = []
        """Errors that the console has shown."""

    def __enter__(self) -> Self:
        with self._stack as stack:
            address = f"{self._address()}/session"
            opened = connect(address, max_size=MAX_MESSAGE, open_timeout=PATIENCE, proxy=None)
            self._socket: ClientConnection = stack.enter_context(opened)
            self.call("session.new", capabilities={})
            self.call("session.subscribe", events=["log.entryAdded"])
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stack.close()

    def _end(self) -> None:
        self._process.terminate()
        self._process.wait()
        assert self._process.stderr is not None
        self._process.stderr.close()

    def _address(self) -> str:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            if found := LISTENING.search(line):
                return found[1]
        raise BidiError("Firefox ended before it listened")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Sends a command and waits for its result."""
        number = next(self._numbers)
        self._socket.send(json.dumps({"id": number, "method": method, "params": params}))
        while True:
            message = json.loads(self._socket.recv(timeout=PATIENCE))
            if message.get("id") == number:
                break
            self._hear(message)
        if message["type"] == "error":
            raise BidiError(f"{method}: {message['error']}: {message['message']}")
        result: dict[str, Any] = message["result"]
        return result

    def _hear(self, event: dict[str, Any]) -> None:
        entry = event.get("params", {})
        if event.get("method") == "log.entryAdded" and entry["level"] == "error":
            self.complaints.append(entry["text"])

    def tab(self) -> Tab:
        return Tab(self, self.call("browsingContext.create", type="tab")["context"])


class Tab:
    def __init__(self, firefox: Firefox, context: str) -> None:
        self._firefox, self._context = firefox, context

    def open(self, address: str) -> None:
        self._firefox.call("browsingContext.navigate", context=self._context, url=address, wait="complete")

    def close(self) -> None:
        self._firefox.call("browsingContext.close", context=self._context)

    def reload(self) -> None:
        self._firefox.call("browsingContext.reload", context=self._context, wait="complete")

    def resize(self, width: int, height: int) -> None:
        size = {"width": width, "height": height}
        self._firefox.call("browsingContext.setViewport", context=self._context, viewport=size)

    def evaluate(self, function: str, argument: object = None) -> Any:
        """What a function of the page returns for the argument, as JSON; promises are awaited."""
        expression = f"Promise.resolve(({function})({json.dumps(argument)})).then((it) => JSON.stringify(it ?? null))"
        found = self._firefox.call(
            "script.evaluate", expression=expression, target={"context": self._context}, awaitPromise=True
        )
        if found["type"] == "exception":
            raise BidiError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def until(self, function: str, argument: object = None) -> Any:
        """Waits for the function to return something true."""
        poll = f"""async (argument) => {{
          for (;;) {{
            const found = await ({function})(argument);
            if (found) return found;
            await new Promise((next) => setTimeout(next, 20));
          }}
        }}"""
        return self.evaluate(poll, argument)

    def click(self, x: float, y: float) -> None:
        steps = [
            {"type": "pointerMove", "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]
        mouse = {"type": "pointer", "id": "mouse", "actions": steps}
        self._firefox.call("input.performActions", context=self._context, actions=[mouse])

    def press(self, selector: str) -> None:
        """Waits for an element, scrolls to it and clicks its middle."""
        x, y = self.until(
            """(selector) => {
              const found = [...document.querySelectorAll(selector)].find((each) => each.checkVisibility());
              if (!found || found.disabled) return null;
              found.scrollIntoView({ block: "center", behavior: "instant" });
              const box = found.getBoundingClientRect();
              return [box.x + box.width / 2, box.y + box.height / 2];
            }""",
            selector,
        )
        self.click(x, y)
