"""Trains the network: self-play, TD(λ) targets, gradient steps, generation by generation; and its checkpoints."""

from __future__ import annotations

import copy
import math
import pickle
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import torch
from torch import Tensor

from ludus.core.errors import BadInput
from ludus.core.npz import BAD_FILE
from ludus.engines.backgammon.network.network import FORMAT, load_arrays
from ludus.training.backgammon import net
from ludus.training.backgammon.backend import Backend
from ludus.training.backgammon.evaluator import Inputs, LinearEvaluator, NetEvaluator, RandomEvaluator, logits_of
from ludus.training.backgammon.match import Result, matches
from ludus.training.backgammon.net import Net
from ludus.training.backgammon.pruning import learn_to_prune
from ludus.training.backgammon.replay import ReplayBuffer, targets
from ludus.training.backgammon.selfplay import Forks, Games, Turn
from ludus.training.curve import Series, series
from ludus.training.run import CheckTime, Options, no_limit

HELD_OUT: Final = 1 << 40
"""Seed of the games that measure the network; self-play has smaller seeds."""
REFILL: Final = 8
"""The most generations of self-play that fill the replay buffer of a resumed training."""
STATES: Final = {"net": "net", "steady": "averaged", "_before": "_previous", "_optimiser": "_optimizer"}
"""Keys of a checkpoint, and the attributes whose state they hold."""
BAD_CHECKPOINT: Final = (*BAD_FILE, AttributeError, pickle.UnpicklingError)


class Plan(NamedTuple):
    """The training's parameters; the defaults are for a large GPU. Checkpoints store a tuple: keep the order."""

    seed: int = 1
    generations: int = 1200
    games: int = 8192
    turns: int = 32
    steps: int = 64
    batch: int = 16384
    capacity: int = 1 << 25
    """Positions in the replay buffer."""
    hidden: int = 512
    narrow: int = 32
    rate: float = 2e-3
    last_rate: float = 1e-5
    first_lambda: float = 0.98
    last_lambda: float = 0.75
    lambda_generations: int = 300
    """Generations until λ reaches `last_lambda`."""
    explore: float = 0.08
    noise: float = 0.04
    ema_decay: float = 0.9995
    """The greatest decay of the averaged weights."""
    chunk: int = 1 << 20
    match_games: int = 8192
    equity_weight: float = 1.0
    """The weight in the loss of the equity's squared error, relative to the cross entropy."""
    ema_steps: int = 10
    """Horizon of the averaged weights at first; one more with each generation."""
    match_round: int = 8192
    """Games of a match between two time checks."""
    forks: int = 0
    """Games in which another play than the best one is evaluated too, for pairs to learn from."""
    fork_noise: float = 0.03
    pair_batch: int = 0
    """Pairs in a batch, besides its positions."""
    pair_weight: float = 8.0
    """The weight in the loss of the squared error of a pair's difference in equity, relative to the cross entropy."""
    deeper: int = 0
    """The most pairs per turn that are decided by two rolls because one roll contradicts the choice at sight."""
    decided_batch: int = 512
    """How many of these pairs are in a batch, besides its other pairs."""
    kept: int = 0
    """How many plays of a roll the network evaluates, chosen by a small network; 0 for all."""
    pruning_hidden: int = 256
    """Width of the small network."""
    pruning_steps: int = 1500
    """Steps of the small network's training, before the first generation."""


SMALL_PLAN: Final = Plan(
    generations=300, games=128, turns=16, steps=16, batch=1024, capacity=1 << 20, hidden=64, narrow=8, chunk=1 << 15,
    match_games=64, match_round=32,
)  # fmt: skip
"""The plan for a few CPU cores: a network that plays decently after some minutes."""
FURTHER_PLAN: Final = Plan(
    generations=400, steps=160, rate=8e-4, first_lambda=0.75, equity_weight=4.0, ema_steps=1000, forks=4096,
    pair_batch=4096,
)  # fmt: skip
"""The plan for a network that already plays well."""


