"""Backgammon in ten steps."""

from __future__ import annotations

from functools import partial

from ludus.games.backgammon.position import Cube
from ludus.lessons import Step, read

_step = partial(read, "backgammon")
START = "XGID=-b----E-C---eE---c-e----B-:0:0:1:{}:0:0:0:0:10"


def _hits(notation: str) -> bool:
    return "*" in notation


def _brings_home(notation: str) -> bool:
    return notation.startswith("8/")


def _doubles(notation: str) -> bool:
    return notation == "double"


_hit = _step("hit", "XGID=-a---aE-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
_home = _step("home", "XGID=-C-C-DD-A---------b-cccb--:0:0:1:42:0:0:0:0:10")
_race = _step("double", "XGID=--BBCCCB---------bbccc-b--:0:0:1:00:0:0:0:0:10")

STEPS = (
    _step("move", START.format("52")),
    _step("point", START.format("31"), "8/5 6/5"),
    _hit._replace(is_right=_hits),
    _step("enter", "XGID=-b----E-C---eD---c-e----BA:0:0:1:62:0:0:0:0:10"),
    _step("doublet", START.format("33")),
    _step("run", START.format("65"), "24/13"),
    _home._replace(is_right=_brings_home),
    _step("off", "XGID=-BBBCCC------------b-cccb-:0:0:1:65:0:0:0:0:10", "6/off 5/off"),
    _step("higher", "XGID=-BBBC---------------bb-c--:0:0:1:64:0:0:0:0:10"),
    Step("double", _race.position._replace(cube=Cube()), _doubles),
)
