"""The page for people: its documents and files, with what browsers may do and keep of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Match, Route
from starlette.types import Scope

from ludus.server.http.rate_limit import RequestLimit
from ludus.server.http.request import Pipeline
from ludus.server.web import analysis, claim, embed, rooms, tables
from ludus.server.web.assets import Asset, Assets, own
from ludus.server.web.documents import MISSING, PAGES
from ludus.server.web.headers import FOREVER, page, sent
from ludus.server.web.request import render_error
from ludus.service.agents import Agents
from ludus.service.analysis import Analyses
from ludus.service.platform import Platform

Serve = Callable[[Request], Awaitable[Response]]


def routes(
    platform: Platform,
    agents: Agents,
    analyses: Analyses,
    guest_rooms: rooms.GuestRooms,
    spectators: tables.Count,
    limit: RequestLimit,
) -> list[BaseRoute]:
    """Everything the page needs besides the public APIs."""
    pipeline, games = Pipeline(limit, render_error), tables.Tables(platform, spectators)
    return [
        *tables.routes(pipeline, games),
        *analysis.routes(pipeline, games, analyses),
        *rooms.routes(pipeline, guest_rooms),
        *claim.routes(agents, limit),
        *embed.routes(own(), platform.store),
        *files(own()),
    ]


def files(assets: Assets) -> list[BaseRoute]:
    pages: list[BaseRoute] = [Route(path, _serving(assets.documents[each])) for path, each in PAGES.items()]
    slashed = [Route(f"{path}/", _unslashed) for path in PAGES if path != "/"]
    return [*pages, *slashed, Route("/static/{version}/{path:path}", _static(assets)), Missing(assets)]


async def _unslashed(request: Request) -> Response:
    """People add a slash at the end of an address; it is the same page."""
    query = f"?{request.url.query}" if request.url.query else ""
    return RedirectResponse(request.url.path.rstrip("/") + query, 308)


def _serving(asset: Asset) -> Serve:
    async def serve(request: Request) -> Response:
        return page(request, asset)

    return serve


def _static(assets: Assets) -> Serve:
    """Files are kept for ever, since another content has another address; pages anywhere may load them."""

    async def serve(request: Request) -> Response:
        asset = assets.files.get(request.path_params["path"])
        if asset is None or request.path_params["version"] != assets.version:
            return Response("There is no such file.\n", 404, {"Cache-Control": "no-store"}, "text/plain")
        headers = {"Cache-Control": FOREVER, "Access-Control-Allow-Origin": "*"}
        return sent(request, asset, headers)

    return serve


class Missing(Route):
    """What a person is shown where there is nothing; programs are told by others, in their own words."""

    def __init__(self, assets: Assets) -> None:
        async def serve(request: Request) -> Response:
            return page(request, assets.documents[MISSING], 404)

        super().__init__("/{path:path}", serve)

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        accept = next((value for name, value in scope.get("headers", ()) if name == b"accept"), b"")
        match, own = super().matches(scope) if b"text/html" in accept else (Match.NONE, {})
        return (match, own) if match is Match.FULL else (Match.NONE, {})
