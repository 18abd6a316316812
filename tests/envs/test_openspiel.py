"""Our rules as games of OpenSpiel, and records converted to its own games and back."""

from __future__ import annotations

import pickle
import random
from collections import Counter
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
import pyspiel
import pytest

from ludus import Game, Player
from ludus.core.errors import IllegalAction, LudusError, UnknownOption, UnknownVariant
from ludus.envs import aec
from ludus.envs.openspiel import from_openspiel, to_openspiel
from ludus.games import GAMES

NAMES = [
    "ludus_checkers",
    "ludus_backgammon",
    "ludus_backgammon(variant=hypergammon+cube+beavers,scoring=points)",
    "ludus_backgammon(variant=hypergammon+match3)",
]
THEIRS = [
    "checkers",
    "backgammon",
    "backgammon(scoring_type=full_scoring)",
    "backgammon(hyper_backgammon=True,scoring_type=full_scoring)",
]
every_game = pytest.mark.parametrize("name", NAMES)


def play(state: Any, seed: int, most: int = 100_000) -> Any:
    """The state after random actions, the dice by their odds."""
    rng = random.Random(seed)
    while not state.is_terminal() and state.move_number() < most:
        state.apply_action(choose(state, rng))
    return state


def choose(state: Any, rng: random.Random) -> int:
    if state.is_chance_node():
        rolls, odds = zip(*state.chance_outcomes(), strict=True)
        return int(rng.choices(rolls, odds)[0])
    return int(rng.choice(state.legal_actions()))


@every_game
def test_openspiels_own_test_of_a_game_passes(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=1, serialize=False, verbose=False)


@every_game
def test_a_state_read_back_from_its_text_goes_on_alike(name: str) -> None:
    game = pyspiel.load_game(name)
    state = play(game.new_initial_state(), 2, most=60)
    twin = game.deserialize_state(state.serialize())
    assert str(play(twin, 3)) == str(play(state, 3))
    assert twin.returns() == state.returns()


@every_game
def test_a_clone_is_independent(name: str) -> None:
    state = play(pyspiel.load_game(name).new_initial_state(), 4, most=40)
    before = str(state), state.legal_actions(), state.observation_tensor(0)
    clone = play(state.clone(), 5)
    assert (str(state), state.legal_actions(), state.observation_tensor(0)) == before
    assert str(play(state, 5)) == str(clone)


@pytest.mark.parametrize("copied", [deepcopy, lambda game: pickle.loads(pickle.dumps(game))])
@pytest.mark.parametrize("name", [*NAMES, "ludus_checkers(position=B%3AWK32%3ABK1)"])
def test_a_copied_or_pickled_game_is_the_same_game(name: str, copied: Any) -> None:
    game = pyspiel.load_game(name)
    twin = copied(game)
    assert str(twin) == str(game)
    assert str(play(twin.new_initial_state(), 6)) == str(play(game.new_initial_state(), 6))


@pytest.mark.parametrize(
    ("game", "seed", "reason"),
    [("checkers", 1, "no_pieces"), ("checkers", 54, "repetition"), ("backgammon", 1, "borne_off")],
)
def test_actions_and_observations_are_those_of_the_environment(game: str, seed: int, reason: str) -> None:
    env, state = aec.raw_env(game), pyspiel.load_game(f"ludus_{game}").new_initial_state()
    env.reset(seed=seed)
    rng = random.Random(seed)
    while not env.terminations["player_0"]:
        if state.is_chance_node():
            state.apply_action(rolled(state, env))
        player = env.possible_agents.index(env.agent_selection)
        assert state.current_player() == player
        for number, agent in enumerate(env.possible_agents):
            seen = env.observe(agent)
            assert np.array_equal(state.observation_tensor(number), seen["observation"].flatten())
        assert np.array_equal(state.legal_actions_mask(), env.observe(env.agent_selection)["action_mask"])
        texts = [state.action_to_string(action) for action in state.legal_actions()]
        assert len(set(texts)) == len(texts)
        action = choose(state, rng)
        state.apply_action(action)
        env.step(action)
    assert state.is_terminal()
    assert state.returns() == list(env.rewards.values())
    assert env.infos["player_0"]["reason"] == reason


def rolled(state: Any, env: Any) -> int:
    """The roll that the environment has made."""
    dice = env.unwrapped.state()[26:32].tolist()
    for action, _ in state.chance_outcomes():
        after = state.child(action)
        if after.observation_tensor(0)[26:32] == dice and after.observation_tensor(0)[58] == env.unwrapped.state()[58]:
            return int(action)
    raise AssertionError


def test_dice_are_chance_nodes_with_the_odds_of_two_dice() -> None:
    state = pyspiel.load_game("ludus_backgammon").new_initial_state()
    assert [odds for _, odds in state.chance_outcomes()] == pytest.approx([1 / 30] * 30)
    state = play(state, 1, most=3)
    while not state.is_chance_node():
        state.apply_action(state.legal_actions()[0])
    odds = {state.action_to_string(action): odds for action, odds in state.chance_outcomes()}
    assert len(odds) == 21
    assert odds["66"] == pytest.approx(1 / 36)
    assert odds["64"] == pytest.approx(2 / 36)
    dice = [state.observation_tensor(player)[26:32] for player in (0, 1)]
    assert dice == [[0] * 6] * 2


