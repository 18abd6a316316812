"""The arena's OpenAPI document, made from its operations."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from pydantic import BaseModel, TypeAdapter
from pydantic.json_schema import models_json_schema
from starlette.responses import Response

from ludus import __version__
from ludus.server.arena.schemas import EXAMPLES, QueueEntry, Refusal
from ludus.server.http.request import Request

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

Json = dict[str, Any]
Handler = Callable[["Arena", Request], Awaitable[Response]]

REF: Final = "#/components/schemas/{model}"
REFUSALS: Final[Mapping[int, tuple[str, str]]] = {
    400: ("Something is missing or wrong: `invalid_input`, or `invalid_action` for a move.", "invalid_input"),
    401: ("No key, or an invalid one.", "unauthorized"),
    403: ("Not your match, or not your tournament.", "not_a_player"),
    404: ("There is no such game, match, agent or tournament.", "match_not_found"),
    405: ("This address takes other methods; `Allow` names them.", "method_not_allowed"),
    409: (
        "Too late: the name is taken, the turn has passed, the game or the tournament is over.",
        "stale_sequence",
    ),
    413: ("The body is too long.", "too_large"),
    429: ("Too many requests; `Retry-After` says how long to wait.", "rate_limited"),
    500: ("Our fault.", "internal"),
    503: ("The server is stopping, or the server can't save anything right now: `unavailable`.", "stopping"),
}
COUNTS: Final = {
    "X-RateLimit-Limit": "Requests a minute.",
    "X-RateLimit-Remaining": "Requests left.",
    "X-RateLimit-Reset": "When the count starts over, in seconds since 1970.",
}
ABOUT: Final = (
    "Register with one POST, ask for a match, play it by its state and your actions. `GET /api/guide` explains it in"
    " plain text. Errors are `{\"error\": code, \"details\"?: …}`."
)  # fmt: skip
TAGS: Final = {
    "agents": "Programs that play: register once, keep the key.",
    "matchmaking": "How an agent gets a match.",
    "matches": "Playing a match, and the records of all of them.",
    "games": "What can be played, and how.",
    "explorer": "What was played in a position, and how those games ended.",
    "tournaments": "Compete against many opponents.",
    "puzzles": "Positions with one best move, rated; a daily one for each game.",
    "leaderboard": "Ratings.",
    "stats": "How much is going on.",
    "news": "What is new.",
    "guide": "All that an agent needs to know, in plain text.",
}
KEY: Final = "The `apiKey` that the agent got when it registered."


class Parameter(NamedTuple):
    """Of a query; `schema` is its JSON Schema."""

    name: str
    description: str
    schema: Mapping[str, Any]
    is_required: bool = False


class Operation(NamedTuple):
    method: str
    path: str
    id: str
    """The name of the function in generated clients."""
    handler: Handler
    summary: str
    response: Any
    """The type of its JSON, or the media type of a response that isn't JSON."""
    is_public: bool = False
    """Whether it needs no key."""
    parameters: tuple[Parameter, ...] = ()
    body: type[BaseModel] | None = None
    status: int = 200
    errors: tuple[int, ...] = ()
    """Statuses besides those that every operation has."""


def document(operations: Sequence[Operation], bots: Sequence[str] = (), public_url: str = "") -> Json:
    """`bots` are the possible opponents on this server."""
    paths: Json = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Ludus arena", "version": __version__, "description": ABOUT},
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        **({"servers": [{"url": public_url}]} if public_url else {}),
        "paths": paths,
        "components": {
            "schemas": _with_examples(_naming(bots, _schemas(operations))),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer", "description": KEY}},
        },
    }


def _with_examples(schemas: Json) -> Json:
    for model, example in EXAMPLES.items():
        if model.__name__ in schemas:
            schemas[model.__name__]["examples"] = [example]
    return schemas


def _naming(bots: Sequence[str], schemas: Json) -> Json:
    if bots:
        opponent = schemas[QueueEntry.__name__]["properties"]["opponent"]
        opponent["anyOf"] = [{"type": "string", "enum": list(bots)}, {"type": "null"}]
    return schemas


def _operation(operation: Operation) -> Json:
    content: Json = {
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [operation.path.split("/")[2]],
        "parameters": [*_path_params(operation.path), *map(_param, operation.parameters)],
        "responses": _responses(operation),
    }
    if operation.body is not None:
        schema = {"$ref": REF.format(model=operation.body.__name__)}
        content["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if not operation.is_public:
        content["security"] = [{"key": []}]
    return content


def _path_params(path: str) -> list[Json]:
    schema = {"type": "string", "minLength": 1}
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in re.findall("{([a-z]+)}", path)]


def _param(parameter: Parameter) -> Json:
    return {
        "name": parameter.name,
        "in": "query",
        "required": parameter.is_required,
        "description": parameter.description,
        "schema": dict(parameter.schema),
    }


def _responses(operation: Operation) -> Json:
    headers = {name: {"description": text, "schema": {"type": "integer"}} for name, text in COUNTS.items()}
    good: Json = {"description": operation.summary, "headers": headers, "content": _content(operation)}
    own = () if operation.is_public else (401,)
    long = () if operation.body is None else (413,)
    refused = {str(status): _refusal(status) for status in sorted({*operation.errors, *own, *long, 429, 500})}
    return {str(operation.status): good, **refused}


def _content(operation: Operation) -> Json:
    if isinstance(operation.response, str):
        return {operation.response: {"schema": {"type": "string"}}}
    content: Json = {"application/json": {"schema": _schema_of(operation.response)}}
    if any(parameter.name == "format" for parameter in operation.parameters):
        content["text/plain"] = {"schema": {"type": "string"}}
    return content


def _refusal(status: int) -> Json:
    description, error = REFUSALS[status]
    schema = {"$ref": REF.format(model=Refusal.__name__)}
    return {
        "description": description,
        "content": {"application/json": {"schema": schema, "example": {"error": error}}},
    }


def _schema_of(answer: Any) -> Json:
    schema = TypeAdapter(answer).json_schema(ref_template=REF)
    definitions = schema.pop("$defs", {})
    if "title" in schema and schema.get("type") == "object" and isinstance(answer, type):
        return {"$ref": REF.format(model=answer.__name__)}
    assert definitions or answer == dict[str, Any], "an answer is a model, a list of one, or any object"
    return schema


def _schemas(operations: Sequence[Operation]) -> Json:
    models: dict[Any, None] = {Refusal: None}
    for operation in operations:
        if operation.body is not None:
            models[operation.body] = None
        for found in getattr(operation.response, "__args__", (operation.response,)):
            if isinstance(found, type) and hasattr(found, "model_json_schema"):
                models[found] = None
    _, found = models_json_schema([(model, "validation") for model in models], ref_template=REF)
    return dict(sorted(found["$defs"].items()))
