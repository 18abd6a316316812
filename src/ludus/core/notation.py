"""How moves, positions and whole games are written."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from typing import Any, Final, Generic, Literal, Protocol, TypeVar

from ludus.core.errors import BadInput, LudusError, MalformedRecord
from ludus.core.game import Game
from ludus.core.rules import Outcome, Player, Rules

MOST_TEXT: Final = 16_000_000
"""The longest file that `read_games` accepts, in characters; archives of ten thousand games are shorter."""

MOST_BYTES: Final = 4 * MOST_TEXT + 1
"""How much to read of a file; enough to notice that a text is too long."""

P = TypeVar("P")
M = TypeVar("M")

Errors = Literal["raise", "skip"]
"""What to do about a game that can't be read: raise its problem, or go on with the next game."""
Problems = list[MalformedRecord]


def report(problem: MalformedRecord, errors: Errors, skipped: Problems | None) -> None:
    """Raises a game's problem or, if such games are skipped, adds it to the list."""
    if errors != "skip":
        raise problem
    if skipped is not None:
        skipped.append(problem)


def decode(data: bytes) -> str:
    """The text of a game file, whatever its line ends: UTF-8, UTF-16 with its mark, or older programs' Windows-1252."""
    try:
        text = data.decode("utf-16" if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", errors="replace")
    return text.replace("\r\n", "\n").replace("\r", "\n")


class Notation(Protocol[P, M]):
    """Reading is the inverse of writing. Text that can't be read raises one of `ludus.core.errors`, whatever it is."""

    @property
    def suffix(self) -> str:
        """How the name of a game file ends, with its dot."""
        ...

    def write_move(self, position: P, move: M) -> str: ...

    def read_move(self, position: P, text: str) -> M: ...

    def write_position(self, position: P) -> str: ...

    def read_position(self, text: str) -> P: ...

    def write_games(self, games: Iterable[Game[P, M]]) -> str: ...

    def read_games(
        self, text: str, *, errors: Errors = "raise", skipped: Problems | None = None
    ) -> list[Game[P, M]]: ...

    def each_game(
        self, text: str, *, errors: Errors = "raise", skipped: Problems | None = None
    ) -> Iterator[Game[P, M]]:
        """Reads lazily: a mistake in a later game doesn't affect an earlier one.

        With `errors="skip"`, games that can't be read are left out, and the list `skipped`, if there is one, gets their
        problems.
        """
        ...

    def recognizes(self, text: str) -> bool:
        """Whether text that may be a game file of any game looks like one of this game."""
        ...


class JsonNotation(Generic[P, M]):
    """Game files for a game without a format of its own: one JSON object per line, with moves and positions as text.

    A subclass adds `write_move`, `read_move`, `write_position`, `read_position` and a suffix that no other game has.
    """

    suffix: str = ".jsonl"

    def __init__(self, rules: Rules[P, M]) -> None:
        self._rules = rules

    def write_position(self, position: P) -> str:
        """Abstract: each game has its own."""
        raise NotImplementedError

    def read_position(self, text: str) -> P:
        """Abstract, like `write_position`."""
        raise NotImplementedError

    def write_games(self, games: Iterable[Game[P, M]]) -> str:
        return "".join(f"{json.dumps(self._to_json(game))}\n" for game in games)

    def read_games(self, text: str, *, errors: Errors = "raise", skipped: Problems | None = None) -> list[Game[P, M]]:
        return list(self.each_game(text, errors=errors, skipped=skipped))

    def each_game(
        self, text: str, *, errors: Errors = "raise", skipped: Problems | None = None
    ) -> Iterator[Game[P, M]]:
        if len(text) > MOST_TEXT:
            raise MalformedRecord(f"a file of more than {MOST_TEXT:,} characters is not read", 1)
        for number, line in enumerate(text.removeprefix("\ufeff").split("\n"), 1):
            if line.strip():
                try:
                    game = self._read_line(line, number)
                except MalformedRecord as problem:
                    report(problem, errors, skipped)
                else:
                    yield game

    def recognizes(self, text: str) -> bool:
        lines = (line for line in text.removeprefix("\ufeff").split("\n") if line.strip())
        try:
            data = json.loads(next(lines, ""))
        except (ValueError, RecursionError):
            return False
        return isinstance(data, dict) and data.get("game") == self._rules.name

    def _read_line(self, line: str, number: int) -> Game[P, M]:
        try:
            return self._from_json(json.loads(line))
        except (LudusError, ValueError, RecursionError) as error:
            raise MalformedRecord(str(error), number) from error

    def _to_json(self, game: Game[P, M]) -> dict[str, Any]:
        write, pairs = self._rules.notation.write_move, zip(game.positions, game.moves, strict=False)
        return {
            "game": self._rules.name,
            "start": self.write_position(game.start),
            "moves": [write(position, move) for position, move in pairs],
            "ending": game.ending,
            "tags": game.tags,
            "comments": game.comments,
        }

    def _from_json(self, data: Any) -> Game[P, M]:
        match data:
            case {"start": str(start), "moves": list(moves), "tags": dict(tags), "comments": dict(comments)}:
                game = Game(self._rules, start=self.read_position(start), tags=tags)
            case _:
                raise BadInput("a game is a JSON object with start, moves, tags and comments")
        if not all(isinstance(text, str) for text in (*moves, *tags.values(), *comments.values())):
            raise BadInput("moves, tags and comments are text")
        for move in moves:
            game.play_on()
            game.play(move)
        game.comments.update((int(number), text) for number, text in comments.items())
        match data.get("ending"):
            case None:
                pass
            case [None | 0 | 1 as winner, str(reason), int(points)]:
                game.end(Outcome(None if winner is None else Player(winner), reason, points))
            case [None | 0 | 1 as winner, str(reason), int(points), int(stake)] if stake > 0:
                game.end(Outcome(None if winner is None else Player(winner), reason, points, stake))
            case _:
                raise BadInput("an ending is the number of the winner or null, a reason, points and a stake")
        return game
