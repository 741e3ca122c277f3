"""Forms are taken from our own pages alone: the CSRF token in each, and the cookie that it fits.

Calls of the API with a bearer token need none, for a browser never adds one by itself.
"""

from __future__ import annotations

from typing import Final

from flask import Flask, request, session
from flask.sessions import SecureCookieSessionInterface
from flask_wtf import CSRFProtect  # type: ignore[import-untyped]

from ladder.secrets import SecretBox
from web import identity

_LARGEST: Final = 2**20
"""Bytes that a request may hold."""


class _FormCookie(SecureCookieSessionInterface):
    """Flask's signed cookie, which holds nothing but what the tokens are made from."""

    def get_cookie_name(self, app: Flask) -> str:
        name = str(app.config["SESSION_COOKIE_NAME"])
        return f"__Host-{name}" if request.is_secure else name

    def get_cookie_secure(self, app: Flask) -> bool:  # noqa: ARG002
        return request.is_secure


def init_app(app: Flask, box: SecretBox) -> None:
    """Check the token of every form; the key for it is derived from the box's."""
    app.secret_key = box.derive("forms")
    app.session_interface = _FormCookie()
    app.config.update(
        MAX_CONTENT_LENGTH=_LARGEST,
        SESSION_COOKIE_NAME="santiago-forms",
        SESSION_COOKIE_SAMESITE="Lax",
        WTF_CSRF_CHECK_DEFAULT=False,
        WTF_CSRF_TIME_LIMIT=None,  # a token lasts as long as the browser's session
    )
    protection = CSRFProtect(app)

    @app.before_request
    def check() -> None:
        if not _identified_otherwise():
            protection.protect(apply_exemptions=True)


def renew() -> None:
    """Make the tokens handed out so far worthless; called whenever somebody signs in or out."""
    session.clear()


def text(name: str) -> str:
    """What was typed into a field, without blanks around it; empty where it is missing."""
    return request.form.get(name, "").strip()


def secret(name: str) -> str:
    """A password as it was typed."""
    return request.form.get(name, "")


def _identified_otherwise() -> bool:
    """Whether no cookie says who asks: a token does, or the API is asked by a stranger."""
    return request.path.startswith("/api/") and identity.secret() is None
