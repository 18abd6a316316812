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
        self._rooms = by_roll if all_rolls else index * turns.DOUBLE_ROOM
        self._list = torch.empty(number * room * turns.WORDS, dtype=torch.int64, device=backend.device)
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
            self.backend.run("list_plays", len(self.counts), self.number, self.state, self._list, self.counts)
        else:
            self.backend.run("list_rolled", len(self.counts), self.state, self._list, self.counts)
        ends = self.counts.cumsum(0)
        starts, total = ends - self.counts, int(ends[-1])
        owners = torch.repeat_interleave(self.counts, output_size=total)
        packed = self._empty(total)
        self.backend.run("pack_play", total, owners, starts, self._rooms, self._list, packed.view(-1), total)
        return starts, packed

    def choose(self, starts: Tensor, evaluation: Evaluation) -> Plays:
        best = torch.empty_like(starts)
        counts, size = self.counts, len(starts)
        self.backend.run("choose", size, starts, self._rooms, counts, self._list, evaluation.equity, best)
        return Plays(counts, starts, evaluation.equity, evaluation.chances, best)

    def back_up(self, plays: Plays) -> Tensor:
        """The mean chances over all rolls in each game, each followed by the best play."""
        backup = torch.empty((len(plays.best), turns.OUTCOMES), device=self.backend.device)
        size = len(plays.best)
        self.backend.run("back_up", size, plays.starts, self._rooms, self._list, plays.chances, plays.best, backup)
        return torch.einsum("rgo,r->go", backup.view(turns.ROLLS, self.number, turns.OUTCOMES), self._weights)

    def advance(self, plays: Plays, explore: float = 0.0, noise: float = 0.0) -> tuple[Tensor, Tensor]:
        """Rolls and plays in every game; returns `is_greedy` and the points won."""
        is_greedy = torch.empty(self.number, dtype=torch.int64, device=self.backend.device)
        points = torch.empty_like(is_greedy)
        self.backend.run(
            "advance", self.number, self.number, int(self.all_rolls), self.state, plays.starts, self._rooms,
            plays.counts, self._list, plays.equity, plays.best, explore, noise, is_greedy, points,
        )  # fmt: skip
        return is_greedy, points

    def play_turn(self, evaluator: Evaluator, explore: float, noise: float) -> Turn:
        """One turn of self-play."""
        packed = self.pack()
        value = evaluator.evaluate(packed, self.number).chances
        starts, after = self.list_plays()
        plays = self.choose(starts, evaluator.evaluate(after, after.shape[1]))
        backup = self.back_up(plays)
        is_greedy, _ = self.advance(plays, explore, noise)
        return Turn(packed, value, backup, is_greedy)


def new_games(number: int, seed: int) -> Tensor:
    """Games at their start, each with its own dice."""
    state = torch.zeros((turns.STATE, number), dtype=torch.int64)
    state[turns.LOW] = state[turns.OTHER_LOW] = turns.START_LOW
    state[turns.HIGH] = state[turns.OTHER_HIGH] = turns.START_HIGH
    state[turns.KEY] = torch.tensor([key_of(seed, game) for game in range(number)])
    return state
