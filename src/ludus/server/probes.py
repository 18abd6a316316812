"""What monitoring asks of a process: whether it is alive, whether it is ready, and its metrics."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from functools import partial

from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import Response

from ludus.server.http.request import json_response
from ludus.server.http.shared_builds import SharedBuilds
from ludus.server.metrics import Metrics
from ludus.server.readiness import Readiness

Handler = Callable[[Request], Awaitable[Response]]


def probes(readiness: Readiness, metrics: Metrics, update: Callable[[], None]) -> Mapping[str, Handler]:
    """Handlers by path. `update` sets the metrics that are not counted as things happen."""
    shared = SharedBuilds()

    async def health(_: Request) -> Response:
        return json_response({"status": "alive"})

    async def ready(_: Request) -> Response:
        failed = await readiness.failed()
        body = {"status": "not ready" if failed else "ready", "failed": failed}
        return json_response(body, 503 if failed else 200)

    async def render() -> bytes:
        metrics.tasks.set(len(asyncio.all_tasks()))
        update()
        content, _ = await asyncio.to_thread(metrics.render)
        return content

    async def show_metrics(_: Request) -> Response:
        return Response((await shared.get("metrics", render)).content, media_type=CONTENT_TYPE_LATEST)

    second = {"/health": partial(health), "/ready": partial(ready)}  # endpoints of their own, by which they are counted
    return {"/healthz": health, "/readyz": ready, **second, "/metrics": show_metrics}
