"""PettingZoo's own tests, and what holds for every AEC environment."""

from __future__ import annotations

import copy
import importlib
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, render_test, seed_test

import ludus.envs  # noqa: F401  # registers
from ludus.core.errors import LudusError, MalformedAction, UnknownOption, UnknownVariant
from ludus.envs import aec, backgammon_v0, backgammon_v1, checkers_v3, checkers_v4, checkers_v5

KNOWN = (
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Action mask numpy array is all zeros",
)
"""Warnings that api_test gives for every third-party environment with a mask in its observation."""

Maker = Callable[..., Any]
MAKERS: dict[str, tuple[Any, dict[str, Any]]] = {
    "checkers_v3": (checkers_v3, {}),
    "checkers_v4": (checkers_v4, {}),
    "checkers_v5": (checkers_v5, {}),
    "backgammon_v0": (backgammon_v0, {}),
    "backgammon_v0, points": (backgammon_v0, {"scoring": "points", "variant": "nackgammon"}),
    "backgammon_v0, whole plays": (backgammon_v0, {"plays": True}),
    "backgammon_v1, money": (backgammon_v1, {"cube": True, "jacoby": True, "beavers": True, "scoring": "points"}),
    "backgammon_v1, match": (backgammon_v1, {"match_length": 5, "variant": "hypergammon"}),
    "backgammon_v1, whole plays": (backgammon_v1, {"match_length": 3, "plays": True}),
    "any game": (aec, {"game": "checkers"}),
    "any game, a variant": (aec, {"game": "backgammon", "variant": "hypergammon", "scoring": "points"}),
}
every_env = pytest.mark.parametrize(("module", "options"), MAKERS.values(), ids=MAKERS)


def legal(env: Any) -> list[int]:
    mask = env.observe(env.agent_selection)["action_mask"]
    return np.flatnonzero(mask).tolist()


@every_env
def test_the_api_test_passes_with_known_warnings_only(module: Any, options: dict[str, Any]) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(module.env(**options), num_cycles=500)
        api_test(module.raw_env(**options), num_cycles=500)
    assert [str(w.message) for w in caught if not str(w.message).startswith(KNOWN)] == []


