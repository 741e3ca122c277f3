"""Operating the service: the same views and actions as on the operator's page."""

from collections.abc import Callable
from dataclasses import asdict
from typing import Final, Literal, TypeVar

from pydantic import Field

from ladder.analyses import queue as analyses
from ladder.analyses.queue import AnalysisQueue
from ladder.bots import bans as banning
from ladder.bots.bans import Ban
from ladder.contests import ladders as all_ladders
from ladder.contests.ladders import MOST_SHARE
from ladder.matches import reading
from ladder.matches.queue import queue_state
from ladder.operating import bot_control, hosting, match_control
from ladder.operating.bot_control import BotAway, InValidation
from ladder.operating.hosting import Build, Host, Use
from ladder.operating.match_control import UnderWay
from ladder.people.accounts import LONGEST_REASON, Account
from web.api.matches import Match
from web.api.operations import Answer, CallGroup, Input, Text
from web.database import session

group = CallGroup("operating", "The queue, stuck matches, anybody's bots, ladders, hosts (admins).")

_DRAINED: Final = {"host": "iron.example:7070", "draining": True, "reason": "A new kernel."}
_BANNED: Final = {"sha256": "0" * 64, "banned": True, "reason": "It mines coins."}


class Reason(Input):
    """The reason: the audit log keeps it, and authors can read it."""

    reason: Text = Field(min_length=1, max_length=LONGEST_REASON, examples=["It answers nobody."])


class LadderChange(Input):
    """A new state of a ladder: open or closed for matches, and its share of all matches.

    `hosted_only`: true lets only hosted bots play on it, false all; null changes nothing.
    """

    open: bool
    share: int = Field(ge=0, le=MOST_SHARE)
    hosted_only: bool | None = None


class UnderWayQuery(Input):
    """Which matches to return."""

    state: Literal["running", "queued"] = "running"


class ByKind(Answer):
    """The number of matches of each kind."""

    validation: int
    challenge: int
    tournament: int
    ladder: int


class Queue(Answer):
    """The state of the queue. `oldest_waiting`: the age in seconds of the oldest match that waits
    though it may be played; `failed`: all matches that were ever given up."""

    queued: ByKind
    running: ByKind
    oldest_waiting: float
    failed: int
    analyses: AnalysisQueue


class MatchesUnderWay(Answer):
    """The matches that have run, or waited, longest; the longest first."""

    matches: list[UnderWay]


class BotsAway(Answer):
    """Bots that are paused or unreachable, newest first."""

    bots: list[BotAway]


class Validation(Answer):
    """Versions in the order of submission."""

    versions: list[InValidation]


class LadderState(Answer):
    """The state of a ladder: open or closed for matches, and its share of all matches.

    `hosted_only`: only hosted bots play on it.
    """

    seats: int
    open: bool
    share: int
    hosted_only: bool


class Ladders(Answer):
    """The ladders by table size."""

    ladders: list[LadderState]


class Hosts(Answer):
    """The hosts that workers have seen within a week, by name.

    `there`: it takes work now. `trouble` is why it starts no sandbox; `guards` are sentences.
    """

    hosts: list[Host]


class Builds(Answer):
    """Builds under way, the longest waiting first, and the last that failed, newest first."""

    under_way: list[Build]
    failed: list[Build]


class Uses(Answer):
    """The authors whose packages and bundles take most in the database; sizes are in bytes."""

    authors: list[Use]


class Bans(Answer):
    """All banned packages and bundles, newest first."""

    bans: list[Ban]


class HostChange(Reason):
    """A host by its name, to drain or to give work again."""

    host: Text = Field(min_length=1, max_length=200, examples=["iron.example:7070"])
    draining: bool


class FilesChange(Reason):
    """The SHA-256 of a package or of a bundle, to ban or to ban no longer."""

    # The ladder checks it, and says what it wants in words.
    sha256: Text = Field(json_schema_extra={"pattern": "^[0-9a-f]{64}$"}, examples=["0" * 64])
    banned: bool


_View = TypeVar("_View", bound=Callable[..., object])


def _action(path: str) -> Callable[[_View], _View]:
    """Add an action with a reason, which the audit log keeps."""
    return group.post(path, scope="admin", example={"reason": "It answers nobody."})


@group.get("/operator/queue", scope="admin")
def queue() -> Queue:
    """The number of waiting and of running matches, by kind, and of analyses."""
    analysed = analyses.queue_state(session())
    return Queue.model_validate({**asdict(queue_state(session())), "analyses": analysed})


