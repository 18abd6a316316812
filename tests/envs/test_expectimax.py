"""Expectimax finds what a plain recursion over the rules finds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.envs.strict_cuda import StrictArray, simulated

from ludus import GAMES
from ludus.core.errors import MalformedObservation, UnknownOption
from ludus.core.rules import Turn
from ludus.envs import batch, stateless
from ludus.envs.expectimax import cuda, expectimax

DEVICES: Any = ("cpu", "cuda")
RACE = "XGID=-AB--------------------aa-:0:0:1:21:0:0:0:0:10"


def draw(observation: Any) -> Any:
    return np.zeros(len(observation))


def equity(rules: Any, position: Any, depth: int) -> Fraction:
    """The mover's points after so many plays, at best; a game that is not over by then counts 0."""
    turn = rules.turn(position)
    if turn is Turn.DICE:
        chances = rules.chances(position)
        total = sum(weight for _, weight in chances)
        return sum((Fraction(w, total) * equity(rules, rules.play(position, r), depth) for r, w in chances), Fraction())
    return max(worth(rules, position, move, depth) for move in rules.moves(position))


def worth(rules: Any, position: Any, move: Any, depth: int) -> Fraction:
    after = rules.play(position, move)
    outcome = rules.outcome(after)
    if outcome:
        return Fraction(outcome.points if outcome.winner is position.mover else -outcome.points)
    return -equity(rules, after, depth - 1) if depth > 1 else Fraction()


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_bearing_off_is_worth_what_the_rules_say(depth: int) -> None:
    rules = GAMES["backgammon"].compiled()
    position = rules.notation.read_position(RACE)._replace(cube=None, match=None)
    env = stateless("backgammon", scoring="points")
    found = expectimax(env, env.set_positions(env.init(1), [position]), draw, depth=depth)
    best = found.worth[found.chosen[0]]
    assert best == pytest.approx(float(equity(rules, position, depth)))


@pytest.mark.parametrize("depth", [1, 2])
def test_checkers_is_plain_minimax(depth: int) -> None:
    env = batch("checkers", 30, seed=3)
    env.rollout(steps=60)
    functions = stateless("checkers")
    states = env.save()
    found = expectimax(functions, states, material, depth=depth)
    best = found.worth[found.afterstates.offsets[:-1] + found.chosen]
    assert best.tolist() == [minimax(functions, states[i : i + 1], depth) for i in range(30)]


def material(observation: Any) -> Any:
    """Own pieces less the other's."""
    return observation[:, :2].sum((1, 2, 3)) - observation[:, 2:4].sum((1, 2, 3))


def minimax(env: Any, states: Any, depth: int) -> float:
    found = env.afterstates(states)
    scores = []
    for row in range(found.offsets[-1]):
        if found.terminated[row]:
            scores.append(float(found.reward[row]))
        elif depth == 1:
            scores.append(-float(material(found.observation[row : row + 1])[0]))
        else:
            scores.append(-minimax(env, found.states[row : row + 1], depth - 1))
    return max(scores)


def test_wrong_depths_and_values_are_refused() -> None:
    env = stateless("backgammon")
    states = env.init(2)
    with pytest.raises(UnknownOption, match="depth"):
        expectimax(env, states, draw, depth=0)
    with pytest.raises(MalformedObservation, match="shape"):
        expectimax(env, states, lambda observation: np.zeros(1), depth=1)
    with pytest.raises(MalformedObservation, match="not a number"):
        expectimax(env, states, lambda observation: np.full(len(observation), np.nan), depth=1)
    with pytest.raises(MalformedObservation, match="not complex128"):
        expectimax(env, states, lambda observation: np.zeros(len(observation), complex), depth=1)
    with pytest.raises(UnknownOption, match="stateless"):
        expectimax(batch("backgammon", 2), states, draw)  # type: ignore[arg-type]


def by_place(observation: Any) -> Any:
    """A value that tells positions apart: of men and places, in either game."""
    seen = np.asarray(observation, np.float64).reshape(len(observation), -1)
    return np.sin(seen @ np.arange(seen.shape[1]))


@simulated
def test_a_gpu_looks_ahead_as_a_cpu_does() -> None:
    cuda.ROWS = 5  # several parts
    for game, depth, number in (("checkers", 1, 4), ("checkers", 2, 2), ("backgammon", 1, 4)):
        ours, theirs = (stateless(game, device=device, scoring="points") for device in DEVICES)
        env = batch(game, 30, seed=3)
        env.rollout(steps=31)
        games = [*np.flatnonzero(env.to_play == 0)[: number // 2], *np.flatnonzero(env.to_play == 1)[: number // 2]]
        states = env.save(games)
        one, two = (expectimax(each, states, by_place, depth=depth) for each in (ours, theirs))
        assert isinstance(two.worth, StrictArray)
        assert np.allclose(one.worth, two.worth.copy_to_host(), rtol=1e-12, atol=1e-12)
        assert np.array_equal(one.chosen, two.chosen.copy_to_host())


@simulated
def test_games_that_end_on_the_way_count_what_they_pay_on_a_gpu() -> None:
    ours, theirs = (stateless("backgammon", device=device, scoring="points") for device in DEVICES)
    states = ours.set_positions(ours.init(2), RACE)
    states[1, 1] = 2  # over before the search
    one, two = (expectimax(env, states, by_place, depth=2) for env in (ours, theirs))
    assert np.allclose(one.worth, two.worth.copy_to_host(), rtol=1e-12, atol=1e-12)
    assert two.chosen.copy_to_host()[1] == one.chosen[1] == -1
    with pytest.raises(MalformedObservation, match="shape"):
        expectimax(theirs, states, lambda observation: np.zeros(1))


@simulated
def test_the_roll_that_begins_the_next_game_of_a_match_decides_who_moves_on_a_gpu() -> None:
    ours, theirs = (stateless("backgammon", device=device, match_length=3) for device in DEVICES)
    last_man = "XGID=-A---------------------a--:0:0:1:21:0:0:0:3:10"
    states = ours.set_positions(ours.init(1), last_man)
    rolls = ours.chance(ours.afterstates(states).states)
    assert set(rolls.states[:, 2 + ours._kernel.PLAYER]) == {0, 1}
    one, two = (expectimax(env, states, by_place, depth=2) for env in (ours, theirs))
    assert np.allclose(one.worth, two.worth.copy_to_host(), rtol=1e-12, atol=1e-12)
    assert one.worth[0] != 0