def test_a_game_that_takes_too_long_is_drawn() -> None:
    state = pyspiel.load_game("ludus_checkers(max_game_length=9)").new_initial_state()
    assert play(state, 1).move_number() == 9
    assert state.returns() == [0, 0]


def test_illegal_actions_and_unknown_parameters_are_refused() -> None:
    for name, actions in (("ludus_checkers", (0, -1, 256)), ("ludus_backgammon", (-1, 30))):
        state = pyspiel.load_game(name).new_initial_state()
        for action in actions:
            with pytest.raises(IllegalAction):
                state._apply_action(action)
    for text in ("variant=plakoto", "scoring=match", "max_game_length=0", "position=nonsense"):
        with pytest.raises(LudusError):
            pyspiel.load_game(f"ludus_checkers({text})")


@pytest.mark.parametrize("name", THEIRS)
def test_a_game_of_openspiels_own_becomes_a_record_and_the_same_game_again(name: str) -> None:
    game = pyspiel.load_game(name)
    for seed in range(3):
        state = play(game.new_initial_state(), seed)
        record = from_openspiel(state)
        back = to_openspiel(record, scoring="points" if "full_scoring" in name else "win")
        assert str(back) == str(state)
        assert back.returns() == state.returns()
        if record.outcome and record.outcome.winner is not None and "hyper" not in name:  # there OpenSpiel 2.0 pays 0
            assert np.sign(state.returns()[record.outcome.winner]) == 1
        (read,) = record.rules.notation.read_games(record.rules.notation.write_games([record]))
        assert read.moves == record.moves


def test_a_win_counts_one_in_openspiels_game_or_its_points() -> None:
    record = from_openspiel(play(pyspiel.load_game("backgammon").new_initial_state(), 2))
    assert record.outcome
    assert record.outcome.points > 1
    for options, worth in (({}, 1), ({"scoring": "points"}, record.outcome.points)):
        assert to_openspiel(record, **options).returns()[record.outcome.winner] == worth
    with pytest.raises(UnknownOption, match="win, points"):
        to_openspiel(record, scoring="match")


@every_game
def test_a_state_of_our_own_becomes_a_record(name: str) -> None:
    state = play(pyspiel.load_game(name).new_initial_state(), 7)
    record = from_openspiel(state)
    assert record.position == state.position
    assert record.outcome is not None
    assert np.sign(state.returns()).tolist() == [1 if record.outcome.winner is player else -1 for player in Player]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("ludus_checkers", "B:WK32:BK1:H12"),
        ("ludus_backgammon", "XGID=-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10"),
        ("ludus_backgammon(variant=standard+cube)", "XGID=-b----E-C---eE---c-e----B-:1:1:1:31:0:0:0:0:10"),
    ],
)
def test_a_game_may_start_from_a_position_and_its_text_says_so(name: str, text: str) -> None:
    name, _, variant = name.rstrip(")").partition("(variant=")
    game = pyspiel.load_game(name, {"position": text} | ({"variant": variant} if variant else {}))
    state, rules = game.new_initial_state(), GAMES[name.removeprefix("ludus_")]
    assert state.position == rules.notation.read_position(text)
    assert state.is_chance_node() == (rules.turn(state.position).player is None)
    twin = pyspiel.load_game(str(game)).new_initial_state()
    assert str(play(twin, 1)) == str(play(state, 1))
    assert from_openspiel(state).start == rules.notation.read_position(text)


def test_a_record_goes_on_after_a_third_repetition_as_openspiels_game_does() -> None:
    state = play(pyspiel.load_game("checkers").new_initial_state(), 1421)
    record = from_openspiel(state)
    assert max(Counter(map(record.rules.repeats, record.positions)).values()) > 3
    assert str(to_openspiel(record)) == str(state)


def test_an_unfinished_chain_is_left_out_of_the_record() -> None:
    game = pyspiel.load_game("checkers")
    for seed in range(40):
        states = [play(game.new_initial_state(), seed, most=number) for number in range(20, 60)]
        for before, after in pairwise(states):
            if before.current_player() == after.current_player():
                assert from_openspiel(before).length == from_openspiel(after).length
                return
    raise AssertionError("no chain")


def test_records_that_openspiel_cannot_play_are_refused() -> None:
    with pytest.raises(UnknownVariant, match="cube"):
        to_openspiel(Game(GAMES["backgammon"], "standard+cube"))
    with pytest.raises(UnknownVariant, match="standard"):
        to_openspiel(Game(GAMES["checkers"], start=GAMES["checkers"].notation.read_position("B:W32:B1")))
    with pytest.raises(UnknownVariant, match="8 × 8"):
        from_openspiel(pyspiel.load_game("checkers(rows=10,columns=10)").new_initial_state())
    with pytest.raises(UnknownOption, match="chess"):
        from_openspiel(pyspiel.load_game("chess").new_initial_state())
