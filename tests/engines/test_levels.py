"""The bots' levels. How strong they are is in docs/engines.md; here a few seeded games tell the levels apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.engines.matches import game_between, wins

from ludus.core.errors import UnknownOption
from ludus.core.game import Game
from ludus.core.rules import Player, Turn
from ludus.engines import ENGINES, OWN_LIMIT, Engine, Limit, adapter, analyst
from ludus.engines.adapters import DEFAULT, EngineAdapter
from ludus.engines.engine import noticed, roll
from ludus.engines.levels import BOTS, LEVELS
from ludus.games import GAMES
from ludus.games.backgammon.position import Roll


class QuickHard:
    """Hard on a small budget, for tests that play many games."""

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        if rules.turn(position) is Turn.DICE:
            return roll(rules, position, rng)
        return replace(adapter(rules.name).levels["hard"], nodes=600).choose(rules, position, limit, rng, past)


class Greedy:
    """Captures as much as it can at once, and otherwise plays any move: a person's very first games."""

    def choose(self, rules: Any, position: Any, limit: Limit, rng: Random, past: Sequence[Any] = ()) -> Any:
        texts = {move: rules.notation.write_move(position, move) for move in rules.moves(position)}
        captures = {move: text.count("x") + text.count("*") for move, text in texts.items()}
        return rng.choice([move for move in captures if captures[move] == max(captures.values())])


QUICK: dict[str, Engine] = {**BOTS, "hard": QuickHard()}
every_game = pytest.mark.parametrize("name", GAMES)
every_level = pytest.mark.parametrize("level", LEVELS)
choices = st.lists(st.integers(0, 2**16), max_size=120)


def reached(name: str, variant: str, numbers: list[int]) -> Game[Any, Any]:
    """A game in which each move is picked by a number."""
    game = Game(GAMES[name], variant)
    for number in numbers:
        if moves := game.legal_moves():
            game.play(moves[number % len(moves)])
    return game


def test_the_levels_are_engines_by_their_names() -> None:
    assert tuple(BOTS) == LEVELS == ("beginner", "novice", "easy", "steady", "medium", "hard")
    assert tuple(ENGINES) == ("random", *LEVELS)
    assert all(tuple(adapter(game).levels) == LEVELS for game in GAMES)


@every_level
@pytest.mark.parametrize(("name", "variant"), [(name, variant) for name in GAMES for variant in GAMES[name].variants])
@settings(max_examples=15)
@given(numbers=choices, seed=st.integers(0, 2**32))
def test_a_choice_is_legal_wherever_there_is_one_and_the_same_with_the_same_seed(
    name: str, variant: str, level: str, numbers: list[int], seed: int
) -> None:
    game, bot = reached(name, variant, numbers), QUICK[level]
    if game.outcome:
        return
    move = bot.choose(game.rules, game.position, OWN_LIMIT, Random(seed), game.positions)
    assert move in game.legal_moves()
    assert bot.choose(game.rules, game.position, OWN_LIMIT, Random(seed), game.positions) == move


@every_game
@every_level
def test_the_same_seed_plays_the_same_game(name: str, level: str) -> None:
    one, two, other = (game_between(name, QUICK[level], QUICK["easy"], seed) for seed in (1, 1, 2))
    assert one == two
    assert one != other


@every_game
def test_compiled_rules_get_the_same_choice(name: str) -> None:
    game = reached(name, "standard", [5, 9, 2, 8, 3])
    while game.turn is Turn.DICE:
        game.play(game.legal_moves()[0])
    plain = QUICK["hard"].choose(game.rules, game.position, OWN_LIMIT, Random(3))
    assert QUICK["hard"].choose(GAMES[name].compiled(), game.position, OWN_LIMIT, Random(3)) == plain


def test_a_bot_that_is_asked_for_dice_throws_them() -> None:
    rules = GAMES["backgammon"]
    assert isinstance(BOTS["hard"].choose(rules, rules.variants["standard"], OWN_LIMIT, Random(1)), Roll)


def test_a_game_without_engines_has_the_same_levels() -> None:
    assert adapter("tictactoe") is DEFAULT
    assert tuple(DEFAULT.levels) == LEVELS
    with pytest.raises(UnknownOption, match="no engine analyses 'tictactoe'"):
        analyst("tictactoe")


