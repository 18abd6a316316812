"""The API as it describes itself, and whether it keeps to that whatever it is sent."""

from __future__ import annotations

import asyncio
import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from threading import Thread
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx2
import jsonschema_rs
import pytest
import requests
import schemathesis
import uvicorn
from hypothesis import assume, given, settings
from openapi_spec_validator import validate
from pydantic import BaseModel
from schemathesis import BaseSchema, Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.transport import Response
from schemathesis.specs.openapi import checks
from tests.server.rest.rest_app import RestApp, open_app

from ludus.server.rest import examples, schemas
from ludus.service import proof
from ludus.service.commands import Resign

KEPT = [
    not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_headers_conformance,
    checks.response_schema_conformance,
    checks.unsupported_method,
]
PUBLIC = ("/v1/sessions/validate", "/v1/rooms")
DELETABLE = (
    "/v1/sessions/{id}",
    "/v1/tournaments/{id}",
    "/v1/tournaments/{id}/players/{player}",
    "/v1/tournaments/{id}/bots/{level}",
    "/v1/players/{id}",
    "/v1/tenant",
)
MADE = ("/v1/tournaments", "/v1/sessions/{id}/analysis")
"""Where things are made, and shown."""
PATHS = {
    "/v1/sessions": "post",
    "/v1/sessions/join": "post",
    "/v1/sessions/validate": "get",
    "/v1/sessions/{id}": "get",
    "/v1/sessions/{id}/proof": "get",
    "/v1/sessions/{id}/analysis": "post",
    "/v1/rooms": "get",
    "/v1/tournaments": "post",
    "/v1/tournaments/{id}": "get",
    "/v1/tournaments/{id}/players": "post",
    "/v1/tournaments/{id}/players/{player}/session": "get",
    "/v1/tournaments/{id}/players/{player}": "delete",
    "/v1/tournaments/{id}/bots/{level}": "delete",
    "/v1/tournaments/{id}/start": "post",
    "/v1/players/{id}/export": "get",
    "/v1/players/{id}": "delete",
    "/v1/tenant": "get",
    "/v1/tenant/export": "get",
    "/v1/tenant/sessions": "get",
    "/v1/tenant/deliveries": "get",
    "/v1/tenant/deliveries/{id}/replay": "post",
    "/v1/tenant/keys": "post",
}
WEBHOOKS = {"session.created", "session.started", "session.expired", "game.move", "game.ended", "checkers.king"}
TRIED = [path for path in PATHS if path != "/v1/tenant/keys"]
"""With whatever comes to mind; not what ends the key that is used for it."""


class Api(NamedTuple):
    """A server that listens."""

    url: str
    key: str
    pending: str
    ended: str
    """Ids of sessions."""
    token: str

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.key}"}


async def host(folder: Path, found: Queue[tuple[Api, uvicorn.Server]]) -> None:
    async with open_app(folder, rate_limit=1_000_000) as app:
        config = uvicorn.Config(app.server, lifespan="off", ws="none", log_config=None, access_log=False)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            server = uvicorn.Server(config)
            serving = asyncio.create_task(server.serve([listener]))
            found.put((await prepared(app, f"http://127.0.0.1:{listener.getsockname()[1]}"), server))
            await serving


async def prepared(app: RestApp, url: str) -> Api:
    """With a session that waits and one of a game that was played, both of which are there to be found."""
    pending = await app.create(matchType="private")
    made = await app.create(game="backgammon", matchType="private")
    table = await app.seat(made["sessionToken"], (await app.join(made))["sessionToken"])
    await app.platform.tables.execute(table.id, Resign(0))
    return Api(url, app.tenant.live_key, pending["sessionId"], made["sessionId"], made["sessionToken"])


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    found: Queue[tuple[Api, uvicorn.Server]] = Queue()
    thread = Thread(target=asyncio.run, args=(host(tmp_path_factory.mktemp("api"), found),))
    thread.start()
    api, server = found.get(timeout=60)
    yield api
    server.should_exit = True
    thread.join()


@pytest.fixture(scope="module")
def described(api: Api) -> Any:
    """The OpenAPI document."""
    return httpx2.get(f"{api.url}/v1/openapi.json", timeout=60).json()


