"""`python -m benchmarks.explorer`: the opening explorer on SQLite and PostgreSQL with a million stored games.

Playing and counting a million games takes hours, so the databases are filled directly. Each game has its row in
`tables`, without events, and is an example. For every fortieth game, alternately of checkers and backgammon, the first
eight moves are generated (see `games.py`) and counted by the service's own code; the counts are multiplied by forty.
The other twelve moves that the explorer counts of a game of checkers, which hardly ever come twice, are rows of made-up
positions, spread evenly and inserted in order.

Then games that were played through the platform are counted as the server does it, the service and a server are asked
for positions, and sizes are read from the databases. SQLite syncs as always; PostgreSQL, as in the tests, never does.
CPU time is that of the process that looks up, without PostgreSQL's.

It takes 3 GB in the folder for temporary files, which it deletes. `--games 20000` is quicker.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sqlite3
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, closing
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import asyncpg
from tests.service.test_explorer import finish, put
from tests.storage.cluster import FAST, postgres_cluster

from benchmarks.explorer.games import REAL, generated
from benchmarks.reads.asking import Http
from benchmarks.report import heading, machine, row
from benchmarks.rooms.ours import ENV, LUDUS
from benchmarks.rooms.process import serve
from ludus.core.game import Game
from ludus.games import GAMES
from ludus.openings import book
from ludus.service.explorer import Explorer, counted_moves, summed
from ludus.service.ids import digest
from ludus.service.ports.store import Store
from ludus.service.records import MoveCount, TableRow
from ludus.storage import store_for
from ludus.storage.schema import EXPLORER_MOVES, TABLES

ALIKE: Final = 40
"""Games with the same first moves."""
PLIES: Final = book("checkers").plies
SEEN: Final = 2000
"""Positions that are asked for."""
START: Final = 1_700_000_000_000
RATINGS: Final = (1500, 1600)
PLAYER: Final = '{{"key":"agent/a","id":"a","name":"Agent","kind":"agent"}}'
AT: Final = f"{START} + CAST(n AS BIGINT) * 1000"
RESULT: Final = '{{"winner":0,"reason":"resignation","points":1}}'
GAME_ROWS: Final = (
    f"INSERT INTO tables ({TABLES.columns})"
    f" SELECT {{id}}, 60, CASE n / {ALIKE} % 2 WHEN 0 THEN 'checkers' ELSE 'backgammon' END, 'fast', 'arena', 'over',"
    f" NULL, '[{PLAYER},{PLAYER}]', 59, {AT}, {AT} + 600000, '{RESULT}', 0 FROM {{numbers}}"
)
MADE_UP: Final = (
    f"INSERT INTO explorer_moves SELECT {-(2**62)} + CAST(n AS BIGINT) * 1000000000000, '12-16', 1, n % 2, 0, 1, 1500,"
    f" {AT}, {1500 << 32} + CAST(n AS BIGINT), NULL FROM {{numbers}}"
)
MEMORY: Final = f"{FAST} -c shared_buffers=512MB -c max_wal_size=4GB"
"""Of PostgreSQL, whose defaults are for tiny databases."""
PLAYED: Final = 100
"""Games that are counted as the server does it."""
TIMES: Final = 500
"""Questions of one kind."""
COMMON: Final = (
    ("checkers", ("9-14",)),
    ("checkers", ("11-15", "23-19", "8-11")),
    ("backgammon", ("31",)),
    ("backgammon", ("42", "8/4 6/4")),
)
Asked = tuple[str, tuple[str, ...]]
"""A game and the moves before a position."""


class Database(NamedTuple):
    name: str
    setting: str
    numbers: str
    """The numbers n below another one, as a query's source."""
    id: str
    """The id of the game with the number n."""
    execute: Callable[[str], Awaitable[None]]
    insert: Callable[[str, str, Sequence[Sequence[Any]]], Awaitable[None]]
    """Rows into the columns of a table."""
    size: Callable[[str], Awaitable[int]]
    """Bytes of a table with its indexes."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.explorer", description=__doc__)
    parser.add_argument("--games", type=int, default=1_000_000)
    games = parser.parse_args().games
    with (
        tempfile.TemporaryDirectory(prefix="explorer-") as name,
        postgres_cluster("-c shared_buffers=512MB") as cluster,
    ):
        asyncio.run(measure(Path(name), cluster.url, games))


async def measure(folder: Path, url: str, games: int) -> None:
    print(f"Explorer, {machine()}, load {os.getloadavg()[0]:.1f} at the start; {games:,} games\n")
    file = folder / "ludus.sqlite3"
    databases = [sqlite(file), postgres(url)]
    positions = await fill(databases, folder, games)
    for database in databases:
        await report(database, folder, positions)


def sqlite(file: Path) -> Database:
    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(file, timeout=60, isolation_level=None)
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -2000000")
        connection.execute("BEGIN")
        return connection

    async def execute(text: str) -> None:
        with closing(connect()) as connection:
            connection.execute(text)
            connection.execute("COMMIT")

    async def insert(table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
        with closing(connect()) as connection:
            places = ", ".join("?" * len(columns.split(",")))
            connection.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)
            connection.execute("COMMIT")

    async def size(table: str) -> int:
        with closing(connect()) as connection:
            return int(connection.execute("SELECT sum(pgsize) FROM dbstat WHERE name = ?", (table,)).fetchone()[0] or 0)

    each = "WITH RECURSIVE each (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM each LIMIT {})"
    numbers = f"({each} SELECT n FROM each)"
    id = "printf('%08x-0000-7000-8000-%012x', n, n)"
    return Database("SQLite", f"sqlite:{file}", numbers, id, execute, insert, size)


def postgres(url: str) -> Database:
    async def execute(text: str) -> None:
        connection = await asyncpg.connect(url)
        await connection.execute("SET session_replication_role = replica")  # no triggers
        await connection.execute(text)
        await connection.close()

    async def insert(table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
        connection = await asyncpg.connect(url)
        names = columns.replace('"', "").split(", ")
        await connection.copy_records_to_table(table, records=rows, columns=names)
        await connection.execute(f"ANALYZE {table}; ANALYZE tables")
        await connection.close()

    async def size(table: str) -> int:
        connection = await asyncpg.connect(url)
        found: int = await connection.fetchval("SELECT pg_total_relation_size($1::text::regclass)", table)
        await connection.close()
        return found

    numbers = "(SELECT generate_series(0, {} - 1) AS n) AS numbers"
    id = "lpad(to_hex(n), 8, '0') || '-0000-7000-8000-' || lpad(to_hex(n), 12, '0')"
    return Database("PostgreSQL", url, numbers, id, execute, insert, size)


async def fill(databases: Sequence[Database], folder: Path, games: int) -> list[Asked]:
    """Returns positions of the openings, at random."""
    for database in databases:
        async with opened(database, folder):
            pass
        await database.execute(GAME_ROWS.format(id=database.id, numbers=database.numbers.format(games)))
        made_up = database.numbers.format(games // ALIKE // 2 * ALIKE * (PLIES - REAL))
        await database.execute(MADE_UP.format(numbers=made_up))
        print(f"# {database.name} has the rows", flush=True)
    rng, seen, total = Random(1), list[Asked](), dict[tuple[int, str], MoveCount]()
    for number, (game, plies, winner) in enumerate(generated(games // ALIKE)):
        for move in counted_moves(table_row(number * ALIKE, game), [(plies, winner)], RATINGS):
            key = move.position, move.move
            total[key] = summed(total[key], move) if key in total else move
        if number % (max(games // ALIKE // SEEN, 1)) == 0:
            seen.append((game, tuple(ply.move for ply in plies[: rng.randrange(len(plies))])))
        if number % 10_000 == 0:
            print(f"# {number:,} openings", flush=True)
    counts = [_times(ALIKE, count) for count in total.values()]
    examples = sorted((digest(id), id) for id in map(table_id, range(games)))
    for database in databases:
        await database.insert("explorer_moves", EXPLORER_MOVES.columns, counts)
        await database.insert("explorer_games", 'number, "table"', examples)
    print(f"\n{len(counts):,} counts of played positions", flush=True)
    return seen


def _times(number: int, count: MoveCount) -> MoveCount:
    games, wins, draws, rated, ratings = (number * each for each in count[2:7])
    return count._replace(games=games, wins=wins, draws=draws, rated=rated, ratings=ratings)


def table_id(number: int) -> str:
    return f"{number:08x}-0000-7000-8000-{number:012x}"


def table_row(number: int, game: str) -> TableRow:
    """As `GAME_ROWS` stores it."""
    at, result = START + number * 1000, {"winner": 0, "reason": "resignation", "points": 1}
    players = tuple({"key": "agent/a", "id": "a", "name": "Agent", "kind": "agent"} for _ in range(2))
    return TableRow(table_id(number), 60, game, "fast", "arena", "over", None, players, 59, at, at + 600_000, result)


async def report(database: Database, folder: Path, positions: Sequence[Asked]) -> None:
    tables = ("tables", "explorer_moves", "explorer_games", "explorer_queue")
    sizes = {table: await database.size(table) for table in tables}
    print(f"\n{database.name}: " + ", ".join(f"{table} {size / 1e6:,.0f} MB" for table, size in sizes.items()) + "\n")
    async with opened(database, folder) as store:
        await count_played(store, database)
        heading("what", "p50 ms", "p99 ms", "most ms", "CPU ms")
        explorer = Explorer(store)
        for what, asked in kinds(positions).items():
            at = [(game, position(game, moves)) for game, moves in asked]
            cpu = time.process_time()
            times = [await timed(explorer.look_up(*at[each % len(at)])) for each in range(TIMES)]
            row(f"{database.name}, service, {what}", *figures(times, time.process_time() - cpu))
    command = [*LUDUS, "serve", "--host", "127.0.0.1", "--port", "0", "--data", str(folder)]
    limits = {"LUDUS_AGENT_RATE_LIMIT": "1000000", "LUDUS_BOT_WARMUP": "false", "LUDUS_DATABASE": database.setting}
    with serve(command, {**ENV, **limits}, folder / "log") as server, Http(server.port) as http:
        for what, asked in kinds(positions).items():
            paths = [path(game, moves) for game, moves in asked]
            times, cpu = [], server.cpu_seconds()
            for each in range(TIMES):
                began = time.perf_counter()
                http.expect(paths[each % len(paths)], 200)
                times.append(time.perf_counter() - began)
            row(f"{database.name}, HTTP, {what}", *figures(times, server.cpu_seconds() - cpu))


@asynccontextmanager
async def opened(database: Database, folder: Path) -> AsyncIterator[Store]:
    store = store_for(database.setting, folder)
    await store.open()
    yield store
    await store.close()


async def count_played(store: Store, database: Database) -> None:
    """As the server does it: from the queue, from the events, in its own batches."""
    for name in GAMES:
        games = [finish(f"{name}-{number}", name, 30) for number in range(PLAYED)]
        await put(store, games)
        explorer, began, cpu = Explorer(store), time.perf_counter(), time.process_time()
        while await explorer.count():
            pass
        seconds, cpu = time.perf_counter() - began, time.process_time() - cpu
        assert not await store.tables_to_count(1)
        print(
            f"{database.name}: a game of {name} is counted in {seconds / PLAYED * 1000:.2f} ms,"
            f" {cpu / PLAYED * 1000:.2f} ms of CPU\n"
        )


def kinds(positions: Sequence[Asked]) -> dict[str, list[Asked]]:
    return {
        "the start": [(game, ()) for game in GAMES],
        "common positions": list(COMMON),
        "positions of random games": list(positions),
    }


def position(game: str, moves: Sequence[str]) -> Any:
    played = Game(GAMES[game])
    for text in moves:
        played.play(text)
    return played.position


def path(game: str, moves: Sequence[str]) -> str:
    text = GAMES[game].notation.write_position(position(game, moves))
    return f"/web/explorer/{game}?position={quote(text)}"


async def timed(work: Awaitable[object]) -> float:
    began = time.perf_counter()
    await work
    return time.perf_counter() - began


def figures(times: list[float], cpu: float) -> list[str]:
    times.sort()
    shown = [times[int(len(times) * part)] for part in (0.5, 0.99)]
    return [f"{seconds * 1000:.2f}" for seconds in (*shown, times[-1], cpu / len(times))]


if __name__ == "__main__":
    main()
