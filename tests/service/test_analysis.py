"""Analyses: one at a time, so many waiting, kept; and what they say of the moves."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
from structlog.testing import capture_logs
from tests.service.parts import FakeClock
from tests.service.platforms import until
from tests.storage.examples import play

from ludus.core.game import Game
from ludus.core.rules import Player
from ludus.engines import adapter
from ludus.engines.engine import Limit, Line, roll
from ludus.engines.review import Assessment, MoveReview, glyph, mark_of, review
from ludus.engines.study import CubeEquities
from ludus.games import GAMES
from ludus.service import analysis
from ludus.service.analysis import Analyses, Busy, NotOver, Report, from_data, line_texts, signature, to_data, turns
from ludus.service.cluster import Cluster, Role, Work
from ludus.service.platform import new_member
from ludus.service.ports.store import Store, Unreadable
from ludus.service.ports.writes import PutAnalysisJob
from ludus.service.records import AnalysisJob
from ludus.service.shards import SHARDS
from ludus.service.tables import NotFound
from ludus.storage.sqlite.store import SqliteStore

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Analyst:
    """Thinks that the first move is worth 0.5 and each next one 0.1 less; may be held up, or fail."""

    def __init__(self, *, fails: bool = False) -> None:
        self.asked: list[Any] = []
        self.pasts: list[int] = []
        self.may_go = asyncio.Event()
        self.may_go.set()
        self.most = 1000
        """Searches, after which it is held up."""
        self.fails = fails

    def let_go(self) -> None:
        self.most = 1000
        self.may_go.set()

    async def assess(
        self, game: str, position: Any, limit: Limit, past: Sequence[Any], lines: int, roll: object
    ) -> Assessment:
        await self.may_go.wait()
        if self.fails:
            raise RuntimeError("this engine fails on purpose")
        self.asked.append(position)
        self.pasts.append(len(past))
        if len(self.asked) >= self.most:
            self.may_go.clear()
        found = [Line(move, 0.5 - 0.1 * i) for i, move in enumerate(GAMES[game].moves(position)[:lines])]
        return Assessment(found, luck=0.125 if roll else None)


def played(name: str, moves: int, pick: int = 0) -> Game[Any, Any]:
    """A game in which a player resigns after so many moves, each the one of that number where there are so many."""
    game: Game[Any, Any] = Game(GAMES[name])
    rng = Random(1)
    while moves:
        if game.rules.chances(game.position):
            game.play(roll(game.rules, game.position, rng))
        else:
            legal = game.legal_moves()
            game.play(legal[min(pick, len(legal) - 1)])
            moves -= 1
    game.resign(Player.FIRST)
    return game


class Platform:
    """A store with a table for every name that is asked for, and the analyses of its games."""

    def __init__(self, store: Store, analyst: Analyst) -> None:
        self.store, self.analyst = store, analyst
        self.games: dict[str, Game[Any, Any]] = {}
        self.reopen()

    def reopen(self) -> None:
        """Nothing of the former life is left but what was stored."""
        cluster = Cluster(self.store, new_member(b"secret", Role.BOTH))
        self.analyses = Analyses(self.analyst.assess, self.store, FakeClock(), cluster, self.load)

    async def load(self, id: str) -> Game[Any, Any]:
        if id not in self.games:
            raise NotFound("no such game")
        return self.games[id]

    async def start(self, id: str, game: Game[Any, Any], owner: str = "") -> Report:
        if await self.store.table(id) is None:
            await play(self.store, id)
        self.games[id] = game
        return await self.analyses.start(id, game.rules.name, game, owner)

    async def report(self, id: str, game: Game[Any, Any]) -> Report | None:
        return await self.analyses.report(id, game.rules.name, game)

    async def finish(self, id: str, game: Game[Any, Any]) -> Report:
        """Asks again and again, as the page does."""
        report = await self.start(id, game)
        async with asyncio.timeout(60):
            while report.state not in ("done", "failed"):
                await asyncio.sleep(0.001)
                report = await self.report(id, game) or report
        return report


@pytest.fixture
async def platform(tmp_path: Path) -> AsyncIterator[Platform]:
    store = SqliteStore(tmp_path / "ludus.sqlite3")
    await store.open()
    platform = Platform(store, Analyst())
    yield platform
    await platform.analyses.stop()
    await store.close()


@pytest.mark.parametrize("name", ["checkers", "backgammon"])
async def test_every_move_of_the_players_is_judged(name: str, platform: Platform) -> None:
    game = played(name, 6)
    assert (await platform.start("a", game)).state == "waiting"
    report = await platform.finish("a", game)
    assert (report.state, report.total, len(report.moves)) == ("done", len(turns(game)), len(turns(game)))
    assert {each.cost for each in report.moves} == {0.0}, "they played what the engine likes best"
    assert platform.analyst.pasts == sorted(platform.analyst.pasts, reverse=True), "the engine gets the history"


async def test_a_move_worse_than_the_best_has_a_cost(platform: Platform) -> None:
    game = played("checkers", 4, pick=2)
    places = [game.rules.moves(game.position_at(ply)).index(game.move_at(ply)) for ply in range(4)]
    assert max(places) == 2
    losses = [each.cost for each in (await platform.finish("a", game)).moves]
    assert losses == pytest.approx([0.1 * place for place in reversed(places)])


async def test_a_move_beyond_the_lines_is_worth_what_follows_it(platform: Platform) -> None:
    last, first = (await platform.finish("a", played("checkers", 2, pick=6))).moves
    assert first.value == -0.5, "what the next position is worth to the other side"
    assert last.value == pytest.approx(0.3), "nothing follows: no better than the worst that was compared"


async def test_a_game_is_analysed_once_however_many_ask(platform: Platform) -> None:
    game = played("checkers", 3)
    await play(platform.store, "a")
    first, second = await asyncio.gather(platform.start("a", game), platform.start("a", game))
    assert first is second
    await platform.finish("a", game)
    assert (await platform.start("a", game)).state == "done"
    assert len(platform.analyst.asked) == 3


async def test_one_at_a_time_and_not_too_many_wait(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MAX_WAITING", 2)
    game = played("checkers", 2)
    platform.analyst.may_go.clear()
    first = await platform.start("a", game)
    await until(lambda: first.state == "running")
    states = [(await platform.start(id, game)).state for id in ("a", "b", "c")]
    assert states == ["running", "waiting", "waiting"]
    with pytest.raises(Busy):
        await platform.start("d", game)
    platform.analyst.may_go.set()
    assert (await platform.finish("c", game)).state == "done"
    assert (await platform.finish("d", game)).state == "done"


async def test_one_owner_s_games_leave_room_in_the_queue(platform: Platform) -> None:
    game = played("checkers", 2)
    platform.analyst.may_go.clear()
    first = await platform.start("first", game, "ann")
    await until(lambda: first.state == "running")
    for number in range(analysis.MAX_OWN):
        await platform.start(f"ann {number}", game, "ann")
    with pytest.raises(Busy):
        await platform.start("one more", game, "ann")
    assert (await platform.start("ben", game, "ben")).state == "waiting"
    platform.analyst.may_go.set()
    await platform.finish("ben", game)
    assert (await platform.start("one more", game, "ann")).state == "waiting"


@pytest.mark.parametrize("name", ["checkers", "backgammon"])
async def test_an_analysis_survives_a_restart(name: str, platform: Platform) -> None:
    game = played(name, 12, pick=2)
    before = (await platform.finish("a", game)).moves
    asked = len(platform.analyst.asked)
    platform.reopen()
    shared = await platform.report("a", game)
    assert shared is not None and (shared.state, shared.total) == ("done", len(before))
    assert [_without_effort(each) for each in shared.moves] == [_without_effort(each) for each in before]
    assert (await platform.start("a", game)).state == "done"
    assert len(platform.analyst.asked) == asked, "nothing is analysed twice"


def _without_effort(one: MoveReview) -> MoveReview:
    """Without depth and nodes, which are not published."""
    return one._replace(lines=tuple(line._replace(depth=0, nodes=0) for line in one.lines))


def _without_lines(one: MoveReview) -> MoveReview:
    return one._replace(lines=())


async def test_a_game_without_a_move_is_known_as_well(platform: Platform) -> None:
    game = played("checkers", 0)
    await platform.finish("a", game)
    platform.reopen()
    assert await platform.report("a", game) == Report(0, "done", [])


async def test_another_engine_thinks_for_itself(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    game = played("checkers", 3)
    await platform.finish("a", game)
    platform.reopen()
    monkeypatch.setattr(analysis, "signature", lambda name: "a newer one")
    assert await platform.report("a", game) is None
    assert (await platform.start("a", game)).state == "waiting"
    await platform.finish("a", game)
    assert len(platform.analyst.asked) == 6
    kept = await platform.store.analysis("a")
    assert kept is not None and kept.engine == "a newer one"


async def test_what_is_unfinished_is_not_kept(platform: Platform) -> None:
    platform.analyst.fails = True
    assert (await platform.finish("a", played("checkers", 3))).state == "failed"
    assert await platform.store.analysis("a") is None


async def test_what_cannot_be_kept_is_shown_all_the_same(platform: Platform) -> None:
    game = played("checkers", 3)
    report = await platform.analyses.start("no such table", "checkers", game)
    await until(lambda: report.state not in ("waiting", "running"))
    assert (report.state, len(report.moves)) == ("done", 3)


async def test_many_analyses_are_not_held_in_memory(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MAX_CACHED", 4)
    game = played("checkers", 1)
    reports = [await platform.finish(id, game) for id in ("a", "b", "c")]
    assert await platform.report("c", game) is reports[2]
    again = await platform.report("a", game)
    assert again is not None and again is not reports[0], "it is read again from the store"
    assert (again.state, len(platform.analyst.asked)) == ("done", 3)


async def test_a_failed_analysis_can_be_retried(platform: Platform) -> None:
    game = played("checkers", 2)
    platform.analyst.fails = True
    assert (await platform.finish("a", game)).state == "failed"
    platform.analyst.fails = False
    assert (await platform.finish("a", game)).state == "done"


async def test_a_game_that_goes_on_is_not_analysed(platform: Platform) -> None:
    with pytest.raises(NotOver):
        await platform.start("a", Game(GAMES["checkers"]))


async def test_closing_cancels_the_running_analysis(platform: Platform) -> None:
    platform.analyst.may_go.clear()
    report = await platform.start("a", played("checkers", 2))
    await until(lambda: report.state == "running")
    await platform.analyses.stop()
    assert platform.analyst.asked == []


class Members:
    """Processes of a cluster on one store, each with analyses of its own; shards are given to them by hand."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._opened: list[Analyses] = []

    def open(self, shards: str, analyst: Analyst | None = None) -> Analyses:
        store = self._platform.store
        cluster = Cluster(store, new_member(b"secret", Role.BOTH if shards else Role.SERVER), is_sole=False)
        cluster.shards = {Work.SWEEP: frozenset(), Work.BOTS: frozenset(shards)}
        analyst = analyst or self._platform.analyst
        made = Analyses(analyst.assess, store, FakeClock(), cluster, self._platform.load)
        self._opened.append(made)
        made.open()
        return made

    async def stop(self) -> None:
        for each in self._opened:
            await each.stop()


