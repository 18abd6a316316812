"""What load tests share: a server that gets killed, the state of a run, and what its clients report."""

from __future__ import annotations

from collections import Counter

import httpx2

from .restartable_server import RestartableServer

GAMES = ("checkers", "backgammon")


class LoadRun:
    def __init__(self, server: RestartableServer, http: httpx2.AsyncClient) -> None:
        self.server = server
        self.http = http
        self.is_closing = False
        self.count: Counter[str] = Counter()
        self.problems: list[str] = []

    def report_problem(self, problem: str) -> None:
        self.problems.append(problem)
