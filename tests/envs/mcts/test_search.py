"""The batched search finds what exhaustive search finds, and the same on any number of threads."""

from __future__ import annotations

import pickle
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
import pytest
from tests.envs.mcts.exhaustive import expectation, forced_result

from ludus import GAMES
from ludus.core.errors import BadInput, LudusError, MalformedState, UnknownOption
from ludus.core.rules import Player
from ludus.envs import batch
from ludus.envs.batched.driver import OUTCOME
from ludus.envs.batched.states import StateFormat
from ludus.envs.encoding import find_encoding
from ludus.envs.mcts import MCTS
from ludus.envs.mcts.search import halving
from ludus.envs.mcts.tree import CHANCE, COUNT, PLAYER
from ludus.games.checkers.position import Position, bit_of

every_game = pytest.mark.parametrize("game", ["checkers", "backgammon"])
every_method = pytest.mark.parametrize("method", ["gumbel", "puct"])


def states_of(game: str, positions: list[Any]) -> Any:
    """Saved states of games that start in these positions."""
    encoding = find_encoding(game)
    kernel, layout = encoding.kernel, StateFormat(encoding)
    states = np.zeros((len(positions), layout.words), np.int64)
    for row, position in zip(states, positions, strict=True):
        state, history = np.zeros((kernel.WORDS, 1), np.int64), np.zeros(kernel.HISTORY + 1, np.int64)
        state[:, 0] = encoding.initial_state("standard")
        kernel.set_position(state, 0, history, 0, *encoding.encode_position(position))
        row[0], row[layout.column], row[layout.history] = layout.tag, state[:, 0], history[:-1]
    return states


def know_nothing(observation: Any, mask: Any) -> Any:
    return np.zeros(mask.shape), np.zeros(len(mask))


def is_same(one: Any, two: Any) -> bool:
    return all(np.array_equal(a, b) for a, b in zip(one, two, strict=True))


def endings(seed: int) -> list[Position]:
    """Two to four pieces on random squares, and a side that can move."""
    rng, found = Random(seed), []
    for _ in range(400):
        bits = [bit_of(square) for square in rng.sample(range(5, 29), rng.randrange(2, 5))]
        cut = rng.randrange(1, len(bits))
        kings = sum(bit for bit in bits if rng.random() < 0.6)
        position = Position(sum(bits[:cut]), sum(bits[cut:]), kings, Player(rng.randrange(2)), 0)
        if GAMES["checkers"].moves(position):
            found.append(position)
    return found


@every_method
def test_checkers_endings_have_the_values_of_exhaustive_search(method: str) -> None:
    known = {position: value for position in endings(1) if (value := forced_result(position, 4)) is not None}
    assert set(known.values()) == {1, -1}
    assert len(known) > 30
    found = MCTS("checkers", know_nothing, simulations=2000, method=method, leaves=4)(states_of("checkers", [*known]))
    assert found.is_exact.all()
    assert found.value.tolist() == list(known.values())


def after(position: Position, action: int) -> Position:
    """The position after the move that is this action."""
    encoding, rules = find_encoding("checkers"), GAMES["checkers"]
    move = next(move for move in rules.moves(position) if encoding.encode_move(position, move) == [action])
    played: Position = rules.play(position, move)
    return played


def test_the_action_of_a_won_game_wins_it() -> None:
    won = [position for position in endings(2) if forced_result(position, 3) == 1]
    quiet = [position for position in won if not GAMES["checkers"].moves(position)[0].captures]
    assert len(quiet) > 5
    found = MCTS("checkers", know_nothing, simulations=2000)(states_of("checkers", quiet))
    for position, action, policy in zip(quiet, found.action.tolist(), found.policy, strict=True):
        assert forced_result(after(position, action), 6) == -1
        assert policy[action] == 1


XGID = "XGID={}:0:0:1:{}:0:0:0:0:10"
BEAROFFS = [
    XGID.format("-A---A----------------b---", "21"),
    XGID.format("--A--A--------------b-----", "11"),
    XGID.format("-----AA----------------b--", "31"),
]