def test_an_adapter_with_fewer_levels_plays_the_others_with_the_next_stronger() -> None:
    found = EngineAdapter(levels={"easy": "E", "medium": "M", "hard": "H"})
    assert [found.player(level) for level in LEVELS] == ["E", "E", "E", "M", "M", "H"]
    assert [EngineAdapter(levels={"easy": "E"}).player(level) for level in LEVELS] == ["E"] * 6


@every_game
def test_easy_beats_chance(name: str) -> None:
    assert wins(name, ENGINES["easy"], ENGINES["random"], pairs=6) >= 10


@every_game
def test_beginner_loses_to_easy_and_is_about_as_good_as_a_greedy_player(name: str) -> None:
    assert wins(name, ENGINES["easy"], ENGINES["beginner"], pairs=6) >= 10
    assert 9 <= wins(name, ENGINES["beginner"], Greedy(), pairs=15) <= 21


@every_game
def test_novice_is_between_beginner_and_easy(name: str) -> None:
    assert wins(name, ENGINES["novice"], ENGINES["beginner"], pairs=8) >= 10
    assert wins(name, ENGINES["easy"], ENGINES["novice"], pairs=8) >= 10


@every_game
def test_steady_beats_easy(name: str) -> None:
    assert wins(name, ENGINES["steady"], ENGINES["easy"], pairs=8) >= 10


def test_moves_are_overlooked_by_the_given_share_but_never_all() -> None:
    moves, rng = range(20), Random(1)
    seen = [noticed(moves, 0.75, rng) for _ in range(200)]
    assert sum(map(len, seen)) == pytest.approx(200 * 20 * 0.25, rel=0.1)
    assert {len(noticed(moves, 1.0, rng)) for _ in range(50)} == {1}
    assert noticed(moves, 0.0, rng) is moves


@every_game
def test_medium_beats_easy(name: str) -> None:
    assert wins(name, ENGINES["medium"], ENGINES["easy"], pairs=8) >= 12


def test_hard_beats_medium_at_checkers_even_on_a_small_budget() -> None:
    small = replace(adapter("checkers").levels["hard"], nodes=60_000)
    assert wins("checkers", small, ENGINES["medium"], pairs=2) >= 3


def test_medium_wins_what_is_won() -> None:
    """Two kings against one in the open."""
    rules = GAMES["checkers"]
    game, rng = Game(rules, start=rules.notation.read_position("B:WK18:BK3,K8")), Random(4)
    while game.outcome is None:
        engine = BOTS["medium"] if game.turn is Turn.FIRST else BOTS["hard"]
        game.play(engine.choose(rules, game.position, OWN_LIMIT, rng, game.positions[:-1]))
    assert game.outcome.winner is Player.FIRST


def test_easy_knows_no_ending_by_heart() -> None:
    """Payne's First Position: one move of five only draws, and one loses."""
    rules = GAMES["checkers"]
    position = rules.notation.read_position("W:WK15,20:B12,K28")
    played = {
        level: {rules.notation.write_move(position, BOTS[level].choose(rules, position, OWN_LIMIT, Random(seed)))
                for seed in range(20)}
        for level in LEVELS
    }  # fmt: skip
    assert "15-11" in played["easy"]
    assert played["medium"] == played["hard"] == {"15-19"}


def test_hard_does_not_always_begin_alike() -> None:
    player = BOTS["hard"]
    rules = GAMES["checkers"]
    start = rules.variants["standard"]
    assert len({player.choose(rules, start, OWN_LIMIT, Random(seed)) for seed in range(12)}) > 1


def test_hard_thinks_as_long_as_it_is_let_and_the_others_no_longer_than_their_level() -> None:
    game = Game(GAMES["checkers"])
    player = adapter("checkers").levels["hard"]
    assert [player._within(limit).nodes for limit in (OWN_LIMIT, Limit(seconds=2.0), Limit(nodes=3_000_000))] == [
        1_000_000, None, 3_000_000,
    ]  # fmt: skip
    assert adapter("checkers").levels["easy"]._within(Limit(seconds=2.0)).nodes == 2_000
    limit = Limit(nodes=20_000)  # told how long to think, it plays its best and nothing else
    best = player.analyse(game.rules, game.position, limit, lines=1)[0].move
    assert {BOTS["hard"].choose(game.rules, game.position, limit, Random(seed)) for seed in range(8)} == {best}
