"""Policies in files: good ones load as they were saved, and everything else is refused."""

from __future__ import annotations

import io
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import MalformedObservation, MalformedPolicy, UnknownOption
from ludus.envs.batched import batch
from ludus.envs.policy import MAX_BYTES, Policy, highest, inputs
from ludus.envs.value import Value

SIZES = {"checkers": (384, 256), "backgammon": (59, 156)}


def layers(game: str, hidden: tuple[int, ...] = (16,), seed: int = 0) -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(seed)
    widths = [SIZES[game][0], *hidden, SIZES[game][1]]
    return [
        (rng.normal(size=(a, b)).astype(np.float32), rng.normal(size=b).astype(np.float32)) for a, b in pairwise(widths)
    ]


def written(game: str = "backgammon") -> bytes:
    file = io.BytesIO()
    parts = {"format": np.array(1), "game": np.array(game)}
    for number, (weight, bias) in enumerate(layers(game, (4,))):
        parts |= {f"weight_{number}": weight, f"bias_{number}": bias}
    np.savez(file, **parts)  # type: ignore[arg-type]  # NumPy's stub takes them for its own options
    return file.getvalue()


@pytest.mark.parametrize("game", SIZES)
def test_a_policy_that_is_saved_and_loaded_is_the_same(game: str, tmp_path: Path) -> None:
    policy = Policy.from_layers(game, layers(game, (8, 8)))
    policy.save(tmp_path / "policy.npz")
    again = Policy.load(tmp_path / "policy.npz")
    assert again.game == game
    for one, two in zip(policy.layers, again.layers, strict=True):
        assert np.array_equal(one.weight, two.weight)
        assert np.array_equal(one.bias, two.bias)


def test_a_policy_stays_as_it_was_made_while_its_arrays_learn() -> None:
    """The members of a league would otherwise all become the network that is learning."""
    (weight, bias), points = next(iter(layers("backgammon", ()))), np.ones(156, np.float32)
    policy = Policy.from_layers("backgammon", [(weight, bias)])
    value = Value.from_layers("backgammon", points, [(weight, bias)])
    for array in (weight, bias, points):
        array[:] = 0
    for part in (*policy.layers[0], *value.layers[0], value.points):
        assert part.any()


@pytest.mark.parametrize("game", SIZES)
def test_the_logits_are_those_of_the_plain_formula(game: str) -> None:
    (w0, b0), (w1, b1) = layers(game)
    games = batch(game, 5, seed=3)
    for _ in range(20):
        games.step()
    x = games.observation.reshape(5, -1).astype(np.float64) / highest(game).reshape(-1)
    expected = np.maximum(x @ w0 + b0, 0) @ w1 + b1
    got = Policy.from_layers(game, [(w0, b0), (w1, b1)]).logits(games.observation)
    assert np.allclose(got, expected, rtol=1e-3, atol=1e-3)


def value_of(game: str) -> tuple[Any, Any]:
    rng = np.random.default_rng(9)
    return rng.normal(size=(16, 1)).astype(np.float32) / 9, np.array([0.1], np.float32)


