"""Finds puzzles in games: positions where one move is clearly best, and the line that follows from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from ludus.core.processes import ordered_results
from ludus.engines import Limit, Line, analyst
from ludus.puzzles.adapter import PuzzleAdapter, adapter
from ludus.puzzles.collection import key_of
from ludus.puzzles.difficulty import rate
from ludus.puzzles.puzzle import Puzzle, id_of
from ludus.puzzles.sources import Source, SourceGame, compiled_rules

LINES: Final = 3
"""Moves that are compared."""
APART: Final = 10
"""The least number of moves, rolls included, between two puzzles of a game."""
MOST_OF_A_GAME: Final = 3
DIGITS: Final = 3
"""Decimal places of a margin."""


class Found(NamedTuple):
    """The puzzles found in one game."""

    positions: int
    puzzles: tuple[Puzzle, ...]


class Decision(NamedTuple):
    """A position in which the solver moves, the right move, and by how much it beats the others, if there are any."""

    position: Any
    move: Any
    margin: float | None


def mine(game: str, source: Source, jobs: int) -> Iterator[Found]:
    """Mines game by game, in order. Closing the iterator stops the work. No position, or its mirror image, repeats."""
    seen: set[Any] = set()
    for found in _found(game, source, jobs):
        new = []
        for puzzle in found.puzzles:
            key = key_of(puzzle)
            if key not in seen:
                seen.add(key)
                new.append(puzzle)
        yield found._replace(puzzles=tuple(new))


def _found(game: str, source: Source, jobs: int) -> Iterator[Found]:
    if jobs == 1:
        return (mine_game(game, source.game(number)) for number in range(source.number))
    return ordered_results(_work, source.number, jobs, _start_worker, (game, source))


_task: tuple[str, Source]
"""The task of a worker process, set when it starts."""


def _start_worker(game: str, source: Source) -> None:
    global _task
    _task = game, source


def _work(number: int) -> Found:
    game, source = _task
    return mine_game(game, source.game(number))


def mine_game(game: str, source: SourceGame) -> Found:
    found: list[Puzzle] = []
    next_ply = 0
    for ply, position in enumerate(source.positions):
        if ply < next_ply:
            continue
        asked = (
            puzzle_of(game, each, f"{source.source}, move {ply + 1}") for each in adapter(game).questions(position)
        )
        puzzle = next(filter(None, asked), None)
        if puzzle is not None:
            found.append(puzzle)
            next_ply = ply + max(APART, len(puzzle.moves))
        if len(found) == MOST_OF_A_GAME:
            break
    return Found(len(source.positions), tuple(found))


def puzzle_of(game: str, position: Any, source: str) -> Puzzle | None:
    """The puzzle of this position; None if it isn't one."""
    rules, own = compiled_rules(game), adapter(game)
    if rules.chances(position) or not own.has_choice(rules, position):
        return None
    if own.glance is not None and _open(rules, own, position, own.glance, own.margin / 2) is None:
        return None
    first = _open(rules, own, position, own.limit, own.margin)
    if first is None or own.is_obvious(rules, position, first[0].move):
        return None
    decisions, moves = solution(rules, own, position, first)
    text = rules.notation.write_position(position)
    return Puzzle(
        id_of(game, text),
        game,
        text,
        written(rules, position, moves),
        round(min(each.margin for each in decisions if each.margin is not None), DIGITS),
        rate(rules, [each[:2] for each in decisions], Random(text)),
        tuple(own.themes(rules, position, moves, first[0].value)),
        source,
    )


def _open(rules: Any, own: PuzzleAdapter, position: Any, limit: Limit, margin: float) -> tuple[Line[Any], ...] | None:
    """The best lines, if the first stands out enough to be worth a puzzle."""
    lines = _best(rules, position, limit, margin)
    return lines if lines and own.is_open(position, *lines[:2]) else None


def _best(rules: Any, position: Any, limit: Limit, margin: float) -> tuple[Line[Any], ...] | None:
    """The best lines, if the first is better than the second by the margin."""
    lines = analyst(rules.name).analyse(rules, position, limit, (), LINES)
    return lines if len(lines) > 1 and lines[0].value - lines[1].value >= margin else None


def solution(
    rules: Any, own: PuzzleAdapter, position: Any, first: Sequence[Line[Any]]
) -> tuple[list[Decision], list[Any]]:
    """The solver's decisions, as long as each has one clear best move, and all moves with the replies between them."""
    decisions, moves = [Decision(position, first[0].move, first[0].value - first[1].value)], [first[0].move]
    while len(decisions) < own.longest:
        after = rules.play(decisions[-1].position, moves[-1])
        reply = _reply(rules, own, after)
        decision = None if reply is None else _decision(rules, own, rules.play(after, reply))
        if decision is None:
            break
        decisions.append(decision)
        moves += [reply, decision.move]
    while decisions[-1].margin is None and not own.is_worth_showing(moves[-1]):
        del decisions[-1:], moves[-2:]
    return decisions, moves


def _reply(rules: Any, own: PuzzleAdapter, position: Any) -> Any:
    """The best reply; None if the game is over."""
    moves = rules.moves(position)
    if len(moves) < 2:
        return moves[0] if moves else None
    return analyst(rules.name).analyse(rules, position, own.limit, (), 1)[0].move


def _decision(rules: Any, own: PuzzleAdapter, position: Any) -> Decision | None:
    """The decision in a position; None without one clear best move."""
    moves = rules.moves(position)
    if len(moves) == 1:
        return Decision(position, moves[0], None)
    lines = _best(rules, position, own.limit, own.margin) if moves else None
    return None if lines is None else Decision(position, lines[0].move, lines[0].value - lines[1].value)


def written(rules: Any, position: Any, moves: Sequence[Any]) -> tuple[str, ...]:
    texts = []
    for move in moves:
        texts.append(rules.notation.write_move(position, move))
        position = rules.play(position, move)
    return tuple(texts)
