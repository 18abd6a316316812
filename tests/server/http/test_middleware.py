"""The layers around the application, each around one that does nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import httpx2
import pytest
import structlog
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from structlog.contextvars import merge_contextvars
from structlog.testing import capture_logs

from ludus.server.http.middleware import (
    DOCUMENTS,
    BodyLimit,
    CrossOrigin,
    Failures,
    Meter,
    PromptBody,
    RequestId,
    SafeHeaders,
    share,
    wrap,
)
from ludus.server.metrics import Metrics
from ludus.server.settings import Settings
from ludus.service.records import Agent, Key

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


async def echo(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with the body it got."""
    body, more = b"", True
    while more:
        message = await receive()
        body, more = body + message.get("body", b""), message.get("more_body", False)
    await PlainTextResponse(body)(scope, receive, send)


async def fail(scope: Scope, receive: Receive, send: Send) -> None:
    raise RuntimeError("password=hunter2")


async def fail_late(scope: Scope, receive: Receive, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"half", "more_body": True})
    raise RuntimeError("too late to say so")


async def shared(scope: Scope, receive: Receive, send: Send) -> None:
    share(scope)
    await PlainTextResponse("x")(scope, receive, send)


async def ask(app: ASGIApp, method: str = "GET", path: str = "/v1/x", **more: Any) -> httpx2.Response:
    transport = httpx2.ASGITransport(app, raise_app_exceptions=False)
    async with httpx2.AsyncClient(transport=transport, base_url="http://ludus") as client:
        return await client.request(method, path, **more)


def numbers() -> Any:
    found = iter(range(1, 100))
    return lambda: str(next(found))


async def pieces(*parts: bytes) -> AsyncIterator[bytes]:
    for part in parts:
        yield part


async def test_each_answer_has_an_id_that_no_client_can_choose() -> None:
    app = RequestId(echo, numbers())
    answers = [await ask(app, headers={"X-Request-Id": "mine"}) for _ in range(2)]
    assert [answer.headers.get_list("X-Request-Id") for answer in answers] == [["1"], ["2"]]


async def test_the_id_is_in_every_line_logged_meanwhile() -> None:
    seen = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(dict(structlog.contextvars.get_contextvars()))
        await echo(scope, receive, send)

    await ask(RequestId(app, numbers()))
    assert seen == [{"request": "1"}]
    assert "request" not in structlog.contextvars.get_contextvars()


@pytest.mark.parametrize("size", [0, 1, 99, 100])
@pytest.mark.parametrize("is_streamed", [False, True])
async def test_a_body_within_the_limit_arrives_whole(size: int, is_streamed: bool) -> None:
    body = b"x" * size
    content = pieces(body[:40], body[40:]) if is_streamed else body
    answer = await ask(BodyLimit(echo, 100), "POST", content=content)
    assert (answer.status_code, answer.content) == (200, body)


@pytest.mark.parametrize("content", [b"x" * 101, [b"x" * 60, b"y" * 60, b"z" * 60]], ids=["said", "streamed"])
async def test_a_body_beyond_the_limit_never_reaches_the_application(content: Any) -> None:
    reached = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        reached.append(scope)

    body = pieces(*content) if isinstance(content, list) else content
    answer = await ask(BodyLimit(app, 100), "POST", content=body)
    assert answer.status_code == 413
    assert answer.json() == {"error": "A request may have 100 bytes at most.", "code": "too_large"}
    assert not reached


@pytest.mark.parametrize("length", ["101", "9" * 400, "٣٣٣٣"])
async def test_a_body_that_says_it_is_too_long_is_not_waited_for(length: str) -> None:
    async def never() -> Message:
        raise AssertionError("nobody should read this")

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    headers = [(b"content-length", length.encode("latin-1", "ignore") or b"999999")]
    await BodyLimit(fail, 100)({"type": "http", "headers": headers}, never, send)
    assert sent[0]["status"] == 413


async def test_a_client_that_leaves_meanwhile_is_no_error() -> None:
    heard = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        heard.append(await receive())
        heard.append(await receive())

    coming: Iterator[Message] = iter(
        [{"type": "http.request", "body": b"x", "more_body": True}, {"type": "http.disconnect"}]
    )

    async def receive() -> Message:
        return next(coming)

    async def send(message: Message) -> None:
        raise AssertionError("there is nobody to answer")

    await BodyLimit(app, 100)({"type": "http", "headers": []}, receive, send)
    assert [message["type"] for message in heard] == ["http.request", "http.disconnect"]