def test_a_value_is_saved_with_its_simulations_and_evaluates(tmp_path: Path) -> None:
    weight, bias = value_of("checkers")
    policy = Policy.from_layers("checkers", layers("checkers"), value=(weight, bias), simulations=50)
    policy.save(tmp_path / "policy.npz")
    again, games = Policy.load(tmp_path / "policy.npz"), batch("checkers", 5, seed=3)
    assert again.simulations == 50
    logits, values = again.evaluate(games.observation, games.action_mask)
    (w0, b0), _ = layers("checkers")
    inner = np.maximum(inputs("checkers", games.observation) @ w0 + b0, 0)
    assert np.array_equal(logits, policy.logits(games.observation))
    assert np.allclose(values, np.tanh(inner @ weight + bias)[:, 0], rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(("value", "simulations"), [
    ((np.zeros((15, 1)), np.zeros(1)), 1),
    ((np.zeros((16, 2)), np.zeros(2)), 1),
    ((np.zeros((16, 1)), None), 1),
    ((np.full((16, 1), np.nan), np.zeros(1)), 1),
    ((np.zeros((16, 1)), np.zeros(1)), -1),
    ((np.zeros((16, 1)), np.zeros(1)), 10_001),
    ((np.zeros((16, 1)), np.zeros(1)), 1.5),
    ((np.zeros((16, 1)), np.zeros(1)), "many"),
    (None, 1),
])  # fmt: skip
def test_a_value_that_does_not_fit_is_refused(value: Any, simulations: int) -> None:
    with pytest.raises(MalformedPolicy):
        Policy.from_layers("checkers", layers("checkers"), value=value, simulations=simulations)


@pytest.mark.parametrize("more", [
    {"value_weight": np.zeros((4, 1))},
    {"simulations": np.array(3)},
    {"value_weight": np.zeros((4, 1)), "value_bias": np.zeros(1), "simulations": np.array([3, 4])},
    {"value_weight": np.zeros((4, 1)), "value_bias": np.zeros(1), "simulations": np.array(3.5)},
])  # fmt: skip
def test_a_file_with_half_a_value_is_refused(more: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "policy.npz"
    with np.load(io.BytesIO(written())) as parts:
        np.savez(path, **(dict(parts) | more))
    with pytest.raises(MalformedPolicy):
        Policy.load(path)


def test_a_policy_without_a_value_evaluates_nothing() -> None:
    games = batch("checkers", 1)
    with pytest.raises(UnknownOption):
        Policy.from_layers("checkers", layers("checkers")).evaluate(games.observation, games.action_mask)


def test_inputs_are_between_0_and_1_and_reach_1() -> None:
    quiet = np.zeros((6, 8, 8), np.int8)
    quiet[5] = 80
    assert inputs("checkers", quiet).max() == 1
    off = np.zeros(59, np.int8)
    off[25], off[29] = 15, 4
    assert inputs("backgammon", off).sum() == 2


@pytest.mark.parametrize("game", SIZES)
def test_a_batch_of_observations_gives_the_actions_of_each_alone(game: str) -> None:
    policy, games = Policy.from_layers(game, layers(game)), batch(game, 8, seed=1)
    together = policy.act(games.observation, games.action_mask)
    alone = [policy.act(*pair) for pair in zip(games.observation, games.action_mask, strict=True)]
    assert together.tolist() == alone
    assert all(isinstance(action, int) for action in alone)
    assert games.action_mask[np.arange(8), together].all()


def test_at_temperature_0_the_highest_legal_logit_is_chosen() -> None:
    bias = np.zeros(156)
    bias[7], bias[9] = 2, 1
    policy = Policy.from_layers("backgammon", [(np.zeros((59, 156)), bias)])
    seen, mask = np.zeros(59, np.int8), np.zeros(156, np.int8)
    mask[[3, 9]] = 1
    assert policy.act(seen, mask) == 9
    mask[7] = 1
    assert policy.act(seen, mask) == 7


def test_above_temperature_0_actions_are_drawn_from_the_softmax() -> None:
    bias = np.full(156, 50.0)
    bias[[3, 9]] = 0, np.log(3)
    policy = Policy.from_layers("backgammon", [(np.zeros((59, 156)), bias)])
    seen, mask = np.zeros((4000, 59), np.int8), np.zeros((4000, 156), np.int8)
    mask[:, [3, 9]] = 1
    warm = policy.act(seen, mask, np.random.default_rng(1), temperature=1)
    assert set(warm.tolist()) == {3, 9}
    assert abs((warm == 9).mean() - 0.75) < 0.03
    hot = policy.act(seen, mask, np.random.default_rng(1), temperature=1e9)
    assert abs((hot == 9).mean() - 0.5) < 0.03
    cold = policy.act(seen, mask, np.random.default_rng(1), temperature=1e-300)
    assert set(cold.tolist()) == {9}


@given(uniform=st.floats(0, 1), temperature=st.sampled_from([0.0, 1e-30, 0.5, 1.0, 1e30]), seed=st.integers(0, 99))
def test_the_choice_is_always_legal(uniform: float, temperature: float, seed: int) -> None:
    games = batch("backgammon", 1, seed=seed)
    policy = Policy.from_layers("backgammon", layers("backgammon", (4,), seed))
    (action,) = policy.choose(games.observation, games.action_mask, np.array([uniform]), temperature)
    assert games.action_mask[0, action]


def test_numbers_too_large_for_float32_still_give_a_legal_action() -> None:
    huge = [(np.full((59, 4), 1e38), np.zeros(4)), (np.full((4, 156), -1e38), np.zeros(156))]
    games = batch("backgammon", 3)
    actions = Policy.from_layers("backgammon", huge).act(games.observation, games.action_mask)
    assert games.action_mask[np.arange(3), actions].all()


@pytest.mark.parametrize(
    ("game", "bad", "problem"),
    [
        ("chess", [], "no game 'chess'"),
        ("backgammon", [], "1 to 32 layers"),
        ("backgammon", [(np.zeros((59, 59)), np.zeros(59))] * 33, "1 to 32 layers"),
        ("backgammon", [(np.zeros((58, 156)), np.zeros(156))], r"layer 0 has shapes \(58, 156\)"),
        ("backgammon", [(np.zeros((59, 156)), np.zeros(155))], "layer 0 has shapes"),
        ("backgammon", [(np.zeros((59, 156)), np.zeros((156, 1)))], "layer 0 has shapes"),
        ("backgammon", [(np.zeros(59), np.zeros(156))], "layer 0 has shapes"),
        ("backgammon", [(np.zeros((59, 0)), np.zeros(0))], "layer 0 has shapes"),
        ("backgammon", [(np.zeros((59, 10)), np.zeros(10))], "10 outputs, but backgammon has 156"),
        ("checkers", [(np.zeros((59, 156)), np.zeros(156))], "layer 0 has shapes"),
        ("backgammon", [(np.full((59, 156), np.nan), np.zeros(156))], "not finite"),
        ("backgammon", [(np.full((59, 156), 1e300), np.zeros(156))], "not finite"),
        ("backgammon", [("w", "b")], "not a weight and a bias"),
        ("backgammon", [(np.zeros((59, 156)),)], "not a weight and a bias"),
        ("backgammon", [([[1], [1, 2]], [1])], "not a weight and a bias"),
        ("backgammon", [(np.ones((59, 156), complex), np.zeros(156))], "not a weight and a bias"),
    ],
)
def test_layers_that_do_not_fit_are_refused(game: str, bad: Any, problem: str) -> None:
    with pytest.raises(MalformedPolicy, match=problem):
        Policy.from_layers(game, bad)


def test_layers_that_are_too_large_are_refused() -> None:
    width = MAX_BYTES // 4 // 156
    with pytest.raises(MalformedPolicy, match="larger than"):
        Policy.from_layers(
            "backgammon", [(np.zeros((59, width)), np.zeros(width)), (np.zeros((width, 156)), [0] * 156)]
        )


def test_a_file_must_exist_and_be_an_npz(tmp_path: Path) -> None:
    with pytest.raises(MalformedPolicy, match="No such file"):
        Policy.load(tmp_path / "none.npz")
    with pytest.raises(MalformedPolicy, match="irectory"):
        Policy.load(tmp_path)
    (tmp_path / "text.npz").write_text("not a zip file")
    with pytest.raises(MalformedPolicy, match="not a policy file"):
        Policy.load(str(tmp_path / "text.npz"))


def save(path: Path, **changes: Any) -> Path:
    """A good file with some of its arrays changed; None omits one."""
    with np.load(io.BytesIO(written())) as good:
        parts: dict[str, Any] = {name: good[name] for name in good.files} | changes
    np.savez(path, allow_pickle=True, **{name: part for name, part in parts.items() if part is not None})
    return path


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"format": np.array(2)}, "`format` is not 1"),
        ({"format": None}, "`format` is not 1"),
        ({"format": np.array("1")}, "`format` is not 1"),
        ({"format": np.array([1])}, "`format` is not 1"),
        ({"game": np.array("chess")}, "no game 'chess'"),
        ({"game": np.array("checkers")}, "layer 0 has shapes"),
        ({"game": np.array(3)}, "`game` is not text"),
        ({"game": None}, "`game` is not text"),
        ({"weight_1": None}, "the arrays are not"),
        ({"extra": np.zeros(3)}, "the arrays are not"),
        ({"bias_0": np.array([{}, {}], object)}, "an array of object is not accepted"),
        ({"bias_0": np.zeros(4, np.complex64)}, "is not accepted"),
        ({"bias_0": np.array(["a"] * 4)}, "not a weight and a bias"),
        ({"bias_0": np.array([("a", 1)], [("name", "U1"), ("number", "i4")])}, "is not accepted"),
    ],
)
def test_files_with_other_arrays_are_refused(changes: dict[str, Any], problem: str, tmp_path: Path) -> None:
    with pytest.raises(MalformedPolicy, match=problem):
        Policy.load(save(tmp_path / "policy.npz", **changes))


