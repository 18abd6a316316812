"""Backgammon by self-play in plain torch, over the batched environment on a CPU or a GPU.

    python examples/selfplay_torch.py --out runs/backgammon
    python examples/selfplay_torch.py --out runs/backgammon --steps 20000000 --resume
    python examples/selfplay_torch.py --out runs/backgammon --device cuda --envs 4096

One network plays both sides, always seeing the position from the mover's side, and learns by PPO. Writes the policy
(`policy.npz`), the learning curve (`curve.png`) and, at every evaluation, a checkpoint (`checkpoint.pt`), from which
`--resume` continues with new games. Needs torch and matplotlib.
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

HELD_OUT = 1 << 40
"""The seed of evaluation games; training games have smaller ones."""
LENGTH, EPOCHS, MINIBATCHES = 64, 2, 16
LEARNING_RATE, LAMBDA, CLIP, VALUE_COEF, ENTROPY_COEF, MAX_NORM = 1e-3, 0.9, 0.2, 0.5, 0.02, 0.5


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
    """A distribution over the legal actions, and the mover's expected result: -1 a sure loss, 1 a sure win."""

    def __init__(self, width: int = 256) -> None:
        super().__init__()
        high = torch.tensor(highest("backgammon"), dtype=torch.float32)
        self.register_buffer("high", high)
        first = counting_layer(high)
        inner = nn.Linear(first.out_features, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        self.body = nn.Sequential(first, nn.ReLU(), *inner)
        self.logits, self.value = nn.Linear(width, 156), nn.Linear(width, 1)

    def forward(self, observation: Tensor, mask: Tensor) -> tuple[Categorical, Tensor]:
        inner = self.body(observation / self.high)
        logits = self.logits(inner).masked_fill(mask == 0, -1e9)
        return Categorical(logits=logits, validate_args=False), self.value(inner).tanh().squeeze(1)

    def policy(self) -> Policy:
        layers = [*self.body[::2], self.logits]
        return Policy.from_layers(
            "backgammon", [(part.weight.detach().cpu().T, part.bias.detach().cpu()) for part in layers]
        )


def counting_layer(high: Tensor, levels: int = 4) -> nn.Linear:
    """A layer initialised to give how far each count exceeds 0, 1, 2 and 3: a blot is not half a point."""
    layer = nn.Linear(len(high), levels * len(high))
    with torch.no_grad():
        layer.weight.copy_(torch.diag(high).repeat(levels, 1))
        layer.bias.copy_(-torch.arange(levels).repeat_interleave(len(high)))
    return layer


class TensorBatch:
    """A batch of games as tensors that share the environment's memory."""

    def __init__(self, games: int, device: str, seed: int) -> None:
        self._batch = batch("backgammon", games, device=device, seed=seed)
        views = (torch.as_tensor(array, device=device) for array in self._batch.reset())
        self.observation, self.mask, self.reward, self.over, _, self.mover = views

    def step(self, actions: Tensor) -> None:
        self._batch.step(actions)


class Trajectory(NamedTuple):
    """Tensors of steps × games."""

    observation: Tensor
    mask: Tensor
    mover: Tensor
    action: Tensor
    log_prob: Tensor
    value: Tensor
    reward: Tensor
    over: Tensor


class Learner:
    def __init__(self, device: str, games: int, seed: int) -> None:
        self.device, self.games, self.seed = device, games, seed
        self.scores: list[Score] = []
        self.steps, self.start = 0, time.perf_counter()
        self.start_games()
        self.network = Network().to(device)
        self.optimiser = torch.optim.Adam(self.network.parameters(), LEARNING_RATE)

    @property
    def seconds(self) -> float:
        """Time spent so far, evaluations included."""
        return time.perf_counter() - self.start

    def start_games(self) -> None:
        """Starts new games, different from those of earlier steps."""
        torch.manual_seed(self.seed + self.steps)
        self.batch = TensorBatch(self.games, self.device, self.seed + self.steps)

    def learn(self) -> None:
        """Plays `LENGTH` steps of every game and learns from them."""
        played = self.play()
        advantages = estimate_advantages(played, *self.bootstrap())
        returns = advantages + played.value
        advantages = (advantages - advantages.mean()) / advantages.std()
        rows = [
            part.flatten(0, 1)
            for part in (played.observation, played.mask, played.action, played.log_prob, advantages, returns)
        ]
        for _ in range(EPOCHS):
            for some in torch.randperm(advantages.numel(), device=self.device).chunk(MINIBATCHES):
                self.update(*(part[some] for part in rows))
        self.steps += advantages.numel()

    @torch.no_grad()
    def play(self) -> Trajectory:
        batch, rows = self.batch, []
        for _ in range(LENGTH):
            policy, value = self.network(batch.observation, batch.mask)
            action = policy.sample()
            before = batch.observation.clone(), batch.mask.clone(), batch.mover.clone()
            batch.step(action)
            after = batch.reward.float(), batch.over.clone().bool()
            rows.append((*before, action, policy.log_prob(action), value, *after))
        return Trajectory(*map(torch.stack, zip(*rows, strict=True)))

    @torch.no_grad()
    def bootstrap(self) -> tuple[Tensor, Tensor]:
        """The players to move now, and the values of their positions."""
        return self.batch.mover, self.network(self.batch.observation, self.batch.mask)[1]

    def update(
        self, observation: Tensor, mask: Tensor, action: Tensor, log_prob: Tensor, advantage: Tensor, target: Tensor
    ) -> None:
        policy, value = self.network(observation, mask)
        ratio = (policy.log_prob(action) - log_prob).exp()
        objective = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
        loss = VALUE_COEF * (value - target).square().mean() - objective - ENTROPY_COEF * policy.entropy().mean()
        self.optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.network.parameters(), MAX_NORM)
        self.optimiser.step()

    @torch.no_grad()
    def evaluate(self, games: int) -> None:
        """Plays held-out games against random play; only the first game of each slot counts."""
        batch, wins = TensorBatch(games, self.device, HELD_OUT), 0
        seat = torch.arange(games, device=self.device) % 2
        is_open = torch.ones(games, dtype=torch.bool, device=self.device)
        while is_open.any():
            best = self.network(batch.observation, batch.mask)[0].logits.argmax(1)
            random = torch.multinomial(batch.mask.float(), 1).squeeze(1)
            is_mine = batch.mover == seat
            batch.step(torch.where(is_mine, best, random))
            wins += int((is_open & batch.over.bool() & is_mine).sum())
            is_open &= ~batch.over.bool()
        self.scores.append(Score(self.steps, self.seconds, wins, games))
        print(self.scores[-1], flush=True)

    def save(self, path: Path) -> None:
        parts = {"network": self.network.state_dict(), "optimiser": self.optimiser.state_dict()}
        torch.save(parts | {"steps": self.steps, "seconds": self.seconds, "scores": [*map(tuple, self.scores)]}, path)

    def load(self, path: Path) -> None:
        parts = torch.load(path, map_location=self.device, weights_only=True)
        self.network.load_state_dict(parts["network"])
        self.optimiser.load_state_dict(parts["optimiser"])
        self.steps, self.start = parts["steps"], time.perf_counter() - parts["seconds"]
        self.scores = [Score(*score) for score in parts["scores"]]
        self.start_games()


