"""One of everything that a tenant is told about itself, for the description of the API."""

from __future__ import annotations

from typing import Any, Final

from ludus.server.rest.examples import ANN, BEN, ROOM, SESSION

ROTATE: Final[dict[str, Any]] = {"kind": "live", "keep": False}
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
            "id": SESSION,
            "game": "checkers",
            "mode": "live",
            "matchType": "private",
            "status": "ended",
            "players": [ANN, BEN],
            "roomCode": "KX7P2M",
            "roomId": ROOM,
            "createdAt": "2026-01-31T12:00:00.000Z",
            "winner": "user_42",
            "reason": "resignation",
        }
    ]
}
LETTER: Final[dict[str, Any]] = {
    "id": "018bcfe5-687b-7000-8000-06462265b1f5",
    "sessionId": SESSION,
    "event": "game.ended",
    "url": "https://app.example/hooks",
    "state": "waiting",
    "attempts": 1,
    "dueAt": "2026-01-31T12:07:05.000Z",
    "createdAt": "2026-01-31T12:07:00.000Z",
    "problem": "status 503",
    "body": '{"event": "game.ended"}',
}
LETTERS: Final[dict[str, Any]] = {"deliveries": [LETTER]}