def test_a_good_file_loads_whatever_wrote_it(tmp_path: Path) -> None:
    path = save(tmp_path / "policy.npz", weight_0=np.asfortranarray(np.ones((59, 4))), bias_0=np.arange(4))
    policy = Policy.load(path)
    assert policy.layers[0].weight.tolist() == np.ones((59, 4)).tolist()
    assert policy.layers[0].bias.dtype == np.float32
    with np.load(path) as arrays:
        np.savez_compressed(tmp_path / "packed.npz", **arrays)
    assert np.array_equal(Policy.load(tmp_path / "packed.npz").layers[1].weight, policy.layers[1].weight)


def test_a_file_that_unpacks_to_too_much_is_refused_before_unpacking(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "bomb.npz", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("weight_0.npy", bytes(MAX_BYTES + 1))
    with pytest.raises(MalformedPolicy, match="it holds more than"):
        Policy.load(tmp_path / "bomb.npz")


def test_a_header_that_claims_more_than_the_data_is_refused(tmp_path: Path) -> None:
    claim = io.BytesIO()
    np.lib.format.write_array_header_1_0(claim, {"descr": "<f4", "fortran_order": False, "shape": (1 << 60, 1 << 60)})
    with zipfile.ZipFile(tmp_path / "claim.npz", "w") as file:
        file.writestr("weight_0.npy", claim.getvalue() + bytes(16))
    with pytest.raises(MalformedPolicy, match="not a policy file"):
        Policy.load(tmp_path / "claim.npz")


@given(at=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), min_size=1, max_size=4), cut=st.booleans())
def test_a_damaged_file_raises_nothing_else(at: list[tuple[float, int]], cut: bool, tmp_path_factory: Any) -> None:
    data = bytearray(written())
    for place, byte in at:
        data[int(place * len(data))] = byte
    path = tmp_path_factory.mktemp("damaged") / "policy.npz"
    path.write_bytes(data[: int(at[0][0] * len(data))] if cut else data)
    try:
        Policy.load(path)
    except MalformedPolicy as error:
        assert error.code == "malformed_policy"


