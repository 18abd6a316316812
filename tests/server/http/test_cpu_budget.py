"""Prices in CPU, on simulated time."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator

import pytest

from ludus.bus.memory import MemoryBus
from ludus.server.http.cpu_budget import (
    BURST,
    CONNECTION_PART,
    DEAR,
    DEFAULT_PRICE,
    MOST_DEBT,
    MOST_FLOOD,
    MOST_PRICE,
    MOST_WAIT,
    CpuBudget,
    OverBudget,
    Payer,
    Timed,
)
from ludus.service.ports.bus import Note, TableChanged

from .simulation import Simulation

pytestmark = pytest.mark.anyio

SHARE = 0.2
MS = 1e-3


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
async def simulation() -> Simulation:
    return Simulation(SHARE, 0.6)


async def hammer(simulation: Simulation, payer: Payer, seconds: float, done: list[float]) -> None:
    """A client that sends the next request as soon as the last is answered, and tries again when it is refused."""
    while True:
        try:
            await simulation.work(payer, seconds)
            done.append(seconds)
        except OverBudget:
            await simulation.sleep(1.0)
        await asyncio.sleep(0)


@contextlib.asynccontextmanager
async def hammering(
    simulation: Simulation, addresses: int, connections: int, seconds: float
) -> AsyncIterator[list[list[float]]]:
    """What each address got done."""
    done: list[list[float]] = [[] for _ in range(addresses)]
    payers = [(simulation.budget.payer(f"192.0.2.{i}"), done[i]) for i in range(addresses) for _ in range(connections)]
    tasks = [asyncio.create_task(hammer(simulation, payer, seconds, mine)) for payer, mine in payers]
    yield done
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def test_a_client_within_its_share_is_never_held_up(simulation: Simulation) -> None:
    payer = simulation.budget.payer("192.0.2.1", has_connection=True)
    for _ in range(200):
        assert simulation.budget.charge(payer, 0.5 * MS) is None
        await simulation.run(0.01)
    assert (simulation.budget.slowed, simulation.budget.refused) == (0, 0)


async def test_a_busy_server_of_modest_clients_slows_nobody(simulation: Simulation) -> None:
    """700 clients that use a thousandth of a core each; now and then one asks for something dear."""
    budget = simulation.budget
    waits = []
    for number in range(3000):
        price = 4 * MS if number % 50 == 0 else MS
        work = asyncio.create_task(simulation.work(budget.payer(f"198.51.{number % 700 // 250}.{number % 250}"), price))
        await simulation.run(1.4 * price)
        waits.append(work)
    await simulation.run(1)
    assert (budget.slowed, budget.refused) == (0, 0)
    assert max(work.result() for work in waits) < 10 * MS


async def test_a_client_above_its_share_gets_its_share(simulation: Simulation) -> None:
    async with hammering(simulation, 1, 1, 4 * MS) as done:
        await simulation.run(20)
    assert sum(done[0]) == pytest.approx(20 * SHARE, rel=0.1)
    assert simulation.budget.refused == 0


async def test_more_connections_do_not_give_an_address_more(simulation: Simulation) -> None:
    async with hammering(simulation, 1, 60, 12 * MS) as done:
        await simulation.run(20)
    assert sum(done[0]) <= 20 * SHARE + SHARE * (BURST + MOST_WAIT)
    assert simulation.budget.refused > 0


async def test_one_connection_can_use_half_of_what_its_address_can(simulation: Simulation) -> None:
    payer = simulation.budget.payer("192.0.2.1", has_connection=True)
    done: list[float] = []
    task = asyncio.create_task(hammer(simulation, payer, 4 * MS, done))
    await simulation.run(20)
    task.cancel()
    assert sum(done) == pytest.approx(20 * SHARE * CONNECTION_PART, rel=0.1)


async def test_an_identity_pays_from_every_address(simulation: Simulation) -> None:
    payers = [simulation.budget.payer(f"192.0.2.{i}") for i in range(5)]
    for payer in payers:
        payer.identity = "agent/1"
    done: list[float] = []
    tasks = [asyncio.create_task(hammer(simulation, payer, 4 * MS, done)) for payer in payers]
    await simulation.run(20)
    for task in tasks:
        task.cancel()
    assert sum(done) == pytest.approx(20 * SHARE, rel=0.15)


async def test_an_identity_that_is_known_late_pays_for_the_work_under_way(simulation: Simulation) -> None:
    for i in range(250):
        payer = simulation.budget.payer(f"192.0.2.{i}")
        await simulation.budget.admit(payer, MS)
        if i * MS / SHARE > BURST:
            break
        await payer.identify("agent/1")
    late = asyncio.create_task(payer.identify("agent/1"))
    await simulation.settle()
    assert not late.done()
    await simulation.run(1)
    assert late.done()
    for i in range(3000):
        payer = simulation.budget.payer(f"198.51.100.{i}")
        payer.price = MS
        asyncio.create_task(payer.identify("agent/1")).add_done_callback(lambda task: task.exception())
    await simulation.settle()
    with pytest.raises(OverBudget):
        await simulation.budget.payer("203.0.113.1").identify("agent/1")


async def test_a_wait_that_would_be_too_long_is_refused_with_the_time_to_wait(simulation: Simulation) -> None:
    payer = simulation.budget.payer("192.0.2.1")
    with pytest.raises(OverBudget) as refused:
        for _ in range(10_000):
            simulation.budget.charge(payer, MS)
    assert refused.value.code == "too_fast"
    assert refused.value.retry_after == 3
    assert simulation.budget.waiting == pytest.approx(SHARE * (BURST + MOST_WAIT) / MS, rel=0.05)


async def test_a_client_that_was_refused_is_served_again_after_the_time_it_was_told(simulation: Simulation) -> None:
    payer = simulation.budget.payer("192.0.2.1")
    with pytest.raises(OverBudget):
        for _ in range(1_000_000):
            simulation.budget.charge(payer, MS)
    for _ in range(10_000):
        with pytest.raises(OverBudget) as refused:
            simulation.budget.charge(payer, MS)
    assert refused.value.retry_after <= MOST_DEBT
    await simulation.run(refused.value.retry_after)
    again = asyncio.create_task(simulation.work(payer, MS))
    await simulation.run(0.1)
    assert again.done() and again.exception() is None


async def test_a_slowed_connection_that_goes_on_sending_is_refused_after_a_while(simulation: Simulation) -> None:
    flooding = simulation.budget.payer("192.0.2.1", has_connection=True)
    patient = simulation.budget.payer("192.0.2.2", has_connection=True)
    flooding.unread, patient.unread = lambda: 8, lambda: 0
    got: list[list[float]] = [[], []]

    async def play(payer: Payer, done: list[float]) -> None:
        while True:
            await simulation.work(payer, 4 * MS)
            done.append(4 * MS)

    tasks = [asyncio.create_task(play(payer, done)) for payer, done in zip((flooding, patient), got, strict=True)]
    await simulation.run(MOST_FLOOD - 1)
    assert not tasks[0].done()
    await simulation.run(3)
    assert isinstance(tasks[0].exception(), OverBudget)
    await simulation.run(10)
    assert not tasks[1].done() and sum(got[1]) > sum(got[0])
    tasks[1].cancel()


async def test_a_slowed_connection_that_has_sent_ahead_now_and_then_is_not_refused(simulation: Simulation) -> None:
    payer, done = simulation.budget.payer("192.0.2.1", has_connection=True), list[float]()
    payer.unread = lambda: len(done) % 2

    async def play() -> None:
        while True:
            await simulation.work(payer, 4 * MS)
            done.append(4 * MS)

    task = asyncio.create_task(play())
    await simulation.run(3 * MOST_FLOOD)
    assert not task.done() and len(done) > 10
    task.cancel()


async def test_a_network_of_ipv6_is_one_client(simulation: Simulation) -> None:
    done: list[float] = []
    payers = [simulation.budget.payer(f"2001:db8:1:2::{i:x}") for i in range(20)]
    tasks = [asyncio.create_task(hammer(simulation, payer, 4 * MS, done)) for payer in payers]
    await simulation.run(20)
    for task in tasks:
        task.cancel()
    assert sum(done) <= 20 * SHARE + SHARE * (BURST + MOST_WAIT)


async def test_many_greedy_addresses_share_what_is_set_aside_for_them(simulation: Simulation) -> None:
    async with hammering(simulation, 50, 20, 4 * MS) as done:
        await simulation.run(5)
        before = [sum(each) for each in done]
        await simulation.run(20)
        got = [sum(each) - was for each, was in zip(done, before, strict=True)]
    assert sum(got) <= 20 * 0.6 * 1.1
    assert sum(got) >= 20 * 0.6 * 0.5, "the rest isn't left unused"
    assert max(got) <= 3 * min(got)


async def test_good_players_wait_for_one_piece_of_work_at_most_while_many_addresses_attack(
    simulation: Simulation,
) -> None:
    """The delay is between the moment at which a request arrives and the one at which it is done."""
    delays: list[float] = []

    async def play(number: int) -> None:
        payer = simulation.budget.payer(f"198.51.100.{number}", has_connection=True)
        due = simulation.now + 0.01 * number
        while True:
            await simulation.sleep(max(0.0, due - simulation.now))
            await simulation.work(payer, 0.3 * MS)
            delays.append(simulation.now - due)
            due += 0.5

    players = [asyncio.create_task(play(number)) for number in range(50)]
    async with hammering(simulation, 50, 20, 12 * MS):
        await simulation.run(20)
    for player in players:
        player.cancel()
    delays.sort()
    assert len(delays) >= 50 * 39
    assert delays[len(delays) // 2] < 15 * MS
    assert delays[len(delays) * 99 // 100] < 40 * MS


async def test_greedy_clients_get_less_while_the_loop_is_late_for_other_reasons(simulation: Simulation) -> None:
    """Something that isn't charged, or another process, takes four fifths of the time."""

    async def steal() -> None:
        while True:
            simulation.now += 0.04
            await simulation.sleep(0.01)

    thief = asyncio.create_task(steal())
    async with hammering(simulation, 5, 10, 2 * MS) as done:
        await simulation.run(5)
        before = sum(map(sum, done))
        await simulation.run(20)
        got = sum(map(sum, done)) - before
    thief.cancel()
    assert got < 20 * 0.6 / 3, "without the throttle they get half of it"


async def test_dear_work_of_different_clients_does_not_start_at_once(simulation: Simulation) -> None:
    turns = [simulation.budget.charge(simulation.budget.payer(f"192.0.2.{i}"), 10 * MS) for i in range(10)]
    assert None not in turns
    simulation.budget.release()
    assert sum(turn is not None and turn.done() for turn in turns) == 1
    assert simulation.budget.charge(simulation.budget.payer("198.51.100.1"), DEAR / 2) is None


async def test_those_within_their_share_come_before_those_above_it(simulation: Simulation) -> None:
    greedy = simulation.budget.payer("192.0.2.1")
    waiting = [simulation.budget.charge(greedy, MS) for _ in range(100)][-1]
    modest = simulation.budget.charge(simulation.budget.payer("192.0.2.2"), 10 * MS)
    assert waiting is not None and modest is not None
    simulation.budget.release()
    await simulation.run(0.002)
    assert modest.done() and not waiting.done()


async def test_a_client_that_leaves_does_not_use_up_its_turn(simulation: Simulation) -> None:
    gone = simulation.budget.charge(simulation.budget.payer("192.0.2.1"), 20 * MS)
    next_one = simulation.budget.charge(simulation.budget.payer("192.0.2.2"), 20 * MS)
    assert gone is not None and next_one is not None
    gone.cancel()
    simulation.budget.release()
    assert next_one.done()


