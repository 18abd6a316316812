"""What all players of a run share: the plan, the server, and what the audit needs."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from itertools import cycle
from typing import NamedTuple

import httpx2

from ..load import GAMES, LoadRun
from ..restartable_server import RestartableServer
from .message_log import MessageLog
from .raw_client import ANSWER_SECONDS

ROLES = ("plays", "plays", "idles", "plays", "plays", "leaves", "plays")


class Plan(NamedTuple):
    """A run: players per kind and game, kills, and the server's limits in seconds."""

    kills: int
    guests: int
    members: int
    bot_players: int
    seed: int
    uptime: tuple[float, float] = (2.0, 4.5)
    quick: float = 0.2
    """How often the next kill comes at once, while players are still reconnecting."""
    pause: float = 1.0
    """Most seconds between a kill and the restart."""
    warn: float = 4.0
    idle: float = 8.0
    reconnect: float = 8.0
    thinking: float = 0.3
    patience: int = 12
    """Moves after which the last player who is to lose on time stops playing."""
    limit: float = 290.0
    """Seconds for everything."""
    fault: float = 15.0
    """Seconds that a fault lasts; longer than any limit."""
    answer: float = ANSWER_SECONDS
    """Seconds that a player waits for an answer before trying another connection."""
    roles: Sequence[str] = ROLES
    """What players do at their tables, in turn."""

    @property
    def tables(self) -> int:
        """How many games go on at once."""
        return len(GAMES) * ((self.guests + self.members) // 2 + self.bot_players)

    def settings(self) -> dict[str, object]:
        return {
            "afk_warn_seconds": self.warn,
            "afk_seconds": self.idle,
            "reconnect_seconds": self.reconnect,
            "bot_pause": 0.05,
            "rate_limit": 1_000_000,
            "max_sockets": 10_000,
            "guest_games": 1_000_000,
            "max_guest_games": 10_000,
            "max_events": 100_000,
            "log_level": "warning",
        }


class Ack(NamedTuple):
    """A command that the server accepted."""

    room: str
    version: int
    player: str
    command: str


class Answer(NamedTuple):
    """When a command was first sent and when it was acknowledged, by the monotonic clock."""

    sent: float
    acked: float


class RunState(LoadRun):
    def __init__(self, plan: Plan, server: RestartableServer, key: str, http: httpx2.AsyncClient) -> None:
        super().__init__(server, http)
        self.plan = plan
        self.key = key
        self.rng = random.Random(plan.seed)
        self.logs: list[MessageLog] = []
        self.acks: list[Ack] = []
        self.next_roles = cycle(plan.roles)
        """In turn, so that each comes up in the shortest run."""
        self.over: set[str] = set()
        """Rooms whose players have been sent the end of the game."""
        self.idle: set[str] = set()
        """Rooms in which a player idles until the time is up."""
        self.stopped: set[str] = set()
        """Rooms in which a player has stopped playing on purpose."""
        self.roles: dict[tuple[str, str], str] = {}
        """What each player does at each table, by room and player."""
        self.hang_ups: list[Callable[[], None]] = []
        """Each ends the connection of a player."""
        self.played_at: dict[str, float] = {}
        """When a command was last acknowledged in each room, by the monotonic clock."""
        self.answers: list[Answer] = []
        self.resumed: list[float] = []
        """Seconds from the server's opening until a player was back at the table."""

    @property
    def arrivals(self) -> int:
        """How often a player took a seat or reconnected to one."""
        return self.count["seats"] + self.count["resumed"]
