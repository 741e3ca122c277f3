"""Answers of a ladder's site to an author, as far as the commands use them.

Each object is read by `ladder.cli.client.read`, so that an answer of another kind is told in a
sentence, and fields of a later version do no harm.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Final, TypeVar

from ladder.cli.bot_check import failed_lines
from ladder.cli.client import SiteClient, SiteError, read
from referee.fault_reports import FaultReport

_MOST: Final = 200  # items of a page


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of the conformance suite, as `ladder.bots.reports.Report.as_json`."""

    checks: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class OwnVersion:
    """A version of an own bot, as `ladder.bots.own.OwnVersion`."""

    id: int
    name: str
    state: str
    reason: str | None = None
    report: Report | None = None
    address: str = ""
    waits_for_host: bool = False  # an older site does not say it

    @property
    def failures(self) -> list[str]:
        """The checks that it failed, in lines."""
        return failed_lines(self.report.checks) if self.report else []


@dataclass(frozen=True, slots=True)
class OwnBot:
    """An own bot with its newest versions and the active one, as `ladder.bots.own.OwnBot`."""

    id: int
    name: str
    state: str
    versions: tuple[OwnVersion, ...]
    pause_reason: str | None = None
    offline_since: str | None = None
    joined_version: str | None = None
    joined_versions: tuple[str, ...] = ()
    open_to_people: bool = False


@dataclass(frozen=True, slots=True)
class OwnBots:
    """A page of own bots, newest first."""

    bots: tuple[OwnBot, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class OwnVersions:
    """A page of the versions of an own bot, newest first."""

    versions: tuple[OwnVersion, ...]
    next: int | None


@dataclass(frozen=True, slots=True)
class Entered:
    """A tournament that an older version plays to its end."""

    tournament: str
    version: str
    address: str


@dataclass(frozen=True, slots=True)
class Submission:
    """A version that was submitted or uploaded; the gateway token is shown this once."""

    bot_id: int
    version_id: int
    state: str
    gateway_token: str | None = field(default=None, repr=False)
    gateway: str | None = None
    entered: tuple[Entered, ...] = ()
    plays_on: tuple[int, ...] | None = None  # an older site does not say it


@dataclass(frozen=True, slots=True)
class GatewayToken:
    """A new token for a bot at the gateway."""

    gateway_token: str = field(repr=False)
    gateway: str | None = None


@dataclass(frozen=True, slots=True)
class LogEntry:
    """A match in a bot's log, as `ladder.bots.logs.LogEntry`."""

    match_id: int
    kind: str
    state: str
    version: str
    seat: int
    rank: int | None = None
    think_ms: int | None = None
    longest_ms: int | None = None
    peak_memory: int | None = None
    opponents: tuple[str, ...] = ()
    fault: str | None = None
    fault_sentence: str | None = None
    fault_report: FaultReport | None = None
    wrote: int | None = None


@dataclass(frozen=True, slots=True)
class Log:
    """The newest matches of a bot."""

    entries: tuple[LogEntry, ...]


@dataclass(frozen=True, slots=True)
class MatchOutput:
    """The output of a hosted bot in a match."""

    output: str


@dataclass(frozen=True, slots=True)
class Player:
    """A player at a seat; the name is None while it is hidden."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Challenge:
    """A match that an author asked for."""

    id: int
    state: str
    seats: tuple[Player, ...]


@dataclass(frozen=True, slots=True)
class BuildLine:
    """A line that a build has printed."""

    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Build:
    """The lines of a build that are new, or the first of them. `over`: no more lines come."""

    lines: tuple[BuildLine, ...]
    over: bool


@dataclass(frozen=True, slots=True)
class Place:
    """A bot's place on the ladder of one table size."""

    seats: int
    games: int
    rank: int | None
    rating_milli: int
    deviation_milli: int
    provisional: bool
    inactive: bool = False  # as sites of an older release say

    @property
    def line(self) -> str:
        """The place in words."""
        rank = "being placed" if self.provisional else f"rank {self.rank}"
        elo, deviation = self.rating_milli / 1000, self.deviation_milli / 1000
        where = "inactive" if self.inactive else rank
        return f"{self.seats} seats: {where}, {elo:.0f} ± {deviation:.0f} Elo"


@dataclass(frozen=True, slots=True)
class PublicBot:
    """A bot as everybody sees it: its active version, and its places."""

    version: str
    ratings: tuple[Place, ...]

    @property
    def places(self) -> list[str]:
        """Return a line for each ladder on which it has rated games."""
        return [place.line for place in self.ratings if place.games]


@dataclass(frozen=True, slots=True)
class RankedBot:
    """A bot that has a place on a ladder."""

    bot_id: int
    name: str
    author: str


@dataclass(frozen=True, slots=True)
class RankedBots:
    """A page of them, best first."""

    bots: tuple[RankedBot, ...]


_Page = TypeVar("_Page", OwnBots, OwnVersions)


def own_bot(site: SiteClient, bot_id: int) -> OwnBot:
    """Return one of the account's bots. Raises SiteError."""
    return read(OwnBot, site.get(f"/account/bots/{bot_id}"))


def public_bot(site: SiteClient, bot_id: int) -> PublicBot:
    """Return a bot as everybody sees it. Raises SiteError."""
    return read(PublicBot, site.get(f"/bots/{bot_id}"))


def own_bot_id(site: SiteClient, word: str) -> int:
    """Return the id of one of the account's bots by its id or name. Raises SiteError."""
    if word.isdecimal():
        return int(word)
    bot = next((bot for bot in own_bots(site) if bot.name == word), None)
    if bot is None:
        raise SiteError(
            f"You have no bot that is called {word!r}: `santiago bot status` lists yours."
        )
    return bot.id


def own_bots(site: SiteClient) -> Iterator[OwnBot]:
    """Yield the account's bots, page by page. Raises SiteError."""
    return (bot for page in _pages(OwnBots, site, "/account/bots") for bot in page.bots)


def ranked_bots(site: SiteClient, name: str) -> list[RankedBot]:
    """Return the bots of this name that have a place on a ladder. Raises SiteError."""
    found = read(RankedBots, site.get("/standings", search=name, limit=_MOST)).bots
    return [bot for bot in found if bot.name == name]


def find_version(
    site: SiteClient, bot_id: int, wanted: Callable[[OwnVersion], bool]
) -> OwnVersion | None:
    """Return the newest version that is wanted, None if there is none. Raises SiteError.

    The bot lists its newest versions; older ones are asked for only if none of these is wanted.
    """
    listed = own_bot(site, bot_id).versions
    pages = _pages(OwnVersions, site, f"/account/bots/{bot_id}/versions")
    older = (version for page in pages for version in page.versions)
    return next(filter(wanted, chain(listed, older)), None)


def _pages(kind: type[_Page], site: SiteClient, path: str) -> Iterator[_Page]:
    page = read(kind, site.get(path))
    yield page
    while page.next is not None:
        page = read(kind, site.get(path, before=page.next))
        yield page
