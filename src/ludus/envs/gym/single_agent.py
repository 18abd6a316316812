"""A batch in which the agent plays one seat of each game and an opponent the other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import GameIsOver, UnknownOption
from ludus.core.kernel import compiled
from ludus.envs.batched.cpu import CpuBatch, Shard, illegal_action
from ludus.envs.batched.driver import DRAWN, OUTCOME, TAG, TRUNCATED, WON
from ludus.envs.batched.environment import FinalStep, Step, Totals, as_array, check_actions, read_where
from ludus.envs.batched.states import StateFormat
from ludus.envs.batched.streams import below, draw, key_of
from ludus.envs.encoding import Encoding
from ludus.envs.gym import driver
from ludus.envs.opponents import Alone, Choice, League, Opponent, find_leagues
from ludus.envs.options import SEED_BITS, check_choice, check_integer

Seeds = int | Sequence[int | None] | None
Opponents = Choice | League | Sequence[Choice | League]
"""One opponent for all games, or one for each."""
Flags = NDArray[np.bool_]
Starts = Mapping[int, Sequence[int]]
NO_STARTS: Starts = MappingProxyType({})

SIDES = ("first", "second", "random")
ILLEGAL = ("raise", "lose")
LAYOUTS = ("bytes",)
"""The layouts that opponents can read."""
SEAT, OPPONENT, MEMBER = 0x2545F491, 0x6C078965, 0x1B873593
"""Mixed into a game's key for the agent's seat, the opponent's random numbers and the member of a league."""


OWN_WORDS = ("seats", "_lengths", "_games", "opponents")
"""The arrays that a saved state ends with: the agent's seat and steps, the games begun, the member of the league."""
FAILED = "an opponent has failed in mid-turn; reset() all games"


