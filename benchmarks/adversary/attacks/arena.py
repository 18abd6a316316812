"""Attacks on the arena."""

from __future__ import annotations

from typing import Final

from benchmarks.adversary.attack import Attack
from benchmarks.adversary.games import GAME, match_of, register
from benchmarks.adversary.wire import HttpConnection, WebSocket, frame, http
from benchmarks.arena.games import as_agents_write
from benchmarks.rooms.games import games_of

PLAYED: Final = 60
BATCH: Final = 16
"""Frames in one write."""


class ReplayedAction(Attack):
    name = "replayed_action"
    about = f"an action already played, sent again and again on one socket, {PLAYED} plays into a match"
    connections = 1

    async def prepare(self) -> None:
        web = await HttpConnection.open(self.port, self.home)
        match = await match_of(web, (await register(web), await register(web)), "standard")
        (game,) = games_of(PLAYED + 40, 1)
        for ply, move in enumerate(game.moves[:PLAYED]):
            body = f'{{"sequence":{ply + 1},"action":{as_agents_write(move)}}}'.encode()
            await web.must(http("POST", f"/api/matches/{match.id}/action", body, match.seats[ply % 2].key))
        web.close()
        last = PLAYED - 1
        text = f'{{"type":"action","sequence":{last + 1},"payload":{as_agents_write(game.moves[last])}}}'
        self._repeats = frame(text.encode()) * BATCH
        self._path, self._key = f"/ws/game/{match.id}", match.seats[last % 2].key

    async def connect(self, address: str) -> None:
        socket = await WebSocket.open(self.port, address)
        socket.on_text = self.note
        try:
            await socket.upgrade(self._path, self._key)
            while True:
                socket.write(self._repeats)
                self.more["repeats sent"] += BATCH
                await socket.drain()
        finally:
            self.account(socket)


class GameListReads(Attack):
    name = "game_list_reads"
    about = f"40 clients that read /api/games/{GAME} again and again, with many stored games (--stored)"
    connections = 40
    needs_stored_games = True

    async def connect(self, address: str) -> None:
        web = await HttpConnection.open(self.port, address)
        request = http("GET", f"/api/games/{GAME}")
        try:
            while True:
                self.note_answer(await web.ask(request))
        finally:
            self.account(web)
