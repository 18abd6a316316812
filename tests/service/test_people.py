"""People of the page: a browser is a person, and a code makes another browser the same person."""

from __future__ import annotations

import asyncio
import secrets
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

import pytest
from tests.service.parts import FakeClock
from tests.service.platforms import SECRET, run_in

from ludus.core.errors import BadInput
from ludus.service.agents import WrongCode
from ludus.service.erasure import keys_of
from ludus.service.people import (
    CHALLENGE_MS,
    CODE_MS,
    COLORS,
    DAY,
    LOGIN,
    MAX_DEVICES,
    MAX_PASSKEYS,
    MAX_TRIES,
    REGISTRATION,
    SELECTOR,
    OnDevice,
    People,
)
from ludus.service.player_keys import person_key
from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import PutFriendLink, PutFriendship
from ludus.service.records import FriendLink, Friendship
from ludus.service.sessions import CODE_LETTERS, PAGE_TENANT
from ludus.service.tables import NotFound
from ludus.storage import store_for


class House(NamedTuple):
    store: Store
    people: People
    other: People
    """Those of another process on the same store."""


@asynccontextmanager
async def open_house(folder: Path, clock: FakeClock) -> AsyncIterator[House]:
    store = store_for("", folder)
    await store.open()
    one, two = (
        People(store, clock, lambda: str(uuid.uuid4()), lambda: secrets.token_urlsafe(32), secrets.choice, SECRET)
        for _ in range(2)
    )
    yield House(store, one, two)
    await store.close()


with_people = run_in(open_house)


@with_people
async def test_a_browser_is_a_person_by_its_secret_alone(house: House) -> None:
    new = await house.people.create("Ann", "Firefox on Linux")
    found = await house.other.by_device(new.secret)
    assert found == (new.person, new.device)
    assert (new.person.name, new.person.color in COLORS, new.device.label) == ("Ann", True, "Firefox on Linux")
    for wrong in ("", new.secret[:-1], new.device.hash, "x" * 10_000, "\ud800"):
        assert await house.people.by_device(wrong) is None


@with_people
async def test_the_operator_finds_a_person_who_never_played(house: House) -> None:
    ann = await house.people.create("Ann")
    assert await house.store.tenant(PAGE_TENANT) is not None
    assert await keys_of(house.store, PAGE_TENANT, ann.person.id, ("live",)) == [person_key(ann.person.id)]


@with_people
async def test_a_person_without_a_name_is_a_guest(house: House) -> None:
    assert (await house.people.create()).person.name == "Guest"


@with_people
async def test_changes_are_merged_even_if_another_one_was_faster(house: House) -> None:
    stale = (await house.people.create("Ann")).person
    await house.other.change(stale, name="Anna", preferences={"sound": False})
    changed = await house.people.change(stale, color="pink", preferences={"theme": "dark"})
    assert (changed.name, changed.color) == ("Anna", "pink")
    assert changed.preferences == {"sound": False, "theme": "dark"}
    with pytest.raises(BadInput):
        await house.people.change(stale, color="#ff0000")


@with_people
async def test_a_device_is_seen_once_a_day(house: House, clock: FakeClock) -> None:
    new = await house.people.create()
    assert house.people.is_seen_today(new.device)
    clock.wait(DAY / 1000)
    assert not house.people.is_seen_today(new.device)
    await house.people.see(new.device)
    found = await house.people.by_device(new.secret)
    assert found is not None and found.device.seen_at == found.person.seen_at == clock.now()


@with_people
async def test_a_code_moves_a_person_to_another_browser_once(house: House) -> None:
    ann = await house.people.create("Ann")
    code, _ = await house.people.new_code(ann.person)
    assert len(code) == 8 and set(code) <= set(CODE_LETTERS)
    phone = await house.other.use_code(code, "Safari on iPhone")
    found = await house.people.by_device(phone.secret)
    assert found is not None and found.person == ann.person
    assert {each.label for each in await house.people.devices(ann.person)} == {"", "Safari on iPhone"}
    with pytest.raises(WrongCode):
        await house.people.use_code(code, "")