@pytest.mark.parametrize(("method", "close"), [("gumbel", 1e-12), ("puct", 1e-3)])
def test_bear_offs_have_the_values_of_exhaustive_search(method: str, close: float) -> None:
    """PUCT goes on to visit an action that is proven best, and may leave the others open."""
    positions = [GAMES["backgammon"].notation.read_position(text) for text in BEAROFFS]
    search = MCTS("backgammon", know_nothing, simulations=150_000, method=method, leaves=64)
    found = search(states_of("backgammon", positions))
    expected = [float(expectation(position)) for position in positions]
    assert np.allclose(found.value, expected, rtol=0, atol=close)
    assert found.is_exact.all() or method == "puct"
    assert len({abs(value) for value in expected}) == len(BEAROFFS)


def test_points_are_counted_on_request() -> None:
    gammon = GAMES["backgammon"].notation.read_position(XGID.format("-A--------------------eee-", "21"))
    states = states_of("backgammon", [gammon])
    assert MCTS("backgammon", know_nothing, simulations=20, scoring="points")(states).value.tolist() == [2]
    assert MCTS("backgammon", know_nothing, simulations=20)(states).value.tolist() == [1]


SHUTTLE = Position(bit_of(1), bit_of(32), bit_of(1) | bit_of(32), Player.FIRST, 0)
"""A king in each corner."""


def shuttle(moves: int) -> Any:
    """A batch in which both kings have gone to and fro between two squares, and the action that continues so."""
    encoding, rules = find_encoding("checkers"), GAMES["checkers"]
    env, position, path = batch("checkers", 1), SHUTTLE, [(1, 6), (32, 27), (6, 1), (27, 32)]
    env.restore(states_of("checkers", [position]))
    for k in range(moves + 1):
        move = next(m for m in rules.moves(position) if m.path == path[k % 4])
        [action] = encoding.encode_move(position, move)
        if k < moves:
            env.step([action])
            position = rules.play(position, move)
    return env, action


@every_method
def test_a_third_repetition_is_a_draw(method: str) -> None:
    """The player to move has 0.9, so each action leaves -0.9, except for the one that draws."""

    def good(observation: Any, mask: Any) -> Any:
        return np.zeros(mask.shape), np.full(len(mask), 0.9)

    search = MCTS("checkers", good, simulations=4, method=method)
    second, _ = shuttle(3)
    third, drawing = shuttle(7)
    assert search(second).value[0] == pytest.approx((0.9 - 4 * 0.9) / 5)
    found = search(third)
    assert found.value[0] == 0
    assert found.action[0] == drawing


def test_the_last_quiet_move_is_a_draw() -> None:
    last = SHUTTLE._replace(quiet=79)
    found = MCTS("checkers", know_nothing, simulations=4)(states_of("checkers", [last]))
    assert (found.is_exact[0], found.value[0]) == (True, 0)


@every_game
@every_method
def test_threads_change_nothing_and_seeds_do(game: str, method: str) -> None:
    env = batch(game, 130, seed=4)
    env.rollout(steps=20)
    options: Any = {"simulations": 12, "method": method, "leaves": 2, "noise": 0.3}
    one, two, other = (MCTS(game, threads=threads, seed=seed, **options) for threads, seed in ((1, 5), (2, 5), (2, 6)))
    first, second = one(env), one(env)
    for found, again in ((first, two(env)), (second, two(env))):
        assert is_same(found, again)
    assert not np.array_equal(first.visits, second.visits)
    assert not np.array_equal(first.visits, other(env).visits)


@every_game
@every_method
def test_all_simulations_are_legal_visits(game: str, method: str) -> None:
    env = batch(game, 50, seed=2)
    env.rollout(steps=25)
    before = env.save()
    found = MCTS(game, simulations=33, method=method, leaves=4)(env)
    assert (found.visits.sum(axis=1) == 33).all()
    assert np.allclose(found.policy.sum(axis=1), 1, atol=1e-5)
    for array in (found.visits, found.policy):
        assert not array[env.action_mask == 0].any()
    assert np.array_equal(before, env.save())
    env.step(found.action)


@every_method
def test_a_search_goes_on_into_the_next_game_of_a_match(method: str) -> None:
    """The last man goes off, which is worth one point of the three that the match takes."""
    last = GAMES["backgammon"].notation.read_position("XGID=aA------------------------:0:0:1:21:0:0:0:3:10")
    search = MCTS("backgammon_v1", simulations=300, method=method, leaves=2)
    found = search(states_of("backgammon_v1", [last]))
    assert found.visits.sum() == 300
    assert not found.is_exact[0]
    assert 0 < found.value[0] < 0.9
    trees = search._shards[0]._tree
    assert (trees.nodes[0, 1, PLAYER], trees.nodes[0, 1, COUNT]) == (CHANCE, 30)