class SingleAgentBatch(CpuBatch):
    """After each step the opponent has replied, and the agent is to move in every game.

    Game `i` with seed `s` is game 0 with seed `s + i`. `max_steps` counts the agent's steps.
    """

    def __init__(
        self,
        game: str,
        num_envs: int,
        *,
        opponent: Opponents = "random",
        side: str = "first",
        illegal: str = "raise",
        **options: Any,
    ) -> None:
        self._choice = opponent
        check_choice("side", side, SIDES)
        self._side = side
        check_choice("illegal", illegal, ILLEGAL)
        self._illegal_loses = illegal == "lose"
        check_choice("layout", options.get("layout", "bytes"), LAYOUTS)
        super().__init__(game, num_envs, **options)

    def _allocate(self) -> None:
        super()._allocate()
        n = self.num_envs
        self._plain = StateFormat(self._encoding)
        self._loops, self._set_position = compiled(driver, self._kernel), compiled(self._kernel).set_position
        self._leagues, self._league = find_leagues(self._choice, n, self._encoding)
        self.opponents = np.zeros(n, np.int64)
        self._has_failed = False
        self._state[:] = self._initial_state(0, None)
        self.seats = np.zeros(n, np.int64)
        self._over = np.ones(n, np.bool_)
        self._lengths = np.zeros(n, np.int64)
        self._games = np.zeros(n, np.int64)
        self._actions = np.zeros(n, np.int64)
        self._all = np.ones(n, np.bool_)
        none = ~self._all
        self._final = FinalStep(
            none, self._views.observation[none], self._views.action_mask[none], np.zeros(0, np.int8)
        )
        self.final_opponents = np.zeros(0, np.int64)

    def _state_format(self, encoding: Encoding) -> StateFormat:
        return StateFormat(encoding, " with an opponent", len(OWN_WORDS))

    def save(self, where: Any = None) -> NDArray[np.int64]:
        """States, also of games that are over. A row ends with the agent's seat and other numbers of this class."""
        games = read_where(where, self.num_envs)
        states, over = super().save(games), self._over[games]
        states[:, self._format.more] = np.stack([getattr(self, name)[games] for name in OWN_WORDS], axis=1)
        states[over, OUTCOME] = self._outcomes(games)[over]
        return states

    def _outcomes(self, games: NDArray[np.int64]) -> NDArray[np.int64]:
        """How games ended, as in saved states."""
        reward = self.reward[games].astype(np.int64)
        points = np.where(self.seats[games] == 0, reward, -reward)
        ended = np.where(reward != 0, WON | points << 2, DRAWN)
        return np.where(self.truncated[games], TRUNCATED, ended)

    def restore(self, states: Any, where: Any = None) -> Step[NDArray[Any]]:
        """Continues from saved states. A game that was over is over again, and shows how it ended."""
        which = self._which(where)
        games = read_where(where, self.num_envs)
        rows = self._format.check(states, len(games))
        self._format.check_rolled(rows)
        own = dict(zip(OWN_WORDS, rows[:, self._format.more].T, strict=True))
        self._check_own(own, games)
        self._put(rows, games)
        for name, words in own.items():
            getattr(self, name)[games] = words
        self._put_outcomes(rows[:, OUTCOME], games)
        self._has_failed = False
        self._write(which)
        self._finish(self.terminated & which)
        return self._views

    def _check_own(self, own: Mapping[str, NDArray[np.int64]], games: NDArray[np.int64]) -> None:
        members = np.array([len(league.members) for league in self._leagues])[self._league[games]]
        seats, opponents = own["seats"], own["opponents"]
        if not (((seats | 1) == 1) & (opponents >= 0) & (opponents < members)).all():
            raise self._format.broken()

    def _put_outcomes(self, outcomes: NDArray[np.int64], games: NDArray[np.int64]) -> None:
        how, points = outcomes & 3, outcomes >> 2
        self.reward[games] = np.where(how == WON, np.where(self.seats[games] == 0, points, -points), 0)
        self.terminated[games] = (how == WON) | (how == DRAWN)
        self.truncated[games] = how == TRUNCATED
        self._over[games] = how != 0

    def set_positions(self, positions: Any, where: Any = None) -> Step[NDArray[Any]]:
        """Like `reset` with positions, one for all of the chosen games or one for each."""
        which, games = self._which(where), read_where(where, self.num_envs)
        words = self._read_positions(positions, len(games))
        return self._start(which, self._side, dict(zip(games.tolist(), words, strict=True)))

    def _rows(self) -> dict[str, NDArray[Any]]:
        return super()._rows() | {name: getattr(self, name) for name in OWN_WORDS} | {"over": self._over}

    def _contents(self, games: Any = slice(None)) -> dict[str, Any]:
        ended = self._final.which[games]
        rows = (self._final.which.cumsum() - 1)[games][ended]
        final = FinalStep(ended, *(array[rows] for array in self._final[1:]))
        more = {"final": final, "final_opponents": self.final_opponents[rows], "has_failed": self._has_failed}
        return super()._contents(games) | more

    def _fill(self, contents: Mapping[str, Any]) -> None:
        super()._fill(contents)
        self._final, self.final_opponents = contents["final"], contents["final_opponents"]
        self._has_failed = contents["has_failed"]

    def _options_of(self, games: NDArray[np.int64]) -> dict[str, Any]:
        """The options, with the opponents that these games have now."""
        leagues = [self._leagues[league] for league in self._league[games]]
        opponent: Any = leagues if len(self._leagues) > 1 else leagues[0]
        illegal = ILLEGAL[self._illegal_loses]
        return super()._options_of(games) | {"opponent": opponent, "side": self._side, "illegal": illegal}

    def set_opponent(self, opponent: Opponents, where: Any = None) -> None:
        """Sets another opponent, from the next move on, in all games or in those of `where`, a mask or indices.

        A sequence has an opponent for each of these games.
        """
        games = read_where(where, self.num_envs)
        leagues, numbers = find_leagues(opponent, len(games), self._encoding)
        self._league[games] = numbers + len(self._leagues)
        used, self._league = np.unique(self._league, return_inverse=True)
        self._leagues = [[*self._leagues, *leagues][league] for league in used]
        self._draw_opponents(np.isin(np.arange(self.num_envs), games))

    @property
    def has_league(self) -> bool:
        """Whether the numbers in `opponents` are those of a league's members."""
        return not all(isinstance(league, Alone) for league in self._leagues)

    @property
    def _differ(self) -> bool:
        """Whether games may have different opponents."""
        return len(self._leagues) > 1 or len(self._leagues[0].members) > 1

    def reset(
        self, *, seed: Seeds = None, where: Any = None, side: str | None = None, position: Any = None
    ) -> Step[NDArray[Any]]:
        """Starts games over: all, or those in `where`, a mask or indices. Without a seed their random numbers continue.

        `side` and `position` are for these games only. A position is a value or text; a sequence has one for each game
        of the batch, or None for the usual start.
        """
        side = self._side if side is None else side
        check_choice("side", side, SIDES)
        which, starts = self._which(where), self._read_starts(position)
        self._seed(seed, which)
        return self._start(which, side, starts)

    def _start(self, which: Flags, side: str, starts: Starts) -> Step[NDArray[Any]]:
        self._clear(which)
        self._begin(which, side, starts)
        if (ended := self._over & which).any():
            raise GameIsOver(f"the opponent's first move has ended game {ended.argmax()}; it needs another position")
        return self._views

    def _which(self, where: Any) -> Flags:
        if where is not None and self._has_failed:
            raise GameIsOver(FAILED)
        which = np.zeros(self.num_envs, np.bool_)
        which[read_where(where, self.num_envs)] = True
        return which

    def step(self, actions: Any = None) -> Step[NDArray[Any]]:
        """Plays the agent's action in each game and the opponent's reply; resets games that end."""
        self.play(actions)
        ended = self.terminated | self.truncated
        self._final = FinalStep(ended, self.observation[ended], self.action_mask[ended], self.to_play[ended])
        self.final_opponents = self.opponents[ended]
        if ended.any():
            self._begin(ended, self._side)
        return self._views

    def step_afterstates(self, chosen: Any) -> Step[NDArray[Any]]:
        raise UnknownOption("against an opponent a move is played action by action, with step")

    def play(self, actions: Any = None) -> None:
        """Like `step`, but games that end stay as they are."""
        if self._over.any():
            number = int(self._over.argmax())
            raise GameIsOver(FAILED if self._has_failed else f"game {number} is over; reset() starts a new one")
        self._advance(actions, None)

    def play_or_begin(self, actions: Any = None) -> None:
        """Like `play`, but games that are over begin again, whatever their action."""
        if self._has_failed:
            raise GameIsOver(FAILED)
        over = self._over.copy() if self._over.any() else None
        self._advance(actions, over)
        if over is not None:
            self._begin(over, self._side)

    def _advance(self, actions: Any, over: Flags | None) -> None:
        """A step of the games that are not over."""
        chosen, bad = self._chosen(actions, over)
        self._clear(slice(None))
        if bad is not None:
            self.reward[bad] = -self._encoding.forfeit(self._state[:, bad]) if self._scored else -1
            self.terminated[bad] = self._over[bad] = True
        self._play(chosen)
        self._play_opponent()
        self._lengths += 1
        if self._limit:
            stopped = self.terminated if over is None else self.terminated | over
            self.truncated[:] = ~stopped & (self._lengths >= self._limit)
            self._over |= self.truncated
        self._write(self._all)
        self._finish(self.terminated)

    @property
    def final(self) -> FinalStep[NDArray[Any]]:
        """The games that ended in the last step, as the agent saw them."""
        return self._final

    def rollout(self, policy: Any = None, *, steps: int) -> Totals:
        """Plays many steps, the agent's by a policy or at random."""
        counts, steps = np.zeros(4, np.int64), check_integer("steps", steps, 0)
        for _ in range(steps):
            seats = self.seats.copy()
            self.step(None if policy is None else policy(self._views))
            winners = np.where(self.reward > 0, seats, np.where(self.reward < 0, 1 - seats, 2))
            counts += np.bincount(winners[self.terminated], minlength=4)
            counts[3] += np.count_nonzero(self.truncated)
        return Totals(steps * self.num_envs, *counts.tolist())

    @property
    def high(self) -> NDArray[np.int8]:
        """The greatest value of each entry of an observation."""
        return self._encoding.high

    def position(self, game: int) -> Any:
        return self._encoding.decode_position(self._state[:, game].tolist())

    def history(self, game: int) -> Sequence[Any]:
        start = game * self._kernel.HISTORY
        words = self._history[start : start + self._kernel.HISTORY].tolist()
        return self._encoding.decode_history(self._state[:, game].tolist(), words)

    def states(self, games: Any) -> NDArray[np.int64]:
        """The states that `stateless` takes, without the words of this class."""
        words = self._plain
        states = np.zeros((len(games), words.words), np.int64)
        states[:, TAG], states[:, words.column] = words.tag, self._state.T[games, : self._kernel.WORDS]
        states[:, words.history] = self._past[games]
        return states

    def random_words(self, games: Any) -> Any:
        return draw(self._state[self._kernel.KEY, games], OPPONENT, self._state[self._kernel.STEPS, games])

    def _seed(self, seed: Seeds, chosen: Flags) -> None:
        if seed is None:
            return
        which, seeds = read_seeds(seed, self.num_envs)
        which &= chosen
        initial = self._initial_state(0, None)
        initial[self._kernel.KEY] = key_of(seeds, 0)  # type: ignore[arg-type]  # works on arrays
        self._state[:, which] = initial[:, which]
        self._games[which] = 0

    def _read_starts(self, position: Any) -> Starts:
        """The words of the positions to start from, by game."""
        if position is None:
            return {}
        words = self._read_positions(position, self.num_envs, is_optional=True)
        return {game: start for game, start in enumerate(words) if start is not None}

    def _begin(self, which: Flags, side: str, starts: Starts = NO_STARTS) -> None:
        self.seats[which] = self._random_seats(which) if side == "random" else SIDES.index(side)
        self._games[which] += 1
        self._lengths[which] = 0
        self._over[which] = False
        self._has_failed = False
        self._draw_opponents(which)
        usual = which.copy()
        usual[list(starts)] = False
        self._run(lambda shard: self._loops.reset_where(shard.state, usual[shard.start : shard.stop]))
        for game, words in starts.items():
            if which[game]:
                self._set_position(self._state, game, self._history, game * self._kernel.HISTORY, *words)
        self._play_opponent()
        self._write(which)

    def _draw_opponents(self, which: Flags) -> None:
        """Draws a member of its league for each of these games."""
        self.opponents[which] = 0
        for number, league in enumerate(self._leagues):
            if len(league.members) > 1:
                mine = which & (self._league == number)
                words: Any = draw(self._state[self._kernel.KEY, mine], MEMBER, self._games[mine])
                self.opponents[mine] = league.draw(words)

    def _random_seats(self, which: Flags) -> Any:
        return below(draw(self._state[self._kernel.KEY, which], SEAT, self._games[which]), 2)  # type: ignore[arg-type]  # works on arrays

    def _chosen(self, actions: Any, over: Flags | None) -> tuple[NDArray[np.int64], Flags | None]:
        """The actions to play, and the games lost by an illegal one; -1 plays none."""
        if actions is None:
            self._run(lambda shard: self._loops.sample_all(shard.state, self._actions[shard.start : shard.stop]))
            return self._actions if over is None else np.where(over, -1, self._actions), None
        actions = as_array(actions)
        check_actions(actions, self.num_envs)
        chosen = actions.astype(np.int64)
        if over is None and not self._illegal_loses:
            self._check_legal(chosen)
            return chosen, None
        known = np.clip(chosen, 0, self.num_actions - 1)
        bad = (known != chosen) | (self.action_mask[np.arange(self.num_envs), known] == 0)
        if over is not None:
            chosen[over], bad[over] = -1, False
        if bad.any() and not self._illegal_loses:
            raise illegal_action(chosen, int(bad.argmax()))
        return np.where(bad, -1, chosen), bad

    def _clear(self, which: Flags | slice) -> None:
        self.reward[which] = 0
        self.terminated[which] = self.truncated[which] = False

    def _play(self, actions: NDArray[np.int64]) -> None:
        def work(shard: Shard) -> None:
            mine, seats, transition = self._agents(shard)
            self._loops.play_all(shard.state, shard.history, actions[mine], seats, self._scored, transition)

        self._run(work)

    def _play_opponent(self) -> None:
        """Plays the opponent's actions until the agent is to move in every game that continues."""
        if not self._differ and self._leagues[0].opponent(0) is None:
            self._play_random(self._over)
            return
        try:
            while (waiting := (self._state[self._kernel.PLAYER] != self.seats) & ~self._over).any():
                self._write(waiting)
                for opponent, games in self._by_opponent(np.flatnonzero(waiting)):
                    self._query(opponent, games)
        except BaseException:
            self._over[:] = self._has_failed = True  # some turns are half played; only reset() helps
            raise

    def _by_opponent(self, games: NDArray[np.int64]) -> Iterator[tuple[Opponent | None, NDArray[np.int64]]]:
        """These games, split by their opponents."""
        if not self._differ:
            yield self._leagues[0].opponent(0), games
            return
        for number, league in enumerate(self._leagues):
            mine = games[self._league[games] == number]
            for member in np.unique(self.opponents[mine]).tolist():
                yield league.opponent(member), mine[self.opponents[mine] == member]

    def _query(self, opponent: Opponent | None, games: NDArray[np.int64]) -> None:
        """Plays one turn, or a part of it, in each of these games; without an opponent, whole turns at random."""
        if opponent is None:
            over = self._all.copy()
            over[games] = False
            self._play_random(over)
            self._over[games] = over[games]
            return
        for column in opponent.choose_actions(self, games).T:
            actions = np.full(self.num_envs, -1, np.int64)
            actions[games] = column
            self._play(actions)

    def _play_random(self, over: Flags) -> None:
        """Plays the other side at random until the agent is to move, except in games that are over."""

        def work(shard: Shard) -> None:
            mine, seats, (reward, terminated, _) = self._agents(shard)
            transition = reward, terminated, over[mine]
            self._loops.play_random_opponents(shard.state, shard.history, seats, self._scored, transition)

        self._run(work)

    def _agents(self, shard: Shard) -> tuple[slice, Any, Any]:
        """A shard's slice of the agents' arrays, their seats and their transition."""
        mine = slice(shard.start, shard.stop)
        return mine, self.seats[mine], (self.reward[mine], self.terminated[mine], self._over[mine])

    def _write(self, which: Flags) -> None:
        self._run(lambda shard: self._loops.write_where(shard.state, which[shard.start : shard.stop], shard.view))

    def _finish(self, which: Flags) -> None:
        """Shows finished games from the agent's side, with nothing left to play."""
        if which.any():
            seats, seen = self.seats[which], self.observation[which]
            is_flipped = (self.to_play[which] != seats).reshape(-1, *[1] * (seen.ndim - 1))
            seen = np.where(is_flipped, self._encoding.flip(seen), seen)
            self._encoding.finish(seen, seats)
            self.observation[which] = seen
            self.action_mask[which] = 0
            self.to_play[which] = seats


def read_seeds(seed: int | Sequence[int | None], number: int) -> tuple[Flags, NDArray[np.int64]]:
    """Which games get a new seed, and the seeds; a single number counts up from the first game."""
    try:
        seeds = list(range(seed, seed + number) if isinstance(seed, int) else seed)
    except TypeError:  # neither a number nor several
        seeds = []
    is_good = all(one is None or (isinstance(one, int | np.integer) and one >= 0) for one in seeds)
    if len(seeds) != number or not is_good:
        raise UnknownOption(f"seed must be an integer of 0 or more, or {number} of them")
    which = np.array([one is not None for one in seeds])
    return which, np.array([int(one or 0) & SEED_BITS for one in seeds], np.int64)
