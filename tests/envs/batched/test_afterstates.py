"""After-states are the positions that the rules' whole moves lead to, before the next roll."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ludus import GAMES
from ludus.core.errors import IllegalAction, LudusError, MalformedAction, MalformedState, UnknownOption
from ludus.envs import batch, stateless
from ludus.envs.backgammon import kernel
from ludus.envs.batched.afterstates.cpu import list_afterstates
from ludus.games.backgammon.position import Stage

VARIANTS = (
    ("checkers", "standard"),
    ("backgammon", "standard"),
    ("backgammon", "hypergammon+match3"),
)
every_variant = pytest.mark.parametrize(("game", "variant"), VARIANTS)

ROLLED = (kernel.DICE, kernel.ROLLS, kernel.LEGAL, kernel.LEGAL + 1, kernel.PLAYER, kernel.OPENING)
"""What a roll changes; that which begins a game of a match decides who moves, too."""


def games_in_progress(game: str, variant: str, number: int = 40, steps: int = 30, **options: Any) -> Any:
    """Some in the middle of a turn."""
    env = batch(game, number, seed=2, variant=variant, scoring="points", **options)
    env.rollout(steps=steps)
    return env


def any_move(found: Any, seed: int) -> Any:
    return (np.random.default_rng(seed).random(len(found.counts)) * found.counts).astype(np.int64)


def positions(env: Any, states: Any) -> list[Any]:
    """The positions that rows of states hold."""
    return [env._encoding.decode_position(row) for row in states[:, env._format.column].tolist()]


@every_variant
def test_they_are_what_the_rules_moves_lead_to(game: str, variant: str) -> None:
    env, compared = games_in_progress(game, variant), 0
    rules = GAMES[env.game].compiled()
    while compared < 150:
        found = env.afterstates()
        before, after = positions(env, env.save()), positions(env, found.states)
        for i, position in enumerate(before):
            rows = range(found.offsets[i], found.offsets[i + 1])
            if is_whole_turn(env, i) and not found.terminated[rows].any() and not is_new_game(after, rows, position):
                expected = {board(rules.play(position, move)) for move in rules.moves(position)}
                assert sorted(board(after[row]) for row in rows) == sorted(expected)
                compared += 1
        env.step_afterstates(any_move(found, compared))


def is_whole_turn(env: Any, i: int) -> bool:
    """Whether the game's dice are all there, and no piece is in the middle of a chain."""
    column, kernel = env._state[:, i].tolist(), env._kernel
    if env.game == "checkers":
        return not column[kernel.CHAIN]
    dice = column[kernel.DICE]
    return not dice or dice >> 6 == (4 if dice & 7 == dice >> 3 & 7 else 2)


def is_new_game(after: Any, rows: range, position: Any) -> bool:
    """Whether a move ends a game of a match: the rules stop there, environments begin the next one."""
    return any(getattr(after[row], "match", None) != getattr(position, "match", None) for row in rows)


def board(position: Any) -> tuple[Any, ...]:
    """What a move changes, whoever rolls next."""
    if hasattr(position, "white"):
        cube = position.cube
        is_offered = cube and cube.stage in (Stage.DOUBLED, Stage.BEAVERED)
        return position.white, position.black, position.mover.value, str(cube and (cube.value, cube.owner, is_offered))
    return position.first, position.second, position.kings, position.mover.value, position.quiet


@every_variant
def test_a_whole_move_is_its_actions_one_by_one(game: str, variant: str) -> None:
    env = games_in_progress(game, variant, max_steps=90)
    other, ended = env.clone(), 0
    for turn in range(80):
        found = env.afterstates()
        chosen = any_move(found, turn)
        moves, reward, over = found.actions[found.offsets[:-1] + chosen], np.zeros(40), np.zeros(40, bool)
        for actions in moves.T:
            games = np.flatnonzero((actions >= 0) & ~over)
            if len(games):
                some = other.take(games)
                some.step(actions[games])
                other.restore(some.save(), games)
                reward[games], over[games] = some.reward, some.terminated | some.truncated
        step = env.step_afterstates(chosen)
        assert np.array_equal(env.save(), other.save())
        assert np.array_equal(step.observation, other.observation)
        assert np.array_equal(step.reward, reward)
        assert np.array_equal(step.terminated | step.truncated, over)
        ended += over.sum()
    assert ended > 10


