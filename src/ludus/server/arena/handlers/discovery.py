"""What can be known before playing: the games, how actions are written, texts, numbers."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from starlette.responses import PlainTextResponse, Response

from ludus.games import GAMES
from ludus.server.arena import texts
from ludus.server.arena.asking import FRESH, Ask, told
from ludus.server.arena.errors import InvalidInput
from ludus.service.matches import LANES, check_game, pool_of
from ludus.service.records import Tally
from ludus.wire import codec

DAY: Final = 24 * 60 * 60 * 1000
"""In milliseconds."""
HOME: Final = "http://127.0.0.1:8000"
"""In the guide's examples, where a request does not say what we are called."""


class About(NamedTuple):
    name: str
    description: str
    minutes: int
    tags: tuple[str, ...]


ABOUT: Final = {
    "backgammon": About(
        "Backgammon",
        "A race of fifteen men against fifteen with dice: run, block, hit, bear off. Gammons count double.",
        10,
        ("perfect-info", "sequential", "2-player", "classic", "stochastic"),
    ),
    "checkers": About(
        "Checkers",
        "English draughts on 32 squares: men forward, short kings, captures forced, free choice among them.",
        10,
        ("perfect-info", "deterministic", "sequential", "2-player", "classic"),
    ),
}


async def games(ask: Ask) -> Response:
    tag = ask.query("tag")
    return told([_game(id) for id in GAMES if not tag or tag in ABOUT[id].tags])


async def game(ask: Ask) -> Response:
    id = _known(ask)
    tally = await ask.arena.platform.store.tally(id)
    return told({**_game(id), "rules": texts.of_game(id, "rules").content, "stats": _stats(tally)})


async def validator(ask: Ask) -> Response:
    return told(codec(_known(ask)).arena.schema)


async def rules(ask: Ask) -> Response:
    return _text(_known(ask), "rules")


async def strategy(ask: Ask) -> Response:
    return _text(_known(ask), "strategy")


async def stats(ask: Ask) -> Response:
    store, now = ask.arena.platform.store, ask.arena.platform.clock.moment().at
    queues = {game: {lane: len(await store.entries(game, pool_of(lane))) for lane in LANES} for game in GAMES}
    matches = {game: await store.opened_since(game, now - DAY) for game in GAMES}
    return told({
        "agents": await store.count_agents(),
        "queueDepth": {game: sum(lanes.values()) for game, lanes in queues.items()},
        "queueDepthByLane": queues,
        "matchesPerDay": matches,
    })  # fmt: skip


async def news(ask: Ask) -> Response:
    since = _moment(ask.query("since"))
    items = [item for item in texts.news() if since is None or _moment(item["date"]) >= since]  # type: ignore[operator]
    return told({"news": items})


async def guide(ask: Ask) -> Response:
    text = texts.guide()
    for blank, filling in _fillings(ask).items():
        text = text.replace(f"{{{blank}}}", filling)
    return PlainTextResponse(text, headers=FRESH)


def _fillings(ask: Ask) -> dict[str, str]:
    settings = ask.arena.settings
    return {
        "base": ask.base or HOME,
        "fast_turn": _spoken(settings.fast_turn_seconds),
        "standard_turn": _spoken(settings.standard_turn_seconds),
        "most_refusals": str(settings.most_refusals),
        "max_sockets": str(settings.max_sockets),
    }


def _spoken(seconds: float) -> str:
    minutes = seconds / 60
    return f"{minutes:g} min" if minutes >= 1 and minutes.is_integer() else f"{seconds:g} s"


def _known(ask: Ask) -> str:
    id = ask.path("id")
    check_game(id)
    return id


def _game(id: str) -> dict[str, Any]:
    about = ABOUT[id]
    return {
        "id": id,
        "name": about.name,
        "description": about.description,
        "minPlayers": 2,
        "maxPlayers": 2,
        "estimatedMinutes": about.minutes,
        "tags": list(about.tags),
    }


def _stats(tally: Tally) -> dict[str, Any]:
    count = tally.matches
    return {
        "matches": count,
        "avgDurationSeconds": round(tally.seconds / count, 1) if count else None,
        "decisivePercent": round(100 * tally.decisive / count, 1) if count else None,
    }


def _text(game: str, kind: str) -> Response:
    text = texts.of_game(game, kind)
    return told({"gameId": game, "version": text.version, "content": text.content})


def _moment(text: str | None) -> datetime | None:
    """A day or a moment in ISO 8601; without a zone it is UTC."""
    if text is None:
        return None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput("since: must be a date or a moment such as 2026-01-31T12:00:00Z") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
