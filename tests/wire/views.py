"""Views written out from the contract."""

from __future__ import annotations

from typing import Any

START = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2]
"""The board of backgammon at the start: index 0 unused, positive white."""
BACKGAMMON: dict[str, Any] = {
    "you": "me",
    "yourColor": "white",
    "board": START,
    "whiteBar": 0,
    "blackBar": 0,
    "whiteOff": 0,
    "blackOff": 0,
    "dice": [3, 1],
    "legalMoves": [[{"from": 8, "to": 5}, {"from": 6, "to": 5}], [{"from": 24, "to": 23}, {"from": 13, "to": 10}]],
    "currentPlayer": "me",
    "isYourTurn": True,
    "lastTurn": None,
    "positionId": "4HPwATDgc/ABMA",
    "pipCounts": {"white": 167, "black": 167},
}
CHECKERS: dict[str, Any] = {
    "legalMoves": [
        {"from": 11, "to": 15, "captures": []},
        {"from": 7, "to": 7, "captures": [10, 18, 19, 11]},
        {"from": 7, "to": 7, "captures": [11, 19, 18, 10]},
        {"from": 1, "to": 10, "captures": [6]},
    ]
}


def checkers_board(dark: dict[int, bool], light: dict[int, bool]) -> list[list[dict[str, Any] | None]]:
    """Eight rows from squares and whether a king is on them."""
    rows: list[list[dict[str, Any] | None]] = [[None] * 8 for _ in range(8)]
    for player, pieces in (("dark", dark), ("light", light)):
        for square, king in pieces.items():
            row, place = divmod(square - 1, 4)
            rows[row][2 * place + 1 - row % 2] = {"player": player, "king": king, "position": square}
    return rows
