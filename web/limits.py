"""Rate limits, counted in Redis for all processes of the site together.

While Redis is away, each process counts by itself: people can still sign in, and guessing
passwords stays slow.
"""

import logging
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address
from time import monotonic, time
from typing import Final

from flask import Flask, current_app, request
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage, storage_from_string
from limits.strategies import MovingWindowRateLimiter
from redis import RedisError

from ladder.broker import client_options
from ladder.errors import TooMany
from ladder.people import tickets
from ladder.people.accounts import Account

_REDIS_TIMEOUT: Final = 1.0  # seconds for an answer of Redis
_REST: Final = 5.0  # seconds without another try after Redis did not answer
_EXTENSION: Final = "santiago.limits"
_IPV6_SITE: Final = 64  # bits; one household has all addresses with the same

_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Rule:
    """A limit: its name, and how many tries it allows in how much time."""

    name: str
    rate: RateLimitItem


_SIGN_IN: Final = _Rule("sign-in", parse("40 per 10 minutes"))
_SIGN_IN_AS: Final = _Rule("sign-in-as", parse("10 per 10 minutes"))
_SIGN_IN_TO: Final = _Rule("sign-in-to", parse("100 per hour"))
_SIGN_UP: Final = _Rule("sign-up", parse("20 per hour"))
_RESET: Final = _Rule("reset", parse("30 per hour"))
_CONFIRMATION: Final = _Rule("confirmation", parse("10 per 10 minutes"))
_SUBMISSION: Final = _Rule("submission", parse("30 per hour"))
_CHALLENGE: Final = _Rule("challenge", parse("30 per hour"))
_CHANGE: Final = _Rule("change", parse("120 per minute"))
_LARGE: Final = _Rule("large", parse("120 per 10 minutes"))


class _Counts:
    """The counts in Redis, and this process's own for when Redis is away."""

    def __init__(self, redis_url: str) -> None:
        url = redis_url.replace("unix://", "redis+unix://", 1)
        storage = storage_from_string(url, **client_options(url, _REDIS_TIMEOUT))
        self._shared = MovingWindowRateLimiter(storage)
        self._own = MovingWindowRateLimiter(MemoryStorage())
        self._ask_after = 0.0

    def wait(self, rule: _Rule, key: str) -> int:
        """Count a try. Return 0 if it is allowed, else the seconds until the next one is."""
        if monotonic() >= self._ask_after:
            try:
                return _wait(self._shared, rule, key)
            except RedisError as error:
                _LOG.warning("Redis does not answer: this process counts tries alone: %s", error)
                self._ask_after = monotonic() + _REST
        return _wait(self._own, rule, key)


def init_app(app: Flask, redis_url: str) -> None:
    """Count in this Redis: redis://…, rediss://… or unix:///…"""
    app.extensions[_EXTENSION] = _Counts(redis_url)


def sign_in(name: str) -> None:
    """Count a try to sign in with this name from the visitor's address. Raises TooMany.

    Tries from other addresses have a higher limit, so that nobody can lock others out.
    """
    folded = tickets.digest(name.strip().lower())
    _count(_SIGN_IN, _visitor())
    _count(_SIGN_IN_AS, f"{folded} {_visitor()}")
    _count(_SIGN_IN_TO, folded)


def sign_up() -> None:
    """Count a try to create an account. Raises TooMany."""
    _count(_SIGN_UP, _visitor())


def reset() -> None:
    """Count a use of a reset link. Raises TooMany."""
    _count(_RESET, _visitor())


def confirmation(account: Account) -> None:
    """Count a password that a signed-in user gives again. Raises TooMany."""
    _count(_CONFIRMATION, str(account.id))


def submission(account: Account) -> None:
    """Count a submission of a bot or version, by page or API. Raises TooMany."""
    _count(_SUBMISSION, str(account.id))


def challenge(account: Account) -> None:
    """Count a challenge. Raises TooMany."""
    _count(_CHALLENGE, str(account.id))


def change(account: Account) -> None:
    """Count a change of any kind by the API. Raises TooMany."""
    _count(_CHANGE, str(account.id))


def large_answer() -> None:
    """Count an answer that costs much, against the visitor's address. Raises TooMany."""
    _count(_LARGE, _visitor())


def _count(rule: _Rule, key: str) -> None:
    counts: _Counts = current_app.extensions[_EXTENSION]
    if seconds := counts.wait(rule, key):
        raise _too_often(seconds)


def _wait(limiter: MovingWindowRateLimiter, rule: _Rule, key: str) -> int:
    if limiter.hit(rule.rate, rule.name, key):
        return 0
    return max(1, round(limiter.get_window_stats(rule.rate, rule.name, key).reset_time - time()))


def _visitor() -> str:
    """Return the address of the visitor; of IPv6 the part that a household shares."""
    try:
        address = ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown"
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if isinstance(address, IPv6Address):
        return address.exploded[: _IPV6_SITE // 4 + _IPV6_SITE // 16 - 1]
    return str(address)


def _too_often(seconds: int) -> TooMany:
    if seconds < 100:
        return TooMany("too many attempts: try again in %(seconds)s s", seconds, seconds=seconds)
    return TooMany(
        "too many attempts: try again in %(minutes)s minutes",
        seconds,
        minutes=-(-seconds // 60),
    )
