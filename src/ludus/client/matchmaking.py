"""Finds a match, or waits for one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import aclosing, suppress
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from ludus.client.arena import Arena, TimeControl
from ludus.client.errors import ArenaError
from ludus.client.responses import ALREADY_QUEUED, MATCHED, NOT_QUEUED, QUEUED, QueueStatus
from ludus.client.websocket import connections

POLL_SECONDS: Final = 1.0
POLL_SECONDS_WITH_SOCKET: Final = 15.0
"""A socket announces a match at once; polling only covers what it misses."""


class QueueRequest(NamedTuple):
    game: str
    lane: str | None = None
    opponent: str | None = None
    people: bool = False
    auto_pass: bool = True
    time_control: TimeControl | None = None
    options: Mapping[str, Any] = MappingProxyType({})
    """The game's options, such as `match_length`."""

    async def join(self, arena: Arena) -> QueueStatus:
        game, lane, opponent, people, auto_pass, time_control, options = self
        return await arena.queue(game, lane, opponent, people, auto_pass, time_control, **options)


async def find_match(
    arena: Arena,
    game: str,
    *,
    lane: str | None = None,
    opponent: str | None = None,
    people: bool = False,
    time_control: TimeControl | None = None,
    sockets: bool = True,
    **options: Any,
) -> str:
    """The id of a match to play: an unfinished one if there is one, else a new one once there is an opponent.

    `options` are those of the game, as `Arena.queue` takes them.
    """
    status = await arena.status(game)
    if status.match and not await _is_over(arena, status.match):
        return status.match
    request = QueueRequest(game, lane, opponent, people, time_control=time_control, options=options)
    status = await request.join(arena)
    if status.match:
        return status.match
    try:
        return await _wait(arena, request, sockets)
    except BaseException:
        with suppress(ArenaError):  # an agent that stops waiting must not be given an opponent
            await asyncio.shield(arena.leave(game))
        raise


async def _wait(arena: Arena, request: QueueRequest, sockets: bool) -> str:
    waits = [_poll(arena, request, POLL_SECONDS_WITH_SOCKET if sockets else POLL_SECONDS)]
    if sockets:
        waits.append(_listen(arena, request.game))
    tasks = [asyncio.create_task(wait) for wait in waits]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(iter(done)).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _poll(arena: Arena, request: QueueRequest, pause: float) -> str:
    """Polls until there is a match; queues again if the place in the queue has expired."""
    while True:
        await asyncio.sleep(pause)
        status = await arena.status(request.game)
        if status.status == NOT_QUEUED:
            status = await request.join(arena)
        if found := await _live_match(arena, status):
            return found


async def _live_match(arena: Arena, status: QueueStatus) -> str | None:
    if status.status in (QUEUED, ALREADY_QUEUED) or status.match is None:
        return None
    return None if await _is_over(arena, status.match) else status.match


async def _listen(arena: Arena, game: str) -> str:
    """The first unfinished match of this game that `/ws/agent` announces."""
    with suppress(ArenaError):  # there is no such socket, or another program took it: polling has to do
        async with aclosing(connections(arena.http, "/ws/agent")) as sockets:
            async for socket in sockets:
                async for frame in socket:
                    is_ours = frame.get("type") == "match_found" and frame.get("gameId") == game
                    announced = QueueStatus(MATCHED, str(frame.get("matchId")))
                    if is_ours and (found := await _live_match(arena, announced)):
                        return found
    never: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    return await never


async def _is_over(arena: Arena, match: str) -> bool:
    return (await arena.state(match)).over is not None
