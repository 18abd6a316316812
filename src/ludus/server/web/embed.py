"""Games in other people's pages: a module that any page may load, and a frame for the pages that a tenant allows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ludus.server.web.assets import Assets
from ludus.server.web.headers import LOOK_AGAIN, page, sent
from ludus.service.origins import ANY
from ludus.service.ports import Store

ELEMENT: Final = "embed/ludus-game.js"
LONGEST_ID: Final = 64
SCHEMES: Final = ("http://", "https://")


def routes(assets: Assets, store: Store) -> list[BaseRoute]:
    address = assets.module(ELEMENT)

    async def element(request: Request) -> Response:
        """A name that stays the same, for the file whose name changes with its content."""
        return sent(request, address, {"Cache-Control": LOOK_AGAIN, "Access-Control-Allow-Origin": "*"})

    async def frame(request: Request) -> Response:
        tenant = request.query_params.get("tenant", "")
        origins = await _origins(store, tenant) if 0 < len(tenant) <= LONGEST_ID else ()
        return page(request, assets.pages["frame.html"], ancestors=ancestors(origins))

    return [Route(f"/{ELEMENT}", element), Route("/frame", frame)]


def ancestors(origins: Iterable[str]) -> str:
    """Which pages may frame a tenant's games; our own may.

    >>> ancestors(["https://app.example", "null"])
    "frame-ancestors 'self' https://app.example"
    """
    allowed = [origin for origin in origins if origin == ANY or origin.startswith(SCHEMES)]
    return " ".join(["frame-ancestors", "'self'", *dict.fromkeys(allowed)])


async def _origins(store: Store, tenant: str) -> list[str]:
    return [origin for key in await store.keys(tenant) if key.revoked_at is None for origin in key.origins]
