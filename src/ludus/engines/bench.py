"""Fixed positions on which an engine's work is counted: a change that changes no choice leaves the count alone."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from ludus.engines import Analyst, Limit, analyst
from ludus.games import GAMES

POSITIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "checkers": (
            "B:W21,22,23,24,25,26,27,28,29,30,31,32:B1,2,3,4,5,6,7,8,9,10,11,12",
            "B:W18,21,24,25,28,29,30,31,32:B1,2,3,4,5,6,8,9,11",
            "W:W20,21,23,25,28,29,30,32:B1,3,4,5,6,8,10,11,14,K31",
            "B:W13,20,21,22,23,26,29,30,32:B1,4,5,7,10,11,12,14,15",
            "B:W17,19,20,21,31,32:B3,5,7,8,11,12",
            "B:W5,14,18,20,22,24,28,31:B2,7,8,11,13,15,16,19",
            "B:W5,9,20,28,30:B2,4,11,18,K31",
            "W:WK14,K18,K22,K23:BK1,K5,K32",
            "B:W18,24,27,28,K10,K15:B12,16,20,K22,K25,K29",
        ),
        "backgammon": (
            "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10",
            "XGID=-a--a-EBB---cDa--d-e----AA:0:0:1:53:0:0:0:0:10",
            "XGID=a---bCD-C----DbA-cbe------:0:0:-1:21:0:0:0:0:10",
            "XGID=a--EB-Da----fC---A-bb-c---:0:0:1:42:0:0:0:0:10",
            "XGID=-DBCB-B-----aB----acacbbb-:0:0:1:53:0:0:0:0:10",
            "XGID=-ABBC-BC-AA--------aadbeb-:0:0:1:43:0:0:0:0:10",
            "XGID=-FDBB-----------Aacbcc-c--:0:0:-1:21:0:0:0:0:10",
        ),
    }
)
DEPTHS: Final[Mapping[str, int]] = MappingProxyType({"checkers": 14, "backgammon": 1})


class Count(NamedTuple):
    position: str
    move: str
    nodes: int
    seconds: float


def count(game: str, clock: Callable[[], float] = time.perf_counter) -> Iterator[Count]:
    """The engine's work on each position of a game, to a fixed depth."""
    rules, engine = GAMES[game], _engine(game)
    positions = [rules.notation.read_position(text) for text in POSITIONS[game]]
    for position in positions:  # everything is compiled, loaded and built by then
        engine.analyse(rules, position, Limit(depth=1), (), 1)
    for text, position in zip(POSITIONS[game], positions, strict=True):
        began = clock()
        best = engine.analyse(rules, position, Limit(depth=DEPTHS[game]), (), 1)[0]
        yield Count(text, rules.notation.write_move(position, best.move), best.nodes, clock() - began)


def _engine(game: str) -> Analyst:
    """At checkers without larger tables that somebody may have built, which would change the count."""
    if game != "checkers":
        return analyst(game)
    from ludus.engines.checkers.endgames.tables import PACKAGED, load
    from ludus.engines.checkers.mind import Mind
    from ludus.engines.checkers.player import CheckersPlayer

    return cast("Analyst", CheckersPlayer(mind=Mind(tables=load(most=PACKAGED))))
