"""Every read is served by an index, so that none takes longer the more games are stored."""

from __future__ import annotations

import inspect
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import asyncpg
import pytest

from ludus.service.ports.store import FIRST_PAGE, NEWEST, Store
from ludus.service.records import PairingKey
from ludus.storage import store_for
from ludus.storage.postgres.dialect import to_postgres
from ludus.storage.reads import Reader, Reads
from ludus.storage.sqlite.file import open_writer

from .conftest import fresh
from .examples import ENTRY

pytestmark = pytest.mark.anyio

V = TypeVar("V")

GROWING = frozenset(
    {
        "tables",
        "events",
        "seats",
        "settlements",
        "sessions",
        "deliveries",
        "ratings",
        "agents",
        "encounters",
        "address_marks",
        "connections",
        "analysis_jobs",
        "people",
        "devices",
        "passkeys",
        "codes",
        "history",
        "scores",
        "friendships",
        "friend_links",
        "blocks",
        "challenges",
        "reports",
        "sightings",
        "seat_codes",
        "tournaments",
        "entrants",
        "pairings",
        "explorer_moves",
        "explorer_games",
        "puzzle_attempts",
        "puzzle_ratings",
        "puzzle_streaks",
    }
)
"""What there is more of the longer a server runs."""
LIVE = ("tables_live", "analysis_jobs_asked", "tournaments_open", "tournaments_open_under", "tournaments_due")
"""The indexes of unfinished games and tournaments, and of analyses that are asked for: all of them may be read."""
VALUES: dict[str, Any] = {
    "after": FIRST_PAGE,
    "modes": ("a", "b"),
    "entry": ENTRY,
    "at": 10**9,
    "opponents": ("a", "b"),
    "tables": ("a", "b"),
    "members": ("a", "b"),
    "shards": ("a", "b"),
    "before": NEWEST,
    "others": ("a", "b"),
    "people": ("a", "b"),
    "ids": ("a", "b"),
    "states": ("a", "b"),
    "key": PairingKey("a", 1, 1),
    "numbers": (1, 2),
    "players": ("a", "b"),
    "puzzles": ("a", "b"),
}
"""Moments: of an hour in which no game was opened."""
SPARE_STEPS = 100
"""Of SQLite's machine: which row comes first may differ."""
COUNTS = ("SELECT count(", "SELECT coalesce(")
NOT_QUERIES = frozenset({"open", "close", "claim", "keep_lease", "commit", "heartbeat", "recount_games"})


