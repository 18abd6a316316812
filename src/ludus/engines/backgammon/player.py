"""Who chooses a play of backgammon, weaker or stronger."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, NamedTuple

from ludus.core.rules import Rules
from ludus.engines.backgammon.answers import Answers
from ludus.engines.backgammon.evaluation import equity
from ludus.engines.budget import Budget, BudgetSpent
from ludus.games.backgammon.position import Position
from ludus.games.backgammon.rules import Move

MOST_OPTIONS: Final = 8
MARGIN: Final = 0.25
"""How many plays get a second look, and how many points behind the best of the first look they may be."""


class Option(NamedTuple):
    """A legal play, what it leads to, and what that seems worth."""

    play: Move
    after: Position
    worth: float


@dataclass(frozen=True)
class BackgammonPlayer:
    """Rates what each play leads to; with `nodes` to spend, the best of them again after the other side's answers.

    `whim` is how far its likings are off, in points; a `slips` part of its plays is picked blindly.
    """

    nodes: int
    whim: float
    slips: float = 0

    def choose(
        self, rules: Rules[Position, Move], position: Position, rng: Random, past: Sequence[Position] = ()
    ) -> Move:
        plays = rules.moves(position)
        if len(plays) == 1 or rng.random() < self.slips:
            return rng.choice(plays)
        options = [self._rate(play, rules.play(position, play), rng) for play in plays]
        options.sort(key=lambda option: option.worth, reverse=True)
        return self._look_again(options) if self.nodes else options[0].play

    def _rate(self, play: Move, after: Position, rng: Random) -> Option:
        return Option(play, after, equity(*after.other, *after.own) + rng.gauss(0, self.whim))

    def _look_again(self, options: list[Option]) -> Move:
        """Takes the best after the other side's answers, of as many as the budget lets it see."""
        near = [option for option in options[:MOST_OPTIONS] if option.worth >= options[0].worth - MARGIN]
        answers, seen = Answers(Budget(self.nodes)), []
        try:
            for option in near:
                seen.append((answers.worth(*option.after.other, *option.after.own), option.play))
        except BudgetSpent:
            pass
        return max(seen, key=lambda pair: pair[0])[1] if seen else options[0].play
