"""Relations between people: friends by link, blocks, reports, and who is online.

Blocked people aren't notified: they never see the other person online, and can't challenge them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final, NamedTuple

from ludus.core.errors import BadInput, LudusError
from ludus.service.matches import MatchNotFound
from ludus.service.player_keys import person_key
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import (
    DropBlock,
    DropFriendship,
    PutBlock,
    PutFriendLink,
    PutFriendship,
    PutReport,
    PutSighting,
)
from ludus.service.records import MAX_ID, Block, FriendLink, Friendship, Person, Report, Sighting
from ludus.service.sessions import CODE_LETTERS, CODE_TRIES
from ludus.service.tables import NotFound

LINK_LENGTH: Final = 12
"""Letters of a friend link's code: too many to guess."""
MOST_FRIENDS: Final = 200
MOST_BLOCKS: Final = 500
MOST_REPORTS: Final = 20
"""Per person and day."""
REASONS: Final = ("abuse", "cheating", "stalling", "name", "other")
"""Why a player may be reported."""
MINUTE: Final = 60_000
"""In milliseconds."""
DAY: Final = 24 * 60 * MINUTE
ONLINE_MS: Final = 3 * MINUTE
"""After being seen."""
MOST_SEEN: Final = 10_000


class OwnLink(LudusError):
    """People can't befriend themselves with their own link."""

    code = "own_link"


class TooManyFriends(LudusError):
    code = "too_many_friends"


class TooManyBlocks(LudusError):
    code = "too_many_blocks"


class TooManyReports(LudusError):
    code = "too_many_reports"


class NotAvailable(LudusError):
    """One of the two has blocked the other."""

    code = "not_available"


class Acquaintance(NamedTuple):
    """A friend or a blocked person, since when, and whether they are online."""

    person: Person
    since: int
    is_online: bool = False


class Relations:
    def __init__(
        self, store: Store, clock: Clock, new_id: Callable[[], str], choose: Callable[[Sequence[str]], str]
    ) -> None:
        """`choose` picks a random item."""
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._choose = choose
        self._seen: dict[str, int] = {}
        """The minute in which each person's visit was last stored."""

    async def person(self, id: str) -> Person:
        found = await self._store.person(id) if 0 < len(id) <= MAX_ID else None
        if found is None:
            raise NotFound("there is no such person")
        return found

    async def link(self, person: Person) -> FriendLink:
        return await self._store.friend_link_of(person.id) or await self.renew_link(person)

    async def renew_link(self, person: Person) -> FriendLink:
        """A new code; the old one no longer works."""
        for _ in range(CODE_TRIES):
            code = "".join(self._choose(CODE_LETTERS) for _ in range(LINK_LENGTH))
            link = FriendLink(person.id, code, self._clock.now())
            with suppress(Conflict):  # the code is taken
                await self._store.commit(PutFriendLink(link))
                return link
        raise Conflict("no code is free; try again")

    async def owner_of(self, code: str) -> Person:
        """The owner of the friend link."""
        link = await self._store.friend_link(code) if len(code) == LINK_LENGTH else None
        owner = await self._store.person(link.person) if link else None
        if owner is None:
            raise NotFound("this link no longer works")
        return owner

    async def befriend(self, person: Person, code: str) -> Person:
        """Makes the two friends; safe to repeat."""
        owner = await self.owner_of(code)
        if owner.id == person.id:
            raise OwnLink("this is your own link; send it to a friend")
        if await self.is_blocked_between(person.id, owner.id):
            raise NotAvailable("this link does not work for you")
        if await self.are_friends(person.id, owner.id):
            return owner
        for each in (person.id, owner.id):
            if len(await self._store.friends_of(each, MOST_FRIENDS)) == MOST_FRIENDS:
                raise TooManyFriends(f"nobody has more than {MOST_FRIENDS} friends here")
        now = self._clock.now()
        pairs = ((person.id, owner.id), (owner.id, person.id))
        await self._store.commit(*[PutFriendship(Friendship(one, two, now)) for one, two in pairs])
        return owner

    async def unfriend(self, person: Person, friend: str) -> None:
        await self._store.commit(DropFriendship(person.id, friend))

    async def friends(self, person: Person) -> list[Acquaintance]:
        found = await self._store.friends_of(person.id, MOST_FRIENDS)
        online = await self.online(person.id, [each.friend for each in found])
        people = [(await self._store.person(each.friend), each) for each in found]
        return [Acquaintance(who, each.made_at, who.id in online) for who, each in people if who is not None]

    async def are_friends(self, one: str, two: str) -> bool:
        return await self._store.friendship(one, two) is not None

    async def block(self, person: Person, other: Person) -> None:
        """Also ends their friendship."""
        if other.id == person.id:
            raise BadInput("you cannot block yourself")
        if len(await self._store.blocks_of(person.id, MOST_BLOCKS)) == MOST_BLOCKS:
            raise TooManyBlocks(f"nobody can block more than {MOST_BLOCKS} people")
        block = Block(person.id, other.id, self._clock.now())
        await self._store.commit(PutBlock(block), DropFriendship(person.id, other.id))

    async def unblock(self, person: Person, other: str) -> None:
        await self._store.commit(DropBlock(person.id, other))

    async def blocked(self, person: Person) -> list[Acquaintance]:
        found = [(await self._store.person(each.blocked), each) for each in await self._blocks(person)]
        return [Acquaintance(who, each.made_at) for who, each in found if who is not None]

    async def has_blocked(self, person: str, other: str) -> bool:
        return any(each.person == person for each in await self._store.blocks_between(person, [other]))

    async def is_blocked_between(self, one: str, two: str) -> bool:
        """Whether either has blocked the other."""
        return bool(await self._store.blocks_between(one, [two]))

    async def report(self, person: Person, table: str, reason: str) -> Report:
        """Reports the opponent of a game; stored once per game."""
        row = await self._store.table(table) if len(table) <= MAX_ID else None
        keys = [player["key"] for player in row.players] if row else []
        if person_key(person.id) not in keys:
            raise MatchNotFound("there is no such game of yours")
        now = self._clock.now()
        lately = await self._store.reports_by(person.id, now - DAY, MOST_REPORTS)
        if known := next((each for each in lately if (each.table, each.reason) == (table, reason)), None):
            return known
        if len(lately) == MOST_REPORTS:
            raise TooManyReports(f"you can send {MOST_REPORTS} reports a day")
        player = keys[1 - keys.index(person_key(person.id))]
        report = Report(self._new_id(), person.id, player, table, reason, now)
        await self._store.commit(PutReport(report))
        return report

    async def see(self, person: Person) -> None:
        """Notes that the person is online; stored once a minute."""
        now = self._clock.now()
        if self._seen.get(person.id) == now // MINUTE:
            return
        await self._store.commit(PutSighting(Sighting(person.id, now)))
        if len(self._seen) >= MOST_SEEN:
            self._seen.clear()
        self._seen[person.id] = now // MINUTE

    async def online(self, viewer: str, people: Sequence[str]) -> set[str]:
        """Those of them that are online, as far as the viewer may know."""
        since = self._clock.now() - ONLINE_MS
        seen = {each.person for each in await self._store.sightings(people) if each.seen_at > since}
        apart = await self._store.blocks_between(viewer, sorted(seen)) if seen else ()
        return seen - {each.person for each in apart} - {each.blocked for each in apart}

    async def _blocks(self, person: Person) -> Sequence[Block]:
        return await self._store.blocks_of(person.id, MOST_BLOCKS)
