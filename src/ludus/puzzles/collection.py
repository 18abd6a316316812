"""A server's puzzles: those that come with the games, and those in the operator's files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ludus.core.errors import BadInput, MalformedRecord
from ludus.games import GAMES
from ludus.puzzles.adapter import adapter
from ludus.puzzles.files import puzzles, read
from ludus.puzzles.puzzle import Puzzle

PATTERN: Final = "*.jsonl"
MOST: Final = 10_000
"""The most puzzles of an operator: choosing one compares all of a game's puzzles."""


def collection(text: str) -> Callable[[str], Sequence[Puzzle]]:
    """The puzzles of each game, from a setting: files and folders between commas.

    Raises `BadInput` for anything there that isn't a file of puzzles.
    """
    own = [puzzle for file in _files(text) for puzzle in _read(file)]
    if len(own) > MOST:
        raise BadInput(f"puzzles: at most {MOST:,}, not {len(own):,}")
    games = {puzzle.game for puzzle in own}
    found = {game: merged([*puzzles(game), *(each for each in own if each.game == game)]) for game in games}
    return lambda game: found[game] if game in found else puzzles(game)


def merged(puzzles: Iterable[Puzzle]) -> tuple[Puzzle, ...]:
    """The puzzles with each position once, whichever side it belongs to; of repeated ones, the first stays."""
    found: dict[Any, Puzzle] = {}
    for puzzle in puzzles:
        found.setdefault(key_of(puzzle), puzzle)
    return tuple(found.values())


def key_of(puzzle: Puzzle) -> Any:
    """A key that is the same for a puzzle and its mirror image."""
    position = GAMES[puzzle.game].notation.read_position(puzzle.position)
    return min(position, adapter(puzzle.game).mirrored(position), key=repr)


def _files(text: str) -> Iterator[Path]:
    for part in filter(None, (part.strip() for part in text.split(","))):
        path = Path(part)
        if not path.is_dir():
            yield path
            continue
        files = sorted(path.glob(PATTERN))
        if not files:
            raise BadInput(f"puzzles: there is no {PATTERN} in the folder {path}")
        yield from files


def _read(file: Path) -> list[Puzzle]:
    try:
        return read(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"puzzles: {file}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadInput(f"puzzles: {file} is not UTF-8") from error
    except MalformedRecord as error:
        raise BadInput(f"puzzles: {file}: {error}") from error
