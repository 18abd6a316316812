"""Backgammon by TD(lambda) on after-states, as TD-Gammon learned it, in plain torch on a CPU or a GPU.

    python examples/td_lambda.py --out runs/td
    python examples/td_lambda.py --out runs/td --device cuda --minutes 15         # on a GPU, the games too
    python examples/td_lambda.py --out runs/linear --hidden 0 --turns 2000000     # a linear evaluator, to compare
    python examples/td_lambda.py --out runs/td --plot                             # the curve again, from scores.json
    ludus match backgammon runs/td/value.npz runs/linear/value.npz --games 1000
    ludus play backgammon --bot runs/td/value.npz

In every game all legal plays of the roll are listed with the positions they lead to. The network gives the chances of
the six results of such a position before the other side rolls, and the play that is best for the mover is made. The
dice explore enough by themselves. Then each position learns from those that followed it, the nearer ones most.
`CPU` and `CUDA` below are the sizes that `--device` chooses; each is an option too.

Writes the value function (`value.npz`) after every evaluation, the results of these (`scores.json`) and the learning
curve (`curve.png`). Needs torch, and matplotlib for the curve.
"""

from __future__ import annotations

import argparse
import json
import time
from copy import deepcopy
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ludus.envs import batch
from ludus.envs.policy import highest
from ludus.envs.value import Value

HELD_OUT = 1 << 40
"""The seed of evaluation games; training games have smaller ones."""
POINTS = 1.0, 2.0, 3.0, -1.0, -2.0, -3.0
"""What each result is worth to the side to roll: a win, a gammon, a backgammon; the same lost."""
LENGTH, EPOCHS, LAMBDA = 16, 2, 0.7
MOST_TURNS = 1000
"""After which an evaluation ends: two weak players could hold each other up for ever."""
LEARNING_RATE, LAST_LEARNING_RATE = 2e-3, 5e-5
AVERAGED = 0.1
"""The share of the network's weights in the EMA's after each training."""


class Size(NamedTuple):
    hidden: int
    """Hidden units of a layer; 0 for a linear evaluator."""
    layers: int
    """Hidden layers."""
    envs: int
    """Games played at once."""
    minibatch: int


CPU = Size(hidden=128, layers=1, envs=256, minibatch=512)
CUDA = Size(hidden=512, layers=2, envs=8192, minibatch=4096)


class Score(NamedTuple):
    turns: int
    seconds: float
    wins: float
    points: float
    games: int

    def __str__(self) -> str:
        result = f"{100 * self.wins:.1f} % wins, {self.points:+.2f} points a game against random play"
        return f"{self.turns:11,} turns, {self.seconds / 60:5.1f} minutes: {result}"


class Network(nn.Module):
    """Logits of the six results.

    The inputs say how far the number of men on each place exceeds 0, 1, 2 and 3: a blot is not half a point.
    """

    def __init__(self, hidden: int, layers: int) -> None:
        super().__init__()
        high = torch.tensor(highest("backgammon"), dtype=torch.float32)
        self.register_buffer("high", high)
        self.register_buffer("level", torch.arange(4.0)[:, None])
        self.register_buffer("points", torch.tensor(POINTS))
        widths = [4 * len(high), *[hidden] * (layers if hidden else 0), len(POINTS)]
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))

    def forward(self, observation: Tensor) -> Tensor:
        x = (observation[:, None] - self.level).relu().flatten(1)
        for layer in self.layers[:-1]:
            x = layer(x).relu()
        return self.layers[-1](x)

    def expected_points(self, chances: Tensor) -> Tensor:
        return chances @ self.points

    def value(self) -> Value:
        """In a file the inputs are a layer too; there, observations are divided by their greatest values."""
        inputs = torch.diag(self.high).repeat(1, 4), -self.level.expand(4, len(self.high)).flatten()
        layers = [(layer.weight.T, layer.bias) for layer in self.layers]
        return Value.from_layers(
            "backgammon", POINTS, [(weight.detach().cpu(), bias.detach().cpu()) for weight, bias in [inputs, *layers]]
        )


class Turns(NamedTuple):
    """Tensors of turns × games: the position each turn led to, its predicted chances, and how it ended the game."""

    observation: Tensor
    chances: Tensor
    reward: Tensor
    is_over: Tensor


