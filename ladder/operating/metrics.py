"""Serve the numbers of a process at /metrics, on a port of its own, for Prometheus."""

from prometheus_client import REGISTRY, CollectorRegistry, start_http_server

from ladder.config import METRICS_HOST, METRICS_PORT, Settings
from ladder.errors import SettingsError


def serve_metrics(settings: Settings, registry: CollectorRegistry = REGISTRY) -> None:
    """Serve a registry until the process ends, if the settings name a port.

    Raises SettingsError that says where nothing can listen, and why.
    """
    if not settings.metrics_port:
        return
    try:
        start_http_server(settings.metrics_port, settings.metrics_host, registry)
    except OSError as error:
        raise SettingsError(cannot_listen(settings, settings.metrics_port, error)) from None


def cannot_listen(settings: Settings, port: int, error: OSError) -> str:
    """Return the sentence that says why there are no metrics on a port."""
    return (
        f"the metrics cannot be at {settings.metrics_host}:{port} ({error.strerror}): choose "
        f"another {METRICS_PORT} or {METRICS_HOST}"
    )
