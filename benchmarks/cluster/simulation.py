"""A crowd on a cluster, second by second, from the measured cost of each thing that a player does.

Every process has one core for its event loop. A second's work is what its players, spectators and idle connections
cost, and what the notes of the other processes cost; what does not fit into a second waits for the next. In the middle
of the run a process ends, and its players come back through the others.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

SECONDS = 120
LOSS_AT = 60
"""When a process ends."""
RETURN_SECONDS = 5
"""Within which its players come back."""
MOST_BACKLOG = 0.25
"""Seconds of work that may wait in the worst second, except after a loss."""
MOST_BACKLOG_AFTER_LOSS = 5.0
FULL = 0.7
"""The share of a core that a process may use on average."""
MOST_PROCESSES = 1 << 12
MOST_CONNECTIONS = 10_000
"""Of one process: the default of `max_connections`."""
POOL = 21
"""Connections of a process to PostgreSQL: ten that read, ten that write, and the one with the lease."""
LIMITS = {
    "database_connections": 500.0,
    "bus_cores": 1.0,
    "bus_mb": 1000.0,
    "database_cores": 16.0,
    "database_gb_a_day": 1000.0,
}
"""What one PostgreSQL on a machine of 16 cores bears, and one Redis, which has one thread and 10 Gbit/s of network."""


class Costs(NamedTuple):
    """Measured by `benchmarks.cluster.capacity`; microseconds of CPU time, and bytes."""

    move_us: float
    """Of the servers, for both players of a game on different processes."""
    move_database_us: float
    move_bus_us: float
    foreign_note_us: float
    """Of a process that hears of a move at a table of which it has no connection."""
    watched_move_us: float
    """Of a spectator, for each move."""
    connect_us: float
    """Of a connection that is opened and joins."""
    socket_us: float
    """Of an idle connection, each second."""
    agent_us: float
    """Of an agent in a long poll, each second."""
    socket_bytes: float
    game_bytes: float
    """Memory of a live game with both players' connections."""
    stored_bytes: float
    """On the database's disk, for each move."""
    note_bytes: float
    """Through the bus, for each move."""


class Crowd(NamedTuple):
    """Who is there at once, and what they do."""

    players: int
    playing: float = 0.8
    """The share at a table; of the rest, half look at pages and lists with an open socket, half are idle agents."""
    watching: float = 0.1
    """Spectators for each player."""
    move_seconds: float = 8.0
    """Between two moves of a game."""
    game_moves: int = 60

    @property
    def games(self) -> float:
        return self.players * self.playing / 2

    @property
    def moves(self) -> float:
        """A second."""
        return self.games / self.move_seconds

    @property
    def agents(self) -> float:
        return self.players * (1 - self.playing) / 2

    @property
    def sockets(self) -> float:
        return self.players * (1 + self.watching) - self.agents

    @property
    def spectators(self) -> float:
        return self.players * self.watching


class Design(NamedTuple):
    name: str
    hears_all: bool
    """Whether every process reads the notes of all tables, or only of those that it has connections of."""
    together: float
    """The share of games whose players share a process, so that nobody else needs the note."""


TODAY = Design("every process reads all notes", hears_all=True, together=0.0)
PLANNED = Design("streams by interest, players of a table together", hears_all=False, together=0.95)


class Load(NamedTuple):
    """Of a cluster with a crowd on it; per second, where it is not a number of things."""

    players: int
    processes: int
    sockets_a_process: float
    moves: float
    busy: float
    """The share of its core that a process uses."""
    backlog: float
    """Seconds of work that wait in the worst second before the loss."""
    backlog_after_loss: float
    database_connections: float
    database_cores: float
    database_writes: float
    """Rows."""
    database_gb_a_day: float
    bus_messages: float
    """Read by all processes together."""
    bus_mb: float
    """Sent by Redis."""
    bus_cores: float
    memory_gb: float

    @property
    def holds(self) -> bool:
        """Whether the processes suffice."""
        is_quick = self.backlog <= MOST_BACKLOG and self.backlog_after_loss <= MOST_BACKLOG_AFTER_LOSS
        return is_quick and self.busy <= FULL and self.sockets_a_process <= MOST_CONNECTIONS

    @property
    def broken(self) -> list[str]:
        """The limits of database and bus that are exceeded."""
        return [name for name, most in LIMITS.items() if getattr(self, name) > most]