def test_the_dice_to_come_are_hidden() -> None:
    env = batch("backgammon", 40, seed=1)
    states = env.save()
    others = states.copy()
    others[:, 2 + find_encoding("backgammon").kernel.KEY] += 12345
    one, two = (MCTS("backgammon", simulations=40, seed=9)(rows) for rows in (states, others))
    assert is_same(one, two)


@every_method
def test_values_are_those_of_the_player_to_move(method: str) -> None:
    """The root counts 0.5 for its mover, its child 0.5 for the other side."""
    found = MCTS("checkers", lambda _, mask: (np.zeros(mask.shape), np.full(len(mask), 0.5)), simulations=1,
                 method=method)(batch("checkers", 3))  # fmt: skip
    assert found.value.tolist() == [0, 0, 0]


@every_method
def test_the_evaluator_sees_the_positions_of_its_rows(method: str) -> None:
    env = batch("checkers", 20, seed=3)
    env.rollout(steps=10)
    calls: list[Any] = []

    def keep(observation: Any, mask: Any) -> Any:
        calls.append((observation.copy(), mask.copy()))
        return know_nothing(observation, mask)

    MCTS("checkers", keep, simulations=1, method=method)(env)
    assert np.array_equal(calls[0][0], env.observation)
    assert np.array_equal(calls[0][1], env.action_mask)
    assert len(calls) == 2


@every_method
@pytest.mark.parametrize("game", ["checkers_v5", "checkers", "backgammon"])
def test_moves_without_a_choice_are_passed_without_an_evaluation(game: str, method: str) -> None:
    """But for rolls: what follows one is evaluated, as what follows the root is."""
    env = batch(game, 30, seed=5)
    env.rollout(steps=30)
    choices: list[Any] = []

    def keep(observation: Any, mask: Any) -> Any:
        choices.append((mask != 0).sum(axis=1))
        return know_nothing(observation, mask)

    found = MCTS(game, keep, simulations=40, method=method, leaves=2)(env)
    assert (found.visits.sum(axis=1) == 40).all()
    _, *later = choices
    alone = sum((number == 1).sum() for number in later)
    assert alone == 0 if game.startswith("checkers") else alone > 0
    assert sum(map(len, later)) > 400


def test_a_better_policy_gets_more_visits_and_noise_spreads_them() -> None:
    def prefer(observation: Any, mask: Any) -> Any:
        return np.where(np.arange(mask.shape[1]) == 145, 9.0, 0.0) + np.zeros(mask.shape), np.zeros(len(mask))

    env, options = batch("checkers", 8), {"simulations": 24, "method": "puct"}
    plain = MCTS("checkers", prefer, **options)(env)  # type: ignore[arg-type]  # the values are of several types
    noisy = MCTS("checkers", prefer, noise=1.0, noise_fraction=0.9, **options)(env)  # type: ignore[arg-type]
    assert (plain.action == 145).all()
    assert plain.visits[:, 145].min() > 20
    assert noisy.visits[:, 145].mean() < 15


def test_a_finished_game_has_its_value_and_no_action() -> None:
    states = batch("checkers", 3).save()
    states[:, OUTCOME] = 1 | 1 << 2, 2, 1 | -1 << 2
    found = MCTS("checkers", know_nothing, simulations=5)(states)
    assert found.value.tolist() == [1, 0, -1]
    assert found.action.tolist() == [-1, -1, -1]
    assert found.is_exact.all()


@pytest.mark.parametrize(("considered", "simulations", "visits"), [
    (1, 3, [0, 1, 2]),
    (2, 5, [0, 0, 1, 1, 2]),
    (4, 8, [0, 0, 0, 0, 1, 1, 2, 2]),
    (8, 24, [0] * 8 + [1] * 4 + [2] * 4 + [3, 3, 4, 4, 5, 5, 6, 6]),
])  # fmt: skip
def test_visits_are_halved_in_sequence(considered: int, simulations: int, visits: list[int]) -> None:
    assert halving(considered, simulations) == visits