@with_people
async def test_of_two_browsers_that_use_a_code_at_once_one_gets_it(house: House) -> None:
    ann = await house.people.create("Ann")
    code, _ = await house.people.new_code(ann.person)
    tries = [people.use_code(code, "") for people in (house.people, house.other) for _ in range(3)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sum(isinstance(each, WrongCode) for each in results) == 5
    assert len(await house.people.devices(ann.person)) == 2


@with_people
async def test_a_code_expires(house: House, clock: FakeClock) -> None:
    code, expires_at = await house.people.new_code((await house.people.create()).person)
    assert expires_at == clock.now() + CODE_MS
    clock.wait(CODE_MS / 1000)
    with pytest.raises(WrongCode):
        await house.people.use_code(code, "")


@with_people
async def test_a_code_is_dead_after_a_few_wrong_tries_at_any_process(house: House) -> None:
    ann = await house.people.create()
    code, _ = await house.people.new_code(ann.person)
    wrong = code[:SELECTOR] + "".join("A" if letter != "A" else "B" for letter in code[SELECTOR:])
    for number in range(MAX_TRIES):
        with pytest.raises(WrongCode):
            await (house.people, house.other)[number % 2].use_code(wrong, "")
    with pytest.raises(WrongCode):
        await house.people.use_code(code, "")
    assert len(await house.people.devices(ann.person)) == 1


@with_people
async def test_nothing_that_is_stored_is_a_secret(house: House) -> None:
    ann = await house.people.create()
    code, _ = await house.people.new_code(ann.person)
    stored = await house.store.code(code[:SELECTOR])
    assert stored is not None
    assert code[SELECTOR:] not in str(stored)
    assert ann.secret not in str(await house.store.devices_of(ann.person.id))


@with_people
async def test_a_removed_device_is_nobody_s(house: House) -> None:
    ann, ben = await house.people.create("Ann"), await house.people.create("Ben")
    with pytest.raises(NotFound):
        await house.people.remove_device(ben.person, ann.device.id)
    await house.people.remove_device(ann.person, ann.device.id)
    assert await house.people.by_device(ann.secret) is None
    with pytest.raises(NotFound):
        await house.people.remove_device(ann.person, ann.device.id)


@with_people
async def test_one_device_too_many_signs_out_the_one_unused_for_longest(house: House, clock: FakeClock) -> None:
    ann = await house.people.create()
    devices = []
    for _ in range(MAX_DEVICES - 1):
        clock.wait(1)
        devices.append(await house.people.add_device(ann.person, ""))
    await house.people.see(ann.device)
    code, _ = await house.people.new_code(ann.person)
    last = await house.people.use_code(code, "")
    known = {each.id for each in await house.people.devices(ann.person)}
    assert len(known) == MAX_DEVICES and {last.device.id, ann.device.id} <= known
    assert devices[0].device.id not in known


@with_people
async def test_a_browser_that_becomes_somebody_else_leaves_no_empty_person_behind(house: House) -> None:
    ann, ben = await house.people.create("Ann"), await house.people.create("Ben")
    other = await house.people.add_device(ben.person, "")
    await house.store.commit(
        PutFriendLink(FriendLink(ann.person.id, "ABCDEFGHJKLM", 1)),
        PutFriendship(Friendship(ben.person.id, ann.person.id, 1)),
    )
    for new in (ann, ben):
        await house.people.leave(OnDevice(new.person, new.device))
    assert await house.store.person(ann.person.id) is None
    assert await house.store.friends_of(ben.person.id, 9) == []
    assert await house.store.friend_link_of(ann.person.id) is None
    assert await house.people.by_device(other.secret) == (ben.person, other.device)
    await house.people.leave(OnDevice(ben.person, ben.device))  # twice
    await house.people.add_passkey(ben.person, "cred", "key", 0, "")
    await house.people.leave(OnDevice(ben.person, other.device))
    assert await house.store.person(ben.person.id) == ben.person


@with_people
async def test_a_challenge_is_taken_once_for_its_purpose_and_person(house: House, clock: FakeClock) -> None:
    ann, ben = await house.people.create("Ann"), await house.people.create("Ben")
    challenge = await house.people.new_challenge(REGISTRATION, ann.person)
    for kind, person in ((LOGIN, None), (REGISTRATION, ben.person), (REGISTRATION, None), (LOGIN, ann.person)):
        with pytest.raises(WrongCode):
            await house.people.take_challenge(kind, challenge, person)
    await house.other.take_challenge(REGISTRATION, challenge, ann.person)
    with pytest.raises(WrongCode):
        await house.people.take_challenge(REGISTRATION, challenge, ann.person)
    late = await house.people.new_challenge(LOGIN)
    clock.wait(CHALLENGE_MS / 1000)
    for _ in range(2):
        with pytest.raises(WrongCode):
            await house.people.take_challenge(LOGIN, late)
    for unknown in (b"", b"\xff", challenge + b"x"):
        with pytest.raises(WrongCode):
            await house.people.take_challenge(LOGIN, unknown)


@with_people
async def test_of_two_answers_to_a_challenge_one_counts(house: House) -> None:
    challenge = await house.people.new_challenge(LOGIN)
    tries = [people.take_challenge(LOGIN, challenge) for people in (house.people, house.other)]
    results = await asyncio.gather(*tries, return_exceptions=True)
    assert sorted(map(type, results), key=str) == sorted([type(None), WrongCode], key=str)


@with_people
async def test_a_passkey_brings_its_person_to_another_browser(house: House) -> None:
    ann = await house.people.create("Ann")
    made = await house.people.add_passkey(ann.person, "cred", "key", 1, "Firefox on Linux")
    phone = await house.other.use_passkey(made, 2, "Safari on iPhone")
    assert phone.person == ann.person
    assert await house.people.passkey("cred") == made._replace(sign_count=2)
    with pytest.raises(Conflict):
        await house.people.use_passkey(made, 3, "")  # read before it was used
    await house.people.remove_passkey(ann.person, "cred")
    assert await house.people.passkey("cred") is None
    with pytest.raises(NotFound):
        await house.people.remove_passkey(ann.person, "cred")


@with_people
async def test_a_person_has_a_limited_number_of_passkeys(house: House) -> None:
    ann = await house.people.create()
    for number in range(MAX_PASSKEYS):
        await house.people.add_passkey(ann.person, f"cred{number}", "key", 0, "")
    with pytest.raises(BadInput):
        await house.people.add_passkey(ann.person, "one more", "key", 0, "")
