"""Headers that keep pages to themselves: nothing from elsewhere, nothing inline, no framing."""

from flask import Flask, Response

_CONTENT_SECURITY_POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)

_HEADERS = {
    "Content-Security-Policy": _CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def init_app(app: Flask) -> None:
    """Send the headers with every answer."""
    app.after_request(_secure)


def keep_nothing(response: Response) -> Response:
    """For pages that show secrets or private things: no browser and no proxy keeps a copy."""
    response.headers["Cache-Control"] = "no-store"
    return response


def _secure(response: Response) -> Response:
    for name, value in _HEADERS.items():
        response.headers.setdefault(name, value)
    return response
