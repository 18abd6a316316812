"""The training itself: play, work out targets, learn, generation after generation; and what is kept on disk of it."""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ludus.engines.backgammon.network.weights import FORMAT
from ludus.training.backgammon import checkpoint, lessons, net
from ludus.training.backgammon.games import Games, Seen
from ludus.training.backgammon.judge import Inputs, NetJudge, logits_of
from ludus.training.backgammon.machine import Machine
from ludus.training.backgammon.match import Result, matches
from ludus.training.backgammon.net import Net
from ludus.training.backgammon.opponents import Linear, Random
from ludus.training.clock import Look, never

HELD_OUT = 1 << 40
"""Games to be judged by have this seed; games to learn from have smaller ones."""

REFILL = 8
"""Generations of games, at most, that a resumed training plays before it learns again."""


class Plan(NamedTuple):
    """How a training goes; the defaults are those of a large GPU."""

    seed: int = 1
    generations: int = 1200
    games: int = 8192
    turns: int = 32
    steps: int = 64
    batch: int = 16384
    room: int = 1 << 25
    hidden: int = 512
    narrow: int = 32
    rate: float = 2e-3
    last_rate: float = 1e-5
    first_trace: float = 0.98
    trace: float = 0.75
    settled: int = 300
    explore: float = 0.08
    noise: float = 0.04
    average: float = 0.9995
    chunk: int = 1 << 20
    judged_games: int = 8192
    stress: float = 1.0
    """How much the error of the equity counts beside the entropy of the chances."""
    calm: int = 10
    """How many steps the running mean of the weights reaches back at the beginning; one more with each generation."""
    judged_at_once: int = 8192
    """Games of a measurement's matches between two looks at the clock."""


SMALL_PLAN = Plan(
    generations=300, games=128, turns=16, steps=16, batch=1024, room=1 << 20, hidden=64, narrow=8, chunk=1 << 15,
    judged_games=64, judged_at_once=32,
)  # fmt: skip
"""For a few cores: a network that plays decently after some minutes."""


FURTHER_PLAN = Plan(generations=400, steps=96, rate=8e-4, first_trace=0.75, stress=4.0, calm=1000)
"""For a network that can play already."""


class Score(NamedTuple):
    """How the network stood: against what it was at the last score, the linear player and random play.

    `surprise` is how far, in points, the network's word on a position is from what it says one roll later.
    """

    generation: int
    positions: int
    seconds: float
    loss: float
    surprise: float
    before: Result
    linear: Result
    random: Result

    def __str__(self) -> str:
        results = {"itself before": self.before, "linear": self.linear, "random": self.random}
        against = ", ".join(f"{name} {it.points:+.3f} ± {it.error:.3f}" for name, it in results.items())
        played = f"generation {self.generation}, {self.positions:,} positions, {self.seconds:.0f} s"
        games = f"{self.linear.games:,} games each"
        return f"{played}: loss {self.loss:.5f}, surprise {self.surprise:.4f}; {against} ({games})"