@pytest.mark.parametrize(("game", "variant"), [*VARIANTS, ("checkers_v5", "standard")])
def test_the_next_player_sees_them_without_dice(game: str, variant: str) -> None:
    env = games_in_progress(game, variant)
    kept, seen = [word for word in range(env._kernel.WORDS) if game != "backgammon" or word not in ROLLED], 0
    for turn in range(60):
        found, movers = env.afterstates(), env.to_play.copy()
        chosen = any_move(found, turn)
        rows = found.offsets[:-1] + chosen
        step = env.step_afterstates(chosen)
        on = ~step.terminated
        assert np.array_equal(found.terminated[rows], step.terminated)
        assert np.array_equal(found.reward[rows], step.reward)
        after, now = (states[:, env._format.column][:, kept] for states in (found.states[rows], env.save()))
        assert np.array_equal(after[on], now[on])
        expected = np.where(found.terminated[rows], 0, np.where(found.to_play[rows] == movers, 1, -1))
        assert np.array_equal(found.discount[rows], expected)
        if game == "backgammon":
            assert not found.observation[:, 26:32].any()
        elif on.any():
            assert np.array_equal(found.observation[rows][on], step.observation[on])
        seen += on.sum()
    assert seen > 1000


@every_variant
def test_rolled_after_states_are_the_next_states(game: str, variant: str) -> None:
    env, functions = games_in_progress(game, variant), stateless(game, variant=variant)
    for turn in range(20):
        found = functions.afterstates(env.save())
        chosen = any_move(env.afterstates(), turn)
        rows = found.states[found.offsets[:-1] + chosen]
        step = env.step_afterstates(chosen)
        on = ~step.terminated
        assert np.array_equal(functions.roll(rows)[on], env.save()[on])
        rolls = functions.chance(rows)
        counts = np.diff(rolls.offsets)
        if game == "backgammon":
            assert set(counts[on]) <= {1, 21, 30}
            assert not functions.observe(rows).action_mask[:, :156].any()
            weights = np.add.reduceat(rolls.weights, rolls.offsets[:-1])
            assert np.array_equal(weights, np.select([counts == 1, counts == 21], [1, 36], 30))
        else:
            assert (counts == 1).all()


def test_points_and_winners_are_in_the_states() -> None:
    env = batch("backgammon", 300, seed=1, scoring="points", variant="hypergammon")
    won: dict[int, int] = {}
    for turn in range(60):
        found, movers = env.afterstates(), env.to_play.copy()
        over = np.flatnonzero(found.terminated)
        signs = np.where(movers[found.games[over]] == 0, 1, -1)
        outcomes = found.states[over, 1]
        assert np.array_equal(outcomes & 3, np.ones_like(outcomes))
        assert np.array_equal(outcomes >> 2, signs * found.reward[over])
        for points in found.reward[over].tolist():
            won[points] = won.get(points, 0) + 1
        env.step_afterstates(any_move(found, turn))
    assert set(won) == {1, 2, 3}


@every_variant
def test_threads_and_layouts_change_nothing(game: str, variant: str) -> None:
    env = games_in_progress(game, variant, 600)
    one, two = (list_afterstates(env, env.save(), threads) for threads in (1, 2))
    packed = games_in_progress(game, variant, 600, layout="packed").afterstates()
    for name in one._fields:
        assert np.array_equal(getattr(one, name), getattr(two, name)), name
        assert name == "observation" or np.array_equal(getattr(one, name), getattr(packed, name)), name
    assert packed.observation.shape == (one.offsets[-1], env._kernel.PACKED_OBSERVATION)


def test_a_list_grows_with_the_moves() -> None:
    """Doubles with a man on many points have hundreds of plays."""
    env = batch("backgammon", 100, seed=1)
    text = "XGID=-AAAAAAAAAAAAAAA------bbb-:0:0:1:11:0:0:0:0:10"
    encoding = env._encoding
    words = encoding.encode_position(GAMES["backgammon"].notation.read_position(text))
    for i in range(100):
        encoding.kernel.set_position(env._state, i, env._history, 0, *words)
    found = env.afterstates()
    assert (found.counts == found.counts[0]).all()
    assert found.counts[0] > 1000
    assert np.array_equal(found.observation[: found.counts[0]], found.observation[-found.counts[0] :])


def test_the_best_move_is_the_first_of_the_greatest() -> None:
    env = games_in_progress("backgammon", "standard")
    found = env.afterstates()
    worth = np.random.default_rng(1).integers(0, 4, found.offsets[-1]) / 3
    expected = [worth[a:b].argmax() for a, b in zip(found.offsets, found.offsets[1:], strict=False)]
    assert found.best(worth).tolist() == expected
    assert found.best(worth.astype(np.float32).tolist()).tolist() == expected