async def test_a_failure_is_answered_without_its_cause_and_logged_with_it() -> None:
    with capture_logs([merge_contextvars]) as lines:
        answer = await ask(RequestId(Failures(fail), lambda: "id-17"), path="/v1/x?token=hidden")
    assert answer.status_code == 500
    assert answer.json() == {"error": "Something went wrong on our side.", "code": "internal"}
    (line,) = lines
    assert (line["request"], line["exc_info"], line["path"]) == ("id-17", True, "/v1/x")
    assert "hidden" not in str(line)


async def test_a_failure_after_the_answer_began_is_only_logged() -> None:
    sent: list[Message] = []

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        sent.append(message)

    with capture_logs() as lines:
        await Failures(fail_late)({"type": "http", "method": "GET", "path": "/v1/x"}, receive, send)
    assert [message["type"] for message in sent] == ["http.response.start", "http.response.body"]
    assert [line["event"] for line in lines] == ["request failed"]


async def test_browsers_must_not_sniff_types_or_cache_responses_of_the_api() -> None:
    for path, kept in (("/v1/rooms", "no-store"), ("/v1", "no-store"), ("/health", None), ("/v10", None)):
        headers = (await ask(SafeHeaders(echo), path=path)).headers
        assert (headers["X-Content-Type-Options"], headers["Referrer-Policy"]) == ("nosniff", "no-referrer")
        assert headers.get("Cache-Control") == kept


ASKING = {"Origin": "https://a.example", "Access-Control-Request-Method": "POST"}


async def test_what_a_browser_asks_beforehand_is_answered_for_any_origin() -> None:
    answer = await ask(CrossOrigin(fail), "OPTIONS", headers=ASKING)
    assert (answer.status_code, answer.content) == (204, b"")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert answer.headers["Access-Control-Allow-Methods"] == "GET, POST, PATCH, DELETE"
    assert (
        answer.headers["Access-Control-Allow-Headers"]
        == "Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name"
    )
    assert "Access-Control-Allow-Credentials" not in answer.headers


@pytest.mark.parametrize(("path", "headers"), [
    ("/health", ASKING), ("/v1/x", {"Origin": "https://a.example"}), ("/v1/x", {}),
])  # fmt: skip
async def test_other_questions_go_to_the_application(path: str, headers: dict[str, str]) -> None:
    assert (await ask(CrossOrigin(echo), "OPTIONS", path, headers=headers)).status_code == 200


async def test_any_page_reads_what_the_arena_says() -> None:
    allowed = await ask(CrossOrigin(echo), path="/api/games", headers={"Origin": "https://a.example"})
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://a.example"
    assert "X-RateLimit-Remaining" in allowed.headers["Access-Control-Expose-Headers"]
    assert (await ask(CrossOrigin(fail), "OPTIONS", "/api/games", headers=ASKING)).status_code == 204


@pytest.mark.parametrize("path", sorted(DOCUMENTS))
async def test_any_page_reads_the_documents(path: str) -> None:
    for headers in ({}, {"Origin": "https://a.example"}):
        assert (await ask(CrossOrigin(echo), path=path, headers=headers)).headers["Access-Control-Allow-Origin"] == "*"


async def test_a_page_reads_an_answer_only_if_the_route_lets_it() -> None:
    origin = {"Origin": "https://a.example"}
    allowed, silent = await ask(CrossOrigin(shared), headers=origin), await ask(CrossOrigin(echo), headers=origin)
    assert allowed.headers["Access-Control-Allow-Origin"] == "https://a.example"
    assert "X-RateLimit-Remaining" in allowed.headers["Access-Control-Expose-Headers"]
    assert "Access-Control-Allow-Origin" not in silent.headers
    assert (allowed.headers["Vary"], silent.headers["Vary"]) == ("Origin", "Origin")
    assert "Access-Control-Allow-Origin" not in (await ask(CrossOrigin(shared))).headers


async def test_requests_are_counted_by_the_template_of_their_path() -> None:
    metrics, app = Metrics(), FastAPI()

    @app.get("/v1/things/{id}")
    async def thing(id: str) -> str:
        return id

    for path in ("/v1/things/1", "/v1/things/2", "/elsewhere"):
        await ask(Meter(app, metrics), path=path)
    page = metrics.render()[0].decode()
    assert 'ludus_http_requests_total{method="GET",route="/v1/things/{id}",status="200"} 2.0' in page
    assert 'ludus_http_requests_total{method="GET",route="unmatched",status="404"} 1.0' in page
    assert 'ludus_http_request_seconds_count{route="/v1/things/{id}"} 2.0' in page