@every_env
def test_seed_render_and_state_tests_pass(module: Any, options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        seed_test(lambda: module.env(**options), num_cycles=60)
        render_test(lambda **more: module.env(**options, **more))
        states = importlib.import_module("pettingzoo.test.state_test")  # as a whole it needs a parallel environment
        states.test_state_space(module.env(**options))
        states.test_state(module.env(**options), 20)


def play(env: Any, seed: int, actions: int) -> list[tuple[str, int, Any]]:
    """A random game as a log of agents, actions and observations or rewards."""
    rng, log = np.random.default_rng(seed), []
    env.reset(seed=seed)
    for agent in env.agent_iter(actions):
        observation, reward, termination, truncation, _ = env.last()
        if termination or truncation:
            log.append((agent, -1, reward))
            env.step(None)
            continue
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        log.append((agent, action, observation["observation"].tobytes()))
        env.step(action)
    return log


@every_env
def test_the_same_seed_gives_the_same_game(module: Any, options: dict[str, Any]) -> None:
    assert play(module.env(**options), 5, 300) == play(module.env(**options), 5, 300)


@every_env
def test_rewards_sum_to_zero(module: Any, options: dict[str, Any]) -> None:
    for seed in range(5):
        env = module.env(**options)
        log = play(env, seed, 10_000)
        rewards = {agent: reward for agent, action, reward in log if action == -1}
        assert sum(rewards.values()) == 0
        assert all(not isinstance(x, np.bool_) for x in env.unwrapped.terminations.values())


@every_env
def test_observations_fit_their_space_for_both_agents(module: Any, options: dict[str, Any]) -> None:
    env = module.raw_env(**options)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(200):
        is_over = env.terminations["player_0"]
        for agent in env.possible_agents:
            seen = env.observe(agent)
            assert env.observation_space(agent).contains(seen)
            assert seen["action_mask"].any() == (agent == env.agent_selection and not is_over)
        if is_over:
            break
        env.step(rng.choice(legal(env)))


@every_env
def test_infos_list_the_legal_actions_if_asked_to(module: Any, options: dict[str, Any]) -> None:
    for env in (module.raw_env(**options, legal_moves=True), module.env(**options, legal_moves=True)):
        env.reset(seed=1)
        for _ in range(30):
            mover, other = env.agent_selection, env.agents[env.agents[0] == env.agent_selection]
            assert env.infos[mover]["legal_moves"] == legal(env)
            assert env.infos[other]["legal_moves"] == []
            env.step(legal(env)[0])


@every_env
def test_infos_without_legal_moves_only_say_how_the_game_ended(module: Any, options: dict[str, Any]) -> None:
    env = module.raw_env(**options, legal_moves=False)
    env.reset(seed=1)
    rng = np.random.default_rng(1)
    while not env.terminations["player_0"]:
        assert env.infos == {"player_0": {}, "player_1": {}}
        env.step(rng.choice(legal(env)))
    assert [sorted(info) for info in env.infos.values()] == [["reason", "winner"]] * 2


def test_only_checkers_v3_lists_the_legal_actions_by_default() -> None:
    for module, options in MAKERS.values():
        env = module.env(**options)
        env.reset(seed=1)
        assert bool(env.infos["player_0"]) == (module is checkers_v3)


@every_env
def test_observing_changes_nothing(module: Any, options: dict[str, Any]) -> None:
    env = module.raw_env(**options)
    env.reset(seed=3)
    before = {agent: env.observe(agent) for agent in env.agents}
    before["player_0"]["observation"][:] = 0
    before["player_0"]["action_mask"][:] = 0
    other = module.raw_env(**options)
    other.reset(seed=3)
    action = legal(other)[0]
    env.step(action)
    other.step(action)
    for agent in env.agents:
        assert np.array_equal(env.observe(agent)["observation"], other.observe(agent)["observation"])


@every_env
def test_spaces_are_the_same_object_each_time(module: Any, options: dict[str, Any]) -> None:
    env = module.env(**options)
    assert env.observation_space("player_0") is env.observation_space("player_0")
    assert env.action_space("player_1") is env.action_space("player_1")


@every_env
def test_an_illegal_action_loses_for_either_agent_wrapped_or_not(module: Any, options: dict[str, Any]) -> None:
    for make in (module.env, module.raw_env):
        for guilty in ("player_0", "player_1"):
            env = make(**options)
            env.reset(seed=1)
            while env.agent_selection != guilty:
                env.step(legal(env)[0])
            mask = env.observe(guilty)["action_mask"]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                env.step(int(np.flatnonzero(mask == 0)[0]))
            assert env.rewards[guilty] == -1
            assert sum(env.rewards.values()) == -1
            assert all(env.terminations.values())
            for agent in env.possible_agents:
                ending = {key: env.infos[agent][key] for key in ("winner", "reason")}
                assert ending == {"winner": None, "reason": "illegal_move"}


@every_env
def test_after_an_illegal_action_the_mask_stays_and_the_wrapped_env_selects_its_first_agent(
    module: Any, options: dict[str, Any]
) -> None:
    for make in (module.env, module.raw_env):
        for guilty, other in (("player_0", "player_1"), ("player_1", "player_0")):
            env = make(**options, legal_moves=True)
            env.reset(seed=1)
            while env.agent_selection != guilty:
                env.step(legal(env)[0])
            mask = env.observe(guilty)["action_mask"]
            env.step(int(np.flatnonzero(mask == 0)[0]))
            first = "player_0" if make is module.env else guilty
            assert env.agent_selection == first
            assert np.array_equal(env.observe(guilty)["action_mask"], mask)
            assert not env.observe(other)["action_mask"].any()
            assert env.infos[guilty]["legal_moves"] == np.flatnonzero(mask).tolist()
            env.step(None)
            assert env.agents == [agent for agent in env.possible_agents if agent != first]
            env.step(None)
            assert env.agents == []


@every_env
@pytest.mark.parametrize("action", [1.5, "1", None, [1], -1, 10_000])
def test_a_malformed_action_is_refused_and_changes_nothing(module: Any, options: dict[str, Any], action: Any) -> None:
    env = module.raw_env(**options)
    env.reset(seed=1)
    before = env.observe(env.agent_selection)["observation"].copy()
    with pytest.raises(MalformedAction):
        env.step(action)
    assert np.array_equal(env.observe(env.agent_selection)["observation"], before)
    env.step(np.int32(legal(env)[0]))


@every_env
def test_max_cycles_truncates_both(module: Any, options: dict[str, Any]) -> None:
    env = module.env(max_cycles=7, **options)
    env.reset(seed=1)
    for _ in range(7):
        assert not any(env.truncations.values())
        env.step(legal(env)[0])
    assert all(env.truncations.values())
    assert not any(env.terminations.values())


@every_env
def test_unknown_options_are_refused(module: Any, options: dict[str, Any]) -> None:
    with pytest.raises(UnknownOption):
        module.env(render_mode="hologram", **options)
    with pytest.raises(UnknownOption):
        module.env(max_cycles=0, **options)
    with pytest.raises(TypeError):
        module.env(colour="red", **options)


@every_env
@pytest.mark.parametrize(
    "bad", [{"options": {"position": "nonsense"}}, {"options": {"position": 7}}, {"seed": "a"}, {"seed": 1.5}]
)
def test_a_refused_reset_leaves_the_game_as_it_was(module: Any, options: dict[str, Any], bad: dict[str, Any]) -> None:
    env, other = module.env(**options), module.env(**options)
    for each in (env, other):
        each.reset(seed=1)
        each.step(legal(each)[0])
    with pytest.raises(LudusError):
        env.reset(**({"seed": 2} | bad))
    for _ in range(10):
        action = legal(env)[0]
        assert action == legal(other)[0]
        env.step(action)
        other.step(action)
        assert np.array_equal(env.unwrapped.state(), other.unwrapped.state())


@every_env
def test_a_copy_is_independent(module: Any, options: dict[str, Any]) -> None:
    env = module.env(**options)
    env.reset(seed=4)
    for _ in range(5):
        env.step(legal(env)[0])
    before = env.unwrapped.state()
    for twin in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        for _ in range(20):
            twin.step(legal(twin)[0])
        assert np.array_equal(env.unwrapped.state(), before)
        rest = [twin.unwrapped.state()]
    for _ in range(20):
        env.step(legal(env)[0])
    assert np.array_equal(env.unwrapped.state(), rest[-1])


@every_env
@pytest.mark.parametrize("seed", [np.int32(3), np.int64(3), 3 + (1 << 63)])
def test_seeds_of_every_integer_type_are_accepted(module: Any, options: dict[str, Any], seed: Any) -> None:
    one, two = module.raw_env(**options), module.raw_env(**options)
    one.reset(seed=3)
    two.reset(seed=seed)
    assert np.array_equal(one.state(), two.state())


def test_unknown_scorings_and_variants_are_refused() -> None:
    with pytest.raises(UnknownOption, match="points"):
        backgammon_v0.env(scoring="match")
    with pytest.raises(UnknownVariant, match="hypergammon"):
        backgammon_v0.env(variant="plakoto")


@pytest.mark.parametrize("name", ["checkers-v3", "checkers-v4", "checkers-v5", "backgammon-v0", "backgammon-v1"])
def test_the_registry_makes_them(name: str) -> None:
    env: Any = pettingzoo.make("aec", f"ludus/{name}")
    env.reset(seed=1)
    assert env.agent_selection in env.agents
