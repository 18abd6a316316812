"""An agent served at an address: it gets the state of its game and answers with an action."""

from __future__ import annotations

import json
import time
import weakref
from collections.abc import Callable
from random import Random
from typing import Any, Final

import httpx2

from ludus.core.errors import BadInput, BadMove, IllegalMove, InvalidInput
from ludus.core.game import Game
from ludus.series.contender import ROUND, AgentFailed, Resignation, display_name
from ludus.wire import codec
from ludus.wire.actions import RESIGN, as_action
from ludus.wire.state import state

TRIES: Final = 2
PAUSE: Final = 1.0
"""Seconds between two tries."""
MOST_BYTES: Final = 64 * 1024
"""The most bytes of a response."""
CONNECT_SECONDS: Final = 10.0
IDS: Final = ("player:0", "player:1")


class _TryFailed(Exception):
    """No usable answer; another try may get one."""


class RemoteContender:
    def __init__(
        self,
        url: str,
        move_seconds: float,
        *,
        transport: httpx2.BaseTransport | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        try:
            self._url = httpx2.URL(url)
        except httpx2.InvalidURL as error:
            raise BadInput(f"{url} is not the address of an agent: {error}") from None
        if not self._url.host:
            raise BadInput(f"{url} is not the address of an agent, such as http://127.0.0.1:8766")
        self._name = display_name(url)
        self._seconds = move_seconds
        self._clock, self._sleep = clock, sleep
        timeout = httpx2.Timeout(move_seconds, connect=min(move_seconds, CONNECT_SECONDS))
        self._http = httpx2.Client(transport=transport, timeout=timeout, follow_redirects=False)
        weakref.finalize(self, self._http.close)

    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        """The agent's move, or a forced pass, for which the agent isn't asked. A failure is retried once."""
        if game.legal_moves() == (game.rules.pass_move,):
            return game.rules.pass_move
        request, action = state_of(game), None
        for left in range(TRIES - 1, -1, -1):
            try:
                action = self._ask(request)
                return move_of(game, action)
            except (BadMove, InvalidInput) as error:
                problem = str(error)
                code = "invalid_action" if isinstance(error, BadMove) else "invalid_input"
                refused = {"action": action, "error": code, "details": problem}
                request = {**request, "view": {**request["view"], "refused": refused}}
            except _TryFailed as error:
                problem = str(error)
                if left:
                    self._sleep(PAUSE)
        where = game.rules.notation.write_position(game.position)
        raise AgentFailed(f"{self._name} failed {TRIES} times in {where}: {problem}")

    def _ask(self, request: dict[str, Any]) -> dict[str, Any]:
        try:
            with self._http.stream("POST", self._url, json=request) as response:
                content = self._read(response)
        except httpx2.TimeoutException:
            raise _TryFailed(f"no answer within {self._seconds:g} s") from None
        except httpx2.HTTPError as error:
            raise _TryFailed(f"no answer: {error or type(error).__name__}") from None
        if response.status_code != 200:
            text = " ".join(content[:200].decode(errors="replace").split())
            raise _TryFailed(f"it answers with status {response.status_code} {text}".rstrip())
        return _parse_answer(content)

    def _read(self, response: httpx2.Response) -> bytes:
        """The body; it fails if it is too long or arrives too slowly."""
        until, content = self._clock() + self._seconds, b""
        for part in response.iter_bytes():
            content += part
            if len(content) > MOST_BYTES:
                raise _TryFailed(f"its answer has more than {MOST_BYTES} bytes")
            if self._clock() > until:
                raise _TryFailed(f"no whole answer within {self._seconds:g} s")
        return content


def state_of(game: Game[Any, Any]) -> dict[str, Any]:
    """What the arena would show the player to move."""
    mover = game.turn.player
    assert mover is not None
    match = game.tags.get(ROUND, "1")
    return state(game, mover, IDS, match=match, status="your_turn", sequence=game.length + 1)


def move_of(game: Game[Any, Any], action: dict[str, Any]) -> Any:
    """The legal move that an action means, or a resignation."""
    arena = codec(game.rules.name).arena
    parsed = arena.parse_action(action)
    if parsed.move is not None:
        return arena.resolve(game.position, parsed)
    if parsed.kind != RESIGN["type"]:
        raise IllegalMove("there are no offers to resign in a series; resign concedes the game, or all of a match")
    return Resignation()


def _parse_answer(content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        raise _TryFailed("its answer is not JSON") from None
    if not isinstance(answer, dict) or "action" not in answer:
        raise _TryFailed("its answer has no action")
    try:
        return as_action(answer["action"])
    except BadInput as error:
        raise _TryFailed(str(error)) from None
