"""A linear evaluator in the manner of Tesauro's pubeval, the yardstick of early learners; the weights are our own.

It sees how many men each side has on each place, and has one set of weights for races and one for everything else. The
weights were fitted by least squares to the network's equities: see `ludus.training.backgammon.linear`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from random import Random
from typing import TYPE_CHECKING, Any, Final

from ludus.engines.engine import Limit, roll
from ludus.games.backgammon.position import CubeAction, Position, Stage
from ludus.games.backgammon.rules import Move

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Array = NDArray[np.float32]

PLACES: Final = 26
"""The bar, the points from 24 to 1, and the place of the men borne off."""
SIDE: Final = 24 * 4 + 2
FEATURES: Final = 2 * SIDE + 1
FILE: Final = "linear.npz"
DROP_POINT: Final = -0.5
"""The equity, in points, below which a double is dropped."""


@dataclass(frozen=True)
class LinearPlayer:
    """Makes the play with the highest value. It never doubles, and takes unless the value is below `DROP_POINT`."""

    def choose(self, rules: Any, position: Position, limit: Limit, rng: Random, past: Sequence[Position] = ()) -> Move:
        """The play with the highest value; only the dice are random."""
        if not position.dice:
            is_cube_action = bool(position.cube) and not rules.chances(position)
            return self._cube_action(position) if is_cube_action else roll(rules, position, rng)
        plays: Sequence[Move] = rules.moves(position)
        board = Position(*position[:4])  # in a match, the end of a game would be the start of the next one
        after = [rules.play(board, play) for play in plays]
        return plays[int(evaluate(sides((*each.other, *each.own) for each in after)).argmax())]

    def _cube_action(self, position: Position) -> CubeAction:
        """A decision by the value, which is that of the side that has just played; here the other side is to roll."""
        assert position.cube is not None
        if position.cube.stage is Stage.ON_ROLL:
            return CubeAction.NO_DOUBLE
        roller, other = position.own, position.other
        value = float(evaluate(sides([(*other, *roller)]))[0])
        value = -value if position.cube.stage is Stage.BEAVERED else value
        return CubeAction.TAKE if value > DROP_POINT else CubeAction.DROP


@cache
def weights() -> Array:
    """A row for positions with contact, and one for races."""
    import numpy as np

    with files(__package__).joinpath(FILE).open("rb") as file, np.load(file, allow_pickle=False) as parts:
        found: Array = parts["weights"]
        return found


def sides(rows: Any) -> NDArray[np.int8]:
    """The number of men on each place, of the side that has just played and of the other.

    A row has four words as the game's kernel has them, those of the former first.
    """
    import numpy as np

    words = np.array(list(rows), np.int64).reshape(-1, 2, 2)
    planes = np.unpackbits(words.view(np.uint8), axis=2, bitorder="little").reshape(-1, 2, 4, 32)[..., :PLACES]
    found: NDArray[np.int8] = (planes * np.array([1, 2, 4, 8], np.int8)[:, None]).sum(axis=2, dtype=np.int8)
    return found


def is_race(men: NDArray[np.int8]) -> NDArray[np.bool_]:
    """Whether the last man of each side has passed the other's; places count from the bar."""
    on_board: Any = men[:, :, : PLACES - 1] > 0
    last, is_off = on_board.argmax(axis=2), ~on_board.any(axis=2)
    found: NDArray[np.bool_] = (last.sum(axis=1) > PLACES - 1) | is_off.any(axis=1)
    return found


def features(men: NDArray[np.int8]) -> Array:
    """For each side and point: one man, at least two, at least three, those beyond; then bar, off, and a constant."""
    import numpy as np

    points = men[:, :, 1 : PLACES - 1]
    parts = (points == 1, points >= 2, points >= 3, np.maximum(points - 3, 0), men[:, :, :1], men[:, :, PLACES - 1 :])
    seen = np.concatenate([part.astype(np.float32) for part in parts], axis=2).reshape(-1, 2 * SIDE)
    return np.concatenate([seen, np.ones((len(seen), 1), np.float32)], axis=1)


def evaluate(men: NDArray[np.int8]) -> Array:
    """The value of each position to the side that has just played, in points; a game that it has won is best."""
    import numpy as np

    races, seen = is_race(men), features(men)
    values = np.where(races, seen @ weights()[1], seen @ weights()[0])
    has_won = ~men[:, 0, : PLACES - 1].any(axis=1)
    found: Array = np.where(has_won, np.float32(9), values)
    return found
