"""Count, time and log the site's requests, for Prometheus and operators.

The numbers are at /metrics on a port of their own, which no visitor reaches. Each process of the
site counts for itself and has a port of its own: the first one is that of the setting, and the
others follow. Neither numbers nor log hold a query, a cookie or a secret part of a path.
"""

import logging
import re
from collections.abc import Iterable
from errno import EADDRINUSE
from time import perf_counter
from typing import Any, Final
from urllib.parse import quote

from flask import Flask, Request
from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server

from ladder.config import METRICS_PORT, Settings
from ladder.operating.metrics import cannot_listen

_BOUNDS: Final = (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0)  # seconds
_NONE: Final = "none"
"""The endpoint of requests for which there is no page."""
_SECRETS: Final = frozenset({"ticket", "key"})
"""Parts of paths that let their holder in, or play a seat."""
_LIKE_A_SECRET: Final = re.compile(r"[\w-]{43,}|(?<=/play/)[\w-]{24,}")
"""Such a part where no page was found: another method, another host, a slash too many."""

_WHOLE: Final = ("SCRIPT_NAME", "PATH_INFO")
"""The parts of the environment that make a path: the language of a page is in the first."""

_REGISTRY: Final = CollectorRegistry()
_REQUESTS: Final = Counter(
    "santiago_site_requests",
    "Requests by endpoint and status.",
    ["endpoint", "status"],
    registry=_REGISTRY,
)
_SECONDS: Final = Histogram(
    "santiago_site_seconds",
    "Seconds until the answer began, by endpoint.",
    ["endpoint"],
    buckets=_BOUNDS,
    registry=_REGISTRY,
)
_LOG: Final = logging.getLogger(__name__)


def watch(app: Flask, *, log: bool) -> None:
    """Count and time all requests from now on; with `log`, also log a line for each."""
    answer = app.wsgi_app

    def watched(environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        began = perf_counter()

        def started(status: str, *rest: Any) -> Any:
            seconds = perf_counter() - began
            _count(environ, status[:3], seconds)
            if log:
                _write(environ, status[:3], seconds)
            return start_response(status, *rest)

        return answer(environ, started)

    app.wsgi_app = watched  # type: ignore[method-assign]


def serve_metrics(settings: Settings, processes: int) -> None:
    """Serve this process's numbers on the first port that none of the others has taken.

    Without a port in the settings, or if nothing can listen there, there are no numbers.
    """
    first = settings.metrics_port
    if not first:
        return
    for port in range(first, first + processes):
        try:
            start_http_server(port, settings.metrics_host, _REGISTRY)
            return
        except OSError as error:
            if error.errno != EADDRINUSE:
                _LOG.error("%s", cannot_listen(settings, port, error))
                return
    _LOG.warning("%s %d: all ports of %d processes are taken", METRICS_PORT, first, processes)


def _count(environ: dict[str, Any], status: str, seconds: float) -> None:
    endpoint = _endpoint(environ)
    _REQUESTS.labels(endpoint, status).inc()
    _SECONDS.labels(endpoint).observe(seconds)


def _write(environ: dict[str, Any], status: str, seconds: float) -> None:
    """Log the answer to a request as it begins; streams may last for hours."""
    fields = {
        "address": environ.get("REMOTE_ADDR", ""),
        "method": environ["REQUEST_METHOD"],
        "path": shown_path(environ),
        "status": int(status),
        "seconds": round(seconds, 4),
        "endpoint": _endpoint(environ),
    }
    _LOG.info("%s", " ".join(map(str, fields.values())), extra=fields)


def _endpoint(environ: dict[str, Any]) -> str:
    request: Request | None = environ.get("werkzeug.request")  # Flask puts it there
    return (request and request.endpoint) or _NONE


def shown_path(environ: dict[str, Any]) -> str:
    """Return the path of a request as logs may hold it: without its secret parts."""
    request: Request | None = environ.get("werkzeug.request")
    if request and request.url_rule and not _SECRETS.isdisjoint(request.view_args or ()):
        return request.url_rule.rule
    path = quote("".join(environ.get(part, "") for part in _WHOLE).encode("latin-1"))
    return path if request and request.url_rule else _LIKE_A_SECRET.sub("<secret>", path)
