"""Backgammon by self-play in plain torch, over the batched environment on a CPU or a GPU.

    python examples/selfplay_torch.py --out runs/backgammon
    python examples/selfplay_torch.py --out runs/backgammon --steps 6000000 --resume
    python examples/selfplay_torch.py --out runs/backgammon --device cuda --envs 16384

One network plays both sides from the mover's point of view and learns by PPO. The folder gets the policy
(`policy.npz`), the curve (`curve.png`) and, at each examination, `checkpoint.pt`, from which `--resume` goes on with
new games. Needs torch and matplotlib.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import NamedTuple

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.distributions import Categorical

from ludus.envs import batch
from ludus.envs.policy import Policy, highest

HELD_OUT = 1_000_000
"""Games to learn from have smaller seeds than games to be judged by."""
LENGTH, EPOCHS, MINIBATCHES = 64, 2, 8
RATE, TRACE, CLIP, ENTROPY = 1e-3, 0.9, 0.2, 0.003


class Score(NamedTuple):
    steps: int
    seconds: float
    wins: int
    games: int

    @property
    def rate(self) -> float:
        return self.wins / self.games

    @property
    def error(self) -> float:
        """The standard error of the rate."""
        return float((self.rate * (1 - self.rate) / self.games) ** 0.5)

    def __str__(self) -> str:
        wins = f"{100 * self.rate:.1f} ± {100 * self.error:.1f} % wins in {self.games:,} games"
        return f"{self.steps:10,} steps, {self.seconds / 60:4.1f} minutes: {wins}"


class Network(nn.Module):
    """Logits of the actions, and what the mover may hope for: -1 a sure loss, 1 a sure win."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        most = torch.tensor(highest("backgammon"), dtype=torch.float32)
        self.register_buffer("most", most)
        self.body = nn.Sequential(nn.Linear(len(most), width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.logits, self.value = nn.Linear(width, 156), nn.Linear(width, 1)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        inner = self.body(observation / self.most)
        logits = self.logits(inner).masked_fill(mask == 0, -1e9)
        return Categorical(logits=logits, validate_args=False), self.value(inner).tanh().squeeze(1)

    def policy(self) -> Policy:
        layers = [*self.body[::2], self.logits]
        return Policy.from_layers("backgammon", [(part.weight.detach().T.cpu(), part.bias.detach().cpu()) for part in layers])


class Table:
    """A batch of games whose arrays are tensors, made once: they share the environment's memory."""

    def __init__(self, games: int, device: str, seed: int) -> None:
        self._batch = batch("backgammon", games, device=device, seed=seed)
        views = (torch.as_tensor(array, device=device) for array in self._batch.reset())
        self.observation, self.mask, self.reward, self.over, _, self.mover = views

    def step(self, actions: Tensor) -> None:
        self._batch.step(actions)


class Turns(NamedTuple):
    """What was played, a row for each step: tensors of steps × games."""

    observation: Tensor
    mask: Tensor
    mover: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    reward: Tensor
    over: Tensor


class Learner:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.steps, self.seconds = options, 0, 0.0
        self.scores: list[Score] = []
        torch.manual_seed(options.seed)
        self.network = Network().to(options.device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), RATE)
        if options.resume:
            self.load()
        self.table = Table(options.envs, options.device, options.seed + self.steps % HELD_OUT)
