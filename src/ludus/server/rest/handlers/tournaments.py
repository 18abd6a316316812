"""Tournaments of a tenant's own players and of bots."""

from __future__ import annotations

from typing import Annotated, Any, Final

from fastapi import Path, Query

from ludus.server.http.cursors import read_cursor, write_cursor
from ludus.server.rest.auth import CurrentKey
from ludus.server.rest.schemas import (
    AddPlayers,
    CreateTournament,
    ListedTournament,
    Tournament,
    TournamentGame,
    TournamentList,
    TournamentState,
)
from ludus.service import records
from ludus.service.platform import Platform
from ludus.service.records import MAX_ID, Key
from ludus.service.table import SeatKind
from ludus.service.tables import NotFound
from ludus.service.tournaments import document
from ludus.service.tournaments.progress import STATES
from ludus.service.tournaments.terms import TIME_CONTROL, Terms
from ludus.service.tournaments.tournaments import Applicant, bot_applicant

MOST: Final = 100
ADMITS: Final = (str(SeatKind.PERSON), str(SeatKind.BOT))

Limit = Annotated[int, Query(ge=1, le=MOST, description="How many at most, the newest first.")]
Before = Annotated[str | None, Query(description="The `before` of the last page, for the next one.", max_length=84)]
State = Annotated[TournamentState | None, Query(description="Only those in this state.")]
TournamentId = Annotated[str, Path(description="The tournament's `id`.", max_length=MAX_ID)]
LevelInPath = Annotated[str, Path(description="The bot's level.", max_length=32)]
PlayerInPath = Annotated[str, Path(description="The tenant's own user id.", max_length=128)]


class Tournaments:
    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._tournaments = platform.tournaments

    async def create(self, wanted: CreateTournament, key: CurrentKey) -> Tournament:
        """Creates a tournament; its games are in the key's mode, live or test."""
        terms = Terms(
            name=wanted.name,
            game=wanted.game,
            system=wanted.system,
            time_control=wanted.time_control or TIME_CONTROL,
            variant=wanted.variant(wanted.game),
            is_rated=wanted.rated,
            rounds=wanted.rounds,
            minutes=wanted.minutes,
            admits=ADMITS,
            most_entrants=wanted.max_entrants,
            starts_when_full=wanted.starts_when_full,
            starts_at=wanted.starts_at,
        )
        made = await self._tournaments.create(key.tenant, terms, key.tenant, key.kind)
        return await self._response(made)

    async def list(
        self, key: CurrentKey, state: State = None, limit: Limit = 20, before: Before = None
    ) -> TournamentList:
        """Your tournaments of the key's mode."""
        states, at = (state,) if state else STATES, read_cursor(before)
        found = await self._tournaments.listed(states, limit + 1, key.tenant, at, key.kind)
        own, clock = found[:limit], self._platform.clock
        winners = await self._tournaments.winners(own)
        shown = [document.summary(each, clock, winner) for each, winner in zip(own, winners, strict=True)]
        return TournamentList(
            tournaments=[ListedTournament.model_validate(each) for each in shown],
            before=write_cursor(own[-1].made_at, own[-1].id) if len(found) > limit else None,
        )

    async def show(self, id: TournamentId, key: CurrentKey) -> Tournament:
        """A tournament with its standings and pairings."""
        return await self._response(await self._own(id, key))

    async def add(self, id: TournamentId, wanted: AddPlayers, key: CurrentKey) -> Tournament:
        """Lets players and house bots enter, also those who have left; repeating it is safe.

        Once it has begun, only an arena and a Swiss tournament take players.
        """
        await self._own(id, key)
        for player in wanted.players:
            name = player.display_name
            applicant = Applicant(_player_key(key, player.id), player.id, name, SeatKind.PERSON)
            await self._tournaments.join(id, applicant, key.tenant)
        for level in wanted.bots:
            await self._tournaments.join(id, bot_applicant(level), key.tenant)
        return await self.show(id, key)

    async def remove(self, id: TournamentId, player: PlayerInPath, key: CurrentKey) -> Tournament:
        """Takes a player out of all rounds to come; a game in progress continues."""
        await self._own(id, key)
        await self._tournaments.withdraw(id, _player_key(key, player), key.tenant)
        return await self.show(id, key)

    async def remove_bot(self, id: TournamentId, level: LevelInPath, key: CurrentKey) -> Tournament:
        """Takes a house bot out, as a player."""
        await self._own(id, key)
        await self._tournaments.remove_bot(id, key.tenant, level, key.tenant)
        return await self.show(id, key)

    async def session(self, id: TournamentId, player: PlayerInPath, key: CurrentKey) -> TournamentGame:
        """The game that a player has to play now, with a token for it; 404 while there is none."""
        view, own = await self._tournaments.view(await self._own(id, key)), _player_key(key, player)
        row = view.game_of(own)
        table = None if row is None else (await self._platform.tables.load(row.tables[-1])).table
        number = None if table is None else table.seat_of(own)
        if table is None or number is None:
            raise NotFound("this player has no game at the moment")
        seat = table.seats[number]
        session = await self._platform.sessions.get(str(seat.session))
        ticket = self._platform.sessions.ticket(session, {"id": seat.id, "displayName": seat.name})
        return TournamentGame(session_id=session.id, session_token=ticket.token, room_id=table.id)

    async def start(self, id: TournamentId, key: CurrentKey) -> Tournament:
        """Starts it at once; repeating it is safe."""
        self._platform.lobby.refuse_if_stopping()
        await self._own(id, key)
        return await self._response(await self._tournaments.start(id, key.tenant, key.tenant))

    async def cancel(self, id: TournamentId, key: CurrentKey) -> Tournament:
        """Cancels it; games in progress continue as ordinary ones. Repeating it is safe."""
        await self._own(id, key)
        return await self._response(await self._tournaments.cancel(id, key.tenant, key.tenant))

    async def _own(self, id: str, key: Key) -> records.Tournament:
        found = await self._tournaments.get(id, key.tenant)
        if found.mode != key.kind:
            raise NotFound("there is no such tournament")
        return found

    async def _response(self, tournament: records.Tournament) -> Tournament:
        view = await self._tournaments.view(tournament)
        content: dict[str, Any] = document.details(view, self._platform.clock)
        return Tournament.model_validate(content)


def _player_key(key: Key, player: str) -> str:
    return f"{key.tenant}/{key.kind}/{player}"
