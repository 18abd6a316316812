"""Actions are legal, drawn with the right chances, and the same on every device, layout and number of threads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.envs.strict_cuda import check_simulated

from ludus.core.errors import MalformedObservation, UnknownOption
from ludus.envs import batch, sampling

GAMES = ("checkers", "backgammon")
every_game = pytest.mark.parametrize("game", GAMES)
DRAWS = 200_000
ROW = np.array([0, 1, 1, 0, 1, 1, 1, 0, 1, 1], np.int8)
LOGITS = np.array([9, 0.5, -1, 9, 2, 0, 1.5, 9, -3, 1], np.float32)
"""The illegal actions would be the likeliest."""


def repeated(row: Any, number: int = DRAWS) -> Any:
    """Many rows in the memory of one."""
    return np.broadcast_to(row, (number, len(row)))


def softmax(temperature: float = 1) -> Any:
    values = np.where(ROW, np.exp(LOGITS.astype(float) / temperature), 0)
    return values / values.sum()


def chi_square(actions: Any, chances: Any) -> float:
    """The sum over the seven legal actions; six degrees of freedom exceed 27.9 once in 10,000."""
    counts = np.bincount(actions, minlength=len(chances))
    assert not counts[chances == 0].any()
    expected = len(actions) * chances[chances > 0]
    return float(((counts[chances > 0] - expected) ** 2 / expected).sum())


def logits_of(env: Any, seed: int = 1) -> Any:
    return np.random.default_rng(seed).normal(scale=2, size=(env.num_envs, env.num_actions)).astype(np.float32)


@pytest.mark.parametrize("temperature", [0.5, 1, 3])
def test_actions_are_drawn_as_often_as_the_softmax_says(temperature: float) -> None:
    drawn = sampling.sample(repeated(ROW), repeated(LOGITS), seed=1, temperature=temperature)
    assert chi_square(drawn, softmax(temperature)) < 27.9


def test_without_logits_all_legal_actions_are_drawn_as_often() -> None:
    assert chi_square(sampling.sample(repeated(ROW), seed=1), ROW / ROW.sum()) < 27.9


def test_draws_of_one_row_at_many_counters_have_the_same_chances() -> None:
    row, logits = ROW[None], LOGITS[None]
    drawn = [int(sampling.sample(row, logits, seed=1, counter=counter)[0]) for counter in range(5000)]
    assert chi_square(np.array(drawn), softmax()) < 27.9


def test_the_best_of_gumbel_top_k_has_the_chances_of_the_softmax() -> None:
    best = sampling.gumbel_top_k(repeated(ROW), repeated(LOGITS), 3, seed=1)
    assert chi_square(best.actions[:, 0], softmax()) < 27.9
    assert (np.diff(best.scores) <= 0).all()
    pairs, chances = best.actions[:, :2], softmax()
    second = pairs[pairs[:, 0] == 4][:, 1]
    others = np.where(np.arange(10) == 4, 0, chances)
    assert chi_square(second, others / others.sum()) < 27.9


def test_a_row_with_fewer_actions_than_k_ends_with_minus_one() -> None:
    found = sampling.gumbel_top_k(ROW[None], LOGITS[None], 9, seed=1)
    assert sorted(found.actions[0].tolist()) == [-1, -1, *np.flatnonzero(ROW)]
    assert np.isneginf(found.scores[0, 7:]).all()


@pytest.mark.parametrize("width", [1, 9, 31, 32, 33, 63, 64, 65, 96, 100, 128, 156, 161, 300])
def test_every_width_of_a_mask_is_read_to_its_end(width: int) -> None:
    rng = np.random.default_rng(width)
    mask = rng.random((64, width)) < 0.3
    mask[np.arange(64), rng.integers(width, size=64)] = True
    mask[0, :-1], mask[0, -1] = False, True
    hits = np.zeros(mask.shape, bool)
    for counter in range(30 * width):
        actions = sampling.sample(mask, seed=1, counter=counter)
        hits[np.arange(64), actions] = True
    assert not (hits & ~mask).any()
    assert (hits == mask).mean() > 0.999
    best = sampling.sample(mask, rng.random(mask.shape, np.float32), temperature=0)
    assert mask[np.arange(64), best].all()


@every_game
def test_what_is_sampled_without_logits_is_what_a_step_plays(game: str) -> None:
    one, two = (batch(game, 200, seed=4) for _ in range(2))
    for _ in range(60):
        drawn = one.sample(log_probs=True)
        assert np.allclose(drawn.log_probs, -np.log(one.action_mask.sum(axis=1)))
        assert np.array_equal(one.sample(), drawn.actions)
        one.step(drawn.actions)
        two.step()
        assert np.array_equal(one.observation, two.observation)


@every_game
def test_layouts_and_threads_draw_the_same_legal_actions(game: str) -> None:
    options: Any = {"match_length": 3} if game == "backgammon" else {}
    one, two = batch(game, 9000, seed=4, threads=1, **options), batch(game, 9000, seed=4, threads=2, **options)
    packed = batch(game, 9000, seed=4, layout="packed", **options)
    name = one._encoding.name
    for _ in range(12):
        logits = logits_of(one)
        drawn = one.sample(logits, log_probs=True)
        assert one.action_mask[np.arange(9000), drawn.actions].all()
        for other in (two, packed):
            theirs = other.sample(logits, log_probs=True)
            assert np.array_equal(drawn.actions, theirs.actions)
            assert np.array_equal(drawn.log_probs, theirs.log_probs)
        free = sampling.sample(one.action_mask, logits, seed=2, threads=1)
        assert np.array_equal(free, sampling.sample(packed.action_mask, logits, seed=2, game=name))
        for env in (one, two, packed):
            env.step(drawn.actions)


def test_streams_are_independent_and_asking_again_changes_nothing() -> None:
    env = batch("checkers", 3000, seed=1)
    env.rollout(steps=20)
    logits = logits_of(env)
    first, second = env.sample(logits).copy(), env.sample(logits, stream=1).copy()
    assert np.array_equal(env.sample(logits), first)
    agreement = (first == second).mean()
    chances = np.exp(sampling.log_softmax(env.action_mask, logits))
    expected = (chances**2).sum(axis=1).mean()
    assert abs(agreement - expected) < 0.04
    assert not np.array_equal(env.sample(stream=1).copy(), env.sample())


def test_a_clone_draws_the_same_into_arrays_of_its_own() -> None:
    env = batch("backgammon", 50, seed=1)
    env.rollout(steps=30)
    logits, first = logits_of(env), env.sample(logits_of(env))
    clone = env.clone()
    assert np.array_equal(clone.sample(logits), first)
    clone.step(clone.sample(logits))
    before = first.copy()
    clone.sample(logits)
    assert np.array_equal(first, before)


def test_a_seed_and_a_counter_decide() -> None:
    mask = repeated(ROW, 500)
    one = sampling.sample(mask, seed=1)
    assert np.array_equal(one, sampling.sample(mask, seed=1, counter=0))
    for other in (sampling.sample(mask, seed=2), sampling.sample(mask, seed=1, counter=1), sampling.sample(mask)):
        assert not np.array_equal(one, other)
    assert not np.array_equal(sampling.sample(mask), sampling.sample(mask))


@pytest.mark.parametrize("temperature", [0.25, 1, 20])
def test_log_probabilities_are_those_of_the_softmax(temperature: float) -> None:
    env = batch("backgammon", 500, seed=1)
    logits = 4 * logits_of(env)
    exact = np.where(env.action_mask, logits.astype(float) / temperature, -np.inf)
    exact -= exact.max(axis=1, keepdims=True)
    exact -= np.log(np.exp(exact).sum(axis=1, keepdims=True))
    found = sampling.log_softmax(env.action_mask, logits, temperature=temperature)
    assert np.allclose(found, exact, rtol=1e-5, atol=1e-5)
    drawn = env.sample(logits, temperature=temperature, log_probs=True)
    assert np.array_equal(drawn.log_probs, found[np.arange(500), drawn.actions])


def test_at_temperature_zero_the_first_of_the_best_is_chosen() -> None:
    logits = np.array([[5, 1, 3, 3, 3]], np.float32)
    mask = np.array([[0, 1, 0, 1, 1]], bool)
    drawn = sampling.sample(mask, logits, temperature=0, log_probs=True)
    assert (drawn.actions.tolist(), drawn.log_probs.tolist()) == ([3], [0])


def test_an_action_of_minus_infinity_is_never_drawn() -> None:
    logits = np.where(np.arange(10) == 6, np.float32(-np.inf), LOGITS)
    assert 6 not in sampling.sample(repeated(ROW, 10_000), repeated(logits, 10_000), seed=1)
    assert 6 not in sampling.gumbel_top_k(repeated(ROW, 100), repeated(logits, 100), 6, seed=1).actions


def test_extreme_logits_and_temperatures_are_drawn_from() -> None:
    huge = np.array([[3e38, -3e38, 3e38]], np.float32)
    mask = np.ones((1, 3), bool)
    assert {int(sampling.sample(mask, huge, seed=seed)[0]) for seed in range(40)} == {0, 2}
    assert sampling.sample(mask, np.array([[1, 2, 1]], np.float32), temperature=1e-45)[0] == 1
    assert len({int(sampling.sample(mask, huge[:, ::-1] / 1e30, temperature=1e300, seed=s)[0]) for s in range(60)}) == 3


@pytest.mark.parametrize("value", [np.nan, np.inf])
@pytest.mark.parametrize("temperature", [0, 1])
def test_a_row_with_a_bad_logit_is_named(value: float, temperature: float) -> None:
    mask, logits = repeated(ROW, 20).copy(), repeated(LOGITS, 20).copy()
    logits[:, 0] = value
    sampling.sample(mask, logits, temperature=temperature)
    logits[13, 4] = value
    with pytest.raises(MalformedObservation, match="row 13 "):
        sampling.sample(mask, logits, temperature=temperature)
    with pytest.raises(MalformedObservation, match="row 13 "):
        sampling.log_softmax(mask, logits)
    with pytest.raises(MalformedObservation, match="row 13 "):
        sampling.gumbel_top_k(mask, logits, 2)


@pytest.mark.parametrize("logits", [None, repeated(LOGITS, 20)])
def test_a_row_without_a_legal_action_is_named(logits: Any) -> None:
    mask = repeated(ROW, 20).copy()
    mask[7] = 0
    with pytest.raises(MalformedObservation, match="row 7 "):
        sampling.sample(mask, logits)


def test_a_row_in_which_all_legal_actions_are_minus_infinity_is_named() -> None:
    logits = repeated(LOGITS, 20).copy()
    logits[5, ROW == 1] = -np.inf
    for temperature in (0, 1):
        with pytest.raises(MalformedObservation, match="row 5 "):
            sampling.sample(repeated(ROW, 20), logits, temperature=temperature)


def test_masks_and_logits_are_read_where_they_are() -> None:
    wide, values = np.zeros((50, 30), bool), np.zeros((50, 40), np.float32)
    wide[:, 5:15], values[:, 7:17] = ROW, LOGITS
    mask, logits = wide[::2, 5:15], values[::2, 7:17]
    expected = sampling.sample(repeated(ROW, 25), repeated(LOGITS, 25), seed=3)
    assert np.array_equal(sampling.sample(mask, logits, seed=3), expected)
    assert np.array_equal(sampling.sample(mask[::-1], logits[::-1], seed=3), expected)
    turned = np.asfortranarray(mask), np.asfortranarray(logits)
    assert np.array_equal(sampling.sample(*turned, seed=3), expected)


def test_no_rows_are_no_actions() -> None:
    assert sampling.sample(np.zeros((0, 10), bool), np.zeros((0, 10), np.float32)).shape == (0,)


GOOD: dict[str, Any] = {"mask": repeated(ROW, 4), "logits": repeated(LOGITS, 4)}


@pytest.mark.parametrize(("change", "error"), [
    ({"mask": ROW}, MalformedObservation),
    ({"mask": [[1, 1]]}, MalformedObservation),
    ({"mask": np.zeros((4, 0), bool)}, MalformedObservation),
    ({"mask": np.zeros((4, 10))}, MalformedObservation),
    ({"mask": np.zeros((4, 4), np.int64)}, UnknownOption),
    ({"mask": np.zeros((4, 3), np.int64), "game": "checkers"}, MalformedObservation),
    ({"mask": np.zeros((4, 4), np.int64), "game": "chess"}, UnknownOption),
    ({"logits": np.zeros((4, 10))}, MalformedObservation),
    ({"logits": np.zeros((4, 9), np.float32)}, MalformedObservation),
    ({"logits": 3}, MalformedObservation),
    ({"temperature": -1}, UnknownOption),
    ({"temperature": np.nan}, UnknownOption),
    ({"seed": "a"}, UnknownOption),
    ({"counter": -1}, UnknownOption),
    ({"threads": 0}, UnknownOption),
    ({"threads": -1}, UnknownOption),
])  # fmt: skip
def test_what_cannot_be_drawn_from_is_refused(change: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error):
        sampling.sample(**(GOOD | change))


def test_what_has_no_meaning_is_refused() -> None:
    env = batch("checkers", 4)
    for logits in (np.zeros((4, 255), np.float32), np.zeros((4, 256))):
        with pytest.raises(MalformedObservation):
            env.sample(logits)
    with pytest.raises(UnknownOption):
        env.sample(stream=-1)
    with pytest.raises(UnknownOption):
        sampling.log_softmax(**GOOD, temperature=0)
    for k in (0, 11):
        with pytest.raises(UnknownOption):
            sampling.gumbel_top_k(**GOOD, k=k)


def test_the_simulated_gpu_draws_the_same_actions() -> None:
    assert check_simulated("-m", "tests.envs.sampling.gpu", "20", "3").count("the same") == 3
