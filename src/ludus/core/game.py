"""One game: its start and its moves. Everything else follows from these."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from ludus.core.errors import BadInput, GameIsOver, IllegalMove
from ludus.core.rules import Outcome, Player, Reason, Turn

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from ludus.core.board import Board
    from ludus.core.rules import Rules

P = TypeVar("P")
M = TypeVar("M")


class Game(Generic[P, M]):
    """A record that grows move by move, rolls included, and never holds an illegal one.

    `tags` are facts about the game (names, date, place); `comments` are keyed by the number of moves before them.
    """

    def __init__(
        self,
        rules: Rules[P, M],
        variant: str = "standard",
        *,
        start: P | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> None:
        """A new game from a variant, or from any position given as `start`."""
        if start is None:
            start = rules.start(variant)
        self.rules = rules
        self.tags: dict[str, str] = dict(tags or {})
        self.comments: dict[int, str] = {}
        self._moves: list[M] = []
        self._positions: list[P] = [start]
        self._seen: dict[Hashable, int] = {rules.repeats(start): 1}
        self._ending: Outcome | None = None
        self._outcome: Outcome | None
        self._turn: Turn
        self._update(start)

    @property
    def start(self) -> P:
        return self._positions[0]

    @property
    def variant(self) -> str | None:
        """The name of the starting position, or None if it has none."""
        return self.rules.variant_of(self.start)

    @property
    def position(self) -> P:
        return self._positions[-1]

    @property
    def positions(self) -> Sequence[P]:
        """Every position of the game in order: the start, then one after each move."""
        return tuple(self._positions)

    @property
    def moves(self) -> Sequence[M]:
        """All moves so far, rolls included."""
        return tuple(self._moves)

    def recent(self, number: int) -> Sequence[M]:
        """The last moves, rolls included."""
        return self._moves[max(0, len(self._moves) - number) :]

    @property
    def length(self) -> int:
        """The number of moves, rolls included."""
        return len(self._moves)

    def position_at(self, number: int) -> P:
        """The position after this many moves."""
        return self._positions[number]

    def move_at(self, number: int) -> M:
        """The move made after this many others."""
        return self._moves[number]

    @property
    def ending(self) -> Outcome | None:
        """The outcome if the players, not the rules, ended the game."""
        return self._ending

    @property
    def outcome(self) -> Outcome | None:
        return self._outcome

    @property
    def turn(self) -> Turn:
        return self._turn

    def board(self) -> Board:
        return self.rules.board(self.position, self.outcome)

    def legal_moves(self) -> tuple[M, ...]:
        return () if self.outcome else self.rules.moves(self.position)

    def repetitions(self) -> int:
        """How often the current position has occurred; 0 if repetition doesn't matter in it."""
        key = self.rules.repeats(self.position)
        return 0 if key is None else self._seen[key]

    def copy(self) -> Game[P, M]:
        """An independent record; positions and moves are shared."""
        twin = Game.__new__(Game)
        twin.__dict__.update(self.__dict__)
        twin.tags, twin.comments = dict(self.tags), dict(self.comments)
        twin._moves, twin._positions, twin._seen = self._moves[:], self._positions[:], self._seen.copy()
        return twin

    def play(self, move: M | str) -> M:
        """Plays a move or roll, given as a value or in the game's notation, and returns the value."""
        if self._outcome:
            self._refuse_if_over()
        rules, position = self.rules, self._positions[-1]
        if isinstance(move, str):
            move = rules.notation.read_move(position, move)
        position = rules.play(position, move)
        self._positions.append(position)
        self._moves.append(move)
        key = rules.repeats(position)
        times = self._seen[key] = self._seen.get(key, 0) + 1
        self._update(position, 0 if key is None else times)
        return move

    def play_on(self) -> None:
        """Continues a game that a third repetition has ended, as if neither player had claimed the draw."""
        if self._outcome and not self._ending and self._outcome.reason == Reason.REPETITION:
            self._turn, self._outcome = self.rules.turn(self.position), None

    def undo(self) -> M | None:
        """Takes back the ending, if the players gave one, else the last move, which it returns."""
        if self._ending:
            self._ending = None
            self._update(self.position, self.repetitions())
            return None
        if not self._moves:
            raise IllegalMove("there is no move to take back")
        self._seen[self.rules.repeats(self._positions.pop())] -= 1
        self.comments.pop(len(self._moves), None)
        self._update(self.position, self.repetitions())
        return self._moves.pop()

    def resign(self, player: Player, points: int = 1) -> None:
        """Concedes this many points, times the stake: the value of the doubling cube, if there is one."""
        stake = self.rules.stake(self.position)
        self.end(Outcome(player.other, Reason.RESIGNATION, points * stake, stake))

    def agree_draw(self) -> None:
        if not self.rules.has_draws:
            raise IllegalMove(f"{self.rules.name} has no draws")
        self.end(Outcome(None, Reason.AGREEMENT))

    def end(self, outcome: Outcome) -> None:
        """Ends the game for a reason outside the rules, such as time."""
        self._refuse_if_over()
        if not outcome.reason:
            raise BadInput("a game needs a reason to end; this one is empty")
        most = self.rules.most_points
        if outcome.stake < 1 or outcome.points % outcome.stake or not 1 <= outcome.win <= most:
            worth = "1 point" if most == 1 else f"1 to {most} points"
            raise IllegalMove(f"a game of {self.rules.name} is worth {worth}, not {outcome.points}")
        self._ending = self._outcome = outcome._replace(reason=Reason.named(outcome.reason))
        self._turn = Turn.OVER

    def _update(self, position: P, times: int = 1) -> None:
        """Updates turn and outcome; the position has now occurred `times` times."""
        self._turn = self.rules.turn(position)
        self._outcome = self.rules.outcome(position) if self._turn is Turn.OVER else None
        if times >= 3 and self._outcome is None:
            self._turn, self._outcome = Turn.OVER, Outcome(None, Reason.REPETITION)

    def _refuse_if_over(self) -> None:
        if self.outcome:
            raise GameIsOver(f"the game is over: {self.outcome.reason}")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Game):
            return NotImplemented
        return self._facts() == other._facts()

    __hash__ = None  # type: ignore[assignment]  # a record grows

    def _facts(self) -> tuple[object, ...]:
        return self.rules.name, self.start, self._moves, self._ending, self.tags, self.comments

    def __repr__(self) -> str:
        return f"<Game of {self.rules.name}: {len(self._moves)} moves, {self.turn.name.lower()}>"
