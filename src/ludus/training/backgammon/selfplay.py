"""Many games at once, and all plays that are possible in them."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from ludus.engines.backgammon.network import features
from ludus.envs.batched.streams import key_of
from ludus.training.backgammon import turns
from ludus.training.backgammon.backend import Backend
from ludus.training.backgammon.evaluator import Evaluation, Evaluator
from ludus.training.backgammon.net import equity

WEIGHTS = torch.tensor([2.0] * turns.PAIRS + [1.0] * (turns.ROLLS - turns.PAIRS)) / 36
"""Probabilities of the rolls."""


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
        """How much better the other play is, by their backups; 0 where the best one is. In points."""
        best, other = (equity(side) for side in self.backup.chunk(2, 1))
        return (best - other).clamp(min=0)  # both are the opponent's


class Games:
    """`all_rolls` lists the plays of all rolls, otherwise only of the one that falls."""

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
        backup = torch.empty((len(plays.best), turns.OUTCOMES), device=self.backend.device)
        size = len(plays.best)
        self.backend.run("back_up", size, plays.starts, self.rooms, self.list, plays.chances, plays.best, backup)
        return torch.einsum("rgo,r->go", backup.view(turns.ROLLS, self.number, turns.OUTCOMES), self._weights)

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
            forks.pair(packed, backup)
            forks.fork(self, plays)
        is_greedy, _ = self.advance(plays, explore, noise)
        if forks is not None:
            forks.look_ahead(evaluator, is_greedy)
        return Turn(packed, value, backup, is_greedy)

    def look_ahead(self, evaluator: Evaluator) -> tuple[Plays, Tensor]:
        """All plays of all rolls, and the chances backed up from them."""
        starts, after = self.list_plays()
        plays = self.choose(starts, evaluator.evaluate(after, after.shape[1]))
        return plays, self.back_up(plays)


class Forks:
    """In some of the games, the position after another play than the one made, which is not played on.

    A choice between plays depends on differences of their values. Played positions alone teach little about these.
    """

    def __init__(self, backend: Backend, number: int, noise: float) -> None:
        """In the first `number` games."""
        self._noise = noise
        self._boards = Games(backend, number, 0, all_rolls=True)
        self._is_fork = torch.zeros(number, dtype=torch.int64, device=backend.device)
        self._last: tuple[Tensor, Tensor, Tensor] | None = None
        self._pairs: list[Pairs] = []

    def fork(self, games: Games, plays: Plays) -> None:
        """Call it before the games advance."""
        boards = self._boards
        boards.state.copy_(games.state[:, : boards.number])
        boards.backend.run(
            "fork", boards.number, games.number, games.state, plays.starts, games.rooms, plays.counts, games.list,
            plays.equity, plays.best, self._noise, boards.state, self._is_fork,
        )  # fmt: skip

    def look_ahead(self, evaluator: Evaluator, is_greedy: Tensor) -> None:
        """Call it after the games advanced: where they made another play than the best one, there is no pair."""
        packed = self._boards.pack()
        _, backup = self._boards.look_ahead(evaluator)
        self._last = packed, backup, (self._is_fork * is_greedy[: self._boards.number]).bool()

    def pair(self, packed: Tensor, backup: Tensor) -> None:
        """With the games' next positions."""
        if self._last is None:
            return
        other, other_backup, is_pair = self._last
        sides = [packed.T[: len(is_pair)][is_pair], other.T[is_pair]]
        backups = [backup[: len(is_pair)][is_pair], other_backup[is_pair]]
        self._pairs.append(Pairs(torch.cat(sides, 1), torch.cat(backups, 1)))

    def take(self) -> Pairs:
        """The pairs since the last call; the fork of the last turn has no partner yet and is dropped."""
        found, self._pairs, self._last = self._pairs, [], None
        return Pairs(torch.cat([each.packed for each in found]), torch.cat([each.backup for each in found]))


def new_games(number: int, seed: int) -> Tensor:
    """Games at their start, each with its own dice."""
    state = torch.zeros((turns.STATE, number), dtype=torch.int64)
    state[turns.LOW] = state[turns.OTHER_LOW] = turns.START_LOW
    state[turns.HIGH] = state[turns.OTHER_HIGH] = turns.START_HIGH
    state[turns.KEY] = torch.tensor([key_of(seed, game) for game in range(number)])
    return state
