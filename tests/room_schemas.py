"""Checks messages of rooms against the published schemas. Those allow more fields; here a message has no others."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

import jsonschema_rs

from ludus.server.rooms.schemas import REF, namespace_schemas

Json = dict[str, Any]


@cache
def validators(game: str) -> dict[tuple[str, str], Any]:
    """By the kind of message (`sent`, `ack`, `received`, `received compact`) and the event."""
    schemas = namespace_schemas(game)
    found: dict[tuple[str, str], Any] = {}
    for event in schemas.from_clients:
        assert event.ack is not None
        found["sent", event.name] = validator(event.payload, schemas.definitions)
        found["ack", event.name] = validator(closed(event.ack), closed(schemas.definitions))
    for event in schemas.from_server:
        found["received", event.name] = validator(closed(event.payload), closed(schemas.definitions))
        found["received compact", event.name] = validator(
            closed(event.compact or event.payload), closed(schemas.definitions)
        )
    return found


def validator(schema: Json, definitions: Any) -> Any:
    text = json.dumps({**schema, "$defs": definitions}).replace(REF, "#/$defs/")
    return jsonschema_rs.validator_for(json.loads(text))


def closed(schema: Any) -> Any:
    """With no fields but those it names."""
    if isinstance(schema, list):
        return [closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {key: closed(value) for key, value in schema.items()}
    return {**inner, "additionalProperties": False} if isinstance(schema.get("properties"), dict) else inner


def problems(game: str, kind: str, event: str, data: Any) -> list[str]:
    """What is wrong with a message."""
    found = validators(game).get((kind, event))
    if found is None:
        return [f"{event} is not in the schemas of {game}"]
    return [f"{event} at {error.instance_path}: {error.message}" for error in found.iter_errors(data)]


def check_ack(game: str, event: str, args: tuple[Any, ...] | list[Any], ack: Any) -> None:
    """An acknowledgement, and what was sent if it was accepted."""
    if ("ack", event) not in validators(game):  # no such event
        assert ack["ok"] is False
        return
    assert not problems(game, "ack", event, ack), (problems(game, "ack", event, ack), ack)
    if ack["ok"] and args and args[0] is not None:
        assert not problems(game, "sent", event, args[0]), (problems(game, "sent", event, args[0]), args)


def as_strangers_see(value: Any, players: list[Any]) -> Any:
    """A message to these players as spectators get it: people without their ids and names."""
    public = {each["id"]: f"person:{seat}" for seat, each in enumerate(players) if not each["isBot"]}
    match value:
        case dict():
            names = dict.fromkeys({"username", "displayName"} & value.keys(), "A person")
            return {key: as_strangers_see(each, players) for key, each in value.items()} | names
        case list():
            return [as_strangers_see(each, players) for each in value]
        case str():
            return public.get(value, value)
    return value