@pytest.mark.parametrize(("options", "error"), [
    ({"game": "chess"}, UnknownOption),
    ({"simulations": 0}, UnknownOption),
    ({"method": "minimax"}, UnknownOption),
    ({"leaves": 65}, UnknownOption),
    ({"considered": 0}, UnknownOption),
    ({"exploration": -1}, UnknownOption),
    ({"noise": float("nan")}, UnknownOption),
    ({"noise_fraction": 1.5}, UnknownOption),
    ({"value_scale": "a"}, UnknownOption),
    ({"visit_offset": np.zeros(2)}, UnknownOption),
    ({"scoring": "elo"}, UnknownOption),
    ({"threads": 0}, UnknownOption),
])  # fmt: skip
def test_unknown_options_are_refused(options: dict[str, Any], error: type[LudusError]) -> None:
    with pytest.raises(error):
        MCTS(**({"game": "checkers"} | options))


@pytest.mark.parametrize("evaluate", [
    lambda seen, mask: (np.zeros((len(mask), 5)), np.zeros(len(mask))),
    lambda seen, mask: (np.zeros(mask.shape), np.zeros(len(mask) + 1)),
    lambda seen, mask: (np.zeros(mask.shape), 0.0),
    lambda seen, mask: (np.full(mask.shape, np.nan), np.zeros(len(mask))),
    lambda seen, mask: (np.zeros(mask.shape), np.full(len(mask), np.inf)),
    lambda seen, mask: (np.zeros(mask.shape), np.full(len(mask), np.nan)),
    lambda seen, mask: (np.zeros(mask.shape), np.full(len(mask), -1.5)),
    lambda seen, mask: np.zeros((3, *mask.shape)),
    lambda seen, mask: (np.zeros(mask.shape, complex), np.zeros(len(mask))),
    lambda seen, mask: (np.full(mask.shape, "1"), np.zeros(len(mask))),
    lambda seen, mask: None,
])  # fmt: skip
def test_what_is_no_evaluation_is_refused(evaluate: Any) -> None:
    with pytest.raises(BadInput, match="evaluator"):
        MCTS("checkers", evaluate, simulations=3)(batch("checkers", 1))


def test_a_search_that_is_still_running_is_refused() -> None:
    """As from another thread: both would grow the same trees."""
    env = batch("checkers", 2)
    answers: list[Any] = []

    def evaluate(observation: Any, mask: Any) -> Any:
        with pytest.raises(BadInput, match="still running") as refused:
            search(env)
        answers.append(refused)
        return know_nothing(observation, mask)

    search = MCTS("checkers", evaluate, simulations=8)
    expected = MCTS("checkers", know_nothing, simulations=8)(env)
    assert is_same(search(env), expected)
    assert answers


def test_a_search_can_be_used_again_after_an_error() -> None:
    env, is_broken = batch("checkers", 2), True

    def evaluate(observation: Any, mask: Any) -> Any:
        return None if is_broken else know_nothing(observation, mask)

    search = MCTS("checkers", evaluate, simulations=8)
    with pytest.raises(BadInput):
        search(env)
    is_broken = False
    assert is_same(search(env, search=0), MCTS("checkers", know_nothing, simulations=8)(env))


def test_no_games_are_searched_at_once() -> None:
    found = MCTS("checkers", simulations=3)(batch("checkers", 1).save()[:0])
    assert found.action.shape == (0,)
    assert found.policy.shape == (0, 256)


def test_every_search_has_its_own_random_numbers_unless_it_is_named() -> None:
    env, search = batch("backgammon", 20, seed=1), MCTS("backgammon", simulations=8)
    first, second, again = search(env), search(env), search(env, search=0)
    assert (first.visits != second.visits).any()
    assert np.array_equal(first.visits, again.visits)
    assert np.array_equal(first.value, again.value)


def test_a_copy_of_a_search_goes_on_like_it() -> None:
    env = batch("backgammon", 20, seed=1)
    search = MCTS("backgammon", know_nothing, simulations=8, method="puct", noise=0.3, seed=4)
    search(env)
    copies = [pickle.loads(pickle.dumps(search)), deepcopy(search)]
    found = search(env)
    for copy in copies:
        assert is_same(copy(env), found)


def test_states_of_another_game_are_refused() -> None:
    with pytest.raises(MalformedState):
        MCTS("checkers", simulations=3)(batch("backgammon", 4).save())


def test_states_without_dice_are_refused() -> None:
    kernel, states = find_encoding("backgammon").kernel, batch("backgammon", 4).save()
    for row in (kernel.DICE, kernel.LEGAL, kernel.LEGAL + 1):
        states[2, 2 + row] = 0
    with pytest.raises(BadInput, match="dice"):
        MCTS("backgammon", simulations=3)(states)
