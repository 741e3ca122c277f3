"""Protect visitors: response headers, trusted proxies, and no redirects to other sites.

Pages load nothing from elsewhere, run nothing inline, and are not shown in frames unless allowed.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from flask import Flask, Response, g, request
from werkzeug.middleware.proxy_fix import ProxyFix

from ladder.config import Environment

_OWN_ALONE = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
)

_HEADERS = {
    "Content-Security-Policy": "; ".join((*_OWN_ALONE, "frame-ancestors 'none'")),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}

_IN_FRAMES = {
    **{name: value for name, value in _HEADERS.items() if name != "X-Frame-Options"},
    "Content-Security-Policy": "; ".join((*_OWN_ALONE, "frame-ancestors *")),
}


def init_app(app: Flask) -> None:
    """Send the security headers with every answer."""
    app.after_request(_secure)


def trust_proxies(app: Flask, environ: Mapping[str, str] = os.environ) -> None:
    """Take the visitor's address, scheme and host from the headers of the proxies in front.

    SANTIAGO_PROXIES is their number, 0 by default: without proxies these headers are ignored,
    since anyone can send them. Raises SettingsError.
    """
    if count := Environment.from_environment(environ).proxies:
        app.wsgi_app = ProxyFix(  # type: ignore[method-assign]
            app.wsgi_app, x_for=count, x_proto=count, x_host=count
        )


def own_path(name: str) -> str | None:
    """Return the path of this site, with its query, that a parameter gives; None for all else."""
    path = request.values.get(name, "")
    local = path.startswith("/") and not path.startswith("//") and "\\" not in path
    return path if local and path.isprintable() else None


def no_store(response: Response) -> Response:
    """Forbid browsers and proxies to store a page with secrets or private data."""
    response.headers["Cache-Control"] = "no-store"
    return response


def allow_framing() -> None:
    """Let any site show the answer to this request in a frame."""
    g.in_frames = True


def _secure(response: Response) -> Response:
    for name, value in (_IN_FRAMES if "in_frames" in g else _HEADERS).items():
        response.headers.setdefault(name, value)
    return response
