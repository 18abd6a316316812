"""PPO by self-play over the batched environment, in one file: checkers or backgammon, on a CPU or a GPU.

    python examples/ppo.py checkers --out runs/ppo-checkers
    python examples/ppo.py backgammon --out runs/ppo-backgammon
    python examples/ppo.py backgammon --device cuda --envs 4096 --steps 50000000
    python examples/ppo.py checkers --out runs/ppo-checkers --plot                  # the curve again, from scores.json

One network plays both sides, always seeing the position from the mover's side. Writes the policy (`policy.npz`), which
plays wherever a bot does, after every evaluation, with a checkpoint (`checkpoint.pt`), from which `--resume` continues
with new games, and the results so far (`scores.json`); at the end the learning curve (`curve.png`). Needs torch, and
matplotlib for the curve.
"""

from __future__ import annotations

import argparse
import json
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ludus.envs import batch
from ludus.envs.policy import Policy, highest

HELD_OUT = 1 << 40
"""The seed of evaluation games; training games have smaller ones."""
LENGTH, EPOCHS, MINIBATCHES = 64, 2, 16
STEPS = {"checkers": 3_000_000, "backgammon": 6_000_000}
LAMBDA, CLIP, VALUE_COEF, MAX_NORM = 0.9, 0.2, 0.5, 0.5


class Score(NamedTuple):
    """An evaluation. `seconds` are of this run and those it continues, evaluations included; so is the CPU time."""

    steps: int
    seconds: float
    cpu_seconds: float
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
        result = f"{100 * self.rate:.1f} ± {100 * self.error:.1f} % wins, {100 * self.draws / self.games:.1f} % draws"
        spent = f"{self.seconds / 60:.1f} minutes ({self.cpu_seconds / 60:.1f} of CPU time)"
        return f"{self.steps:10,} steps, {spent}: {result} in {self.games:,} games"


class Agent(nn.Module):
    """Logits for all actions, and the mover's expected result: -1 a sure loss, 1 a sure win."""

    def __init__(self, game: str, actions: int, width: int = 256) -> None:
        super().__init__()
        self.game, high = game, torch.tensor(highest(game), dtype=torch.float32)
        self.register_buffer("high", high)
        first = [counting_layer(high), nn.ReLU()] if high.ndim == 1 else []  # a vector holds counts, a board bits
        inputs = first[0].out_features if first else high.numel()
        inner = [nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()]
        self.body = nn.Sequential(*first, *inner)
        self.actor, self.critic = nn.Linear(width, actions), nn.Linear(width, 1)

    def forward(self, observation: Tensor) -> tuple[Tensor, Tensor]:
        inner = self.body((observation / self.high).flatten(1))
        return self.actor(inner), self.critic(inner).tanh().squeeze(1)

    def policy(self) -> Policy:
        layers = [part for part in (*self.body, self.actor) if isinstance(part, nn.Linear)]
        pairs = [(layer.weight.detach().cpu().T, layer.bias.detach().cpu()) for layer in layers]
        return Policy.from_layers(self.game, pairs)


def counting_layer(high: Tensor, levels: int = 4) -> nn.Linear:
    """A layer initialised to give how far each count exceeds 0, 1, 2 and 3: a blot is not half a point."""
    layer = nn.Linear(len(high), levels * len(high))
    with torch.no_grad():
        layer.weight.copy_(torch.diag(high).repeat(levels, 1))
        layer.bias.copy_(-torch.arange(levels).repeat_interleave(len(high)))
    return layer


class Games:
    """A batch whose arrays are tensors that share the environment's memory."""

    def __init__(self, game: str, number: int, device: str, seed: int) -> None:
        self.device = device
        self.env: Any = batch(game, number, device=device, seed=seed)
        views = (torch.as_tensor(array, device=device) for array in self.env.reset())
        self.observation, self.mask, self.reward, self.over, _, self.mover = views

    def sample(self, logits: Tensor | None = None, temperature: float = 1) -> tuple[Tensor, Tensor]:
        """Legal actions and their log-probabilities, overwritten by the next call."""
        drawn = self.env.sample(logits, temperature=temperature, log_probs=True, check=self.device == "cpu")
        return torch.as_tensor(drawn.actions, device=self.device), torch.as_tensor(drawn.log_probs, device=self.device)

    def step(self, actions: Tensor) -> None:
        if self.device == "cuda":  # without waiting for the device
            self.env.step(actions, check=False)
        else:
            self.env.step(actions)


