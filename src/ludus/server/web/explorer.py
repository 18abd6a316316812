"""The opening explorer on the page."""

from __future__ import annotations

from functools import partial
from typing import Any

import orjson
from starlette.responses import Response
from starlette.routing import BaseRoute

from ludus.games import GAMES
from ludus.server.http.explorer import asked_position, serialize
from ludus.server.http.request import JSON, Pipeline, Request, document_response
from ludus.server.http.shared_builds import SharedBuilds
from ludus.server.web.finished import summary
from ludus.service.explorer import Explorer
from ludus.service.tables import NotFound


class WebExplorer:
    def __init__(self, explorer: Explorer) -> None:
        self._explorer = explorer
        self._built = SharedBuilds()

    async def show(self, request: Request) -> Response:
        """What was played in a position."""
        game = request.param("game")
        if game not in GAMES:
            raise NotFound("there is no such game")
        position = asked_position(game, request)
        key = game, GAMES[game].notation.write_position(position)
        return document_response(request, await self._built.get(key, partial(self._build, game, position)), JSON)

    async def _build(self, game: str, position: Any) -> bytes:
        return orjson.dumps(serialize(await self._explorer.look_up(game, position), summary))


def routes(pipeline: Pipeline, explorer: Explorer) -> list[BaseRoute]:
    return [pipeline.route("/web/explorer/{game}", WebExplorer(explorer).show)]
