"""An example of everything, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

SESSION_ID: Final = "7d9f3a52-0c1e-4b7a-9a64-2f1f0f6d7c11"
ROOM_ID: Final = "f3c1b7de-52a8-4d0f-8b86-0f8f4f2f9a35"
TOKEN: Final = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzZXNzaW9uSWQiOiI3ZDlmM2E1MiJ9.c2lnbmF0dXJl"  # noqa: S105  # an example
ANN: Final = {"id": "user_42", "displayName": "Ann"}
BEN: Final = {"id": "user_43", "displayName": "Ben"}
THEME: Final = {"primaryColor": "#ff6b00"}
RESULT: Final[dict[str, Any]] = {
    "winner": "user_42",
    "reason": "resignation",
    "duration": 412,
    "moveCount": 2,
    "pdn": '[Event "?"]\n[Black "Ann"]\n[White "Ben"]\n[Result "1-0"]\n\n1. 11-15 23-18 1-0\n',
}

CREATE_SESSION: Final[dict[str, Any]] = {
    "game": "checkers",
    "mode": "live",
    "matchType": "private",
    "players": [ANN],
    "afkTimeoutEnabled": True,
    "theme": THEME,
}
CREATE_TOURNAMENT: Final[dict[str, Any]] = {
    "name": "Friday cup",
    "game": "checkers",
    "system": "swiss",
    "rounds": 5,
    "rated": True,
}
ADD_PLAYERS: Final[dict[str, Any]] = {"players": [ANN, BEN], "bots": ["easy"]}
JOIN_ROOM: Final[dict[str, Any]] = {"roomCode": "KX7P2M", "game": "checkers", "player": BEN}
CREATED_SESSION: Final[dict[str, Any]] = {
    "sessionId": SESSION_ID,
    "sessionToken": TOKEN,
    "expiresIn": 300,
    "expiresAt": "2026-01-31T12:05:00.000Z",
    "game": "checkers",
    "mode": "live",
    "matchType": "private",
    "roomCode": "KX7P2M",
    "players": [ANN],
    "theme": THEME,
    "webhooksEnabled": True,
}
SESSION_STATUS: Final[dict[str, Any]] = {"status": "ended", "result": RESULT}
SESSION: Final[dict[str, Any]] = {
    "id": SESSION_ID,
    "game": "checkers",
    "mode": "live",
    "matchType": "private",
    "players": [ANN, BEN],
    **SESSION_STATUS,
}
OPEN_ROOMS: Final[dict[str, Any]] = {
    "rooms": [
        {
            "roomId": ROOM_ID,
            "players": [{"id": "person:0", "username": "A person"}, {"id": "person:1", "username": "A person"}],
            "moveCount": 17,
        }
    ]
}
PROOF: Final[dict[str, Any]] = {
    "ludus": "proof 1",
    "table": ROOM_ID,
    "game": "backgammon",
    "variant": "standard",
    "seed": "73300871f44c168e7c949de2c750e60c2c9bb8ff530017c5a267234e9cb4db8e",
    "commitment": "cc8ec539fdb837267603a39e30336fbb727b6824935c6c59f9fc57b13fa74a9d",
    "moves": ["63", "24/21 24/18", "53"],
    "outcome": {"winner": "white", "reason": "resignation", "points": 1},
}
ERROR: Final = {"error": "game is required", "code": "malformed"}
ROTATE_KEY: Final[dict[str, Any]] = {"kind": "live", "keep": False}
NEW_KEY: Final[dict[str, Any]] = {"kind": "live", "key": "ludus_live_4ZpUq1vJ0aFz8m3nQeX2c7Yb5tGkRdWsLhTiNoPxVuE"}
TENANT: Final[dict[str, Any]] = {
    "id": "tenant_0d6a2f1be4c8a973",
    "name": "My app",
    "kind": "live",
    "createdAt": "2026-01-31T12:00:00.000Z",
    "webhookUrl": "https://app.example/hooks",
    "keys": [
        {
            "kind": "live",
            "hint": "ludus_live_4ZpUq1",
            "origins": ["https://app.example"],
            "createdAt": "2026-01-31T12:00:00.000Z",
            "revokedAt": "2026-02-01T09:30:00.000Z",
            "isThis": False,
        }
    ],
    "usage": {"pending": 1, "active": 2, "ended": 40, "lastDay": 12, "isCut": False},
}
SESSIONS: Final[dict[str, Any]] = {
    "sessions": [
        {
            "id": SESSION_ID,
            "game": "checkers",
            "mode": "live",
            "matchType": "private",
            "status": "ended",
            "players": [ANN, BEN],
            "roomCode": "KX7P2M",
            "roomId": ROOM_ID,
            "createdAt": "2026-01-31T12:00:00.000Z",
            "winner": "user_42",
            "reason": "resignation",
        }
    ]
}
DELIVERY: Final[dict[str, Any]] = {
    "id": "018bcfe5-687b-7000-8000-06462265b1f5",
    "sessionId": SESSION_ID,
    "event": "game.ended",
    "url": "https://app.example/hooks",
    "state": "waiting",
    "attempts": 1,
    "dueAt": "2026-01-31T12:07:05.000Z",
    "createdAt": "2026-01-31T12:07:00.000Z",
    "problem": "status 503",
    "body": '{"event": "game.ended"}',
}
DELIVERIES: Final[dict[str, Any]] = {"deliveries": [DELIVERY]}
_MOVE: Final = {"from": 42, "to": 35, "captures": []}
_CHAIN: Final = {"from": 56, "to": 14, "captures": [49, 35, 21]}
_PERSON: Final = {"id": "user_42", "username": "Ann", "displayName": "Ann", "color": "red", "isBot": False}
_BOT: Final = {"id": "medium", "username": "Medium", "displayName": "Medium", "color": "black", "isBot": True}


def _webhook(event: str, data: dict[str, Any]) -> dict[str, Any]:
    return {
        "event": event,
        "deliveryId": "018bcfe5-687b-7000-8000-06462265b1f5",
        "sessionId": SESSION_ID,
        "game": "checkers",
        "mode": "live",
        "timestamp": "2026-01-31T12:07:00.000Z",
        "data": data,
    }


_CUP: Final = {"tournamentId": ROOM_ID, "name": "Friday cup", "round": 0, "entrants": 12}
_DATA: Final[dict[str, dict[str, Any]]] = {
    "session.created": {"matchType": "private", "players": [ANN], "roomCode": "KX7P2M"},
    "session.expired": {"matchType": "private", "players": [ANN], "roomCode": "KX7P2M", "reason": "timeout"},
    "session.started": {"roomId": ROOM_ID, "players": [_PERSON, _BOT]},
    "game.move": {"playerId": "user_42", "move": _MOVE, "moveCount": 1},
    "game.ended": {name: RESULT[name] for name in ("winner", "reason", "duration", "moveCount")},
    "tournament.started": _CUP,
    "tournament.round_started": {**_CUP, "round": 1},
    "tournament.finished": {**_CUP, "round": 5},
    "tournament.cancelled": _CUP,
    "checkers.king": {"playerId": "user_42", "square": 3},
    "checkers.capture": {"playerId": "user_42", **_CHAIN},
    "checkers.afk_warning": {"playerId": "user_42", "secondsRemaining": 30},
    "checkers.afk_timeout": {"forfeitedPlayerId": "user_42", "winnerId": "user_43"},
}
WEBHOOKS: Final = {event: _webhook(event, data) for event, data in _DATA.items()}
