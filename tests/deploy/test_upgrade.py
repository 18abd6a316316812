"""A rolling upgrade: each process is replaced while games go on behind the proxy, and nothing is lost."""

from __future__ import annotations

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import pytest
from tests.deploy.files import compose
from tests.deploy.proxy import running_proxy
from tests.deploy.running import SECRET, Deployed, Services
from tests.ports import free_port
from tests.rooms.raw_client import RawClient, Refused
from tests.server_process import PATIENCE, Tenant, create_tenant
from websockets.exceptions import WebSocketException

from ludus.client import Arena, GameOver, find_match, play
from ludus.core.rules import Reason

pytestmark = pytest.mark.slow

ADDRESSES = ("127.0.0.1", "127.0.0.2")
SERVER, WORKER = (compose(name, {"POSTGRES_PASSWORD": "", "LUDUS_SECRET": ""}) for name in ("server", "worker"))
LOST = (OSError, WebSocketException, Refused)
PASSING = frozenset({"unavailable", "stopping", "unauthorized"})
"""What a server says that is about to stop, or whose connection has just ended."""

PLAYED_OUT = {Reason.NO_PIECES, Reason.NO_MOVES, Reason.FORTY_MOVES, Reason.REPETITION}

Payload = dict[str, Any]


class RoomPlayer:
    """Plays on whichever server the proxy chooses, and comes back when that one has gone."""

    def __init__(self, proxy: str, token: str) -> None:
        self._proxy = proxy
        self._token = token
        self._client: RawClient | None = None
        self.connections = 0

    def ask(self, event: str, payload: Payload) -> Payload:
        """The acknowledgement. What was lost is sent again; the command's id keeps it from being done twice."""
        until = time.monotonic() + PATIENCE
        while True:
            try:
                ack: Payload = (self._client or self._connect()).ask(event, payload)
                if ack["ok"] or ack["error"]["code"] not in PASSING:
                    return ack
            except LOST:
                self.close()
            assert time.monotonic() < until, event
            time.sleep(0.02)

    def seated(self) -> str:
        """The room, once both have come: perhaps they wait at different servers."""
        until = time.monotonic() + PATIENCE
        while not (ack := self.ask("game:reconnect", {}))["ok"]:
            assert ack["error"]["code"] == "not_found" and time.monotonic() < until, ack
            self.ask("matchmaking:join", {})  # again, if the server where it waited has gone
            time.sleep(0.02)
        return str(ack["roomId"])

    def _connect(self) -> RawClient:
        client = self._client = RawClient(self._proxy, auth={"token": self._token})
        self.connections += 1
        ack = client.ask("game:reconnect", {})
        code = "" if ack["ok"] else ack["error"]["code"]
        if code in PASSING:
            raise Refused(ack)
        assert code in ("", "not_found"), ack  # there may be no game yet
        return client

    def close(self) -> None:
        client, self._client = self._client, None
        if client is not None:
            with suppress(*LOST):
                client.close()


