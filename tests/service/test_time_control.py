from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ludus.core.errors import InvalidInput
from ludus.service.time_control import DAY, FIELDS, PRESETS, Bounds, Kind, TimeControl


def numbers(bounds: Bounds) -> st.SearchStrategy[int]:
    return st.integers(bounds.least, bounds.most)


def data_of(kind: Kind) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.just(str(kind))} | {name: numbers(each) for name, each in FIELDS[kind].items()}
    )


DATA = st.sampled_from(Kind).flatmap(data_of)
TIME_CONTROLS = DATA.map(TimeControl.from_data)
CLOCKED = TIME_CONTROLS.filter(lambda time_control: time_control.is_clocked)
PER_GAME = CLOCKED.filter(lambda time_control: not time_control.is_per_move)
THOUGHTS = st.lists(st.integers(0, 600_000), max_size=60)
"""How long a player thinks over each move, in milliseconds."""


@given(DATA)
def test_json_is_read_and_written_back(data: dict[str, Any]) -> None:
    assert json.loads(json.dumps(TimeControl.from_data(data).to_data())) == data


@given(TIME_CONTROLS)
def test_text_is_read_back_as_the_same_time_control(time_control: TimeControl) -> None:
    assert TimeControl.read_text(time_control.text) == time_control


@given(TIME_CONTROLS, TIME_CONTROLS)
def test_different_time_controls_have_different_texts(one: TimeControl, two: TimeControl) -> None:
    assert (one.text == two.text) == (one == two)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("5+3", {"type": "fischer", "seconds": 300, "increment": 3}),
        ("5+0", {"type": "game", "seconds": 300}),
        ("0:30+0", {"type": "game", "seconds": 30}),
        ("1:30+2", {"type": "fischer", "seconds": 90, "increment": 2}),
        ("2 d12", {"type": "bronstein", "seconds": 120, "delay": 12}),
        ("15s/move", {"type": "move", "seconds": 15}),
        ("2d/move", {"type": "correspondence", "days": 2}),
        ("none", {"type": "none"}),
    ],
)
def test_players_notation(text: str, data: dict[str, Any]) -> None:
    assert TimeControl.read_text(text).to_data() == data
    assert TimeControl.from_data(data).text == text


@pytest.mark.parametrize(
    "text", ["", "5", "+3", "5+", "5:7+3", "5+3 ", "5 + 3", "٥+3", "0+1", "999+1", "5+999", "2s/move"]
)
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        TimeControl.read_text(text)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        ({}, "type: one of move"),
        ({"type": "hourglass"}, "type: one of move"),
        ({"type": ["game"]}, "type: one of move"),
        ({"type": "game"}, "seconds: a whole number from 10 to 10800"),
        ({"type": "game", "seconds": 9}, "seconds: a whole number from 10 to 10800"),
        ({"type": "game", "seconds": True}, "seconds: a whole number from 10 to 10800"),
        ({"type": "game", "seconds": 60.0}, "seconds: a whole number from 10 to 10800"),
        ({"type": "game", "seconds": 60, "increment": 2}, "increment: not a field of a time control of type game"),
        ({"type": "fischer", "seconds": 60, "increment": 0}, "increment: a whole number from 1 to 180"),
        ({"type": "bronstein", "seconds": 60, "increment": 2}, "increment: not a field"),
        ({"type": "correspondence", "days": 15}, "days: a whole number from 1 to 14"),
        ({"type": "none", "seconds": 60}, "seconds: not a field"),
    ],
)
def test_json_out_of_bounds_is_refused(data: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidInput, match=problem):
        TimeControl.from_data(data)


@given(CLOCKED, THOUGHTS)
def test_time_is_never_negative(time_control: TimeControl, thoughts: list[int]) -> None:
    remaining = time_control.initial
    for used in thoughts:
        assert 0 <= time_control.left(remaining, used) <= remaining
        remaining = time_control.after_move(remaining, used)
        assert remaining >= 0


@given(PER_GAME, THOUGHTS)
def test_what_is_left_is_what_was_given_less_what_was_used(time_control: TimeControl, thoughts: list[int]) -> None:
    remaining, used, given = time_control.initial, 0, time_control.initial
    step = time_control.increment * 1000
    for thought in thoughts:
        if thought >= remaining + time_control.delay:
            break  # the flag falls
        remaining = time_control.after_move(remaining, thought)
        used += thought
        given += min(thought, step) if time_control.kind == Kind.BRONSTEIN else step
        assert remaining == given - used


@given(CLOCKED, st.integers(1, 600_000))
def test_the_flag_falls_once_the_time_and_the_delay_are_used(time_control: TimeControl, remaining: int) -> None:
    assert time_control.left(remaining, remaining + time_control.delay - 1) == 1
    assert time_control.left(remaining, remaining + time_control.delay) == 0


@given(PER_GAME)
def test_a_player_who_takes_what_is_allowed_never_runs_out_of_time(time_control: TimeControl) -> None:
    remaining = time_control.initial
    for _ in range(300):
        used = time_control.allowance(remaining)
        assert used < remaining + time_control.delay
        remaining = time_control.after_move(remaining, used)


def test_a_player_with_ten_seconds_left_hurries() -> None:
    assert TimeControl(Kind.GAME, 300).allowance(10_000) == 333
    assert TimeControl(Kind.FISCHER, 300, 3).allowance(10_000) == 2_733
    assert TimeControl(Kind.FISCHER, 300, 30).allowance(2_000) == 1_000
    assert TimeControl(Kind.BRONSTEIN, 120, 12).allowance(0) == 9_600
    assert TimeControl(Kind.MOVE, 15).allowance(15_000) == 5_000


def test_a_fischer_increment_may_add_to_the_initial_time() -> None:
    assert TimeControl(Kind.FISCHER, 300, 3).after_move(300_000, 1_000) == 302_000


def test_a_bronstein_delay_gives_back_no_more_than_was_used() -> None:
    time_control = TimeControl(Kind.BRONSTEIN, 120, 12)
    assert time_control.after_move(120_000, 5_000) == 120_000
    assert time_control.after_move(120_000, 13_000) == 119_000
    assert time_control.left(120_000, 11_999) == 120_000


@pytest.mark.parametrize("time_control", [TimeControl(Kind.MOVE, 15), TimeControl(Kind.CORRESPONDENCE, 2 * DAY)])
def test_each_move_has_the_same_time(time_control: TimeControl) -> None:
    assert time_control.after_move(7_000, 6_000) == time_control.initial


def test_only_correspondence_and_unlimited_games_wait_for_players_who_are_away() -> None:
    waiting = [time_control.kind for time_control in PRESETS if not time_control.needs_presence]
    assert waiting == [Kind.CORRESPONDENCE]
    assert not TimeControl(Kind.NONE).needs_presence
