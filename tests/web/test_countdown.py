"""Which seconds of a countdown are announced."""

from __future__ import annotations

from typing import Final

from .conftest import Visit

HEARD: Final = """async ([module, runs]) => {
  const { Countdown } = await import(module);
  const count = new Countdown();
  return runs.map((run) => (count.stop(), run.filter((seconds) => count.isDue(seconds))));
}"""


def heard(visit: Visit, *runs: list[int]) -> list[list[int]]:
    """Which of the seconds of each countdown are spoken."""
    page = visit().open("/games")
    base = (page.locator("script[type=module]").get_attribute("src") or "").partition("/catalog/")[0]
    found: list[list[int]] = page.evaluate(HEARD, [f"{base}/rooms/countdown.js", list(runs)])
    return found


def test_of_a_minute_that_runs_out_four_seconds_are_spoken(visit: Visit) -> None:
    assert heard(visit, list(range(60, -1, -1))) == [[60, 30, 10, 5]]


def test_a_countdown_that_jumps_is_spoken_once_for_all_that_it_left_out(visit: Visit) -> None:
    assert heard(visit, [43, 43, 9, 8, 3, 3, 0]) == [[43, 9, 3]]


def test_each_countdown_begins_with_a_word(visit: Visit) -> None:
    assert heard(visit, [4, 3], [4, 3]) == [[4], [4]]
