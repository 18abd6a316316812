"""All routes of the page."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette import requests
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.core.errors import LudusError
from ludus.server.http.errors import rest_body, status_of
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.http.request import NO_STORE, Pipeline, Request, error_headers, json_response
from ludus.server.web import (
    analysis,
    analysis_board,
    claim,
    documentation,
    explorer,
    finished,
    game_page,
    installation,
    lessons,
    pages,
    passkeys,
    people,
    play,
    profiles,
    puzzles,
    records,
    relations,
    tournaments,
)
from ludus.server.web.finished import FinishedGames
from ludus.server.web.passkeys import Passkeys
from ludus.server.web.people import PeopleHandlers
from ludus.server.web.play import Play
from ludus.server.web.profiles import Profiles
from ludus.server.web.puzzles import WebPuzzles
from ludus.server.web.records import Count, GameRecords
from ludus.server.web.relations import RelationHandlers
from ludus.server.web.tournaments import TournamentHandlers
from ludus.server.web.viewers import Viewers
from ludus.server.web.written_pages import WrittenPages
from ludus.service.agents import Agents
from ludus.service.analysis import Analyses
from ludus.service.platform import Platform


def routes(
    platform: Platform,
    agents: Agents,
    analyses: Analyses,
    people_handlers: PeopleHandlers,
    passkey_handlers: Passkeys,
    relation_handlers: RelationHandlers,
    tournament_handlers: TournamentHandlers,
    people_profiles: Profiles,
    games_of_people: Play,
    web_puzzles: WebPuzzles,
    viewers: Viewers,
    spectators: Count,
    limit: RequestLimit,
    prefix: str = "",
    *,
    has_service_worker: bool = True,
    public_url: str = "",
) -> list[BaseRoute]:
    """Everything the page needs besides the public APIs. Requests are counted by address.

    `prefix` is the path that the server is mounted under, `public_url` the address that people know, if it is set.
    """
    pipeline, games = Pipeline(limit, render_error), GameRecords(platform, spectators, viewers)
    return [
        *records.routes(pipeline, games),
        *analysis.routes(pipeline, games, analyses, platform.opinions, platform.address_marks.mark),
        *analysis_board.routes(pipeline, platform.opinions, platform.address_marks.mark),
        *play.routes(pipeline, games_of_people),
        *people.routes(pipeline, people_handlers),
        *passkeys.routes(pipeline, passkey_handlers),
        *relations.routes(pipeline, relation_handlers),
        *tournaments.routes(pipeline, tournament_handlers),
        *profiles.routes(pipeline, people_profiles),
        *claim.routes(agents, limit),
        *documentation.routes(),
        *finished.routes(pipeline, FinishedGames(platform)),
        *lessons.routes(pipeline),
        *explorer.routes(pipeline, platform.explorer),
        *puzzles.routes(pipeline, web_puzzles),
        game_page.route(platform, prefix),
        *WrittenPages(platform, agents, games, prefix, public_url).routes(),
        *installation.routes(prefix, has_service_worker),
        *profiles.documents(people_profiles.relations, prefix),
        *pages.routes(
            platform.store,
            prefix,
            {
                pages.PLAY: _finds(pipeline, games_of_people.exists),
                pages.INVITATION: _finds(pipeline, games_of_people.invitation),
                pages.PUZZLES: _finds(pipeline, web_puzzles.find_game),
            },
        ),
    ]


def _finds(pipeline: Pipeline, find: Callable[[Request], Awaitable[object]]) -> pages.Exists:
    """Whether `find` finds what a request names; if that cannot be told now, the page's scripts will say so.

    Looking counts as a request, since the answer tells whether a code is right.
    """

    async def exists(request: requests.Request) -> bool:
        try:
            pipeline.count(request)
            await find(Request(request.scope, request.receive))
        except LudusError as error:
            return status_of(error) != 404
        return True

    return exists


def render_error(_: HTTPConnection, error: Exception) -> Response:
    return json_response(rest_body(error), status_of(error), {**NO_STORE, **error_headers(error)})
