"""The supervisor of several server processes, with small programs in place of servers."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from ludus.core.errors import BadInput
from ludus.server import supervisor as supervisors
from ludus.server.connections.listener import CannotListen, listen
from ludus.server.settings import Settings
from ludus.server.supervised import settings_of
from ludus.server.supervisor import Child, Supervisor, supervise

pytestmark = pytest.mark.slow

PROGRAM = Path(__file__).with_name("fake_worker.py")
SHARED = Settings(workers=2, database="postgresql://db/ludus", bus="redis://127.0.0.1:6379", port=0)
WAIT_SECONDS = 60.0


class Group:
    """Three processes, and what became of them."""

    def __init__(self, folder: Path, **options: Any) -> None:
        self.folder = folder
        self.supervisor = Supervisor(self._command, 3, 0.0, **options)
        self.orders: list[str] = []
        """For the processes that are started next, one for each."""
        self.is_open = False
        self.has_ended = False

    def run(self, script: Callable[[], Awaitable[None]]) -> int:
        """Runs the script when all are ready, then stops them; returns the exit code."""
        return asyncio.run(self._run(script))

    async def _run(self, script: Callable[[], Awaitable[None]]) -> int:
        running = asyncio.create_task(self.supervisor.run(self._note_open))
        running.add_done_callback(self._note_end)
        await self.until(lambda: self.is_open or running.done())
        if not running.done():
            try:
                await script()
            finally:
                self.supervisor._stop()
        return await running

    def _command(self, number: int) -> Sequence[str]:
        order, self.orders = self.orders[:1], self.orders[1:]
        return [sys.executable, str(PROGRAM), str(self.folder), str(number), *order]

    def _note_open(self) -> None:
        self.is_open = True

    def _note_end(self, _: asyncio.Task[int]) -> None:
        self.has_ended = True

    def log(self, number: int) -> list[str]:
        with suppress(FileNotFoundError):
            return (self.folder / f"{number}.log").read_text().split()
        return []

    def pid(self, number: int) -> int:
        return self.supervisor._current[number].pid

    async def until(self, condition: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT_SECONDS):
            while not condition():
                await asyncio.sleep(0.005)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisors, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(supervisors, "LONGEST_PAUSE", 0.005)
    monkeypatch.setattr(supervisors, "open_logs", lambda *_, **__: None)


@pytest.fixture
def group(tmp_path: Path) -> Group:
    return Group(tmp_path)


async def nothing() -> None: ...


def test_all_processes_start_and_stop_with_it(group: Group, capsys: pytest.CaptureFixture[str]) -> None:
    assert group.run(nothing) == 0
    assert [group.log(number) for number in (1, 2, 3)] == [["started", "stopped"]] * 3
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "a line of 1" and sorted(lines) == ["a line of 1", "a line of 2", "a line of 3"]


def test_a_process_that_dies_is_replaced(group: Group) -> None:
    async def script() -> None:
        dead = group.pid(2)
        os.kill(dead, signal.SIGKILL)
        await group.until(lambda: group.supervisor._current[2].is_ready and group.pid(2) != dead)

    assert group.run(script) == 0
    assert group.log(2) == ["started", "started", "stopped"] and group.log(1) == ["started", "stopped"]


def test_one_that_cannot_start_again_is_tried_until_it_can(group: Group) -> None:
    refusal = group.folder / "2.refuse"

    async def script() -> None:
        refusal.write_text("2")
        os.kill(group.pid(2), signal.SIGKILL)
        await group.until(lambda: group.log(2).count("started") >= 4)
        refusal.unlink()
        await group.until(lambda: group.supervisor._current[2].is_ready)

    assert group.run(script) == 0


class Exhausted:
    """Stands in for `Child.start` on a machine that has no room for so many new processes, and then has."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, error: Exception, times: int = 1000) -> None:
        self.left = times
        self._error = error
        self._start = Child.start
        monkeypatch.setattr(Child, "start", self.start)

    async def start(self, number: int, words: Sequence[str]) -> Child:
        if self.left:
            self.left -= 1
            raise self._error
        return await self._start(number, words)


NO_ROOM = [OSError(12, "Cannot allocate memory"), RuntimeError("can't start new thread")]


