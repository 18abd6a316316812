"""Storage of the page's people and their credentials."""

from __future__ import annotations

import pytest

from ludus.service.ports.store import Conflict, Store
from ludus.service.ports.writes import (
    DropCode,
    DropDevice,
    DropPasskey,
    DropPerson,
    PutCode,
    PutDevice,
    PutPasskey,
    PutPerson,
    SeeDevice,
    UsePasskey,
    Write,
)
from ludus.storage.errors import BadRecord

from .examples import CODE, DEVICE, PASSKEY, PERSON

pytestmark = pytest.mark.anyio


async def test_a_person_is_found_by_id_and_changes_one_version_at_a_time(store: Store) -> None:
    await store.commit(PutPerson(PERSON))
    assert await store.person("p1") == PERSON
    changed = PERSON._replace(version=2, name="Änn", color="red", preferences={"sound": True})
    await store.commit(PutPerson(changed))
    with pytest.raises(Conflict):
        await store.commit(PutPerson(changed))
    assert (await store.person("p1"), await store.person("nobody")) == (changed, None)


async def test_several_people_are_found_at_once(store: Store) -> None:
    others = [PERSON._replace(id=id) for id in ("p3", "p2")]
    await store.commit(PutPerson(PERSON), *map(PutPerson, others))
    assert await store.people(["p3", "p1", "nobody"]) == [PERSON, others[0]]
    assert await store.people([]) == []


async def test_people_who_stay_away_are_listed_longest_first(store: Store) -> None:
    people = [PERSON._replace(id=f"p{at}", seen_at=at) for at in (5, 3, 9)]
    await store.commit(*map(PutPerson, people))
    assert await store.people_unseen(9, 9) == [people[1], people[0]]
    assert await store.people_unseen(9, 1) == [people[1]]


async def test_a_device_is_found_by_its_hash_and_its_person(store: Store) -> None:
    second = DEVICE._replace(hash="5f40", id="v2", created_at=DEVICE.created_at - 1)
    await store.commit(PutPerson(PERSON), PutDevice(DEVICE), PutDevice(second))
    assert (await store.device("5f3b"), await store.device("5f3")) == (DEVICE, None)
    assert await store.devices_of("p1") == [second, DEVICE]
    with pytest.raises(Conflict):
        await store.commit(PutDevice(DEVICE))


async def test_a_device_that_was_seen_is_renewed_with_its_person(store: Store) -> None:
    await store.commit(PutPerson(PERSON), PutDevice(DEVICE))
    await store.commit(SeeDevice(DEVICE.hash, "p1", 1_800_000_000_000), SeeDevice("gone", "nobody", 5))
    assert await store.device(DEVICE.hash) == DEVICE._replace(seen_at=1_800_000_000_000)
    await store.commit(PutPerson(PERSON._replace(version=2, name="Anna")))
    assert await store.person("p1") == PERSON._replace(version=2, name="Anna", seen_at=1_800_000_000_000)


async def test_a_passkey_is_used_once_for_each_count(store: Store) -> None:
    await store.commit(PutPerson(PERSON), PutPasskey(PASSKEY))
    with pytest.raises(Conflict):
        await store.commit(PutPasskey(PASSKEY))
    await store.commit(UsePasskey(PASSKEY, 8, 1_800_000_000_000))
    with pytest.raises(Conflict):
        await store.commit(UsePasskey(PASSKEY, 9, 1_900_000_000_000))
    used = PASSKEY._replace(sign_count=8, used_at=1_800_000_000_000)
    assert (await store.passkey("cr3d"), await store.passkeys_of("p1")) == (used, [used])


async def test_a_code_can_be_taken_once_and_counts_its_tries(store: Store) -> None:
    await store.commit(PutPerson(PERSON), PutCode(CODE))
    for taken in (CODE, CODE._replace(kind="login", hash="other", person=None)):
        with pytest.raises(Conflict):
            await store.commit(PutCode(taken))
    tried = CODE._replace(version=2)
    await store.commit(PutCode(tried))
    with pytest.raises(Conflict):
        await store.commit(PutCode(tried))
    assert await store.code("ABC") == tried
    for stale in (CODE, CODE._replace(version=3)):
        with pytest.raises(Conflict):
            await store.commit(DropCode(stale))
    await store.commit(DropCode(tried))
    assert await store.code("ABC") is None
    with pytest.raises(Conflict):
        await store.commit(DropCode(tried))


async def test_expired_codes_are_listed_oldest_first(store: Store) -> None:
    codes = [CODE._replace(id=f"c{at}", person=None, expires_at=at) for at in (5, 3, 9)]
    await store.commit(*map(PutCode, codes))
    assert await store.codes_expired(9, 9) == [codes[1], codes[0]]
    assert await store.codes_expired(9, 1) == [codes[1]]


async def test_a_device_and_a_passkey_are_removed_by_their_own_person_only(store: Store) -> None:
    other = PERSON._replace(id="p2")
    await store.commit(PutPerson(PERSON), PutPerson(other), PutDevice(DEVICE), PutPasskey(PASSKEY))
    foreign: list[Write] = [DropDevice("p2", "v1"), DropPasskey("p2", "cr3d"), DropDevice("p1", "5f3b")]
    for write in foreign:
        with pytest.raises(Conflict):
            await store.commit(write)
    await store.commit(DropDevice("p1", "v1"), DropPasskey("p1", "cr3d"))
    assert (await store.devices_of("p1"), await store.passkeys_of("p1")) == ([], [])


async def test_a_person_goes_with_everything_that_proves_who_they_are(store: Store) -> None:
    other, login = PERSON._replace(id="p2"), CODE._replace(id="XYZ", person=None)
    kept = DEVICE._replace(hash="5f41", person="p2")
    await store.commit(PutPerson(PERSON), PutPerson(other), PutDevice(DEVICE), PutDevice(kept))
    await store.commit(PutPasskey(PASSKEY), PutCode(CODE), PutCode(login))
    await store.commit(DropPerson("p1"))
    assert (await store.person("p1"), await store.devices_of("p1"), await store.passkeys_of("p1")) == (None, [], [])
    assert (await store.code("ABC"), await store.code("XYZ")) == (None, login)
    assert (await store.person("p2"), await store.devices_of("p2")) == (other, [kept])
    with pytest.raises(Conflict):
        await store.commit(DropPerson("p1"))


@pytest.mark.parametrize("write", [PutDevice(DEVICE), PutPasskey(PASSKEY), PutCode(CODE)])
async def test_nothing_is_stored_for_a_person_who_is_gone(store: Store, write: Write) -> None:
    with pytest.raises(BadRecord):
        await store.commit(write)
