"""The transactional outbox: an event's webhooks are stored in the same transaction as the event."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from ludus.service.decisions import Decision
from ludus.service.options import option_fields
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutDelivery, Write
from ludus.service.records import Session, Tenant, Tournament
from ludus.service.sessions import public_players, public_result, result_of
from ludus.service.table import EventKind, Seat, Table
from ludus.service.time_control import TimeControl
from ludus.service.webhooks.delivery import WebhookEvent, deliveries
from ludus.wire import codec

CACHE_MS: Final = 2000
"""Milliseconds for which a tenant is cached."""
MAX_CACHED: Final = 10_000
COMMIT_SECONDS: Final = 0.03
"""After this, most deliveries are committed; the others are found at the dispatcher's next poll."""


class Subject(NamedTuple):
    """The session that a delivery is about."""

    session: str
    game: str
    mode: str


class WebhookOutbox:
    def __init__(self, store: Store, new_id: Callable[[], str], clock: Clock, wake: Callable[[], None]) -> None:
        """`wake` is called soon after deliveries were added; `new_id` seeds their ids."""
        self._store = store
        self._rng = Random(new_id())
        self._clock = clock
        self._wake = wake
        self._known: dict[str, tuple[int, Tenant | None]] = {}

    async def on_decision(self, decision: Decision) -> list[Write]:
        """The webhooks of an event, for each session at the table."""
        event, table = decision
        if table.opening.mode != "live" or not (listening := await self._listening(table)):
            return []
        events = list(webhook_events(decision))
        subjects = [(tenant, Subject(id, table.opening.game, "live")) for id, tenant in listening.items()]
        return [write for each in subjects for write in self._deliveries(*each, events, event.at, event.version)]

    def created(self, session: Session, tenant: Tenant | None) -> list[Write]:
        return self._about(session, tenant, "session.created", session.created_at)

    async def expired(self, session: Session, reason: str) -> list[Write]:
        if session.mode != "live":
            return []
        tenant = await self.tenant(session.tenant)
        return self._about(session, tenant, "session.expired", self._clock.now(), reason=reason)

    async def on_tournament(self, tournament: Tournament, change: str) -> list[Write]:
        """`started`, `round_started`, `finished` or `cancelled`. It names no player, and the games have their own."""
        if tournament.mode != "live":
            return []
        data = {
            "tournamentId": tournament.id,
            "name": tournament.name,
            "round": tournament.round,
            "entrants": tournament.entrants,
        }
        subject = Subject(tournament.id, tournament.game, tournament.mode)
        tenant, now = await self.tenant(tournament.tenant), self._clock.now()
        return self._deliveries(tenant, subject, [WebhookEvent(f"tournament.{change}", data)], now, tournament.version)

    def forget(self, tenant: str) -> None:
        """Reads the tenant again when it is next needed."""
        self._known.pop(tenant, None)

    async def tenant(self, id: str) -> Tenant | None:
        """The tenant, which may be cached for two seconds."""
        now = self._clock.now()
        since, known = self._known.get(id, (-CACHE_MS, None))
        if 0 <= now - since < CACHE_MS:
            return known
        if len(self._known) >= MAX_CACHED:
            self._known.clear()
        tenant = await self._store.tenant(id)
        self._known[id] = now, tenant
        return tenant

    async def _listening(self, table: Table) -> dict[str, Tenant]:
        """The sessions at the table whose tenants have a webhook."""
        found = {}
        for seat in table.seats:
            if seat.session is not None and seat.session not in found:
                tenant = await self.tenant(_tenant_of(seat))
                if tenant is not None and tenant.webhook_url is not None:
                    found[seat.session] = tenant
        return found

    def _about(self, session: Session, tenant: Tenant | None, event: str, now: int, **more: str) -> list[Write]:
        data = {
            "matchType": session.match_type,
            "players": [dict(player) for player in session.players],
            "roomCode": session.room_code,
            **_time_control(session.time_control),
            **option_fields(session.game, session.variant),
            **more,
        }
        return self._deliveries(
            tenant, Subject(session.id, session.game, session.mode), [WebhookEvent(event, data)], now
        )

    def _deliveries(
        self, tenant: Tenant | None, about: Subject, events: Sequence[WebhookEvent], now: int, sequence: int = 0
    ) -> list[Write]:
        added = deliveries(tenant, events, **about._asdict(), now=now, rng=self._rng, sequence=sequence)
        if added:  # the commit is still to come, so a dispatcher woken now would find nothing
            asyncio.get_running_loop().call_later(COMMIT_SECONDS, self._wake)
        return list(map(PutDelivery, added))


def _time_control(time_control: TimeControl | None) -> dict[str, Any]:
    return {} if time_control is None else {"timeControl": time_control.to_data()}


def _tenant_of(seat: Seat) -> str:
    """The first part of a key made by `player_key`."""
    return seat.key.partition("/")[0]


def webhook_events(decision: Decision) -> Iterator[WebhookEvent]:
    """What an event tells a back end, in order."""
    event, table = decision
    if event.kind == EventKind.OPENED:
        dice = {"diceCommitment": table.commitment} if table.commitment else {}
        data = {"roomId": table.id, "players": public_players(table), **dice}
        options = option_fields(table.opening.game, table.opening.variant)
        yield WebhookEvent("session.started", data | _time_control(table.opening.time_control) | options)
    if event.kind in (EventKind.OPENED, EventKind.PLAYED, EventKind.RESIGNATION_ACCEPTED):
        yield from _moves(table, len(event.data["moves"]))
    if event.kind == EventKind.WARNED:
        left = round(event.data["left"] / 1000)
        yield WebhookEvent(
            f"{table.opening.game}.afk_warning", {"playerId": _id(table, event.seat), "secondsRemaining": left}
        )
    if decision.is_end:
        yield from _end(decision)


def _moves(table: Table, last: int) -> Iterator[WebhookEvent]:
    """The events of the record's last moves, without rolls."""
    game = table.game
    made = [at for at in range(game.length - last, game.length) if not game.rules.chances(game.position_at(at))]
    for count, at in enumerate(made, start=table.moves - len(made) + 1):
        yield from _move(table, at, count)


def _move(table: Table, at: int, count: int) -> Iterator[WebhookEvent]:
    game, rooms = table.game, codec(table.opening.game).rooms
    before, move = game.position_at(at), game.move_at(at)
    player = _id(table, game.rules.maker(before, move))
    yield WebhookEvent("game.move", {"playerId": player, "move": rooms.move(before, move), "moveCount": count})
    for event, data in rooms.events(before, move, game.position_at(at + 1)):
        yield WebhookEvent(f"{table.opening.game}.{event}", {"playerId": player, **data})


def _end(decision: Decision) -> Iterator[WebhookEvent]:
    event, table = decision
    if event.kind == EventKind.TIMED_OUT and event.data["reason"] in ("afk_timeout", "timeout"):
        data = {"forfeitedPlayerId": _id(table, event.seat), "winnerId": _id(table, event.data["winner"])}
        yield WebhookEvent(f"{table.opening.game}.afk_timeout", data)
    yield WebhookEvent("game.ended", public_result(table.opening.game, result_of(table)))


def _id(table: Table, seat: int | None) -> str | None:
    return None if seat is None else table.seats[seat].id
