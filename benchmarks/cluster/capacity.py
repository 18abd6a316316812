"""`python -m benchmarks.cluster.capacity`: what a move, a socket, an agent and a spectator cost, and a million players.

Measures on two processes with PostgreSQL and Redis, then simulates crowds with these costs, and writes both to
`capacity.json` and to the tables of the page on capacity. `--simulate` keeps the costs that were measured before.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import asyncpg

from benchmarks.arena import games as arena_games
from benchmarks.arena import load as arena_load
from benchmarks.arena.measure import Bench as ArenaBench
from benchmarks.arena.ours import Ludus as ArenaLudus
from benchmarks.cluster.measure import ClusterBench
from benchmarks.cluster.platform import Backends, ClusterLudus, Platform, backends, platform
from benchmarks.cluster.simulation import PLANNED, TODAY, Costs, Crowd, Load, breaking_points, smallest
from benchmarks.cluster.sockets import open_sockets
from benchmarks.report import machine
from benchmarks.rooms import load
from benchmarks.rooms.games import fixed_games
from benchmarks.rooms.measure import Bench, Size
from benchmarks.rooms.process import Server

FILE: Final = Path(__file__).with_name("capacity.json")
PAGE: Final = Path(__file__).parents[2] / "docs" / "explanation" / "capacity.md"
SIZE: Final = Size(50, 1, 4)
WATCHERS: Final = 200
SOCKETS: Final = 400
AGENTS: Final = 400
GAMES: Final = 300
WARM_MOVES: Final = 10
IDLE_SECONDS: Final = 40
CROWDS: Final = (1_000, 10_000, 100_000, 1_000_000)
DIGITS: Final = 3
"""Significant digits that are kept: no measurement here has more."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="benchmarks.cluster.capacity", description=__doc__)
    parser.add_argument("--simulate", action="store_true", help="with the costs in the file")
    if parser.parse_args().simulate:
        known = json.loads(FILE.read_text())
        found = document(known["machine"], Costs(**known["costs"]))
    else:
        found = document(machine(), measured())
    FILE.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    PAGE.write_text(updated(PAGE.read_text(encoding="utf-8"), found), encoding="utf-8")
    print("\n\n".join("\n".join(lines) for lines in tables(found)))


def measured() -> Costs:
    with tempfile.TemporaryDirectory() as name, backends() as behind:
        folder = Path(name)
        cluster = ClusterBench(Bench(load.build(folder), folder, fixed_games()), behind, ClusterLudus(behind, folder))
        with platform(behind, 2, folder / "servers") as servers:
            return _costs(cluster, servers)


class Idle(NamedTuple):
    """Of one connection that waits."""

    connect_us: float
    us_a_second: float
    bytes: float


class Traffic(NamedTuple):
    """Bytes on the database's disk and through the bus, so far."""

    disk: int
    bus: int


def _costs(cluster: ClusterBench, servers: Platform) -> Costs:
    first, second = servers.servers
    base = _idle_share(second)
    sockets, agents = _sockets(first, base), _agents(cluster.bench.folder, first, base)
    across = cluster.measure(servers, SIZE, spread=True)
    alone = Platform([first])
    before, idle, began = _traffic(cluster.backends), second.cpu_seconds(), time.monotonic()
    on_first = cluster.measure(alone, SIZE, spread=False)
    after, moves = _traffic(cluster.backends), _moves(cluster.bench)
    foreign = second.cpu_seconds() - idle - base * (time.monotonic() - began)
    game = _game_bytes(cluster, first)
    watched = cluster.measure(alone, SIZE, spread=False, spectators=WATCHERS)
    return Costs(
        move_us=across.costs.servers,
        move_database_us=across.costs.database,
        move_bus_us=across.costs.bus,
        foreign_note_us=1e6 * max(0.0, foreign) / moves,
        watched_move_us=max(0.0, watched.costs.servers - on_first.costs.servers) * SIZE.pairs / WATCHERS,
        connect_us=sockets.connect_us,
        socket_us=sockets.us_a_second,
        agent_us=agents,
        socket_bytes=sockets.bytes,
        game_bytes=game,
        stored_bytes=(after.disk - before.disk) / moves,
        note_bytes=(after.bus - before.bus) / moves,
    )


def _moves(bench: Bench) -> int:
    """In all rounds of a measurement."""
    once = sum(len(bench.games[pair % len(bench.games)].moves) for pair in range(SIZE.pairs))
    return (SIZE.warm + SIZE.rounds) * once


def _game_bytes(cluster: ClusterBench, server: Server) -> float:
    bench, target = cluster.bench, cluster.target
    players = target.players(server, GAMES)
    before = server.memory_bytes()
    plan = load.plan(target.wire, players, bench.games, most=WARM_MOVES)
    with load.connect(bench.program, server, plan) as connected:
        figures = connected.play(server)
    return (figures.memory - before) / GAMES


def _idle_share(server: Server) -> float:
    """Of a core, by a process that has nothing to do but its heartbeats."""
    before = server.cpu_seconds()
    time.sleep(IDLE_SECONDS / 2)
    return (server.cpu_seconds() - before) / (IDLE_SECONDS / 2)


def _sockets(server: Server, base: float) -> Idle:
    """`base` is the share of a core that the server uses anyway."""
    memory, cpu = server.memory_bytes(), server.cpu_seconds()
    with open_sockets(server, SOCKETS):
        connected, grown = server.cpu_seconds(), server.memory_bytes() - memory
        time.sleep(IDLE_SECONDS)
        idle = (server.cpu_seconds() - connected) / IDLE_SECONDS - base
    return Idle(1e6 * (connected - cpu) / SOCKETS, 1e6 * max(0.0, idle) / SOCKETS, grown / SOCKETS)