@pytest.mark.parametrize(
    ("seen", "mask"),
    [
        (np.zeros(58, np.int8), np.ones(156, np.int8)),
        (np.zeros((2, 3, 59), np.int8), np.ones(156, np.int8)),
        (np.zeros(59), np.ones(156, np.int8)),
        (np.array("text"), np.ones(156, np.int8)),
        (np.zeros(59, np.int8), np.ones(155, np.int8)),
        (np.zeros((2, 59), np.int8), np.ones(156, np.int8)),
        (np.zeros(59, np.int8), np.ones((1, 156), np.int8)),
        (np.zeros(59, np.int8), np.ones(156)),
        (np.zeros(59, np.int8), np.zeros(156, np.int8)),
    ],
)
def test_malformed_observations_and_masks_are_refused(seen: Any, mask: Any) -> None:
    policy = Policy.from_layers("backgammon", layers("backgammon", ()))
    with pytest.raises(MalformedObservation):
        policy.act(seen, mask)


def test_temperatures_need_a_generator_and_a_finite_number() -> None:
    policy = Policy.from_layers("backgammon", layers("backgammon", ()))
    games = batch("backgammon", 1)
    with pytest.raises(UnknownOption, match="needs an rng"):
        policy.act(games.observation, games.action_mask, temperature=1)
    bad: Any
    for bad in (-1, float("nan"), float("inf"), "warm", None, np.ones(2)):
        with pytest.raises(UnknownOption, match="temperature is 0 or more"):
            policy.act(games.observation, games.action_mask, np.random.default_rng(), temperature=bad)