def test_a_value_that_is_not_a_number_is_refused() -> None:
    found = games_in_progress("backgammon", "standard").afterstates()
    worth = np.zeros(found.offsets[-1])
    worth[found.offsets[7] + 1] = np.nan
    for values in (worth, worth.astype(np.float32), worth.tolist()):
        with pytest.raises(MalformedAction, match="move 1 of game 7 is not a number"):
            found.best(values)


@pytest.mark.parametrize("kind", [complex, str])
def test_worth_is_real_numbers(kind: Any) -> None:
    found = batch("checkers", 2).afterstates()
    with pytest.raises(MalformedAction, match="real numbers, not"):
        found.best(np.zeros(len(found.states)).astype(kind))


def test_finished_games_have_no_moves() -> None:
    env = games_in_progress("checkers", "standard")
    states = env.save()
    states[3, 1] = 2
    found = list_afterstates(env, states, 1)
    assert found.counts[3] == 0
    assert found.best(np.zeros(found.offsets[-1]))[3] == -1
    assert (np.delete(found.counts, 3) > 0).all()


def stale(env: Any) -> None:
    env.afterstates()
    env.step()
    env.step_afterstates(np.zeros(40, int))


def twice(env: Any) -> None:
    env.afterstates()
    env.step_afterstates(np.zeros(40, int))
    env.step_afterstates(np.zeros(40, int))


def beyond(env: Any) -> None:
    env.step_afterstates(env.afterstates().counts)


def negative(env: Any) -> None:
    env.afterstates()
    env.step_afterstates(np.full(40, -1))


def fractions(env: Any) -> None:
    env.afterstates()
    env.step_afterstates(np.zeros(40))


def too_few(env: Any) -> None:
    env.afterstates()
    env.step_afterstates([0])


def ragged(env: Any) -> None:
    env.afterstates()
    env.step_afterstates([[0], [0, 1]])


def wrong_values(env: Any) -> None:
    env.afterstates().best(np.zeros(3))


def no_dice(env: Any) -> None:
    found = env.afterstates()
    list_afterstates(env, found.states, 1)


@pytest.mark.parametrize(("misuse", "error", "text"), [
    (lambda env: env.step_afterstates(np.zeros(40, int)), IllegalAction, "moves were listed"),
    (stale, IllegalAction, "moves were listed"),
    (twice, IllegalAction, "moves were listed"),
    (beyond, MalformedAction, "game 0 has"),
    (negative, MalformedAction, "number -1"),
    (fractions, MalformedAction, "40 integers"),
    (too_few, MalformedAction, "40 integers"),
    (ragged, MalformedAction, "40 integers"),
    (lambda env: env.set_dice([[1, 2], [3]]), UnknownOption, "not an array of numbers"),
    (wrong_values, MalformedAction, "values of shape"),
    (no_dice, UnknownOption, "have not been rolled"),
    (lambda env: env.restore(env.afterstates().states[:40]), UnknownOption, "dice of game 0"),
    (lambda env: stateless("backgammon").step(env.afterstates().states), UnknownOption, "dice of game 0"),
])  # fmt: skip
def test_misuse_is_refused_and_nothing_is_played(
    misuse: Callable[[Any], None], error: type[LudusError], text: str
) -> None:
    env = games_in_progress("backgammon", "standard", steps=0)
    with pytest.raises(error, match=text):
        misuse(env)


def test_states_with_more_men_than_the_game_are_refused() -> None:
    """They would have more moves than there is room for."""
    env, every_point = stateless("backgammon"), 0x01FFFFFE
    states = env.init(2)
    states[1, 2 + kernel.LOW] = every_point
    states[1, 2 + kernel.HIGH] = states[1, 2 + kernel.OTHER_LOW] = states[1, 2 + kernel.OTHER_HIGH] = 0
    states[1, 2 + kernel.DICE] = 1 | 1 << 3 | 4 << 6
    with pytest.raises(MalformedState, match="no state"):
        env.afterstates(states)
    functions = stateless("checkers")
    states = functions.init(1)
    states[0, 2] = 0xAA55AA55AA
    with pytest.raises(MalformedState, match="no state"):
        functions.afterstates(states)


def test_a_kernel_that_lists_no_moves_is_refused() -> None:
    env = games_in_progress("checkers", "standard")
    env._kernel = object()
    with pytest.raises(UnknownOption, match="checkers lists no moves"):
        list_afterstates(env, np.zeros((1, env.state_words), np.int64), 1)
