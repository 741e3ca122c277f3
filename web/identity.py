"""Identify the user of a request: by a browser's cookie, below /api/ also by a bearer token."""

from datetime import timedelta
from typing import Final

from flask import Flask, Response, g, request
from sqlalchemy.exc import SQLAlchemyError
from werkzeug.wrappers import Response as Answer

from ladder.errors import Forbidden, NotSignedIn, Phrase
from ladder.people import notices, signing, tickets
from ladder.people.accounts import Account, require_admin
from ladder.people.signing import SIGN_IN_LIFETIME
from ladder.people.tickets import Bearer
from web.database import session

_COOKIE: Final = "santiago"
_SCHEME: Final = "bearer "


def init_app(app: Flask) -> None:
    """Give templates the signed-in `account` and its number of `unread` notices.

    Cache headers keep one user's pages from others.
    """
    app.context_processor(_shown)
    app.after_request(_keep_private)


def signed_in() -> Account:
    """Return the user whose browser is signed in. Raises NotSignedIn. For tokens see `may`."""
    found = browser()
    if found is None:
        raise NotSignedIn("sign in to see this page")
    return found


def admin() -> Account:
    """Return the admin whose browser is signed in. Raises NotSignedIn and Forbidden."""
    account = signed_in()
    require_admin(account)
    return account


def may(scope: str) -> Account:
    """Return the user, if role and (below /api/) token allow the scope, one of `tickets.SCOPES`.

    Raises NotSignedIn and Forbidden.
    """
    called = bearer()
    if called is not None:
        return _within(scope, called.account, called.scopes)
    found = browser()
    if found is None:
        raise NotSignedIn("sign in, or send a token: Authorization: Bearer …")
    return _within(scope, found, tickets.SCOPES)


def _by_token() -> bool:
    """Return True if the request carries a bearer token; its cookies are then ignored."""
    sent = request.headers.get("Authorization", "")
    return request.path.startswith("/api/") and sent[: len(_SCHEME)].lower() == _SCHEME


def bearer() -> Bearer | None:
    """Return the token's user and scopes, or None without a token. Raises NotSignedIn."""
    if not _by_token():
        return None
    if "bearer" not in g:
        token = request.headers["Authorization"][len(_SCHEME) :].strip()
        g.bearer = tickets.bearer(session(), token)
        session().commit()
    found: Bearer = g.bearer
    return found


def browser() -> Account | None:
    """Return the browser's user; None if it is not signed in, or a token was sent."""
    if "browser" not in g:
        sent = secret()
        g.browser = signing.find_signed_in(session(), sent) if sent else None
    found: Account | None = g.browser
    return found


def look_again() -> None:
    """Look the caller up anew from now on: the request has taken long to arrive."""
    g.pop("bearer", None)
    g.pop("browser", None)


def secret() -> str | None:
    """Return the ticket in the browser's cookie."""
    return None if _by_token() else request.cookies.get(cookie_name(_COOKIE))


def remember(answer: Answer, ticket: str) -> None:
    """Set the cookie with the ticket of a sign-in."""
    set_cookie(answer, _COOKIE, ticket, SIGN_IN_LIFETIME)


def forget(answer: Answer) -> None:
    """Delete the cookie."""
    answer.delete_cookie(
        cookie_name(_COOKIE), path="/", secure=request.is_secure, httponly=True, samesite="Lax"
    )


def set_cookie(answer: Answer, name: str, value: str, lifetime: timedelta) -> None:
    """Set a cookie that neither scripts nor other sites can use."""
    answer.set_cookie(
        cookie_name(name),
        value,
        max_age=lifetime,
        path="/",
        secure=request.is_secure,
        httponly=True,
        samesite="Lax",
    )


def cookie_name(name: str) -> str:
    """Return a cookie's name; on HTTPS with a prefix that ties it to this host."""
    return f"__Host-{name}" if request.is_secure else name


def _within(scope: str, account: Account, scopes: tuple[str, ...]) -> Account:
    if scope not in tickets.allowed_scopes(account):
        raise Forbidden("the role %(role)s does not allow this", role=Phrase(account.role))
    if scope not in scopes:
        raise Forbidden(
            "the token lacks the scope %(scope)s: create one that has it on your account's page",
            scope=scope,
        )
    return account


def _shown() -> dict[str, object]:
    try:
        found = browser()
        unread = notices.count_unread(session(), found) if found else 0
    except SQLAlchemyError:  # the page that says so has to be shown as well
        found, unread = None, 0
    return {"account": found, "unread": unread}


def _keep_private(answer: Response) -> Response:
    if "browser" in g:
        answer.vary.add("Cookie")
        if g.browser is not None:
            answer.cache_control.private = True
            answer.cache_control.no_cache = True
    return answer
