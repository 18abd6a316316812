"""People: players of our own page, who need no account. A cookie identifies them, and a code adds another browser.

Secrets are stored as hashes. Codes and challenges are stored too, so that any process can check those of another.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, NamedTuple

from ludus.core.errors import BadInput
from ludus.service.agents import WrongCode
from ludus.service.page_tenant import ensure_page_tenant
from ludus.service.player_keys import person_key
from ludus.service.ports.clock import Clock
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import (
    DropCode,
    DropDevice,
    DropPasskey,
    DropPerson,
    DropRatings,
    DropRelations,
    PutCode,
    PutDevice,
    PutPasskey,
    PutPerson,
    SeeDevice,
    UsePasskey,
    Write,
)
from ludus.service.records import Device, OneTimeCode, Passkey, Person
from ludus.service.sessions import CODE_LETTERS, CODE_TRIES
from ludus.service.tables import NotFound
from ludus.service.tenants import hashed

COLORS: Final = ("red", "orange", "yellow", "green", "teal", "blue", "purple", "pink")
"""Of avatars."""
NO_NAME: Final = "Guest"
"""The name of people who have not chosen one."""
DAY: Final = 24 * 3600 * 1000
"""In milliseconds. Visits are stored once a day."""
MAX_SECRET: Final = 128
MAX_DEVICES: Final = 20
"""Per person; one more signs out the least recently used device."""
MAX_PASSKEYS: Final = 10
CODE_LENGTH: Final = 8
SELECTOR: Final = 3
"""The first letters of a code, by which it is found; wrong guesses of the others count as tries."""
MAX_TRIES: Final = 5
"""Wrong guesses after which a code no longer works."""
CODE_MS: Final = 10 * 60 * 1000
CHALLENGE_MS: Final = 5 * 60 * 1000
DEVICE_CODE: Final = "device"
REGISTRATION: Final = "registration"
LOGIN: Final = "login"
"""The kinds of challenges: to add a passkey, and to sign in with one."""


class OnDevice(NamedTuple):
    """A person, and the device that they are on."""

    person: Person
    device: Device


class NewDevice(NamedTuple):
    """A device with its secret, which cannot be shown again."""

    person: Person
    device: Device
    secret: str


class NewCode(NamedTuple):
    """A code that can be used once, until `expires_at`."""

    code: str
    expires_at: int


class People:
    def __init__(
        self,
        store: Store,
        clock: Clock,
        new_id: Callable[[], str],
        new_secret: Callable[[], str],
        choose: Callable[[Sequence[str]], str],
        secret: bytes,
    ) -> None:
        """`new_secret` returns 256 random bits as text, `choose` a random item; `secret` is the platform's own."""
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._new_secret = new_secret
        self._choose = choose
        self._key = hmac.digest(secret, b"one-time codes", "sha256")

    async def create(self, name: str = "", label: str = "") -> NewDevice:
        """A new person on their first device."""
        now = self._clock.now()
        await ensure_page_tenant(self._store, now)
        person = Person(self._new_id(), 1, name or NO_NAME, self._choose(COLORS), {}, now, now)
        new = self._new_device(person, label)
        await self._store.commit(PutPerson(person), PutDevice(new.device))
        return new

    async def get(self, id: str) -> Person:
        person = await self._store.person(id)
        if person is None:
            raise NotFound("there is no such person")
        return person

    async def by_device(self, secret: str) -> OnDevice | None:
        """The person whose device has this secret."""
        device = await self._store.device(hashed(secret)) if 0 < len(secret) <= MAX_SECRET else None
        person = await self._store.person(device.person) if device else None
        return OnDevice(person, device) if device and person else None

    def is_seen_today(self, device: Device) -> bool:
        return 0 <= self._clock.now() - device.seen_at < DAY

    async def see(self, device: Device) -> None:
        await self._store.commit(SeeDevice(device.hash, device.person, self._clock.now()))

    async def change(
        self,
        person: Person,
        name: str | None = None,
        color: str | None = None,
        preferences: Mapping[str, Any] | None = None,
    ) -> Person:
        """Changes only what is given; other preferences stay."""
        if color is not None and color not in COLORS:
            raise BadInput(f"a color is one of {', '.join(COLORS)}")
        for _ in range(CODE_TRIES):
            changed = person._replace(
                version=person.version + 1,
                name=name or person.name,
                color=color or person.color,
                preferences={**person.preferences, **(preferences or {})},
            )
            with suppress(Conflict):
                await self._store.commit(PutPerson(changed))
                return changed
            person = await self.get(person.id)
        raise Conflict("the person is too busy; try again")

    async def devices(self, person: Person) -> Sequence[Device]:
        return await self._store.devices_of(person.id)

    async def add_device(self, person: Person, label: str) -> NewDevice:
        new = self._new_device(person, label)
        await self._store.commit(*await self._room_for_device(person.id), PutDevice(new.device))
        return new

    async def remove_device(self, person: Person, id: str) -> None:
        try:
            await self._store.commit(DropDevice(person.id, id))
        except Conflict:
            raise NotFound("there is no such device") from None

    async def leave(self, left: OnDevice) -> None:
        """Removes the device. A person who never played and has no other device or passkey is deleted."""
        person = left.person.id
        with suppress(Conflict, NotFound):  # it was removed in the meantime
            await self.remove_device(left.person, left.device.id)
            is_reachable = await self._store.devices_of(person) or await self._store.passkeys_of(person)
            key = person_key(person)
            has_played = await self._store.tables_of(key, 1) or await self._store.tournaments_with(key, "", 1)
            if not is_reachable and not has_played and not await self._store.tournaments_owned(key, "", 1):
                await self._store.commit(DropRatings(key), DropRelations(person, key), DropPerson(person))

    async def new_code(self, person: Person) -> NewCode:
        """With which another browser becomes a device of this person."""
        expires_at = self._clock.now() + CODE_MS
        for _ in range(CODE_TRIES):
            text = "".join(self._choose(CODE_LETTERS) for _ in range(CODE_LENGTH))
            code = OneTimeCode(text[:SELECTOR], 1, DEVICE_CODE, self._mark(text), person.id, expires_at)
            with suppress(Conflict):  # another code starts with the same letters
                await self._store.commit(PutCode(code))
                return NewCode(text, expires_at)
        raise Conflict("no code is free; try again")

    async def use_code(self, text: str, label: str) -> NewDevice:
        """A new device of the person who made the code."""
        code = await self._store.code(text[:SELECTOR])
        if code is None or code.kind != DEVICE_CODE or code.person is None or code.expires_at <= self._clock.now():
            raise WrongCode("this code is wrong or has expired")
        if not hmac.compare_digest(code.hash, self._mark(text)):
            await self._count_try(code)
            raise WrongCode("this code is wrong or has expired")
        new = self._new_device(await self.get(code.person), label)
        room = await self._room_for_device(code.person)
        try:
            await self._store.commit(DropCode(code), *room, PutDevice(new.device))
        except Conflict:
            raise WrongCode("this code was used already") from None
        return new

    async def passkeys(self, person: Person) -> Sequence[Passkey]:
        return await self._store.passkeys_of(person.id)

    async def new_challenge(self, kind: str, person: Person | None = None) -> bytes:
        """What an authenticator has to sign: valid once, for a few minutes."""
        text = self._new_secret()
        mark = self._mark(text)
        expires_at = self._clock.now() + CHALLENGE_MS
        await self._store.commit(PutCode(OneTimeCode(mark, 1, kind, mark, person and person.id, expires_at)))
        return text.encode()

    async def take_challenge(self, kind: str, challenge: bytes, person: Person | None = None) -> None:
        """Raises `WrongCode` unless it is of this kind, at most five minutes old and unused."""
        code = await self._store.code(self._mark(challenge.decode(errors="replace")))
        if code is None or (code.kind, code.person) != (kind, person and person.id):
            raise WrongCode("this challenge is not known; try again")
        try:
            await self._store.commit(DropCode(code))
        except Conflict:
            raise WrongCode("this challenge was answered already; try again") from None
        if code.expires_at <= self._clock.now():
            raise WrongCode("this took too long; try again")

    async def add_passkey(self, person: Person, id: str, public_key: str, sign_count: int, label: str) -> Passkey:
        if len(await self._store.passkeys_of(person.id)) >= MAX_PASSKEYS:
            raise BadInput(f"a person has {MAX_PASSKEYS} passkeys at most; remove one first")
        now = self._clock.now()
        passkey = Passkey(id, person.id, public_key, sign_count, label, now, now)
        await self._store.commit(PutPasskey(passkey))
        return passkey

    async def passkey(self, id: str) -> Passkey | None:
        return await self._store.passkey(id)

    async def use_passkey(self, passkey: Passkey, sign_count: int, label: str) -> NewDevice:
        """A new device of the passkey's person; `sign_count` is what the authenticator says now."""
        new = self._new_device(await self.get(passkey.person), label)
        use = UsePasskey(passkey, sign_count, self._clock.now())
        await self._store.commit(use, *await self._room_for_device(passkey.person), PutDevice(new.device))
        return new

    async def remove_passkey(self, person: Person, id: str) -> None:
        try:
            await self._store.commit(DropPasskey(person.id, id))
        except Conflict:
            raise NotFound("there is no such passkey") from None

    async def _count_try(self, code: OneTimeCode) -> None:
        with suppress(Conflict):  # it was used or tried just now
            is_last = code.version >= MAX_TRIES
            await self._store.commit(DropCode(code) if is_last else PutCode(code._replace(version=code.version + 1)))

    async def _room_for_device(self, person: str) -> list[Write]:
        devices = await self._store.devices_of(person)
        if len(devices) < MAX_DEVICES:
            return []
        return [DropDevice(person, min(devices, key=lambda device: device.seen_at).id)]

    def _new_device(self, person: Person, label: str) -> NewDevice:
        secret, now = self._new_secret(), self._clock.now()
        return NewDevice(person, Device(hashed(secret), self._new_id(), person.id, label, now, now), secret)

    def _mark(self, code: str) -> str:
        """Keyed, since so few letters could be recovered from a plain hash."""
        return hmac.digest(self._key, code.encode(), "sha256").hex()