class Learner:
    def __init__(self, options: argparse.Namespace) -> None:
        torch.manual_seed(options.seed)
        self.start = time.perf_counter()
        self.options, self.device, self.turns = options, options.device, 0
        self.env = batch("backgammon", options.envs, device=self.device, seed=options.seed, scoring="points")
        self.unchecked = {"check": False} if self.device == "cuda" else {}
        """The host need not wait for the GPU to check a choice."""
        self.network = Network(options.hidden, options.layers).to(self.device)
        self.average = deepcopy(self.network).requires_grad_(False)
        """EMA weights: what is evaluated and saved."""
        self.optimiser = torch.optim.Adam(self.network.parameters(), LEARNING_RATE, fused=True)
        self.last: list[tuple[Tensor, ...]] = []

    @property
    def progress(self) -> float:
        """The share of the budget that is spent."""
        if self.options.minutes is not None:
            minutes = (time.perf_counter() - self.start) / 60
            return minutes / self.options.minutes if self.options.minutes > 0 else 1
        return self.turns / self.options.turns

    def learn(self) -> None:
        """Plays `LENGTH` turns of every game and learns from them."""
        rows = self.last + [self.play_turn() for _ in range(LENGTH)]
        self.last = rows[-1:]
        played = Turns(*map(torch.stack, zip(*rows, strict=True)))
        is_open = ~played.is_over[:-1]
        observation, target = played.observation[:-1][is_open], lambda_returns(played)[is_open]
        for group in self.optimiser.param_groups:
            group["lr"] = LEARNING_RATE * (LAST_LEARNING_RATE / LEARNING_RATE) ** min(1, self.progress)
        for _ in range(EPOCHS):
            for some in torch.randperm(len(target), device=self.device).split(self.options.minibatch):
                loss = cross_entropy(self.network(observation[some]), target[some])
                self.optimiser.zero_grad()
                loss.backward()
                self.optimiser.step()
        with torch.no_grad():
            torch._foreach_lerp_([*self.average.parameters()], [*self.network.parameters()], AVERAGED)
        self.turns += LENGTH * self.env.num_envs

    @torch.no_grad()
    def play_turn(self) -> tuple[Tensor, ...]:
        """Makes the best play in every game."""
        found = self.env.afterstates()
        observation = self.tensor(found.observation)
        chances = self.network(observation).softmax(1)
        chosen = found.best(self.worth(found, chances))
        self.env.step_afterstates(chosen, **self.unchecked)
        row = self.tensor(found.offsets)[:-1] + self.tensor(chosen)
        return observation[row], chances[row], self.tensor(found.reward)[row], self.tensor(found.terminated)[row].bool()

    def worth(self, found, chances: Tensor) -> Tensor:
        """The points that the mover can expect after each play."""
        return self.tensor(found.reward) + self.tensor(found.discount) * self.network.expected_points(chances)

    def tensor(self, array) -> Tensor:
        return torch.as_tensor(array, device=self.device)

    @torch.no_grad()
    def score(self, games: int) -> Score:
        """Plays held-out games against random play; only the first game of each slot counts, 0 if it has no end."""
        env = batch("backgammon", games, device=self.device, seed=HELD_OUT, scoring="points")
        seat = torch.arange(games, device=self.device) % 2
        points = torch.zeros(games, device=self.device)
        for _ in range(MOST_TURNS):
            if (points != 0).all():
                break
            found, is_mine = env.afterstates(), self.tensor(env.to_play) == seat
            chances = self.average(self.tensor(found.observation)).softmax(1)
            best = self.tensor(found.best(self.worth(found, chances)))
            random = (torch.rand(games, device=self.device) * self.tensor(found.counts)).long()
            env.step_afterstates(torch.where(is_mine, best, random))
            points += torch.where(points == 0, self.tensor(env.reward) * torch.where(is_mine, 1, -1), 0)
        wins = float((points > 0).float().mean())
        return Score(self.turns, time.perf_counter() - self.start, wins, float(points.mean()), games)


def lambda_returns(played: Turns) -> Tensor:
    """What each position but the last should have predicted: the results of the turns that followed.

    The next turn is the other side's, so the chances to win and to lose are exchanged.
    """
    returns = played.chances.clone()
    won = torch.eye(len(POINTS), device=returns.device)[(played.reward - 1).clamp(0).long()]
    for t in reversed(range(len(returns) - 1)):
        ahead = (1 - LAMBDA) * played.chances[t + 1] + LAMBDA * returns[t + 1]
        returns[t] = torch.where(played.is_over[t + 1, :, None], won[t + 1], ahead.roll(3, 1))
    return returns[:-1]


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
    learner, scores = Learner(options), []

    def evaluate(games: int) -> None:
        scores.append(learner.score(games))
        print(scores[-1], flush=True)
        learner.average.value().save(options.out / "value.npz")
        rows = [score._asdict() for score in scores]
        (options.out / "scores.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")

    while learner.progress < 1:
        if learner.progress * options.evaluations >= len(scores):
            evaluate(options.games)
        learner.learn()
    evaluate(10 * options.games)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="backgammon by TD(lambda) on after-states")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where games and network run")
    parser.add_argument("--turns", type=int, default=10_000_000, help="turns of both sides (%(default)s)")
    parser.add_argument("--minutes", type=float, help="train for this time instead, compilation included")
    parser.add_argument("--evaluations", type=int, default=20, help="how often to play against random (%(default)s)")
    parser.add_argument("--games", type=int, default=1000, help="games an evaluation; the last has ten times as many")
    for name, cpu, cuda in zip(Size._fields, CPU, CUDA, strict=True):
        parser.add_argument(f"--{name}", type=int, help=f"{cpu:,}, with --device cuda {cuda:,}")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/td"), help="output folder (%(default)s)")
    parser.add_argument("--plot", action="store_true", help="only draw the curve of scores.json")
    parser.set_defaults(**(CUDA if parser.parse_known_args()[0].device == "cuda" else CPU)._asdict())
    return parser.parse_args()


def plot(folder: Path) -> None:
    from matplotlib.figure import Figure
    from matplotlib.ticker import EngFormatter

    scores = [Score(**row) for row in json.loads((folder / "scores.json").read_text(encoding="utf-8"))]
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    turns = [score.turns for score in scores]
    axes.plot(turns, [100 * score.wins for score in scores], label="games won against random play, %")
    axes.set(xlabel="turns of both sides", ylabel="games won, %", ylim=(40, 101))
    other = axes.twinx()
    other.plot(turns, [score.points for score in scores], color="tab:orange", label="points a game (right)")
    other.set(ylabel="points a game", ylim=(-0.5, 3))
    axes.xaxis.set_major_formatter(EngFormatter())
    axes.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2)
    figure.savefig(folder / "curve.png", dpi=80)


if __name__ == "__main__":
    main()