def _agents(folder: Path, server: Server, base: float) -> float:
    """Microseconds that one in a held request costs each second."""
    own = folder / "agents"
    own.mkdir()
    bench = ArenaBench(arena_load.build(own), own, arena_games.fixed_games())
    share = bench.idle(ArenaLudus(), server, AGENTS, IDLE_SECONDS)
    return 1e6 * max(0.0, share - base) / AGENTS


def _traffic(behind: Backends) -> Traffic:
    found = re.search(rb"total_net_input_bytes:(\d+)", behind.redis.ask("INFO stats"))
    assert found
    return Traffic(asyncio.run(_disk_bytes(behind.database)), int(found[1]))


async def _disk_bytes(url: str) -> int:
    connection = await asyncpg.connect(url)
    size: int = await connection.fetchval("SELECT pg_total_relation_size('events') + pg_total_relation_size('tables')")
    await connection.close()
    return size


def document(where: str, costs: Costs) -> dict[str, Any]:
    costs = Costs(*map(rounded, costs))
    return {
        "machine": where,
        "costs": costs._asdict(),
        "crowds": {
            design.name: [as_json(smallest(Crowd(players), costs, design), players) for players in CROWDS]
            for design in (TODAY, PLANNED)
        },
        "breaks": {design.name: breaking_points(costs, design) for design in (TODAY, PLANNED)},
    }


def as_json(found: Load | None, players: int) -> dict[str, float | None]:
    if found is None:
        return {"players": players, "processes": None}
    return {name: rounded(value) for name, value in found._asdict().items()}


def rounded(value: float) -> float:
    if isinstance(value, int):
        return value
    short = float(f"{value:.{DIGITS}g}")
    return int(short) if short.is_integer() else short


def tables(found: dict[str, Any]) -> Iterator[list[str]]:
    """In Markdown, as the page has them."""
    costs = Costs(**found["costs"])
    yield cost_table(costs)
    for name, crowds in found["crowds"].items():
        yield crowd_table(name, crowds)
        yield break_table(name, found["breaks"][name])


def updated(page: str, found: dict[str, Any]) -> str:
    """The page with these tables where it has tables with the same heads."""
    for lines in tables(found):
        (old,) = re.finditer(rf"^{re.escape(lines[0])}\n(\|.*\n)+", page, flags=re.MULTILINE)
        page = page[: old.start()] + "\n".join(lines) + "\n" + page[old.end() :]
    return page


def cost_table(costs: Costs) -> list[str]:
    rows: list[tuple[str, str]] = [
        ("a move, players on different processes", f"{costs.move_us:g} µs of the servers"),
        ("the same in PostgreSQL", f"{costs.move_database_us:g} µs, {costs.stored_bytes:g} bytes on its disk"),
        ("the same in Redis", f"{costs.move_bus_us:g} µs, {costs.note_bytes:g} bytes"),
        ("the same for each other process, which has nobody at the table", f"{costs.foreign_note_us:g} µs"),
        ("a spectator, each move", f"{costs.watched_move_us:g} µs"),
        ("a connection that is opened", f"{costs.connect_us:g} µs"),
        ("an idle socket", f"{costs.socket_us:g} µs a second, {costs.socket_bytes / 1e3:.3g} kB"),
        ("an idle agent in a held request", f"{costs.agent_us:g} µs a second"),
        ("a live game with both connections", f"{costs.game_bytes / 1e3:.3g} kB"),
    ]
    return [markdown("in a cluster", "cost"), markdown("---", "---"), *(markdown(*cells) for cells in rows)]


HEADINGS: Final = {
    "processes": "server processes",
    "sockets_a_process": "connections each",
    "moves": "moves/s",
    "database_connections": "connections to PostgreSQL",
    "database_cores": "cores of PostgreSQL",
    "database_writes": "rows written/s",
    "database_gb_a_day": "GB a day",
    "bus_messages": "notes read/s",
    "bus_mb": "MB/s from Redis",
    "bus_cores": "cores of Redis",
    "memory_gb": "GB of memory",
}


LIMITS_SHOWN: Final = {
    "database_connections": "500 connections to PostgreSQL",
    "bus_cores": "one core of Redis",
    "bus_mb": "1,000 MB/s from Redis",
    "database_cores": "16 cores of PostgreSQL",
    "database_gb_a_day": "1,000 GB a day on PostgreSQL's disk",
    "processes": "what any number of processes can do",
}


def crowd_table(name: str, crowds: Sequence[dict[str, Any]]) -> list[str]:
    """A column for each crowd."""
    players = [f"{crowd['players']:,} players" for crowd in crowds]
    lines = [(title, *(shown(crowd.get(field)) for crowd in crowds)) for field, title in HEADINGS.items()]
    return [markdown(name, *players), markdown(*["---"] * (len(crowds) + 1)), *(markdown(*line) for line in lines)]


def break_table(name: str, breaks: dict[str, int]) -> list[str]:
    """In the order in which the limits are reached."""
    lines = [(LIMITS_SHOWN[limit], f"{players:,}") for limit, players in breaks.items()]
    return [
        markdown(f"{name}: what is exceeded", "from players at once"),
        markdown("---", "---"),
        *(markdown(*line) for line in lines),
    ]


def markdown(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def shown(value: float | None) -> str:
    return "none suffices" if value is None else f"{value:,.0f}" if value >= 100 else f"{value:g}"


if __name__ == "__main__":
    main()
