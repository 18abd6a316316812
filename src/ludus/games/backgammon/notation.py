"""Backgammon as players write it: rolls such as `31`, plays such as `24/18 13/11`, positions as XGID, games as MAT.

Decisions about the cube are the words `roll`, `double`, `take`, `drop` and `beaver`, and `white resigns 2` concedes a
gammon.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from ludus.core.errors import AmbiguousMove, IllegalMove, MalformedMove
from ludus.core.rules import Player, Turn
from ludus.games.backgammon import exports, mat, plays, position_text
from ludus.games.backgammon.board import NAMES
from ludus.games.backgammon.position import BAR, OFF, CubeAction, Play, Position, Resignation, Roll, Stage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ludus.core.game import Game
    from ludus.core.notation import Errors, Problems
    from ludus.games.backgammon.plays import Hops
    from ludus.games.backgammon.rules import Backgammon, Move

ROLL: Final = re.compile("([0-9])-?([0-9])")
CUBE_WORDS: Final = frozenset(action.value for action in CubeAction)
RESIGNATION: Final = re.compile("(white|black) resigns ([1-3])")


class BackgammonNotation:
    suffix: Final = ".mat"

    def __init__(self, rules: Backgammon) -> None:
        self._rules = rules

    def write_move(self, position: Position, move: Move) -> str:
        match move:
            case Roll(one, two):
                return f"{one}{two}"
            case CubeAction():
                return move.value
            case Resignation(player, win):
                return f"{NAMES[player]} resigns {win}"
        return plays.write(position, move)

    def read_move(self, position: Position, text: str) -> Move:
        """A roll or a play. The first die of an opening roll is white's; hits need not be marked."""
        text = " ".join(text.split())
        if roll := ROLL.fullmatch(text):
            return self._read_roll(position, int(roll[1]), int(roll[2]))
        if text.lower() in CUBE_WORDS:
            return self._read_cube_action(position, CubeAction(text.lower()))
        if resigned := RESIGNATION.fullmatch(text.lower()):
            return Resignation(Player(NAMES.index(resigned[1])), int(resigned[2]))
        hops = plays.read(text)
        problem = self._why_no_play(position)
        if problem:
            raise IllegalMove(f"{text} is not legal here: {problem}")
        return self._read_play(position, text, hops)

    def _read_cube_action(self, position: Position, action: CubeAction) -> CubeAction:
        if position.dice or action not in self._rules.moves(position):
            raise IllegalMove(f"{action.value} is not legal here: {self._why_no_cube_action(position, action)}")
        return action

    def _why_no_cube_action(self, position: Position, action: CubeAction) -> str:
        cube, match = position.cube, position.match
        if self._rules.turn(position) is Turn.OVER:
            return "the game is over"
        if cube is None:
            return "there is no cube"
        if position.dice:
            return "the dice are already rolled"
        if cube.stage in (Stage.DOUBLED, Stage.BEAVERED):
            return "take or drop, or beaver" if CubeAction.BEAVER in self._rules.moves(position) else "take or drop"
        if action not in (CubeAction.DOUBLE, CubeAction.NO_DOUBLE):
            return "no double is offered"
        if position.mover is None or cube.stage is Stage.ROLLING:
            return "the dice are rolled next"
        if match is not None and match.is_crawford:
            return "there are no doubles in the Crawford game"
        if cube.owner is position.mover.other:
            return "the other side has the cube"
        return "the cube can't be turned any further"

    def _read_roll(self, position: Position, one: int, two: int) -> Roll:
        if not 1 <= min(one, two) <= max(one, two) <= 6:
            raise MalformedMove(f"{one}{two} is not a roll: dice show 1 to 6")
        problem = self._why_no_roll(position)
        if not problem and position.mover is None and one == two:
            problem = "the opening roll has two different dice"
        if problem:
            raise IllegalMove(f"{one}{two} is not legal here: {problem}")
        return Roll(one, two) if position.mover is None else Roll(max(one, two), min(one, two))

    def _why_no_roll(self, position: Position) -> str:
        match self._rules.turn(position):
            case Turn.OVER:
                return "the game is over"
            case Turn.DICE:
                return ""
        if not position.dice:
            return "the double has to be answered first" if _is_doubled(position) else "roll or double comes first"
        return "the dice are already rolled, {}{}".format(*position.dice)

    def _why_no_play(self, position: Position) -> str:
        match self._rules.turn(position):
            case Turn.OVER:
                return "the game is over"
            case Turn.DICE:
                return "the dice have to be rolled first"
        if not position.dice:
            return "the double has to be answered first" if _is_doubled(position) else "roll or double comes first"
        return ""

    def _read_play(self, position: Position, text: str, written: Hops) -> Play:
        found = self._rules.resolve(position, plays.in_order(written.hops, position.dice))
        if not found:
            raise IllegalMove(f"{text} is not legal here{self._why(position, written)}")
        fitting = [play for play in found if written.marks <= plays.hits(position, play)]
        if not fitting:
            raise IllegalMove(f"{text} is not legal here: it hits less than is marked")
        exact = [play for play in fitting if written.marks == plays.hits(position, play)]
        if len(exact or fitting) > 1:
            choices = " or ".join(plays.write(position, play) for play in exact or fitting)
            raise AmbiguousMove(f"{text} can be {choices}")
        return (exact or fitting)[0]

    def _why(self, position: Position, written: Hops) -> str:
        problem = _why_not_there(position, written) or self._why_not_whole(position, written)
        return f": {problem}" if problem else ""

    def _why_not_whole(self, position: Position, written: Hops) -> str:
        """Explains a play that does not use the dice as required."""
        legal = [move for move in self._rules.moves(position) if isinstance(move, Play)]
        needed = len(legal[0].steps)
        higher, lower = max(position.dice), min(position.dice)
        hops = plays.in_order(written.hops, position.dice)
        if not needed:
            return "no man can move; pass"
        if not hops:
            return f"there is a play, such as {plays.write(position, legal[0])}"
        if any(source <= target for source, target in hops):
            return "men move down, from 24 to 1"
        if higher == lower and len(hops) < needed:
            return f"{needed} steps must be played"
        if needed == 2 and len(hops) == 1 and hops[0].source - hops[0].target in (higher, lower):
            return "both dice must be played"
        if needed == 1 and higher != lower and hops[0].source - hops[0].target == lower:
            return "the higher die must be played"
        return f"the dice are {higher}{lower}"

    def write_position(self, position: Position) -> str:
        """XGID."""
        return position_text.write_xgid(position)

    def read_position(self, text: str) -> Position:
        """XGID or GNU Backgammon's position ID."""
        return position_text.read_position(text)

    def write_games(self, games: Iterable[Game[Position, Move]]) -> str:
        return mat.write(self._rules, games)

    def read_games(
        self, text: str, *, errors: Errors = "raise", skipped: Problems | None = None
    ) -> list[Game[Position, Move]]:
        return list(self.each_game(text, errors=errors, skipped=skipped))

    def each_game(
        self, text: str, *, errors: Errors = "raise", skipped: Problems | None = None
    ) -> Iterator[Game[Position, Move]]:
        read = exports.read if exports.recognizes(text) and not mat.recognizes(text) else mat.read
        return read(self._rules, text, errors, skipped)

    def recognizes(self, text: str) -> bool:
        return mat.recognizes(text) or exports.recognizes(text)


def _is_doubled(position: Position) -> bool:
    return position.cube is not None and position.cube.stage in (Stage.DOUBLED, Stage.BEAVERED)


def _why_not_there(position: Position, written: Hops) -> str:
    """Explains hops that the board does not allow."""
    own, hops = position.own, written.hops
    reached = {target for _, target in hops}
    if own.on(BAR) and hops and BAR not in {source for source, _ in hops}:
        return "the man on the bar must enter first"
    for source, target in sorted(hops, reverse=True):
        if source not in reached and not own.on(source):
            return "no man is on the bar" if source == BAR else f"no man is on {source}"
        if OFF < target < BAR and position.other.on(25 - target) > 1:
            return f"the other side holds {target}"
    if OFF in reached and any(own.on(point) for point in range(7, BAR + 1) if point not in {s for s, _ in hops}):
        return "men are borne off only when all are home"
    return ""
