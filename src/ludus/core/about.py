"""Facts about a game that its rules do not need but servers, pages and docs show."""

from __future__ import annotations

from typing import NamedTuple


class About(NamedTuple):
    title: str
    description: str
    """One sentence."""
    tags: tuple[str, ...] = ("sequential", "2-player")
    minutes: int = 10
    """How long a game usually takes."""
    minutes_range: tuple[int, int] | None = None
    """How long short and long games take; None if they differ little."""
    wins: tuple[str, ...] = ()
    """Names of wins worth 1, 2, 3 … points; empty where a win is just a win."""
    media_type: str = "text/plain"
    """The media type of a game file, whose name ends in `rules.notation.suffix`."""
    position_prefixes: tuple[str, ...] = ()
    """How position texts of this game start, in capitals, if that distinguishes it from other games."""
    perft_start: str = ""
    """The position from which `ludus perft` counts; the standard start if empty."""
    rated_moves: int = 2
    """How many moves each player must have made before a win not by the rules counts for the winner's rating."""
    rank: int = 100
    """Sort key for lists: the lowest comes first, ties are sorted by name."""

    def win(self, points: int) -> str:
        """The name of a win worth this many points; empty if it has none."""
        return self.wins[points - 1] if 0 < points <= len(self.wins) else ""
