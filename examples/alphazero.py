"""Checkers by AlphaZero: a network and a batched Gumbel tree search improve each other in games against themselves.

    python examples/alphazero.py --out runs/alphazero
    python examples/alphazero.py --out runs/alphazero --steps 4000000 --simulations 64

Each step searches all games at once; the network learns the search's policy and values. Writes the network with its
search as a policy file (`policy.npz`) and the learning curve (`curve.png`). Needs torch and matplotlib.
"""

from __future__ import annotations

import argparse
import time
from collections import deque
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from ludus.envs import batch
from ludus.envs.mcts import MCTS
from ludus.envs.policy import Policy, highest

Array = np.ndarray

GAME = "checkers"
LENGTH, BUFFER, MINIBATCH, UPDATES = 32, 24, 1024, 32
LEARNING_RATE, WEIGHT_DECAY, LAMBDA = 1e-3, 1e-4, 0.9
HELD_OUT = 1 << 40
"""The seed of evaluation games; training games have smaller ones."""


class Network(nn.Module):
    """Logits of the actions, and the mover's expected result: -1 a sure loss, 1 a sure win."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        self.register_buffer("high", torch.tensor(highest(GAME), dtype=torch.float32).flatten())
        layers = nn.Linear(len(self.high), width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        self.body = nn.Sequential(*layers)
        self.logits, self.value = nn.Linear(width, 256), nn.Linear(width, 1)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        inner = self.body(observation.flatten(1) / self.high)
        return self.logits(inner), self.value(inner).tanh().squeeze(1)

    def policy(self, simulations: int) -> Policy:
        def arrays(layer: nn.Linear) -> tuple[Tensor, Tensor]:
            return layer.weight.detach().cpu().T, layer.bias.detach().cpu()

        layers = [arrays(layer) for layer in (*self.body[::2], self.logits)]
        return Policy.from_layers(GAME, layers, value=arrays(self.value), simulations=simulations)


class Trajectory(NamedTuple):
    """Rows of steps × games: what was seen, and what the search made of it."""

    observation: Tensor
    mask: Tensor
    policy: Tensor
    target: Tensor


class Score(NamedTuple):
    steps: int
    seconds: float
    """CPU time spent so far, evaluations included: twice the time on two idle cores."""
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
        return f"{self.steps:10,} steps, {self.seconds / 60:4.1f} CPU minutes: {wins} in {self.games:,} games"


class Learner:
    def __init__(self, games: int, simulations: int, device: str, seed: int) -> None:
        torch.manual_seed(seed)
        self.device = device
        self.network = Network().to(device)
        self.optimiser = torch.optim.AdamW(self.network.parameters(), LEARNING_RATE, weight_decay=WEIGHT_DECAY)
        self.env = batch(GAME, games, seed=seed)
        self.search = MCTS(GAME, self.evaluate, simulations=simulations, seed=seed)
        self.buffer: deque[Trajectory] = deque(maxlen=BUFFER)
        self.steps = 0

    @torch.no_grad()
    def evaluate(self, observation: Array, mask: Array) -> tuple[Tensor, Tensor]:
        """What the search asks for its leaves."""
        return self.network(torch.as_tensor(observation, device=self.device))

    def play(self) -> None:
        """Steps every game by what its search finds, and adds the steps to the buffer."""
        env, rows = self.env, []
        for _ in range(LENGTH):
            seen, mask, mover = env.observation.copy(), env.action_mask.copy(), env.to_play.copy()
            found = self.search(env)
            env.step(found.action)
            rows.append((seen, mask, found.policy, found.value, mover, env.reward.copy(), env.terminated.copy()))
        seen, mask, policy, value, mover, reward, over = map(np.stack, zip(*rows, strict=True))
        target = returns(value, mover, reward, over, self.search(env).value, env.to_play)
        parts = (seen, mask, policy, target.astype(np.float32))
        self.buffer.append(Trajectory(*(torch.from_numpy(part).flatten(0, 1) for part in parts)))
        self.steps += target.size

    def learn(self) -> None:
        parts = [torch.cat(part) for part in zip(*self.buffer, strict=True)]
        for _ in range(UPDATES):
            some = torch.randint(len(parts[0]), (MINIBATCH,))
            self.update(*(part[some].to(self.device) for part in parts))

    def update(self, observation: Tensor, mask: Tensor, policy: Tensor, target: Tensor) -> None:
        logits, value = self.network(observation)
        log_policy = logits.masked_fill(mask == 0, -1e9).log_softmax(1)
        loss = (value - target).square().mean() - (policy * log_policy).sum(1).mean()
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
            logits = self.network(torch.as_tensor(env.observation, device=self.device))[0].cpu().numpy()
            is_mine, legal = env.to_play == seat, env.action_mask != 0
            preference = np.where(is_mine[:, None], logits, rng.random(logits.shape))
            env.step(np.where(legal, preference, -np.inf).argmax(1))
            ended = is_open & env.terminated
            wins += np.count_nonzero(ended & is_mine & (env.reward > 0))
            draws += np.count_nonzero(ended & (env.reward == 0))
            is_open &= ~env.terminated
        return Score(self.steps, time.process_time(), wins, draws, games)


def returns(value: Array, mover: Array, reward: Array, over: Array, last_value: Array, last_mover: Array) -> Array:
    """Lambda returns for two players: the next mover's value counts against this one's, unless they are the same."""
    target, following = np.zeros_like(value), last_value
    values, movers = np.append(value, last_value[None], 0), np.append(mover, last_mover[None], 0)
    for t in reversed(range(len(value))):
        ahead = (1 - LAMBDA) * values[t + 1] + LAMBDA * following
        ahead = np.where(movers[t + 1] == movers[t], ahead, -ahead)
        target[t] = following = np.where(over[t], reward[t], ahead)
    return target


def main() -> None:
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    learner = Learner(options.envs, options.simulations, options.device, options.seed)
    scores = [learner.score(options.games)]
    print(scores[-1], flush=True)
    while learner.steps < options.steps:
        learner.play()
        learner.learn()
        if options.every * len(scores) <= learner.steps < options.steps:
            scores.append(learner.score(options.games))
            print(scores[-1], flush=True)
    scores.append(learner.score(5 * options.games))
    print(scores[-1])
    learner.network.policy(options.simulations).save(options.out / "policy.npz")
    title = f"python examples/alphazero.py --steps {options.steps} ({scores[-1].seconds / 60:.1f} CPU minutes)"
    plot(scores, title, options.out / "curve.png")
    print(f"policy and curve are in {options.out}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="checkers by AlphaZero")
    parser.add_argument("--steps", type=int, default=400_000, help="actions of both sides (%(default)s)")
    parser.add_argument("--every", type=int, default=40_000, help="steps between evaluations (%(default)s)")
    parser.add_argument("--simulations", type=int, default=32, help="simulations of a search (%(default)s)")
    parser.add_argument("--envs", type=int, default=256, help="parallel games (%(default)s)")
    parser.add_argument("--games", type=int, default=400, help="games per evaluation; the last has five times as many")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu", help="where the network runs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/alphazero"), help="output folder (%(default)s)")
    return parser.parse_args()


def plot(scores: list[Score], title: str, path: Path) -> None:
    steps, rates, errors = (np.array([getattr(score, name) for score in scores]) for name in ("steps", "rate", "error"))
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(steps, 100 * (rates - errors), 100 * (rates + errors), alpha=0.25)
    axes.plot(steps, 100 * rates, label="the network without search, with its standard error")
    axes.set(xlabel="steps of both sides", ylabel="checkers games won against random, %", ylim=(0, 101))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_title(title, fontsize=9, family="monospace")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
