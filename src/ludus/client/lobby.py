"""Finding a match, and waiting for one."""

from __future__ import annotations

import asyncio
from contextlib import aclosing, suppress
from typing import Final, NamedTuple

from ludus.client.answers import ALREADY_QUEUED, MATCHED, NOT_QUEUED, QUEUED, Place
from ludus.client.arena import Arena
from ludus.client.errors import ArenaError
from ludus.client.sockets import frames

POLL_SECONDS: Final = 1.0
BESIDE_SOCKET_SECONDS: Final = 15.0
"""A socket tells of a match at once; asking is only for what it misses."""


class Wish(NamedTuple):
    """What an agent asks for when it queues."""

    game: str
    lane: str | None = None
    opponent: str | None = None
    people: bool = False


async def find_match(
    arena: Arena,
    game: str,
    *,
    lane: str | None = None,
    opponent: str | None = None,
    people: bool = False,
    sockets: bool = True,
) -> str:
    """The id of a match to play: an unfinished one first, else a new one, as soon as there is an opponent."""
    place = await arena.status(game)
    if place.match and not await _is_over(arena, place.match):
        return place.match
    wish = Wish(game, lane, opponent, people)
    place = await arena.queue(*wish)
    if place.match:
        return place.match
    try:
        return await _wait(arena, wish, sockets)
    except BaseException:
        with suppress(ArenaError):  # who no longer waits must not be given an opponent
            await asyncio.shield(arena.leave(game))
        raise


async def _wait(arena: Arena, wish: Wish, sockets: bool) -> str:
    waits = [_poll(arena, wish, BESIDE_SOCKET_SECONDS if sockets else POLL_SECONDS)]
    if sockets:
        waits.append(_listen(arena, wish.game))
    tasks = [asyncio.create_task(wait) for wait in waits]
    try:
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        return next(iter(done)).result()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _poll(arena: Arena, wish: Wish, pause: float) -> str:
    """Asks again and again; a place in line that has run out is taken anew."""
    while True:
        await asyncio.sleep(pause)
        place = await arena.status(wish.game)
        if place.status == NOT_QUEUED:
            place = await arena.queue(*wish)
        if found := await _live(arena, place):
            return found


async def _live(arena: Arena, place: Place) -> str | None:
    if place.status in (QUEUED, ALREADY_QUEUED) or place.match is None:
        return None
    return None if await _is_over(arena, place.match) else place.match


async def _listen(arena: Arena, game: str) -> str:
    """What `/ws/agent` tells; matches of other games, or that are over, are not meant."""
    with suppress(ArenaError):  # there is no such socket, or another program took it: asking has to do
        async with aclosing(frames(arena.line, "/ws/agent")) as sockets:
            async for socket in sockets:
                async for frame in socket:
                    is_meant = frame.get("type") == "match_found" and frame.get("gameId") == game
                    if is_meant and (found := await _live(arena, Place(MATCHED, str(frame.get("matchId"))))):
                        return found
    never: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    return await never


async def _is_over(arena: Arena, match: str) -> bool:
    return (await arena.state(match)).over is not None