def load(crowd: Crowd, costs: Costs, design: Design, processes: int, seed: int = 1) -> Load:
    calm, after = _backlogs(crowd, costs, design, processes, np.random.default_rng(seed))
    heard = _notes_heard(crowd, design, processes)
    return Load(
        players=crowd.players,
        processes=processes,
        sockets_a_process=(crowd.sockets + crowd.agents) / processes,
        moves=crowd.moves,
        busy=_work(crowd, costs, design, processes) / 1e6,
        backlog=calm,
        backlog_after_loss=after,
        database_connections=POOL * processes,
        database_cores=crowd.moves * costs.move_database_us / 1e6,
        database_writes=2 * crowd.moves,
        database_gb_a_day=crowd.moves * costs.stored_bytes * 86_400 / 1e9,
        bus_messages=heard * processes,
        bus_mb=heard * processes * costs.note_bytes / 1e6,
        bus_cores=(crowd.moves + heard * processes) / 2 * costs.move_bus_us / 1e6,
        memory_gb=(
            crowd.games * costs.game_bytes + (crowd.sockets + crowd.agents - 2 * crowd.games) * costs.socket_bytes
        )
        / 1e9,
    )


def smallest(crowd: Crowd, costs: Costs, design: Design) -> Load | None:
    """With the fewest processes that carry the crowd; None if no number does."""
    low, high = 1, 2
    while not load(crowd, costs, design, high).holds:
        low, high = high, 2 * high
        if high > MOST_PROCESSES:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if load(crowd, costs, design, middle).holds else (middle, high)
    return load(crowd, costs, design, high)


def breaking_points(costs: Costs, design: Design) -> dict[str, int]:
    """The players at which each limit is first exceeded, in that order; `processes`: no number of them suffices."""
    found: dict[str, int] = {}
    for players in _growing():
        load = smallest(Crowd(players), costs, design)
        for name in ["processes"] if load is None else load.broken:
            found.setdefault(name, players)
        if load is None:
            break
    return found


def _growing() -> Iterator[int]:
    """Crowds of 10,000 to four million, each a tenth larger than the one before."""
    players = 10_000.0
    while players <= 4e6:
        yield int(float(f"{players:.2g}"))
        players *= 1.1


def _notes_heard(crowd: Crowd, design: Design, processes: int) -> float:
    """Notes of other processes that one process reads in a second."""
    if processes == 1:
        return 0.0
    if design.hears_all:
        return crowd.moves * (processes - 1) / processes
    apart = crowd.moves * (1 - design.together)
    watched = crowd.moves * min(1.0, crowd.watching * 2)
    return (apart + watched) / processes


def _work(crowd: Crowd, costs: Costs, design: Design, processes: int) -> float:
    """Microseconds of one process in an average second."""
    own = (
        crowd.moves * costs.move_us
        + crowd.spectators / crowd.games * crowd.moves * costs.watched_move_us
        + (crowd.sockets - 2 * crowd.games) * costs.socket_us
        + crowd.agents * costs.agent_us
        + 2 * crowd.moves / crowd.game_moves * costs.connect_us
    )
    return own / processes + _notes_heard(crowd, design, processes) * costs.foreign_note_us


def _backlogs(
    crowd: Crowd, costs: Costs, design: Design, processes: int, rng: np.random.Generator
) -> tuple[float, float]:
    """The worst second's waiting work of any process, before the loss and after it."""
    average = _work(crowd, costs, design, processes)
    moves_each = crowd.moves / processes
    waiting = np.zeros(processes)
    worst = [0.0, 0.0]
    for second in range(SECONDS):
        alive = processes - (second >= LOSS_AT and processes > 1)
        share = processes / alive
        noise = rng.poisson(moves_each * share, alive) - moves_each * share
        work = average * share + noise * costs.move_us
        if LOSS_AT <= second < LOSS_AT + RETURN_SECONDS:
            back = (crowd.sockets + crowd.agents) / processes / alive / RETURN_SECONDS
            work = work + back * costs.connect_us
        waiting = np.maximum(0.0, waiting[:alive] + work / 1e6 - 1.0)
        phase = int(second >= LOSS_AT)
        worst[phase] = max(worst[phase], float(waiting.max()))
        if not math.isfinite(worst[phase]):
            break
    return worst[0], worst[1]