@group.get("/operator/matches", scope="admin")
def under_way(query: UnderWayQuery) -> MatchesUnderWay:
    """The matches that have run, or waited, longest."""
    found = match_control.running if query.state == "running" else match_control.waiting_longest
    return MatchesUnderWay(matches=list(found(session())))


@group.get("/operator/bots", scope="admin")
def away() -> BotsAway:
    """Bots that don't play: paused or unreachable."""
    return BotsAway(bots=list(bot_control.away(session())))


@group.get("/operator/versions", scope="admin")
def validation() -> Validation:
    """Versions that are still being validated."""
    return Validation(versions=list(bot_control.validation(session())))


@group.get("/operator/ladders", scope="admin")
def ladders() -> Ladders:
    """Which ladders are open, and their shares."""
    return Ladders.model_validate({"ladders": all_ladders.every(session())})


@group.post("/operator/ladders/{seats}", scope="admin")
def change_ladder(seats: int, account: Account, body: LadderChange) -> LadderState:
    """Open or close a ladder, set its share and who plays; waiting matches are played anyway."""
    changed = all_ladders.change(session(), account, seats, **body.model_dump())
    session().commit()
    return LadderState.model_validate(changed)


@_action("/operator/matches/{match_id}/cancel")
def cancel(match_id: int, account: Account, body: Reason) -> Match:
    """Cancel a waiting or running match; a tournament continues without its result."""
    match_control.cancel(session(), account, match_id, body.reason)
    return _match(match_id)


@_action("/operator/matches/{match_id}/requeue")
def requeue(match_id: int, account: Account, body: Reason) -> Match:
    """Play a running or failed match again."""
    match_control.requeue(session(), account, match_id, body.reason)
    return _match(match_id)


@_action("/operator/bots/{bot_id}/pause")
def pause(bot_id: int, account: Account, body: Reason) -> BotAway:
    """Pause any bot; its author can resume it."""
    bot_control.pause(session(), account, bot_id, body.reason)
    return _bot(bot_id)


@_action("/operator/bots/{bot_id}/bar")
def bar(bot_id: int, account: Account, body: Reason) -> BotAway:
    """Pause any bot until an admin resumes it."""
    bot_control.bar(session(), account, bot_id, body.reason)
    return _bot(bot_id)


@_action("/operator/bots/{bot_id}/resume")
def resume(bot_id: int, account: Account, body: Reason) -> BotAway:
    """Resume any paused or unreachable bot."""
    bot_control.resume(session(), account, bot_id, body.reason)
    return _bot(bot_id)


@group.get("/operator/hosts", scope="admin")
def hosts() -> Hosts:
    """The hosts that build and run uploaded bots, and the guards in force."""
    return Hosts(hosts=list(hosting.hosts(session())))


@group.get("/operator/builds", scope="admin")
def builds() -> Builds:
    """Builds under way, and the last that failed."""
    failed = hosting.failed_builds(session())
    return Builds(under_way=list(hosting.builds(session())), failed=list(failed))


@group.get("/operator/uses", scope="admin")
def uses() -> Uses:
    """The space that each author's uploads take, and the quota."""
    return Uses(authors=list(hosting.uses(session())))


@group.get("/operator/bans", scope="admin")
def bans() -> Bans:
    """The packages and bundles that are banned."""
    return Bans(bans=list(banning.bans(session())))


@group.post("/operator/hosts", scope="admin", example=_DRAINED, may_fail=(404,))
def change_host(account: Account, body: HostChange) -> Hosts:
    """Drain a host, or give it work again; what it plays and builds goes on either way."""
    deed = hosting.drain if body.draining else hosting.undrain
    deed(session(), account, body.host, body.reason)
    session().commit()
    return hosts()


@group.post("/operator/bans", scope="admin", example=_BANNED, may_fail=(404,))
def change_ban(account: Account, body: FilesChange) -> Bans:
    """Ban a package or bundle from all hosts at once, or lift a ban."""
    deed = hosting.ban if body.banned else hosting.unban
    deed(session(), account, body.sha256, body.reason)
    session().commit()
    return bans()


def _match(match_id: int) -> Match:
    session().commit()
    return Match.model_validate(reading.match(session(), match_id, named=True))


def _bot(bot_id: int) -> BotAway:
    session().commit()
    return bot_control.bot(session(), bot_id)