@pytest.fixture
async def members(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Members]:
    monkeypatch.setattr(analysis, "PROGRESS_SECONDS", 0.0)
    monkeypatch.setattr(analysis, "LOOK_SECONDS", 0.001)
    members = Members(platform)
    yield members
    await members.stop()


async def asked(platform: Platform, server: Analyses, id: str = "a", moves: int = 6) -> Game[Any, Any]:
    """A game whose analysis a server was asked for."""
    game = platform.games[id] = played("checkers", moves, pick=2)
    await play(platform.store, id)
    assert (await server.start(id, "checkers", game, "ann")).state == "waiting"
    return game


async def seen(server: Analyses, game: Game[Any, Any], condition: Callable[[Report], bool], id: str = "a") -> Report:
    """What a page shows that asks until it is so."""
    async with asyncio.timeout(60):
        while (report := await server.report(id, "checkers", game)) is None or not condition(report):
            await asyncio.sleep(0.001)
    return report


async def test_a_server_without_engines_shows_what_a_worker_does(platform: Platform, members: Members) -> None:
    server, other = members.open(""), members.open("")
    game = await asked(platform, server)
    members.open(SHARDS)
    platform.analyst.most = 3
    running = await seen(other, game, lambda report: len(report.moves) == 3)
    assert (running.state, running.total) == ("running", 6)
    platform.analyst.let_go()
    done = [await seen(each, game, lambda report: report.state == "done") for each in (server, other)]
    assert done[0].moves == done[1].moves and len(done[0].moves) == 6
    assert len(platform.analyst.asked) == 6, "one of the processes did it, once"
    assert await platform.store.analysis_job("a") is None


