"""Plays one match from its current state to its end, over a WebSocket or plain requests."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing, suppress
from typing import Any, Final

from ludus.client.agent import Agent, View, ask, resigned
from ludus.client.arena import Arena
from ludus.client.errors import ArenaError, Refused, Unreachable
from ludus.client.http import UNAVAILABLE, HttpClient
from ludus.client.responses import GameOver, State, field, parse_game_over, parse_view
from ludus.client.websocket import Connection, connections

TRIES: Final = 3
"""How often an agent is asked about one turn if its actions are refused."""
BAD_ACTION: Final = frozenset({"invalid_action", "invalid_input"})
"""Errors for which the agent is to blame."""
OUT_OF_DATE: Final = frozenset({"stale_sequence", "not_your_turn", "game_already_over"})
"""Errors because the match has moved on; fetching its state helps."""
POLL_SECONDS: Final = 1.0


async def play(arena: Arena, match: str, agent: Agent, *, sockets: bool = True) -> GameOver:
    """Plays until the match is over. An agent whose actions are refused three times in a turn resigns."""
    player = MatchPlayer(agent)
    try:
        if sockets:
            with suppress(Unreachable):  # plain requests may get through where sockets do not, or report why not
                return await _play_over_socket(arena, match, player)
        return await _play_over_http(arena, match, player)
    except Refused as refusal:
        if refusal.error in BAD_ACTION:
            with suppress(ArenaError):
                await arena.act(match, player.sequence, resigned())
        raise


class MatchPlayer:
    """An agent in one match. It is asked once per turn, however often the arena repeats the turn."""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self._view: View = {}
        self._refusals: list[dict[str, Any]] = []
        self.sequence = -1
        """Of the latest turn."""
        self.action: dict[str, Any] | None = None
        """The agent's answer to it."""

    async def answer(self, sequence: int, view: View) -> dict[str, Any]:
        """The action for a turn; the same one if the turn is repeated, since it is safe to send twice."""
        if sequence != self.sequence:
            self.sequence, self._view, self.action, self._refusals = sequence, view, None, []
        if self.action is None:
            refused = {"refused": self._refusals[-1]} if self._refusals else {}
            self.action = await ask(self._agent, {**view, **refused})
        return self.action

    async def retry(self, refusal: Refused) -> dict[str, Any]:
        """Another action for the same turn; `refused` in the view says what was wrong with the last."""
        self._refusals.append({"action": self.action, "error": refusal.error, "details": refusal.details})
        if len(self._refusals) >= TRIES:
            raise refusal
        self.action = None
        return await self.answer(self.sequence, self._view)


async def _play_over_http(arena: Arena, match: str, player: MatchPlayer) -> GameOver:
    state = await arena.state(match)
    while state.over is None:
        if state.is_your_turn:
            state = await _take_turn(arena, state, player)
        else:
            state = await _wait(arena, state)
    return state.over


async def _wait(arena: Arena, state: State) -> State:
    """A newer state, or the same after half a minute; polls slowly if the arena does not hold the request."""
    clock = asyncio.get_running_loop().time
    since = clock()
    now = await arena.state(state.match, after=state.sequence)
    if now.sequence == state.sequence and now.over is None and clock() - since < POLL_SECONDS:
        await asyncio.sleep(POLL_SECONDS)
    return now


async def _take_turn(arena: Arena, state: State, player: MatchPlayer) -> State:
    action = await player.answer(state.sequence, state.view)
    while True:
        try:
            return await arena.act(state.match, state.sequence, action)
        except Refused as refusal:
            if refusal.error in BAD_ACTION:
                action = await player.retry(refusal)
            elif refusal.error in OUT_OF_DATE:
                return await _refresh(arena, state, refusal)
            else:
                raise


async def _refresh(arena: Arena, state: State, refusal: Refused) -> State:
    """The current state; raises if the arena still asks for the turn it refused, since it would do so forever."""
    now = await arena.state(state.match)
    if now.is_your_turn and now.sequence == state.sequence:
        raise refusal
    return now


async def _play_over_socket(arena: Arena, match: str, player: MatchPlayer) -> GameOver:
    """Plays over as many connections as it takes: each repeats a turn that waits for an answer."""
    state = await arena.state(match)
    async with aclosing(connections(arena.http, f"/ws/game/{match}")) as sockets:
        while state.over is None:
            over = await _SocketMatch(await anext(sockets), player, state, arena.http).play()
            if over:
                return over
            state = await arena.state(match)  # the match may have ended between two connections
    return state.over


class _SocketMatch:
    """A match over one connection."""

    def __init__(self, socket: Connection, player: MatchPlayer, state: State, http: HttpClient) -> None:
        self._socket = socket
        self._player = player
        self._state = state
        self._http = http
        self._failures = 0
        """Of the arena's store, in this turn."""

    async def play(self) -> GameOver | None:
        """Plays until the match ends, the connection ends, or the two sides disagree on whose turn it is."""
        async for frame in self._socket:
            match frame.get("type"):
                case "your_turn":
                    self._failures = 0
                    await self._player.answer(field(frame, "sequence", int), parse_view(frame))
                    await self._send()
                case "game_over":
                    match, game, *_ = self._state
                    return parse_game_over(frame, match, game, str(self._state.view.get("you", "")))
                case "error":
                    if not await self._recover(Refused(0, frame)):
                        return None
        return None

    async def _recover(self, refusal: Refused) -> bool:
        """Sends again after an error; false if only a new connection helps."""
        if refusal.error in BAD_ACTION:
            await self._player.retry(refusal)
        elif refusal.error == "rate_limited":
            await asyncio.sleep(float(refusal.body.get("retryAfterMs", 1000)) / 1000)
        elif refusal.error == UNAVAILABLE:
            self._failures += 1
            await self._http.pause(self._failures, f"/ws/game/{self._state.match}")
        elif refusal.error in OUT_OF_DATE:
            return False
        else:
            raise refusal
        await self._send()
        return True

    async def _send(self) -> None:
        if self._player.action is not None:
            frame = {"type": "action", "sequence": self._player.sequence, "payload": self._player.action}
            await self._socket.send(json.dumps(frame))
