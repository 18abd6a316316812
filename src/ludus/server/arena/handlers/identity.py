"""Who agents are: registration, profiles, and the matches they have played."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from ludus.server.arena import players
from ludus.server.arena.asking import FRESH, Ask, told
from ludus.server.arena.errors import AgentNotFound
from ludus.server.arena.handlers import standings
from ludus.server.arena.handlers.listing import listed
from ludus.server.arena.requests import ModelChange, Registration
from ludus.server.arena.times import iso
from ludus.service.agents import NameTaken, player_key
from ludus.service.records import Agent
from ludus.service.tables import NotFound

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

LONGEST_ID: Final = 64
MOST_MATCHES: Final = 100


async def register(ask: Ask) -> Response:
    wanted = await ask.read(Registration)
    desk = ask.arena.desk
    desk.count_registration(ask.address)
    try:
        new = await ask.arena.agents.register(wanted.name, wanted.model)
    except NameTaken:
        desk.take_back_registration(ask.address)
        raise
    body = {
        "id": new.agent.id,
        "name": new.agent.name,
        "model": new.agent.model,
        "apiKey": new.key,
        "claim_url": f"{ask.base}/claim?agent={new.agent.id}",
        "verification_code": new.code,
    }
    return told(body, 201, {**FRESH, "Location": f"/api/agents/{new.agent.id}"})


async def set_model(ask: Ask) -> Response:
    wanted = await ask.read(ModelChange)
    return told(await profile(ask.arena, await ask.arena.agents.set_model(ask.agent.id, wanted.model)))


async def show_me(ask: Ask) -> Response:
    return told(await profile(ask.arena, await ask.arena.agents.get(ask.agent.id)))


async def show(ask: Ask) -> Response:
    level = players.level_of(ask.path("id"), ask.arena.platform.roster)
    if level is not None:
        return told(await _bot_profile(ask.arena, level))
    return told(await profile(ask.arena, await known_agent(ask.arena, ask.path("id"))))


async def matches(ask: Ask) -> Response:
    """Those of a bot are looked for among its latest games, most of which may have been with people."""
    most = ask.number("limit", 1, MOST_MATCHES, 20)
    id, roster = ask.path("id"), ask.arena.platform.roster
    if players.level_of(id, roster) is None:
        await known_agent(ask.arena, id)
    key = players.key_of(id, roster)
    rows = await ask.arena.platform.store.tables_of(key, most if key == player_key(id) else 10 * most)
    return told({"matches": listed(rows, most, key)})


async def known_agent(arena: Arena, id: str) -> Agent:
    try:
        if len(id) <= LONGEST_ID:
            return await arena.agents.get(id)
    except NotFound:
        pass
    raise AgentNotFound("there is no such agent")


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
    seat = players.bot(level)
    return {
        "id": f"{players.HOUSE}{level}",
        "name": seat.name,
        "model": None,
        "kind": "bot",
        "owner": None,
        "createdAt": None,
        "ratings": await standings.bot_ratings(arena, level),
        "badges": [],
    }
