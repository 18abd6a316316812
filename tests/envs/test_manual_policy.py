from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from ludus.core.errors import UnknownOption
from ludus.envs import backgammon_v0, backgammon_v1, checkers_v3
from ludus.envs.manual_policy import ManualPolicy, main


def policy(env: Any, *lines: str, agent_id: int = 0) -> ManualPolicy:
    """One that finds these lines typed."""
    typed: Iterator[str] = iter(lines)
    return ManualPolicy(env, agent_id, ask=lambda prompt: next(typed))


def act(env: Any, by_hand: ManualPolicy) -> int:
    action = by_hand(env.last()[0], env.agent_selection)
    env.step(action)
    return action


def at(module: Any, position: str, **options: Any) -> Any:
    env = module.env(**options)
    env.reset(seed=1, options={"position": position})
    return env


def test_a_move_is_typed_as_in_a_record() -> None:
    env = checkers_v3.env()
    env.reset()
    black, white = policy(env, "11-15"), policy(env, "22-18", agent_id=1)
    assert act(env, black) == 2 * 64 + 2 * 8 + 5
    assert act(env, white) == 2 * 64 + 2 * 8 + 5
    assert env.agent_selection == "player_0"


def test_a_chain_is_typed_once_and_played_jump_by_jump() -> None:
    env = at(checkers_v3, "B:W6,15,31:B1,9")
    by_hand = policy(env, "1x19")
    assert [act(env, by_hand), act(env, by_hand)] == [3 * 64 + 1, 3 * 64 + 2 * 8 + 3]
    assert env.agent_selection == "player_1"


def test_a_chain_may_be_typed_jump_by_jump_or_as_numbers() -> None:
    env = at(checkers_v3, "B:W6,15,31:B1,9")
    by_hand = policy(env, "1x10", f"{3 * 64 + 2 * 8 + 3}")
    assert [act(env, by_hand), act(env, by_hand)] == [3 * 64 + 1, 3 * 64 + 2 * 8 + 3]


def test_the_rest_of_a_move_is_forgotten_when_the_game_starts_again() -> None:
    env = at(checkers_v3, "B:W6,15,31:B1,9")
    by_hand = policy(env, "1x19", "11-15")
    act(env, by_hand)
    env.reset()
    assert act(env, by_hand) == 2 * 64 + 2 * 8 + 5


def test_the_rest_of_a_move_is_forgotten_in_another_game_that_is_as_long() -> None:
    env = at(checkers_v3, "B:W6,15,31:B1,9")
    by_hand = policy(env, "1x19", "11-15")
    act(env, by_hand)
    env.reset(options={"position": "W:W22:B11"})
    act(env, policy(env, "22-18", agent_id=1))
    assert act(env, by_hand) == 2 * 64 + 2 * 8 + 5


def test_a_play_is_typed_whole(capsys: pytest.CaptureFixture[str]) -> None:
    env = at(backgammon_v0, "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    by_hand = policy(env, "8/5 6/5")
    act(env, by_hand)
    act(env, by_hand)
    assert env.agent_selection == "player_1"
    assert env.observe("player_0")["observation"][20] == 2
    assert capsys.readouterr().out.count("white to play") == 1


def test_whole_plays_and_decisions_about_the_cube_are_typed_too() -> None:
    start = "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10"
    env = at(backgammon_v1, start, cube=True, plays=True)
    assert act(env, policy(env, "double")) == 3061
    assert act(env, policy(env, "take", agent_id=1)) == 3062
    env = at(backgammon_v1, start.replace(":00:", ":31:"), cube=True, plays=True)
    act(env, policy(env, "8/5 6/5"))
    assert env.observe("player_0")["observation"][20] == 2


def test_mistakes_are_explained_and_asked_for_again(capsys: pytest.CaptureFixture[str]) -> None:
    env = checkers_v3.env()
    env.reset()
    assert act(env, policy(env, "11-20", "hello", "moves", "11-16")) == 3 * 64 + 2 * 8 + 5
    shown = capsys.readouterr().out
    assert "11-20 is not legal here" in shown
    assert "'hello' is not a move" in shown
    assert "  145  9-13" in shown
    env = at(backgammon_v0, "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    act(env, policy(env, "white resigns 1", "31", "8/5"))
    act(env, policy(env, "8/5 6/5", "6/5"))
    assert env.agent_selection == "player_1"


def test_another_agents_turn_is_refused() -> None:
    env = checkers_v3.env()
    env.reset()
    with pytest.raises(UnknownOption, match="player_1"):
        policy(env, "11-15", agent_id=1)(env.last()[0], "player_0")
    for number in (2, -1, "player_0"):
        with pytest.raises(UnknownOption, match="agent_id"):
            ManualPolicy(env, number)  # type: ignore[arg-type]  # a text is refused too


def test_quit_leaves_the_game() -> None:
    env = checkers_v3.env()
    env.reset()
    with pytest.raises(SystemExit):
        act(env, policy(env, "quit"))


def test_the_module_plays_against_random_actions(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO("11-15\n"))
    main(["checkers-v3", "--seed", "1"])
    assert capsys.readouterr().out.count("player_0: ") == 2


def test_any_integer_is_a_seed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
    with pytest.raises(SystemExit) as left:
        main(["checkers-v3", "--seed", "-1"])
    assert not left.value.code
    assert capsys.readouterr().out.count("player_0: ") == 1


@pytest.mark.parametrize(
    ("options", "typed", "shown"),
    [
        ("--match-length 3 --seed 0", "double", "white doubles to 2 (0/3)"),
        ("--cube --agent 1 --seed 0", "8/4 6/5, take", "black (cube 2)"),
        ("--cube --beavers --agent 1 --seed 0", "8/4 6/5, beaver", "black beavers to 4"),
        ("--cube --jacoby --agent 1 --seed 0", "8/4 6/5, drop", "player_1: -1 (dropped)"),
        ("--variant hypergammon", "moves", "69 pips"),
    ],
)
def test_the_module_plays_with_a_cube_and_matches(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], options: str, typed: str, shown: str
) -> None:
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed.replace(", ", "\n") + "\n"))
    main(["backgammon-v1", *options.split()])
    out = capsys.readouterr().out
    assert shown in out
    assert "`quit`" not in out  # every line was understood


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("checkers-v4 --cube", "checkers-v4 has no option --cube"),
        ("backgammon-v0 --match-length 3", "backgammon-v0 has no option --match-length"),
        ("backgammon-v1 --match-length 99", "from 1 to 25"),
        ("backgammon-v1 --jacoby", "for single games with a cube"),
        ("backgammon-v1 --variant none", "there are standard"),
    ],
)
def test_options_that_an_environment_does_not_have_are_refused(
    capsys: pytest.CaptureFixture[str], arguments: str, said: str
) -> None:
    with pytest.raises(SystemExit, match="2"):
        main(arguments.split())
    assert said in capsys.readouterr().err


def test_an_unknown_environment_is_refused_with_the_known_ones_named(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["chess-v6"])
    assert "backgammon-v0" in capsys.readouterr().err
