"""Finds routes by the first segment of their path: trying a hundred of them in turn costs more than most answers."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import FastAPI
from fastapi.routing import APIRoute
from starlette.routing import BaseRoute, Match, Route, WebSocketRoute
from starlette.types import Receive, Scope, Send


class RouteIndex:
    """An ASGI application in front of another one, which gets everything that is not ours to answer.

    It serves Starlette's plain routes itself. Their handlers render their own errors, so they need none of the layers
    that FastAPI puts around its own routes.
    """

    def __init__(self, app: FastAPI) -> None:
        self._app = app
        self._by_segment: dict[str, list[BaseRoute]] = {}
        for route in app.routes:
            segment = _segment(getattr(route, "path", ""))
            if "{" not in segment:
                self._by_segment.setdefault(segment, []).append(route)

    @property
    def routes(self) -> Sequence[BaseRoute]:
        return self._app.routes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] in ("http", "websocket"):
            for route in self._by_segment.get(_segment(scope["path"]), ()):
                match, found = route.matches(scope)
                if match is Match.FULL:
                    if not isinstance(route, Route | WebSocketRoute) or isinstance(route, APIRoute):
                        break
                    scope.update(found)
                    return await route.handle(scope, receive, send)
        return await self._app(scope, receive, send)


def _segment(path: str) -> str:
    """The first one.

    >>> _segment("/static/a/b.js"), _segment("/"), _segment("/games")
    ('static', '', 'games')
    """
    return path[1:].partition("/")[0]
