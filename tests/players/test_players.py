"""Who can be named as a player."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ludus.core.errors import BadInput, IllegalMove
from ludus.engines import ENGINES, OWN_LIMIT
from ludus.games import GAMES
from ludus.games.backgammon.position import Roll
from ludus.players import display_name, find_player

SOURCE = """
def first(rules, position, rng): return rules.moves(position)[0]
def last_in_words(rules, position, rng): return rules.notation.write_move(position, rules.moves(position)[-1])
def cheat(rules, position, rng): return "1-32"
def mute(rules, position, rng): return None
def bully(rules, position, rng): return "black resigns 3"
class Careless:
    def choose(self, rules, position, limit, rng, past=()): return rules.moves(position)[0]
class Talkative:
    def choose(self, rules, position, limit, rng, past=()):
        return rules.notation.write_move(position, rules.moves(position)[-1])
class Liar:
    def choose(self, rules, position, limit, rng, past=()): return "1-32"
class Historian:
    def choose(self, rules, position, limit, rng, past=()): return rules.moves(position)[len(past)]
def count(moves): return len(moves) // 0
def divider(rules, position, rng): return count(rules.moves(position))
class Old:
    def choose(self, rules, position, limit, rng): return rules.moves(position)[0]
talkative, liar, historian, old = Talkative(), Liar(), Historian(), Old()
NOTHING = 7
"""
CHECKERS = GAMES["checkers"]
START = CHECKERS.variants["standard"]


@pytest.fixture(autouse=True)
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "players_of_my_own.py").write_text(SOURCE)
    (tmp_path / "with_a_slip.py").write_text("def function(:")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", ENGINES)
def test_an_engine_is_found_by_its_name_and_by_its_name_in_the_arena(name: str) -> None:
    assert find_player(name, "checkers") is find_player(f"house:{name}", "checkers") is ENGINES[name]


@pytest.mark.parametrize(("name", "number"), [("first", 0), ("last_in_words", -1)])
def test_a_function_from_the_present_folder_plays_values_or_texts(name: str, number: int) -> None:
    player = find_player(f"players_of_my_own:{name}", "checkers")
    assert player.choose(CHECKERS, START, OWN_LIMIT, Random(1)) == CHECKERS.moves(START)[number]


def test_a_text_that_is_no_legal_move_is_refused() -> None:
    with pytest.raises(IllegalMove, match="1-32 is not legal here"):
        find_player("players_of_my_own:cheat", "checkers").choose(CHECKERS, START, OWN_LIMIT, Random(1))


def test_a_player_does_not_resign_for_the_other_side() -> None:
    backgammon = GAMES["backgammon"]
    opened = backgammon.play(backgammon.start("standard+match3"), Roll(3, 1))
    with pytest.raises(IllegalMove, match="the player returned 'black resigns 3', which is neither a legal move"):
        find_player("players_of_my_own:bully", "backgammon").choose(backgammon, opened, OWN_LIMIT, Random(1))


def test_an_answer_that_is_no_move_at_all_is_refused() -> None:
    with pytest.raises(IllegalMove, match="the player returned None"):
        find_player("players_of_my_own:mute", "checkers").choose(CHECKERS, START, OWN_LIMIT, Random(1))


@pytest.mark.parametrize(("name", "problem"), [
    ("divider", r"ZeroDivisionError: .* \(players_of_my_own\.py, line 16\)"),
    ("old", r"TypeError: Old\.choose\(\) takes 5 positional arguments but 6 were given"),
])  # fmt: skip
def test_errors_in_custom_code_are_reported_with_line_and_position(name: str, problem: str) -> None:
    with pytest.raises(BadInput, match=f"players_of_my_own:{name} failed in B:W21,.*: {problem}$") as told:
        find_player(f"players_of_my_own:{name}", "checkers").choose(CHECKERS, START, OWN_LIMIT, Random(1))
    assert isinstance(told.value.__cause__, (ZeroDivisionError, TypeError))


def test_an_engine_of_ones_own_may_answer_in_words_as_a_function_may() -> None:
    player = find_player("players_of_my_own:talkative", "checkers")
    assert player.choose(CHECKERS, START, OWN_LIMIT, Random(1)) == CHECKERS.moves(START)[-1]
    with pytest.raises(IllegalMove, match="1-32 is not legal here"):
        find_player("players_of_my_own:liar", "checkers").choose(CHECKERS, START, OWN_LIMIT, Random(1))


def test_a_custom_engine_gets_the_past_positions() -> None:
    player = find_player("players_of_my_own:historian", "checkers")
    assert player.choose(CHECKERS, START, OWN_LIMIT, Random(1), [START, START]) == CHECKERS.moves(START)[2]


@pytest.mark.parametrize("name", ["cheat", "liar"])
def test_dice_are_thrown_without_asking_anybody(name: str) -> None:
    rules = GAMES["backgammon"]
    player = find_player(f"players_of_my_own:{name}", "backgammon")
    assert isinstance(player.choose(rules, rules.variants["standard"], OWN_LIMIT, Random(1)), Roll)


@pytest.mark.parametrize(("name", "problem"), [
    ("strongest", "there is no player 'strongest'; there are random, beginner, novice, easy, steady, medium, hard"),
    ("no_such_module:function", "no_such_module:function: No module named"),
    ("players_of_my_own:nobody", "nobody"),
    ("players_of_my_own:NOTHING", "is neither a function nor an engine"),
    ("players_of_my_own:Careless", "is a class"),
    ("with_a_slip:function", "SyntaxError"),
    (":function", ":function is not module:function"),
    (".folder:function", "folder:function is not module:function"),
])  # fmt: skip
def test_an_unknown_player_is_refused(name: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        find_player(name, "checkers")


def test_a_file_is_shown_without_its_folders() -> None:
    assert display_name("runs/first/policy.npz") == "policy"
    assert display_name("hard") == "hard"
