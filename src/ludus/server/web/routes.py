"""All routes of the page."""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.server.http.errors import rest_body, status_of
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.http.request import NO_STORE, Pipeline, error_headers, json_response
from ludus.server.web import (
    analysis,
    claim,
    documentation,
    finished,
    game_page,
    guest_rooms,
    installation,
    pages,
    passkeys,
    people,
    profiles,
    records,
    relations,
)
from ludus.server.web.finished import FinishedGames
from ludus.server.web.guest_rooms import GuestRooms
from ludus.server.web.passkeys import Passkeys
from ludus.server.web.people import PeopleHandlers
from ludus.server.web.profiles import Profiles
from ludus.server.web.records import Count, GameRecords
from ludus.server.web.relations import RelationHandlers
from ludus.server.web.written_pages import WrittenPages
from ludus.service.agents import Agents
from ludus.service.analysis import Analyses
from ludus.service.platform import Platform


def routes(
    platform: Platform,
    agents: Agents,
    analyses: Analyses,
    guests: GuestRooms,
    people_handlers: PeopleHandlers,
    passkey_handlers: Passkeys,
    relation_handlers: RelationHandlers,
    people_profiles: Profiles,
    spectators: Count,
    limit: RequestLimit,
    prefix: str = "",
    *,
    has_service_worker: bool = True,
) -> list[BaseRoute]:
    """Everything the page needs besides the public APIs. Requests are counted by address.

    `prefix` is the path that the server is mounted under.
    """
    pipeline, games = Pipeline(limit, render_error), GameRecords(platform, spectators)
    return [
        *records.routes(pipeline, games),
        *analysis.routes(pipeline, games, analyses, platform.address_marks.mark),
        *guest_rooms.routes(pipeline, guests),
        *people.routes(pipeline, people_handlers),
        *passkeys.routes(pipeline, passkey_handlers),
        *relations.routes(pipeline, relation_handlers),
        *profiles.routes(pipeline, people_profiles),
        *claim.routes(agents, limit),
        *documentation.routes(),
        *finished.routes(pipeline, FinishedGames(platform)),
        game_page.route(platform, prefix),
        *WrittenPages(platform, agents, games, prefix).routes(),
        *installation.routes(prefix, has_service_worker),
        *profiles.documents(people_profiles.relations, prefix),
        *pages.routes(platform.store, prefix),
    ]


def render_error(_: HTTPConnection, error: Exception) -> Response:
    return json_response(rest_body(error), status_of(error), {**NO_STORE, **error_headers(error)})
