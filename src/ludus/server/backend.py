"""What servers and workers have in common: the platform on its store and its bus, without APIs."""

from __future__ import annotations

import hashlib
import hmac
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ludus.bus import bus_for
from ludus.bus.dispatcher import Do
from ludus.core.game import Game
from ludus.puzzles.collection import collection
from ludus.server.metrics import Metrics
from ludus.server.readiness import Readiness
from ludus.server.settings import Settings, secret_of
from ludus.server.tracing import tracing_for
from ludus.service.analysis import Analyses
from ludus.service.clock import StoreClock, WallClock
from ludus.service.cluster import Cluster, Role, secret_mark
from ludus.service.engine_pool import EnginePool
from ludus.service.platform import Platform, Timeouts, new_member
from ludus.service.ports.clock import Clock
from ludus.service.retention import DAY
from ludus.service.roster import Roster
from ludus.service.webhooks.outbox import WebhookOutbox
from ludus.storage import store_for


class Backend:
    def __init__(
        self,
        settings: Settings,
        metrics: Metrics,
        clock: Clock | None = None,
        *,
        address: str = "",
        do: Do | None = None,
        is_worker: bool = False,
    ) -> None:
        """`address` is where other processes reach this one; `do` does the work of those who hear the bus."""
        self._has_warmup = settings.bot_warmup and settings.bot_workers > 0
        clock = clock or WallClock()
        self.clock = clock = StoreClock(clock) if settings.bus else clock
        self.secret = secret_of(settings)
        self.store = store_for(
            settings.database, Path(settings.data), on_commit=lambda units, seconds: metrics.commit(seconds, units)
        )
        self.engine_pool = EnginePool(settings.bot_workers, Roster.read(settings.players))
        self._idle, self._able = (Role.STARTING, Role.WORKER) if is_worker else (Role.SERVER, Role.BOTH)
        member = new_member(self.secret, self._idle if self._has_warmup else self._role(), address)
        self.cluster = Cluster(self.store, member, is_sole=not settings.bus, role=self._role)
        self.bus_name = f"ludus:{secret_mark(self.secret)}"
        key = hmac.digest(self.secret, b"notes between processes", hashlib.sha256)
        bus = bus_for(settings.bus, self.cluster.id, metrics, do, name=self.bus_name, key=key)
        self.tracing = tracing_for(settings, self.cluster.id)
        if self.tracing:
            self.tracing.follow_notes(bus)
        self.platform = Platform(
            self.store,
            bus,
            self.engine_pool,
            self.secret,
            _timeouts(settings),
            clock=clock,
            watch=metrics.thinking,
            open_modes=settings.open_seats.split(","),
            cluster=self.cluster,
            has_exhibitions=settings.exhibitions,
            puzzles=collection("" if is_worker else settings.puzzles),
        )
        self.on_delivery: Callable[[], None] = lambda: None
        """Called when something was added to the outbox."""
        self.outbox = WebhookOutbox(self.store, lambda: str(uuid.uuid4()), clock, lambda: self.on_delivery())
        self.platform.tables.hooks.append(self.outbox.on_decision)
        self.platform.expiry_hooks.append(self.outbox.expired)
        self.platform.director.hooks.append(self.outbox.on_tournament)
        self.analyses = Analyses(self.engine_pool.assess, self.store, clock, self.cluster, self._game)
        self.readiness = Readiness(self.platform)
        self.on_engine_loaded: Callable[[str], None] = lambda _game: None
        """Called with each game whose engine has been loaded before the process is ready."""

    async def open(self) -> None:
        """The engines are loaded in the background."""
        await self.platform.open()
        self.analyses.open()
        if self._has_warmup:
            self.engine_pool.load_all(progress=self.on_engine_loaded)
        self.readiness.is_open = True

    async def prepare_to_stop(self) -> None:
        self.readiness.is_stopping = True
        await self.platform.prepare_to_stop()

    async def close(self) -> None:
        await self.analyses.stop()
        await self.platform.close()
        if self.tracing:
            await self.tracing.stop()

    def _role(self) -> Role:
        """Bots' leases are for processes whose engines are ready."""
        return self._able if self.engine_pool.has_workers and not self.engine_pool.is_loading else self._idle

    async def _game(self, table: str) -> Game[Any, Any]:
        return (await self.platform.tables.load(table)).table.game


def _timeouts(settings: Settings) -> Timeouts:
    return Timeouts(
        warn=round(settings.afk_warn_seconds * 1000),
        idle=round(settings.afk_seconds * 1000),
        reconnect=round(settings.reconnect_seconds * 1000),
        session=round(settings.session_seconds * 1000),
        room=round(settings.room_code_seconds * 1000),
        page_reconnect=round(settings.page_reconnect_seconds * 1000),
        no_show=round(settings.no_show_seconds * 1000),
        page_abandon=settings.page_abandon_days * DAY or None,
        invitation=round(settings.invitation_seconds * 1000),
        bot_pause=settings.bot_pause,
        fast_turn=round(settings.fast_turn_seconds * 1000),
        standard_turn=round(settings.standard_turn_seconds * 1000),
        fast_queue=round(settings.fast_queue_seconds * 1000),
        standard_queue=round(settings.standard_queue_seconds * 1000),
        bot_fallback=round(settings.bot_fallback_seconds * 1000) or None,
    )