async def test_work_that_takes_more_than_its_price_is_paid_by_its_sender(simulation: Simulation) -> None:
    payer, other = simulation.budget.payer("192.0.2.1", has_connection=True), simulation.budget.payer("192.0.2.2")

    async def fold() -> str:
        simulation.now += 0.2
        await asyncio.sleep(0)
        return "folded"

    budget = simulation.budget
    budget.charge(payer, MS)
    assert await Timed(budget, payer, "action", MS, fold()) == "folded"
    assert budget.charge(payer, MS) is not None
    assert budget.charge(other, MS) is None
    assert budget.charged == pytest.approx(0.2 + 2 * MS)


async def test_telling_others_of_a_change_is_paid_by_who_made_it(simulation: Simulation) -> None:
    budget, bus = simulation.budget, MemoryBus(simulation.budget.do_for_client)
    payer = budget.payer("192.0.2.1", has_connection=True)

    async def tell(note: Note) -> None:
        simulation.now += 0.2
        await asyncio.sleep(0)

    async def move() -> None:
        await bus.publish(TableChanged("t1", 2))

    bus.subscribe(tell)
    await bus.publish(TableChanged("t1", 1))  # nobody's: a deadline, or another process
    await bus.drain()
    assert budget.charged == 0
    budget.charge(payer, MS)
    await Timed(budget, payer, "game:move", MS, move())
    assert budget.charged == pytest.approx(0)
    await bus.drain()
    assert budget.charged == pytest.approx(0.2)
    assert budget.charge(payer, MS) is not None