def plan_for(options: Options, device: str) -> Plan:
    plan = SMALL_PLAN if device == "cpu" else FURTHER_PLAN if options.start else Plan()
    if options.deeper and not plan.forks:
        raise BadInput("--deeper decides pairs of plays, which only a training on a GPU with --start has")
    if options.kept and not options.start:
        raise BadInput("--kept needs --start: an untrained network can't teach a small one which plays to keep")
    return plan._replace(
        seed=options.seed,
        generations=options.generations or plan.generations,
        hidden=options.width or plan.hidden,
        rate=options.rate or plan.rate,
        kept=options.kept or plan.kept,
        deeper=options.deeper or plan.deeper,
    )


class Measurement(NamedTuple):
    """Matches against the network of the last measurement, the linear player and random play.

    `surprise` is the root mean square change of a position's equity one roll later, in points.
    """

    generation: int
    positions: int
    seconds: float
    loss: float
    surprise: float
    previous: Result
    linear: Result
    random: Result

    def __str__(self) -> str:
        results = {"itself before": self.previous, "linear": self.linear, "random": self.random}
        against = ", ".join(f"{name} {it.points:+.3f} ± {it.error:.3f}" for name, it in results.items())
        played = f"generation {self.generation}, {self.positions:,} positions, {self.seconds:.0f} s"
        games = f"{self.linear.games:,} games each"
        return f"{played}: loss {self.loss:.5f}, surprise {self.surprise:.4f}; {against} ({games})"