class Room:
    """A game of two people, and the number of moves that were acknowledged."""

    def __init__(self, proxy: str, tenant: Tenant) -> None:
        self._headers = {"Authorization": f"Bearer {tenant.live}"}
        self._proxy = proxy
        made = self._post("/v1/sessions", matchType="private", players=[{"id": "ann", "displayName": "Ann"}])
        joined = self._post("/v1/sessions/join", roomCode=made["roomCode"], player={"id": "ben", "displayName": "Ben"})
        self.players = [RoomPlayer(proxy, each["sessionToken"]) for each in (made, joined)]
        self._session = made["sessionId"]
        self.moves = 0

    def play(self, is_done: threading.Event) -> None:
        """Until the upgrade is done, or the game is over."""
        for player in self.players:
            player.ask("matchmaking:join", {})
        room, _ = (player.seated() for player in self.players)
        while not is_done.is_set():
            for player in self.players:
                legal = player.ask("game:get_moves", {"roomId": room, "ackOnly": True})
                if not legal["ok"]:
                    assert legal["error"]["code"] == "game_over", legal
                    return
                if legal["moves"]:
                    command = {"roomId": room, "move": legal["moves"][0], "commandId": f"move-{self.moves}"}
                    ack = player.ask("game:move", command)
                    assert ack["ok"], ack
                    self.moves += 1
        ack = self.players[0].ask("game:resign", {"roomId": room, "commandId": "resign"})
        assert ack["ok"] or ack["error"]["code"] == "game_over", ack

    def result(self) -> Any:
        for player in self.players:
            player.close()
        url = f"{self._proxy}/v1/sessions/{self._session}?game=checkers"
        shown = httpx2.get(url, headers=self._headers, timeout=PATIENCE).json()
        assert shown["status"] == "ended", shown
        return shown["result"]

    def _post(self, path: str, **body: Any) -> Any:
        """Tried again while it is refused: between two servers there may be a moment without one."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            answer = httpx2.post(
                self._proxy + path, json={"game": "checkers", **body}, headers=self._headers, timeout=PATIENCE
            )
            if answer.status_code in (200, 201):
                return answer.json()
            assert answer.status_code == 503, answer.text
            time.sleep(0.05)
        raise AssertionError(answer.text)


def play_rooms(proxy: str, tenant: Tenant, is_done: threading.Event) -> list[Room]:
    """Game after game."""
    rooms: list[Room] = []
    while not is_done.is_set():
        rooms.append(Room(proxy, tenant))
        rooms[-1].play(is_done)
    return rooms


def play_matches(proxy: str, name: str, is_done: threading.Event) -> list[GameOver]:
    """The same in the arena."""

    async def work() -> list[GameOver]:
        ended = []
        async with Arena(proxy) as arena:
            await arena.register(name)
            while not is_done.is_set():
                match = await find_match(arena, "checkers")
                ended.append(await play(arena, match, lambda view: view["legalMoves"][0]))
        return ended

    return asyncio.run(work())


def test_processes_are_replaced_one_after_the_other_and_no_game_is_lost(services: Services, tmp_path: Path) -> None:
    port = free_port()
    tenant = create_tenant(tmp_path, "App", database=services.database, secret=SECRET)
    limits = {"LUDUS_RATE_LIMIT": "1000000", "LUDUS_AGENT_RATE_LIMIT": "1000000", "LUDUS_BOT_FALLBACK_SECONDS": "0.1"}

    def start(host: str, name: str) -> Deployed:
        return Deployed(SERVER, services, tmp_path / name, host=host, port=port, **limits)

    worker = Deployed(WORKER, services, tmp_path / "worker")
    servers = [start(host, f"old-{host}") for host in ADDRESSES]
    is_done = threading.Event()
    try:
        with running_proxy(ADDRESSES, port, tmp_path) as proxy, ThreadPoolExecutor(3) as pool:
            servers[0].await_probe("/readyz", proxy)
            try:
                games = [pool.submit(play_rooms, proxy, tenant, is_done) for _ in range(2)]
                matches = pool.submit(play_matches, proxy, "Replaced", is_done)
                for number, host in enumerate(ADDRESSES):
                    servers[number].await_probe("/readyz")
                    servers[1 - number].await_probe("/readyz")
                    servers[number].stop()
                    servers[number] = start(host, f"new-{host}")
                    servers[number].await_probe("/readyz")
                worker.stop()
                worker = Deployed(WORKER, services, tmp_path / "new-worker")
                worker.await_probe("/readyz")
            finally:
                is_done.set()
            rooms = [room for played in games for room in played.result(PATIENCE)]
            ended = matches.result(PATIENCE)
            for room in rooms:
                assert room.result()["moveCount"] == room.moves
                assert room.result()["reason"] in ("resignation", "victory", "draw"), room.result()
            assert max(player.connections for room in rooms for player in room.players) > 1
            assert ended and {each.reason for each in ended} <= PLAYED_OUT, ended
        for process in (*servers, worker):
            process.stop()
    finally:
        for process in (*servers, worker):
            process.kill()
