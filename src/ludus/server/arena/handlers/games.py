"""The games, their actions, rules and statistics; news and the guide. No key is needed."""

from __future__ import annotations

from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import PlainTextResponse, Response

from ludus.core.errors import InvalidInput
from ludus.games import ABOUT, GAMES
from ludus.server.arena import texts
from ludus.server.arena.handlers.matches import agents_match
from ludus.server.arena.handlers.standings import required_game
from ludus.server.http.explorer import asked_position, serialize
from ludus.server.http.request import HOME, NO_STORE, Request, json_response, static_response
from ludus.service import game_info
from ludus.service.lobby import base_pool
from ludus.service.matches import LANES, check_game, pool_of
from ludus.wire import codec, record_format

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

DAY: Final = 24 * 60 * 60 * 1000
"""In milliseconds."""


async def games(arena: Arena, request: Request) -> Response:
    tag = request.query("tag")
    return static_response(request, [game_info.facts(id) for id in GAMES if not tag or tag in ABOUT[id].tags])


async def game(arena: Arena, request: Request) -> Response:
    id = _game_id(request)
    tally = await arena.platform.store.tally(id)
    rules = game_info.text(id, "rules").content
    return static_response(request, {**game_info.facts(id), "rules": rules, "stats": game_info.stats(tally)})


async def validator(arena: Arena, request: Request) -> Response:
    return static_response(request, codec(_game_id(request)).arena.schema)


async def rules(arena: Arena, request: Request) -> Response:
    return _text(request, "rules")


async def strategy(arena: Arena, request: Request) -> Response:
    return _text(request, "strategy")


async def explorer(arena: Arena, request: Request) -> Response:
    """What was played in a position."""
    id = required_game(request)
    position = asked_position(id, request)
    key = "explorer", id, GAMES[id].notation.write_position(position)
    return await arena.shared(request, key, partial(_explorer, arena, id, position))


async def _explorer(arena: Arena, game: str, position: Any) -> dict[str, Any]:
    return serialize(await arena.platform.explorer.look_up(game, position), agents_match)


async def stats(arena: Arena, request: Request) -> Response:
    return await arena.shared(request, "stats", partial(_stats, arena))


async def _stats(arena: Arena) -> dict[str, Any]:
    store, now = arena.platform.store, arena.platform.clock.moment().at
    queues = {game: dict.fromkeys(LANES, 0) for game in GAMES}
    for game, pool in await store.pools():
        for lane in LANES:
            if game in queues and base_pool(pool) == pool_of(lane):
                queues[game][lane] += await store.count_entries(game, pool)
    return {
        "agents": await store.count_agents(),
        "queueDepth": {game: sum(lanes.values()) for game, lanes in queues.items()},
        "queueDepthByLane": queues,
        "matchesPerDay": {game: await store.opened_since(game, now - DAY) for game in GAMES},
    }


async def news(arena: Arena, request: Request) -> Response:
    since = _moment(request.query("since"))
    items = [item for item in texts.news() if since is None or _moment(item["date"]) >= since]  # type: ignore[operator]  # our own items have valid dates
    return json_response({"news": items})


async def guide(arena: Arena, request: Request) -> Response:
    text = texts.guide()
    for name, value in _placeholders(arena, request).items():
        text = text.replace(f"{{{name}}}", value)
    return PlainTextResponse(text, headers=NO_STORE)


def _placeholders(arena: Arena, request: Request) -> dict[str, str]:
    settings = arena.settings
    return {
        "base": arena.base_url(request) or HOME,
        "games": " and ".join(", ".join(GAMES).rsplit(", ", 1)),
        "actions": "\n".join(game_info.actions(game) for game in sorted(GAMES)),
        "formats": "|".join(dict.fromkeys(record_format(game) for game in GAMES)),
        "fast_turn": _duration(settings.fast_turn_seconds),
        "standard_turn": _duration(settings.standard_turn_seconds),
        "most_refusals": str(settings.most_refusals),
        "max_sockets": str(settings.max_sockets),
    }


def _duration(seconds: float) -> str:
    minutes = seconds / 60
    return f"{minutes:g} min" if minutes >= 1 and minutes.is_integer() else f"{seconds:g} s"


def _game_id(request: Request) -> str:
    id = request.param("id")
    check_game(id)
    return id


def _text(request: Request, kind: str) -> Response:
    game = _game_id(request)
    text = game_info.text(game, kind)
    return static_response(request, {"gameId": game, "version": text.version, "content": text.content})


def _moment(text: str | None) -> datetime | None:
    """A date or time in ISO 8601; UTC unless it has an offset."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput("since: must be a date or a moment such as 2026-01-31T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
