"""Where spans go: over OTLP/HTTP to a collector, in batches and in a thread of its own."""

from __future__ import annotations

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from ludus import __version__

PATH = "/v1/traces"


def provider(endpoint: str, instance: str) -> TracerProvider:
    """Sampling, limits, the service's name and everything else is set by OpenTelemetry's own variables."""
    resource = Resource.create(
        {"service.name": "ludus", "service.version": __version__, "service.instance.id": instance}
    )
    made = TracerProvider(resource=resource)
    exporter = OTLPSpanExporter(endpoint=endpoint.rstrip("/") + PATH) if endpoint else OTLPSpanExporter()
    made.add_span_processor(BatchSpanProcessor(exporter))
    return made
