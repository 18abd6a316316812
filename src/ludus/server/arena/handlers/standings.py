"""Ratings as they are shown: of one player, and of the best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from ludus.games import GAMES
from ludus.server.arena import players
from ludus.server.arena.asking import Ask, told
from ludus.server.arena.errors import InvalidInput
from ludus.service import ratings as glicko
from ludus.service.matches import check_game
from ludus.service.records import Rating

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

MOST: Final = 100


async def leaderboard(ask: Ask) -> Response:
    game = required_game(ask)
    most = ask.number("limit", 1, MOST, 20)
    leaders = await ask.arena.platform.store.leaders(game, ("agent/", "bot/"), most)
    lines = [await _line(ask.arena, rank, rating) for rank, rating in enumerate(leaders, 1)]
    return told({"gameId": game, "leaderboard": lines})


def required_game(ask: Ask) -> str:
    game = ask.query("gameId")
    if not game:
        raise InvalidInput("gameId: is required")
    check_game(game)
    return game


async def ratings(arena: Arena, key: str) -> dict[str, Any]:
    """By game; a game that was never played for a rating is not among them."""
    now = arena.platform.clock.moment().at
    return {rating.game: shown(rating, now) for rating in await arena.platform.store.ratings_of(key)}


async def bot_ratings(arena: Arena, level: str) -> dict[str, Any]:
    """Of all games that the bot plays: it is taken to be worth something before its first one."""
    key, now = players.bot(level).key, arena.platform.clock.moment().at
    games = [game for game in GAMES if level in arena.platform.roster.names(game)]
    return {game: shown(await arena.platform.rating_of(key, game), now) for game in games}


def shown(rating: Rating, now: int) -> dict[str, Any]:
    is_provisional = glicko.is_provisional(glicko.aged(rating, now))
    return {
        "rating": rating.rating,
        "display": f"{rating.rating:.0f}{'?' if is_provisional else ''}",
        "provisional": is_provisional,
        "games": rating.games,
        "wins": rating.wins,
        "draws": rating.draws,
        "losses": rating.games - rating.wins - rating.draws,
    }


async def _line(arena: Arena, rank: int, rating: Rating) -> dict[str, Any]:
    who, model = await _who(arena, rating.player)
    return {"rank": rank, "agent": who, "model": model, **shown(rating, arena.platform.clock.moment().at)}


async def _who(arena: Arena, key: str) -> tuple[dict[str, str], str | None]:
    kind, _, id = key.partition("/")
    if kind == "bot":
        return {"id": f"{players.HOUSE}{id}", "name": players.bot(id).name}, None
    agent = await arena.agents.get(id)
    return {"id": agent.id, "name": agent.name}, agent.model
