"""Tournaments on the page. Pages poll; what has not changed is answered without being built again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import orjson
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.server.http.cursors import read_cursor, write_cursor
from ludus.server.http.fields import (
    ChosenOptions,
    ChosenTimeControl,
    GameName,
    GuestName,
    Level,
    Moment,
    TournamentName,
)
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.http.request import (
    JSON,
    Pipeline,
    Request,
    counted_by_address,
    document_response,
    json_response,
)
from ludus.server.http.shared_builds import SharedBuilds
from ludus.server.web.people import PeopleAuth, SetCookie
from ludus.service.documents import SizedCache, merged, written
from ludus.service.platform import Platform
from ludus.service.player_keys import person_key
from ludus.service.ports.store import FIRST_PAGE, NEWEST, Cursor, upcoming_cursor
from ludus.service.records import Person, Tournament
from ludus.service.tournaments import document
from ludus.service.tournaments.progress import FINISHED, RUNNING
from ludus.service.tournaments.terms import KINDS, SYSTEMS, TIME_CONTROL, Terms
from ludus.service.tournaments.tournaments import View, person_applicant

Json = dict[str, Any]
MOST_LISTED: Final = 50
PAGE: Final = 20
"""Finished ones that are listed at a time."""
CACHED_BYTES: Final = 4 * 1024 * 1024


class Body(BaseModel):
    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", alias_generator=to_camel)


class NewTournament(ChosenOptions, Body):
    name: TournamentName
    game: GameName
    system: str = Field(pattern=f"^({'|'.join(SYSTEMS)})$")
    time_control: ChosenTimeControl = TIME_CONTROL
    rated: bool = False
    rounds: int = 0
    minutes: int = 0
    admits: list[str] = Field(list(KINDS), max_length=len(KINDS))
    max_entrants: int = 0
    starts_when_full: bool = False
    starts_at: Moment | None = None


class NewEntrant(Body):
    name: GuestName = ""


class NewBot(Body):
    level: Level


class TournamentHandlers:
    def __init__(self, platform: Platform, auth: PeopleAuth, new_tournaments: RequestLimit) -> None:
        """`new_tournaments` limits by address how many are created."""
        self._platform, self._auth, self._new = platform, auth, new_tournaments
        self._tournaments = platform.tournaments
        self._lists = SharedBuilds()
        self._details: SizedCache[tuple[str, int, int | None], bytes] = SizedCache(CACHED_BYTES)

    async def listed(self, request: Request) -> Response:
        """Upcoming, running and finished ones: the first of each, or the next page of those asked for."""
        before, after = request.query("before"), request.query("after")
        if before is not None:
            return json_response(await self._finished(read_cursor(before)))
        if after is not None:
            return json_response(await self._upcoming(read_cursor(after, "after")))
        return document_response(request, await self._lists.get("all", self._list), JSON)

    async def _list(self) -> bytes:
        running = await self._summaries(await self._tournaments.listed((RUNNING,), MOST_LISTED))
        return orjson.dumps({**await self._upcoming(FIRST_PAGE), "running": running, **await self._finished(NEWEST)})

    async def _upcoming(self, after: Cursor) -> Json:
        rows = await self._tournaments.upcoming(MOST_LISTED + 1, after=after)
        last = upcoming_cursor(rows[MOST_LISTED - 1]) if len(rows) > MOST_LISTED else None
        shown = await self._summaries(rows[:MOST_LISTED])
        return {"upcoming": shown, "after": None if last is None else write_cursor(*last)}

    async def _finished(self, before: Cursor) -> Json:
        rows = await self._tournaments.listed((FINISHED,), PAGE + 1, before=before)
        last = rows[PAGE - 1] if len(rows) > PAGE else None
        shown = await self._summaries(rows[:PAGE])
        return {"finished": shown, "before": None if last is None else write_cursor(last.made_at, last.id)}

    async def _summaries(self, rows: Sequence[Tournament]) -> list[Json]:
        winners = await self._tournaments.winners(rows)
        return [document.summary(row, self._platform.clock, winner) for row, winner in zip(rows, winners, strict=True)]

    async def show(self, request: Request) -> Response:
        """Everything about a tournament, and about the caller in it."""
        return await self._shown(request, request.param("id"), await self._auth.person(request))

    async def _shown(
        self, request: Request, id: str, person: Person | None, set_cookie: SetCookie | None = None, status: int = 200
    ) -> Response:
        view = await self._tournaments.view(await self._tournaments.get(id))
        own = {"me": None if person is None else document.own(view, person_key(person.id))}
        content = merged(self._public(view), orjson.dumps(own))
        if request.method == "GET":
            return document_response(request, written(content), JSON)
        response = json_response(orjson.Fragment(content), status)
        if set_cookie is not None:
            set_cookie(response)
        return response

    def _public(self, view: View) -> bytes:
        """The same for everyone; written once for each version, and again if an arena's end moves."""
        ends_due = view.tournament.ends_due
        ends_at = None if ends_due is None else self._platform.clock.wall(ends_due)
        key = view.tournament.id, view.tournament.version, ends_at
        found = self._details.get(key)
        if found is None:
            found = orjson.dumps(document.details(view, self._platform.clock))
            self._details.put(key, found, len(found))
        return found

    async def create(self, request: Request) -> Response:
        """Makes a person of someone who has never played."""
        self._platform.lobby.refuse_if_stopping()
        body = await request.parse(NewTournament)
        terms = _terms(body)
        with counted_by_address(self._new, request):
            person, set_cookie = await self._auth.ensure(request)
            made = await self._tournaments.create(person_key(person.id), terms)
        return await self._shown(request, made.id, person, set_cookie, 201)

    async def join(self, request: Request) -> Response:
        body, id = await request.parse(NewEntrant), request.param("id")
        await self._tournaments.get(id)  # first, so that no person is created needlessly
        person, set_cookie = await self._auth.ensure(request, body.name)
        applicant = person_applicant(person)
        await self._tournaments.join(id, applicant._replace(name=body.name or applicant.name))
        return await self._shown(request, id, person, set_cookie)

    async def withdraw(self, request: Request) -> Response:
        person, id = await self._auth.require(request), request.param("id")
        await self._tournaments.withdraw(id, person_key(person.id))
        return await self._shown(request, id, person)

    async def add_bot(self, request: Request) -> Response:
        body, id = await request.parse(NewBot), request.param("id")
        person = await self._auth.require(request)
        await self._tournaments.add_bot(id, person_key(person.id), body.level)
        return await self._shown(request, id, person)

    async def remove_bot(self, request: Request) -> Response:
        person, id = await self._auth.require(request), request.param("id")
        await self._tournaments.remove_bot(id, person_key(person.id), request.param("level"))
        return await self._shown(request, id, person)

    async def start(self, request: Request) -> Response:
        self._platform.lobby.refuse_if_stopping()
        person, id = await self._auth.require(request), request.param("id")
        await self._tournaments.start(id, person_key(person.id))
        return await self._shown(request, id, person)

    async def cancel(self, request: Request) -> Response:
        person, id = await self._auth.require(request), request.param("id")
        await self._tournaments.cancel(id, person_key(person.id))
        return await self._shown(request, id, person)