async def test_a_request_without_an_answer_counts_as_our_fault() -> None:
    metrics = Metrics()
    with pytest.raises(RuntimeError):
        await Meter(fail, metrics)({"type": "http", "method": "GET"}, echo, echo)  # type: ignore[arg-type]  # never called
    assert 'status="500"} 1.0' in metrics.render()[0].decode()


async def test_all_layers_together_serve_refusals_as_well() -> None:
    metrics = Metrics()
    app = wrap(fail, Settings(max_body=256), metrics)
    with capture_logs():
        answers = [await ask(app), await ask(app, content=b"x" * 257)]
    assert [answer.status_code for answer in answers] == [500, 413]
    for answer in answers:
        assert len(answer.headers["X-Request-Id"]) == 32
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["Content-Type"] == "application/json"
    page = metrics.render()[0].decode()
    assert 'status="500"} 1.0' in page
    assert 'status="413"} 1.0' in page


@pytest.mark.parametrize("kind", ["lifespan", "websocket"])
async def test_what_is_no_request_goes_through_untouched(kind: str) -> None:
    seen: list[tuple[Any, ...]] = []

    async def app(*words: Any) -> None:
        seen.append(words)

    async def receive() -> Message:
        return {}

    async def send(message: Message) -> None:
        return None

    scope = {"type": kind, "path": "/v1/x"}
    await wrap(app, Settings(), Metrics())(scope, receive, send)
    assert seen == [(scope, receive, send)]
    assert scope == {"type": kind, "path": "/v1/x"}


async def test_an_answer_may_have_no_headers_of_its_own() -> None:
    assert (await ask(SafeHeaders(JSONResponse({})))).status_code == 200


async def answer(request: Request) -> PlainTextResponse:
    request.scope["user"] = USERS.get(request.path_params["id"])
    return PlainTextResponse("12345")


USERS = {
    "a": Agent("agent-7", 1, "Ann", "ann", None, "hash", "code", None, 0),
    "t": Key("hash", "tenant_7", "live", "ludus_live_abc", ("*",), 0),
}


async def test_routes_of_starlette_are_counted_by_their_templates() -> None:
    metrics = Metrics()
    app = wrap(Starlette(routes=[Route("/api/matches/{id}", answer)]), Settings(), metrics)
    for path in ("/api/matches/1", "/api/matches/2", "/elsewhere"):
        await ask(app, path=path)
    for route, count in (("/api/matches/{id}", 2), ("unmatched", 1)):
        assert metrics.registry.get_sample_value("ludus_http_request_seconds_count", {"route": route}) == count


@pytest.mark.parametrize(("id", "who"), [("a", {"agent": "agent-7"}), ("t", {"tenant": "tenant_7"}), ("x", {})])
async def test_the_access_log_has_a_line_for_each_request_without_its_path(id: str, who: dict[str, str]) -> None:
    routes = [Route("/api/matches/{id}", answer, methods=["GET", "BREW"])]
    app = wrap(Starlette(routes=routes), Settings(access_log=True), Metrics())
    with capture_logs([merge_contextvars]) as lines:
        got = await ask(app, "BREW", f"/api/matches/{id}?token=secret", headers={"Authorization": "Bearer secret"})
    (line,) = lines
    assert line.pop("ms") >= 0
    assert line == {
        "event": "request",
        "log_level": "info",
        "method": "other",
        "route": "/api/matches/{id}",
        "status": 200,
        "bytes": 5,
        "request": got.headers["X-Request-Id"],
        **who,
    }


async def test_without_the_setting_there_is_no_access_log() -> None:
    with capture_logs() as lines:
        await ask(wrap(echo, Settings(), Metrics()))
    assert lines == []


async def test_a_body_that_has_arrived_outlives_its_connection() -> None:
    is_gone = False

    async def receive() -> Message:
        return {"type": "http.disconnect"} if is_gone else {"type": "http.request", "body": b"move", "more_body": False}

    async def lose_connection(scope: Scope, receive: Receive, send: Send) -> None:
        nonlocal is_gone
        is_gone = True  # as while the client's share of the processor is awaited
        await echo(scope, receive, send)

    sent: list[Message] = []

    async def send(message: Message) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "headers": [(b"content-length", b"4")]}
    await PromptBody(lose_connection)(scope, receive, send)
    assert sent[-1]["body"] == b"move"
