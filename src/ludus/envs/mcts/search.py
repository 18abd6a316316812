"""Monte Carlo tree search over many games at once: compiled trees on all cores, one call of the evaluator per round."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.cores import cores
from ludus.core.errors import BadInput, UnknownOption
from ludus.core.kernel import compiled
from ludus.envs.batched import streams
from ludus.envs.batched.cpu import Workers
from ludus.envs.batched.environment import SCORINGS, Batch
from ludus.envs.batched.states import StateFormat
from ludus.envs.encoding import find_encoding
from ludus.envs.mcts import simulation
from ludus.envs.mcts.arrays import Settings
from ludus.envs.mcts.shard import Shard
from ludus.envs.options import check_choice, check_integer, check_seed
from ludus.envs.sampling.arrays import is_real, on_host
from ludus.games import GAMES

Array = NDArray[Any]
Evaluator = Callable[[Array, Array], tuple[Any, Any]]
"""Maps observations and action masks to logits and values, the latter for the players to move."""

METHODS = ("gumbel", "puct")
MOST_SIMULATIONS = 1 << 20
FORCED_PER_SIMULATION = 2
"""Positions with a single legal action that a search passes without evaluating them, on average at most."""
MIN_SHARD = 64
"""Another thread doesn't pay for fewer games than this."""


class Found(NamedTuple):
    """What a search found, a row per game; values are for the player to move."""

    action: NDArray[np.int64]
    """The best action; -1 in a game that is over."""
    policy: NDArray[np.float32]
    """What a network should learn: the improved policy or, with `puct`, the shares of the visits."""
    visits: NDArray[np.int32]
    value: NDArray[np.float64]
    is_exact: NDArray[np.bool_]
    """Whether the value is proven."""


