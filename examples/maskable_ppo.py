"""MaskablePPO from sb3-contrib learns checkers against a random opponent.

    python examples/maskable_ppo.py --out runs/checkers

Writes the model (`model.zip`), the same network as a Ludus policy (`policy.npz`) and the learning curve (`curve.png`).
Needs sb3-contrib and matplotlib.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
import torch
from matplotlib.figure import Figure
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor

from ludus.envs import batch
from ludus.envs.policy import Policy

ENV = "ludus/Checkers-v0"
HELD_OUT = 1 << 40
"""The first seed of evaluation games; training games have smaller ones."""


class Score(NamedTuple):
    steps: int
    wins: int
    draws: int
    games: int

    @property
    def rate(self) -> float:
        return self.wins / self.games

    @property
    def error(self) -> float:
        """The standard error of the rate."""
        return float(np.sqrt(self.rate * (1 - self.rate) / self.games))

    def __str__(self) -> str:
        wins = f"{100 * self.rate:.1f} ± {100 * self.error:.1f} % wins"
        return f"{self.steps:9,} steps: {wins}, {100 * self.draws / self.games:.1f} % draws in {self.games:,} games"


class Scaled(BaseFeaturesExtractor):
    """Flattens the planes and divides each entry by its maximum, as policy files expect their inputs."""

    def __init__(self, space: gymnasium.spaces.Box) -> None:
        super().__init__(space, int(np.prod(space.shape)))
        self.register_buffer("highest", torch.as_tensor(space.high, dtype=torch.float32))

    def forward(self, observation: torch.Tensor) -> torch.Tensor:
        return (observation / self.highest).flatten(1)


class EvalCallback(BaseCallback):
    """Evaluates against random play every so many steps, and keeps the scores."""

    def __init__(self, every: int, games: int) -> None:
        super().__init__()
        self.every, self.games = every, games
        self.scores: list[Score] = []

    def _on_step(self) -> bool:
        return True

    def _on_rollout_start(self) -> None:
        if self.num_timesteps >= self.every * len(self.scores):
            self.evaluate(self.games)

    def evaluate(self, games: int) -> None:
        self.scores.append(play(self.model, self.num_timesteps, games))
        print(self.scores[-1], flush=True)


def main() -> None:
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    model, evaluation = make_model(options.seed), EvalCallback(options.every, options.games)
    model.learn(options.steps, callback=evaluation)
    minutes = (time.perf_counter() - start) / 60
    evaluation.evaluate(5 * options.games)
    model.save(options.out / "model.zip")
    export(model).save(options.out / "policy.npz")
    title = f"python examples/maskable_ppo.py --steps {options.steps} ({minutes:.1f} minutes)"
    plot(evaluation.scores, random_rate(), title, options.out / "curve.png")
    print(f"{minutes:.1f} minutes; model, policy and curve are in {options.out}")


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="MaskablePPO learns checkers against random play")
    parser.add_argument("--steps", type=int, default=1_000_000, help="the learner's actions (%(default)s)")
    parser.add_argument("--every", type=int, default=50_000, help="steps between evaluations (%(default)s)")
    parser.add_argument("--games", type=int, default=400, help="games per evaluation; the last has five times as many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=Path("runs/checkers"), help="output folder (%(default)s)")
    return parser.parse_args()


def make_model(seed: int) -> MaskablePPO:
    games = make_vec_env(ENV, 64, seed=seed, env_kwargs={"side": "random", "disable_env_checker": True})
    network = {"net_arch": [256, 256], "activation_fn": torch.nn.ReLU, "features_extractor_class": Scaled}
    return MaskablePPO(
        "MlpPolicy",
        games,
        n_steps=128,
        batch_size=1024,
        n_epochs=4,
        learning_rate=5e-4,
        gamma=0.99,
        ent_coef=0.01,
        policy_kwargs=network,
        seed=seed,
        device="cpu",
    )


def play(model: MaskablePPO, steps: int, games: int) -> Score:
    """Evaluates on held-out games against random play, half of them on each side."""
    results = np.concatenate([play_side(model, side, games // 2) for side in ("first", "second")])
    return Score(steps, int((results > 0).sum()), int((results == 0).sum()), len(results))


def play_side(model: MaskablePPO, side: str, games: int) -> Any:
    """The reward of the first game in each slot; games that end are reset, but later ones don't count."""
    env = gymnasium.make_vec(ENV, games, side=side)
    observation, info = env.reset(seed=HELD_OUT)
    results, is_open = np.zeros(games), np.ones(games, bool)
    while is_open.any():
        actions, _ = model.predict(observation, action_masks=info["action_mask"], deterministic=True)
        observation, rewards, terminated, _, info = env.step(actions)
        results[is_open & terminated] = rewards[is_open & terminated]
        is_open &= ~terminated
    return results


def random_rate() -> float:
    """How often a side wins when both play at random."""
    totals = batch("checkers", 4096, seed=HELD_OUT).rollout(steps=500)
    return (totals.first_wins + totals.second_wins) / totals.games / 2


def export(model: MaskablePPO) -> Policy:
    layers = [*model.policy.mlp_extractor.policy_net, model.policy.action_net]
    pairs = [(part.weight.detach().T, part.bias.detach()) for part in layers if isinstance(part, torch.nn.Linear)]
    return Policy.from_layers("checkers", pairs)


def plot(scores: list[Score], random: float, title: str, path: Path) -> None:
    steps, rates, errors = (np.array([getattr(score, name) for score in scores]) for name in ("steps", "rate", "error"))
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(steps, 100 * (rates - errors), 100 * (rates + errors), alpha=0.25)
    axes.plot(steps, 100 * rates, label="MaskablePPO, with its standard error")
    axes.axhline(100 * random, color="grey", linestyle=":", label="random play")
    axes.set(xlabel="learner steps", ylabel="checkers games won against random, %", ylim=(0, 101))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_title(title, fontsize=9, family="monospace")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(path, dpi=100)


if __name__ == "__main__":
    main()
