"""The AsyncAPI document of the socket events, made from their schemas."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any, Final
from urllib.parse import urlsplit

from ludus import __version__
from ludus.games import ABOUT, GAMES
from ludus.server.rooms.schemas import EventSchema, NamespaceSchemas, namespace_schemas, type_name

Json = dict[str, Any]

ENGINE_PATH: Final = "/socket.io"
ABOUT_ROOMS: Final = (
    "The events of games between people, over Socket.IO (protocol 5, socket.io-client 4.x). There is one namespace a"
    " game; transports are websocket and polling. Every event from a client may carry an acknowledgement callback,"
    " which is described as the reply of its operation. Clients should ignore fields and events that they do not know."
)
AUTH: Final = (
    "A session's `sessionToken`, or a `reconnectToken`. It travels as `auth: {token}` in the Socket.IO handshake or,"
    " where a client can't send that, as the query parameter `token`. Guests connect without one. With `compact: true`"
    " beside it, moves come without what the client has already."
)
ACK: Final = "The acknowledgement of {name}."


def document(base_url: str) -> Json:
    """`base_url` is where the server can be reached."""
    address = urlsplit(base_url)
    server = {
        "host": address.netloc,
        "pathname": address.path.rstrip("/") + ENGINE_PATH,
        "protocol": "wss" if address.scheme == "https" else "ws",
        "protocolVersion": "13",
        "description": "A Socket.IO server; its protocol is spoken over WebSocket or HTTP long-polling.",
        "security": [{"$ref": "#/components/securitySchemes/token"}],
    }
    return {**_events(), "servers": {"rooms": server}}


@cache
def _events() -> Json:
    """All but the servers. Cached; do not mutate."""
    namespaces = [namespace_schemas(game) for game in GAMES]
    return {
        "asyncapi": "3.0.0",
        "info": {
            "title": "Ludus rooms",
            "version": __version__,
            "description": ABOUT_ROOMS,
            "license": {"name": "MIT"},
        },
        "defaultContentType": "application/json",
        "servers": {},
        "channels": {namespace.game: _channel(namespace) for namespace in namespaces},
        "operations": _merged(map(_operations, namespaces)),
        "components": {
            "schemas": dict(sorted(_merged(namespace.definitions for namespace in namespaces).items())),
            "messages": _merged(map(_messages, namespaces)),
            "securitySchemes": {"token": {"type": "httpApiKey", "in": "query", "name": "token", "description": AUTH}},
        },
    }


def _channel(namespace: NamespaceSchemas) -> Json:
    keys = [_key(event) for event in (*namespace.from_clients, *namespace.from_server)]
    keys += [_ack_key(event) for event in namespace.from_clients]
    component = f"#/components/messages/{type_name(namespace.game)}."
    return {
        "address": f"/{namespace.game}",
        "title": ABOUT[namespace.game].title,
        "description": f"The Socket.IO namespace of {namespace.game}.",
        "messages": {key: {"$ref": component + key} for key in keys},
    }


def _operations(namespace: NamespaceSchemas) -> Json:
    channel = f"#/channels/{namespace.game}"

    def messages(*keys: str) -> list[Json]:
        return [{"$ref": f"{channel}/messages/{key}"} for key in keys]

    operations: Json = {}
    for event in namespace.from_clients:
        operations[f"{namespace.game}.{_key(event)}"] = {
            "action": "receive",
            "channel": {"$ref": channel},
            "summary": event.summary,
            "messages": messages(_key(event)),
            "reply": {"channel": {"$ref": channel}, "messages": messages(_ack_key(event))},
        }
    for event in namespace.from_server:
        operations[f"{namespace.game}.{_key(event)}"] = {
            "action": "send",
            "channel": {"$ref": channel},
            "summary": event.summary,
            "messages": messages(_key(event)),
        }
    return operations


def _messages(namespace: NamespaceSchemas) -> Json:
    prefix = type_name(namespace.game)
    found: Json = {}
    for event in (*namespace.from_clients, *namespace.from_server):
        payload = event.payload if event.compact is None else {"anyOf": [event.payload, event.compact]}
        found[f"{prefix}.{_key(event)}"] = {"name": event.name, "summary": event.summary, "payload": payload}
    for event in namespace.from_clients:
        found[f"{prefix}.{_ack_key(event)}"] = {
            "name": f"{event.name} acknowledgement",
            "summary": ACK.format(name=event.name),
            "payload": event.ack,
        }
    return found


def _key(event: EventSchema) -> str:
    """The event's name without colons, which keys can't have."""
    return event.name.replace(":", ".")


def _ack_key(event: EventSchema) -> str:
    return f"{_key(event)}.ack"


def _merged(parts: Iterable[Any]) -> Json:
    merged: Json = {}
    for part in parts:
        merged |= part
    return merged