@pytest.fixture(scope="module")
def schema(described: Any, api: Api) -> BaseSchema:
    schema = schemathesis.openapi.from_dict(described)
    schema.config.update(base_url=api.url, request_timeout=60)
    return schema


def sent(schema: BaseSchema, api: Api, path: str, mode: GenerationMode) -> set[int]:
    """Sends many requests of a kind, each of whose answers must be as described; returns their statuses."""
    statuses = set()

    @settings(max_examples=25)
    @given(schema[path][PATHS[path].upper()].as_strategy(generation_mode=mode))
    def send(case: Case[Any]) -> None:
        # What is before the body must fit into uvicorn's 64 kB, or it hangs up before we see anything.
        assume(len(quote(f"{case.path_parameters}{case.query}{case.headers}{case.cookies}")) < 60_000)
        statuses.add(case.call_and_validate(headers=api.headers, checks=KEPT, session=session).status_code)

    with requests.Session() as session:
        send()
    return statuses


@pytest.mark.parametrize("path", TRIED)
def test_whatever_fits_the_description_is_answered_as_described(schema: BaseSchema, api: Api, path: str) -> None:
    statuses = sent(schema, api, path, GenerationMode.POSITIVE)
    too_many = {409} if path == "/v1/tournaments" else set()  # only so many may be open at a time
    assert statuses <= {200, 201, 400, 401, 403, 404} | too_many
    if path in ("/v1/sessions", "/v1/rooms", "/v1/tournaments"):  # the others need something to be there
        assert statuses & {200, 201}


@pytest.mark.parametrize("path", TRIED)
def test_what_does_not_fit_it_is_refused_as_described(schema: BaseSchema, api: Api, path: str) -> None:
    statuses = sent(schema, api, path, GenerationMode.NEGATIVE)
    assert statuses & {400, 401, 403, 404, 405}
    assert max(statuses) < 500


def test_every_other_method_is_refused_with_those_that_are_described(described: Any, api: Api) -> None:
    for path, methods in described["paths"].items():
        answer = requests.options(api.url + path.replace("{id}", "x"), headers=api.headers, timeout=60)
        assert (answer.status_code, path, set(answer.headers["Allow"].split(", "))) == (
            405,
            path,
            set(map(str.upper, methods)),
        )


@pytest.mark.parametrize(("path", "status"), [
    ("/v1/sessions/{pending}", 200), ("/v1/sessions/{ended}", 200), ("/v1/sessions/validate?token={token}", 200),
    ("/v1/sessions/{ended}/proof", 200), ("/v1/sessions/{pending}/proof", 404),
    ("/v1/sessions/{ended}/analysis", 200), ("/v1/sessions/{pending}/analysis", 404),
    ("/v1/rooms?game=backgammon", 200),
    ("/v1/tenant", 200), ("/v1/tenant/sessions?limit=5", 200), ("/v1/tenant/deliveries?state=dead", 200),
    ("/v1/tenant/export", 200),
])  # fmt: skip
def test_what_is_there_is_shown_as_described(schema: BaseSchema, api: Api, path: str, status: int) -> None:
    answer = requests.get(api.url + path.format(**api._asdict()), headers=api.headers, timeout=60)
    template = path.replace("{pending}", "{id}").replace("{ended}", "{id}").partition("?")[0]
    assert answer.status_code == status
    schema[template]["GET"].validate_response(Response.from_requests(answer, verify=True))


def test_the_description_names_every_address(described: Any) -> None:
    assert {path: next(iter(methods)) for path, methods in described["paths"].items()} == PATHS
    assert {path for path, methods in described["paths"].items() if "delete" in methods} == set(DELETABLE)
    assert all(len(methods) == 1 or path in (*DELETABLE, *MADE) for path, methods in described["paths"].items())


def operations(described: Any) -> Iterator[tuple[str, Any]]:
    for path, methods in described["paths"].items():
        for operation in methods.values():
            yield path, operation


def test_every_address_is_summed_up_and_explained(described: Any) -> None:
    for path, operation in operations(described):
        assert operation["summary"] and operation["description"].strip(), path
        assert operation["tags"] == [path.split("/")[2]]


