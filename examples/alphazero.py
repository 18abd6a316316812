"""Checkers by AlphaZero: a network and a batched Gumbel tree search improve each other in games against themselves.

    python examples/alphazero.py --out runs/alphazero                               # three minutes on two cores
    python examples/alphazero.py --out runs/alphazero --device cuda --minutes 15    # a large GPU and its CPU cores
    python examples/alphazero.py --out runs/alphazero --plot                        # the curve again, from scores.json
    ludus match checkers runs/alphazero/policy.npz medium --opening 4

Each step searches all games at once; the network learns the search's policies and values. The trees are on the CPU,
the network and the replay buffer on the device. Several groups of games have a core each, and the device evaluates the
leaves of some groups while the trees of others grow. `CPU` and `CUDA` below are the sizes that `--device` chooses; each
is an option too.

Writes the network with its search as a policy file (`policy.npz`) after every evaluation, the results of these
(`scores.json`) and the learning curve (`curve.png`). Needs torch, and matplotlib for the curve.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from ludus.envs import batch
from ludus.envs.mcts import MCTS, Found
from ludus.envs.policy import Policy, highest

Array = np.ndarray

GAME = "checkers"
WEIGHT_DECAY, LAMBDA = 1e-4, 0.9
LAST_RATE = 0.05
"""The share of the learning rate that is left at the end."""
MOST_STEPS = 200
"""Longer games are truncated; their last target is the search's value."""
HELD_OUT = 1 << 40
"""The seed of evaluation games; training games have smaller ones."""


class Size(NamedTuple):
    simulations: int
    envs: int
    """Games played at once, in all groups together."""
    groups: int
    length: int
    """Steps of every game between trainings."""
    width: int
    layers: int
    minibatch: int
    passes: int
    """How often each position is learned on average."""
    buffer: int
    """Positions that are kept."""
    opening: int
    """A game begins with at most this many random actions, which are not learned."""
    rate: float
    """The learning rate at first."""


CPU = Size(32, 256, 1, length=32, width=256, layers=2, minibatch=1024, passes=4, buffer=200_000, opening=0, rate=2e-3)
CUDA = Size(32, 65536, 16, 8, width=768, layers=3, minibatch=4096, passes=4, buffer=8_000_000, opening=4, rate=1e-3)


class Network(nn.Module):
    """Logits of the actions, and the mover's expected result: -1 a sure loss, 1 a sure win."""

    def __init__(self, width: int, layers: int) -> None:
        super().__init__()
        self.register_buffer("high", torch.tensor(highest(GAME), dtype=torch.float32).flatten())
        self.body = nn.ModuleList(nn.Linear(*pair) for pair in pairwise([len(self.high)] + [width] * layers))
        self.logits, self.value = nn.Linear(width, 256), nn.Linear(width, 1)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        inner = observation.flatten(1) / self.high
        for layer in self.body:
            inner = layer(inner).relu()
        return self.logits(inner), self.value(inner).tanh().squeeze(1)

    def policy(self, simulations: int) -> Policy:
        def arrays(layer: nn.Linear) -> tuple[Tensor, Tensor]:
            return layer.weight.detach().cpu().T, layer.bias.detach().cpu()

        layers = [arrays(layer) for layer in (*self.body, self.logits)]
        return Policy.from_layers(GAME, layers, value=arrays(self.value), simulations=simulations)


class Positions(NamedTuple):
    """What was seen, and what the search made of it: the replay buffer, or games' steps."""

    observation: Tensor
    mask: Tensor
    policy: Tensor
    target: Tensor


