"""Agents: registration, profiles and their matches."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response, StreamingResponse

from ludus.players import BOT_PREFIX
from ludus.server.arena.handlers import standings
from ludus.server.arena.handlers.matches import matches_of
from ludus.server.arena.schemas import ModelChange, Registration
from ludus.server.http.addresses import counted
from ludus.server.http.errors import TooManyRequests
from ludus.server.http.request import NO_STORE, Request, address_of, json_response, prefix_of
from ludus.service import public
from ludus.service.agents import NameTaken, player_key
from ludus.service.clock import iso
from ludus.service.records import Agent

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

MOST_MATCHES: Final = 100


async def register(arena: Arena, request: Request) -> Response:
    wanted = await request.parse(Registration)
    address = address_of(request)
    quota = arena.registrations.hit(address)
    if not quota.allowed:
        raise TooManyRequests(quota)
    try:
        new = await arena.agents.register(wanted.name, wanted.model)
    except NameTaken:
        arena.registrations.take_back(address)
        raise
    await arena.platform.address_marks.note(player_key(new.agent.id), counted(address))
    body = {
        "id": new.agent.id,
        "name": new.agent.name,
        "model": new.agent.model,
        "apiKey": new.key,
        "claim_url": f"{arena.base_url(request)}/claim?agent={new.agent.id}",
        "verification_code": new.code,
    }
    return json_response(body, 201, {**NO_STORE, "Location": f"{prefix_of(request)}/api/agents/{new.agent.id}"})


async def export(arena: Arena, request: Request) -> Response:
    headers = {**NO_STORE, "Content-Disposition": f'attachment; filename="ludus-agent-{request.user.id[:8]}.json"'}
    return StreamingResponse(await arena.exports.agent(request.user), 200, headers, "application/json")


async def delete(arena: Arena, request: Request) -> Response:
    erasures = await arena.erasures.request_agent(request.user)
    return json_response({"status": "deleted" if await arena.erasures.finish(erasures) else "deleting"})


async def set_model(arena: Arena, request: Request) -> Response:
    wanted = await request.parse(ModelChange)
    return json_response(await profile(arena, await arena.agents.set_model(request.user.id, wanted.model)))


async def show_me(arena: Arena, request: Request) -> Response:
    return json_response(await profile(arena, await arena.agents.get(request.user.id)))


async def show(arena: Arena, request: Request) -> Response:
    id = request.param("id")
    return await arena.shared(request, ("agent", id), partial(_public_profile, arena, id))


async def _public_profile(arena: Arena, id: str) -> dict[str, Any]:
    level = public.level_of(id, arena.platform.roster)
    return await (profile(arena, await arena.agents.get(id)) if level is None else _bot_profile(arena, level))


async def matches(arena: Arena, request: Request) -> Response:
    most = request.number("limit", 1, MOST_MATCHES, 20)
    id = request.param("id")
    return await arena.shared(request, ("agent matches", id, most), partial(_matches, arena, id, most))


async def _matches(arena: Arena, id: str, most: int) -> dict[str, Any]:
    """A bot's are looked for among its latest games, most of which may be with people."""
    roster = arena.platform.roster
    if public.level_of(id, roster) is None:
        await arena.agents.get(id)
    key = public.key_of(id, roster)
    rows = await arena.platform.store.tables_of(key, most if key == player_key(id) else 10 * most)
    return {"matches": matches_of(key, rows, most)}


async def profile(arena: Arena, agent: Agent) -> dict[str, Any]:
    key = player_key(agent.id)
    return {
        "id": agent.id,
        "name": agent.name,
        "model": agent.model,
        "kind": "agent",
        "owner": None if agent.owner is None else {"displayName": agent.owner},
        "createdAt": iso(agent.created_at),
        "ratings": await standings.ratings(arena, key),
        "badges": await arena.platform.rating_updates.badges_of(key),
    }


async def _bot_profile(arena: Arena, level: str) -> dict[str, Any]:
    seat = public.bot(level)
    return {
        "id": f"{BOT_PREFIX}{level}",
        "name": seat.name,
        "model": None,
        "kind": "bot",
        "owner": None,
        "createdAt": None,
        "ratings": await standings.bot_ratings(arena, level),
        "badges": [],
    }
