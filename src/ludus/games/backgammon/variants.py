"""The names of variants: a starting position, and options after plus signs, such as `standard+match7`.

Options are in the name so that everything that stores or passes on a variant keeps them: queues, records, environments.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, SupportsIndex

from ludus.core.errors import UnknownOption, UnknownVariant
from ludus.core.rules import Option
from ludus.games.backgammon.position import VARIANTS, Cube, Match, Position, Stage

if TYPE_CHECKING:
    from collections.abc import Mapping

LONGEST_MATCH: Final = 25
OPTIONS: Final[Mapping[str, Option]] = MappingProxyType(
    {
        "match_length": Option("the points that win a match; without it, a single game", int, 1, LONGEST_MATCH),
        "cube": Option("play with a doubling cube; matches have one unless this is false"),
        "jacoby": Option("gammons count only after a double; not in matches"),
        "beavers": Option("a player who is doubled may double again and keep the cube; not in matches"),
    }
)
NAME: Final = re.compile(r"([a-z]+)(?:\+match([1-9][0-9]?))?(\+nocube)?(\+cube)?(\+jacoby)?(\+beavers)?")


class Settings(NamedTuple):
    """What a variant's name says."""

    layout: str
    match_length: int | None = None
    has_cube: bool = False
    has_jacoby: bool = False
    has_beavers: bool = False

    @property
    def name(self) -> str:
        parts = [self.layout]
        if self.match_length is not None:
            parts += [f"match{self.match_length}"] if self.has_cube else [f"match{self.match_length}", "nocube"]
        elif self.has_cube:
            parts.append("cube")
        parts += ["jacoby"] if self.has_jacoby else []
        parts += ["beavers"] if self.has_beavers else []
        return "+".join(parts)

    @property
    def options(self) -> dict[str, int]:
        """The options as `variant_name` takes them, without those that are off."""
        found: dict[str, int] = {} if self.match_length is None else {"match_length": self.match_length}
        if self.has_cube or found:
            found["cube"] = self.has_cube
        return found | {name: True for name in ("jacoby", "beavers") if getattr(self, f"has_{name}")}

    @property
    def start(self) -> Position:
        cube = Cube(has_jacoby=self.has_jacoby, has_beavers=self.has_beavers) if self.has_cube else None
        match = None
        if self.match_length is not None:
            match = Match(self.match_length, is_crawford=self.match_length == 1, layout=self.layout)
        return VARIANTS[self.layout]._replace(cube=cube, match=match)


def variant_name(
    variant: str = "standard",
    *,
    match_length: int | None = None,
    cube: int | None = None,
    jacoby: int | None = None,
    beavers: int | None = None,
    **others: int | None,
) -> str:
    given = {"match_length": match_length, "cube": cube, "jacoby": jacoby, "beavers": beavers, **others}
    for name, value in given.items():
        if value is not None:
            _check(name, value)
    base = settings(variant)
    length = base.match_length if match_length is None else int(match_length)
    is_new_match = length is not None and base.match_length is None
    has_cube = bool(cube) if cube is not None else base.has_cube or is_new_match
    has_jacoby = base.has_jacoby if jacoby is None else bool(jacoby)
    has_beavers = base.has_beavers if beavers is None else bool(beavers)
    found = Settings(base.layout, length, has_cube, has_jacoby, has_beavers)
    if (has_jacoby or has_beavers) and (length is not None or not has_cube):
        raise UnknownOption("the Jacoby rule and beavers are for single games with a cube")
    return found.name


def _check(name: str, value: Any) -> None:
    option = OPTIONS.get(name)
    if option is None:
        raise UnknownOption(f"backgammon has no option {name[:40]!r}; there are {', '.join(OPTIONS)}")
    if option.kind is bool and value not in (False, True):
        raise UnknownOption(f"{name} is true or false")
    if option.kind is int and not (_is_integer(value) and option.least <= value <= option.most):
        raise UnknownOption(f"{name} is a whole number from {option.least} to {option.most}, not {value!r:.40}")


def _is_integer(value: Any) -> bool:
    """Whether a value is an integer; NumPy's are accepted too."""
    return isinstance(value, SupportsIndex) and not isinstance(value, bool)


def settings(name: str) -> Settings:
    """Reads a variant's name."""
    match = NAME.fullmatch(name)
    if match and match[1] in VARIANTS:
        length = int(match[2]) if match[2] else None
        has_cube = bool(match[4]) if length is None else not match[3]
        found = Settings(match[1], length, has_cube, bool(match[5]), bool(match[6]))
        is_allowed = (length is None and has_cube) or not (found.has_jacoby or found.has_beavers)
        if found.name == name and is_allowed and (length is None or length <= LONGEST_MATCH):
            return found
    examples = "standard+cube, standard+cube+jacoby+beavers and standard+match7"
    raise UnknownVariant(
        f"backgammon has no variant {name[:60]!r}; there are {', '.join(VARIANTS)}, with options such as {examples}"
    )


def name_of(start: Position) -> str | None:
    """The variant that starts from a position."""
    cube, match = start.cube, start.match
    layout = next((name for name, position in VARIANTS.items() if position == start[:4] + (None,) * 3), None)
    if layout is None:
        return None
    has_cube, length = cube is not None, None if match is None else match.length
    found = Settings(layout, length, has_cube, bool(cube and cube.has_jacoby), bool(cube and cube.has_beavers))
    return found.name if found.start == start else None


def next_game(match: Match, cube: Cube | None) -> Position:
    """The start of a match's next game."""
    fresh = None if cube is None else Cube(stage=Stage.ON_ROLL)
    return VARIANTS[match.layout]._replace(cube=fresh, match=match)
