"""Tells the tenants' back ends what happens: each piece of news becomes a letter, stored with the event it is about."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Final, NamedTuple

from ludus.service.decisions import Decision
from ludus.service.ports import Clock, PutDelivery, Store, Write
from ludus.service.records import Session, Tenant
from ludus.service.sessions import public_players, public_result, result_of
from ludus.service.table import EventKind, Seat, Table
from ludus.service.webhooks.delivery import News, deliveries
from ludus.wire import codec

FRESH: Final = 2000
"""Milliseconds for which a tenant is taken to be as it was."""
MOST_KNOWN: Final = 10_000
COMMIT_SECONDS: Final = 0.03
"""A letter is in the store by then, most often; one that is not is found at the courier's next look."""


class Subject(NamedTuple):
    """What a letter is about."""

    session: str
    game: str
    mode: str


class WebhookOutbox:
    def __init__(self, store: Store, new_id: Callable[[], str], clock: Clock, wake: Callable[[], None]) -> None:
        """`wake` is called soon after letters were written; `new_id` makes their ids unlike all others."""
        self._store = store
        self._rng = Random(new_id())
        self._clock = clock
        self._wake = wake
        self._known: dict[str, tuple[int, Tenant | None]] = {}

    async def on_decision(self, decision: Decision) -> list[Write]:
        """What an event at a table gives to tell, once for each session there."""
        event, table = decision
        if table.opening.mode != "live" or not (listening := await self._listening(table)):
            return []
        news = list(news_of(decision))
        subjects = [(tenant, Subject(id, table.opening.game, "live")) for id, tenant in listening.items()]
        return [write for each in subjects for write in self._letters(*each, news, event.at, event.version)]

    def created(self, session: Session, tenant: Tenant | None) -> list[Write]:
        return self._about(session, tenant, "session.created", session.created_at)

    async def expired(self, session: Session) -> list[Write]:
        if session.mode != "live":
            return []
        return self._about(session, await self.tenant(session.tenant), "session.expired", self._clock.now())

    async def tenant(self, id: str) -> Tenant | None:
        """The tenant as it is, or as it was two seconds ago."""
        now = self._clock.now()
        since, known = self._known.get(id, (-FRESH, None))
        if 0 <= now - since < FRESH:
            return known
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        tenant = await self._store.tenant(id)
        self._known[id] = now, tenant
        return tenant

    async def _listening(self, table: Table) -> dict[str, Tenant]:
        """The sessions at the table whose tenants want to hear."""
        found = {}
        for seat in table.seats:
            if seat.session is not None and seat.session not in found:
                tenant = await self.tenant(_tenant_of(seat))
                if tenant is not None and tenant.webhook_url is not None:
                    found[seat.session] = tenant
        return found

    def _about(self, session: Session, tenant: Tenant | None, event: str, now: int) -> list[Write]:
        data = {
            "matchType": session.match_type,
            "players": [dict(player) for player in session.players],
            "roomCode": session.room_code,
        }
        return self._letters(tenant, Subject(session.id, session.game, session.mode), [News(event, data)], now)

    def _letters(
        self, tenant: Tenant | None, about: Subject, news: Sequence[News], now: int, sequence: int = 0
    ) -> list[Write]:
        letters = deliveries(tenant, news, **about._asdict(), now=now, rng=self._rng, sequence=sequence)
        if letters:
            # The commit comes after this: a courier that looked now would find nothing.
            asyncio.get_running_loop().call_later(COMMIT_SECONDS, self._wake)
        return [PutDelivery(letter) for letter in letters]


def _tenant_of(seat: Seat) -> str:
    """A tenant's player has its key from `player_key`, which begins with the tenant."""
    return seat.key.partition("/")[0]


def news_of(decision: Decision) -> Iterator[News]:
    """What an event means to a back end, in the order in which it happened."""
    event, table = decision
    if event.kind == EventKind.OPENED:
        dice = {"diceCommitment": table.commitment} if table.commitment else {}
        yield News("session.started", {"roomId": table.id, "players": public_players(table), **dice})
    if event.kind in (EventKind.OPENED, EventKind.PLAYED):
        yield from _moves(table, len(event.data["moves"]))
    if event.kind == EventKind.WARNED:
        left = round(event.data["left"] / 1000)
        yield News(f"{table.opening.game}.afk_warning", {"playerId": _id(table, event.seat), "secondsRemaining": left})
    if decision.is_end:
        yield from _end(decision)


def _moves(table: Table, last: int) -> Iterator[News]:
    """The last moves of the record; rolls are none."""
    game = table.game
    made = [at for at in range(game.length - last, game.length) if not game.rules.chances(game.position_at(at))]
    for count, at in enumerate(made, start=table.moves - len(made) + 1):
        yield from _move(table, at, count)


def _move(table: Table, at: int, count: int) -> Iterator[News]:
    game, rooms = table.game, codec(table.opening.game).rooms
    before, move = game.position_at(at), game.move_at(at)
    player = _id(table, before.mover)
    yield News("game.move", {"playerId": player, "move": rooms.move(before, move), "moveCount": count})
    for event, data in rooms.events(before, move, game.position_at(at + 1)):
        yield News(f"{table.opening.game}.{event}", {"playerId": player, **data})


def _end(decision: Decision) -> Iterator[News]:
    event, table = decision
    if event.kind == EventKind.TIMED_OUT and event.data["reason"] == "afk_timeout":
        data = {"forfeitedPlayerId": _id(table, event.seat), "winnerId": _id(table, event.data["winner"])}
        yield News(f"{table.opening.game}.afk_timeout", data)
    yield News("game.ended", public_result(table.opening.game, result_of(table)))


def _id(table: Table, seat: int | None) -> str | None:
    return None if seat is None else table.seats[seat].id