def estimate_advantages(played: Trajectory, mover: Tensor, value: Tensor) -> Tensor:
    """Generalised advantage estimation for two players.

    The next mover's value counts against this one's, unless they are the same player.
    """
    movers, values = torch.cat([played.mover, mover[None]]), torch.cat([played.value, value[None]])
    signs = torch.where(movers[1:] == movers[:-1], 1.0, -1.0).masked_fill(played.over, 0.0)
    deltas = played.reward + signs * values[1:] - values[:-1]
    advantages = torch.zeros_like(values)
    for t in reversed(range(len(signs))):
        advantages[t] = deltas[t] + LAMBDA * signs[t] * advantages[t + 1]
    return advantages[:-1]


def main() -> None:
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    checkpoint = options.out / "checkpoint.pt"
    learner = Learner(options.device, options.envs, options.seed)
    if options.resume:
        learner.load(checkpoint)
    else:
        learner.evaluate(options.games)
    while learner.steps < options.steps:
        learner.learn()
        if options.every * len(learner.scores) <= learner.steps < options.steps:
            learner.evaluate(options.games)
            learner.save(checkpoint)
    learner.evaluate(5 * options.games)
    learner.save(checkpoint)
    learner.network.policy().save(options.out / "policy.npz")
    title = f"python examples/selfplay_torch.py --steps {options.steps} ({learner.seconds / 60:.1f} minutes)"
    plot(learner.scores, title, options.out / "curve.png")
    print(f"policy, curve and checkpoint are in {options.out}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="backgammon by self-play")
    parser.add_argument("--steps", type=int, default=6_000_000, help="actions of both sides (%(default)s)")
    parser.add_argument("--every", type=int, default=250_000, help="steps between evaluations (%(default)s)")
    parser.add_argument("--games", type=int, default=1000, help="games per evaluation; the last has five times as many")
    parser.add_argument("--envs", type=int, default=128, help="parallel games (%(default)s)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint in the output folder")
    parser.add_argument("--out", type=Path, default=Path("runs/backgammon"), help="output folder (%(default)s)")
    return parser.parse_args()


def plot(scores: list[Score], title: str, path: Path) -> None:
    steps, rates, errors = (
        torch.tensor([getattr(score, name) for score in scores]) for name in ("steps", "rate", "error")
    )
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(steps, 100 * (rates - errors), 100 * (rates + errors), alpha=0.25)
    axes.plot(steps, 100 * rates, label="self-play, with its standard error")
    axes.axhline(50, color="grey", linestyle=":", label="random play")
    axes.set(xlabel="steps of both sides", ylabel="backgammon games won against random, %", ylim=(0, 101))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_title(title, fontsize=9, family="monospace")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
