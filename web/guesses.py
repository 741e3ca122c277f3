"""Slow down people who guess passwords, and nobody else.

Only failures count. After some of them the next attempt from there has to wait, longer each time;
if many guess the password of one name, each of them waits after a single failure. A first attempt
never waits: whoever knows the password gets in, however many others guess it.

A browser that has signed in with a name before shows so by a signed cookie, and waits for its own
failures alone, even if somebody guesses at the same address (OWASP: Slow Down Online Guessing
Attacks with Device Cookies).
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from threading import Lock
from typing import Final

from flask import Flask, current_app, request
from itsdangerous import BadSignature, URLSafeTimedSerializer
from limits import parse
from werkzeug.wrappers import Response

from ladder.errors import NotSignedIn, WrongPassword
from ladder.people import tickets
from ladder.people.accounts import Account
from ladder.secrets import SecretBox
from web import identity, limits
from web.database import session
from web.limits import Rule

_LONGEST_WAIT: Final = 600
"""Seconds that an attempt has to wait at most."""
_COOKIE: Final = "santiago-known"
AT_ONCE: Final = 320
"""Attempts that one process makes or keeps waiting: each holds a thread."""
OF_ONE: Final = 160
"""Those of one place, which are made one after the other: a hall full of people may sign in, and
others get in meanwhile."""
_LIFETIME: Final = timedelta(days=365)
_NAMES: Final = 8
"""Names of which a browser's cookie keeps that it has signed in with them, the newest first."""
_EXTENSION: Final = "santiago.guesses"
_PAUSE: Final = 5  # seconds until somebody for whom there is no thread should try again
_PLACES: Final = limits.Places(AT_ONCE, OF_ONE)
_ONE_BY_ONE: Final = tuple(Lock() for _ in range(64))
"""Attempts from one place are made one after the other, so that each one counts for the next."""


@dataclass(frozen=True, slots=True)
class _Slowing:
    """After `free` failures in an hour each one more makes the next attempt wait `step` seconds
    longer."""

    rule: Rule
    free: int
    step: float

    def wait(self, failures: int) -> int:
        return min(_LONGEST_WAIT, max(0, ceil(self.step * (failures - self.free + 1))))


@dataclass(frozen=True, slots=True)
class _Count:
    """A count of failures, and the key of who has to wait for it."""

    slowing: _Slowing
    of: str
    waits: str

    @property
    def bar(self) -> str:
        return f"wait {self.slowing.rule.name} {self.waits}"


def _slowing(name: str, free: int, step: float) -> _Slowing:
    most = free + ceil(_LONGEST_WAIT / step)
    return _Slowing(Rule(name, parse(f"{most} per hour")), free, step)


_AS: Final = _slowing("guesses-as", free=10, step=30)
_FROM: Final = _slowing("guesses-from", free=40, step=15)
_SITE: Final = _slowing("guesses-site", free=160, step=4)
_TO: Final = _slowing("guesses-to", free=20, step=0.5)
_KNOWN: Final = _slowing("guesses-known", free=10, step=30)
_AGAIN: Final = _slowing("guesses-again", free=10, step=30)


def init_app(app: Flask, box: SecretBox) -> None:
    """Sign the cookies of known browsers with a key derived from the box's."""
    app.extensions[_EXTENSION] = URLSafeTimedSerializer(box.derive("known browsers"))


@contextmanager
def sign_in(name: str) -> Iterator[None]:
    """Sign in within this context: it counts NotSignedIn as a failure for the name.

    Raises TooMany if the visitor has to wait.
    """
    household, site = limits.visitor()
    named = _digest(name)
    browser, names = _remembered()
    if named in names:
        limits.sign_in(browser)
        found = [_Count(_KNOWN, browser, browser)]
    else:
        limits.sign_in()
        found = [
            _Count(_AS, f"{named} {household}", f"{named} {household}"),
            _Count(_FROM, household, household),
            _Count(_SITE, site, site),
            _Count(_TO, named, f"{named} {household}"),
        ]
    with _counted(site, found, NotSignedIn):
        yield


@contextmanager
def confirmation(account: Account) -> Iterator[None]:
    """Check a signed-in user's password within this context: it counts WrongPassword as a failure.

    Raises TooMany if the user has to wait.
    """
    own = str(account.id)
    session().commit()  # of what was read: no connection to the database waits
    with _counted(own, [_Count(_AGAIN, own, own)], WrongPassword):
        yield


def remember(answer: Response, name: str) -> None:
    """Let the browser show from now on that it has signed in with this name."""
    browser, names = _remembered()
    named = _digest(name)
    remembered = [named, *(other for other in names if other != named)][:_NAMES]
    value = _serializer().dumps([browser or secrets.token_urlsafe(12), remembered])
    identity.set_cookie(answer, _COOKIE, value, _LIFETIME)


@contextmanager
def _counted(place: str, counts: Sequence[_Count], failure: type[Exception]) -> Iterator[None]:
    with _place(place), _ONE_BY_ONE[hash(place) % len(_ONE_BY_ONE)]:
        if seconds := max(limits.counts().barred(count.bar) for count in counts):
            raise limits.too_often(seconds)
        try:
            yield
        except failure:
            for count in counts:
                _fail(count)
            raise


@contextmanager
def _place(of: str) -> Iterator[None]:
    """Hold one of the places for attempts, so that threads are left for pages."""
    if not _PLACES.take(of):
        raise limits.too_often(_PAUSE)
    try:
        yield
    finally:
        _PLACES.leave(of)


def _fail(count: _Count) -> None:
    failures = limits.counts().add(count.slowing.rule, count.of)
    if seconds := count.slowing.wait(failures):
        limits.counts().bar(count.bar, seconds)


def _remembered() -> tuple[str, list[str]]:
    """Return the browser's own number and the digests of its names, from its cookie."""
    sent = request.cookies.get(identity.cookie_name(_COOKIE), "")
    try:
        browser, names = _serializer().loads(sent, max_age=int(_LIFETIME.total_seconds()))
    except BadSignature:
        return "", []
    return browser, names


def _digest(name: str) -> str:
    """Return what stands for a name, which does not tell it; in all spellings of a sign-in."""
    return tickets.digest(name.strip().lower())[:32]


def _serializer() -> URLSafeTimedSerializer:
    found: URLSafeTimedSerializer = current_app.extensions[_EXTENSION]
    return found