class MCTS:
    """A search of a game's batches or states; call it with either.

    The games stay as they are, and the search does not see their dice to come. An object searches one batch at a time.
    """

    def __init__(
        self,
        game: str,
        evaluate: Evaluator | None = None,
        *,
        simulations: int = 64,
        method: str = "gumbel",
        leaves: int = 1,
        considered: int = 16,
        gumbel_scale: float = 1.0,
        visit_offset: float = 50.0,
        value_scale: float = 1.0,
        exploration: float = 1.25,
        noise: float = 0.0,
        noise_fraction: float = 0.25,
        scoring: str = "win",
        seed: int | None = 0,
        threads: int | None = None,
    ) -> None:
        """`evaluate` gets rows of observations and masks; without it, each leaf is played out at random.

        `leaves` simulations of a game are evaluated together. In a Gumbel search, `considered` actions of the root
        compete with `gumbel_scale` times the noise added to their logits (0 for the best action instead of an exploring
        one), and `visit_offset` and `value_scale` say how much values weigh beside logits. In a PUCT search,
        `exploration` is its constant, and `noise` the alpha of the Dirichlet noise that the root's priors are mixed
        with; 0 for none.
        """
        check_choice("method", method, METHODS)
        check_choice("scoring", scoring, SCORINGS)
        self._options: dict[str, Any] = {
            "simulations": simulations, "method": method, "leaves": leaves, "considered": considered,
            "gumbel_scale": gumbel_scale, "visit_offset": visit_offset, "value_scale": value_scale,
            "exploration": exploration, "noise": noise, "noise_fraction": noise_fraction, "scoring": scoring,
            "seed": seed, "threads": threads,
        }  # fmt: skip
        self.simulations = check_integer("simulations", simulations, 1, MOST_SIMULATIONS)
        self.encoding = find_encoding(game)
        self._kernel = self.encoding.kernel
        self._simulation = compiled(simulation, self._kernel)
        self._format = StateFormat(self.encoding)
        self._evaluate = evaluate
        self._leaves = check_integer("leaves", leaves, 1, self.simulations)
        self._gumbel_scale = check_share("gumbel_scale", gumbel_scale)
        self._noise, self._fraction = check_share("noise", noise), check_share("noise_fraction", noise_fraction, 1)
        self._seed, self._searches = check_seed(seed), 0
        self._threads = cores() if threads is None else check_integer("threads", threads, 1)
        self._workers = Workers(self._threads)
        is_scored = scoring == "points"
        self._settings = Settings(
            is_gumbel=method == "gumbel",
            scored=is_scored,
            limit=float(np.iinfo(self.encoding.reward).max if is_scored else 1),
            scale=float(GAMES[self.encoding.game].most_points if is_scored else 1),
            exploration=check_share("exploration", exploration),
            visit_offset=check_share("visit_offset", visit_offset),
            value_scale=check_share("value_scale", value_scale),
            simulations=self.simulations,
            most_forced=FORCED_PER_SIMULATION * self.simulations,
        )
        most = check_integer("considered", considered, 1, self._kernel.ACTIONS)
        self._schedule = np.array([halving(number, self.simulations) for number in range(most + 1)], np.int64)
        self._shards: Sequence[Shard] = ()
        self._lock = threading.Lock()

    def __reduce__(self) -> Any:
        """Pickles and copies contain the options and the number of searches; the evaluator must be picklable, too."""
        made = partial(type(self), self.encoding.name, self._evaluate, **self._options)
        return made, (), {"_searches": self._searches}

    def __call__(self, games: Any, *, search: int | None = None) -> Found:
        """Searches from the positions of a batch, or from saved states.

        Every call has its own random numbers; with `search`, those of the call with this number are used instead.
        """
        rows = self._format.check(on_host(games.save() if isinstance(games, Batch) else games))
        if not self._lock.acquire(blocking=False):
            raise BadInput("this search is still running: it takes one batch at a time, so give each thread its own")
        try:
            return self._find(rows, search)
        finally:
            self._lock.release()

    def _find(self, rows: NDArray[np.int64], search: int | None) -> Found:
        if not len(rows):
            return new_found(0, self._kernel.ACTIONS)
        self._start(rows, self._count() if search is None else check_integer("search", search, 0))
        self._run(Shard.select)
        is_new = True
        while number := sum(shard.found for shard in self._shards):
            logits, values = self._evaluate_leaves(number)
            if is_new:
                self._run(lambda shard: shard.expand(self._masks, logits, values))  # noqa: B023  # runs at once
                self._add_noise()
                self._run(Shard.select)
                is_new = False
            else:
                self._run(lambda shard: shard.go_on(self._masks, logits, values))  # noqa: B023  # runs at once
        return self._conclude(len(rows))

    def _count(self) -> int:
        self._searches += 1
        return self._searches - 1

    def _start(self, rows: NDArray[np.int64], search: int) -> None:
        number, kernel = len(rows), self._kernel
        if not self._shards or number != self._shards[-1].stop:
            parts = max(1, min(self._threads, number // MIN_SHARD))
            cuts = [number * part // parts for part in range(parts + 1)]
            self._shards = [self._new_shard(a, b) for a, b in pairwise(cuts)]
            self._words = np.zeros((number * self._leaves, kernel.OBSERVATION_WORDS), np.int64)
            self._masks = np.zeros((number * self._leaves, kernel.MASK_WORDS), np.int64)
        self._search = search
        key = streams.key_of(self._seed, search)
        keys: Any = streams.key_of(key, np.arange(number))  # type: ignore[arg-type]  # works on arrays
        self._run(lambda shard: shard.start_search(rows[shard.start : shard.stop], keys[shard.start : shard.stop]))

    def _new_shard(self, start: int, stop: int) -> Shard:
        return Shard(
            self._simulation, self._format, self.encoding, self._settings, self._schedule, self._leaves, start, stop
        )

    def _evaluate_leaves(self, number: int) -> tuple[Array, Array]:
        kernel, encoding = self._kernel, self.encoding
        firsts = dict(zip(self._shards, accumulate((shard.found for shard in self._shards), initial=0), strict=False))
        self._run(lambda shard: shard.write(firsts[shard], self._words, self._masks))
        if self._evaluate is None:
            values = np.zeros(number, np.float32)
            self._run(lambda shard: shard.play_out(values))
            return np.zeros((number, kernel.ACTIONS), np.float32), values
        seen = self._words[:number].view(np.int8)[:, : encoding.high.size].reshape(number, *encoding.shape)
        legal = self._masks[:number].view(np.int8)[:, : kernel.ACTIONS]
        logits, values = read_pair(self._evaluate(seen, legal))
        return read_rows("logits", logits, (number, kernel.ACTIONS)), read_rows("values", values, (number,))

    def _add_noise(self) -> None:
        if self._settings.is_gumbel:
            self._run(lambda shard: shard.draw_gumbel(self._gumbel_scale))
        elif self._noise:
            rng = np.random.default_rng([self._seed, self._search])
            for shard in self._shards:
                shard.mix_noise(rng.standard_gamma(self._noise, shard.noise.shape), self._fraction)

    def _conclude(self, number: int) -> Found:
        found = new_found(number, self._kernel.ACTIONS)
        self._run(lambda shard: shard.conclude(found))
        return found

    def _run(self, work: Callable[[Shard], Any]) -> None:
        """Does the work for every shard."""
        self._workers.run(work, self._shards)


def new_found(games: int, actions: int) -> Found:
    return Found(
        np.zeros(games, np.int64),
        np.zeros((games, actions), np.float32),
        np.zeros((games, actions), np.int32),
        np.zeros(games, np.float64),
        np.zeros(games, np.bool_),
    )


def halving(considered: int, simulations: int) -> list[int]:
    """Sequential halving: the visits that the root action tried by each simulation must have had before.

    All considered actions get the same number of visits, then the better half of them, and so on down to two.
    """
    sequence: list[int] = []
    rounds, visits, left = max(1, (considered - 1).bit_length()), 0, max(1, considered)
    while len(sequence) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            sequence += [visits] * left
            visits += 1
        left = max(min(2, left), left // 2)
    return sequence[:simulations]


def read_pair(answer: Any) -> tuple[Any, Any]:
    try:
        logits, values = answer
    except (TypeError, ValueError):
        raise BadInput("the evaluator must return two arrays: logits and values") from None
    return logits, values


def read_rows(name: str, array: Any, shape: tuple[int, ...]) -> NDArray[np.float32]:
    found = on_host(array)
    if found.size != np.prod(shape) or found.shape[:1] != shape[:1]:
        raise BadInput(f"the evaluator's {name} must have shape {shape}, not {found.shape}")
    if not is_real(found):
        raise BadInput(f"the evaluator's {name} must be real numbers, not {found.dtype}")
    return np.ascontiguousarray(found, np.float32).reshape(shape)


def check_share(name: str, value: float, most: float = np.inf) -> float:
    try:
        is_good = bool(0 <= value < np.inf and value <= most)
    except (TypeError, ValueError):  # text, or several numbers
        is_good = False
    if not is_good:
        raise UnknownOption(f"{name} must be {'0 or more' if most == np.inf else f'0 to {most:g}'}, not {value!r}")
    return float(value)
