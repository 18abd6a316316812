"""Webhooks arrive: signed, in order, again if they must, and whatever other receivers do."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from standardwebhooks import Webhook
from tests.service.webhooks.dispatcher_harness import PATIENCE, SECRET, DispatcherHarness, go, until
from tests.service.webhooks.receiver import Got, Receiver, never_ends, says, says_nothing, writes

from ludus.service.ports.store import Store
from ludus.service.ports.writes import PutDelivery
from ludus.service.records import Delivery
from ludus.service.webhooks import dispatcher as dispatcher_module
from ludus.service.webhooks.delivery import MAX_QUEUED, attempted, replayed, webhook_secret


def test_a_delivery_arrives_signed_and_is_marked_as_delivered(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.start(prefix="Beta-Gamer")
        await harness.queue(harness.delivery("d1", "/hooks?x=1"))
        done = await harness.state("d1", "delivered", 1)
        assert (done.due, done.problem) == (None, "")
        assert await harness.notified(1) == [done]
        (got,), signing = harness.receiver.got, webhook_secret(SECRET, "a")
        assert (got.path, got.body, got.headers["content-type"]) == (
            "/hooks?x=1",
            done.body.encode(),
            "application/json",
        )
        assert got.headers["host"] == f"127.0.0.1:{harness.receiver.port}"
        digest = hmac.new(signing.encode(), got.body, hashlib.sha256).hexdigest()
        assert got.headers["x-beta-gamer-signature"] == f"sha256={digest}"
        assert (got.headers["x-beta-gamer-event"], got.headers["x-beta-gamer-delivery"]) == ("game.move", "d1")
        assert Webhook(signing).verify(got.body, got.headers) == {"deliveryId": "d1"}

    go(tmp_path, scenario)


def test_what_was_queued_before_the_start_is_delivered(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        await harness.queue(*(harness.delivery(f"d{n}") for n in range(30)))
        harness.start()
        for n in range(30):
            await harness.state(f"d{n}", "delivered", 1)
        assert len(harness.receiver.got) == 30
        assert harness.receiver.connections <= 8

    go(tmp_path, scenario)


def test_a_refused_delivery_comes_again_after_growing_pauses_and_then_is_dead(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.receiver.answers["/"] = says(500)
        harness.start(retries=2, pause=5.0)
        await harness.queue(harness.delivery("d1"))
        waits = []
        for attempts in (1, 2):
            waiting = await harness.state("d1", "waiting", attempts)
            assert (waiting.problem, len(harness.receiver.got)) == ("answered 500", attempts)
            assert waiting.due
            waits.append(waiting.due - harness.clock.time)
            harness.clock.time = waiting.due
            harness.dispatchers[0].wake()
        dead = await harness.state("d1", "dead", 3)
        assert (dead.due, dead.problem) == (None, "answered 500")
        assert 4000 <= waits[0] <= 6000 < 20_000 <= waits[1] <= 30_000
        assert [got.headers["webhook-id"] for got in harness.receiver.got] == ["d1"] * 3
        assert len({got.headers["webhook-timestamp"] for got in harness.receiver.got}) == 3

    go(tmp_path, scenario)


def test_a_delivery_is_not_sent_before_its_time(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.start()
        later = harness.delivery("later")._replace(due=harness.clock.time + 1)
        await harness.queue(later, harness.delivery("now"))
        await harness.state("now", "delivered", 1)
        assert await harness.stored("later") == later
        harness.clock.time += 1
        await harness.state("later", "delivered", 1)

    go(tmp_path, scenario)


def test_a_dead_delivery_that_is_replayed_arrives(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.receiver.answers["/"] = says(410)
        harness.start(retries=0)
        await harness.queue(harness.delivery("d1"))
        dead = await harness.state("d1", "dead", 1)
        del harness.receiver.answers["/"]
        await harness.queue(replayed(dead, harness.clock.now()))
        await harness.state("d1", "delivered", 1)

    go(tmp_path, scenario)


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.receiver.answers["/"] = says(307, "Location: /elsewhere\r\n")
        harness.start(retries=0)
        await harness.queue(harness.delivery("d1"))
        assert (await harness.state("d1", "dead", 1)).problem == "answered 307"
        assert [got.path for got in harness.receiver.got] == ["/"]

    go(tmp_path, scenario)


@pytest.mark.parametrize(
    "raw", [b"", b"SSH-2.0-sshd\r\n", b"HTTP/1.1 999999 What\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000]
)
def test_what_is_no_answer_is_a_problem(tmp_path: Path, raw: bytes) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.receiver.answers["/"] = writes(raw)
        harness.start()
        await harness.queue(harness.delivery("d1"))
        assert (await harness.state("d1", "waiting", 1)).problem

    go(tmp_path, scenario)


def test_a_receiver_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        async with Receiver() as gone:
            pass
        harness.start()
        await harness.queue(harness.delivery("d1")._replace(url=gone.url()))
        assert (await harness.state("d1", "waiting", 1)).problem

    go(tmp_path, scenario)


def test_silence_is_a_problem_after_a_while(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.receiver.answers["/"] = says_nothing
        harness.start(seconds=0.1)
        await harness.queue(harness.delivery("d1"))
        assert (await harness.state("d1", "waiting", 1)).problem == "no answer within 0.1 s"

    go(tmp_path, scenario)


@pytest.mark.parametrize("answer", [never_ends, writes(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort")])
def test_only_a_little_of_an_answer_is_read(tmp_path: Path, answer: Any) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.receiver.answers["/"] = answer
        harness.start()
        await harness.queue(harness.delivery("d1"))
        await harness.state("d1", "delivered", 1)

    go(tmp_path, scenario)


def test_deliveries_of_a_session_arrive_in_order(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.start()
        for n in range(40):
            harness.clock.time += 1
            await harness.queue(
                harness.delivery(f"a{n}", "/a", session="a"), harness.delivery(f"b{n}", "/b", session="b")
            )
        await harness.state("a39", "delivered", 1)
        await harness.state("b39", "delivered", 1)
        for path in ("a", "b"):
            wanted = [json.dumps({"deliveryId": f"{path}{n}"}).encode() for n in range(40)]
            assert harness.receiver.bodies(f"/{path}") == wanted

    go(tmp_path, scenario)


def test_a_delivery_that_waits_for_a_retry_does_not_hold_up_the_next(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.receiver.answers["/bad"] = says(500)
        harness.start()
        await harness.queue(harness.delivery("d1", "/bad", session="s"), harness.delivery("d2", session="s"))
        await harness.state("d2", "delivered", 1)
        await harness.state("d1", "waiting", 1)

    go(tmp_path, scenario)


def test_a_silent_receiver_with_a_long_queue_delays_no_other_tenant(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.receiver.answers["/silent"] = says_nothing
        await harness.queue(*(harness.delivery(f"x{n}", "/silent", tenant="silent") for n in range(5 * MAX_QUEUED)))
        harness.clock.time += 1
        harness.start()
        await harness.queue(*(harness.delivery(f"d{n}", tenant="well") for n in range(20)))
        for n in range(20):
            await harness.state(f"d{n}", "delivered", 1)
        assert len(harness.receiver.bodies("/silent")) == 1

    go(tmp_path, scenario)


def test_a_long_queue_is_worked_off(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        many = 3 * MAX_QUEUED
        await harness.queue(*(harness.delivery(f"d{n}") for n in range(many)))
        harness.start()

        async def is_done() -> bool:
            return len(harness.heard) == many

        await until(is_done)
        assert len(set(harness.receiver.bodies())) == len(harness.receiver.bodies()) == many

    go(tmp_path, scenario)


def test_what_is_under_way_at_the_stop_is_left_for_the_next_start(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        harness.receiver.answers["/"] = says_nothing
        delivery = harness.delivery("d1")
        first = harness.start()
        await harness.queue(delivery)

        async def is_under_way() -> bool:
            return len(harness.receiver.got) == 1

        await until(is_under_way)
        await asyncio.wait_for(first.stop(0.05), PATIENCE)
        assert await harness.stored("d1") == delivery
        del harness.receiver.answers["/"]
        harness.start()
        await harness.state("d1", "delivered", 1)
        assert harness.receiver.bodies() == [delivery.body.encode()] * 2

    go(tmp_path, scenario)


def test_the_stop_waits_for_what_is_about_to_arrive(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        stopping = asyncio.Event()

        async def late(got: Got, writer: asyncio.StreamWriter) -> None:
            await stopping.wait()
            await says(200)(got, writer)

        harness.receiver.answers["/"] = late
        dispatcher = harness.start()
        await harness.queue(harness.delivery("d1"), harness.delivery("d2"))

        async def is_under_way() -> bool:
            return len(harness.receiver.got) == 1

        await until(is_under_way)
        stop = asyncio.create_task(dispatcher.stop(PATIENCE))
        await asyncio.sleep(0)
        stopping.set()
        await stop
        states = sorted([(await harness.stored(id)).state for id in ("d1", "d2")])
        assert states == ["delivered", "waiting"]

    go(tmp_path, scenario)


def test_two_processes_count_an_attempt_once(tmp_path: Path) -> None:
    async def scenario(harness: DispatcherHarness) -> None:
        delivery = harness.delivery("d1")

        async def other_is_faster(got: Got, writer: asyncio.StreamWriter) -> None:
            await harness.store.commit(PutDelivery(attempted(delivery, "answered 500", harness.clock.now(), 60_000)))
            await says(200)(got, writer)

        harness.receiver.answers["/"] = other_is_faster
        harness.start()
        await harness.queue(delivery)
        await harness.state("d1", "waiting", 1)
        await harness.queue(harness.delivery("d2", "/other"))
        await harness.state("d2", "delivered", 1)
        assert (await harness.stored("d1")).attempts == 1
        assert [each.id for each in await harness.notified(1)] == ["d2"]

    go(tmp_path, scenario)


class Flaky:
    """A store of which one method fails a few times."""

    def __init__(self, store: Store, method: str, times: int) -> None:
        self._store, self._method, self.left = store, method, times

    def __getattr__(self, name: str) -> Any:
        if name == self._method and self.left:
            self.left -= 1
            return self._fail
        return getattr(self._store, name)

    async def _fail(self, *_: object) -> Sequence[Delivery]:
        raise OSError("disk on fire")


@pytest.mark.parametrize(("method", "sent"), [("deliveries_due", 1), ("delivery", 1), ("commit", 3)])
def test_the_dispatcher_outlives_trouble_with_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str, sent: int
) -> None:
    monkeypatch.setattr(dispatcher_module, "POLL_SECONDS", 0.01)

    async def scenario(harness: DispatcherHarness) -> None:
        flaky = Flaky(harness.store, method, 2)
        harness.start(flaky, pause=0.01)
        await harness.queue(harness.delivery("d1"))
        await harness.state("d1", "delivered", 1)
        assert (flaky.left, len(harness.receiver.got)) == (0, sent)

    go(tmp_path, scenario)


def test_a_look_that_took_long_does_not_keep_the_deliveries_waiting_ten_times_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await real(min(seconds, 0.01))

    async def scenario(harness: DispatcherHarness) -> None:
        look = harness.store.deliveries_due

        async def look_slowly(now: int, most: int, shards: None) -> Sequence[Delivery]:
            await real(dispatcher_module.MAX_PAUSE_SECONDS / 10 + 0.1)  # as where the whole machine stands still
            return await look(now, most)

        monkeypatch.setattr(harness.store, "deliveries_due", look_slowly)
        monkeypatch.setattr("ludus.service.webhooks.dispatcher.asyncio.sleep", sleep)
        harness.start()
        await harness.queue(harness.delivery("d1"))
        await harness.state("d1", "delivered", 1)
        await harness.queue(harness.delivery("d2"))
        await harness.state("d2", "delivered", 1)

    go(tmp_path, scenario)
    assert max(slept) == dispatcher_module.MAX_PAUSE_SECONDS
