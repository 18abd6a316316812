"""One match from wherever it stands to its end, over a WebSocket or by plain requests."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing, suppress
from typing import Final

from ludus.client.agent import Agent, resigned
from ludus.client.answers import GameOver, State, as_object, read, read_game_over
from ludus.client.arena import Arena
from ludus.client.errors import ArenaError, Refused, Unreachable
from ludus.client.mind import AGENTS_FAULT, MOVED_ON, Mind
from ludus.client.sockets import Frames, frames

SHORT: Final = 1.0
"""Seconds."""


async def play(arena: Arena, match: str, agent: Agent, *, sockets: bool = True) -> GameOver:
    """Plays until the match is over. An agent whose actions are refused three times in a turn gives the match up."""
    mind = Mind(agent)
    try:
        if sockets:
            with suppress(Unreachable):  # plain requests get through where sockets do not, or tell why not
                return await _play_over_socket(arena, match, mind)
        return await _play_over_http(arena, match, mind)
    except Refused as refusal:
        if refusal.error in AGENTS_FAULT:
            with suppress(ArenaError):
                await arena.act(match, mind.sequence, resigned())
        raise


async def _play_over_http(arena: Arena, match: str, mind: Mind) -> GameOver:
    state = await arena.state(match)
    while state.over is None:
        if state.is_your_turn:
            state = await _take_turn(arena, state, mind)
        else:
            state = await _wait(arena, state)
    return state.over


async def _wait(arena: Arena, state: State) -> State:
    """What is newer, or the same after half a minute; an arena that does not hold the request is not asked at once."""
    clock = asyncio.get_running_loop().time
    since = clock()
    now = await arena.state(state.match, after=state.sequence)
    if now.sequence == state.sequence and now.over is None and clock() - since < SHORT:
        await asyncio.sleep(SHORT)
    return now


async def _take_turn(arena: Arena, state: State, mind: Mind) -> State:
    action = await mind.answer(state.sequence, state.view)
    while True:
        try:
            return await arena.act(state.match, state.sequence, action)
        except Refused as refusal:
            if refusal.error in AGENTS_FAULT:
                action = await mind.think_again(refusal)
            elif refusal.error in MOVED_ON:
                return await _look_again(arena, state, refusal)
            else:
                raise


async def _look_again(arena: Arena, state: State, refusal: Refused) -> State:
    """Where the match is after all; an arena that still asks for the very turn it refused would ask for ever."""
    now = await arena.state(state.match)
    if now.is_your_turn and now.sequence == state.sequence:
        raise refusal
    return now


async def _play_over_socket(arena: Arena, match: str, mind: Mind) -> GameOver:
    """Over as many sockets as it takes: a turn that waits for an answer is told again on each."""
    state = await arena.state(match)
    async with aclosing(frames(arena.line, f"/ws/game/{match}")) as sockets:
        while state.over is None:
            over = await _Conversation(await anext(sockets), mind, state).go_on()
            if over:
                return over
            state = await arena.state(match)  # the end may have come between two sockets
    return state.over


class _Conversation:
    """What is said on one socket of a match."""

    def __init__(self, socket: Frames, mind: Mind, state: State) -> None:
        self._socket = socket
        self._mind = mind
        self._state = state

    async def go_on(self) -> GameOver | None:
        """Until the match ends, or the socket, or the two sides no longer agree on whose turn it is."""
        async for frame in self._socket:
            match frame.get("type"):
                case "your_turn":
                    await self._mind.answer(read(frame, "sequence", int), as_object(frame.get("view")))
                    await self._send()
                case "game_over":
                    match, game, *_ = self._state
                    return read_game_over(frame, match, game, str(self._state.view.get("you", "")))
                case "error":
                    if not await self._is_mended(Refused(0, frame)):
                        return None
        return None

    async def _is_mended(self, refusal: Refused) -> bool:
        if refusal.error in AGENTS_FAULT:
            await self._mind.think_again(refusal)
        elif refusal.error == "rate_limited":
            await asyncio.sleep(float(refusal.body.get("retryAfterMs", 1000)) / 1000)
        elif refusal.error in MOVED_ON:
            return False
        else:
            raise refusal
        await self._send()
        return True

    async def _send(self) -> None:
        if self._mind.action is not None:
            frame = {"type": "action", "sequence": self._mind.sequence, "payload": self._mind.action}
            await self._socket.send(json.dumps(frame))
