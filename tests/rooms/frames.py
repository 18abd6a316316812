"""Hand-written Socket.IO frames, for clients that send what no library would."""

from __future__ import annotations

import re
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

PING, PONG = "2", "3"
CONNECTED, EVENT, ACK, REFUSED, GONE = "40", "42", "43", "44", "41"
FRAME = re.compile(r"(?P<kind>4[0-4])(?:(?P<namespace>/[^,]*),)?(?P<id>\d*)(?P<data>.*)", re.DOTALL)


class Frame(NamedTuple):
    kind: str
    namespace: str
    id: int | None
    data: Any


def address(url: str, transport: str = "websocket", **query: str) -> str:
    """The engine's URL, given the server's."""
    base = url.replace("http", "ws", 1) if transport == "websocket" else url
    return f"{base}/socket.io/?{urlencode({'EIO': '4', 'transport': transport, **query})}"


def connect(namespace: str, auth: object = None) -> str:
    return f"{CONNECTED}{namespace},{'' if auth is None else dumped(auth)}"


def event(namespace: str, name: object, *payload: object, id: int | None = None) -> str:
    return f"{EVENT}{namespace},{'' if id is None else id}{dumped([name, *payload])}"


def dumped(value: object) -> str:
    return orjson.dumps(value).decode()


def parse(text: str) -> Frame:
    """Parses a Socket.IO message; the engine's own are not supported."""
    found = FRAME.fullmatch(text)
    if found is None:
        raise ValueError(f"not a message: {text[:100]}")
    data = orjson.loads(found["data"]) if found["data"] else None
    return Frame(found["kind"], found["namespace"] or "/", int(found["id"]) if found["id"] else None, data)


def loads(text: str) -> Any:
    return orjson.loads(text)
