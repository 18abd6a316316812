"""What the page asks for: counted by address, and answered as REST answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog
from starlette.requests import Request
from starlette.responses import Response

from ludus.server.arena.app import Arena
from ludus.server.arena.asking import FRESH, Ask, told
from ludus.server.arena.desk import count_headers, refuse_too_many
from ludus.server.http.errors import INTERNAL, public, status_of

log = structlog.get_logger("ludus.web")

Handle = Callable[[Ask], Awaitable[Response]]
RETRY_SECONDS = "5"
"""After which an engine or a stopping server may be asked again."""


def endpoint(arena: Arena, handle: Handle) -> Callable[[Request], Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        verdict = arena.desk.count(f"address/{request.client.host if request.client else ''}")
        try:
            refuse_too_many(verdict)
            response = await handle(Ask(arena, request, None))
        except Exception as error:
            response = refused(request, error)
        response.headers.update(count_headers(verdict))
        return response

    return answer


def refused(request: Request, error: Exception) -> Response:
    problem, status = public(error), status_of(error)
    if problem.code == INTERNAL:
        log.error("a request of the page failed", exc_info=error, path=request.url.path)
    headers = {**FRESH, "Retry-After": RETRY_SECONDS} if status == 503 else FRESH
    return told({"error": problem.message, "code": problem.code}, status, headers)
