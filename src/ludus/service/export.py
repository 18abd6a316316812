"""Exports: everything stored about a player, a person of our page, an agent or a tenant, as one JSON document.

It is written page by page. Secrets are left out, which are stored as hashes anyway, and so are the names and ids of
other people.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import orjson

from ludus.service import proof
from ludus.service.address_marks import PREFIX
from ludus.service.agents import player_key as agent_key
from ludus.service.clock import iso
from ludus.service.erasure import PAGE, keys_of, sessions_with
from ludus.service.options import shown_options
from ludus.service.player_keys import person_key
from ludus.service.ports.store import FIRST_PAGE, NEWEST, Cursor, Store
from ludus.service.public import players_of
from ludus.service.puzzles import DAY
from ludus.service.records import (
    Agent,
    Challenge,
    Delivery,
    Device,
    Entrant,
    Entry,
    Event,
    Key,
    Passkey,
    Person,
    PuzzleAttempt,
    PuzzleStreaks,
    Rating,
    RatingChange,
    Report,
    Score,
    Session,
    TableRow,
    Tenant,
    Tournament,
)
from ludus.service.relations import MOST_BLOCKS, MOST_FRIENDS
from ludus.service.sessions import PAGE_TENANT, player_key, public_result
from ludus.service.table import SeatKind
from ludus.service.tables import NotFound

FORMAT: Final = "export 1"
MOST_ADDRESSES: Final = 10_000
MOST_CHALLENGES: Final = 10_000
MOST_REPORTS: Final = 10_000

Json = dict[str, Any]
Items = AsyncIterator[Json]


class Exports:
    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store = store
        self._now = now

    async def player(self, tenant: str, player: str, modes: Sequence[str]) -> AsyncIterator[bytes]:
        """A tenant's player in these modes; `NotFound` if there is nothing about them."""
        if tenant == PAGE_TENANT and (person := await self._store.person(player)):
            return await self.person(person)
        keys = await keys_of(self._store, tenant, player, modes)
        if not keys:
            raise NotFound("there is no such player")
        head = self._head("player") | {"id": player, "tenant": tenant}
        return _document(head, self._player(keys) | {"sessions": self._sessions_with(tenant, player, keys)})

    async def person(self, person: Person) -> AsyncIterator[bytes]:
        """Someone who plays on our own page."""
        about = {"id": person.id, "name": person.name, "color": person.color, "preferences": dict(person.preferences)}
        times = {"createdAt": iso(person.created_at), "seenAt": iso(person.seen_at)}
        head = self._head("person") | {
            "person": about | times,
            "devices": [_device(each) for each in await self._store.devices_of(person.id)],
            "passkeys": [_passkey(each) for each in await self._store.passkeys_of(person.id)],
        }
        (key,) = keys = [person_key(person.id)]
        own = {"sessions": self._sessions_with(PAGE_TENANT, person.id, keys), "addresses": self._addresses(key)}
        head |= await self._relations(person.id, key) | await self._puzzles(key)
        return _document(head, self._player(keys) | own | {"puzzleAttempts": self._puzzle_attempts(key)})

    async def _puzzles(self, key: str) -> Json:
        return {
            "puzzleRatings": [_rating(each) for each in await self._store.puzzle_ratings_of(key)],
            "puzzleStreaks": [_streaks(each) for each in await self._store.puzzle_streaks_of(key)],
        }

    async def _relations(self, person: str, key: str) -> Json:
        """The person's relations with others, who are not named."""
        store, link = self._store, await self._store.friend_link_of(person)
        return {
            "friendLink": link and link.code,
            "friends": [{"since": iso(each.made_at)} for each in await store.friends_of(person, MOST_FRIENDS)],
            "blocks": [{"since": iso(each.made_at)} for each in await store.blocks_of(person, MOST_BLOCKS)],
            "challenges": [_challenge(each) for each in await store.challenges_from(person, 0, MOST_CHALLENGES)],
            "reports": [_report(each) for each in await store.reports_by(person, 0, MOST_REPORTS)],
            "results": [_score(each) for each in await store.scores_of(key)],
            "onlineAt": [iso(each.seen_at) for each in await store.sightings([person])],
        }

    async def agent(self, agent: Agent) -> AsyncIterator[bytes]:
        about = {"id": agent.id, "name": agent.name, "model": agent.model, "owner": agent.owner}
        head = self._head("agent") | {"agent": about | {"createdAt": iso(agent.created_at)}}
        key = agent_key(agent.id)
        own = {"addresses": self._addresses(key), "puzzleAttempts": self._puzzle_attempts(key)}
        return _document(head | await self._puzzles(key), self._player([key]) | own)

    async def tenant(self, tenant: Tenant) -> AsyncIterator[bytes]:
        about = {"id": tenant.id, "name": tenant.name, "webhookUrl": tenant.webhook_url}
        keys = [_key(key) for key in await self._store.keys(tenant.id)]
        head = self._head("tenant") | {"tenant": about | {"createdAt": iso(tenant.created_at)}, "keys": keys}
        parts = {
            "sessions": self._sessions_of(tenant.id),
            "games": self._games_of(tenant.id),
            "ratings": self._ratings_of(tenant.id),
            "tournaments": self._own_tournaments([tenant.id]),
            "webhooks": self._webhooks_of(tenant.id),
        }
        return _document(head, parts)

    def _head(self, kind: str) -> Json:
        return {"ludus": FORMAT, "kind": kind, "exportedAt": iso(self._now())}

    def _player(self, keys: Sequence[str]) -> dict[str, Items]:
        return {
            "ratings": self._ratings(keys),
            "ratingHistory": self._rating_history(keys),
            "queue": self._queue(keys),
            "tournaments": self._tournaments(keys),
            "ownTournaments": self._own_tournaments(keys),
            "games": self._games(keys),
        }

    async def _ratings(self, keys: Sequence[str]) -> Items:
        for key in keys:
            for rating in await self._store.ratings_of(key):
                yield _rating(rating)

    async def _rating_history(self, keys: Sequence[str]) -> Items:
        for key in keys:
            after = FIRST_PAGE
            while page := await self._store.rating_changes_page(key, after, PAGE):
                after = Cursor(page[-1].at, page[-1].table)
                for change in page:
                    yield _change(change)

    async def _puzzle_attempts(self, key: str) -> Items:
        before = NEWEST
        while page := await self._store.puzzle_attempts_page(key, before, PAGE):
            before = Cursor(page[-1].at, page[-1].puzzle)
            for attempt in page:
                yield _puzzle_attempt(attempt)

    async def _addresses(self, key: str) -> Items:
        """Keyed hashes, from which the addresses can't be recovered."""
        for mark in await self._store.address_marks(key, MOST_ADDRESSES):
            yield {"hash": mark.mark.removeprefix(PREFIX), "seenAt": iso(mark.seen_at)}

    async def _queue(self, keys: Sequence[str]) -> Items:
        for key in keys:
            for entry in await self._store.entries_of(key):
                yield _entry(entry)

    async def _games(self, keys: Sequence[str]) -> Items:
        for key in keys:
            after = FIRST_PAGE
            while page := await self._store.tables_page(key, after, PAGE):
                after = Cursor(page[-1].opened_at, page[-1].id)
                for row in page:
                    yield _game(row, await self._store.events(row.id), keys)

    async def _tournaments(self, keys: Sequence[str]) -> Items:
        for key in keys:
            after = ""
            while page := await self._store.tournaments_with(key, after, PAGE):
                after = page[-1].tournament
                for entrant in page:
                    if (found := await self._store.tournament(entrant.tournament)) is not None:
                        yield _tournament(found) | _entrant(entrant)

    async def _own_tournaments(self, keys: Sequence[str]) -> Items:
        for key in keys:
            after = ""
            while page := await self._store.tournaments_owned(key, after, PAGE):
                after = page[-1].id
                for tournament in page:
                    yield _tournament(tournament)

    async def _sessions_with(self, tenant: str, player: str, keys: Sequence[str]) -> Items:
        async for session in sessions_with(self._store, tenant, player):
            if player_key(session, player) in keys:
                yield _session(session, [each for each in session.players if each["id"] == player])

    async def _sessions(self, tenant: str) -> AsyncIterator[Session]:
        after = FIRST_PAGE
        while page := await self._store.sessions_page(tenant, after, PAGE):
            after = Cursor(page[-1].created_at, page[-1].id)
            for session in page:
                yield session

    async def _sessions_of(self, tenant: str) -> Items:
        async for session in self._sessions(tenant):
            result = session.result and public_result(session.game, session.result)
            yield _session(session, session.players) | {"result": result}

    async def _games_of(self, tenant: str) -> Items:
        """Each game once, with its first session."""
        async for session in self._sessions(tenant):
            if session.table is None:
                continue
            own = [each for each in await self._store.sessions_of(session.table) if each.tenant == tenant]
            row = await self._store.table(session.table)
            if row is not None and own[0].id == session.id:
                keys = [player_key(each, player["id"]) for each in own for player in each.players]
                yield _game(row, await self._store.events(row.id), keys)

    async def _ratings_of(self, tenant: str) -> Items:
        after = ("", "")
        while page := await self._store.ratings_page(tenant, after, PAGE):
            after = page[-1].player, page[-1].game
            for rating in page:
                yield {"player": rating.player.split("/", 2)[2]} | _rating(rating)

    async def _webhooks_of(self, tenant: str) -> Items:
        after = ""
        while page := await self._store.deliveries_page(tenant, after, PAGE):
            after = page[-1].id
            for delivery in page:
                yield _delivery(delivery)


