"""Time controls: how long the players of a game may think. Values, their text and their JSON; pure arithmetic."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final, NamedTuple, Self

from ludus.core.errors import InvalidInput

DAY: Final = 86_400
"""In seconds."""


class Kind(StrEnum):
    MOVE = "move"
    """A time for each move."""
    GAME = "game"
    """A time for the game."""
    FISCHER = "fischer"
    """A time for the game, and an increment after each move."""
    BRONSTEIN = "bronstein"
    """A time for the game, which runs only after a delay in each move."""
    CORRESPONDENCE = "correspondence"
    """Days for each move; the players need not be there."""
    NONE = "none"
    """No limit at all, not even for players who are away."""


class Bounds(NamedTuple):
    """Of a field, in its own unit."""

    least: int
    most: int


MOVE_SECONDS: Final = Bounds(3, 3600)
GAME_SECONDS: Final = Bounds(10, 3 * 3600)
STEP_SECONDS: Final = Bounds(1, 180)
"""An increment or a delay."""
DAYS: Final = Bounds(1, 14)
FIELDS: Final[Mapping[Kind, Mapping[str, Bounds]]] = {
    Kind.MOVE: {"seconds": MOVE_SECONDS},
    Kind.GAME: {"seconds": GAME_SECONDS},
    Kind.FISCHER: {"seconds": GAME_SECONDS, "increment": STEP_SECONDS},
    Kind.BRONSTEIN: {"seconds": GAME_SECONDS, "delay": STEP_SECONDS},
    Kind.CORRESPONDENCE: {"days": DAYS},
    Kind.NONE: {},
}
"""The fields of each kind's JSON besides `type`, all required."""

MOVES_TO_GO: Final = 30
"""A careful player budgets time for this many more moves."""
TEXT: Final = re.compile(
    r"(?P<none>none)"
    r"|(?P<days>\d{1,2}) ?d/move"
    r"|(?P<seconds>\d{1,5}) ?s/move"
    r"|(?P<minutes>\d{1,3})(:(?P<rest>[0-5]\d))?(\+(?P<increment>\d{1,3})| ?d(?P<delay>\d{1,3}))",
    re.ASCII,
)
MOST_TEXT: Final = 16


class TimeControl(NamedTuple):
    kind: Kind
    seconds: int = 0
    """For each move or for the game."""
    increment: int = 0
    """After each move; with a Bronstein delay, the delay."""

    @property
    def is_clocked(self) -> bool:
        return self.kind != Kind.NONE

    @property
    def is_per_move(self) -> bool:
        """Whether each move has the same time, regardless of the others."""
        return self.kind in (Kind.MOVE, Kind.CORRESPONDENCE)

    @property
    def needs_presence(self) -> bool:
        """Whether a player who is away for long loses."""
        return self.kind not in (Kind.CORRESPONDENCE, Kind.NONE)

    @property
    def initial(self) -> int:
        """Milliseconds that each player begins with."""
        return self.seconds * 1000

    @property
    def delay(self) -> int:
        """Milliseconds in each move before the player's time runs."""
        return self.increment * 1000 if self.kind == Kind.BRONSTEIN else 0

    def left(self, remaining: int, used: int, delay: int | None = None) -> int:
        """Milliseconds left to a player who had `remaining` and has been thinking for `used`.

        `delay` is how much of the delay was left then; by default all of it.
        """
        return max(0, remaining - max(0, used - (self.delay if delay is None else delay)))

    def after_move(self, remaining: int, used: int, delay: int | None = None) -> int:
        """The same once the player has moved."""
        if self.is_per_move:
            return self.initial
        return self.left(remaining, used, delay) + (self.increment * 1000 if self.kind == Kind.FISCHER else 0)

    def allowance(self, remaining: int) -> int:
        """Milliseconds that a player with this much left can spend on a move without running short later."""
        if self.is_per_move:
            return remaining // 3
        return min(remaining // MOVES_TO_GO + self.increment * 800, remaining // 2 + self.delay)

    @property
    def text(self) -> str:
        """As players write it; `read_text` reads it back.

        >>> [TimeControl(Kind.FISCHER, 300, 3).text, TimeControl(Kind.GAME, 90).text, TimeControl(Kind.MOVE, 15).text]
        ['5+3', '1:30+0', '15s/move']
        >>> [TimeControl(Kind.BRONSTEIN, 120, 12).text, TimeControl(Kind.CORRESPONDENCE, 2 * DAY).text]
        ['2 d12', '2d/move']
        """
        if self.kind == Kind.NONE:
            return "none"
        if self.kind == Kind.MOVE:
            return f"{self.seconds}s/move"
        if self.kind == Kind.CORRESPONDENCE:
            return f"{self.seconds // DAY}d/move"
        minutes, rest = divmod(self.seconds, 60)
        time = f"{minutes}:{rest:02}" if rest else f"{minutes}"
        return f"{time} d{self.increment}" if self.kind == Kind.BRONSTEIN else f"{time}+{self.increment}"

    def to_data(self) -> dict[str, Any]:
        """The JSON of all APIs, of events and of the store."""
        values = {
            "seconds": self.seconds,
            "increment": self.increment,
            "delay": self.increment,
            "days": self.seconds // DAY,
        }
        return {"type": str(self.kind)} | {field: values[field] for field in FIELDS[self.kind]}

    @classmethod
    def from_data(cls, data: Mapping[str, Any]) -> Self:
        """Refuses what `to_data` cannot have written."""
        try:
            kind = Kind(data["type"])
        except (KeyError, ValueError):
            raise InvalidInput(f"type: one of {', '.join(Kind)}") from None
        if unknown := sorted(set(data) - {"type", *FIELDS[kind]}):
            raise InvalidInput(f"{unknown[0][:40]}: not a field of a time control of type {kind}")
        for field, bounds in FIELDS[kind].items():
            value = data.get(field)
            if type(value) is not int or not bounds.least <= value <= bounds.most:
                raise InvalidInput(f"{field}: a whole number from {bounds.least} to {bounds.most}")
        seconds = data["days"] * DAY if kind == Kind.CORRESPONDENCE else data.get("seconds", 0)
        return cls(kind, seconds, data.get("increment", data.get("delay", 0)))

    @classmethod
    def read_text(cls, text: str) -> Self:
        found = TEXT.fullmatch(text) if len(text) <= MOST_TEXT else None
        if found is None:
            raise InvalidInput("a time control is written as 5+3, 2 d12, 15s/move, 2d/move or none")
        fields = {name: int(value) for name, value in found.groupdict().items() if value and name != "none"}
        if found["none"]:
            return cls.from_data({"type": Kind.NONE})
        if "days" in fields:
            return cls.from_data({"type": Kind.CORRESPONDENCE} | fields)
        if "seconds" in fields:
            return cls.from_data({"type": Kind.MOVE} | fields)
        seconds = fields.pop("minutes") * 60 + fields.pop("rest", 0)
        if not fields.get("increment", 1):
            return cls.from_data({"type": Kind.GAME, "seconds": seconds})
        kind = Kind.BRONSTEIN if "delay" in fields else Kind.FISCHER
        return cls.from_data({"type": kind, "seconds": seconds} | fields)


NO_LIMIT: Final = TimeControl(Kind.NONE)
PRESETS: Final = tuple(map(TimeControl.read_text, ("3+2", "5+3", "10+5", "15s/move", "1d/move")))
"""For games without presets of their own."""
