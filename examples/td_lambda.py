"""Backgammon by TD(lambda) on after-states, as TD-Gammon learned it, in plain torch on a CPU or a GPU.

    python examples/td_lambda.py --out runs/td
    python examples/td_lambda.py --out runs/linear --hidden 0 --turns 2000000     # a linear evaluator, to compare
    ludus match backgammon runs/td/value.npz runs/linear/value.npz --games 1000
    ludus play backgammon --bot runs/td/value.npz

In every game all legal plays of the roll are listed with the positions they lead to. The network gives the chances of
the six results of such a position before the other side rolls, and the play that is best for the mover is made. The
dice explore enough by themselves. Then each position learns from those that followed it, the nearer ones most. Writes
the value function (`value.npz`) and the learning curve (`curve.png`). Needs torch and matplotlib.
"""

from __future__ import annotations

import argparse
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from ludus.envs import batch
from ludus.envs.policy import highest
from ludus.envs.value import Value

HELD_OUT = 1 << 40
"""The seed of evaluation games; training games have smaller ones."""
POINTS = torch.tensor([1.0, 2.0, 3.0, -1.0, -2.0, -3.0])
"""What each result is worth to the side to roll: a win, a gammon, a backgammon; the same lost."""
LENGTH, EPOCHS, MINIBATCH, LAMBDA = 16, 2, 512, 0.7
MOST_TURNS = 1000
"""After which an evaluation ends: two weak players could hold each other up for ever."""
LEARNING_RATE, LAST_LEARNING_RATE = 2e-3, 5e-5


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
    """Logits of the six results. A hidden width of 0 makes it linear in the inputs.

    These say how far the number of men on each place exceeds 0, 1, 2 and 3: a blot is not half a point.
    """

    def __init__(self, hidden: int) -> None:
        super().__init__()
        high = torch.tensor(highest("backgammon"), dtype=torch.float32)
        self.register_buffer("high", high)
        self.register_buffer("level", torch.arange(4.0)[:, None])
        widths = [4 * len(high), hidden, len(POINTS)] if hidden else [4 * len(high), len(POINTS)]
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in pairwise(widths))

    def forward(self, observation: Tensor) -> Tensor:
        x = (observation[:, None] - self.level).relu().flatten(1)
        for layer in self.layers[:-1]:
            x = layer(x).relu()
        return self.layers[-1](x)

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
    def __init__(self, games: int, hidden: int, device: str, seed: int) -> None:
        torch.manual_seed(seed)
        self.device = device
        self.env = batch("backgammon", games, device=device, seed=seed, scoring="points")
        self.network = Network(hidden).to(device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), LEARNING_RATE)
        self.last: list[tuple[Tensor, ...]] = []
        self.scores: list[Score] = []
        self.turns, self.start = 0, time.perf_counter()

    def learn(self, progress: float) -> None:
        """Plays `LENGTH` turns of every game and learns from them."""
        rows = self.last + [self.play_turn() for _ in range(LENGTH)]
        self.last = rows[-1:]
        played = Turns(*map(torch.stack, zip(*rows, strict=True)))
        is_open = ~played.is_over[:-1]
        observation, target = played.observation[:-1][is_open], lambda_returns(played)[is_open]
        for group in self.optimiser.param_groups:
            group["lr"] = LEARNING_RATE * (LAST_LEARNING_RATE / LEARNING_RATE) ** progress
        for _ in range(EPOCHS):
            for some in torch.randperm(len(target), device=self.device).split(MINIBATCH):
                loss = cross_entropy(self.network(observation[some]), target[some])
                self.optimiser.zero_grad()
                loss.backward()
                self.optimiser.step()
        self.turns += LENGTH * self.env.num_envs

    @torch.no_grad()
    def play_turn(self) -> tuple[Tensor, ...]:
        """Makes the best play in every game."""
        found = self.env.afterstates()
        observation = self.tensor(found.observation)
        chances = self.network(observation).softmax(1)
        chosen = found.best(self.worth(found, chances))
        self.env.step_afterstates(chosen)
        row = self.tensor(found.offsets)[:-1] + self.tensor(chosen)
        return observation[row], chances[row], self.tensor(found.reward)[row], self.tensor(found.terminated)[row].bool()

    def worth(self, found, chances: Tensor) -> Tensor:
        """The points that the mover can expect after each play."""
        return self.tensor(found.reward) + self.tensor(found.discount) * (chances @ POINTS.to(self.device))

    def tensor(self, array) -> Tensor:
        return torch.as_tensor(array, device=self.device)

    @torch.no_grad()
    def evaluate(self, games: int) -> None:
        """Plays held-out games against random play; only the first game of each slot counts, 0 if it has no end."""
        env = batch("backgammon", games, device=self.device, seed=HELD_OUT, scoring="points")
        seat = torch.arange(games, device=self.device) % 2
        points = torch.zeros(games, device=self.device)
        for _ in range(MOST_TURNS):
            if (points != 0).all():
                break
            found, is_mine = env.afterstates(), self.tensor(env.to_play) == seat
            chances = self.network(self.tensor(found.observation)).softmax(1)
            best = self.tensor(found.best(self.worth(found, chances)))
            random = (torch.rand(games, device=self.device) * self.tensor(found.counts)).long()
            env.step_afterstates(torch.where(is_mine, best, random))
            points += torch.where(points == 0, self.tensor(env.reward) * torch.where(is_mine, 1, -1), 0)
        wins = float((points > 0).float().mean())
        self.scores.append(Score(self.turns, time.perf_counter() - self.start, wins, float(points.mean()), games))
        print(self.scores[-1], flush=True)


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
    learner = Learner(options.envs, options.hidden, options.device, options.seed)
    every = options.turns // options.evaluations
    while learner.turns < options.turns:
        if learner.turns >= every * len(learner.scores):
            learner.evaluate(options.games)
        learner.learn(learner.turns / options.turns)
    learner.evaluate(10 * options.games)
    learner.network.value().save(options.out / "value.npz")
    plot(learner.scores, options.out / "curve.png")
    print(f"value function and curve are in {options.out}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="backgammon by TD(lambda) on after-states")
    parser.add_argument("--turns", type=int, default=10_000_000, help="turns of both sides (%(default)s)")
    parser.add_argument("--envs", type=int, default=256, help="parallel games (%(default)s)")
    parser.add_argument("--hidden", type=int, default=128, help="hidden units; 0 for a linear evaluator (%(default)s)")
    parser.add_argument("--evaluations", type=int, default=20, help="how often to play against random (%(default)s)")
    parser.add_argument("--games", type=int, default=1000, help="games an evaluation; the last has ten times as many")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/td"), help="output folder (%(default)s)")
    return parser.parse_args()


def plot(scores: list[Score], path: Path) -> None:
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    turns = [score.turns for score in scores]
    axes.plot(turns, [100 * score.wins for score in scores], label="games won against random play, %")
    axes.set(xlabel="turns of both sides", ylabel="games won, %", ylim=(40, 101))
    other = axes.twinx()
    other.plot(turns, [score.points for score in scores], color="tab:orange", label="points a game (right)")
    other.set(ylabel="points a game", ylim=(-0.5, 3))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(alpha=0.3)
    figure.legend(loc="outside upper center", ncols=2)
    figure.savefig(path, dpi=80)


if __name__ == "__main__":
    main()