async def _document(head: Json, lists: Mapping[str, Items]) -> AsyncIterator[bytes]:
    """The fields of `head`, then the lists."""
    yield orjson.dumps(head)[:-1]
    for name, items in lists.items():
        yield b"," + orjson.dumps(name) + b":["
        comma = b"\n"
        async for item in items:
            yield comma + orjson.dumps(item)
            comma = b",\n"
            await asyncio.sleep(0)  # a page of long games takes a while, and others are waiting
        yield b"]"
    yield b"}\n"


def _mode(key: str) -> str | None:
    """`live` or `test`; None for agents and anonymous players."""
    parts = key.split("/", 2)
    return parts[1] if len(parts) > 2 else None


def _rating(rating: Rating) -> Json:
    numbers = {name: getattr(rating, name) for name in ("rating", "deviation", "volatility", "games", "wins", "draws")}
    numbers["opponents"] = rating.opponents
    return {"game": rating.game, "mode": _mode(rating.player), **numbers, "updatedAt": iso(rating.updated_at)}


def _change(change: RatingChange) -> Json:
    numbers = {"before": change.before, "after": change.after, "badges": list(change.badges)}
    return {"table": change.table, "game": change.game, "mode": _mode(change.player), **numbers, "at": iso(change.at)}


def _puzzle_attempt(attempt: PuzzleAttempt) -> Json:
    rating = {"before": attempt.before, "after": attempt.after}
    about = {"game": attempt.game, "puzzle": attempt.puzzle, "state": attempt.state, "found": attempt.found}
    return {**about, **rating, "at": iso(attempt.at)}


