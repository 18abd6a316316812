"""Ratings of a player and the leaderboard."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from ludus.core.errors import InvalidInput
from ludus.games import GAMES
from ludus.players import BOT_PREFIX
from ludus.server.http.request import Request
from ludus.service import public
from ludus.service import ratings as glicko
from ludus.service.matches import check_game
from ludus.service.records import Rating

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

MOST: Final = 100


async def leaderboard(arena: Arena, request: Request) -> Response:
    game = required_game(request)
    most = request.number("limit", 1, MOST, 20)
    return await arena.shared(request, ("leaderboard", game, most), partial(_leaderboard, arena, game, most))


async def _leaderboard(arena: Arena, game: str, most: int) -> dict[str, Any]:
    leaders = await arena.platform.store.leaders(game, arena.platform.clock.moment().at, most)
    return {"gameId": game, "leaderboard": [await _line(arena, rank, rating) for rank, rating in enumerate(leaders, 1)]}


def required_game(request: Request) -> str:
    game = request.query("gameId")
    if not game:
        raise InvalidInput("gameId: is required")
    check_game(game)
    return game


async def ratings(arena: Arena, key: str) -> dict[str, Any]:
    """By game; games the player has no rating in are left out."""
    now = arena.platform.clock.moment().at
    return {rating.game: rating_json(rating, now) for rating in await arena.platform.store.ratings_of(key)}


async def bot_ratings(arena: Arena, level: str) -> dict[str, Any]:
    """For every game the bot plays; it has a starting rating before its first one."""
    key, now = public.bot(level).key, arena.platform.clock.moment().at
    games = [game for game in GAMES if level in arena.platform.roster.names(game)]
    return {game: rating_json(await arena.platform.rating_of(key, game), now) for game in games}


def rating_json(rating: Rating, now: int) -> dict[str, Any]:
    is_provisional = glicko.is_provisional(glicko.aged(rating, now))
    return {
        "rating": rating.rating,
        "display": f"{rating.rating:.0f}{'?' if is_provisional else ''}",
        "provisional": is_provisional,
        "games": rating.games,
        "wins": rating.wins,
        "draws": rating.draws,
        "losses": rating.games - rating.wins - rating.draws,
        "opponents": rating.opponents,
    }


async def _line(arena: Arena, rank: int, rating: Rating) -> dict[str, Any]:
    who, model = await _who(arena, rating.player)
    return {"rank": rank, "agent": who, "model": model, **rating_json(rating, arena.platform.clock.moment().at)}


async def _who(arena: Arena, key: str) -> tuple[dict[str, str], str | None]:
    kind, _, id = key.partition("/")
    if kind == "bot":
        return {"id": f"{BOT_PREFIX}{id}", "name": public.bot(id).name}, None
    agent = await arena.agents.get(id)
    return {"id": agent.id, "name": agent.name}, agent.model
