"""Plays as text: `24/18 13/11`, `bar/20`, `6/off`; a hit is `*`, the same again `(2)`, a chain `24/18*/14`."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from ludus.core.errors import MalformedMove
from ludus.games.backgammon.position import BAR, OFF, Step

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ludus.games.backgammon.position import Play, Position

PASS: Final = "pass"  # noqa: S105  # the play
PASSES: Final = frozenset({PASS, "cannot move", "-"})
MAX_TEXT: Final = 120
"""Characters of a play."""
CHAIN: Final = re.compile(r"((?:bar|[0-9]{1,2})(?:/(?:off|[0-9]{1,2})\*?){1,4})(?:\(([1-4])\)(\*?))?")
NAMES: Final = {"bar": BAR, "off": OFF}


class Hops(NamedTuple):
    """A play as it was written: hops, each over one die or more, and the points marked as hit."""

    hops: tuple[Step, ...]
    marks: frozenset[int]


def write(position: Position, play: Play) -> str:
    """A play in players' notation: each man's steps are one chain, which names only its ends and its hits."""
    if not play.steps:
        return PASS
    blots = set(hits(position, play))
    return " ".join(_chain(chain, times, blots) for chain, times in Counter(_chains(play)).items())


def _chains(play: Play) -> list[tuple[int, ...]]:
    chains: list[tuple[int, ...]] = []
    for source, target in sorted(play.steps, reverse=True):
        at = next((i for i, chain in enumerate(chains) if chain[-1] == source), None)
        if at is None:
            chains.append((source, target))
        else:
            chains[at] += (target,)
    return chains


def _chain(chain: tuple[int, ...], times: int, blots: set[int]) -> str:
    """One chain's text; removes the points it hits from `blots`."""
    words = [_name(chain[0])]
    for point in chain[1:]:
        if point in blots:
            words.append(f"{point}*")
            blots.remove(point)
        elif point == chain[-1]:
            words.append(_name(point))
    return "/".join(words) + (f"({times})" if times > 1 else "")


def _name(point: int) -> str:
    return "bar" if point == BAR else "off" if point == OFF else str(point)


def write_steps(position: Position, play: Play) -> str:
    """A play as in match files: every step by itself, the bar as 25, off as 0."""
    blots = set(hits(position, play))
    words = []
    for source, target in sorted(play.steps, reverse=True):
        words.append(f"{source}/{target}{'*' if target in blots else ''}")
        blots.discard(target)
    return " ".join(words)


def hits(position: Position, play: Play) -> frozenset[int]:
    """The points on which the play hits."""
    return frozenset(target for _, target in play.steps if target != OFF and position.other.on(25 - target) == 1)


def read(text: str) -> Hops:
    if len(text) > MAX_TEXT:
        raise _malformed(text)
    text = text.lower()
    if text in PASSES:
        return Hops((), frozenset())
    hops: list[Step] = []
    marks: set[int] = set()
    for word in text.replace(",", " ").split():
        match = CHAIN.fullmatch(word)
        if not match:
            raise _malformed(text)
        points = [_point(name.rstrip("*")) for name in match[1].split("/")]
        marks |= {point for point, name in zip(points, match[1].split("/"), strict=True) if name.endswith("*")}
        marks |= {points[-1]} if match[3] else set()
        hops += [Step(*ends) for ends in pairwise(points)] * int(match[2] or 1)
    if not hops:
        raise _malformed(text)
    return Hops(tuple(hops), frozenset(marks))


def _malformed(text: str) -> MalformedMove:
    return MalformedMove(f"{text[:40]!r} is not a roll such as 31 nor a play such as 24/18 13/11, bar/20 or 6/off(2)")


def _point(name: str) -> int:
    point = NAMES[name] if name in NAMES else int(name)
    if point > BAR:
        raise MalformedMove(f"there is no point {point}; they are numbered 1 to 24, the bar is 25 and off is 0")
    return point


def in_order(hops: Sequence[Step], dice: Sequence[int]) -> tuple[Step, ...]:
    """The hops in an order that can be played, if there is one: the rearmost man first.

    Hops of a double are split into steps, since two men may have to come home before either is borne off.
    """
    if len(set(dice)) == 1:
        hops = [step for hop in hops for step in _steps(hop, dice[0])]
    return tuple(sorted(hops, reverse=True))


def _steps(hop: Step, die: int) -> Iterator[Step]:
    source, target = hop
    if source <= target or (target != OFF and (source - target) % die):
        yield hop
        return
    for point in range(source, target, -die):
        yield Step(point, max(point - die, OFF))
