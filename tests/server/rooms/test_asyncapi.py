"""The AsyncAPI document holds together; `tests/clients` checks it against the specification's own schema."""

from __future__ import annotations

import re
from typing import Any

import pytest

from ludus.games import GAMES
from ludus.server.rooms.asyncapi import document
from ludus.server.rooms.schemas import namespace_schemas

DOCUMENT = document("https://ludus.example/games")
KEY = re.compile(r"[\w.-]+")


def found(ref: str) -> Any:
    value: Any = DOCUMENT
    for step in ref.removeprefix("#/").split("/"):
        value = value[step]
    return value


def refs(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [ref for each in value.values() for ref in refs(each)]
    return [ref for each in value for ref in refs(each)] if isinstance(value, list) else []


def test_every_reference_leads_somewhere_and_every_component_is_used() -> None:
    for ref in (used := set(refs(DOCUMENT))):
        assert found(ref), ref
    for kind, named in DOCUMENT["components"].items():
        assert {f"#/components/{kind}/{name}" for name in named} <= used
        assert all(KEY.fullmatch(name) for name in named)


@pytest.mark.parametrize("game", GAMES)
def test_every_event_is_an_operation(game: str) -> None:
    schemas = namespace_schemas(game)
    operations = {name: each for name, each in DOCUMENT["operations"].items() if name.startswith(f"{game}.")}
    events = {
        (found(found(message["$ref"])["$ref"])["name"], operation["action"])
        for operation in operations.values()
        for message in operation["messages"]
    }
    assert events == {(event.name, "receive") for event in schemas.from_clients} | {
        (event.name, "send") for event in schemas.from_server
    }
    assert all(("reply" in operation) == (operation["action"] == "receive") for operation in operations.values())


@pytest.mark.parametrize(
    ("base", "host", "path", "protocol"),
    [
        ("https://ludus.example/games", "ludus.example", "/games/socket.io", "wss"),
        ("http://127.0.0.1:8000", "127.0.0.1:8000", "/socket.io", "ws"),
    ],
)
def test_the_server_is_where_the_request_went(base: str, host: str, path: str, protocol: str) -> None:
    server = document(base)["servers"]["rooms"]
    assert (server["host"], server["pathname"], server["protocol"]) == (host, path, protocol)
