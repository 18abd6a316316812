"""Playing: the state of a match, at once or when there is something new, and actions."""

from __future__ import annotations

from typing import Final

from starlette.responses import Response

from ludus.server.arena.asking import Ask, told
from ludus.server.arena.errors import InvalidInput
from ludus.wire.actions import as_integer

MOST_SEQUENCE: Final = 10**15 - 1


async def state(ask: Ask) -> Response:
    arena = ask.arena
    is_patient = ask.flag("wait")
    after = -1 if ask.query("afterSequence") == "-1" else ask.number("afterSequence", 0, MOST_SEQUENCE, -1)
    at = await arena.seat(ask.path("id"), ask.agent)
    if is_patient:
        if after < 0:  # they have seen nothing: what they can do, or else the next thing that happens, is news
            after = at.sequence if at.table.mover != at.seat else -1
        at = await arena.wait_for(at, ask.agent, after, arena.hold_seconds)
    return told(await arena.shown(at, ask.base))


async def act(ask: Ask) -> Response:
    body = await ask.json()
    sequence = as_integer(body.get("sequence"))
    if sequence is None or sequence < 0:
        raise InvalidInput("sequence: must be a whole number from 0")
    state = await ask.arena.act(ask.path("id"), ask.agent, sequence, body.get("action"), ask.base)
    return told({"success": True, "state": state})