def _streaks(streaks: PuzzleStreaks) -> Json:
    solved = {"streak": streaks.streak, "bestStreak": streaks.best}
    last = None if streaks.last_day < 0 else iso(streaks.last_day * DAY)
    return {"game": streaks.game, **solved, "days": streaks.days, "bestDays": streaks.best_days, "lastDay": last}


def _challenge(challenge: Challenge) -> Json:
    terms = {"game": challenge.game, "timeControl": challenge.time_control, "rated": challenge.is_rated}
    terms |= shown_options(challenge.game, challenge.variant)
    return terms | {"state": challenge.state, "madeAt": iso(challenge.made_at)}


def _tournament(tournament: Tournament) -> Json:
    terms = {"game": tournament.game, "system": tournament.system, "timeControl": tournament.time_control.to_data()}
    terms |= shown_options(tournament.game, tournament.variant) | {"rated": tournament.is_rated}
    shown = {"id": tournament.id, "name": tournament.name, "state": tournament.state}
    return shown | terms | {"madeAt": iso(tournament.made_at)}


def _entrant(entrant: Entrant) -> Json:
    return {"enteredAs": entrant.name, "rating": entrant.rating, "isIn": entrant.is_in}


def _report(report: Report) -> Json:
    return {"table": report.table, "reason": report.reason, "madeAt": iso(report.made_at)}


