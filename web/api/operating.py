"""Operating the service: the same views and actions as on the operator's page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from pydantic import Field

from ladder.contests import ladders as all_ladders
from ladder.contests.ladders import MOST_SHARE
from ladder.matches import reading
from ladder.matches.queue import queue_state
from ladder.operating import bot_control, match_control
from ladder.operating.bot_control import BotAway, InValidation
from ladder.operating.match_control import UnderWay
from ladder.people.accounts import LONGEST_REASON, Account
from web.api.fields import Answer, Given, Text
from web.api.matches import Match
from web.api.operations import Part
from web.database import session

part = Part("operating", "The queue, matches that are stuck, anybody's bots, the ladders (admins).")


class Reason(Given):
    """Why it is done: the audit keeps it, and authors can read it."""

    reason: Text = Field(min_length=1, max_length=LONGEST_REASON, examples=["It answers nobody."])


class LadderChange(Given):
    """A new state of a ladder: open or closed for matches, and its share of all matches."""

    open: bool
    share: int = Field(ge=0, le=MOST_SHARE)


class UnderWayQuery(Given):
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


class MatchesUnderWay(Answer):
    """The matches that have been played, or wait, for the longest time; those first."""

    matches: list[UnderWay]


class BotsAway(Answer):
    """Bots that are paused or out of reach, newest first."""

    bots: list[BotAway]


class Validation(Answer):
    """Versions in the order of submission."""

    versions: list[InValidation]


class LadderState(Answer):
    """The state of a ladder: open or closed for matches, and its share of all matches."""

    seats: int
    open: bool
    share: int


class Ladders(Answer):
    """The ladders by table size."""

    ladders: list[LadderState]


_View = TypeVar("_View", bound=Callable[..., object])


def _action(path: str) -> Callable[[_View], _View]:
    """An action with a reason, which the audit keeps."""
    example: dict[str, Any] = {"reason": "It answers nobody."}
    return part.post(path, scope="admin", example=example)


@part.get("/operator/queue", scope="admin")
def queue() -> Queue:
    """How many matches wait and are played, by kind."""
    return Queue.model_validate(queue_state(session()))


@part.get("/operator/matches", scope="admin")
def under_way(given: UnderWayQuery) -> MatchesUnderWay:
    """The matches that have been played, or wait, for the longest time."""
    found = match_control.running if given.state == "running" else match_control.waiting_longest
    return MatchesUnderWay(matches=list(found(session())))


@part.get("/operator/bots", scope="admin")
def away() -> BotsAway:
    """Bots that do not play: paused, or out of reach."""
    return BotsAway(bots=list(bot_control.away(session())))


@part.get("/operator/versions", scope="admin")
def validation() -> Validation:
    """Versions that are still being validated."""
    return Validation(versions=list(bot_control.validation(session())))


@part.get("/operator/ladders", scope="admin")
def ladders() -> Ladders:
    """Which ladders are open, and their shares."""
    return Ladders.model_validate({"ladders": all_ladders.every(session())})


@part.post("/operator/ladders/{seats}", scope="admin")
def change_ladder(seats: int, asking: Account, given: LadderChange) -> LadderState:
    """Open or close a ladder and set its share; matches that wait are played either way."""
    changed = all_ladders.change(session(), asking, seats, open=given.open, share=given.share)
    session().commit()
    return LadderState.model_validate(changed)


@_action("/operator/matches/{match_id}/cancel")
def cancel(match_id: int, asking: Account, given: Reason) -> Match:
    """Cancel a match that waits or is played; a tournament goes on without its result."""
    match_control.cancel(session(), asking, match_id, given.reason)
    return _match(match_id)


@_action("/operator/matches/{match_id}/requeue")
def requeue(match_id: int, asking: Account, given: Reason) -> Match:
    """Play a match again that is being played, or was given up."""
    match_control.requeue(session(), asking, match_id, given.reason)
    return _match(match_id)


@_action("/operator/bots/{bot_id}/pause")
def pause(bot_id: int, asking: Account, given: Reason) -> BotAway:
    """Pause anybody's bot until it is resumed, also by its author."""
    bot_control.pause(session(), asking, bot_id, given.reason)
    return _bot(bot_id)


@_action("/operator/bots/{bot_id}/bar")
def bar(bot_id: int, asking: Account, given: Reason) -> BotAway:
    """Pause anybody's bot until an admin resumes it; its author can't."""
    bot_control.bar(session(), asking, bot_id, given.reason)
    return _bot(bot_id)


@_action("/operator/bots/{bot_id}/resume")
def resume(bot_id: int, asking: Account, given: Reason) -> BotAway:
    """Let anybody's paused or absent bot play again."""
    bot_control.resume(session(), asking, bot_id, given.reason)
    return _bot(bot_id)


def _match(match_id: int) -> Match:
    session().commit()
    return Match.model_validate(reading.match(session(), match_id, named=True))


def _bot(bot_id: int) -> BotAway:
    session().commit()
    return bot_control.bot(session(), bot_id)