async def test_another_worker_goes_on_where_one_died(platform: Platform, members: Members) -> None:
    server = members.open("")
    game = await asked(platform, server)
    alone = (await platform.finish("b", game)).moves
    platform.analyst.asked.clear()
    dying = members.open(SHARDS)
    platform.analyst.most = 4
    await seen(server, game, lambda report: len(report.moves) == 4)
    await dying.stop()
    heir = Analyst()
    members.open(SHARDS, heir)
    report = await seen(server, game, lambda report: report.state == "done")
    assert (len(platform.analyst.asked), len(heir.asked)) == (4, 2)
    assert [_without_effort(each) for each in report.moves] == [_without_effort(each) for each in alone]


async def test_a_worker_that_loses_its_lease_leaves_the_rest_to_the_next(platform: Platform, members: Members) -> None:
    server = members.open("")
    game = await asked(platform, server)
    first, second = Analyst(), Analyst()
    first.most = 2
    loser = members.open(SHARDS, first)
    await until(lambda: len(first.asked) == 2)
    loser._cluster.shards = dict.fromkeys(Work, frozenset())
    first.let_go()
    await until(lambda: loser._current == "")
    members.open(SHARDS, second)
    assert len((await seen(server, game, lambda report: report.state == "done")).moves) == 6
    assert len(first.asked) == 3 and len(second.asked) == 3, "the search under way was finished and stored"


