"""Colours: `#rrggbb` for screens, numbers of the 256-colour palette for terminals."""

from __future__ import annotations

from typing import Final, NamedTuple

FRAME: Final = "#64442f"
HINGE: Final = "#4a3021"
LETTER: Final = "#ecd9b8"
BUFF: Final = "#eddcb9"
FELT: Final = "#56876a"
FELT_LETTER: Final = "#c5dccb"
RUST: Final = "#9c4630"
GOLD: Final = "#f0b93a"
BRASS: Final = "#b98a2b"

FRAME_PAPER: Final = 241
FRAME_INK: Final = 223
BUFF_PAPER: Final = 187
FELT_PAPER: Final = 65
FELT_INK: Final = 151
TAN_PAPER: Final = 137
RUST_PAPER: Final = 131
BRASS_PAPER: Final = 136


class Look(NamedTuple):
    """The colours of one side's pieces and of marks on them; `ink` is for terminals."""

    body: str
    edge: str
    ring: str
    mark: str
    ink: int


DARK: Final = Look(body="#2b2624", edge="#0f0d0c", ring="#6a605a", mark="#f7d488", ink=16)
LIGHT: Final = Look(body="#fcf6e8", edge="#6b5a45", ring="#cdbb98", mark="#8a3d21", ink=231)
