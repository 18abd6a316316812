"""Many games at once, and all that can be played in them next."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from ludus.engines.backgammon.network import features
from ludus.envs.batched.streams import key_of
from ludus.training.backgammon import turns
from ludus.training.backgammon.judge import Judge, Verdict
from ludus.training.backgammon.machine import Machine

WEIGHTS = torch.tensor([2.0] * turns.PAIRS + [1.0] * (turns.ROLLS - turns.PAIRS)) / 36
"""How often each roll falls."""


class Plays(NamedTuple):
    """The plays of each game and roll: how many, which number the first has, and the best one's place in the list."""

    counts: Tensor
    starts: Tensor
    equity: Tensor
    chances: Tensor
    best: Tensor


class Seen(NamedTuple):
    """One turn of every game: the position, what was thought of it, and of it one roll later."""

    packed: Tensor
    value: Tensor
    backed: Tensor
    follows: Tensor


class Games:
    """`every` lists the plays of all rolls, else only of the one that falls."""

    def __init__(self, machine: Machine, number: int, seed: int, *, every: bool) -> None:
        self.machine, self.number, self.every = machine, number, every
        self.state = fresh(number, seed).to(machine.device)
        rolls, room = (turns.ROLLS, turns.ROOM) if every else (1, turns.DOUBLE_ROOM)
        index = torch.arange(rolls * number, device=machine.device)
        doubles = index - turns.PAIRS * number
        split = turns.PAIRS * number * turns.PAIR_ROOM + doubles * turns.DOUBLE_ROOM
        self._rooms = torch.where(doubles < 0, index * turns.PAIR_ROOM, split) if every else index * turns.DOUBLE_ROOM
        self._list = torch.empty(number * room * turns.WORDS, dtype=torch.int64, device=machine.device)
        self.counts = torch.zeros(rolls * number, dtype=torch.int64, device=machine.device)
        self._weights = WEIGHTS.to(machine.device)

    def look(self, judge: Judge) -> Verdict:
        """What the judge thinks of the positions before the roll."""
        return judge.judge(self.pack(), self.number)

    def pack(self) -> Tensor:
        packed = self._empty(self.number)
        self.machine.run("pack_state", self.number, self.state, packed.view(-1), self.number)
        return packed

    def _empty(self, number: int) -> Tensor:
        return torch.empty((features.WORDS, number), dtype=torch.int64, device=self.machine.device)

    def list_plays(self) -> tuple[Tensor, Tensor]:
        """Lists and packs every play; tells which number the first of each game and roll has, with all at the end."""
        if self.every:
            self.machine.run("list_plays", len(self.counts), self.number, self.state, self._list, self.counts)
        else:
            self.machine.run("list_rolled", len(self.counts), self.state, self._list, self.counts)
        ends = self.counts.cumsum(0)
        starts, total = ends - self.counts, int(ends[-1])
        owners = torch.repeat_interleave(self.counts, output_size=total)
        packed = self._empty(total)
        self.machine.run("pack_play", total, owners, starts, self._rooms, self._list, packed.view(-1), total)
        return starts, packed

    def choose(self, starts: Tensor, verdict: Verdict) -> Plays:
        best = torch.empty_like(starts)
        counts, size = self.counts, len(starts)
        self.machine.run("choose", size, starts, self._rooms, counts, self._list, verdict.equity, best)
        return Plays(counts, starts, verdict.equity, verdict.chances, best)

    def back_up(self, plays: Plays) -> Tensor:
        """The chances in each game, on average over all rolls, if the best play follows."""
        backed = torch.empty((len(plays.best), turns.OUTCOMES), device=self.machine.device)
        size = len(plays.best)
        self.machine.run("look_back", size, plays.starts, self._rooms, self._list, plays.chances, plays.best, backed)
        return torch.einsum("rgo,r->go", backed.view(turns.ROLLS, self.number, turns.OUTCOMES), self._weights)

    def advance(self, plays: Plays, explore: float = 0.0, noise: float = 0.0) -> tuple[Tensor, Tensor]:
        """Rolls and plays in every game: whether the best play was made and the game goes on, and the points won."""
        follows = torch.empty(self.number, dtype=torch.int64, device=self.machine.device)
        points = torch.empty_like(follows)
        self.machine.run(
            "advance", self.number, self.number, int(self.every), self.state, plays.starts, self._rooms, plays.counts,
            self._list, plays.equity, plays.best, explore, noise, follows, points,
        )  # fmt: skip
        return follows, points

    def play_turn(self, judge: Judge, explore: float, noise: float) -> Seen:
        """One turn of self-play, with what can be learned from it."""
        packed = self.pack()
        value = judge.judge(packed, self.number).chances
        starts, after = self.list_plays()
        plays = self.choose(starts, judge.judge(after, after.shape[1]))
        backed = self.back_up(plays)
        follows, _ = self.advance(plays, explore, noise)
        return Seen(packed, value, backed, follows)


def fresh(number: int, seed: int) -> Tensor:
    """Games at their start, each with dice of its own."""
    state = torch.zeros((turns.STATE, number), dtype=torch.int64)
    state[turns.LOW] = state[turns.OTHER_LOW] = turns.START_LOW
    state[turns.HIGH] = state[turns.OTHER_HIGH] = turns.START_HIGH
    state[turns.KEY] = torch.tensor([key_of(seed, game) for game in range(number)])
    return state
