"""Contenders by name."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from ludus.core.errors import BadInput
from ludus.core.game import Game
from ludus.games import GAMES
from ludus.series.contender import display_name, find_contender, play_move

PARTS = "contestants"


@pytest.mark.parametrize("name", ["easy", "medium", "hard", "random", "house:easy", f"{PARTS}:first_move",
                                  f"{PARTS}:last_move_written", f"{PARTS}:rememberer"])  # fmt: skip
def test_every_kind_of_contender_makes_a_legal_move(name: str) -> None:
    game = Game(GAMES["checkers"])
    play_move(find_contender(name, "checkers"), name, game, Random(1))
    assert game.length == 1


@pytest.mark.parametrize(("name", "problem"), [
    ("strongest", "there is no player 'strongest'; there are random, beginner, novice, easy, steady, medium, hard"),
    ("https://", "https:// is not the address of an agent, such as http://127.0.0.1:8766"),
    ("http://[::1", "is not the address of an agent"),
    ("no_such_module:function", "no_such_module:function: No module named"),
    (f"{PARTS}:nobody", "nobody"),
    (f"{PARTS}:NOTHING", "is neither a function nor an engine"),
    (":function", ":function is not module:function"),
])  # fmt: skip
def test_an_unknown_contender_is_refused(name: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        find_contender(name, "checkers")


def test_a_module_may_be_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = "def play(rules, position, rng): return rules.moves(position)[0]"
    (tmp_path / "my_engine_lies_here.py").write_text(source)
    monkeypatch.chdir(tmp_path)
    game = Game(GAMES["checkers"])
    assert find_contender("my_engine_lies_here:play", "checkers").move(game, Random(1)) == game.legal_moves()[0]


def test_an_illegal_move_is_reported_with_its_position() -> None:
    name = f"{PARTS}:cheat"
    with pytest.raises(BadInput, match=f"{name} made an illegal move in B:W21.*: 1-32 is not legal here"):
        play_move(find_contender(name, "checkers"), name, Game(GAMES["checkers"]), Random(1))


def test_an_engine_gets_the_earlier_positions() -> None:
    contender, rng = find_contender(f"{PARTS}:rememberer", "checkers"), Random(2)
    game = Game(GAMES["checkers"])
    while game.outcome is None:
        play_move(contender, "rememberer", game, rng)
    assert game.length > 20


def test_an_address_is_displayed_without_its_password() -> None:
    assert display_name("https://me:password@agents.example:8443/tortoise/") == "agents.example:8443/tortoise"
    assert display_name("http://127.0.0.1:8766") == "127.0.0.1:8766"
    assert display_name("runs/first/policy.npz") == "policy"
