"""Attacks with plain requests and plain connections."""

from __future__ import annotations

import re
from typing import Final

from benchmarks.adversary.attack import Attack
from benchmarks.adversary.attacks.rooms import LONG, play_long_game
from benchmarks.adversary.games import GAME
from benchmarks.adversary.wire import Connection, HttpConnection, http

PAGES: Final = ("/", "/watch", "/games", f"/games/{GAME}", "/docs", "/llms.txt", "/asyncapi.json", "/v1/openapi.json")
STATIC: Final = re.compile(rb'"(/static/[^"]+)"')
HALF_A_REQUEST: Final = b"GET / HTTP/1.1\r\nHost: "


class PlainGets(Attack):
    name = "plain_gets"
    about = "40 clients that get public pages, pictures of a long game's boards, its record and static files"
    connections = 40

    async def prepare(self) -> None:
        _, room = await play_long_game(self.port, self.home, LONG)
        web = await HttpConnection.open(self.port, self.home)
        static = STATIC.findall((await web.ask(http("GET", "/"))).body)
        assert static, "the page names no static files"
        own = [f"/web/tables/{room}", f"/web/tables/{room}/file", "/web/live"]
        pictures = [f"/web/tables/{room}/board.svg?move={number}" for number in range(LONG)]
        paths = [*PAGES, *own, *(path.decode() for path in static[:8])]
        self._requests = [
            http("GET", path) for picture, path in zip(pictures, paths * LONG, strict=False) for path in (picture, path)
        ]
        self._next = 0

    async def connect(self, address: str) -> None:
        web = await HttpConnection.open(self.port, address)
        try:
            while True:
                self._next += 1
                self.note_answer(await web.ask(self._requests[self._next % len(self._requests)]))
        finally:
            self.account(web)


class SilentConnections(Attack):
    name = "silent_connections"
    about = "1,100 TCP connections that say nothing, or half a request, where the server may open 1,024 files"
    connections = 1100
    handles = 1024
    pause = 1.0

    async def connect(self, address: str) -> None:
        silent = await Connection.open(self.port, address)
        self.more["opened"] += 1
        try:
            if self.more["opened"] % 2:
                silent.write(HALF_A_REQUEST)
            await silent.until(lambda: False)
        finally:
            self.account(silent)