def _score(score: Score) -> Json:
    results = {"wins": score.wins, "draws": score.draws, "losses": score.losses}
    return {"game": score.game, "opponents": score.opponent, **results}


def _entry(entry: Entry) -> Json:
    return {"game": entry.game, "pool": entry.pool, "rating": entry.rating, "name": entry.seat["seat"]["name"]}


def _session(session: Session, players: Iterable[Mapping[str, str]]) -> Json:
    return {
        "id": session.id,
        "game": session.game,
        "mode": session.mode,
        "matchType": session.match_type,
        "status": session.status,
        "players": [dict(player) for player in players],
        "botDifficulty": session.bot_level,
        "afkTimeoutEnabled": session.has_afk_limit,
        "timeControl": None if session.time_control is None else session.time_control.to_data(),
        **shown_options(session.game, session.variant),
        "theme": session.theme,
        "roomCode": session.room_code,
        "roomId": session.table,
        "createdAt": iso(session.created_at),
    }


def _game(row: TableRow, events: Sequence[Event], own: Sequence[str]) -> Json:
    """A finished one is also a proof, which `ludus verify` takes; a live one shows no seed."""
    is_over = row.status == "over"
    record = (
        proof.document(row, events) if is_over else {"table": row.id, "game": row.game, "moves": proof.moves(events)}
    )
    return {
        **record,
        "mode": row.mode,
        "rated": events[0].data["is_rated"],
        "startedAt": iso(row.opened_at),
        "endedAt": None if row.ended_at is None else iso(row.ended_at),
        "players": _players(row, own),
    }


def _players(row: TableRow, own: Sequence[str]) -> list[Json]:
    """Other people have no name or id."""
    shown = players_of(row)
    for seat, player in enumerate(row.players):
        is_own = player["key"] in own
        if is_own and player["kind"] == SeatKind.PERSON:
            shown[seat] |= {"id": player["id"], "name": player["name"]}
        shown[seat]["isOwn"] = is_own
    return shown


def _device(device: Device) -> Json:
    return {"label": device.label, "createdAt": iso(device.created_at), "seenAt": iso(device.seen_at)}


def _passkey(passkey: Passkey) -> Json:
    times = {"createdAt": iso(passkey.created_at), "usedAt": iso(passkey.used_at)}
    return {"id": passkey.id, "publicKey": passkey.public_key, "label": passkey.label, **times}


def _key(key: Key) -> Json:
    times = {"createdAt": iso(key.created_at), "revokedAt": None if key.revoked_at is None else iso(key.revoked_at)}
    return {"kind": key.kind, "hint": key.hint, "origins": list(key.origins), **times}


def _delivery(delivery: Delivery) -> Json:
    return {
        "id": delivery.id,
        "sessionId": delivery.session,
        "event": delivery.event,
        "url": delivery.url,
        "state": delivery.state,
        "attempts": delivery.attempts,
        "createdAt": iso(delivery.created_at),
        "body": delivery.body,
    }
