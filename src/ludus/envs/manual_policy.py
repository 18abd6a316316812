"""Play by hand in a PettingZoo environment, with moves typed in the terminal.

python -m ludus.envs.manual_policy checkers-v3    # you are player_0; player_1 plays at random
python -m ludus.envs.manual_policy backgammon-v1 --match-length 3
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from inspect import Parameter, signature
from pkgutil import resolve_name
from typing import Any, Final

import numpy as np

from ludus.core.errors import BadMove, IllegalMove, LudusError, UnknownOption
from ludus.core.extras import extra
from ludus.envs.options import check_integer, check_seed
from ludus.envs.simulator import Simulator

with extra("envs"):
    import pettingzoo

NAMESPACE = "ludus/"
HELP = "Type a move as in a record, a step as `moves` lists it, or its number; `quit` leaves the game."
OPTIONS: Final = ("variant", "match_length", "cube", "jacoby", "beavers")
"""Options of the rules, which not every environment has."""


class ManualPolicy:
    """Asks for the moves of one agent. A move that takes several actions is typed once and returned one by one."""

    def __init__(
        self, env: Any, agent_id: int = 0, show_obs: bool = False, *, ask: Callable[[str], str] = input
    ) -> None:
        self.env = env
        self.agent_id = check_integer("agent_id", agent_id, 0, len(env.possible_agents) - 1)
        self.agent = env.possible_agents[self.agent_id]
        self.show_obs = show_obs
        self._ask = ask
        self._actions: list[int] = []
        self._due: Any = None
        """The game in which the next of `_actions` is to be made."""

    def __call__(self, observation: Any, agent: str) -> int:
        if agent != self.agent:
            raise UnknownOption(f"this policy plays {self.agent}, not {agent}")
        simulator: Simulator = self.env.unwrapped._simulator
        if not self._actions or not np.array_equal(simulator.save(), self._due):
            self._show(simulator, observation)
            self._actions = self._ask_for_move(simulator)
        action = self._actions.pop(0)
        if self._actions:
            after = deepcopy(simulator)
            after.step(action)
            self._due = after.save()
        return action

    def _show(self, simulator: Simulator, observation: Any) -> None:
        if self.show_obs:
            _say(str(observation["observation"]))
        if self.env.render_mode != "human":
            _say(simulator.board().text())

    def _ask_for_move(self, simulator: Simulator) -> list[int]:
        while True:
            text = self._ask(f"{self.agent}: ").strip()
            if text == "quit":
                raise SystemExit
            if text == "moves":
                _say(
                    "\n".join(f"{action:>5}  {simulator.write_action(action)}" for action in simulator.legal_actions())
                )
                continue
            try:
                return _read(simulator, text)
            except BadMove as error:
                _say(f"{error}. {HELP}")


def _read(simulator: Simulator, text: str) -> list[int]:
    """The actions of a move, of a step in the middle of one, or of an action's number."""
    for action in simulator.legal_actions():
        if text in (str(action), simulator.write_action(action)):
            return [action]
    actions = simulator.read_move(text)
    if not simulator.is_legal(actions[0]):
        raise IllegalMove("the move that was begun has to be finished")
    return actions


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> None:
    import ludus.envs  # noqa: F401  # registers the environments

    parser = argparse.ArgumentParser(description="Play by hand against random actions.", epilog=HELP)
    names = [name.removeprefix(NAMESPACE) for name in pettingzoo.aec_registry if name.startswith(NAMESPACE)]
    parser.add_argument("env", choices=names)
    parser.add_argument("--agent", type=int, choices=(0, 1), default=0, help="your number (default: 0)")
    parser.add_argument("--seed", type=int, help="of the dice and of the other agent's actions")
    parser.add_argument("--variant", help="the starting position by name, if not standard")
    parser.add_argument("--match-length", type=int, metavar="N", help="play a match to this many points (backgammon)")
    is_on = argparse.BooleanOptionalAction
    parser.add_argument("--cube", action=is_on, help="play with the doubling cube (backgammon); matches do")
    parser.add_argument("--jacoby", action="store_true", default=None, help="gammons count only after a double")
    parser.add_argument(
        "--beavers", action="store_true", default=None, help="a player who is doubled may double again at once"
    )
    chosen = parser.parse_args(arguments)
    try:
        env = make(chosen.env, {name: getattr(chosen, name) for name in OPTIONS if getattr(chosen, name) is not None})
    except LudusError as error:
        parser.error(str(error))
    with suppress(EOFError, KeyboardInterrupt):
        play(env, chosen)


def make(name: str, options: Mapping[str, Any]) -> Any:
    """The environment with these options of the rules; it refuses options that it doesn't have."""
    known = signature(resolve_name(pettingzoo.aec_registry[NAMESPACE + name].entry_point)).parameters
    takes_all = any(each.kind is Parameter.VAR_KEYWORD for each in known.values())
    for option in options:
        if option not in known and not takes_all:
            raise UnknownOption(f"{name} has no option --{option.replace('_', '-')}")
    return pettingzoo.make("aec", NAMESPACE + name, render_mode="human", **options)


def play(env: Any, chosen: argparse.Namespace) -> None:
    policy = ManualPolicy(env, chosen.agent)
    env.reset(seed=chosen.seed)
    for agent in env.possible_agents:
        env.action_space(agent).seed(None if chosen.seed is None else check_seed(chosen.seed))
    for agent in env.agent_iter():
        observation, reward, termination, truncation, info = env.last()
        if termination or truncation:
            _say(f"{agent}: {reward:+d} ({info['reason']})")
            env.step(None)
        elif agent == policy.agent:
            env.step(policy(observation, agent))
        else:
            env.step(env.action_space(agent).sample(observation["action_mask"]))
    env.close()


if __name__ == "__main__":
    main()
