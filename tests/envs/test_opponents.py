"""Moves and their actions lead to the same games; opponents are found by all their names."""

from __future__ import annotations

from copy import deepcopy
from functools import partial
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from ludus import GAMES, Game
from ludus.core.errors import GameIsOver, IllegalAction, MalformedPolicy, UnknownOption
from ludus.core.rules import Player, Turn
from ludus.engines import ENGINES
from ludus.engines.engine import OWN_LIMIT
from ludus.envs.batched.cpu import CpuBatch
from ludus.envs.encoding import find_encoding
from ludus.envs.gym.single_agent import SingleAgentBatch
from ludus.envs.opponents import EngineOpponent, FunctionOpponent, PolicyOpponent, ValueOpponent, find_opponent
from ludus.games.backgammon.position import Roll
from ludus.players.value import ValuePlayer

from .games import a_policy, a_value, lowest


def position(batch: CpuBatch) -> Any:
    return find_encoding(batch.game).decode_position(batch._state[:, 0].tolist())


def roll_as_the_batch(game: Game[Any, Any], batch: CpuBatch) -> None:
    """Rolls the batch's dice in the record."""
    if game.turn is Turn.DICE:
        seen = position(batch)
        higher, lower = seen.dice
        is_opening = game.position.mover is None
        game.play(Roll(lower, higher) if is_opening and seen.mover is Player.SECOND else Roll(higher, lower))


def play_together(batch: CpuBatch, variant: str, rng: Random) -> Game[Any, Any]:
    """Plays one game by the rules, and its actions in the batch."""
    game: Game[Any, Any] = Game(GAMES[batch.game], variant)
    encode_move = find_encoding(batch.game).encode_move
    while True:
        roll_as_the_batch(game, batch)
        assert position(batch) == game.position
        assert batch.to_play[0] == game.position.mover
        legal = set(np.flatnonzero(batch.action_mask[0]).tolist())
        firsts = {encode_move(game.position, move)[0] for move in game.legal_moves()}
        assert firsts == legal if batch.game == "checkers" else firsts <= legal
        move = rng.choice(game.legal_moves())
        actions = encode_move(game.position, move)
        game.play(move)
        for left, action in reversed(list(enumerate(reversed(actions)))):
            assert batch.action_mask[0, action]
            batch.step(np.array([action]))
            assert batch.terminated[0] == (game.outcome is not None and left == 0)
        if game.outcome:
            return game


@pytest.mark.parametrize(
    ("name", "variant", "games"),
    [
        ("checkers", "standard", 60),
        ("backgammon", "standard", 20),
        ("backgammon", "nackgammon", 10),
        ("backgammon", "hypergammon", 60),
        ("backgammon", "printed", 10),
    ],
)
def test_moves_played_action_by_action_give_the_games_of_the_rules(name: str, variant: str, games: int) -> None:
    batch, rng = CpuBatch(name, 1, seed=5, variant=variant, scoring="points"), Random(name + variant)
    reasons = set()
    for _ in range(games):
        game = play_together(batch, variant, rng)
        assert game.outcome is not None
        reasons.add(game.outcome.reason)
        mover = Player.SECOND if game.position.mover is Player.FIRST else Player.FIRST
        expected = 0 if game.outcome.winner is None else game.outcome.points
        assert game.outcome.winner in (None, mover)
        assert batch.reward[0] == expected
    assert len(reasons) > 1 or name == "backgammon"


def test_games_are_drawn_when_the_rules_say_so() -> None:
    """Kings move to and fro: both end the game at the third repetition, and neither earlier."""
    batch, rng = CpuBatch("checkers", 1, seed=1), Random(9)
    draws: list[str] = []
    while len(draws) < 3:
        game = play_together(batch, "standard", rng)
        assert game.outcome is not None
        if game.outcome.winner is None:
            draws.append(game.outcome.reason)
            assert batch.reward[0] == 0
    assert set(draws) <= {"repetition", "forty_moves"}


class Spy:
    """An engine that records its positions, moves and histories."""

    def __init__(self) -> None:
        self.moves: list[tuple[Any, Any]] = []
        self.pasts: list[tuple[Any, ...]] = []

    def choose(self, rules: Any, position: Any, limit: Any, rng: Random, past: Any = ()) -> Any:
        move = rng.choice(rules.moves(position))
        self.moves.append((position, move))
        self.pasts.append(past)
        return move