class Learner:
    def __init__(self, plan: Plan, backend: Backend) -> None:
        self.plan, self.backend = plan, backend
        self.generation, self.positions, self.seconds = 0, 0, 0.0
        self.progress = 0.0
        self.missing = 0
        """Generations of self-play to refill the replay buffer with, which checkpoints don't hold."""
        self.measurements: list[Measurement] = []
        self.loss = self.surprise = math.nan
        torch.manual_seed(plan.seed)
        self.net = Net(plan.hidden, plan.narrow).to(backend.device)
        self.averaged = copy.deepcopy(self.net)
        """Exponential moving average of the weights."""
        self._previous = copy.deepcopy(self.net)
        self._evaluator = NetEvaluator(self.averaged, backend, plan.chunk)
        self._inputs = Inputs(backend)
        self._optimizer = torch.optim.AdamW(
            self.net.parameters(), plan.rate, weight_decay=0.0, fused=backend.device == "cuda"
        )
        self._games = Games(backend, plan.games, plan.seed, all_rolls=True)
        self._buffer = ReplayBuffer(plan.capacity, backend.device)
        self._forks = Forks(backend, plan.forks, plan.fork_noise, plan.deeper) if plan.forks else None
        self._pairs = ReplayBuffer(plan.capacity // 4, backend.device, positions=2) if plan.forks else None
        self._decided = ReplayBuffer(plan.capacity // 16, backend.device, positions=2) if plan.deeper else None
        """Pairs that two rolls have decided."""
        self.regret = math.nan
        """Points by which a pair's other play is better than the one made, on average."""

    @classmethod
    def new(cls, options: Options, backend: Backend) -> Learner:
        plan = plan_for(options, backend.device)
        if options.start is None:
            return cls(plan, backend)
        parts = load_arrays(options.start)
        hidden, narrow = parts["weight_1"].shape[1:]
        learner = cls(plan._replace(hidden=options.width or hidden, narrow=narrow), backend)
        learner.start_from(parts)
        return learner

    def start_from(self, parts: dict[str, Any]) -> None:
        """Takes the weights of another network, which may be less wide."""
        for other in (self.net, self.averaged, self._previous):
            net.load_arrays(other, parts)
        self._evaluator.load(self.averaged)

    @property
    def generations(self) -> int:
        return self.plan.generations

    @property
    def is_done(self) -> bool:
        return self.generation >= self.plan.generations

    @property
    def notice(self) -> str:
        number = f"{self.missing} generation{'s' * (self.missing > 1)}"
        return f"refilling the replay buffer with {number} of games" if self.missing else ""

    def learn(self, check_time: CheckTime = no_limit) -> None:
        """One generation; time is checked before each turn, and while a small network learns to prune."""
        began = time.perf_counter()
        if self.plan.kept and self._games.pruning is None:
            self._start_pruning(check_time)
        while self.missing:
            self._play(check_time)
            self.missing -= 1
        self._play(check_time)
        self._set_rate()
        self._fit()
        self._evaluator.load(self.averaged)
        self.generation += 1
        self.progress = 0.0
        self.seconds += time.perf_counter() - began

    def _start_pruning(self, check_time: CheckTime) -> None:
        plan = self.plan
        pruning = learn_to_prune(
            self._evaluator, self.backend, plan.pruning_hidden, plan.narrow, plan.kept, plan.games, plan.turns // 2,
            plan.pruning_steps, plan.batch, plan.chunk, check_time,
        )  # fmt: skip
        self._games.pruning = pruning
        if self._forks:
            self._forks.prune(pruning)

    def _play(self, check_time: CheckTime) -> None:
        plan = self.plan
        played = []
        for turn in range(plan.turns):
            self.progress = turn / plan.turns
            check_time()
            played.append(self._games.play_turn(self._evaluator, plan.explore, plan.noise, self._forks))
        self.surprise = surprise(played)
        target = targets(played, self._lambda())
        self._buffer.add(torch.cat([turn.packed for turn in played], 1).T, target.flatten(0, 1))
        if self._forks and self._pairs:
            pairs = self._forks.take()
            self._pairs.add(*pairs)
            self.regret = float(pairs.regret.mean())
            if self._decided:
                self._decided.add(*self._forks.take_decided())
        self.positions += plan.turns * plan.games

    def _lambda(self) -> float:
        """λ: high at first, when there are only results to learn from, lower once the network's estimates improve."""
        plan = self.plan
        done = min(1.0, self.generation / plan.lambda_generations)
        return plan.first_lambda + (plan.last_lambda - plan.first_lambda) * done

    def _set_rate(self) -> None:
        """Cosine decay after a short warm-up."""
        plan, done = self.plan, self.generation / self.plan.generations
        rate = plan.last_rate + (plan.rate - plan.last_rate) * (1 + math.cos(math.pi * done)) / 2
        for group in self._optimizer.param_groups:
            group["lr"] = rate * min(1.0, (self.generation + 1) / 5)

    def _fit(self) -> None:
        """Samples positions and pairs from the newest quarter of all games."""
        plan = self.plan
        newest = max(self.positions // 4, 4 * plan.turns * plan.games)
        losses = []
        for _ in range(plan.steps):
            packed, target = self._buffer.sample(plan.batch, newest)
            if self._pairs and self._pairs.size:
                pairs, backups = self._sample_pairs(newest)
                packed, target = torch.cat([packed, *pairs.chunk(2, 1)]), torch.cat([target, *backups.chunk(2, 1)])
            losses.append(self._step(packed.T.contiguous(), target))
        self.loss = float(torch.stack(losses).mean())

    def _sample_pairs(self, newest: int) -> tuple[Tensor, Tensor]:
        plan = self.plan
        found = [self._pairs.sample(plan.pair_batch, newest // 4)] if self._pairs else []
        if self._decided and self._decided.size:
            found.append(self._decided.sample(plan.decided_batch, newest // 16))
        packed, backups = (torch.cat(part) for part in zip(*found, strict=True))
        return packed, backups

    def _step(self, packed: Tensor, target: Tensor) -> Any:
        plan = self.plan
        logits = logits_of(self.net, self._inputs.expand(packed, 0, len(target)).float(), packed)
        loss: Any = net.loss(logits, target, plan.equity_weight)
        if len(target) > plan.batch:  # pairs come last
            loss = loss + plan.pair_weight * net.pair_loss(logits[plan.batch :], target[plan.batch :])
        self._optimizer.zero_grad()
        loss.backward()
        self._optimizer.step()
        with torch.no_grad():
            decay = min(self.plan.ema_decay, 1 - 1 / (self.plan.ema_steps + self.generation))
            torch._foreach_lerp_(list(self.averaged.parameters()), list(self.net.parameters()), 1 - decay)
        return loss.detach()

    def measure(self, check_time: CheckTime = no_limit) -> Measurement:
        """Plays matches, and takes the current network as the next measurement's opponent.

        Time is checked after each round of games; out of time, the matches are shorter.
        """
        plan, seed = self.plan, HELD_OUT + self.generation
        began = time.perf_counter()
        previous = NetEvaluator(self._previous, self.backend, plan.chunk)
        opponents = previous, LinearEvaluator(), RandomEvaluator(seed, self.backend.device)
        results = matches(
            self.backend, self._evaluator, opponents, plan.match_games, plan.match_round, seed, check_time
        )  # fmt: skip
        self._previous.load_state_dict(self.averaged.state_dict())
        self.seconds += time.perf_counter() - began
        found = Measurement(self.generation, self.positions, self.seconds, self.loss, self.surprise, *results)
        self.measurements.append(found)
        return found

    def curve(self) -> list[Series]:
        minutes = [found.seconds / 60 for found in self.measurements]
        values = {
            "against linear": [found.linear.points for found in self.measurements],
            "against random": [found.random.points for found in self.measurements],
            "surprise": [found.surprise for found in self.measurements],
        }
        return series(minutes, values)

    def save(self, path: Path) -> None:
        """Everything except the games in progress and the replay buffer, which a resumed training refills."""
        states = {key: getattr(self, name).state_dict() for key, name in STATES.items()}
        counts = {
            "generation": self.generation,
            "positions": self.positions,
            "seconds": self.seconds,
            "loss": self.loss,
        }
        scores = [[*found[:5], *map(tuple, found[5:])] for found in self.measurements]
        unfinished = path.with_suffix(".part")
        torch.save(states | counts | {"plan": tuple(self.plan), "scores": scores}, unfinished)
        unfinished.replace(path)

    @classmethod
    def load(cls, path: Path, backend: Backend, generations: int | None = None) -> Learner:
        """Continues with new games; `generations` makes the training longer or shorter."""
        with _reading(path):
            parts = dict(torch.load(path, map_location=backend.device, weights_only=True))
            plan = Plan(*parts["plan"])
        plan = plan._replace(generations=generations or plan.generations)
        learner = cls(plan, backend)
        with _reading(path):
            learner._restore(parts)
        learner._evaluator.load(learner.averaged)
        torch.manual_seed(plan.seed + learner.generation)
        learner._games = Games(backend, plan.games, plan.seed + (learner.generation << 20), all_rolls=True)
        learner.missing = min(REFILL, learner.generation)
        return learner

    def _restore(self, parts: dict[str, Any]) -> None:
        for key, name in STATES.items():
            getattr(self, name).load_state_dict(parts[key])
        for name in ("generation", "positions", "seconds", "loss"):
            setattr(self, name, parts[name])
        self.measurements = [
            Measurement(*score[:5], *(Result(*result) for result in score[5:])) for score in parts["scores"]
        ]

    def export(self, path: Path) -> None:
        """The averaged weights in half precision, as `ludus.engines.backgammon.network` reads them."""
        halves = {name: array.astype(np.float16) for name, array in net.arrays(self.averaged).items()}
        np.savez_compressed(path, format=np.int64(FORMAT), **halves)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Turns any error into one line; torch's run over many."""
    try:
        yield
    except BAD_CHECKPOINT as error:
        raise BadInput(f"{path} is damaged, truncated or not a checkpoint of this training") from error


def surprise(turns: Sequence[Turn]) -> float:
    changes = torch.stack([net.equity(turn.backup - turn.value) for turn in turns])
    return float(changes.square().mean().sqrt())
