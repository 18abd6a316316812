"""The price of HTTP requests: charged before routing, paid by the address, refused in the end."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx2
import pytest
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp
from structlog.testing import capture_logs

from ludus.server.http.cpu_budget import PAUSE, PAYER, OverBudget
from ludus.server.http.middleware import wrap
from ludus.server.http.rate_limit import RequestLimit
from ludus.server.http.request import Pipeline, error_headers, json_response
from ludus.server.metrics import Metrics
from ludus.server.settings import Settings

from .simulation import Simulation

pytestmark = pytest.mark.anyio

MS = 1e-3
DEAR = 100 * MS


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class App:
    """Each request under /api and / takes the event loop for as long as `seconds` says."""

    def __init__(self) -> None:
        self.simulation = Simulation(steps=40)
        self.seconds = DEAR
        self.served: list[str] = []
        routes = [Route(path, self._work, methods=["GET", "POST"]) for path in ("/api/{rest:path}", "/{rest:path}")]
        self.asgi: ASGIApp = wrap(Starlette(routes=routes), Settings(), Metrics(), self.simulation.budget)

    async def _work(self, request: Request) -> Response:
        assert request.client
        self.simulation.now += self.seconds
        self.served.append(request.client.host)
        return PlainTextResponse("done")

    async def ask(
        self, path: str = "/", address: str = "192.0.2.1", port: int = 1, headers: dict[str, str] | None = None
    ) -> httpx2.Response:
        transport = httpx2.ASGITransport(self.asgi, client=(address, port))
        async with httpx2.AsyncClient(transport=transport, base_url="http://ludus") as client:
            return await client.get(path, headers=headers)

    async def exhaust(self, address: str = "192.0.2.1") -> None:
        """So that the address's next request is refused."""
        await self.ask(address=address)
        self.simulation.budget.correct(self.simulation.budget.payer(address), 10.0)


async def test_an_address_that_used_more_than_its_share_waits_for_its_next_answer() -> None:
    app = App()
    app.seconds = 2 * DEAR
    assert (await app.ask()).status_code == 200
    held = asyncio.create_task(app.ask())
    await app.simulation.settle()
    assert not held.done()
    other = asyncio.create_task(app.ask(address="192.0.2.2"))
    await app.simulation.run(0.1)
    assert other.done() and not held.done()
    await app.simulation.run(2)
    assert held.result().status_code == 200
    assert app.served == ["192.0.2.1", "192.0.2.2", "192.0.2.1"]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/matches/1", {"error": "rate_limited"}),
        ("/api/matches/1/state", {"error": "rate_limited", "retryAfterMs": 4000}),
        ("/v1/rooms", {"error": "Too much work for one client; try again in 4 s", "code": "too_fast"}),
        ("/", {"error": "Too much work for one client; try again in 4 s", "code": "too_fast"}),
    ],
)
async def test_far_above_its_share_it_is_refused_in_the_form_of_the_api(path: str, body: dict[str, Any]) -> None:
    app = App()
    await app.exhaust()
    served = len(app.served)
    refused = asyncio.create_task(app.ask(path))
    await app.simulation.run(PAUSE)
    answer = refused.result()
    assert (answer.status_code, answer.json()) == (429, body)
    assert answer.headers["Retry-After"] == "4"
    assert len(answer.headers["X-Request-Id"]) == 32
    assert len(app.served) == served, "nothing was done for it"


async def test_a_refusal_takes_a_second_so_that_one_connection_gets_one_a_second() -> None:
    app = App()
    await app.exhaust()
    refused = asyncio.create_task(app.ask())
    await app.simulation.run(0.9 * PAUSE)
    assert not refused.done()
    await app.simulation.run(0.1 * PAUSE)
    assert refused.done()


async def test_paths_that_do_not_exist_cost_their_sender_as_well() -> None:
    app = App()
    app.seconds = 0.0
    charged = app.simulation.budget.charged
    await app.ask("/nowhere/at/all")
    assert app.simulation.budget.charged > charged


async def test_a_key_pays_from_every_address() -> None:
    simulation = Simulation(steps=40)
    pipeline = Pipeline(RequestLimit(10_000, lambda: simulation.now), render_error)

    async def authenticate(_: HTTPConnection) -> str:
        return "tenant_1"

    async def work(request: Request) -> Response:
        simulation.budget.correct(request.scope[PAYER], 10.0)
        return PlainTextResponse("done")

    route = pipeline.route("/v1/work", work, "GET", authenticate)
    app = App()
    app.asgi = wrap(Starlette(routes=[route]), Settings(), Metrics(), simulation.budget)
    assert (await app.ask("/v1/work")).status_code == 200
    late = await app.ask("/v1/work", address="198.51.100.1")
    assert (late.status_code, late.json()["code"]) == (429, "too_fast")
    assert late.headers["Retry-After"] == "4"


def render_error(_: HTTPConnection, error: Exception) -> Response:
    assert isinstance(error, OverBudget)
    return json_response({"error": str(error), "code": error.code}, 429, error_headers(error))


FORWARDED = {"X-Forwarded-For": "203.0.113.9"}


@pytest.mark.parametrize(("port", "headers", "lines"), [(1, FORWARDED, 1), (0, FORWARDED, 0), (1, {}, 0)])
async def test_a_proxy_that_is_not_trusted_is_named_once_in_the_log(
    port: int, headers: dict[str, str], lines: int
) -> None:
    """The port is 0 where the server took the proxy's word for the address."""
    app = App()
    await app.exhaust()
    with capture_logs() as logged:
        asked = [asyncio.create_task(app.ask(port=port, headers=headers)) for _ in range(3)]
        await app.simulation.run(PAUSE)
    assert [each.result().status_code for each in asked] == [429] * 3
    assert len([line for line in logged if "proxies" in line["event"]]) == lines
