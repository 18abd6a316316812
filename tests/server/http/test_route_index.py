"""Routes are found by the first segment of their path, and answer as they would without that."""

from __future__ import annotations

import asyncio

import httpx2
import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Message, Scope

from ludus.server.http.route_index import RouteIndex


async def name(request: Request) -> Response:
    return PlainTextResponse(f"{request.scope['endpoint'].__name__} {dict(request.path_params)}")


async def later(request: Request) -> Response:
    return PlainTextResponse("later")


def app() -> FastAPI:
    made = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)

    @made.get("/mixed/api")
    async def api() -> str:
        return "api"

    made.router.routes.extend(
        [
            Route("/", name),
            Route("/mixed/{path:path}", name),
            Route("/things/{id}", name),
            Route("/things/{id}", later),
            Route("/posts", name, methods=["POST"]),
            Route("/{any}/end", name),
        ]
    )
    return made


PATHS = ["/", "/mixed/api", "/mixed/other/one", "/things/7", "/things/7/8", "/things", "/posts", "/x/end", "/no"]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("method", ["GET", "POST", "HEAD"])
def test_every_request_gets_the_answer_it_would_get_without(path: str, method: str) -> None:
    async def ask(asgi: FastAPI | RouteIndex) -> tuple[int, bytes, str | None]:
        transport = httpx2.ASGITransport(asgi, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://ludus.example") as client:
            answer = await client.request(method, f"http://ludus.example{path}")
            return answer.status_code, answer.content, answer.headers.get("allow")

    async def both() -> None:
        assert await ask(RouteIndex(app())) == await ask(app())

    asyncio.run(both())


def test_only_routes_of_the_same_segment_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    matches = Route.matches

    def noting(self: Route, scope: Scope) -> object:
        tried.append(self.path)
        return matches(self, scope)

    monkeypatch.setattr(Route, "matches", noting)
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": "/things/7", "headers": [], "query_string": b"", "root_path": ""}
    asyncio.run(RouteIndex(app())(scope, receive, send))
    assert tried == ["/things/{id}"]
    assert sent[0]["status"] == 200