FILL = """
INSERT INTO tenants (id, name, created_at) VALUES ('a', '', 0) ON CONFLICT DO NOTHING;
INSERT INTO tables SELECT n, 1, CASE n % 2 WHEN 0 THEN 'a' ELSE 'b' END, '', '', 'over', NULL, '[]', 1, n, n,
'{"winner": 0, "reason": "no_moves"}', 0 FROM numbers;
INSERT INTO seats SELECT n, 0, 'a', n, 1 FROM numbers;
INSERT INTO events SELECT n, 1, n, n, '', NULL, '{}', NULL FROM numbers;
INSERT INTO settlements SELECT n, 'a', 'a', 1, 1, '[]', n FROM numbers;
INSERT INTO ratings SELECT n, CASE n % 2 WHEN 0 THEN 'a' ELSE 'b' END, n, 1, 1, 1, 1, 1, n, 1 FROM numbers;
INSERT INTO encounters SELECT n, 'a', n, 1, 0, 10000000000 + n FROM numbers;
INSERT INTO address_marks SELECT n, n, 10000000000 + n FROM numbers;
INSERT INTO connections SELECT n, 0, 'c' FROM numbers;
INSERT INTO analysis_jobs SELECT n, '', 'failed', n, '', '[]', 1 FROM numbers;
INSERT INTO people SELECT n, 1, '', '', '{}', n, 10000000000 + n FROM numbers;
INSERT INTO devices SELECT n, n, n, '', n, n FROM numbers;
INSERT INTO passkeys SELECT n, n, '', 0, '', n, n FROM numbers;
INSERT INTO codes SELECT n, 1, '', n, n, 10000000000 + n FROM numbers;
INSERT INTO history SELECT 'a', n, n, n % 2 FROM numbers;
INSERT INTO scores SELECT n, 'a', 'a', 1, 1, 1 FROM numbers;
INSERT INTO friendships SELECT n, 'a', n FROM numbers;
INSERT INTO friend_links SELECT n, n, n FROM numbers;
INSERT INTO blocks SELECT n, n, n FROM numbers;
INSERT INTO challenges SELECT n, 1, 'a', 'a', 'a', NULL, 0, 'declined', NULL, n, n, 'a' FROM numbers;
INSERT INTO sightings SELECT n, n FROM numbers;
INSERT INTO reports SELECT n, 'a', 'a', n, '', n FROM numbers;
INSERT INTO tournaments SELECT n, 1, 'a', 'a', CASE n % 2 WHEN 0 THEN 'a' ELSE 'b' END, '', 'a', '',
'{"type": "none"}', 0, '', 1, 0, '[]', 1, 0, NULL, 'finished', 0, 0, n, NULL, NULL, 10000000000 + n, NULL FROM numbers;
INSERT INTO entrants SELECT n, 1, 1, 'a', '', '', '', '', 1, 0, 1, 1 FROM numbers;
INSERT INTO pairings SELECT n, 1, 1, 1, 0, 1, 'over', '[]', 'played', 1, 1 FROM numbers;
INSERT INTO explorer_moves SELECT n, '', 1, 1, 0, 1, 1, n, n, n FROM numbers;
INSERT INTO explorer_games SELECT n, n FROM numbers;
INSERT INTO puzzle_attempts SELECT 'a', 'a', n, 1, '', 1, n, NULL, NULL FROM numbers;
INSERT INTO puzzle_ratings SELECT n, 'a', n, 1, 1, 1, 1, 1, n, 1 FROM numbers;
INSERT INTO puzzle_streaks SELECT n, 'a', 1, 1, 1, 1, 1, 1 FROM numbers;
INSERT INTO agents SELECT n, 1, '', n, NULL, n, '', NULL, n FROM numbers;
INSERT INTO sessions (id, version, tenant, game, mode, match_type, status, players, bot_level, has_afk_limit,
room_code, "table", due, created_at)
SELECT n, 1, 'a', 'a', 'a', '', CASE n % 2 WHEN 0 THEN 'ended' ELSE 'pending' END, '[]', '', 0, n, n, n, n FROM numbers;
INSERT INTO deliveries SELECT n, 'a', n, '', '', '', CASE n % 2 WHEN 0 THEN 'dead' ELSE 'waiting' END, 1, n, n, '', ''
FROM numbers;
"""
"""Finished games and what comes with them, once for each of the numbers."""


class Query(NamedTuple):
    method: str
    text: str
    values: Sequence[Any]


class Queries(Reads):
    """Notes each query instead of running it."""

    def __init__(self) -> None:
        self.method = ""
        self.noted: list[Query] = []

    async def _fetch(
        self, text: str, values: Sequence[Any], read: Callable[[Iterable[Any]], V], reader: Reader
    ) -> list[V]:
        self.noted.append(Query(self.method, text, values))
        return [read([0])] if text.startswith(COUNTS) else []


async def queries() -> list[Query]:
    """Of every read of the port, with and without the arguments that may be left out."""
    reads = Queries()
    for name, method in inspect.getmembers(Store, inspect.isfunction):
        if name.startswith("_") or name in NOT_QUERIES:
            continue
        reads.method = name
        for arguments in _arguments(method):
            try:
                await getattr(reads, name)(**arguments)
            except IndexError:  # it counts, and there was nothing
                continue
    return reads.noted


