"""The OpenAPI document of the arena, written from the table of contents."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import TypeAdapter
from pydantic.json_schema import models_json_schema

from ludus import __version__
from ludus.server.arena.answers import Refusal
from ludus.server.arena.entry import Entry, Param
from ludus.server.arena.requests import QueueEntry

Json = dict[str, Any]

REF: Final = "#/components/schemas/{model}"
REFUSALS: Final[Mapping[int, tuple[str, str]]] = {
    400: ("Something is missing or wrong: `invalid_input`, or `invalid_action` for a move.", "invalid_input"),
    401: ("No key, or not a good one.", "unauthorized"),
    403: ("Not your match.", "not_a_player"),
    404: ("There is no such game, match or agent.", "match_not_found"),
    405: ("This address takes other methods; `Allow` names them.", "method_not_allowed"),
    409: ("It has come too late: somebody else has the name, the turn has passed, the game is over.", "stale_sequence"),
    413: ("The body is too long.", "too_large"),
    429: ("Too many requests; `Retry-After` says for how long to wait.", "rate_limited"),
    500: ("Our fault.", "internal"),
    503: ("The server is about to stop.", "stopping"),
}
COUNTS: Final = {
    "X-RateLimit-Limit": "Requests a minute.",
    "X-RateLimit-Remaining": "Requests left.",
    "X-RateLimit-Reset": "When the count starts again, in seconds since 1970.",
}
ABOUT: Final = (
    "Register with one POST, ask for a match, play it by its state and your actions. `GET /api/guide` tells it all in"
    " plain text. Refusals are `{\"error\": code, \"details\"?: …}`."
)  # fmt: skip


def document(entries: Sequence[Entry], bots: Sequence[str] = ()) -> Json:
    """`bots` are all that can be asked for as an opponent here."""
    paths: Json = {}
    for entry in entries:
        paths.setdefault(entry.path, {})[entry.method.lower()] = _operation(entry)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Ludus arena", "version": __version__, "description": ABOUT},
        "paths": paths,
        "components": {
            "schemas": _naming(bots, _schemas(entries)),
            "securitySchemes": {"key": {"type": "http", "scheme": "bearer"}},
        },
    }


def _naming(bots: Sequence[str], schemas: Json) -> Json:
    if bots:
        opponent = schemas[QueueEntry.__name__]["properties"]["opponent"]
        opponent["anyOf"] = [{"type": "string", "enum": list(bots)}, {"type": "null"}]
    return schemas


def _operation(entry: Entry) -> Json:
    operation: Json = {
        "operationId": _name(entry),
        "summary": entry.summary,
        "tags": [entry.path.split("/")[2]],
        "parameters": [*_path_params(entry.path), *map(_param, entry.params)],
        "responses": _responses(entry),
    }
    if entry.body is not None:
        schema = {"$ref": REF.format(model=entry.body.__name__)}
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": schema}}}
    if not entry.is_open:
        operation["security"] = [{"key": []}]
    return operation


def _name(entry: Entry) -> str:
    words = re.findall("[a-z]+", entry.path.removeprefix("/api"))
    return "_".join([entry.method.lower(), *words])


def _path_params(path: str) -> list[Json]:
    schema = {"type": "string", "minLength": 1}
    return [{"name": name, "in": "path", "required": True, "schema": schema} for name in re.findall("{([a-z]+)}", path)]


def _param(param: Param) -> Json:
    return {
        "name": param.name,
        "in": "query",
        "required": param.is_required,
        "description": param.meaning,
        "schema": dict(param.schema),
    }


def _responses(entry: Entry) -> Json:
    headers = {name: {"description": text, "schema": {"type": "integer"}} for name, text in COUNTS.items()}
    good: Json = {"description": entry.summary, "headers": headers, "content": _content(entry)}
    own = () if entry.is_open else (401,)
    long = () if entry.body is None else (413,)
    refused = {str(status): _refusal(status) for status in sorted({*entry.refusals, *own, *long, 429, 500})}
    return {str(entry.status): good, **refused}


def _content(entry: Entry) -> Json:
    if isinstance(entry.answer, str):
        return {entry.answer: {"schema": {"type": "string"}}}
    content: Json = {"application/json": {"schema": _schema_of(entry.answer)}}
    if any(param.name == "format" for param in entry.params):
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


def _schemas(entries: Sequence[Entry]) -> Json:
    models: dict[Any, None] = {Refusal: None}
    for entry in entries:
        if entry.body is not None:
            models[entry.body] = None
        for found in getattr(entry.answer, "__args__", (entry.answer,)):
            if isinstance(found, type) and hasattr(found, "model_json_schema"):
                models[found] = None
    _, found = models_json_schema([(model, "validation") for model in models], ref_template=REF)
    return dict(sorted(found["$defs"].items()))
