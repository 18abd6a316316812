"""Traces by OpenTelemetry: the path of a command through the server, and through the other processes that show it.

Off by default. Then nothing of this is imported but this module, and no function has a span in it: a traced server has
some of its objects' functions replaced.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from ludus.core.extras import extra
from ludus.server.settings import Settings

if TYPE_CHECKING:
    from ludus.server.tracing.instrumentation import Tracing

ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
DISABLED: Final = "OTEL_SDK_DISABLED"


def tracing_for(settings: Settings, instance: str = "", environ: Mapping[str, str] = os.environ) -> Tracing | None:
    """None unless the settings or OpenTelemetry's own variables name a collector. `instance` names this process."""
    is_wanted = settings.otel_endpoint or any(environ.get(name) for name in ENDPOINTS)
    if not is_wanted or environ.get(DISABLED, "").lower() == "true":
        return None
    with extra("otel"):
        from ludus.server.tracing.instrumentation import Tracing
        from ludus.server.tracing.provider import provider
    return Tracing(provider(settings.otel_endpoint, instance))
