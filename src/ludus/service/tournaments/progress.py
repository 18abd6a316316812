"""How a tournament stands and what comes next, from what is stored. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final, NamedTuple

from ludus.service.records import Entrant, PairingRow, Tournament
from ludus.service.tournaments.terms import ARENA, KNOCKOUT, ROUND_ROBIN, SWISS
from ludus.tournaments import arena, knockout, round_robin, swiss
from ludus.tournaments.records import Card, Pairing, Result, cards
from ludus.tournaments.records import standings as by_score

CREATED: Final = "created"
RUNNING: Final = "running"
FINISHED: Final = "finished"
CANCELLED: Final = "cancelled"
STATES: Final = (CREATED, RUNNING, FINISHED, CANCELLED)

WAITING: Final = "waiting"
LIVE: Final = "live"
OVER: Final = "over"

PLAYED: Final = "played"
FORFEIT: Final = "forfeit"
DOUBLE_FORFEIT: Final = "double_forfeit"
BYE: Final = "bye"
HALVED: Final = "halved"
VOID: Final = "void"
MOST_GAMES: Final = 3
"""Of one pairing: after so many draws in a knock-out the better seed goes on, and after so many broken-off games each
entrant scores a half."""
MOST_PAIRINGS: Final = 5000
"""Of an arena, which then ends."""
PAIR_MS: Final = 3_000
"""How long those who are free in an arena wait for others to become free, so that pairings fit better."""
PATIENCE_MS: Final = 20_000
"""How long they wait for somebody other than the opponent of the game just played."""


class Place(NamedTuple):
    """An entrant in the standings."""

    entrant: Entrant
    rank: int
    score: float
    """Points in an arena."""
    games: int
    wins: int
    draws: int
    losses: int
    buchholz: float = 0.0
    sonneborn_berger: float = 0.0
    is_on_fire: bool = False


def by_seed(entrants: Sequence[Entrant]) -> dict[int, Entrant]:
    """Those who were there at the start, and those who came later."""
    return {each.seed: each for each in entrants if each.seed >= 0}


def seeded(entrants: Sequence[Entrant], ratings: Mapping[str, float]) -> list[Entrant]:
    """Those who start, changed: the strongest gets the first seed."""
    starting = [each._replace(rating=ratings.get(each.player, each.rating)) for each in entrants if each.is_in]
    starting.sort(key=lambda each: (-each.rating, each.number))
    return [each._replace(version=each.version + 1, seed=seed) for seed, each in enumerate(starting)]


def total_rounds(tournament: Tournament, entrants: int) -> int:
    """0 for an arena, which has none."""
    if tournament.system == KNOCKOUT:
        return max(1, (entrants - 1).bit_length())
    if tournament.system == ROUND_ROBIN:
        return tournament.rounds * (entrants - 1 + entrants % 2)
    return 0 if tournament.system == ARENA else tournament.rounds or swiss.rounds_needed(entrants)


def results(pairings: Sequence[PairingRow]) -> list[list[Result]]:
    """Of each round, those that are over and count."""
    rows = sorted(pairings, key=lambda row: (row.round, row.board))
    return [[_result(row) for row in part if counts(row)] for _, part in groupby(rows, key=lambda row: row.round)]


def games(pairings: Sequence[PairingRow]) -> list[Result]:
    """In the order in which they ended."""
    over = [row for row in pairings if counts(row)]
    return [_result(row) for row in sorted(over, key=lambda row: (row.over or 0, row.round, row.board))]


def counts(row: PairingRow) -> bool:
    return row.state == OVER and row.outcome != VOID


def _result(row: PairingRow) -> Result:
    if row.outcome == DOUBLE_FORFEIT or row.score is None:
        return Result(row.first, row.second, is_double_forfeit=True)
    return Result(row.first, row.second, row.score)


def standings(tournament: Tournament, entrants: Sequence[Entrant], pairings: Sequence[PairingRow]) -> list[Place]:
    """Best first; before the start, in the order of joining, and without those who have withdrawn."""
    seeds = by_seed(entrants)
    if not seeds:
        return [Place(each, rank, 0, 0, 0, 0, 0) for rank, each in enumerate(_entered(entrants), 1)]
    made = cards(len(seeds), [games(pairings)])
    return [
        _counted(row._replace(rank=rank), made[seed])
        for rank, (seed, row) in enumerate(_rows(tournament, seeds, pairings), 1)
    ]


def winner(tournament: Tournament, places: Sequence[Place]) -> Entrant | None:
    """The first of a finished tournament, unless nobody has scored."""
    if tournament.state != FINISHED or not places or not places[0].score:
        return None
    return places[0].entrant


def _entered(entrants: Sequence[Entrant]) -> list[Entrant]:
    return [each for each in entrants if each.is_in]


def _counted(place: Place, card: Card) -> Place:
    """Byes are no games."""
    met = [score for score, opponent in zip(card.scores, card.opponents, strict=True) if opponent is not None]
    wins, draws = sum(score > 0.5 for score in met), sum(score == 0.5 for score in met)
    return place._replace(games=len(met), wins=wins, draws=draws, losses=len(met) - wins - draws)


def _rows(
    tournament: Tournament, seeds: Mapping[int, Entrant], pairings: Sequence[PairingRow]
) -> list[tuple[int, Place]]:
    def place(seed: int, score: float) -> Place:
        return Place(seeds[seed], 0, score, 0, 0, 0, 0)

    if tournament.system == ARENA:
        ranked = arena.standings(len(seeds), games(pairings))
        return [(row.seed, place(row.seed, row.points)._replace(is_on_fire=row.is_on_fire)) for row in ranked]
    table = knockout.standings if tournament.system == KNOCKOUT else by_score
    return [
        (
            row.seed,
            place(row.seed, row.score)._replace(buchholz=row.buchholz, sonneborn_berger=row.sonneborn_berger),
        )
        for row in table(len(seeds), results(pairings))
    ]


def next_round(tournament: Tournament, entrants: Sequence[Entrant], pairings: Sequence[PairingRow]) -> list[Pairing]:
    """Once all pairings of the last round are over; empty if that was the last one."""
    seeds = by_seed(entrants)
    if tournament.round >= total_rounds(tournament, len(seeds)):
        return []
    if tournament.system == ROUND_ROBIN:
        return round_robin.rounds(len(seeds), tournament.rounds)[tournament.round]
    if tournament.system == KNOCKOUT:
        return knockout.next_round(len(seeds), results(pairings))
    active = {seed for seed, each in seeds.items() if each.is_in}
    return swiss.next_round(len(seeds), results(pairings), active) if len(active) > 1 else []


class Free(NamedTuple):
    """An entrant of an arena without a game."""

    seed: int
    waited: int
    """Milliseconds of uptime."""


def free(entrants: Sequence[Entrant], pairings: Sequence[PairingRow], clock: int) -> list[Free]:
    """Those who have waited longest first."""
    busy = {seed for row in pairings if row.state != OVER for seed in (row.first, row.second)}
    since = {seed: each.since for seed, each in by_seed(entrants).items() if each.is_in and seed not in busy}
    for row in pairings:
        for seed in (row.first, row.second):
            if seed in since and row.over is not None:
                since[seed] = max(since[seed], row.over)
    order = sorted(since, key=lambda seed: (since[seed], seed))
    return [Free(seed, max(0, clock - since[seed])) for seed in order]


def next_games(
    tournament: Tournament, entrants: Sequence[Entrant], pairings: Sequence[PairingRow], clock: int
) -> list[Pairing]:
    """Of an arena, now: there may be none, though entrants are free."""
    waiting = free(entrants, pairings, clock)
    if len(waiting) < 2 or is_over(tournament, pairings, clock):
        return []
    is_quiet = all(row.state == OVER for row in pairings)
    if not is_quiet and waiting[0].waited < PAIR_MS:
        return []
    may_repeat = is_quiet or waiting[0].waited >= PATIENCE_MS
    return arena.pairings(len(by_seed(entrants)), games(pairings), dict(waiting), may_repeat=may_repeat)


def is_over(tournament: Tournament, pairings: Sequence[PairingRow], clock: int) -> bool:
    """Whether an arena starts no more games."""
    return len(pairings) >= MOST_PAIRINGS or (tournament.ends_due is not None and tournament.ends_due <= clock)


def paired(tournament: Tournament, made: Sequence[Pairing], clock: int) -> list[PairingRow]:
    """The rows of a new round."""
    rows = []
    for board, (first, second) in enumerate(made, 1):
        row = PairingRow(tournament.id, tournament.round + 1, board, 1, first, second, WAITING)
        rows.append(row if second is not None else row._replace(state=OVER, outcome=BYE, score=1.0, over=clock))
    return rows


def without_absent(tournament: Tournament, row: PairingRow, entrants: Sequence[Entrant], clock: int) -> PairingRow:
    """A pairing that waits for its table; over if one of the two has withdrawn."""
    seeds = by_seed(entrants)
    is_in = [seed is not None and seeds[seed].is_in for seed in (row.first, row.second)]
    if all(is_in):
        return row
    if tournament.system == ARENA:
        return ended(row, VOID, None, clock)
    if not any(is_in):
        return ended(row, DOUBLE_FORFEIT, None, clock)
    return ended(row, FORFEIT, 1.0 if is_in[0] else 0.0, clock)


def ended(row: PairingRow, outcome: str, score: float | None, clock: int) -> PairingRow:
    return row._replace(version=row.version + 1, state=OVER, outcome=outcome, score=score, over=clock)


def after_game(system: str, row: PairingRow, winner: int | None, clock: int, *, is_aborted: bool) -> PairingRow:
    """What a finished game makes of its pairing: it is over, or another game is played."""
    has_more = len(row.tables) < MOST_GAMES
    again = row._replace(version=row.version + 1, state=WAITING)
    if is_aborted and system == ARENA:
        return ended(row, VOID, None, clock)
    if is_aborted:
        return again if has_more else ended(row, HALVED, 0.5, clock)
    if winner is None and system == KNOCKOUT and has_more:
        assert row.second is not None
        return again._replace(first=row.second, second=row.first)
    return ended(row, PLAYED, 0.5 if winner is None else 1.0 if winner == 0 else 0.0, clock)


def forfeited(row: PairingRow, winner: int | None, clock: int) -> PairingRow:
    """A game that one player, or both if nobody wins, did not come to."""
    if winner is None:
        return ended(row, DOUBLE_FORFEIT, None, clock)
    return ended(row, FORFEIT, 1.0 if winner == 0 else 0.0, clock)


def may_join_late(tournament: Tournament) -> bool:
    if tournament.system == SWISS:
        return tournament.round < tournament.rounds
    return tournament.system == ARENA