def _arguments(method: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    parameters = [each for each in inspect.signature(method).parameters.values() if each.name != "self"]
    required = {each.name: _value(each) for each in parameters if each.default is inspect.Parameter.empty}
    yield required
    if len(required) < len(parameters):
        yield {each.name: _value(each) for each in parameters}


def _value(parameter: inspect.Parameter) -> Any:
    kind = str(parameter.annotation)
    if parameter.name == "at":
        return VALUES["at"]
    if kind.startswith("str"):
        return "a"
    if kind.startswith("tuple[str") and parameter.name == "after":
        return ("a", "b")
    return 1 if kind.startswith("int") else VALUES[parameter.name]


async def test_every_read_of_the_port_is_looked_at() -> None:
    asked = {query.method for query in await queries()}
    assert asked == {
        name for name, _ in inspect.getmembers(Store, inspect.isfunction) if name[0] != "_" and name not in NOT_QUERIES
    }


async def test_no_read_scans_what_grows_in_sqlite(tmp_path: Path) -> None:
    with closing(open_writer(tmp_path / "ludus.sqlite3")) as connection:
        scans = {
            query.method: step
            for query in await queries()
            for step in _steps(connection, query)
            if step.startswith("SCAN ") and step.split()[1] in GROWING and not step.endswith(LIVE)
        }
    assert scans == {}


async def test_no_read_takes_more_steps_the_more_games_are_stored(tmp_path: Path) -> None:
    asked = await queries()
    with closing(open_writer(tmp_path / "ludus.sqlite3")) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        few = _counted(connection, asked, range(1, 200))
        many = _counted(connection, asked, range(200, 4000))
    assert {query: (few[query], many[query]) for query in few if many[query] > few[query] + SPARE_STEPS} == {}


def _counted(connection: sqlite3.Connection, asked: Sequence[Query], numbers: range) -> dict[str, int]:
    """The instructions that SQLite runs for each query when these are stored too."""
    connection.execute("CREATE TEMP TABLE numbers (n INTEGER)")
    connection.executemany("INSERT INTO numbers VALUES (?)", [(n,) for n in numbers])
    connection.executescript(FILL)
    connection.execute("DROP TABLE numbers")
    return {f"{query.method}: {query.text}": _instructions(connection, query) for query in asked}


def _instructions(connection: sqlite3.Connection, query: Query) -> int:
    steps = 0

    def count() -> None:
        nonlocal steps
        steps += 1

    connection.set_progress_handler(count, 1)
    connection.execute(query.text, query.values).fetchall()
    connection.set_progress_handler(None, 0)
    return steps


def _steps(connection: sqlite3.Connection, query: Query) -> list[str]:
    return [step for *_, step in connection.execute(f"EXPLAIN QUERY PLAN {query.text}", query.values)]


async def test_no_read_scans_what_grows_in_postgres(postgres: str, tmp_path: Path) -> None:
    url = await fresh(postgres)
    store = store_for(url, tmp_path)
    await store.open()
    await store.close()
    connection = await asyncpg.connect(url)
    await connection.execute("CREATE TEMP TABLE numbers AS SELECT generate_series(1, 3000) AS n")
    for statement in (*FILL.strip().removesuffix(";").split(";"), "ANALYZE"):  # so that the planner can choose
        await connection.execute(statement)  # in a transaction of its own, which needs few locks
    await connection.execute("SET enable_seqscan = off")  # which it would prefer for so few
    scans: list[Any] = []
    for query in await queries():
        plan = await connection.fetchval(f"EXPLAIN (FORMAT JSON) {to_postgres(query.text)}", *query.values)
        scans += [(query.method, node) for node in _scans(json.loads(plan)[0]["Plan"])]
    await connection.close()
    assert scans == []


def _scans(node: dict[str, Any], *, is_limited: bool = False) -> Iterator[dict[str, Any]]:
    """What reads all rows, unless they come in order from an index and a limit ends that."""
    kind, index = node["Node Type"], node.get("Index Name")
    has_growing = node.get("Relation Name") in GROWING and kind != "Bitmap Heap Scan"
    is_whole = (has_growing or kind == "Bitmap Index Scan") and "Index Cond" not in node
    if is_whole and index not in LIVE and not (is_limited and index):
        yield node
    for part in node.get("Plans", ()):
        yield from _scans(part, is_limited=kind == "Limit" or (is_limited and kind not in ("Sort", "Aggregate")))
