"""Challenges: one person asks another for a game. A challenge waits in the store until it is answered or expires."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from ludus.core.errors import BadInput, LudusError
from ludus.service.live_games import refuse_too_many
from ludus.service.lobby import PLAIN
from ludus.service.page_tenant import ensure_page_tenant
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import PutChallenge, Write
from ludus.service.records import MAX_ID, Challenge, Person, Session
from ludus.service.relations import DAY, MINUTE, NotAvailable, Relations
from ludus.service.sessions import PAGE_TENANT, NewSession, Sessions
from ludus.service.tables import NotFound
from ludus.service.time_control import Kind, TimeControl

WAITING: Final = "waiting"
ACCEPTED: Final = "accepted"
DECLINED: Final = "declined"
CANCELLED: Final = "cancelled"
MOST_WAITING: Final = 10
"""Of one person."""
MOST_A_DAY: Final = 50
QUICK_MS: Final = 15 * MINUTE
"""How long a challenge is open if both players have to be online for the game."""
SLOW_MS: Final = 3 * DAY
"""The same if they needn't be."""


class ChallengeGone(LudusError):
    """It was answered or withdrawn, or has expired."""

    code = "challenge_gone"


class TooManyChallenges(LudusError):
    code = "too_many_challenges"


class Terms(NamedTuple):
    game: str
    time_control: TimeControl | None
    is_rated: bool
    variant: str = PLAIN


class Inbox(NamedTuple):
    incoming: list[tuple[Challenge, Person]]
    """Each with its challenger."""
    outgoing: list[tuple[Challenge, Person]]
    """Each with the person challenged: open and declined challenges, and accepted games that have not begun."""


