"""Many games at once, and all plays that are possible in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from ludus.engines.backgammon.network import features
from ludus.envs.batched.streams import key_of
from ludus.training.backgammon import turns
from ludus.training.backgammon.backend import Backend
from ludus.training.backgammon.evaluator import Evaluation, Evaluator
from ludus.training.backgammon.net import equity, flip

WEIGHTS = torch.tensor([2.0] * turns.PAIRS + [1.0] * (turns.ROLLS - turns.PAIRS)) / 36
"""Probabilities of the rolls."""


HOPELESS = 9.0
"""The equity of the opponent after a play that was pruned: more than any player can win."""


class Pruning(NamedTuple):
    """Plays are evaluated only if another evaluator ranks them among the best ones of their roll."""

    evaluator: Evaluator
    number: int
    """The number of plays of each roll that are kept."""


class Plays(NamedTuple):
    """For each game and roll: the number of plays, the first one's number, and the best one's place in the list."""

    counts: Tensor
    starts: Tensor
    equity: Tensor
    chances: Tensor
    best: Tensor


class Turn(NamedTuple):
    """One turn of every game: positions, their chances, those backed up from one roll later."""

    packed: Tensor
    value: Tensor
    backup: Tensor
    is_greedy: Tensor
    """1 if the best play was made and the game goes on."""


class Pairs(NamedTuple):
    """Positions after the best play of a roll and after another one, and their backups, side by side."""

    packed: Tensor
    """Pairs × 2 words of a position."""
    backup: Tensor
    """Pairs × 2 outcomes."""

    @property
    def regret(self) -> Tensor:
        """How much better the other play is by their backups, in points; 0 if the best play is better."""
        best, other = (equity(side) for side in self.backup.chunk(2, 1))
        return (best - other).clamp(min=0)  # both are the opponent's


class Games:
    """With `all_rolls`, the plays of all rolls are listed, otherwise only those of the actual roll."""

    pruning: Pruning | None = None

    def __init__(self, backend: Backend, number: int, seed: int, *, all_rolls: bool) -> None:
        self.backend, self.number, self.all_rolls = backend, number, all_rolls
        self.state = new_games(number, seed).to(backend.device)
        rolls, room = (turns.ROLLS, turns.ROOM) if all_rolls else (1, turns.DOUBLE_ROOM)
        index = torch.arange(rolls * number, device=backend.device)
        doubles = index - turns.PAIRS * number
        split = turns.PAIRS * number * turns.PAIR_ROOM + doubles * turns.DOUBLE_ROOM
        by_roll = torch.where(doubles < 0, index * turns.PAIR_ROOM, split)
        self.rooms = by_roll if all_rolls else index * turns.DOUBLE_ROOM
        self.list = torch.empty(number * room * turns.WORDS, dtype=torch.int64, device=backend.device)
        self.counts = torch.zeros(rolls * number, dtype=torch.int64, device=backend.device)
        self._weights = WEIGHTS.to(backend.device)

    def pack(self) -> Tensor:
        packed = self._empty(self.number)
        self.backend.run("pack_state", self.number, self.state, packed.view(-1), self.number)
        return packed

    def _empty(self, number: int) -> Tensor:
        return torch.empty((features.WORDS, number), dtype=torch.int64, device=self.backend.device)

    def list_plays(self) -> tuple[Tensor, Tensor]:
        """Lists and packs all plays; returns the number of the first one of each game and roll, and the positions."""
        if self.all_rolls:
            self.backend.run("list_plays", len(self.counts), self.number, self.state, self.list, self.counts)
        else:
            self.backend.run("list_rolled", len(self.counts), self.state, self.list, self.counts)
        ends = self.counts.cumsum(0)
        starts, total = ends - self.counts, int(ends[-1])
        owners = torch.repeat_interleave(self.counts, output_size=total)
        packed = self._empty(total)
        self.backend.run("pack_play", total, owners, starts, self.rooms, self.list, packed.view(-1), total)
        return starts, packed

    def choose(self, starts: Tensor, evaluation: Evaluation) -> Plays:
        best = torch.empty_like(starts)
        counts, size = self.counts, len(starts)
        self.backend.run("choose", size, starts, self.rooms, counts, self.list, evaluation.equity, best)
        return Plays(counts, starts, evaluation.equity, evaluation.chances, best)

    def back_up(self, plays: Plays) -> Tensor:
        """The mean chances over all rolls in each game, each followed by the best play."""
        return self.mean(self.answers(plays))

    def answers(self, plays: Plays) -> Tensor:
        """The chances after the best play of each roll, for the side that made it."""
        answers = torch.empty((len(plays.best), turns.OUTCOMES), device=self.backend.device)
        size = len(plays.best)
        self.backend.run("back_up", size, plays.starts, self.rooms, self.list, plays.chances, plays.best, answers)
        return answers

    def mean(self, answers: Tensor) -> Tensor:
        """The mean over all rolls of each game."""
        return torch.einsum("rgo,r->go", answers.view(turns.ROLLS, self.number, turns.OUTCOMES), self._weights)

    def advance(self, plays: Plays, explore: float = 0.0, noise: float = 0.0) -> tuple[Tensor, Tensor]:
        """Rolls and plays in every game; returns `is_greedy` and the points won."""
        is_greedy = torch.empty(self.number, dtype=torch.int64, device=self.backend.device)
        points = torch.empty_like(is_greedy)
        self.backend.run(
            "advance", self.number, self.number, int(self.all_rolls), self.state, plays.starts, self.rooms,
            plays.counts, self.list, plays.equity, plays.best, explore, noise, is_greedy, points,
        )  # fmt: skip
        return is_greedy, points

    def play_turn(self, evaluator: Evaluator, explore: float, noise: float, forks: Forks | None = None) -> Turn:
        """One turn of self-play."""
        packed = self.pack()
        value = evaluator.evaluate(packed, self.number).chances
        plays, backup = self.look_ahead(evaluator)
        if forks is not None:
            forks.pair(self, packed, backup, evaluator)
            forks.fork(self, plays)
        is_greedy, _ = self.advance(plays, explore, noise)
        if forks is not None:
            forks.look_ahead(evaluator, is_greedy)
        return Turn(packed, value, backup, is_greedy)

    def look_ahead(self, evaluator: Evaluator) -> tuple[Plays, Tensor]:
        """All plays of all rolls, and the chances backed up from them."""
        plays = self.find_best(evaluator)
        return plays, self.back_up(plays)

    def find_best(self, evaluator: Evaluator) -> Plays:
        starts, after = self.list_plays()
        if self.pruning:
            return self.choose(starts, self._evaluate_kept(evaluator, self.pruning, starts, after))
        return self.choose(starts, evaluator.evaluate(after, after.shape[1]))

    def _evaluate_kept(self, evaluator: Evaluator, pruning: Pruning, starts: Tensor, after: Tensor) -> Evaluation:
        total, device = after.shape[1], self.backend.device
        kept = torch.empty(len(starts) * pruning.number, dtype=torch.int64, device=device)
        rough = pruning.evaluator.evaluate(after, total).equity
        self.backend.run(
            "keep", len(starts), starts, self.rooms, self.counts, self.list, rough, pruning.number, kept,
            torch.empty(len(kept), device=device),
        )  # fmt: skip
        kept = kept[kept >= 0]
        found = evaluator.evaluate(after[:, kept].contiguous(), len(kept))
        chances = torch.zeros((total, turns.OUTCOMES), device=device)
        equity = torch.full((total,), HOPELESS, device=device)
        chances[kept], equity[kept] = found
        return Evaluation(chances, equity)


class TwoRolls:
    """Backups from two rolls ahead, which take twenty-one times the work of one roll."""

    def __init__(self, backend: Backend, number: int) -> None:
        """Makes room for at most `number` positions at once."""
        self.number = number
        self._first = Games(backend, number, 0, all_rolls=True)
        self._second = Games(backend, turns.ROLLS * number, 0, all_rolls=True)

    def prune(self, pruning: Pruning) -> None:
        self._first.pruning = self._second.pruning = pruning

    def back_up(self, state: Tensor, evaluator: Evaluator) -> Tensor:
        """The chances in these positions, columns of games' states."""
        first, second, used = self._first, self._second, state.shape[1]
        first.state[:, :used] = state
        for row, planes in ((turns.LOW, turns.LAST_LOW), (turns.HIGH, turns.LAST_HIGH)):
            first.state[[row, row + 2], used:] = planes
        plays = first.find_best(evaluator)
        is_over = torch.empty_like(plays.best)
        first.backend.run("follow", len(is_over), first.list, plays.best, second.state, is_over)
        _, backup = second.look_ahead(evaluator)
        answers = torch.where(is_over.bool()[:, None], first.answers(plays), flip(backup))
        return first.mean(answers)[:used]