class Evaluator:
    """What a search asks for its leaves: the network's answers.

    On a GPU each group has a stream and pinned memory, and its copies and the network's kernels are a CUDA graph:
    launched one by one, they would take more of Python's time than all the rest.
    """

    def __init__(self, network: Network, games: int, device: str) -> None:
        self.network, self.device = network, device
        if device == "cuda":
            self.seen = torch.zeros(games, len(network.high), dtype=torch.int8, pin_memory=True)
            self.logits = torch.empty(games, 256, pin_memory=True)
            self.values = torch.empty(games, pin_memory=True)
            self.stream, self.graph = torch.cuda.Stream(), torch.cuda.CUDAGraph()
            self.capture()

    @torch.no_grad()
    def __call__(self, observation: Array, mask: Array) -> tuple[Tensor, Tensor]:
        if self.device == "cpu":
            return self.network(torch.from_numpy(observation))
        n = len(observation)
        self.seen[:n].copy_(torch.from_numpy(observation).flatten(1))
        with torch.cuda.stream(self.stream):
            self.graph.replay()
        self.stream.synchronize()
        return self.logits[:n], self.values[:n]

    @torch.no_grad()
    def capture(self) -> None:
        def evaluate() -> None:
            found = self.network(self.seen.to(self.device, non_blocking=True))
            for host, part in zip((self.logits, self.values), found, strict=True):
                host.copy_(part.float(), non_blocking=True)

        with torch.cuda.stream(self.stream):
            evaluate()  # once before it is captured, when libraries allocate their memory
        torch.cuda.synchronize()
        with torch.cuda.graph(self.graph, stream=self.stream):
            evaluate()


class Group:
    """Games that are searched together."""

    def __init__(self, evaluate: Evaluator, games: int, options: argparse.Namespace, seed: int) -> None:
        threads = 1 if options.groups > 1 else None
        self.env = batch(GAME, games, seed=seed, max_steps=MOST_STEPS, threads=threads)
        self.search = MCTS(GAME, evaluate, simulations=options.simulations, seed=seed, threads=threads)
        self.rng = np.random.default_rng(seed)
        self.longest = options.opening
        self.opening = self.rng.integers(options.opening + 1, size=games)
        """How many random actions are still to come."""
        self.found: Found | None = None

    def play(self, length: int, device: str) -> Positions:
        """Steps every game by what its search finds; the positions, random actions left out."""
        env, rows = self.env, []
        for _ in range(length):
            found = self.found or self.search(env)
            is_learned = self.opening == 0
            seen, mask, mover = env.observation.copy(), env.action_mask.copy(), env.to_play.copy()
            env.step(self.actions(found))
            over, cut = env.terminated.copy(), env.truncated.copy()
            self.found = self.search(env)
            policy = found.policy.astype(np.float16)
            rows.append((seen, mask, policy, is_learned, found.value, mover, env.reward.copy(), over, cut))
            self.opening = np.where(over | cut, self.rng.integers(self.longest + 1, size=len(over)), self.opening)
        seen, mask, policy, is_learned, *rest = map(np.stack, zip(*rows, strict=True))
        target = returns(*rest, self.found.value, env.to_play).astype(np.float32)
        kept = np.flatnonzero(is_learned)
        parts = (part.reshape(is_learned.size, -1)[kept] for part in (seen, mask, policy, target))
        return Positions(*(torch.from_numpy(part).to(device) for part in parts))

    def actions(self, found: Found) -> Array:
        chosen, which = found.action.copy(), np.flatnonzero(self.opening)
        legal = self.env.action_mask[which] != 0
        chosen[which] = np.where(legal, self.rng.random(legal.shape), -1).argmax(1)
        self.opening[which] -= 1
        return chosen


def returns(
    value: Array, mover: Array, reward: Array, over: Array, cut: Array, last_value: Array, last_mover: Array
) -> Array:
    """Lambda returns for two players: the next mover's value counts against this one's, unless they are the same."""
    target, following = np.zeros_like(value), last_value
    values, movers = np.append(value, last_value[None], 0), np.append(mover, last_mover[None], 0)
    for t in reversed(range(len(value))):
        ahead = (1 - LAMBDA) * values[t + 1] + LAMBDA * following
        ahead = np.where(movers[t + 1] == movers[t], ahead, -ahead)
        target[t] = following = np.where(over[t], reward[t], np.where(cut[t], value[t], ahead))
    return target


