"""PettingZoo environments of any game: `aec.env("checkers")`, with the observations of a batch.

`checkers_v3` and the like are the documented environments of one game; they build on this module.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable
from typing import Any, ClassVar, ParamSpec, TypedDict

import numpy as np
from numpy.typing import NDArray

from ludus.core.errors import MalformedAction
from ludus.core.extras import extra
from ludus.envs.batched.environment import SCORINGS
from ludus.envs.encoding import find_encoding
from ludus.envs.options import check_choice, check_integer, check_seed
from ludus.envs.render import RENDER_MODES, Renderer
from ludus.envs.simulator import Simulator
from ludus.games import GAMES

with extra("envs"):
    from gymnasium import spaces
    from pettingzoo import AECEnv
    from pettingzoo.utils import wrappers
    from pettingzoo.utils.env_logger import EnvLogger

AGENTS = ["player_0", "player_1"]
P = ParamSpec("P")


class Observation(TypedDict):
    observation: NDArray[Any]
    action_mask: NDArray[np.int8]
    """1 for each legal action; all 0 for the agent that is not to move."""


def raw_env(game: str, *, variant: str = "standard", **options: Any) -> LudusEnv:
    """An environment of any game that has an adapter; `options` are those of `LudusEnv` and of the game's rules."""
    choices = {name: options.pop(name) for name in GAMES[find_encoding(game).game].options if name in options}
    simulator = Simulator(game, variant, **choices)
    return LudusEnv(f"{game}_v0" if simulator.name in GAMES else simulator.name, simulator, **options)


class LudusEnv(AECEnv[str, Observation, int]):  # type: ignore[misc]  # PettingZoo is untyped
    """Two agents take turns. An illegal action loses: -1 for its agent, 0 for the other.

    As in the original, that agent stays selected and keeps its mask.
    """

    LEGAL_MOVES: ClassVar[tuple[str, ...]] = ("legal_moves",)
    """The keys of `infos` under which `legal_moves` lists the legal actions."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        name: str,
        simulator: Simulator,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        scoring: str = "win",
        legal_moves: bool = False,
    ) -> None:
        check_choice("scoring", scoring, SCORINGS)
        super().__init__()
        self.metadata = self.metadata | {"name": name}  # type: ignore[misc]  # PettingZoo is untyped
        self.render_mode = render_mode
        self.possible_agents = AGENTS[:]
        self._simulator = simulator
        self._renderer = Renderer(render_mode)
        self._max_cycles = 0 if max_cycles is None else check_integer("max_cycles", max_cycles, 1)
        self._is_scored = scoring == "points"
        self._has_legal_moves = legal_moves
        self._is_seeded = False
        board = spaces.Box(np.zeros_like(simulator.high), simulator.high.copy(), dtype=simulator.high.dtype.type)
        mask = spaces.Box(0, 1, (simulator.num_actions,), np.int8)
        seen = spaces.Dict({"observation": board, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(AGENTS, seen)
        self.action_spaces = dict.fromkeys(AGENTS, spaces.Discrete(simulator.num_actions))
        self.state_space = board

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Starts a new game. A seed fixes its dice and those of all games after it.

        `options={"position": text}` starts from a position in the game's notation; other options are left to wrappers.
        """
        text = (options or {}).get("position")
        position = None if text is None else self._simulator.read_position(text)
        if seed is not None or not self._is_seeded:
            self._simulator.seed(check_seed(seed))
            self._is_seeded = True
        if position is None:
            self._simulator.reset()
        else:
            self._simulator.set_position(position)
        self.agents = AGENTS[:]
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: self._legal_moves([]) for agent in AGENTS}
        self._select_agent()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        is_to_move = agent == self._to_move
        mask = self._simulator.action_mask() if is_to_move else np.zeros(self._simulator.num_actions, np.int8)
        return {"observation": self._simulator.observe(AGENTS.index(agent)), "action_mask": mask}

    def state(self) -> NDArray[Any]:
        """The board as the first player sees it."""
        return self._simulator.observe(0)

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = self._number(action)
        self._cumulative_rewards[agent] = 0
        if self._simulator.is_legal(number):
            self._play(agent, number)
        else:
            self._end({agent: -1}, {"winner": None, "reason": "illegal_move"})
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def is_to_act(self) -> bool:
        """Whether the game continues."""
        return not (self.terminations[self.agent_selection] or self.truncations[self.agent_selection])

    def is_legal(self, action: Any) -> bool:
        return self._simulator.is_legal(self._number(action))

    def _number(self, action: Any) -> int:
        try:
            number = operator.index(action)
        except TypeError:
            raise MalformedAction(f"an action is an integer, not {type(action).__name__}") from None
        if not 0 <= number < self._simulator.num_actions:
            raise MalformedAction(f"there is no action {number}; actions are 0 to {self._simulator.num_actions - 1}")
        return number

    def _play(self, agent: str, action: int) -> None:
        code = self._simulator.step(action)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self.infos[agent] = self._legal_moves([])
        if code:
            self._to_move: str | None = None
            self.agent_selection = AGENTS[self._simulator.player]
            self._end(*self._result(agent, is_won=code == 1))
            return
        if 0 < self._max_cycles <= self._simulator.length:
            self.truncations = dict.fromkeys(AGENTS, True)
        self._select_agent()

    def _result(self, agent: str, *, is_won: bool) -> tuple[dict[str, int], dict[str, Any]]:
        """Rewards and infos after this agent's action has ended the game."""
        points, other = self._simulator.points() if is_won else 0, AGENTS[1 - AGENTS.index(agent)]
        worth = points if self._is_scored else min(max(points, -1), 1)
        winner = None if not is_won else agent if points > 0 else other
        return {agent: worth, other: -worth}, {"winner": winner, "reason": str(self._simulator.reason())}

    def _select_agent(self) -> None:
        """Selects the player to move, which may be the same agent again."""
        self._to_move = self.agent_selection = AGENTS[self._simulator.player]
        if self._has_legal_moves:
            self.infos[self.agent_selection] = self._legal_moves(self._simulator.legal_actions())

    def _legal_moves(self, actions: list[int]) -> dict[str, Any]:
        """An agent's `infos` while the game continues."""
        return dict.fromkeys(self.LEGAL_MOVES, actions) if self._has_legal_moves else {}

    def _end(self, rewards: dict[str, int], info: dict[str, Any]) -> None:
        self.rewards = dict.fromkeys(AGENTS, 0) | rewards
        self.terminations = dict.fromkeys(AGENTS, True)
        for agent in AGENTS:
            self.infos[agent] = self.infos[agent] | info

    def render(self) -> Any:
        return self._renderer.draw(self._simulator.board())

    def close(self) -> None:
        self._renderer.close()

    def __str__(self) -> str:
        return str(self.metadata["name"])


