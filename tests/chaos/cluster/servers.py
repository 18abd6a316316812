"""Server processes of one platform, each behind a proxy of its own; clients use any of them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from random import Random

from ...restartable_server import RestartableServer
from ...server_pair import SECRET
from ...tcp_proxy import TcpProxy
from ..clock_signals import listen

CREDIT = 15.0
"""Seconds by which the platform's clock may fall behind with each fault that stops it."""


class ServerCluster(RestartableServer):
    """Used like one server, which is open as long as one of the processes is."""

    def __init__(self, folder: Path, settings: Mapping[str, object], processes: int, rng: Random) -> None:
        settings = {**settings, "secret": SECRET}
        super().__init__(folder, settings)
        self.members = [
            RestartableServer(_made(folder / f"server{number}"), settings, prepare=listen)
            for number in range(processes)
        ]
        self.proxies = [TcpProxy() for _ in self.members]
        self._rng = rng
        self._opened = 0.0
        self._standing_still = 0.0

    async def start(self) -> None:
        for member, proxy in zip(self.members, self.proxies, strict=True):
            await member.start()
            proxy.port = int(member.url.rpartition(":")[2])
            await proxy.open()
        self._opened = time.monotonic()
        self.up.set()

    async def stop(self) -> int:
        """Returns the first exit status that is not 0."""
        statuses = [await member.stop() for member in self.members]
        return next((status for status in statuses if status), 0)

    async def close_proxies(self) -> None:
        for proxy in self.proxies:
            await proxy.close()

    def kill_all(self) -> None:
        for member in self.members:
            member.kill_all()

    @property
    def url(self) -> str:
        """That of any process which was not ended; it may hang."""
        able = [proxy for proxy, member in zip(self.proxies, self.members, strict=True) if member.up.is_set()]
        return self._rng.choice(able or self.proxies).url

    @property
    def log(self) -> str:
        return "\n".join(member.log for member in self.members)

    @property
    def errors(self) -> list[str]:
        return [trace for member in self.members for trace in member.errors]

    def note_standstill(self, seconds: float) -> None:
        """In a fault of this length the platform's clock may have stood still."""
        self._standing_still += seconds + CREDIT

    @property
    def uptime(self) -> float:
        return time.monotonic() - self._opened

    @property
    def clock_seconds(self) -> float:
        return self.uptime - self._standing_still


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder
