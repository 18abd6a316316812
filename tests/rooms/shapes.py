"""The shapes of messages: names and types of fields. More fields are fine."""

from __future__ import annotations

from typing import Any

from .player import Payload, Player

NUMBER = (int, float)


def fits(value: Any, shape: Any, where: str = "payload") -> None:
    """A shape is a type, types to choose from, a set of values, a list of one shape, or keys with their shapes."""
    match shape:
        case dict():
            assert isinstance(value, dict), (where, value)
            for key, inner in shape.items():
                assert key in value, f"{where} has no {key}: {value}"
                fits(value[key], inner, f"{where}.{key}")
        case [inner]:
            assert isinstance(value, list), (where, value)
            for place, item in enumerate(value):
                fits(item, inner, f"{where}[{place}]")
        case set():
            assert value in shape, (where, value)
        case _:
            assert isinstance(value, shape), (where, value)
            # In Python True is an int, but not in JSON.
            assert shape is bool or not isinstance(value, bool), (where, value)


SEATED = {"id": str, "username": str, "displayName": str, "color": str, "isBot": bool}
STATE = {
    "roomId": str,
    "board": list,
    "currentTurn": {0, 1},
    "currentPlayerId": str,
    "currentColor": str,
    "players": [SEATED],
    "version": int,
}
STARTED = {
    **STATE,
    "playerId": str,
    "color": str,
    "afkTimeoutEnabled": bool,
    "afkTimeoutSeconds": NUMBER,
    "afkWarnSeconds": NUMBER,
}
DONE = {"move": dict, "playerId": str, "timestamp": (int, float, str)}
MADE = {
    "move": dict,
    "playerId": str,
    "board": list,
    "currentTurn": {0, 1},
    "moveHistory": [DONE],
    "version": int,
    "part": int,
}
CHECKERS_MADE = {**MADE, "move": {"from": int, "to": int, "captures": [int]}, "becameKing": bool}
OVER = {"winner": (str, type(None)), "reason": str, "version": int, "part": int}
RECONNECTED = {**STARTED, "moveHistory": [DONE]}
WATCHED = {**STATE, "moveHistory": [DONE]}
RESULT = {"winner": (str, type(None)), "reason": str, "duration": NUMBER, "moveCount": int}


def places(player: Player) -> list[tuple[int, int]]:
    """Version and part of every message of the player's last table."""
    found: list[tuple[int, int]] = []
    for event in list(player.events):
        if event.name == "game:started":
            found = []
        payload = event.args[0] if event.args else None
        if isinstance(payload, dict) and "part" in payload:
            found.append((payload["version"], payload["part"]))
    return found


def is_in_order(player: Player) -> bool:
    """Whether every message of the table came once and in order."""
    found = places(player)
    return found == sorted(set(found))


def last_seen(player: Player) -> dict[str, int]:
    """What to send with `game:reconnect`; the start has no parts."""
    if not places(player):
        return {"version": player.started["version"]}
    version, part = max(places(player))
    return {"version": version, "part": part}


def wait_for_over(players: list[Player]) -> Payload:
    """Everyone gets the same `game:over`, after all moves; the first is a player."""
    over: Payload = players[0].wait("game:over")
    fits(over, OVER)
    seated = players[0].started["players"]
    assert all(player.wait("game:over") == player.sees(over, seated) for player in players[1:])
    for player in players:
        assert is_in_order(player)
        last = [event.name for event in player.events if event.name in ("game:move:made", "game:over")][-1]
        assert last == "game:over"
    return over


def refused(player: Player, event: str, payload: Any, *codes: str) -> str:
    """Sends an event that must be refused, in the acknowledgement and in `game:error`; without codes any will do."""
    ack = player.emit(event, payload)
    fits(ack, {"ok": {False}, "error": {"code": str, "message": str}}, f"ack of {event}")
    error = player.wait("game:error")
    assert error == {**error, **ack["error"], "event": event}
    assert not codes or ack["error"]["code"] in codes, ack
    return str(ack["error"]["code"])
