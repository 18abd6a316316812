"""A batch in which the agent has one seat of each game and an opponent the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import GameIsOver, UnknownOption
from ludus.core.kernel import compiled
from ludus.envs.batched.batch import Step, Totals, check_actions
from ludus.envs.batched.cpu import CpuBatch, Slice, as_array
from ludus.envs.batched.streams import below, draw, key_of
from ludus.envs.gym import turns
from ludus.envs.gym.views import final
from ludus.envs.opponents import Choice, find_opponent, position_of
from ludus.envs.options import check_choice
from ludus.envs.past import past_of
from ludus.games import GAMES

Seeds = int | Sequence[int | None] | None
Flags = NDArray[np.bool_]

SIDES = ("first", "second", "random")
ILLEGAL = ("raise", "lose")
SEAT, LUCK = 0x2545F491, 0x6C078965
"""Mixed into a game's key for who sits where, and for what an opponent does by chance."""
SEED_BITS = (1 << 63) - 1


class Finals(NamedTuple):
    """How the games that ended with the last step were left."""

    which: Flags
    observation: Any
    action_mask: Any


class Duel(CpuBatch):
    """Steps are the agent's: after each one the opponent has answered, and the agent is to move in every game.

    Game `i` with seed `s` is game 0 with seed `s + i`. `max_steps` counts the agent's steps.
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        *,
        opponent: Choice = "random",
        side: str = "first",
        illegal: str = "raise",
        **options: Any,
    ) -> None:
        self._choice = opponent
        check_choice("side", side, SIDES)
        self._side = side
        check_choice("illegal", illegal, ILLEGAL)
        self._may_lose = illegal == "lose"
        super().__init__(game, num_envs, **options)

    def _allocate(self) -> None:
        super()._allocate()
        n = self.num_envs
        self._turns = compiled(turns, self._kernel)
        self._opponent = find_opponent(self._choice, self.game)
        self._state[:] = self._fresh_state(0, None)
        self.seats = np.zeros(n, np.int64)
        self._over = np.ones(n, np.bool_)
        self._lengths = np.zeros(n, np.int64)
        self._starts = np.zeros(n, np.int64)
        self._actions = np.zeros(n, np.int64)
        self._all = np.ones(n, np.bool_)

    def reset(self, *, seed: Seeds = None, side: str | None = None) -> Step:
        """New games everywhere; where there is no seed the random numbers go on. `side` is for these games only."""
        side = self._side if side is None else side
        check_choice("side", side, SIDES)
        self._sow(seed)
        self._clear()
        self._begin(self._all, side)
        return self._views

    def step(self, actions: Any = None) -> Step:
        """One action of the agent in each game and all that the opponent does then; games that end start anew."""
        self.play(actions)
        ended = self.terminated | self.truncated
        self.finals = Finals(ended, self.observation[ended], self.action_mask[ended])
        if ended.any():
            self._begin(ended, self._side)
        return self._views

    def play(self, actions: Any = None) -> None:
        """The same, but games that end stay as they are."""
        chosen, bad = self._chosen(actions)
        self._clear()
        if bad is not None:
            self.reward[bad] = -GAMES[self.game].most_points if self._scored else -1
            self.terminated[bad] = self._over[bad] = True
        self._play(chosen)
        self._answer()
        self._lengths += 1
        if self._limit:
            self.truncated[:] = ~self.terminated & (self._lengths >= self._limit)
            self._over |= self.truncated
        self._look(self._all)
        self._close(self.terminated)

    def rollout(self, policy: Any = None, *, steps: int) -> Totals:
        """Many steps, the agent's by a policy or at random, and who has won."""
        counts = np.zeros(4, np.int64)
        for _ in range(steps):
            seats = self.seats.copy()
            self.step(None if policy is None else policy(self._views))
            winners = np.where(self.reward > 0, seats, np.where(self.reward < 0, 1 - seats, 2))
            counts += np.bincount(winners[self.terminated], minlength=4)
            counts[3] += np.count_nonzero(self.truncated)
        return Totals(steps * self.num_envs, *counts.tolist())

    def position(self, game: int) -> Any:
        return position_of(self.game, self._state[:, game].tolist())

    def past(self, game: int) -> Sequence[Any]:
        start = game * self._kernel.HISTORY
        history = self._history[start : start + self._kernel.HISTORY].tolist()
        return past_of(self.game, self._state[:, game].tolist(), history)

    def luck(self, games: Any) -> Any:
        return draw(self._state[self._kernel.KEY, games], LUCK, self._state[self._kernel.STEPS, games])

    def _sow(self, seed: Seeds) -> None:
        if seed is None:
            return
        which, seeds = read_seeds(seed, self.num_envs)
        fresh = self._fresh_state(0, None)
        fresh[self._kernel.KEY] = key_of(seeds, 0)  # type: ignore[arg-type]  # the same for an array
        self._state[:, which] = fresh[:, which]
        self._starts[which] = 0

    def _begin(self, which: Flags, side: str) -> None:
        self.seats[which] = self._coins(which) if side == "random" else SIDES.index(side)
        self._starts[which] += 1
        self._lengths[which] = 0
        self._over[which] = False
        self._run(lambda part: self._turns.begin_all(part.state, which[part.start : part.stop]))
        self._answer()
        self._look(which)

    def _coins(self, which: Flags) -> Any:
        return below(draw(self._state[self._kernel.KEY, which], SEAT, self._starts[which]), 2)  # type: ignore[arg-type]

    def _chosen(self, actions: Any) -> tuple[NDArray[np.int64], Flags | None]:
        """The actions to play, and the games lost by an illegal one."""
        if self._over.any():
            raise GameIsOver("the game is over; reset() starts a new one")
        if actions is None:
            self._run(lambda part: self._turns.pick_all(part.state, self._actions[part.start : part.stop]))
            return self._actions, None
        actions = as_array(actions)
        check_actions(actions, self.num_envs)
        chosen = actions.astype(np.int64)
        if not self._may_lose:
            self._refuse_illegal(chosen)
            return chosen, None
        known = np.clip(chosen, 0, self.num_actions - 1)
        bad = (known != chosen) | (self.action_mask[np.arange(self.num_envs), known] == 0)
        return np.where(bad, -1, chosen), bad

    def _clear(self) -> None:
        self.reward[:] = 0
        self.terminated[:] = self.truncated[:] = False

    def _play(self, actions: NDArray[np.int64]) -> None:
        across, scored = self._kernel.HISTORY, self._scored

        def work(part: Slice) -> None:
            mine = slice(part.start, part.stop)
            ends = self.reward[mine], self.terminated[mine], self._over[mine]
            self._turns.play_all(part.state, part.history, across, actions[mine], self.seats[mine], scored, ends)

        self._run(work)

    def _answer(self) -> None:
        """The opponent plays until the agent is to move wherever the game goes on."""
        if self._opponent is None:
            self._run(self._answer_slice)
            return
        try:
            self._ask(self._opponent)
        except BaseException:
            self._over[:] = True  # some turns are half played: only reset() helps
            raise

    def _answer_slice(self, part: Slice) -> None:
        mine = slice(part.start, part.stop)
        ends = self.reward[mine], self.terminated[mine], self._over[mine]
        across = self._kernel.HISTORY
        self._turns.answer_all(part.state, part.history, across, self.seats[mine], self._scored, ends)

    def _ask(self, opponent: Any) -> None:
        while (waiting := (self._state[self._kernel.PLAYER] != self.seats) & ~self._over).any():
            self._look(waiting)
            games = np.flatnonzero(waiting)
            for answers in opponent.answer(self, games).T:
                actions = np.full(self.num_envs, -1, np.int64)
                actions[games] = answers
                self._play(actions)

    def _look(self, which: Flags) -> None:
        self._run(lambda part: self._turns.write_all(part.state, which[part.start : part.stop], part.seen))

    def _close(self, which: Flags) -> None:
        """Games that are over, as the agent has them: there is nothing to play."""
        if which.any():
            is_turned = self.to_play[which] != self.seats[which]
            self.observation[which] = final(self.game, self.observation[which], is_turned)
            self.action_mask[which] = 0
            self.to_play[which] = self.seats[which]


def read_seeds(seed: int | Sequence[int | None], number: int) -> tuple[Flags, NDArray[np.int64]]:
    """Which games get a new seed, and theirs; one number is for the first game, and the others count on from it."""
    seeds = range(seed, seed + number) if isinstance(seed, int) else seed
    is_good = all(one is None or (isinstance(one, int | np.integer) and one >= 0) for one in seeds)
    if len(seeds) != number or not is_good:
        raise UnknownOption(f"seed is a number of 0 or more, or {number} of them")
    which = np.array([one is not None for one in seeds])
    return which, np.array([int(one or 0) & SEED_BITS for one in seeds], np.int64)