class Rollout:
    """`LENGTH` steps of every game; tensors of steps × games."""

    def __init__(self, games: Games) -> None:
        def room(like: Tensor, kind: torch.dtype | None = None) -> Tensor:
            return torch.zeros((LENGTH, *like.shape), dtype=kind or like.dtype, device=like.device)

        self.observation, self.mask, self.mover = room(games.observation), room(games.mask), room(games.mover)
        self.action, self.over = room(games.mover, torch.int64), room(games.mover, torch.bool)
        self.log_prob, self.value, self.reward = (room(games.mover, torch.float32) for _ in range(3))

    @torch.no_grad()
    def play(self, agent: Agent, games: Games) -> tuple[Tensor, Tensor]:
        """Plays on, and returns the movers then and the values of their positions."""
        for t in range(LENGTH):
            self.observation[t], self.mask[t], self.mover[t] = games.observation, games.mask, games.mover
            logits, self.value[t] = agent(games.observation)
            self.action[t], self.log_prob[t] = games.sample(logits)
            games.step(self.action[t])
            self.reward[t], self.over[t] = games.reward, games.over
        if games.device == "cuda":
            games.env.raise_illegal()
        return games.mover, agent(games.observation)[1]

    def advantages(self, mover: Tensor, value: Tensor) -> Tensor:
        """Generalised advantage estimation for two players.

        The next mover's value counts against this one's, unless they are the same player.
        """
        movers, values = torch.cat([self.mover, mover[None]]), torch.cat([self.value, value[None]])
        signs = torch.where(movers[1:] == movers[:-1], 1.0, -1.0).masked_fill(self.over, 0.0)
        deltas = self.reward + signs * values[1:] - values[:-1]
        advantages = torch.zeros_like(values)
        for t in reversed(range(LENGTH)):
            advantages[t] = deltas[t] + LAMBDA * signs[t] * advantages[t + 1]
        return advantages[:-1]


def update(
    agent: Agent, optimiser: torch.optim.Optimizer, rollout: Rollout, advantages: Tensor, entropy: float
) -> None:
    returns = (advantages + rollout.value).flatten()
    advantages = ((advantages - advantages.mean()) / (advantages.std() + 1e-8)).flatten()
    parts = rollout.observation, rollout.mask, rollout.action, rollout.log_prob
    observation, mask, action, log_prob = (part.flatten(0, 1) for part in parts)
    for _ in range(EPOCHS):
        for some in torch.randperm(len(returns), device=returns.device).chunk(MINIBATCHES):
            logits, value = agent(observation[some])
            logs = logits.masked_fill(mask[some] == 0, -1e9).log_softmax(1)
            ratio = (logs.gather(1, action[some, None]).squeeze(1) - log_prob[some]).exp()
            gain = torch.min(ratio * advantages[some], ratio.clamp(1 - CLIP, 1 + CLIP) * advantages[some]).mean()
            value_loss = (value - returns[some]).square().mean()
            spread = -(logs.exp() * logs).sum(1).mean()
            loss = VALUE_COEF * value_loss - gain - entropy * spread
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), MAX_NORM)
            optimiser.step()


@torch.no_grad()
def evaluate(agent: Agent, number: int, device: str) -> tuple[int, int]:
    """Wins and draws of the best actions in held-out games against random play; each slot's first game counts."""
    games, wins, draws = Games(agent.game, number, device, HELD_OUT), 0, 0
    seat = torch.arange(number, device=device) % 2
    is_open = torch.ones(number, dtype=torch.bool, device=device)
    while is_open.any():
        best = games.sample(agent(games.observation)[0], temperature=0)[0].clone()
        is_mine = games.mover == seat
        games.step(torch.where(is_mine, best, games.sample()[0]))
        ended = is_open & games.over.bool()
        wins += int((ended & (games.reward > 0) & is_mine).sum())
        draws += int((ended & (games.reward == 0)).sum())
        is_open &= ~ended
    return wins, draws


