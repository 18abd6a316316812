"""What the maker of a tournament chooses, within limits."""

from __future__ import annotations

from typing import Final, NamedTuple

from ludus.core.errors import InvalidInput, LudusError
from ludus.service.lobby import PLAIN
from ludus.service.table import SeatKind
from ludus.service.time_control import Kind, TimeControl

ARENA: Final = "arena"
SWISS: Final = "swiss"
ROUND_ROBIN: Final = "round_robin"
KNOCKOUT: Final = "knockout"
SYSTEMS: Final = (ARENA, SWISS, ROUND_ROBIN, KNOCKOUT)
KINDS: Final = tuple(str(kind) for kind in SeatKind)
ENTRANTS: Final = 64
"""The most, unless the maker chooses."""
MOST_ENTRANTS: Final = {ARENA: 256, SWISS: 256, ROUND_ROBIN: 32, KNOCKOUT: 256}
MOST_ROUNDS: Final = {ARENA: 0, SWISS: 15, ROUND_ROBIN: 4, KNOCKOUT: 0}
"""In a round robin, how often everyone meets everyone."""
MINUTES: Final = 60
LEAST_MINUTES: Final = 5
MOST_MINUTES: Final = 180
MAX_NAME: Final = 60
AHEAD_MS: Final = 30 * 24 * 3600 * 1000
"""How far away a start may be."""
TIME_CONTROL: Final = TimeControl.read_text("5+3")


class TournamentClosed(LudusError):
    """Its state does not allow this: it has begun, or is over."""

    code = "tournament_closed"


class TournamentFull(LudusError):
    code = "tournament_full"


class NotAdmitted(LudusError):
    """Players of this kind do not take part."""

    code = "not_admitted"


class TooManyTournaments(LudusError):
    """The owner, or the server, has too many that are not over."""

    code = "too_many_tournaments"


class Terms(NamedTuple):
    name: str
    game: str
    system: str
    time_control: TimeControl = TIME_CONTROL
    variant: str = PLAIN
    is_rated: bool = False
    rounds: int = 0
    """0 leaves it to the number of entrants; in a round robin, everyone meets everyone once."""
    minutes: int = 0
    """Of an arena; 0 is an hour."""
    admits: tuple[str, ...] = KINDS
    most_entrants: int = 0
    """0 leaves it to the system."""
    starts_when_full: bool = False
    starts_at: int | None = None


def checked(terms: Terms, now: int) -> Terms:
    """With everything that was left open; `InvalidInput` if it makes no sense."""
    system, is_arena = terms.system, terms.system == ARENA
    _refuse_unless(system in SYSTEMS, f"system: one of {', '.join(SYSTEMS)}")
    _refuse_unless(bool(terms.admits) and set(terms.admits) <= set(KINDS), f"admits: some of {', '.join(KINDS)}")
    most = terms.most_entrants or min(ENTRANTS, MOST_ENTRANTS[system])
    _refuse_unless(2 <= most <= MOST_ENTRANTS[system], f"maxEntrants: from 2 to {MOST_ENTRANTS[system]}")
    if MOST_ROUNDS[system]:
        _refuse_unless(0 <= terms.rounds <= MOST_ROUNDS[system], f"rounds: at most {MOST_ROUNDS[system]}")
    else:
        _refuse_unless(not terms.rounds, f"rounds: not in a tournament of type {system}")
    minutes = (terms.minutes or MINUTES) if is_arena else terms.minutes
    if is_arena:
        fits = LEAST_MINUTES <= minutes <= MOST_MINUTES
        _refuse_unless(fits, f"minutes: from {LEAST_MINUTES} to {MOST_MINUTES}")
    else:
        _refuse_unless(not minutes, "minutes: only an arena has them")
    kind = terms.time_control.kind
    _refuse_unless(kind != Kind.NONE, "timeControl: games of a tournament have a clock")
    _refuse_unless(not is_arena or kind != Kind.CORRESPONDENCE, "timeControl: an arena lasts less than a day")
    in_time = terms.starts_at is None or now <= terms.starts_at <= now + AHEAD_MS
    _refuse_unless(in_time, "startsAt: within the next 30 days")
    rounds = terms.rounds or (1 if system == ROUND_ROBIN else 0)
    admits = tuple(kind for kind in KINDS if kind in terms.admits)
    return terms._replace(most_entrants=most, minutes=minutes, rounds=rounds, admits=admits)


def _refuse_unless(is_fine: bool, problem: str) -> None:
    if not is_fine:
        raise InvalidInput(problem)
