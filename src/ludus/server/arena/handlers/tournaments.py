"""Tournaments: which there are, entering them, and making one. People have no names here."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from ludus.core.errors import InvalidInput, UnknownOption
from ludus.players import BOT_PREFIX
from ludus.server.arena.schemas import NewTournament, TournamentBot
from ludus.server.http.addresses import counted
from ludus.server.http.request import Request, address_of, counted_by_address, json_response
from ludus.service import public
from ludus.service.agents import player_key
from ludus.service.clock import iso
from ludus.service.matches import check_game
from ludus.service.options import shown_options
from ludus.service.records import Entrant, PairingRow, Tournament
from ludus.service.table import SeatKind
from ludus.service.tournaments import progress
from ludus.service.tournaments.document import MOST_SHOWN
from ludus.service.tournaments.progress import CREATED, RUNNING, Place
from ludus.service.tournaments.terms import ARENA, TIME_CONTROL, Terms
from ludus.service.tournaments.tournaments import View, agent_applicant

if TYPE_CHECKING:
    from ludus.server.arena.app import Arena

Json = dict[str, Any]
MOST_LISTED: Final = 100


async def active(arena: Arena, request: Request) -> Response:
    return await arena.shared(request, "tournaments", partial(_active, arena))


async def _active(arena: Arena) -> Json:
    found = await arena.platform.tournaments.listed((CREATED, RUNNING), MOST_LISTED)
    return {"tournaments": [_summary(arena, each, each.entrants, None) for each in found]}


async def show(arena: Arena, request: Request) -> Response:
    return json_response(await _details(arena, request.param("id")))


async def _details(arena: Arena, id: str) -> Json:
    tournaments = arena.platform.tournaments
    view = await tournaments.view(await tournaments.get(id))
    is_arena = view.tournament.system == ARENA
    seeds = progress.by_seed(view.entrants)
    numbers = {seed: each.number for seed, each in seeds.items()}
    pairings = view.pairings[-MOST_SHOWN:] if is_arena else view.pairings
    places = view.standings
    winner = progress.winner(view.tournament, places)
    return {
        **_summary(arena, view.tournament, len(seeds) or view.tournament.entrants, winner),
        "standings": [_place(each, is_arena=is_arena) for each in places],
        "pairings": [_pairing(each, numbers) for each in pairings],
    }


async def show_me(arena: Arena, request: Request) -> Response:
    tournaments = arena.platform.tournaments
    view = await tournaments.view(await tournaments.get(request.param("id")))
    return json_response(_own(view, player_key(request.user.id)))


def _own(view: View, player: str) -> Json:
    entrant = next((each for each in view.entrants if each.player == player), None)
    row = view.game_of(player)
    return {
        "status": view.tournament.state,
        "isOwner": view.tournament.owner == player,
        "isIn": entrant is not None and entrant.is_in,
        "number": entrant and entrant.number,
        "matchId": row and row.tables[-1],
    }


async def create(arena: Arena, request: Request) -> Response:
    arena.platform.lobby.refuse_if_stopping()
    wanted = await request.parse(NewTournament)
    with counted_by_address(arena.new_tournaments, request):
        made = await arena.platform.tournaments.create(player_key(request.user.id), _terms(wanted))
    return json_response(await _details(arena, made.id), 201)


async def join(arena: Arena, request: Request) -> Response:
    id, agent = request.param("id"), request.user
    await arena.platform.address_marks.note(player_key(agent.id), counted(address_of(request)))
    await arena.platform.tournaments.join(id, agent_applicant(agent))
    return await show_me(arena, request)


async def withdraw(arena: Arena, request: Request) -> Response:
    await arena.platform.tournaments.withdraw(request.param("id"), player_key(request.user.id))
    return await show_me(arena, request)


async def add_bot(arena: Arena, request: Request) -> Response:
    level = (await request.parse(TournamentBot)).bot.removeprefix(BOT_PREFIX)
    id = request.param("id")
    try:
        await arena.platform.tournaments.add_bot(id, player_key(request.user.id), level)
    except UnknownOption as error:
        raise InvalidInput(f"bot: {error}") from None
    return json_response(await _details(arena, id))


async def remove_bot(arena: Arena, request: Request) -> Response:
    id, level = request.param("id"), request.param("bot").removeprefix(BOT_PREFIX)
    await arena.platform.tournaments.remove_bot(id, player_key(request.user.id), level)
    return json_response(await _details(arena, id))


async def start(arena: Arena, request: Request) -> Response:
    arena.platform.lobby.refuse_if_stopping()
    id = request.param("id")
    await arena.platform.tournaments.start(id, player_key(request.user.id))
    return json_response(await _details(arena, id))


async def cancel(arena: Arena, request: Request) -> Response:
    id = request.param("id")
    await arena.platform.tournaments.cancel(id, player_key(request.user.id))
    return json_response(await _details(arena, id))


def _terms(wanted: NewTournament) -> Terms:
    return Terms(
        name=wanted.name,
        game=wanted.gameId,
        system=wanted.system,
        time_control=wanted.timeControl or TIME_CONTROL,
        variant=_variant(wanted),
        is_rated=wanted.rated,
        rounds=wanted.rounds,
        minutes=wanted.minutes,
        admits=tuple(wanted.admits),
        most_entrants=wanted.maxEntrants,
        starts_when_full=wanted.startsWhenFull,
        starts_at=wanted.startsAt,
    )


def _variant(wanted: NewTournament) -> str:
    check_game(wanted.gameId)
    try:
        return wanted.variant(wanted.gameId)
    except UnknownOption as error:
        raise InvalidInput(str(error)) from None


def _summary(arena: Arena, tournament: Tournament, entrants: int, winner: Entrant | None) -> Json:
    ends_due = tournament.ends_due
    ends_at = None if ends_due is None else tournament.ended_at or arena.platform.clock.wall(ends_due)
    return {
        "id": tournament.id,
        "name": tournament.name,
        "gameId": tournament.game,
        **shown_options(tournament.game, tournament.variant),
        "system": tournament.system,
        "status": tournament.state,
        "timeControl": tournament.time_control.to_data(),
        "rated": tournament.is_rated,
        "admits": list(tournament.admits),
        "entrants": tournament.entrants,
        "maxEntrants": tournament.most_entrants,
        "round": tournament.round,
        "rounds": progress.total_rounds(tournament, max(2, entrants)) or None,
        "minutes": tournament.minutes or None,
        "startsAt": _time(tournament.starts_at),
        "startsWhenFull": tournament.starts_when_full,
        "startedAt": _time(tournament.started_at),
        "endsAt": _time(ends_at),
        "endedAt": _time(tournament.ended_at),
        "winner": None if winner is None else _player(winner),
    }


def _place(place: Place, *, is_arena: bool) -> Json:
    shown = {
        "rank": place.rank,
        "number": place.entrant.number,
        "player": _player(place.entrant),
        "isIn": place.entrant.is_in,
        "score": place.score,
        "games": place.games,
        "wins": place.wins,
        "draws": place.draws,
        "losses": place.losses,
    }
    if is_arena:
        return shown | {"isOnFire": place.is_on_fire}
    return shown | {"buchholz": place.buchholz, "sonnebornBerger": place.sonneborn_berger}


def _player(entrant: Entrant) -> Json:
    if entrant.kind == SeatKind.PERSON:
        return {"id": f"person:{entrant.number}", "name": public.PERSON, "kind": entrant.kind}
    id = BOT_PREFIX + entrant.level if entrant.kind == SeatKind.BOT else entrant.id
    return {"id": id, "name": entrant.name, "kind": entrant.kind}


def _pairing(row: PairingRow, numbers: dict[int, int]) -> Json:
    return {
        "round": row.round,
        "board": row.board,
        "first": numbers[row.first],
        "second": None if row.second is None else numbers[row.second],
        "status": row.state,
        "outcome": row.outcome or None,
        "score": row.score,
        "matches": list(row.tables),
    }


def _time(at: int | None) -> str | None:
    return None if at is None else iso(at)
