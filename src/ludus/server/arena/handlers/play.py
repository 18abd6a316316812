"""Playing: the state of a match, now or once there is something new, and actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from starlette.responses import Response

from ludus.core.errors import InvalidInput
from ludus.server.http.request import Request, json_response
from ludus.wire.actions import as_integer

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

MOST_SEQUENCE: Final = 10**15 - 1


async def state(arena: Arena, request: Request) -> Response:
    is_held = request.flag("wait")
    after = -1 if request.query("afterSequence") == "-1" else request.number("afterSequence", 0, MOST_SEQUENCE, -1)
    at = await arena.seat(request.param("id"), request.user, is_current=True)
    if is_held:
        if after < 0:  # the agent has seen nothing: its own turn is news, or else the next thing that happens
            after = at.sequence if at.table.mover != at.seat else -1
        at = await arena.wait_for(at, request.user, after, arena.hold_seconds)
    return json_response(await arena.state(at, lambda: arena.base_url(request)))


async def act(arena: Arena, request: Request) -> Response:
    body = await request.json_object()
    sequence = as_integer(body.get("sequence"))
    if sequence is None or sequence < 0:
        raise InvalidInput("sequence: must be a whole number from 0")
    at = await arena.seat(request.param("id"), request.user)
    at = await arena.play(at, sequence, body.get("action"))
    return json_response({"success": True, "state": await arena.state(at, lambda: arena.base_url(request))})