def _terms(body: NewTournament) -> Terms:
    return Terms(
        name=body.name,
        game=body.game,
        system=body.system,
        time_control=body.time_control,
        variant=body.variant(body.game),
        is_rated=body.rated,
        rounds=body.rounds,
        minutes=body.minutes,
        admits=tuple(body.admits),
        most_entrants=body.max_entrants,
        starts_when_full=body.starts_when_full,
        starts_at=body.starts_at,
    )


def routes(pipeline: Pipeline, handlers: TournamentHandlers) -> list[BaseRoute]:
    return [
        pipeline.route("/web/tournaments", handlers.listed),
        pipeline.route("/web/tournaments", handlers.create, "POST"),
        pipeline.route("/web/tournaments/{id}", handlers.show),
        pipeline.route("/web/tournaments/{id}/join", handlers.join, "POST"),
        pipeline.route("/web/tournaments/{id}/withdraw", handlers.withdraw, "POST"),
        pipeline.route("/web/tournaments/{id}/bots", handlers.add_bot, "POST"),
        pipeline.route("/web/tournaments/{id}/bots/{level}", handlers.remove_bot, "DELETE"),
        pipeline.route("/web/tournaments/{id}/start", handlers.start, "POST"),
        pipeline.route("/web/tournaments/{id}/cancel", handlers.cancel, "POST"),
    ]
