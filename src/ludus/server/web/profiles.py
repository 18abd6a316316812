"""People's pages: ratings, results, finished games, head-to-head; and their leaderboard."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any, Final

import orjson
from starlette import requests
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ludus.server.http.cursors import read_cursor, write_cursor
from ludus.server.http.request import JSON, Pipeline, Request, document_response, json_response
from ludus.server.http.shared_builds import SharedBuilds
from ludus.server.web.pages import document, missing, site
from ludus.server.web.people import PeopleAuth
from ludus.server.web.relations import serialize
from ludus.service.clock import iso
from ludus.service.history import PUBLIC_KINDS
from ludus.service.matches import check_game
from ludus.service.platform import Platform
from ludus.service.player_keys import person_in, person_key
from ludus.service.public import page_players_of, reason_of
from ludus.service.puzzles import shown_standing
from ludus.service.ratings import aged, is_provisional
from ludus.service.records import Person, Rating, RatingChange, Score, TableRow
from ludus.service.relations import Relations
from ludus.service.tables import NotFound

Json = dict[str, Any]
PAGE: Final = 20
"""Games in one answer."""
GRAPH: Final = 200
"""Rating changes in a graph, all games together."""
MOST_LEADERS: Final = 20


class Profiles:
    def __init__(self, platform: Platform, auth: PeopleAuth, relations: Relations) -> None:
        self._platform, self._store = platform, platform.store
        self._auth = auth
        self.relations = relations
        self._boards = SharedBuilds()

    async def show(self, request: Request) -> Response:
        person = await self.relations.person(request.param("id"))
        viewer = await self._auth.person(request)
        is_own = viewer is not None and viewer.id == person.id
        key = person_key(person.id)
        scores = [each for each in await self._store.scores_of(key) if is_own or each.opponent in PUBLIC_KINDS]
        shown: Json = {
            "person": serialize(person) | {"createdAt": iso(person.created_at)},
            "isOwn": is_own,
            "ratings": await self._ratings(key),
            "puzzles": await self._puzzles(key),
            "scores": [_score(each) | {"opponents": each.opponent} for each in scores],
            "withMe": None if viewer is None or is_own else await self._with(viewer, person),
        }
        return json_response(shown)

    async def _with(self, viewer: Person, person: Person) -> Json:
        """Whether the two are friends, blocked or online, and their head-to-head scores."""
        between = await self._store.scores_between(person_key(viewer.id), person_key(person.id))
        return {
            "isFriend": await self.relations.are_friends(viewer.id, person.id),
            "isBlocked": await self.relations.has_blocked(viewer.id, person.id),
            "isOnline": bool(await self.relations.online(viewer.id, [person.id])),
            "scores": [_score(each) for each in between],
        }

    async def _ratings(self, key: str) -> list[Json]:
        """Each with its history, oldest first."""
        now = self._platform.clock.moment().at
        changes = await self._store.latest_rating_changes(key, GRAPH)
        return [_rating(each, now) | {"history": _graph(each, changes)} for each in await self._store.ratings_of(key)]

    async def _puzzles(self, key: str) -> list[Json]:
        """The ratings and streaks in games whose puzzles the person has tried."""
        today = self._platform.puzzles.today()
        standings = await self._platform.puzzles.standings(key)
        return [{"game": each.rating.game, **shown_standing(each, today)} for each in standings]

    async def games(self, request: Request) -> Response:
        """Public ones; people see all of their own."""
        person = await self.relations.person(request.param("id"))
        viewer = await self._auth.person(request)
        is_own = viewer is not None and viewer.id == person.id
        return json_response(await self._page(request, person, is_own=is_own))

    async def own_games(self, request: Request) -> Response:
        """Finished games; none for someone who has never played."""
        person = await self._auth.person(request)
        empty: Json = {"games": [], "before": None}
        return json_response(empty if person is None else await self._page(request, person, is_own=True))

    async def _page(self, request: Request, person: Person, *, is_own: bool) -> Json:
        before, key = read_cursor(request.query("before")), person_key(person.id)
        rows = await (self._store.history if is_own else self._store.public_history)(key, before, PAGE + 1)
        games = [await self._game(row, key) for row in rows[:PAGE]]
        last = rows[PAGE - 1] if len(rows) > PAGE else None
        return {"games": games, "before": None if last is None else write_cursor(last.ended_at or 0, last.id)}

    async def _game(self, row: TableRow, key: str) -> Json:
        """As the person with this key sees it."""
        seat = next(number for number, each in enumerate(row.players) if each["key"] == key)
        result = row.result
        assert result is not None and row.ended_at is not None
        change = await self._store.rating_change(row.id, key)
        return {
            "id": row.id,
            "game": row.game,
            "opponent": page_players_of(row)[1 - seat],
            "outcome": "draw" if result["winner"] is None else "win" if result["winner"] == seat else "loss",
            **reason_of(result["reason"]),
            "moveCount": row.moves,
            "startedAt": iso(row.opened_at),
            "finishedAt": iso(row.ended_at),
            "rating": None if change is None else {"before": change.before, "after": change.after},
            "isPrivate": row.is_private,
        }

    async def leaders(self, request: Request) -> Response:
        game = request.query("game") or ""
        check_game(game)
        return document_response(request, await self._boards.get(game, partial(self._leaders, game)), JSON)

    async def _leaders(self, game: str) -> bytes:
        now = self._platform.clock.moment().at
        ratings = await self._store.people_leaders(game, now, MOST_LEADERS)
        ids = [person_in(each.player) or "" for each in ratings]
        people = {each.id: each for each in await self._store.people(ids)}
        listed = [(people[id], each) for id, each in zip(ids, ratings, strict=True) if id in people]
        lines = [
            _rating(each, now) | {"rank": rank, "person": serialize(who)} for rank, (who, each) in enumerate(listed, 1)
        ]
        return orjson.dumps({"leaders": lines})


def documents(relations: Relations, prefix: str = "") -> list[BaseRoute]:
    """Pages about someone; an unknown id gets 404, also for clients without scripts."""

    def page(path: str, find: Callable[[str], Awaitable[Person]]) -> Route:
        async def serve(request: requests.Request) -> Response:
            try:
                await find(request.path_params["id"])
            except NotFound:
                return missing(request, prefix)
            return document(request, site(prefix).pages[path])

        return Route(path, serve)

    return [page("/people/{id}", relations.person), page("/friends/{id}", relations.owner_of)]


def routes(pipeline: Pipeline, profiles: Profiles) -> list[BaseRoute]:
    return [
        pipeline.route("/web/people/{id}", profiles.show),
        pipeline.route("/web/people/{id}/games", profiles.games),
        pipeline.route("/web/me/history", profiles.own_games),
        pipeline.route("/web/leaders", profiles.leaders),
    ]


def _rating(rating: Rating, now: int) -> Json:
    return {
        "game": rating.game,
        "rating": round(rating.rating),
        "provisional": is_provisional(aged(rating, now)),
        "games": rating.games,
        "wins": rating.wins,
        "draws": rating.draws,
        "losses": rating.games - rating.wins - rating.draws,
    }


def _graph(rating: Rating, changes: Sequence[RatingChange]) -> list[Json]:
    own = [each for each in changes if each.game == rating.game]
    return [{"at": iso(each.at), "rating": round(each.after)} for each in reversed(own)]


def _score(score: Score) -> Json:
    return {"game": score.game, "wins": score.wins, "draws": score.draws, "losses": score.losses}
