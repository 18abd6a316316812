"""Trained policies as contenders."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from ludus.core.errors import UnknownOption
from ludus.core.game import Game
from ludus.core.rules import Turn
from ludus.engines.engine import OWN_LIMIT, roll
from ludus.envs import batch
from ludus.envs.encoding import find_encoding
from ludus.envs.policy import Policy, widths
from ludus.games import GAMES
from ludus.players import find_player
from ludus.players.policy import PolicyPlayer, shared_leaves

OPENING_31 = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
GAMES_WITH_POLICIES = pytest.mark.parametrize("game", GAMES)


def actions_of(game: str, position: Any, move: Any) -> list[int]:
    return find_encoding(game).encode_move(position, move)


def noisy_policy(game: str) -> Policy:
    """Weights drawn once: it knows nothing, but it has likings."""
    rng = np.random.default_rng(5)
    inputs, actions = widths(game)
    return Policy.from_layers(game, [(rng.normal(size=(inputs, actions)), rng.normal(size=actions))])


def one_action(game: str, action: int) -> Policy:
    """It wants the same action always."""
    bias = np.zeros(widths(game)[1])
    bias[action] = 1
    return Policy.from_layers(game, [(np.zeros(widths(game)), bias)])


@GAMES_WITH_POLICIES
def test_a_policy_plays_whole_games_of_legal_moves(game: str) -> None:
    player, rules, rng = PolicyPlayer(noisy_policy(game)), GAMES[game], Random(3)
    for _ in range(3):
        record: Game[Any, Any] = Game(rules)
        while record.outcome is None:
            is_dice = record.turn is Turn.DICE
            move = (
                roll(rules, record.position, rng) if is_dice else player.choose(rules, record.position, OWN_LIMIT, rng)
            )
            record.play(move)
        assert record.length > 20


@GAMES_WITH_POLICIES
def test_a_policy_gets_the_move_it_wants(game: str) -> None:
    """For each legal first action, a policy that wants it makes a move that has it."""
    rules = GAMES[game]
    position = rules.variants["standard"] if game == "checkers" else rules.notation.read_position(OPENING_31)
    for move in rules.moves(position):
        wanted = actions_of(game, position, move)[0]
        made = PolicyPlayer(one_action(game, wanted)).choose(rules, position, OWN_LIMIT, Random(1))
        assert wanted in actions_of(game, position, made)


def test_black_is_not_taken_for_white() -> None:
    rules = GAMES["backgammon"]
    white = rules.notation.read_position(OPENING_31)
    black = rules.notation.read_position(OPENING_31.replace(":1:31", ":-1:31"))
    for move in rules.moves(white):
        player = PolicyPlayer(one_action("backgammon", actions_of("backgammon", white, move)[0]))
        assert player.choose(rules, white, OWN_LIMIT, Random(1)) == player.choose(rules, black, OWN_LIMIT, Random(1))


def test_a_policy_passes_where_nothing_can_move() -> None:
    rules = GAMES["backgammon"]
    shut_out = rules.notation.read_position("XGID=aBBBBBB-----------------n-:0:0:-1:66:0:0:0:0:10")
    assert rules.moves(shut_out) == (rules.pass_move,)
    assert PolicyPlayer(noisy_policy("backgammon")).choose(rules, shut_out, OWN_LIMIT, Random(1)) == rules.pass_move


def test_a_policy_of_another_game_is_refused(tmp_path: Path) -> None:
    noisy_policy("checkers").save(file := tmp_path / "policy.npz")
    with pytest.raises(UnknownOption, match="plays checkers, not backgammon"):
        PolicyPlayer.load(file, "backgammon")


def test_a_policy_for_the_cube_plays_matches_and_single_games() -> None:
    player, rules, rng = PolicyPlayer(noisy_policy("backgammon_v1")), GAMES["backgammon"], Random(3)
    made = set()
    for variant in ("hypergammon+match3", "hypergammon+cube+beavers", "hypergammon"):
        record: Game[Any, Any] = Game(rules, variant)
        while record.outcome is None:
            is_chance = record.turn is Turn.DICE or rng.random() < 0.3
            move = (
                rng.choice(record.legal_moves()) if is_chance else player.choose(rules, record.position, OWN_LIMIT, rng)
            )
            made.add(type(move))
            record.play(move)
    assert {kind.__name__ for kind in made} == {"Roll", "Play", "CubeAction"}


@pytest.mark.parametrize("wanted", ["roll", "double"])
def test_a_policy_decides_about_the_cube_and_nothing_more(wanted: str) -> None:
    """It does not go on with the dice that are rolled after its decision."""
    rules = GAMES["backgammon"]
    on_roll = rules.notation.read_position("XGID=-b----E-C---eE---c-e----B-:1:1:1:00:2:1:0:7:10")
    action = actions_of("backgammon_v1", on_roll, rules.notation.read_move(on_roll, wanted))[0]
    made = PolicyPlayer(one_action("backgammon_v1", action)).choose(rules, on_roll, OWN_LIMIT, Random(1))
    assert rules.notation.write_move(on_roll, made) == wanted


def test_a_policy_without_the_cube_is_refused_where_there_is_one(tmp_path: Path) -> None:
    noisy_policy("backgammon").save(file := tmp_path / "old.npz")
    noisy_policy("backgammon_v1").save(new := tmp_path / "new.npz")
    for variant in ("standard+cube", "standard+match3"):
        with pytest.raises(UnknownOption, match=f"can't play {re.escape(variant)}"):
            find_player(str(file), "backgammon", variant)
        find_player(str(new), "backgammon", variant)
    find_player(str(file), "backgammon", "nackgammon")
    rules = GAMES["backgammon"]
    rolled = rules.notation.read_position("XGID=-b----E-C---eE---c-e----B-:1:1:1:52:2:1:0:7:10")
    with pytest.raises(UnknownOption, match="can't see everything"):
        PolicyPlayer.load(file, "backgammon").choose(rules, rolled, OWN_LIMIT, Random(1))


def test_a_policy_for_repetitions_gets_the_earlier_positions() -> None:
    """It likes what has not occurred: with a past it leaves the move that leads back."""
    inputs, actions = widths("checkers_v5")
    weight = np.zeros((inputs, actions))
    weight[np.arange(7 * 64, 11 * 64), np.arange(actions)] = -1
    player, rules = PolicyPlayer(Policy.from_layers("checkers_v5", [(weight, np.zeros(actions))])), GAMES["checkers"]
    record: Game[Any, Any] = Game(rules, start=rules.notation.read_position("B:WK32:BK1"))
    for text in ("1-6", "32-27", "6-10", "27-32"):
        record.play(rules.notation.read_move(record.position, text))
    back = rules.notation.read_move(record.position, "10-6")
    assert player.choose(rules, record.position, OWN_LIMIT, Random(1)) == back
    assert player.choose(rules, record.position, OWN_LIMIT, Random(1), record.positions[:-1]) != back


def test_a_policy_with_a_value_searches(tmp_path: Path) -> None:
    """The man on 19 has to step next to a king on 11; the logits alone know nothing and take the first action."""
    rules, path = GAMES["checkers"], tmp_path / "policy.npz"
    inputs, actions = widths("checkers")
    layers = [(np.zeros((inputs, actions)), np.zeros(actions))]
    value = np.zeros((inputs, 1)), np.zeros(1)
    for simulations in (0, 200):
        Policy.from_layers("checkers", layers, value=value, simulations=simulations).save(path)
        player = find_player(str(path), "checkers")
        found = player.choose(rules, rules.notation.read_position("B:W19:BK7"), OWN_LIMIT, Random(1))
        assert (found.path == (7, 11)) == (simulations > 0)


def test_a_search_finds_the_same_move_every_time() -> None:
    """Its random rolls are those of the position, whatever has been searched before."""
    rng, (inputs, actions) = np.random.default_rng(1), widths("backgammon")
    layers, value = [(rng.normal(size=(inputs, actions)), np.zeros(actions))], (rng.normal(size=(inputs, 1)), [0.0])
    player = PolicyPlayer(Policy.from_layers("backgammon", layers, value=value, simulations=24))
    rules = GAMES["backgammon"].compiled()
    for position in batch("backgammon", 4, seed=3).positions():
        moves = [player.choose(rules, position, OWN_LIMIT, Random(1)) for _ in range(4)]
        assert moves == moves[:1] * 4


@pytest.mark.parametrize(("simulations", "leaves"), [(1, 1), (24, 4), (400, 4), (1600, 12), (10_000, 32)])
def test_a_long_search_evaluates_more_leaves_at_once(simulations: int, leaves: int) -> None:
    assert shared_leaves(simulations) == leaves
