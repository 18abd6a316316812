"""Views as a few lines of text: a board that a model can read, and its moves. Every sign costs tokens."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

View = Mapping[str, Any]

MOST_MOVES: Final = 60
"""How many moves are listed; any other legal one can still be played."""
MEN: Final = {"white": "O", "black": "X"}
PIECES: Final = {"dark": "dD", "light": "lL"}
DARK: Final = [(row, column) for row in range(8) for column in range(8) if (row + column) % 2]
"""The dark squares of the board in the order of their numbers, 1 to 32."""


def draw(game: str, view: View) -> str:
    """The board; a game that has no drawing here is shown as it came."""
    if game == "backgammon":
        return _backgammon(view)
    return _checkers(view) if game == "checkers" else str(dict(view))


def _backgammon(view: View) -> str:
    board = view["board"]

    top, bottom = range(13, 25), range(12, 0, -1)
    pips = view.get("pipCounts") or {}
    sides = [
        f"{MEN[color]} {color}: bar {view[f'{color}Bar']}, off {view[f'{color}Off']}"
        + (f", pips {pips[color]}" if color in pips else "")
        for color in MEN
    ]
    lines = (
        _row(map(str, top)),
        _row(_stack(board[point]) for point in top),
        _row(_stack(board[point]) for point in bottom),
        _row(map(str, bottom)),
        "; ".join(sides),
    )
    return "\n".join(lines)


def _row(texts: Iterable[str]) -> str:
    cells = [f"{text:>3}" for text in texts]
    return "".join(cells[:6]) + " |" + "".join(cells[6:])


def _stack(men: int) -> str:
    return f"{MEN['white' if men > 0 else 'black']}{abs(men)}" if men else "."


def _checkers(view: View) -> str:
    """Dark squares by their numbers, with d or l for a man and D or L for a king before them."""
    cells = [["   "] * 8 for _ in range(8)]
    for square, (row, column) in enumerate(DARK, start=1):
        piece = view["board"][row][column]
        cells[row][column] = f"{_piece(piece)}{square:<2}"
    return "\n".join(" ".join(row).rstrip() for row in cells)


def _piece(piece: Mapping[str, Any] | None) -> str:
    return PIECES[piece["player"]][bool(piece["king"])] if piece else "."


def side(game: str, view: View) -> str:
    """Whom the reader plays, and which way."""
    color = view.get("yourColor", "?")
    if game == "backgammon":
        way = "24 to 1" if color == "white" else "1 to 24"
        return f"you are {color} ({MEN.get(color, '?')}), moving {way}"
    if game == "checkers":
        way = "down, 1 to 32" if color == "dark" else "up, 32 to 1"
        return f"you are {color} ({PIECES.get(color, '??')[0]}), moving {way}"
    return f"you are {color}"


def dice(view: View) -> str:
    return "Dice " + " ".join(map(str, view["dice"])) + ". " if view.get("dice") else ""


def last(view: View) -> str:
    """What the other side did, if there is something to tell."""
    done = view.get("lastTurn", view.get("lastMove"))
    if done is None:
        return ""
    moves = done.get("moves", done) if isinstance(done, Mapping) else done
    return f"Opponent played {move_text(moves)}. " if moves else "Opponent passed. "


def move_text(move: Any) -> str:
    """A move as `take_turn` reads it: `24/20 13/10` or `pass`, `11-15`, `15x22`."""
    if isinstance(move, Mapping):
        return f"{move['from']}{'x' if move.get('captures') else '-'}{move['to']}"
    steps = Counter(f"{step['from']}/{step['to']}" for step in move)
    return " ".join(f"{step}({times})" if times > 1 else step for step, times in steps.items()) or "pass"


def moves_text(view: View) -> str:
    """The legal moves, numbered; chains of checkers that share both ends also say what they take."""
    moves = view.get("legalMoves") or []
    texts = [move_text(move) for move in moves]
    rivals = Counter(texts)
    for number, (move, text) in enumerate(zip(moves, texts, strict=True)):
        if rivals[text] > 1 and isinstance(move, Mapping):
            texts[number] = f"{text} taking {','.join(map(str, move.get('captures', ())))}"
    listed = "; ".join(f"{number} {text}" for number, text in enumerate(texts[:MOST_MOVES], start=1))
    more = f"; and {len(texts) - MOST_MOVES} more" if len(texts) > MOST_MOVES else ""
    return f"Legal moves: {listed}{more}."
