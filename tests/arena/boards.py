"""What an agent knows of the two games: how a view looks, which action to take, and what it does to the board.

None of it comes from the server's code, so that a move that does something else there is found out.
"""

from __future__ import annotations

from copy import deepcopy
from random import Random
from typing import Any

Json = dict[str, Any]

COLORS = {"backgammon": ("white", "black"), "checkers": ("dark", "light")}
BACKGAMMON_START = {24: 2, 13: 5, 8: 3, 6: 5, 1: -2, 12: -5, 17: -3, 19: -5}
MEN = 15


def choose(view: Json, rng: Random) -> Json:
    """Any of the legal moves; without one, the pass."""
    if not view["legalMoves"]:
        return {"type": "move", "moves": []}
    move = rng.choice(view["legalMoves"])
    return {"type": "move", "moves": move} if isinstance(move, list) else {"type": "move", **move}


def check_view(game: str, view: Json, me: str, players: list[str]) -> None:
    """Everything that the contract says of a view."""
    assert view["you"] == me
    assert view["yourColor"] in COLORS[game]
    assert view["currentPlayer"] in [*players, None]
    assert view["isYourTurn"] is (view["currentPlayer"] == me)
    assert isinstance(view["legalMoves"], list)
    (check_backgammon if game == "backgammon" else check_checkers)(view)


def check_backgammon(view: Json) -> None:
    board = view["board"]
    assert len(board) == 25 and board[0] == 0
    white, black = (sum(max(side * men, 0) for men in board) for side in (1, -1))
    assert white + view["whiteBar"] + view["whiteOff"] == MEN
    assert black + view["blackBar"] + view["blackOff"] == MEN
    dice = view["dice"]
    assert len(dice) == (4 if len(set(dice)) == 1 and dice else 2 if dice else 0)
    assert all(1 <= die <= 6 for die in dice)
    assert view["lastTurn"] is None or isinstance(view["lastTurn"], list)
    assert len(view["positionId"]) == 14
    assert set(view["pipCounts"]) == {"white", "black"}
    if view["isYourTurn"]:
        check_plays(view)


def check_plays(view: Json) -> None:
    """Each leads somewhere else, and moves the right way with men that are there."""
    after = set()
    for play in view["legalMoves"]:
        assert 1 <= len(play) <= 4
        moved = apply_backgammon(view, play)
        after.add((*moved["board"], moved["whiteBar"], moved["blackBar"], moved["whiteOff"], moved["blackOff"]))
    assert len(after) == len(view["legalMoves"])


def check_checkers(view: Json) -> None:
    board = view["board"]
    assert len(board) == 8 and all(len(row) == 8 for row in board)
    for y, row in enumerate(board):
        for x, piece in enumerate(row):
            if piece is not None:
                assert set(piece) == {"player", "king", "position"}
                assert piece["player"] in COLORS["checkers"] and isinstance(piece["king"], bool)
                assert place(piece["position"]) == (y, x)
    assert isinstance(view["fen"], str)
    for move in [*view["legalMoves"], *([view["lastMove"]] if view["lastMove"] else [])]:
        assert set(move) == {"from", "to", "captures"}


def place(square: int) -> tuple[int, int]:
    """Row and column of one of the squares 1 to 32, row 0 on top."""
    row, column = divmod(square - 1, 4)
    return row, 2 * column + (row % 2 == 0)


def applied(game: str, view: Json, action: Json) -> Json:
    """The fields of a view that show the board, after an action of its owner."""
    return apply_backgammon(view, action["moves"]) if game == "backgammon" else apply_checkers(view, action)


def board_fields(game: str, view: Json) -> Json:
    """The same fields as they are."""
    names = ("board", "whiteBar", "blackBar", "whiteOff", "blackOff") if game == "backgammon" else ("board",)
    return {name: view[name] for name in names}


def apply_backgammon(view: Json, play: list[Json]) -> Json:
    after = deepcopy(board_fields("backgammon", view))
    own, other = ("white", "black") if view["yourColor"] == "white" else ("black", "white")
    side = 1 if own == "white" else -1
    for step in play:
        source, target = step["from"], step["to"]
        if source == "bar":
            after[f"{own}Bar"] -= 1
            assert after[f"{own}Bar"] >= 0
        else:
            assert after["board"][source] * side > 0, f"no man of {own} on {source}"
            assert target == "off" or (source - target) * side > 0, f"{own} does not move from {source} to {target}"
            after["board"][source] -= side
        if target == "off":
            after[f"{own}Off"] += 1
        else:
            if after["board"][target] == -side:
                after["board"][target] = 0
                after[f"{other}Bar"] += 1
            assert after["board"][target] * side >= 0, f"{target} is held by {other}"
            after["board"][target] += side
    return after


def apply_checkers(view: Json, move: Json) -> Json:
    board = deepcopy(view["board"])
    (y, x), (to_y, to_x) = place(move["from"]), place(move["to"])
    piece = board[y][x]
    assert piece["player"] == view["yourColor"]
    board[y][x] = None
    for square in move["captures"]:
        row, column = place(square)
        assert board[row][column]["player"] != view["yourColor"]
        board[row][column] = None
    last_row = 7 if view["yourColor"] == "dark" else 0
    assert board[to_y][to_x] is None
    board[to_y][to_x] = {**piece, "position": move["to"], "king": piece["king"] or to_y == last_row}
    return {"board": board}