async def test_a_worker_that_was_suspended_does_not_overwrite_the_next(platform: Platform, members: Members) -> None:
    server = members.open("")
    game = await asked(platform, server)
    suspended, working = Analyst(), Analyst()
    suspended.most = 2
    left = members.open(SHARDS, suspended)
    await until(lambda: len(suspended.asked) == 2)
    members.open(SHARDS, working)
    report = await seen(server, game, lambda report: report.state == "done")
    stored = await platform.store.analysis("a")
    suspended.let_go()
    await until(lambda: left._current == "")
    assert len(suspended.asked) == 3
    assert await platform.store.analysis("a") == stored and await platform.store.analysis_job("a") is None
    assert len(report.moves) == 6


async def test_a_worker_with_another_engine_starts_again(
    platform: Platform, members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = members.open("")
    game = await asked(platform, server)
    dying = members.open(SHARDS)
    platform.analyst.most = 4
    await seen(server, game, lambda report: len(report.moves) == 4)
    await dying.stop()
    monkeypatch.setattr(analysis, "signature", lambda name: "a newer one")
    heir = Analyst()
    members.open(SHARDS, heir)
    assert len((await seen(server, game, lambda report: report.state == "done")).moves) == 6
    assert len(heir.asked) == 6


async def test_a_failure_is_shown_by_all_and_retried_when_asked(platform: Platform, members: Members) -> None:
    server, other = members.open(""), members.open("")
    platform.analyst.fails = True
    game = await asked(platform, server)
    members.open(SHARDS)
    for each in (server, other):
        assert (await seen(each, game, lambda report: report.state != "waiting")).state in ("running", "failed")
        await seen(each, game, lambda report: report.state == "failed")
    job = await platform.store.analysis_job("a")
    assert job is not None and job.owner == ""
    platform.analyst.fails = False
    await other.start("a", "checkers", game)
    await seen(server, game, lambda report: report.state == "done")


async def test_one_owner_s_games_leave_room_whichever_process_is_asked(platform: Platform, members: Members) -> None:
    game = played("checkers", 2)
    servers = [members.open("") for _ in range(analysis.MAX_OWN)]
    for number, server in enumerate(servers):
        await server.start(str(number), "checkers", game, "ann")
    for server in servers:
        with pytest.raises(Busy):
            await server.start("one more", "checkers", game, "ann")
    assert (await servers[0].start("ben", "checkers", game, "ben")).state == "waiting"


async def test_two_processes_that_are_asked_at_once_ask_for_one_analysis(platform: Platform, members: Members) -> None:
    game = platform.games["a"] = played("checkers", 3)
    await play(platform.store, "a")
    servers = [members.open("") for _ in range(4)]
    reports = await asyncio.gather(*[server.start("a", "checkers", game) for server in servers])
    assert {report.state for report in reports} == {"waiting"}
    members.open(SHARDS)
    for server in servers:
        await seen(server, game, lambda report: report.state == "done")
    assert len(platform.analyst.asked) == 3


async def test_a_request_for_a_game_that_is_deleted_goes_with_it(platform: Platform, members: Members) -> None:
    server = members.open("")
    game = await asked(platform, server)
    del platform.games["a"]
    members.open(SHARDS)
    async with asyncio.timeout(60):
        while await server.report("a", "checkers", game) is not None:
            await asyncio.sleep(0.001)
    assert platform.analyst.asked == []


async def test_an_analysis_of_a_damaged_game_fails_once(
    platform: Platform, members: Members, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = members.open("")
    game = await asked(platform, server)
    loads: list[str] = []

    async def load(id: str) -> Game[Any, Any]:
        loads.append(id)
        raise Unreadable("a stored record cannot be read")

    monkeypatch.setattr(platform, "load", load)
    with capture_logs() as lines:
        members.open(SHARDS)
        await seen(server, game, lambda report: report.state == "failed" or len(loads) > 1)
        assert await platform.store.analysis_requests() == []
    assert loads == ["a"] and [line["event"] for line in lines] == ["an analysis failed"]


async def test_a_process_alone_goes_on_after_a_restart(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "PROGRESS_SECONDS", 0.0)
    game = played("checkers", 6)
    platform.analyst.most = 4
    await platform.start("a", game)
    await until(lambda: len(platform.analyst.asked) == 4)
    await platform.analyses.stop()
    platform.reopen()
    platform.analyst.let_go()
    platform.analyses.open()
    assert (await platform.finish("a", game)).state == "done"
    assert len(platform.analyst.asked) <= 7, "at most one search is repeated"


async def test_a_write_of_the_former_life_does_not_end_an_analysis(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(analysis, "LOOK_SECONDS", 0.01)
    game = played("checkers", 6)
    platform.analyst.may_go.clear()
    await platform.start("a", game)
    await platform.analyses.stop()
    platform.reopen()
    read = platform.store.analysis_job

    async def read_too_early(table: str) -> AnalysisJob | None:
        """A job that is written by another process before this one can do so."""
        job = await read(table)
        if job is not None and job.state == "waiting":
            await platform.store.commit(PutAnalysisJob(job._replace(version=job.version + 1, state="running")))
        return job

    monkeypatch.setattr(platform.store, "analysis_job", read_too_early)
    platform.analyst.let_go()
    platform.analyses.open()
    await until(lambda: len(platform.analyst.asked) == 6)
    assert (await platform.finish("a", game)).state == "done"


async def test_the_page_and_the_command_line_give_the_same_verdicts(platform: Platform) -> None:
    game = played("checkers", 8, pick=2)

    def ask(position: Any, past: Sequence[Any], lines: int, roll: object) -> Assessment:
        return Assessment([Line(move, 0.5 - 0.1 * i) for i, move in enumerate(game.rules.moves(position)[:lines])])

    assert (await platform.finish("a", game)).moves == list(review(game, ask))


async def test_only_the_first_moves_of_an_endless_game_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(analysis, "MAX_MOVES", 3)
    assert turns(played("checkers", 5)) == [0, 1, 2]


@pytest.mark.parametrize(("sign", "name"), [("", None), ("?!", "doubtful"), ("?", "mistake"), ("??", "blunder")])
async def test_every_sign_of_an_engine_has_a_name(sign: str, name: str | None) -> None:
    costs = (0.0, *adapter("checkers").thresholds)
    assert [mark_of("checkers", cost) for cost in costs if glyph("checkers", cost) == sign] == [name]


def random_game(name: str, seed: int) -> Game[Any, Any]:
    """A game by chance, to its end."""
    game: Game[Any, Any] = Game(GAMES[name])
    rng = Random(seed)
    while game.outcome is None:
        is_roll = game.rules.chances(game.position)
        game.play(roll(game.rules, game.position, rng) if is_roll else rng.choice(game.legal_moves()))
    return game


def reviewed(game: Game[Any, Any]) -> list[MoveReview]:
    """By an engine that expects the first move of each list, as long as no dice are to be rolled."""
    rules = game.rules

    def line(position: Any, move: Any, value: float) -> Line[Any]:
        moves = [move]
        position = rules.play(position, move)
        while len(moves) < 12 and not rules.chances(position) and (legal := rules.moves(position)):
            moves.append(legal[0])
            position = rules.play(position, legal[0])
        return Line(move, value, tuple(moves), len(moves) < 4, (0.5, 0.1 + 0.2))

    def ask(position: Any, past: Any, lines: int, roll: object) -> Assessment:
        found = [line(position, move, 0.1 + 0.2 - 0.1 * i) for i, move in enumerate(rules.moves(position)[:lines])]
        cube = CubeEquities(0.1, 0.2, 1.0, (0.5,), 0.4) if roll else None
        return Assessment(found, cube, 0.125 if roll else None, 0.4)

    return list(review(game, ask))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["checkers", "backgammon"])
async def test_reviews_survive_storage(name: str, seed: int) -> None:
    game = random_game(name, seed)
    reviews = reviewed(game)
    again = from_data(game, orjson.loads(orjson.dumps(to_data(game, reviews))))
    assert len(again) == len(reviews) > 10
    for one, other in zip(reviews, again, strict=True):
        assert _without_lines(one) == _without_lines(other)
        assert [line[:2] for line in one.lines] == [line[:2] for line in other.lines]
        assert (one.best.move, one.best.value, one.best.is_exact) == (*other.best[:2], other.best.is_exact)
        assert other.best.chances == (0.5, 0.3)
        assert list(line_texts(game, one)) == list(line_texts(game, other))
    longest = max(len(one.best.moves) for one in again)
    assert longest == (8 if name == "checkers" else 1), "longer lines are cut, and dice end them"


async def test_an_analysis_that_an_older_version_began_can_be_read() -> None:
    game = random_game("backgammon", 0)
    data = orjson.loads(orjson.dumps(to_data(game, reviewed(game))))
    for move in data:
        if "cube" in move:
            del move["cube"][4:]  # there was no equity of a beaver
    cubes = [one.cube for one in from_data(game, data) if one.cube is not None]
    assert cubes and set(cubes) == {CubeEquities(0.1, 0.2, 1.0, (0.5,))}


async def test_a_missed_beaver_is_still_one_after_storage() -> None:
    game: Game[Any, Any] = Game(GAMES["backgammon"], "standard+cube+beavers")
    for move in ("3-1", "8/5 6/5", "double", "take"):
        game.play(move)

    def ask(position: Any, past: Any, lines: int, roll: object) -> Assessment:
        return Assessment([Line(move, 0.2 * i) for i, move in enumerate(game.rules.moves(position)[:lines])][::-1])

    again = from_data(game, orjson.loads(orjson.dumps(to_data(game, review(game, ask)))))
    assert again[0].cube_error == "missed_beaver"


@pytest.mark.parametrize("name", ["checkers", "backgammon"])
async def test_the_longest_game_takes_little_room(name: str) -> None:
    game = random_game(name, 1)
    kept = orjson.dumps(to_data(game, reviewed(game)))
    assert len(kept) < 600 * len(reviewed(game))


async def test_a_signature_is_of_one_game_and_changes_with_its_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    fresh = signature.__wrapped__
    before = fresh("checkers")
    assert before == fresh("checkers") != fresh("backgammon")
    other = replace(adapter("checkers"), report_limit=Limit(nodes=1))
    monkeypatch.setattr(analysis, "adapter", lambda _name: other)
    assert fresh("checkers") != before
    monkeypatch.undo()
    monkeypatch.setattr(analysis, "ENGINE_FILES", (".py",))
    assert fresh("checkers") != before, "weights and tables are a part of it"


async def test_a_game_given_up_at_once_has_no_verdicts() -> None:
    game: Game[Any, Any] = Game(GAMES["checkers"])
    game.resign(Player.FIRST)
    assert from_data(game, to_data(game, reviewed(game))) == []
