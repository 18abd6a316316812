"""Bots of the operator's own, under names of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from ludus.core.errors import BadInput, UnknownOption
from ludus.engines.levels import LEVELS
from ludus.games import GAMES
from ludus.service.roster import Roster

SOURCE = "def first(rules, position, rng): return rules.moves(position)[0]"


@pytest.fixture(autouse=True)
def own_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bots_of_the_operator.py").write_text(SOURCE)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("game", GAMES)
def test_the_three_levels_are_always_there(game: str) -> None:
    assert Roster().names(game) == Roster.read("").names(game) == LEVELS


def test_a_bot_of_ones_own_is_there_beside_the_levels() -> None:
    roster = Roster.read("shy=bots_of_the_operator:first, same = random")
    assert roster.names("checkers") == (*LEVELS, "shy", "same")
    assert roster.player("shy", "backgammon") == "bots_of_the_operator:first"
    assert roster.player("hard", "backgammon") == "hard"


def test_a_policy_without_the_cube_plays_games_without_one(tmp_path: Path) -> None:
    from tests.players.test_policy import noisy_policy

    noisy_policy("backgammon").save(tmp_path / "old.npz")
    noisy_policy("backgammon_v1").save(tmp_path / "new.npz")
    roster = Roster.read(f"old={tmp_path / 'old.npz'}, new={tmp_path / 'new.npz'}")
    assert roster.player("old", "backgammon", "nackgammon") == str(tmp_path / "old.npz")
    assert roster.player("new", "backgammon", "standard+match3") == str(tmp_path / "new.npz")
    with pytest.raises(UnknownOption) as caught:
        roster.player("old", "backgammon", "standard+cube")
    assert str(caught.value) == "the bot old can't play standard+cube"


def test_a_policy_sits_down_at_its_own_game_only(tmp_path: Path) -> None:
    from tests.players.test_policy import noisy_policy

    noisy_policy("checkers").save(tmp_path / "policy.npz")
    roster = Roster.read("trained=policy.npz")
    assert "trained" in roster.names("checkers")
    with pytest.raises(
        UnknownOption, match="no bot 'trained' at backgammon; there are beginner, novice, easy, steady, medium, hard"
    ):
        roster.player("trained", "backgammon")


@pytest.mark.parametrize(("text", "problem"), [
    ("shy", "'shy' is not name=player"),
    ("shy=", "'shy' is not name=player"),
    ("Shy=random", "'Shy' is not name=player"),
    ("hard=random", "hard is a built-in level"),
    ("shy=random,shy=easy", "with distinct names"),
    ("shy=nobody.npz", "players: shy=nobody.npz: "),
    ("shy=no_such_module:it", "no_such_module"),
])  # fmt: skip
def test_a_mistake_in_the_setting_is_reported_at_startup(text: str, problem: str) -> None:
    with pytest.raises(BadInput, match=problem):
        Roster.read(text)
