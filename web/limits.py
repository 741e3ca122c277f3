"""Rate limits, counted in Redis for all processes of the site together.

While Redis is away, each process counts by itself: people can still sign in, and guessing
passwords (`web.guesses`) stays slow.
"""

import logging
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from ipaddress import IPv6Address, ip_address, ip_network
from threading import Lock
from time import monotonic, time
from typing import Final, TypeVar

from flask import Flask, current_app, request
from limits import RateLimitItem, RateLimitItemPerHour, parse
from limits.storage import MemoryStorage, Storage, storage_from_string
from limits.strategies import MovingWindowRateLimiter
from redis import RedisError

from ladder.broker import client_options
from ladder.casual import opponents
from ladder.config import Environment
from ladder.errors import Phrase, TooMany
from ladder.people.accounts import Account

_REDIS_TIMEOUT: Final = 1.0  # seconds for an answer of Redis
_REST: Final = 5.0  # seconds without another try after Redis did not answer
_EXTENSION: Final = "santiago.limits"
_ATTEMPTS: Final = Phrase("too many attempts")
_HOUSEHOLD: Final = 64  # bits of an IPv6 address, which a household shares
_SITE: Final = 48  # bits that a company, or a customer of a cheap host, can have alone
_HOUSEHOLDS: Final = 4  # times the limit of a household: that of a site

_T = TypeVar("_T")
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Rule:
    """A limit: its name, how many tries it allows in how much time, and the words beyond it."""

    name: str
    rate: RateLimitItem
    too_many: Phrase = _ATTEMPTS

    def count(self, account: Account) -> None:
        """Count a try of an account. Raises TooMany."""
        _count(self, str(account.id))

    def count_visitor(self, subject: str = "") -> None:
        """Count a try from the visitor's address, with this subject alone. Raises TooMany."""
        household, site = visitor()
        _count(self, household + subject)
        if site != household:
            _count(self._of_site(), site + subject)

    def _of_site(self) -> "Rule":
        """Return the limit of all households of an IPv6 site together."""
        more = type(self.rate)(_HOUSEHOLDS * self.rate.amount, self.rate.multiples)
        return replace(self, name=f"{self.name}-site", rate=more)


_SIGN_IN: Final = Rule("sign-in", parse("600 per 10 minutes"))
_KNOWN_SIGN_IN: Final = Rule("sign-in-known", parse("600 per 10 minutes"))
RESET: Final = Rule("reset", parse("30 per hour"))
SUBMISSION: Final = Rule(
    "submission", parse("30 per hour"), Phrase("too many bots and versions submitted in an hour")
)
UPLOAD: Final = Rule(
    "upload", parse("120 per hour"), Phrase("too many uploads in an hour, with those refused")
)
"""Uploads that begin, whatever is in them."""
TOKEN: Final = Rule("token", parse("30 per hour"))
CHALLENGE: Final = Rule("challenge", parse("30 per hour"))
CASUAL_GAME: Final = Rule("casual-game", parse("60 per hour"))
CASUAL_BOT: Final = Rule(
    "casual-bot",
    parse(f"{opponents.GAMES // 2} per 10 minutes"),
    Phrase("too many games with this bot in a short time"),
)
"""Casual games with one author's bot, so that nobody takes all games of a bot alone."""
CASUAL_CHOICE: Final = Rule("casual-choice", parse("600 per minute"))
"""Forms that are sent from a seat of a casual game."""
HINT: Final = Rule("hint", parse("20 per minute"))
ANALYSIS: Final = Rule("analysis", parse("20 per 20 minutes"))
ANALYSIS_IN_CROWD: Final = Rule("analysis-crowd", parse("3 per 20 minutes"))
"""Those while many wait, so that a few addresses do not take all places."""
CHANGE: Final = Rule("change", parse("120 per minute"))
"""Changes of any kind by the API."""
LARGE_ANSWER: Final = Rule("large", parse("120 per 10 minutes"))
"""Answers that cost much."""


class Places:
    """Places of this process, `most` in all and `of_one` for each visitor who is named (not "")."""

    def __init__(self, most: int, of_one: int) -> None:
        self._most = most
        self._of_one = of_one
        self._taken = Counter[str]()
        self._lock = Lock()

    def take(self, visitor: str) -> bool:
        """Take a place for a visitor; return False if none is left."""
        with self._lock:
            if self.all_of_one(visitor) or self._taken.total() >= self._most:
                return False
            self._taken[visitor] += 1
            return True

    def all_of_one(self, visitor: str) -> bool:
        """Return True if a visitor has as many as one may have."""
        return visitor != "" and self._taken[visitor] >= self._of_one

    def leave(self, visitor: str) -> None:
        """Leave a visitor's place."""
        with self._lock:
            self._taken[visitor] -= 1
            self._taken = +self._taken  # without those who have none