class Buffer:
    """The latest positions, in the memory of the device."""

    def __init__(self, size: int, device: str) -> None:
        kinds = ((384, torch.int8), (256, torch.int8), (256, torch.float16), (1, torch.float32))
        self.rows = Positions(*(torch.empty(size, width, dtype=kind, device=device) for width, kind in kinds))
        self.size, self.total = size, 0

    def add(self, positions: Positions) -> None:
        number = len(positions.target)
        if number > self.size:
            positions, number = Positions(*(part[-self.size :] for part in positions)), self.size
        places = (torch.arange(number, device=positions.target.device) + self.total) % self.size
        for kept, new in zip(self.rows, positions, strict=True):
            kept[places] = new.to(kept.dtype)
        self.total += number

    def sample(self, number: int) -> Positions:
        some = torch.randint(min(self.total, self.size), (number,), device=self.rows.target.device)
        return Positions(*(part[some] for part in self.rows))


class Score(NamedTuple):
    steps: int
    seconds: float
    cpu_seconds: float
    """Of all threads, evaluations included."""
    wins: int
    draws: int
    games: int

    @property
    def rate(self) -> float:
        return self.wins / self.games

    @property
    def error(self) -> float:
        """The standard error of the rate."""
        return float((self.rate * (1 - self.rate) / self.games) ** 0.5)

    def __str__(self) -> str:
        wins = f"{100 * self.rate:.1f} ± {100 * self.error:.1f} % wins, {100 * self.draws / self.games:.1f} % draws"
        minutes = f"{self.seconds / 60:4.1f} minutes ({self.cpu_seconds / 60:.1f} of CPU time)"
        return f"{self.steps:11,} steps, {minutes}: {wins} in {self.games:,} games"