async def test_what_was_not_used_is_given_back(simulation: Simulation) -> None:
    budget = simulation.budget
    payer = budget.payer("192.0.2.1", has_connection=True)

    async def look() -> None:
        simulation.now += 0.1 * MS

    for _ in range(200):  # at its price this would be a second's worth
        assert budget.charge(payer, 1.9 * MS) is None
        await Timed(budget, payer, "action", 1.9 * MS, look())
        simulation.now += MS
    assert budget.charged == pytest.approx(200 * 0.1 * MS)


async def test_only_the_time_on_the_event_loop_counts(simulation: Simulation) -> None:
    budget = simulation.budget
    payer = budget.payer("192.0.2.1")

    async def poll() -> None:
        simulation.now += 0.1 * MS
        await simulation.sleep(25)
        simulation.now += 0.1 * MS

    budget.charge(payer, MS)
    task = asyncio.ensure_future(_awaited(Timed(budget, payer, "poll", MS, poll(), fixed=0.3 * MS)))
    await simulation.run(26)
    assert task.done()
    assert budget.charged == pytest.approx(0.5 * MS)


async def test_time_in_which_another_process_had_the_core_is_not_charged(simulation: Simulation) -> None:
    budget = simulation.budget
    payer = budget.payer("192.0.2.1", has_connection=True)

    async def move() -> None:
        simulation.now += 2.0
        simulation.stolen += 2.0 - MS

    budget.charge(payer, MS)
    await Timed(budget, payer, "action", MS, move())
    assert budget.charged == pytest.approx(MS)
    simulation.now += 0.1
    assert budget.charge(payer, MS) is None


async def test_one_long_step_slows_a_client_but_does_not_get_it_refused(simulation: Simulation) -> None:
    budget = simulation.budget
    payer = budget.payer("192.0.2.1", has_connection=True)

    async def collect_garbage() -> None:
        simulation.now += 5.0

    budget.charge(payer, MS)
    await Timed(budget, payer, "action", MS, collect_garbage())
    assert budget.charge(payer, MS) is not None


async def test_timed_work_fails_and_is_cancelled_as_it_would_be_without(simulation: Simulation) -> None:
    budget = simulation.budget
    payer = budget.payer("192.0.2.1")
    seen: list[str] = []

    async def fail() -> None:
        await asyncio.sleep(0)
        raise ValueError("wrong")

    async def wait() -> None:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    with pytest.raises(ValueError, match="wrong"):
        await Timed(budget, payer, "action", MS, fail())
    task = asyncio.ensure_future(_awaited(Timed(budget, payer, "action", MS, wait())))
    await simulation.settle()
    task.cancel()
    await simulation.settle()
    assert seen == ["cancelled"] and task.cancelled()


async def _awaited(timed: Timed[None]) -> None:
    await timed


async def test_prices_follow_what_is_measured_within_bounds() -> None:
    budget = CpuBudget(SHARE, 0.6)
    for _ in range(100):
        budget.learn("game:spectate", 12 * MS)
        budget.learn("game:move", 5.0)
        budget.learn("made up", 5.0)
    assert budget.price("game:spectate") == pytest.approx(12 * MS, rel=0.01)
    assert budget.price("game:move") == pytest.approx(MOST_PRICE, rel=0.01)
    assert budget.price("made up") == DEFAULT_PRICE


async def test_accounts_that_are_full_again_are_forgotten(simulation: Simulation) -> None:
    budget = simulation.budget
    for i in range(1000):
        payer = budget.payer(f"10.0.{i // 250}.{i % 250}")
        payer.identity = f"agent/{i}"
        budget.charge(payer, MS)
    assert budget.accounts == 2000
    await simulation.run(2)
    budget.charge(budget.payer("192.0.2.1"), MS)
    await simulation.run(2)
    budget.charge(budget.payer("192.0.2.1"), MS)
    assert budget.accounts == 1


async def test_an_address_gets_its_whole_share_again_after_the_others_have_gone(simulation: Simulation) -> None:
    async with hammering(simulation, 20, 10, 4 * MS):
        await simulation.run(5)
        assert simulation.budget.share < SHARE * 0.8
    await simulation.run(10)
    simulation.budget.charge(simulation.budget.payer("192.0.2.1"), MS)
    assert simulation.budget.share == SHARE
