"""Headers that keep pages to themselves: nothing from elsewhere, nothing inline, no framing."""

from flask import Flask, Response, g

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
    """Send the headers with every answer."""
    app.after_request(_secure)


def keep_nothing(response: Response) -> Response:
    """For pages that show secrets or private things: no browser and no proxy keeps a copy."""
    response.headers["Cache-Control"] = "no-store"
    return response


def allow_framing() -> None:
    """Let pages of all sites show the answer to this request in a frame."""
    g.in_frames = True


def _secure(response: Response) -> Response:
    for name, value in (_IN_FRAMES if "in_frames" in g else _HEADERS).items():
        response.headers.setdefault(name, value)
    return response
