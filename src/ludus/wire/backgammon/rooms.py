"""Backgammon in a room: points as white counts them, 24 down to 1, which is up for black.

The rules have every play in its owner's numbers; black's point p is the room's 25 - p.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import sub
from typing import Any, Final, NamedTuple

from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove
from ludus.core.rules import Player, Turn
from ludus.games.backgammon import kernel
from ludus.games.backgammon.position import BAR, OFF, Men, Play, Position, Step
from ludus.games.backgammon.rules import Backgammon

Place = int | str

WHITE: Final[tuple[Place, ...]] = ("off", *range(1, 25), "bar")
BLACK: Final[tuple[Place, ...]] = ("off", *range(24, 0, -1), "bar")
"""The room's names of a player's own points, off (0) to the bar (25)."""
RESULTS: Final = ("single", "gammon", "backgammon")
MOST_STEPS: Final = 4


class Midway(NamedTuple):
    """A turn of which some steps are made: the mover's men and the dice left."""

    low: int
    high: int
    dice: tuple[int, ...]


class BackgammonView:
    colors: Final = ("white", "black")

    def __init__(self, rules: Backgammon) -> None:
        self._rules = rules

    def board(self, position: Position) -> dict[str, Any]:
        white, black = _counts(position.white), _counts(position.black)
        return {
            "board": [0, *map(sub, white[1:25], black[24:0:-1])],
            "bar": {"white": white[BAR], "black": black[BAR]},
            "off": {"white": white[OFF], "black": black[OFF]},
            "dice": list(_dice(position)),
            "pipCounts": {"white": _pips(white), "black": _pips(black)},
        }

    def move(self, position: Position, move: Play) -> dict[str, Any]:
        return {"moves": _written(move.steps, _names(position))}

    def read_move(self, position: Position, payload: object) -> Play:
        if not isinstance(payload, dict):
            raise MalformedMove("a move is an object with moves")
        steps = _read_steps(payload.get("moves"), "moves", position)
        self._refuse_if_not_to_play(position)
        play = Play(steps)
        if play in self._rules.moves(position):
            return play
        found = self._rules.resolve(position, steps)
        if not found:
            raise IllegalMove(self._why(position, steps))
        if len(found) > 1:
            raise AmbiguousMove("these moves can be several plays; give one for each die")
        return found[0]

    def moves_from(self, position: Position, place: object = None, so_far: object = None) -> list[Any]:
        """Whole plays or, if a place or the steps made so far are given, the steps that can come next."""
        point = None if place is None else _read_place(place, "bar", "position", position)
        steps = None if so_far is None else _read_steps(so_far, "soFar", position)
        if self._rules.turn(position).player is None:
            return []
        if point is None and steps is None:
            return [_written(play.steps, _names(position)) for play in self._plays(position)]
        nexts = _next_steps(position, steps or ())
        return _written([step for step in nexts if point in (None, step.source)], _names(position))

    def crowned(self, before: Position, move: Play, after: Position) -> bool:
        return False

    def result(self, points: int) -> str:
        return RESULTS[points - 1]

    def _plays(self, position: Position) -> list[Play]:
        return [move for move in self._rules.moves(position) if isinstance(move, Play)]

    def _refuse_if_not_to_play(self, position: Position) -> None:
        match self._rules.turn(position):
            case Turn.OVER:
                raise IllegalMove("the game is over")
            case Turn.DICE:
                raise IllegalMove("the dice have to be rolled first")

    def _why(self, position: Position, steps: tuple[Step, ...]) -> str:
        """Why these steps are not a legal play."""
        needed = len(self._plays(position)[0].steps)
        if not needed:
            return "no man can move"
        if problem := _obstacle(position, steps):
            return problem
        if _midways(position, steps):
            return f"{needed} steps must be played"
        higher, lower = max(position.dice), min(position.dice)
        if needed == 1 and steps[0].source - steps[0].target == lower:
            return "the higher die must be played"
        return f"this does not use the dice {higher} and {lower} as it must"


def _counts(men: Men) -> list[int]:
    """As `Men.counts`, several times as fast: it visits only the places with men on them."""
    low, high = men
    counts = [0] * 26
    places = kernel.occupied(low, high)
    while places:
        length = places.bit_length()
        counts[26 - length] = kernel.men_on(low, high, length - 1)
        places ^= 1 << length - 1
    return counts


