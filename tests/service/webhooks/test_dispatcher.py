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
from tests.service.webhooks.receiver import Got, Receiver, never_ends, says, says_nothing, writes
from tests.service.webhooks.rounds import PATIENCE, SECRET, Round, go, until

from ludus.service.ports import PutDelivery, Store
from ludus.service.records import Delivery
from ludus.service.webhooks import dispatcher as dispatcher_module
from ludus.service.webhooks.delivery import MAX_QUEUED, attempted, replayed, webhook_secret


def test_a_delivery_arrives_signed_and_is_marked_as_delivered(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.start(prefix="Beta-Gamer")
        await course.queue(course.delivery("d1", "/hooks?x=1"))
        done = await course.state("d1", "delivered", 1)
        assert (done.due, done.problem) == (None, "")
        assert await course.told(1) == [done]
        (got,), signing = course.receiver.got, webhook_secret(SECRET, "a")
        assert (got.path, got.body, got.headers["content-type"]) == (
            "/hooks?x=1",
            done.body.encode(),
            "application/json",
        )
        assert got.headers["host"] == f"127.0.0.1:{course.receiver.port}"
        digest = hmac.new(signing.encode(), got.body, hashlib.sha256).hexdigest()
        assert got.headers["x-beta-gamer-signature"] == f"sha256={digest}"
        assert (got.headers["x-beta-gamer-event"], got.headers["x-beta-gamer-delivery"]) == ("game.move", "d1")
        assert Webhook(signing).verify(got.body, got.headers) == {"deliveryId": "d1"}

    go(tmp_path, deed)


def test_what_was_queued_before_the_start_is_delivered(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        await course.queue(*(course.delivery(f"d{n}") for n in range(30)))
        course.start()
        for n in range(30):
            await course.state(f"d{n}", "delivered", 1)
        assert len(course.receiver.got) == 30
        assert course.receiver.connections <= 8

    go(tmp_path, deed)


def test_a_refused_delivery_comes_again_after_growing_pauses_and_then_is_dead(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.receiver.answers["/"] = says(500)
        course.start(retries=2, pause=5.0)
        await course.queue(course.delivery("d1"))
        waits = []
        for attempts in (1, 2):
            waiting = await course.state("d1", "waiting", attempts)
            assert (waiting.problem, len(course.receiver.got)) == ("answered 500", attempts)
            assert waiting.due
            waits.append(waiting.due - course.clock.time)
            course.clock.time = waiting.due
            course.dispatchers[0].wake()
        dead = await course.state("d1", "dead", 3)
        assert (dead.due, dead.problem) == (None, "answered 500")
        assert 4000 <= waits[0] <= 6000 < 20_000 <= waits[1] <= 30_000
        assert [got.headers["webhook-id"] for got in course.receiver.got] == ["d1"] * 3
        assert len({got.headers["webhook-timestamp"] for got in course.receiver.got}) == 3

    go(tmp_path, deed)


def test_a_delivery_is_not_sent_before_its_time(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.start()
        later = course.delivery("later")._replace(due=course.clock.time + 1)
        await course.queue(later, course.delivery("now"))
        await course.state("now", "delivered", 1)
        assert await course.stored("later") == later
        course.clock.time += 1
        await course.state("later", "delivered", 1)

    go(tmp_path, deed)


def test_a_dead_delivery_that_is_replayed_arrives(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.receiver.answers["/"] = says(410)
        course.start(retries=0)
        await course.queue(course.delivery("d1"))
        dead = await course.state("d1", "dead", 1)
        del course.receiver.answers["/"]
        await course.queue(replayed(dead, course.clock.now()))
        await course.state("d1", "delivered", 1)

    go(tmp_path, deed)


def test_a_redirect_is_not_followed(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.receiver.answers["/"] = says(307, "Location: /elsewhere\r\n")
        course.start(retries=0)
        await course.queue(course.delivery("d1"))
        assert (await course.state("d1", "dead", 1)).problem == "answered 307"
        assert [got.path for got in course.receiver.got] == ["/"]

    go(tmp_path, deed)


@pytest.mark.parametrize(
    "raw", [b"", b"SSH-2.0-sshd\r\n", b"HTTP/1.1 999999 What\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: " + b"x" * 200_000]
)
def test_what_is_no_answer_is_a_problem(tmp_path: Path, raw: bytes) -> None:
    async def deed(course: Round) -> None:
        course.receiver.answers["/"] = writes(raw)
        course.start()
        await course.queue(course.delivery("d1"))
        assert (await course.state("d1", "waiting", 1)).problem

    go(tmp_path, deed)


def test_a_receiver_that_is_not_there_is_a_problem(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        async with Receiver() as gone:
            pass
        course.start()
        await course.queue(course.delivery("d1")._replace(url=gone.url()))
        assert (await course.state("d1", "waiting", 1)).problem

    go(tmp_path, deed)


def test_silence_is_a_problem_after_a_while(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.receiver.answers["/"] = says_nothing
        course.start(seconds=0.1)
        await course.queue(course.delivery("d1"))
        assert (await course.state("d1", "waiting", 1)).problem == "no answer within 0.1 s"

    go(tmp_path, deed)


@pytest.mark.parametrize("answer", [never_ends, writes(b"HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nshort")])
def test_only_a_little_of_an_answer_is_read(tmp_path: Path, answer: Any) -> None:
    async def deed(course: Round) -> None:
        course.receiver.answers["/"] = answer
        course.start()
        await course.queue(course.delivery("d1"))
        await course.state("d1", "delivered", 1)

    go(tmp_path, deed)


def test_deliveries_of_a_session_arrive_in_order(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.start()
        for n in range(40):
            course.clock.time += 1
            await course.queue(course.delivery(f"a{n}", "/a", session="a"), course.delivery(f"b{n}", "/b", session="b"))
        await course.state("a39", "delivered", 1)
        await course.state("b39", "delivered", 1)
        for path in ("a", "b"):
            wanted = [json.dumps({"deliveryId": f"{path}{n}"}).encode() for n in range(40)]
            assert course.receiver.bodies(f"/{path}") == wanted

    go(tmp_path, deed)


def test_a_delivery_that_waits_for_a_retry_does_not_hold_up_the_next(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.receiver.answers["/bad"] = says(500)
        course.start()
        await course.queue(course.delivery("d1", "/bad", session="s"), course.delivery("d2", session="s"))
        await course.state("d2", "delivered", 1)
        await course.state("d1", "waiting", 1)

    go(tmp_path, deed)


def test_a_silent_receiver_with_a_long_queue_delays_no_other_tenant(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.receiver.answers["/silent"] = says_nothing
        await course.queue(*(course.delivery(f"x{n}", "/silent", tenant="silent") for n in range(5 * MAX_QUEUED)))
        course.clock.time += 1
        course.start()
        await course.queue(*(course.delivery(f"d{n}", tenant="well") for n in range(20)))
        for n in range(20):
            await course.state(f"d{n}", "delivered", 1)
        assert len(course.receiver.bodies("/silent")) == 1

    go(tmp_path, deed)


def test_a_long_queue_is_worked_off(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        many = 3 * MAX_QUEUED
        await course.queue(*(course.delivery(f"d{n}") for n in range(many)))
        course.start()

        async def is_done() -> bool:
            return len(course.heard) == many

        await until(is_done)
        assert len(set(course.receiver.bodies())) == len(course.receiver.bodies()) == many

    go(tmp_path, deed)


def test_what_is_under_way_at_the_stop_is_left_for_the_next_start(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        course.receiver.answers["/"] = says_nothing
        delivery = course.delivery("d1")
        first = course.start()
        await course.queue(delivery)

        async def is_under_way() -> bool:
            return len(course.receiver.got) == 1

        await until(is_under_way)
        await asyncio.wait_for(first.stop(0.05), PATIENCE)
        assert await course.stored("d1") == delivery
        del course.receiver.answers["/"]
        course.start()
        await course.state("d1", "delivered", 1)
        assert course.receiver.bodies() == [delivery.body.encode()] * 2

    go(tmp_path, deed)


def test_the_stop_waits_for_what_is_about_to_arrive(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        stopping = asyncio.Event()

        async def late(got: Got, writer: asyncio.StreamWriter) -> None:
            await stopping.wait()
            await says(200)(got, writer)

        course.receiver.answers["/"] = late
        dispatcher = course.start()
        await course.queue(course.delivery("d1"), course.delivery("d2"))

        async def is_under_way() -> bool:
            return len(course.receiver.got) == 1

        await until(is_under_way)
        stop = asyncio.create_task(dispatcher.stop(PATIENCE))
        await asyncio.sleep(0)
        stopping.set()
        await stop
        states = sorted([(await course.stored(id)).state for id in ("d1", "d2")])
        assert states == ["delivered", "waiting"]

    go(tmp_path, deed)


def test_two_processes_count_an_attempt_once(tmp_path: Path) -> None:
    async def deed(course: Round) -> None:
        delivery = course.delivery("d1")

        async def other_is_faster(got: Got, writer: asyncio.StreamWriter) -> None:
            await course.store.commit(PutDelivery(attempted(delivery, "answered 500", course.clock.now(), 60_000)))
            await says(200)(got, writer)

        course.receiver.answers["/"] = other_is_faster
        course.start()
        await course.queue(delivery)
        await course.state("d1", "waiting", 1)
        await course.queue(course.delivery("d2", "/other"))
        await course.state("d2", "delivered", 1)
        assert (await course.stored("d1")).attempts == 1
        assert [each.id for each in await course.told(1)] == ["d2"]

    go(tmp_path, deed)


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

    async def deed(course: Round) -> None:
        flaky = Flaky(course.store, method, 2)
        course.start(flaky, pause=0.01)
        await course.queue(course.delivery("d1"))
        await course.state("d1", "delivered", 1)
        assert (flaky.left, len(course.receiver.got)) == (0, sent)

    go(tmp_path, deed)


def test_a_look_that_took_long_does_not_keep_the_deliveries_waiting_ten_times_as_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept: list[float] = []
    real = asyncio.sleep

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        await real(min(seconds, 0.01))

    async def deed(course: Round) -> None:
        look = course.store.deliveries_due

        async def look_slowly(now: int, most: int) -> Sequence[Delivery]:
            await real(dispatcher_module.MAX_PAUSE_SECONDS / 10 + 0.1)  # as where the whole machine stands still
            return await look(now, most)

        monkeypatch.setattr(course.store, "deliveries_due", look_slowly)
        monkeypatch.setattr("ludus.service.webhooks.dispatcher.asyncio.sleep", sleep)
        course.start()
        await course.queue(course.delivery("d1"))
        await course.state("d1", "delivered", 1)
        await course.queue(course.delivery("d2"))
        await course.state("d2", "delivered", 1)

    go(tmp_path, deed)
    assert max(slept) == dispatcher_module.MAX_PAUSE_SECONDS
