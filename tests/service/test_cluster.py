from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random

import pytest
from tests.service.parts import START

from ludus.service.cluster import FORGET_MS, Cluster, OtherSecret, Role, Work
from ludus.service.platform import new_member
from ludus.service.ports.store import Store
from ludus.service.records import MEMBER_MS
from ludus.service.shards import SHARDS, shard_of
from ludus.storage import store_for

SECRET = b"one"


def with_store(test: Callable[[Store], Awaitable[None]]) -> Callable[[Path], None]:
    def run(tmp_path: Path) -> None:
        async def scenario() -> None:
            store = store_for("", tmp_path)
            await store.open()
            try:
                await test(store)
            finally:
                await store.close()

        asyncio.run(scenario())

    return run


def process(store: Store, role: Role = Role.BOTH, secret: bytes = SECRET) -> Cluster:
    return Cluster(store, new_member(secret, role), is_sole=False)


async def joined(store: Store, *roles: Role) -> list[Cluster]:
    found = [process(store, role) for role in roles]
    for each in found:
        await each.join(START)
    return found


async def beat(store: Store, clock: int, *members: Cluster) -> None:
    for member in members:
        await store.heartbeat(clock, clock, member.id)


async def settle(store: Store, clock: int, *members: Cluster) -> None:
    """As many rounds as it takes until nothing changes."""
    for _ in range(4):
        for member in members:
            await member.balance(clock)


def held(work: Work, *members: Cluster) -> list[str]:
    return sorted(shard for member in members for shard in member.shards[work])


@with_store
async def test_a_sole_process_does_all_the_work(store: Store) -> None:
    alone = Cluster(store, new_member(SECRET, Role.BOTH))
    await alone.join(START)
    assert all(alone.has(work, shard) for work in Work for shard in SHARDS)
    assert alone.shards_to_read(Work.SWEEP) is None
    assert await alone.balance(START) == frozenset()


@with_store
async def test_members_share_the_work_evenly_and_each_shard_has_one_holder(store: Store) -> None:
    members = await joined(store, *[Role.BOTH] * 3)
    await settle(store, START, *members)
    for work in Work:
        assert held(work, *members) == sorted(SHARDS)
        assert {len(member.shards[work]) for member in members} <= {4, 5, 6}


@with_store
async def test_members_that_want_the_same_shards_at_once_never_both_get_one(store: Store) -> None:
    members = await joined(store, *[Role.BOTH] * 4)
    for _ in range(4):
        await asyncio.gather(*[member.balance(START) for member in members])
        for work in Work:
            assert len(held(work, *members)) == len(set(held(work, *members)))
    assert held(Work.SWEEP, *members) == sorted(SHARDS)


@with_store
async def test_a_newcomer_gets_its_share(store: Store) -> None:
    (first,) = await joined(store, Role.BOTH)
    assert await first.balance(START) == frozenset(SHARDS)
    (second,) = await joined(store, Role.BOTH)
    await settle(store, START, first, second)
    assert len(first.shards[Work.BOTS]) == len(second.shards[Work.BOTS]) == 8
    assert held(Work.BOTS, first, second) == sorted(SHARDS)


@with_store
async def test_the_work_of_a_dead_member_is_taken_over(store: Store) -> None:
    first, second = await joined(store, Role.BOTH, Role.BOTH)
    await settle(store, START, first, second)
    now = START + MEMBER_MS
    await beat(store, now, first)
    assert await first.balance(now) == frozenset()  # the other may only be slow
    assert second.id in first.members
    now += 1
    await beat(store, now, first)
    assert await first.balance(now)
    assert held(Work.SWEEP, first) == sorted(SHARDS)
    assert second.id not in first.members


@with_store
async def test_a_member_that_was_taken_for_dead_gets_new_leases(store: Store) -> None:
    first, second = await joined(store, Role.BOTH, Role.BOTH)
    await settle(store, START, first, second)
    now = START + MEMBER_MS + 1
    await beat(store, now, first)
    await first.balance(now)
    assert not (await store.heartbeat(now, now, second.id)).is_member
    await second.join(now)
    await settle(store, now, first, second)
    assert held(Work.SWEEP, first, second) == sorted(SHARDS)
    assert len(second.shards[Work.SWEEP]) == 8


@with_store
async def test_a_member_that_leaves_hands_its_work_over_at_once(store: Store) -> None:
    first, second = await joined(store, Role.BOTH, Role.BOTH)
    await settle(store, START, first, second)
    await second.leave()
    assert await first.balance(START)
    assert held(Work.SWEEP, first) == held(Work.BOTS, first) == sorted(SHARDS)
    assert await second.balance(START) == frozenset()
    assert held(Work.SWEEP, second) == []
    assert second.id in first.members  # its clients have time to connect elsewhere


