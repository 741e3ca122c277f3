"""Protect visitors: response headers, forms, trusted proxies and hosts, no ways to other sites.

Pages load nothing from elsewhere, run nothing inline, and are not shown in frames unless allowed.
Forms are accepted from our own pages only. Browsers say so in Sec-Fetch-Site (W3C Fetch Metadata);
where it is missing, as in old ones and without HTTPS, a CSRF token has to fit a cookie. API calls
with a bearer token need neither, because browsers never add one by themselves.
"""

import hmac
import os
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, Final
from urllib.parse import urlsplit

from flask import Flask, Response, current_app, g, request, session, url_for
from flask.sessions import SecureCookieSessionInterface
from flask_wtf import CSRFProtect  # type: ignore[import-untyped]
from flask_wtf.csrf import generate_csrf  # type: ignore[import-untyped]
from werkzeug.exceptions import BadHost, SecurityError
from werkzeug.middleware.proxy_fix import ProxyFix

from ladder.config import Environment
from ladder.secrets import SecretBox
from web import identity

_LARGEST: Final = 64 * 1024
"""The maximum size of a request in bytes; to read a form takes a second for each megabyte."""

_LIFETIME: Final = timedelta(days=90)
"""How long a browser keeps the signed cookie of a guest after their newest game."""
_TOKEN: Final = "csrf_token"
"""The key of the secret in the signed cookie from which the tokens of forms are made."""

_OWN_ALONE = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
)

_HEADERS = {
    "Cache-Control": "no-cache",  # what says nothing, caches keep for as long as they like
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


class _FormCookie(SecureCookieSessionInterface):
    """Flask's signed cookie: what the tokens are made from, and the keys of a guest's games."""

    def get_cookie_name(self, app: Flask) -> str:
        return identity.cookie_name(app.config["SESSION_COOKIE_NAME"])

    def get_cookie_secure(self, app: Flask) -> bool:  # noqa: ARG002
        return request.is_secure


def init_app(app: Flask) -> None:
    """Send the security headers with every answer, and let caches ask before they reuse it."""
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


def trust_hosts(app: Flask) -> None:
    """Answer only under the name in SANTIAGO_PUBLIC_URL, if it is set, and on this machine.

    No site answers under what no host can be named, as a..b: its own links could not be written.
    Links for people elsewhere lead to that URL: see `public_url_for`. Raises SettingsError.
    """
    environment = Environment.from_environment()
    app.config["SANTIAGO_PUBLIC_URL"] = environment.public_url
    app.jinja_env.globals["public_url_for"] = public_url_for
    if environment.public_url:
        public = urlsplit(environment.public_url).hostname
        app.config["TRUSTED_HOSTS"] = [public, "127.0.0.1", "localhost", environment.host]

    @app.before_request
    def refuse_other_hosts() -> None:
        if isinstance(request.routing_exception, SecurityError | BadHost) or not _can_be_named():
            raise SecurityError


def _can_be_named() -> bool:
    """Return True if URLs can be made of the request's host."""
    try:
        return bool(request.host_url)
    except UnicodeError:
        return False


def public_url_for(endpoint: str, **values: Any) -> str:
    """Return a whole URL for use elsewhere; it begins with the public URL if that is set."""
    return public_root() + url_for(endpoint, **values)


def public_root() -> str:
    """Return the URL that visitors know the site by, without a slash at its end."""
    own: str = current_app.config["SANTIAGO_PUBLIC_URL"]
    return own or request.host_url.rstrip("/")


def protect_forms(app: Flask, box: SecretBox) -> None:
    """Check the token of every form, with a key derived from the box's."""
    app.secret_key = box.derive("forms")
    app.session_interface = _FormCookie()
    app.config.update(
        MAX_CONTENT_LENGTH=_LARGEST,
        PERMANENT_SESSION_LIFETIME=_LIFETIME,
        SESSION_COOKIE_NAME="santiago-forms",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_REFRESH_EACH_REQUEST=False,
        WTF_CSRF_CHECK_DEFAULT=False,
        WTF_CSRF_FIELD_NAME=_TOKEN,
        WTF_CSRF_TIME_LIMIT=None,  # a token lasts as long as the cookie
    )
    protection = CSRFProtect(app)

    @app.before_request
    def check() -> None:
        if not _needs_no_token():
            protection.protect(apply_exemptions=True)


def renew_form_tokens() -> None:
    """Void the form tokens given out so far; call it at each sign-in."""
    session.pop(_TOKEN, None)


def forget_visitor() -> None:
    """Void the form tokens, and forget a guest's games; call it at each sign-out."""
    session.clear()


def browser_key(subject: str) -> str:
    """Return 24 characters that only this browser gets for the subject, until its next sign-in."""
    generate_csrf()  # makes the secret of a browser that has none yet
    secret = f"{session[_TOKEN]} {subject}".encode()
    key = hmac.digest(str(current_app.secret_key).encode(), secret, "sha256")
    return urlsafe_b64encode(key[:18]).decode()


def next_path() -> str | None:
    """Return the path of this site, with its query, that ?next= gives; None for all else."""
    return _local(request.values.get("next", ""))


def came_from() -> str | None:
    """Return the path, with its query, of this site's page from which a browser came; else None."""
    page = request.referrer or ""
    roots = (request.host_url, f"{public_root()}/")
    return next((_local(f"/{page[len(root) :]}") for root in roots if page.startswith(root)), None)


def _local(path: str) -> str | None:
    """Return a path of this site with its query; None for what may lead elsewhere."""
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


def _needs_no_token() -> bool:
    """Return True if no other site can have made the browser send the request.

    Then a form may be from before a sign-in or sign-out in another tab.
    """
    if request.headers.get("Sec-Fetch-Site") == "same-origin":  # no script can set it
        return True
    return request.path.startswith("/api/") and identity.secret() is None
