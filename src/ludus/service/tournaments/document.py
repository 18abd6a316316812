"""Tournaments as JSON, the same for the page, for agents and for tenants."""

from __future__ import annotations

from typing import Any, Final

from ludus.service.clock import UptimeClock, iso
from ludus.service.options import shown_options
from ludus.service.player_keys import person_in
from ludus.service.records import Entrant, PairingRow, Tournament
from ludus.service.table import SeatKind
from ludus.service.tournaments import progress
from ludus.service.tournaments.progress import Place
from ludus.service.tournaments.terms import ARENA
from ludus.service.tournaments.tournaments import View

Json = dict[str, Any]
MOST_SHOWN: Final = 200
"""Pairings of an arena, the latest."""


def summary(tournament: Tournament, clock: UptimeClock, winner: Entrant | None) -> Json:
    """For lists."""
    ends_due = tournament.ends_due
    return {
        "id": tournament.id,
        "name": tournament.name,
        "game": tournament.game,
        **shown_options(tournament.game, tournament.variant),
        "system": tournament.system,
        "timeControl": tournament.time_control.to_data(),
        "rated": tournament.is_rated,
        "admits": list(tournament.admits),
        "entrants": tournament.entrants,
        "maxEntrants": tournament.most_entrants,
        "startsWhenFull": tournament.starts_when_full,
        "startsAt": _time(tournament.starts_at),
        "state": tournament.state,
        "round": tournament.round,
        "minutes": tournament.minutes or None,
        "createdAt": iso(tournament.made_at),
        "startedAt": _time(tournament.started_at),
        "endsAt": None if ends_due is None else _time(tournament.ended_at) or iso(clock.wall(ends_due)),
        "endedAt": _time(tournament.ended_at),
        "winner": None if winner is None else _player(winner),
    }


def details(view: View, clock: UptimeClock) -> Json:
    """Players have numbers, by which pairings refer to them."""
    pairings = view.pairings[-MOST_SHOWN:] if view.tournament.system == ARENA else view.pairings
    numbers = {seed: each.number for seed, each in progress.by_seed(view.entrants).items()}
    places = view.standings
    return {
        **summary(view.tournament, clock, progress.winner(view.tournament, places)),
        "version": view.tournament.version,
        "rounds": view.rounds or None,
        "owner": _owner(view.tournament),
        "standings": [_place(place, is_arena=view.tournament.system == ARENA) for place in places],
        "pairings": [_pairing(row, numbers) for row in pairings],
    }


def own(view: View, player: str) -> Json:
    """What concerns one player: their number if they have entered, and the game to play now."""
    entrant = next((each for each in view.entrants if each.player == player), None)
    row = view.game_of(player)
    return {
        "isOwner": view.tournament.owner == player,
        "isIn": entrant is not None and entrant.is_in,
        "number": entrant and entrant.number,
        "game": row and row.tables[-1],
    }


def _owner(tournament: Tournament) -> Json:
    if (person := person_in(tournament.owner)) is not None:
        return {"kind": SeatKind.PERSON, "id": person}
    kind, _, id = tournament.owner.partition("/")
    return {"kind": SeatKind.AGENT, "id": id} if kind == SeatKind.AGENT else {"kind": "tenant", "id": None}


def _player(entrant: Entrant) -> Json:
    player = {"id": entrant.id, "name": entrant.name, "kind": entrant.kind}
    return player | ({"level": entrant.level} if entrant.kind == SeatKind.BOT else {})


def _place(place: Place, *, is_arena: bool) -> Json:
    entrant = place.entrant
    shown = {
        "rank": place.rank,
        "number": entrant.number,
        "player": _player(entrant),
        "rating": round(entrant.rating),
        "isIn": entrant.is_in,
        "score": place.score,
        "games": place.games,
        "wins": place.wins,
        "draws": place.draws,
        "losses": place.losses,
    }
    if is_arena:
        return shown | {"isOnFire": place.is_on_fire}
    return shown | {"buchholz": place.buchholz, "sonnebornBerger": place.sonneborn_berger}


def _pairing(row: PairingRow, numbers: dict[int, int]) -> Json:
    return {
        "round": row.round,
        "board": row.board,
        "first": numbers[row.first],
        "second": None if row.second is None else numbers[row.second],
        "state": row.state,
        "outcome": row.outcome or None,
        "score": row.score,
        "games": list(row.tables),
    }


def _time(at: int | None) -> str | None:
    return None if at is None else iso(at)
