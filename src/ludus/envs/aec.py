"""The PettingZoo environment, once for all games: agents take turns, an `Encoding` knows the rest."""

from __future__ import annotations

import operator
from typing import Any, ClassVar

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

from ludus.core.errors import MalformedAction
from ludus.envs.options import check_seed
from ludus.envs.render import RENDER_MODES, Renderer
from ludus.envs.table import Encoding, check_max_cycles

AGENTS = ["player_0", "player_1"]


class LudusEnv(AECEnv[str, Any, Any]):  # type: ignore[misc]
    """Two agents at one table. An illegal action loses: -1 for its agent, 0 for the other."""

    metadata: ClassVar[dict[str, Any]] = {
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 2,
    }

    def __init__(
        self,
        name: str,
        encoding: Encoding,
        *,
        render_mode: str | None = None,
        max_cycles: int | None = None,
        is_scored: bool = False,
    ) -> None:
        super().__init__()
        self.metadata = self.metadata | {"name": name}  # type: ignore[misc]
        self.render_mode = render_mode
        self.possible_agents = AGENTS[:]
        self._encoding = encoding
        self._renderer = Renderer(render_mode)
        self._max_cycles = check_max_cycles(max_cycles)
        self._is_scored = is_scored
        self._is_seeded = False
        mask = spaces.Box(0, 1, (encoding.num_actions,), np.int8)
        seen = spaces.Dict({"observation": encoding.observation_space, "action_mask": mask})
        self.observation_spaces = dict.fromkeys(AGENTS, seen)
        self.action_spaces = dict.fromkeys(AGENTS, spaces.Discrete(encoding.num_actions))
        self.state_space = encoding.observation_space

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """A new game; with a seed its dice, and all after it, are always the same.

        `options={"position": text}` starts from a FEN (checkers), an XGID or a GNU position ID (backgammon); other
        options are left to wrappers.
        """
        text = (options or {}).get("position")
        position = None if text is None else self._encoding.read(text)
        if seed is not None or not self._is_seeded:
            self._encoding.seed(check_seed(seed))
            self._is_seeded = True
        if position is None:
            self._encoding.begin()
        else:
            self._encoding.place(position)
        self.agents = AGENTS[:]
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {"legal_moves": []} for agent in AGENTS}
        self._pass_the_turn()
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, Any]:
        is_to_move = agent == self._to_move
        mask = self._encoding.mask() if is_to_move else np.zeros(self._encoding.num_actions, np.int8)
        return {"observation": self._encoding.observe(AGENTS.index(agent)), "action_mask": mask}

    def state(self) -> Any:
        """The board as the first player sees it."""
        return self._encoding.observe(0)

    def step(self, action: Any) -> None:
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        number = self._number(action)
        self._cumulative_rewards[agent] = 0
        self.infos[agent]["legal_moves"] = []
        if self._encoding.allows(number):
            self._play(agent, number)
        else:
            self._end({agent: -1}, {"winner": None, "reason": "illegal_move"})
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def is_to_act(self) -> bool:
        """Whether the game goes on."""
        return not (self.terminations[self.agent_selection] or self.truncations[self.agent_selection])

    def is_legal(self, action: Any) -> bool:
        return self._encoding.allows(self._number(action))

    def _number(self, action: Any) -> int:
        try:
            number = operator.index(action)
        except TypeError:
            raise MalformedAction(f"an action is an integer, not {type(action).__name__}") from None
        if not 0 <= number < self._encoding.num_actions:
            raise MalformedAction(f"there is no action {number}; there are 0 to {self._encoding.num_actions - 1}")
        return number

    def _play(self, agent: str, action: int) -> None:
        code = self._encoding.act(action)
        self.rewards = dict.fromkeys(AGENTS, 0)
        if code:
            points = self._encoding.points() if self._is_scored else 1
            other = AGENTS[1 - AGENTS.index(agent)]
            scores = {agent: points, other: -points} if code == 1 else {}
            self._end(scores, {"winner": agent if code == 1 else None, "reason": str(self._encoding.reason(code))})
            return
        if 0 < self._max_cycles <= self._encoding.length:
            self.truncations = dict.fromkeys(AGENTS, True)
        self._pass_the_turn()

    def _pass_the_turn(self) -> None:
        """Selects whoever is to act, who may be the same agent again."""
        self._to_move: str | None = AGENTS[self._encoding.player]
        self.agent_selection = self._to_move
        self.infos[self._to_move]["legal_moves"] = self._encoding.legal()

    def _end(self, rewards: dict[str, int], info: dict[str, Any]) -> None:
        self._to_move = None
        self.rewards = dict.fromkeys(AGENTS, 0) | rewards
        self.terminations = dict.fromkeys(AGENTS, True)
        for agent in AGENTS:
            self.infos[agent] = {"legal_moves": [], **info}
        self.agent_selection = AGENTS[self._encoding.player]

    def render(self) -> Any:
        return self._renderer.draw(self._encoding.board())

    def close(self) -> None:
        self._renderer.close()

    def __str__(self) -> str:
        return str(self.metadata["name"])


def _direct(name: str) -> Any:
    return property(lambda self: getattr(self.env.unwrapped, name))


class Direct:
    """PettingZoo's wrappers ask each other for every attribute; so these ask the environment at once.

    What is not there, such as the agent to move before `reset`, they refuse as the originals do.
    """

    agents = _direct("agents")
    agent_selection = _direct("agent_selection")
    rewards = _direct("rewards")
    _cumulative_rewards = _direct("_cumulative_rewards")
    terminations = _direct("terminations")
    truncations = _direct("truncations")
    infos = _direct("infos")


class TerminateIllegal(Direct, wrappers.TerminateIllegalWrapper):  # type: ignore[misc]
    def step(self, action: Any) -> None:
        """The environment scores an illegal action itself, and says so in `infos`; only the warning is left to give."""
        self._prev_obs = self._prev_info = None
        raw = self.env.unwrapped
        if action is not None and raw.is_to_act() and not raw.is_legal(action):
            EnvLogger.warn_on_illegal_move()
        self.env.step(action)


class AssertOutOfBounds(Direct, wrappers.AssertOutOfBoundsWrapper):  # type: ignore[misc]
    pass


class OrderEnforcing(Direct, wrappers.OrderEnforcingWrapper):  # type: ignore[misc]
    pass


def wrapped(raw: LudusEnv) -> AECEnv[str, Any, Any]:
    """The environment with PettingZoo's usual guards around it."""
    return OrderEnforcing(AssertOutOfBounds(TerminateIllegal(raw, illegal_reward=-1)))
