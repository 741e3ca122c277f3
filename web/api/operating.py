"""What admins see of the service and do to it: the same as the operator's page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from marshmallow import Schema

from ladder import matches
from ladder.contests import ladders as all_ladders
from ladder.model import MatchState
from ladder.operating import bot_control, match_control
from ladder.people.accounts import Account
from web.api.operations import Part
from web.api.schemas import operating as schemas
from web.api.schemas.matches import Match
from web.database import session

part = Part("operating", "The queue, matches that are stuck, anybody's bots, the ladders (admins).")


_View = TypeVar("_View", bound=Callable[..., object])


def _deed(path: str, answer: Schema) -> Callable[[_View], _View]:
    """A call that does something for a reason, which the audit keeps."""
    example = {"reason": "It answers nobody."}
    return part.post(path, answer, body=schemas.Reason(), scope="admin", example=example)


@part.get("/operator/queue", schemas.Queue(), scope="admin")
def queue(asking: Account) -> object:  # noqa: ARG001 (that there is one is enough)
    """How many matches wait and are played, by kind."""
    return matches.queue_state(session())


@part.get(
    "/operator/matches", schemas.MatchesUnderWay(), query=schemas.UnderWayQuery(), scope="admin"
)
def under_way(asking: Account, given: dict[str, Any]) -> object:  # noqa: ARG001
    """The matches that have been played, or wait, for the longest time."""
    found = (
        match_control.running
        if given["state"] == MatchState.RUNNING
        else match_control.waiting_longest
    )
    return {"matches": found(session())}


@part.get("/operator/bots", schemas.BotsAway(), scope="admin")
def away(asking: Account) -> object:  # noqa: ARG001
    """Bots that do not play: paused, or out of reach."""
    return {"bots": bot_control.away(session())}


@part.get("/operator/versions", schemas.Validation(), scope="admin")
def validation(asking: Account) -> object:  # noqa: ARG001
    """Versions that are still to be found good."""
    return {"versions": bot_control.validation(session())}


@part.get("/operator/ladders", schemas.Ladders(), scope="admin")
def ladders(asking: Account) -> object:  # noqa: ARG001
    """Which ladders are open, and their shares."""
    return {"ladders": all_ladders.every(session())}


@part.post(
    "/operator/ladders/{seats}", schemas.LadderState(), body=schemas.LadderChange(), scope="admin"
)
def change_ladder(seats: int, asking: Account, given: dict[str, Any]) -> object:
    """Open or close a ladder and set its share; what waits is played either way."""
    changed = all_ladders.change(session(), asking, seats, **given)
    session().commit()
    return changed


@_deed("/operator/matches/{match_id}/cancel", Match())
def cancel(match_id: int, asking: Account, given: dict[str, Any]) -> object:
    """Cancel a match that waits or is played; a tournament goes on without its result."""
    match_control.cancel(session(), asking, match_id, given["reason"])
    return _match(match_id)


@_deed("/operator/matches/{match_id}/requeue", Match())
def requeue(match_id: int, asking: Account, given: dict[str, Any]) -> object:
    """Let a match be played anew that is being played, or was given up."""
    match_control.requeue(session(), asking, match_id, given["reason"])
    return _match(match_id)


@_deed("/operator/bots/{bot_id}/pause", schemas.BotState())
def pause(bot_id: int, asking: Account, given: dict[str, Any]) -> object:
    """Pause anybody's bot until it is resumed, also by its author."""
    bot_control.pause(session(), asking, bot_id, given["reason"])
    return _bot(bot_id)


@_deed("/operator/bots/{bot_id}/bar", schemas.BotState())
def bar(bot_id: int, asking: Account, given: dict[str, Any]) -> object:
    """Pause anybody's bot until an admin resumes it; its author can't."""
    bot_control.bar(session(), asking, bot_id, given["reason"])
    return _bot(bot_id)


@_deed("/operator/bots/{bot_id}/resume", schemas.BotState())
def resume(bot_id: int, asking: Account, given: dict[str, Any]) -> object:
    """Let anybody's paused or absent bot play again."""
    bot_control.resume(session(), asking, bot_id, given["reason"])
    return _bot(bot_id)


def _match(match_id: int) -> object:
    session().commit()
    return matches.match(session(), match_id, named=True)


def _bot(bot_id: int) -> object:
    session().commit()
    return bot_control.bot(session(), bot_id)
