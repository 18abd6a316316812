"""An agent that is served at an address: it is sent the state of its game and answers with an action."""

from __future__ import annotations

import json
import time
import weakref
from collections.abc import Callable
from random import Random
from typing import Any, Final

import httpx2

from ludus.core.errors import BadInput, BadMove, InvalidInput
from ludus.core.game import Game
from ludus.series.contender import ROUND, AgentFailed, Resignation, shown
from ludus.wire import codec
from ludus.wire.actions import as_action
from ludus.wire.state import state

TRIES: Final = 2
PAUSE: Final = 1.0
"""Seconds between two of them."""
MOST_BYTES: Final = 64 * 1024
"""Of an answer."""
CONNECT_SECONDS: Final = 10.0
IDS: Final = ("player:0", "player:1")


class _Mishap(Exception):
    """One try that came to nothing."""


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
        self._name = shown(url)
        self._seconds = move_seconds
        self._clock, self._sleep = clock, sleep
        timeout = httpx2.Timeout(move_seconds, connect=min(move_seconds, CONNECT_SECONDS))
        self._http = httpx2.Client(transport=transport, timeout=timeout, follow_redirects=False)
        weakref.finalize(self, self._http.close)

    def move(self, game: Game[Any, Any], rng: Random) -> Any:
        """What the agent wants; where nothing can move it is not asked, and what fails is tried once more."""
        if game.legal_moves() == (game.rules.pass_move,):
            return game.rules.pass_move
        question, action = state_of(game), None
        for left in range(TRIES - 1, -1, -1):
            try:
                action = self._ask(question)
                return move_of(game, action)
            except (BadMove, InvalidInput) as error:
                problem = str(error)
                code = "invalid_action" if isinstance(error, BadMove) else "invalid_input"
                refused = {"action": action, "error": code, "details": problem}
                question = {**question, "view": {**question["view"], "refused": refused}}
            except _Mishap as error:
                problem = str(error)
                if left:
                    self._sleep(PAUSE)
        where = game.rules.notation.write_position(game.position)
        raise AgentFailed(f"{self._name} has failed {TRIES} times in {where}: {problem}")

    def _ask(self, question: dict[str, Any]) -> dict[str, Any]:
        try:
            with self._http.stream("POST", self._url, json=question) as answer:
                content = self._read(answer)
        except httpx2.TimeoutException:
            raise _Mishap(f"no answer within {self._seconds:g} s") from None
        except httpx2.HTTPError as error:
            raise _Mishap(f"no answer: {error or type(error).__name__}") from None
        if answer.status_code != 200:
            told = " ".join(content[:200].decode(errors="replace").split())
            raise _Mishap(f"it answers with status {answer.status_code} {told}".rstrip())
        return _action_in(content)

    def _read(self, answer: httpx2.Response) -> bytes:
        """The body, if it is short enough and there in time, however slowly it trickles."""
        until, content = self._clock() + self._seconds, b""
        for part in answer.iter_bytes():
            content += part
            if len(content) > MOST_BYTES:
                raise _Mishap(f"its answer has more than {MOST_BYTES} bytes")
            if self._clock() > until:
                raise _Mishap(f"no whole answer within {self._seconds:g} s")
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
    return Resignation() if parsed.move is None else arena.resolve(game.position, parsed)


def _action_in(content: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(content)
    except (ValueError, RecursionError):
        raise _Mishap("its answer is not JSON") from None
    if not isinstance(answer, dict) or "action" not in answer:
        raise _Mishap("its answer has no action")
    try:
        return as_action(answer["action"])
    except BadInput as error:
        raise _Mishap(str(error)) from None