class Learner:
    def __init__(self, options: argparse.Namespace) -> None:
        torch.manual_seed(options.seed)
        self.start = time.perf_counter()
        self.options, self.device, self.steps = options, options.device, 0
        self.network = Network(options.width, options.layers).to(self.device)
        self.average = deepcopy(self.network).requires_grad_(False)
        """EMA weights: what is searched with, evaluated and saved."""
        self.searching = deepcopy(self.average).half() if self.device == "cuda" else self.average
        self.optimiser = torch.optim.AdamW(
            self.network.parameters(), options.rate, weight_decay=WEIGHT_DECAY, fused=self.device == "cuda"
        )
        self.buffer = Buffer(options.buffer, self.device)
        games = options.envs // options.groups
        self.groups = [
            Group(Evaluator(self.searching, games, self.device), games, options, options.seed + number)
            for number in range(options.groups)
        ]
        self.pool = ThreadPoolExecutor(options.groups)

    @property
    def progress(self) -> float:
        """The share of the budget that is spent."""
        if self.options.minutes is not None:
            return (time.perf_counter() - self.start) / max(60 * self.options.minutes, 1e-9)
        return self.steps / self.options.steps

    def play(self) -> int:
        """Plays some steps of all games; how many positions were added to the buffer."""
        before, length = self.buffer.total, self.options.length
        for positions in self.pool.map(lambda group: group.play(length, self.device), self.groups):
            self.buffer.add(positions)
        self.steps += length * sum(group.env.num_envs for group in self.groups)
        return self.buffer.total - before

    def learn(self, positions: int) -> None:
        for group in self.optimiser.param_groups:
            share = (1 + math.cos(math.pi * min(1, self.progress))) / 2
            group["lr"] = self.options.rate * (LAST_RATE + (1 - LAST_RATE) * share)
        if not self.buffer.total:  # nothing but opening moves so far
            return
        updates = max(1, self.options.passes * positions // self.options.minibatch)
        for _ in range(updates):
            self.update(self.buffer.sample(self.options.minibatch))
            with torch.no_grad():
                torch._foreach_lerp_([*self.average.parameters()], [*self.network.parameters()], 2 / (1 + updates))
        self.searching.load_state_dict(self.average.state_dict())
        if self.device == "cuda":
            torch.cuda.synchronize()  # the groups' streams don't wait for this one

    def update(self, positions: Positions) -> None:
        logits, value = self.network(positions.observation)
        log_policy = logits.masked_fill(positions.mask == 0, -1e9).log_softmax(1)
        loss = (value - positions.target[:, 0]).square().mean() - (positions.policy * log_policy).sum(1).mean()
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()

    @torch.no_grad()
    def score(self, games: int) -> Score:
        """Held-out games of the network alone against random play; only the first game of each slot counts."""
        env, seat = batch(GAME, games, seed=HELD_OUT), np.arange(games) % 2
        is_open, wins, draws = np.ones(games, bool), 0, 0
        rng = np.random.default_rng(HELD_OUT)
        while is_open.any():
            logits = self.average(torch.as_tensor(env.observation, device=self.device))[0].cpu().numpy()
            is_mine, legal = env.to_play == seat, env.action_mask != 0
            preference = np.where(is_mine[:, None], logits, rng.random(logits.shape))
            env.step(np.where(legal, preference, -np.inf).argmax(1))
            ended = is_open & env.terminated
            wins += int(np.count_nonzero(ended & is_mine & (env.reward > 0)))
            draws += int(np.count_nonzero(ended & (env.reward == 0)))
            is_open &= ~env.terminated
        return Score(self.steps, time.perf_counter() - self.start, time.process_time(), wins, draws, games)


def main() -> None:
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    if not options.plot:
        train(options)
    if find_spec("matplotlib"):
        plot(options.out)
    else:
        print(f"matplotlib is missing; with it, `--plot --out {options.out}` draws the curve from scores.json")
    print(f"the results are in {options.out}")


def train(options: argparse.Namespace) -> None:
    torch.set_float32_matmul_precision("high")
    if options.device == "cuda":
        torch.set_num_threads(1)  # the CPU is the trees'
    learner, scores = Learner(options), []

    def evaluate(games: int) -> None:
        scores.append(learner.score(games))
        print(scores[-1], flush=True)
        learner.average.policy(options.play_simulations or options.simulations).save(options.out / "policy.npz")
        rows = [score._asdict() for score in scores]
        (options.out / "scores.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")

    while learner.progress < 1:
        if learner.progress * options.evaluations >= len(scores):
            evaluate(options.games)
        learner.learn(learner.play())
    evaluate(5 * options.games)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="checkers by AlphaZero")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where the network runs")
    parser.add_argument("--steps", type=int, default=400_000, help="actions of both sides (%(default)s)")
    parser.add_argument("--minutes", type=float, help="train for this time instead, compilation included")
    parser.add_argument("--evaluations", type=int, default=10, help="how often to play against random (%(default)s)")
    parser.add_argument("--games", type=int, default=400, help="games per evaluation; the last has five times as many")
    parser.add_argument("--play-simulations", type=int, help="those of the policy file (as in training)")
    for name, cpu, cuda in zip(Size._fields, CPU, CUDA, strict=True):
        parser.add_argument(f"--{name}", type=type(cpu), help=f"{cpu:,}, with --device cuda {cuda:,}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/alphazero"), help="output folder (%(default)s)")
    parser.add_argument("--plot", action="store_true", help="only draw the curve of scores.json")
    parser.set_defaults(**(CUDA if parser.parse_known_args()[0].device == "cuda" else CPU)._asdict())
    return parser.parse_args()


def plot(folder: Path) -> None:
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    scores = [Score(**row) for row in json.loads((folder / "scores.json").read_text(encoding="utf-8"))]
    steps, rates, errors = (np.array([getattr(score, name) for score in scores]) for name in ("steps", "rate", "error"))
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(steps, 100 * (rates - errors), 100 * (rates + errors), alpha=0.25)
    axes.plot(steps, 100 * rates, label="the network without search, with its standard error")
    axes.set(xlabel="steps of both sides", ylabel="checkers games won against random, %", ylim=(0, 101))
    axes.xaxis.set_major_formatter(EngFormatter())
    last = scores[-1]
    axes.set_title(f"{last.seconds / 60:.1f} minutes, {last.cpu_seconds / 60:.1f} of CPU time", fontsize=9)
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(folder / "curve.png", dpi=100)


if __name__ == "__main__":
    main()