def _pips(counts: list[int]) -> int:
    return sum(point * count for point, count in enumerate(counts))


def _dice(position: Position) -> tuple[int, ...]:
    """A double is played four times."""
    dice = tuple(sorted(position.dice, reverse=True))
    return dice * 2 if len(set(dice)) == 1 else dice


def _names(position: Position) -> tuple[Place, ...]:
    return BLACK if position.mover is Player.SECOND else WHITE


def _written(steps: Iterable[Step], names: tuple[Place, ...]) -> list[dict[str, Place]]:
    return [{"from": names[source], "to": names[target]} for source, target in steps]


def _read_steps(value: object, name: str, position: Position) -> tuple[Step, ...]:
    if not isinstance(value, list) or len(value) > MOST_STEPS:
        raise MalformedMove(f"{name} must be a list of at most {MOST_STEPS} steps")
    return tuple(_read_step(item, name, position) for item in value)


def _read_step(value: object, name: str, position: Position) -> Step:
    if not isinstance(value, dict):
        raise MalformedMove(f"each of {name} must be an object with from and to")
    source = _read_place(value.get("from"), "bar", "from", position)
    return Step(source, _read_place(value.get("to"), "off", "to", position))


def _read_place(value: object, word: str, name: str, position: Position) -> int:
    """A point in the mover's numbers; `word` is the only name allowed for one."""
    if type(value) is int and 1 <= value <= 24:
        return 25 - value if position.mover is Player.SECOND else value
    if type(value) is str and value == word:
        return BAR if word == "bar" else OFF
    raise MalformedMove(f'{name} must be a whole number from 1 to 24 or "{word}"')


def _next_steps(position: Position, steps: tuple[Step, ...]) -> list[Step]:
    """What can come after these steps so that a legal play can still be made; nothing where one is complete."""
    midways = _midways(position, steps)
    if not midways:
        raise IllegalMove("soFar does not begin a legal play")
    blocked = kernel.blocked_by(*position.other)
    return list(dict.fromkeys(step for midway in midways for step, _ in _ways_on(midway, blocked)))


def _midways(position: Position, steps: tuple[Step, ...]) -> list[Midway]:
    """Where these steps can have led; there are two ways where either die bears a man off."""
    blocked = kernel.blocked_by(*position.other)
    midways = [Midway(*position.own, _dice(position))]
    for made in steps:
        midways = [after for midway in midways for step, after in _ways_on(midway, blocked) if step == made]
    return midways


def _ways_on(midway: Midway, blocked: int) -> Iterator[tuple[Step, Midway]]:
    """The steps with which a legal play can go on, and what they lead to."""
    low, high, dice = midway
    for die, places in _open_places(midway, blocked):
        left = dice[1:] if die == dice[0] else dice[:1]
        while places:
            place = (places & -places).bit_length() - 1
            places &= places - 1
            after_low, after_high, _ = kernel.step(low, high, 0, place, die)
            yield Step(25 - place, max(25 - place - die, OFF)), Midway(after_low, after_high, left)


def _open_places(midway: Midway, blocked: int) -> Iterable[tuple[int, int]]:
    """The places from which to go on, for each die."""
    low, high, dice = midway
    if len(set(dice)) == 2:
        return zip(dice, kernel.first_steps(low, high, blocked, *dice), strict=True)
    return [(die, kernel.sources(low, high, blocked, die)) for die in dice[:1]]


def _obstacle(position: Position, steps: tuple[Step, ...]) -> str:
    """What on the board is in the way."""
    names, counts = _names(position), _counts(position.own)
    for source, target in steps:
        if not counts[source]:
            return f"no man of yours is on {'the bar' if source == BAR else names[source]}"
        if counts[BAR] and source != BAR:
            return "men on the bar must enter first"
        if source <= target:
            return f"your men move from {names[24]} to {names[1]}"
        if target != OFF and position.other.on(25 - target) > 1:
            return f"the other side holds {names[target]}"
        counts[source] -= 1
        counts[target] += 1
        if target == OFF and any(counts[7:]):
            return "men are borne off only when all are home"
    return ""