class Training:
    """What a checkpoint holds."""

    def __init__(self, options: argparse.Namespace) -> None:
        self.options, self.steps, self.scores = options, 0, list[Score]()
        self.began, self.cpu_began = time.perf_counter(), time.process_time()
        self.start_games()
        self.agent = Agent(options.game, self.games.env.num_actions).to(options.device)
        self.optimiser = torch.optim.Adam(self.agent.parameters(), options.learning_rate)

    def start_games(self) -> None:
        """Starts new games, different from those of earlier steps."""
        options, seed = self.options, self.options.seed + self.steps
        torch.manual_seed(seed)
        self.games = Games(options.game, options.envs, options.device, seed)

    def learn(self) -> None:
        for group in self.optimiser.param_groups:
            group["lr"] = self.options.learning_rate * max(0.02, 1 - self.steps / self.options.steps)
        rollout = Rollout(self.games)
        advantages = rollout.advantages(*rollout.play(self.agent, self.games))
        update(self.agent, self.optimiser, rollout, advantages, self.options.entropy)
        self.steps += advantages.numel()

    def evaluate(self, games: int) -> None:
        wins, draws = evaluate(self.agent, games, self.options.device)
        spent = time.perf_counter() - self.began, time.process_time() - self.cpu_began
        self.scores.append(Score(self.steps, *spent, wins, draws, games))
        print(self.scores[-1], flush=True)
        self.save(self.options.out)

    def save(self, folder: Path) -> None:
        parts = {"agent": self.agent.state_dict(), "optimiser": self.optimiser.state_dict()}
        torch.save(parts | {"steps": self.steps, "scores": [*map(tuple, self.scores)]}, folder / "checkpoint.pt")
        self.agent.policy().save(folder / "policy.npz")
        rows = [score._asdict() for score in self.scores]
        (folder / "scores.json").write_text(json.dumps(rows, indent=1), encoding="utf-8")

    def load(self, path: Path) -> None:
        parts = torch.load(path, map_location=self.options.device, weights_only=True)
        self.agent.load_state_dict(parts["agent"])
        self.optimiser.load_state_dict(parts["optimiser"])
        self.steps, self.scores = parts["steps"], [Score(*score) for score in parts["scores"]]
        self.began -= self.scores[-1].seconds
        self.cpu_began -= self.scores[-1].cpu_seconds
        self.start_games()


def main() -> None:
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    if not options.plot:
        train(options)
    if find_spec("matplotlib"):
        plot(options.game, options.out)
    else:
        again = f"{options.game} --plot --out {options.out}"
        print(f"matplotlib is missing; with it, `{again}` draws the curve from scores.json")
    print(f"the results are in {options.out}")


def train(options: argparse.Namespace) -> None:
    training = Training(options)
    if options.resume:
        training.load(options.out / "checkpoint.pt")
    else:
        training.evaluate(options.games)
    while training.steps < options.steps:
        training.learn()
        if options.every * len(training.scores) <= training.steps < options.steps:
            training.evaluate(options.games)
    training.evaluate(5 * options.games)


def read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="PPO by self-play")
    parser.add_argument("game", choices=STEPS)
    parser.add_argument("--steps", type=int, help="actions of both sides (3 million in checkers, 6 in backgammon)")
    parser.add_argument("--every", type=int, default=250_000, help="steps between evaluations (%(default)s)")
    parser.add_argument("--games", type=int, default=1000, help="games per evaluation; the last has five times as many")
    parser.add_argument("--envs", type=int, default=128, help="parallel games (%(default)s)")
    parser.add_argument("--learning-rate", type=float, default=1e-3, help="falls to a fiftieth (%(default)s)")
    parser.add_argument("--entropy", type=float, default=0.02, help="the weight of the policy's entropy (%(default)s)")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--resume", action="store_true", help="continue from the checkpoint in the output folder")
    parser.add_argument("--out", type=Path, default=Path("runs/ppo"), help="output folder (%(default)s)")
    parser.add_argument("--plot", action="store_true", help="only draw the curve of scores.json")
    options = parser.parse_args()
    options.steps = options.steps or STEPS[options.game]
    return options


def plot(game: str, folder: Path) -> None:
    from matplotlib.figure import Figure

    scores = [Score(**row) for row in json.loads((folder / "scores.json").read_text(encoding="utf-8"))]
    names = "steps", "rate", "error"
    steps, rates, errors = (torch.tensor([getattr(score, name) for score in scores]) for name in names)
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    axes.fill_between(steps, 100 * (rates - errors), 100 * (rates + errors), alpha=0.25)
    axes.plot(steps, 100 * rates, label="self-play, with its standard error")
    axes.axhline(98, color="grey", linestyle=":", label="98 %")
    axes.set(xlabel="steps of both sides", ylabel=f"{game} games won against random, %", ylim=(40, 101))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.set_title(f"python examples/ppo.py {game}, {scores[-1].steps:,} steps", fontsize=9, family="monospace")
    axes.grid(alpha=0.3)
    axes.legend(loc="lower right")
    figure.savefig(folder / "curve.png", dpi=100)


if __name__ == "__main__":
    main()