@with_store
async def test_workers_think_and_servers_serve(store: Store) -> None:
    server, worker = await joined(store, Role.SERVER, Role.WORKER)
    await settle(store, START, server, worker)
    assert held(Work.SWEEP, server) == held(Work.BOTS, worker) == sorted(SHARDS)
    assert held(Work.BOTS, server) == held(Work.SWEEP, worker) == []


@with_store
async def test_a_member_with_another_secret_is_refused(store: Store) -> None:
    (member,) = await joined(store, Role.BOTH)

    async def pause() -> None:
        await beat(store, START + 2000, member)

    stranger = Cluster(store, new_member(b"two", Role.BOTH), is_sole=False, pause=pause)
    with pytest.raises(OtherSecret):
        await stranger.join(START)
    assert len(await store.members()) == 1
    await stranger.join(START + 2000 + MEMBER_MS + 1)  # nobody else is alive


@pytest.mark.parametrize("are_killed", [False, True])
def test_the_secret_can_be_changed_once_all_processes_have_stopped(tmp_path: Path, are_killed: bool) -> None:
    @with_store
    async def change(store: Store) -> None:
        for member in await joined(store, Role.BOTH, Role.BOTH):
            if not are_killed:
                await member.leave()

        async def pause() -> None:
            assert are_killed  # those that have left need no proof

        await Cluster(store, new_member(b"two", Role.BOTH), is_sole=False, pause=pause).join(START)
        assert len(await store.members()) == 3

    change(tmp_path)


@with_store
async def test_a_member_that_has_just_joined_is_known_to_be_alive(store: Store) -> None:
    (first,) = await joined(store, Role.BOTH)
    (second,) = await joined(store, Role.BOTH)
    assert second.id not in first.members
    assert await first.is_alive(second.id)
    assert not await first.is_alive("nobody")


@with_store
async def test_dead_members_are_forgotten_after_a_while(store: Store) -> None:
    first, second = await joined(store, Role.BOTH, Role.BOTH)
    for now, number in ((START + FORGET_MS, 2), (START + FORGET_MS + 1, 1)):
        await beat(store, now, first)
        await first.balance(now)
        await first.forget_dead()
        assert len(await store.members()) == number
    assert second.id not in first.members


@with_store
async def test_new_ids_are_in_the_member_s_own_shards(store: Store) -> None:
    first, second, server = await joined(store, Role.BOTH, Role.BOTH, Role.SERVER)
    await settle(store, START, first, second, server)
    rng = Random(1)
    assert {first.digit(rng) for _ in range(200)} == first.shards[Work.BOTS] < set(SHARDS)
    assert {server.digit(rng) for _ in range(400)} == set(SHARDS)  # it has none, so any will do


def test_every_id_has_a_shard() -> None:
    assert {shard_of(f"some-id-{digit}") for digit in SHARDS} == set(SHARDS)
    assert shard_of("") in SHARDS
    assert shard_of("checkers/ranked") == shard_of("checkers/ranked")
    assert {shard_of(f"g/{number}Z") for number in range(200)} == set(SHARDS)


@with_store
async def test_a_member_takes_bots_only_when_its_engines_are_loaded(store: Store) -> None:
    ready, *_ = await joined(store, Role.WORKER)
    can_think = False
    member = new_member(SECRET, Role.STARTING)
    loading = Cluster(store, member, is_sole=False, role=lambda: Role.WORKER if can_think else Role.STARTING)
    await loading.join(START)
    await settle(store, START, ready, loading)
    assert (len(ready.shards[Work.BOTS]), len(loading.shards[Work.BOTS])) == (16, 0)
    assert ready.able(Work.BOTS) == loading.able(Work.BOTS) == [ready.id]
    can_think = True
    await settle(store, START, ready, loading)
    assert (len(ready.shards[Work.BOTS]), len(loading.shards[Work.BOTS])) == (8, 8)
    assert not ready.shards[Work.SWEEP] and not loading.shards[Work.SWEEP], "workers serve nobody"
    assert sorted(ready.able(Work.BOTS)) == sorted(loading.able(Work.BOTS)) == sorted([ready.id, loading.id])


@with_store
async def test_a_member_that_leaves_stays_one_that_leaves(store: Store) -> None:
    (other,) = await joined(store, Role.WORKER)
    leaving = Cluster(store, new_member(SECRET, Role.STARTING), is_sole=False, role=lambda: Role.WORKER)
    await leaving.join(START)
    await leaving.leave()
    await settle(store, START, leaving, other)
    assert other.able(Work.BOTS) == [other.id] and held(Work.BOTS, leaving) == []