def test_every_operation_has_a_name_of_its_own(described: Any) -> None:
    names = [operation["operationId"] for _, operation in operations(described)]
    assert len(names) == len(set(names))
    assert "createSession" in names and all(re.fullmatch("[a-z]+([A-Z][a-z]+)+", name) for name in names)


def test_the_document_is_valid_and_explains_its_tags(described: Any) -> None:
    validate(described)
    used = {tag for _, operation in operations(described) for tag in operation["tags"]}
    assert used == {tag["name"] for tag in described["tags"]} and described["info"]["description"]


def test_every_webhook_is_described_with_its_headers(described: Any) -> None:
    assert set(described["webhooks"]) >= WEBHOOKS
    for event, operation in ((event, each["post"]) for event, each in described["webhooks"].items()):
        content = operation["requestBody"]["content"]["application/json"]
        assert content["schema"]["properties"]["event"] == {"const": event}
        assert {"X-Ludus-Signature", "webhook-signature"} <= {each["name"] for each in operation["parameters"]}
        text = json.dumps({**content["schema"], "components": described["components"]})
        if "example" in content:
            assert jsonschema_rs.is_valid(json.loads(text), content["example"])
    documented = (Path(__file__).parents[3] / "docs" / "webhooks.md").read_text(encoding="utf-8")
    assert not [event for event in described["webhooks"] if f"`{event}`" not in documented]


def test_keys_are_asked_for_wherever_they_are_needed(described: Any) -> None:
    assert described["components"]["securitySchemes"]["key"]["scheme"] == "bearer"
    for path, operation in operations(described):
        assert operation.get("security", []) == ([] if path in PUBLIC else [{"key": []}])


def test_every_refusal_is_described_in_one_form_with_an_example(described: Any) -> None:
    for path, operation in operations(described):
        needed = {"429", "500", "default"} if path in PUBLIC else {"401", "403", "429", "500", "default"}
        assert needed <= set(operation["responses"])
        assert "422" not in operation["responses"]
        refusals = [
            answer for status, answer in operation["responses"].items() if status >= "4" and status != "default"
        ]
        for refusal in refusals:
            content = refusal["content"]["application/json"]
            assert content["schema"] == {"$ref": "#/components/schemas/Error"}
            assert set(content["example"]) == {"error", "code"}
            assert "X-RateLimit-Reset" in refusal["headers"]


@pytest.mark.parametrize("model", [
    schemas.CreateSession, schemas.JoinRoom, schemas.CreatedSession, schemas.Session, schemas.SessionStatus,
    schemas.OpenRooms, schemas.Proof, schemas.Error, schemas.RotateKey, schemas.NewKey, schemas.Tenant,
    schemas.SessionList, schemas.Delivery, schemas.DeliveryList, schemas.CreateTournament, schemas.AddPlayers,
])  # fmt: skip
def test_requests_and_responses_have_valid_examples(described: Any, model: type[BaseModel]) -> None:
    shape = described["components"]["schemas"][model.__name__]
    (example,) = shape["examples"]
    dumped = model.model_validate(example).model_dump(by_alias=True, mode="json")
    assert {name: dumped[name] for name in example} == example
    assert set(shape.get("required", ())) <= set(example)


def test_the_example_of_a_proof_proves_something() -> None:
    assert proof.prove(examples.PROOF).is_good


DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "reference" / "rest.md").read_text(encoding="utf-8")
ANALYSIS = (DOCS / "analysis.md").read_text(encoding="utf-8")


def test_every_address_is_documented() -> None:
    for path, method in PATHS.items():
        assert f"`{method.upper()} {path}`" in PAGE
    for path in DELETABLE:
        assert f"`DELETE {path}`" in PAGE


def test_every_field_is_documented(described: Any) -> None:
    shapes = described["components"]["schemas"]
    names = {name for shape in shapes.values() for name in shape.get("properties", {})}
    assert len(names) > 20
    pages = PAGE + ANALYSIS
    assert not {name for name in names if f"`{name}`" not in pages and f'"{name}"' not in pages}


def test_the_examples_of_the_documentation_are_those_of_the_description() -> None:
    all_of_them = list(vars(examples).values())
    known = [value for value in all_of_them if isinstance(value, dict)]
    shown = [json.loads(block) for block in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)]
    assert len(shown) == 12
    assert all(block in known for block in shown)