@pytest.mark.parametrize("name", GAMES)
def test_an_engine_is_asked_once_a_turn_and_its_moves_are_played(name: str) -> None:
    spy, rules = Spy(), GAMES[name]
    batch = SingleAgentBatch(name, 1, opponent=EngineOpponent(name, spy), side="second", seed=2)
    for _ in range(300):
        batch.step()
        before, move = spy.moves[-1]
        assert before.mover is Player.FIRST
        after = rules.play(before, move)
        if batch.terminated[0] or spy.moves[-1] is spy.moves[0] or batch.position(0).mover is not Player.SECOND:
            continue
        if name == "backgammon" and not batch.position(0).dice:
            continue  # the agent is in mid-turn
        if name == "checkers" and batch.observation[0, 4].any():
            continue
        now = batch.position(0)
        assert now == (after._replace(dice=now.dice) if name == "backgammon" else after)
    assert len(spy.moves) > 100


@pytest.mark.parametrize("games", [1, 5])
def test_an_engine_gets_the_positions_that_can_recur(games: int) -> None:
    """Legal moves lead from the oldest to the current one, and nothing older can recur."""
    spy, rules = Spy(), GAMES["checkers"]
    batch = SingleAgentBatch("checkers", games, opponent=EngineOpponent("checkers", spy), seed=3)
    batch.rollout(steps=3000 // games)
    lines = [(*past, position) for past, (position, _) in zip(spy.pasts, spy.moves, strict=True)]
    assert max(map(len, lines)) > 20
    for positions in lines:
        assert [position.quiet for position in positions] == list(range(len(positions)))
        for before, after in pairwise(positions):
            assert after in [rules.play(before, move) for move in rules.moves(before)]


def test_in_backgammon_an_engine_gets_no_history() -> None:
    spy = Spy()
    SingleAgentBatch("backgammon", 2, opponent=EngineOpponent("backgammon", spy), seed=3).rollout(steps=40)
    assert set(spy.pasts) == {()}


@pytest.mark.parametrize("name", GAMES)
def test_opponents_are_found_by_all_their_names(name: str, tmp_path: Path, monkeypatch: Any) -> None:
    policy = a_policy(name)
    policy.save(tmp_path / "policy.npz")
    assert find_opponent("random", name) is None
    assert isinstance(find_opponent(str(tmp_path / "policy.npz"), name), PolicyOpponent)
    assert isinstance(find_opponent(tmp_path / "policy.npz", name), PolicyOpponent)
    assert isinstance(find_opponent(policy, name), PolicyOpponent)
    assert isinstance(find_opponent(lowest, name), FunctionOpponent)
    assert isinstance(find_opponent(partial(policy.act, temperature=1), name), FunctionOpponent)
    warm = PolicyOpponent(policy, temperature=1)
    assert find_opponent(warm, name) is warm
    monkeypatch.setattr("ludus.envs.opponents.engines", lambda game: {**ENGINES, "medium": Spy()})
    assert isinstance(find_opponent("medium", name), EngineOpponent)


@pytest.mark.parametrize("name", GAMES)
def test_a_value_function_makes_the_moves_of_its_player_in_all_games_at_once(name: str, tmp_path: Path) -> None:
    value = a_value(name)
    value.save(tmp_path / "value.npz")
    opponent, rules = find_opponent(str(tmp_path / "value.npz"), name), GAMES[name]
    assert isinstance(opponent, ValueOpponent)
    assert isinstance(find_opponent(value, name), ValueOpponent)
    player = ValuePlayer(value)
    games = SingleAgentBatch(name, 6, opponent=tmp_path / "value.npz", seed=3)
    for _ in range(12):
        games.rollout(steps=1)
        all_games = np.arange(6)
        rows = deepcopy(opponent).choose_actions(games, all_games)
        for game, row in zip(all_games.tolist(), rows.tolist(), strict=True):
            at = games.position(game)
            if rules.turn(at) is Turn.DICE:
                continue  # a turn half played
            move = player.choose(rules, at, OWN_LIMIT, Random(1), games.history(game))
            assert find_encoding(name).encode_move(at, move) == [action for action in row if action >= 0]


def test_a_value_function_plays_its_own_game_and_takes_what_it_can() -> None:
    with pytest.raises(UnknownOption, match="plays checkers, not backgammon"):
        find_opponent(a_value("checkers"), "backgammon")
    with pytest.raises(UnknownOption, match="plays backgammon, not backgammon_v1"):
        find_opponent(a_value("backgammon"), "backgammon_v1")
    totals = SingleAgentBatch("checkers", 30, opponent=a_value("checkers"), seed=3, side="second").rollout(steps=150)
    assert totals.first_wins > 4 * totals.second_wins


def test_unknown_opponents_are_refused_with_a_list_of_the_known_ones() -> None:
    with pytest.raises(UnknownOption, match=r"no opponent 'kasparov'; there are random.*npz"):
        find_opponent("kasparov", "checkers")
    with pytest.raises(UnknownOption, match="no opponent 3"):
        find_opponent(3, "checkers")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(MalformedPolicy, match="No such file"):
        find_opponent("nowhere.npz", "checkers")
    with pytest.raises(MalformedPolicy, match="No such file"):
        find_opponent(Path("nowhere"), "checkers")
    with pytest.raises(UnknownOption, match="plays checkers, not backgammon"):
        find_opponent(a_policy("checkers"), "backgammon")
    with pytest.raises(UnknownOption, match="plays checkers, not backgammon"):
        find_opponent(PolicyOpponent(a_policy("checkers")), "backgammon")
    with pytest.raises(UnknownOption, match="temperature"):
        PolicyOpponent(a_policy("checkers"), -1)


@pytest.mark.parametrize("name", GAMES)
def test_a_policy_is_called_for_all_games_at_once(name: str) -> None:
    sizes = []

    class Counted(PolicyOpponent):
        def choose_actions(self, view: Any, games: Any) -> Any:
            sizes.append(len(games))
            return super().choose_actions(view, games)

    batch = SingleAgentBatch(name, 50, opponent=Counted(a_policy(name)), side="second")
    for _ in range(10):
        batch.step()
    assert max(sizes) > 40


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("bad", [-1, 256, 10**12, 0, 1.5, "145", None, [145], np.array([145])])
def test_a_function_must_return_a_legal_action(name: str, bad: Any) -> None:
    answers = iter([lowest] * 3)
    with pytest.raises(IllegalAction, match=r"the opponent's action .* is not legal in game 0"):
        batch = SingleAgentBatch(
            name, 1, opponent=lambda o, m, r: next(answers, lambda *_: bad)(o, m, r), side="second", seed=4
        )
        for _ in range(9):
            batch.step()


def test_after_an_opponent_has_failed_reset_is_required() -> None:
    calls = iter([True, True, False])

    def failing(observation: Any, mask: Any, rng: Any) -> int:
        if next(calls, True):
            return lowest(observation, mask, rng)
        raise RuntimeError("no more")

    batch = SingleAgentBatch("checkers", 1, opponent=failing)
    batch.step()
    batch.step()
    with pytest.raises(RuntimeError, match="no more"):
        batch.step()
    with pytest.raises(GameIsOver, match="reset"):
        batch.step()
    batch.reset()
    batch.step()


def test_a_function_cannot_change_the_game_through_its_arguments() -> None:
    def overwriting(observation: Any, mask: Any, rng: Any) -> int:
        action = lowest(observation, mask, rng)
        observation[:], mask[:] = 7, 0
        return action

    honest, spoilt = (
        SingleAgentBatch("checkers", 1, opponent=lowest),
        SingleAgentBatch("checkers", 1, opponent=overwriting),
    )
    for _ in range(40):
        assert np.array_equal(honest.step().observation, spoilt.step().observation)


def test_whole_moves_and_negative_numbers_of_steps_are_refused() -> None:
    batch = SingleAgentBatch("backgammon", 2)
    found, before = batch.afterstates(), batch.save()
    with pytest.raises(UnknownOption, match="action by action"):
        batch.step_afterstates(np.zeros(2, np.int64))
    with pytest.raises(UnknownOption, match="steps"):
        batch.rollout(steps=-1)
    assert np.array_equal(batch.save(), before)
    assert found.counts.all()
