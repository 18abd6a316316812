"""The API as it describes itself, and whether it keeps to that whatever it is sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
import requests
import schemathesis
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from openapi_spec_validator import validate
from schemathesis import BaseSchema, Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.transport import Response
from schemathesis.specs.openapi import checks
from starlette.routing import Route
from tests.server.arena.arena_app import ArenaApp, with_app
from tests.server.arena.served import ServedArena, serve_arena

from ludus.engines.levels import LEVELS
from ludus.server.arena.openapi import document
from ludus.server.arena.routes import OPERATIONS
from ludus.server.arena.schemas import EXAMPLES, Answer

KEPT = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.unsupported_method,
]
DELETING = ("DELETE", "/api/agents/me")
ADDRESSES = [(entry.method, entry.path) for entry in OPERATIONS]
CASES = [
    pytest.param(*operation, mode, id=f"{operation[0]} {operation[1]} {name}")
    for operation, entry in zip(ADDRESSES, OPERATIONS, strict=True)
    for mode, name in ((GenerationMode.POSITIVE, "fitting"), (GenerationMode.NEGATIVE, "unfitting"))
    if (mode is GenerationMode.POSITIVE or entry.parameters or entry.body) and operation != DELETING
]
"""What takes nothing cannot be sent anything unfitting; the agent that asks must stay."""
OPEN = {(entry.method, entry.path) for entry in OPERATIONS if entry.is_public}
DOCS = Path(__file__).parents[3] / "docs"
PAGE = DOCS / "reference" / "arena.md"
ANALYSIS = DOCS / "analysis.md"


@pytest.fixture(scope="module")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServedArena]:
    with serve_arena(tmp_path_factory.mktemp("arena")) as host:
        yield host


@pytest.fixture(scope="module")
def described(host: ServedArena) -> Any:
    """The OpenAPI document."""
    return httpx2.get(f"{host.url}/api/docs/json", timeout=60).json()


@pytest.fixture(scope="module")
def schema(described: Any, host: ServedArena) -> BaseSchema:
    schema = schemathesis.openapi.from_dict(described)
    schema.config.update(base_url=host.url, request_timeout=60)
    return schema


@pytest.mark.parametrize(("method", "path", "mode"), CASES)
def test_whatever_is_sent_is_answered_as_described(
    schema: BaseSchema, host: ServedArena, method: str, path: str, mode: GenerationMode
) -> None:
    there = st.sampled_from([host.live, host.over, host.agent, "house:easy", "checkers", "backgammon", None])

    @settings(max_examples=15)
    @given(schema[path][method].as_strategy(generation_mode=mode), there)
    def send(case: Case[Any], id: str | None) -> None:
        if id and "id" in (case.path_parameters or {}):
            case.path_parameters["id"] = id
        # What is before the body must fit into uvicorn's 64 kB, or it hangs up before we see anything.
        assume(len(quote(f"{case.path_parameters}{case.query}{case.headers}{case.cookies}")) < 60_000)
        answer = case.call_and_validate(headers=host.headers, checks=KEPT, session=session)
        assert answer.status_code < 500

    with requests.Session() as session:
        send()


@pytest.mark.parametrize("path", [
    "/api/matches/{live}/state", "/api/matches/{over}/state", "/api/matches/{live}", "/api/matches/{over}",
    "/api/matches/{live}/analysis", "/api/matches/{over}/analysis",
    "/api/agents/{agent}", "/api/agents/{agent}/matches", "/api/matchmaking/status?gameId=checkers",
    "/api/matches?gameId=checkers", "/api/matches?gameId=backgammon&status=finished",
    "/api/leaderboard?gameId=backgammon", "/api/explorer?gameId=checkers", "/api/puzzles/daily?gameId=checkers",
    "/api/puzzles/next?gameId=backgammon", "/api/agents/me", "/api/agents/me/export",
])  # fmt: skip
def test_what_is_there_is_shown_as_described(schema: BaseSchema, host: ServedArena, path: str) -> None:
    answer = requests.get(host.url + path.format(**host._asdict()), headers=host.headers, timeout=60)
    assert answer.status_code == 200
    template = path.partition("?")[0]
    for name in ("live", "over", "agent"):
        template = template.replace(f"{{{name}}}", "{id}")
    schema[template]["GET"].validate_response(Response.from_requests(answer, verify=True))


@with_app
async def test_the_description_has_every_route_and_no_other(app: ArenaApp) -> None:
    described = await app.get("/api/docs/json")
    routes = {
        (method, route.path)
        for route in app.arena.routes()
        if isinstance(route, Route) and route.methods
        for method in route.methods - {"HEAD"}
    }
    own = {("GET", "/api/docs/json"), ("GET", "/claim"), ("POST", "/claim")}
    documented = {(method.upper(), path) for path, methods in described["paths"].items() for method in methods}
    assert documented == routes - own == set(ADDRESSES)


@with_app
async def test_the_description_is_valid_and_invents_no_values(app: ArenaApp) -> None:
    described = await app.get("/api/docs/json")
    validate(described)
    bodies = {entry.body.__name__ for entry in OPERATIONS if entry.body}
    answers = {name: shape for name, shape in described["components"]["schemas"].items() if name not in bodies}
    assert answers["OwnMatch"]["properties"]["outcome"]
    assert not [
        name for name, shape in answers.items() for field in shape.get("properties", {}).values() if "default" in field
    ]


def test_keys_are_asked_for_wherever_they_are_needed() -> None:
    described = document(OPERATIONS)
    assert described["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    for method, path in ADDRESSES:
        operation = described["paths"][path][method.lower()]
        assert operation.get("security", []) == ([] if (method, path) in OPEN else [{"key": []}])
        assert operation["summary"] and operation["tags"] == [path.split("/")[2]]
        assert ("401" in operation["responses"]) == ((method, path) not in OPEN)
        assert {"429", "500"} <= set(operation["responses"])


@pytest.mark.parametrize("model", EXAMPLES, ids=lambda model: model.__name__)
def test_every_example_is_one(model: type[Answer]) -> None:
    model.model_validate(EXAMPLES[model], strict=True)
    assert document(OPERATIONS)["components"]["schemas"][model.__name__]["examples"] == [EXAMPLES[model]]


def test_every_tag_is_explained() -> None:
    described = document(OPERATIONS)
    used = {tag for methods in described["paths"].values() for each in methods.values() for tag in each["tags"]}
    assert used == {tag["name"] for tag in described["tags"]}


def test_what_is_true_or_false_is_described_so() -> None:
    parameters = document(OPERATIONS)["paths"]["/api/matches/{id}/state"]["get"]["parameters"]
    assert {"type": "boolean", "default": False} in [parameter["schema"] for parameter in parameters]


def test_every_operation_has_a_name_of_its_own() -> None:
    described = document(OPERATIONS)
    names = [operation["operationId"] for methods in described["paths"].values() for operation in methods.values()]
    assert len(names) == len(set(names)) == len(OPERATIONS)
    assert all(re.fullmatch("[a-z]+([A-Z][a-z]+)+", name) for name in names)


@with_app
async def test_the_bots_that_can_be_asked_for_are_named(app: ArenaApp) -> None:
    described = await app.get("/api/docs/json")
    opponent = described["components"]["schemas"]["QueueEntry"]["properties"]["opponent"]
    assert opponent["anyOf"] == [
        {"type": "string", "enum": [f"house:{level}" for level in LEVELS]},
        {"type": "null"},
    ]


def test_every_address_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert not [f"{method} {path}" for method, path in ADDRESSES if f"`{method} {path}" not in page]


def test_every_field_is_documented() -> None:
    page = PAGE.read_text(encoding="utf-8") + ANALYSIS.read_text(encoding="utf-8")
    shapes = document(OPERATIONS)["components"]["schemas"]
    names = {name for shape in shapes.values() for name in shape.get("properties", {})}
    assert len(names) > 60
    assert not {name for name in names if f"`{name}`" not in page and f'"{name}"' not in page}