class Counts:
    """The counts in Redis, and this process's own for when Redis is away."""

    def __init__(self, redis_url: str) -> None:
        url = redis_url.replace("unix://", "redis+unix://", 1)
        storage = storage_from_string(url, **client_options(url, _REDIS_TIMEOUT))
        self._shared = MovingWindowRateLimiter(storage)
        self._own = MovingWindowRateLimiter(MemoryStorage())
        self._ask_after = 0.0

    def wait(self, rule: Rule, key: str) -> int:
        """Count a try. Return 0 if it is allowed, else the seconds until the next one is."""
        return self._ask(lambda limiter: _wait(limiter, rule, key))

    def add(self, rule: Rule, key: str) -> int:
        """Count one more; return how many there are, at most as many as the rule allows."""
        return self._ask(lambda limiter: _add(limiter, rule, key))

    def bar(self, key: str, seconds: int) -> None:
        """Bar the key for some seconds, in place of what was said of it before."""
        self._ask(lambda limiter: _bar(limiter.storage, key, seconds))

    def barred(self, key: str) -> int:
        """Return for how many seconds the key is still barred."""
        return self._ask(lambda limiter: _barred(limiter.storage, key))

    def _ask(self, question: Callable[[MovingWindowRateLimiter], _T]) -> _T:
        if monotonic() >= self._ask_after:
            try:
                return question(self._shared)
            except RedisError as error:
                _LOG.warning("Redis does not answer: this process counts tries alone: %s", error)
                self._ask_after = monotonic() + _REST
        return question(self._own)


def init_app(app: Flask, redis_url: str) -> None:
    """Count in this Redis: redis://…, rediss://… or unix:///…"""
    app.extensions[_EXTENSION] = Counts(redis_url)


def counts() -> Counts:
    """Return the counts of the current application."""
    found: Counts = current_app.extensions[_EXTENSION]
    return found


def sign_in(browser: str | None = None) -> None:
    """Count a try to sign in, right or wrong, because it costs much. Raises TooMany.

    It counts against the visitor's address, or against the browser that is given. Such browsers
    also have a count of their own at each address, so that nobody gains by collecting cookies.
    """
    if browser is None:
        _SIGN_IN.count_visitor()
    else:
        _count(_SIGN_IN, browser)
        _KNOWN_SIGN_IN.count_visitor()


def sign_up() -> None:
    """Count a try to sign up against the visitor's address. Raises TooMany."""
    most = Environment.from_environment().sign_ups
    Rule("sign-up", RateLimitItemPerHour(most)).count_visitor()


def visitor() -> tuple[str, str]:
    """Return the parts of the visitor's address that their household and their site share.

    For IPv4 both are the whole address.
    """
    try:
        address = ip_address(request.remote_addr or "")
    except ValueError:
        return "unknown", "unknown"
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        address = address.ipv4_mapped
    if not isinstance(address, IPv6Address):
        return str(address), str(address)
    household, site = (ip_network((address, bits), strict=False) for bits in (_HOUSEHOLD, _SITE))
    return str(household), str(site)


def stranger() -> str:
    """Return the site of a visitor from elsewhere; "" on this machine and in its network."""
    _, site = visitor()
    return site if site != "unknown" and ip_network(site).is_global else ""


def too_often(seconds: int, too_many: Phrase = _ATTEMPTS) -> TooMany:
    """Return the error that says of what there were too many, and when to try again."""
    if seconds < 100:
        return TooMany(
            "%(too_many)s: try again in %(seconds)s s", seconds, too_many=too_many, seconds=seconds
        )
    return TooMany(
        "%(too_many)s: try again in %(minutes)s minutes",
        seconds,
        too_many=too_many,
        minutes=-(-seconds // 60),
    )


def _count(rule: Rule, key: str) -> None:
    if seconds := counts().wait(rule, key):
        raise too_often(seconds, rule.too_many)


def _wait(limiter: MovingWindowRateLimiter, rule: Rule, key: str) -> int:
    if limiter.hit(rule.rate, rule.name, key):
        return 0
    return max(1, round(limiter.get_window_stats(rule.rate, rule.name, key).reset_time - time()))


def _add(limiter: MovingWindowRateLimiter, rule: Rule, key: str) -> int:
    limiter.hit(rule.rate, rule.name, key)
    left = limiter.get_window_stats(rule.rate, rule.name, key).remaining
    return rule.rate.amount - left


def _bar(storage: Storage, key: str, seconds: int) -> None:
    storage.clear(key)
    storage.incr(key, seconds)


def _barred(storage: Storage, key: str) -> int:
    return max(1, round(storage.get_expiry(key) - time())) if storage.get(key) else 0