class Forks:
    """In some of the games, the position after a play other than the one made, from which the game doesn't continue.

    A choice between plays depends on differences of their values. Played positions alone teach little about these.
    If one roll says that the other play is better, two rolls decide, in up to `deeper` pairs per turn.
    """

    def __init__(self, backend: Backend, number: int, noise: float, deeper: int = 0) -> None:
        """Forks the first `number` games."""
        self._noise = noise
        self._boards = Games(backend, number, 0, all_rolls=True)
        self._is_fork = torch.zeros(number, dtype=torch.int64, device=backend.device)
        self._last: tuple[Tensor, Tensor, Tensor] | None = None
        self._two_rolls = TwoRolls(backend, 2 * deeper) if deeper else None
        self._pairs: list[Pairs] = []
        self._decided: list[Pairs] = []

    def prune(self, pruning: Pruning) -> None:
        self._boards.pruning = pruning
        if self._two_rolls:
            self._two_rolls.prune(pruning)

    def fork(self, games: Games, plays: Plays) -> None:
        """Call it before the games advance."""
        boards = self._boards
        boards.state.copy_(games.state[:, : boards.number])
        boards.backend.run(
            "fork", boards.number, games.number, games.state, plays.starts, games.rooms, plays.counts, games.list,
            plays.equity, plays.best, self._noise, boards.state, self._is_fork,
        )  # fmt: skip

    def look_ahead(self, evaluator: Evaluator, is_greedy: Tensor) -> None:
        """Call it after the games advanced; a game in which the best play was not made has no pair."""
        packed = self._boards.pack()
        _, backup = self._boards.look_ahead(evaluator)
        self._last = packed, backup, (self._is_fork * is_greedy[: self._boards.number]).bool()

    def pair(self, games: Games, packed: Tensor, backup: Tensor, evaluator: Evaluator) -> None:
        """Pairs the forks with the games' next positions."""
        if self._last is None:
            return
        other, other_backup, is_pair = self._last
        sides = [packed.T[: len(is_pair)][is_pair], other.T[is_pair]]
        backups = [backup[: len(is_pair)][is_pair], other_backup[is_pair]]
        pairs = Pairs(torch.cat(sides, 1), torch.cat(backups, 1))
        if self._two_rolls:
            states = [games.state[:, : len(is_pair)][:, is_pair], self._boards.state[:, is_pair]]
            self._decided.append(self._decide(self._two_rolls, pairs, states, evaluator))
        self._pairs.append(pairs)

    def _decide(self, two_rolls: TwoRolls, pairs: Pairs, states: Sequence[Tensor], evaluator: Evaluator) -> Pairs:
        """Backs up the doubtful pairs once more, from two rolls ahead, and returns them."""
        doubtful = pairs.regret.nonzero()[: two_rolls.number // 2, 0]
        backup = two_rolls.back_up(torch.cat([state[:, doubtful] for state in states], 1), evaluator)
        pairs.backup[doubtful] = torch.cat(backup.chunk(2), 1)
        return Pairs(pairs.packed[doubtful], pairs.backup[doubtful])

    def take(self) -> Pairs:
        """The pairs since the last call; the fork of the last turn has no partner yet and is dropped."""
        found, self._pairs, self._last = self._pairs, [], None
        return join(found)

    def take_decided(self) -> Pairs:
        """The pairs since the last call that two rolls have decided."""
        found, self._decided = self._decided, []
        return join(found)


def join(pairs: Sequence[Pairs]) -> Pairs:
    return Pairs(torch.cat([each.packed for each in pairs]), torch.cat([each.backup for each in pairs]))


def new_games(number: int, seed: int) -> Tensor:
    """Games at their start, each with its own dice."""
    state = torch.zeros((turns.STATE, number), dtype=torch.int64)
    state[turns.LOW] = state[turns.OTHER_LOW] = turns.START_LOW
    state[turns.HIGH] = state[turns.OTHER_HIGH] = turns.START_HIGH
    state[turns.KEY] = torch.tensor([key_of(seed, game) for game in range(number)])
    return state
