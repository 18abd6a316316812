"""Checks puzzles with a deeper search than the one that found them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from ludus.core.processes import ordered_results
from ludus.engines import Limit, analyst
from ludus.puzzles.adapter import adapter
from ludus.puzzles.mining import DIGITS
from ludus.puzzles.puzzle import Puzzle, replay
from ludus.puzzles.sources import compiled_rules

LINES: Final = 4
"""Moves that are compared with each other."""
MOST_BETTER: Final = 0.25
"""How much better than a solution's reply another reply may be, as a share of the game's margin."""


class Checked(NamedTuple):
    puzzle: Puzzle
    """The puzzle, with the margin of this check if it passed."""
    problem: str | None = None


def check(puzzles: Sequence[Puzzle], times: int, jobs: int) -> Iterator[Checked]:
    """Checks puzzles in order, each with about `times` times as many positions as in mining."""
    if jobs == 1:
        return (check_puzzle(puzzle, times) for puzzle in puzzles)
    return ordered_results(_work, len(puzzles), jobs, _start_worker, (puzzles, times))


_task: tuple[Sequence[Puzzle], int]
"""The task of a worker process, set when it starts."""


def _start_worker(puzzles: Sequence[Puzzle], times: int) -> None:
    global _task
    _task = puzzles, times


def _work(number: int) -> Checked:
    puzzles, times = _task
    return check_puzzle(puzzles[number], times)


def check_puzzle(puzzle: Puzzle, times: int) -> Checked:
    rules, own = compiled_rules(puzzle.game), adapter(puzzle.game)
    limit, margins = own.deeper(times), list[float]()
    for number, text in enumerate(puzzle.moves):
        position = replay(puzzle, number)
        move = rules.notation.read_move(position, text)
        if len(rules.moves(position)) == 1:
            continue
        if number % 2:
            problem = _reply_problem(rules, position, move, limit, own.margin)
        else:
            margin = _margin(rules, position, move, limit)
            margins.append(margin)
            problem = None if margin >= own.margin else f"beats the second best by {margin:+.3f}"
        if problem:
            return Checked(puzzle, f"{text} {problem}")
    return Checked(puzzle._replace(margin=round(min(margins), DIGITS)))


def _margin(rules: Any, position: Any, move: Any, limit: Limit) -> float:
    """The margin by which the move beats all others; below zero if it does not."""
    lines = analyst(rules.name).analyse(rules, position, limit, (), LINES)
    values = {line.move: line.value for line in lines}
    if move not in values:
        return min(values.values()) - lines[0].value
    return values[move] - max(value for each, value in values.items() if each != move)


def _reply_problem(rules: Any, position: Any, move: Any, limit: Limit, margin: float) -> str | None:
    """What is wrong with a reply, if anything; it need not be the only one, but must be nearly the best."""
    lines = analyst(rules.name).analyse(rules, position, limit, (), LINES)
    value = next((line.value for line in lines if line.move == move), None)
    if value is None or lines[0].value - value > MOST_BETTER * margin:
        return f"is not the best reply: {rules.notation.write_move(position, lines[0].move)} is better"
    return None
