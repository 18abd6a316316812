"""A match as Markdown: the players, the moves in two columns and the last board."""

from __future__ import annotations

import re
from typing import Any, Final

from ludus.service.table import Table
from ludus.wire import codec

MARKS: Final = re.compile(r"([\\`*_{}\[\]<>()#+!|~-])")


def markdown(record: dict[str, Any], table: Table) -> str:
    """`record` is the match as JSON."""
    one, two = record["players"]
    lines = [
        f"# {_plain(one['name'])} – {_plain(two['name'])}",
        "",
        f"{record['gameId'].capitalize()}, begun {record['startedAt']}. {_ending(record)}",
        "",
        *_moves(record),
        "",
        "```text",
        codec(table.opening.game).arena.board_text(table.game),
        "```",
        "",
        f"Position: `{record['position']}`",
        *_dice(record),
    ]
    return "\n".join(lines) + "\n"


def _ending(record: dict[str, Any]) -> str:
    result = record["result"]
    if result is None:
        return "The match is in progress."
    reason = (result["detail"] or result["reason"]).replace("_", " ")
    if result["winner"] is None:
        return f"A draw: {reason}."
    winner = next(player for player in record["players"] if player["id"] == result["winner"])
    if match := result.get("match"):
        white, black = match["score"]["white"], match["score"]["black"]
        won = f"won the match to {match['length']}, white {white}, black {black}"
        return f"{_plain(winner['name'])} ({winner['color']}) {won}: {reason}."
    points = result["points"]
    worth = f", {points} points" if points > 1 else ""
    return f"{_plain(winner['name'])} ({winner['color']}) won: {reason}{worth}."


def _moves(record: dict[str, Any]) -> list[str]:
    """A table, or one for each game of a match."""
    games: list[list[dict[str, Any]]] = [[]]
    for move in record["moves"]:
        if games[-1] and "ended" in games[-1][-1]:
            games.append([])
        games[-1].append(move)
    if len(games) == 1:
        return _table(record, games[0])
    tables = [[f"## Game {number}", "", *_table(record, game)] for number, game in enumerate(games, 1)]
    return [line for table in tables for line in ([""] if table is not tables[0] else []) + table]


def _table(record: dict[str, Any], moves: list[dict[str, Any]]) -> list[str]:
    """A row for each pair of moves; either side may have the first one. The roll itself says that nobody doubled."""
    one, two = record["players"]
    rows = [
        f"| | {_plain(one['name'])} ({one['color']}) | {_plain(two['name'])} ({two['color']}) |",
        "|---:|---|---|",
    ]
    pairs: list[list[str]] = []
    for move in [move for move in moves if move.get("cube") != "roll"]:
        column = 0 if move["color"] == one["color"] else 1
        if column == 0 or not pairs or pairs[-1][1]:
            pairs.append(["", ""])
        pairs[-1][column] = _move(move) + _ended(move)
    return rows + [f"| {number} | {left} | {right} |" for number, (left, right) in enumerate(pairs, 1)]


def _ended(move: dict[str, Any]) -> str:
    """The score after the move that ended a game of a match."""
    if (ended := move.get("ended")) is None:
        return ""
    score = ended["score"]
    return f" ({ended['winner']} wins {ended['points']}: {score['white']}–{score['black']})"


def _move(move: dict[str, Any]) -> str:
    dice = "".join(map(str, move.get("dice", ())))
    return f"{dice}: `{move['notation']}`" if dice else f"`{move['notation']}`"


def _dice(record: dict[str, Any]) -> list[str]:
    dice = record.get("dice")
    if dice is None:
        return []
    seed = f", seed `{dice['seed']}`" if dice["seed"] else "; the seed is published when the match is over"
    return ["", f"Dice: commitment `{dice['commitment']}`{seed}."]


def _plain(text: str) -> str:
    """Escapes Markdown."""
    return MARKS.sub(r"\\\1", " ".join(text.split()))
