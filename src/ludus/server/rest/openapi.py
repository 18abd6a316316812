"""What the OpenAPI document says besides the routes: about the API as a whole, and the webhooks we send."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from fastapi import FastAPI

from ludus.games import GAMES
from ludus.server.http.fields import TIME_CONTROL_SCHEMA
from ludus.server.rest import examples, schemas
from ludus.wire import codec

Json = dict[str, Any]

ABOUT: Final = (
    "For the back ends of apps whose users play: create a session, hand its `sessionToken` to the player's client, and"
    " learn the result from a webhook or with `GET /v1/sessions/{id}`. Clients play over Socket.IO, which"
    " `/asyncapi.json` describes. Errors are `{\"error\": text, \"code\": code}`; codes never change."
)  # fmt: skip
TAGS: Final = {
    "sessions": "A session is the ticket to one game, for one player, or for two in a private room.",
    "rooms": "Where games are played.",
    "tournaments": "Many games of the app's players, and one winner.",
    "players": "What is stored about the app's players.",
    "tenant": "The app that a key belongs to.",
}
WEBHOOK: Final = "POSTed to the tenant's webhook URL, in live mode only. Any status from 200 to 299 accepts it."
TOURNAMENT_CHANGES: Final = ("started", "round_started", "finished", "cancelled")
TEXT: Final = {"type": "string"}
NUMBER: Final = {"type": "integer"}
OPTIONAL: Final = {"type": ["string", "null"]}
REASON: Final = {"type": "string", "enum": ["victory", "resignation", "afk_timeout", "draw", "disconnect", "cancelled"]}
PLAYERS: Final = {"type": "array", "items": {"$ref": "#/components/schemas/Player"}}


def describe(app: FastAPI, webhook_prefix: str, bots: Sequence[str]) -> None:
    """Adds all this to the document, which is made on the first request for it; `bots` are all that there are."""
    app.description = ABOUT
    app.openapi_tags = [{"name": name, "description": text} for name, text in TAGS.items()]
    generate = app.openapi

    def openapi() -> Json:
        found = generate()
        found.setdefault("webhooks", webhooks(webhook_prefix))
        found["components"]["schemas"].setdefault("Error", schemas.Error.model_json_schema())
        level = found["components"]["schemas"][schemas.CreateSession.__name__]["properties"]["botDifficulty"]
        level["anyOf"] = [{"type": "string", "enum": list(bots)}, {"type": "null"}]
        return found

    app.openapi = openapi  # type: ignore[method-assign]  # FastAPI's way to extend it


def webhooks(prefix: str) -> Json:
    return {event: {"post": _webhook(event, data, prefix)} for event, data in webhook_data().items()}


def webhook_data() -> dict[str, Json]:
    """The schema of `data` by event."""
    about = {"matchType": TEXT, "players": PLAYERS, "roomCode": OPTIONAL}
    timed = {"timeControl": TIME_CONTROL_SCHEMA}
    moves = [codec(game).rooms.schemas.move for game in GAMES]
    ended = {"winner": OPTIONAL, "reason": REASON, "duration": NUMBER, "moveCount": NUMBER}
    found = {
        "session.created": _object(about, timed),
        "session.expired": _object(about | {"reason": {"type": "string", "enum": ["timeout", "cancelled"]}}, timed),
        "session.started": _object({"roomId": TEXT, "players": _seated()}, {"diceCommitment": TEXT, **timed}),
        "game.move": _object({"playerId": TEXT, "move": {"anyOf": moves}, "moveCount": NUMBER}),
        "game.ended": _object(ended, {"points": NUMBER, "result": OPTIONAL}),
        **{
            f"tournament.{change}": _object({"tournamentId": TEXT, "name": TEXT, "round": NUMBER, "entrants": NUMBER})
            for change in TOURNAMENT_CHANGES
        },
    }
    for game in GAMES:
        own = {name: {"playerId": TEXT, **fields} for name, fields in codec(game).rooms.schemas.events.items()}
        own["afk_warning"] = {"playerId": TEXT, "secondsRemaining": NUMBER}
        own["afk_timeout"] = {"forfeitedPlayerId": TEXT, "winnerId": TEXT}
        found |= {f"{game}.{name}": _object(fields) for name, fields in own.items()}
    return found


def _seated() -> Json:
    colors = list(dict.fromkeys(color for game in GAMES for color in codec(game).rooms.colors))
    fields = {
        "id": TEXT,
        "username": TEXT,
        "displayName": TEXT,
        "color": {"type": "string", "enum": colors},
        "isBot": {"type": "boolean"},
    }
    return {"type": "array", "items": _object(fields)}


def _object(fields: Mapping[str, Any], optional: Mapping[str, Any] | None = None) -> Json:
    return {"type": "object", "properties": {**fields, **(optional or {})}, "required": list(fields)}


def _webhook(event: str, data: Json, prefix: str) -> Json:
    body = _object({
        "event": {"const": event},
        "deliveryId": {**TEXT, "description": "The same on every attempt."},
        "sessionId": {**TEXT, "format": "uuid"},
        "game": {"type": "string", "enum": list(GAMES)},
        "mode": {"const": "live"},
        "timestamp": {**TEXT, "format": "date-time", "description": "When it happened."},
        "data": data,
    })  # fmt: skip
    content: Json = {"schema": body}
    if event in examples.WEBHOOKS:
        content["example"] = examples.WEBHOOKS[event]
    return {
        "operationId": "on" + "".join(word.capitalize() for word in event.replace("_", ".").split(".")),
        "summary": f"The event {event}",
        "description": WEBHOOK,
        "tags": ["webhooks"],
        "parameters": [_header(name, text) for name, text in _headers(prefix).items()],
        "requestBody": {"required": True, "content": {"application/json": content}},
        "responses": {"2XX": {"description": "Accepted."}, "default": {"description": "Sent again later."}},
    }


def _headers(prefix: str) -> dict[str, str]:
    return {
        f"X-{prefix}-Event": "The event's name.",
        f"X-{prefix}-Delivery": "The delivery's id.",
        f"X-{prefix}-Signature": "`sha256=` and the HMAC-SHA256 of the raw body with the webhook secret, in hex.",
        "webhook-id": "The delivery's id, as in Standard Webhooks.",
        "webhook-timestamp": "When it was sent, in seconds since 1970, as in Standard Webhooks.",
        "webhook-signature": "The signature of id, time and body, as in Standard Webhooks.",
    }


def _header(name: str, text: str) -> Json:
    return {"name": name, "in": "header", "required": True, "description": text, "schema": TEXT}
