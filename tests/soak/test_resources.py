"""The check of a soak's samples."""

from __future__ import annotations

import pytest

from .resources import SLACK, Sample, growth


def flat(**changes: float) -> Sample:
    return dict.fromkeys(SLACK, 100.0) | changes


def test_what_warms_up_and_varies_is_flat() -> None:
    samples = [flat(tasks=10.0 * number) for number in range(10)]
    samples += [flat(tasks=100 + number % 7) for number in range(30)]
    assert growth(samples) == []


@pytest.mark.parametrize("name", SLACK)
def test_what_grows_to_the_end_is_a_problem(name: str) -> None:
    samples = [flat(**{name: 100 + 2.0 * number}) for number in range(40)]
    (problem,) = growth(samples)
    assert problem.startswith(name)