class Learner:
    def __init__(self, plan: Plan, machine: Machine) -> None:
        self.plan, self.machine = plan, machine
        self.generation, self.positions, self.seconds = 0, 0, 0.0
        self.part = 0.0
        """How much of the generation at hand has been played."""
        self.missing = 0
        """Generations of games still to play before anything is learned, since a checkpoint has none."""
        self.scores: list[Score] = []
        self.loss = self.surprise = math.nan
        torch.manual_seed(plan.seed)
        self.net = Net(plan.hidden, plan.narrow).to(machine.device)
        self.steady = copy.deepcopy(self.net)
        self._before = copy.deepcopy(self.net)
        self._judge = NetJudge(self.steady, machine, plan.chunk)
        self._inputs = Inputs(machine)
        self._optimiser = torch.optim.AdamW(
            self.net.parameters(), plan.rate, weight_decay=0.0, fused=machine.device == "cuda"
        )
        self._games = Games(machine, plan.games, plan.seed, every=True)
        self._lessons = lessons.Lessons(plan.room, machine.device)

    def begin_with(self, parts: dict[str, Any]) -> None:
        """Goes on from the weights of another network, which may be less wide."""
        for other in (self.net, self.steady, self._before):
            net.take_arrays(other, parts)
        self._judge.take(self.steady)

    @property
    def is_done(self) -> bool:
        return self.generation >= self.plan.generations

    def learn(self, look: Look = never) -> None:
        """One generation; nothing has been learned of it if a look at the clock, one before each turn, ends it."""
        began = time.perf_counter()
        while self.missing:
            self._play(look)
            self.missing -= 1
        self._play(look)
        self._set_rate()
        self._study()
        self._judge.take(self.steady)
        self.generation += 1
        self.part = 0.0
        self.seconds += time.perf_counter() - began

    def _play(self, look: Look) -> None:
        plan = self.plan
        seen = []
        for turn in range(plan.turns):
            self.part = turn / plan.turns
            look()
            seen.append(self._games.play_turn(self._judge, plan.explore, plan.noise))
        self.surprise = surprise(seen)
        target = lessons.targets(seen, self._trace())
        self._lessons.add(torch.cat([turn.packed for turn in seen], 1), target.flatten(0, 1))
        self.positions += plan.turns * plan.games

    def _trace(self) -> float:
        """Far-reaching at first, when every end of a game is news; shorter once the network knows better."""
        plan = self.plan
        done = min(1.0, self.generation / plan.settled)
        return plan.first_trace + (plan.trace - plan.first_trace) * done

    def _set_rate(self) -> None:
        """A quarter of a cosine wave down, after a short start."""
        plan, done = self.plan, self.generation / self.plan.generations
        rate = plan.last_rate + (plan.rate - plan.last_rate) * (1 + math.cos(math.pi * done)) / 2
        for group in self._optimiser.param_groups:
            group["lr"] = rate * min(1.0, (self.generation + 1) / 5)

    def _study(self) -> None:
        """Learns from positions of the newest quarter of all games."""
        plan = self.plan
        newest = max(self.positions // 4, 4 * plan.turns * plan.games)
        packed, target = self._lessons.draw(plan.steps * plan.batch, newest)
        matrix, losses = self._inputs.expand(packed, 0, len(target)), []
        for first in range(0, len(target), plan.batch):
            some = slice(first, first + plan.batch)
            losses.append(self._improve(matrix[some].float(), packed[:, some], target[some]))
        self.loss = float(torch.stack(losses).mean())

    def _improve(self, matrix: Tensor, packed: Tensor, target: Tensor) -> Any:
        loss: Any = net.loss(logits_of(self.net, matrix, packed), target, self.plan.stress)
        self._optimiser.zero_grad()
        loss.backward()
        self._optimiser.step()
        with torch.no_grad():
            keep = min(self.plan.average, 1 - 1 / (self.plan.calm + self.generation))
            torch._foreach_lerp_(list(self.steady.parameters()), list(self.net.parameters()), 1 - keep)
        return loss.detach()

    def score(self, look: Look = never) -> Score:
        """Measures the network by matches, and remembers it as the one to beat.

        The matches are shorter if a look at the clock, one after each round of theirs, ends them.
        """
        plan, seed = self.plan, HELD_OUT + self.generation
        began = time.perf_counter()
        before = NetJudge(self._before, self.machine, plan.chunk)
        opponents = before, Linear(), Random(seed, self.machine.device)
        results = matches(
            self.machine, self._judge, opponents, plan.judged_games, plan.judged_at_once, seed, look
        )  # fmt: skip
        self._before.load_state_dict(self.steady.state_dict())
        self.seconds += time.perf_counter() - began
        self.scores.append(Score(self.generation, self.positions, self.seconds, self.loss, self.surprise, *results))
        return self.scores[-1]

    def save(self, path: Path) -> None:
        """All but the games in progress and the store of lessons, which a resumed training makes anew."""
        parts = {name: getattr(self, name).state_dict() for name in ("net", "steady", "_before", "_optimiser")}
        told = {"generation": self.generation, "positions": self.positions, "seconds": self.seconds, "loss": self.loss}
        scores = [[*score[:5], *map(tuple, score[5:])] for score in self.scores]
        unfinished = path.with_suffix(".part")
        torch.save(parts | told | {"plan": tuple(self.plan), "scores": scores}, unfinished)
        unfinished.replace(path)

    @classmethod
    def load(cls, path: Path, machine: Machine, generations: int | None = None) -> Learner:
        """Goes on with new games, others than those before; the training can be made longer or shorter."""
        parts = checkpoint.read(path, machine.device)
        with checkpoint.reading(path):
            plan = Plan(*parts["plan"])
        plan = plan._replace(generations=generations or plan.generations)
        learner = cls(plan, machine)
        with checkpoint.reading(path):
            learner._take(parts)
        learner._judge.take(learner.steady)
        torch.manual_seed(plan.seed + learner.generation)
        learner._games = Games(machine, plan.games, plan.seed + (learner.generation << 20), every=True)
        learner.missing = min(REFILL, learner.generation)
        return learner

    def _take(self, parts: dict[str, Any]) -> None:
        """What `save` has kept."""
        for name in ("net", "steady", "_before", "_optimiser"):
            getattr(self, name).load_state_dict(parts[name])
        for name in ("generation", "positions", "seconds", "loss"):
            setattr(self, name, parts[name])
        self.scores = [Score(*score[:5], *(Result(*result) for result in score[5:])) for score in parts["scores"]]

    def export(self, path: Path) -> None:
        """The averaged weights in half precision, as `ludus.engines.backgammon.network` reads them."""
        halves = {name: array.astype(np.float16) for name, array in net.arrays(self.steady).items()}
        np.savez_compressed(path, format=np.int64(FORMAT), **halves)


def surprise(seen: Sequence[Seen]) -> float:
    changes = torch.stack([net.equity(turn.backed - turn.value) for turn in seen])
    return float(changes.square().mean().sqrt())