def _direct(name: str) -> Any:
    return property(lambda self: getattr(self.env.unwrapped, name))


class Direct:
    """Reads attributes from the environment itself; PettingZoo's wrappers ask each other in turn.

    Attributes that don't exist yet, such as the agent to move before `reset`, fail as in the originals.
    """

    agents = _direct("agents")
    agent_selection = _direct("agent_selection")
    rewards = _direct("rewards")
    _cumulative_rewards = _direct("_cumulative_rewards")
    terminations = _direct("terminations")
    truncations = _direct("truncations")
    infos = _direct("infos")


class TerminateIllegal(Direct, wrappers.TerminateIllegalWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    def step(self, action: Any) -> None:
        """The environment itself scores an illegal action; this warns, and has the first agent step first."""
        self._prev_obs = self._prev_info = None
        raw = self.env.unwrapped
        is_illegal = action is not None and raw.is_to_act() and not raw.is_legal(action)
        if is_illegal:
            EnvLogger.warn_on_illegal_move()
        self.env.step(action)
        if is_illegal:
            raw._deads_step_first()


class AssertOutOfBounds(Direct, wrappers.AssertOutOfBoundsWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    pass


class OrderEnforcing(Direct, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]  # PettingZoo is untyped
    pass


def wrapped(raw: LudusEnv) -> AECEnv[str, Observation, int]:
    """The environment in PettingZoo's usual wrappers."""
    return OrderEnforcing(AssertOutOfBounds(TerminateIllegal(raw, illegal_reward=-1)))


def wrapping(raw: Callable[P, LudusEnv]) -> Callable[P, AECEnv[str, Observation, int]]:
    """A module's `env`, from its `raw_env`: the same options."""

    @functools.wraps(raw)
    def env(*args: P.args, **options: P.kwargs) -> AECEnv[str, Observation, int]:
        return wrapped(raw(*args, **options))

    env.__name__ = env.__qualname__ = "env"
    return env


env = wrapping(raw_env)
