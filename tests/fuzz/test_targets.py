"""Whatever comes from outside is accepted or refused with a documented error, in bounded work.

`make fuzz` does the same with many more inputs.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, settings
from tests.fuzz.steps import TooMuchWork, count_steps
from tests.fuzz.target import Target
from tests.fuzz.targets import targets

TARGETS = {target.name: target for target in targets()}
SHORT = settings(max_examples=30)


@pytest.mark.parametrize("name", TARGETS)
def test_a_parser_raises_only_its_own_errors_in_bounded_work(name: str) -> None:
    target = TARGETS[name]
    target.warm_up()

    @SHORT
    @given(target.inputs())
    def check(given: Any) -> None:
        target.check(given)

    check()


def loop_for(text: str) -> None:
    for _ in text * len(text):
        pass


def test_work_that_grows_faster_than_the_input_is_noticed() -> None:
    target = Target("quadratic", loop_for, (), ["x"])
    target.check("x" * 100)
    with pytest.raises(TooMuchWork):
        target.check("x" * 10_000)


def test_an_error_that_is_not_documented_is_noticed() -> None:
    target = Target("careless", lambda text: text.index("y"), (KeyError,), ["y"])
    target.check("y")
    with pytest.raises(ValueError, match="substring"):
        target.check("x")


def test_an_endless_loop_ends() -> None:
    def turn() -> None:
        while True:
            with suppress(Exception):  # what careless code does
                pass

    with pytest.raises(TooMuchWork):
        count_steps(turn, 1000)
