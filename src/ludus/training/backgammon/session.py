"""One sitting of a training: learns until it is done or the time is over, and keeps the folder up to date."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import torch

from ludus.core.errors import BadInput
from ludus.engines.backgammon.network.weights import load_arrays
from ludus.training.backgammon.learner import FURTHER_PLAN, SMALL_PLAN, Learner, Plan
from ludus.training.backgammon.machine import Machine, machine
from ludus.training.clock import Clock, Look
from ludus.training.curve import Line, draw
from ludus.training.sitting import kept, timed

CHECKPOINT, WEIGHTS, CURVE = "checkpoint.pt", "network.npz", "curve.png"


class Wish(NamedTuple):
    """What a new training shall have that its plan has not; `start` is the file of a network to go on from."""

    seed: int = 1
    generations: int | None = None
    start: Path | None = None
    width: int | None = None
    rate: float | None = None


def open_learner(out: Path, device: str, wish: Wish, *, resume: bool) -> Learner:
    """A new training, or the one in the folder, which keeps the plan it began with but for its length."""
    torch.set_float32_matmul_precision("high")
    out.mkdir(parents=True, exist_ok=True)
    place, checkpoint = machine(device), out / CHECKPOINT
    if resume:
        if not checkpoint.is_file():
            raise BadInput(f"there is no {CHECKPOINT} in {out} to go on from")
        return Learner.load(checkpoint, place, wish.generations)
    if checkpoint.exists():
        raise BadInput(f"{out} has a training already: --resume goes on with it, another --out begins anew")
    return begin(wish, place)


def begin(wish: Wish, place: Machine) -> Learner:
    parts = load_arrays(wish.start) if wish.start else None
    plan = plan_for(wish, place.device)
    if parts:
        wide, narrow = parts["weight_1"].shape[1:]
        plan = plan._replace(hidden=wish.width or wide, narrow=narrow)
    learner = Learner(plan, place)
    if parts:
        learner.begin_with(parts)
    return learner


def plan_for(wish: Wish, device: str) -> Plan:
    """What suits the device, as it is wished."""
    plan = SMALL_PLAN if device == "cpu" else FURTHER_PLAN if wish.start else Plan()
    return plan._replace(
        seed=wish.seed,
        generations=wish.generations or plan.generations,
        hidden=wish.width or plan.hidden,
        rate=wish.rate or plan.rate,
    )


def train(
    learner: Learner,
    out: Path,
    seconds: float,
    every: int,
    tell: Callable[[Learner], None],
    say: Callable[[str], None],
    now: Callable[[], float] = time.monotonic,
) -> None:
    """Learns for about so long; every so many generations it is measured and saved. `tell` follows all that is played.

    What was learned is kept on Ctrl-C too. Whatever was learned is measured, shortly when the time is over.
    """
    before, clock = learner.generation, Clock(seconds, now)

    def look() -> None:
        tell(learner)
        clock.look()

    with kept(learner, lambda: keep(learner, out), say):
        with timed(learner, say):
            learn_on(learner, out, every, look, tell, say)
        if learner.generation > before and (not learner.scores or learner.scores[-1].generation < learner.generation):
            say(str(learner.score(look)))


def learn_on(
    learner: Learner, out: Path, every: int, look: Look, tell: Callable[[Learner], None], say: Callable[[str], None]
) -> None:
    if learner.missing and not learner.is_done:
        say(f"playing {learner.missing} generations of games to learn from, since the ones before were not kept")
    while not learner.is_done:
        learner.learn(look)
        tell(learner)
        if is_due(learner.generation, every) and not learner.is_done:
            say(str(learner.score(look)))
            keep(learner, out)


def is_due(generation: int, every: int) -> bool:
    """More often at first: after 1, 2, 4, 8 generations and so on."""
    return generation % every == 0 or (generation < every and generation & generation - 1 == 0)


def keep(learner: Learner, out: Path) -> None:
    """Checkpoint and weights, and the curve once there is one."""
    learner.save(out / CHECKPOINT)
    learner.export(out / WEIGHTS)
    if not learner.scores:
        return
    minutes = [score.seconds / 60 for score in learner.scores]
    against = {name: [getattr(score, name).points for score in learner.scores] for name in ("linear", "random")}
    lines = [Line(f"against {name}", list(zip(minutes, points, strict=True))) for name, points in against.items()]
    lines.append(Line("surprise", list(zip(minutes, [score.surprise for score in learner.scores], strict=True))))
    title = f"ludus train backgammon: {learner.generation} generations, {learner.positions:,} positions"
    draw(out / CURVE, title, "minutes", "points a game", lines)