@pytest.mark.parametrize("error", NO_ROOM)
def test_while_no_process_can_be_started_it_is_tried_again(
    group: Group, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    async def script() -> None:
        dead = group.pid(2)
        Exhausted(monkeypatch, error, 3)
        os.kill(dead, signal.SIGKILL)
        await group.until(lambda: group.has_ended or (group.pid(2) != dead and group.supervisor._current[2].is_ready))
        assert not group.has_ended

    with capture_logs() as lines:
        assert group.run(script) == 0
    assert [line["reason"] for line in lines if line["event"] == "a process could not be started"] == [str(error)] * 3
    assert group.log(1) == ["started", "stopped"]


@pytest.mark.parametrize("error", NO_ROOM)
def test_if_there_is_no_room_for_the_first_it_fails(
    group: Group, monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    Exhausted(monkeypatch, error)
    with capture_logs() as lines:
        assert group.run(nothing) == supervisors.FAILED
    assert [line["event"] for line in lines] == ["a process could not be started"]


def test_a_fault_of_its_own_is_logged_and_makes_it_fail(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = LookupError("on purpose")

    async def script() -> None:
        Exhausted(monkeypatch, fault)
        os.kill(group.pid(2), signal.SIGKILL)
        await group.until(lambda: group.has_ended)

    with capture_logs() as lines:
        assert group.run(script) == supervisors.FAILED
    assert [line["exc_info"] for line in lines if "exc_info" in line] == [fault]
    assert group.log(1) == group.log(3) == ["started", "stopped"]


@pytest.mark.parametrize("code", [2, 7])
def test_if_the_first_cannot_start_no_other_is_started(group: Group, code: int) -> None:
    (group.folder / "1.refuse").write_text(str(code))
    assert group.run(nothing) == code
    assert group.log(1) == ["started"] and not group.log(2)


def test_if_another_cannot_start_all_stop(group: Group) -> None:
    (group.folder / "3.refuse").write_text("2")
    assert group.run(nothing) == 2
    assert group.log(1) == ["started", "stopped"]


def test_if_one_never_becomes_ready_all_stop(tmp_path: Path) -> None:
    group = Group(tmp_path, open_seconds=0.0)
    group.orders.append("hang")
    with capture_logs() as lines:
        assert group.run(nothing) == 1
    assert [line["number"] for line in lines if "did not become ready" in line["event"]] == [1]
    assert not group.is_open and not group.log(2)


@pytest.mark.parametrize("overlaps", [True, False])
def test_a_rolling_restart_replaces_one_after_the_other(tmp_path: Path, overlaps: bool) -> None:
    group = Group(tmp_path, overlaps=overlaps)

    async def script() -> None:
        before = {number: group.pid(number) for number in (1, 2, 3)}
        group.supervisor._hang_up.set()
        while any(group.pid(number) == before[number] for number in before):
            assert sum(child.is_ready and not child.ended.done() for child in group.supervisor._children) >= 2
            await asyncio.sleep(0.001)
        await group.until(lambda: all(child.is_ready for child in group.supervisor._current.values()))
        await group.until(lambda: len(group.supervisor._children) == 3)

    assert group.run(script) == 0
    order = ["started", "started", "stopped"] if overlaps else ["started", "stopped", "started"]
    assert [group.log(number) for number in (1, 2, 3)] == [[*order, "stopped"]] * 3


def test_a_rolling_restart_ends_at_a_process_that_does_not_start(group: Group) -> None:
    async def script() -> None:
        kept = [group.pid(2), group.pid(3)]
        (group.folder / "2.refuse").write_text("2")
        group.supervisor._hang_up.set()
        await group.until(lambda: len(group.log(2)) == 2 and len(group.supervisor._children) == 3)
        assert [group.pid(2), group.pid(3)] == kept

    assert group.run(script) == 0
    assert group.log(1) == ["started", "started", "stopped", "stopped"] and group.log(3) == ["started", "stopped"]


GIVEN_UP = "rolling restart given up: no new process"


@pytest.mark.parametrize("overlaps", [True, False])
def test_a_rolling_restart_ends_at_a_process_that_never_becomes_ready(tmp_path: Path, overlaps: bool) -> None:
    group = Group(tmp_path, overlaps=overlaps, ready_seconds=0.0)

    async def script() -> None:
        old = [group.pid(number) for number in (1, 2, 3)]
        group.orders.append("hang")
        group.supervisor._hang_up.set()
        await group.until(lambda: any(line["event"] == GIVEN_UP for line in lines))
        await group.until(lambda: all(child.is_ready for child in group.supervisor._current.values()))
        await group.until(lambda: len(group.supervisor._children) == 3)
        kept = [group.pid(number) for number in (1, 2, 3)]
        assert kept == old if overlaps else kept[1:] == old[1:]

    with capture_logs() as lines:
        assert group.run(script) == 0
    reasons = [line["reason"] for line in lines if line["event"] == GIVEN_UP]
    assert reasons == ["it was not ready after 0 seconds"]
    assert group.log(2) == group.log(3) == ["started", "stopped"]


def test_a_rolling_restart_ends_if_there_is_no_room_for_a_new_process(
    group: Group, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def script() -> None:
        Exhausted(monkeypatch, NO_ROOM[0])
        group.supervisor._hang_up.set()
        await group.until(lambda: group.has_ended or any(line["event"] == GIVEN_UP for line in lines))
        assert not group.has_ended

    with capture_logs() as lines:
        assert group.run(script) == 0
    assert [group.log(number) for number in (1, 2, 3)] == [["started", "stopped"]] * 3


def test_a_process_that_does_not_stop_is_killed(group: Group, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisors, "KILL_SECONDS", 0.1)
    (group.folder / "2.deaf").touch()
    deaf = Group(group.folder)
    assert deaf.run(nothing) == supervisors.FAILED
    assert deaf.log(2) == ["started"]


def test_a_second_signal_does_not_wait(group: Group) -> None:
    (group.folder / "2.deaf").touch()

    async def script() -> None:
        group.supervisor._stop()

    assert group.run(script) == supervisors.FAILED


@pytest.mark.parametrize("missing", [{"database": ""}, {"database": "sqlite:games"}, {"bus": ""}])
def test_processes_need_a_database_and_a_bus_that_they_can_share(missing: dict[str, str]) -> None:
    settings = SHARED.model_copy(update=missing)
    with pytest.raises(BadInput, match=r"^2 workers need .* set LUDUS_DATABASE to postgresql://… and LUDUS_BUS to"):
        supervise(settings, {})


def test_a_port_of_others_is_not_shared() -> None:
    with listen("127.0.0.1", 0, is_shared=True) as others:
        settings = SHARED.model_copy(update={"port": others.getsockname()[1]})
        with pytest.raises(CannotListen):
            supervise(settings, {})


def test_processes_share_the_machine_and_have_private_ports() -> None:
    settings = Settings(workers=3, bot_workers=8, internal_port=9100)
    shared = [settings_of(number, settings) for number in (1, 2, 3)]
    assert [(each.bot_workers, each.internal_port) for each in shared] == [(2, 9100), (2, 9101), (2, 9102)]
    alone = settings_of(2, Settings(workers=3))
    assert (alone.bot_workers, alone.internal_port) == (1, 0)