class Challenges:
    def __init__(
        self, store: Store, clock: Clock, relations: Relations, sessions: Sessions, new_id: Callable[[], str]
    ) -> None:
        self._store = store
        self._clock = clock
        self._relations = relations
        self._sessions = sessions
        self._new_id = new_id

    async def make(self, person: Person, opponent: Person, terms: Terms) -> Challenge:
        """Replaces an earlier one to the same person."""
        _check(person, opponent, terms)
        if await self._relations.is_blocked_between(person.id, opponent.id):
            raise NotAvailable("this player takes no challenges from you")
        await refuse_too_many(self._store, person)
        now = self._clock.now()
        made = await self._store.challenges_from(person.id, now - SLOW_MS, MOST_A_DAY)
        waiting = [each for each in made if _is_waiting(each, now)]
        earlier = [each for each in waiting if each.opponent == opponent.id]
        is_full = len(waiting) - len(earlier) >= MOST_WAITING
        if is_full or sum(each.made_at > now - DAY for each in made) >= MOST_A_DAY:
            raise TooManyChallenges(f"{MOST_WAITING} challenges can wait at a time, and {MOST_A_DAY} be sent in a day")
        control = terms.time_control
        needs_both = control is None or control.needs_presence
        challenge = Challenge(
            id=self._new_id(),
            version=1,
            challenger=person.id,
            opponent=opponent.id,
            game=terms.game,
            time_control=control and control.to_data(),
            is_rated=terms.is_rated,
            state=WAITING,
            session=None,
            made_at=now,
            expires_at=now + (QUICK_MS if needs_both else SLOW_MS),
            variant=terms.variant,
        )
        try:
            await self._store.commit(
                PutChallenge(challenge), *[PutChallenge(_answered(each, CANCELLED)) for each in earlier]
            )
        except Conflict:
            raise ChallengeGone("an earlier challenge was answered just now") from None
        return challenge

    async def accept(self, person: Person, id: str) -> Session:
        """Creates a session in which both players meet. Safe to repeat."""
        challenge = await self._get(id)
        if challenge.opponent != person.id:
            raise NotFound("there is no such challenge")
        if session := await self._session_of(challenge):
            return session
        challenger = await self._store.person(challenge.challenger)
        is_over = not _is_waiting(challenge, self._clock.now())
        if is_over or challenger is None or await self._relations.is_blocked_between(person.id, challenger.id):
            raise ChallengeGone("this challenge is no longer open")
        await refuse_too_many(self._store, person)

        def writes(session: Session) -> list[Write]:
            return [PutChallenge(_answered(challenge, ACCEPTED, session.id))]

        await ensure_page_tenant(self._store, self._clock.now())
        try:
            return (await self._sessions.create(_wanted(challenge, challenger, person), writes)).session
        except Conflict:
            if session := await self._session_of(await self._get(id)):  # accepted in another tab just now
                return session
            raise ChallengeGone("this challenge was withdrawn just now") from None

    async def _session_of(self, challenge: Challenge) -> Session | None:
        """If it was accepted."""
        return await self._store.session(challenge.session) if challenge.session else None

    async def decline(self, person: Person, id: str) -> None:
        await self._answer(await self._get(id), person, DECLINED)

    async def cancel(self, person: Person, id: str) -> None:
        await self._answer(await self._get(id), person, CANCELLED)

    async def cancel_between(self, one: str, two: str) -> None:
        """Withdraws their challenges to each other."""
        now = self._clock.now()
        for asked, asking in ((one, two), (two, one)):
            for challenge in await self._store.challenges_to(asked, now, MOST_A_DAY):
                if challenge.challenger == asking:
                    with suppress(Conflict):  # answered just now
                        await self._store.commit(PutChallenge(_answered(challenge, CANCELLED)))

    async def inbox(self, person: Person) -> Inbox:
        now = self._clock.now()
        asked = await self._store.challenges_to(person.id, now, MOST_A_DAY)
        incoming = [(each, await self._store.person(each.challenger)) for each in asked]
        made = await self._store.challenges_from(person.id, now - SLOW_MS, MOST_A_DAY)
        shown = [each for each in made if await self._is_shown(each, now)]
        outgoing = [(each, await self._store.person(each.opponent)) for each in shown]
        return Inbox(
            [(each, who) for each, who in incoming if who is not None],
            [(each, who) for each, who in outgoing if who is not None],
        )

    async def _is_shown(self, challenge: Challenge, now: int) -> bool:
        if challenge.state != ACCEPTED:
            return challenge.state != CANCELLED and challenge.expires_at > now
        session = await self._session_of(challenge)
        return session is not None and session.status == "pending"

    async def _get(self, id: str) -> Challenge:
        challenge = await self._store.challenge(id) if len(id) <= MAX_ID else None
        if challenge is None:
            raise NotFound("there is no such challenge")
        return challenge

    async def _answer(self, challenge: Challenge, person: Person, state: str) -> None:
        """Does nothing if it is already in that state."""
        if person.id != (challenge.opponent if state == DECLINED else challenge.challenger):
            raise NotFound("there is no such challenge")
        if challenge.state == state:
            return
        if challenge.state != WAITING:
            raise ChallengeGone("this challenge was answered already")
        try:
            await self._store.commit(PutChallenge(_answered(challenge, state)))
        except Conflict:
            raise ChallengeGone("this challenge was answered just now") from None


def _check(person: Person, opponent: Person, terms: Terms) -> None:
    if person.id == opponent.id:
        raise BadInput("you cannot challenge yourself")
    if terms.is_rated and terms.time_control is not None and terms.time_control.kind == Kind.NONE:
        raise BadInput("a rated game needs a time control")


def _wanted(challenge: Challenge, challenger: Person, opponent: Person) -> NewSession:
    """A room for the two; a rated game is public."""
    control = challenge.time_control
    return NewSession(
        tenant=PAGE_TENANT,
        game=challenge.game,
        mode="live" if challenge.is_rated else "training",
        match_type="private",
        players=tuple({"id": each.id, "displayName": each.name} for each in (challenger, opponent)),
        bot_level="",
        has_afk_limit=True,
        theme=None,
        time_control=None if control is None else TimeControl.from_data(control),
        is_public=challenge.is_rated,
        variant=challenge.variant,
    )


def _is_waiting(challenge: Challenge, now: int) -> bool:
    return challenge.state == WAITING and challenge.expires_at > now


def _answered(challenge: Challenge, state: str, session: str | None = None) -> Challenge:
    return challenge._replace(version=challenge.version + 1, state=state, session=session)
